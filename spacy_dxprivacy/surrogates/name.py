r"""Names of persons, drawn independently of those that they stand for (dx.Name.v1).

Law         a first name and a family name, uniform over 1,024 each (frequent in the census of the
            United States of 1990, and no plain words, places, peoples or brands), without those
            among the words that the document releases unmodified; no two persons that the document
            names apart (person.py) share either, as long as there are enough. With scope "corpus"
            they are uniform over keys: two persons share one by chance, and any may be in the
            document
Guarantee   epsilon 0 for what is drawn: it does not depend on the original. In clear are which
            mentions of a document are of one person and, with form, how each is written
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..guarantee import Guarantee
from ..registries import registry
from ..validate import one_of
from .base import Mention, Scope, independent
from .lists import listed
from .person import Form, Person, form_of, is_initial, persons
from .streams import Draws, Stream, pick

GENDERS = ("any", "same")
FORM = (
    "how a name is written: how many parts, initials, title, suffix, possessive, case, and whether "
    "public lists read one part as a given or a family name"
)
GENDER = "the gender of first names that the lists hold"


@registry.dx_surrogates("dx.Name.v1")
def make_name(
    form: bool = False, gender: str = "any", scope: str = "document", key: str | None = None
) -> Name:
    """form: write the stand-in as the mention was (Ms. Lopez, M. Lopez, Maria); without it every
    mention becomes a first and a family name. gender: "any", or "same" to copy that of first names
    which the lists hold. scope: "mention", "document", or "corpus" with the file of a key."""
    return Name(bool(form), one_of("gender", gender, GENDERS), Scope(scope, key))


@dataclass(frozen=True)
class Drawn:
    """A name that was drawn."""

    first: str
    middle: str
    last: str


@dataclass(frozen=True)
class Name:
    """See make_name."""

    form: bool
    gender: str
    scope: Scope

    name = "dx.Name.v1"
    way = "drawn"

    @property
    def in_clear(self) -> tuple[str, ...]:
        """What of a mention is visible, for the receipt."""
        told = (FORM,) * self.form + (GENDER,) * (self.gender == "same")
        return self.scope.in_clear + told

    @property
    def chance(self) -> float:
        """Of either part of a name: two names of 1,024, or of 512 with gender "same"."""
        firsts = 512 if self.gender == "same" else 1024
        return 1 / firsts + 1 / len(listed("surnames"))

    @property
    def guarantee(self) -> Guarantee:
        """Of what is drawn, given what is in clear."""
        notes = "A part of a name may come out as it was with a probability of "
        return independent("names", self.scope, f"{notes}{self.chance:.4f}.")

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """One name for each person of the document, in parts."""
        forms = [form_of(mention.text, mention.before) for mention in mentions]
        them = persons(forms)
        if self.scope.reach == "mention":
            names = [self._draw(person, draws.fresh(), set(draws.plain)) for person in them]
        else:
            drawn = self._of_document(them, draws)
            names = [drawn[person.number] for person in them]
        written = [_write(*parts) for parts in zip(forms, names, them, strict=True)]
        plain = [f"{name.first} {name.last}" for name in names]
        return list(written if self.form else plain)

    def _of_document(self, them: list[Person], draws: Draws) -> dict[int, Drawn]:
        taken = set(draws.plain)
        drawn: dict[int, Drawn] = {}
        for person in them:
            if person.number not in drawn:
                stream = self.scope.stream(draws, "name", person.identity)
                name = self._draw(person, stream, set() if self.scope.key else taken)
                taken |= {name.first, name.last}
                drawn[person.number] = name
        return drawn

    def _draw(self, person: Person, stream: Stream, taken: set[str]) -> Drawn:
        firsts = self._firsts(person)
        first = _free(firsts, stream, taken)
        last = _free(listed("surnames"), stream, taken | {first})
        return Drawn(first, _free(firsts, stream, {first, last}), last)

    def _firsts(self, person: Person) -> tuple[str, ...]:
        known = [which for which in ("female", "male") if person.given.title() in listed(which)]
        if self.gender == "same" and len(known) == 1:
            return listed(known[0])
        return listed("female") + listed("male")


def _free(names: tuple[str, ...], stream: Stream, taken: set[str]) -> str:
    """One that nobody has, uniformly; any one where all are taken."""
    if taken.issuperset(names):
        return pick(names, stream)
    while (name := pick(names, stream)) in taken:
        pass
    return name


def _write(form: Form, name: Drawn, person: Person) -> str:
    """The stand-in, written as the mention was."""
    text = _full(form, name) if len(form.parts) > 1 else _single(form, name, person)
    text = " ".join(filter(None, [form.title, text, form.suffix])) + form.owner
    return {"upper": text.upper(), "lower": text.lower()}.get(form.case, text)


def _full(form: Form, name: Drawn) -> str:
    given = [name.first, *[name.middle] * (len(form.parts) - 2)]
    pairs = zip(form.parts, [*given, name.last], strict=True)
    new = [_short(drawn) if is_initial(part) else drawn for part, drawn in pairs]
    return f"{new[-1]}, {' '.join(new[:-1])}" if form.inverted else " ".join(new)


def _single(form: Form, name: Drawn, person: Person) -> str:
    part = form.parts[0] if form.parts else ""
    drawn = name.last if person.is_last(part) else name.first
    return _short(drawn) if is_initial(part) else drawn


def _short(name: str) -> str:
    return f"{name[0]}."
