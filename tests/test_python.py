"""Text as people hold it in Python: what comes out is of its kind, and tells what was spent."""

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import space_options
from typer.main import get_command
from typer.testing import CliRunner

import spacy_dxprivacy as dx
from spacy_dxprivacy import DxError, UsageError, registry
from spacy_dxprivacy.cli import dx_cli
from spacy_dxprivacy.config import PipelineOptions
from spacy_dxprivacy.integrations.front import clean as cleaning
from spacy_dxprivacy.integrations.front.clean import ready
from spacy_dxprivacy.io.build import make_pipeline

SECRET = "Xantippe"
TEXTS = ["the king and the queen", f"{SECRET} was here", "a house"]


@pytest.fixture
def how(space_path):
    """Settings of a small space, which is ready in no time."""
    return {"space": space_path, "mechanism": "exponential", "epsilon": 2.0}


# -- clean -----------------------------------------------------------------------------------------


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
    assert done.units.kind == "user" and sorted(done.units.spent) == [4.0, 4.0]
    assert done.columns()["dx_draws"] == [2, None, 1, 1]
    assert done.columns()["dx_epsilon"] == [4.0, None, 2.0, 2.0]
    assert done.columns()["dx_spent"] == [4.0, None, 4.0, 4.0]
    alone = dx.clean(["the king", "a"], receipts=True, by=[None, None], **how)
    assert sorted(alone.units.spent) == [2.0, 4.0]
    assert "king" not in repr(done)


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


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"by": [1]}, "DX141"), ({"by": [True, 0.5]}, "DX110"), ({"batch_size": 0}, "batch_size"),
        ({"n_process": 0}, "n_process"), ({"on_failure": "drop"}, "on_failure"),
        ({"max_epsilon": -1}, "max_epsilon"), ({"epsilon": 0}, "epsilon"),
        ({"numbers": "relative", "max_epsilon": 5.0}, "another metric"),
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
    assert len(options) < 24
    fields = PipelineOptions.__dataclass_fields__.keys()
    run = {"text", "field", "keep_fields", "format", "person_field", "table", "table_key"}
    run |= {"receipt", "n_process", "preview", "quiet", "force"}
    assert options.keys() - run <= fields and not run & fields


@pytest.mark.parametrize(("wrong", "near"), [("mechansm", "mechanism"), ("unkown", "unknown")])
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
    done = CliRunner().invoke(dx_cli, args)
    assert done.exit_code == 2 and near in done.stderr and len(done.stderr.splitlines()) == 1


def test_overrides_of_the_component_of_its_parts_and_of_the_pipeline(space_path, tmp_path):
    overrides = {
        "unknown.text": "XXX", "scope": "type", "nlp.batch_size": 5,
        "unknown.@dx_unknowns": "dx.Redact.v1", "mechanism.policy": "strict",
    }  # fmt: skip
    nlp = make_pipeline(space=space_path, epsilon=1.0, overrides=overrides)
    assert nlp("Xantippe").text == "XXX" and nlp.batch_size == 5
    sanitizer = nlp.get_pipe("dx_sanitizer")
    assert sanitizer.terms.scope == "type" and sanitizer.mechanism.guarantee.epsilon == 1.0
    nlp.config.to_disk(tmp_path / "own.cfg")
    again = {"mechanism.@dx_mechanisms": "dx.Laplace.v1", "mechanism.epsilon": 9.0}
    whole = {f"components.dx_sanitizer.{path}": value for path, value in again.items()}
    for more in (again, whole):
        nlp = make_pipeline(config=tmp_path / "own.cfg", overrides=more)
        assert nlp.get_pipe("dx_sanitizer").mechanism.guarantee.epsilon == 9.0
        assert nlp.batch_size == 5 and nlp("Xantippe").text == "XXX"


