"""Public text that a causal model writes, kept as what it said of each next token.

    python -m language.teacher MODEL OUT --rounds 4

OUT/KIND-ROUND.npz  tokens  uint32 (LANES, LENGTH): what was written after the prompt
                    ids     uint32 (LANES, LENGTH, TOP): the likeliest tokens at each place, before
                            that place's token was drawn
                    shares  float16 (LANES, LENGTH, TOP): their probabilities
                    begins  the prompt of each lane
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from spacy_dxprivacy.lab.causal import open_model

PROMPTS = Path(__file__).parents[1] / "data" / "teacher_prompts.json"
TOP = 48
LANES, LENGTH = 128, 72  # texts side by side, and tokens of each
NUCLEUS = 0.9  # the least likely tokens are not drawn: a small model's text falls apart after them


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("out", type=Path)
    parser.add_argument("--rounds", type=int, default=2)
    return parser.parse_args()


def main() -> None:
    args = parse_arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    model = open_model(args.model)
    for number in range(args.rounds):
        for kind in prompts():
            path = args.out / f"{kind}-{number}.npz"
            if not path.exists():
                begun = time.perf_counter()
                np.savez_compressed(path, **written(model, kind, number))
                rate = LANES * LENGTH / (time.perf_counter() - begun)
                print(f"{path.name}: {rate:.0f} tokens/s", flush=True)


def prompts() -> dict[str, dict[str, list[str]]]:
    return dict(json.loads(PROMPTS.read_text()))


def openings(kind: str, number: int) -> list[str]:
    """As many beginnings of texts as lanes, by a seed of the kind and round."""
    draw, some = random.Random(f"{kind} {number}"), prompts()[kind]
    return [
        draw.choice(some["openings"]).format(
            age=draw.randint(3, 92),
            person=draw.choice(some["persons"]),
            subject=draw.choice(some["subjects"]),
            product=draw.choice(some.get("products", [""])),
            complaint=draw.choice(some.get("complaints", [""])),
        )
        for _ in range(LANES)
    ]


@torch.inference_mode()
def written(model: Any, kind: str, number: int) -> dict[str, Any]:
    draw = torch.Generator().manual_seed(number)
    begins = [opening.strip() for opening in openings(kind, number)]
    ends = {model.tokenizer.eos_token_id, model.network.generation_config.eos_token_id}
    ends = sorted(one for one in ends if isinstance(one, int))
    side_by_side = model.read(model.encode(begins))
    tokens = np.zeros((LANES, LENGTH), np.uint32)
    ids = np.zeros((LANES, LENGTH, TOP), np.uint32)
    shares = np.zeros((LANES, LENGTH, TOP), np.float16)
    for place in range(LENGTH):
        side_by_side._logs[:, ends] = -torch.inf
        top, best = torch.softmax(side_by_side._logs, 1).topk(512)
        inside = (top.cumsum(1) - top) < NUCLEUS
        picked = torch.multinomial(top * inside, 1, generator=draw)
        ids[:, place], shares[:, place] = best[:, :TOP].numpy(), top[:, :TOP].numpy()
        tokens[:, place] = best.gather(1, picked)[:, 0].numpy()
        side_by_side.feed(tokens[:, place].astype(np.int64))
    return {"tokens": tokens, "ids": ids, "shares": shares, "begins": np.array(begins)}


if __name__ == "__main__":
    main()
