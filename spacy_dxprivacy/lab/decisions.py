"""Turn reviewed texts into settings: words to replace always or never, and thresholds.

Of the texts, only the listed words are kept: mentions that were missed, and words that were
replaced although no reviewer marked them anywhere. Both belong to the owner of the originals.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spacy.language import Language
from thinc.api import Config

from ..errors import UsageError
from ..io.build import get_sanitizer
from ..pipeline.component import DxSanitizer
from ..pipeline.selectors import Entities
from ..text.mentions import plain_label
from .ceilings import network_of
from .golden import Evaluation, Gold, distinctive_words


@dataclass(frozen=True)
class Decisions:
    """Lists for the selector dx.Entities.v1. allow: words that are never replaced. deny: by label,
    words that are always replaced."""

    allow: list[str] = field(repr=False)
    deny: dict[str, list[str]] = field(repr=False)


def decisions_of(evaluation: Evaluation, golds: Iterable[Gold]) -> Decisions:
    """Return what the reviewers of these texts decided against the recogniser.

    A missed mention is denied. Replaced words are allowed if no part of them is in an entity of any
    text: else a person may bear the name.
    """
    marked = {
        word
        for gold in golds
        for _, start, end in gold.entities
        for word in distinctive_words(gold.text[start:end])
    }
    allow = [text for text in evaluation.wrong if not distinctive_words(text) & marked]
    deny: dict[str, list[str]] = {}
    for label, text in evaluation.missed:
        if distinctive_words(text):
            deny.setdefault(plain_label(label), []).append(text)
    return Decisions(distinct(allow), {label: distinct(texts) for label, texts in deny.items()})


def distinct(texts: Iterable[str]) -> list[str]:
    """Return texts in one line each and in order, without those that differ only in case."""
    lines = (" ".join(text.split()) for text in texts)
    return [*{line.casefold(): line for line in lines}.values()]


def check_config(config: Path | str | None) -> None:
    """Raise UsageError for the folder or name of a pipeline, whose data no config holds."""
    if config is not None and not Path(config).is_file():
        raise UsageError("`decisions` needs a config file: a folder has data besides its config.")


def config_with(
    nlp: Language, decisions: Decisions, thresholds: Mapping[str, float] | None = None
) -> str:
    """Return the config of a pipeline with decisions, for `dx sanitize --config`.

    Args:
        nlp: The pipeline that was evaluated.
        decisions: What its lists are extended by.
        thresholds: By label, of dx_entity_recognizer; None leaves them.

    Raises:
        UsageError: If the pipeline does not select entities by labels.
    """
    selector = get_sanitizer(nlp).settings.selector
    if not isinstance(selector, Entities):
        raise UsageError("`decisions` needs a pipeline that selects `entities`.")
    full = nlp.config.interpolate()
    config: dict[str, Any] = {part: dict(full[part]) for part in ("nlp", "components")}
    name = [name for name, pipe in nlp.pipeline if isinstance(pipe, DxSanitizer)][-1]
    sanitizer = dict(config["components"][name])
    block = sanitizer["selector"]
    denied = {label: list(texts) for label, texts in (block.get("deny") or {}).items()}
    labels = {plain_label(label): label for label in reversed(selector.labels)}
    for plain, texts in decisions.deny.items():
        denied[labels[plain]] = distinct([*denied.get(labels[plain], ()), *texts])
    allowed = distinct([*(block.get("allow") or ()), *decisions.allow])
    sanitizer["selector"] = {**block, "allow": allowed, "deny": denied}
    config["components"][name] = sanitizer
    if thresholds is not None:
        network = network_of(nlp)
        of_network = {**config["components"][network], "threshold": dict(thresholds)}
        config["components"][network] = of_network
    return Config(config).to_str()
