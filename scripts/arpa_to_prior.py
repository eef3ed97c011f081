"""Write a prior, as train_prior.py does, from an ARPA file of SRILM, KenLM or CMU Sphinx.

    python scripts/arpa_to_prior.py model.arpa.gz my_prior --order 3

The file's p(y | x), or b(x) p(y) where it lists no pair, becomes a chain with T[x, y] = b(x) p(y) +
delta[x, y]; contexts (x, y) of triples become further states (prior/contexts.py).

Limits: order 1 to 3, UTF-8, plain or .gz, with <s> and </s>; all n-grams in memory; of triples, the
contexts that come most often (--contexts). An n-gram listed below its back-off gets its back-off.
<s>, </s> and <unk> never come out. Nothing checks that probabilities add up to 1.
"""

import argparse
from pathlib import Path

import numpy as np
from language.arpa import Arpa, beyond_back_off, read_arpa
from scipy.sparse import csr_array, diags_array

from spacy_dxprivacy.prior.cells import cells_of, places_in
from spacy_dxprivacy.prior.chain import PairModel, absorb_stops, chain_of, shares_of
from spacy_dxprivacy.prior.contexts import BEGIN, Contexts, with_contexts
from spacy_dxprivacy.prior.saved import write_model

SPECIAL = ("<s>", "</s>", "<unk>", "<UNK>")
LEAST = 1e-12  # of a word, so that float32 can hold it


def model_of(arpa: Arpa, name: str, most_contexts: int = 50_000) -> PairModel:
    spoken, beyond = np.array([word not in SPECIAL for word in arpa.words]), beyond_back_off(arpa)
    begin, end = arpa.words.index("<s>"), arpa.words.index("</s>")
    u = np.maximum(arpa.p[spoken], LEAST)
    stop = (arpa.back * arpa.p[end] + beyond[:, [end]].toarray()[:, 0])[spoken]
    first = beyond[[begin]].toarray()[0][spoken] + arpa.back[begin] * u
    delta, back, ends, sums = absorb_stops(beyond[spoken][:, spoken], stop, u, arpa.back[spoken])
    stays = shares_of(sums)
    fields = {"begin": first, "alone": u / stays, "end": ends, "back": back, "u": u}
    fields |= {"delta": delta, "emit": diags_array(stays).tocsr()}
    words = [word for word, there in zip(arpa.words, spoken, strict=True) if there]
    if not len(arpa.triples.p):
        return PairModel(words, chain_of(**fields), name)
    (x, pair_y, p, back), (c, z, p3, _), V = arpa.pairs, arpa.triples, len(arpa.words)
    often = np.where(np.arange(V) == begin, arpa.p[end], arpa.p)  # as often as sentences end
    usable = (spoken[x] | (x == begin)) & spoken[pair_y] & np.isin(np.arange(len(x)), c)
    best = np.argsort(np.where(usable, -often[x] * p, np.inf), kind="stable")
    chosen = np.sort(best[: min(most_contexts, usable.sum())])
    y, of_word = pair_y[c], np.where(spoken, np.cumsum(spoken) - 1, BEGIN)
    lower = arpa.back[y] * arpa.p[z] + cells_of(beyond, y, z)
    extra, at = np.maximum(p3 - back[c] * lower, 0.0), places_in(chosen, c)
    ends = (at >= 0) & (z == end)
    here = (at >= 0) & spoken[z]
    base, back = of_word[pair_y[chosen]], back[chosen]
    stops = back * stop[base] + np.bincount(at[ends], extra[ends], len(chosen))
    cells = extra[here] / sums[base[at[here]]], (at[here], of_word[z[here]])
    more = csr_array(cells, shape=(len(chosen), len(sums)))
    contexts = Contexts(of_word[x[chosen]], base, back, stops / sums[base], more)
    return PairModel(words, chain_of(**with_contexts(fields, contexts)), name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("arpa", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--order", type=int, choices=(1, 2, 3), default=3)
    parser.add_argument("--contexts", type=int, default=50_000)
    args = parser.parse_args()
    arpa = read_arpa(args.arpa, args.order)
    write_model(model_of(arpa, args.target.name, args.contexts), args.target, {}, force=False)


if __name__ == "__main__":
    main()
