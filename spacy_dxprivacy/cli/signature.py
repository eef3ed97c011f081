"""`--key` of `dx report` and `dx audit release`: whether a receipt is the one that was signed."""

from __future__ import annotations

from pathlib import Path

import typer

from ..errors import UsageError
from ..files.keys import read_key
from ..files.signed import check_signed
from .mistakes import settings_that_fail


def check_signature(receipt: Path | None, key: Path | None, release: Path) -> None:
    """Says on stderr that receipt and files are as they were signed; nothing without a key.

    Raises UsageError where there is no receipt, or a key or file cannot be read; DxError for what
    was not signed with it, or was changed since.
    """
    if key is None:
        return
    if receipt is None:
        raise UsageError("`key` checks the signature of a receipt: name one by `receipt`.")
    with settings_that_fail():
        secret = read_key(key)
    count = check_signed(receipt, secret, release)
    typer.echo(f"{receipt}: signed with this key, and {count} file(s) are as it says.", err=True)
