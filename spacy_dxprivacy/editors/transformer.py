"""Causal models of the transformers library, on PyTorch; imported when one is opened."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, TypeVar

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d, Ints2d
from ..errors import DxError, Errors
from .model import OutOfRoom

# By name: their declared types are wrong, and many installations have neither.
torch: Any = import_module("torch")
transformers: Any = import_module("transformers")

F = TypeVar("F", bound=Callable[..., Any])
WINDOW = 1024  # most tokens of a text that are scored at once
MEMORY = 256  # most tokens in the cache of a lane
MOST_CACHE = 2**29  # bytes, of all lanes together
TOKENS_AT_ONCE = 768  # scored together: their logits take 200 KB a token


def without_gradients(function: F) -> F:
    """Apply torch.inference_mode(), and keep the types of the function."""
    wrapped: F = torch.inference_mode()(function)
    return wrapped


class CausalModel:
    """An editors.model.LanguageModel."""

    def __init__(self, name: str, digest: str, network: Any, tokenizer: Any) -> None:
        self.name, self.digest = name, digest
        self.network, self.tokenizer = network, tokenizer
        config = network.config.get_text_config()
        self.window = min(WINDOW, int(getattr(config, "max_position_embeddings", WINDOW)))
        self.vocabulary = int(network.get_output_embeddings().out_features)
        first = tokenizer.bos_token_id
        first = tokenizer.eos_token_id if first is None else first
        if first is None:
            raise DxError(
                Errors.DX150.format(why="its tokenizer has no token for the beginning of a text")
            )
        self.begin: list[int] = [int(first)]
        # Keys and values of one token in every layer, in float32.
        heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
        width = getattr(config, "head_dim", None)
        width = width or config.hidden_size // config.num_attention_heads
        self.bytes_a_token = int(2 * 4 * config.num_hidden_layers * heads * width)
        takes = inspect.signature(network.forward).parameters
        self.last_alone = {"logits_to_keep": 1} if "logits_to_keep" in takes else {}

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        tokens: list[list[int]] = self.tokenizer(list(texts), add_special_tokens=False)["input_ids"]
        return tokens

    def fits(self, tokens: int) -> int:
        return max(1, MOST_CACHE // (self.bytes_a_token * min(tokens + 1, MEMORY)))

    def read(self, prompts: Sequence[Sequence[int]]) -> CausalLanes:
        return CausalLanes(self, prompts)

    @without_gradients
    def nats(self, texts: Sequence[Sequence[int]]) -> Floats1d:
        """See LanguageModel; past the window, each token is given half of it or more."""
        totals = np.zeros(len(texts))
        pieces = [(i, *piece) for i, text in enumerate(texts) for piece in self._pieces(text)]
        pieces.sort(key=lambda piece: len(piece[1]))
        while pieces:
            size = max(1, TOKENS_AT_ONCE // len(pieces[-1][1]))
            some, pieces = pieces[-size:], pieces[:-size]
            most = max(len(tokens) for _, tokens, _ in some)
            x = torch.tensor([tokens + [0] * (most - len(tokens)) for _, tokens, _ in some])
            mask = torch.tensor([[1] * len(t) + [0] * (most - len(t)) for _, t, _ in some])
            device = self.network.device
            logits = self.network(x.to(device), attention_mask=mask.to(device)).logits.float()
            nats = torch.nn.functional.cross_entropy(
                logits[:, :-1].transpose(1, 2), x[:, 1:].to(device), reduction="none"
            )
            _check_finite(nats)
            for row, (number, tokens, known) in zip(nats, some, strict=True):
                totals[number] += float(row[known - 1 : len(tokens) - 1].sum())
        return totals

    def _pieces(self, text: Sequence[int]) -> list[tuple[list[int], int]]:
        """Return parts that fit the window, and how many tokens of each are context alone."""
        half, whole = self.window // 2, [*self.begin, *text]
        if len(whole) <= self.window:
            return [(whole, 1)]
        first = [(whole[: self.window], 1)]
        steps = range(self.window - half, len(whole) - half, half)
        return first + [(whole[at : at + self.window], half) for at in steps]


@without_gradients
def is_causal(network: Any) -> bool:
    """Return whether logits ignore later tokens: masked language models load as causal ones."""
    x = torch.tensor([[0, 1, 1], [0, 1, 2]], device=network.device)
    logits = network(x).logits.float()[:, :2]
    if not torch.isfinite(logits).all():
        return True  # this raises later, with a message of its own
    little = 1e-5 * float(logits.abs().max())
    return bool(torch.allclose(logits[0], logits[1], rtol=0, atol=little, equal_nan=True))


def _check_finite(numbers: Any) -> Any:
    if not torch.isfinite(numbers).all():
        raise DxError(Errors.DX150.format(why="its output is not finite"))
    return numbers


class CausalLanes:
    """An editors.model.Lanes with a cache of keys and values.

    When the cache is full, every lane is read again: its prompt and the later half of its tokens.
    """

    def __init__(self, model: CausalModel, prompts: Sequence[Sequence[int]]) -> None:
        self.model = model
        self.prompts = [[*model.begin, *prompt] for prompt in prompts]
        self.later: list[list[int]] = [[] for _ in prompts]
        self.most = max(MEMORY, 2 * max(map(len, self.prompts)))
        self._begin()

    def _begin(self) -> None:
        device = self.model.network.device
        lanes = len(self.prompts)
        self._cache = transformers.DynamicCache()
        self._mask = torch.zeros((lanes, 0), dtype=torch.long, device=device)
        self._at = torch.zeros(lanes, dtype=torch.long, device=device)
        self._logs: Any = torch.zeros((lanes, self.model.vocabulary), device=device)
        self._sums: Any = torch.zeros((lanes, 1), device=device)
        self._run([p + later for p, later in zip(self.prompts, self.later, strict=True)])

    def feed(self, tokens: Ints1d) -> None:
        some = [[token] if token >= 0 else [] for token in tokens.tolist()]
        if not any(some):
            return
        for later, new in zip(self.later, some, strict=True):
            later += new
        if self._mask.shape[1] < self.most:
            self._run(some)
            return
        rest = [(self.most - len(prompt)) // 2 for prompt in self.prompts]
        self.later = [later[-most:] for later, most in zip(self.later, rest, strict=True)]
        self._begin()

    @without_gradients
    def _run(self, tokens: list[list[int]]) -> None:
        most = max(map(len, tokens))
        device = self.model.network.device
        x = torch.tensor([[0] * (most - len(t)) + t for t in tokens], device=device)
        mask = torch.tensor([[0] * (most - len(t)) + [1] * len(t) for t in tokens], device=device)
        where = (self._at[:, None] + mask.cumsum(1) - 1).clamp(min=0)
        self._mask = torch.cat([self._mask, mask], 1)
        try:
            answer = self.model.network(
                x, attention_mask=self._mask, position_ids=where, past_key_values=self._cache,
                use_cache=True, **self.model.last_alone,
            )  # fmt: skip
        except (MemoryError, RuntimeError) as error:
            raise _out_of_room_or(error) from None
        fed = mask[:, -1] > 0
        self._at = self._at + mask.sum(1)
        logits = answer.logits[:, -1].float()
        # Not finite where one of many thousands of logits is not, and faster to check.
        sums = _check_finite(torch.logsumexp(logits, 1, keepdim=True))
        if bool(fed.all()):
            self._logs, self._sums = logits, sums
        else:
            self._logs[fed], self._sums[fed] = logits[fed], sums[fed]

    @without_gradients
    def logs(self, tokens: Ints2d) -> Floats2d:
        picked = self._logs.gather(1, torch.from_numpy(tokens).to(self._logs.device))
        return np.asarray((picked - self._sums).cpu().numpy(), dtype=np.float64)

    @without_gradients
    def keep(self, order: Ints1d) -> None:
        self.prompts = [self.prompts[lane] for lane in order.tolist()]
        self.later = [list(self.later[lane]) for lane in order.tolist()]
        index = torch.from_numpy(np.asarray(order)).to(self._logs.device)
        try:
            self._cache.reorder_cache(index)
        except (MemoryError, RuntimeError) as error:
            raise _out_of_room_or(error) from None
        self._mask, self._at = self._mask[index], self._at[index]
        self._logs, self._sums = self._logs[index], self._sums[index]


def _out_of_room_or(error: Exception) -> Exception:
    message = str(error).lower()
    if isinstance(error, MemoryError) or "memory" in message or "alloc" in message:
        return OutOfRoom()
    return DxError(Errors.DX150.format(why=f"it failed with {type(error).__name__}"))
