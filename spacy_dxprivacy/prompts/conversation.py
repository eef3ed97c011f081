"""Conversations with a model: texts are sent with surrogates, answers get the originals back.

A conversation is one document. Its surrogates are derived from a secret of the process and its
name. A text that was sent before is sent again unchanged, without a new recognition. For that, sent
texts are held for an hour by the keyed digest of their input, with the places of originals in it,
but no original.
"""

from __future__ import annotations

import hmac
import re
import threading
import time
from bisect import bisect_right
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from secrets import token_bytes
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import DxError
from ..io.build import get_sanitizer
from ..io.records import MENTIONS, Record
from ..surrogates.base import Mention, Scope
from ..surrogates.date_shift import evident_order
from ..surrogates.replacements import ORDER, USER, Replacement
from ..text.mentions import Entity, in_ascii, plain_label
from .restoring import Rows, mark_ambiguous, rows_of
from .table import SurrogateTable

DELIMITER = "\x1e"  # delimiter around each text in the document; white space to the tokenizer
ISSUED = "issued"  # in place of the context of a text, in the digests of identifiers
DIGEST_CHARACTERS = 100  # about the memory of a digest
MAX_HELD_CHARACTERS = 2**26  # held for all conversations
MAX_IDLE_SECONDS = 3600.0  # seconds after its last request until a conversation is forgotten
NOT_SEPARABLE = "the texts of this request could not be separated."
_WORD = re.compile(r"\w{2,}")

Pairs = Sequence[tuple[Mention, str]]  # mentions and their surrogates
Line = tuple[str, str]  # context before a text in the document, and the text
Draw = Callable[[Record], str]  # returns the sanitised text of a record, or raises


@dataclass(frozen=True)
class SentMention:
    """A mention in a text, and the surrogate that was sent. before: start and end of the word
    before it, which may be an original; they are negative in the context of the text."""

    start: int
    end: int
    label: str
    before: tuple[int, int]
    surrogate: str = field(repr=False)


@dataclass(frozen=True)
class Sent:
    """A text as it was sent. places: the mentions in the text before it was sanitised.
    unmentioned: words of known names that are not in a mention of this text."""

    text: str = field(repr=False)
    places: tuple[SentMention, ...] = ()
    unmentioned: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def size(self) -> int:
        """Approximate memory, in characters."""
        return len(self.text) + 100 * (1 + len(self.places))


@dataclass(frozen=True)
class Prompted:
    """Texts to send. rows: what restores their originals. counts: mentions by label."""

    texts: list[str] = field(repr=False)
    rows: Rows = field(repr=False)
    counts: Mapping[str, int]


@dataclass
class Conversation:
    """A conversation. sent: sent texts by digest of the input. counts: next numbers of marks such
    as [PERSON 1], by label. issued: digests of identifiers in its answers. used: time of the last
    request."""

    name: str
    key: bytes = field(repr=False)
    sent: dict[bytes, Sent] = field(default_factory=dict, repr=False)
    counts: dict[str, Iterator[int]] = field(default_factory=dict, repr=False)
    issued: set[bytes] = field(default_factory=set, repr=False)
    size: int = 0
    used: float = 0.0

    def get(self, line: Line) -> Sent | None:
        """Return the text as it was sent before, or None."""
        return self.sent.get(self._digest(line))

    def add(self, line: Line, sent: Sent) -> None:
        """Store how a text is sent."""
        digest = self._digest(line)
        self.size += sent.size - (self.sent[digest].size if digest in self.sent else 0)
        self.sent[digest] = sent

    def issue(self, names: Iterable[str]) -> None:
        """Note identifiers of an answer."""
        digests = {self._digest((ISSUED, name)) for name in names} - self.issued
        self.issued |= digests
        self.size += DIGEST_CHARACTERS * len(digests)

    def has_issued(self, name: str) -> bool:
        """Return whether an answer of this conversation had an identifier."""
        return self._digest((ISSUED, name)) in self.issued

    def _digest(self, line: Line) -> bytes:
        framed = f"{len(line[0])} {line[0]}{line[1]}".encode()
        return hmac.digest(self.key, framed, "sha256")


class Conversations:
    """Conversations by caller and beginning, of which only a keyed digest is held.

    Args:
        characters: Limit on the characters held. The least recently used conversation goes first.
        seconds: Time after its last request until a conversation is forgotten.
    """

    def __init__(
        self, characters: int = MAX_HELD_CHARACTERS, seconds: float = MAX_IDLE_SECONDS
    ) -> None:
        self._characters, self._seconds = characters, seconds
        self._held = OrderedDict[bytes, Conversation]()  # least recently used first
        self._lock = threading.Lock()

    def of(self, caller: str, beginning: str) -> Conversation:
        """Return the conversation of a caller that begins with this text, or a new one.

        Surrogates differ between callers, even if their conversations begin alike.
        """
        framed = f"{len(caller)} {caller}{beginning}".encode("utf8", "surrogatepass")
        key = hmac.digest(secret(), framed, "sha256")
        with self._lock:
            name = hmac.digest(key, b"dx conversation", "sha256").hex()
            conversation = self._held.pop(key, Conversation(name, key))
            conversation.used = time.monotonic()
            if conversation.size > self._characters / 2:  # shared by many that begin with "hello"
                conversation.sent, conversation.issued, conversation.size = {}, set(), 0
            self._held[key] = conversation
            while len(self._held) > 1 and self._is_expired(next(iter(self._held.values()))):
                self._held.popitem(last=False)
            return conversation

    def _is_expired(self, oldest: Conversation) -> bool:
        size = sum(conversation.size for conversation in self._held.values())
        return time.monotonic() - oldest.used > self._seconds or size > self._characters


