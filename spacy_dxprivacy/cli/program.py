"""`dx` as a program."""

from __future__ import annotations

from . import dx_cli


def main() -> None:
    """Run `dx` and exit with its status."""
    dx_cli(prog_name="dx")
