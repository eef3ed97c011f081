"""Requests in the APIs of OpenAI and Anthropic: collect their texts, and replace them.

The lists PROMPT_* of data/formats/lists.txt name the fields of texts, for all APIs. A field that is
neither a text nor a known setting raises.
"""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from itertools import count
from typing import Any

from pydantic_core import from_json

from ..entities.words import is_plain
from ..errors import DxError
from ..io.pieces import word_list
from .conversation import DELIMITER, Line, Prompted, secret
from .issued import ISSUED_WORDS, is_drawn
from .restoring import Rows
from .table import is_common

MIN_IDENTIFYING_DIGITS = 5  # digits from which on a number may identify a person
MAX_COUNT_DIGITS = (
    6  # digits of a number of tokens, which identifies nobody unless a text has it too
)
NOTE = (
    "Names, dates, places, numbers and addresses in this conversation are surrogates of the real "
    "ones, and marks such as [PERSON 1] are names too. Repeat them exactly as they are written."
)
# Returns the text to write in place of a text, given the key that it stands under.
TextMapper = Callable[[str, str], str]
KeyMapper = Callable[[str], str]
NUMBER_FIELDS, CHOICE_FIELDS = word_list("PROMPT_NUMBERS"), word_list("PROMPT_CHOICES")
NAME_FIELDS, TEXT_FIELDS = word_list("PROMPT_NAMES"), word_list("PROMPT_TEXTS")
ISSUED_FIELDS = NAME_FIELDS - {"name"}  # identifiers that a provider draws
PUBLIC_VALUES, PUBLIC_TOOLS = word_list("PROMPT_VALUES"), word_list("PROMPT_TOOLS")
BLOCK_TYPES, MEDIA_TYPES = word_list("PROMPT_TYPES"), word_list("PROMPT_MEDIA")
USER_FIELDS = word_list("PROMPT_USERS")
MODEL_WORDS = word_list("PROMPT_MODELS")
# Types of thoughts of a model, with the field of their signature or encrypted content.
THOUGHT_SIGNATURES = {
    "thinking": "signature",
    "redacted_thinking": "data",
    "reasoning": "encrypted_content",
}
SCHEMA_FIELDS = ("parameters", "schema", "input_schema")
SCHEMA_TYPES, SCHEMA_KEYS = word_list("SCHEMA_TYPES"), word_list("SCHEMA_KEYS")
_NAME = re.compile(r"[\w.:/@+$-]{1,128}", re.ASCII)
_ITEM = re.compile(r"rs_[0-9a-f]{8,64}")
_WORD = re.compile(r"[^\W\d_]{3,}")
_BREAK = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")  # between the words of an identifier
# Between its words and its numbers.
_JOINT = re.compile(rf"{_BREAK.pattern}|(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d)")
_VERSION = re.compile(r"(?:\d-){0,3}20[12]\d-?[01]\d-?[0-3]\d")


class InvalidRequest(DxError):
    """A request is not passed on. The message holds none of its content."""


class InvalidAnswer(DxError):
    """An answer of a model cannot be restored. The message holds none of its content."""


def parse_object(raw: bytes, error: DxError) -> dict[str, Any]:
    """Parse a JSON object. Raise the error for other input: also for NaN and infinite numbers, for
    invalid Unicode, and for deep nesting."""
    with suppress(ValueError):
        value = from_json(raw, allow_inf_nan=False)
        json.dumps(value, allow_nan=False)  # 1e999 is infinite
        if isinstance(value, dict):
            return value
    raise error


