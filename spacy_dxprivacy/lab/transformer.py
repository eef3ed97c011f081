"""Causal models of the transformers library, on PyTorch; imported when a model is opened."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d, Ints2d
from ..errors import DxError, Errors

# Imported by name: their declared types are wrong.
torch: Any = import_module("torch")
transformers: Any = import_module("transformers")

MAX_WINDOW = 1024  # most tokens of a text in a pass
MAX_CACHED_TOKENS = 256  # most tokens in the cache of a lane
MAX_CACHE_BYTES = 2**29  # bytes, of all lanes
TOKENS_AT_ONCE = 768  # in a batch: logits take 200 KB a token


class CausalModel:
    """A loaded model. window: the most tokens of a pass."""

    def __init__(self, name: str, network: Any, tokenizer: Any) -> None:
        self.name, self.network, self.tokenizer = name, network, tokenizer
        config = network.config.get_text_config()
        self.window = min(MAX_WINDOW, int(getattr(config, "max_position_embeddings", MAX_WINDOW)))
        self.vocabulary = int(network.get_output_embeddings().out_features)
        first = tokenizer.bos_token_id
        first = tokenizer.eos_token_id if first is None else first
        if first is None:
            raise _failure("its tokenizer has no token for the beginning of a text")
        self.begin: list[int] = [int(first)]
        # Keys and values of one token in every layer, in float32.
        heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
        width = getattr(config, "head_dim", None)
        width = width or config.hidden_size // config.num_attention_heads
        self.bytes_a_token = int(2 * 4 * config.num_hidden_layers * heads * width)
        takes = inspect.signature(network.forward).parameters
        self.last_alone = {"logits_to_keep": 1} if "logits_to_keep" in takes else {}

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the tokens of each text, without special ones."""
        tokens: list[list[int]] = self.tokenizer(list(texts), add_special_tokens=False)["input_ids"]
        return tokens

    def fits(self, tokens: int) -> int:
        """Return the number of lanes of `tokens` tokens that fit into memory, 1 or more."""
        return max(1, MAX_CACHE_BYTES // (self.bytes_a_token * min(tokens + 1, MAX_CACHED_TOKENS)))

    def read(self, prompts: Sequence[Sequence[int]]) -> CausalLanes:
        """Return a lane for each prompt, after reading it. Raise as CausalLanes.feed does."""
        return CausalLanes(self, prompts)

    def nats(self, texts: Sequence[Sequence[int]]) -> Floats1d:
        """Return the negative log-likelihood of each text, float64 (texts,), in windows that
        overlap by half."""
        totals = np.zeros(len(texts))
        pieces = [(i, *piece) for i, text in enumerate(texts) for piece in self._pieces(text)]
        pieces.sort(key=lambda piece: len(piece[1]))
        while pieces:
            size = max(1, TOKENS_AT_ONCE // len(pieces[-1][1]))
            batch, pieces = pieces[-size:], pieces[:-size]
            width = max(len(tokens) for _, tokens, _ in batch)
            x = torch.tensor([tokens + [0] * (width - len(tokens)) for _, tokens, _ in batch])
            mask = torch.tensor([[1] * len(t) + [0] * (width - len(t)) for _, t, _ in batch])
            device = self.network.device
            with torch.inference_mode():
                logits = self.network(x.to(device), attention_mask=mask.to(device)).logits.float()
                nats = torch.nn.functional.cross_entropy(
                    logits[:, :-1].transpose(1, 2), x[:, 1:].to(device), reduction="none"
                )
            _check_finite(nats)
            for row, (number, tokens, context) in zip(nats, batch, strict=True):
                totals[number] += float(row[context - 1 : len(tokens) - 1].sum())
        return totals

    def _pieces(self, text: Sequence[int]) -> list[tuple[list[int], int]]:
        """Return parts that fit the window, and the number of tokens of each that are only
        context."""
        half, tokens = self.window // 2, [*self.begin, *text]
        if len(tokens) <= self.window:
            return [(tokens, 1)]
        first = [(tokens[: self.window], 1)]
        steps = range(self.window - half, len(tokens) - half, half)
        return first + [(tokens[at : at + self.window], half) for at in steps]


def is_causal(network: Any) -> bool:
    """Return whether logits ignore later tokens: masked language models load as causal ones."""
    x = torch.tensor([[0, 1, 1], [0, 1, 2]], device=network.device)
    with torch.inference_mode():
        logits = network(x).logits.float()[:, :2]
    if not torch.isfinite(logits).all():
        return True  # raises later, with another message
    little = 1e-5 * float(logits.abs().max())
    return bool(torch.allclose(logits[0], logits[1], rtol=0, atol=little, equal_nan=True))


class CausalLanes:
    """Texts that a model reads in parallel, one lane each, with a cache of keys and values. When
    the cache is full, each lane is read again: its prompt and the later half of its tokens."""

    def __init__(self, model: CausalModel, prompts: Sequence[Sequence[int]]) -> None:
        self.model = model
        self.prompts = [[*model.begin, *prompt] for prompt in prompts]
        self.later: list[list[int]] = [[] for _ in prompts]
        self.most = max(MAX_CACHED_TOKENS, 2 * max(map(len, self.prompts)))
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
        """Read one token a lane, int64 (lanes,); causal.WAIT for lanes that wait. Raise DxError
        without enough memory, and for logits that are not finite."""
        fed = [[token] if token >= 0 else [] for token in tokens.tolist()]
        if not any(fed):
            return
        for later, tokens_fed in zip(self.later, fed, strict=True):
            later += tokens_fed
        if self._mask.shape[1] < self.most:
            self._run(fed)
            return
        lengths = [(self.most - len(prompt)) // 2 for prompt in self.prompts]
        self.later = [later[-count:] for later, count in zip(self.later, lengths, strict=True)]
        self._begin()

    def _run(self, tokens: list[list[int]]) -> None:
        width = max(map(len, tokens))
        device = self.model.network.device
        x = torch.tensor([[0] * (width - len(t)) + t for t in tokens], device=device)
        mask = torch.tensor([[0] * (width - len(t)) + [1] * len(t) for t in tokens], device=device)
        positions = (self._at[:, None] + mask.cumsum(1) - 1).clamp(min=0)
        self._mask = torch.cat([self._mask, mask], 1)
        try:
            with torch.inference_mode():
                answer = self.model.network(
                    x, attention_mask=self._mask, position_ids=positions,
                    past_key_values=self._cache, use_cache=True, **self.model.last_alone,
                )  # fmt: skip
        except (MemoryError, RuntimeError) as error:
            message = str(error).lower()
            if isinstance(error, MemoryError) or "memory" in message or "alloc" in message:
                raise DxError(Errors.DX152) from None
            raise _failure(f"it failed with {type(error).__name__}") from None
        fed = mask[:, -1] > 0
        self._at = self._at + mask.sum(1)
        with torch.inference_mode():
            logits = answer.logits[:, -1].float()
            # Faster to check than all logits: it is not finite if any logit is not.
            sums = _check_finite(torch.logsumexp(logits, 1, keepdim=True))
            if not bool(fed.all()):
                logits = torch.where(fed[:, None], logits, self._logs)
                sums = torch.where(fed[:, None], sums, self._sums)
        self._logs, self._sums = logits, sums

    def logs(self, tokens: Ints2d) -> Floats2d:
        """Return ln P(next token) of tokens (lanes, m), float64 (lanes, m)."""
        picked = self._logs.gather(1, torch.from_numpy(tokens).to(self._logs.device))
        return np.asarray((picked - self._sums).cpu().numpy(), dtype=np.float64)

    def keep(self, order: Ints1d) -> None:
        """Move lane order[i] to i; lanes may be copied or dropped."""
        self.prompts = [self.prompts[lane] for lane in order.tolist()]
        self.later = [list(self.later[lane]) for lane in order.tolist()]
        index = torch.from_numpy(np.asarray(order)).to(self._logs.device)
        with torch.inference_mode():
            self._cache.reorder_cache(index)
            self._mask, self._at = self._mask[index], self._at[index]
            self._logs, self._sums = self._logs[index], self._sums[index]


def _check_finite(numbers: Any) -> Any:
    if not torch.isfinite(numbers).all():
        raise _failure("its output is not finite")
    return numbers


def _failure(why: str) -> DxError:
    return DxError(Errors.DX150.format(why=why))
