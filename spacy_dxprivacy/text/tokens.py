"""Tokenize in linear time, and free the memory of a vocabulary.

spaCy's tokenizer splits symbols and "'s" off the ends of a run of non-blanks one by one, and reads
the rest each time: 16,000 of them take a minute, so a sender could block a service. Its URL pattern
reads all that follows each colon. So runs with many symbols or colons are cut there beforehand. All
other texts have spaCy's tokens.

At the end of a memory zone its words leave the vocabulary, but the two hash tables (preshed's
PreshMap) only mark their slots as deleted, and double when few are unused. So a process grows by
about 50 bytes for each new word.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from itertools import groupby, pairwise
from operator import add
from typing import Any
from weakref import WeakKeyDictionary, ref

import spacy
import srsly
from spacy.attrs import IDX, LOWER, ORTH
from spacy.language import Language
from spacy.tokens import Doc, Span

from ..errors import DxError, Errors
from .coded import CODE, CODE_SIGNS, CODED, code_in

SPLIT_CHARACTERS = 64  # characters that are split off an end together
MAX_STEPS = 50_000  # symbols at the ends of a run times its length: about 30 ms
CUT_DISTANCE = 256  # least characters between the colons at which a run is cut
MAX_COLON_STEPS = 3_000_000  # colons of a run times its length: about 30 ms

# Quotes of JSON (\\" in a string) and Python, and delimiters of table fields; a comma between two
# digits may be part of a number. A delimiter is first: a search skips all other characters at once.
_FIELDS = re.compile(
    r"[\"';|,](?:(?<=[\w:,;|=[{\\]\")(?=[\w:,;|<>\]}\\])|"
    r"(?<=[:,=[{(]')(?=\w)|(?<=\w')(?=[:,\]})])|"
    r"(?<=[^\W_][;|])(?=[^\W_]|[-+−$£€]\d)|(?<=[^\W\d_],)(?=\d)|(?<=\d,)(?=[^\W\d_])|"
    # beside a field that is empty or a dash, and behind one that ends with a mark
    r"(?<=\w[;|,])(?=[-–—]?[;|,])|(?<=[;|,][;|,])(?=[\w;|,])|(?<=[;|,][-–—][;|,])(?=[\w;|,])|"
    r"(?<=\w[\"”″'’%°)][;|])(?=\w)|(?<=\w\|)|(?<=\|)(?=[\w|])|(?<=\|\|))"
)
# What contains delimiters of its own, and which of them no e-mail address and no fraction contains.
_CELL_COMMA = re.compile(r'"(?:[^"]|"")*"|,')  # or a cell in quotes, whose commas are its own
# The commas of large amounts: behind the sign of a currency, and of any number.
_THOUSANDS = tuple(
    re.compile(rf"(?<![\w.]){sign}\d{{1,3}},(?=\d{{3}}(?!\d))")
    for sign in (r"[^\W\d_]{0,3}[$¢-¥₠-₿] ?", "")
)
MIN_COMMAS = 3  # of a row with other commas in its cells
_VALUE_OF_ROW = re.compile(r"(?:^|[,\"])[-+$£€ ]?\d")
_NO_FIELDS = re.compile(r"[@/]|www")
_ADDRESS = re.compile(r"://|www")
_SURE = "\"'|;"
# Of a row after an address of the web: hardly any address has one before a capital.
_NEXT_FIELD = re.compile(r"[,;|](?=[^\W\d_a-zß-öø-ÿ])")
# A mark at an end of a token ("'s" and the like are tokens). None is left by a tokenizer of spaCy's
# languages; one that only splits at blanks leaves all.
_EDGE = re.compile(
    r"(?:^|\0)(?:[\"“”„«(\[{<‘*>]{1,9}[^\W_]|['’][^\W_]{3})|[^\W_][.'’]?[\"“”»)\]}>,;:!?*]{1,9}(?:\0|$)"
)
_PROBE = "See \"Ab\", (Cd), 'Ef' and Gh."
_PROBED = frozenset({"Ab", "Cd", "Ef", "Gh"})
_ANNOTATED = ("TAG", "POS", "DEP", "LEMMA", "MORPH", "SENT_START")

_LONG = re.compile(r"\S{257,}")
_BEFORE = re.compile(r"(?:[A-Z]{1,3}\$|[^\w\s]|_)*")
_AFTER = re.compile(r"(?:[sS]['\u2019]|[^\w\s]|_)*")  # of the text read backwards


# A carriage return before the end of a line is a blank, and any other one is the end of a line.
_LONE_RETURN = re.compile(r"\r(?!\n)")

_texts: WeakKeyDictionary[Doc, str] = WeakKeyDictionary()
# Doc -> its number of tokens, if none of them is to be split.
_whole: WeakKeyDictionary[Doc, int] = WeakKeyDictionary()


def text_of(doc: Doc) -> str:
    """Return the text of a Doc as rules read it, of the same length: its lines end as `with_lines`
    says. A Doc joins its tokens again at each access to its own text. This one lives as long as the
    Doc: no Doc that has tokens can be given others."""
    text = _texts.get(doc)
    if text is None:
        text = with_lines(doc.text)
        if len(doc):
            _texts[doc] = text
    return text


def with_lines(text: str) -> str:
    """Return a text of the same length in which each line ends with a line feed, whatever system
    wrote it: no rule has to know of the others."""
    return _LONE_RETURN.sub("\n", text).replace("\r", " ") if "\r" in text else text


def with_line_feeds(text: str) -> str:
    """Return a text without carriage returns: each line ends with a line feed alone."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def texts_of(doc: Doc, attribute: int = ORTH) -> list[str]:
    """Return the text of each token, or another attribute of it that is a text. Each word is looked
    up once: a Doc makes its tokens again at each access."""
    words, strings = doc.to_array(attribute).tolist(), doc.vocab.strings
    text = {word: strings[word] for word in set(words)}
    return [text[word] for word in words]


