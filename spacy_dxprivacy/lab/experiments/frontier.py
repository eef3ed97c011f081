r"""Peers at an equal attacker: what each keeps where the same attacker finds the same share.

Attacker    the one that reads (attacks/reading.py), with the exact channel of each mechanism, or
            one learned of noise; it is told how often each word comes in the texts. Epsilon is
            sought at which it finds `at` of the words. Redacted places it fills in by the words
            around them. Of a text that was rewritten it takes the words that stand there, and has
            no channel
anywhere    found, wherever it stands in its document: the measure that all peers have, and the one
            that is made equal. found: at its place
meaning     the mean cosine of the mean vectors of documents. nats: a word over the clear text,
            under the word pairs of the package, which dx.Path.v2 draws from
model       with one, the causal attacker tries the same releases, and DP-Prompt is a peer
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...arrays import Ints1d
from ...errors import DxError, Errors
from ...randomness import Rng
from ...registries import registry
from ...space import Space
from ...ty import Mechanism
from ..attacks.anywhere import found_anywhere
from ..attacks.causal import Reader, causal_guess
from ..attacks.corpus import sanitised
from ..attacks.frontier import guessed
from ..attacks.walks import Walks
from ..tuning.settings import make_of_config
from .options import Options, first_words, of_space
from .peers import ALONE, DP_PROMPT, EDITED, NAMES, USUAL, WORDS, WordPeer
from .result import Result, Row, draw_lines, finish
from .rewriting import missing, prompted, redacted
from .sought import CLOSE, nearest, sought
from .stage import NAN, Said, Stage, share

PANELS = {
    "kept": "words unchanged",
    "rare_anywhere": "rare words found",
    "meaning": "cosine of documents",
    "nats": "nats a word over the clear text",
}
STYLES = ("o-", "s--", "^:")
SEED = 1


def run(space: Space, options: Options) -> Result:
    """A row for each release that was tried; shown are those at an equal attacker.

    Raises DxError for a peer that was asked for by name and cannot be had here.
    """
    names = options.chosen(NAMES if options.mechanisms else USUAL)
    why = {name: missing(name, options.model) for name in names}
    if options.mechanisms and any(why.values()):
        name = next(name for name in names if why[name])
        raise DxError(Errors.DX165.format(name=name, why=why[name]))
    space = first_words(space, options)
    stage, walks = Stage.of(space, options), Walks()
    rows: list[Row] = []
    for name in options.progress([name for name in names if not why[name]], "peers"):
        try:
            rows += _of_peer(stage, name, rows, options, walks)
        except DxError as error:
            if options.mechanisms:
                raise
            why[name] = str(error)
    if not rows:
        raise DxError(Errors.DX165.format(name="Nothing", why="no peer takes this space"))
    rows = [_whole(row, options) for row in rows]
    shown = [_nearest_row(rows, name, options.at) for name in names if _has(rows, name)]
    notes = [*_about(stage, options), *_promises(shown, options.at)]
    notes += [f"{name} is left out: {reason}" for name, reason in why.items() if reason]
    return Result(rows, partial(draw, rows=rows, at=options.at), (10.0, 8.4), notes, shown)


def _of_peer(
    stage: Stage, name: str, so_far: list[Row], options: Options, walks: Walks
) -> list[Row]:  # fmt: skip
    if name in WORDS:
        return _of_words(stage, name, options, walks)
    if name == DP_PROMPT:
        return list(prompted(stage, options.model, options.steps))
    if name in ALONE:
        return redacted(stage, name)
    return [_edited(stage, name, so_far, options, walks)]


def _of_words(stage: Stage, name: str, options: Options, walks: Walks) -> list[Row]:
    peer = WORDS[name]

    def measure(epsilon: float) -> Row:
        mechanism = make_of_config(peer.config, stage.ground.space, epsilon)
        walks.share(mechanism)
        return _measured(stage, name, peer, mechanism)

    if options.epsilons:
        found = [(e, measure(e)) for e in options.epsilons]
    else:
        found = sought(measure, _share, peer.start, options.at, options.steps)
    epsilon, best = nearest(found, _share, options.at)
    if stage.reader is not None:
        mechanism = make_of_config(peer.config, stage.ground.space, epsilon)
        walks.share(mechanism)
        best.update(_by_model(stage, mechanism, stage.reader))
    return [row for _, row in sorted(found, key=lambda one: one[0])]


def _share(row: Row) -> float:
    return float(row["anywhere"])


def _measured(stage: Stage, name: str, peer: WordPeer, mechanism: Mechanism) -> Row:
    out = sanitised(stage.text, mechanism, Rng(SEED)).rows
    guess = guessed(out, mechanism, stage.ground, Rng(SEED + 1))
    row = {"peer": name, "epsilon": mechanism.guarantee.epsilon}
    return {**row, **stage.row(_said(stage, out, guess)), **_promise(mechanism, peer.source)}


def _said(stage: Stage, out: Ints1d, guess: Ints1d) -> Said:
    text, starts = stage.text, stage.cut(stage.text.sentences)
    return Said(stage.cut(out), starts, stage.cut(guess), out == text.rows, guess == text.rows)


def _promise(mechanism: Mechanism, source: str) -> Row:
    promise = mechanism.guarantee
    return {
        "guarantee": f"{promise}; {promise.adjacency}" if promise.adjacency else str(promise),
        "unit": promise.unit, "source": source,
    }  # fmt: skip


def _by_model(stage: Stage, mechanism: Mechanism, reader: Reader) -> Row:
    """What the causal attacker finds in the same release."""
    text, ground = stage.text, stage.ground
    out = sanitised(text, mechanism, Rng(SEED)).rows
    X = ground.space.vectors
    guess = causal_guess(text, out, mechanism, X, ground.language, reader, Rng(SEED + 1))
    where = found_anywhere(text, stage.cut(guess))
    right = guess == text.rows
    return {"anywhere_model": share(where), "found_model": share(right),
            "rare_found_model": share(right[ground.rare])}  # fmt: skip


def _edited(stage: Stage, label: str, rows: list[Row], options: Options, walks: Walks) -> Row:
    """The release at the equal attacker, gone over by dx.Remap.v1, with the model if there is one.
    It is post-processing: what is found is what was found in the release."""
    name = next(of for of, edited in EDITED.items() if edited == label)
    if not _has(rows, name):
        rows = _of_words(stage, name, options, walks)
    best = _nearest_row(rows, name, options.at)
    mechanism = make_of_config(WORDS[name].config, stage.ground.space, best["epsilon"])
    walks.share(mechanism)
    out = sanitised(stage.text, mechanism, Rng(SEED)).rows
    new = _remapped(stage, out, mechanism, options)
    figures = stage.row(_said(stage, new, new))
    own = {key: figures[key] for key in ("kept", "rare_kept", "meaning", "nats")}
    return {**best, **own, "peer": label}


def _remapped(stage: Stage, out: Ints1d, mechanism: Mechanism, options: Options) -> Ints1d:
    named = {"model": options.model, "prompt": options.prompt} if options.model else {}
    editor: Any = registry.dx_editors.get("dx.Remap.v1")(**named)
    editor.fit(stage.ground.space, mechanism)
    starts, before = stage.cut(stage.text.sentences), stage.text.before
    ends = stage.text.starts.tolist()
    parts = zip(stage.cut(out), starts, ends[:-1], ends[1:], strict=True)
    return np.concatenate(
        [
            editor.edit(rows, mechanism, begins, None, list(before[a:b]))
            for rows, begins, a, b in parts
        ]
    )


def _whole(row: Row, options: Options) -> Row:
    """With all columns, in their order."""
    by_model = {key: NAN for key in ("anywhere_model", "found_model", "rare_found_model")}
    near = abs(_share(row) - options.at) <= 2 * CLOSE
    last = ("guarantee", "unit", "source")
    first = {key: value for key, value in row.items() if key not in (*last, *by_model)}
    models = {key: row.get(key, value) for key, value in by_model.items()}
    return {**first, **models, "equal": near, **{key: row[key] for key in last}}


def _has(rows: list[Row], name: str) -> bool:
    return any(row["peer"] == name for row in rows)


def _nearest_row(rows: list[Row], name: str, at: float) -> Row:
    own = [(row["epsilon"], row) for row in rows if row["peer"] == name]
    return nearest(own, _share, at)[1]


def _about(stage: Stage, options: Options) -> list[str]:
    text = stage.text
    own = "texts of the package, made up" if options.tasks.text is None else "texts"
    return [
        of_space(stage.ground.space),
        f"{len(text)} {own}: {len(text.rows):,} words, {int(stage.ground.rare.sum())} of them "
        f"rare. Shown is where the attacker finds {options.at:.0%} of them, or nearest to it",
        "anywhere: found, wherever it stands in its document. The attacker knows the mechanism, "
        "word pairs, and how often each word comes in these texts; of dp-prompt it reads "
        "the text alone",
        "nats are under word pairs, which path2 draws from; kept of dp-prompt: words that "
        "still occur. Figures are about these texts: they are not private",
    ]


def _promises(shown: list[Row], at: float) -> list[str]:
    told = []
    for row in shown:
        off = "" if row["equal"] else f" (the attacker finds {_share(row):.0%} of it, not {at:.0%})"
        told.append(f"{row['peer']}{off}: {row['guarantee']}")
    return told


def draw(figure: Any, *, rows: list[Row], at: float) -> None:
    """What is kept, found, meant and read over what the attacker finds, a line for each peer. at:
    the share that is made equal, marked by a dotted line."""
    names = list(dict.fromkeys(row["peer"] for row in rows))
    styles = {name: STYLES[i // 8 % len(STYLES)] for i, name in enumerate(names)}
    ordered = sorted(rows, key=lambda row: (names.index(row["peer"]), _share(row)))
    panels = figure.subplots(2, 2)
    for axes, (what, title) in zip(panels.flat, PANELS.items(), strict=True):
        draw_lines(axes, ordered, x="anywhere", y=what, by="peer", styles=styles)
        axes.axvline(at, color="grey", linestyle=":", linewidth=1, zorder=0)
        finish(axes, title, "words found by the attacker, anywhere", "", log=False)
    handles = panels.flat[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=5, frameon=False, fontsize=8)
