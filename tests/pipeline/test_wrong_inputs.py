"""What a user of spaCy gets wrong ends in an error of this package, or in spaCy's own, that names
the setting and what to do, and that holds no text."""

import json
import shutil
import traceback

import numpy as np
import pytest
import spacy
from catalogue import RegistryError
from conftest import (
    CONSTANT,
    EXPONENTIAL,
    LAPLACE,
    REDACT,
    SECRET_TEXT,
    blank_with_vectors,
    leaks,
    pipeline_of,
    sanitizing,
)
from spacy.tokens import Doc
from spacy.vectors import Vectors
from spacy.vocab import Vocab
from thinc.api import ConfigValidationError

import spacy_dxprivacy as dx
from spacy_dxprivacy import DxError

Spacy = ValueError  # with a code of spaCy


def raised(kind, says, run):
    """Run it. Return the error, of this kind, whose message matches and which holds no text."""
    with pytest.raises(kind, match=says) as caught:
        run()
    assert type(caught.value).__name__ not in ("TypeError", "AttributeError", "KeyError")
    assert not leaks("".join(traceback.format_exception(caught.value)))


def entity_mode(before=("dx_entity_ruler",), **config):
    nlp = pipeline_of(*before)
    nlp.add_pipe("dx_entity_sanitizer", config=config)
    return nlp


def component(factory, **config):
    spacy.blank("en").add_pipe(factory, config=config)


def selector(name, **settings):
    return {"selector": {"@dx_selectors": f"dx.{name}.v1", **settings}}


def laplace(**settings):
    return {"mechanism": {"@dx_mechanisms": "dx.Laplace.v1", **settings}}


def surrogate(name, **settings):
    return {"surrogates": {"PERSON": {"@dx_surrogates": f"dx.{name}.v1", **settings}}}


# -- settings --------------------------------------------------------------------------------------

