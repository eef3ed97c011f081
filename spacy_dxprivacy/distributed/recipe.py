"""How a worker makes its pipeline: sent to it in place of a pipeline that may have read texts."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import spacy
from spacy import util
from spacy.language import Language

from ..batch.build import make_pipeline, the_sanitizer
from ..doc.receipt import Terms
from ..errors import DxError, Errors

Config = str | Path | Mapping[str, Any] | None


@dataclass(frozen=True)
class Recipe:
    """text: of a whole config, as for `spacy assemble`. options: those of make_pipeline, where
    there is no text."""

    text: str = ""
    options: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, config: Config = None) -> Recipe:
        """config: the path of a .cfg file; the name or folder of a saved pipeline; a whole config;
        or the settings of a dx_sanitizer, {} and None for its defaults.

        Paths in a config are made absolute: workers have other working folders.
        """
        if isinstance(config, str | Path):
            if Path(config).suffix != ".cfg":
                folder = Path(config).resolve()
                return cls(options=(("model", str(folder if folder.exists() else config)),))
            config = _read(Path(config))
        if config is None or "nlp" not in config:
            nlp = spacy.blank("en")
            nlp.add_pipe("dx_sanitizer", config=_absolute(config or {}))
            config = nlp.config
        return cls(text=util.copy_config(_absolute(config)).to_str(interpolate=False))

    def load(self) -> Language:
        """The pipeline, ready. Raises DxError for a seeded one, and what make_pipeline raises."""
        if not self.text:
            nlp = make_pipeline(**dict(self.options))
        else:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "pipeline.cfg"
                path.write_text(self.text, encoding="utf8")
                nlp = make_pipeline(config=path)
        if the_sanitizer(nlp).rng.seed is not None:
            raise DxError(Errors.DX072)
        return nlp


def terms_of(nlp: Language) -> Terms:
    """What all receipts of a pipeline say."""
    return the_sanitizer(nlp).terms


def config_digest(nlp: Language) -> str:
    """SHA-256 of the whole config and of the name and version of the pipeline, in hexadecimal."""
    meta = f"{nlp.meta['lang']} {nlp.meta['name']} {nlp.meta['version']}\n"
    return hashlib.sha256((meta + nlp.config.to_str()).encode()).hexdigest()


@lru_cache(maxsize=2)
def pipeline_of_worker(recipe: Recipe, space: str) -> Language:
    """One a process, with one thread: its brothers use the other cores. space: what the driver's
    terms call it. Raises DxError where this machine has another one."""
    from threadpoolctl import threadpool_limits

    nlp = recipe.load()
    if terms_of(nlp).space != space:
        raise DxError(Errors.DX073.format(found=terms_of(nlp).space, expected=space))
    threadpool_limits(limits=1)
    return nlp


def _read(path: Path) -> Mapping[str, Any]:
    if not path.is_file():
        raise DxError(Errors.DX078.format(path=path, why="no such config file."))
    return util.load_config(path, interpolate=False)


def _absolute(config: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _absolute_value(key, value) for key, value in config.items()}


def _absolute_value(key: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return _absolute(value)
    is_path = key == "path" and isinstance(value, str) and Path(value).exists()
    return str(Path(value).resolve()) if is_path else value
