"""`dx sanitize`: what comes out, what never does, and what is left behind, whatever goes wrong.

No partial file has a final name, no file that is left holds clear text, and the command, given
again, does all of it.
"""

import csv
import errno
import io
import json
import logging
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
import spacy
import srsly
from conftest import hearing_ctrl_c, leaks, ok, on_space, refusal, run_dx, sanitizing, space_options
from spacy.tokens import DocBin

from spacy_dxprivacy import DxSanitizer
from spacy_dxprivacy.io.build import make_pipeline
from spacy_dxprivacy.io.jobs import plan_jobs
from spacy_dxprivacy.io.run import sanitize
from spacy_dxprivacy.pipeline import component
from spacy_dxprivacy.pipeline.component import DEFAULT_CONFIG
from spacy_dxprivacy.pipeline.receipt import Receipt

MISTAKES = srsly.read_yaml(Path(__file__).with_name("mistakes.yaml"))

# None of these is in the space, so none of them may be anywhere in what is written.
SECRETS = ["Zorblatt", "Quixwell", "Vrondheim", "4051"]
TEXTS = [
    "The small cat sleeps near Zorblatt.",
    "Quixwell runs in the garden, day and night!",
    "",
    "The old dog (77-4051) sleeps\nin Vrondheim.",
]
KINDS = ["jsonl", "csv", "spacy"]
EXAMPLES = Path(__file__).parents[2] / "examples"
EPSILON = DEFAULT_CONFIG["mechanism"]["epsilon"]
TIMEOUT = 120  # seconds, for a program to start on a busy machine


@pytest.fixture(scope="module")
def space(few_words_path):
    return few_words_path


@pytest.fixture
def dx(space):
    """Runs the command; gives its result with exit_code, stdout and stderr."""

    def run(*args, **kwargs):
        own = {"--config", "--model", "--space.path"} & set(args)
        chosen = [] if own else space_options(space)
        return run_dx("sanitize", *args, *chosen, **kwargs)

    return run


@pytest.fixture
def nlp(space):
    return make_pipeline(space=space)


@contextmanager
def started(*args, **kwargs):
    """The command as a program of its own. None of its processes outlives the block."""
    command = [sys.executable, "-m", "spacy", "dx", "sanitize", *map(str, args)]
    process = subprocess.Popen(
        hearing_ctrl_c(command), stderr=subprocess.PIPE, text=True, start_new_session=True, **kwargs
    )
    try:
        yield process
    finally:
        if alive(process):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stderr.close()


def alive(process):
    """Whether it or a worker of it lives."""
    process.poll()
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(condition, seconds=TIMEOUT):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} seconds"
        time.sleep(0.02)


def write(folder, kind, texts=TEXTS):
    """A file of these texts; each has an id beside it where the format has fields."""
    path = folder / f"in.{kind}"
    if kind == "jsonl":
        entries = [{"id": i, "text": text, "who": "Zorblatt"} for i, text in enumerate(texts)]
        path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    elif kind == "csv":
        with path.open("w", newline="") as file:
            # Before Python 3.11, NUL cannot be written where there is no escapechar.
            rows = csv.writer(file, escapechar="\ud800")
            rows.writerows([["id", "text"], *enumerate(texts)])
    else:
        docs = list(spacy.blank("en").pipe(texts))
        for doc in docs:
            doc.user_data["who"] = "Zorblatt"
        DocBin(store_user_data=True, docs=docs).to_disk(path)
    return path


def read_texts(path):
    if path.suffix == ".jsonl":
        return [json.loads(line)["text"] for line in path.read_text().splitlines()]
    if path.suffix == ".csv":
        with path.open(newline="") as file:
            return [row["text"] for row in csv.DictReader(file)]
    if path.suffix == ".spacy":
        return [doc.text for doc in DocBin().from_disk(path).get_docs(spacy.blank("en").vocab)]
    return path.read_text().splitlines()


def no_secret_in(*things):
    assert not [secret for thing in things for secret in leaks(thing, SECRETS)]