ABOVE_0 = r"epsilon must be a (finite )?number above 0"
WORDS = {
    "epsilon -1": ({"epsilon": -1}, DxError, ABOVE_0),
    "epsilon 0": ({"epsilon": 0}, DxError, ABOVE_0),
    "epsilon nan": ({"epsilon": float("nan")}, Spacy, "(?s)E961.*epsilon.*nan"),
    "epsilon inf": ({"epsilon": float("inf")}, Spacy, "(?s)E961.*epsilon.*inf"),
    "epsilon 'nan'": ({"epsilon": "nan"}, DxError, ABOVE_0),
    "epsilon 'small'": (
        {"epsilon": "small"},
        DxError,
        "`epsilon` must be a number or one of light",
    ),
    "epsilon ''": ({"epsilon": ""}, DxError, "`epsilon` must be a number or one of light"),
    "epsilon True": ({"epsilon": True}, ConfigValidationError, "epsilon.*True is not .*float"),
    "epsilon [1]": ({"epsilon": [1]}, ConfigValidationError, r"epsilon.*\[1\] is not .*float"),
    "epsilon null": (laplace(epsilon=None), ConfigValidationError, "epsilon.*None is not .*float"),
    "no epsilon": (laplace(), ConfigValidationError, "mechanism -> epsilon.*missing required"),
    "epsilon '3'": (laplace(epsilon="3"), DxError, ABOVE_0),
    "two epsilons": ({**laplace(epsilon=3), "epsilon": 1}, DxError, r"DX189.*Leave one of them"),
    "a name alone": ({"mechanism": "laplace"}, DxError, r'"laplace epsilon=10", or as the block'),
    "an unknown name": ({"mechanism": "lapplace"}, DxError, "Did you mean laplace"),
    "an unknown part": (
        {"mechanism": {"@dx_mechanisms": "dx.Laplce.v1"}},
        DxError,
        "DX007.*Did you mean dx.Laplace",
    ),
    "another registry": (
        {"mechanism": {"@dx_selectors": "dx.AllWords.v1"}},
        DxError,
        "DX046.*The mechanism must have",
    ),
    "no registry": (
        {"mechanism": {"@dx_mechanism": "dx.Laplace.v1"}},
        RegistryError,
        "E892.*'dx_mechanism'",
    ),
    "two parts": (
        {"mechanism": {"@dx_mechanisms": "dx.TEM.v1", "@dx_priors": "dx.Uniform.v1", "epsilon": 1}},
        ConfigValidationError,
        "can only contain one function registry reference",
    ),
    "another setting": (
        laplace(epsilon=1, c=3),
        ConfigValidationError,
        "mechanism -> c.*unexpected",
    ),
    "a policy": ({"mechanism": {"policy": "x"}}, DxError, "policy must be one of plain, general"),
    "a prior by name": ({"mechanism": {"prior": "x"}}, ConfigValidationError, "prior.*'x' is not"),
    "a typing mistake": ({"mechansim": "path"}, ConfigValidationError, "mechansim.*unexpected"),
    "labels of words": (
        {"labels": ["PERSON"]},
        DxError,
        "labels must be null.*dx_entity_sanitizer",
    ),
    "labels of AllWords": (
        selector("AllWords", labels=["PERSON"]),
        ConfigValidationError,
        "selector -> labels.*unexp",
    ),
    "no words": (selector("WordList", words=[]), DxError, "words must be a list of one word"),
    "words 5": (selector("WordList", words=5), ConfigValidationError, "words.*5 is not"),
    "words [1]": (selector("WordList", words=[1]), ConfigValidationError, "words.*1.* is not"),
    "no file of words": (selector("WordList", words="/none.txt"), DxError, "DX026.*/none.txt"),
    "no selector": ({"selector": None}, DxError, r"DX046.*@dx_selectors = \"dx\.AllWords"),
    "unknown by name": ({"unknown": "redact"}, DxError, r"DX046.*@dx_unknowns = "),
    "an empty text": (
        {"unknown": {**REDACT, "text": ""}},
        DxError,
        "text must be a text without white space",
    ),
    "text 5": ({"unknown": {**REDACT, "text": 5}}, ConfigValidationError, "text.*5 is not .*str"),
    "scope": ({"scope": "word"}, DxError, "scope must be one of 'token', 'type'"),
    "scope 5": ({"scope": 5}, ConfigValidationError, "scope.*5 is not .*str"),
    "carry": ({"carry": ["tag"]}, DxError, "carry must be one of 'ents', 'sents'"),
    "carry 5": ({"carry": 5}, ConfigValidationError, "carry.*5 is not"),
    "seed -1": ({"seed": -1}, DxError, "seed must be a whole number, 0 or more"),
    "seed 'a'": ({"seed": "a"}, ConfigValidationError, "seed.*'a' is not .*int"),
    "budget": ({"max_epsilon_per_doc": -1}, DxError, "max_epsilon_per_doc must be a finite number"),
    "language": ({"language": "zz"}, DxError, "language must be the code of a language.*'en'"),
    "attribute": ({"attribute": "my attribute"}, DxError, "attribute must be a name of Python"),
    "attribute class": ({"attribute": "class"}, DxError, "attribute must be a name of Python"),
    "attribute get": ({"attribute": "get"}, DxError, "attribute must be a name of Python"),
    "noisy rows": ({"vectors": "noise"}, DxError, "vectors must be one of 'table', 'noisy'"),
    "stages": ({"stages": ["lower"]}, DxError, "stages must be a block with a stage for each name"),
    "an unknown stage": ({"stages": {"a": {"@dx_stages": "x"}}}, DxError, "DX007.*dx_stages"),
    "no path": (
        {"space": {"@dx_spaces": "dx.FileSpace.v1"}},
        ConfigValidationError,
        "space -> path",
    ),
    "max_words": (
        {"space": {"max_words": 0}},
        DxError,
        "max_words must be a whole number, 1 or more",
    ),
    "pattern": ({"space": {"pattern": "("}}, DxError, "pattern must be a regular expression"),
    "an object": ({"selector": len}, Spacy, "E961.*registered function"),
}
ENTITIES = {
    "no labels": ({"labels": []}, DxError, "labels must be a list of one entity label or more"),
    "labels 5": ({"labels": 5}, ConfigValidationError, "labels.*5 is not"),
    "labels {}": ({"labels": {"PERSON": 1}}, ConfigValidationError, "labels.*PERSON.* is not"),
    "labels of null": (
        {"selector": {"labels": None}},
        ConfigValidationError,
        "labels.*None is not",
    ),
    "two labels": (
        {"labels": ["GPE"], "selector": {"labels": ["ORG"]}},
        DxError,
        "DX189.*Leave one of them",
    ),
    "again": (
        {"selector": {"again": "maybe"}},
        ConfigValidationError,
        "again.*'maybe' is not .*bool",
    ),
    "allow": ({"selector": {"allow": "Paris"}}, ConfigValidationError, "allow.*'Paris' is not"),
    "deny": ({"selector": {"deny": ["Paris"]}}, ConfigValidationError, "deny.*Paris.* is not"),
    "deny others": ({"selector": {"deny": {"GPE": ["x"]}}}, DxError, "deny must be labels among"),
    "a preset": ({"surrogates": "clinic"}, DxError, "name must be one of 'standard', 'clinical'"),
    "surrogates 5": (
        {"surrogates": 5},
        DxError,
        "DX112.*name of a preset, or for each label a block",
    ),
    "a surrogate by name": ({"surrogates": {"PERSON": "name"}}, DxError, "DX046.*@dx_surrogates"),
    "a scope": (
        surrogate("Name", scope="all"),
        DxError,
        "scope must be one of 'mention', 'document'",
    ),
    "no key": (surrogate("Name", scope="corpus"), DxError, "key must be a file with scope"),
    "a key that is gone": (
        surrogate("Name", scope="corpus", key="/none"),
        DxError,
        "DX111.*get it from a copy",
    ),
    "a mark": (surrogate("Mask", mark="ab"), DxError, "mark must be one character"),
}
COMPONENTS = {
    "guess": (
        "dx_entity_ruler",
        {"guess": "maybe"},
        ConfigValidationError,
        "guess.*'maybe' is not",
    ),
    "ruler labels": (
        "dx_entity_ruler",
        {"labels": ["X"]},
        ConfigValidationError,
        "labels.*unexpected",
    ),
    "threshold": (
        "dx_entity_recognizer",
        {"threshold": 0.5},
        ConfigValidationError,
        "threshold.*0.5 is not",
    ),
    "threshold of none": (
        "dx_entity_recognizer",
        {"threshold": {"PER": 1}},
        DxError,
        "threshold must be one of 'PERSON'",
    ),
    "threshold -1": (
        "dx_entity_recognizer",
        {"threshold": {"ORG": -1}},
        DxError,
        r"threshold\.ORG must be a finite",
    ),
    "no models": ("dx_models", {"models": []}, DxError, "models must be one pipeline or more"),
    "models": ("dx_models", {}, ConfigValidationError, "models.*missing required"),
    "a model that is gone": ("dx_models", {"models": "en_none"}, OSError, "E050.*en_none"),
    "a factory": ("dx_sanitiser", {}, Spacy, "E002.*dx_sanitiser"),
}