class Tokens:
    """The words of a Doc and its text, looked up once. They do not keep the Doc alive."""

    def __init__(self, doc: Doc) -> None:
        self._doc = ref(doc)
        self.texts, self.lowers = texts_of(doc), texts_of(doc, LOWER)
        self._starts: list[int] = doc.to_array(IDX).tolist()
        self._ends = [*map(add, self._starts, map(len, self.texts))]
        if "\r" in "".join(self.texts):
            self.texts = [*map(with_line_feeds, self.texts)]
            self.lowers = [*map(with_line_feeds, self.lowers)]

    @property
    def doc(self) -> Doc:
        """The document. Raise ReferenceError if it lives no longer."""
        doc = self._doc()
        if doc is None:
            raise ReferenceError
        return doc

    def are_of(self, doc: Doc) -> bool:
        """Return whether a Doc still has these tokens, none of them merged or split."""
        return bool(self._starts == doc.to_array(IDX).tolist())

    @cached_property
    def text(self) -> str:
        """The text of the document."""
        return text_of(self.doc)

    def start_of(self, i: int) -> int:
        """Return where a token begins, in characters."""
        return self._starts[i]

    def between(self, start: int, end: int) -> str:
        """Return the text of the tokens from `start` to `end`; there are none outside of the
        document."""
        start, end = max(start, 0), min(end, len(self.texts))
        if start >= end:
            return ""
        return self.text[self._starts[start] : self._ends[end - 1]]

    def between_with_blank(self, start: int, end: int) -> str:
        """Return the text of the tokens from `start` to `end`, with the blank behind them."""
        start, end = max(start, 0), min(end, len(self.texts))
        last = self._starts[end] if end < len(self.texts) else None
        return self.text[self._starts[start] : last] if start < end else ""


def tokenize(nlp: Language, text: str) -> Doc:
    """Tokenize a text like nlp.make_doc."""
    cuts = cuts_of(text)
    return tokenize_parts(nlp, text, cuts) if cuts else nlp.make_doc(text)


def tokenize_parts(nlp: Language, text: str, cuts: list[int]) -> Doc:
    """Tokenize the parts of a text into one Doc."""
    tokens = [
        (token.text, bool(token.whitespace_))
        for start, end in pairwise([0, *cuts, len(text)])
        for token in nlp.make_doc(text[start:end])
    ]
    return Doc(nlp.vocab, words=[word for word, _ in tokens], spaces=[space for _, space in tokens])


