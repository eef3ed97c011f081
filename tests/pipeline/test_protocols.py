"""Parts of other packages: what is no part is refused when the component is made, by its protocol;
what fails later is an error of this package without text."""

import traceback

import numpy as np
import pytest
from conftest import CONSTANT, SECRET_TEXT, Double, leaks, pipeline_of, sanitizing

from spacy_dxprivacy import DxError, registry
from spacy_dxprivacy.pipeline.settings import SanitizerSettings

FORKED = pytest.mark.filterwarnings("ignore:.*W109", "ignore:.*fork:DeprecationWarning")


class Part:
    """All members of all protocols; keywords change some, and None removes one."""

    name, way, chance, in_clear = "test.Part.v1", "drawn", 0.0, ()

    def __init__(self, **changed):
        vars(self).update(changed)

    def select(self, doc):
        return np.ones(len(doc), dtype=bool)

    def check(self, nlp, name):
        return None

    def fit(self, space, mechanism, allowed=None):
        return self

    def edit(self, rows, mechanism, starts=None, fixed=None):
        return rows

    def __call__(self, draft, rng):
        return draft


class Noun:
    """Has nothing but `select`, with a parameter too many."""

    def select(self, doc, tag):
        return []


class Fault:
    @property
    def in_clear(self):
        raise KeyError(SECRET_TEXT)

    def replace(self, words, space, rng):
        return words


def raising(*arguments, **settings):
    raise KeyError(SECRET_TEXT)


def with_part(part, setting, registry_name=None, **config):
    """A pipeline whose setting is a part that a registered constructor makes."""
    name = f"dx_{setting}s" if registry_name is None else registry_name
    getattr(registry, name)("test.Part.v1", func=lambda: part)
    return sanitizing(**{setting: {f"@{name}": "test.Part.v1"}, **config})


SELECTOR = (
    r"The selector must have in_clear: tuple\[str, \.\.\.\], select\(doc\), check\(nlp, name\)"
)
WRONG = {
    "nothing": ("selector", None, f"DX046.*{SELECTOR}; NoneType lacks in_clear.*select.*check"),
    "a text": ("selector", "nouns", f"DX046.*{SELECTOR}; str lacks in_clear"),
    "a number": ("selector", 5, r"DX046.*dx_sanitizer\.selector\] with @dx_selectors = \"dx\."),
    "another signature": ("selector", Noun(), r"Noun lacks in_clear.*, select\(doc\), check\(nlp"),
    "a class": ("selector", Part, r"type lacks select\(doc\), check\(nlp, name\)\."),
    "no check": ("selector", Part(check=None), r"Part lacks check\(nlp, name\)\."),
    "in_clear is a text": ("selector", Part(in_clear="all"), r"Part lacks in_clear: tuple\[str"),
    "in_clear of numbers": ("selector", Part(in_clear=(1,)), r"Part lacks in_clear: tuple\[str"),
    "no replace": ("unknown", Part(), r"policy for unknown words .*lacks replace\(words, space"),
    "a property that fails": ("unknown", Fault(), "Fault lacks in_clear"),
    "an empty name": ("editor", Part(name=""), "The editor must .*Part lacks name: str"),
    "an editor of rows": ("editor", Part(edit=lambda rows: rows), r"lacks edit\(rows, mechanism, "),
    "a space": ("space", Part(), "The space must be a SpaceSource"),
}  # fmt: skip


@pytest.mark.parametrize(("setting", "part", "says"), WRONG.values(), ids=WRONG)
def test_what_is_no_part_is_refused_when_it_is_added_and_told_its_protocol(setting, part, says):
    with pytest.raises(DxError, match=says) as refused:
        with_part(part, setting)
    assert str(refused.value).count("\n") == 0 and not leaks(str(refused.value))


@pytest.mark.parametrize("stages", [{"s": 5}, {"s": lambda draft: draft}, 5, "lower"])
def test_what_is_no_stage_is_refused(stages):
    with pytest.raises(DxError, match=r"lacks __call__\(draft, rng\)|stages must be a block"):
        sanitizing_settings(stages=stages)


def sanitizing_settings(**settings):
    parts = {
        "mechanism": registry.dx_mechanisms.get("test.Constant.v1")(),
        "selector": registry.dx_selectors.get("dx.AllWords.v1")(),
        "space": registry.dx_spaces.get("dx.AutoSpace.v1")(),
        "unknown": registry.dx_unknowns.get("dx.Redact.v1")(),
    }
    return SanitizerSettings(**{**parts, **settings})