# Of the process. It is in no environment, which each child process and `/proc` would have.
_secret = token_bytes(32)


def secret() -> bytes:
    """Return the secret of the process, which only its forks and workers share."""
    return _secret


def share_secret(of_parent: bytes) -> None:
    """Use the secret of the process that started this worker, before any conversation begins."""
    global _secret
    _secret = of_parent


class Prompter:
    """Sanitises texts with surrogates that are the same within a conversation, and restorable.

    Args:
        nlp: A pipeline with a sanitizer that has surrogates. One thread at a time may use it.
        policy: Action by label: "mask" replaces mentions with marks such as [PERSON 1], "block"
            raises, "leave" keeps them; mentions of other labels are replaced with surrogates.
    """

    def __init__(self, nlp: Language, policy: Mapping[str, str] | None = None) -> None:
        self._sanitizer = get_sanitizer(nlp)
        self._surrogates = self._sanitizer.settings.surrogates
        self._policy = {plain_label(label): action for label, action in (policy or {}).items()}
        for label, surrogate in self._surrogates.items():
            self._surrogates[label] = _rescope(surrogate)

    def sanitize(
        self, conversation: Conversation, lines: Sequence[Line], data: Mapping[str, Any],
        draw: Draw, reread: Collection[Line] = (),
    ) -> Prompted:  # fmt: skip
        """Return the texts to send, and rows to restore them.

        Args:
            conversation: The conversation. Texts that were sent before are sent again unchanged.
            lines: The texts, in order.
            data: Data of the record to sanitise, see Record.
            draw: Sanitises a record with all new texts.
            reread: Texts to recognise again, although they were sent before.

        Raises:
            DxError: If the sanitised texts cannot be separated.
        """
        before = {
            line: None if line in reread else conversation.get(line)
            for line in dict.fromkeys(lines)
        }
        sent = {line: (line[1], held) for line, held in before.items() if held is not None}
        table = SurrogateTable()
        pairs = self._add_to_table(table, sent)
        fresh = [line for line in before if line not in sent]
        if fresh:
            start, mentions = _known_originals(pairs, fresh)
            document = "".join(
                [start, *(f"{head}{DELIMITER}{text}{DELIMITER}\n\n" for head, text in fresh)]
            )
            dates = [mention for mention, _ in pairs if plain_label(mention.label) == "DATE"]
            order = evident_order(dates)
            data = {**data, USER: conversation.name, MENTIONS: mentions, ORDER: order}
            read, items = "", list[tuple[int, Replacement]]()

            def mark_by_policy(doc: Doc, drawn: list[Replacement]) -> list[Replacement]:
                nonlocal read, items
                drawn, masked = self._apply_policy(drawn)
                drawn = mark_ambiguous(
                    doc, drawn, self._surrogates, table, conversation.counts, masked
                )
                places = ((doc[item.start].idx, item) for item in drawn)
                read, items = doc.text, [(at, item) for at, item in places if item.text is not None]
                return drawn

            self._sanitizer.on_replacements = mark_by_policy
            try:
                drawn = draw(Record(0, [document], data=data)).split(DELIMITER)[1::2]
            finally:
                self._sanitizer.on_replacements = None
            if len(drawn) != len(fresh):
                raise DxError(NOT_SEPARABLE)
            for line, (text, result) in zip(
                fresh, _sent_texts(fresh, read, items, drawn), strict=True
            ):
                sent[line] = text, result
            pairs += self._add_to_table(table, {line: sent[line] for line in fresh})
            names = set[str]().union(*(_names(*result) for result in sent.values()))
            for line in fresh:
                text, result = sent[line]
                if text == line[1]:
                    unmentioned = frozenset(names & _plain_words(text, result))
                    conversation.add(line, replace(result, unmentioned=unmentioned))
        if outdated := _outdated(before, sent):
            return self.sanitize(conversation, lines, data, draw, {*reread, *outdated})
        rows = rows_of(pairs, self._surrogates, table)
        counts = Counter(plain_label(mention.label) for mention, _ in pairs)
        return Prompted([sent[line][1].text for line in lines], rows, counts)

    def _add_to_table(
        self, table: SurrogateTable, sent: Mapping[Line, tuple[str, Sent]]
    ) -> list[tuple[Mention, str]]:
        """Add texts to a table. Return their mentions and surrogates."""
        pairs = list[tuple[Mention, str]]()
        for (head, _), (text, result) in sent.items():
            for part in _plain_parts(text, result):
                table.add_plain(part)
            read = head + text
            for p in result.places:
                before = read[len(head) + p.before[0] : len(head) + p.before[1]]
                pairs.append((Mention(text[p.start : p.end], p.label, before), p.surrogate))
        table.add_mentions(pairs, self._surrogates)
        return pairs

    def _apply_policy(self, drawn: list[Replacement]) -> tuple[list[Replacement], set[str]]:
        """Return the replacements after the policy, and the labels to mask."""
        actions = [self._policy.get(plain_label(item.mention.label), "replace") for item in drawn]
        if "block" in actions:
            label = plain_label(drawn[actions.index("block")].mention.label)
            raise DxError(f"a text has a mention of {label}, which the policy blocks.")
        drawn = [
            replace(item, text=None, way="kept") if action == "leave" else item
            for item, action in zip(drawn, actions, strict=True)
        ]
        return drawn, {label for label, action in self._policy.items() if action == "mask"}


