"""A model of the transformers library, small and made at random: lanes say what whole texts say."""

import importlib.util

import numpy as np
import pytest

from spacy_dxprivacy import DxError
from spacy_dxprivacy.lab.causal import open_model

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in ("torch", "transformers")),
        reason="needs the extra 'lm'",
    ),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    words = ["<s>", "</s>", "<unk>", *(f"w{i}" for i in range(9))]
    made = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    path = tmp_path_factory.mktemp("models") / "tiny"
    PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    ).save_pretrained(path)
    config = LlamaConfig(
        vocab_size=len(words), hidden_size=16, intermediate_size=32, num_hidden_layers=2,
        num_attention_heads=2, max_position_embeddings=64,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(path)
    return path


def test_lanes_say_what_texts_say(folder):
    model = open_model(str(folder))
    texts = [[3, 4, 5, 6], [7, 8], [9]]
    lanes, sums = model.read([[] for _ in texts]), np.zeros(3)
    for at in range(4):
        tokens = np.array([text[at] if at < len(text) else -1 for text in texts])
        sums -= np.where(tokens >= 0, lanes.logs(np.maximum(tokens, 0)[:, None])[:, 0], 0)
        lanes.feed(tokens)
    assert model.nats(texts) == pytest.approx(sums, abs=1e-3)
    lanes.keep(np.array([2, 0]))
    one = model.read([[9], [3, 4, 5, 6]])
    every = np.arange(12)[None].repeat(2, axis=0)
    assert lanes.logs(every) == pytest.approx(one.logs(every), abs=1e-3)
    # Long texts are read and judged.
    text = np.random.default_rng(0).integers(3, 12, 300).tolist()
    assert model.nats([text])[0] / 300 == pytest.approx(np.log(12), abs=1)
    lanes = model.read([[3, 4]])
    for token in text:
        lanes.feed(np.array([token]))
    assert np.isfinite(lanes.logs(np.array([[3]]))).all() and len(lanes.later[0]) < 300


def test_numbers_that_are_not_finite_are_refused(folder):
    import torch

    model = open_model(str(folder))
    head = model.network.get_output_embeddings().weight
    before = head.detach().clone()
    with torch.no_grad():
        head[3] = float("nan")
    with pytest.raises(DxError, match="DX150"):
        model.read([[3]])
    with torch.no_grad():
        head.copy_(before)
