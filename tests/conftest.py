"""Shared: a small public space, pipelines on it, secrets, and doubles ("test.*") that misbehave."""

import hashlib
import importlib.util
import itertools
import json
import multiprocessing
import os
import re
import sys
import weakref
import zlib
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import catalogue
import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.vectors import Vectors
from typer.testing import CliRunner

from spacy_dxprivacy import Draw, DxError, DxSanitizer, Guarantee, Rng, Space, progress, registry
from spacy_dxprivacy.cli import dx_cli  # and the commands join spaCy's program
from spacy_dxprivacy.files.keys import make_key

os.environ["DX_CACHE"] = ""  # no test depends on what a machine has stored

# A recogniser of persons before the default sanitizer; more settings may follow.
PERSONS = """
[nlp]
lang = "en"
pipeline = ["dx_entity_ruler", "dx_sanitizer"]

[components]

[components.dx_entity_ruler]
factory = "dx_entity_ruler"

[components.dx_sanitizer]
factory = "dx_sanitizer"
"""
WORDS = """
the a an and or but not no yes of to in on at by for from with without about after before over
under up down out off into I you he she it we they me him her us them my your his its our their
is are was were be been have has had do does did can could will would should may might must
man woman child mother father brother sister friend doctor nurse teacher farmer soldier king queen
house home room door window table chair bed garden kitchen school hospital office church shop
street road city town village country river mountain sea lake island forest field beach bridge
day night morning evening week month year hour minute today tomorrow yesterday now then always
Monday Tuesday Friday January June London Paris Berlin Mary John Anna Peter
blue red green white black yellow brown grey big small old new young good bad happy sad warm cold
asthma fever pain cancer stroke illness medicine hospitalised pregnant divorce prison murder debt
go went come came see saw look hear heard say said tell told ask answered think thought know knew
take took give gave make made find found lose lost buy bought sell sold eat ate drink drank sleep
run ran walk walked sit sat stand stood speak spoke write wrote read play played work worked
bread water milk coffee tea meat fish apple orange sugar salt soup cake egg butter cheese
dog cat horse cow bird tree flower grass stone sun moon star wind rain snow fire ice earth
one two three four five six seven eight nine ten first second last many few some all none
very quite rather too also only just here there where when why how what who this that these those
""".split()


def pytest_runtest_setup(item):
    if os.name != "posix" and item.get_closest_marker("posix"):
        pytest.skip("needs modes, links, signals or pipes of a POSIX system")


# Of texts of a few words, for which a space takes no time to save.
FEW_WORDS = (
    "of the a cat dog house garden sleeps runs in and near old small tree river day night".split()
)
DIMS = 12
EPSILON = 3.0

# Names, numbers and addresses that no space holds.
UNKNOWN_SECRETS = ("Zorblattovich", "Quuxington", "7734551209", "zorb@quux.example", "Ærøskøbing")
# Words that the space holds, and that no test lets a mechanism choose.
KNOWN_SECRETS = ("asthma", "divorce", "prison")
SECRETS = UNKNOWN_SECRETS + KNOWN_SECRETS
SECRET_TEXT = (
    "Zorblattovich of Quuxington had asthma in prison after the divorce, tel. 7734551209.\n"
    "Write to zorb@quux.example in Ærøskøbing!"
)
# What the double test.Constant.v1 puts in every place.
COVER = "blue"

LAPLACE = {"@dx_mechanisms": "dx.Laplace.v1", "epsilon": EPSILON}
EXPONENTIAL = {"@dx_mechanisms": "dx.Exponential.v1", "epsilon": EPSILON}
PATH = {"@dx_mechanisms": "dx.Path.v1", "epsilon": 1.0}
CONSTANT = {"@dx_mechanisms": "test.Constant.v1"}
COUNTING = {"@dx_mechanisms": "test.Counting.v1"}
REDACT = {"@dx_unknowns": "dx.Redact.v1"}