def test_an_override_of_the_command_reads_its_value_as_spacy_does(space_path):
    args = [
        "config",
        *space_options(space_path),
        "--mechanism.epsilon=0.5",
        "--nlp.batch_size",
        "7",
    ]
    args += [
        "--components.dx_sanitizer.scope",
        "type",
        "--components.dx_sanitizer.carry",
        '["ents"]',
    ]
    text = CliRunner().invoke(dx_cli, args).stdout
    for line in ("epsilon = 0.5", "batch_size = 7", 'scope = "type"', 'carry = ["ents"]'):
        assert f"\n{line}\n" in text


@pytest.mark.parametrize(
    ("args", "nearest"),
    [("sanitize --mechanizm x", "--mechanism"), ("sanitise a b", "sanitize"),
     ("audit releas a", "release"), ("config --mechanism lapalce", "laplace"),
     ("config --mechanism dx.Lapalce.v1", "dx.Laplace.v1")],
)  # fmt: skip
def test_an_unknown_command_option_or_name_names_the_nearest(args, nearest):
    done = CliRunner().invoke(dx_cli, args.split())
    assert done.exit_code == 2
    message = done.stderr
    assert nearest in message.split("There are")[0] and len(message.splitlines()) == 1


@pytest.mark.parametrize("name", ["dx.Nmae.v1", "dx.Name.v9", "dx.name.v1"])
def test_an_unknown_registered_name_names_the_nearest(name):
    with pytest.raises(DxError, match=r"DX007.* Did you mean dx\.Name\.v1\?"):
        registry.dx_surrogates.get(name)
    with pytest.raises(DxError, match=r"DX007.* Did you mean dx\.Name\.v1\?"):
        registry.resolve({"part": {"@dx_surrogates": name}})


def test_a_pipeline_is_made_once_and_anew_when_its_file_changes(how, tmp_path):
    assert ready({**how, "entities": ()}) is ready({**how, "unknown": None})
    path = tmp_path / "one.cfg"
    make_pipeline(**how).config.to_disk(path)
    first = ready({"config": path})
    assert ready({"config": str(path)}) is first
    path.write_text(path.read_text().replace("epsilon = 2.0", "epsilon = 1.0"))
    assert dx.clean("a", receipts=True, config=path).units.spent == [1.0]


def test_nothing_of_a_text_stays_in_a_pipeline(how):
    dx.clean([SECRET + "ly"], **how)
    for one in cleaning._made.values():
        assert not any(SECRET in string for string in one.nlp.vocab.strings)


def test_threads_take_turns(how):
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: dx.clean(TEXTS * 5, **how), range(4)))
    assert [len(one) for one in found] == [15] * 4


def test_workers_do_not_repeat_noise(how, forking):
    texts = ["the king and the queen and the house"] * 400
    done = dx.clean(texts, n_process=2, batch_size=100, **how)
    assert len(set(done[:200]) & set(done[200:])) < 20  # of 5 and more words drawn anew


# -- diff ------------------------------------------------------------------------------------------


def test_a_diff_in_a_terminal_and_in_a_notebook():
    shown = dx.diff("Anna <b>& her king", "Mary <b>& her king")
    assert "[-Anna-]" in str(shown) and "{+Mary+}" in str(shown)
    html = shown._repr_html_()
    assert "<del" in html and "&lt;" in html and "<b>" not in html
    assert shown.unchanged == pytest.approx(3 / 4)
    assert dx.diff("", "").unchanged == 1.0


def test_a_diff_of_many_shows_the_first_ones_and_no_control_characters():
    shown = dx.diff(["a"] * 25, ["b"] * 25)
    assert len(shown.rows) == 20 and "5 more not shown" in str(shown)
    assert len(str(dx.diff("word " * 10_000, "other " * 10_000))) < 100_000
    with pytest.raises(DxError, match="same length"):
        dx.diff(["a"], ["a", "b"])
    assert "\x1b" not in str(dx.diff("\x1b[2Jking", "\x07queen"))


# -- tables ----------------------------------------------------------------------------------------


