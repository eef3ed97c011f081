"""The page. Streamlit runs this file again after each change.

Only spaces and mechanisms are cached, never a text; nothing is put into the address of the page.
"""

from __future__ import annotations

import traceback
from html import escape
from pathlib import Path

import streamlit as st

from spacy_dxprivacy.errors import DxError
from spacy_dxprivacy.lab.playground import workshop as shop
from spacy_dxprivacy.lab.report.receipts import alarms, answers
from spacy_dxprivacy.pipeline.component import DxSanitizer
from spacy_dxprivacy.privacy.levels import sentence

EXAMPLE = "Maria told her doctor in London that she sleeps badly since the divorce."
LONGEST = 20_000  # characters: the page is to stay quick
HEADS = {
    "replaced": "What was replaced", "recovered": "What a reader learns",
    "visible": "What is visible", "guarantee": "The guarantee",
}  # fmt: skip
COUNTS = ("tokens", "perturbed", "unknown", "kept")


# Cached, and nothing of a text. digest: of the space, as another one may come.


@st.cache_resource(max_entries=32, show_spinner="Looking for a range of epsilon")
def epsilons(digest: str, name: str, _workshop: shop.Workshop) -> list[float]:
    """Return the choices of epsilon, in the unit of the mechanism."""
    return _workshop.epsilons(name)


@st.cache_resource(max_entries=8, show_spinner="Fitting the mechanism")
def sanitizer(digest: str, name: str, epsilon: float, _workshop: shop.Workshop) -> DxSanitizer:
    """Return a sanitizer with this mechanism and epsilon."""
    return _workshop.sanitizer(name, epsilon)


def choose(workshop: shop.Workshop) -> DxSanitizer:
    """Draw the side bar; return the sanitizer that is chosen there."""
    digest = workshop.space.digest
    with st.sidebar:
        name = st.selectbox("Mechanism", workshop.names, key="mechanism")
        steps = epsilons(digest, name, workshop)
        start = workshop.start if name == workshop.names[0] else steps[len(steps) // 2]
        # The key is the mechanism's: each has its own unit, and so its own slider.
        epsilon = st.select_slider("Epsilon", steps, value=start, key=f"epsilon of {name}")
        made = sanitizer(digest, name, epsilon, workshop)
        st.caption("Less is more private, more keeps more meaning.")
        st.markdown(f"**{made.mechanism.guarantee}**")
        st.caption(sentence(made.terms.attacker))
        n, d = workshop.space.vectors.shape
        st.caption(f"Space: {workshop.space.name}, {n:,} words, {d} dimensions.")
    return made


def show(workshop: shop.Workshop, chosen: DxSanitizer) -> None:
    """Draw the text, its release and the receipt."""
    left, right = st.columns(2)
    with left:
        text = st.text_area("Text", EXAMPLE, height=180, max_chars=LONGEST, key="text")
        st.button("Draw again", key="again")
    done = workshop.sanitize(text, chosen)
    words = (
        f"<mark>{escape(token.text)}</mark>{escape(token.blank)}"
        if changed and not token.text.isspace()
        else escape(token.text + token.blank)
        for token, changed in zip(done.pair.after, done.pair.changes()[1], strict=True)
    )
    with right:
        marked = "".join(words)
        st.html(f'<div data-testid="sanitised" style="white-space: pre-wrap">{marked}</div>')
        st.caption("The marks come from the original: they must not be released.")
    for alarm in alarms([done.account], 0):
        st.error(alarm)
    for column, name in zip(st.columns(len(COUNTS)), COUNTS, strict=True):
        column.metric(name.capitalize(), f"{done.account.counts[name]:,}")
    lines_of = answers(done.account, ())
    for column, (name, head) in zip(st.columns(len(HEADS)), HEADS.items(), strict=True):
        lines = getattr(lines_of, name)
        column.markdown(f"**{head}**")
        column.html(f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>")


def page() -> None:
    """Draw the page: messages of DxErrors; of other errors, which may quote a text, the place."""
    st.set_page_config(page_title="spacy_dxprivacy playground", layout="wide")
    if shop.shown is None:
        st.error("Start this page with: python -m spacy dx playground")
        return
    try:
        chosen = choose(shop.shown)
        st.title("Private text, to play with")
        st.caption(
            "This page is on your machine alone. What you type is kept in no file and no log; it "
            "is in the memory of this program until you end it."
        )
        show(shop.shown, chosen)
    except DxError as error:
        st.error(str(error))
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}, line {last.lineno}"
        st.error(f"This failed with {type(error).__name__} in {where}.")


page()