@pytest.mark.parametrize("setting", ["surrogates", "numbers"])
def test_what_is_no_surrogate_is_refused(setting):
    part = Part(replace=lambda mentions, draws: [], guarantee=0.5)
    value = {"PERSON": part} if setting == "surrogates" else part
    with pytest.raises(DxError, match=r"DX046.*Part lacks guarantee: Guarantee"):
        sanitizing_settings(**{setting: value})
    with pytest.raises(DxError, match=r"DX046|DX112"):
        sanitizing_settings(**{setting: 5})


# -- functions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("as_array", [True, False])
def test_a_function_is_a_selector(make_nlp, as_array):
    def long_words(doc):
        chosen = [len(token) > 4 for token in doc]
        return np.array(chosen, dtype=bool) if as_array else chosen

    registry.dx_selectors("test.Long.v1", func=lambda: long_words)
    nlp = make_nlp(mechanism=CONSTANT, selector={"@dx_selectors": "test.Long.v1"})
    doc = nlp("the doctor saw the garden")
    assert doc.text == "the blue saw the blue"
    assert any("every word that the selector does not choose" in line for line in doc._.dx.in_clear)
    assert nlp("").text == ""


def words_of_text(doc):
    yield from (True for _ in doc)


RETURNED = {
    "none": lambda doc: None,
    "a bool": lambda doc: True,
    "texts": lambda doc: [token.text for token in doc],
    "ints": lambda doc: [1] * len(doc),
    "none for some": lambda doc: [None] * len(doc),
    "too few": lambda doc: [True],
    "too many": lambda doc: [True] * (len(doc) + 1),
    "two columns": lambda doc: np.ones((len(doc), 2), dtype=bool),
    "a generator": words_of_text,
    "a text": lambda doc: doc.text,
    "ragged": lambda doc: [[True]] * (len(doc) - 1) + [[True, False]],
    "a Doc": lambda doc: doc,
    "an error": raising,
}


@pytest.mark.parametrize("name", RETURNED)
def test_booleans_of_another_kind_are_an_error_without_text(make_nlp, name):
    registry.dx_selectors("test.Part.v1", func=lambda: RETURNED[name])
    nlp = make_nlp(mechanism=CONSTANT, selector={"@dx_selectors": "test.Part.v1"})
    for run in (nlp, lambda text: list(nlp.pipe([text, text]))):
        with pytest.raises(DxError, match=r"DX038.*The selector returned|DX033") as caught:
            run(SECRET_TEXT)
        assert not leaks("".join(traceback.format_exception(caught.value)))


# -- failures --------------------------------------------------------------------------------------


class Unfit(Double):
    def fit(self, space):
        raising()


FAILING = {
    "check": ("selector", Part(check=raising)),
    "select": ("selector", Part(select=raising)),
    "fit": ("editor", Part(fit=raising)),
    "edit": ("editor", Part(edit=raising)),
    "unfit": ("mechanism", Unfit()),
    "replace": ("unknown", Part(replace=raising)),
}
EARLY = ("check", "fit", "unfit")  # before a text is read


@pytest.mark.parametrize("name", FAILING)
def test_a_part_that_fails_is_an_error_without_text_or_context(file_space, name, tmp_path):
    setting, part = FAILING[name]
    nlp = with_part(part, setting, space=file_space, **({} if setting == "mechanism" else
                    {"mechanism": CONSTANT}))  # fmt: skip
    pipe = nlp.get_pipe("dx_sanitizer")
    runs = [lambda: nlp(SECRET_TEXT), lambda: list(nlp.pipe([SECRET_TEXT]))]
    if name in EARLY:
        runs += [pipe.warm_up, pipe.__getstate__]
    if name in ("fit", "unfit"):
        runs += [lambda: pipe.terms, lambda: pipe.fitted]
    for run in runs:
        with pytest.raises(DxError, match=r"DX033.* test_protocols\.py, line") as caught:
            run()
        assert caught.value.__context__ is None
        assert not leaks("".join(traceback.format_exception(caught.value)))


def test_a_space_that_fails_to_load_is_an_error_without_context(tmp_path):
    source = type(registry.dx_spaces.get("dx.AutoSpace.v1")())(load=raising)
    nlp = with_part(source, "space")
    for run in (lambda: nlp.to_disk(tmp_path / "nlp"), nlp.to_bytes, lambda: nlp("a text")):
        with pytest.raises(DxError, match=r"DX033.*KeyError") as caught:
            run()
        assert caught.value.__context__ is None


