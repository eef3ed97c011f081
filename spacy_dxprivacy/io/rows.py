"""A row is one document: its texts share persons, places and one shift of dates.

Where a pipeline recognises entities, the texts of a row are read as one text, in parts. A cell
whose head says what it holds is an entity as a whole (`entities.heads`), and what it holds is one
in the other texts too (`entities.columns`). Names come first, and a
given name stands before its family name, so that both are one person's; the other texts follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from spacy.language import Language

from ..entities.cells import holds_nothing, is_young, leaves_name, values_of_cell
from ..entities.columns import mentions_in, mentions_of
from ..entities.heads import Head, heads_of
from ..entities.table_rows import fact_of
from ..errors import DxError
from ..text.mentions import Entity
from ..text.normal_doc import FACTS_OF_PIECES, MARKS
from .records import MENTIONS, Record, Released, Tokens, recognises

# What surrogates need to read before a value, by the label of its head. It is not released.
_READ_AFTER = {"AGE": "age ", "DOB": "born "}
# Between the texts of a row: a mark on a line of its own, which no entity and no sentence crosses.
# Addresses go on after blank lines.
BREAK = "\n\n;\n\n"


@dataclass(frozen=True)
class Parts:
    """Where the texts of a row stand in its document.

    order: the number of the text of each part. names: place of a given name, after which its family
    name stands, so that both are one mention -> number of its words.
    """

    order: Sequence[int]
    names: dict[int, int] = field(default_factory=dict)


def as_document(nlp: Language, record: Record) -> Record:
    """Return the record of a row with its texts as one, or a record as it is.

    The origin of a joined record is its `Parts`.
    """
    texts = record.texts
    if not record.heads or not recognises(nlp) or any(isinstance(t, Tokens) for t in texts):
        return record
    heads = heads_of(record.heads)
    facts = [fact_of(head, str(text)) for head, text in zip(record.heads, texts, strict=True)]
    if len(texts) < 2 and heads[0] is None and not facts[0]:
        return record
    if sum(map(len, texts)) + len(BREAK) * len(texts) > nlp.max_length:
        return record
    joined = _joined(record, [str(text) for text in texts], heads)
    order = joined.origin.order
    held = {place: facts[number] for place, number in enumerate(order) if facts[number]}
    return replace(joined, data={**joined.data, FACTS_OF_PIECES: held})


def _joined(record: Record, texts: list[str], heads: list[Head | None]) -> Record:
    pieces, mentions, names = list[str](), list[Entity](), dict[int, int]()
    marks, order, length = list[int](), list[int](), 0
    forms = mentions_of((h, t) for h, t in zip(heads, texts, strict=True) if h is not None)
    for number, beside in _reading_order(texts, heads):
        gap = BREAK if order else ""
        head = heads[number]
        if beside is not None:
            gap = " "
        elif head is not None:
            gap += _READ_AFTER.get(head.label, "")
        pieces += [gap, texts[number]]
        start = length + len(gap)
        length = start + len(texts[number])
        if beside is not None:
            first = marks[-2]
            names[len(order) - 1] = len(texts[beside].split())
            mentions[-1:] = [Entity("PERSON", first, length)]
        else:
            values = [] if head is None else values_of_cell(head, texts[number])
            mentions += [
                Entity(label, start + first, start + last)
                for label, first, last in values or mentions_in(texts[number], forms)
            ]
        marks += [start, length]
        order.append(number)
    data = {**record.data, MARKS: marks, MENTIONS: mentions}
    return replace(record, texts=["".join(pieces)], data=data, origin=Parts(order, names), heads=())


def _reading_order(texts: list[str], heads: list[Head | None]) -> Iterator[tuple[int, int | None]]:
    """Yield the number of each text, names first, with that of the given name that a family name
    follows."""
    names = [i for i, head in enumerate(heads) if head is not None and head.label == "PERSON"]
    given, family, bare = (
        [i for i in names if getattr(heads[i], "part", "") == part]
        for part in ("given", "family", "bare")
    )
    bare = [i for i in bare if len(texts[i].split()) == 1]
    # "name" is the given name beside a surname, and "nom" the family name beside a prénom.
    given, family = given or bare, family or bare
    paired = {}
    if (
        len(given) == len(family) == 1
        and given != family
        and all(_is_one_name(texts[i]) for i in given + family)
    ):
        paired = {given[0]: family[0]}
    for i in names:
        if i not in paired.values():
            yield i, None
            if i in paired:
                yield paired[i], i
    yield from ((i, None) for i in range(len(texts)) if i not in names)


def _is_one_name(text: str) -> bool:
    """Return whether a cell is one name, without blanks around it."""
    return text == text.strip() and values_of_cell(Head("PERSON"), text) == [
        Entity("PERSON", 0, len(text))
    ]


def texts_of(parts: Parts, text: str, marks: Sequence[int]) -> list[str]:
    """Return the sanitised texts of a row, in the order of the record.

    Args:
        parts: The origin of the joined record.
        text: The sanitised text of the document.
        marks: Start and end of each part in it.

    Raises:
        DxError: If a component lost the places of the parts.
    """
    spans = list(zip(marks[::2], marks[1::2], strict=True))
    if len(spans) != len(parts.order):
        raise DxError("The pipeline lost track of the fields of this record.")
    found = [text[start:end] for start, end in spans]
    for place, size in parts.names.items():  # the surrogate of both stands in the first
        written = f"{found[place]} {found[place + 1]}".split()
        found[place : place + 2] = " ".join(written[:size]), " ".join(written[size:])
    texts = [""] * len(found)
    for number, part in zip(parts.order, found, strict=True):
        texts[number] = part
    return texts


def cells_of(released: Released) -> dict[str, tuple[int, int]]:
    """Return for each head of a row that names a label the numbers of cells that changed and that
    stayed, in part or as a whole, without those that hold nothing and ages that may stay."""
    counts: dict[str, tuple[int, int]] = {}
    record = released.record
    heads = zip(record.heads, heads_of(record.heads), strict=True)
    for (head, says), old, new in zip(heads, record.texts, released.texts, strict=False):
        if says is None or holds_nothing(says, str(old)):
            continue
        if says.label == "AGE" and is_young(str(old)):
            continue
        changed, stayed = counts.get(head, (0, 0))
        is_new = str(old) != new and not leaves_name(says, str(old), new)
        counts[head] = changed + is_new, stayed + (not is_new)
    return counts
