"""Recognise the terms among the names, and the words at their ends that name nobody.


Recognisers take "Directorate", "Babinski" and "Amiodarone" for persons. Public lists
(data/entities/terms.txt) contain such terms: institutions, legal words, drugs, illnesses, tests,
goods, abbreviations. The words beside a term decide whether it is the name of a person.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from itertools import islice, takewhile

from spacy.tokens import Doc

from ..text.mentions import Entity, is_word
from ..text.spelling import without_accents
from .facts import ABBREVIATIONS, DIGIT, NAMED, STATUTES, Facts
from .tables import (
    DESCRIBING,
    FIRMS,
    FOLLOWING,
    GOODS,
    LISTED,
    MAKERS,
    NAMES,
    PLACES,
    PRODUCTS,
    TERM_NOUNS,
    expanded,
    pattern,
    words,
)
from .titles import TITLES_BEHIND
from .words import builtin_lexicon, is_name, is_only_ordinary, is_plain, kinds

TRADES = frozenset(expanded("TRADES").split("|"))
FIRM_ENDS = TRADES.union(*(expanded(name).split("|") for name in ("FIRM_NOUNS", "LEGAL")))
LEGAL = frozenset(expanded("LEGAL").replace("\\.", ".").split("|"))
# The lists contain singular forms only.
INSTITUTIONS, LAW = (
    frozenset(form for word in words(name, "terms") for form in (word, f"{word}s"))
    for name in ("INSTITUTIONS", "LAW")
)
DIAGNOSES = words("DIAGNOSES", "terms")
_EPONYMS_ALONE, _POSSESSED = words("EPONYMS_ALONE", "terms"), words("EPONYMS", "terms")
_EPONYMS = _EPONYMS_ALONE | _POSSESSED | words("ALSO_EPONYMS", "terms")
_SCORES, _FINDINGS = words("SCORES", "terms"), words("FINDINGS", "terms") | TERM_NOUNS
_GENERIC = INSTITUTIONS | LAW
_ILLNESSES = frozenset("disease diseases dystrophy palsy syndrome syndromes tumor tumour".split())
_BEFORE_PLACES = frozenset("in from to near of via".split())
_BEFORE_BIRTH_NAMES = frozenset(expanded("BEFORE_MAIDEN").replace(".", "").split("|"))
_AFTER_NAMES = words("AFTER_NAMES") | words("GRADES")
# What a speaker does, behind a name; given names that are written short, with a full stop.
_DUTIES = LISTED["ROLE"] | frozenset(
    "admin caretaker chef cleaner dispatch dispatcher driver electrician engineer landlady "
    "landlord mechanic mgr receptionist security supervisor tutor vet".split()
)
SHORT_GIVEN = frozenset("chas edw geo jas jno ma md mohd robt saml sk st thos wm".split())
_TITLES = frozenset("mr mrs ms miss mx dr prof sir mdm madam".split())
_PRESIDING = frozenset("chair chairman chairperson chairwoman moderator president speaker".split())
# Titles that are a job, too.
JOBS = frozenset(
    "captain commander detective doctor governor inspector judge justice mayor nurse officer "
    "pastor president professor senator sheriff superintendent".split()
)
_CALLED_ROLES = LISTED["ROLE"] | {"consultant", "oncall", "matron", "warden", "secretary"}
_SPECIALTY = re.compile(r"\w+(?:ology|iatrics|p(?:a?e)dics)")
_NUMBER_WORDS = frozenset({"no", "nos", "nr", "number"})
_LONGEST_TITLE = 4  # letters of a title with a full stop that is in no list
_BRANDS = GOODS | MAKERS
_SHORT_DEGREES = frozenset("jd ba bl ma bd bm bs mb jp pe dl".split())
_DEGREE = re.compile(r"\w*[A-Z]\w*[A-Z]")
_DEPARTMENTS = words("DEPARTMENTS", "terms")
_OFFICES = words("OFFICES", "terms")
_LETTERED = words("LETTERED_THINGS", "terms") | words("NUMBERED_THINGS", "terms")
_LETTER = re.compile(r"[A-Z]\.?|[A-Z]?\d{1,3}|\d{1,3}[A-Z]|I{2,3}|I?V|VI{1,3}", re.A)
_JOINTS = frozenset("of the and for de der du la ii iii iv".split())
POSSESSIVES = frozenset({"'s", "’s", "'", "’"})
# Words that stand before a name, and never before a term.
_BEFORE_NAMES = LISTED["TITLE"] | LISTED["GREETING"] | {"see", *expanded("BEFORE_VERB").split("|")}
_ROMAN = re.compile(r"[IVX]{1,4}[a-fA-F]?")
_LIMITS = frozenset("< > ≤ ≥ =".split())
_SCORE = re.compile(r"[<>≤≥]?\d{1,2}(?:/\d{1,2})?")
_INITIALS = re.compile(r"(?!U\.|D\.C|N\.[YJ])(?:[A-Z]\.){2,3}[A-Z]?")
_INITIAL = re.compile(r"[A-Z]\.?")
_MAX_ABBREVIATION = 4  # maximum letters of an unlisted abbreviation


class Terms(Facts):
    """The tokens of a document, of which some are terms."""

    def __init__(self, doc: Doc) -> None:
        super().__init__(doc)
        # Many matches are equal or share a word.
        self._judgements: dict[tuple[Entity, frozenset[str]], Entity | None] = {}
        self._listed: dict[tuple[int, str], bool] = {}

    @cached_property
    def _counts(self) -> Counter[str]:
        """How often the document has each word."""
        return Counter(self.lowers)

    def without_terms(self, entities: Iterable[Entity], names: set[str]) -> list[Entity]:
        """Return the entities that are no terms, without terms at their ends.

        names: Lower-case words of the full names in the document.
        """
        named_as = (self._as_name(e, names) if e.label in NAMED else e for e in entities)
        return list(filter(None, named_as))

    def _as_name(self, entity: Entity, names: set[str]) -> Entity | None:
        """Return an entity without legal words at its ends, or None if it is a term. It is an ORG
        if its last word names a type of institution."""
        key = entity, frozenset(names.intersection(self.lowers[entity.start : entity.end]))
        if key not in self._judgements:
            bare = self._without_letter(entity) if self._has_lettered else entity
            are_initials = self._are_initials(entity, key[1])
            judged = None if bare is None else self._judge(bare, key[1])
            self._judgements[key] = entity if are_initials else judged
        return self._judgements[key]

    def _judge(self, entity: Entity, names: frozenset[str]) -> Entity | None:
        label, start, end = entity
        before = self.lowers[start - 1].rstrip(".") if start else ""
        titled = self._behind_title(label, start, end)
        if before in _BEFORE_BIRTH_NAMES or titled > start:
            label, start = "PERSON", titled
        if label == "PERSON":
            if self._is_no_person(before, start, end):
                return None
            start += self._is_described(start, end)
            end = self._end_of_name(before, start, end)
        else:
            end = self._before_part(start, self._before_remark(start, end))
        if self._is_common_noun(label, start, end):
            if end - start > 1:  # Chidi's mobile
                return self._judge(Entity("PERSON", start, end - 2), names)
            return None
        called = before in _BEFORE_NAMES and self.lowers[start] not in _OFFICES
        called = called or (label == "PERSON" and self.is_headed(start))
        is_full_name = (
            end - start > 1
            and builtin_lexicon().is_first_name(self.texts[start])
            and not self._is_species(start, start + 1)
        )
        if not called and not is_full_name:
            if label == "PERSON":
                start, end = self._trim_legal_words(start, end)
            if label != "ORG" and end - start > 1 and self.lowers[end - 1] in INSTITUTIONS:
                label = "ORG"
            if self._is_term(label, start, end, names):
                return None
        return Entity(label, start, end)

    def _are_initials(self, entity: Entity, names: Collection[str]) -> bool:
        """Return whether a name is of the initials of someone in the document, which may be those
        of a degree, too: NP, JR. names: Lower-case words of the full names, and initials."""
        label, start, end = entity
        text = self.texts[start]
        is_short = label == "PERSON" and end - start == 1 and len(text) < 4
        return is_short and text.isupper() and text.lower() in names

    def _behind_title(self, label: str, start: int, end: int) -> int:
        """Return the start of a name behind the title that a place or a firm begins with, which
        makes it a person: in Mr Lind's van, an email from Dr. Lind."""
        at = start + 1
        if label == "PERSON" or self.lowers[start].rstrip(".") not in _TITLES or at >= end:
            return start
        at += self.texts[at] == "."
        return at if at < end and self.texts[at].istitle() and end - at < 4 else start

    def _is_no_person(self, before: str, start: int, end: int) -> bool:
        """Return whether a person is a title, a label or a group. before: the word before it."""
        if end - start == 1 and self.lowers[start] in _DEPARTMENTS and self._begins_round(start):
            return True
        is_called = before in LISTED["TITLE"]
        if is_called and (self._is_in_heading(start, end) or self._is_of_job(before, start, end)):
            return True
        if not (is_called and is_name(self.texts[start])) and self._is_title(start, end):
            return True
        return self._is_label(start, end) or self._is_group(before, start, end)

    def _is_of_job(self, before: str, start: int, end: int) -> bool:
        """Return whether a common word, which is nobody's name, goes on with a title that is a
        job, too (Nurse Practitioner, Professor Emeritus), or is whom a title presides, or what
        somebody does: Mr Chair, Madam Treasurer."""
        if before in _TITLES and end - start == 1 and self.lowers[start] in _PRESIDING:
            return True
        is_role = end - start == 1 and self.lowers[start] in _CALLED_ROLES
        if is_role and not is_name(self.texts[start]):
            return True
        return before in JOBS and end - start == 1 and is_only_ordinary(self.texts[start])

    def _is_described(self, start: int, end: int) -> bool:
        """Return whether a name begins with a word that describes the one behind it, which is no
        family name: Young Lwazi."""
        if end - start != 2 or self.lowers[start] not in DESCRIBING:
            return False
        return "surname" not in builtin_lexicon().of(self.texts[start + 1])

    def _before_remark(self, start: int, end: int) -> int:
        """Return the end of a place or a body without a common word in brackets: Lind (buyer)."""
        if end - start < 4 or self.texts[end - 1] != ")" or self.texts[end - 3] != "(":
            return end
        return end - 3 if is_word(self.texts[end - 2]) and self.texts[end - 2].islower() else end

    def _before_part(self, start: int, end: int) -> int:
        """Return the end of a place or a body without the part that a number or a letter names:
        Greenacre Estate Phase 2."""
        for last in (end - 2, end - 1):
            is_numbered = start < last < len(self.texts) - 1 and self.lowers[last] in _LETTERED
            if is_numbered and _LETTER.fullmatch(self.texts[last + 1]):
                return last
        return end

    def _begins_round(self, i: int) -> bool:
        """Return whether a word, as that for a part of a body, begins its line and stands before a
        noun in small letters: Ward round recording."""
        opens = i == 0 or "\n" in self.texts[i - 1]
        after = self.texts[i + 1] if i + 1 < len(self.texts) else ""
        classes = builtin_lexicon().of(after) if after.islower() else frozenset[str]()
        return opens and "noun" in classes

    def _is_in_heading(self, start: int, end: int) -> bool:
        """Return whether a common word in capitals stands behind a title in capitals, and ends its
        line: GARDA REPORT."""
        closes = end >= len(self.texts) or "\n" in self.texts[end]
        is_shouted = self.texts[start].isupper() and self.texts[start - 1].isupper()
        is_one = end - start == 1 and len(self.texts[start - 1].rstrip(".")) > _LONGEST_TITLE
        return closes and is_shouted and is_one and is_only_ordinary(self.texts[start])

    def _end_of_name(self, before: str, start: int, end: int) -> int:
        """Return the end of a name without degrees, labels and nouns."""
        end = self._before_degrees(start, end)
        while self._ends_with_label(start, end):
            end -= 1
        return end - (before in LISTED["TITLE"] and self._ends_with_noun(start, end))

    @cached_property
    def _has_lettered(self) -> bool:
        """Whether the document names a thing that may have a letter or a number."""
        return not _LETTERED.isdisjoint(self.lowers)

    def _without_letter(self, entity: Entity) -> Entity | None:
        """Return a mention without the letter or number of a thing, or None if common words, which
        begin a sentence, are left: Ward B. Formulary requests; but Annex C. Smith agreed."""
        _, start, end = entity
        letter = next((i for i in (start, start + 1)[: end - start] if self._is_lettered(i)), None)
        if letter is None:
            is_numbered = end - start == 1 and self._is_lettered(end)
            return None if is_numbered and DIGIT.search(self.texts[end]) else entity
        if all(is_rather_common(self.texts[i]) for i in range(letter + 1, end)):
            return None
        return entity if letter == start else entity._replace(start=letter + 1)

    def _is_lettered(self, i: int) -> bool:
        """Return whether a letter or a number stands behind a thing. A Rev without a full stop is a
        revision, or a reverend."""
        if (
            not 0 < i < len(self.texts)
            or len(self.texts[i]) > 4
            or _LETTER.fullmatch(self.texts[i]) is None
        ):
            return False
        before = self.lowers[max(i - 2, 0)].rstrip(".") if i > 1 else ""
        is_thing = self.texts[i - 1].istitle() and self.lowers[i - 1] in _LETTERED
        return is_thing and before not in LISTED["TITLE"]

    def _is_title(self, start: int, end: int) -> bool:
        """Return whether a person is only the title before a name (the Dr. of Dr. Okafor), or the
        degrees after one."""
        if all(lower.replace(".", "") in _AFTER_NAMES for lower in self.lowers[start:end]):
            return True
        is_title = end - start == 1 and self.lowers[start].rstrip(".") in LISTED["TITLE"]
        has_stop = self.texts[end : end + 1] == ["."]
        end += has_stop
        if has_stop and end - start == 2 and self._is_short_title(start):
            return True
        return is_title and end < len(self.texts) and self.texts[end].istitle()

    def _is_short_title(self, i: int) -> bool:
        """Return whether a short word with a full stop is the title of the name behind it, in a
        list or at the start of a line: Present: Barr. Chukwuemeka Eze, Mal. Sani Bello."""
        before, after = self.texts[i - 1] if i else "\n", self.texts[i + 2 : i + 4]
        opens = before in (":", ",", ";", "(", "-", "|", "*", "**") or "\n" in before
        is_called = self.lowers[max(i - 1 - (before == "."), 0)].rstrip(".") in LISTED["TITLE"]
        is_given = "first_name" in builtin_lexicon().of(self.texts[i])
        is_numbered = bool(after) and after[0].rstrip(".") in _NUMBER_WORDS
        if is_numbered and len(self.texts[i]) <= _LONGEST_TITLE:
            return not is_given  # Reg. no.
        if not (opens or is_called) or is_given or self.lowers[i] in SHORT_GIVEN:
            return False
        if is_called and (is_name(self.texts[i]) or not (after and is_name(after[0]))):
            return False  # Mdm Ooi. Seconded
        if len(self.texts[i]) > _LONGEST_TITLE or not (after and after[0].istitle()):
            return False
        if is_word(after[0].lower()) and not is_name(after[0]):
            return True  # Asst. Manager, Emp. No.
        return is_name(after[0]) or after[-1].istitle()

    def _before_degrees(self, start: int, end: int) -> int:
        """Return the end of a name without its degrees, in a text that writes names with small
        letters: Rhona Loy BVMS MRCVS. Two letters behind one name are a name: Wei MA."""
        if self.texts[start].isupper():
            return end
        while end - start > 1 and _DEGREE.match(self.texts[end - 1]):
            lower = self.lowers[end - 1]
            is_short = lower in _SHORT_DEGREES and end - start > 2
            if _ROMAN.fullmatch(lower.upper()) or not (is_short or lower in _AFTER_NAMES):
                break
            end -= 1
        return end

    def _is_group(self, before: str, start: int, end: int) -> bool:
        """Return whether a word that is greeted is the plural of a common noun: Dear Rowers."""
        lower = self.lowers[start]
        is_plural = before in LISTED["GREETING"] and end - start == 1 and lower.endswith("s")
        return is_plural and is_only_ordinary(lower)

    def _is_label(self, start: int, end: int) -> bool:
        """Return whether a word says what the person after its colon is (Enumerator: Ana Lim.),
        rather than who speaks."""
        if end - start > 1 or self.texts[end : end + 1] != [":"]:
            return False
        if self._counts[self.lowers[start]] > 1:
            return False
        rest = islice(self.texts, end + 1, end + 9)
        value = [*takewhile(lambda text: text not in ".;,)|" and not text.isspace(), rest)]
        titled = bool(value) and value[0].lower().rstrip(".") in LISTED["TITLE"]
        named = [word for word in value[titled:] if len(word) > 1]
        return (
            "SURE_FIRST" not in kinds(self.texts[start])
            and (titled or len(named) > 1)
            and all(word.istitle() and not is_word(word.lower()) for word in named)
        )

    def _ends_with_label(self, start: int, end: int) -> bool:
        """Return whether a colon follows a name that ends with a common word, which begins a
        sentence (Sunita K. Recovery: two hours) or says what a speaker does (Otieno Driver: ok).
        """
        if end - start < 2 or self.texts[end : end + 1] != [":"] or is_name(self.texts[end - 1]):
            return False
        if self.texts[end - 2].endswith("."):
            return is_word(self.lowers[end - 1])
        return self._is_plain(end - 1) and self.lowers[end - 1] in _DUTIES

    def _ends_with_noun(self, start: int, end: int) -> bool:
        """Return whether a common noun with a capital stands behind a name and before another:
        Mrs J Hale Piano Lessons."""
        if end - start < 2 or not is_name(self.texts[end - 2]):
            return False
        nouns = [i for i in (end - 1, end) if i < len(self.texts) and self.texts[i].istitle()]
        return len(nouns) > 1 and all(
            "noun" in builtin_lexicon().of(self.lowers[i]) and self._is_plain(i) for i in nouns
        )

    def _trim_legal_words(self, start: int, end: int) -> tuple[int, int]:
        edges = _GENERIC
        while start < end and (self.lowers[start] in edges or self.doc[start].is_punct):
            start, edges = start + 1, _GENERIC | _JOINTS
        while start < end and self.lowers[end - 1] in LAW:
            end -= 1
        return start, end

    def _is_term(self, label: str, start: int, end: int, names: frozenset[str]) -> bool:
        content = [
            i
            for i in range(start, end)
            if self.lowers[i] not in _JOINTS
            and self.texts[i] not in POSSESSIVES
            and any(map(str.isalpha, self.texts[i]))
        ]
        if all(
            self.lowers[i] in _GENERIC or (self._is_short_form(i) and self.lowers[i] not in names)
            for i in content
        ):
            return True
        if label == "GPE" and end - start == 1 and self._is_no_place(start):
            return True
        after = self.lowers[end] if end < len(self.lowers) else ""
        if label == "PERSON" and (self._begins_statute(end) or self._begins_with_product(start)):
            return True
        if end - start > 1 and self.lowers[end - 1] in _ILLNESSES:
            return True
        if self._is_code(label, start, end, content) or self._is_part_of_phrase(
            label, end, content
        ):
            return True
        if not names.isdisjoint(self.lowers[start:end]) or after in FOLLOWING["HUMAN"]:
            return False
        initialed = end - start > 1 and self.lowers[end - 1] in _EPONYMS_ALONE  # B Schirmer said
        if all(self._is_listed(i, label) for i in content):
            return not (initialed and _INITIAL.fullmatch(self.texts[start]))
        return end - start < 4 and self._is_eponym(start, end, content)

    def _is_short_form(self, i: int) -> bool:
        """Return whether a word is a listed abbreviation, or the plural of one (two MOUs), and not
        the name of a speaker at the start of a line: GRACE (RN): Yes."""
        text = self.texts[i]
        is_plural = text.endswith("s") and text[:-1].isupper() and text[:-1] in ABBREVIATIONS
        if not (is_plural or text in ABBREVIATIONS):
            return False
        opens = i == 0 or "\n" in self.texts[i - 1]
        speaks = opens and self.texts[i + 1 : i + 2] in ([":"], ["("])
        return not (speaks and is_name(self.texts[i]))

    def _is_no_place(self, i: int) -> bool:
        """Return whether a word is a language (in Latin), or initials of no listed place (S.B.)."""
        text = self.texts[i]
        classes = builtin_lexicon().of(text)
        if classes & (PLACES - {"region"}):
            return False
        return "language" in classes or _INITIALS.fullmatch(text) is not None

    def _is_code(self, label: str, start: int, end: int, content: Sequence[int]) -> bool:
        """Return whether short words in capitals are codes, as RA and NC of a clinical note are. A
        state is one after a town and a comma, or before a postal code; a firm, if it is listed."""
        texts = self.texts
        if label == "PERSON" or not content:
            return False
        for i in content:
            classes = builtin_lexicon().of(texts[i])
            known = "country" in classes or texts[i].lower() in FIRMS
            if known or not (texts[i].isupper() and len(texts[i]) == 2):
                return False
        town = texts[start - 2] if start > 1 and texts[start - 1] == "," else ""
        after_town = town.istitle() and len(town) > 2
        before_code = end < len(texts) and len(texts[end]) == 5 and texts[end].isdigit()
        placed = start > 0 and self.lowers[start - 1] in _BEFORE_PLACES
        return not (after_town or before_code or placed or self._is_shouted(start, end))

    def _is_common_noun(self, label: str, start: int, end: int) -> bool:
        """Return whether a mention is a common noun in small letters, or ends with one after its
        owner (Auntie's house), and is no name in a chat."""
        last, size = self.texts[end - 1], end - start
        if not (last.islower() and is_word(last)) or last in FIRM_ENDS:
            return False
        owned = end > 1 and self.texts[end - 2] in POSSESSIVES
        if size > 1:
            return owned and size > 2 and label != "PERSON"
        classes = builtin_lexicon().of(last.capitalize())
        return owned or not classes & (PLACES | NAMES)

    def _is_shouted(self, start: int, end: int) -> bool:
        """Return whether the words beside a mention are in capitals too."""
        beside = (*self.texts[max(start - 2, 0) : start], *self.texts[end : end + 2])
        return any(word.isupper() and len(word) > 3 for word in beside)

    def _is_part_of_phrase(self, label: str, end: int, content: Sequence[int]) -> bool:
        """Return whether a mention of common words is no name: a department, or the beginning of a
        longer phrase (International Bank Account); or whether it is the first word of a species."""
        texts, lowers = self.texts, self.lowers
        after = texts[end] if end < len(texts) else ""
        if label == "PERSON":
            species = [i for i in (*content, end) if i < len(texts)][:2]
            return len(species) == 2 and self._is_species(*species)
        if label == "ORG" and len(content) == 1 and is_specialty(lowers[content[0]]):
            return True
        if label != "ORG" or not all(self._is_plain(i) for i in content):
            return False
        is_body = any(lowers[i] in ("of", "for") for i in range(content[0], end))
        return (lowers[content[-1]] in _DEPARTMENTS and not is_body) or (
            len(content) > 1 and after.istitle() and is_word(after.lower()) and not is_name(after)
        )

    def _is_plain(self, i: int) -> bool:
        """Return whether a word is a common word, and neither a name nor a place."""
        lexicon, text = builtin_lexicon(), self.texts[i]
        is_place = lexicon.of(text) & PLACES and lexicon.plainness(text) < 0.5
        return not is_name(text) and is_word(self.lowers[i]) and not is_place

    def _is_species(self, i: int, j: int) -> bool:
        """Return whether two words are a species: a genus or an unlisted word, and a Latin word in
        small letters."""
        first, second = self.texts[i], self.lowers[j]
        return (
            (self.lowers[i] in PRODUCTS or not is_name(first))
            and self.texts[j].islower()
            and not (is_word(second) or second in TITLES_BEHIND)
            and pattern("SPECIES_END").fullmatch(second) is not None
        )

    def _begins_with_product(self, i: int) -> bool:
        """Return whether a word is that of a drug or a ware, and of nobody: Vicryl Rapide."""
        return self.lowers[i] in PRODUCTS and not is_name(self.texts[i])

    def _begins_statute(self, end: int) -> bool:
        """Return whether the capitalised words from token `end` on complete a statute's name."""
        title = takewhile(
            lambda i: self.texts[i].istitle(), range(end, min(end + 4, len(self.doc)))
        )
        return any(self.lowers[i] in STATUTES for i in title)

    def _is_listed(self, i: int, label: str) -> bool:
        """Return whether the i-th word is a term by itself."""
        if (i, label) not in self._listed:
            self._listed[i, label] = self._look_up(i, label)
        return self._listed[i, label]

    def _look_up(self, i: int, label: str) -> bool:
        text, lower = self.texts[i], self.lowers[i]
        if lower in PRODUCTS or lower in _EPONYMS_ALONE or self._is_short_form(i):
            return True
        if is_name(text) and not (label == "PERSON" and self._is_short_form_of_text(i)):
            return lower in DIAGNOSES and text != lower.capitalize()
        is_diagnosis = lower in DIAGNOSES or lower.removesuffix("s") in DIAGNOSES
        if is_diagnosis or pattern("MEDICAL_END").fullmatch(lower):
            return True
        if label == "PERSON":
            titled = text.istitle() and text.upper() in ABBREVIATIONS
            short = titled or self._is_abbreviation(i)
            return short or is_brand(lower) or pattern("COMMON_END").search(lower) is not None
        return label == "GPE" and lower in GOODS  # several makers have the names of towns

    def _is_abbreviation(self, i: int) -> bool:
        """Return whether a word is one letter, or a few capitals beside words not in capitals."""
        text = self.texts[i].rstrip(".")
        if len(text) == 1:
            return True
        beside = (*self.texts[max(i - 1, 0) : i], *self.texts[i + 1 : i + 2])
        shouted = any(word.isupper() and len(word) > 1 for word in beside)
        return text.isupper() and len(text) <= _MAX_ABBREVIATION and not shouted

    def _is_short_form_of_text(self, i: int) -> bool:
        """Return whether three capitals within a line are a family name in lists only, where the
        words beside them have small letters: tell MOH."""
        text, before = self.texts[i], self.texts[i - 1] if i else ""
        if not (len(text) == 3 and self._is_abbreviation(i)) or "SURE_FIRST" in kinds(text.title()):
            return False
        after = self.texts[i + 1 : i + 2]
        return bool(before.strip()) and after not in ([":"], [","]) and before not in ",:(|"

    def _is_eponym(self, start: int, end: int, content: Sequence[int]) -> bool:
        """Return whether an illness, sign, test or device is named after the person."""
        texts, lowers = self.texts, self.lowers
        last = end - (texts[end - 1] in POSSESSIVES)
        owns = last < len(texts) and texts[last] in POSSESSIVES
        after = last + owns
        if owns and lowers[start] in _POSSESSED:
            return True
        if after >= len(texts):
            return False
        is_owner = owns and "SURE_FIRST" in kinds(texts[start]) and lowers[start] not in _EPONYMS
        if lowers[after] in TERM_NOUNS and not texts[after].istitle():
            return not is_owner  # Keith's cockerel
        if not all(lowers[i] in _EPONYMS for i in content):
            return False
        if any(_ROMAN.fullmatch(word) and word != "I" for word in texts[last - 1 : after + 1]):
            return True
        value = after + (texts[after] in _LIMITS and after + 1 < len(texts))  # Braden <14
        scored = lowers[last - 1] in _SCORES and _SCORE.fullmatch(texts[value])
        return bool(scored) or any(word in _FINDINGS for word in lowers[after : after + 2])


def is_brand(lower: str) -> bool:
    """Return whether a word is the name of goods or of a maker of them, also in the plural."""
    bare = lower if lower.isascii() else without_accents(lower)
    return not _BRANDS.isdisjoint((lower, bare, bare.removesuffix("s")))


def is_specialty(lower: str) -> bool:
    """Return whether a word is that of a branch of medicine or science, as of a department."""
    return _SPECIALTY.fullmatch(lower) is not None


def is_rather_common(word: str) -> bool:
    """Return whether a word is rather a common word than a name."""
    return is_plain(word) or is_only_ordinary(word)
