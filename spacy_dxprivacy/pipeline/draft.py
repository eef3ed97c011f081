"""A batch of documents in the making: read from Docs, changed by stages, and written to new Docs.

`kinds` says what each token is, and is the only mask. `write` raises an error if a selected word
was not sampled. Only words, blanks, annotations in `carry` and the receipt reach the new Docs:
lemmas, tags, tensors and user data of the old Doc are functions of the input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import IS_PUNCT, IS_SPACE, LOWER, NORM, ORTH, SPACY
from spacy.strings import get_string_id
from spacy.tokens import Doc, Span

from ..arrays import Bools1d, Floats2d, Ints1d, Ints2d
from ..errors import DxError, Errors
from ..space import Space
from ..surrogates.replacements import Replacement, words_of_surrogate
from ..text.coded import CODED, encode
from ..text.mentions import Entity
from ..text.normal_doc import MARKS, bounds_of
from ..text.tokens import texts_of
from .carrying import Carrier
from .count import Count, Persons
from .kinds import DRAWN, UNMODIFIED, Kind, of_kind
from .receipt import SPANS_KEY, UNCOVERED, ReceiptTerms, earlier_stages, mark_as_made
from .settings import SanitizerSettings
from .unknown_words import UNKNOWN_SHOWN
from .vectors import set_noisy_vectors, set_row_vectors

_ATTRIBUTES = [ORTH, NORM, LOWER, IS_PUNCT, IS_SPACE, SPACY]
_ENDS = np.array(
    [get_string_id(mark) for mark in (".", "!", "?", ";", ":", "...", "…", "!!", "??", "?!", "!?")],
    dtype=np.uint64,
)


@dataclass(frozen=True, eq=False, repr=False)
class Draft:
    """The t tokens of a batch of documents, one document after another.

    Attributes:
        docs: The input, hidden from stages of other packages.
        parts: The slice of tokens of each document.
        documents: The index of the document of each token, int64 (t,).
        words: Texts, object (t,).
        spaces: Whether a blank follows each word, bool (t,).
        kinds: The Kind of each token, int64 (t,).
        rows: The row of each word in the space, -1 without one, int64 (t,).
        sentences: The number of its sentence, int64 (t,), rising.
        sources: The input token that each token comes from, int64 (t,).
        draws: The token whose sample each token takes, int64 (t,).
        vectors: Noisy vectors, float32 (t, d), or None.
        entities: The entities of each document, None before they are looked up.
        replacements: The surrogates of each document, None without surrogates.
        persons: The recognised persons of each document, None without any.
    """

    docs: Sequence[Doc]
    parts: Sequence[slice]
    documents: Ints1d
    words: NDArray[np.object_]
    spaces: Bools1d
    kinds: Ints1d
    rows: Ints1d
    sentences: Ints1d
    sources: Ints1d
    draws: Ints1d
    vectors: Floats2d | None = None
    entities: Sequence[Sequence[Entity] | None] = ()
    replacements: Sequence[Sequence[Replacement] | None] = ()
    persons: Sequence[Persons | None] = ()

    @classmethod
    def of(cls, docs: Sequence[Doc], space: Space) -> Draft:
        """Return a draft of the input, with rows looked up and sentences numbered."""
        table: Any = np.concatenate([doc.to_array(_ATTRIBUTES).reshape(-1, 6) for doc in docs])
        words: NDArray[np.object_] = np.empty(len(table), dtype=object)
        words[:] = [text for doc in docs for text in texts_of(doc)]
        is_mark, ends = (table[:, 3] | table[:, 4]) > 0, np.isin(table[:, 0], _ENDS, kind="sort")
        for i in np.flatnonzero(table[:, 4]).tolist():
            ends[i] = ends[i] or "\n" in words[i]
        stops, bounds = is_mark & ends, np.cumsum([0, *map(len, docs)])
        kinds = np.full(len(words), Kind.PLAIN)
        kinds[is_mark], kinds[stops] = Kind.PUNCTUATION, Kind.SENTENCE_END
        documents = np.repeat(np.arange(len(docs)), np.diff(bounds))
        return cls(
            docs=docs,
            parts=_parts(bounds),
            documents=documents,
            words=words,
            spaces=table[:, 5] > 0,
            kinds=kinds,
            rows=space.find_ids(*np.ascontiguousarray(table[:, :3].T)),
            sentences=np.cumsum(stops) + documents,
            sources=np.arange(len(words)) - bounds[documents],
            draws=np.arange(len(words)),
            entities=[None] * len(docs),
            replacements=[None] * len(docs),
        )

    def __len__(self) -> int:
        return len(self.words)

    def expand(self, replacements: Sequence[Sequence[Replacement] | None]) -> Draft:
        """Return a draft in which surrogates replace mentions of the input."""
        tokens, last = np.arange(len(self)), 0
        origins, new_words, new_spaces = list[Ints1d](), list[str](), list[bool]()
        for doc, part, items in zip(self.docs, self.parts, replacements, strict=True):
            for item in items or ():
                if item.text is not None:
                    words, spaces = words_of_surrogate(item.text, doc.vocab.lang or "xx")
                    start, end = part.start + item.start, part.start + item.end
                    origins += [tokens[last:start], np.full(len(words), start - len(tokens))]
                    new_words += words
                    new_spaces += [*spaces[:-1], bool(self.spaces[end - 1])]
                    last = end
        origin = np.concatenate([*origins, tokens[last:]])
        is_new, origin = origin < 0, origin % max(len(tokens), 1)
        all_words, all_spaces = self.words[origin], self.spaces[origin]
        all_words[is_new], all_spaces[is_new] = new_words, new_spaces
        documents = self.documents[origin]
        return replace(
            self,
            parts=_parts(np.searchsorted(documents, np.arange(len(self.docs) + 1))),
            documents=documents,
            words=all_words,
            spaces=all_spaces,
            kinds=np.where(is_new, Kind.SURROGATE, self.kinds[origin]),
            rows=np.where(is_new, -1, self.rows[origin]),
            sentences=self.sentences[origin],
            sources=self.sources[origin],
            draws=np.arange(len(origin)),
            replacements=replacements,
        )

    def public(self, *, shows_unknown: bool) -> Draft:
        """Return a draft of the release only, without anything else of the input."""
        hidden = np.full(len(self), -1)
        kinds = self.kinds
        if not shows_unknown:
            kinds = np.where(of_kind(kinds, Kind.UNKNOWN), Kind.SAMPLED, kinds)
        blank = replace(self, docs=(), entities=(), replacements=(), persons=(), kinds=kinds)
        return replace(blank, rows=hidden, sources=hidden, words=self.words.copy())


def _parts(bounds: Ints1d) -> list[slice]:
    return [slice(start, end) for start, end in pairwise(bounds.tolist())]


# -- new Docs --------------------------------------------------------------------------------------


def write(
    settings: SanitizerSettings, draft: Draft, terms: ReceiptTerms, space: Space
) -> list[Doc]:
    """Make the new Docs of a draft, each with its receipt."""
    if unsampled := int(of_kind(draft.kinds, Kind.SELECTED).sum()):
        what = {"part": "The stages", "given": "the input", "expected": "words that were drawn"}
        raise DxError(Errors.DX038.format(count=unsampled, **what))
    docs = []
    for i, (doc, part) in enumerate(zip(draft.docs, draft.parts, strict=True)):
        words, spaces = draft.words[part].tolist(), draft.spaces[part].tolist()
        kinds, sources = draft.kinds[part], draft.sources[part]
        if CODED in doc.user_data:
            starts = [doc[source].idx for source in sources.tolist()]
            words, spaces = encode(doc.user_data[CODED], starts, words, spaces)
        output = Doc(doc.vocab, words=words, spaces=spaces)
        placed = of_kind(kinds, Kind.SURROGATE)
        follows = placed & (np.diff(sources, prepend=-1) == 0)  # not its first token
        stays = of_kind(kinds, UNMODIFIED)
        Carrier(doc, output, sources, stays, follows).carry(settings.carry)
        # spaCy keeps the context of nlp.pipe(as_tuples=True) here.
        output._context = doc._context
        items = draft.replacements[i] or ()
        labels = [item.mention.label for item in items if item.text is not None]
        output.spans[SPANS_KEY] = _provenance(output, kinds, placed & ~follows, labels, settings)
        if MARKS in doc.user_data:
            output.user_data[MARKS] = _moved_marks(doc, output, kinds, sources)
        mark_as_made(output, terms.receipt(_counted(draft, i, part), earlier_stages(doc)))
        if draft.vectors is not None:
            set_noisy_vectors(output, draft.vectors[part])
        else:
            set_row_vectors(output, of_kind(kinds, DRAWN), space)
        docs.append(output)
    return docs


def _provenance(
    output: Doc, kinds: Ints1d, begins: Bools1d, mentions: list[str], settings: SanitizerSettings
) -> list[Span]:
    """Return spans with the provenance of each token of the new Doc.

    Labels depend on the selection, the space and the surrogates, never on samples: they must not
    reveal whether a sampled word is unchanged. begins: bool (m,), where a surrogate begins.
    mentions: the label of each surrogate.
    """
    labels = ["UNMODIFIED", "SAMPLED", "UNKNOWN", *mentions]
    label_of = of_kind(kinds, DRAWN).astype(np.int64)
    if UNKNOWN_SHOWN in settings.unknown.in_clear:
        label_of[of_kind(kinds, Kind.UNKNOWN)] = 2
    placed = of_kind(kinds, Kind.SURROGATE)
    label_of[placed] = 2 + np.cumsum(begins)[placed]
    starts = np.flatnonzero(np.diff(label_of, prepend=-1)).tolist()
    runs = pairwise([*starts, len(kinds)])
    return [Span(output, start, end, label=labels[label_of[start]]) for start, end in runs]


def _moved_marks(doc: Doc, output: Doc, kinds: Ints1d, sources: Ints1d) -> list[int]:
    marks: list[int] = doc.user_data[MARKS]
    if not len(doc):
        return [0 for _ in marks]
    changed, stays = np.ones(len(doc), dtype=bool), ~of_kind(kinds, Kind.SURROGATE)
    changed[sources[stays]] = of_kind(kinds, DRAWN)[stays]
    old, new_bounds = (np.reshape(bounds_of(d), (-1, 2)) for d in (doc, output))
    return moved(marks, old, new_bounds, sources, changed)


def _counted(draft: Draft, document: int, part: slice) -> Count:
    kinds, draws = draft.kinds[part], draft.draws[part]
    items = draft.replacements[document] or ()
    has_draw = draws == np.arange(part.start, part.stop)
    numbers, sampled = of_kind(kinds, Kind.NUMBER), of_kind(kinds, Kind.SAMPLED)
    drawn = int((sampled & has_draw).sum())
    return Count(
        documents=1,
        tokens=len(kinds),
        perturbed=int(sampled.sum()),
        unknown=int(of_kind(kinds, Kind.UNKNOWN).sum()),
        numbers=int(numbers.sum()),
        surrogates=int(of_kind(kinds, Kind.SURROGATE).sum()),
        draws=drawn,
        number_draws=int((numbers & has_draw).sum()),
        most_draws=drawn,
        uncovered=draft.docs[document].user_data.get(UNCOVERED, 0),
        mentions=_mention_counts(items),
        persons=draft.persons[document],
        orders=dict.fromkeys((item.order for item in items if item.order), 1),
    )


def _mention_counts(replacements: Sequence[Replacement]) -> dict[str, dict[str, int]]:
    """Return the numbers of found, replaced and kept mentions of each label."""
    counts: dict[str, dict[str, int]] = {}
    for item in replacements:
        of_label = counts.setdefault(item.mention.label, {"found": 0, "replaced": 0, "kept": 0})
        of_label["found"] += 1
        of_label["kept" if item.way == "kept" else "replaced"] += 1
    return counts


def moved(
    marks: Sequence[int], old: Ints2d, new: Ints2d, source: Ints1d, changed: Bools1d
) -> list[int]:
    """Return the places in a new text for places in the old one.

    A place within a replaced token or mention is mapped to the end of its replacement.

    Args:
        marks: Places in the old text, in characters.
        old: Start and end of the n old tokens, shape (n, 2), n > 0.
        new: Start and end of the m new tokens, shape (m, 2).
        source: The old token of each new one, shape (m,), rising.
        changed: Whether an old token was replaced, shape (n,).
    """
    places: Ints1d = np.asarray(marks, dtype=np.int64)
    token = np.clip(np.searchsorted(old[:, 0], places, "right") - 1, 0, None)
    start, end = old[token].T
    first = np.minimum(np.searchsorted(source, token), len(new) - 1)
    last = np.searchsorted(source, token, "right") - 1
    within = np.minimum(new[first, 0] + places - start, new[first, 1])
    ends = new[last, 1] + np.maximum(places - end, 0)
    stays = (source[first] == token) & ((places == start) | (~changed[token] & (places < end)))
    new_places: list[int] = np.where(stays, within, ends).tolist()
    return new_places
