"""Peers at an equal attacker: what each retains where the attack success rate is the same.

The attacker is that of attacks/frontier.py; it knows the frequencies of words in the texts. Each
peer is measured at TRIES times its usual epsilon, and interpolated where the attacker recovers the
share `at` of the words. It fills redacted places by the words around them. Of an edited text it
has the release that was edited.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib import resources
from importlib.util import find_spec
from typing import Any

import numpy as np
import spacy

from ...arrays import Ints1d
from ...errors import DxError, Errors
from ...privacy.randomness import Rng
from ...registries import registry
from ...space import Space
from ...ty import Mechanism
from ...validate import one_of
from ..attacks.frontier import Ground, guesses_of, panels_of
from ..attacks.reading import Reader, Seen, filled_guess
from ..corpus import corpus_of, read_texts, sanitised, tokenizer, words_of
from ..mechanisms import make_mechanism
from ..results import NAN, Result, Row, interpolated
from .options import Options, of_space

ABOUT = "peers at an equal attacker: mechanisms of words, and redaction"
PAPER = "each peer's own paper, and docs/explanation/attacks.md"
DOCUMENTS = 12
DATA = resources.files("spacy_dxprivacy") / "data"
SEED = 1
TRIES = (0.8, 1.0, 1.2, 1.7)
# Mechanisms of words. usual: an epsilon at which half of the words are recovered on the built-in
# space. config: without epsilon.
WORDS: dict[str, Any] = json.loads((DATA / "peers.json").read_bytes())
EDITED = {"path2-edited": "path2"}  # by dx.Remap.v1, as post-processing of the same release
REDACTION, PRESIDIO = ALONE = ("redaction", "presidio")
NAMES = (*WORDS, *EDITED, *ALONE)
USUAL = ("path2", "path1", "exponential", "laplace", "custext", *EDITED, *ALONE)
NO_PROMISE = "no guarantee: what the recogniser does not find stays in clear"
PAPERS = {
    REDACTION: "dx_entity_ruler with dx.Redact.v1",
    PRESIDIO: "presidio-analyzer with its own rules and ours in place of a model",
}


def run(space: Space, options: Options) -> Result:
    """Return a row for each release; shown are peers at an equal attacker, or nearest to it.

    Raises DxError for a peer that was asked for by name and is not available.
    """
    names = [one_of("`mechanism`", name, NAMES) for name in options.mechanisms] or USUAL
    comparison, rows, left_out = Comparison.of(space, options), list[Row](), list[str]()
    for name in options.progress(names, "peers"):
        try:
            rows += comparison.rows(name)
        except DxError as error:
            if options.mechanisms:
                raise
            left_out.append(f"{name} is left out: {error}")
    if not rows:
        raise DxError(Errors.DX165.format(name="Nothing", why="no peer supports this space"))
    ground, at = comparison.ground, options.at
    own = "texts of the package, made up" if options.text is None else "texts"
    notes = [
        of_space(space),
        f"{len(ground.text)} {own}: {len(ground.text.rows):,} words, {int(ground.rare.sum())} of "
        f"them rare. Shown is where the attacker finds {at:.0%} of them, or nearest to it",
        "The attacker knows the mechanism, word pairs, and how often each word comes in them",
        "nats are under word pairs, which path2 draws from. Figures are about these texts: they "
        "are not private",
    ]
    shown = []
    for name in dict.fromkeys(row["mechanism"] for row in rows):
        mine = [row for row in rows if row["mechanism"] == name]
        nearest = min(mine, key=lambda row: abs(row["found"] - at))
        shown += interpolated(mine, "found", at) or [nearest]
        found = shown[-1]["found"]
        notes.append(f"{name} (the attacker finds {found:.0%} of it): {nearest['guarantee']}")
    return Result(rows, panels_of(rows), [*notes, *left_out], shown)


def texts_of(options: Options) -> list[str]:
    """Return at most `documents` texts of the user or of the package, spread over the file. Raise
    UsageError for a file that cannot be read."""
    if options.text is not None:
        texts = read_texts(str(options.text), options.field)
    else:
        with resources.as_file(DATA / "texts" / "public.jsonl") as path:
            texts = read_texts(str(path), "text")
    some = np.linspace(0, len(texts) - 1, min(options.documents, len(texts))).astype(int)
    return [texts[i] for i in some]


@dataclass(frozen=True, eq=False)
class Comparison:
    """What peers are measured on. released: mechanism, outputs and guesses by peer and epsilon."""

    texts: Sequence[str]
    ground: Ground
    options: Options
    released: dict[Any, tuple[Mechanism, Ints1d, dict[str, Ints1d]]] = field(default_factory=dict)

    @classmethod
    def of(cls, space: Space, options: Options) -> Comparison:
        """Raise DxError for texts that cannot be read, or a model that cannot be opened."""
        texts = texts_of(options)
        reader = Reader.of(options.model, space, options.prompt) if options.model else None
        text = corpus_of(tokenizer().pipe(texts), space)
        return cls(texts, Ground(space, text, reader=reader), options)

    def rows(self, name: str) -> list[Row]:
        """Return the row of each release of a peer."""
        if name in ALONE:
            return [self._redacted(name)]
        peer = WORDS[EDITED.get(name, name)]
        usual = [float(f"{peer['usual'] * times:.3g}") for times in TRIES]
        return [self._row(name, peer, e) for e in sorted(self.options.epsilons or usual)]

    def _row(self, name: str, peer: Any, epsilon: float) -> Row:
        ground, key = self.ground, (EDITED.get(name, name), epsilon)
        if key not in self.released:
            mechanism = make_mechanism(peer["config"], ground.space, epsilon)
            out = sanitised(ground.text, mechanism, Rng(SEED)).rows
            guesses = guesses_of(ground, out, mechanism, SEED + 1)
            self.released[key] = mechanism, out, guesses
        mechanism, out, guesses = self.released[key]
        if name in EDITED:
            out = self._edited(mechanism, out)
        g = mechanism.guarantee
        stated = f"{g}; {g.adjacency}" if g.adjacency else str(g)
        point = ground.point((name, g.epsilon), out, guesses)
        return {**asdict(point), "guarantee": stated, "unit": g.unit, "source": peer["source"]}

    def _edited(self, mechanism: Mechanism, out: Ints1d) -> Ints1d:
        """The release edited by dx.Remap.v1, with the model if there is one."""
        options, text = self.options, self.ground.text
        named = {"model": options.model, "prompt": options.prompt} if options.model else {}
        editor: Any = registry.dx_editors.get("dx.Remap.v1")(**named)
        editor.fit(self.ground.space, mechanism)
        parts = (np.split(some, text.starts[1:-1]) for some in (out, text.sentences))
        return np.concatenate(
            [editor.edit(rows, mechanism, starts) for rows, starts in zip(*parts, strict=True)]
        )

    def _redacted(self, name: str) -> Row:
        """The row of a recogniser whose entities are redacted: the rest is in plaintext, and gaps
        are guessed by the words around them."""
        if name == PRESIDIO and find_spec("presidio_analyzer") is None:
            why = "presidio-analyzer is not installed (the extra presidio)"
            raise DxError(Errors.DX165.format(name=name, why=why))
        ground, nlp, found = self.ground, spacy.blank("en"), []
        nlp.add_pipe("dx_entity_ruler" if name == REDACTION else "dx_presidio")
        for doc in nlp.pipe(self.texts):
            covered = np.zeros(len(doc), dtype=bool)
            for span in [*doc.ents, *doc.spans.get("presidio", [])]:
                covered[span.start : span.end] = True
            rows, *_, places = words_of(doc, ground.space)
            found.append(covered[places[rows >= 0]])
        hidden, text = np.concatenate(found), ground.text
        guess = filled_guess(Seen(text.rows, text.sentences), hidden, ground.language)
        point = ground.point((name, NAN), text.rows, {"word pairs": guess}, ~hidden)
        return {**asdict(point), "guarantee": NO_PROMISE, "unit": "", "source": PAPERS[name]}
