"""What the page computes: a pipeline whose sanitizer takes any mechanism at any epsilon."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Lock

from spacy.language import Language

from ...batch.build import the_sanitizer
from ...batch.stream import zone
from ...component import DxSanitizer
from ...doc.receipt import Receipt
from ...doc.tokens import tokenized
from ...errors import DxWarning, UsageError
from ...rebuild import assert_sanitized, get_receipt
from ...registries import registry
from ...spaces.sources import SpaceSource
from ...ty import Mechanism
from ..report import Account, Pair, make_pair
from ..report.accounts import terms_of, without_counts
from ..tuning import (
    SEARCH_WORDS,
    Bench,
    Curve,
    Losses,
    Tuner,
    epsilon_range_on,
    evenly,
    running_text,
)
from ..tuning.inspected import look_at
from ..tuning.settings import check_tunable

STEPS = 24  # of the slider
PLOT_STEPS = 9
PLOT_WORDS, PLOT_DRAWS = 200, 20
WIDEST = 1000.0  # how many times its low end the high end of a range is at most

# Their fit looks at all pairs of words, for each epsilon anew, so no range is sought. Theirs does
# not depend on the scale of the vectors: measured on 3,000 words, and rounded.
SLOW = {
    "dx.CusText.v1": (0.25, 40.0),
    "dx.Diffractor.v1": (0.01, 5.0),
    "dx.Jaccard.v1": (10.0, 1000.0),
    "dx.NADP.v1": (10.0, 1000.0),
}

Apart = list[tuple[str, float]]


@dataclass(frozen=True)
class SanitizedText:
    """A text, what became of it token by token, and its receipt."""

    pair: Pair
    receipt: Receipt

    @property
    def account(self) -> Account:
        """The receipt in the form that report.plain tells of."""
        account = Account(terms_of(self.receipt), raw=without_counts(self.receipt))
        account.add(self.receipt)
        return account


@dataclass(frozen=True)
class OneWord:
    """What becomes of a word of the space. by_euclid, by_metric: its nearest words with their
    distances; by_metric is None where the guarantee is in no metric of the space. outputs: the
    likeliest with their shares; others: how many more there are."""

    word: str
    by_euclid: Apart
    by_metric: Apart | None
    metric: str
    outputs: Apart
    others: int
    exact: bool


class Workshop:
    """nlp: a pipeline with a sanitizer, as batch.build.make_pipeline makes it.

    names: of the mechanisms there are to try, the pipeline's own first. It may be used by several
    threads. Raises UsageError where the pipeline's own mechanism has no epsilon.
    """

    def __init__(self, nlp: Language) -> None:
        self.nlp = nlp
        self.own = the_sanitizer(nlp)
        self.space = self.own.space
        block = dict(nlp.get_pipe_config(self.own.name)["mechanism"])
        own = block["@dx_mechanisms"]
        if "epsilon" not in block:
            raise UsageError(f"{own} has no epsilon to play with.")
        self.start: float = block.pop("epsilon")
        self._settings = {own: block, **{n: {"@dx_mechanisms": n} for n in _tunable() if n != own}}
        # A memory zone belongs to one thread at a time, and a mechanism may keep tables.
        self._lock = Lock()

    @property
    def names(self) -> list[str]:
        """The registered names of the mechanisms that can be tried."""
        return list(self._settings)

    def epsilons(self, name: str) -> list[float]:
        """By equal factors from where about 2 % of words stay to where about 98 % do, with the
        pipeline's own among them."""
        low, high = SLOW.get(name) or self._range(name)
        steps = evenly(low, min(high, WIDEST * low), STEPS)
        return sorted({*steps, self.start}) if name == self.names[0] else steps

    @property
    def _source(self) -> SpaceSource:
        own = self.own.source
        return SpaceSource(lambda _: self.space, spares=own.spares, excluded=own.excluded)

    def sanitizer(self, name: str, epsilon: float) -> DxSanitizer:
        """One like the pipeline's own, with this mechanism, fitted. Raises DxError where the
        mechanism has no solution at this epsilon."""
        own = self.own
        made = DxSanitizer(
            self.nlp,
            own.name,
            mechanism=self._mechanism(name, epsilon),
            selector=own.selector,
            source=self._source,
            unknown=own.unknown,
            numbers=own.numbers,
            editor=own.editor,
            surrogates=own.surrogates,
            seed=own.rng.seed,
            scope=own.scope,
            casing=own.casing,
            carry=own.carry,
            max_epsilon_per_doc=own.max_epsilon_per_doc,
        )
        with self._lock:
            made.warm_up()
        return made

    def sanitize(self, text: str, sanitizer: DxSanitizer) -> SanitizedText:
        """The text through the pipeline, with this sanitizer in the place of its own. The
        vocabulary forgets it. Raises whatever the pipeline raises, which may quote the text."""
        with self._lock, zone(self.nlp):
            doc = before = tokenized(self.nlp, text)
            for _, pipe in self.nlp.pipeline:
                if pipe is self.own:
                    before, doc = doc, sanitizer(doc)
                else:
                    doc = pipe(doc)
            assert_sanitized(doc)
            pair = make_pair(before, doc, tokens_are_given=True)
            return SanitizedText(pair, get_receipt(doc) or Receipt())

    def known_words(self, pair: Pair, most: int) -> list[str]:
        """The first different words of a text that the space holds, as the space writes them."""
        rows = (self.space.find(token.text) for token in pair.before if token.word)
        known = dict.fromkeys(self.space.words[row] for row in rows if row >= 0)
        return list(known)[:most]

    def inspect(self, word: str, mechanism: Mechanism, *, k: int, draws: int) -> OneWord | None:
        """As `dx inspect` does it. mechanism: fitted on the space. k: how many neighbours and
        outputs. draws: where nothing is exact. None for a word that the space lacks."""
        row = self.space.find(word)
        if row < 0:
            return None
        with self._lock:
            found = look_at(
                self.space, row, mechanism, mechanism.guarantee.epsilon, k=k, draws=draws
            )
        return OneWord(
            word=self.space.words[row],
            by_euclid=found.by_euclid,
            by_metric=None if found.own is None else found.by_metric,
            metric=mechanism.guarantee.metric,
            outputs=found.becomes[:k],
            others=max(0, len(found.outputs.rows) - k),
            exact=found.outputs.exact,
        )

    def curve(self, name: str) -> Curve:
        """As `dx tune` measures it, on running text by Zipf's law."""
        probes = running_text(len(self.space), PLOT_WORDS)
        bench = Bench(self.space.vectors, probes, draws=PLOT_DRAWS)
        tuner = Tuner(partial(self._fitted, name), bench, Losses(len(self.space)))
        steps = self.epsilons(name)
        return tuner.curve(evenly(steps[0], steps[-1], PLOT_STEPS))

    def _range(self, name: str) -> tuple[float, float]:
        probes = running_text(len(self.space), SEARCH_WORDS)
        return epsilon_range_on(self.space.vectors, probes, partial(self._fitted, name))

    def _fitted(self, name: str, epsilon: float) -> Mechanism:
        mechanism = self._mechanism(name, epsilon)
        mechanism.fit(self.space)
        return mechanism

    def _mechanism(self, name: str, epsilon: float) -> Mechanism:
        """Its warnings are left out: the page says it, and louder."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DxWarning)
            config = {**self._settings[name], "epsilon": epsilon}
            made: Mechanism = registry.resolve({"mechanism": config})["mechanism"]
        return made


def _tunable() -> list[str]:
    """The mechanisms that epsilon alone makes."""
    found = []
    for name in sorted(registry.dx_mechanisms.get_all()):
        with suppress(UsageError):
            check_tunable(name)
            found.append(name)
    return found
