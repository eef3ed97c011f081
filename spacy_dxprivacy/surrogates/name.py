r"""Names of persons, drawn independently of the originals, part by part (dx.Name.v1).

Probability  Without a key: a first name and a family name, uniform over the lists of the document's
             language (in English 1,024 each, frequent in the 1990 census of the United States, and
             no plain words, places, peoples or brands), except names among the words of the
             document in plaintext. Two persons of a document share a surrogate of a given or of a
             family name if they share the name, and none else, as long as the lists suffice. With
             a key: each given name and each family name has one surrogate. The initial is drawn
             first, since "J. Doe" shows no more of John, as often as lists of both genders have it;
             then uniformly a name with that initial and the gender for which public lists hold the
             original, or any. Two persons may share a name by chance, and the name may occur in the
             document
User names   "jdoe" becomes the user name of the surrogate; see codes
Guarantee    epsilon 0: the drawn text does not depend on the original. Visible are which
             mentions of a document are of one person, which persons share a name, the language,
             with form, how each is written, and with a key, which documents mention one given
             name, one initial or one family name
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ..entities.tables import listed_of
from ..registries import registry
from ..validate import one_of
from .base import LANGUAGE, Draws, Independent, Mention, Scope, Stream
from .codes import PERSONS_KEY, contact, contact_of_person, firsts_of, keyed_name, kind_of
from .name_forms import (
    DrawnName,
    Form,
    Person,
    UserNames,
    fold,
    is_initial,
    last_word,
    listed_gender,
    write,
)
from .name_reading import first_families, read_names

FORM = (
    "how a name is written: how many parts, initials, title, particles, suffix, possessive, case, "
    "and whether public lists read one part as a given or a family name"
)
SHARED = "which persons of a document share a given name or a family name"
GENDERS = {
    "text": "the gender that titles, words for kin and pronouns beside a name show",
    "same": "the gender of first names that the lists hold",
}
MIN_LISTED_NAMES = {
    "firsts": 199,
    "one gender": 76,
    "keyed": 53,  # of codes.shared_initials
    "surnames": 250,
}  # shortest lists of any language


@registry.dx_surrogates("dx.Name.v1")
def make_name(
    form: bool = True, gender: str = "text", scope: str = "document", key: str | None = None
) -> Name:
    """Make a surrogate for names of persons, in the language of the document, part by part.

    Args:
        form: Write the surrogate in the form of the mention (Ms. Lopez, M. Lopez, Maria). Otherwise
            every mention becomes a first and a family name.
        gender: "text": the gender that titles, words for kin and pronouns beside a name show (with
            a key "same"); "any"; or "same": the gender for which public lists hold the first name.
        scope: "mention", "document", or "corpus".
        key: Path of the key file, required with scope "corpus".
    """
    return Name(Scope(scope, key), bool(form), one_of("gender", gender, ("text", "any", "same")))


@dataclass(frozen=True)
class Name(Independent):
    """See make_name."""

    form: bool
    gender: str

    name = "dx.Name.v1"
    adjacent = "names"

    @property
    def traits(self) -> tuple[str, ...]:  # type: ignore[override]
        """Descriptions of what is visible of a mention, beyond what its scope makes visible."""
        parts = "which documents mention the same given name, initial or family name (by design)"
        shared = (SHARED,) * (self.scope.reach == "document" and self.scope.key is None)
        visible = (
            (FORM,) * self.form
            + shared
            + ((GENDERS[self._shown],) if self._shown in GENDERS else ())
        )
        return (*visible, LANGUAGE, *([parts] if self.scope.key else ()))

    @property
    def chance(self) -> float:
        """Probability that a part of a name is unchanged, in the language with fewest names."""
        of_gender = "one gender" if self._shown in GENDERS else "firsts"
        firsts = MIN_LISTED_NAMES["keyed" if self.scope.key else of_gender]
        return 1 / firsts + 1 / MIN_LISTED_NAMES["surnames"]

    @property
    def _shown(self) -> str:
        """Source of the gender. With a key, "text" becomes "same": a name has one surrogate in all
        texts, whatever they show."""
        return "same" if self.gender == "text" and self.scope.key is not None else self.gender

    @property
    def notes(self) -> str:  # type: ignore[override]
        """Notes of the guarantee."""
        return f"A part of a name is unchanged with a probability of {self.chance:.4f}."

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Return a text for each mention; mentions of one person get parts of one name."""
        forms, persons = read_names(mentions, draws.language)
        taken = set() if self.scope.key else set(draws.plain)
        drawn: dict[int, DrawnName] = {}  # by person
        shared: dict[tuple[str, ...], str] = {}  # part of a name -> its surrogate
        names = list[DrawnName | None]()
        for person in persons:
            if person and (self.scope.reach == "mention" or person.number not in drawn):
                fresh = self._draw(person, draws, taken)
                is_shared = self.scope.reach == "document" and self.scope.key is None
                drawn[person.number] = _with_shared(person, fresh, shared) if is_shared else fresh
            names.append(drawn[person.number] if person else None)
        families = self._first_families(forms, draws, shared, taken)
        draws.memory[PERSONS_KEY] = UserNames(persons, drawn)
        read = zip(mentions, persons, strict=True)
        draws.persons |= {mention: person.number for mention, person in read if person}
        texts = list[str | None]()
        for mention, form, person, name in zip(mentions, forms, persons, names, strict=True):
            if person is None or name is None:
                texts.append(self._contact(mention, draws))
            elif self.form:
                # By a key all parts are drawn: the first of two family names may occur alone.
                parts = form.names[1:-1] if self.scope.key else ()
                middles = [self._keyed(draws, part, "")[0] for part in parts]
                texts.append(write(form, name, person, middles, families))
            else:
                texts.append(f"{name[0]} {name[2]}")
        return texts

    def _draw(self, person: Person, draws: Draws, taken: set[str]) -> DrawnName:
        """Draw a first, a middle and a family name; without a key, no name that is taken."""
        if self.scope.key is not None:
            return self._keyed(draws, person.first, person.last)
        shown, language = self._shown, self.scope.language(draws)
        gender = person.gender if shown == "text" else ""
        gender = listed_gender(person.first, language) if shown == "same" else gender
        firsts, surnames = firsts_of(language, gender), listed_of(language, "surnames")
        name = free_names(firsts, surnames, draws.rng, taken)
        if self.scope.reach == "document":
            taken.update(name[::2])
        return name

    def _first_families(
        self,
        forms: Sequence[Form],
        draws: Draws,
        shared: dict[tuple[str, ...], str],
        taken: set[str],
    ) -> dict[str, str]:
        """Return a surrogate for the first family name of persons with two; it is that of other
        persons of the name."""
        is_shared = self.scope.reach == "document" and self.scope.key is None
        if draws.language != "es" or not is_shared:
            return {}
        families = first_families(forms)
        for name in sorted(families - {name for kind, name, *_ in shared if kind == "family"}):
            drawn = self._draw(Person(0), draws, taken)
            shared["family", name] = drawn[2]
        return {name: shared["family", name] for name in families}

    def _keyed(self, draws: Draws, first: str, last: str) -> DrawnName:
        return keyed_name(self.scope, draws, first, last, any_gender=self._shown == "any")

    def _contact(self, mention: Mention, draws: Draws) -> str | None:
        """Draw a user name; if it names no person, a contact, or a name if it has letters only."""
        if (contact_name := contact_of_person(mention.text, draws, self.scope)) is not None:
            return contact_name
        identity = mention.text.strip().casefold()

        def draw() -> str:
            if mention.text.isalpha():
                return self._draw(Person(0, fold(mention.text)), draws, set())[0].lower()
            stream = self.scope.stream(draws, "contact", identity)
            return contact(kind_of(mention.text), mention.text, stream)

        # The same user name has one surrogate.
        return str(self.scope.draw_once(draws.memory, ("user", self.scope, identity), draw))


def _with_shared(person: Person, name: DrawnName, shared: dict[tuple[str, ...], str]) -> DrawnName:
    """Return a drawn name with the parts that other persons of the same given or family name have.
    A given name has one surrogate for each gender that the text shows."""
    first, middle, last = name
    if person.first and not is_initial(person.first):
        first = shared.setdefault(("given", person.first, person.gender), first)
    if person.last:
        last = shared.setdefault(("family", last_word(person.last)), last)
    return first, middle, last


def free_names(
    firsts: Sequence[str], surnames: Sequence[str], stream: Stream, taken: Collection[str]
) -> DrawnName:
    """Draw a first, a middle and a family name uniformly from the names that are not taken, or from
    all names if all are taken. The middle name may be another person's."""
    drawn, others = list[str](), {*taken}
    for names, excluded in ((firsts, others), (surnames, others), (firsts, set[str]())):
        excluded.update(drawn)
        is_free = not excluded.issuperset(names)
        name = names[int(stream.integers(len(names), 1)[0])]
        while is_free and name in excluded:
            name = names[int(stream.integers(len(names), 1)[0])]
        drawn.append(name)
    first, last, middle = drawn
    return first, middle, last
