"""Who and what is named in a text, by rules and public lists."""