def leaks(data, secrets=SECRETS):
    """Return the secrets that the data, compressed or not, holds in any case or escaped by JSON."""
    raw = data.encode("utf8", "surrogatepass") if isinstance(data, str) else data
    try:
        raw = zlib.decompress(raw)
    except zlib.error:
        pass
    text = raw.decode("utf8", "replace").lower()
    return sorted(s for s in secrets if s.lower() in text or json.dumps(s)[1:-1].lower() in text)


def run_dx(*arguments, **how):
    """Run `dx` in this process."""
    return CliRunner().invoke(dx_cli, [str(argument) for argument in arguments], **how)


def ok(done):
    """A command that did what it was asked for."""
    assert done.exit_code == 0, done.output
    return done


def without_progress(text):
    """The lines of a command without those that say how far it is, which a slow machine has."""
    lines = text.strip().splitlines()
    return [line for line in lines if not re.search(r": \d+:\d\d(?:, .*)?$", line)]


def refusal(done):
    """The one line of a command that did nothing; no stack, and nothing on stdout."""
    assert done.exit_code == 2 and not done.stdout_bytes, done.output
    (line,) = without_progress(done.stderr)
    assert "Traceback" not in line
    return f"{line}\n"


def module_of(path):
    """The module of a file that is in no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def with_package(**more):
    """The environment of a program that finds the package of this checkout."""
    paths = [str(Path(__file__).parent.parent), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **more}


def hearing_ctrl_c(command):
    """Return the command in a process that hears SIGINT, which a shell's background jobs ignore."""
    undo = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
    return [sys.executable, "-c", undo + "os.execv(sys.argv[1], sys.argv[1:])", *command]


