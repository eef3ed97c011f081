"""Editors of a release: post-processing by public knowledge alone (@dx_editors)."""

from __future__ import annotations

from ..registries import registry
from ..ty import Prior
from ..validate import fail, one_of
from .remap import NearestRemap, Remap

LOSSES = ("changed", "path")


@registry.dx_editors("dx.Remap.v1")
def make_remap(prior: Prior | None = None, loss: str = "changed") -> Remap:
    """Replace released words by the most likely originals, by public knowledge alone.

    Args:
        prior: Public language model; that of the mechanism if None, else dx.WordPairs.v1.
        loss: "changed" for the most likely words; "path", with word-level sampling, for those that
            are nearest to the original on average.
    """
    one_of("editor.loss", loss, LOSSES)
    if prior is not None and not isinstance(prior, Prior):
        raise fail("prior", "a prior of @dx_priors, with name, draws and fit(space)", type(prior))
    return NearestRemap(prior) if loss == "path" else Remap(prior)
