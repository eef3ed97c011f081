"""The mechanisms, one file each."""

# The module of each registered name; it is imported when the name is asked for.
MODULES = {
    "dx.ClippedLaplace.v1": "clipped_laplace",
    "dx.CusText.v1": "custext",
    "dx.Diffractor.v1": "diffractor",
    "dx.Exponential.v1": "exponential",
    "dx.Gaussian.v1": "gaussian",
    "dx.Identity.v1": "identity",
    "dx.Jaccard.v1": "jaccard",
    "dx.Laplace.v1": "laplace",
    "dx.Mahalanobis.v1": "mahalanobis",
    "dx.NADP.v1": "nadp",
    "dx.Path.v1": "path",
    "dx.Path.v2": "path_v2",
    "dx.RandomProjection.v1": "random_projection",
    "dx.SanTextPlus.v1": "santext_plus",
    "dx.TEM.v1": "tem",
    "dx.TruncatedGumbel.v1": "truncated_gumbel",
    "dx.TruncatedLaplace.v1": "truncated_laplace",
}