def library_of(name):
    library = pytest.importorskip(name)
    assert name in dx.accessors()
    return library


@pytest.fixture
def pd():
    return library_of("pandas")


@pytest.fixture
def pl():
    return library_of("polars")


@pytest.mark.slow
@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("first", [True, False])
def test_series_have_their_accessor(library, first):
    pytest.importorskip(library)
    names = [library, "spacy_dxprivacy"][:: 1 if first else -1]
    asked = "" if first else f"assert '{library}' in spacy_dxprivacy.accessors(); "
    code = f"import {', '.join(names)}; {asked}{library}.Series(['a']).dx.clean"
    subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", code], check=True)


@pytest.mark.parametrize("dtype", ["object", "string", "category"])
def test_a_series_of_pandas(pd, how, dtype):
    series = pd.Series([*TEXTS, None], index=[3, 1, 4, 5], name="note", dtype=dtype)
    series.attrs["from"] = SECRET
    done = series.dx.clean(**how)
    assert list(done.index) == [3, 1, 4, 5] and done.name == "note" and done.attrs == {}
    assert done.isna().tolist() == [False] * 3 + [True]
    assert SECRET not in str(done.tolist()) + str(done.dtype)


def test_receipts_of_a_series_of_pandas(pd, how):
    table = pd.DataFrame({"note": [*TEXTS, None], "who": ["u", "u", None, "v"]})
    receipts = table["note"].dx.receipts(by=table["who"], **how)
    assert receipts.columns[0] == "note" and receipts["dx_draws"].tolist()[:3] == [5, 2, 2]
    assert receipts["dx_spent"].tolist()[:3] == [14.0, 14.0, 4.0] and receipts["dx_spent"].isna()[3]
    assert "unchanged" in str(dx.diff(table["note"], receipts["note"]))
    with pytest.raises(DxError, match="several columns"):
        dx.clean(table, **how)
    with pytest.raises(DxError, match="a number"):
        pd.Series([1, 2]).dx.clean(**how)


def test_a_series_of_polars(pl, how):
    table = pl.DataFrame({"note": [*TEXTS, None], "who": ["u", "u", None, "v"]})
    done = table["note"].dx.clean(**how)
    assert done.name == "note" and done.dtype == pl.String and done.null_count() == 1
    receipts = table["note"].dx.receipts(by=table["who"], **how)
    assert receipts["dx_spent"].to_list() == [14.0, 14.0, 4.0, None]
    lazy = table.lazy().with_columns(pl.col("note").dx.clean(**how)).collect()
    assert SECRET not in str(lazy["note"].to_list()) and lazy["who"].to_list()[0] == "u"


@pytest.mark.slow
def test_no_library_of_tables_is_imported_for_those_who_have_no_use_for_it():
    code = "import sys, spacy_dxprivacy; print({'pandas', 'polars', 'datasets'} & {*sys.modules})"
    assert subprocess.check_output([sys.executable, "-c", code], timeout=120) == b"set()\n"


# -- scikit-learn ----------------------------------------------------------------------------------


@pytest.fixture
def cleaner(how):
    pytest.importorskip("sklearn", reason="needs the extra 'sklearn'")
    from spacy_dxprivacy import Cleaner

    return Cleaner(**how)


def test_a_step_of_a_pipeline_is_cloned_and_pickled_without_its_stream(cleaner):
    from sklearn.base import clone
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(clone(cleaner), CountVectorizer(), MultinomialNB())
    model.fit(["the king and", SECRET] * 4, [0, 1] * 4)
    kept = pickle.dumps(model)
    assert SECRET.lower().encode() not in kept and b"AESCounter" not in kept
    assert len(kept) < 20_000  # neither a space nor a vocabulary
    again = pickle.loads(kept)  # noqa: S301
    assert again.predict(["the king and"]).shape == (1,)
    assert clone(cleaner).get_params() == cleaner.get_params()


