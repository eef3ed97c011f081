"""The receipt of a sanitised document: what was done, under which promise. Nothing of the input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..guarantee import Guarantee
from ..privacy.composition import repeat

COUNTS = ("tokens", "perturbed", "unknown", "kept", "draws")
MENTIONS = ("found", "replaced", "kept")  # what is counted of the mentions of a label


class Receipt(dict[str, Any]):
    """A plain dictionary (json, msgpack), whose entries are attributes as well.

    mechanism: its registered name. guarantee: of one perturbed word (see Guarantee.to_dict).
    total: of the document. tokens: how many there are. perturbed: how many were drawn by the
    mechanism, which may draw the word that went in. unknown: how many were not in the space, and
    went through `unknown_policy`. kept: how many are as they were, punctuation and white space
    among them. space: name and digest. scope, casing, vectors: as configured. draws: how many
    draws were made. seeded: True voids the promise. in_clear: what of the input is visible, in
    words. scale: what epsilon means in nats on this space, see scale.scale_of. found: settings that
    were looked for on the space, and the index that was chosen for it. earlier: the receipts of
    sanitizers that were there before; their totals come on top. One that came with a Doc from
    outside of this process has `claimed` True and nothing but numbers: anybody may have written it.
    numbers: only where numbers are drawn by their value: the guarantee of one, the total of the
    document, and how many tokens were drawn (none of them is perturbed or kept). editor: only where
    words were edited after they were drawn, by public knowledge: post-processing, and no privacy.
    editor_model: the digest of its language model, where it has one.
    rewritten: only in receipts of earlier versions, where an editor wrote the document anew: how
    many tokens it has now. All other counts are of the document as it was drawn.
    surrogates: only with stand-ins: for each label its stand-in, the guarantee of what is drawn,
    the largest chance that a mention comes out as it was, the public name of the key where there is
    one (key_id), and how many mentions were found, replaced and kept. stood_in: how many tokens of
    the released document are of stand-ins.
    attacker: what an attacker found of other texts that were drawn with these settings (see
    privacy.levels); None where nobody measured.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


@dataclass
class StoodIn:
    """What receipts say of stand-ins, added up. tokens: how many are of stand-ins. mentions: found,
    replaced and kept, by label."""

    tokens: int = 0
    mentions: dict[str, dict[str, int]] = field(default_factory=dict)

    def add(self, receipt: Mapping[str, Any]) -> None:
        """Counts one more document, by its receipt."""
        self.merge(StoodIn(receipt.get("stood_in", 0), receipt.get("surrogates", {})))

    def merge(self, other: StoodIn) -> None:
        """Counts what another one has counted."""
        self.tokens += other.tokens
        for label, told in other.mentions.items():
            so_far = self.mentions.setdefault(label, dict.fromkeys(MENTIONS, 0))
            for name in MENTIONS:
                so_far[name] += int(told[name])

    def to_dict(self) -> dict[str, Any]:
        """Plain values for json; nothing where no document has stand-ins."""
        return {"stood_in": self.tokens, "mentions": self.mentions} if self.mentions else {}

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> StoodIn:
        """What to_dict gave, as a part of a larger dictionary."""
        return cls(told.get("stood_in", 0), told.get("mentions", {}))


@dataclass(frozen=True)
class Terms:
    """The part of a receipt that is the same for every document of a component."""

    mechanism: str
    guarantee: Guarantee
    space: str
    unknown_policy: str
    scope: str
    casing: str
    vectors: str
    seeded: bool
    in_clear: tuple[str, ...]
    scale: dict[str, dict[str, float]] | None = None
    found: dict[str, Any] = field(default_factory=dict)
    numbers: Guarantee | None = None
    editor: str | None = None
    editor_model: str | None = None
    surrogates: dict[str, dict[str, Any]] | None = None
    attacker: dict[str, Any] | None = None

    def receipt(
        self,
        *,
        tokens: int,
        perturbed: int,
        unknown: int,
        draws: int,
        earlier: Sequence[dict[str, Any]] = (),
        numbers: tuple[int, int] = (0, 0),
        stood_in: int = 0,
        mentions: Mapping[str, dict[str, int]] | None = None,
    ) -> Receipt:
        """The receipt of one Doc, from how many tokens, words and draws it has. numbers: how many
        tokens were drawn as numbers, and in how many draws. stood_in: how many tokens are of
        stand-ins. mentions: found, replaced and kept, by label."""
        return Receipt(
            mechanism=self.mechanism,
            guarantee=self.guarantee.to_dict(),
            total=repeat(self.guarantee, draws).to_dict(),
            tokens=tokens,
            perturbed=perturbed,
            unknown=unknown,
            kept=tokens - perturbed - unknown - numbers[0] - stood_in,
            draws=draws,
            space=self.space,
            unknown_policy=self.unknown_policy,
            scope=self.scope,
            casing=self.casing,
            vectors=self.vectors,
            seeded=self.seeded,
            in_clear=list(self.in_clear),
            scale=self.scale,
            found=self.found,
            attacker=self.attacker,
            earlier=list(earlier),
            **self._of_numbers(*numbers),
            **self._of_editor(),
            **self._of_surrogates(stood_in, mentions or {}),
        )

    def _of_editor(self) -> dict[str, str]:
        told = {"editor": self.editor, "editor_model": self.editor_model}
        return {name: value for name, value in told.items() if value is not None}

    def _of_surrogates(
        self, stood_in: int, mentions: Mapping[str, dict[str, int]]
    ) -> dict[str, Any]:
        if self.surrogates is None:
            return {}
        none = dict.fromkeys(MENTIONS, 0)
        told = {
            label: {**terms, **mentions.get(label, none)}
            for label, terms in self.surrogates.items()
        }
        return {"stood_in": stood_in, "surrogates": told}

    def _of_numbers(self, drawn: int, draws: int) -> dict[str, Any]:
        if self.numbers is None:
            return {}
        guarantee, total = self.numbers.to_dict(), repeat(self.numbers, draws).to_dict()
        return {"numbers": {"guarantee": guarantee, "total": total, "drawn": drawn}}
