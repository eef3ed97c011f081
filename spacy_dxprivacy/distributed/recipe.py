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
from ..batch.code import import_code
from ..doc.receipt import Terms
from ..errors import DxError, Errors, UsageError
from ..spaces import BUILTIN

Config = str | Path | Mapping[str, Any] | None


@dataclass(frozen=True)
class Recipe:
    """text: of a whole config, as for `spacy assemble`. options: those of make_pipeline, where
    there is no text. code: the path of a Python file that registers parts of the pipeline: every
    worker runs it, and has to see it there."""

    text: str = ""
    options: tuple[tuple[str, Any], ...] = ()
    code: str | None = None

    @classmethod
    def of(cls, config: Config = None, *, code: str | Path | None = None) -> Recipe:
        """config: the path of a .cfg file; the name or folder of a saved pipeline; a whole config;
        or the settings of a dx_sanitizer, {} and None for its defaults.

        Paths in a config are made absolute: workers have other working folders. Raises UsageError
        where the code fails.
        """
        code = None if code is None else str(Path(code).resolve())
        import_code(code)
        if isinstance(config, str | Path):
            if Path(config).suffix != ".cfg":
                return cls(options=(("model", _absolute_path(str(config))),), code=code)
            config = _read(Path(config))
        if config is None or "nlp" not in config:
            nlp = spacy.blank("en")
            nlp.add_pipe("dx_sanitizer", config=_absolute(config or {}))
            config = nlp.config
        return cls(util.copy_config(_absolute(config)).to_str(interpolate=False), code=code)

    @classmethod
    def of_options(cls, **options: Any) -> Recipe:
        """options: those of make_pipeline. Raises UsageError where there is a config and more."""
        config, code = options.pop("config", None), options.pop("code", None)
        if config is not None:
            if any(value not in (None, ()) for value in options.values()):
                raise UsageError("`config` holds all settings: give them there, or leave it out.")
            return cls.of(config, code=code)
        code = None if code is None else str(Path(code).resolve())
        for name in ("model", "space", "prior", "surrogates", "key"):
            if options.get(name) not in (None, BUILTIN):
                options[name] = _absolute_path(str(options[name]))
        if options.get("lm") is not None and Path(options["lm"]).exists():
            options["lm"] = str(Path(options["lm"]).resolve())
        return cls(options=tuple(options.items()), code=code)

    def load(self) -> Language:
        """The pipeline, ready. Raises DxError for a seeded one, and what make_pipeline raises."""
        import_code(self.code)
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
    return _absolute_path(value) if key == "path" and isinstance(value, str) else value


def _absolute_path(given: str) -> str:
    """As it is where there is no such file: it may be a name."""
    return str(Path(given).resolve()) if Path(given).exists() else given