class Prompt:
    """A request. The constructor collects its texts, and `replace` replaces them.

    Identifiers of users are dropped, and counted in `dropped`.

    Args:
        body: The JSON of the request.
        public: Names of models and functions to send besides those made of public words.
        images: Whether to send images, audio and files, in plaintext.

    Raises:
        InvalidRequest: For a field that is neither a text nor a known setting.
    """

    def __init__(
        self, body: dict[str, Any], public: Collection[str], *, images: bool = False
    ) -> None:
        kept = {key: item for key, item in body.items() if key not in USER_FIELDS}
        self.dropped = sum(body[key] is not None for key in body.keys() - kept)
        self._body, self._public, self._images = kept, public, images
        self._lines: list[Line] = []  # key and text
        self._names: list[tuple[str, str]] = []  # field and identifier, in plaintext
        self._issued: set[str] = set()  # identifiers that an answer had
        self.functions: set[str] = set()  # names of the functions that it offers
        self._data_keys: dict[str, str] = {}  # new keys of data by original
        self._neutral_keys: dict[str, str] = {}  # original by new key such as key_1
        self._surrogates: Iterator[str] | None = None  # sanitised texts, in `replace`
        self._object(kept)

    @property
    def lines(self) -> list[Line]:
        """The texts, then the identifiers, then the words of identifiers; for recognition."""
        names = dict.fromkeys(
            name
            for field, name in self._names
            if not (
                (field in ISSUED_FIELDS and (name in self._issued or is_drawn(name)))
                or (field.endswith("_tokens") and len(name) <= MAX_COUNT_DIGITS)
            )
        )
        readings = dict.fromkeys(reading for name in names for reading in _readings(name))
        return [*self._lines, *(("word: ", reading) for reading in readings)]

    def allow(self, is_issued: Callable[[str], bool]) -> None:
        """Let identifiers pass unread that an answer of the conversation had."""
        self._issued = {name for field, name in self._names if field in ISSUED_FIELDS}
        self._issued = set(filter(is_issued, self._issued))

    @property
    def conversation(self) -> str:
        """The beginning of the conversation: the first message of its user, as JSON."""
        turns = self._body.get("messages", self._body.get("input"))
        if isinstance(turns, list):
            asked = (
                turn for turn in turns if isinstance(turn, dict) and turn.get("role") == "user"
            )
            turns = next(asked, {"content": turns[:1]}).get("content")
        return json.dumps(_drop_caching(turns), sort_keys=True)

    @property
    def streams(self) -> bool:
        """Whether the answer is to be streamed."""
        return bool(self._body.get("stream"))

    @property
    def wants_json(self) -> bool:
        """Whether the request asks for an answer in JSON."""
        form: Any = self._body.get("response_format") or self._body.get("text")
        form = form.get("format", form) if isinstance(form, dict) else {}
        return isinstance(form, dict) and str(form.get("type")).startswith("json")

    def replace(self, prompted: Prompted) -> tuple[dict[str, Any], Rows]:
        """Return the request with sanitised texts, and the rows that restore its answer.

        Raises:
            InvalidRequest: If an identifier has a name or number from the texts.
        """
        n_texts, texts, rows = len(self._lines), prompted.texts, prompted.rows
        for (_, original), surrogate in zip(self.lines[n_texts:], texts[n_texts:], strict=True):
            if original != surrogate:
                named = (field for field, name in self._names if original in _readings(name))
                raise _names_somebody(next(named))
        self._check_names([row[0].casefold() for row in rows.values()])
        self._surrogates, self._data_keys = iter(texts[:n_texts]), {}
        body = self._object(self._body)
        return body, {**rows, **{k: (old, [k], False) for k, old in self._neutral_keys.items()}}

    def _check_names(self, originals: list[str]) -> None:
        """Raise InvalidRequest if an identifier has a name or a number of an original."""
        words = {word for text in originals for word in _WORD.findall(text)}
        numbers = {
            number for text in originals if len(number := _digits(text)) >= MIN_IDENTIFYING_DIGITS
        }
        for field, name in self._names:
            if name in self._issued and field in ISSUED_FIELDS:
                continue
            if field in ISSUED_FIELDS and not (is_drawn(name) or _is_of_plain_words(name)):
                raise _names_somebody(field)
            shared = words.intersection(_WORD.findall(name.casefold()))
            digits = _digits(name)
            if not all(map(is_common, shared)) or any(number in digits for number in numbers):
                raise _names_somebody(field)

    # -- values: both passes visit them in the same order ------------------------------------------

    def _object(self, value: dict[str, Any]) -> dict[str, Any]:
        kind = value.get("type")
        from_tool = value.get("role") in ("tool", "function") or kind == "tool_result"
        if "role" in value and "name" in value and not from_tool:
            raise InvalidRequest("'name': names of the authors of messages are not passed on.")
        if isinstance(kind, str) and kind in MEDIA_TYPES:
            if self._images:
                return value
            raise InvalidRequest(
                "'type': images, audio and files are rejected; `images` allows them."
            )
        result = "content" if from_tool else "output"  # results of functions are often JSON
        return {
            key: self._json(item)
            if key == result and isinstance(item, str)
            else self._value(key, item)
            for key, item in value.items()
        }

    def _value(self, key: str, value: Any) -> Any:
        if value is None or value in ([], {}):
            return value
        if self._is_setting(key, value):
            return value
        if key == "type":
            raise InvalidRequest("'type': only texts, functions and their results are passed on.")
        if key in SCHEMA_FIELDS and isinstance(value, dict):
            return map_json(value, self._text, self._parameter)
        if key == "arguments" and isinstance(value, str):
            return self._json(value)
        if key == "arguments" or (key == "input" and isinstance(value, dict)):
            return self._data(value)
        if key in TEXT_FIELDS and key not in CHOICE_FIELDS and isinstance(value, str):
            return self._text(value)
        if key in TEXT_FIELDS and isinstance(value, list):
            return [item for item in (self._item(key, item) for item in value) if item is not None]
        if key in TEXT_FIELDS and isinstance(value, dict):
            return self._object(value)
        name = repr(key) if _NAME.fullmatch(key) else "a field"
        raise InvalidRequest(f"{name} is not passed on: the proxy does not know what it may hold.")

    def _item(self, key: str, value: Any) -> Any:
        """Return an item of a list; None for a thought of a model whose seal is invalid."""
        if isinstance(value, dict) and value.get("type") in THOUGHT_SIGNATURES:
            block = unseal(value)
            if block and "id" in block:
                self._name("id", block["id"])
            return block
        if isinstance(value, dict):  # an item of `input` is no input of a function
            return self._object(value)
        return self._value(key, value)

    def _is_setting(self, key: str, value: Any) -> bool:
        """Return whether a field is a known setting with a valid value."""
        if key in NUMBER_FIELDS and isinstance(value, bool | int | float):
            if sum(map(str.isdigit, json.dumps(value))) >= MIN_IDENTIFYING_DIGITS:
                self._names.append((key, json.dumps(value)))
            return True
        if key in CHOICE_FIELDS:
            values = value if isinstance(value, list) else [value]
            return all(
                isinstance(item, str) and item in PUBLIC_VALUES | BLOCK_TYPES for item in values
            )
        if key == "model" and isinstance(value, str):
            if not is_model(value, self._public):
                raise InvalidRequest(
                    "'model': the proxy does not know this name; add it to `models`."
                )
            return True
        if key in NAME_FIELDS and isinstance(value, str) and _NAME.fullmatch(value):
            self._name(key, value)
            return True
        return False

    def _json(self, text: str) -> str:
        """Return a string of JSON with its texts replaced. Other strings are replaced as texts."""
        try:
            value = from_json(text)
        except ValueError:
            return self._text(text)
        return json.dumps(self._data(value), ensure_ascii=False)

    def _data(self, value: Any) -> Any:
        return map_json(value, self._text, self._data_key)

    def _text(self, text: str, key: str = "") -> str:
        if not text.strip() or text in SCHEMA_TYPES:
            return text
        if self._surrogates is not None:
            return next(self._surrogates)
        head = f"{key}: " if key else ""
        self._lines.append((head.replace(DELIMITER, " "), text.replace(DELIMITER, " ")))
        return text

    def _data_key(self, text: str) -> str:
        """Return the new key for a key of data, which is recognised as a text and word by word."""
        if text in self._data_keys or not text.strip():
            return self._data_keys.get(text, text)
        spelled = _split_words(text)
        key, words = self._text(text), self._text(spelled) if spelled != text else spelled
        if key == text and words != spelled:
            taken = self._neutral_keys.keys() | self._data_keys
            key = next(key for i in count(1) if (key := f"key_{i}") not in taken)
            self._neutral_keys[key] = text
        self._data_keys[text] = key
        return key

    def _parameter(self, text: str) -> str:
        """Return a key of a schema, noted to be checked: functions need it in plaintext."""
        if text not in SCHEMA_KEYS:
            if not _NAME.fullmatch(text):
                raise InvalidRequest("a schema has a key that is no name.")
            self._name("parameters", text)
        return text

    def _name(self, key: str, name: str) -> None:
        """Note an identifier for checks, unless it is public."""
        if key == "name":
            self.functions.add(name)
        if name not in PUBLIC_TOOLS and name not in self._public:
            self._names.append((key, name))


