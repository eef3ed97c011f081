"""A complete config of a pipeline that sanitises, from options; and what a config says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spacy.language import Language
from thinc.api import Config

from .build import make_pipeline, settings_of, unfitted
from .code import import_code

HEAD = """# A complete pipeline that sanitises, every setting in it:
#   dx sanitize INPUT OUTPUT --config THIS_FILE
#   python -m spacy assemble THIS_FILE my_sanitizer

"""


def config_text(*, code: Path | None = None, **chosen: Any) -> str:
    """A config with every setting, those of the defaults among them. chosen: as for make_pipeline,
    without config and model. Raises UsageError as it does; nothing is loaded or fitted."""
    import_code(code)
    nlp = unfitted(settings_of(**chosen))
    whole = nlp.config.interpolate()
    kept = Config({"nlp": _of_language(whole["nlp"]), "components": whole["components"]})
    return HEAD + kept.to_str().strip() + "\n"


def _of_language(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: settings[name] for name in ("lang", "pipeline", "tokenizer")}


def checked_config(path: Path, code: Path | None = None) -> Language:
    """The pipeline of a config: everything in it is made, loaded and fitted. Raises what
    make_pipeline raises."""
    return make_pipeline(config=path, code=code)
