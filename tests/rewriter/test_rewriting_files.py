"""`dx sanitize --rewrite`: files, workers, resumed runs, and endpoints that fail."""

import json
import time
from itertools import count

import pytest
import srsly
from conftest import FEW_WORDS, leaks, ok, refusal, run_dx, space_options
from endpoint import serving, text_of
from ports import free_port

from spacy_dxprivacy import UsageError
from spacy_dxprivacy.config.options import FileOptions
from spacy_dxprivacy.integrations.clean import clean
from spacy_dxprivacy.io.build import make_pipeline
from spacy_dxprivacy.io.jobs import plan_jobs
from spacy_dxprivacy.io.run import sanitize
from spacy_dxprivacy.rewriter import PUBLIC_SENTENCE

TEXT = "the old cat Zorblattovich sleeps near a small house."
QUICK = ["--components.dx_rewriter.model.seconds", "0.2",
         "--components.dx_rewriter.model.retries", "1"]  # fmt: skip


@pytest.fixture(scope="module")
def options(few_words_path):
    mechanism = ["--mechanism", "exponential", "--epsilon", "3"]
    return [*space_options(few_words_path), *mechanism, "--unknown.@dx_unknowns", "dx.Redact.v1"]


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.jsonl"
    srsly.write_jsonl(path, [{"id": f"Quuxington-{i}", "text": TEXT} for i in range(4)])
    return path


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out.jsonl"


def rewriting(server, *more):
    return ["--rewrite", getattr(server, "url", server), "--rewrite-model", "small", *more]


def marked(text):
    """A faithful answer that shows where it is."""
    return f"{text.removesuffix('.')}, indeed."


def texts_of(server):
    """The paragraphs that the model read, after the public sentence."""
    texts = [text_of(json.loads(raw)["messages"][0]["content"]) for _, _, raw in server.seen]
    assert texts.pop(0) == PUBLIC_SENTENCE
    return texts


@pytest.mark.parametrize("n_process", [1, 2])
def test_a_file_is_rewritten_record_by_record(n_process, source, out, options, tmp_path, forking):
    receipt = tmp_path / "receipt.json"
    more = ["--n-process", n_process, "--receipt", receipt]
    with serving(marked) as server:
        done = ok(run_dx("sanitize", source, out, *options, *rewriting(server), *more))
    rows = list(srsly.read_jsonl(out))
    assert [row["id"] for row in rows] == [f"Quuxington-{i}" for i in range(4)]
    read = texts_of(server)
    assert sorted(row["text"] for row in rows) == sorted(map(marked, read))
    assert not leaks(repr(server.seen))
    stated = srsly.read_json(receipt)
    stage = stated["stages"][-1]
    host = server.url.removeprefix("http://").removesuffix("/v1")
    assert (stage["stage"], stage["model"], stage["host"]) == ("rewriter", "small", host)
    assert {**stated["count"]["rewrites"], "tokens": 0} == {
        "rewritten": 4, "refused": 0, "tokens": 0,
    }  # fmt: skip
    assert f"Rewritten  4 paragraphs by small at {host}" in done.stderr


def test_a_paragraph_without_a_faithful_answer_is_written_as_released(source, out, options):
    with serving(lambda text: text if text == PUBLIC_SENTENCE else "Sorry, Zorb.") as server:
        done = ok(run_dx("sanitize", source, out, *options, *rewriting(server)))
    rows = list(srsly.read_jsonl(out))
    assert {row["text"] for row in rows} == {*texts_of(server)} and len(server.seen) == 9
    assert "0 paragraphs by small" in done.stderr and "4 stay as released" in done.stderr


def test_a_rejected_paragraph_is_written_as_released_and_sampled_once(source, out, options):
    numbers = count()

    def script(text):
        return (400, b"too long", {}) if next(numbers) == 2 else marked(text)

    with serving(script) as server:
        more = rewriting(server, "--components.dx_rewriter.retries", "0")
        ok(run_dx("sanitize", source, out, *options, *more))
    rows = [row["text"] for row in srsly.read_jsonl(out)]
    assert sum(row.endswith("indeed.") for row in rows) == 3 and len(server.seen) == 5
    assert {row.replace(", indeed.", ".") for row in rows} == {*texts_of(server)}


FAILING = {
    "slow": (lambda text: time.sleep(0.4) or text, "DX191"),
    "full": (lambda text: (429, text.encode(), {}), "DX192"),
    "locked": (lambda text: (401, text.encode(), {}), "DX193"),
    "without the model": (lambda text: (404, text.encode(), {}), "DX194"),
    "nonsense": (lambda text: (200, text.encode(), {}), "DX195"),
    "picky": (lambda text: (400, text.encode(), {}), "DX196"),
}


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize(("script", "code"), FAILING.values(), ids=FAILING)
def test_an_endpoint_that_fails_ends_the_run(script, code, later, source, out, options):
    """At once, or after some records; nothing is written, and the error is a line without text."""
    if later and code == "DX196":
        pytest.skip("a rejected paragraph stays as released")
    numbers = count()

    def by_number(text):
        return text if later and next(numbers) < 2 else script(text)

    with serving(by_number) as server:
        done = run_dx("sanitize", source, out, *options, *rewriting(server), *QUICK)
    assert done.exit_code == (1 if later else 2) and code in done.stderr and not out.exists()
    assert done.stderr.count("\n") == 1 and not leaks(done.stderr, ("cat", "house", "raining"))
    assert (later and len(server.seen) > 2) or texts_of(server).count(PUBLIC_SENTENCE) < 2


