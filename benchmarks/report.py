"""What run.py found, as a page with tables and plots.

    python benchmarks/report.py [docs]

writes the page again from the figures of the last run, once its words were edited here.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from figures import commit

Figures = dict[str, Any]
Series = dict[str, list[tuple[float, float]]]

COLUMNS = (
    "mechanism or way",
    "index",
    "words",
    "threads",
    "words/s",
    "of the product",
    "build, s",
    "memory, MB",
    "recall",
    "others",
)
EXACT = "dx.Exact.v1"
GROWTH = (
    "dx.Path.v1",
    "dx.Laplace.v1",
    "dx.Exponential.v1",
    "one word, cdist",
    "one word, heap",
    "probability matrix",
)

INTRODUCTION = """# How fast, how large, how exact

<!-- Written by `python benchmarks/run.py --out docs`. Edit the words in benchmarks/report.py. -->

A mechanism with noise ends in a search for the nearest word, and that search is nearly all of its
cost. The limit of an exact search is the machine's float32 matrix product: all scalar products of
the noisy vectors and the rows. So every figure stands next to it, as "of the product": words a
second, as a share of the words a second that the product alone does on a space of that size, with
as many threads. The two are measured in turns in one process; the share says more than the words a
second, which depend on the machine and on what else it does.
"""
BELOW = """
Each line was measured in a process of its own, on a synthetic space of 300 dimensions whose norms
and distances are like those of GloVe, with words that come as often as in English. Figures are
medians over turns, with a tenth of a second between them: the threads of one library wait busily
for a while, and would slow the next. *Build* is `fit`, with a saved space mapped into memory.
*Memory* is the peak of what was resident, the space included (115 MB for every 100,000 words); for
several processes, what they share counts once. *Recall* is the share of noisy vectors for which the
index finds the nearest word, the lowest of those at epsilon 5, 10, 15, 20 and 30: `dx.Exact.v1` is
held against a brute force in float64, other indexes against `dx.Exact.v1`. Mechanisms that choose a
word have no search. *Others* is the share of the machine's time that other processes had meanwhile:
with more than a few per cent of it, lines of several threads are far too low, and their shares too,
since threads of one product wait for each other; lines of one thread keep their shares. `nlp.pipe`
with 2 processes has 2 workers of one thread each.

The three last ways are plain versions of how public tools do it: noise for one word at a time, and
scipy's `cdist` to all words; the same with the distances in a dict and the two nearest off a heap;
the exponential mechanism from a matrix of all probabilities, made beforehand.
"""


LIMITS = """
**The fast search.** With vectors of 512 bits and one thread, faiss scans 4-bit codes of 150 pairs
of dimensions 4.0 times as fast as the product goes when it keeps one candidate, and 3.3 times when
it keeps 512, which recall needs; comparing those takes another tenth. Fewer bits lose more than
they win: 100 triples keep the nearest word of .97 of the noisiest vectors among 512 candidates and
need 4,096 for .999, at 2.4 times the product; 75 quadruples and one bit a dimension (RaBitQ) find
fewer. Fewer rows cannot be looked at: under heavy noise the nearest rows of a noisy vector lie in
all cells of an inverted file. So about 3 is what there is on such a processor at a recall of .999.

The other tries: **products in bf16 or int8** need instructions for them (AVX512-VNNI, AVX512-BF16
or AMX), which the processor does not have, and without them 8-bit codes go at .02 of the product
(20,000 words; the nearest is first for .98, and among 64 for all). **Stopping early by the norm
of the noise** rules out nothing: at epsilon 10 and 300 dimensions it is about 30, where no two
rows are farther apart than 15, so every row may be the nearest; and what knows the norm is no
post-processing. **Certificates for the cells of an inverted file** fail for the same reason: the
bound of each cell is below the distance that was found. **2 bits a dimension** are the 4-bit
codes of pairs above.

**The exact search** is at .88 to .94 of the product, where .97 was wanted. What it does besides is
to fold each tile of scores to maxima of groups, to copy rows beside their half squares, and to look
again at what the bound of rounding leaves. Tiles of 256 rows and 1,024 queries, which fit the
core's own memory, take one thread from .897 to .925 with 1,000 queries and more, but from .88 to
.82 with 130 and from .72 to .68 with two threads (all in one run, 50,000 words), so they are not
used; of 512 by 512, 2,048 by 256 and four more shapes none is better everywhere.

