"""What each mechanism states of its promise, and which settings it refuses: a row each."""

import warnings

import numpy as np
import pytest

from spacy_dxprivacy import DxWarning, registry

ALL = "all pairs of words of the space"
EUCLIDEAN = ("metric-dp", "euclidean", "proven", 3.0, 0.0)
COMPUTED = ("metric-dp", "euclidean", "computed", 3.0, 0.0)
DISCRETE = ("approx-dp", "discrete", "proven", 3.0, 0.0)
NO_CLIP = {"clip": "none", "norm": 0.005}
REFUTED_CLAIM = ("approx-dp", "discrete", "refuted", 3.0, 0.0)
GROUP = "pairs of words of one group of about 20; no other pair"
RELATED = "pairs of words that the neighbourhood relation joins; no other pair"
RAREST = "pairs of sensitive words, the rarest 25% of the space"
MORE = "ln(1/p) = 1.61 nats more, for sensitive outputs. Other outputs are unmodified"
# name, settings beside epsilon = 3; kind, metric, status, epsilon, delta; which pairs; the notes
STATED = [
    ("ClippedLaplace", {}, DISCRETE, ALL, "clipped"),
    ("ClippedLaplace", NO_CLIP, REFUTED_CLAIM, ALL, "Vectors are not clipped"),
    ("CusText", {}, DISCRETE, GROUP, "The output reveals the group"),
    ("Diffractor", {}, ("metric-dp", "list positions", *EUCLIDEAN[2:]), ALL, "far apart"),
    ("Exponential", {}, EUCLIDEAN, ALL, "clamped"),
    ("Exponential", {"calibration": "exact"}, COMPUTED, ALL, "The choice uses exp(-"),
    ("Gaussian", {"delta": 1e-5}, (*DISCRETE[:4], 1e-5), ALL, "clipped"),
    ("Gaussian", {"delta": 1e-5, **NO_CLIP}, (*REFUTED_CLAIM[:4], 1e-5), ALL, "are not clipped"),
    ("Identity", {}, ("none", "", "none", np.inf, 0.0), "", "unmodified"),
    ("Laplace", {}, EUCLIDEAN, ALL, "2**-10"),
    ("Mahalanobis", {}, ("metric-dp", "mahalanobis", *EUCLIDEAN[2:]), ALL, "nats"),
    ("NADP", {"noise": "global"}, (*DISCRETE[:4], 1 / 40), ALL, ""),
    ("NADP", {"noise": "adjacent"}, (*DISCRETE[:4], 1 / 40), RELATED, "of all pairs"),
    ("NADP", {"noise": "paper"}, (*DISCRETE[:4], 1 / 40), RELATED, "of all pairs"),
    ("RandomProjection", {}, COMPUTED, ALL, "the most over all pairs"),
    ("SanTextPlus", {"p": 0.2, "sensitive": 0.25}, EUCLIDEAN, RAREST, MORE),
    ("TEM", {}, EUCLIDEAN, ALL, "min(d, g)"),
    ("TruncatedLaplace", {}, (*DISCRETE[:4], 1e-6), ALL, "of the noise of dx.ClippedLaplace.v1"),
    ("TruncatedLaplace", NO_CLIP, (*REFUTED_CLAIM[:4], 1e-6), ALL, "Vectors are not clipped"),
]


@pytest.mark.parametrize(("name", "settings", "stated", "pairs", "notes"), STATED)
def test_the_guarantee_is_as_stated(plane, make, name, settings, stated, pairs, notes):
    with warnings.catch_warnings():
        warns = stated[0] == "none" or stated[2] == "refuted"
        warnings.simplefilter("ignore" if warns else "error", DxWarning)
        given = settings if name == "Identity" else {"epsilon": 3, **settings}
        g = make(f"dx.{name}.v1", plane, **given).guarantee
    assert (g.kind, g.metric, g.status, g.epsilon, g.delta) == stated
    assert g.adjacency == pairs and g.space == plane.digest and notes in g.notes


NO_NUMBERS = (float("nan"), "x", True)
NO_COUNTS = (1, 0, -2, 2.5, *NO_NUMBERS)
SHARE = "must be a number above 0 and below 1"
CLIPPED = ("ClippedLaplace", "Gaussian", "TruncatedLaplace")
REFUSED = [
    (CLIPPED, "norm", (0.005, *NO_NUMBERS), "must be None unless clip is 'none'"),
    (CLIPPED, "clip", ("None", "off"), "must be a number above 0"),
    (CLIPPED, "clip", (0, -1.0, float("inf"), *NO_NUMBERS), "must be a"),
    (("CusText",), "k", (None, *NO_COUNTS), "must be a whole number, 2 or more"),
    (("Exponential",), "calibration", ("best", None, 1), "must be one of 'standard', 'exact'"),
    (("Gaussian", "Jaccard"), "delta", (0, 1, -1, 2, "x", None), SHARE),
    (("NADP", "TruncatedLaplace"), "delta", (0, 1, -1, "x", True), SHARE),
    (("Jaccard",), "k", (0, -1, 2.5, *NO_NUMBERS), "must be a whole number, 1 or more"),
    (("Jaccard",), "eta", (0, -1, *NO_NUMBERS), "must be a"),
    (("Mahalanobis",), "lam", (-0.1, 1.1, None, *NO_NUMBERS), "must be a number from 0 to 1"),
    (("NADP",), "m", (None, *NO_COUNTS), "must be a whole number, 2 or more"),
    (("NADP",), "top", NO_COUNTS, "must be a whole number, 2 or more"),
    (("NADP",), "tau", (-0.1, 1.1, *NO_NUMBERS), "must be a number from 0 to 1"),
    (("NADP",), "noise", ("little",), "one of 'global', 'adjacent', 'paper'"),
    (("RandomProjection",), "dims", (0, None, *NO_COUNTS[2:]), "must be a whole number, 1 or more"),
    (("TruncatedLaplace",), "dims", (0, -1, 2.5, "x", True), "must be a whole number, 1 or more"),
    (("TruncatedLaplace",), "calibration", ("best",), "one of 'sound', 'paper'"),
    (("SanTextPlus",), "p", (0, -0.1, 1.1, None, *NO_NUMBERS), "must be a number above 0 to 1"),
    (("SanTextPlus",), "sensitive", (0, 1.1, None, *NO_NUMBERS), "must be a number above 0 to 1"),
    (("TEM",), "beta", (0, 1, -0.1, 1.5, None, *NO_NUMBERS), SHARE),
]


@pytest.mark.parametrize(("names", "setting", "values", "message"), REFUSED)
def test_a_setting_out_of_range_is_refused_by_its_name(names, setting, values, message):
    for name in names:
        for value in values:
            with pytest.raises(ValueError, match=f"{setting} .*{message}"):
                registry.dx_mechanisms.get(f"dx.{name}.v1")(epsilon=1.0, **{setting: value})
