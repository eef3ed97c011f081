"""Texts as arrays, fields of files, releases, and linear models of texts."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, islice, pairwise, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from ..arrays import Bools1d, Floats1d, Floats2d, Ints1d, blocks
from ..config.options import FileOptions
from ..errors import UsageError, quiet
from ..io.build import NO_LIMIT
from ..io.formats import Row, find_slots
from ..io.jobs import check_first_record, open_input, plan_jobs, read
from ..io.records import Failed, Input, Record, chunks, nlp_inputs
from ..io.results import ZONE_CHARACTERS, ZONE_DOCUMENTS, zone
from ..pipeline.draft import Draft
from ..pipeline.kinds import Kind, of_kind
from ..pipeline.preparation import cut
from ..pipeline.unknown_words import REDACTED
from ..privacy.loss import MAX_SENTENCE_WORDS
from ..space import Space
from ..space.sources import SpaceSource
from ..ty import Draw, Mechanism, facts_of
from ..validate import fail, one_of
from .results import bootstrap

if TYPE_CHECKING:
    from ..privacy.randomness import Rng

SCOPES = ("token", "type")
BATCH_WORDS = 2**15  # words drawn at once
# Of a document: rows, -1 for words that the space lacks; where sentences begin; and the plaintext
# before each word.
Words = tuple[Ints1d, Bools1d, list[str]]


def read_corpus(source: str, space: Space, *, field: str = "text") -> EncodedCorpus:
    """Read the words of a file, or of stdin for "-". Raise DxError if the space has none."""
    parts = sentences_of_file(source, "an attack", field=field, space=space)
    documents = [words for of_part, _ in parts for words in of_part]
    triples: Any = zip(*documents, strict=True) if documents else ((), (), ())
    return EncodedCorpus.of(*triples)


def read_texts(source: str, field: str, *, limit: int | None = None) -> list[str]:
    """Return the texts of a file, or of stdin for "-", without unreadable records."""
    records = islice(records_of(source, "an attack", FileOptions(field=(field,))), limit)
    return [str(text) for r in records if isinstance(r, Record) for text in r.texts]


def records_of(source: str, taker: str, files: FileOptions) -> Iterator[Input]:
    """Yield the records of a file, or of stdin for "-". taker: subject of the error for a
    folder."""
    if source != "-" and Path(source).is_dir():
        raise UsageError(f"{taker} takes one file, not a folder.")
    (job,) = plan_jobs(source, None, files)
    with open_input(job) as handle:
        yield from check_first_record(read(handle, job.read_as, files))


def released_records(
    before: Path, after: Path, files: FileOptions, failed: Collection[int] = ()
) -> Iterator[tuple[Record, Record]]:
    """Yield the readable records of a file, each with its release. failed: numbers of unreleased
    records; 0 for all. Raise UsageError if the records of the files differ."""
    taker = "a comparison with a release"
    originals = (r for r in records_of(str(before), taker, files) if isinstance(r, Record))
    pairs = zip_longest(
        (r for r in originals if r.number not in failed and 0 not in failed),
        records_of(str(after), taker, FileOptions(field=files.field)),
    )
    for original, release in pairs:
        if original is None or not isinstance(release, Record):
            raise UsageError(
                f"{after} has other records than {before}. If some failed, give the `receipt`."
            )
        yield original, release


def sentences_of_file(
    source: str, taker: str, *, field: str, space: Space
) -> Iterator[tuple[list[Words], int]]:
    """Yield the Words of documents, and the number of unreadable records, for each chunk."""
    nlp = tokenizer()
    records = records_of(source, taker, FileOptions(field=(field,)))
    for batch in chunks(records, characters=ZONE_CHARACTERS, max_texts=ZONE_DOCUMENTS):
        records_read = [record for record in batch if isinstance(record, Record)]
        with zone(nlp), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # spaCy's warnings may quote tokens
            docs = nlp.pipe(doc for record in records_read for doc in nlp_inputs(nlp, record))
            documents = [words_of(doc, space)[:3] for doc in docs]
        yield documents, len(batch) - len(records_read)


def tokenizer() -> Language:
    """Return the default tokenizer of `dx sanitize`, with REDACTED as one token."""
    nlp = spacy.blank("en")
    nlp.max_length = NO_LIMIT
    rules: Any = nlp.tokenizer
    rules.add_special_case(REDACTED, [{"ORTH": REDACTED}])
    return nlp


def words_of(doc: Doc, space: Space) -> tuple[Ints1d, Bools1d, list[str], Ints1d]:
    """Return the Words of a Doc, and their tokens, int64 (k,)."""
    draft = Draft.of([doc], space)
    draft = cut(draft, draft.kinds)
    places = np.flatnonzero(of_kind(draft.kinds, Kind.PLAIN))
    starts = np.diff(draft.sentences[places], prepend=-1) > 0
    return draft.rows[places], starts, _plaintext_before(doc, places), places


def _plaintext_before(doc: Doc, places: Ints1d) -> list[str]:
    """Return the text between each of these tokens and the one before."""
    ends = [0, *(doc[place].idx + len(doc[place]) for place in places[:-1].tolist())]
    text = doc.text
    return [text[end : doc[place].idx] for end, place in zip(ends, places.tolist(), strict=False)]


def corpus_of(docs: Iterable[Doc], space: Space) -> EncodedCorpus:
    """Return the words of Docs that are in the space. Raise DxError without any."""
    return EncodedCorpus.of(*zip(*(words_of(doc, space)[:3] for doc in docs), strict=True))


@dataclass(frozen=True)
class EncodedCorpus:
    """The words of documents that are in a space, concatenated. rows: int64 (t,). starts: int64
    (documents + 1,), where each begins, and t. sentences: bool (t,), where sentences begin. before:
    t strings, the plaintext before each word."""

    rows: Ints1d
    starts: Ints1d
    sentences: Bools1d
    before: tuple[str, ...]

    @classmethod
    def of(
        cls,
        documents: Iterable[Ints1d],
        sentences: Iterable[Bools1d] | None = None,
        before: Iterable[Sequence[str]] | None = None,
    ) -> EncodedCorpus:
        """Build a corpus without empty documents and unknown words (-1).

        documents: int64 (length,) each. sentences: bool (length,) each, where sentences begin; by
        default each LONGEST words. before: strings; by default blanks, and full stops.
        """
        rows = [np.asarray(item, dtype=np.int64) for item in documents]
        if sentences is None:
            sentences = [np.arange(len(item)) % MAX_SENTENCE_WORDS == 0 for item in rows]
        begins = list(sentences)
        if before is None:
            marks = [np.where(item, ". ", " ").tolist() for item in begins]
            before = [["" for _ in item[:1]] + item[1:] for item in marks]
        parts = []
        for words, starts, between in zip(rows, begins, before, strict=True):
            is_known = words >= 0
            # A sentence with an unknown first word begins with its first known word.
            sentence = np.diff(np.cumsum(starts)[is_known], prepend=-1) > 0
            if is_known.any():
                parts.append((words[is_known], sentence, compress(between, is_known)))
        if not parts:
            raise fail("the text", "a word or more that the space holds", "none")
        ends = np.cumsum([0, *(len(item) for item, *_ in parts)])
        all_words, cuts = (np.concatenate([part[i] for part in parts]) for i in range(2))
        plaintext = tuple(mark for *_, item in parts for mark in item)
        return cls(all_words, ends.astype(np.int64), cuts, plaintext)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[Ints1d]:
        return iter(np.split(self.rows, self.starts[1:-1]))

    @property
    def doc_of(self) -> Ints1d:
        """The document of each word, int64 (t,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def first(self, words: int) -> EncodedCorpus:
        """Return the first documents with this many words in total."""
        count = int(np.searchsorted(self.starts[1:], words)) + 1
        return self._select(np.arange(len(self)) < count)

    def opening(self, length: int) -> EncodedCorpus:
        """Return the first words of each document."""
        parts = ([array[:length] for array in document] for document in self._documents)
        return EncodedCorpus.of(*zip(*parts, strict=True))

    def halves(self) -> tuple[EncodedCorpus, EncodedCorpus | None]:
        """Return documents 0, 2, ..., and documents 1, 3, ... or None."""
        is_odd = np.arange(len(self)) % 2 == 1
        return self._select(~is_odd), self._select(is_odd) if is_odd.any() else None

    def _select(self, mask: Bools1d) -> EncodedCorpus:
        return EncodedCorpus.of(*zip(*compress(self._documents, mask), strict=True))

    @property
    def _documents(self) -> Iterator[tuple[Ints1d, Bools1d, tuple[str, ...]]]:
        cuts = np.split(self.sentences, self.starts[1:-1])
        marks = (self.before[a:b] for a, b in pairwise(self.starts.tolist()))
        return zip(self, cuts, marks, strict=True)

    def words(self) -> Ints1d:
        """Return the number of each pair of document and word, from 0, int64 (t,)."""
        keys = np.stack([self.doc_of, self.rows])
        return np.asarray(np.unique(keys, axis=1, return_inverse=True)[1].reshape(-1))


def sample_release(
    corpus: EncodedCorpus, mechanism: Mechanism, rng: Rng, *, scope: str = "token"
) -> Draw:
    """Release a corpus as the component does: outputs (t,), and noisy vectors (t, d), if any. Scope
    "type" samples each distinct word of a document once, by itself."""
    if one_of("scope", scope, SCOPES) == "token":
        return sample_in_batches(mechanism, corpus.rows, rng, corpus.sentences)
    _, firsts, draw_of = np.unique(corpus.words(), return_index=True, return_inverse=True)
    draw = sample_in_batches(mechanism, corpus.rows[firsts], rng)
    vectors = None if draw.vectors is None else draw.vectors[draw_of]
    return Draw(draw.rows[draw_of], vectors)


def sample_in_batches(
    mechanism: Mechanism, rows: Ints1d, rng: Rng, starts: Bools1d | None = None
) -> Draw:  # fmt: skip
    """Sample about BATCH_WORDS words at a time; whole sentences for sentence-level mechanisms."""
    if starts is not None and facts_of(mechanism).draws_sentences:
        part_of = (np.flatnonzero(starts) // BATCH_WORDS)[np.cumsum(starts) - 1]
        cuts = np.flatnonzero(np.diff(part_of)) + 1
        sampler: Any = mechanism
        pairs = zip(np.split(rows, cuts), np.split(starts, cuts), strict=True)
        return Draw(np.concatenate([sampler.sample(r, rng, s).rows for r, s in pairs]))
    parts = blocks(max(1, len(rows)), BATCH_WORDS)
    draws = [mechanism.sample(rows[part], rng) for part in parts]
    vectors: list[Floats2d] = [draw.vectors for draw in draws if draw.vectors is not None]
    return Draw(
        np.concatenate([draw.rows for draw in draws]), np.concatenate(vectors) if vectors else None
    )


def repeat_release(
    corpus: EncodedCorpus, mechanism: Mechanism, at: tuple[Ints1d, Ints1d], times: int, rng: Rng
) -> Draw:  # fmt: skip
    """Release words in place of others, `times` each, within the sentences of a text. at: places
    (p,) and words (p,)."""
    places, words = at
    if not facts_of(mechanism).draws_sentences:
        return sample_in_batches(mechanism, np.repeat(words, times), rng)
    first = np.flatnonzero(corpus.sentences)
    last = np.append(first[1:], len(corpus.rows))
    sentence_of = np.searchsorted(first, places, side="right") - 1
    rows, starts, wanted, total = [], [], [], 0
    for place, word, a, b in zip(places, words, first[sentence_of], last[sentence_of], strict=True):
        sentence = corpus.rows[a:b].copy()
        sentence[place - a] = word
        wanted.append(total + place - a + np.arange(times) * (b - a))
        rows.append(np.tile(sentence, times))
        starts.append(np.tile(np.arange(b - a) == 0, times))
        total += times * (b - a)
    out = sample_in_batches(mechanism, np.concatenate(rows), rng, np.concatenate(starts))
    return Draw(out.rows[np.concatenate(wanted)])


SEED = 1
Interval = tuple[float, float, float]  # a figure, and its 95 % interval


def read_fields(path: Path, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the fields of the rows of a file that have all of them.

    names: first the text field; with dots for nested JSON, or the number of a column, from 1. Raise
    UsageError if no row has them.
    """
    empty = True
    for record in records_of(str(path), "a measurement of fields", FileOptions(field=(names[0],))):
        if isinstance(record, Failed) or not isinstance(record.origin, Row):
            continue
        entry = record.origin.entry
        entry = {**{str(i): value for i, value in enumerate(entry.values(), 1)}, **entry}
        try:
            slots = [find_slots(entry, name)[0] for name in names[1:]]
        except LookupError:
            continue
        values = [record.texts[0], *(holder[place] for holder, place in slots)]
        strings = tuple("" if value is None else str(value) for value in values)
        if all(map(str.strip, strings)):
            empty = False
            yield strings
    if empty:
        raise UsageError(f"{path.name}: no row has all of {', '.join(names)}.")


def encode_values(column: Sequence[str], name: str, *, alone: bool = False) -> Ints1d:
    """Return codes from 0 for the values. Raise UsageError for fewer than two values, or values of
    one text; `alone` permits some of these."""
    counts = Counter(column)
    if len(counts) < 2:
        raise UsageError(f"the field {name!r} must have two values or more.")
    single = sum(number == 1 for number in counts.values())
    if single and not (alone and single < len(counts)):
        raise UsageError(
            f"the field {name!r} must have two texts or more of each value; {single} have one."
        )
    codes = {value: i for i, value in enumerate(sorted(counts))}
    return np.array([codes[value] for value in column])


def sanitizer(config: dict[str, Any], epsilon: float, space: Space) -> tuple[Language, Mechanism]:
    """Return a seeded pipeline and its fitted mechanism. config: of parse_mechanism."""
    nlp = tokenizer()
    # The language is set: texts to measure on may quote other languages.
    settings = {"mechanism": {**config, "epsilon": epsilon}, "seed": SEED, "language": nlp.lang}
    pipe: Any = nlp.add_pipe("dx_sanitizer", config=settings)
    pipe.settings.space = SpaceSource(load=lambda _: space)
    with quiet():
        _ = pipe.terms  # fits it
    return nlp, pipe.settings.mechanism


def linear_model(*, letters: bool = True) -> Any:
    """Return a classifier of texts by TF-IDF of words and word pairs; letters: also of
    characters."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline, make_union
    from sklearn.svm import LinearSVC

    parts = [TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, token_pattern=r"\S+")]
    if letters:
        parts += [TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True)]
    return make_pipeline(make_union(*parts), LinearSVC(random_state=SEED))


def macro_f1(classes: Ints1d, guess: Ints1d) -> Interval:
    """Return the macro F1 of guesses (n,), and its 95 % interval by resampling texts."""
    values = np.union1d(classes, guess)
    k, n = len(values), len(classes)
    cells = np.searchsorted(values, classes) * k + np.searchsorted(values, guess)

    def figure(times: Floats1d) -> float:
        table = np.bincount(cells, weights=times, minlength=k * k).reshape(k, k)
        sums = table.sum(axis=0) + table.sum(axis=1)
        present = sums > 0
        return float((2 * np.diag(table)[present] / sums[present]).mean())

    return figure(np.ones(n)), *bootstrap(n, figure)