# -- what comes out ----------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["--config", "--space.path"])
def test_a_text_taken_for_a_config_or_for_vectors_is_not_quoted(dx, tmp_path, option):
    text = tmp_path / "note.txt"
    text.write_text("Zorblatt lives in Leeds.\nShe climbs the stairs.\n")
    given = space_options(text) if option == "--space.path" else [option, text]
    result = dx(text, *given)
    assert result.exit_code == 2 and "note.txt" in result.stderr
    for word in ("Zorblatt", "Leeds", "stairs", "climbs"):
        assert word not in result.stdout + result.stderr


def test_a_text_goes_to_stdout_and_its_receipt_to_stderr(dx, tmp_path):
    path = tmp_path / "note.txt"
    path.write_bytes(b"The cat sleeps.\r\n\r\nZorblatt runs!")
    result = ok(dx(path, "--epsilon", 1, "--unknown.@dx_unknowns", "dx.Redact.v1", "-v"))
    first, second = result.stdout_bytes.decode().split("\r\n\r\n")  # the layout stays
    assert first.endswith(".") and second.startswith("[REDACTED] ") and second.endswith("!")
    receipt = Receipt(json.loads(result.stderr))
    assert receipt.count.perturbed == 4 and receipt.count.unknown == 1
    assert receipt.guarantee["epsilon"] == 1
    no_secret_in(result.stdout, result.stderr)


def test_a_summary_has_seven_lines_and_says_where_the_whole_receipt_is(dx):
    for options in ("", "--entities person", "--surrogates standard", "-m laplace -e 9"):
        result = dx("-", *options.split(), input="The cat of John Smith sleeps.")
        labels = [line[2:12].strip() for line in result.stderr.splitlines() if line[2] != " "]
        assert len(labels) <= 7
        assert labels[1:] == ["Use", "Replaced", "Stays", "Unchecked", "Linked by", "Receipt"]
        no_secret_in(result.stderr)


def test_a_summary_states_epsilon_where_words_are_drawn(dx):
    text = "The cat of John Smith sleeps."
    drawn, replaced = dx("-", "-e", 0.7, input=text), dx("-", "--entities", "person", input=text)
    assert "at epsilon 0.7 (proven)" in drawn.stderr and "epsilon" not in replaced.stderr


