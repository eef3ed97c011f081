"""A release written anew by a causal model that answers requests (dx.Rewrite.v1).

    text -> its lines, or sentences of long ones -> the model's likeliest answer to each -> text

Privacy  post-processing of what was released: it costs nothing, and hides nothing. The model sees
         the release and a public prompt
Stays    stand-ins, numbers and [REDACTED]: an answer in which one is missing, or that has another
         number, is refused, and so is one that is empty, repeats the request, does not end, or has
         a word that never comes out. The passage then stays as it was released
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from ..arrays import Bools1d, Ints1d
from ..errors import DxError, Warnings, warn_always
from ..language.answers import answers
from ..language.beam import check_prompt
from ..language.model import LanguageModel
from ..language.opened import open_model
from ..registries import registry
from ..space import Space
from ..ty import Mechanism
from .passages import Passage, Released, joined, passages

REQUEST = (
    "Correct the grammar and wording of this text so that it reads naturally. Keep every name and "
    "number as it is."
)
MOST_TOKENS = 64  # of a passage
ROOM = 16  # tokens more than one and a half times the passage, that an answer may have
ECHO = 4  # words in a row of the request
_WORDS = re.compile(r"\w+"), re.compile(r"\w+(?:[-'\u2019]\w+)+")

EMPTY, ECHOED, ENDLESS = "no answer", "the request repeated", "an answer without end"
LOST = "a name or a number lost or changed"
NEVER = "a word that never comes out"


@registry.dx_editors("dx.Rewrite.v1")
def make_rewrite(model: str, prompt: str = "") -> Rewrite:
    """model: a causal language model that was taught to answer requests: a folder, a .gguf file, a
    name, or a package that holds one (see language.opened). prompt: public words on the kind of
    text, such as "Clinical note of a patient's visit."
    """
    return Rewrite(model, prompt)


class Rewrite:
    """See make_rewrite. The model is loaded by fit."""

    name = "dx.Rewrite.v1"

    def __init__(self, model: str, prompt: str) -> None:
        self.model, self.prompt = model, prompt
        self._allowed: Callable[[str], bool] | None = None

    @property
    def about(self) -> dict[str, str]:
        """What a saved pipeline says of it. Raises DxError as open_model does."""
        digest = open_model(self.model).digest
        return {"editor": self.name, "model": self.model, "digest": digest, "prompt": self.prompt}

    def fit(self, space: Space, mechanism: Mechanism) -> Rewrite:
        """Neither is used. Raises DxError for a model or a prompt that cannot be."""
        model = open_model(self.model)
        check_prompt(model, len(self._asked(model, "")))
        return self

    def avoid(self, allowed: Callable[[str], bool]) -> None:
        """An answer with another word is refused, unless its passage had it. allowed: see
        ty.Avoids."""
        self._allowed = allowed

    def edit(
        self,
        rows: Ints1d,
        mechanism: Mechanism,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
        between: list[str] | None = None,
    ) -> Ints1d:
        """rows: int64 (k,), as they are: words without their text are not written anew."""
        return rows

    def rewrite(
        self, texts: Sequence[Released], on_text: Callable[[], object] = lambda: None
    ) -> list[str]:
        """The texts, written anew; what the model fails on stays, and a warning counts it. on_text:
        called once a passage."""
        model = open_model(self.model)
        most = self._most_tokens(model)
        cut = [passages(text, lambda t: len(model.encode([t])[0]) <= most) for text in texts]
        asked = [one for some in cut for one in some if one.is_asked]
        try:
            found = iter(self._answered(model, asked, on_text))
        except DxError as error:
            told = Warnings.DX159.format(editor=self.name, texts=len(texts), why=error)
            warn_always(told, stacklevel=3)
            return [text.text for text in texts]
        pairs = [[(one, next(found)) for one in some if one.is_asked] for some in cut]
        return [joined(text.text, new) for text, new in zip(texts, pairs, strict=True)]

    def _answered(
        self, model: LanguageModel, asked: list[Passage], on_text: Callable[[], object]
    ) -> list[str]:
        requests = [self._asked(model, one.text) for one in asked]
        most = [len(tokens) * 3 // 2 + ROOM for tokens in model.encode([o.text for o in asked])]
        new, refused = [], Counter[str]()
        for one, answer in zip(asked, answers(model, requests, most, on_text), strict=True):
            text = None if answer is None else cleaned(answer, one.text)
            why = ENDLESS if text is None else self._refused(one, text)
            refused.update([why] if why else [])
            new.append(one.text if why or text is None else text)
        if refused:
            _warn(self.name, len(asked), refused)
        return new

    def _asked(self, model: LanguageModel, text: str) -> list[int]:
        return model.asked("\n\n".join([self._request, text]))

    @property
    def _request(self) -> str:
        return f"{REQUEST} {self.prompt}".strip()

    def _most_tokens(self, model: LanguageModel) -> int:
        """Of a passage: request, passage and answer have room in the window."""
        room = model.window - len(self._asked(model, "")) - ROOM
        return max(1, min(MOST_TOKENS, room * 2 // 5))

    def _refused(self, passage: Passage, answer: str) -> str:
        """Why an answer is not taken; "" for one that is."""
        if not answer:
            return EMPTY
        if runs(answer) & (runs(REQUEST) | runs(self.prompt)) - runs(passage.text):
            return ECHOED
        if not passage.keeps(answer):
            return LOST
        allowed = self._allowed or bool
        new = spoken(answer) - spoken(passage.text)
        return "" if all(allowed(word) for word in new) else NEVER


def spoken(text: str) -> set[str]:
    """The words of a text, in small letters: whole ("half-hour") and in their parts."""
    return {word for pattern in _WORDS for word in pattern.findall(text.lower())}


def runs(text: str) -> set[tuple[str, ...]]:
    """All runs of ECHO words; of fewer words, all of them."""
    words = text.lower().split()
    some = range(max(1, len(words) - ECHO + 1)) if words else range(0)
    return {tuple(words[i : i + ECHO]) for i in some}


def cleaned(answer: str, passage: str) -> str:
    """An answer on one line, without "Here is the text:" before it and marks round it."""
    lines = [line.strip() for line in answer.strip().splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].endswith(":") and "\n" not in passage:
        lines = lines[1:]
    text = " ".join(lines)
    if text[:1] == text[-1:] == '"' and not passage.startswith('"'):
        text = text[1:-1].strip()
    return text


def _warn(editor: str, passages: int, refused: Counter[str]) -> None:
    why = ", ".join(f"{what} ({count})" for what, count in refused.items())
    told = Warnings.DX160.format(editor=editor, kept=refused.total(), passages=passages, why=why)
    warn_always(told, stacklevel=5)
