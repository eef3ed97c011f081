"""How the language beside the built-in space is made. See scripts/README.md."""
