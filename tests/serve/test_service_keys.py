"""The service by a key: each caller has surrogates of its own, and none are those of a release."""

import pytest

pytest.importorskip("fastapi", reason="needs the extra 'serve'")

from asgi import ask
from test_serve import make_service  # noqa: F401  a fixture, with the pipeline below

from spacy_dxprivacy import UsageError
from spacy_dxprivacy.config.options import ServiceOptions
from spacy_dxprivacy.files.keys import make_key
from spacy_dxprivacy.serve.app import check

NAMES = [f"{first} {last}" for first in ("Maria", "John", "Anna", "Peter") for last in
         ("Lopez", "Smith", "Jones", "Miller", "Brown", "Davis")]  # fmt: skip
DATE = "2019-03-01"
TOKENS = {"a" * 24: "ann", "b" * 24: "bob"}


@pytest.fixture
def make_pipe(make_nlp, tmp_path):
    make_key(tmp_path / "key")
    preset = {"@dx_surrogates": "dx.Preset.v1", "scope": "corpus", "key": str(tmp_path / "key")}
    mechanism = {"@dx_mechanisms": "dx.Exponential.v1", "epsilon": 2.0}

    def make():
        made = make_nlp(name="dx_entity_sanitizer", mechanism=mechanism, surrogates=preset)
        ruler = made.add_pipe("entity_ruler", first=True)
        ruler.add_patterns([{"label": "PERSON", "pattern": name} for name in NAMES])
        ruler.add_patterns([{"label": "DATE", "pattern": DATE}])
        return made

    return make


@pytest.fixture
def nlp(make_pipe):
    return make_pipe()


def given(service, texts, token=None):
    more = {} if token is None else {"authorization": f"Bearer {token}"}
    answer = ask(service, "/sanitize", {"texts": texts}, **more)
    assert answer.status == 200
    return answer.json["texts"]


@pytest.mark.parametrize("tokens", [TOKENS, None], ids=["tokens", "anybody"])
def test_names_of_a_caller_are_neither_those_of_the_release_nor_of_others(
    make_service,  # noqa: F811
    nlp,
    tokens,
):
    released = [doc.text for doc in nlp.pipe(NAMES)]
    service = make_service(tokens=tokens)
    worlds = [released, *(given(service, NAMES, token) for token in tokens or [None])]
    again = given(service, NAMES, next(iter(tokens or [None])))
    assert again == worlds[1]  # the same person has the same surrogate for one caller
    pairs = [(a, b) for i, a in enumerate(worlds) for b in worlds[:i]]
    for one, other in pairs:
        assert sum(a == b for a, b in zip(one, other, strict=True)) <= 2


def test_a_key_that_callers_would_share_is_refused(nlp):
    words = {"@dx_selectors": "dx.WordList.v1", "words": ["the"]}
    mechanism = {"@dx_mechanisms": "dx.Exponential.v1", "epsilon": 2.0}
    other = {"mechanism": mechanism, "selector": words}
    nlp.add_pipe("dx_sanitizer", name="before", first=True, config=other)
    with pytest.raises(UsageError, match="first sanitizer"):
        check(nlp, ServiceOptions())


def test_dates_of_each_text_move_by_a_shift_of_their_own(make_service, nlp):  # noqa: F811
    texts = given(make_service(), [DATE] * 12)
    assert len(set(texts)) > 6
    assert len({doc.text for doc in nlp.pipe([DATE] * 12)}) > 6
