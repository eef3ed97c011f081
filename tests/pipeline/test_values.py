"""Settings as users write them: they work where the meaning is clear, else an error shows what to
write."""

import pytest
import spacy
from conftest import pipeline_of, sanitizing
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
    "null": ({"mechanism": None}, f"DX046{BLOCK}"),
    "another level": ({"mechanism": {"epsilon": "weak"}}, "one of light, balanced, strong"),
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


def test_a_mechanism_without_effect_is_a_warning():
    with pytest.warns(DxWarning, match=r"DX107.*dx\.Laplace\.v1 has no effect"):
        entity_mode(mechanism="laplace epsilon=10")


@pytest.mark.filterwarnings("error")
def test_a_mechanism_that_samples_words_is_none():
    surrogates = {
        "PERSON": {"@dx_surrogates": "dx.Words.v1"},
        "DATE": {"@dx_surrogates": "dx.Redact.v1"},
    }
    entity_mode()
    entity_mode(mechanism="laplace epsilon=10", surrogates=surrogates)
    entity_mode(mechanism="laplace epsilon=10", surrogates=None)
