"""Runs configurations, and reads, writes and compares what they release.

A record has sections, so that a change shows where it is: `texts` and `docs` are what is released,
`receipts` what is said of it, `output` files.
"""

import hashlib
import io
import json
import os
import re
import shutil
import tempfile
import warnings
import zipfile
from contextlib import contextmanager
from difflib import unified_diff
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import spacy
import srsly
from spacy.language import Language
from spacy.tokens import DocBin
from spacy.vectors import Vectors

from .configurations import (
    CONFIGURATIONS,
    SEED,
    TEXTS,
    TINY_DIMS,
    TINY_WORDS,
    CommandConfiguration,
    Configuration,
)

os.environ["DX_CACHE"] = ""  # nothing depends on what this machine has stored

RECORDED = Path(__file__).parent / "recorded"
INPUTS = Path(__file__).parent / "inputs"  # a file of each format, of the same texts
KEY = "dx-key:" + bytes(range(32)).hex()
# Keys that are left out wherever they stand: timings and versions.
LEFT_OUT = ("seconds", "speed", "spacy_dxprivacy", "version")
FACTORIES = ("dx_sanitizer", "dx_entity_sanitizer")
DIFF_LINES, DIFF_WIDTH = 40, 200
LEAST_ENTRIES = 3
LIKE = 0.8
DIGITS = 12
BOUNDARY = re.compile(rb"===============\d+==")  # of Python's email, drawn anew each time

Record = dict[str, Any]


# -- records ---------------------------------------------------------------------------------------


def path_of(name):
    """Return the file of a record."""
    return RECORDED / f"{name}.json"


def read(name):
    """Return what is recorded, {} for nothing."""
    path = path_of(name)
    return json.loads(path.read_text("utf8")) if path.exists() else {}


def write(name, record):
    """Record."""
    path_of(name).write_text(to_text(record), "utf8")


def to_text(record):
    """Return the JSON that is compared and stored, in the order of the keys as they came."""
    return json.dumps(record, ensure_ascii=False, indent=0) + "\n"


def differences(expected, record):
    """Return a line for each section that differs, and the start of a diff; [] if none does."""
    sections = [name for name in {**expected, **record} if expected.get(name) != record.get(name)]
    if to_text(expected) == to_text(record):
        return []
    before, after = (to_text(one).splitlines() for one in (expected, record))
    lines = list(unified_diff(before, after, "recorded", "now", lineterm="", n=1))
    return [
        f"differs in: {', '.join(sections) or 'the order of keys'}",
        *(line[:DIFF_WIDTH] for line in lines[:DIFF_LINES]),
        *([f"... and {len(lines) - DIFF_LINES} more lines"] if len(lines) > DIFF_LINES else []),
    ]


def run(name):
    """Return the record of a configuration, run now."""
    configuration = CONFIGURATIONS[name]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        root = Path(folder)
        (root / "key").mkdir()
        key = root / "key" / "golden.key"
        key.write_text(KEY, "utf8")
        key.chmod(0o600)
        if isinstance(configuration, CommandConfiguration):
            record = run_command(configuration, root, key)
        else:
            record = run_pipeline(configuration, key)
    return json.loads(json.dumps(record))


# -- pipelines -------------------------------------------------------------------------------------


@cache
def tiny_vectors():
    words = tuple(dict.fromkeys(TINY_WORDS))
    vectors = np.random.default_rng(0).standard_normal((len(words), TINY_DIMS))
    return words, vectors.astype(np.float32)


def blank(lang, tiny):
    """Return a pipeline without components; tiny: with the vectors of the tiny space."""
    nlp = spacy.blank(lang)
    if tiny:
        words, vectors = tiny_vectors()
        for word in words:
            nlp.vocab.strings.add(word)
        strings = nlp.vocab.strings
        nlp.vocab.vectors = Vectors(strings=strings, data=vectors.copy(), keys=list(words))
    return nlp


