"""Read lists of words, text files with one word a line."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from ..errors import DxError, Errors
from ..validate import fail
from .limits import NotAFile, regular


@lru_cache(maxsize=8)
def read_words(path: Path) -> tuple[str, ...]:
    """Read the lines of a text file, without blank lines and lines that begin with "#".

    Raises DxError if there is no such file or it is not UTF-8.
    """
    try:
        lines = regular(path).read_text(encoding="utf8").splitlines()
    except NotAFile as error:
        raise fail("a list of words", "a text file", f"{path}, which {error.strerror}") from None
    except OSError:
        hint = "It should be a text file with one word a line."
        raise DxError(Errors.DX026.format(path=path, hint=hint)) from None
    except UnicodeDecodeError:
        raise fail("a list of words", "a UTF-8 text file", str(path)) from None
    return tuple(w for w in (line.strip() for line in lines) if w and not w.startswith("#"))