**nlp.pipe** with `dx.Path.v1` cannot come near the mechanism alone: spaCy's tokenizer does about
0.76 million words a second on the machine above, and the mechanism draws more than that. With two
workers it gets slower, as every Doc travels between processes: `dx sanitize --n-process` sends
texts.

**Whole sentences** (`dx.Path.v2`, the default): the table of [the whole way](#the-whole-way) has
the share of the tokenizer's rate from file to file; `python benchmarks/sentences.py` measures the
draws alone.

A word that is met for the first time is walked from, with the policy `general` to 3,800 others over
26,000 edges. By scipy's Dijkstra, a word at a time, that took 1.9 to 2.3 ms; now forty words and
more are walked from together, in sixteen turns of so many steps, in 1.1 to 1.4 (ten words 1.5, one
4.5; the same numbers, quiet machine). Of fresh text that was more than half of all. All ways of
laying it out (paths by key or by length, 16 to 300 words at once, 4 to 50 turns) end at 30 to 40 ns
an edge: numpy goes over each some fifteen times.

Of words that were met before, the processor's time for a word beside nine to sixteen busy
processes, two trees in alternating turns (median, least), draws the same byte for byte:

| | before, µs | now, µs | share of the tokenizer before | now |
| --- | ---: | ---: | ---: | ---: |
| `dx sanitize`, 4,000 words (nine turns) | 281, 238 | 243, 213 | .0073 | .0084 |
| `dx sanitize`, 20,000 words (five turns) | 445, 413 | 283, 263 | .0031 | .0062 |
| draws alone, 4,000 words in sentences of 20 (nine turns) | 296, 271 | 246, 192 | | |

What was gained: sentences are laid so that all lanes end together (before, the last of a batch
often ran beside few others), up to 128 of them; sums are worked out, kept and drawn from in one
order of memory, where each step was turned around twice; the states of a step are drawn at once. Of
the time now, six to seven tenths are products of the table, a tenth the states on the way back,
some 5 % each the rest of the way there, what words say, and words given their states; a tenth is
all else (cutting, spelling, receipts).

**Why not .035.** That would be 32 µs a word beside a tokenizer of 1.1 µs. A word is one step of the
chain, which has 491,307 pairs for 12,001 states, so half a million products and additions. As
listed pairs they go at 5 thousand million a second at best (scipy, 64 sentences or more side by
side: 98 µs a word; 118 with 32, 178 with 16), where a product of plain matrices does 43
thousand million (32 with 64 columns). Tables of 6 MB, and sums as large, do not fit a core's own
memory, so beside other processes it is 110 to 170 µs. What was tried on it:

- Corners of the table as plain matrices: they hold 42 % of the pairs where a tenth of the cells are
  full, and take as long as 38 % of the time. With a sixth to a sixteenth in place of a tenth, 64 to
  256 lanes, columns in one to 24 parts, or states in the order of their pairs, all differ by less
  than the noise, or are slower for what has to be gathered.
- A compiled loop with vectors of 256 bits (numba, no part of the package): 65 to 75 µs where scipy
  took 103 to 120 in the same minute. So with nothing else to do at all, the sums as they are end at
  some 15,000 words a second, a share of .017.
- Fewer pairs, exactly: a word weighs 18 to 3,200 states apart (half of the words 65 or fewer, 700
  on average) and all others alike. By the frequencies of words these others have .05 of the mass on
  average, .3 and more for one word of twenty, so a sentence of 20 words keeps clear of them less
  than .4 of the time. Where it does not, their sums are needed in full: leaving them out, or what
  came before them, breaks the bound. To draw by an upper bound and reject takes one that is above
  all contexts, which is 40 times what a common word has by itself, and 1,000 times for rare ones.
  Between the near states of two words there are some 2,300 pairs, but 34,000 lead out of those of
  one word, and these would be looked at one by one, not for 128 sentences at once.

So .0084 and .0062 are what there is to report, and on such a processor a factor of two at most is
left in it without another public law, which would be another mechanism. Two threads and two
processes share the work as before.

**The first output** of `dx sanitize --text` takes 1.42 times the processor time of `python -c
"import spacy; spacy.blank('en')"` (medians of six alternating runs beside busy processes; 2.06
times before). On a quiet machine the time before was 2.35 s, so this is about 1.6 s there:
reckoned from the share. Of 2.75 s of one run, 1.7 are Python, spaCy and its English; 0.3 our own
imports (a command is imported when it is asked for, the rules for entities when a pipeline has
them); 0.55 the space, its graph, the lengths of the policy, and scipy (0.25) for its sparse
tables; 0.12 the draw that tries a mechanism after `fit`; 0.12 the text. How far words of the
built-in space are apart, which receipts tell, took another 0.6 to 1.1 and is looked up now. What
is left of ours is what the draw needs.

**The core install** (`pip install .` into a new environment, Python 3.11): 49 packages, 550 MB
with this one, of which scipy, spaCy, numpy, blis and faiss are 430. What it requires is the same
since before there were extras, and a test names it; all else is an extra.

### The whole way

**From file to file** (`OMP_NUM_THREADS=1 python benchmarks/whole_way.py`), as
shares of the rate of spaCy's tokenizer outside of memory zones in the same run: the middle of five
turns, the least and the most, on two quiet cores; by the clock, for 1,000,000 words (a fifth for
`nlp.pipe` and entities, 40,000 for whole sentences).

| way | share | wanted |
| --- | ---: | ---: |
| spaCy's tokenizer in a memory zone | 0.169 (0.155 to 0.216) | |
| `dx sanitize`, words drawn alone (`configs/path.cfg`) | 0.301 (0.296 to 0.305) | 0.35 |
| the same, two processes over one | 1.53 (1.44 to 1.58) times | 1.7 |
| `nlp.pipe`, words drawn alone, default batch | 0.077 (0.071 to 0.079) | |
| the same, batches of 128 | 0.080 (0.076 to 0.083) | |
| `dx sanitize --entities person,date` | 0.056 (0.048 to 0.083) | 0.05 |
| `dx sanitize`, whole sentences (the default), 40,000 words | 0.004 (0.004 to 0.005) | 0.035 |

**One machine is not another.** On two other cores, a day before and with 7 % more work for words
alone, the same table had 0.349 (0.292 to 0.377) and some hours earlier 0.359 for them, 1.59 and
1.57 for two processes, 0.046 and 0.060 for entities, 0.009 for 4,000 words in whole sentences; of
4,000,000 words 0.349. Here the tokenizer takes .87 µs a word where it took 1.1 there. In turns, in
the same minutes, words alone have 0.288 where the version of the day before has 0.268: so 0.35 is
met on one machine and not on another, and a share says less than two trees in turns.

Before the changes of this version words alone had 0.155 (0.109 to 0.182) of it, three turns beside
one busy process. Of 100,000 words it is 0.124 (0.090 to 0.147) now, and was 0.069: the fewer words,
the more of the time goes to those that are met for the first time. In whole sentences 40,000 words
hold 6,300 that are different, and to walk from these takes as long as all else when they are first
met; that is before the turns of the table.

Words drawn alone go from text to text: no Docs, and what stands between blanks is cut by the
tokenizer once in a zone, thousands of such pieces in one call; public words stay cut from one zone
to the next. Only ends of pieces that could make a special case are looked at, words of a zone get
four attributes in place of 23, near words lie in one pool of numbers, whether a drawn word is
beyond reach is walked from both sides, and all texts of a batch are spelled at once. What is left,
of a million words: a third for pieces that are new, a third for draws (most of it walks from new
words), a sixth for looking up pieces that are known, a tenth for spelling.

The other ways (entities, whole sentences, `nlp.pipe` of the commands) read public words before a
zone begins, one for every 96 characters of the zone's texts, up to 32,768 pieces. In the zone the
tokenizer alone then does 2.0 times (4,000 pieces), 2.9 times (16,000) and 4.1 times (32,000) as
many words a second as without, and entity mode as a whole 1.1 to 1.25 times as many.

`nlp.pipe` without a seed draws for at most 32,768 tokens at a time, whatever its `batch_size`:
Docs of 200 words in batches of 128 went at 130,000 words a second where the default of 1,000 made
81,000, on a quiet machine; on the busy one the two are alike (5.0 and 5.2 seconds of the
processor for 160,000 words). With a seed batches are as they were, since draws follow them.

**Two processes** go 1.5 to 1.6 times as fast as one (five tables of five turns: 1.21, 1.53, 1.55,
1.66 and 1.72 in the middle; of 3,000,000 words 1.5 to 1.85). Each sees half of the text, but most
of its words: to cut 1,000,000 words, one process cuts 41,600 pieces and makes 32,600 lexemes, two
cut 61,000 and make 55,400, some .3 s more where one takes 3.0 s. Reading, sending and writing are
.2 s in the parent; and two processes that know nothing of each other were slower than one alone by
a tenth in one trial of two. Parts of work of 64 to 4,096 kB differ by less than the turns do, so
they are at most 128 kB, which holds the least in memory.

**Memory** (`python benchmarks/flat.py --words 10000000`) of all processes together, words drawn
alone, with a word that no space has in each document:

| way, 10,000,000 words | MB after a fifth | half | the end | since the fifth | since half |
| --- | ---: | ---: | ---: | ---: | ---: |
| standard input | 237 | 241 | 245 | 3.4 % | 1.7 % |
| a file | 236 | 242 | 245 | 3.7 % | 1.2 % |
| a file, two processes (two runs) | 338, 328 | 343 | 351 | 3.9, 7.0 % | 2.3 % |
| ten shards | 243 | 249 | 253 | 4.1 % | 1.6 % |

Wanted were 5 %. What grows are stores of public words up to their bounds, in each process: words
that were walked to (3 MB after the first million, 14 after the tenth, 64 at most), pieces that are
kept cut (10 MB, full after 790,000 words), and spaCy's table of lexemes (65,536 of them, then it is
emptied). Two processes fill two of each, 13 to 23 MB in all. To forget walks at 8 MB in place
of 64 holds less, and takes 13 % longer for 10,000,000 words. Before, it was 5.1, 6.9, 13.0 and
12.6 %, and two processes took 437 MB: the garbage collector wrote into what they share with their
parent, and so copied it. Of the text nothing stays.