def _drop_caching(value: Any) -> Any:
    """Return a value without cache_control, which moves from turn to turn."""
    if isinstance(value, dict):
        return {key: _drop_caching(item) for key, item in value.items() if key != "cache_control"}
    return [_drop_caching(item) for item in value] if isinstance(value, list) else value


def add_note(body: dict[str, Any], field: str) -> dict[str, Any]:
    """Return a request with the note on surrogates prepended to this field."""
    value = body.get(field)
    if field == "messages":
        return {**body, field: [{"role": "system", "content": NOTE}, *(value or ())]}
    if isinstance(value, list):
        return {**body, field: [{"type": "text", "text": NOTE}, *value]}
    return {**body, field: f"{NOTE}\n\n{value}" if value else NOTE}


# -- thoughts of a model: they are sent back as they came, proved by a seal of this process --------


def seal(value: str, thought: str = "") -> str:
    """Return a signature with a seal, which covers the thought and the signature."""
    return f"{value}.{_seal_of(thought, value)}" if value else value


def unseal(block: dict[str, Any]) -> dict[str, Any] | None:
    """Return a block as the upstream sent it, or None if its seal is invalid."""
    key, kept = THOUGHT_SIGNATURES[block["type"]], {"type": block["type"]}
    if "id" in block:  # OpenAI, which does not need the summary
        kept |= {"id": block["id"] if _ITEM.fullmatch(str(block["id"])) else "", "summary": []}
        if not kept["id"] or not block.get(key):
            return kept if kept["id"] else None
    if "thinking" in block:
        kept["thinking"] = block["thinking"]
    value, _, seal = str(block.get(key)).rpartition(".")
    expected = _seal_of(str(kept.get("thinking") or ""), value)
    return kept | {key: value} if hmac.compare_digest(seal.encode(), expected.encode()) else None


