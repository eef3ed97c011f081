"""The default at an equal attacker on several kinds of text, and how it reads to judges.

    python benchmarks/readability.py notes=notes.jsonl talks=talks.jsonl --judge MODEL --judge MODEL

The first 34 tokens of 60 documents of each file. Epsilon is the one at which the strongest attacker
with word pairs recovers .60 of the words, interpolated between EPSILONS. A judge's figure is nats a
word beyond the original. Judges need the extra `lm`. Writes docs/experiments/kinds.json.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import spacy
import srsly
from figures import DOCS, write_result
from spacy.tokens import Doc

from spacy_dxprivacy import Space
from spacy_dxprivacy.io.build import parse_mechanism
from spacy_dxprivacy.lab.attacks.frontier import FrontierPoint, Ground, at_attacker, point
from spacy_dxprivacy.lab.causal import open_model
from spacy_dxprivacy.lab.corpus import read_corpus, read_texts
from spacy_dxprivacy.lab.mechanisms import make_mechanism
from spacy_dxprivacy.mechanisms.levels import LEVELS
from spacy_dxprivacy.pipeline.component import DEFAULT_CONFIG

DOCUMENTS, TOKENS = 60, 34
EPSILONS = (0.75, 1.05, 1.35)
RECOVERED = 0.60
EDITORS: dict[str, dict[str, str] | None] = {
    "nothing": None,
    "--edit": {"@dx_editors": "dx.Remap.v1"},
}


def openings(path: str) -> list[str]:
    """The first tokens of the first documents."""
    tokenizer = spacy.blank("en").tokenizer
    return [tokenizer(text)[:TOKENS].text for text in read_texts(path, "text", most=DOCUMENTS)]


def met(texts: list[str], folder: Path) -> FrontierPoint:
    """What is unchanged and recovered where RECOVERED of the words are."""
    path = folder / "texts.jsonl"
    srsly.write_jsonl(path, ({"text": text} for text in texts))
    space = Space.builtin()
    ground = Ground(space, read_corpus(str(path), space))
    name, config = parse_mechanism("dx.Path.v2")
    points = [point(name, make_mechanism(config, space, e), ground) for e in EPSILONS]
    (found,) = at_attacker(points, RECOVERED)
    return found


def released(texts: list[str], epsilon: float, editor: dict[str, str] | None = None) -> list[Doc]:
    """One release by the default mechanism."""
    nlp = spacy.blank("en")
    mechanism = {**DEFAULT_CONFIG["mechanism"], "epsilon": epsilon}
    nlp.add_pipe("dx_sanitizer", config={"mechanism": mechanism, "editor": editor, "seed": 1})
    return list(nlp.pipe(texts))


def excess(texts: list[str], release: list[Doc], judge: str) -> float:
    """Nats a word of a release beyond its original."""
    words = sum(token.is_alpha for doc in map(spacy.blank("en"), texts) for token in doc)
    model = open_model(judge)
    before, after = (
        float(model.nats([model.encode([text])[0] for text in some]).sum())
        for some in (texts, [doc.text for doc in release])
    )
    return (after - before) / words


def unchanged(texts: list[str], release: list[Doc]) -> float:
    """The share of the words that stay in their places."""
    originals = map(spacy.blank("en"), texts)
    pairs = [
        pair for docs in zip(originals, release, strict=True) for pair in zip(*docs, strict=True)
    ]
    same = [one.lower_ == other.lower_ for one, other in pairs if one.is_alpha]
    return sum(same) / len(same)


def editing(path: str, judges: list[str]) -> None:
    """What editors gain: they read the release alone, so that attackers have the same."""
    texts = openings(path)
    rows = []
    for name, level in LEVELS.items():
        for option, editor in EDITORS.items():
            release = released(texts, level.epsilon, editor)
            judged = [f"{excess(texts, release, judge):+.2f}" for judge in judges]
            rows.append([name, option, f"{unchanged(texts, release):.2f}", *judged])
            print(*rows[-1], flush=True)
    write_result(
        DOCS / "experiments" / "editing.json",
        command="python benchmarks/readability.py notes=FILE --edited"
        + " --judge MODEL" * len(judges),
        settings={"default": DEFAULT_CONFIG["mechanism"], "editors": EDITORS},
        data=f"The first {TOKENS} tokens of {len(texts)} documents. One release a level.",
        attacker="the same in every row of a level: an editor reads the release and public "
        "knowledge alone",
        columns=["level", "edited by", "unchanged"]
        + [f"excess nats a word, {Path(judge).stem}" for judge in judges],
        rows=rows,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("texts", nargs="+", help="NAME=FILE, .jsonl with a field text")
    parser.add_argument("--judge", action="append", default=[])
    parser.add_argument("--edited", action="store_true")
    options = parser.parse_args()
    if options.edited:
        editing(options.texts[0].partition("=")[2], options.judge)
        return
    rows = []
    for one in options.texts:
        name, _, path = one.partition("=")
        texts = openings(path)
        with tempfile.TemporaryDirectory() as folder:
            found = met(texts, Path(folder))
        release = released(texts, found.epsilon)
        judged = [f"{excess(texts, release, judge):+.2f}" for judge in options.judge]
        shares = (found.kept, found.rare_found, found.cosine)
        row = [name, f"{found.epsilon:.2f}", *(f"{share:.2f}" for share in shares), *judged]
        rows.append(row)
        print(*row, found.words, found.attacker, flush=True)
    judges = [Path(judge).stem for judge in options.judge]
    write_result(
        DOCS / "experiments" / "kinds.json",
        command=" ".join(
            ["python benchmarks/readability.py", *(f"{row[0]}=FILE" for row in rows)]
            + ["--judge MODEL" for _ in judges]
        ),
        settings={"default": DEFAULT_CONFIG["mechanism"], "epsilons": list(EPSILONS)},
        data=f"The first {TOKENS} tokens of {DOCUMENTS} documents of each. One release a row.",
        attacker=f"recovers {RECOVERED:.0%} of the words: word pairs of English, of the domain and "
        "of the prior, with the word frequencies of these texts; epsilon is interpolated",
        columns=["texts", "epsilon", "unchanged", "rare recovered", "cosine"]
        + [f"excess nats a word, {judge}" for judge in judges],
        rows=rows,
    )


if __name__ == "__main__":
    main()
