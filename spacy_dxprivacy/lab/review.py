"""A release as tasks for human review in Prodigy or Label Studio, and the reviewers' answers.

The originals are never read. Offsets count code points, as Python and Prodigy do, and Label Studio
since the end of 2021. Before, it counted UTF-16 code units; the text of a region shows which.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any

from ..config import FileConfig
from ..errors import UsageError
from ..io.files.atomic import Output
from ..io.files.docbin import MOST_DOCBIN, Packed, read_docbin, unpack
from ..io.formats import FORMATS
from ..io.jobs import Opened, opened, plan_jobs
from ..io.record import Record, Row
from ..io.source import whole
from ..pipeline.receipt import SPANS_KEY
from ..validate import one_of

TEXT_IN = {"prodigy": "text", "label-studio": "data.text"}  # where a task holds its text
ANSWERS = ("ignore", "accept", "reject")  # of several reviewers, the last of these counts
MARKED = "marked spans"
RELEASED = "released_spans"  # of a task: the spans that it came with, which no reviewer marked
_SPAN = struct.Struct(">QQQllll")  # SpanGroup.to_bytes: id, knowledge base, label, start, end, ...
Json = dict[str, Any]
Region = tuple[int, int, str]  # start, end, label


def export_tasks(release: Path, tasks: Path, tool: str, field: str, force: bool) -> None:
    """Write a task for each document of a release. Raise DxError where one cannot be read."""
    plain = one_of("to", tool, TEXT_IN) == "prodigy"
    with _files(release, tasks, FileConfig(field=(field,)), force) as (given, write):
        for task in _documents(given):
            write(task if plain else _label_studio_task(task))


def import_answers(reviewed: Path, out: Path, tool: str, force: bool) -> Counter[str]:
    """Write {"id", "text", "answer", "spans"} for each task; return counts of ANSWERS and MARKED.

    Spans are those that reviewers added or changed. A task without an answer raises UsageError."""
    plain, counts = one_of("from", tool, TEXT_IN) == "prodigy", Counter[str]()
    with _files(reviewed, out, FileConfig(field=(TEXT_IN[tool],)), force) as (given, write):
        for record in _records(given):
            task: Any = record.row and record.row.entry
            try:
                if plain:
                    about, answers, regions = task, [task["answer"]], regions_of(task, "spans")
                else:
                    about, (answers, regions) = (
                        task["data"],
                        label_studio_regions(task, record.text),
                    )
                answer = max(answers, key=ANSWERS.index)
                released = set(regions_of(about, RELEASED))
                marked = [region for region in dict.fromkeys(regions) if region not in released]
                check_regions(marked, record.text)
            except (AttributeError, KeyError, TypeError, ValueError):
                why = f"it is no task that was answered in {tool}, or its spans do not fit its text"
                raise UsageError(f"record {record.number}: {why}.") from None
            line = {"id": about.get("id", record.number), "text": record.text, "answer": answer}
            write({**line, "spans": [*map(_span, marked)]})
            counts.update({answer: 1, MARKED: len(marked)})
        if not counts:
            raise UsageError("the file holds no task.")
    return counts


@contextmanager
def _files(
    source: Path, target: Path, files: FileConfig, force: bool
) -> Iterator[tuple[Opened, Callable[[Json], None]]]:
    """Open a file to read, and give what writes objects of JSON to another one."""
    if source.is_dir():
        raise UsageError("a review takes one file, and this is a folder.")
    (job,) = plan_jobs(str(source), str(target), files, force=force)
    if job.write_as != "jsonl":
        raise UsageError(f"{target}: must end in .jsonl.")
    with opened(job, files) as given, Output(job.target, force=force) as output:
        writer = FORMATS[job.write_as].write(output.handle, files)
        yield given, lambda entry: writer.write(Record(0, row=Row(entry, [])))
        writer.finish()


def _records(given: Opened) -> Iterator[Record]:
    for record in given.records():
        if record.problem:
            raise UsageError(f"record {record.number}: {record.problem}")
        yield record


def _documents(given: Opened) -> Iterator[Json]:
    """Yield the tasks of Prodigy; with tokens, which spans have to fit, of a .spacy release."""
    if given.job.read_as != "spacy":
        for record in _records(given):
            name = f"{record.number}.{record.part + 1}" if record.part else record.number
            yield {"id": name, "text": record.text}
        return
    try:
        docbin = read_docbin(whole(given.source, MOST_DOCBIN))
        groups = docbin.others[1] or [b""] * len(docbin)
        for number, (doc, group) in enumerate(zip(docbin.documents(), groups, strict=True), 1):
            yield {"id": number, **_spacy_task(*doc, group, docbin)}
    except (AttributeError, KeyError, TypeError, ValueError, struct.error):
        raise UsageError("the spans of the .spacy file are damaged.") from None


def _spacy_task(words: list[str], spaces: list[bool], groups: bytes, docbin: Packed) -> Json:
    parts = [word + " " * space for word, space in zip(words, spaces, strict=True)]
    starts = accumulate(map(len, parts), initial=0)
    places = [(start, start + len(word)) for word, start in zip(words, starts, strict=False)]
    rows = enumerate(zip(words, spaces, places, strict=True))
    tokens = [{"text": w, "start": a, "end": b, "id": i, "ws": s} for i, (w, s, (a, b)) in rows]
    spans, held = list[Json](), unpack(groups, use_list=False) if groups else {}
    for packed, keys in dict(held).items():
        for span in unpack(packed)["spans"] if SPANS_KEY in keys else ():
            number, a, b = _SPAN.unpack(span)[2:5]
            if not 0 <= a < b <= len(words):
                raise ValueError("a span outside its document")
            if (label := docbin.strings[number]) != "SAMPLED":  # which is nearly all there is
                place = _span((places[a][0], places[b - 1][1], label))
                spans.append({**place, "token_start": a, "token_end": b - 1})
    return {"text": "".join(parts), "tokens": tokens, "spans": spans, RELEASED: spans}


def _label_studio_task(task: Json) -> Json:
    text, regions = task["text"], regions_of(task, "spans")
    made = {"id": task["id"], "text": text, RELEASED: [*map(_span, regions)]}
    names = {"from_name": "label", "to_name": "text", "type": "labels"}
    values = [{"start": a, "end": b, "text": text[a:b], "labels": [of]} for a, b, of in regions]
    result = [{"id": str(i), **names, "value": value} for i, value in enumerate(values, 1)]
    return {"data": made, "predictions": [{"model_version": "dx", "result": result}][: len(result)]}


def label_studio_regions(task: Json, text: str) -> tuple[list[str], list[Region]]:
    """Return the answers and regions of all reviewers; one who submits without choice accepts."""
    answers, regions = list[str](), list[Region]()
    for annotation in task["annotations"]:
        values = [one.get("value", {}) for one in annotation["result"]]
        chosen = [choice.lower() for value in values for choice in value.get("choices", ())]
        answers += ["ignore"] if annotation.get("was_cancelled") else chosen or ["accept"]
        for value in values:
            if "start" in value:
                a, b = _code_points(text, value["start"], value["end"], value.get("text"))
                regions += [(a, b, label) for label in value.get("labels") or [""]]
    return answers, regions


def _code_points(text: str, start: int, end: int, marked: str | None) -> tuple[int, int]:
    """Return offsets in code points, from UTF-16 code units if only those fit the marked text."""
    if text[start:end] == marked or (marked is None and end <= len(text)):
        return start, end
    raw = text.encode("utf-16-le")
    a, b = (len(raw[: 2 * place].decode("utf-16-le", "ignore")) for place in (start, end))
    return (a, b) if text[a:b] == marked or len(text) < end <= len(raw) // 2 else (start, end)


def regions_of(task: Json, key: str) -> list[Region]:
    return [(span["start"], span["end"], span.get("label", "")) for span in task.get(key) or ()]


def check_regions(regions: list[Region], text: str) -> None:
    """Raise ValueError for a region that does not fit the text."""
    for start, end, label in regions:
        fits = type(start) is type(end) is int and 0 <= start < end <= len(text)
        if not fits or not isinstance(label, str):
            raise ValueError


def _span(region: Region) -> Json:
    return dict(zip(("start", "end", "label"), region, strict=True))
