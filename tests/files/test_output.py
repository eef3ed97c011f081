"""An output appears under its name when it is complete, and takes the place of nothing unasked."""

import gc
import subprocess
import sys
from contextlib import ExitStack
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from spacy_dxprivacy import UsageError
from spacy_dxprivacy.files import atomic
from spacy_dxprivacy.files.atomic import Output, new_folder


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


def write_file(folder):
    with ExitStack() as stack:
        stack.enter_context(Output(folder / "out")).handle.write(b"new")


def write_folder(folder):
    with new_folder(folder / "out") as made:
        (made / "part").write_bytes(b"new")


def interrupt_at(step, write):
    """Call `write`, with Ctrl-C at a step of the module's code. Return whether it came so far."""
    steps = iter(range(step + 1))

    def trace(frame, event, argument):
        if frame.f_code.co_filename != atomic.__file__:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode" and next(steps, None) == step:
            raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        write()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


def interrupt_each_step(write, root):
    """Interrupt `write` at its first step, at its second, and so on until it ends before."""
    gc.freeze()  # what is imported by now is not searched again at each step
    for step in count():
        folder = root / str(step)
        if not interrupt_at(step, partial(write, folder)):
            break
        gc.collect()  # as at the end of the process
        left = list(folder.rglob("*"))
        assert all(path.name in ("out", "part") for path in left), step
        assert all(path.read_bytes() == b"new" for path in left if path.is_file())
    assert step > 50  # it has been interrupted


@pytest.mark.parametrize("write", [write_file, write_folder])
def test_a_signal_at_any_step_leaves_all_or_nothing(tmp_path, write):
    """In a process of its own: an exception of a trace may stay the context of all later ones."""
    command = [sys.executable, __file__, write.__name__, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    interrupt_each_step(globals()[sys.argv[1]], Path(sys.argv[2]))
