"""Two graphs over WordNet's synsets and lemmas, and each word's place to start a walk.

``relations`` follows WordNet's own pointers; ``glosses`` adds an edge from a synset to every word
of its definition. Pseudo-nodes (a group of names, a closed class) and words with anchors lead
into WordNet by one-way edges: two-way edges would drain the walk into the lists.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from builtin_space.authored import DATA
from builtin_space.forms import Forms
from builtin_space.vocabulary import Word
from builtin_space.wordnet import Synset, WordNet

POINTER_WEIGHTS = {
    "@": 1.0, "@i": 1.0, "~": 1.0, "~i": 1.0, "&": 1.0, "+": 1.0, "\\": 1.0, "$": 1.0, "<": 1.0,
    "#m": 0.7, "#s": 0.7, "#p": 0.7, "%m": 0.7, "%s": 0.7, "%p": 0.7,
    "^": 0.7, "=": 0.7, "*": 0.7, ">": 0.7,
    "!": 0.5, ";c": 0.5, "-c": 0.5, ";r": 0.3, "-r": 0.3,
}  # fmt: skip
GLOSS_WEIGHT = 0.3
EXAMPLE_WEIGHT = 0.1
PART_OF_PHRASE = 0.3
ANCHOR_SHARE = 0.25  # of the walk from a lemma with anchors that goes to the anchors
CLOSED_SHARE = 0.85  # of a listed word's start that goes to its groups
LIST_SHARES = dict.fromkeys("city country state region nationality religion language".split(), 0.5)
LIST_SHARES |= {"adverb_function": 0.4, "unit": 0.5, "title": 0.6, "direction": 0.6}

STOP_WORDS = frozenset((DATA / "stop_words.txt").read_text("utf8").split())

Edge = tuple[str, str, float]
Evidence = dict[str, dict[str, float]]  # lemma -> synset -> fit


@dataclass
class Graph:
    """Node names, and the row-normalised transition matrix (CSR, float32)."""

    index: dict[str, int]
    transition: sparse.csr_array


def lemma_node(lemma: str) -> str:
    return "w:" + lemma


def sense_weights(
    net: WordNet, lemma: str, part: str | None = None, evidence: Evidence | None = None
) -> dict[str, float]:
    """Synset -> share of a case form's uses; SemCor counts, damped, with the rank as a tie-break.

    evidence: for some lemmas, how well each sense fits the lemma's authored anchors.
    """
    fits = (evidence or {}).get(lemma)
    weights = {}
    for sense in net.senses.get(lemma.lower().replace(" ", "_"), ()):
        if lemma in net.synsets[sense.synset].words and part in (None, sense.part):
            prior = math.sqrt((sense.count + 1) / sense.rank)
            weights[sense.synset] = prior * (fits[sense.synset] if fits else 1.0)
    total = sum(weights.values())
    return {synset: weight / total for synset, weight in weights.items() if weight > 0}


def build_graphs(
    net: WordNet,
    forms: Forms,
    anchors: dict[str, list[str]],
    groups: dict[str, list[str]],
    evidence: Evidence | None = None,
) -> tuple[Graph, Graph]:
    """The relation graph and the gloss graph, over the same nodes."""
    two_way = list(_lemma_edges(net, evidence)) + list(_pointer_edges(net))
    gloss = list(_gloss_edges(net, forms)) + list(_phrase_edges(net))
    one_way = list(_anchor_edges(anchors)) + list(_group_edges(groups))
    nodes = sorted({node for edge in [*two_way, *gloss, *one_way] for node in edge[:2]})
    index = {node: i for i, node in enumerate(nodes)}
    return _graph(index, two_way, one_way), _graph(index, two_way + gloss, one_way)


def _graph(index: dict[str, int], two_way: Sequence[Edge], one_way: Sequence[Edge]) -> Graph:
    size = len(index)
    there = _matrix(index, two_way)
    free = _normalise(there + there.T)
    led = _normalise(_matrix(index, one_way))
    has_lead = np.asarray(led.sum(axis=1)).ravel() > 0
    has_free = np.asarray(free.sum(axis=1)).ravel() > 0
    share = np.where(has_lead & has_free, ANCHOR_SHARE, has_lead.astype(float))
    transition = sparse.diags_array(1 - share) @ free + sparse.diags_array(share) @ led
    assert transition.shape == (size, size)
    return Graph(index, sparse.csr_array(transition.astype(np.float32)))


def _matrix(index: dict[str, int], edges: Sequence[Edge]) -> sparse.csr_array:
    rows, columns = ([index[edge[end]] for edge in edges] for end in (0, 1))
    data = [weight for _, _, weight in edges]
    return sparse.csr_array((data, (rows, columns)), shape=(len(index), len(index)))


def _normalise(matrix: sparse.csr_array) -> sparse.csr_array:
    total = np.asarray(matrix.sum(axis=1)).ravel()
    inverse = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    return sparse.csr_array(sparse.diags_array(inverse) @ matrix)


def _lemma_edges(net: WordNet, evidence: Evidence | None) -> Iterable[Edge]:
    for lower in sorted(net.cased):
        for lemma in sorted(net.cased[lower]):
            for synset, weight in sorted(sense_weights(net, lemma, None, evidence).items()):
                yield lemma_node(lemma), synset, weight


def _pointer_edges(net: WordNet) -> Iterable[Edge]:
    """Each pointer is stored at both its ends; half the weight at each keeps the sum as listed."""
    for key in sorted(net.synsets):
        for symbol, target in net.synsets[key].pointers:
            if symbol in POINTER_WEIGHTS:
                yield key, target, POINTER_WEIGHTS[symbol] / 2


def _gloss_edges(net: WordNet, forms: Forms) -> Iterable[Edge]:
    texts = {key: _gloss_lemmas(net.synsets[key], net, forms) for key in sorted(net.synsets)}
    frequency: Counter[str] = Counter()
    for definition, _ in texts.values():
        frequency.update(definition)
    scale = math.log(len(texts))
    for key, (definition, examples) in texts.items():
        for lemmas, weight in ((definition, GLOSS_WEIGHT), (examples, EXAMPLE_WEIGHT)):
            for lemma in sorted(lemmas):
                idf = 1 - math.log(1 + frequency[lemma]) / scale
                yield key, lemma_node(lemma), weight * 4 * idf**2


def _gloss_lemmas(synset: Synset, net: WordNet, forms: Forms) -> tuple[set[str], set[str]]:
    own = set(synset.words)
    definition = _lemmas(synset.definition, net, forms) - own
    examples = _lemmas(" ".join(synset.examples), net, forms) - own - definition
    return definition, examples


def _lemmas(text: str, net: WordNet, forms: Forms) -> set[str]:
    known = (_known(word, net, forms) for word in re.findall(r"[A-Za-z]+", text))
    return set().union(*known) - STOP_WORDS


def _known(word: str, net: WordNet, forms: Forms) -> set[str]:
    for case in (word, word.lower()):
        bases = {base for base, _, _ in forms.get(case, ())}
        if bases:
            return bases
        if case in net.cased.get(case.lower(), ()):
            return {case}
    return set()


def _phrase_edges(net: WordNet) -> Iterable[Edge]:
    for lower in sorted(net.cased):
        for lemma in sorted(net.cased[lower]):
            parts = [p for p in re.split(r"[_\-]", lemma) if len(p) > 2]
            for part in parts if len(parts) > 1 else []:
                if part not in STOP_WORDS and part in net.cased.get(part.lower(), ()):
                    yield lemma_node(lemma), lemma_node(part), PART_OF_PHRASE


def _anchor_edges(anchors: dict[str, list[str]]) -> Iterable[Edge]:
    for word in sorted(anchors):
        for anchor in anchors[word]:
            yield lemma_node(word), lemma_node(anchor), 1.0


def resolve_anchors(
    anchors: dict[str, list[str]], net: WordNet, forms: Forms
) -> dict[str, list[str]]:
    """Anchors as lemmas: inflected ones become their bases; unknown ones are an error."""
    return {
        word: [a for anchor in anchors[word] for a in _resolve(anchor, word, anchors, net, forms)]
        for word in sorted(anchors)
    }


def _resolve(
    anchor: str, word: str, anchors: dict[str, list[str]], net: WordNet, forms: Forms
) -> list[str]:
    if anchor in net.cased.get(anchor.lower(), ()) or (anchor in anchors and anchor != word):
        return [anchor]
    bases = sorted({base for base, _, _ in forms.get(anchor, ())})
    assert bases, f"anchor {anchor!r} of {word!r} is not known"
    return bases


def _group_edges(groups: dict[str, list[str]]) -> Iterable[Edge]:
    for group in sorted(groups):
        for target in groups[group]:
            yield "g:" + group, target, 1.0


def start_rows(
    words: Sequence[Word],
    net: WordNet,
    index: dict[str, int],
    anchored: Collection[str],
    evidence: Evidence,
) -> sparse.csr_array:
    """Row-stochastic (words, nodes): where the walk of each word begins."""
    rows, columns, data = [], [], []
    for row, word in enumerate(words):
        start = _start(word, net, index, anchored, evidence)
        for node in sorted(start):
            rows.append(row)
            columns.append(index[node])
            data.append(start[node])
    shape = (len(words), len(index))
    return _normalise(sparse.csr_array((data, (rows, columns)), shape=shape))


def _start(
    word: Word, net: WordNet, index: dict[str, int], anchored: Collection[str], evidence: Evidence
) -> dict[str, float]:
    start: dict[str, float] = defaultdict(float)
    for reading in word.readings:
        at_node = 0.5 if reading.form is None or reading.lemma in anchored else 0.2
        start[lemma_node(reading.lemma)] += at_node * reading.weight
        for synset, share in sense_weights(net, reading.lemma, reading.part, evidence).items():
            start[synset] += (1 - at_node) * reading.weight * share
    own = {node: w for node, w in start.items() if node in index}
    share = _list_share(word) if word.groups and own else float(bool(word.groups))
    mixed = defaultdict(float, {node: (1 - share) * w for node, w in own.items()})
    for group in sorted(word.groups):
        mixed["g:" + group] += share * word.groups[group] / sum(word.groups.values())
    if word.anchors and not own:
        mixed[lemma_node(word.text)] += 1.0
    return {node: weight for node, weight in mixed.items() if node in index and weight > 0}


def _list_share(word: Word) -> float:
    """How much of a word's start its groups have, next to WordNet's own readings of it."""
    coarse = word.coarse()
    kind = max(sorted(coarse), key=lambda name: coarse[name])
    return LIST_SHARES.get(kind, CLOSED_SHARE)