def split_tokens(doc: Doc, nlp: Language, edges: Collection[int] = ()) -> Doc:
    """Return a Doc with separate tokens for the fields of a table or JSON: spaCy's tokenizer does
    not split "Conakry,4100". If the tokenizer of the pipeline leaves marks at words, as one does
    that only splits at blanks, spaCy's own splits its tokens.

    A Doc with annotations other than entities stays as it is. Raises DxError for one whose words
    have marks at their ends, where no rule finds a name.

    edges: Further places at which tokens are split, in characters.
    """
    if not edges and _whole.get(doc) == len(doc):
        return doc
    texts = texts_of(doc)
    has_edges = not _splits_marks(nlp) or _EDGE.search("\0".join(texts)) is not None
    text, levels = text_of(doc), doc.user_data.get(CODED, ())
    may_have = levels or any(sign in text for sign in CODE_SIGNS)
    code = code_in(text, levels) if may_have else []
    if code:
        doc.user_data[CODE] = code  # for outside_code
    places = {*edges, *(place for span in code for place in span)}
    places |= {edge for comma in commas_of_rows(text) for edge in (comma, comma + 1)}
    if not (has_edges or places or _FIELDS.search(text) or _NEXT_FIELD.search(text)):
        _whole[doc] = len(doc)
        return doc
    parts = _split_again(nlp, texts) if has_edges else [[text] for text in texts]
    # spaCy says of a Doc of one token that its sentences are known.
    if doc.spans or any(map(doc.has_annotation, _ANNOTATED[: -1 if len(doc) == 1 else None])):
        if len(texts) != sum(map(len, parts)):
            raise DxError(Errors.DX185)
        return doc
    words: list[str] = []
    spaces: list[bool] = []
    for token, part in zip(doc, parts, strict=True):
        fields = [field for text in part for field in _fields(text)]
        if places:
            fields = [*_cut_at(places, token.idx, fields, nlp)]
        words += fields
        spaces += [False] * (len(fields) - 1) + [bool(token.whitespace_)]
    if len(words) == len(doc):
        _whole[doc] = len(doc)
        return doc
    copy = Doc(doc.vocab, words=words, spaces=spaces, user_data=doc.user_data)
    copy._context = doc._context
    if doc.has_annotation("ENT_IOB"):
        spans = [
            copy.char_span(e.start_char, e.end_char, e.label, e.kb_id, span_id=e.id)
            for e in doc.ents
        ]
        copy.ents = tuple(filter(None, spans))
    return copy


def tokens_in_code(doc: Doc) -> set[int]:
    """Return the tokens of a Doc that are in tags and other code (see text.coded)."""
    code = doc.user_data.get(CODE, ())
    if not code:
        return set()
    starts = [start for start, _ in code]
    last = (bisect_right(starts, token.idx) - 1 for token in doc)
    return {t.i for t, i in zip(doc, last, strict=True) if i >= 0 and t.idx < code[i][1]}


def outside_code(doc: Doc, spans: Iterable[Span]) -> list[Span]:
    """Return the parts of spans that are no code, without marks and white space at their ends."""
    code = tokens_in_code(doc)
    if not code:
        return [*spans]
    parts = list[Span]()
    for span in spans:
        for within, run in groupby(span, key=lambda token: token.i not in code):
            tokens = [*run]
            named = [t.i for t in tokens if within and not (t.is_space or t.is_punct)]
            if len(tokens) == len(span) and within:
                parts.append(span)
            elif named:
                first, last = named[0], named[-1] + 1
                parts.append(Span(doc, first, last, span.label, span_id=span.id))
    return parts


def _cut_at(edges: set[int], start: int, words: list[str], nlp: Language) -> Iterator[str]:
    """Yield words, those with edges within as the words between these. start: of the first word, in
    characters."""
    for word in words:
        cuts = [i for i in range(1, len(word)) if start + i in edges]
        start += len(word)
        if not cuts:
            yield word
            continue
        parts = [word[first:last] for first, last in pairwise([0, *cuts, len(word)])]
        yield from (piece for part in _split_again(nlp, parts) for piece in part)


# Pipeline -> its tokenizer, and whether that splits marks off words.
_probed: WeakKeyDictionary[Language, tuple[Any, bool]] = WeakKeyDictionary()
# Pipeline -> a pipeline with the tokenizer of its language. Its vocabulary is its own, since a
# tokenizer that is made in a memory zone ends with it.
_own: WeakKeyDictionary[Language, Language] = WeakKeyDictionary()


def _splits_marks(nlp: Language) -> bool:
    tokenizer, splits = _probed.get(nlp, (None, False))
    if tokenizer is not nlp.tokenizer:
        splits = _PROBED <= {token.text for token in nlp.tokenizer(_PROBE)}
        _probed[nlp] = nlp.tokenizer, splits
    return splits


def _split_again(nlp: Language, texts: list[str]) -> list[list[str]]:
    """Return the words of each text by the tokenizer of the language."""
    if nlp not in _own:
        _own[nlp] = spacy.blank(str(nlp.lang))
    own = _own[nlp]
    with own.memory_zone():
        split = ([t.text for t in own.make_doc(text)] or [text] for text in texts)
        parts = [
            [text] if text.isspace() else words for text, words in zip(texts, split, strict=True)
        ]
    trim_vocab(own, after=MANY_WORDS)
    return parts


