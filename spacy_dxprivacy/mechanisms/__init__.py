"""The mechanisms, one file each; importing this package registers them."""

from . import (
    clipped_laplace,
    custext,
    diffractor,
    exponential,
    gaussian,
    identity,
    jaccard,
    laplace,
    mahalanobis,
    nadp,
    path,
    random_projection,
    santext_plus,
    tem,
    truncated_gumbel,
    truncated_laplace,
)

__all__ = [
    "clipped_laplace",
    "custext",
    "diffractor",
    "exponential",
    "gaussian",
    "identity",
    "jaccard",
    "laplace",
    "mahalanobis",
    "nadp",
    "path",
    "random_projection",
    "santext_plus",
    "tem",
    "truncated_gumbel",
    "truncated_laplace",
]