1,000,000 words that are all different and all unknown (`benchmarks/whole_way.py --only unknown`):
the last quarter takes 1.04 times the second quarter's time, and memory is 3.0 % above that after
the first (on another machine .86 by the processor, and 7.9 % below). In finer steps: 263 MB after
60,000, 273 after 120,000 and 277 after 600,000; what grows at first are stores up to their bounds.

**Fits** of the slow mechanisms on the built-in space (60,000 words of 64 dimensions), in seconds
of the processor on the busy machine:

| mechanism | before | now | how |
| --- | ---: | ---: | --- |
| `dx.NADP.v1` | 113 | 7.2 | in float32, and in float64 where it may count |
| `dx.CusText.v1` | 31 | 3.7 | the same, for the nearest words of a group |
| `dx.Jaccard.v1` | 110 (when quiet) | 20 | by faiss, then in float64; kept beside the space |
| `dx.Diffractor.v1` | 29 | 0 | the list comes with the space; another space keeps its own |

The draws are those of before. Only the mean distance of `dx.Jaccard.v1`, on spaces of more than
4,096 words, has seven digits in common with what it was. What a promise hangs on (the diameter)
is never read from a file: it is worked out by each fit.

**Fitting large spaces** (`OMP_NUM_THREADS=2 python benchmarks/fits.py --words 50000`). The graph of
`dx.Path.v1` and `dx.Path.v2` takes two steps: near words, and walks from every word, whose counts
are exact. Threads are as many as products may use. On two cores with nothing else to do, by the
clock (of the processor, all threads together), vectors of 300 dimensions like those of GloVe:

