"""How a worker makes its pipeline: sent to it in place of a pipeline that may have read texts."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import spacy
from spacy import util
from spacy.language import Language

from ...config import SanitizeConfig, sections_of
from ...errors import DxError, Errors
from ...io.build import make_pipeline, the_sanitizer
from ...io.code import import_code
from ...pipeline.receipt import Terms

Config = str | Path | Mapping[str, Any] | None
NAMES_OR_PATHS = ("model", "space", "prior", "surrogates", "key", "lm", "code")


@dataclass(frozen=True)
class Recipe:
    """How a worker makes a pipeline. text: a whole config, as for `spacy assemble`; "" for none.
    settings: all others. A file of code is run by every worker, and has to be there."""

    text: str = ""
    settings: SanitizeConfig = field(default_factory=SanitizeConfig)

    @classmethod
    def of(cls, config: Config = None, *, code: str | Path | None = None) -> Recipe:
        """Return the recipe of a config. Paths are made absolute: workers have other folders.

        Args:
            config: The path of a .cfg file; the name or folder of a saved pipeline; a whole
                config; or the settings of a dx_sanitizer, {} and None for its defaults.
            code: A Python file to run first.

        Raises:
            UsageError: The code fails, or the config is none.
        """
        chosen = SanitizeConfig(code=code if code is None else Path(code))
        if isinstance(config, str | Path):
            name = "config" if Path(config).suffix == ".cfg" else "model"
            return cls.of_settings(chosen.with_settings({name: config}))
        import_code(chosen.code)
        if config is None or "nlp" not in config:
            nlp = spacy.blank("en")
            nlp.add_pipe("dx_sanitizer", config=_absolute("", config or {}))
            config = nlp.config
        return cls._made(chosen, config)

    @classmethod
    def of_settings(cls, chosen: SanitizeConfig) -> Recipe:
        """Return the recipe of settings. Raise UsageError for a config that is none."""
        if chosen.config is None:
            return cls._made(chosen, None)
        import_code(chosen.code)
        return cls._made(replace(chosen, config=None), sections_of(chosen.config)[1])

    @classmethod
    def _made(cls, chosen: SanitizeConfig, config: Mapping[str, Any] | None) -> Recipe:
        given = {name: getattr(chosen, name) for name in NAMES_OR_PATHS}
        paths = {n: _absolute("path", str(path)) for n, path in given.items() if path is not None}
        whole = None if config is None else util.copy_config(_absolute("", config))
        text = "" if whole is None else whole.to_str(interpolate=False)
        return cls(text, chosen.with_settings(paths))

    def load(self) -> Language:
        """The pipeline, ready. Raises DxError for a seeded one, and what make_pipeline raises."""
        if not self.text:
            nlp = make_pipeline(self.settings)
        else:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "pipeline.cfg"
                path.write_text(self.text, encoding="utf8")
                nlp = make_pipeline(replace(self.settings, config=path))
        if the_sanitizer(nlp).rng.seed is not None:
            raise DxError(Errors.DX072)
        return nlp

    @property
    def space(self) -> str:
        """What the receipts call its space: a worker has to find the same one. It is loaded."""
        return terms_of(self.load()).space


def terms_of(nlp: Language) -> Terms:
    """What all receipts of a pipeline say."""
    return the_sanitizer(nlp).terms


def config_digest(nlp: Language) -> str:
    """SHA-256 of the whole config and of the name and version of the pipeline, in hexadecimal."""
    meta = f"{nlp.meta['lang']} {nlp.meta['name']} {nlp.meta['version']}\n"
    return hashlib.sha256((meta + nlp.config.to_str()).encode()).hexdigest()


@lru_cache(maxsize=2)
def pipeline_of_worker(recipe: Recipe, space: str) -> Language:
    """One a process, with one thread: its siblings use the other cores. space: what the driver's
    terms call it. Raises DxError where this machine has another one."""
    from threadpoolctl import threadpool_limits

    nlp = recipe.load()
    if terms_of(nlp).space != space:
        raise DxError(Errors.DX073.format(found=terms_of(nlp).space, expected=space))
    threadpool_limits(limits=1)
    return nlp


def _absolute(key: str, value: Any) -> Any:
    """A path as it is where there is no such file: it may be a name."""
    if isinstance(value, Mapping):
        return {name: _absolute(name, one) for name, one in value.items()}
    is_there = key == "path" and isinstance(value, str) and Path(value).exists()
    return str(Path(value).resolve()) if is_there else value