def commas_of_rows(text: str) -> Iterator[int]:
    """Yield the places of the commas between the cells of tables in a text: of rows with as many
    cells as the row of heads above them. No head begins with a digit, as values do, and none has a
    blank before it."""
    if "," not in text or "\n" not in text:
        return
    start, heads = 0, 0
    for line in text.split("\n"):
        cells = commas_of_row(line, heads) if heads else None
        if cells is not None:
            yield from (start + i for i in cells)
        elif not _VALUE_OF_ROW.search(line):
            heads = 0 if ", " in line else len(_commas(line))
        elif "," not in line:
            heads = 0
        start += len(line) + 1


def commas_of_row(line: str, count: int) -> list[int] | None:
    """Return the places of the commas between the cells of a row, or None if there are not `count`.

    Commas in quotes are not counted. Of more than these, neither are the ones with a blank behind
    them, as in a sentence of a cell, and then those of large amounts: $1,140. A row of few cells
    may be a sentence itself, and has none of these.
    """
    commas = _commas(line)
    apart = [i for i in commas if line[i + 1 : i + 2] != " "]
    for form in _THOUSANDS:
        if len(apart) > count:
            amounts = {match.end() - 1 for match in form.finditer(line)}
            apart = [i for i in apart if i not in amounts]
    is_row = len(apart) == count and (len(apart) == len(commas) or count >= MIN_COMMAS)
    return apart if is_row else None


def _commas(line: str) -> list[int]:
    """Return the places of the commas of a line that are in no quotes."""
    return [match.start() for match in _CELL_COMMA.finditer(line) if match[0] == ","]


def _fields(text: str) -> list[str]:
    """Return the fields of a table within a token, and the marks between them."""
    if text.isalnum():
        return [text]
    marks = [match.start() for match in _FIELDS.finditer(text)]
    if _NO_FIELDS.search(text):
        is_address = _ADDRESS.search(text) is not None
        marks = [mark for mark in marks if text[mark] in ("\"'" if is_address else _SURE)]
        if is_address:
            marks = sorted({*marks, *(match.start() for match in _NEXT_FIELD.finditer(text))})
    edges = [0, *(edge for mark in marks for edge in (mark, mark + 1)), len(text)]
    fields = [text[start:end] for start, end in pairwise(edges)]
    if marks:  # what stands between a word and a quote is no part of it
        cut = [(field.rstrip(":\\"), field) for field in fields]
        fields = [part for bare, field in cut for part in (bare, field[len(bare) :]) if part]
    return fields


def cuts_of(text: str) -> list[int]:
    """Return the places to cut a text, never beside a blank; [] for nearly all texts."""
    return [cut for match in _LONG.finditer(text) for cut in _cuts(*match.span(), match.group())]


def _cuts(start: int, end: int, part: str) -> Iterator[int]:
    # Both also match the empty text.
    before, after = (m.end() if m else 0 for m in (_BEFORE.match(part), _AFTER.match(part[::-1])))
    if (before + after) * len(part) <= MAX_STEPS:
        before = after = 0
    core, core_end = start + before, max(end - after, start + before)
    yield from range(start + SPLIT_CHARACTERS, core, SPLIT_CHARACTERS)
    if start < core < end:
        yield core
    colon, last = before, core_end - start
    if part.count(":", colon, last) * (last - colon) > MAX_COLON_STEPS:
        while (colon := part.find(":", colon + CUT_DISTANCE, last)) >= 0:
            yield start + colon
    yield from range(
        core_end if core_end > core else core_end + SPLIT_CHARACTERS, end, SPLIT_CHARACTERS
    )


# New words between trims: the tables have grown by about 4 MB, and a trim takes a few ms.
MANY_WORDS = 2**16


def trim_vocab(nlp: Language, *, after: int = 0) -> bool:
    """Rebuild the hash tables of a pipeline's vocabulary, between memory zones.

    Strings, vectors, lookups and flags stay. Attributes set on a single lexeme
    (`nlp.vocab["word"].is_stop = True`) are lost, as by saving.

    Args:
        nlp: The pipeline; nothing is done inside a memory zone.
        after: Least number of lexemes since the last trim, which also has to be four times the
            number of strings.

    Returns:
        Whether the tables were rebuilt.
    """
    vocab: Any = nlp.vocab
    # The length counts all lexemes ever made, including those of ended zones.
    if vocab.in_memory_zone or (after and len(vocab) < max(after, 4 * len(vocab.strings))):
        return False
    vocab.strings.from_bytes(vocab.strings.to_bytes())
    getters = dict(vocab.lex_attr_getters)
    vocab.from_bytes(srsly.msgpack_dumps({}))  # only drops the lexemes
    vocab.lex_attr_getters = getters  # else each call would wrap the getter of norms again
    return True
