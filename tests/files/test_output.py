"""An output appears under its name when it is complete, and takes the place of nothing unasked."""

import pytest

from spacy_dxprivacy import UsageError
from spacy_dxprivacy.files.atomic import Output


@pytest.mark.parametrize("force", [False, True])
def test_a_file_that_appears_while_the_output_is_written_is_replaced_only_on_request(
    tmp_path, force
):
    path, told = tmp_path / "out.txt", []
    output = Output(path, force=force)
    output.on_complete = told.append

    def write():
        with output:
            output.handle.write(b"new")
            path.write_bytes(b"of somebody else")

    if force:
        write()
    else:
        with pytest.raises(UsageError, match="exists already"):
            write()
    assert path.read_bytes() == (b"new" if force else b"of somebody else")
    assert len(told) == force  # nobody counts an output that is none
    assert [left.name for left in tmp_path.iterdir()] == ["out.txt"]
