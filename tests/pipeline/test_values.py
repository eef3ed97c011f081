"""Settings as users write them: they work where the meaning is clear, else an error shows what to
write."""

import pytest
import spacy
from conftest import pipeline_of, sanitizing
from spacy.cli.init_config import fill_config
from thinc.api import Config

from spacy_dxprivacy import DxError, DxWarning
from spacy_dxprivacy.mechanisms.levels import LEVELS

STRONG = LEVELS["strong"].epsilon
MECHANISMS = {
    "laplace epsilon=10": ("dx.Laplace.v1", 10.0),
    "dx.Mahalanobis.v1 lam=1 epsilon=3": ("dx.Mahalanobis.v1", 3.0),
    "path": ("dx.Path.v2", 0.8),
    "path epsilon=strong policy=clinical": ("dx.Path.v2", STRONG),
}


@pytest.mark.parametrize("text", MECHANISMS)
def test_a_mechanism_is_named_as_on_the_command_line(text, tmp_path):
    nlp = sanitizing(mechanism=text)
    nlp.config.to_disk(tmp_path / "config.cfg")
    again = spacy.util.load_model_from_config(Config().from_disk(tmp_path / "config.cfg"))
    for pipe in (nlp.get_pipe("dx_sanitizer"), again.get_pipe("dx_sanitizer")):
        assert (pipe.mechanism.name, pipe.mechanism.guarantee.epsilon) == MECHANISMS[text]


@pytest.mark.parametrize(
    ("given", "epsilon"), [("0.5", 0.5), ("strong", STRONG), (1, 1.0), (0.3, 0.3)]
)
def test_epsilon_of_the_default_is_a_number_as_text_too_or_a_level(given, epsilon):
    pipe = sanitizing(mechanism={"epsilon": given}).get_pipe("dx_sanitizer")
    assert pipe.mechanism.guarantee.epsilon == epsilon