| words | 50,000 (three runs) | 400,000 | 50,000, slower machine | 400,000, one core of it |
| --- | ---: | ---: | ---: | ---: |
| near words | 8.5 to 8.8 s (17) | 2.3 min (4.4) | 13 to 15.5 s (25 to 30) | 12.8 min (12.5) |
| walks from all | 7.1 to 7.6 s (11) | 5.9 min (10.9) | 12 to 15.5 s (21 to 24) | 24 min (21.9) |
| beta of `dx.Path.v1` | .4 s | 1.5 s | .6 s | 2.6 s |
| all of it; asked | **15.8 to 16.8 s**; 20 s | **8.2 min**; 15 min | 29 to 32 s | 37 min |
| memory at most; asked | .6 GB | **4.1 GB**; 6 GB | .6 GB | 4.1 GB |

So what is asked is met on a machine of this pace, and missed by a half on a slower one, where the
product of all pairs of 50,000 words takes 9 s of two cores by itself.

**Near words of more than 100,000** are found by codes of four bits for every three dimensions, of
which the 1,024 that seem nearest are compared: of 100,000 words they are all of the nearest ten and
.914 of the nearest hundred, and a word reaches 2,768 others where it is 2,791 by all pairs (28 s of
two cores, 50 by all pairs); of 400,000 .999 and .841; of the built-in space .983 and .970. Cells of
an inverted file (32 of 1,385, 120,000 words) find .912 and .497, in 170 s; cells of directions,
each by one product, .971 and .601 in 38 s. They lose more than they win: the short rows are near to
many words wherever these are, and where they are missed others rank before their turn, so words
reach more others (with cells of directions 64,000 of 400,000, where it is 16,000), and walks take
four times as long.

