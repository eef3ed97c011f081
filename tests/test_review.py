"""A release goes to Prodigy or Label Studio, and comes back with the reviewers' answers."""

import json

import pytest
import spacy
from conftest import SECRET_TEXT, leaks
from spacy.cli._util import app
from spacy.tokens import Doc, DocBin, Span
from typer.testing import CliRunner

TEXT = "😀 I saw Ada Smith, 𝒂 doctor, in Cork. "
ADA = {"start": 8, "end": 17, "label": "PERSON"}
CORK = {"start": 32, "end": 36, "label": "LEAK"}


def dx(*args):
    return CliRunner().invoke(app, ["dx", "review", *map(str, args)])


def rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]


def write(path, *entries):
    path.write_text("".join(f"{json.dumps(one)}\n" for one in entries), encoding="utf8")
    return path


@pytest.fixture
def release(tmp_path):
    nlp = spacy.blank("en")
    doc = nlp(TEXT)
    doc.spans["dx"] = [doc.char_span(ADA["start"], ADA["end"], label=ADA["label"])]
    doc.spans["dx"] += [Span(doc, 9, 10, label="SAMPLED")]
    doc.spans["other"] = [Span(doc, 0, 1, label="HIDDEN")]
    DocBin(docs=[doc, nlp("Nothing."), Doc(nlp.vocab)]).to_disk(tmp_path / "release.spacy")
    return tmp_path / "release.spacy"


def answered(task, tool, answer, *more):
    """A task as its reviewer leaves it: the spans that were there, and more."""
    if tool == "prodigy":
        return {**task, "answer": answer, "spans": [*task["spans"], *more], "_task_hash": 7}
    result = [one for p in task["predictions"] for one in p["result"]]
    result += [{"value": {**span, "labels": [span["label"]]}} for span in more]
    result.append({"type": "choices", "value": {"choices": [answer]}})
    return {**task, "annotations": [{"result": result, "was_cancelled": answer == "ignore"}]}


@pytest.mark.parametrize("tool", ["prodigy", "label-studio"])
def test_round_trip(tool, release, tmp_path):
    tasks, out = tmp_path / "tasks.jsonl", tmp_path / "out.jsonl"
    assert dx("export", release, tasks, "--to", tool).exit_code == 0
    made = rows(tasks)
    assert "HIDDEN" not in str(made) and "SAMPLED" not in str(made) and len(made) == 3
    if tool == "prodigy":
        span, tokens = made[0]["spans"][0], made[0]["tokens"]
        assert span.items() >= ADA.items() and tokens[span["token_end"]]["end"] == ADA["end"]
    else:
        assert made[0]["predictions"][0]["result"][0]["value"]["text"] == "Ada Smith"
    reviewed = write(tmp_path / "good.jsonl", *(answered(one, tool, "accept") for one in made))
    assert dx("import", reviewed, out, "--from", tool).exit_code == 0
    assert rows(out)[0] == {"id": 1, "text": TEXT, "answer": "accept", "spans": []}
    bad = [answered(made[i], tool, answer) for i, answer in ((1, "reject"), (2, "ignore"))]
    marked = answered(made[0], tool, "accept", CORK)
    args = "import", write(tmp_path / "bad.jsonl", marked, *bad), out, "--from", tool
    assert dx(*args).exit_code == 2  # it exists
    done = dx(*args, "--force")
    assert done.exit_code == 1 and "1 reject, 1 accept, 1 ignore, 1 marked spans" in done.stdout
    assert rows(out)[0]["spans"] == [CORK] and TEXT[32:36] == "Cork"


def test_an_edited_export_of_label_studio(tmp_path):
    release = write(tmp_path / "clean.jsonl", {"id": "a", "note": TEXT, "more": "not exported"})
    tasks, out = tmp_path / "tasks.jsonl", tmp_path / "out.jsonl"
    done = dx("export", release, tasks, "--to", "label-studio", "--field", "note")
    assert done.exit_code == 0 and "not exported" not in tasks.read_text()
    task = json.loads(tasks.read_text(encoding="utf8"))
    old = {"start": 34, "end": 38, "text": "Cork", "labels": ["LEAK"]}  # UTF-16 code units
    last = {"start": 39, "end": 40, "labels": []}  # no text, and beyond the code points
    first = {"result": [{"value": old}, {"value": last}, {"type": "relation"}]}
    second = {"result": [{"value": {"choices": ["Reject"]}}, {"value": {"start": 0, "end": 1}}]}
    tasks.write_text(json.dumps({**task, "annotations": [first, second]}))
    assert dx("import", tasks, out, "--from", "label-studio").exit_code == 1
    emoji, end = ({"start": a, "end": a + 1, "label": ""} for a in (0, 37))
    assert rows(out) == [{"id": 1, "text": TEXT, "answer": "reject", "spans": [CORK, end, emoji]}]


TASK = {"id": 1, "text": SECRET_TEXT}
PLACES = (0, 10**30), (-1, 2), (3, 3), ("0", "1"), (0.0, 1.0), (False, True), (None, None)
WRONG = [{}, {"answer": SECRET_TEXT}, {"answer": ["x"]}, {"answer": "accept", "spans": [1]}]
WRONG += [{"answer": "accept", "spans": [{"start": a, "end": b}]} for a, b in PLACES]
VALUES = [1, {"choices": [SECRET_TEXT]}, *({"start": a, "end": b} for a, b in PLACES)]
RESULTS = [[], None, *([{"result": [{"value": value}]}] for value in VALUES)]
BAD = [(TASK | more, "prodigy") for more in WRONG]
BAD += [({"data": TASK, "annotations": one}, "label-studio") for one in RESULTS]
BAD += [({"data": one}, "label-studio") for one in (SECRET_TEXT, {"text": 7}, {"x": SECRET_TEXT})]


@pytest.mark.parametrize(("entry", "tool"), BAD)
def test_a_task_without_an_answer_is_a_mistake(entry, tool, tmp_path):
    done = dx("import", write(tmp_path / "in.jsonl", entry), tmp_path / "o.jsonl", "--from", tool)
    assert done.exit_code == 2 and done.stdout == "" and "record 1" in done.stderr, done.output
    assert not leaks(done.stderr) and len(done.stderr.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_wrong_files(release, tmp_path):
    (tmp_path / "broken.jsonl").write_text(SECRET_TEXT)
    docbin, new = DocBin().from_disk(release), tmp_path / "new.jsonl"
    docbin.span_groups[0] = docbin.span_groups[0][:-3]
    docbin.to_disk(tmp_path / "groups.spacy")
    for name in ("broken.jsonl", "groups.spacy", "none.jsonl", "."):
        done = dx("export", tmp_path / name, new, "--to", "prodigy")
        assert done.exit_code == 2 and not leaks(done.stderr), (name, done.output)
    assert dx("export", release, new, "--to", "brat").exit_code == 2
    assert dx("export", release, new.with_suffix(".csv"), "--to", "prodigy").exit_code == 2
    done = dx("import", write(tmp_path / "empty.jsonl"), new, "--from", "prodigy")
    assert done.exit_code == 2 and "no task" in done.stderr and not new.exists()