# Looking through entry points takes a third of the time that a pipeline takes to make.
select = cache(catalogue.AVAILABLE_ENTRY_POINTS.select)
catalogue.AVAILABLE_ENTRY_POINTS = SimpleNamespace(select=select)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Run the whole suite on two cores, and named files in this process."""
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    in_one = any(config.getoption(name, False) for name in ("usepdb", "collectonly"))
    if not (named or in_one or hasattr(config, "workerinput")):
        if config.getoption("numprocesses", 0) is None:  # 0: there is no pytest-xdist
            config.option.numprocesses, config.option.dist = 2, "worksteal"


class Double:
    """A mechanism with no noise. Subclasses change what comes out."""

    name = "test.Double.v1"

    def __init__(self):
        self.guarantee = Guarantee("none", notes="A double.")
        self.calls: list[int] = []

    def fit(self, space):
        self.space = space

    def sample(self, rows, rng):
        self.calls.append(len(rows))
        return Draw(*self.draw(np.asarray(rows)))

    def draw(self, rows):
        return rows, self.space.vectors[rows]


class Constant(Double):
    name = "test.Constant.v1"

    def draw(self, rows):
        cover = np.full(len(rows), self.space.find(COVER))
        return cover, self.space.vectors[cover]


class Failing(Double):
    """Raises with the words that it was given in the message."""

    name = "test.Failing.v1"

    def __init__(self, error):
        super().__init__()
        self.error = error

    def draw(self, rows):
        if not len(rows):
            return rows, None
        text = " ".join(self.space.words[row] for row in rows) + " " + SECRET_TEXT
        kinds = {"dx": DxError, "value": ValueError, "key": KeyError, "stop": StopIteration}
        if self.error == "chained":
            try:
                raise KeyError(text)
            except KeyError as cause:
                raise DxError("[DX000] it failed") from cause
        if self.error == "ours":
            try:
                raise KeyError(text)
            except KeyError:
                Rng(seed=-1)  # an error of the package, with the text in its context
        raise kinds[self.error](text)


class Garbage(Double):
    name = "test.Garbage.v1"

    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def draw(self, rows):
        X = self.space.vectors[rows]
        return {
            "few": (rows[:-1], X[:-1]),
            "one": (rows[:1], X[:1]),
            "negative": (rows - len(self.space), X),
            "beyond": (rows + len(self.space), X),
            "floats": (rows.astype(float), X),
            "none": (None, X),
            "vectors": (rows, X[:, :3]),
            "nan": (rows, X * np.nan),
        }[self.kind]


class OddSelector:
    in_clear = ("all",)

    def __init__(self, kind):
        self.kind = kind

    def check(self, nlp, name):
        return None

    def select(self, doc):
        if self.kind == "raise":
            raise RuntimeError(doc.text)
        return {
            "none": None,
            "text": [t.text for t in doc],
            "ints": [1] * len(doc),
            "short": np.ones(max(0, len(doc) - 1), dtype=bool),
            "long": np.ones(len(doc) + 1, dtype=bool),
            "square": np.ones((len(doc), 1), dtype=bool),
        }[self.kind]


class OddUnknown:
    in_clear = ()

    def __init__(self, kind):
        self.kind = kind

    def replace(self, words, space, rng):
        if self.kind == "raise":
            raise RuntimeError(" ".join(words))
        return {"few": words[:1], "ints": list(range(len(words))), "none": None}[self.kind]


registry.dx_mechanisms("test.Counting.v1", func=lambda: Double())
registry.dx_mechanisms("test.Constant.v1", func=lambda: Constant())
registry.dx_mechanisms("test.Failing.v1", func=lambda error: Failing(error))
registry.dx_mechanisms("test.Garbage.v1", func=lambda kind: Garbage(kind))
registry.dx_selectors("test.Odd.v1", func=lambda kind: OddSelector(kind))
registry.dx_unknowns("test.Odd.v1", func=lambda kind: OddUnknown(kind))


@Language.component("test_leaky_annotator")
def leaky_annotator(doc):
    for token in doc:
        token.lemma_ = token.norm_ = token.tag_ = token.dep_ = token.ent_id_ = token.text
    if len(doc):
        span = doc.char_span(0, len(doc[0]), label="PERSON", kb_id=doc[0].text)
        doc.set_ents([span])
        doc.spans["all"] = [doc[:]]
    doc.cats[doc.text] = 1.0
    doc.user_data["copy"] = doc.text
    doc.user_data[("._.", "copy", None, None)] = doc.text
    doc.user_hooks["vector"] = lambda _: doc.text
    return doc


def make_space():
    words = list(dict.fromkeys(WORDS))
    matrix = np.random.default_rng(0).standard_normal((len(words), DIMS))
    return Space.from_vectors(words, matrix, name="small")


@pytest.fixture(autouse=True)
def keys_of_the_test(request, monkeypatch):
    """The system gives each test keys of its own, and all streams begin with the test. So a name
    that is drawn for itself, or a shift by no day, fails a test always or never, whatever ran
    before it. A forked child has the system's keys."""
    Rng().uniform(1)  # the known-answer test of this process takes keys
    process, system, name = os.getpid(), os.urandom, request.node.nodeid.encode()
    numbers, begun, stream_of = itertools.count(), weakref.WeakSet(), Rng.generator.fget
    warm_up = DxSanitizer.warm_up

    def urandom(size):
        if os.getpid() != process:
            return system(size)
        return hashlib.shake_128(name + b"%d" % next(numbers)).digest(size)

    def generator(rng):
        if rng.seed is None and rng not in begun:
            begun.add(rng)
            rng.__setstate__(rng.__getstate__())  # as a copy, which has a stream of its own
        return stream_of(rng)

    def warm_up_by_the_system(sanitizer):  # a pipeline from a cache has drawn before the test
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "urandom", system)
            patch.setattr(Rng, "generator", property(stream_of))
            warm_up(sanitizer)

    monkeypatch.setattr(os, "urandom", urandom)
    monkeypatch.setattr(Rng, "generator", property(generator))
    monkeypatch.setattr(DxSanitizer, "warm_up", warm_up_by_the_system)


@pytest.fixture(autouse=True)
def no_lines_of_slow_machines(monkeypatch):
    """Commands that take a second write lines of their progress, which tests that count lines of
    stderr must not meet on a busy machine. Tests of these lines take a shorter interval."""
    beat = progress._Lines._beat
    monkeypatch.setattr(progress._Lines, "_beat", lambda self: self.every < 0.5 and beat(self))


