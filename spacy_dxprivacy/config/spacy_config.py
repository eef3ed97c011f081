"""Read the config files of spaCy, within a limit of size."""

from __future__ import annotations

import configparser
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..files.limits import MAX_CONFIG, TooLarge, check_size


def read_config(path: Path | str) -> dict[str, Any]:
    """Return the sections of a config file of spaCy.

    Raise UsageError if the file is missing, too large, or no config.
    """
    from spacy import util

    path = Path(path).expanduser()
    if not path.is_file():
        raise UsageError(f"{path}: no such config file.")
    try:
        check_size(path, MAX_CONFIG)
        return dict(util.load_config(path, interpolate=False))
    except TooLarge as error:
        raise UsageError(str(error)) from None
    except (ValueError, configparser.Error):
        # The parser's message quotes a line, which may be text.
        raise UsageError(f"{path}: is not a config file of spaCy.") from None
