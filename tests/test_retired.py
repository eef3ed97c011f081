"""What was removed says in one sentence what to use instead."""

import pytest
import spacy
from typer.testing import CliRunner

from spacy_dxprivacy import DxError, registry
from spacy_dxprivacy.cli import dx_cli
from spacy_dxprivacy.registries import RETIRED

NAMES = [row for row in RETIRED if row.startswith("dx.")]
COMMANDS = [row for row in RETIRED if row.startswith("dx ") and " --" not in row]
OPTIONS = [row for row in RETIRED if " --" in row]


@pytest.mark.parametrize("name", NAMES)
def test_a_registered_name_that_was_removed_names_what_replaced_it(name):
    for part in ("dx_priors", "dx_editors"):
        with pytest.raises(DxError, match="DX007") as error:
            registry.resolve({"part": {f"@{part}": name}})
        assert RETIRED[name] in str(error.value)


def test_a_pipeline_with_a_removed_part_says_so():
    editor = {"@dx_editors": "dx.Rewrite.v1", "model": "m"}
    with pytest.raises(DxError, match=r"dx\.Rewrite\.v1 was removed: use dx\.Remap\.v1"):
        spacy.blank("en").add_pipe("dx_sanitizer", config={"editor": editor})


@pytest.mark.parametrize("given", ["rewrite", "dx.Rewrite.v1"])
def test_a_short_name_that_was_removed_is_a_mistake_in_the_command(given, tmp_path):
    (tmp_path / "in.txt").write_text("Nothing.")
    paths = [str(tmp_path / name) for name in ("in.txt", "out.txt")]
    done = CliRunner().invoke(dx_cli, ["sanitize", *paths, "--set", f"editor={given}"])
    assert done.exit_code == 2 and RETIRED["dx.Rewrite.v1"] in done.output
    assert len(done.output.strip().splitlines()) == 1 and not (tmp_path / "out.txt").exists()


@pytest.mark.parametrize("row", OPTIONS)
def test_an_option_that_was_removed_is_a_mistake_in_the_command(row):
    _, *command, option = row.split()
    for given in ([option, "1"], [f"{option}=1"]):
        done = CliRunner().invoke(dx_cli, [*command, "in", "out", *given])
        assert done.exit_code == 2 and RETIRED[row] in done.output
        assert len(done.output.strip().splitlines()) == 1


@pytest.mark.parametrize("row", COMMANDS)
def test_a_command_that_was_removed_is_a_mistake(row):
    texts = [__file__] * row.startswith("dx attack")
    done = CliRunner().invoke(dx_cli, [*row.split()[1:], *texts])
    assert done.exit_code == 2 and RETIRED[row] in done.output
    assert len(done.output.strip().splitlines()) == 1