def with_key(settings, key):
    """Return settings with the path of a key in place of "<key>"."""
    if isinstance(settings, dict):
        return {name: with_key(value, key) for name, value in settings.items()}
    return str(key) if settings == "<key>" else settings


def make(configuration, key):
    """Return a pipeline with a new seeded sanitizer."""
    nlp = blank(configuration.lang, configuration.tiny)
    for factory in configuration.before:
        nlp.add_pipe(factory)
    settings = with_key(configuration.settings, key)
    nlp.add_pipe(configuration.factory, config={"seed": SEED, **settings})
    return nlp


def run_pipeline(configuration, key):
    """Return what a pipeline releases: all texts in a batch, then the first by itself."""
    nlp = make(configuration, key)
    texts = [TEXTS[name] for name in configuration.texts]
    try:
        docs = [*nlp.pipe(texts), nlp(texts[0])]
    except Exception as error:
        docs = [nlp(texts[0])] if "DX036" in str(error) else []
        failure = f"{type(error).__name__}: {error}"
        return {**record_of(docs), "failure": failure}
    return record_of(docs)


def record_of(docs):
    """Return the record of sanitised Docs."""
    return {
        "texts": [doc.text for doc in docs],
        "docs": [digests(doc) for doc in docs],
        "receipts": receipts([dict(doc._.dx) for doc in docs]),
    }


def receipts(given):
    """Return the first receipt as it is, of the others the entries that differ from it."""
    whole = [by_stage(json.loads(json.dumps(comparable(one)))) for one in given]
    changed = [whole_difference(whole[0], one) for one in whole[1:]]
    ends = [{"digest": digest(to_text(one).encode())} for one in whole]
    return [abridged(one) | end for one, end in zip([*whole[:1], *changed], ends, strict=True)]


def by_stage(receipt):
    """Return a receipt whose stages are entries, in their order, so that few of them differ."""
    names = [stage.pop("stage") for stage in receipt["stages"]]
    if len({*names}) < len(names):
        raise ValueError("two stages of a receipt have one name")
    return {**receipt, "stages": dict(zip(names, receipt["stages"], strict=True))}


def abridged(value):
    """Return a nested dictionary whose entries name an earlier one that they are like.

    The terms of 57 labels of a preset are those of 8 surrogates. {"as": "X", ...} is entry X with
    other values for some keys; "as X" lists those that equal X.
    """
    if not isinstance(value, dict):
        return value
    short: dict[str, Any] = {}
    models: dict[str, Any] = {}
    for name, one in value.items():
        model = model_of(one, models)
        if model is None:
            short[name] = abridged(one)
        elif models[model] == one:
            alike = short.get(f"as {model}")
            short[f"as {model}"] = f"{alike} {name}" if alike else name
            continue
        else:
            short[name] = {"as": model, **whole_difference(models[model], one)}
        if isinstance(one, dict) and len(one) >= LEAST_ENTRIES:
            models[name] = one
    return short


def model_of(one, models):
    """Return the name of a dictionary from which a value takes fewer letters to tell."""
    if not isinstance(one, dict) or len(one) < LEAST_ENTRIES:
        return None
    sizes = {name: len(to_text(whole_difference(model, one))) for name, model in models.items()}
    nearest = min(sizes, key=sizes.__getitem__, default=None)
    return nearest if nearest and sizes[nearest] < LIKE * len(to_text(one)) else None


def whole_difference(first, other):
    """Return the entries of a nested dictionary that differ; `lacks` names those that went."""
    if not (isinstance(first, dict) and isinstance(other, dict)):
        return other
    changed = {
        name: whole_difference(first[name], value) if name in first else value
        for name, value in other.items()
        if name not in first or first[name] != value
    }
    lacking = [name for name in first if name not in other]
    return {**changed, "lacks": lacking} if lacking else changed