def test_a_step_takes_columns_and_refuses_what_is_missing(cleaner):
    assert cleaner.transform(np.array(TEXTS)).shape == (3,)
    for wrong in (["a", None], "the king", [5]):
        with pytest.raises(DxError):
            cleaner.transform(wrong)
    pandas = pytest.importorskip("pandas")
    assert cleaner.fit_transform(pandas.DataFrame({"note": TEXTS})).shape == (3,)


def test_a_memory_that_would_write_the_clear_text_is_refused(cleaner, tmp_path):
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(cleaner, CountVectorizer(), memory=str(tmp_path))
    with pytest.raises(DxError, match="DX147"):
        model.fit([f"{SECRET} the king"])
        model.transform(["a"])
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(SECRET.encode() in path.read_bytes() for path in files)


# -- datasets --------------------------------------------------------------------------------------


@pytest.fixture
def rows(tmp_path):
    """A data set that lies on the disk, and which memory is mapped of."""
    datasets = pytest.importorskip("datasets", reason="needs the extra 'datasets'")
    made = datasets.Dataset.from_dict({
        "note": [*TEXTS, None], "patient_no": ["u", "u", SECRET, "v"], "age": [1, 2, 3, 4],
    })  # fmt: skip
    made.save_to_disk(tmp_path / "clear")
    return datasets.load_from_disk(tmp_path / "clear")


def test_a_data_set_and_what_is_left_of_it_on_the_disk(rows, how, tmp_path):
    before = set(tmp_path.rglob("*"))
    done = dx.clean_dataset(rows, "note", receipts=True, **how)
    assert done.column_names == ["note", "age", "dx_tokens", "dx_perturbed", "dx_unknown",
                                 "dx_kept", "dx_draws", "dx_epsilon"]  # fmt: skip
    assert done["dx_epsilon"][:] == [10.0, 4.0, 4.0, None] and done["note"][3] is None
    done.save_to_disk(tmp_path / "out")
    new = [path for path in tmp_path.rglob("*") if path not in before and path.is_file()]
    assert len(new) >= 3
    for path in new:
        content = path.read_bytes()
        assert SECRET.encode() not in content and b"patient_no" not in content, path.name


def test_a_fingerprint_confirms_no_guess(rows, how):
    one, other = (dx.clean_dataset(rows, "note", **how) for _ in range(2))
    assert len({rows._fingerprint, one._fingerprint, other._fingerprint}) == 3
    assert one.info.download_checksums is None and one.info.splits is None


def test_units_of_a_data_set_and_those_that_are_refused(rows, how):
    assert "dx_draws" not in dx.clean_dataset(rows, "note", max_epsilon=10.0, **how).column_names
    with pytest.raises(DxError, match="A user would spend epsilon = 14"):
        dx.clean_dataset(rows, "note", by="patient_no", max_epsilon=10.0, **how)
    for column, code in (("text", "DX070"), ("age", "DX071")):
        with pytest.raises(DxError, match=code):
            dx.clean_dataset(rows, column, **how)
    with pytest.raises(DxError, match="DX143"):
        dx.clean_dataset(rows.to_iterable_dataset(), "note", **how)


def test_splits_one_by_one_and_columns_that_are_named(rows, how):
    from datasets import DatasetDict

    done = dx.clean_dataset(DatasetDict(train=rows, test=rows), "note", keep=["patient_no"], **how)
    assert done["test"].column_names == ["note", "patient_no"] and done["train"].num_rows == 4


@pytest.mark.slow
@pytest.mark.parametrize("num_proc", [1, 2])
def test_processes_of_a_data_set_do_not_repeat_noise(how, num_proc):
    datasets = pytest.importorskip("datasets")
    rows = datasets.Dataset.from_dict({"text": ["the king and the queen and the house"] * 400})
    done = dx.clean_dataset(rows, num_proc=num_proc, **how)["text"][:]
    assert len(set(done[:200]) & set(done[200:])) < 20