**Walks.** 4.4 edges are looked at for each word that is reached, from the short to the long, at 30
ns each. Not faster: all words numbered by the nearness of the graph (Cuthill and McKee), sources
side by side as bits of one number (64 words, clustered, together still take .57 of the steps that
they take one by one), leaving out edges that a way over two others stands in for. Counts and lists
are those of before, bit for bit: a test holds words of spaces of 600, 2,000 and 10,000 against
scipy's Dijkstra.

What is reached differs more than anything else. Of the synthetic 10,000 words a word reaches 240,
of 10,151 of word2vec (300 dimensions) 7,570, of 11,925 of a GloVe of Twitter (25) 4,510, of the
built-in 60,000 2,270. So 400,000 real vectors take longer than the synthetic ones: keep the most
frequent (`max_words`), or join them to the built-in space (`dx space --join`). `dx space` shows how
far it is, and keeps what is done beside its target (`OUT.unfinished`) for more than 150,000 words:
run again after it ended early, it goes on from there. `dx.Path.v2` needs nothing more of all words
for whole sentences; a prior of words alone (`dx.WordFrequency.v1`) walks from every word once more.

**On a GPU** there are no figures: none was to be had. What computes there after
`spacy.require_gpu()` is in [configuration](configuration.md#large-spaces-and-the-gpu).

**Other tools on the same text** (`OMP_NUM_THREADS=1 python benchmarks/side_by_side.py --python
ENV/bin/python`, 4,000 words, five turns, least and most):

| tool | share of the tokenizer's rate |
| --- | ---: |
| `dx sanitize`, words alone | 0.082 (0.068 to 0.086) |
| `dx sanitize`, whole sentences (the default) | 0.0052 (0.0045 to 0.0076) |
| `dx sanitize --entities person,date` | 0.035 (0.034 to 0.037) |
| `dx.Laplace.v1`, 10,000 words, texts of 20 words | 0.022 (0.020 to 0.026) |
| pypantera 1.0.2, CMP: that mechanism on these texts | 0.00033 (0.00029 to 0.00034) |
| presidio 2.2, analyzer and anonymizer, its rules and no model | 0.061 (0.036 to 0.065) |
| scrubadub 2.0.1, its default detectors | 0.65 (0.62 to 0.69) |

presidio and scrubadub look for patterns, and change nothing else; without a model they find no
name. pypantera 1.0.2 installs its code as a package called `src`, and imports nothing else of its
own. The authors' scripts of SanText, CusText and TEM are no packages; pypantera has their
mechanisms.

**The cache of probabilities** (`cache_mb`). Words that were drawn before are drawn again 100 times
as fast as without it. A text that is new has new words, each of which costs a pass over all words:
at 50,000 words of 300 dimensions, 1,500 MB and texts by Zipf's law, from an empty cache, the first
0.1, 0.5, 1 and 2 million words (20,000 to 49,700 different ones) are drawn 2.0, 4.4, 7.3 and 12.8
times as fast as without. Without it, a call still makes each of its words but once.

**3,000,000 words** of 300 dimensions: the index is built in 74 seconds with 4.0 GB at its peak. A
process and 8 workers that it serves hold 2.7 GB together, since each lets go of the mapped rows it
has compared, which costs it 15 to 25 per cent of its rate.
"""

TIMES = """How many times as fast, by the shares of the product, with one thread.
"""
PAIRS = (
    (("dx.Laplace.v1", "dx.Exact.v1"), "one word, cdist"),
    (("dx.Laplace.v1", "dx.AutoIndex.v1"), "one word, cdist"),
    (("dx.Laplace.v1", "dx.AutoIndex.v1"), "one word, heap"),
    (("dx.Laplace.v1, dx.RankSampling.v1", "dx.Exact.v1"), "one word, heap"),
    (("dx.Exponential.v1", ""), "probability matrix"),
)
CAPTIONS = {
    "vocabulary": "With the words of the space (300 dimensions, one thread):",
    "dimensions": "With the dimensions (50,000 words, one thread):",
    "text": "With the words in one call (50,000 words of 300 dimensions, one thread):",
}


ABOUT = {
    "command": "python benchmarks/run.py --out docs",
    "settings": {"component": {"factory": "dx_sanitizer"}},
    "data": "synthetic spaces and texts (benchmarks/synthetic.py)",
    "attacker": "none: this is about speed and memory",
}


def write(
    out: Path, about: Figures, results: list[Figures], drawn: list[str] | None = None
) -> None:
    """drawn: the plots that there are."""
    folder = out / "performance"
    folder.mkdir(parents=True, exist_ok=True)
    cases = ",\n".join(json.dumps(result) for result in results)
    head = json.dumps({"commit": commit(), **ABOUT, "machine": about})[:-1]
    found = f'{head},\n"cases": [\n{cases}\n]}}\n'
    (folder / "results.json").write_text(found, encoding="utf8")
    (out / "performance.md").write_text(page(about, results, drawn or []), encoding="utf8")


def rewrite(out: Path) -> None:
    """The page of a folder, by the figures and the plots that lie there."""
    found = json.loads((out / "performance" / "results.json").read_text(encoding="utf8"))
    drawn = [name for name in CAPTIONS if (out / "performance" / f"{name}.svg").exists()]
    text = page(found["machine"], found["cases"], drawn)
    (out / "performance.md").write_text(text, encoding="utf8")


def page(about: Figures, results: list[Figures], drawn: list[str]) -> str:
    parts = [INTRODUCTION, described(about)]
    parts += ["## All of it\n", table(results), BELOW]
    parts += ["## Against the other ways\n", TIMES, times(results)]
    parts += ["## Ratios, and what they should be\n", ratios(results), LIMITS]
    if drawn:
        parts += ["## How the cost grows\n"]
        parts += [f"{CAPTIONS[name]}\n\n![{name}](performance/{name}.svg)\n" for name in drawn]
    return "\n".join(parts)


def described(about: Figures) -> str:
    items = [f"{name} {value}" for name, value in about.items() if name not in ("quick", "minutes")]
    text = "Machine: " + ", ".join(items) + "."
    if "minutes" in about:
        text += f" The run took {about['minutes']:g} minutes."
    if about["quick"]:
        text += " **A quick run: the figures only show that it runs.**"
    return text + "\n"


# -- tables ----------------------------------------------------------------------------------------


def table(results: list[Figures]) -> str:
    lines = [f"| {' | '.join(COLUMNS)} |", "| --- | --- " + "| ---: " * (len(COLUMNS) - 2) + "|"]
    ordered = sorted(results, key=lambda result: result["n"])
    return "\n".join(lines + [line for result in ordered for line in table_line(result)])


def table_line(result: Figures) -> Iterator[str]:
    """The lines of a case, whether it was measured or not."""
    for number, row in enumerate(result["rows"]):
        if row["shown"]:
            workers = f"{row['processes']} x " if row["processes"] > 1 else ""
            figures = result["figures"] and result["figures"]["rows"][number]
            cells = [row["label"], index_of(row, figures), size_of(result)]
            cells += [f"{workers}{result['threads']}", *row_cells(figures, result["why"])]
            cells.append(f"{result['figures']['others']:.0%}" if figures else "")
            yield f"| {' | '.join(cells)} |"


def index_of(row: Figures, figures: Figures | None) -> str:
    """The name, and what it says that it searches with where that is something else."""
    name = row["index"] or "–"
    choice = figures["note"] if figures else ""
    inner = choice
    if choice.startswith(f"{name}("):
        inner = choice[len(name) + 1 : -1]
    return f"{name} ({inner})" if inner and inner != name else name


def size_of(result: Figures) -> str:
    return f"{result['n']:,}" if result["n"] else "built-in"


def row_cells(row: Figures | None, why: str) -> list[str]:
    if row is None:
        return [f"not measured: {why}", "", "", "", ""]
    lowest = min(row["recall"].values()) if row.get("recall") else None
    return [
        number_of(row["words_s"]),
        f"{row['share']:.3g}" if row["share"] < 100 else f"{row['share']:,.0f}",
        "–" if row["fit_s"] is None else seconds_of(row["fit_s"]),
        f"{row['peak_mb']:,.0f}",
        "–" if lowest is None else f"{lowest:.4g}",
    ]


def seconds_of(seconds: float) -> str:
    return "< 0.01" if seconds < 0.01 else f"{seconds:.2g}" if seconds < 10 else f"{seconds:.0f}"


def number_of(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.2g}"


def ratios(results: list[Figures]) -> str:
    lines = ["| what | words | measured | aim |", "| --- | ---: | ---: | ---: |"]
    for result in sorted(results, key=lambda result: result["n"]):
        for what, told, aim in ratio_lines(result):
            told = told or f"not measured: {result['why']}"
            lines.append(f"| {what} | {size_of(result)} | {told} | {aim} |")
    return "\n".join(lines) + "\n"


def ratio_lines(result: Figures) -> Iterator[tuple[str, str, str]]:
    """What, the figure ("" where there is none), and what it should be."""
    figures, row = result["figures"], result["rows"][0]
    first = figures and figures["rows"][0]
    if result["aim"]:
        what, aim = result["aim"]
        yield what, f"{figures['ratio']:.3g}" if figures else "", f"{aim:g}"
    elif row["what"] == "experiment":
        what = f"rank-fix experiment, {row['label']}: minutes (from a sample), MB"
        minutes = f"{350_000 / first['words_s'] / 60:.3g}, " if first else ""
        yield what, minutes + memory_of(first), "15 at most, 6,000 at most"
    elif row["what"] == "command":
        rate = f"{first['words_s']:,.0f}, " if first else ""
        what = f"{row['label']}, {row['words']:,} words: words/s, MB"
        yield what, rate + memory_of(first), "–, 1,500 at most"
    elif row["label"] == "dx.Laplace.v1" and row["shown"]:
        exact = row["index"] == EXACT
        if result["n"] >= (50_000 if exact else 400_000):
            share = f"{first['share']:.3g}" if first else ""
            what = f"{row['label']}, {row['index']} / product, threads: {result['threads']}"
            yield what, share, "0.9" if exact else "4"


def times(results: list[Figures]) -> str:
    """Of pairs of a mechanism and another way: the one's share over the other's, at each size."""
    shares = {
        (row["label"], row["index"], result["n"]): result["figures"]["rows"][0]["share"]
        for result in reversed(results)
        for row in result["rows"][:1]
        if result["figures"] and grows(result) and result["d"] == 300 and result["threads"] == 1
    }
    sizes = sorted(
        {result["n"] for result in results if result["n"] and result["rows"][0]["shown"]}
    )
    lines = [
        f"| | {' | '.join(f'{n:,}' for n in sizes)} |",
        "| --- " + "| ---: " * len(sizes) + "|",
    ]
    for (label, index), other in PAIRS:
        pairs = [(shares.get((label, index, n)), shares.get((other, "", n))) for n in sizes]
        told = ["–" if a is None or b is None else number_of(a / b) for a, b in pairs]
        lines.append(f"| {label} {index} / {other} | {' | '.join(told)} |")
    return "\n".join(lines) + "\n"


def memory_of(row: Figures | None) -> str:
    return f"{row['peak_mb']:,.0f}" if row else ""


# -- plots -----------------------------------------------------------------------------------------


def plots(out: Path, results: list[Figures]) -> list[str]:
    """The names of the plots that were drawn; none without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return []
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "dx", "font.size": 9, "svg.fonttype": "none"})
    done = [result for result in results if result["figures"]]
    wanted = {
        "vocabulary": (by_size(done), "words of the space", "milliseconds for a word"),
        "dimensions": (by_dimensions(done), "dimensions", "milliseconds for a word"),
        "text": (by_text(done), "words in one call", "milliseconds for the call"),
    }
    drawn = {
        name: plot for name, plot in wanted.items() if any(len(p) > 1 for p in plot[0].values())
    }
    for name, (series, x, y) in drawn.items():
        draw(out / "performance" / f"{name}.svg", series, x, y)
    return list(drawn)


