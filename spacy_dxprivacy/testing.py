"""Tests (pytest) that every mechanism or stage has to pass, for authors of such.

from spacy_dxprivacy.testing import mechanism_contract, stage_contract

test_mechanism = mechanism_contract("my.Mechanism.v1", {"epsilon": 2.0})
test_stage = stage_contract("my.Stage.v1")

A clause fails by pytest.fail instead of an assert, so that it also fails under python -O.
"""

from __future__ import annotations

import multiprocessing
import pickle
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import Any, ClassVar

import numpy as np
import pytest
import spacy
from spacy.vectors import Vectors

from .arrays import Floats2d, Ints1d
from .errors import DxError, quiet
from .pipeline.draft import Draft, ReleaseStage
from .pipeline.receipt import assert_sanitized
from .privacy.guarantee import KINDS, STATUSES, Guarantee
from .privacy.randomness import Rng
from .registries import registry
from .space import Space
from .ty import Draw, Mechanism, facts_of

WORDS = 40
DRAWS = 200_000  # of a word, for the distribution of outputs


@cache
def small_space() -> Space:
    """Return 40 words in the plane, word0 to word39: few enough to look at all pairs."""
    points = np.random.default_rng(1).normal(size=(WORDS, 2))
    return Space.from_vectors([f"word{i}" for i in range(WORDS)], points)