BLOCK = r".*\[components\.dx_sanitizer\.mechanism\] with @dx_mechanisms = \"dx\.Laplace\.v1\""
WRONG = {
    "no epsilon": ({"mechanism": "laplace"}, f"dx.Laplace.v1 needs `epsilon`{BLOCK}"),
    "an unknown name": ({"mechanism": "lapplace"}, f"Did you mean laplace{BLOCK}"),
    "an unknown setting": ({"mechanism": "laplace c=3"}, f"no setting 'c'{BLOCK}"),
    "no text": ({"mechanism": ""}, f"no mechanism ''{BLOCK}"),
    "a number": ({"mechanism": 5}, f"DX046{BLOCK}"),
    "a list": ({"mechanism": ["laplace"]}, f"DX046{BLOCK}"),
    "another level": ({"mechanism": {"epsilon": "weak"}}, "one of light, balanced, strong"),
    "epsilon of the component": ({"epsilon": -1}, "DX001.*epsilon must be a finite number"),
    "another level for the component": ({"epsilon": "weak"}, "one of light, balanced, strong"),
    "a level of another mechanism": (
        {"mechanism": "laplace", "epsilon": "strong"}, f"'strong' is a level of dx.Path.v2{BLOCK}"
    ),
    "labels for words": (
        {"labels": ["PERSON"]},
        r"DX001.*labels must be null.*dx_entity_sanitizer, or the block .*\.selector\] with @dx",
    ),
    "below 0": ({"mechanism": "laplace epsilon=-1"}, "epsilon must be a finite number above 0"),
    "a name of an unknown policy": ({"unknown": "redact"}, r"DX046.*@dx_unknowns = \"dx\.Context"),
    "a name of a space": ({"space": "builtin"}, r"DX001.*@dx_spaces = \"dx\.AutoSpace"),
    "a name of a surrogate": (
        {"surrogates": {"PERSON": "name"}}, r"DX046.*surrogate for PERSON.*@dx_surrogates"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("config", "says"), WRONG.values(), ids=WRONG)
def test_other_values_are_errors_that_show_the_block(config, says):
    with pytest.raises(DxError, match=says):
        sanitizing(**config)


EPSILONS = {
    "of the default": ({"epsilon": 1}, ("dx.Path.v2", 1.0)),
    "as text": ({"epsilon": "1"}, ("dx.Path.v2", 1.0)),
    "as a level": ({"epsilon": "strong"}, ("dx.Path.v2", STRONG)),
    "with another setting": (
        {"epsilon": 1, "mechanism": {"policy": "clinical"}}, ("dx.Path.v2", 1.0)
    ),
    "of a name": ({"epsilon": 10, "mechanism": "laplace"}, ("dx.Laplace.v1", 10.0)),
    "of null": ({"epsilon": 1, "mechanism": None}, ("dx.Path.v2", 1.0)),
    "twice the same": ({"epsilon": 3, "mechanism": {"epsilon": 3}}, ("dx.Path.v2", 3.0)),
    "null": ({"epsilon": None, "mechanism": None}, ("dx.Path.v2", 0.8)),
}  # fmt: skip


@pytest.mark.parametrize(("config", "expected"), EPSILONS.values(), ids=EPSILONS)
def test_epsilon_is_a_setting_of_the_component_too(config, expected, tmp_path):
    nlp = sanitizing(**config)
    nlp.config.to_disk(tmp_path / "config.cfg")
    again = spacy.util.load_model_from_config(Config().from_disk(tmp_path / "config.cfg"))
    for pipe in (nlp.get_pipe("dx_sanitizer"), again.get_pipe("dx_sanitizer")):
        assert (pipe.mechanism.name, pipe.mechanism.guarantee.epsilon) == expected


@pytest.mark.parametrize(
    "mechanism",
    [{"epsilon": 3}, "path epsilon=3", {"@dx_mechanisms": "dx.Laplace.v1", "epsilon": 3}],
)
def test_two_epsilons_are_an_error(mechanism):
    with pytest.raises(DxError, match=r"DX189.*epsilon is given twice: 1 .*\.mechanism\]\. Leave"):
        sanitizing(epsilon=1, mechanism=mechanism)


def test_the_release_has_the_epsilon_of_the_component(make_nlp):
    nlp = make_nlp(mechanism="laplace", epsilon=7)
    assert nlp("the doctor")._.dx.guarantee["epsilon"] == 7.0


def entity_mode(**config):
    nlp = pipeline_of("dx_entity_ruler")
    nlp.add_pipe("dx_entity_sanitizer", config=config)
    return nlp


@pytest.mark.parametrize("labels", ["PERSON", "PERSON, GPE", ["PERSON", "GPE"]])
def test_labels_are_a_list_or_a_text(labels):
    settings = entity_mode(selector={"labels": labels}).get_pipe("dx_entity_sanitizer").settings
    assert settings.selector.labels == ("PERSON", "GPE")[: 1 + ("GPE" in labels)]
    with pytest.raises(DxError, match="labels must be"):
        entity_mode(selector={"labels": " , "})


@pytest.mark.parametrize("labels", ["PERSON", "PERSON, GPE", ["PERSON", "GPE"]])
def test_labels_are_a_setting_of_the_component_too(labels, tmp_path):
    nlp = entity_mode(labels=labels, selector={"allow": ["Paris"]})
    nlp.config.to_disk(tmp_path / "config.cfg")
    again = spacy.util.load_model_from_config(Config().from_disk(tmp_path / "config.cfg"))
    for pipeline in (nlp, again):
        doc = pipeline("Maria Jones left Boston for Paris on 3 May.")
        assert "Maria" not in doc.text and "Paris" in doc.text and "on 3 May" in doc.text
        assert ("Boston" in doc.text) == ("GPE" not in labels)
        assert any("PERSON" in line and "DATE" not in line for line in doc._.dx.in_clear)


def test_labels_twice_or_none_are_an_error():
    with pytest.raises(DxError, match=r"DX189.*labels is given twice: .*\.selector\]\. Leave"):
        entity_mode(labels=["GPE"], selector={"labels": ["PERSON"]})
    with pytest.raises(DxError, match="labels must be a list of one entity label or more"):
        entity_mode(labels=[])
    with pytest.raises(DxError, match=r"DX031.*protects PERSONA"):
        entity_mode(labels=["PERSONA"])("Maria Jones")


@pytest.mark.parametrize("config", [{"mechanism": "laplace epsilon=10"}, {"epsilon": 10}])
def test_a_mechanism_without_effect_is_a_warning(config):
    with pytest.warns(DxWarning, match=r"DX107.*with epsilon = 10 has no effect"):
        entity_mode(**config)


def test_a_filled_config_lacks_what_has_no_effect(tmp_path):
    base = tmp_path / "base.cfg"
    entity_mode(labels=["PERSON"]).config.to_disk(base)
    fill_config(tmp_path / "filled.cfg", base, silent=True)
    block = Config().from_disk(tmp_path / "filled.cfg")["components"]["dx_entity_sanitizer"]
    assert block["mechanism"] is None and block["unknown"] is None
    nlp = entity_mode(surrogates=None, mechanism={"epsilon": 0.5, "prior": {"domain": "clinical"}})
    mechanism = nlp.get_pipe("dx_entity_sanitizer").mechanism
    assert (mechanism.name, mechanism.guarantee.epsilon) == ("dx.Path.v2", 0.5)


@pytest.mark.filterwarnings("error")
def test_a_mechanism_that_samples_words_is_none():
    surrogates = {
        "PERSON": {"@dx_surrogates": "dx.Words.v1"},
        "DATE": {"@dx_surrogates": "dx.Redact.v1"},
    }
    entity_mode()
    entity_mode(mechanism="laplace epsilon=10", surrogates=surrogates)
    entity_mode(mechanism="laplace epsilon=10", surrogates=None)