@pytest.mark.parametrize(("config", "kind", "says"), WORDS.values(), ids=WORDS)
def test_a_wrong_setting_of_the_sanitizer(config, kind, says):
    raised(kind, says, lambda: sanitizing(**config))


@pytest.mark.parametrize(("config", "kind", "says"), ENTITIES.values(), ids=ENTITIES)
def test_a_wrong_setting_of_the_entity_sanitizer(config, kind, says):
    raised(kind, says, lambda: entity_mode(**config))


@pytest.mark.parametrize(("factory", "config", "kind", "says"), COMPONENTS.values(), ids=COMPONENTS)
def test_a_wrong_setting_of_another_component(factory, config, kind, says):
    raised(kind, says, lambda: component(factory, **config))


# -- pipelines and texts ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def nlp(file_space):
    return sanitizing(space=file_space, mechanism=CONSTANT, unknown=REDACT)


NO_STRING = r"E1041.*Expected a string, Doc, or bytes"
NO_DOC = r"DX187.*needs a Doc, got {}. Call the pipeline with texts"
INPUTS = {
    "None": (lambda nlp: nlp(None), Spacy, NO_STRING),
    "a list": (lambda nlp: nlp([SECRET_TEXT]), Spacy, NO_STRING),
    "a mixed stream": (lambda nlp: list(nlp.pipe([SECRET_TEXT, 5])), Spacy, NO_STRING),
    "bytes": (lambda nlp: nlp(SECRET_TEXT.encode()), ValueError, "extra data"),
    "2 MB": (lambda nlp: nlp(SECRET_TEXT * 16000), Spacy, r"E088.*nlp\.max_length"),
    "no pairs": (
        lambda nlp: list(nlp.pipe([SECRET_TEXT], as_tuples=True)),
        ValueError,
        "too many values",
    ),
    "a text to the component": (
        lambda nlp: nlp.get_pipe("dx_sanitizer")(SECRET_TEXT),
        DxError,
        NO_DOC.format("str"),
    ),
    "a Span to the component": (
        lambda nlp: nlp.get_pipe("dx_sanitizer")(nlp.make_doc(SECRET_TEXT)[:2]),
        DxError,
        NO_DOC.format("Span"),
    ),
    "texts to the component": (
        lambda nlp: list(nlp.get_pipe("dx_sanitizer").pipe([SECRET_TEXT])),
        DxError,
        NO_DOC.format("str"),
    ),
    "None to the ruler": (
        lambda nlp: pipeline_of("dx_entity_ruler").get_pipe("dx_entity_ruler")(None),
        DxError,
        NO_DOC.format("NoneType"),
    ),
    "twice by one name": (lambda nlp: nlp.add_pipe("dx_sanitizer"), Spacy, "E007.*already exists"),
}


