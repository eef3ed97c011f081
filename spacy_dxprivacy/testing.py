"""The contract of mechanisms and stages, as pytest tests for their authors.

    from spacy_dxprivacy.testing import mechanism_contract, stage_contract

    test_mechanism = mechanism_contract("my.Mechanism.v1", {"epsilon": 2.0})
    test_stage = stage_contract("my.Stage.v1")

Clauses call pytest.fail instead of assert, so that they also fail under python -O.
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
from .pipeline.draft import Draft
from .pipeline.receipt import assert_sanitized
from .privacy.guarantee import GUARANTEE_KINDS, STATUSES, Guarantee
from .privacy.randomness import Rng
from .registries import registry
from .space import Space
from .ty import Draw, Mechanism, ReleaseStage, facts_of

SMALL_SPACE_WORDS = 40
DRAWS = 200_000  # of a word, to test the distribution of outputs


@cache
def small_space() -> Space:
    """Return a space of 40 words in the plane, word0 to word39, so that all pairs can be tested."""
    points = np.random.default_rng(1).normal(size=(SMALL_SPACE_WORDS, 2))
    return Space.from_vectors([f"word{i}" for i in range(SMALL_SPACE_WORDS)], points)


@dataclass(frozen=True)
class _Part:
    """A registered part under test: its name in a registry, and the settings to make it."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    registry_name: ClassVar[str]

    @property
    def block(self) -> dict[str, Any]:
        """The block of a config file that makes the part."""
        return {f"@{self.registry_name}": self.name, **self.settings}

    def make(self) -> Any:
        """Return a new part, made from its block."""
        with quiet():
            return registry.resolve({"part": self.block})["part"]

    def expect(self, holds: bool, sentence: str) -> None:
        """Fail the test with a sentence unless a condition holds."""
        if not holds:
            pytest.fail(f"{self.name}: {sentence}", pytrace=False)


@dataclass(frozen=True)
class Case(_Part):
    """A registered mechanism under test, and the space to fit it on."""

    space: Space = field(default_factory=small_space)
    registry_name = "dx_mechanisms"

    @cached_property
    def fitted(self) -> Mechanism:
        """The mechanism, fitted on the space."""
        mechanism: Mechanism = self.make()
        mechanism.fit(self.space)
        return mechanism

    @property
    def rows(self) -> Ints1d:
        """All rows of the space, int64 (n,)."""
        return np.arange(len(self.space))

    def draw(self, rows: Any, rng: Rng | None = None) -> Draw:
        """Return a draw for rows (k,), with secure randomness if there is no rng."""
        return self.fitted.sample(np.asarray(rows), rng or Rng())

    def expect_error(
        self, cause: str, call: Callable[[], object], error: type[Exception] = DxError
    ) -> str:
        """Return the message of the error that a call raises. Fail the test if it raises none."""
        try:
            call()
        except error as raised:
            return str(raised)
        pytest.fail(f"{self.name}: expected a {error.__name__} for {cause}")

    def require(self, part: str) -> Any:
        """Return a method of the mechanism. Skip the test if it has none."""
        if not hasattr(self.fitted, part):
            pytest.skip(f"it has no {part}")
        return getattr(self.fitted, part)


Clause = Callable[[Case], None]


def it_has_all_attributes(case: Case) -> None:
    """It has name, guarantee, fit and sample, and its name is that in the registry."""
    mechanism = case.make()
    for part in ("name", "guarantee", "fit", "sample"):
        case.expect(hasattr(mechanism, part), f"it has no {part}")
    case.expect(mechanism.name == case.name, f"it calls itself {mechanism.name!r}")


def its_guarantee_is_valid(case: Case) -> None:
    """It is a frozen Guarantee with the digest of the space after fit, and epsilon, metric and
    source unless its kind is "none"."""
    g = case.fitted.guarantee
    case.expect(isinstance(g, Guarantee), f"its guarantee is a {type(g).__name__}")
    case.expect(
        hash(g) == hash(g) and g.kind in GUARANTEE_KINDS and g.status in STATUSES, f"odd: {g!r}"
    )
    case.expect(g.space == case.space.digest, f"guarantee.space is {g.space!r} after fit")
    if g.kind != "none":
        case.expect(0 < g.epsilon < np.inf, f"its guarantee has epsilon = {g.epsilon}")
        case.expect(0 <= g.delta < 1, f"its guarantee has delta = {g.delta}")
        case.expect(g.kind != "metric-dp" or bool(g.metric), "metric-dp needs a named metric")
        case.expect(bool(g.source), "a guarantee names its source, a paper and a theorem")


def an_invalid_epsilon_raises(case: Case) -> None:
    """An epsilon that is no finite number above 0 raises an error that names it."""
    if "epsilon" not in case.settings:
        pytest.skip("it has no setting epsilon")
    make = registry.dx_mechanisms.get(case.name)
    for value in (0, -1.0, float("nan"), float("inf"), "high", True, None):
        settings = {**case.settings, "epsilon": value}
        message = case.expect_error(f"epsilon = {value!r}", partial(make, **settings), ValueError)
        is_named = "epsilon" in message and repr(value) in message
        case.expect(is_named, f"its error for epsilon = {value!r} names neither: {message}")


