"""Secret keys in the keyring of the system (macOS Keychain, Secret Service, Windows Credential
Locker), by the package keyring. A key there is named `keyring:NAME` wherever a file may be."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from ..errors import DxError, Errors, UsageError
from ..validate import needs

SCHEME = "keyring:"
SERVICE = "spacy-dxprivacy"


def name_in_keyring(place: str | Path) -> str | None:
    """The name of a key in the keyring; None for a file. Raises UsageError for no name."""
    told = str(place)
    if not told.startswith(SCHEME):
        return None
    name = told.removeprefix(SCHEME)
    if not name or name != name.strip() or not name.isprintable():
        raise UsageError("A key in the keyring has a name: keyring:NAME.")
    return name


def put_in_keyring(name: str, secret: str) -> None:
    """A new secret. Raises UsageError where there is one of this name already, and DxError where
    the system has no keyring, or one that keeps nothing."""
    keyring = _keyring()
    if _asked(keyring, name) is not None:
        raise UsageError(
            f"{SCHEME}{name}: exists already. A key that is lost cannot be made again."
        )
    _try(keyring, "set_password", SERVICE, name, secret)
    taken_from_keyring.cache_clear()
    if _asked(keyring, name) != secret:
        raise _unusable("what is put there is not kept")


@lru_cache(maxsize=8)
def taken_from_keyring(name: str) -> str:
    """A secret, asked for once in a process. Raises DxError where there is none of this name, or no
    keyring."""
    secret = _asked(_keyring(), name)
    if secret is None:
        raise DxError(Errors.DX171.format(name=name))
    return secret


def _keyring() -> Any:
    needs("keyring", "A key in the keyring of the system", extra="keyring")
    import keyring

    return keyring


def _asked(keyring: Any, name: str) -> str | None:
    found = _try(keyring, "get_password", SERVICE, name)
    return None if found is None else str(found)


def _try(keyring: Any, method: str, *told: str) -> Any:
    """What the backend answers. It may quote anything when it fails: its kind alone is told."""
    try:
        return getattr(keyring, method)(*told)
    except Exception as error:
        raise _unusable(type(error).__name__) from None


def _unusable(why: str) -> DxError:
    return DxError(Errors.DX170.format(why=why))
