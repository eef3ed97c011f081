"""What an audit is given by files: the mechanism of a config, a receipt."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from spacy import util
from spacy.language import Language

from ...batch.code import import_code
from ...batch.manifests import as_receipt
from ...errors import DxWarning, UsageError
from ...files.limits import parse_json, regular
from ...registries import registry
from ...ty import Mechanism

MOST_BYTES = 2**24  # of a config or a receipt


def mechanism_of(
    config: Path, *, code: Path | None = None, epsilon: float | None = None
) -> Mechanism:
    """The mechanism of a config, not fitted. code: a Python file that registers mechanisms, which
    is run. epsilon: in place of that of the config.

    Raises UsageError where there is no mechanism, or several, or the code fails; what the mechanism
    and spaCy raise for wrong settings.
    """
    import_code(code)
    block = _block(config)
    if epsilon is not None:
        block["epsilon"] = epsilon
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DxWarning)
        mechanism: Mechanism = registry.resolve({"mechanism": block})["mechanism"]
    return mechanism


def _block(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise UsageError(f"{path}: no such config file.")
    if path.stat().st_size > MOST_BYTES:
        raise UsageError(f"{path}: this is too large for a config file.")
    try:
        config = util.load_config(path)
    except Exception:
        # The parser quotes the line that it stumbles over, and this may be a text.
        raise UsageError(f"{path}: this is not a config file of spaCy.") from None
    parts = [config, *(config.get("components") or {}).values()]
    blocks = [part["mechanism"] for part in parts if isinstance(part.get("mechanism"), dict)]
    if len(blocks) != 1:
        found = "no [mechanism] block" if not blocks else f"{len(blocks)} [mechanism] blocks"
        raise UsageError(f"{path}: it has {found}; one was expected.")
    return dict(blocks[0])


def load_model(model: str) -> Language:
    """A pipeline with a recogniser. Raises UsageError where none can be loaded."""
    try:
        nlp = util.load_model(model)
    except (OSError, ValueError):
        raise UsageError(
            "the model cannot be loaded: a folder or a package of spaCy's is expected."
        ) from None
    if not any("doc.ents" in nlp.get_pipe_meta(name).assigns for name in nlp.pipe_names):
        raise UsageError("the model has no entity recogniser.")
    return nlp


def read_receipt(path: Path) -> dict[str, Any]:
    """What `dx sanitize --receipt` wrote, or the manifest of its shards. Raises UsageError
    for anything else."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UsageError(f"{path}: this is too large for a receipt.")
        receipt = as_receipt(parse_json(regular(path).read_bytes()))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError):
        receipt = None
    if not isinstance(receipt, dict) or "in_clear" not in receipt:
        raise UsageError(f"{path}: this is not a receipt of `dx sanitize`.")
    return receipt