@FORKED
def test_a_part_that_fails_in_a_worker_is_an_error_without_text(forking, file_space):
    nlp = with_part(Part(select=raising), "selector", space=file_space, mechanism=CONSTANT)
    with pytest.raises(Exception, match="DX033") as caught:
        list(nlp.pipe([SECRET_TEXT] * 4, n_process=2, batch_size=1))
    assert not leaks("".join(traceback.format_exception(caught.value)))


# -- what the user reads ---------------------------------------------------------------------------


def on_purpose(*arguments, **settings):
    try:
        raise KeyError(SECRET_TEXT)
    except KeyError as error:
        raise DxError("Set width = 12 in my.Part.v1.") from error


class Their(DxError):
    pass


def in_their_class(*arguments, **settings):
    raise Their("Set width = 12 in my.Part.v1.")


ON_PURPOSE = {
    "check": ("selector", Part, "check"),
    "fit": ("editor", Part, "fit"),
    "unfit": ("mechanism", Double, "fit"),
    "load": ("space", type(registry.dx_spaces.get("dx.AutoSpace.v1")()), "load"),
}


@pytest.mark.parametrize("raises", [on_purpose, in_their_class])
@pytest.mark.parametrize("name", ON_PURPOSE)
def test_an_error_for_the_user_before_any_text_comes_as_it_is(file_space, name, raises):
    setting, kind, method = ON_PURPOSE[name]
    part = kind(load=raises) if setting == "space" else kind()
    if setting != "space":
        setattr(part, method, raises)
    others = {"space": file_space, "mechanism": CONSTANT}
    nlp = with_part(part, setting, **{k: v for k, v in others.items() if k != setting})
    for run in (lambda: nlp(SECRET_TEXT), nlp.get_pipe("dx_sanitizer").warm_up):
        with pytest.raises(DxError, match=r"^Set width = 12 in my\.Part\.v1\.$") as caught:
            run()
        assert not leaks("".join(traceback.format_exception(caught.value)))


class FailingNumbers(Part):
    def find(self, doc):
        return np.ones(len(doc), dtype=bool)


FREE = registry.dx_surrogates.get("dx.Redact.v1")().guarantee
THEIRS = {"@dx_surrogates": "test.Part.v1"}
NAMED = {
    "selector": ("check", "The selector Part, called as Selector.check of the protocol, failed"),
    "a function": ("select", "The selector raising, called as Selector.select of the protocol"),
    "unknown": ("replace", "The policy for unknown words Part, called as Unknown.replace"),
    "editor": ("edit", "The editor Part, called as Editor.edit"),
    "stages": ("__call__", "The stage mine raising, called as ReleaseStage.__call__"),
    "numbers": ("find", "The mechanism for numbers FailingNumbers, called as NumberDraw.find"),
    "surrogates": ("replace", "The surrogate FailingNumbers, called as Surrogate.replace"),
    "mechanism": ("fit", "The mechanism Unfit, called as Mechanism.fit"),
}  # fmt: skip


@pytest.mark.parametrize("setting", NAMED)
def test_the_error_names_the_part_and_its_protocol(file_space, setting):
    method, says = NAMED[setting]
    config = {"space": file_space, "mechanism": CONSTANT}
    if setting in ("numbers", "surrogates"):
        bad = FailingNumbers(guarantee=FREE, **{"replace": raising, method: raising})
        registry.dx_surrogates("test.Part.v1", func=lambda: bad)
        nlp = pipeline_of("dx_entity_ruler")
        nlp.add_pipe("dx_sanitizer", config={**config, setting: (
            THEIRS if setting == "numbers" else {"PERSON": THEIRS})})  # fmt: skip
    elif setting == "stages":
        registry.dx_stages("test.Part.v1", func=lambda: raising)
        nlp = sanitizing(**config, stages={"mine": {"@dx_stages": "test.Part.v1"}})
    elif setting == "mechanism":
        nlp = with_part(Unfit(), "mechanism", space=file_space)
    else:
        part = raising if setting == "a function" else Part(**{method: raising})
        nlp = with_part(part, "selector" if setting == "a function" else setting, **config)
    with pytest.raises(DxError, match=f"DX033.*{says}.* with KeyError in test_protocols") as caught:
        nlp(f"Maria Jones. {SECRET_TEXT}")
    assert not leaks("".join(traceback.format_exception(caught.value)))