@pytest.mark.parametrize(("run", "kind", "says"), INPUTS.values(), ids=INPUTS)
def test_a_wrong_input(nlp, run, kind, says):
    raised(kind, says, lambda: run(nlp))


def without(name, space):
    nlp = entity_mode(space=space)
    nlp.disable_pipe(name)
    return nlp


def before_the_ruler(space):
    nlp = entity_mode(before=(), space=space)
    nlp.add_pipe("dx_entity_ruler")
    return nlp


def with_vectors(words, matrix):
    nlp = spacy.blank("en")
    for word in words:
        nlp.vocab.strings.add(word)
    data = np.asarray(matrix, dtype=np.float32)
    nlp.vocab.vectors = Vectors(strings=nlp.vocab.strings, data=data, keys=words)
    config = {"space": {"@dx_spaces": "dx.PipelineVectors.v1"}, "mechanism": LAPLACE}
    nlp.add_pipe("dx_sanitizer", config=config)
    return nlp


def in_language(language, *names):
    nlp = pipeline_of(*names, lang=language)
    config = {"mechanism": CONSTANT}
    nlp.add_pipe("dx_entity_sanitizer" if names else "dx_sanitizer", config=config)
    return nlp


THREE = ["the", "doctor", "garden"]
PIPELINES = {
    "no recogniser": (
        lambda space: entity_mode(before=(), space=space),
        "DX030.*Add one before it",
    ),
    "no recogniser but a sentencizer": (
        lambda space: entity_mode(["sentencizer"], space=space),
        "DX030.*Add one before",
    ),
    "before the recogniser": (before_the_ruler, "DX030.*Add one before it"),
    "a disabled recogniser": (
        lambda space: without("dx_entity_ruler", space),
        "DX030.*Add one before it",
    ),
    "an unknown label": (
        lambda space: entity_mode(labels="PERSN", space=space),
        "DX031.*Set the selector's labels",
    ),
    "rules without patterns": (
        lambda space: entity_mode(["entity_ruler"], space=space),
        "DX031.*no label at all.*Set the selector's labels",
    ),
    "a label without a surrogate": (
        lambda space: entity_mode(**surrogate("Name"), space=space),
        "DX115.*DATE.*Add one",
    ),
    "spans of nobody": (
        lambda space: entity_mode(space=space, selector={"spans_key": "sc"}),
        "DX188.*'sc'.*Add the component, or leave",
    ),
    "an untrained ner": (lambda space: entity_mode(["ner"], space=space), "E109.*ner.*initialize"),
    "another language": (
        lambda space: in_language("fi", "dx_entity_ruler"),
        "DX181.*add a recogniser",
    ),
    "words of another language": (lambda space: in_language("fi"), r"DX181.*set vectors \(space\)"),
    "no vectors": (
        lambda space: sanitizing(space={"@dx_spaces": "dx.PipelineVectors.v1"}),
        "DX021.*BuiltinSpace",
    ),
    "vectors of nothing": (lambda space: with_vectors([], np.zeros((0, 0))), "DX021.*BuiltinSpace"),
    "vectors of 0": (lambda space: with_vectors(THREE, np.zeros((3, 4))), "DX023.*vectors are 0"),
    "vectors nan": (
        lambda space: with_vectors(THREE, np.full((3, 4), np.nan)),
        "DX020.*finite numbers",
    ),
    "no folder": (
        lambda space: sanitizing(space={"@dx_spaces": "dx.FileSpace.v1", "path": "/none"}),
        "DX026.*/none: no such file or folder",
    ),
    "noisy words": (
        lambda space: sanitizing(space=space, vectors="noisy", mechanism=EXPONENTIAL),
        'DX035.*Set vectors = "table"',
    ),
    "too much epsilon": (
        lambda space: sanitizing(space=space, epsilon=1e9),
        "epsilon must be at most",
    ),
    "a small budget": (
        lambda space: sanitizing(space=space, max_epsilon_per_doc=0.1, mechanism=LAPLACE),
        "DX006.*max_epsilon_per_doc",
    ),
    "no extension": (
        lambda space: sanitizing(space=space, carry=["_.none"], mechanism=CONSTANT),
        "DX183.*Doc.set_extension",
    ),
}