@dataclass(frozen=True)
class _Part:
    """A registered part under test, by its name in a registry, and what its constructor takes."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    registry_name: ClassVar[str]

    @property
    def block(self) -> dict[str, Any]:
        """The block of a config file that makes the part."""
        return {f"@{self.registry_name}": self.name, **self.settings}

    def made(self) -> Any:
        """Return a new part, as a config file would make it."""
        with quiet():
            return registry.resolve({"part": self.block})["part"]

    def expect(self, holds: bool, sentence: str) -> None:
        """Fail the test with a sentence where something does not hold."""
        if not holds:
            pytest.fail(f"{self.name}: {sentence}", pytrace=False)


@dataclass(frozen=True)
class Case(_Part):
    """A registered mechanism under test, and the space that it is fitted on."""

    space: Space = field(default_factory=small_space)
    registry_name = "dx_mechanisms"

    @cached_property
    def fitted(self) -> Mechanism:
        """A mechanism that is fitted on the space."""
        mechanism: Mechanism = self.made()
        mechanism.fit(self.space)
        return mechanism

    @property
    def rows(self) -> Ints1d:
        """All rows of the space, int64 (n,)."""
        return np.arange(len(self.space))

    def draw(self, rows: Any, rng: Rng | None = None) -> Draw:
        """Return a draw for rows (k,), unseeded without an rng."""
        return self.fitted.sample(np.asarray(rows), rng or Rng())

    def refusal(self, of: str, call: Callable[[], object], error: type[Exception] = DxError) -> str:
        """Return the message of the error that a call raises; fail the test if it raises none."""
        try:
            call()
        except error as raised:
            return str(raised)
        pytest.fail(f"{self.name}: expected it to refuse {of} with a {error.__name__}")

    def needs(self, part: str) -> Any:
        """Return a method of the mechanism; skip the test where it has none."""
        if not hasattr(self.fitted, part):
            pytest.skip(f"it has no {part}")
        return getattr(self.fitted, part)


Clause = Callable[[Case], None]


def it_has_every_part(case: Case) -> None:
    """name, guarantee, fit and sample are there, and the name is that of the registry."""
    mechanism = case.made()
    for part in ("name", "guarantee", "fit", "sample"):
        case.expect(hasattr(mechanism, part), f"it has no {part}")
    case.expect(mechanism.name == case.name, f"it calls itself {mechanism.name!r}")


def its_guarantee_is_a_value(case: Case) -> None:
    """A frozen Guarantee with the digest of the space after fit; epsilon, metric and source if
    it guarantees something."""
    g = case.fitted.guarantee
    case.expect(isinstance(g, Guarantee), f"its guarantee is a {type(g).__name__}")
    case.expect(hash(g) == hash(g) and g.kind in KINDS and g.status in STATUSES, f"odd: {g!r}")
    case.expect(g.space == case.space.digest, f"guarantee.space is {g.space!r} after fit")
    if g.kind != "none":
        case.expect(0 < g.epsilon < np.inf, f"it promises epsilon = {g.epsilon}")
        case.expect(0 <= g.delta < 1, f"it promises delta = {g.delta}")
        case.expect(g.kind != "metric-dp" or bool(g.metric), "metric-dp needs a named metric")
        case.expect(bool(g.source), "a guarantee names its source, a paper and a theorem")


def a_wrong_epsilon_is_refused(case: Case) -> None:
    """An epsilon that is no finite number above 0 raises, and is named."""
    if "epsilon" not in case.settings:
        pytest.skip("it has no setting epsilon")
    make = registry.dx_mechanisms.get(case.name)
    for value in (0, -1.0, float("nan"), float("inf"), "high", True, None):
        settings = {**case.settings, "epsilon": value}
        message = case.refusal(f"epsilon = {value!r}", partial(make, **settings), ValueError)
        named = "epsilon" in message and repr(value) in message
        case.expect(named, f"its refusal of epsilon = {value!r} names neither: {message}")


def it_refuses_to_draw_before_fit(case: Case) -> None:
    """sample raises DxError before fit."""
    case.refusal("to draw before fit", lambda: case.made().sample(np.array([0]), Rng()))


def a_draw_has_one_row_a_word(case: Case) -> None:
    """rows (k,) -> Draw: rows int64 (k,) of the space; vectors float32 (k, d), or None."""

    def is_array(value: Any, dtype: type, shape: tuple[int, ...]) -> bool:
        return isinstance(value, np.ndarray) and value.dtype == dtype and value.shape == shape

    n = len(case.space)
    centres = facts_of(case.fitted).centres
    d = (case.space.vectors if centres is None else centres).shape[1]
    for rows in (case.rows, [], [7], [3, 3, 3]):
        k = len(rows)
        draw = case.draw(np.array(rows, dtype=np.int64))
        case.expect(isinstance(draw, Draw), f"sample gave a {type(draw).__name__}, not a Draw")
        good = is_array(draw.rows, np.int64, (k,))
        case.expect(good, f"{k} words: rows are no int64 ({k},)")
        inside = not k or (draw.rows.min() >= 0 and draw.rows.max() < n)
        case.expect(inside, f"rows out of 0 to {n - 1} came out")
        good = draw.vectors is None or is_array(draw.vectors, np.float32, (k, d))
        case.expect(good, f"{k} words: vectors are neither None nor float32 ({k}, {d})")


def it_refuses_what_are_no_rows(case: Case) -> None:
    """Rows that the space does not have, and other shapes and types, raise DxError."""
    for rows in ([-1], [WORDS], [0, 99], [0.5], [[0]], ["a"]):
        case.refusal(f"rows = {rows}", partial(case.draw, rows))


def it_writes_into_nothing_that_it_is_given(case: Case) -> None:
    """Rows and the vectors of the space are as before."""
    rows, vectors = case.rows, case.space.vectors.copy()
    case.draw(rows)
    case.expect(np.array_equal(rows, case.rows), "sample wrote into rows")
    case.expect(np.array_equal(vectors, case.space.vectors), "it wrote into the space")


def a_seed_repeats_the_draw(case: Case) -> None:
    """All randomness comes from the given Rng; without a seed nothing repeats."""
    rows = np.tile(case.rows, 10)
    first, again = (case.draw(rows, Rng(seed=5)).rows for _ in range(2))
    case.expect(np.array_equal(first, again), "two draws with one seed differ")
    first, again = (case.draw(rows).rows for _ in range(2))
    equal = case.fitted.guarantee.kind != "none" and np.array_equal(first, again)
    case.expect(not equal, "two draws without a seed are the same")


def forks_do_not_repeat_the_noise(case: Case) -> None:
    """A forked process draws other noise than its parent."""
    if case.fitted.guarantee.kind == "none":
        pytest.skip("it promises nothing")
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("no fork on this system")
    rng, rows = Rng(), np.tile(case.rows, 10)
    case.draw(rows, rng)
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    with warnings.catch_warnings():  # Python 3.12 warns where other threads run
        warnings.simplefilter("ignore", DeprecationWarning)
        process = context.Process(target=lambda: theirs.send(case.draw(rows, rng).rows))
        process.start()
    theirs.close()
    child_rows: Any = None
    with suppress(EOFError):
        child_rows = ours.recv() if ours.poll(60) else None
    process.join(60)
    case.expect(child_rows is not None, "it failed in a forked process")
    parent_rows = case.draw(rows, rng).rows
    case.expect(not np.array_equal(child_rows, parent_rows), "a fork drew what its parent drew")


def copy_for_a_worker(part: Any) -> Any:
    """Return what a worker of nlp.pipe(n_process=2) gets: a pickled copy."""
    return pickle.loads(pickle.dumps(part))  # noqa: S301


def a_copy_for_a_worker_draws_as_well(case: Case) -> None:
    """A pickled copy, as nlp.pipe(n_process=2) sends one, is fitted and draws the same."""
    copy = copy_for_a_worker(case.fitted)
    case.expect(copy.guarantee == case.fitted.guarantee, "a pickled copy promises otherwise")
    copied_rows, fitted_rows = (m.sample(case.rows, Rng(seed=8)).rows for m in (copy, case.fitted))
    case.expect(
        np.array_equal(copied_rows, fitted_rows), "a pickled copy draws otherwise with one seed"
    )


def its_probabilities_add_up(case: Case) -> None:
    """distribution(rows): float64 (k, n), none below 0, each row 1 in sum."""
    P: Floats2d = case.needs("distribution")(case.rows)
    n = len(case.space)
    case.expect(P.shape == (n, n), f"distribution of {n} rows has the shape {P.shape}")
    case.expect(bool((P >= 0).all()), "a probability is below 0")
    off = float(np.abs(P.sum(axis=1) - 1).max())
    case.expect(off <= 1e-12, f"the probabilities of a word add up to 1 but for {off:.3g}")


def its_probabilities_keep_its_promise(case: Case) -> None:
    """|ln P(y | w) - ln P(y | v)| <= epsilon distance(w, v), for all words w, v and outputs y."""
    P: Floats2d = case.needs("distribution")(case.rows)
    distances = case.needs("distances")(case.rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        L = np.log(P)
        losses = np.nan_to_num(np.abs(L[:, None, :] - L[None, :, :]), posinf=np.inf).max(axis=2)
        bound = case.fitted.guarantee.epsilon * distances
    over = np.argwhere(losses > bound + 1e-9)
    if len(over):
        w, v = over[0]
        figures = f"the loss is {losses[w, v]:.6g} nats, its bound {bound[w, v]:.6g}"
        example = f"rows {w} and {v}: {figures}"
        case.expect(False, f"{len(over)} pairs pass its promise, such as {example}")


def draws_follow_its_probabilities(case: Case) -> None:
    """Draws of a word follow its distribution, by a chi-square test at 1e-4 with a fixed seed."""
    from scipy.stats import chisquare

    P: Floats2d = case.needs("distribution")(case.rows)
    n = len(case.space)
    for row in (0, n // 2):
        counts = np.bincount(case.draw(np.full(DRAWS, row), Rng(seed=3)).rows, minlength=n)
        p = P[row]
        never = int(counts[p == 0].sum())
        case.expect(never == 0, f"row {row} gave {never} outputs of probability 0")
        value = float(chisquare(counts[p > 0], p[p > 0] / p.sum() * DRAWS).pvalue)
        case.expect(
            value > 1e-4, f"draws of row {row} are not those of distribution: p {value:.3g}"
        )


def it_works_in_a_pipeline(case: Case) -> None:
    """A pipeline that is made of a config releases a Doc with a receipt that names it."""
    nlp = spacy.blank("en")
    table, words = case.space.vectors.copy(), case.space.words
    nlp.vocab.vectors = Vectors(strings=nlp.vocab.strings, data=table, keys=words)
    with quiet():
        nlp.add_pipe("dx_sanitizer", config={"mechanism": case.block})
        doc = nlp(" ".join(words))
    assert_sanitized(doc)
    case.expect(len(doc) == len(words), f"{len(words)} words went in, {len(doc)} came out")
    case.expect(doc._.dx.mechanism == case.name, "the receipt does not name it")


CLAUSES: tuple[Clause, ...] = (
    it_has_every_part,
    its_guarantee_is_a_value,
    a_wrong_epsilon_is_refused,
    it_refuses_to_draw_before_fit,
    a_draw_has_one_row_a_word,
    it_refuses_what_are_no_rows,
    it_writes_into_nothing_that_it_is_given,
    a_seed_repeats_the_draw,
    forks_do_not_repeat_the_noise,
    a_copy_for_a_worker_draws_as_well,
    its_probabilities_add_up,
    its_probabilities_keep_its_promise,
    draws_follow_its_probabilities,
    it_works_in_a_pipeline,
)


def mechanism_contract(
    name: str, settings: Mapping[str, Any] | None = None, space: Space | None = None
) -> Any:
    """Return a test for pytest, one case a clause: give it a name that begins with test_.

    Args:
        name: The mechanism in the registry dx_mechanisms, by entry point or by an import.
        settings: What its constructor needs; an epsilon under which words do change keeps the
            tests sharp.
        space: small_space() if left out.
    """
    return _contract(Case(name, dict(settings or {}), space or small_space()), CLAUSES)


def _contract(case: Any, clauses: Sequence[Callable[[Any], None]]) -> Any:
    @pytest.mark.parametrize("clause", clauses, ids=lambda clause: clause.__name__)
    def test_contract(clause: Callable[[Any], None]) -> None:
        clause(case)

    return test_contract


# -- stages ----------------------------------------------------------------------------------------


class StageCase(_Part):
    """A registered stage under test."""

    registry_name = "dx_stages"

    def words(self, stage: ReleaseStage, draft: Draft) -> list[str]:
        """Return the words that a stage returns, by the same noise each time."""
        return list(stage(draft, Rng(seed=5)).words)


def small_release() -> Draft:
    """Return two documents as a stage gets them: words and marks, without the input."""
    nlp = spacy.blank("en")
    docs = [nlp("Word1 word2, and word3."), nlp("Nothing else!")]
    return Draft.of(docs, small_space()).public(shows_unknown=False)


def it_returns_a_word_for_each_token(case: StageCase) -> None:
    """A Draft of as many words, which are texts, and of as many blanks."""
    draft = small_release()
    made = case.made()(draft, Rng())
    case.expect(isinstance(made, Draft), f"it gave a {type(made).__name__}, not a Draft")
    sizes = {len(made.words), len(made.spaces)}
    case.expect(sizes == {len(draft)}, f"{len(draft)} words went in, {sizes} came out")
    texts = all(isinstance(word, str) and word for word in made.words)
    case.expect(texts, "a word that came out is no text, or an empty one")


def it_changes_no_draft_that_it_is_given(case: StageCase) -> None:
    """Words and blanks of the draft that went in are as before."""
    draft, before = small_release(), small_release()
    case.made()(draft, Rng())
    same = list(draft.words) == list(before.words) and list(draft.spaces) == list(before.spaces)
    case.expect(same, "it wrote into the draft")


def a_seed_or_a_copy_repeats_it(case: StageCase) -> None:
    """All randomness comes from the given Rng; a pickled copy, as for a worker, does the same."""
    stage, draft = case.made(), small_release()
    words = case.words(stage, draft)
    case.expect(words == case.words(stage, draft), "two calls with one seed differ")
    copy = copy_for_a_worker(stage)
    case.expect(words == case.words(copy, draft), "a pickled copy changes words otherwise")


def it_works_in_a_sanitizer(case: StageCase) -> None:
    """A pipeline that is made of a config releases a Doc of as many tokens, with a receipt."""
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_sanitizer", config={"stages": {"tested": case.block}})
    doc = nlp("The doctor saw a dog.")
    assert_sanitized(doc)
    case.expect(len(doc) == 6, f"6 words went in, {len(doc)} came out")


STAGE_CLAUSES = (
    it_returns_a_word_for_each_token,
    it_changes_no_draft_that_it_is_given,
    a_seed_or_a_copy_repeats_it,
    it_works_in_a_sanitizer,
)


def stage_contract(name: str, settings: Mapping[str, Any] | None = None) -> Any:
    """Return a test for pytest, one case a clause: give it a name that begins with test_.

    Args:
        name: The stage in the registry dx_stages, by entry point or by an import.
        settings: What its constructor needs.
    """
    return _contract(StageCase(name, dict(settings or {})), STAGE_CLAUSES)
