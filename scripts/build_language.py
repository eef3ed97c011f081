"""Builds the public language beside the built-in space: pairs.npz, axes.npz, and, of text that a
model wrote (language/teacher.py), pairs-broad.npz of all of it, pairs-KIND.npz of each domain.

    python scripts/build_language.py [--arpa FILE] [--out FOLDER] [--written FOLDER --model MODEL]

See scripts/README.md for what it needs. It takes a minute or two of one core.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from builtin_space.sources import FLOOR, log_probabilities
from language.arpa import Arpa, read_arpa
from language.axes import axes_of
from language.pairs import mass_of_tokens, model_of, pack_contexts, packed, pairs_of, pruned
from language.sphinx import write_arpa
from language.taught import counts_of, cutter_of, mixed, taught
from language.triples import WORDS, contexts_of, of_source, of_teacher
from language.types import Floats, make_types

from spacy_dxprivacy import Space
from spacy_dxprivacy.lab.causal import open_model
from spacy_dxprivacy.prior.builtin import BROAD, DOMAINS
from spacy_dxprivacy.space import BUILTIN

OF_ALL = ("frequency", "type_of_row")  # of pairs.npz, and the same for all kinds
TRUST = 100.0  # words after each word that the law of English stands for, beside what was written
# Of pairs-broad.npz: contexts of two words, and what follows them. 20,000 would tell .04 nats a
# word more of notes, .02 of talks, and take twice the time.
CONTEXTS, TRIPLES = 4_000, 80_000


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arpa", type=Path, help="the model's ARPA file, kept from a run before")
    parser.add_argument("--types", type=int, default=12_000)
    parser.add_argument("--pairs", type=int, default=500_000)
    parser.add_argument("--out", type=Path, default=BUILTIN)
    parser.add_argument("--written", type=Path, help="what language/teacher.py wrote")
    parser.add_argument("--model", help="whose tokens these are")
    return parser.parse_args()


def main() -> None:
    args = parse_arguments()
    space = Space.builtin()
    frequency = frequencies(space)
    save(args.out / "axes.npz", axes_of(space, frequency))
    arpa = read_model(args.arpa)
    model = model_of(arpa)
    types = make_types(space, mass_of_tokens(model, space), frequency, args.types)
    whole = pairs_of(model, types, space)
    pairs = pruned(whole, args.pairs)
    print(f"{len(types.names)} types, {pairs.delta.nnz} pairs, back-off {pairs.back.min():.2g} up")
    save(args.out / "pairs.npz", packed(pairs, types, frequency, space.digest))
    if args.written is None:
        return
    cutter = cutter_of(open_model(args.model).tokenizer, space, types, frequency)
    files = sorted(args.written.glob("*.npz"))
    evidence = [of_source(arpa, model, types), of_teacher(files, cutter)]
    pairs = pruned(mixed(whole, counts_of(files, cutter), WORDS, TRUST), args.pairs)
    contexts = pack_contexts(*contexts_of(pairs, evidence, CONTEXTS, TRIPLES))
    arrays = own(packed(pairs, types, frequency, space.digest))
    save(args.out / f"pairs-{BROAD}.npz", arrays | contexts)
    for kind in DOMAINS:
        counts = counts_of(sorted(args.written.glob(f"{kind}-*.npz")), cutter)
        pairs = pruned(taught(whole, counts, TRUST), args.pairs)
        print(f"{kind}: {counts.places:,} places, {pairs.delta.nnz} pairs")
        arrays = own(packed(pairs, types, frequency, space.digest))
        save(args.out / f"pairs-{kind}.npz", arrays)


def own(arrays: dict[str, Any]) -> dict[str, Any]:
    """What files beside pairs.npz have of their own."""
    return {name: array for name, array in arrays.items() if name not in OF_ALL}


def frequencies(space: Space) -> Floats:
    """(n,): of web text, in the case of the space (spacy-lookups-data, MIT)."""
    known = log_probabilities()
    return np.exp([max(known.get(word, FLOOR), FLOOR) for word in space.words])


def read_model(path: Path | None) -> Arpa:
    if path is not None and path.exists():
        return read_arpa(path, order=2)
    with tempfile.TemporaryDirectory() as folder:
        path = path or Path(folder) / "en-us.arpa"
        write_arpa(path)
        return read_arpa(path, order=2)


def save(path: Path, arrays: dict[str, Any]) -> None:
    np.savez_compressed(path, **arrays)
    print(f"{path}: {path.stat().st_size / 1e6:.2f} MB", flush=True)


if __name__ == "__main__":
    main()