def _seal_of(thought: str, value: str) -> str:
    framed = f"{len(thought)} {thought}{value}".encode("utf8", "surrogatepass")
    return hmac.digest(secret(), b"dx thought" + framed, "sha256").hex()


def map_json(value: Any, mapper: TextMapper, key_mapper: KeyMapper, key: str = "") -> Any:
    """Map the texts, the keys and the numbers of MIN_IDENTIFYING_DIGITS or more of a JSON value."""
    if isinstance(value, dict):
        mapping = dict[str, Any]()
        for old, item in value.items():
            name, item = key_mapper(old), map_json(item, mapper, key_mapper, old)
            while name in mapping:  # two keys got the same surrogate
                name += "_"
            mapping[name] = item
        return mapping
    if isinstance(value, list):
        return [map_json(item, mapper, key_mapper, key) for item in value]
    if isinstance(value, str):
        return mapper(value, key)
    number = json.dumps(value)
    if sum(map(str.isdigit, number)) < MIN_IDENTIFYING_DIGITS:
        return value
    text = mapper(number, key)
    try:
        return value if text == number else type(value)(text)
    except ValueError:
        return text


def is_model(name: str, models: Collection[str]) -> bool:
    """Return whether this is a name of a model that consists of public words and versions, or is
    one of `models`."""
    words = set(_WORD.findall(name.lower())) - MODEL_WORDS
    versions = all(map(_is_version, re.findall(r"[\d-]+", name)))
    is_public = all(map(is_plain, words)) and versions and _NAME.fullmatch(name)
    return name in models or bool(is_public)


def _is_version(text: str) -> bool:
    """Return whether digits in a model's name are a version number or a release date."""
    bare = text.strip("-")
    short = len(_digits(bare)) < 7 and all(
        len(number) < MIN_IDENTIFYING_DIGITS for number in bare.split("-")
    )
    return short or _VERSION.fullmatch(bare) is not None


def _names_somebody(field: str) -> InvalidRequest:
    return InvalidRequest(f"{field!r} has a name or number that may identify a person.")


def _split_words(name: str) -> str:
    return " ".join(_BREAK.sub(" ", name).split())


def _readings(name: str) -> list[str]:
    """Return what to recognise of an identifier: its words and numbers apart. As it is written
    (m.lopez@a.example), it is read if no letter touches a digit, since all codes do."""
    apart = " ".join(_JOINT.sub(" ", name).split())
    is_code = re.search(r"\d[^\W\d_]|[^\W\d_]\d", name)
    return [apart] if is_code else [name, apart]


def _is_of_plain_words(name: str) -> bool:
    """Return whether the words of four letters or more of an identifier are public."""
    words = [word.lower() for word in _JOINT.sub(" ", name).split() if len(word) > 3]
    return all(word.isdigit() or word in ISSUED_WORDS or is_plain(word) for word in words)


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))