def sampling_before_fit_raises(case: Case) -> None:
    """sample raises DxError before fit."""
    case.expect_error("a draw before fit", lambda: case.make().sample(np.array([0]), Rng()))


def a_draw_has_one_row_per_word(case: Case) -> None:
    """sample(rows (k,)) returns a Draw with rows int64 (k,) and vectors float32 (k, d) or None."""

    def is_array(value: Any, dtype: type, shape: tuple[int, ...]) -> bool:
        return isinstance(value, np.ndarray) and value.dtype == dtype and value.shape == shape

    n = len(case.space)
    centres = facts_of(case.fitted).centres
    d = (case.space.vectors if centres is None else centres).shape[1]
    for rows in (case.rows, [], [7], [3, 3, 3]):
        k = len(rows)
        draw = case.draw(np.array(rows, dtype=np.int64))
        case.expect(isinstance(draw, Draw), f"sample gave a {type(draw).__name__}, not a Draw")
        is_valid = is_array(draw.rows, np.int64, (k,))
        case.expect(is_valid, f"{k} words: rows are not int64 ({k},)")
        in_range = not k or (draw.rows.min() >= 0 and draw.rows.max() < n)
        case.expect(in_range, f"it returned rows outside of 0 to {n - 1}")
        is_valid = draw.vectors is None or is_array(draw.vectors, np.float32, (k, d))
        case.expect(is_valid, f"{k} words: vectors are neither None nor float32 ({k}, {d})")


def invalid_rows_raise(case: Case) -> None:
    """Rows outside the space, and other shapes and types, raise DxError."""
    for rows in ([-1], [SMALL_SPACE_WORDS], [0, 99], [0.5], [[0]], ["a"]):
        case.expect_error(f"rows = {rows}", partial(case.draw, rows))


def it_does_not_modify_its_arguments(case: Case) -> None:
    """A draw changes neither rows nor the vectors of the space."""
    rows, vectors = case.rows, case.space.vectors.copy()
    case.draw(rows)
    case.expect(np.array_equal(rows, case.rows), "sample modified rows")
    case.expect(np.array_equal(vectors, case.space.vectors), "it modified the space")


def a_seed_repeats_the_draw(case: Case) -> None:
    """All randomness comes from the given Rng; without a seed, draws differ."""
    rows = np.tile(case.rows, 10)
    first, again = (case.draw(rows, Rng(seed=5)).rows for _ in range(2))
    case.expect(np.array_equal(first, again), "two draws with one seed differ")
    first, again = (case.draw(rows).rows for _ in range(2))
    equal = case.fitted.guarantee.kind != "none" and np.array_equal(first, again)
    case.expect(not equal, "two draws without a seed are the same")


def a_fork_draws_fresh_noise(case: Case) -> None:
    """A forked process draws different noise than its parent."""
    if case.fitted.guarantee.kind == "none":
        pytest.skip("it guarantees nothing")
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("no fork on this system")
    rng, rows = Rng(), np.tile(case.rows, 10)
    case.draw(rows, rng)
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    with warnings.catch_warnings():  # Python 3.12 warns if other threads run
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


def pickled_copy(part: Any) -> Any:
    """Return a pickled copy, which a worker of nlp.pipe(n_process=2) gets."""
    return pickle.loads(pickle.dumps(part))  # noqa: S301


def a_pickled_copy_draws_the_same(case: Case) -> None:
    """A pickled copy is fitted and, with the same seed, draws the same rows."""
    copy = pickled_copy(case.fitted)
    case.expect(copy.guarantee == case.fitted.guarantee, "a pickled copy has another guarantee")
    copied_rows, fitted_rows = (m.sample(case.rows, Rng(seed=8)).rows for m in (copy, case.fitted))
    case.expect(
        np.array_equal(copied_rows, fitted_rows), "a pickled copy draws other rows with one seed"
    )


def probabilities_sum_to_1(case: Case) -> None:
    """distribution(rows) is float64 (k, n), with nonnegative rows that sum to 1."""
    P: Floats2d = case.require("distribution")(case.rows)
    n = len(case.space)
    case.expect(P.shape == (n, n), f"distribution of {n} rows has the shape {P.shape}")
    case.expect(bool((P >= 0).all()), "a probability is below 0")
    error = float(np.abs(P.sum(axis=1) - 1).max())
    case.expect(error <= 1e-12, f"the probabilities of a word sum to 1 +- {error:.3g}")


