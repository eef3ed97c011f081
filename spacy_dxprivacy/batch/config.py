"""A complete config of a pipeline that sanitises, from options; and what a config says."""

from __future__ import annotations

from typing import Any

from thinc.api import Config

from ..config import SanitizeConfig
from .build import unfitted
from .code import import_code

HEAD = """# A complete pipeline that sanitises, every setting in it:
#   dx sanitize INPUT OUTPUT --config THIS_FILE
#   python -m spacy assemble THIS_FILE my_sanitizer

"""


def config_text(chosen: SanitizeConfig) -> str:
    """Return a config with every setting, those of the defaults among them. Nothing is loaded or
    fitted. Raises UsageError as make_pipeline does."""
    import_code(chosen.code)
    whole = unfitted(chosen).config.interpolate()
    kept = Config({"nlp": _of_language(whole["nlp"]), "components": whole["components"]})
    return HEAD + kept.to_str().strip() + "\n"


def _of_language(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: settings[name] for name in ("lang", "pipeline", "tokenizer")}
