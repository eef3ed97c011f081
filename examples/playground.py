"""A page to try texts, mechanisms and epsilons on, in a browser on this machine.

    pip install streamlit
    streamlit run examples/playground.py --server.address 127.0.0.1 --client.showErrorDetails none

Without `--server.address` the page is open to the network, and without `--client.showErrorDetails`
an error may show what was typed. The page stores no text.
"""

from html import escape

import spacy
import streamlit as st

import spacy_dxprivacy

EXAMPLE = "Maria told her doctor in London that she sleeps badly since the divorce."
LONGEST = 20_000  # characters: the page is to stay quick
# Epsilons from strong to weak protection, with the default in the middle. Each mechanism has a unit
# of its own, so epsilons of two mechanisms cannot be compared.
EPSILONS = {
    "dx.Path.v2": (0.3, 0.55, 0.8, 1.05, 1.4),
    "dx.Path.v1": (0.9, 1.3, 1.76, 2.2, 2.6),
    "dx.Exponential.v1": (1.8, 2.5, 3.2, 3.8, 4.5),
    "dx.Laplace.v1": (4.0, 5.8, 8.0, 10.5, 13.0),
}
COUNTS = ("tokens", "perturbed", "unknown", "kept")


@st.cache_resource(max_entries=8, show_spinner="Fitting the mechanism")
def pipeline(name: str, epsilon: float) -> spacy.Language:
    """Return a pipeline with this mechanism. It is cached; texts are not."""
    nlp = spacy.blank("en")
    nlp.max_length = LONGEST
    mechanism = {"@dx_mechanisms": name, "epsilon": epsilon}
    nlp.add_pipe("dx_sanitizer", config={"mechanism": mechanism})
    return nlp


def choose() -> spacy.Language:
    """Draw the side bar, and return the pipeline that is chosen there."""
    with st.sidebar:
        name = st.selectbox("Mechanism", list(EPSILONS), key="mechanism")
        steps = EPSILONS[name]
        # The key is the mechanism's, so that each has its own slider.
        middle = steps[len(steps) // 2]
        epsilon = st.select_slider("Epsilon", steps, value=middle, key=f"epsilon of {name}")
        st.caption("Less is more private, more keeps more meaning.")
        space = spacy_dxprivacy.Space.builtin()
        st.caption(f"Space: {space.name}, {len(space):,} words.")
    return pipeline(name, epsilon)


def show(nlp: spacy.Language) -> None:
    """Draw the text, its release and the receipt."""
    left, right = st.columns(2)
    with left:
        text = st.text_area("Text", EXAMPLE, height=180, max_chars=LONGEST, key="text")
        st.button("Draw again", key="again")
    with nlp.memory_zone():  # the vocabulary of the pipeline, which is cached, forgets the text
        original, released = nlp.make_doc(text), nlp(text)
        words = [
            f"<mark>{escape(new.text)}</mark>{escape(new.whitespace_)}"
            if new.lower_ != old.lower_
            else escape(new.text_with_ws)
            for old, new in zip(original, released, strict=True)
        ]
        receipt = released._.dx
    with right:
        st.html(f'<div style="white-space: pre-wrap">{"".join(words)}</div>')
        st.caption("The marks come from the original: they must not be released.")
    for column, name in zip(st.columns(len(COUNTS)), COUNTS, strict=True):
        column.metric(name.capitalize(), f"{getattr(receipt, name):,}")
    guarantee = spacy_dxprivacy.Guarantee.from_dict(receipt.guarantee)
    st.markdown(f"**Guarantee of a draw:** {guarantee}")
    total = spacy_dxprivacy.Guarantee.from_dict(receipt.total)
    st.markdown(f"**Guarantee of the whole text:** {total}")
    st.markdown("**Visible:** " + "; ".join(receipt.in_clear))


st.set_page_config(page_title="spacy_dxprivacy playground", layout="wide")
st.title("Private text, to play with")
show(choose())