def probabilities_keep_the_guarantee(case: Case) -> None:
    """|ln P(y | w) - ln P(y | v)| <= epsilon distance(w, v), for all words w, v and outputs y."""
    P: Floats2d = case.require("distribution")(case.rows)
    distances = case.require("distances")(case.rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        L = np.log(P)
        losses = np.nan_to_num(np.abs(L[:, None, :] - L[None, :, :]), posinf=np.inf).max(axis=2)
        bound = case.fitted.guarantee.epsilon * distances
    violations = np.argwhere(losses > bound + 1e-9)
    if len(violations):
        w, v = violations[0]
        figures = f"the loss is {losses[w, v]:.6g} nats, its bound {bound[w, v]:.6g}"
        example = f"rows {w} and {v}: {figures}"
        case.expect(False, f"{len(violations)} pairs exceed its guarantee, such as {example}")


def draws_follow_the_distribution(case: Case) -> None:
    """Draws of a word follow its distribution, by a chi-square test at 1e-4 with a fixed seed."""
    from scipy.stats import chisquare

    P: Floats2d = case.require("distribution")(case.rows)
    n = len(case.space)
    for row in (0, n // 2):
        counts = np.bincount(case.draw(np.full(DRAWS, row), Rng(seed=3)).rows, minlength=n)
        p = P[row]
        impossible = int(counts[p == 0].sum())
        case.expect(impossible == 0, f"row {row} gave {impossible} outputs of probability 0")
        value = float(chisquare(counts[p > 0], p[p > 0] / p.sum() * DRAWS).pvalue)
        case.expect(value > 1e-4, f"draws of row {row} do not follow distribution: p {value:.3g}")


def it_works_in_a_pipeline(case: Case) -> None:
    """A pipeline made from a config releases a Doc whose receipt names the mechanism."""
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
    it_has_all_attributes,
    its_guarantee_is_valid,
    an_invalid_epsilon_raises,
    sampling_before_fit_raises,
    a_draw_has_one_row_per_word,
    invalid_rows_raise,
    it_does_not_modify_its_arguments,
    a_seed_repeats_the_draw,
    a_fork_draws_fresh_noise,
    a_pickled_copy_draws_the_same,
    probabilities_sum_to_1,
    probabilities_keep_the_guarantee,
    draws_follow_the_distribution,
    it_works_in_a_pipeline,
)


def mechanism_contract(
    name: str, settings: Mapping[str, Any] | None = None, space: Space | None = None
) -> Any:
    """Return a pytest test with a case per clause. Assign it to a name that begins with test_.

    Args:
        name: Name of the mechanism in the registry dx_mechanisms.
        settings: Settings of its constructor. The tests are most sensitive at an epsilon at which
            many words change.
        space: The space to fit it on; small_space() if None.
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

    def words(self, stage: ReleaseStage[Draft], draft: Draft) -> list[str]:
        """Return the words that a stage returns for a draft, with a fixed seed."""
        return list(stage(draft, Rng(seed=5)).words)


def small_release() -> Draft:
    """Return the draft of two documents as a stage gets it, without the input."""
    nlp = spacy.blank("en")
    docs = [nlp("Word1 word2, and word3."), nlp("Nothing else!")]
    return Draft.of(docs, small_space()).public(shows_unknown=False)


def it_returns_a_word_for_each_token(case: StageCase) -> None:
    """It returns a Draft with as many words, which are nonempty texts, and as many spaces."""
    draft = small_release()
    output = case.make()(draft, Rng())
    case.expect(isinstance(output, Draft), f"it returned a {type(output).__name__}, not a Draft")
    sizes = {len(output.words), len(output.spaces)}
    case.expect(sizes == {len(draft)}, f"{len(draft)} words went in, {sizes} came out")
    are_texts = all(isinstance(word, str) and word for word in output.words)
    case.expect(are_texts, "it returned a word that is no text, or empty")


def it_does_not_modify_its_draft(case: StageCase) -> None:
    """A call changes neither words nor spaces of its draft."""
    draft, before = small_release(), small_release()
    case.make()(draft, Rng())
    equal = list(draft.words) == list(before.words) and list(draft.spaces) == list(before.spaces)
    case.expect(equal, "it modified the draft")


def a_seed_and_a_pickled_copy_repeat_it(case: StageCase) -> None:
    """All randomness comes from the given Rng, and a pickled copy returns the same words."""
    stage, draft = case.make(), small_release()
    words = case.words(stage, draft)
    case.expect(words == case.words(stage, draft), "two calls with one seed differ")
    copy = pickled_copy(stage)
    case.expect(words == case.words(copy, draft), "a pickled copy returns other words")


def it_works_in_a_sanitizer(case: StageCase) -> None:
    """A pipeline made from a config releases a Doc of as many tokens, with a receipt."""
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_sanitizer", config={"stages": {"tested": case.block}})
    doc = nlp("The doctor saw a dog.")
    assert_sanitized(doc)
    case.expect(len(doc) == 6, f"6 words went in, {len(doc)} came out")


STAGE_CLAUSES = (
    it_returns_a_word_for_each_token,
    it_does_not_modify_its_draft,
    a_seed_and_a_pickled_copy_repeat_it,
    it_works_in_a_sanitizer,
)


def stage_contract(name: str, settings: Mapping[str, Any] | None = None) -> Any:
    """Return a pytest test with a case per clause. Assign it to a name that begins with test_.

    Args:
        name: Name of the stage in the registry dx_stages.
        settings: Settings of its constructor.
    """
    return _contract(StageCase(name, dict(settings or {})), STAGE_CLAUSES)
