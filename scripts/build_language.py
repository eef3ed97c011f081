"""Builds the public language beside the built-in space: pairs.npz, axes.npz, and pairs-KIND.npz of
the kinds of text that a model wrote (language/teacher.py).

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
from language.axes import axes_of
from language.pairs import Pairs, mass_of_tokens, model_of, packed, pairs_of, pruned
from language.sphinx import write_arpa
from language.taught import counts_of, cutter_of, taught
from language.types import Floats, Types, make_types

from spacy_dxprivacy import Space
from spacy_dxprivacy.editors.opened import open_model
from spacy_dxprivacy.prior.arpa import Arpa, read_arpa
from spacy_dxprivacy.prior.pairs import KINDS
from spacy_dxprivacy.space import BUILTIN

OF_ALL = ("frequency", "type_of_row")  # of pairs.npz, and the same for all kinds
TRUST = 100.0  # words after each word that the law of English stands for, beside what was written


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
    model = model_of(read_model(args.arpa))
    types = make_types(space, mass_of_tokens(model, space), frequency, args.types)
    whole = pairs_of(model, types, space)
    pairs = pruned(whole, args.pairs)
    print(f"{len(types.names)} types, {pairs.delta.nnz} pairs, back-off {pairs.back.min():.2g} up")
    save(args.out / "pairs.npz", packed(pairs, types, frequency, space.digest))
    if args.written is not None:
        save_kinds(args, space, types, frequency, whole)


def save_kinds(args: Any, space: Space, types: Types, frequency: Floats, whole: Pairs) -> None:
    cutter = cutter_of(open_model(args.model).tokenizer, space, types, frequency)
    for kind in KINDS:
        counts = counts_of(sorted(args.written.glob(f"{kind}-*.npz")), cutter)
        pairs = pruned(taught(whole, counts, TRUST), args.pairs)
        print(f"{kind}: {counts.places:,} places, {pairs.delta.nnz} pairs")
        arrays = packed(pairs, types, frequency, space.digest)
        own = {name: array for name, array in arrays.items() if name not in OF_ALL}
        save(args.out / f"pairs-{kind}.npz", own)


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
