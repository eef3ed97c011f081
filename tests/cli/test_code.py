"""--code FILE: parts of a pipeline that a file of the user registers, here and in every worker."""

import json
import multiprocessing

import pytest
import srsly
from conftest import ok, refusal, run_dx, space_options, with_start_method

from spacy_dxprivacy import UsageError, registry
from spacy_dxprivacy.config.code import import_code
from spacy_dxprivacy.io.build import make_pipeline
from spacy_dxprivacy.pipeline.receipt import Receipt

NAME = "test.FromFile.v1"
CODE = f"""
import numpy as np
from spacy_dxprivacy import Draw, Guarantee, registry

class Cover:
    name = "{NAME}"

    def __init__(self, epsilon):
        self.epsilon = epsilon
        self.guarantee = Guarantee("none", notes="A double.")

    def fit(self, space):
        self.row = space.find("blue")

    def sample(self, rows, rng, **others):
        stays = rng.uniform(len(rows)) < self.epsilon / (1 + self.epsilon)
        return Draw(np.where(stays, rows, self.row))

@registry.dx_mechanisms("{NAME}")
def make(epsilon: float = 1.0):
    return Cover(epsilon)
"""
TEXTS = ["the dog saw the cat"] * 40
NEVER = ["-m", NAME, "-e", "1e-9"]


@pytest.fixture
def code(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(CODE)
    return path


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.jsonl"
    srsly.write_jsonl(path, [{"text": t, "label": "ab"[i % 2]} for i, t in enumerate(TEXTS)])
    return path


COVERED = {" ".join(["blue"] * 5)}


@pytest.fixture
def sanitized(code, source, space_path, tmp_path):
    """Sanitize with the mechanism of the file and further options; the texts of a file."""

    def sanitize(*options):
        how = ["--code", code, *NEVER, *space_options(space_path), *options]
        ok(run_dx("sanitize", source, tmp_path / "out.jsonl", *how))
        return {row["text"].lower() for row in srsly.read_jsonl(tmp_path / "out.jsonl")}

    return sanitize


def test_sanitize_takes_a_mechanism_of_a_file(sanitized, tmp_path):
    receipt = tmp_path / "r.json"
    assert sanitized("--receipt", receipt) == COVERED
    assert Receipt(json.loads(receipt.read_text())).mechanism == NAME


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
def test_worker_processes_know_it(sanitized, method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} on this system")
    for _ in with_start_method(method):
        assert sanitized("-n", 2) == COVERED


COMMANDS = {
    "inspect": ["dog", "-m", NAME, "-e", 1],
    "attack": ["guess", "SOURCE", "-m", NAME, "-e", "1,2", "--candidates", 20],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_mechanism_of_a_file_is_looked_at_like_ours(command, code, source, space_path):
    args = [source if arg == "SOURCE" else arg for arg in COMMANDS[command]]
    result = ok(run_dx(*command.split(), *args, "--space", space_path, "--code", code))
    assert NAME in result.stdout


def test_audit_takes_it(code, tmp_path):
    (tmp_path / "c.cfg").write_text(f'[mechanism]\n@dx_mechanisms = "{NAME}"\n')
    result = run_dx("audit", "mechanism", tmp_path / "c.cfg", "--code", code, "--quick")
    assert NAME in result.stdout and result.exit_code in (0, 1)


BUILDERS = {
    "sanitize": ["SOURCE"], "inspect": ["dog"], "attack": ["guess", "SOURCE"],
    "report": ["SOURCE", "SOURCE"], "audit mechanism": ["CONFIG"],
}  # fmt: skip
MISTAKES = [
    ("1 / 0", "ZeroDivisionError: division by zero"), ("def (", "SyntaxError"),
    ("raise SystemExit", "SystemExit"), (None, "No such file"),
]  # fmt: skip


@pytest.mark.parametrize(
    "command, text, message",
    [("sanitize", *mistake) for mistake in MISTAKES]
    + [(command, *MISTAKES[0]) for command in list(BUILDERS)[1:]],
)
def test_a_bad_file_is_a_mistake_in_one_line(command, text, message, tmp_path, source):
    bad, config = tmp_path / "bad.py", tmp_path / "c.cfg"
    config.write_text('[mechanism]\n@dx_mechanisms = "dx.Laplace.v1"\nepsilon = 1\n')
    if text is not None:
        bad.write_text(text)
    places = {"SOURCE": source, "OUT": tmp_path / "out", "CONFIG": config}
    args = [places.get(arg, arg) for arg in BUILDERS[command]]
    said = refusal(run_dx(*command.split(), *args, "--code", bad))
    assert said.startswith(f"dx {command}: {bad}: ") and message in said


def test_a_file_is_run_once_and_anew_when_it_has_changed(tmp_path):
    path, told = tmp_path / "mine.py", tmp_path / "told"
    body = f"with open({str(told)!r}, 'a') as file:\n    file.write('x')\n"
    path.write_text(body)
    import_code(path)
    import_code(str(path))
    assert told.read_text() == "x"
    path.write_text(body + "# more\n")
    import_code(path)
    assert told.read_text() == "xx"


def test_python_takes_it_as_well(code, space_path, tmp_path):
    nlp = make_pipeline(mechanism=NAME, epsilon=1e-9, space=space_path, code=code)
    assert nlp("the dog saw the cat").text.lower() in COVERED
    assert NAME in registry.dx_mechanisms.get_all()
    with pytest.raises(UsageError, match="No such file"):
        make_pipeline(code=tmp_path / "none.py")
