"""Train a prior (a language model) on public texts, for dx.Path.v2.

    python scripts/train_prior.py wikipedia.txt medicine --types 20000

Texts are lines of .txt files and a field of .jsonl files, UTF-8, of a file or a folder. Anyone can
read out of the prior what its texts hold: give public texts only, never those to be sanitised.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from spacy_dxprivacy.files.atomic import check_replaceable
from spacy_dxprivacy.prior.make import PAIRS, TYPES, make_prior
from spacy_dxprivacy.prior.saved import ABOUT
from spacy_dxprivacy.space.sources import BUILTIN, load


def texts_of(source: Path, field: str) -> Iterator[str]:
    for path in sorted(source.rglob("*")) if source.is_dir() else [source]:
        if path.suffix in (".txt", ".jsonl"):
            with path.open(encoding="utf8") as lines:
                for line in lines:
                    yield line if path.suffix == ".txt" else json.loads(line)[field]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", type=Path, help="a .txt or .jsonl file, or a folder of them")
    parser.add_argument("target", type=Path, help="the folder of the prior")
    parser.add_argument("--types", type=int, default=TYPES, help="distinct words of the model")
    parser.add_argument("--pairs", type=int, default=PAIRS, help="pairs of words of the model")
    parser.add_argument("--field", default="text", help="of .jsonl, that holds the text")
    parser.add_argument("--lang", default="en", help="language of the tokenizer")
    parser.add_argument("--space", default=BUILTIN, help="space to report coverage of")
    parser.add_argument("--force", action="store_true", help="replace the folder")
    args = parser.parse_args()
    check_replaceable(args.target, ABOUT, "prior", force=args.force)
    prior = make_prior(
        texts_of(args.texts, args.field), types=args.types, pairs=args.pairs, lang=args.lang,
        name=args.target.name, space=load(args.space), report=print,
    )  # fmt: skip
    prior.save(args.target, force=args.force)
    print(f"{len(prior.model.words):,} types, of which the space holds {prior.in_space:.1%}")
    print(
        f"held-out text ({prior.held_out_words:,} words): perplexity {prior.perplexity:.1f} on the "
        f"{prior.coverage:.1%} of words that it knows"
    )


if __name__ == "__main__":
    main()
