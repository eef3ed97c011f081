"""`dx inspect`: what its figures are."""

import numpy as np
from conftest import ok, run_dx

from spacy_dxprivacy.lab.commands.inspect import nearest
from spacy_dxprivacy.lab.mechanisms import make_mechanism


def test_inspect_shows_neighbours_and_outputs(space_path, space):
    result = ok(run_dx("inspect", "Doctor", "--epsilon", 2, "--space", space_path))
    row = space.find("doctor")
    near, _ = nearest(np.linalg.norm(space.vectors - space.vectors[row], axis=1), row, 1)
    assert space.words[near[0]] in result.stdout and "exact" in result.stdout
    P = make_mechanism("dx.Path.v2", space, 2.0).distribution([space.find("doctor")])[0]
    (line,) = (line for line in result.stdout.splitlines() if "(unchanged)" in line)
    assert f"{P[space.find('doctor')]:.2%}" in line
    assert f"{len(space) - 20:,} others" in result.stdout
    # One that states no probabilities is simulated.
    simulated = ["-m", "laplace", "-e", 8, "--draws", 300, "--space", space_path]
    result = run_dx("inspect", "doctor", *simulated)
    assert result.exit_code == 0 and "in 300 draws" in result.stdout