def test_a_missing_endpoint_ends_the_run_at_once(source, out, options):
    url = f"http://127.0.0.1:{free_port()}"
    why = refusal(run_dx("sanitize", source, out, *options, *rewriting(url)))
    assert "DX190" in why and not out.exists()


@pytest.mark.parametrize("n_process", [1, 2])
def test_a_run_that_an_endpoint_ended_is_resumed(n_process, tmp_path, options, forking):
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    for i in range(3):
        srsly.write_jsonl(folder / f"{i}.jsonl", [{"text": TEXT}])
    numbers = count()
    with serving(lambda text: text if next(numbers) < 3 else (503, b"", {})) as server:
        command = ["sanitize", folder, out, *options, *rewriting(server), *QUICK]
        command += ["--n-process", n_process]
        done = run_dx(*command)
        assert done.exit_code == 1 and "DX192" in done.stderr
        finished = {path.name: path.read_bytes() for path in out.glob("*.jsonl")}
        assert len(finished) == 2
        server.script, asked = marked, len(server.seen)
        done = ok(run_dx(*command))
    assert len(server.seen) == asked + 2  # the public sentence, and the file that was missing
    assert len([*out.glob("*.jsonl")]) == 3 and "Sanitised 3 documents" in done.stderr
    assert {name: (out / name).read_bytes() for name in finished} == finished


def test_another_prompt_is_another_run(tmp_path, options):
    folder, out, prompt = tmp_path / "in", tmp_path / "out", tmp_path / "prompt.txt"
    folder.mkdir()
    for i in range(2):
        srsly.write_jsonl(folder / f"{i}.jsonl", [{"text": TEXT}])
    prompt.write_text("Rewrite it.")
    numbers = count()
    with serving(lambda text: text if next(numbers) < 2 else (401, b"", {})) as server:
        command = ["sanitize", folder, out, *options, *rewriting(server)]
        command += ["--components.dx_rewriter.prompt", prompt]
        assert run_dx(*command).exit_code == 1
        assert all(b"Rewrite it.\\n" in raw for _, _, raw in server.seen)
        prompt.write_text("Rewrite it well.")
        server.script = marked
        assert "DX077" in run_dx(*command).stderr


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["--rewrite", "http://127.0.0.1:9"], "--rewrite-model"),
        (["--rewrite-model", "small"], "--rewrite"),
        (["--rewrite", "here", "--rewrite-model", "small"], "base_url"),
        (rewriting("http://127.0.0.1:9", "--components.dx_rewriter.model.secs", "3"), "seconds"),
        (["--components.dx_rewriter.retries", "3"], "dx_rewriter"),
    ],
)
def test_wrong_options_are_a_line(given, expected, source, out, options):
    assert expected in refusal(run_dx("sanitize", source, out, *options, *given))
    assert not out.exists()


def test_a_config_can_be_rewritten_too(source, out, options, tmp_path, few_words_path):
    nlp = make_pipeline(space=few_words_path, mechanism="exponential", epsilon=3.0)
    nlp.to_disk(tmp_path / "saved")
    with serving(marked) as server:
        ok(run_dx("sanitize", source, out, "--config", tmp_path / "saved", *rewriting(server)))
        assert all(row["text"].endswith("indeed.") for row in srsly.read_jsonl(out))
        nlp = make_pipeline(config=tmp_path / "saved", rewrite=server.url, rewrite_model="small")
        nlp.to_disk(tmp_path / "rewriting")
        more = ["--components.dx_rewriter.retries", "0", "--force"]
        ok(run_dx("sanitize", source, out, "--config", tmp_path / "rewriting", *more))


def test_limits_that_are_checked_after_the_model_has_read_a_release_are_refused(
    source, out, few_words_path
):
    settings = {"space": few_words_path, "mechanism": "exponential", "epsilon": 3.0}
    with serving(marked) as server:
        settings |= {"rewrite": server.url, "rewrite_model": "small"}
        nlp = make_pipeline(**settings, overrides={"max_epsilon_per_person": 900})
        with pytest.raises(UsageError, match="max_epsilon_per_person"):
            jobs = plan_jobs(str(source), str(out))
            sanitize(nlp, jobs, FileOptions(person_field="id"))
        with pytest.raises(UsageError, match="max_epsilon"):
            clean([TEXT], max_epsilon=900, **settings)
        assert texts_of(server)[1:] == [] and not out.exists()


def test_clean_rewrites(few_words_path):
    settings = {"space": few_words_path, "mechanism": "exponential", "epsilon": 3.0}
    with serving(marked) as server:
        both = {"rewrite": server.url, "rewrite_model": "small", **settings}
        cleaned = clean([TEXT, None, TEXT], receipts=True, **both)
    assert [text and text.endswith("indeed.") for text in cleaned.texts] == [True, None, True]
    assert cleaned.receipts[0].stage("rewriter")["model"] == "small"


@pytest.mark.slow
def test_a_long_text_is_rewritten_in_parts(tmp_path, options):
    text = f"{' '.join(FEW_WORDS)}. " * 12_000
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text(text)
    with serving(lambda text: text) as server:
        done = ok(run_dx("sanitize", source, out, *options, *rewriting(server)))
    assert len(server.seen) > 400 and "Sanitised 1 document" in done.stderr
    assert out.read_text().count(".") == text.count(".")
