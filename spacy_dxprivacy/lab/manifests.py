"""The manifest of a run over shards, as a receipt: for those who read both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..pipeline.receipt import COUNTS, MENTIONS

MANIFEST, JOURNAL = "_manifest.json", "_journal.jsonl"


def is_manifest(told: Any) -> bool:
    """Whether a value that was read from json is a manifest of shards."""
    return isinstance(told, dict) and {"settings", "corpus", "by_document"} <= set(told)


def as_receipt(told: Any) -> Any:
    """What `dx sanitize --receipt` would have written of the corpus; other values as they are. A
    manifest does not know which records failed: failed is None, where any did. Raises KeyError and
    TypeError for a manifest that is damaged."""
    if not is_manifest(told):
        return told
    settings, corpus = told["settings"], told["corpus"]
    total = told["by_document"]["total"]
    return {
        **settings,
        "in_clear": [*settings["in_clear"], "the names of the files"],
        "documents": corpus["documents"],
        "failed": None if corpus["failed"] else [[] for _ in told["shards"]],
        **{name: corpus[name] for name in COUNTS},
        **_stood_in(settings, corpus),
        "total": total if isinstance(total, dict) else settings["guarantee"],
    }


def _stood_in(settings: dict[str, Any], corpus: dict[str, Any]) -> dict[str, Any]:
    """The counts of mentions, with what stands for them."""
    if not settings.get("surrogates"):
        return {}
    none, counts = dict.fromkeys(MENTIONS, 0), corpus.get("mentions", {})
    told = {k: {**v, **counts.get(k, none)} for k, v in settings["surrogates"].items()}
    return {"stood_in": corpus.get("stood_in", 0), "surrogates": told}


def receipt_beside(path: Path) -> Path | None:
    """The manifest of an output folder of shards."""
    return path / MANIFEST if (path / MANIFEST).is_file() else None
