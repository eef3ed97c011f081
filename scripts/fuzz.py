"""Fuzz the sanitizer and the readers: 1,000,000 documents, 100,000 vector files, configs, files.

    python scripts/fuzz.py [--documents N] [--configs N] [--files N]
                           [--parts N] [--corpora N] [--small N] [--seed S] [--minutes M]
    python scripts/fuzz.py --only corpora,small  these parts alone
    python scripts/fuzz.py --atheris SECONDS     coverage-guided, on the readers

--parts: stand-ins, editors, requests to a service and standard input, each. --corpora: documents in
files of 2,000, tables and lines, most of them drawn word by word, some with stand-ins or edited;
--small: small files in folders. Of both each document has to come out once, or be named as failed.
--minutes ends each part early. It prints what it reached and what it found, each with the number
that makes it again. Exit status 1: something was found. --atheris needs atheris.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from fuzz import corpora, generate, laws

PARTS = ("documents", "configs", "files", "parts", "corpora", "small")
BATCH, DOCUMENTS, SMALL, REQUESTS = 256, 2000, 100, 100
PLAIN = {"@dx_mechanisms": "dx.Exponential.v1", "epsilon": 1.0}
SLOW = 20.0  # seconds for one example: a hang


def many(
    name: str, n: int, how: argparse.Namespace, step: Callable[[Random], object], size: int = 1
) -> int:
    """n examples, size of them a step. The number of those that broke a law."""
    if not n:
        return 0
    counts: Counter[str] = Counter()
    broken = 0
    start = time.monotonic()
    for i in tqdm(range(0, n, size), desc=name, disable=None):
        begin = time.monotonic()
        if begin - start > 60 * how.minutes:
            n = i
            break
        try:
            found = step(Random(f"{name} {how.seed} {i}"))
            counts.update(found if isinstance(found, dict) else [str(found)])
        except Exception as error:
            broken += 1
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(last.filename).name}:{last.lineno}"
            print(f"{name} {i}: {type(error).__name__} in {where}: {str(error)[:200]!r}")
        if time.monotonic() - begin > SLOW * size:
            broken += 1
            print(f"{name} {i}: took {time.monotonic() - begin:.0f} s")
    seconds = time.monotonic() - start
    told = ", ".join(f"{k} {v:,}" for k, v in sorted(counts.items()))
    print(f"{name}: {n:,} in {seconds:.0f} s ({told}); found {broken}", flush=True)
    return broken


def run(options: argparse.Namespace, folder: Path) -> int:
    nlp = laws.make_nlp(folder / "space", mechanism={"@dx_mechanisms": "dx.Path.v1", "epsilon": 1})

    def documents(rng: Random) -> object:
        lengths = (rng.choice((2, 3, 4, 24)) for _ in range(BATCH))
        return laws.check_documents(nlp, [generate.text(rng, most) for most in lengths])

    def files(rng: Random) -> object:
        kind = rng.choice(("spacy", "jsonl", "csv"))
        raw = generate.docbin(rng) if kind == "spacy" else generate.lines(rng)
        laws.check_packed(generate.packed(rng))
        return laws.check_readers(folder / f"r.{kind}", raw, kind)

    found = many("documents", options.documents, options, documents, BATCH)
    space = folder / "space"
    found += many(
        "configs", options.configs, options,
        lambda rng: laws.check_config(space, generate.config(rng)),
    )  # fmt: skip
    return found + many("files", options.files, options, files)


def newer(options: argparse.Namespace, folder: Path) -> int:
    """Stand-ins for entities, an editor without a model, and what comes on standard input."""
    path = {"@dx_mechanisms": "dx.Path.v2", "epsilon": 1, "policy": "general"}
    preset = {"@dx_surrogates": "dx.Preset.v1", "name": "standard"}
    laplace = {"@dx_mechanisms": "dx.Laplace.v1", "epsilon": 3.0}
    standing = laws.make_nlp(folder / "space", ruler=True, mechanism=laplace, surrogates=preset)
    edited = laws.make_nlp(
        folder / "space", mechanism=path, editor={"@dx_editors": "dx.Remap.v1"}
    )  # fmt: skip

    def documents(nlp: Any) -> Callable[[Random], object]:
        return lambda rng: laws.check_documents(nlp, [generate.text(rng) for _ in range(BATCH)])

    def stdin(rng: Random) -> object:
        raw = rng.choice((generate.lines, generate.docbin, generate.packed, generate.vector_file))
        encoding = rng.choice((None, None, None, "utf-16", "latin-1", "cp1252"))
        given = raw(rng)
        given = rng.choice((given, gzip.compress(given), generate.damaged(rng, given)))
        return laws.check_stdin(given, encoding)

    found = many("stand-ins", options.parts, options, documents(standing), BATCH)
    found += many("edited", options.parts, options, documents(edited), BATCH)
    found += many("stdin", options.parts, options, stdin)
    found += many("requests", options.parts, options, requests(standing), REQUESTS)
    found += many(
        "corpora", options.corpora, options, of_files(folder, (standing, edited)), DOCUMENTS
    )
    return found + many("small files", options.small, options, of_folders(folder), SMALL)


def requests(nlp: Any) -> Callable[[Random], object]:
    """To a service, of which some are right."""
    from fuzz import asked

    service = cache(asked.service)
    return lambda rng: asked.check_requests(service(nlp), rng, REQUESTS)


def of_files(folder: Path, others: tuple[Any, ...]) -> Callable[[Random], object]:
    """Files of DOCUMENTS; one in twenty with each of the other pipelines."""
    plain = laws.make_nlp(folder / "space", mechanism=PLAIN)

    def step(rng: Random) -> object:
        nlp = rng.choice((plain,) * 38 + others)
        return corpora.check_file(nlp, folder / "files", rng, DOCUMENTS)

    return step


def of_folders(folder: Path) -> Callable[[Random], object]:
    """Folders of SMALL files."""
    nlp = laws.make_nlp(folder / "space", mechanism=PLAIN)
    return lambda rng: corpora.check_folder(nlp, folder / "small", rng, SMALL)


def guided(seconds: float, folder: Path) -> None:
    """libFuzzer on the readers; it stops by itself at the first find."""
    import atheris

    def one(data: bytes) -> None:
        kind, raw = data[:1], data[1:]
        if kind < b"\x80":
            laws.check_readers(folder / "r.spacy", raw, "spacy")
        elif kind < b"\xa0":
            laws.check_packed(raw)
        else:
            form = "jsonl" if kind < b"\xd0" else "csv"
            laws.check_readers(folder / f"r.{form}", raw, form)

    from spacy_dxprivacy.io import plain, record, tables
    from spacy_dxprivacy.io import source as sources
    from spacy_dxprivacy.io.files import docbin as packed
    from spacy_dxprivacy.lab.audit import files

    for module in (files, plain, tables, record, sources, packed):
        for name, value in list(vars(module).items()):
            if callable(value) and getattr(value, "__module__", "") == module.__name__:
                with contextlib.suppress(Exception):
                    setattr(module, name, atheris.instrument_func(value))
    atheris.Setup([sys.argv[0], f"-max_total_time={int(seconds)}", "-max_len=4096"], one)
    atheris.Fuzz()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--configs", type=int, default=100_000)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--parts", type=int, default=100_000)
    parser.add_argument("--corpora", type=int, default=1_000_000)
    parser.add_argument("--small", type=int, default=100_000)
    parser.add_argument("--only", default="", help="parts, with commas between them")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--atheris", type=float, metavar="SECONDS")
    options = parser.parse_args()
    if options.only:
        for part in set(PARTS) - set(options.only.split(",")):
            setattr(options, part, 0)
    with tempfile.TemporaryDirectory() as folder:
        if options.atheris:
            guided(options.atheris, Path(folder))
            return
        found = run(options, Path(folder)) + newer(options, Path(folder))
        sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