def by_size(results: list[Figures]) -> Series:
    found: dict[str, dict[float, float]] = {}
    for result in results:
        row, first = result["rows"][0], result["figures"]["rows"][0]
        wanted = row["label"] in GROWTH and result["threads"] == 1 and result["d"] == 300
        if not wanted or not grows(result):
            continue
        # Where a size was measured more than once, the first is the one of the table.
        found.setdefault(name_of(row), {}).setdefault(result["n"], 1e3 / first["words_s"])
        if row["index"] == EXACT:
            product = found.setdefault("the product alone", {})
            product.setdefault(result["n"], 1e3 / first["product_words_s"])
    return {name: sorted(points.items()) for name, points in sorted(found.items())}


def grows(result: Figures) -> bool:
    """Whether it is of one mechanism or way, with as many words in a call as it likes."""
    row = result["rows"][0]
    alone = len(result["rows"]) == 1 and not row["words"]
    return alone and row["what"] in ("mechanism", "peer")


def name_of(row: Figures) -> str:
    return f"{row['label']} {row['index']}".strip()


def by_dimensions(results: list[Figures]) -> Series:
    """Of the size that was measured with most dimensions."""
    found: Series = {}
    n = max(((result["d"], result["n"]) for result in results), default=(0, 0))[1]
    for result in results:
        row, first = result["rows"][0], result["figures"]["rows"][0]
        if not grows(result) or row["shown"] or row["what"] == "peer" or result["n"] != n:
            continue
        found.setdefault(name_of(row), []).append((result["d"], 1e3 / first["words_s"]))
        if row["index"]:
            product = (result["d"], 1e3 / first["product_words_s"])
            found.setdefault("the product alone", []).append(product)
    return found


def by_text(results: list[Figures]) -> Series:
    found: Series = {}
    for result in results:
        for row, figures in zip(result["rows"], result["figures"]["rows"], strict=True):
            if row["what"] == "mechanism" and row["words"]:
                name = name_of(row)
                found.setdefault(name, []).append(
                    (row["words"], 1e3 * row["words"] / figures["words_s"])
                )
    return found


def draw(file: Path, series: Series, x: str, y: str) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    for name, points in series.items():
        style: dict[str, Any] = {"color": "black", "linestyle": "--"} if "product" in name else {}
        axes.plot(*zip(*points, strict=True), marker="o", markersize=3, label=name, **style)
    axes.set(xscale="log", yscale="log", xlabel=x, ylabel=y)
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside right upper", frameon=False)
    figure.savefig(file, metadata={"Date": None})


if __name__ == "__main__":
    rewrite(Path(sys.argv[1] if len(sys.argv) > 1 else "docs"))