@pytest.mark.parametrize(("make", "says"), PIPELINES.values(), ids=PIPELINES)
@pytest.mark.filterwarnings("ignore:.*W036")
def test_a_wrong_pipeline(file_space, make, says):
    raised(ValueError, says, lambda: make(file_space)(SECRET_TEXT))


def test_a_disabled_sanitizer(file_space):
    doc = without("dx_entity_sanitizer", file_space)(SECRET_TEXT)
    says = "DX032.*Check that the sanitizer is in the pipeline"
    raised(DxError, says, lambda: dx.assert_sanitized(doc))


@pytest.mark.parametrize("text", ["", " ", " \n\t "])
def test_nothing_to_sanitise_is_no_error(nlp, file_space, text):
    assert nlp(text).text == text and [doc.text for doc in nlp.pipe([text])] == [text]
    assert nlp(Doc(nlp.vocab)).text == ""
    assert entity_mode(space=file_space)(text).text == text


def test_a_doc_of_another_vocabulary_is_sanitised(nlp):
    other = Doc(Vocab(), words=["the", "doctor"])
    assert nlp(other).text.lower().split() == ["blue", "blue"]


# -- saved pipelines -------------------------------------------------------------------------------


def no_file(folder):
    (folder / "dx_sanitizer" / "dx.json").unlink()


def no_folder(folder):
    shutil.rmtree(folder / "dx_sanitizer")


def holding(content):
    return lambda folder: (folder / "dx_sanitizer" / "dx.json").write_text(content)


def another_space(folder):
    saved = json.loads((folder / "dx_sanitizer" / "dx.json").read_text())
    holding(json.dumps({**saved, "digest": "0" * 64}))(folder)


def another_width(folder):
    data = np.ones((3, 5), dtype=np.float32)
    Vectors(data=data, keys=THREE).to_disk(folder / "vocab")


SAVED = {
    "no file": (no_file, DxError, "DX186.*dx.json is missing.*Make the pipeline again"),
    "no folder": (no_folder, DxError, "DX186.*dx.json is missing.*Make the pipeline again"),
    "no JSON": (holding("{"), DxError, "DX186.*dx.json is missing or damaged"),
    "a list": (holding("[1]"), DxError, "DX186.*it does not name the space"),
    "nothing": (holding("{}"), DxError, "DX186.*it does not name the space"),
    "other types": (
        holding('{"digest": 5, "space": 7}'),
        DxError,
        "DX186.*does not name the space",
    ),
    "another space": (
        another_space,
        DxError,
        "DX025.*Load the original space, or make the pipeline",
    ),
    "another width": (
        another_width,
        DxError,
        "DX025.*Load the original space, or make the pipeline",
    ),
    "no config": (lambda folder: (folder / "config.cfg").unlink(), OSError, "E053.*config.cfg"),
}


@pytest.mark.parametrize(("change", "kind", "says"), SAVED.values(), ids=SAVED)
def test_a_damaged_pipeline(space, tmp_path, change, kind, says):
    nlp = blank_with_vectors(space, "en")
    nlp.add_pipe("dx_sanitizer", config={"mechanism": CONSTANT, "unknown": REDACT})
    nlp.to_disk(tmp_path / "nlp")
    change(tmp_path / "nlp")
    raised(kind, says, lambda: spacy.load(tmp_path / "nlp")(SECRET_TEXT))


@pytest.mark.parametrize("data", [b"junk", b"", b"\x05", b"\x81\xa2dx\x05", "text", None])
def test_bytes_of_something_else(nlp, data):
    pipe = sanitizing(mechanism=CONSTANT).get_pipe("dx_sanitizer")
    says = "DX097.*damaged|DX186.*not a saved sanitizer"
    raised(DxError, says, lambda: pipe.from_bytes(data))