@pytest.fixture(scope="session")
def space():
    return make_space()


@pytest.fixture(scope="session")
def space_path(space, tmp_path_factory):
    path = tmp_path_factory.mktemp("spaces") / "small"
    space.save(path)
    return str(path)


@pytest.fixture(scope="session")
def file_space(space_path):
    return on_space(space_path)


def few_words_space():
    X = np.random.default_rng(0).normal(size=(len(FEW_WORDS), 8))
    return Space.from_vectors(FEW_WORDS, X, name="small")


@pytest.fixture(scope="session")
def few_words_path(tmp_path_factory):
    path = tmp_path_factory.mktemp("spaces") / "few"
    few_words_space().save(path)
    return str(path)


def space_options(path):
    """Overrides by which `dx sanitize` takes a saved space."""
    return ["--space.@dx_spaces", "dx.FileSpace.v1", "--space.path", str(path)]


def on_space(path, **filters):
    """The [space] block of a saved space."""
    return {"@dx_spaces": "dx.FileSpace.v1", "path": str(path), **filters}


def sanitizing(**config):
    """A blank English pipeline with a sanitizer of these settings."""
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_sanitizer", config=config)
    return nlp


@pytest.fixture
def key(tmp_path):
    """The path of a key of surrogates."""
    make_key(tmp_path / "key")
    return str(tmp_path / "key")


def pipeline_of(*names, lang="en"):
    """A blank pipeline with these components, by the names of their factories."""
    nlp = spacy.blank(lang)
    for name in names:
        nlp.add_pipe(name)
    return nlp


LETTER = (
    "Dear Ms Kettle,\n\nThank you for the letter. We read it twice. It was a dry week. {} We "
    "hope to see you soon. Do write again.\n\nYours,\nAda Lind"
)


def marks_of(labels):
    """A function: text -> the texts of the entities of rules and network with these labels."""
    nlp = pipeline_of("dx_entity_ruler", "dx_entity_recognizer")
    return lambda text: [ent.text for ent in nlp(text).ents if ent.label_ in labels]


def in_letter(marks, text):
    """Return the marks of a text in a letter, without those of the letter."""
    return marks(LETTER.format(text))[1:-1]


def blank_with_vectors(space, lang="xx"):
    """lang: "xx" has no rules; the 1,300 exceptions of "en" take 0.2 s for each pipeline."""
    nlp = spacy.blank(lang)
    for word in space.words:
        nlp.vocab.strings.add(word)
    table = space.vectors.copy()
    nlp.vocab.vectors = Vectors(strings=nlp.vocab.strings, data=table, keys=space.words)
    return nlp


@pytest.fixture
def make_nlp(space):
    """make_nlp(before=[...], after=[...], name="dx_sanitizer", **config): a pipeline whose static
    vectors are the small space. before and after: names of factories. Unknown words are redacted,
    so that a test sees them."""

    def make(*, before=(), after=(), name="dx_sanitizer", lang="xx", **config):
        nlp = blank_with_vectors(space, lang)
        for other in before:
            nlp.add_pipe(other)
        nlp.add_pipe(name, config={"unknown": REDACT, **config})
        for other in after:
            nlp.add_pipe(other)
        return nlp

    return make


@pytest.fixture(params=[LAPLACE, EXPONENTIAL, PATH], ids=["laplace", "exponential", "path"])
def mechanism(request):
    return dict(request.param)


def with_start_method(method):
    before = multiprocessing.get_start_method()
    multiprocessing.set_start_method(method, force=True)
    yield method
    multiprocessing.set_start_method(before, force=True)


@pytest.fixture(params=["fork", pytest.param("spawn", marks=pytest.mark.slow)])
def start_method(request):
    if request.param not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {request.param} on this system")
    yield from with_start_method(request.param)


@pytest.fixture
def forking():
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("no fork on this system")
    yield from with_start_method("fork")
