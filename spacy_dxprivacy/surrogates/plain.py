r"""Surrogates that draw no value, and presets of surrogates by label.

dx.Mask.v1    a mark for every letter and digit: the length is visible, unless `length` sets it
dx.Redact.v1  the same text for all mentions, such as [PERSON]: only their presence is visible
dx.Keep.v1    the mention, in plaintext
dx.Words.v1   each word of the mention sampled by the component's mechanism, under its guarantee
dx.Preset.v1  surrogates for the labels of OntoNotes, CoNLL, GMB, presidio and the i2b2 notes:
              "standard", or "clinical", which replaces identifiers of a person but no quantities
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import srsly

from ..about import DATA
from ..errors import DxError, Errors
from ..privacy.guarantee import Guarantee
from ..registries import registry
from ..text.mentions import plain_label
from ..validate import check_part, fail, one_of, whole
from .base import WAYS, ByLabels, Draws, Mention, Surrogate, is_same

NO_LOSS = Guarantee("none", notes="The original is unchanged, or its surrogate is always the same.")
CONSTANT = Guarantee(
    "approx-dp",
    0.0,
    metric="discrete",
    adjacency="mentions with the same visible traits, except those that equal the mark already",
    status="proven",
    source="independent of the original",
)
PRESETS = ("standard", "clinical")
LABELS: dict[str, str] = srsly.read_json(DATA / "mentions.json")["preset"]


@dataclass(frozen=True)
class FixedText:
    """Replaces a mention by a text that depends only on its label and visible traits: a mark for
    each letter and digit if `mark` is set, else `text`, else the label in brackets."""

    name: str
    in_clear: tuple[str, ...]
    text: str | None = None
    mark: str = ""

    way = "drawn"
    chance = 0.0
    guarantee = CONSTANT

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Return the text for each mention; None for a mention that equals the text already."""
        texts = list[str | None]()
        for mention in mentions:
            fixed = self.text or f"[{mention.label}]"
            if self.mark:
                signs = (c if c.isspace() or c in "-/.,()" else self.mark for c in mention.text)
                fixed = "".join(signs)
            texts.append(None if is_same(mention.text, fixed) else fixed)
        return texts


@dataclass(frozen=True)
class Unchanged:
    """Leaves mentions in plaintext, or leaves their words to the mechanism of the component."""

    name: str
    way: str
    in_clear: tuple[str, ...]
    guarantee: Guarantee

    chance = 1.0

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Return None for each mention."""
        return [None] * len(mentions)


@registry.dx_surrogates("dx.Mask.v1")
def make_mask(mark: str = "*", length: int | None = None) -> FixedText:
    """Make a surrogate that consists of marks.

    Args:
        mark: Character that replaces each letter and digit.
        length: Number of marks for every mention; null shows where letters and digits were.
    """
    if not isinstance(mark, str) or len(mark) != 1 or mark.isspace() or mark.isalnum():
        raise fail("mark", "one character that is no letter, digit or white space", mark)
    if length is not None:
        return FixedText("dx.Mask.v1", (), text=mark * whole("length", length, least=1))
    visible = "the length of masked mentions, and what is no letter or digit in them"
    return FixedText("dx.Mask.v1", (visible,), mark=mark)


@registry.dx_surrogates("dx.Redact.v1")
def make_redact(text: str | None = None) -> FixedText:
    """Make a surrogate that is the same text for every mention: null for the label in brackets."""
    if text is not None and (not isinstance(text, str) or not text.strip()):
        raise fail("text", "a text, or null for the label", text)
    return FixedText("dx.Redact.v1", (), text)


@registry.dx_surrogates("dx.Keep.v1")
def make_keep() -> Unchanged:
    """Make a surrogate that leaves mentions in plaintext."""
    return Unchanged("dx.Keep.v1", "kept", ("unmodified mentions",), NO_LOSS)


@registry.dx_surrogates("dx.Words.v1")
def make_words() -> Unchanged:
    """Make a surrogate that leaves the words of mentions to the mechanism of the component."""
    note = "That of the mechanism of the component, word by word."
    return Unchanged("dx.Words.v1", "words", (), Guarantee("none", notes=note))


class Preset(dict[str, Surrogate]):
    """Surrogates by label. The mechanism samples the words of mentions with other labels."""


@registry.dx_surrogates("dx.Preset.v1")
def make_preset(
    name: str = "standard", scope: str = "document", key: str | None = None, order: str = "auto"
) -> Preset:
    """Make surrogates in the language of the text, for the labels of common recognisers.

    Args:
        name: "standard", or "clinical" (no quantities).
        scope: Scope of all surrogates.
        key: Key file of all surrogates. A person then has one surrogate for any parts of the name.
        order: "mdy", "dmy" or "ymd", how numeric dates are read; "auto": "mdy" in English, else
            "dmy".
    """
    one_of("name", name, PRESETS)
    shift = "document" if scope == "mention" else scope
    settings: dict[str, dict[str, Any]] = {
        "DateShift": {"order": order, "scope": shift, "key": key},
        "Number": {},
        "Redact": {},
    }
    preset = Preset()
    for kind, labels in LABELS.items():
        if kind != "Number" or name == "standard":
            make = registry.dx_surrogates.get(f"dx.{kind}.v1")  # imports the module of the kind
            surrogate = make(**settings.get(kind, {"scope": scope, "key": key}))
            preset |= dict.fromkeys(labels.split(), surrogate)
    return preset


def surrogates_of(setting: Any) -> dict[str, Surrogate]:
    """Return surrogates by label, given the name of a preset, a mapping, or None. Raise DxError for
    any other value."""
    if setting is None:
        return {}
    if isinstance(setting, str):
        return make_preset(setting)
    if not isinstance(setting, Mapping):
        raise DxError(Errors.DX112.format(given=type(setting).__name__))
    for label, surrogate in setting.items():
        block = f'[components.dx_sanitizer.surrogates.{label}] with @dx_surrogates = "dx.Name.v1"'
        check_part(f"surrogate for {label}", surrogate, Surrogate, block)
        one_of(f"way of the surrogate for {label}", surrogate.way, WAYS)
    return setting if isinstance(setting, Preset) else dict(setting)


def for_replaced_labels(
    surrogates: Mapping[str, Surrogate], replaced: Collection[str]
) -> dict[str, Surrogate]:
    """Return the surrogates by label; a surrogate that depends on its labels is that for them.

    replaced: the labels that are replaced, as a selector names them.
    """
    of = {label: surrogates.get(label, surrogates.get(plain_label(label))) for label in replaced}
    adapted = dict[int, Surrogate]()
    for surrogate in surrogates.values():
        if isinstance(surrogate, ByLabels) and id(surrogate) not in adapted:
            # Labels with equal surrogates share their draws.
            labels = [label for label, other in of.items() if other == surrogate]
            adapted[id(surrogate)] = surrogate.for_labels(labels)
    by_label = {
        label: adapted.get(id(surrogate), surrogate) for label, surrogate in surrogates.items()
    }
    return Preset(by_label) if isinstance(surrogates, Preset) else by_label