def comparable(value):
    """Return a receipt without what is LEFT_OUT, floats with DIGITS: further ones hang on the
    kernels that BLAS has for a processor."""
    if isinstance(value, dict):
        return {k: comparable(v) for k, v in value.items() if k not in LEFT_OUT}
    if isinstance(value, list | tuple):
        return [comparable(one) for one in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def digest(data):
    return hashlib.sha256(data).hexdigest()[:20]


def digest_of_array(array):
    return f"{'x'.join(map(str, array.shape))} {digest(array.tobytes())}" if array.size else ""


def digests(doc):
    """Return digests of a Doc: all that it holds but its receipt, and the vectors of its tokens."""
    message = srsly.msgpack_loads(doc.to_bytes(exclude=["user_data"]))
    message["strings"] = sorted(message["strings"])  # a set, ordered by the hash seed
    vectors = np.stack([np.asarray(token.vector, dtype=np.float32) for token in doc])
    return {
        "doc": digest(srsly.msgpack_dumps(message)),
        "vectors": digest_of_array(vectors),
        "tensor": digest_of_array(doc.tensor),
        "provenance": spans_text(doc.spans.get("dx", ())),
        "ents": spans_text(doc.ents),
        "user_data": " ".join(sorted(map(str, doc.user_data))),
    }


def spans_text(spans):
    """Return the labels of spans, each with the number of tokens before it and of its own."""
    return " ".join(f"{span.label_}@{span.start}+{len(span)}" for span in spans)


# -- files -----------------------------------------------------------------------------------------


@contextmanager
def seeded_factories():
    """Give the factories a default seed: settings by options go with no config that holds one."""
    defaults = [Language.get_factory_meta(name).default_config for name in FACTORIES]
    before = [default["seed"] for default in defaults]
    try:
        for default in defaults:
            default["seed"] = SEED
        yield
    finally:
        for default, seed in zip(defaults, before, strict=True):
            default["seed"] = seed


def run_command(configuration, root, key):
    """Return what the command releases."""
    from spacy.cli._util import app
    from typer.testing import CliRunner

    import spacy_dxprivacy.cli  # noqa: F401  joins spaCy's program, as by entry point

    (root / "out").mkdir()
    shutil.copytree(INPUTS, root / "in")
    given = {"<key>": key, "<config>": root / "pipeline.cfg", "<model>": root / "model"}
    if "<config>" in configuration.options or "<model>" in configuration.options:
        nlp = make(Configuration(**configuration.pipeline), key)
        nlp.config.to_disk(given["<config>"])
        nlp.to_disk(given["<model>"])
    options = [str(given.get(option, option)) for option in configuration.options.split()]
    target, receipt = root / "out" / configuration.target, root / "receipt.json"
    command = ["dx", "sanitize", str(root / "in" / configuration.source), str(target), *options]
    command += ["--receipt", str(receipt), "--quiet"]
    with seeded_factories():
        done = CliRunner().invoke(app, command)
    if not target.exists():
        raise RuntimeError(f"exit status {done.exit_code}: {done.output}") from done.exception
    payload = json.loads(receipt.read_text("utf8"))
    return {
        "exit": done.exit_code,
        "files": sorted(path.name for path in target.parent.iterdir()),
        "output": output_of(target, target.read_bytes()),
        "receipts": receipts([payload]),
    }


def output_of(path, data):
    """Return the content of a file as text where it is short, and digests of its parts."""
    if path.suffix in (".docx", ".xlsx"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = {info.filename: archive.read(info) for info in archive.infolist()}
        shown = {
            name: part.decode()
            for name, part in parts.items()
            if name.endswith(("document.xml", "sheet1.xml"))
        }
        return {"file": digest(data), "parts": {k: digest(v) for k, v in parts.items()}, **shown}
    if path.suffix == ".spacy":
        docs = list(DocBin().from_bytes(data).get_docs(spacy.blank("en").vocab))
        return record_of(docs)
    if path.suffix == ".eml":
        data = BOUNDARY.sub(b"===boundary===", data)
    return {"file": digest(data), "text": data.decode().splitlines(keepends=True)}
