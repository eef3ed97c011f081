"""Editors of a release: post-processing by public knowledge alone (@dx_editors)."""

from __future__ import annotations

from ..registries import registry
from ..ty import Prior
from ..validate import fail, one_of, whole
from .remap import NearestRemap, Remap

LOSSES = ("changed", "path")


@registry.dx_editors("dx.Remap.v1")
def make_remap(
    prior: Prior | None = None,
    model: str | None = None,
    prompt: str = "",
    beam: int = 4,
    loss: str = "changed",
) -> Remap:
    """Replace released words by the most likely originals, by public knowledge alone.

    Args:
        prior: Public language model; that of the mechanism if None, else dx.WordPairs.v1.
        model: A causal language model that chooses among the words in its place: a folder, a .gguf
            file, a name, or a package that holds one (see editors.opened).
        prompt: Public words on the kind of text, such as "Clinical note of a patient's visit."
        beam: Width of the beam search.
        loss: "changed" for the most likely words; "path", with word-level sampling, for those that
            are nearest to the original on average.
    """
    one_of("editor.loss", loss, LOSSES)
    if loss == "path" and model is not None:
        raise fail("editor.loss", "'changed' with a language model", loss)
    if prior is not None and not isinstance(prior, Prior):
        raise fail("prior", "a prior of @dx_priors, with name, draws and fit(space)", type(prior))
    if model is None and prompt:
        raise fail("prompt", "left out without a model", "one")
    if model is None:
        return NearestRemap(prior) if loss == "path" else Remap(prior)
    from .causal import CausalRemap  # loaded only with a model

    return CausalRemap(prior, model, prompt, whole("beam", beam, least=1))
