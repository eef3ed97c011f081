"""Labelled texts from files, their words, and releases of them.

    stsa.binary.*   SST-2: a label, a space and a sentence a line
    SMSSpam*        SMS spam of UCI: a label, a tab and a text a line
    *.csv           a header; disaster tweets (text, target), SMS spam (v2, v1), AG News (a label
                    from 1 to 4, a title and a description, without a header), or text and label

Nothing of the texts is printed or stored.
"""

import csv
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?|[^\w\s]")
COLUMNS = (("text", "target"), ("v2", "v1"), ("text", "label"))


def read(path):
    """Return texts and labels of a file."""
    path = Path(path)
    encoding = "utf8"
    try:
        path.read_text(encoding="utf8")
    except UnicodeDecodeError:
        encoding = "latin-1"
    with path.open(encoding=encoding, newline="") as file:
        if path.suffix != ".csv":
            lines = [text.rstrip("\n") for text in file]
            pairs = [text.split("\t" if "\t" in text else " ", 1)[::-1] for text in lines]
        else:
            pairs = _of_csv([*csv.reader(file)])
    return [text for text, _ in pairs], np.array([label for _, label in pairs])


def _of_csv(rows):
    for text, label in COLUMNS:
        if text in rows[0] and label in rows[0]:
            i, j = rows[0].index(text), rows[0].index(label)
            return [(row[i], row[j]) for row in rows[1:]]
    return [(" ".join(row[1:]), row[0]) for row in rows if row[0].isdigit()]


def words(text):
    """Return the words of a text, in small letters."""
    return WORD.findall(text.lower())


@dataclass
class Texts:
    """Rows of the words of texts in a space; words without a vector are dropped.

    rows: (t,), one text after the other. ends: (k,), where each ends. labels: (k,).
    """

    rows: np.ndarray
    ends: np.ndarray
    labels: np.ndarray
    names: list = field(repr=False)  # the words of the space

    def strings(self, rows):
        """Return a text for each of these, given the rows (t,) of a release."""
        parts = np.split(rows, self.ends[:-1])
        return [" ".join(self.names[row] for row in part) for part in parts]


def encode(space, texts, labels):
    """Return Texts."""
    of_texts = [[space.find(word) for word in words(text)] for text in texts]
    kept = [[row for row in part if row >= 0] for part in of_texts]
    rows = np.array([row for part in kept for row in part], dtype=np.int64)
    return Texts(rows, np.cumsum([len(part) for part in kept]), labels, space.words)


def vocabulary(space, texts):
    """Return the words of texts that the space has, by row, and how often each comes: (m,) each."""
    counts = Counter(word for text in texts for word in words(text))
    found = {space.find(word): count for word, count in counts.items()}
    found.pop(-1, None)
    rows = np.array(sorted(found), dtype=np.int64)
    return rows, np.array([found[row] for row in rows.tolist()])


def some(texts, labels, count, seed=0):
    """Return up to `count` texts and labels, drawn without replacement."""
    at = np.random.default_rng(seed).permutation(len(texts))[:count]
    return [texts[i] for i in at], labels[at]


def rouge1(originals, releases):
    """Return the mean F1 of single words, from 0 to 1: of each text, both as rows."""
    scores = []
    for a, b in zip(originals, releases, strict=True):
        shared = sum((Counter(a.tolist()) & Counter(b.tolist())).values())
        scores.append(2 * shared / max(len(a) + len(b), 1))
    return np.array(scores)


def bleu(originals, releases, longest=4):
    """Return BLEU of a corpus (Papineni et al. 2002), from 0 to 1: runs of 1 to 4 words."""
    right, total = np.zeros(longest), np.zeros(longest)
    for a, b in zip(originals, releases, strict=True):
        for n in range(1, longest + 1):
            runs = [Counter(zip(*(x.tolist()[i:] for i in range(n)), strict=False)) for x in (a, b)]
            right[n - 1] += sum((runs[0] & runs[1]).values())
            total[n - 1] += sum(runs[1].values())
    if not right.all():
        return 0.0
    return float(np.exp(np.log(right / total).mean()))  # lengths are equal: no brevity penalty


# -- classifiers -----------------------------------------------------------------------------------


def linear(train, labels, test):
    """Return the labels that a linear model (TF-IDF, logistic regression) gives to the test."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    weigh = TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"\S+", sublinear_tf=True)
    model = make_pipeline(weigh, LogisticRegression(C=4.0, max_iter=300))
    return model.fit(train, labels).predict(test)


def fasttext(train, labels, test):
    """Return the labels that fastText gives to the test; None if it is not installed."""
    import tempfile

    try:
        from fasttext import train_supervised
    except ImportError:
        return None
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf8") as file:
        for text, label in zip(train, labels, strict=True):
            file.write(f"__label__{label} {text}\n")
        file.flush()
        model = train_supervised(
            file.name, epoch=15, lr=0.5, wordNgrams=2, bucket=50_000, dim=50, thread=1, verbose=0
        )
    # Its own predict fails with numpy 2; the call below it does not.
    found = [model.f.predict(f"{text}\n", 1, -1.0, "strict") for text in test]
    return np.array([best[0][1].removeprefix("__label__") if best else "" for best in found])


CLASSIFIERS = {"linear": linear, "fastText": fasttext}


def scores(guess, labels, positive):
    """Return accuracy, precision and recall of the positive label."""
    hits = np.sum((guess == positive) & (labels == positive))
    accuracy = float(np.mean(guess == labels))
    precision = float(hits / max(np.sum(guess == positive), 1))
    return accuracy, precision, float(hits / max(np.sum(labels == positive), 1))
