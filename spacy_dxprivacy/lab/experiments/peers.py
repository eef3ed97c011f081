"""Who is compared at an equal attacker: mechanisms of words, redaction and rewriting, by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

FEYISETAN = "Feyisetan et al. 2020, arXiv 1910.08902"


@dataclass(frozen=True)
class WordPeer:
    """A mechanism of words. config: its registered name and settings but epsilon. start: an epsilon
    to begin the search with, one with which half of the words are found on the built-in space."""

    registered: str
    start: float
    source: str
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def config(self) -> dict[str, Any]:
        """As tuning.settings.make_of_config takes it."""
        return {"@dx_mechanisms": self.registered, **self.settings}


OURS = "docs/path.md"
WORDS: dict[str, WordPeer] = {
    "path2": WordPeer("dx.Path.v2", 0.95, OURS),
    "path2-clinical": WordPeer("dx.Path.v2", 0.95, OURS, {"policy": "clinical"}),
    "path2-strict": WordPeer("dx.Path.v2", 0.95, OURS, {"policy": "strict"}),
    "path1": WordPeer("dx.Path.v1", 1.6, OURS),
    "exponential": WordPeer("dx.Exponential.v1", 3.5, "SanText: Yue et al. 2021, Findings of ACL"),
    "laplace": WordPeer("dx.Laplace.v1", 8.0, FEYISETAN),
    "mahalanobis": WordPeer("dx.Mahalanobis.v1", 8.0, "Xu et al. 2020, arXiv 2010.11947"),
    "vickrey": WordPeer(
        "dx.Laplace.v1", 14.0, "Xu et al. 2021, arXiv 2104.11838",
        {"projection": {"@dx_projections": "dx.Vickrey.v1"}},
    ),
    "tem": WordPeer("dx.TEM.v1", 3.5, "Carvalho et al. 2021, arXiv 2107.07928"),
    "custext": WordPeer("dx.CusText.v1", 4.0, "Chen et al. 2023, Findings of ACL"),
    "santext-plus": WordPeer("dx.SanTextPlus.v1", 3.5, "Yue et al. 2021, Findings of ACL"),
}  # fmt: skip
EDITED = {"path2": "path2-edited"}  # by dx.Remap.v1: post-processing of the very release
REDACTION, PRESIDIO, DP_PROMPT = "redaction", "presidio", "dp-prompt"
ALONE = (REDACTION, PRESIDIO, DP_PROMPT)
NAMES = (*WORDS, *EDITED.values(), *ALONE)
USUAL = ("path2", "path1", "exponential", "laplace", "custext", *EDITED.values(), *ALONE)
NO_PROMISE = "no guarantee: what the recogniser does not find stays in clear"
PAPERS = {
    REDACTION: "dx_entity_ruler with dx.Redact.v1",
    PRESIDIO: "presidio-analyzer with its own rules and ours in place of a model",
    DP_PROMPT: "Utpala, Hooker, Chen 2023, arXiv 2310.16111",
}
