"""The data of the tasks of the second paper, in the formats of those who publish them.

Files are found by their names, anywhere in a folder, or are named. README.md says where they are to
be had. Words that the space lacks are left out, and so is what has none left.
"""

import re

import numpy as np
from scipy.sparse import csr_array
from scipy.stats import pearsonr, spearmanr

PAIRS = {
    "MEN": ("MEN_dataset_natural_form_full", "EN-MEN-TR-3k.txt"),
    "SimLex": ("SimLex-999.txt", "EN-SIMLEX-999.txt", "simlex999.txt"),
    "SimVerb": ("SimVerb-3500.txt", "EN-SimVerb-3500.txt"),
    "WordSim": ("wordsim353.tsv",),
}
SENTENCES = {"MR": "rt-polarity.all", "CR": "custrev.all", "MPQA": "mpqa.all"}
STS = "sts-test.csv"
ODD = ("common1.tsv", "common2.tsv", "crowdsourced_filtered.tsv")


def lines_of(path):
    """Return the lines of a text file, in UTF-8 or Latin-1."""
    raw = path.read_bytes()
    try:
        text = raw.decode("utf8")
    except UnicodeDecodeError:
        text = raw.decode("latin1")
    return text.splitlines()


def read_pairs(path):
    """Return (word, word, score) of each line: fields are separated by tabs, else by white space.
    The score is the first number. Comments (#), headings and parts of speech (sun-n) are left
    out."""
    found = []
    for line in lines_of(path):
        fields = line.split("\t") if "\t" in line else line.split()
        if line.startswith("#") or len(fields) < 3:
            continue
        scores = [float(f) for f in fields[2:] if re.fullmatch(r"-?\d+(\.\d+)?", f.strip())]
        if scores:
            first, second = (re.sub(r"-[nvjar]$", "", word.strip()) for word in fields[:2])
            found.append((first, second, scores[0]))
    return found


def find(folder, names):
    """Return the first file with one of these names in a folder; None if there is none."""
    for name in names:
        for path in sorted(folder.rglob(name)) if folder.is_dir() else ():
            return path
    return None


class Words:
    """The rows of the space that the tasks use, numbered from 0 in the order of their first use."""

    def __init__(self, space):
        self.space, self.rows = space, {}

    def __call__(self, word):
        """Return the number of a word, as it is written or in lower case; None if it is unknown."""
        row = self.space.find(word)
        row = self.space.find(word.lower()) if row < 0 else row
        return None if row < 0 else self.rows.setdefault(row, len(self.rows))

    def means(self, texts):
        """Return a function from vectors (words, d) to the mean vectors of texts, (texts, d)."""
        columns, at = [], [0]
        for text in texts:
            known = map(self, re.findall(r"[^\W_]+(?:['-][^\W_]+)*|[^\w\s]", text))
            columns += [number for number in known if number is not None]
            at.append(len(columns))
        counts, at = np.diff(at), np.array(at)
        weights = np.repeat(1 / np.maximum(counts, 1), counts)
        return lambda Z: csr_array((weights, np.array(columns), at), (len(counts), len(Z))) @ Z


def unit(Z):
    return Z / np.maximum(np.linalg.norm(Z, axis=-1, keepdims=True), 1e-12)


def word_pairs(words, pairs):
    """Return the task of figure 2a: Spearman's correlation of cosines with human scores."""
    known = [(words(a), words(b), score) for a, b, score in pairs]
    known = [row for row in known if None not in row]
    if len(known) < 10:
        return None
    A, B, scores = (np.array(column) for column in zip(*known, strict=True))

    def measure(Z, rng):
        Z = unit(Z)
        return float(spearmanr(np.sum(Z[A] * Z[B], axis=1), scores).statistic)

    return measure, len(known)


def sentence_pairs(words, path):
    """Return the task of figure 2b: Pearson's correlation of human scores with the cosines of mean
    vectors."""
    rows = [line.split("\t") for line in lines_of(path)]
    rows = [row for row in rows if len(row) >= 7]
    first, second = (words.means([row[at] for row in rows]) for at in (5, 6))
    scores = np.array([float(row[4]) for row in rows])

    def measure(Z, rng):
        X, Y = unit(first(Z)), unit(second(Z))
        return float(pearsonr(np.sum(X * Y, axis=1), scores).statistic)

    return measure, len(rows)


def classes(words, path):
    """Return the task of figure 2c: accuracy of ridge regression on mean vectors, trained on four
    fifths of the texts and tested on the others."""
    lines = [line.split(" ", 1) for line in lines_of(path) if line.strip()]
    lines = [line for line in lines if len(line) == 2 and line[0] in ("0", "1")]
    means, labels = words.means([text for _, text in lines]), np.array([int(a) for a, _ in lines])

    def measure(Z, rng):
        X = means(Z)
        order = rng.permutation(len(X))
        train, test = order[: len(X) * 4 // 5], order[len(X) * 4 // 5 :]
        centre, spread = X[train].mean(axis=0), X[train].std(axis=0) + 1e-9
        A, B = (np.hstack([(X[i] - centre) / spread, np.ones((len(i), 1))]) for i in (train, test))
        weights = np.linalg.solve(A.T @ A + 10 * np.eye(A.shape[1]), A.T @ (2 * labels[train] - 1))
        return float(np.mean((B @ weights > 0) == labels[test]))

    return measure, len(lines)


def odd_ones(words, paths):
    """Return the task of figure 2d: how often the odd one of five words is the one with the lowest
    mean cosine to the others. Sets with an unknown word, or terms of several words, are left
    out."""
    sets = []
    for path in paths:
        for line in lines_of(path):
            terms = [term.strip() for term in line.split("\t")[1:]]
            if len(terms) == 5 and all(re.fullmatch(r"[^\W\d_]+", term) for term in terms):
                known = [words(term) for term in terms]
                if None not in known:
                    sets.append(known)
    if len(sets) < 10:
        return None
    rows = np.array(sets)

    def measure(Z, rng):
        X = unit(Z)[rows]
        return float(np.mean((X @ X.transpose(0, 2, 1)).sum(axis=2).argmin(axis=1) == 0))

    return measure, len(sets)


def all_tasks(space, folder, pairs=()):
    """Return the tasks whose data is there, by figure and name, each (measure, size); and the rows
    of the space that they use. measure: vectors of these rows and a generator -> a number."""
    words, found = Words(space), {}
    named = {name: find(folder, names) for name, names in PAIRS.items()}
    for name, path in {**named, **{path.stem: path for path in pairs}}.items():
        if path is not None:
            found["2a", name] = word_pairs(words, read_pairs(path))
    if path := find(folder, [STS]):
        found["2b", "STS-B"] = sentence_pairs(words, path)
    for name, file in SENTENCES.items():
        if path := find(folder, [file]):
            found["2c", name] = classes(words, path)
    if paths := [path for name in ODD if (path := find(folder, [name]))]:
        found["2d", "odd man out"] = odd_ones(words, paths)
    used = np.array([*words.rows], dtype=int)
    return {key: task for key, task in found.items() if task is not None}, used