def test_a_folder_becomes_a_folder_with_the_same_names(dx, tmp_path):
    source = tmp_path / "in"
    (source / "deep").mkdir(parents=True)
    write(source / "deep", "jsonl")
    write(source, "csv")
    (source / "b.txt").write_text("The cat")
    (source / "readme.pdf").write_text("Zorblatt")
    (source / "bad.csv").write_text("Zorblatt sleeps, near Quixwell.\n1,2\n")
    result = dx(source, tmp_path / "out")
    names = sorted(str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*.*"))
    assert names == ["b.txt", "deep/in.jsonl", "in.csv"]
    assert result.exit_code == 1 and "bad.csv" in result.stderr  # the others are written
    assert "the names of the files" in " ".join(result.stderr.split())
    no_secret_in(result.stderr)


def test_two_processes_keep_order_fields_and_receipts(dx, tmp_path):
    texts = [f"The cat {'runs ' * i}Zorblatt" for i in range(40)]
    source = write(tmp_path, "jsonl", texts)
    how = ["-n", 2, "--nlp.batch_size", 4, "--keep-fields", "id"]
    ok(dx(source, tmp_path / "out.jsonl", *how))
    entries = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [entry["id"] for entry in entries] == list(range(40))
    assert [len(e["text"].split()) for e in entries] == [len(t.split()) for t in texts]
    assert dx(source, tmp_path / "out.spacy", "-n", 2).exit_code == 0
    assert len(read_texts(tmp_path / "out.spacy")) == 40


# -- the pipeline ------------------------------------------------------------------------------


def test_a_config_is_a_whole_pipeline(dx, tmp_path, space):
    nlp = sanitizing(space=on_space(space))
    nlp.config.to_disk(tmp_path / "dx.cfg")
    nlp.to_disk(tmp_path / "model")
    for option, name in [("--config", "dx.cfg"), ("--model", "model")]:
        assert dx("-", option, tmp_path / name, input="The cat").exit_code == 0
        refused = dx("-", option, tmp_path / name, "--epsilon", 3, input="The cat")
        assert refused.exit_code == 2 and not refused.stdout


def test_entities_of_a_model_alone_are_replaced(dx, tmp_path, space):
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PERSON", "pattern": "Zorblatt"}])
    nlp.to_disk(tmp_path / "model")
    args = ["--model", tmp_path / "model", *space_options(space), "--surrogates", "none"]
    args += ["--unknown.@dx_unknowns", "dx.Redact.v1"]
    result = dx("-", "--entities", "person", *args, "-v", input="The cat of Zorblatt")
    assert result.stdout == "The cat of [REDACTED]"
    assert "every word outside" in result.stderr
    assert dx("-", "--entities", "DATE", *args, input="The cat").exit_code == 2


def test_a_pipeline_that_does_not_sanitise_is_refused(dx, tmp_path):
    nlp = spacy.blank("en")
    nlp.config.to_disk(tmp_path / "plain.cfg")
    result = dx("-", "--config", tmp_path / "plain.cfg", input="Zorblatt")
    assert result.exit_code == 2 and not result.stdout
    with pytest.raises(ValueError, match="no active dx_sanitizer"):
        sanitize(nlp, plan_jobs(str(EXAMPLES / "note.txt"), None))


def test_a_seeded_sanitizer_is_loud_and_keeps_to_one_process(dx, tmp_path, space):
    sanitizing(seed=1, space=on_space(space)).config.to_disk(tmp_path / "seed.cfg")
    args = ["-", "--config", tmp_path / "seed.cfg", "--quiet"]
    assert dx(*args, input="The cat").stderr.startswith("NO PRIVACY: the random numbers")
    assert dx(*args, "-n", 2, input="The cat").exit_code == 2
    assert "NO PRIVACY: dx.Identity" in dx("-", "-m", "identity", "-q", input="The cat").stderr


# -- what never comes out ----------------------------------------------------------------------


def test_every_format_becomes_every_other_and_secrets_are_nowhere(dx, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    out = tmp_path / "out"
    out.mkdir()
    for read_as in KINDS:
        texts = [*TEXTS, "Zorblatt \ud800"] if read_as == "jsonl" else TEXTS
        source = write(tmp_path, read_as, texts)
        given = ["--keep-fields", "none", "--unknown.@dx_unknowns", "dx.Redact.v1"]
        for suffix in KINDS:
            target, receipt = out / f"{read_as}.{suffix}", out / f"{read_as}-{suffix}.json"
            page = receipt.with_suffix(".html")
            result = dx(source, target, "--receipt", receipt, "--receipt", page, *given)
            assert result.exit_code == (len(texts) > len(TEXTS)), result.stderr
            no_secret_in(result.stdout, result.stderr)
            done = read_texts(target)
            assert [len(text.split()) for text in done] == [len(text.split()) for text in TEXTS]
            assert [text.count("[REDACTED]") for text in done] == [1, 1, 0, 3]
    files = list(out.iterdir())
    assert len(files) == 27
    for path in files:
        no_secret_in(path.name, path.read_bytes())
    no_secret_in(caplog.text)


def test_a_component_that_fails_lets_nothing_through(dx, tmp_path, monkeypatch):
    def fail(self, docs):
        raise RuntimeError(f"cannot do {docs[0].text}")

    monkeypatch.setattr(DxSanitizer, "_sanitize", fail)
    result = dx(write(tmp_path, "jsonl"), tmp_path / "out.jsonl")
    assert result.exit_code == 1 and not (tmp_path / "out.jsonl").exists()
    no_secret_in(result.stdout, result.stderr)


def test_a_record_that_fails_takes_none_along(dx, tmp_path):
    for n_process in (1, 2):
        small = ["--unknown.@dx_unknowns", "dx.Raise.v1", "--nlp.batch_size", 2, "-n", n_process]
        result = dx(write(tmp_path, "jsonl"), *small)
        assert result.exit_code == 1 and len(result.stdout.splitlines()) == 1
        assert [f"record {n}: [DX036]" in result.stderr for n in (1, 2, 3, 4)] == [1, 1, 0, 1]


BAD_LINES = {
    '{"text": "half \\ud800 Zorblatt"}': "not valid Unicode",
    '{"text": "Zorblatt \xff"}': "not valid Unicode",
    '{"who": "Zorblatt"}': "no field 'text'",
    '{"text": ["Zorblatt"]}': "a list, not a string",
    '{"text": {"a": "Zorblatt"}}': "an object, not a string",
    '{"text": "Zorblatt': "not valid JSON",
    '["Zorblatt"]': "not a JSON object",
    "[" * 100_000: "not valid JSON",
}


def test_a_bad_record_is_named_by_its_number_and_the_others_are_written(dx, tmp_path):
    good = '{"text": "The cat sleeps"}'
    lines = [line for bad in BAD_LINES for line in (bad, good)]
    (tmp_path / "in.jsonl").write_bytes("\n".join(lines).encode("latin-1"))
    result = dx(tmp_path / "in.jsonl", tmp_path / "out.jsonl", "--receipt", tmp_path / "r.json")
    assert result.exit_code == 1 and len(read_texts(tmp_path / "out.jsonl")) == len(BAD_LINES)
    for number, reason in zip(range(1, len(lines), 2), BAD_LINES.values(), strict=True):
        (told,) = [s for s in result.stderr.splitlines() if f"record {number}:" in s]
        assert reason in told
    receipt = json.loads((tmp_path / "r.json").read_text())
    assert receipt["count"]["failed"] == [[*range(1, len(lines), 2)]]
    no_secret_in(result.stderr, (tmp_path / "out.jsonl").read_bytes())


def test_a_ragged_csv_row_is_a_bad_record(dx, tmp_path):
    # Its kept fields would hold a part of the text.
    rows = 'text,id\nThe cat,1\nHello, Zorblatt,2\n"Zorblatt"x,3\nZorblatt\nThe dog,5\n"Zorblatt'
    (tmp_path / "in.csv").write_text(rows)
    result = dx(tmp_path / "in.csv", "--keep-fields", "id")
    assert [line.rpartition(",")[2] for line in result.stdout.splitlines()] == ["id", "1", "5"]
    assert [f"record {n}:" in result.stderr for n in range(1, 7)] == [0, 1, 1, 1, 0, 1]
    no_secret_in(result.stdout, result.stderr)


def test_nul_in_csv_is_a_blank(dx, tmp_path):
    # The module csv refuses it before Python 3.11, and what it reads after that is out of step.
    (tmp_path / "in.csv").write_bytes(b'text,id\r\n"The\0cat\nruns\0",a\0b\r\nThe dog,"\0""c"\r\n')
    result = dx(tmp_path / "in.csv", "--keep-fields", "id")
    assert result.exit_code == 0 and len(result.stdout_bytes.splitlines()) == 4
    assert b",a b\r\n" in result.stdout_bytes
    assert result.stdout_bytes.endswith(b'," ""c"\r\n')


# -- what is left behind -----------------------------------------------------------------------


@pytest.mark.posix
def test_output_is_replaced_only_on_request(dx, tmp_path):
    source = write(tmp_path, "jsonl")
    target = tmp_path / "out.jsonl"
    target.write_text("mine")
    assert dx(source, target).exit_code == 2 and target.read_text() == "mine"
    assert dx(source, target, "--force").exit_code == 0 and target.read_text() != "mine"
    before = source.read_text()
    (tmp_path / "link.jsonl").symlink_to(source)
    for same in [source, tmp_path / "link.jsonl"]:
        assert dx(source, same, "--force").exit_code == 2 and source.read_text() == before


INTERRUPTIONS = [
    (how, n_process, after)
    for how in (signal.SIGINT, signal.SIGTERM)
    for n_process, after in [(1, 0.5), (2, 0), (2, 0.5)]
] + [(signal.SIGINT, -2, 0.2)]


@pytest.mark.posix
@pytest.mark.slow
@pytest.mark.parametrize(("how", "n_process", "after"), INTERRUPTIONS)
def test_an_interrupted_run_leaves_no_output(tmp_path, space, how, n_process, after):
    """-2: two workers that hear the signal too, as those of a terminal do."""
    source = write(tmp_path, "jsonl", ["The cat sleeps near Zorblatt. " * 1000] * 1000)
    out = tmp_path / "out"
    out.mkdir()
    with started(source, out / "o.jsonl", *space_options(space), "-n", abs(n_process)) as process:
        wait_until(lambda: list(out.iterdir()) or process.poll() is not None)
        time.sleep(after)  # 0: as the workers start
        send = os.killpg if n_process < 0 else os.kill
        send(process.pid, how)
        wait_until(lambda: not alive(process), seconds=20)
        stderr = process.communicate()[1]
    assert process.returncode == 130 and not list(out.iterdir())
    assert stderr == "dx sanitize: stopped. Incomplete outputs were removed.\n"


def worker_dies(nlp, records, **_):
    os._exit(9)


def worker_fails(nlp, records, **_):
    raise RuntimeError(records[0].texts[0])


@pytest.mark.parametrize(
    ("act", "why"), [(worker_dies, "A worker process died"), (worker_fails, "with RuntimeError")]
)
def test_a_worker_that_dies_or_fails_ends_the_run(dx, tmp_path, monkeypatch, forking, act, why):
    monkeypatch.setattr("spacy_dxprivacy.io.results.sanitize_in_zone", act)
    source = write(tmp_path, "jsonl", ["The cat sleeps near Zorblatt. " * 5000] * 20)
    result = dx(source, tmp_path / "out.jsonl", "-n", 2)
    assert result.exit_code == 1 and why in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]
    assert not multiprocessing.active_children()
    no_secret_in(result.stdout, result.stderr)


@pytest.mark.slow
@pytest.mark.posix
@pytest.mark.posix
def test_a_full_stdout_is_reported(tmp_path, space):
    with open("/dev/full", "wb") as full:
        with started(write(tmp_path, "jsonl"), *space_options(space), stdout=full) as process:
            stderr = process.communicate(timeout=TIMEOUT)[1]
    assert process.returncode == 1 and "No space left" in stderr and "\r" not in stderr


# -- what goes wrong around it -----------------------------------------------------------------

LONG_TEXTS = [f"The cat sleeps near Zorblatt, {i} times. " * 60 for i in range(400)]


@pytest.fixture
def source(tmp_path):
    return write(tmp_path, "jsonl", LONG_TEXTS)


def lines_of(path):
    return len(path.read_text().splitlines())


def command(*args, space):
    dx = [sys.executable, "-m", "spacy", "dx", "sanitize"]
    return [*dx, *map(str, args), *space_options(space), "--keep-fields", "id", "-q"]


@pytest.mark.posix
@pytest.mark.slow
@pytest.mark.parametrize("n_process", [1, 2])
def test_kill_9_at_any_moment_and_again(source, space, n_process, tmp_path):
    out, rng = tmp_path / "out", random.Random(n_process)
    out.mkdir()
    done = 0
    for _ in range(4):
        args = (source, out / "o.jsonl", *space_options(space), "--keep-fields", "id")
        args += ("-n", n_process)
        with started(*args, stdout=subprocess.DEVNULL) as process:
            wait_until(lambda p=process: list(out.iterdir()) or p.poll() is not None)
            time.sleep(rng.uniform(0, 1.0))
            process.send_signal(signal.SIGKILL)
            wait_until(lambda p=process: not alive(p), seconds=20)
        for path in out.iterdir():  # what was sanitised so far
            no_secret_in(path.name, path.read_bytes())
        if (out / "o.jsonl").exists():  # it was quicker than the signal: then all of it is there
            assert lines_of(out / "o.jsonl") == len(LONG_TEXTS)
            (out / "o.jsonl").unlink()
            done += 1
    assert done < 4
    again = command(source, out / "o.jsonl", "-n", n_process, space=space)
    assert subprocess.run(again, timeout=TIMEOUT).returncode == 0
    assert lines_of(out / "o.jsonl") == len(LONG_TEXTS)


@pytest.mark.posix
@pytest.mark.slow
@pytest.mark.parametrize("n_process", [1, 2])
def test_a_file_that_may_not_grow_leaves_nothing_and_then_all(source, space, n_process, tmp_path):
    """The limit on the size of files stands for a disk that fills up in the middle."""

    import resource  # Windows has none

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    out = tmp_path / "out"
    args = command(source, out / "o.jsonl", "-n", n_process, space=space)
    run = subprocess.run(args, capture_output=True, text=True, preexec_fn=limit, timeout=TIMEOUT)
    assert run.returncode == 1 and run.stderr.startswith("dx sanitize: File too large.")
    assert len(run.stderr.splitlines()) == 1 and not list(out.iterdir())
    assert subprocess.run(args, timeout=TIMEOUT).returncode == 0
    assert lines_of(out / "o.jsonl") == len(LONG_TEXTS)


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "in"
    path.mkdir()
    for name in "abc":
        (path / f"{name}.txt").write_text("The cat sleeps near Zorblatt.\n" * 3)
    return path


def test_a_file_that_cannot_be_opened_is_named_and_the_others_are_written(
    dx, folder, tmp_path, monkeypatch
):
    opened = Path.open

    def refuse(self, *args, **kwargs):
        if self.name == "b.txt" and self.parent == folder:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return opened(self, *args, **kwargs)

    monkeypatch.setattr(Path, "open", refuse)
    result = dx(folder, tmp_path / "out")
    assert result.exit_code == 1 and "b.txt" in result.stderr
    assert "Permission denied" in result.stderr
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["a.txt", "c.txt"]


def test_a_disk_that_fails_while_it_is_read_leaves_nothing(dx, folder, tmp_path, monkeypatch):
    opened = Path.open

    class Failing(io.BytesIO):
        def read(self, size=-1):
            if self.tell():
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return super().read(size)

    def open_failing(self, *args, **kwargs):
        file = opened(self, *args, **kwargs)
        return Failing(file.read()) if self.parent == folder else file

    monkeypatch.setattr(Path, "open", open_failing)
    result = dx(folder / "a.txt", tmp_path / "o.txt")
    assert result.exit_code == 1 and "Input/output error" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in"]


@pytest.mark.parametrize("n_process", [1, 2])
def test_a_document_that_takes_too_much_memory_is_named_and_left_out(
    dx, tmp_path, monkeypatch, n_process, forking
):
    run_stages = component.run_stages

    def starve(docs, context):
        if any("Zorblatt" in doc.text for doc in docs):
            raise MemoryError(f"no room for {docs[0].text}")
        return run_stages(docs, context)

    monkeypatch.setattr(component, "run_stages", starve)
    source = write(tmp_path, "jsonl", ["The cat", "Zorblatt runs", "The dog"])
    result = dx(source, tmp_path / "o.jsonl", "--keep-fields", "id", "-n", n_process)
    assert result.exit_code == 1 and "record 2: [DX033]" in result.stderr
    assert "MemoryError" in result.stderr and lines_of(tmp_path / "o.jsonl") == 2
    no_secret_in(result.stdout, result.stderr)


# -- mistakes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("args, message", MISTAKES["sanitize"])
def test_a_mistake_is_answered_in_one_line(dx, args, message, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    args = [arg.replace("EXAMPLES", str(EXAMPLES)) for arg in args]
    assert message in refusal(dx(*args, input="Zorblatt")) and not list(tmp_path.iterdir())


def test_the_python_function_gives_the_numbers(nlp, tmp_path):
    told = []
    tally = sanitize(
        nlp,
        plan_jobs(str(write(tmp_path, "jsonl")), str(tmp_path / "out.csv")),
        on_failure=lambda *failure: told.append(failure),
        on_progress=told.append,
    )
    assert tally.count.documents == 4 and tally.count.unknown == 5 and not tally.failures
    assert sum(told) == (tmp_path / "in.jsonl").stat().st_size
    receipt = tally.to_dict()
    assert receipt.guarantee["epsilon"] == EPSILON
    assert not {"seconds", "words_per_second"} & set(receipt)  # they tell of lengths and rare words
    assert receipt.loss.plain == pytest.approx(EPSILON * tally.count.draws)
    assert set(receipt) == {"stages", "count", "loss"}
    json.dumps(receipt)
