"""The page. Streamlit runs this file anew for each change, and each part alone where it can.

Only spaces and mechanisms are cached, never a text; nothing is put into the address of the page.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import streamlit as st

from spacy_dxprivacy.batch.build import short_names
from spacy_dxprivacy.component import DxSanitizer
from spacy_dxprivacy.errors import DxError
from spacy_dxprivacy.lab.playground import current
from spacy_dxprivacy.lab.playground.pieces import bullets, marked
from spacy_dxprivacy.lab.playground.workshop import SLOW, OneWord, SanitizedText, Workshop
from spacy_dxprivacy.lab.report import plain
from spacy_dxprivacy.lab.tuning.plots import plot_curves
from spacy_dxprivacy.lab.tuning.settings import short
from spacy_dxprivacy.privacy.levels import sentence

EXAMPLE = "Maria told her doctor in London that she sleeps badly since the divorce."
LONGEST = 20_000  # characters: the page is to stay quick
WORDS, NEAR, DRAWS = 40, 12, 2000
HEADS = ("What was protected", "Against what", "What was not protected")


def guarded(part: Callable[..., None]) -> Callable[..., None]:
    """Of what goes wrong, our own messages are shown, and of others type and place alone: they may
    quote a text. Nothing of it is logged."""

    @wraps(part)
    def run(*args: Any) -> None:
        try:
            part(*args)
        except DxError as error:
            st.error(str(error))
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(last.filename).name}, line {last.lineno}"
            st.error(f"This failed with {type(error).__name__} in {where}.")

    return run


# -- what is cached: nothing of a text. digest: of the space, since another one may come -----------


@st.cache_resource(max_entries=32, show_spinner="Looking for a range of epsilon")
def epsilons(digest: str, name: str, _workshop: Workshop) -> list[float]:
    """The choices of epsilon, in the unit of the mechanism. Kept by digest and name."""
    return _workshop.epsilons(name)


@st.cache_resource(max_entries=8, show_spinner="Fitting the mechanism")
def sanitizer(digest: str, name: str, epsilon: float, _workshop: Workshop) -> DxSanitizer:
    """One with this mechanism and epsilon. Kept by digest, name and epsilon."""
    return _workshop.sanitizer(name, epsilon)


@st.cache_resource(max_entries=32, show_spinner="Measuring: this takes a while")
def tune_plot(digest: str, name: str, _workshop: Workshop) -> str:
    """The curve of a mechanism, as SVG. Kept by digest and name."""
    return plot_curves([_workshop.curve(name)], [None], "svg").decode()


# -- the parts -----------------------------------------------------------------------------------


@guarded
def page() -> None:
    """The whole page; Streamlit runs it anew at each click."""
    st.set_page_config(page_title="spacy_dxprivacy playground", layout="wide")
    workshop = current.workshop()
    if workshop is None:
        st.error("Start this page with: python -m spacy dx playground")
        return
    chosen = choose(workshop)
    st.title("Private text, to play with")
    st.caption(
        "This page is on your machine alone. What you type is kept in no file and no log; it is in "
        "the memory of this program until you end it."
    )
    text_part(workshop, chosen)


def choose(workshop: Workshop) -> DxSanitizer:
    """By the mechanism and epsilon of the side bar."""
    with st.sidebar:
        name = st.selectbox("Mechanism", workshop.names, format_func=label, key="mechanism")
        steps = epsilons(workshop.space.digest, name, workshop)
        own = name == workshop.names[0]
        start = workshop.start if own else steps[len(steps) // 2]
        # The key is the mechanism's: each has its own unit, and so its own slider.
        epsilon = st.select_slider("Epsilon", steps, value=start, key=f"epsilon of {name}")
        made = sanitizer(workshop.space.digest, name, epsilon, workshop)
        st.caption("Less is more private, more keeps more meaning.")
        st.markdown(f"**{made.mechanism.guarantee}**")
        st.caption(sentence(made.attacker))
        n, d = workshop.space.vectors.shape
        st.caption(f"Space: {workshop.space.name}, {n:,} words, {d} dimensions.")
    return made


def label(name: str) -> str:
    """What a mechanism is called in the list: an older version by its whole name."""
    latest = short_names("dx_mechanisms").get(short(name)) == name
    called = short(name) if latest else name
    return called + (" (slow on large spaces)" if name in SLOW else "")


@st.fragment
@guarded
def text_part(workshop: Workshop, chosen: DxSanitizer) -> None:
    """A text to write, and what becomes of it."""
    left, right = st.columns(2)
    with left:
        text = st.text_area("Text", EXAMPLE, height=180, max_chars=LONGEST, key="text")
        st.button("Draw again", key="again")
    done = workshop.sanitize(text, chosen)
    with right:
        output_part(done)
    for alarm in plain.alarms([done.account], 0):
        st.error(alarm)
    of_word, of_epsilon, of_text = st.tabs(["A word", "Over epsilon", "The receipt"])
    with of_word:
        word_part(workshop, chosen, workshop.known_words(done.pair, WORDS))
    with of_epsilon:
        plot_part(workshop, chosen)
    with of_text:
        receipt_part(done)


@st.fragment
@guarded
def output_part(done: SanitizedText) -> None:
    """A part of its own, so that the text is not drawn anew for its marks."""
    marks = st.toggle("Mark the words that changed", value=True, key="marks")
    st.html(marked(done.pair, marks=marks))
    if marks:
        st.caption("The marks come from the original: they must not be released.")


def receipt_part(done: SanitizedText) -> None:
    """The receipt in figures and in plain words."""
    account = done.account
    names = ("tokens", "perturbed", "unknown", "kept")
    for column, name in zip(st.columns(len(names)), names, strict=True):
        column.metric(name.capitalize(), f"{account.counts[name]:,}")
    answers = plain.answers(account)
    for column, head, lines in zip(st.columns(3), HEADS, answers, strict=True):
        column.markdown(f"**{head}**")
        column.html(bullets(lines))


@st.fragment
@guarded
def word_part(workshop: Workshop, chosen: DxSanitizer, words: list[str]) -> None:
    """A word to choose, and what becomes of it."""
    first = words[0] if words else None
    clicked = st.pills("A word of your text", words, default=first, key="clicked")
    other = st.text_input("Or any other", key="other", max_chars=100)
    word = other.strip() or clicked
    if not word:
        return
    found = workshop.inspect(word, chosen.mechanism, k=NEAR, draws=DRAWS)
    if found is None:
        st.warning("The space does not hold this word.")
    else:
        show_word(found)


def show_word(found: OneWord) -> None:
    """The outputs of a word and their probabilities, beside its neighbours."""
    left, right = st.columns(2)
    with left:
        how = "exact" if found.exact else f"in {DRAWS:,} draws"
        st.markdown(f"What *{found.word}* becomes ({how})")
        rows = [{"output": word, "share": share} for word, share in found.outputs]
        share = st.column_config.ProgressColumn(format="percent", min_value=0, max_value=1)
        st.dataframe(rows, hide_index=True, column_config={"share": share})
        if found.others:
            rest = max(0.0, 1 - sum(share for _, share in found.outputs))
            st.caption(f"and {found.others:,} others, {rest:.1%} together")
    with right:
        st.markdown("Its nearest words")
        st.dataframe(neighbours(found), hide_index=True)


def neighbours(found: OneWord) -> list[dict[str, Any]]:
    """Side by side by Euclidean distance and by that of the guarantee, where it is another."""
    rows = [{"by Euclid": word, "distance": apart} for word, apart in found.by_euclid]
    if found.by_metric is None or found.metric == "euclidean":
        return rows
    for row, (word, apart) in zip(rows, found.by_metric, strict=False):
        row |= {f"by {found.metric}": word, f"{found.metric} distance": apart}
    return rows


@st.fragment
@guarded
def plot_part(workshop: Workshop, chosen: DxSanitizer) -> None:
    """The curve of the mechanism, once it is asked for."""
    st.caption(
        "What it does to 200 words of running text, by Zipf's law; see `python -m spacy dx tune`."
    )
    if st.toggle("Measure it", key="measure"):
        st.image(tune_plot(workshop.space.digest, chosen.mechanism.name, workshop))


page()
