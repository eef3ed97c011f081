"""Causal language models of attackers and judges: loading, and beam search.

    w = argmax product of P(w_i | w_1..w_(i-1)) exp(logs_i(w_i))
    P(word) = P(first token) times the share of the word, by public frequency, among words with this
    first token; mixed with known frequencies.

Texts are searched in parallel. Each lane reads one token a step, so that no text waits for the long
words of another. At the end, each place gets the word with the largest weight in the beam.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d
from ..errors import DxError, Errors
from ..files.limits import regular
from ..prior.builtin import frequency_of
from ..space import Space

if TYPE_CHECKING:  # torch is imported when a model is opened
    from .transformer import CausalLanes, CausalModel

GGUF = ".gguf"
DEVICE = "DX_LM_DEVICE"  # "cpu" (if unset), "cuda", "cuda:1", "mps"
WAIT = -1  # in place of a token for a lane that waits
NO_TOKEN = -1
MAX_PARALLEL = 64  # texts

# Models that are made in Python, such as other runtimes and test models, by name.
OPENERS: dict[str, Callable[[], CausalModel]] = {}


# -- loading ---------------------------------------------------------------------------------------


def open_model(name: str) -> CausalModel:
    """Load a model, once a process, without network access.

    Args:
        name: A Hugging Face folder, a .gguf file, a downloaded model (`hf download NAME`), or an
            installed package with one .gguf file.

    Raises:
        DxError: For a missing, damaged or non-causal model, and without the extra lm.
    """
    if name in OPENERS:
        return OPENERS[name]()
    path = _path_of(name)
    needed = ["torch", "transformers"]
    if path is not None and path.suffix.lower() == GGUF:
        needed += ["gguf", "accelerate"]
    missing = [package for package in needed if find_spec(package) is None]
    if missing:
        raise DxError(Errors.DX154.format(missing=", ".join(missing)))
    return _loaded(name, path, os.environ.get(DEVICE, "cpu"))


def _path_of(name: str) -> Path | None:
    """Return the folder or file; None for the name of a downloaded model."""
    path = Path(name).expanduser()
    if not path.exists() and path.suffix.lower() != GGUF:
        packaged = _packaged(name)
        if packaged is None and name.count("/") == 1 and not name.startswith((".", "/", "~")):
            return None
        path = packaged or path
    if not (path / "config.json").is_file() and not _is_gguf(path):
        expected = "a folder with config.json, a GGUF file, or a package that holds one such file"
        raise _unusable(name, f"expected {expected}")
    return path


def _is_gguf(path: Path) -> bool:
    if path.suffix.lower() != GGUF or not path.exists():
        return False
    with regular(path).open("rb") as file:
        return file.read(4) == b"GGUF"


def _packaged(name: str) -> Path | None:
    package = name.replace("-", "_")
    spec = find_spec(package) if package.isidentifier() else None
    folders = map(Path, (spec and spec.submodule_search_locations) or ())
    files = [file for folder in folders for file in folder.glob("*" + GGUF)]
    return files[0] if len(files) == 1 else None


@lru_cache(maxsize=2)
def _loaded(name: str, path: Path | None, device: str) -> CausalModel:
    if "transformers" not in sys.modules:  # it reads this variable once
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    logging: Any = import_module("transformers.utils.logging")
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with redirect_stderr(StringIO()):  # progress bars
            return _load(name, path, device)
    except DxError:
        raise
    except Exception as error:
        why = "it is missing, damaged, too large, or of a kind that is no causal model"
        raise _unusable(name, f"{why} ({type(error).__name__})") from None


def _load(name: str, path: Path | None, device: str) -> CausalModel:
    from .transformer import CausalModel, is_causal

    torch, transformers = import_module("torch"), import_module("transformers")
    try:
        torch.zeros(1, device=device)
    except Exception:
        raise DxError(Errors.DX155.format(device=device, name=DEVICE)) from None
    source, options = name if path is None else str(path), dict[str, str]()
    if path is not None and path.is_file():
        source, options = str(path.parent), {"gguf_file": path.name}
    tokenizer = transformers.AutoTokenizer.from_pretrained(source, local_files_only=True, **options)
    network: Any = transformers.AutoModelForCausalLM.from_pretrained(
        source, local_files_only=True, dtype=torch.float32, **options
    )
    if len(tokenizer) > network.get_input_embeddings().weight.shape[0]:
        raise _unusable(name, "its tokenizer has more tokens than its network")
    if not is_causal(network.eval().to(device)):
        raise _unusable(name, "it is a masked language model, not a causal one")
    return CausalModel(name, network, tokenizer)


def _unusable(name: str, why: str) -> DxError:
    return DxError(Errors.DX153.format(given=name, why=why))


# -- the words of a space as tokens ----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class WordTokens:
    """The n words of a space. first: int64 (n,), the first token of each after a blank, or
    NO_TOKEN. within: float64 (n,), log share of the word among those with this token."""

    model: CausalModel
    words: Sequence[str]
    first: Ints1d
    within: Floats1d
    _forms: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def tokens(self, row: int, *, blank: bool, capital: bool) -> tuple[int, ...]:
        """Return the tokens of a word, after a blank or not, with a capital or not."""
        word = self.words[row]
        text = (" " if blank else "") + (word[:1].upper() + word[1:] if capital else word)
        if text not in self._forms:
            self._forms[text] = tuple(self.model.encode([text])[0])
        return self._forms[text]

    def first_of(self, rows: Ints1d, *, blank: bool, capital: bool) -> Ints1d:
        """Return the first token of each word (m,), or NO_TOKEN."""
        if blank and not capital:
            return np.asarray(self.first[rows])
        forms = (self.tokens(row, blank=blank, capital=capital) for row in rows.tolist())
        return np.array([form[0] if form else NO_TOKEN for form in forms], dtype=np.int64)


@lru_cache(maxsize=2)
def word_tokens(model: CausalModel, space: Space) -> WordTokens:
    """Return the tokens of all words of a space; takes a second for 60,000 words."""
    encoded = model.encode([" " + word for word in space.words])
    first = np.array([tokens[0] if tokens else NO_TOKEN for tokens in encoded], dtype=np.int64)
    frequency = frequency_of(space).astype(np.float64) + 1e-9
    within = np.log(frequency / np.bincount(first + 1, frequency)[first + 1])
    return WordTokens(model, space.words, first, within)


# -- beam search -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class TextToFill:
    """A text with k words to fill in. before: the plaintext before each. capital: bool (k,), words
    with a capital. words: int64 (k, m), candidates; logs: float64 (k, m), their emission logs."""

    before: Sequence[str]
    capital: Bools1d
    words: Ints2d
    logs: Floats2d

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True, eq=False)
class BeamSearch:
    """Settings of a search. frequencies: float64 (n,), mixed in with weight `share`. prompt: public
    text of the domain."""

    words: WordTokens
    frequencies: Floats1d
    share: float
    prompt: str = ""
    beam: int = 4

    def fill(self, sheets: Sequence[TextToFill]) -> list[Ints1d]:
        """Return the words of each text, int64 (k,). Raise DxError for too long a prompt."""
        model = self.words.model
        prompt = model.encode([self.prompt + "\n\n"])[0] if self.prompt else []
        limit = model.window // 2
        if len(prompt) > limit:
            raise DxError(Errors.DX151.format(tokens=len(prompt), most=limit))
        filled = [np.zeros(0, dtype=np.int64) for _ in sheets]
        for group in self._groups([len(sheet) for sheet in sheets], len(prompt)):
            texts = [_FilledText(sheets[number], self) for number in group]
            self._fill_in_parallel(texts, prompt)
            for number, text in zip(group, texts, strict=True):
                filled[number] = text.best()
        return filled

    def _groups(self, lengths: Sequence[int], prompt: int) -> Iterator[list[int]]:
        """Yield indices of texts that fit into memory together."""
        group: list[int] = []
        for number in np.argsort(lengths, kind="stable").tolist():
            room = self.words.model.fits(prompt + 2 * lengths[number]) // self.beam
            if group and len(group) >= min(MAX_PARALLEL, max(1, room)):
                yield group
                group = []
            if lengths[number]:
                group.append(number)
        if group:
            yield group

    def _fill_in_parallel(self, texts: list[_FilledText], prompt: list[int]) -> None:
        lanes = self.words.model.read([prompt])
        lanes.keep(np.zeros(len(texts) * self.beam, dtype=np.int64))  # reads the prompt once
        while texts:
            if any(text.is_ready for text in texts):
                texts = self._step(texts, lanes)
            else:
                queues = [queue for text in texts for queue in text.queues]
                tokens = [queue.pop(0) if queue else WAIT for queue in queues]
                lanes.feed(np.array(tokens, dtype=np.int64))

    def _step(self, texts: list[_FilledText], lanes: CausalLanes) -> list[_FilledText]:
        """Choose the next words of texts with empty queues; return the unfinished texts."""
        padding = np.zeros((self.beam, 1), dtype=np.int64)
        candidates = [text.first_tokens() if text.is_ready else padding for text in texts]
        width = max(tokens.shape[1] for tokens in candidates)
        padded = [np.pad(tokens, ((0, 0), (0, width - tokens.shape[1]))) for tokens in candidates]
        logs = lanes.logs(np.maximum(np.concatenate(padded), 0))
        order, unfinished = [], []
        for number, (text, tokens) in enumerate(zip(texts, candidates, strict=True)):
            lane = number * self.beam
            parents = np.arange(self.beam)
            if text.is_ready:
                parents = text.choose(logs[lane : lane + self.beam, : tokens.shape[1]])
            if not text.is_done:
                order.append(lane + parents)
                unfinished.append(text)
        if unfinished:
            kept = np.concatenate(order)
            if len(kept) < len(logs) or (kept != np.arange(len(kept))).any():
                lanes.keep(kept)
        return unfinished


class _FilledText:
    """A text in progress: its beam, and the tokens that each path has yet to read."""

    def __init__(self, sheet: TextToFill, search: BeamSearch) -> None:
        self.sheet, self.search, self.place = sheet, search, 0
        self.scores = np.full(search.beam, -np.inf)
        self.scores[0] = 0
        self.paths = np.zeros((search.beam, len(sheet)), dtype=np.int64)
        self.queues: list[list[int]] = [[] for _ in range(search.beam)]
        self._queue_plaintext()

    @property
    def is_done(self) -> bool:
        return self.place == len(self.sheet)

    @property
    def is_ready(self) -> bool:
        return not self.is_done and not any(self.queues)

    @property
    def _form(self) -> dict[str, bool]:
        blank = self.sheet.before[self.place][-1:].isspace()
        return {"blank": blank, "capital": bool(self.sheet.capital[self.place])}

    def _queue_plaintext(self) -> None:
        """Queue the plaintext before the next word, without its last blank."""
        plaintext = self.sheet.before[self.place].removesuffix(" ")
        if plaintext.strip():
            tokens = self.search.words.model.encode([plaintext])[0]
            self.queues = [queue + tokens for queue in self.queues]

    def first_tokens(self) -> Ints2d:
        """Return the first token of each candidate, int64 (beam, m)."""
        first = self.search.words.first_of(self.sheet.words[self.place], **self._form)
        return np.tile(first, (self.search.beam, 1))

    def choose(self, logs: Floats2d) -> Ints1d:
        """Extend the beam by logs (beam, m) of the model; return the parent of each path,
        (beam,)."""
        search, words, form = self.search, self.sheet.words[self.place], self._form
        first = search.words.first_of(words, **form)
        logits = np.where(first == NO_TOKEN, -1e30, logs + search.words.within[words])
        p = (1 - search.share) * np.exp(logits) + search.share * search.frequencies[words]
        total = self.scores[:, None] + np.log(p + 1e-30) + self.sheet.logs[self.place]
        best = np.argsort(-total, axis=None, kind="stable")[: search.beam]
        best = np.resize(best, search.beam)
        parents, columns = np.divmod(best, len(words))
        self.scores = total.ravel()[best]
        self.scores[total.size :] = -np.inf  # fewer words than paths
        self.paths = self.paths[parents]
        self.paths[:, self.place] = words[columns]
        self.queues = [list(search.words.tokens(row, **form)) for row in words[columns].tolist()]
        self.place += 1
        if not self.is_done:
            self._queue_plaintext()
        return parents

    def best(self) -> Ints1d:
        """Return for each place the word with the largest weight in the beam, int64 (k,)."""
        weights = np.exp(self.scores - self.scores.max())
        likeliest = np.empty(len(self.sheet), dtype=np.int64)
        for place, column in enumerate(self.paths.T):
            words, of_path = np.unique(column, return_inverse=True)
            likeliest[place] = words[np.bincount(of_path, weights).argmax()]
        return likeliest
