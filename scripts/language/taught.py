"""A law of pairs that has learned from what a causal model said of each next word.

Text that a model writes tells little: each word is one draw. What the model said of that place
before it drew is a whole law of the next word, and is counted as it stands; so ten thousand places
teach more than a hundred thousand words would.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from language.pairs import Pairs
from language.types import CLITICS, Floats, Ints, Types
from spacy_dxprivacy import Space

BEGINS_WORD = re.compile(r" ?[A-Za-z0-9]")
ENDS = ".!?;\n"
TOKENS = re.compile(r"[A-Za-z']+|[.!?;\n]")
FORMS = (str, str.capitalize, str.upper)  # of a word after a blank, as texts have it
SMOOTH = 3_000  # words of the law before, beside those that were written, in the law of words alone
SLOPE = 0.8  # how far the law before is bent towards the words that were written
CLIP = 50.0  # times that a word becomes commoner, or rarer, at most


@dataclass(frozen=True)
class Cutter:
    """What tokens of a model are. texts: of each token. words: csr (V, K), which types the words
    are that begin with it. index: the type of each lower-case word."""

    texts: list[str]
    words: Any
    index: dict[str, int]

    @property
    def types(self) -> int:
        return int(self.words.shape[1])


@dataclass(frozen=True)
class Counts:
    """joint: csr (K + 2, K + 2), how often each type follows each; K is any other word, K + 1 the
    begin and end of a sentence. places: how many it was asked of."""

    joint: Any
    places: int


def cutter_of(tokenizer: Any, space: Space, types: Types, frequency: Floats) -> Cutter:
    K, V = len(types.names), len(tokenizer)
    texts = [
        tokenizer.convert_tokens_to_string([t]) for t in tokenizer.convert_ids_to_tokens(range(V))
    ]
    spelled = [" " + form(word) for form in FORMS for word in space.words]
    spelled += [word.capitalize() for word in space.words]  # at the beginning of a line
    some = tokenizer(spelled, add_special_tokens=False)["input_ids"]
    first = np.array([ids[0] for ids in some])
    rows = np.tile(np.arange(len(space)), len(FORMS) + 1)
    cells = sp.csr_array((frequency[rows], (first, types.of_row[rows])), shape=(V, K))
    index = {w.lower(): int(t) for w, t in zip(space.words[::-1], types.of_row[::-1], strict=True)}
    return Cutter(texts, _to_one(cells), index)


@dataclass(frozen=True)
class Event:
    """A word that begins, or hangs on another, or the end of a sentence.

    two, before: the types before it. after: its type, where it is certain; else what was said of
    the place counts."""

    two: int
    before: int
    lane: int
    place: int
    after: int | None


def counts_of(files: Iterable[Path], cutter: Cutter) -> Counts:
    some = [_counts(np.load(path), cutter) for path in files]
    return Counts(sum(one.joint for one in some), sum(one.places for one in some))


def _counts(written: Any, cutter: Cutter) -> Counts:
    K = cutter.types
    events = list(events_of(written, cutter))
    asked = [one for one in events if one.after is None]
    before, lanes, places = (
        np.array([getattr(one, name) for one in asked]) for name in ("before", "lane", "place")
    )
    said = said_of(written["ids"][lanes, places], written["shares"][lanes, places], cutter)
    spread = sp.csr_array((np.ones(len(before)), (before, np.arange(len(before)))),
                          shape=(K + 2, len(before)))  # fmt: skip
    joint = sp.csr_array(sp.hstack([spread @ said, sp.csr_array((K + 2, 2))]))
    certain = [(one.before, one.after) for one in events if one.after is not None]
    x, y = np.array(certain).T
    joint = joint + sp.csr_array((np.ones(len(x)), (x, y)), shape=joint.shape)
    return Counts(joint.tocsr(), len(before))


def said_of(ids: Ints, shares: Any, cutter: Cutter) -> Any:
    """csr (places, K): the law of the next word, of the tokens that begin one."""
    begins = np.array([bool(BEGINS_WORD.match(text)) for text in cutter.texts])
    P = shares.astype(np.float64) * begins[ids]
    P /= np.maximum(P.sum(axis=1, keepdims=True), 1e-9)
    places = np.repeat(np.arange(len(ids)), ids.shape[1])
    tokens = sp.csr_array((P.ravel(), (places, ids.ravel())), shape=(len(ids), len(begins)))
    return tokens @ cutter.words


def events_of(written: Any, cutter: Cutter) -> Iterator[Event]:
    """The events of each lane, one after the other."""
    for lane, (begin, tokens) in enumerate(zip(written["begins"], written["tokens"], strict=True)):
        yield from _events(str(begin), tokens.tolist(), cutter, lane)


def _events(begin: str, tokens: list[int], cutter: Cutter, lane: int) -> Iterator[Event]:
    K = cutter.types
    *said, word = ["", *TOKENS.findall(begin)]
    if word in ENDS:
        said, word = [*said, word], ""
    two, before = ([K + 1, K + 1, *(_type(one, cutter) for one in said[1:])])[-2:]
    for place, text in enumerate(cutter.texts[token] for token in tokens):
        bare = text.strip()
        if word and not text[:1].isalnum():
            two, before, word = before, cutter.index.get(word.lower(), K), ""
        hangs = "n't" if bare == "'t" else bare
        if hangs in CLITICS:
            after = cutter.index.get(hangs, K)
            yield Event(two, before, lane, place, after)
            two, before = before, after
        elif BEGINS_WORD.match(text) and not word:
            yield Event(two, before, lane, place, None)
            word = bare
        elif text[:1].isalnum():
            word += bare
        elif any(mark in text for mark in ENDS):
            yield Event(two, before, lane, place, K + 1)
            two = before = K + 1


def _type(token: str, cutter: Cutter) -> int:
    """The type of a word, K + 1 for an end of a sentence."""
    K = cutter.types
    return K + 1 if token in ENDS else cutter.index.get(token.lower(), K)


def taught(law: Pairs, counts: Counts, trust: float) -> Pairs:
    """The law as if it had been seen `trust` times after each word, before what was counted: bent
    towards the words that were written (Kneser, Peters and Klakow 1997), and mixed with how they
    follow each other (MacKay and Peto 1995)."""
    K = len(law.u)
    seen = counts.joint[np.r_[0:K, K + 1]][:, :K].tocsr()
    alone = law.mass[:K] / law.mass[:K].sum()
    often = np.asarray(counts.joint[:, :K].sum(axis=0)).ravel()
    now = (often + SMOOTH * alone) / (often.sum() + SMOOTH)
    bent = _bent(law, np.clip((now / alone) ** SLOPE, 1 / CLIP, CLIP))
    times = np.asarray(seen.sum(axis=1)).ravel()
    old, new = trust / (times + trust), 1 / (times + trust)
    delta = sp.diags_array(old) @ bent.delta + sp.diags_array(new) @ seen
    mass = np.append(now, law.mass[K] / law.mass[:K].sum())
    return replace(bent, delta=delta.tocsr(), back=bent.back * old, mass=mass / mass.sum())


def mixed(law: Pairs, counts: Counts, words: float, trust: float) -> Pairs:
    """Add counts to a language model, which weighs as much as `words` words of text, and `trust`
    times more after each word. So contexts that English has often hardly change."""
    K = len(law.u)
    seen = counts.joint[np.r_[0:K, K + 1]][:, :K].tocsr()
    ends = np.append(counts.joint[:K][:, [K + 1]].toarray().ravel(), 0)
    mass = law.mass / law.mass.sum()
    before, times = trust + words * mass, np.asarray(seen.sum(axis=1)).ravel()
    old, new = before / (times + before), 1 / (times + before)
    delta = sp.diags_array(old) @ law.delta + sp.diags_array(new) @ seen
    often = np.asarray(counts.joint[:, :K].sum(axis=0)).ravel()
    share = often / np.maximum(often + words * mass[:K], 1e-9)
    u = law.u * (1 - share) + often / often.sum() * share
    total = (before + times + ends)[:K]
    end = np.clip((law.end * before[:K] + ends[:K]) / total, 1e-4, 0.999)
    together = words * mass + np.append(often, ends.sum())
    return replace(
        law, u=u / u.sum(), back=law.back * old, delta=delta.tocsr(), end=end,
        mass=together / together.sum(),
    )  # fmt: skip


def _bent(law: Pairs, by: Floats) -> Pairs:
    """by: (K,), how many times as often each word comes, before sums are made 1."""
    delta = (law.delta @ sp.diags_array(by)).tocsr()
    back = law.back * (law.u * by).sum()
    total = back + np.asarray(delta.sum(axis=1)).ravel()
    total = np.where(total > 0, total, 1)
    u = law.u * by
    return replace(law, u=u / u.sum(), back=back / total, delta=sp.diags_array(1 / total) @ delta)


def _to_one(cells: Any) -> Any:
    sums = np.asarray(cells.sum(axis=1)).ravel()
    return (sp.diags_array(1 / np.where(sums == 0, 1, sums)) @ cells).tocsr()
