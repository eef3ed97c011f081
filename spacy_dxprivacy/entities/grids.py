"""Tables and forms: what the head of a column or the key of a line says about its values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from .addresses import BLANKS

Cell = tuple[str, int, int]  # label, start and end in the text
Labels = tuple[str | None, ...]
MOST_TABLES = 16  # that stand above a line, where each line may read as a head of the next ones

# Heads and keys in small letters. Those after the bar stand above a column alone: at the
# beginning of a line of prose they say too little.
_CALLED = {
    "PERSON": "full name, patient name, first name, last name, family name, given name, surname, "
    "middle name, maiden name, contact name, customer name, client name, employee name, "
    "next of kin, emergency contact, guardian, account holder, card holder, cardholder, "
    "referring physician, primary care physician, attending physician, pcp, "
    "assistant, co-surgeon, anesthesiologist, anaesthetist"
    "| name, patient, doctor, physician, contact, customer, client, employee, owner, author, "
    "manager, assignee, reporter, guest, attendee, participant, nurse, teacher, student, sender, "
    "recipient, mother, father, spouse, husband, wife",
    "GPE": "city, town, village, country, county, province, birthplace, place of birth, hometown, "
    "country of birth, city of birth| state, location, place, region",
    "ORG": "company, employer, organisation, organization, company name, hospital, facility, "
    "school, clinic, institution| firm, vendor, supplier, account name",
    "ADDRESS": "street, street address, home address, mailing address, postal address, "
    "billing address, shipping address, address line 1, address line 2, zip, zip code, zipcode, "
    "postal code, postcode, post code, plz, eircode, pin code, pincode, cep| address, code postal",
    "PHONE": "phone, phone number, telephone, mobile, mobile number, cell, cell phone, fax, "
    "home phone, work phone, telephone number, tel",
    "DATE": "dob, date of birth, birth date, birthdate, birthday| born, date, admitted, discharged",
    "ID": "mrn, ssn, nhs number, medical record number, passport, passport number, license number, "
    "licence number, policy number, member id, patient id, account number, card number, "
    "iban, username, user name, login, user id| id, account, policy, user, card, licence, license",
}
_DIGITS = frozenset({"PHONE", "DATE", "ID"})  # a value without a digit is none
_MARKS = {"|": "|", "\t": "\t", ";": ";", ",": ","}
_EMPTY = re.compile(r"[\W_]*(?:n/?a|none|nil|null|unknown|nan|yes|no)?[\W_]*", re.IGNORECASE)
_RULE = re.compile(r"[\s|:+=-]*")  # below the head of a table
_WRITTEN = r"[^\W\d_a-zß-öø-ÿ][\w'’.-]*(?: (?:[a-z'’]{1,4} ){0,2}[^\W\d_a-zß-öø-ÿ][\w'’.-]*){0,5}"
_TO_END = rf"(?=[\"'][,}}\]]|[\"']?,?{BLANKS}(?:[\t|;]|  |\n|\Z))"


@lru_cache(maxsize=1)
def _heads() -> dict[str, str]:
    """Head in small letters -> label."""
    return {
        head.strip(): label
        for label, called in _CALLED.items()
        for head in re.split("[,|]", called)
    }


def _of_lines(label: str) -> list[str]:
    return [key.strip() for key in _CALLED[label].partition("|")[0].split(",")]


@lru_cache(maxsize=1)
def _head() -> re.Pattern[str]:
    heads = "|".join(sorted(map(re.escape, _heads()), key=len, reverse=True))
    return re.compile(
        rf"[|,;\t][ \t\"']{{0,40}}(?:{heads})[ \t\"']{{0,40}}(?=[|,;\t]|$)", re.M | re.I
    )


@lru_cache(maxsize=1)
def _line() -> re.Pattern[str]:
    written = {
        label: "|".join(sorted(map(re.escape, _of_lines(label)), key=len, reverse=True))
        for label in ("PERSON", "GPE", "ORG", "ADDRESS")
    }
    values = {**dict.fromkeys(written, _WRITTEN), "ADDRESS": r"(?=[^\n]{0,12}\d)[^\n|;\t\"]{3,12}?"}
    forms = [
        rf"(?i:{keys})[\"']?{BLANKS}[:=]{BLANKS}[\"']?(?P<{label}>{values[label]}){_TO_END}"
        for label, keys in written.items()
    ]
    return re.compile(rf"(?:^|[\t|;,{{]|  )[ \t>*•\"'-]{{0,40}}(?:{'|'.join(forms)})", re.M)


def cells(text: str) -> Iterator[Cell]:
    """(label, start, end) of each value whose column or line says what it is."""
    if ":" in text or "=" in text:
        for match in _line().finditer(text):
            label = str(match.lastgroup)
            yield label, *match.span(label)
    if "\n" in text:
        yield from _columns(text)


def _columns(text: str) -> Iterator[Cell]:
    """Below each line that two heads or more stand in, for as long as the lines have as many
    cells."""
    heads = set(_lines_of_heads(text))
    tables: dict[tuple[str, Labels], None] = {}
    for start, row in _rows(text, min(heads, default=len(text))):
        if tables and not (_RULE.fullmatch(row) and row.strip()):
            tables = {(mark, of): None for mark, of in tables if row.count(mark) + 1 == len(of)}
            for mark, labels in tables:
                yield from _labelled(start, row.split(mark), labels)
        if start in heads and (table := _table(row)):
            tables[table] = None
            if len(tables) > MOST_TABLES:
                del tables[next(iter(tables))]


def _lines_of_heads(text: str) -> Iterator[int]:
    """Where each line begins that has a head after a mark."""
    line = 0
    while match := _head().search(text, line):
        yield text.rfind("\n", line, match.start()) + 1 or line
        line = text.find("\n", match.start()) + 1
        if not line:
            return


def _table(head: str) -> tuple[str, Labels] | None:
    """What stands between the cells below a line of heads, and the label of each cell."""
    mark = max(_MARKS, key=head.count)
    labels = tuple(_heads().get(name.strip(" \t\"'").lower()) for name in head.split(mark))
    return None if len(labels) - labels.count(None) < 2 else (mark, labels)


def _rows(text: str, begin: int) -> Iterator[tuple[int, str]]:
    """(where it begins, line) of each line from `begin` on."""
    while begin < len(text):
        end = text.find("\n", begin)
        end = len(text) if end < 0 else end
        yield begin, text[begin:end]
        begin = end + 1


def _labelled(start: int, values: list[str], labels: Labels) -> Iterator[Cell]:
    for value, label in zip(values, labels, strict=True):
        bare = value.strip(" \t\"'\r")
        if label and not _EMPTY.fullmatch(value) and (label not in _DIGITS or _has_digit(bare)):
            first = start + value.index(bare)
            yield label, first, first + len(bare)
        start += len(value) + 1


def _has_digit(value: str) -> bool:
    return any(letter.isdigit() for letter in value)
