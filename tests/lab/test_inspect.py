"""`dx inspect`: what its figures are; and samples of words by their frequency."""

import numpy as np
import pytest
from conftest import run_dx

from spacy_dxprivacy.lab.commands.inspect import nearest_others
from spacy_dxprivacy.lab.epsilons import sampled
from spacy_dxprivacy.lab.mechanisms import make_mechanism


@pytest.mark.parametrize("size", [1, 7, 100, 5000])
def test_a_sample_has_its_size_and_each_word_its_share_of_it(size):
    probes = sampled(np.array([3, 8, 5]), [2, 7, 1], 10)  # all tokens: the text itself
    assert probes.rows.tolist() == [3, 8, 5] and probes.counts.tolist() == [2, 7, 1]
    frequencies = np.random.default_rng(0).integers(1, 50, 300)
    probes = sampled(np.arange(300), frequencies, size)
    assert probes.size == size and probes.weights.sum() == pytest.approx(1)
    expected = size * frequencies / frequencies.sum()
    counts = np.zeros(300)
    counts[probes.rows] = probes.counts
    assert np.all(np.abs(counts - expected) <= 1)


@pytest.fixture
def dx(space_path):
    def run(*args, **kwargs):
        chosen = [] if "--space" in args else ["--space", space_path]
        return run_dx(*args, *chosen, **kwargs)

    return run


def test_inspect_shows_neighbours_and_outputs(dx, space):
    result = dx("inspect", "Doctor", "--epsilon", 2)
    assert result.exit_code == 0, result.stderr
    nearest = space.words[nearest_others(space.vectors, np.array([space.find("doctor")]), 1)[0, 0]]
    assert nearest in result.stdout and "exact" in result.stdout
    P = make_mechanism("dx.Path.v2", space, 2.0).distribution([space.find("doctor")])[0]
    (line,) = (line for line in result.stdout.splitlines() if "(unchanged)" in line)
    assert f"{P[space.find('doctor')]:.2%}" in line
    assert f"{len(space) - 20:,} others" in result.stdout
    # One that states no probabilities is simulated.
    result = dx("inspect", "doctor", "-m", "laplace", "-e", 8, "--draws", 300)
    assert result.exit_code == 0 and "in 300 draws" in result.stdout
