r"""Names of persons, drawn independently of the originals, part by part (dx.Name.v1).

Probability  without a key a first name and a family name of the language of the document, uniform
             over its lists (of English 1,024 each, frequent in the census of the United States of
             1990, and no plain words, places, peoples or brands), without those among the words
             that the document releases unmodified; no two persons that the document names apart
             share either, as long as there are enough. With a key a given name has one surrogate
             and a family name another, uniform over keys: first its initial, as "J. Doe" tells no
             more of John, then a name with that initial; two persons share one by chance, and any
             may be in the document
User names   "jdoe" becomes that of the surrogate; see user_names
Guarantee    epsilon 0 for what is drawn: it does not depend on the original. In plaintext are which
             mentions of a document are of one person, the language, with form, how each is written,
             and with a key, which documents mention one given name, one initial or one family name
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ...registries import registry
from ...validate import one_of
from ..tables import listed_of
from .base import LANGUAGE, Draws, Independent, Mention, Scope, Stream
from .codes import contact, kind_of
from .name_forms import (
    GENDER,
    TITLES,
    Form,
    Person,
    bare_word,
    family_of,
    fold,
    form_of,
    is_family,
    is_initial,
    particles_of,
    persons,
)
from .user_names import (
    PEOPLE,
    DrawnName,
    contact_of_person,
    firsts_of,
    keyed_name,
    name_classes,
    user_words,
)

FORM = (
    "how a name is written: how many parts, initials, title, particles, suffix, possessive, case, "
    "and whether public lists read one part as a given or a family name"
)
PRONOUNS = frozenset({"he", "himself", "she", "herself"})
GENDERS = {
    "text": "the gender that titles, words for kin and pronouns beside a name show",
    "same": "the gender of first names that the lists hold",
}
_PRONOUN = re.compile(r"\w+|[.!?\n]")
LEAST = {"firsts": 199, "one gender": 76, "surnames": 250}  # of any language
_HANDLE = re.compile(r"(\w{2,})\.\w{2,}|\S*[@\d_]\S*")


@registry.dx_surrogates("dx.Name.v1")
def make_name(
    form: bool = True, gender: str = "text", scope: str = "document", key: str | None = None
) -> Name:
    """Make a surrogate for names of persons, in the language of the document, part by part.

    Args:
        form: Write the surrogate as the mention was (Ms. Lopez, M. Lopez, Maria). Without it every
            mention becomes a first and a family name.
        gender: "text", that which titles, words for kin and pronouns beside a name show (with a key
            "any"); "any"; or "same" to copy that of first names which the lists hold.
        scope: "mention", "document", or "corpus".
        key: File of the key, with scope "corpus".
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
        """What of a mention is visible beside what its scope shows."""
        parts = "which documents mention the same given name, initial or family name (by design)"
        visible = (FORM,) * self.form + ((GENDERS[self._shown],) if self._shown in GENDERS else ())
        return (*visible, LANGUAGE, *([parts] if self.scope.key else ()))

    @property
    def chance(self) -> float:
        """Of either part of a name, in the language with the fewest names."""
        firsts = LEAST["one gender" if self._shown in GENDERS else "firsts"]
        return 1 / firsts + 1 / LEAST["surnames"]

    @property
    def _shown(self) -> str:
        """Which gender is copied. With a key a given name has one surrogate in all texts."""
        return "any" if self.gender == "text" and self.scope.key is not None else self.gender

    @property
    def notes(self) -> str:  # type: ignore[override]
        """Of the guarantee."""
        return f"A part of a name is unchanged with a probability of {self.chance:.4f}."

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Return parts of one name for each person of the document."""
        forms = [form_of(mention.text, mention.before) for mention in mentions]
        glued = _glued_names(forms)
        texts = [mention.text for mention in mentions]
        is_handle = [_is_user_name(*pair, glued) for pair in zip(texts, forms, strict=True)]
        named = [i for i, handle in enumerate(is_handle) if not handle]
        people = dict(zip(named, persons([forms[i] for i in named], is_family), strict=True))
        shown: dict[int, set[str]] = defaultdict(set)
        if self._shown == "text":
            for i, person in people.items():
                shown[person.number].update(filter(None, [shown_gender(mentions[i], forms[i])]))
        genders = {number: next(iter(shows)) for number, shows in shown.items() if len(shows) == 1}
        taken = set() if self.scope.key else set(draws.plain)
        drawn: dict[int, DrawnName] = {}
        names: dict[int, str] = {}
        for i, person in people.items():
            if self.scope.reach == "mention" or person.number not in drawn:
                gender = genders.get(person.number, "")
                drawn[person.number] = self._draw(person, gender, draws, taken)
                if self.scope.reach == "document":
                    taken.update(drawn[person.number][::2])
            first, _, last = name = drawn[person.number]
            text = write(forms[i], name, person, self._middles(forms[i], draws))
            names[i] = text if self.form else f"{first} {last}"
        by_word: dict[str, list[dict[str, str]]] = defaultdict(list)
        for number, person in {person.number: person for person in people.values()}.items():
            first, last = fold(person.first), family_of(person.last)
            becomes = user_words(first, last, drawn[number], fold(person.last))
            for word in becomes:
                by_word[word].append(becomes)
        draws.memory[PEOPLE] = by_word
        return [
            names[i] if i in names else self._contact(mention, draws)
            for i, mention in enumerate(mentions)
        ]

    def _draw(self, person: Person, gender: str, draws: Draws, taken: set[str]) -> DrawnName:
        """Draw a first, a middle and a family name. gender: that the text shows, or ""."""
        language = self.scope.language(draws)
        gender = gender or self._gender(person, language)
        if self.scope.key is not None:
            return keyed_name(self.scope, draws, person.first, person.last, gender)
        firsts, surnames = firsts_of(language, gender), listed_of(language, "surnames")
        return free_names(firsts, surnames, draws.rng, taken)

    def _gender(self, person: Person, language: str) -> str:
        """Return the list that alone holds the given name, if its gender is copied; else ""."""
        first = person.first.title()
        genders = [gender for gender in ("female", "male") if first in listed_of(language, gender)]
        return genders[0] if self.gender == "same" and len(genders) == 1 else ""

    def _middles(self, form: Form, draws: Draws) -> list[str]:
        """Draw middle names by the key: the first of two family names may stand alone."""
        middles = form.names[1:-1] if self.scope.key else ()
        return [keyed_name(self.scope, draws, part, "")[0] for part in middles]

    def _contact(self, mention: Mention, draws: Draws) -> str | None:
        """Draw a user name; where it names nobody, a contact, or a name for letters alone."""
        if (contact_name := contact_of_person(mention.text, draws, self.scope)) is not None:
            return contact_name
        if not mention.text.isalpha():
            stream = self.scope.stream(draws, "contact", mention.text.strip().casefold())
            return contact(kind_of(mention.text), mention.text, stream)
        person = Person(0, fold(mention.text))
        return self._draw(person, "", draws, set())[0].lower()


def shown_gender(mention: Mention, form: Form) -> str:
    """Return "male" or "female" where a title or a word for kin before a name, or "he" or "she"
    after it, shows one; else ""."""
    words = [*mention.lead.split(), mention.before] if mention.before == "," else [mention.before]
    for word in (*map(bare_word, form.title.split()), *form.titles, *map(str.lower, words[::-1])):
        if (gender := GENDER.get(word.strip(".")) or GENDER.get(bare_word(word))) is not None:
            return gender
    ended = False
    for word in _PRONOUN.findall(mention.tail.lower()):
        if word in PRONOUNS:
            return GENDER[word]
        if ended:
            break
        ended = word in ".!?\n"  # the next sentence may begin with a pronoun
    return ""


def free_names(
    firsts: Sequence[str], surnames: Sequence[str], stream: Stream, taken: Collection[str]
) -> DrawnName:
    """Draw a first, a middle and a family name, uniformly over names that nobody has; over all
    where all are taken. The middle name may be that of somebody else."""
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


def write(form: Form, name: DrawnName, person: Person, middles: Sequence[str]) -> str:
    """Write the surrogate as the mention was. middles: of its parts between the first and last;
    empty for the middle name of the person."""
    first, middle, last = name
    drawn = [first, *(middles or [middle] * (len(form.parts) - 2)), last]
    if len(form.parts) < 2:
        is_last = person.last and not person.is_called((form.names or ("",))[0])
        drawn = [last if is_last else first]
    pairs = zip(form.parts or ("",), drawn, strict=True)
    written = [
        f"{part[0]}." if is_initial(old) else particles_of(old) + part for old, part in pairs
    ]
    text = (
        f"{written[-1]}, {' '.join(written[:-1])}"
        if form.inverted and written[1:]
        else " ".join(written)
    )
    text = " ".join(filter(None, [form.title, text, form.suffix])) + form.owner
    return {"upper": text.upper(), "lower": text.lower()}.get(form.case, text)


def _glued_names(forms: Sequence[Form]) -> set[str]:
    """Return the words that join both names of a person, or an initial: jdoe."""
    full = {(fold(form.names[0]), family_of(form.names[-1])) for form in forms if form.names[1:]}
    glued = set[str]()
    for first, last in full:
        glued |= user_words(first, last, ("", "", "")).keys() - {first, last, first[:1], last[:1]}
    return glued


def _is_user_name(text: str, form: Form, glued: Collection[str]) -> bool:
    """Return whether a mention of a person is a mail address or a user name: by its marks, of a
    person of the document, or unlike any name."""
    handle = _HANDLE.fullmatch(text)
    if handle and (handle[1] is None or (text.islower() and handle[1] not in TITLES)):
        return True
    if len(form.names) != 1:
        return False
    word = form.parts[0]
    return fold(word) in glued or (word.islower() and word.isalpha() and not name_classes(word))
