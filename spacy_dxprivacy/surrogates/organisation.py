r"""Names of organisations (dx.Organisation.v1).

Law         a family name or a word of streets, uniform over 1,024 and 200, and what kind of house
            it is: that of the mention where it says one (Hospital, University, Bank), else one of
            eight forms of companies
Guarantee   epsilon 0 for what is drawn. In clear is the kind of house
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..guarantee import Guarantee
from ..registries import registry
from .base import Mention, Scope, independent
from .lists import COMPANY_ENDS, HOUSES, STREETS, listed
from .place import like_case
from .streams import Draws, Stream, pick

IN_CLEAR = (
    "which kind of organisation each is, where its name says so (hospital, school, bank), and "
    "whether it is possessive, or in capitals of more than three letters",
)


@registry.dx_surrogates("dx.Organisation.v1")
def make_organisation(scope: str = "document", key: str | None = None) -> Organisation:
    """scope: "mention", "document" (the same name has the same stand-in), or "corpus" with the file
    of a key."""
    return Organisation(Scope(scope, key))


@dataclass(frozen=True)
class Organisation:
    """See make_organisation."""

    scope: Scope

    name = "dx.Organisation.v1"
    way = "drawn"
    chance = 1 / 1024

    @property
    def in_clear(self) -> tuple[str, ...]:
        """What of a mention is visible, for the receipt."""
        return self.scope.in_clear + IN_CLEAR

    @property
    def guarantee(self) -> Guarantee:
        """Of what is drawn, given what is in clear."""
        return independent("organisations of one kind", self.scope)

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """As many names, of the kinds that the mentions say."""
        names = [_identity(mention.text) for mention in mentions]
        drawn = self.scope.each(names, draws, "organisation", _draw)
        pairs = zip(mentions, drawn, strict=True)
        return [like_case(_named(mention.text, name), mention.text) for mention, name in pairs]


def _identity(text: str) -> str:
    return " ".join(text.casefold().split()).removeprefix("the ").removesuffix("'s")


def _draw(stream: Stream) -> tuple[str, str, str]:
    names = listed("surnames"), STREETS, COMPANY_ENDS
    return pick(names[0], stream), pick(names[1], stream), pick(names[2], stream)


def _named(text: str, drawn: tuple[str, str, str]) -> str:
    words = text.casefold().replace(".", " ").replace(",", " ").split()
    kind = next((HOUSES[word] for word in words if word in HOUSES), None)
    owner = "'s" if text.rstrip().endswith(("'s", "’s")) else ""
    head = f"{drawn[0]} {drawn[1]}"
    return (f"{head} {kind}" if kind else f"{drawn[0]} {drawn[2]}") + owner
