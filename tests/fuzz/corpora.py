"""Whole files and folders through `dx sanitize`: each document once or named as failed."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from random import Random

from spacy.language import Language

from spacy_dxprivacy.config import FileOptions
from spacy_dxprivacy.io.jobs import plan_jobs
from spacy_dxprivacy.io.run import Reports, sanitize

from . import generate
from .laws import leaked

ENDINGS = (".jsonl", ".csv", ".tsv")
FOLDERS = ("a", "b c", "d\u00e9\u4e1c")
Texts = dict[int, str]


def write(path: Path, texts: Texts) -> None:
    """Records with an id and a text, in the format that the name says."""
    if path.suffix == ".jsonl":
        lines = (json.dumps({"id": i, "text": text}) for i, text in texts.items())
        raw = "".join(f"{line}\n" for line in lines)
    else:
        table = io.StringIO()
        rows = csv.writer(table, delimiter="\t" if path.suffix == ".tsv" else ",")
        rows.writerows([("id", "text"), *texts.items()])
        raw = table.getvalue()
    path.parent.mkdir(parents=True, exist_ok=True)
    data = raw.encode("utf8", "replace")
    path.write_bytes(data)


def ids_of(path: Path) -> list[int]:
    """Of the records of an output, none of which may hold a secret."""
    raw = path.read_bytes().decode()
    assert not leaked(raw), path.suffix
    if path.suffix == ".jsonl":
        return [json.loads(line)["id"] for line in raw.split("\n") if line]
    csv.field_size_limit(2**30)
    delimiter = "\t" if path.suffix == ".tsv" else ","
    rows = csv.reader(io.StringIO(raw, newline=""), delimiter=delimiter)
    return [int(row[0]) for row in list(rows)[1:]]


def texts_of(rng: Random, many: int, start: int = 0) -> Texts:
    """No text is the first of its file if it cannot be read: that stops a run, and is no find."""
    made = {start + i: generate.text(rng, rng.choice((2, 3, 4, 8))) for i in range(many)}
    return {i: text.replace("\0", "") if i > start else "the dog" for i, text in made.items()}


def check_file(nlp: Language, folder: Path, rng: Random, many: int) -> dict[str, int]:
    """One file of so many documents."""
    ending = rng.choice(ENDINGS)
    source, target = folder / f"in{ending}", folder / f"out{ending}"
    texts = texts_of(rng, many)
    write(source, texts)
    return {"documents": many, **_sanitised(nlp, [(source, target)], texts, source, target)}


def check_folder(nlp: Language, folder: Path, rng: Random, many: int) -> dict[str, int]:
    """A folder of so many small files, in folders with blanks and other letters in their names."""
    pairs, texts = _small_files(rng, folder, many)
    found = _sanitised(nlp, pairs, texts, folder / "in", folder / "out")
    return {"files": many, **found}


def _small_files(rng: Random, folder: Path, many: int) -> tuple[list[tuple[Path, Path]], Texts]:
    for name in ("in", "out"):
        shutil.rmtree(folder / name, ignore_errors=True)
    pairs, texts = [], Texts()
    for number in range(many):
        ending = rng.choice(ENDINGS)
        name = f"{rng.choice(FOLDERS)}/{number}{ending}"
        some = texts_of(rng, rng.randrange(1, 3), start=10 * number)
        write(folder / "in" / name, {i: f"{text} {i}" for i, text in some.items()})
        texts |= some
        pairs.append((folder / "in" / name, folder / "out" / name))
    return pairs, texts


def _sanitised(
    nlp: Language, pairs: list[tuple[Path, Path]], texts: Texts, source: Path, target: Path
) -> dict[str, int]:
    reasons: list[str] = []
    jobs = plan_jobs(str(source), str(target), force=True)
    files = FileOptions(keep_fields=("id",))
    reports = Reports(lambda job, number, why: reasons.append(why))
    tally = sanitize(nlp, jobs, files, reports, force=True)
    assert not leaked(*reasons, json.dumps(tally.to_dict()))
    assert not any("\n" in why for why in reasons)
    ids = [i for _, output in pairs if output.exists() for i in ids_of(output)]
    assert len(set(ids)) == len(ids) and set(ids) <= set(texts), "doubled"
    assert len(texts) - len(ids) == len(reasons), "lost"
    return {"records": len(ids), "failed": len(reasons)}
