"""How a worker makes its own pipeline: the driver's may have read texts, and is not sent."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from spacy import util
from spacy.language import Language

from ...config import SanitizeConfig, sections_of
from ...errors import DxError, Errors
from ...io.build import make_pipeline, the_sanitizer
from ...io.code import import_code
from ...pipeline.receipt import Terms

Config = str | Path | Mapping[str, Any] | None
NAMES_OR_PATHS = ("model", "space", "prior", "surrogates", "key", "code")


@dataclass(frozen=True)
class Recipe:
    """How a worker makes a pipeline. Its paths, with the file of code, exist on all nodes."""

    text: str = ""  # a whole config, as for `spacy assemble`
    settings: SanitizeConfig = field(default_factory=SanitizeConfig)  # all others

    @classmethod
    def of(cls, config: Config = None, *, code: str | Path | None = None) -> Recipe:
        """Return the recipe of a config: the path of a .cfg file; the name or folder of a saved
        pipeline; or the settings of a dx_sanitizer. code: a file to run first."""
        given: dict[str, Any] = {} if code is None else {"code": code}
        blocks: Mapping[str, Any] = {}
        if isinstance(config, str | Path):
            given["config" if Path(config).suffix == ".cfg" else "model"] = config
        else:
            blocks = _absolute("", config or {})
        overrides = tuple((name, json.dumps(value)) for name, value in blocks.items())
        return cls.of_settings(replace(SanitizeConfig(**given), overrides=overrides))

    @classmethod
    def of_settings(cls, chosen: SanitizeConfig) -> Recipe:
        """Return the recipe of settings."""
        given = {name: getattr(chosen, name) for name in NAMES_OR_PATHS}
        paths = {n: _absolute("path", str(path)) for n, path in given.items() if path is not None}
        text = ""
        if chosen.config is not None:
            import_code(chosen.code)
            config = _absolute("", sections_of(chosen.config)[1])
            text = util.copy_config(config).to_str(interpolate=False)
        return cls(text, replace(chosen, config=None).with_settings(paths))

    def load(self) -> Language:
        """Return the fitted pipeline. Raise DxError for a seeded one."""
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
        """Load the pipeline, and return its space as receipts name it: workers check theirs."""
        return terms_of(self.load()).space


def terms_of(nlp: Language) -> Terms:
    """Return what all receipts of a pipeline say."""
    return the_sanitizer(nlp).terms


@lru_cache(maxsize=2)
def pipeline_of_worker(recipe: Recipe, space: str) -> Language:
    """Return the pipeline of this process, with one thread: sibling workers use the other cores."""
    from threadpoolctl import threadpool_limits

    nlp = recipe.load()
    if terms_of(nlp).space != space:
        raise DxError(Errors.DX073.format(found=terms_of(nlp).space, expected=space))
    threadpool_limits(limits=1)
    return nlp


def _absolute(key: str, value: Any) -> Any:
    """Make paths of existing files absolute, at any depth; others may be names."""
    if isinstance(value, Mapping):
        return {name: _absolute(name, one) for name, one in value.items()}
    is_there = key == "path" and isinstance(value, str) and Path(value).exists()
    return str(Path(value).resolve()) if is_there else value
