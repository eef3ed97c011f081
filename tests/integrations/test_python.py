"""Text as people hold it in Python: what comes out is of its kind, and tells what was spent."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from uuid import UUID

import numpy as np
import pytest
from conftest import run_dx, space_options
from typer.main import get_command

import spacy_dxprivacy as dx
from spacy_dxprivacy import DxError, UsageError, registry
from spacy_dxprivacy.cli import dx_cli
from spacy_dxprivacy.config.options import PipelineOptions
from spacy_dxprivacy.integrations import clean as cleaning
from spacy_dxprivacy.integrations.clean import get_pipeline, identity, is_nobody
from spacy_dxprivacy.io.build import make_pipeline
from spacy_dxprivacy.mechanisms.levels import LEVELS
from spacy_dxprivacy.mechanisms.named import mechanism_config

SECRET = "Xantippe"
TEXTS = ["the king and the queen", f"{SECRET} was here", "a house"]


@pytest.fixture
def how(space_path):
    """Settings of a small space, which is ready in no time."""
    return {"space": space_path, "mechanism": "exponential", "epsilon": 2.0}


def test_what_comes_out_is_of_its_kind_and_drawn_anew(how):
    text = dx.clean(TEXTS[0], **how)
    assert isinstance(text, str) and len(text.split()) == 5
    for kind in (list, tuple, np.array):
        done = dx.clean(kind(TEXTS), **how)
        assert isinstance(done, np.ndarray if kind is np.array else list)
        assert [len(one.split()) for one in done] == [5, 3, 2]
    assert dx.clean([], **how) == []
    assert dx.clean(["the king", None, float("nan")], **how)[1:] == [None, None]
    assert len({dx.clean(" ".join(TEXTS), **how) for _ in range(6)}) > 1


def test_receipts_and_what_units_spend(how):
    done = dx.clean(["the king", None, "a", "and"], receipts=True, by=["u", "u", 7, "7"], **how)
    assert done.spent == [4.0, None, 4.0, 4.0]
    assert [receipt and receipt.draws for receipt in done.receipts] == [2, None, 1, 1]
    epsilons = [receipt and receipt.total["epsilon"] for receipt in done.receipts]
    assert epsilons == [4.0, None, 2.0, 2.0]
    alone = dx.clean(["the king", "a"], receipts=True, by=[None, None], **how)
    assert alone.spent == [4.0, 2.0]
    assert "king" not in repr(done)


@pytest.mark.parametrize("times", [1, 2, 5])
def test_each_draw_of_a_text_is_charged_once(how, times):
    done = dx.clean(["the king"] * times, receipts=True, by=["u"] * times, **how)
    losses = [receipt.loss.plain for receipt in done.receipts]
    assert losses == [4.0] * times and set(done.spent) == {4.0 * times}
    assert len(dx.clean(["the king"] * times, by=["u"] * times, max_epsilon=4.0 * times, **how))
    with pytest.raises(DxError, match=f"epsilon = {4 * times},"):
        below = 4.0 * times - 0.01
        dx.clean(["the king"] * times, by=["u"] * times, max_epsilon=below, **how)


def test_mentions_are_charged_beside_words(how):
    done = dx.clean("She came on March 5, 2023.", receipts=True, entities="date", **how)
    assert done.receipts[0].draws == 0
    assert done.spent == [done.receipts[0].total["DATE"]["epsilon"]] and done.spent[0] > 0


def test_a_unit_that_would_spend_too_much_gets_nothing(how):
    assert len(dx.clean(["the king", "a"], max_epsilon=4.0, **how)) == 2
    with pytest.raises(DxError, match="A user would spend epsilon = 6"):
        dx.clean(["the king", "a"], by=["u", "u"], max_epsilon=5.0, **how)


@pytest.mark.parametrize("given", [5, None, b"raw", {"a": 1}, {"a"}, np.array([["a"]])])
def test_what_is_no_text_is_refused_without_a_look_at_it(given, how):
    with pytest.raises(DxError, match="DX140"):
        dx.clean(given, **how)


def test_one_bad_text_is_named_by_its_place_and_not_quoted(how):
    texts = ["the king", f"{SECRET}\ud800", 5]
    with pytest.raises(DxError, match="number 1 ") as caught:
        dx.clean(texts, **how)
    assert SECRET not in str(caught.value) and caught.value.__context__ is None
    done = dx.clean(texts, on_failure="null", receipts=True, **how)
    assert done.texts[1:] == [None, None] and sorted(done.failures) == [1, 2]


NUMBERS = {"numbers.@dx_surrogates": "dx.Number.v1"}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"by": [1]}, "DX141"), ({"by": [True, 0.5]}, "DX110"), ({"batch_size": 0}, "batch_size"),
        ({"n_process": 0}, "n_process"), ({"on_failure": "drop"}, "on_failure"),
        ({"max_epsilon": -1}, "max_epsilon"), ({"epsilon": 0}, "epsilon"),
        ({"overrides": NUMBERS, "max_epsilon": 5.0}, "another metric"),
        ({"mechanism": "none"}, "no mechanism"), ({"space": "/no/where"}, "no such file"),
    ],
)  # fmt: skip
def test_a_wrong_setting_is_one_sentence(how, wrong, told):
    with pytest.raises(DxError, match=told) as caught:
        dx.clean(["a", "b"], **{**how, **wrong})
    assert "\n" not in str(caught.value)


def test_a_seed_is_refused(how, tmp_path):
    with pytest.raises(UsageError, match="no setting `seed`"):
        dx.clean("the king", seed=1, **how)
    text = make_pipeline(**how).config.to_str()
    (tmp_path / "seeded.cfg").write_text(text.replace("seed = null", "seed = 3"))
    with pytest.raises(DxError, match="DX072"):
        dx.clean("a", config=tmp_path / "seeded.cfg")


def test_the_command_and_python_share_their_names():
    """The command has at most 24 options, and those of the pipeline are fields of its options."""
    command = get_command(dx_cli).get_command(None, "sanitize")
    options = {p.name: p for p in command.params if p.param_type_name == "option"}
    assert len(options) <= 24
    fields = PipelineOptions.__dataclass_fields__.keys()
    run = {"text", "field", "keep_fields", "format", "person_field", "table", "table_key"}
    run |= {"receipt", "n_process", "verbose", "force", "encoding"}
    assert options.keys() - run <= fields and not run & fields


@pytest.mark.parametrize(("wrong", "near"), [("mechansm", "mechanism"), ("lnguage", "language")])
def test_an_unknown_argument_names_the_nearest_one(wrong, near):
    with pytest.raises(UsageError, match=f"`{wrong}`. Did you mean {near}"):
        dx.clean("the king", **{wrong: "x"})


@pytest.mark.parametrize(
    ("wrong", "near"),
    [("mechansm.epsilon", "mechanism.epsilon"), ("unkown.text", "unknown.text"),
     ("mechanism.epsilno", "mechanism.epsilon"), ("space.max_word", "space.max_words"),
     ("nlp.batchsize", "nlp.batch_size"), ("unknown.@dx_unknown", "unknown.@dx_unknowns"),
     ("components.dx_sanitizer.scop", "components.dx_sanitizer.scope"),
     ("components.dx_sanitzer.scope", "components.dx_sanitizer.scope")],
)  # fmt: skip
def test_an_unknown_key_names_the_nearest_one(wrong, near, space_path):
    with pytest.raises(UsageError, match=f"`{wrong}`. Did you mean {near}"):
        make_pipeline(space=space_path, overrides={wrong: "x"})
    args = ["sanitize", "--text", "the king", *space_options(space_path), f"--{wrong}", "x"]
    done = run_dx(*args)
    assert done.exit_code == 2 and near in done.stderr and len(done.stderr.splitlines()) == 1


def test_overrides_of_the_component_of_its_parts_and_of_the_pipeline(space_path, tmp_path):
    overrides = {
        "unknown.text": "XXX", "scope": "type", "nlp.batch_size": 5,
        "unknown.@dx_unknowns": "dx.Redact.v1", "mechanism.policy": "strict",
    }  # fmt: skip
    nlp = make_pipeline(space=space_path, epsilon=1.0, overrides=overrides)
    assert nlp("Xantippe").text == "XXX" and nlp.batch_size == 5
    sanitizer = nlp.get_pipe("dx_sanitizer")
    assert sanitizer.terms.scope == "type" and sanitizer.settings.mechanism.guarantee.epsilon == 1.0
    nlp.config.to_disk(tmp_path / "own.cfg")
    again = {"mechanism.@dx_mechanisms": "dx.Laplace.v1", "mechanism.epsilon": 9.0}
    whole = {f"components.dx_sanitizer.{path}": value for path, value in again.items()}
    for more in (again, whole):
        nlp = make_pipeline(config=tmp_path / "own.cfg", overrides=more)
        assert nlp.get_pipe("dx_sanitizer").settings.mechanism.guarantee.epsilon == 9.0
        assert nlp.batch_size == 5 and nlp("Xantippe").text == "XXX"


@pytest.mark.parametrize(
    ("epsilon", "mechanism", "why"),
    [("strnog", None, "one of light, balanced, strong"), ("strong", "laplace", "a level of"),
     ("-1", None, "epsilon must be"), ("nan", None, "epsilon must be")],
)  # fmt: skip
def test_an_epsilon_is_a_number_or_a_level_of_the_default(epsilon, mechanism, why):
    with pytest.raises(DxError, match=why):
        make_pipeline(epsilon=epsilon, mechanism=mechanism)
    with pytest.raises(DxError, match="one of the two"):
        make_pipeline(level="strong", epsilon=1.0)
    config = mechanism_config(None, "strong")
    assert config["epsilon"] == LEVELS["strong"].epsilon
    assert mechanism_config(None, "0.5") == mechanism_config(None, 0.5) == {"epsilon": 0.5}


@pytest.mark.parametrize("name", ["dx.Nmae.v1", "dx.Name.v9", "dx.name.v1"])
def test_an_unknown_registered_name_names_the_nearest(name):
    with pytest.raises(DxError, match=r"DX007.* Did you mean dx\.Name\.v1\?"):
        registry.dx_surrogates.get(name)
    with pytest.raises(DxError, match=r"DX007.* Did you mean dx\.Name\.v1\?"):
        registry.resolve({"part": {"@dx_surrogates": name}})


def test_a_pipeline_is_made_once_and_anew_when_its_file_changes(how, tmp_path):
    assert get_pipeline({**how, "entities": ()}) is get_pipeline({**how, "language": None})
    path = tmp_path / "one.cfg"
    make_pipeline(**how).config.to_disk(path)
    first = get_pipeline({"config": path})
    assert get_pipeline({"config": str(path)}) is first
    path.write_text(path.read_text().replace("epsilon = 2.0", "epsilon = 1.0"))
    assert dx.clean("a", receipts=True, config=path).spent == [1.0]


def test_nothing_of_a_text_stays_in_a_pipeline(how):
    dx.clean([SECRET + "ly"], **how)
    for one in cleaning._pipelines.values():
        assert not any(SECRET in string for string in one.nlp.vocab.strings)


def test_threads_take_turns(how):
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: dx.clean(TEXTS * 5, **how), range(4)))
    assert [len(one) for one in found] == [15] * 4


@pytest.mark.parametrize("dtype", ["object", "string", "category"])
def test_a_series_of_pandas(how, dtype):
    pd = pytest.importorskip("pandas")
    series = pd.Series([*TEXTS, None], index=[3, 1, 4, 5], name="note", dtype=dtype)
    series.attrs["from"] = SECRET
    done = dx.clean(series, **how)
    assert list(done.index) == [3, 1, 4, 5] and done.name == "note" and done.attrs == {}
    assert done.isna().tolist() == [False] * 3 + [True]
    assert SECRET not in str(done.tolist()) + str(done.dtype)


def test_receipts_of_a_series_of_pandas(how):
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"note": [*TEXTS, None], "who": ["u", "u", None, "v"]})
    done = dx.clean(table["note"], by=table["who"], receipts=True, **how)
    assert [receipt.draws for receipt in done.receipts[:3]] == [5, 2, 2]
    assert done.spent == [14.0, 14.0, 4.0, None]
    with pytest.raises(DxError, match="several columns"):
        dx.clean(table, **how)
    with pytest.raises(DxError, match="a number"):
        dx.clean(pd.Series([1, 2]), **how)


def test_a_series_of_polars(how):
    pl = pytest.importorskip("polars")
    table = pl.DataFrame({"note": [*TEXTS, None], "who": ["u", "u", None, "v"]})
    done = dx.clean(table["note"], **how)
    assert done.name == "note" and done.dtype == pl.String and done.null_count() == 1
    done = dx.clean(table["note"], by=table["who"], receipts=True, **how)
    assert done.spent == [14.0, 14.0, 4.0, None]


def test_one_user_is_one_in_whatever_way_it_is_written():
    for ways in [
        (7, 7.0, "7", "7.0", " 7", "007", b"7", np.int64(7), np.float32(7), Decimal(7)),
        ("\u00e9", "e\u0301", "\u00e9 "),
        (UUID(int=7), str(UUID(int=7))),
        (-7, "-7", -7.0),
    ]:
        assert len({identity(way) for way in ways}) == 1
    some = [7, 8, -7, "a", "A", "7a", UUID(int=7), 2**70, "7.5"]
    assert len({identity(user) for user in some}) == len(some)


@pytest.mark.parametrize("user", [None, float("nan"), Decimal("nan"), "", "  ", b""])
def test_who_is_not_named_is_nobody(user):
    assert is_nobody(user) and not is_nobody(0)


@pytest.mark.parametrize("user", [True, np.True_, 7.5, float("inf"), [7], {"a": 7}, Decimal("7.5")])
def test_what_may_or_may_not_be_one_user_is_refused_unsaid(user):
    with pytest.raises(DxError, match="DX110") as raised:
        identity(user)
    assert "7" not in str(raised.value).replace("DX110", "")