def _outdated(
    before: Mapping[Line, Sent | None], sent: Mapping[Line, tuple[str, Sent]]
) -> set[Line]:
    """Return the texts sent before that have a name in plaintext which an earlier text of this
    request reveals: another conversation that begins alike sent them without that text."""
    names, outdated = set[str](), set[Line]()
    for line, held in before.items():
        if held is not None and names & _plain_words(*sent[line]) - held.unmentioned:
            outdated.add(line)
        names |= _names(*sent[line])
    return outdated


def _names(text: str, sent: Sent) -> set[str]:
    """Return the words of the persons that a text mentions, casefolded."""
    persons = (text[p.start : p.end] for p in sent.places if plain_label(p.label) == "PERSON")
    return {word for name in persons for word in _WORD.findall(name.casefold())}


def _plain_words(text: str, sent: Sent) -> set[str]:
    """Return the words of a text outside of mentions, casefolded."""
    return {word for part in _plain_parts(text, sent) for word in _WORD.findall(part.casefold())}


def _plain_parts(text: str, sent: Sent) -> list[str]:
    starts = [0, *(place.end for place in sent.places)]
    ends = [*(place.start for place in sent.places), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def _sent_texts(
    lines: Sequence[Line],
    document: str,
    items: Sequence[tuple[int, Replacement]],
    drawn: Sequence[str],
) -> Iterator[tuple[str, Sent]]:
    """Yield each text of a document, and how it is sent. items: replacements by their place."""
    marks = [place for place, sign in enumerate(document) if sign == DELIMITER]
    texts = document.split(DELIMITER)[1::2]
    places: list[list[SentMention]] = [[] for _ in drawn]
    for start, item in items:
        number = bisect_right(marks, start) - 1
        if number >= 0 and number % 2 == 0:
            mention, first = item.mention, start - marks[number] - 1
            head, text = lines[number // 2][0], texts[number // 2]
            before = _place_before(mention.before, head, text[:first])
            end = first + len(mention.text)
            places[number // 2].append(
                SentMention(first, end, mention.label, before, str(item.text))
            )
    for read, text, mentions in zip(texts, drawn, places, strict=True):
        yield read, Sent(text, tuple(mentions))


def _place_before(word: str, head: str, text: str) -> tuple[int, int]:
    """Return start and end of the word before a mention, from the start of its text.

    Args:
        word: The word.
        head: The context before the text.
        text: The text up to the mention.
    """
    read = f"{head}{text}".rstrip()
    end = len(read) - len(head)
    return (end - len(word), end) if word and read.endswith(word) else (0, 0)


def _known_originals(pairs: Pairs, fresh: Sequence[Line]) -> tuple[str, list[Entity]]:
    """Return earlier originals that new texts may mention, as lines of text, and their mentions, in
    characters: a recogniser then reads the conversation as one document. Dates are recognised by
    their form."""
    folded = "\n".join(text for _, text in fresh).casefold()
    words_before = {(mention.text, mention.label): mention.before for mention, _ in pairs}
    start, mentions = "", list[Entity]()
    for (text, label), before in words_before.items():
        if _may_occur(text.casefold(), plain_label(label), folded):
            start += f"{before} " if before.isalpha() or before.endswith(".") else ""
            mentions.append(Entity(label, len(start), len(start) + len(text)))
            start += f"{text}\n\n"
    return start, mentions


def _may_occur(original: str, label: str, text: str) -> bool:
    """Return whether a text may mention an original, or a part of a person's name; casefolded."""
    if label != "PERSON":
        return label != "DATE" and original in text
    parts = _WORD.findall(original)
    return any(spelled in text for part in parts for spelled in (part, *in_ascii(part)))


def _rescope(surrogate: Any) -> Any:
    """Return a surrogate of scope "document" with that of a conversation, keyed by the secret."""
    scope = getattr(surrogate, "scope", None)
    if not isinstance(scope, Scope) or scope.reach != "document":
        return surrogate
    shift = {"moves": "corpus"} if hasattr(surrogate, "moves") else {}
    return replace(surrogate, scope=Scope("corpus", secret()), **shift)
