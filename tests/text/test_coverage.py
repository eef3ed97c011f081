"""Languages and scripts that are not covered are refused, or their passages redacted."""

import json

import pytest
import spacy
from conftest import ok, run_dx

from spacy_dxprivacy.errors import DxError
from spacy_dxprivacy.integrations.clean import clean
from spacy_dxprivacy.integrations.table import sanitize_table
from spacy_dxprivacy.io.build import make_pipeline
from spacy_dxprivacy.lab.audit.release import audit_release
from spacy_dxprivacy.text.language import COVERED, uncovered

ENGLISH = (
    "The patient was seen on Monday by Dr. Smith and she has had no pain since then. We will call "
    "her next week about the results of the test. "
)
# Text, and what must not come out.
OTHERS = {
    "zh": ("患者李娜于2023年5月3日因腹痛入院。她住在北京市朝阳区建国路88号。", "李娜 建国路88号"),
    "ja": ("田中太郎さんは東京の病院に入院しました。電話は090-1234-5678です。", "田中太郎 090"),
    "ko": ("환자 김민준은 2023년 5월 3일에 서울 병원에 입원했습니다.", "김민준은 2023년"),
    "hi": ("मरीज दीपक शर्मा को 5 मार्च को दिल्ली के अस्पताल में भर्ती कराया गया।", "दीपक शर्मा"),
    "ar": ("تم إدخال المريض أحمد حسن إلى المستشفى في القاهرة بسبب الألم.", "أحمد حسن"),
    "th": ("ผู้ป่วยสมชาย ใจดี เข้ารับการรักษาที่โรงพยาบาลในกรุงเทพ", "ผู้ป่วยสมชาย ใจดี"),
    "ru": ("Пациент Иван Петров поступил в больницу с болью в колене.", "Иван Петров"),
    "el": ("Ο ασθενής Γιώργος Παπαδόπουλος εισήχθη στο νοσοκομείο της Αθήνας.", "Γιώργος"),
    "he": ("החולה יוסי כהן אושפז בבית החולים בתל אביב עקב כאבים.", "יוסי כהן"),
    "pl": (
        "Pacjent Jan Nowak został przyjęty w dniu 5 marca do szpitala z bólem kolana, który jest "
        "od dwóch tygodni i nie ma gorączki, ale się boi.",
        "Nowak marca",
    ),
    "tr": (
        "Hasta Ayşe Yılmaz bu sabah çok ağrı ile geldi ve bir ilaç verildi ama daha sonra iyi oldu "
        "o kadar.",
        "Yılmaz",
    ),
}  # fmt: skip
PLACES = {
    "alone": "{}",
    "paragraph": f"{ENGLISH}\n\n{{}}\n\n{ENGLISH}",
    "sentence": f"{ENGLISH}{{}} {ENGLISH}",
    "far": f"{ENGLISH * 200}\n{{}}",  # beyond the 20,000 characters that tell a file's language
}
MODES = {"words": {}, "entities": {"entities": ("person", "date", "phone")}}


@pytest.fixture(scope="module", params=MODES)
def pipelines(request):
    redact = {"unknown_language": "redact"}
    how = MODES[request.param]
    return request.param, make_pipeline(**how), make_pipeline(**how, overrides=redact)


@pytest.mark.parametrize(
    ("place", "language"),
    [(place, one) for place in PLACES for one in (OTHERS if place != "far" else ("zh", "pl"))],
)
def test_a_passage_is_refused_or_redacted_as_a_whole(pipelines, language, place):
    mode, refuses, redacts = pipelines
    passage, secrets = OTHERS[language]
    text = PLACES[place].format(passage)
    with pytest.raises(DxError, match="DX180") as failure:
        refuses(text)
    assert not any(secret in str(failure.value) for secret in secrets.split())
    doc = redacts(text)
    assert doc._.dx.uncovered == 1 and "not covered" in " ".join(doc._.dx.in_clear)
    assert not any(secret in doc.text for secret in secrets.split())
    if mode == "entities":
        assert doc.text.count("[REDACTED]") == 1
        assert place == "alone" or "about the results of the test" in doc.text


def test_covered_text_has_no_such_passage(pipelines):
    _, refuses, _ = pipelines
    assert refuses(ENGLISH * 3)._.dx.uncovered == 0
    assert uncovered("Der Patient ist da und die Frau hat es mit dem Arzt.", COVERED) == []
    assert uncovered("5 μg TNF-α by 李娜 and Иван Петров.", COVERED) == []


@pytest.mark.parametrize("language", ["zh", "ru", "pl", "tr"])
def test_a_pipeline_of_another_language_is_refused(language):
    text = OTHERS[language][0]
    for name, ruler in (("dx_sanitizer", False), ("dx_entity_sanitizer", True)):
        nlp = spacy.blank(language)
        if ruler:
            nlp.add_pipe("dx_entity_ruler")
        nlp.add_pipe(name)
        with pytest.raises(DxError, match="DX181"):
            nlp(text)
        nlp.get_pipe(name).settings.unknown_language = "redact"
        assert len(nlp(text)) == 1


def test_a_recogniser_of_the_language_covers_it():
    nlp = spacy.blank("ru")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PERSON", "pattern": "Иван Петров"}])
    nlp.add_pipe("dx_entity_sanitizer", config={"selector": {"labels": ["PERSON"]}})
    new = nlp(OTHERS["ru"][0]).text
    assert "Петров" not in new and "поступил в больницу" in new


def test_a_recogniser_that_is_added_after_the_fit_covers_its_language():
    nlp = spacy.blank("ru")
    nlp.add_pipe("dx_entity_ruler")
    sanitizer = nlp.add_pipe("dx_entity_sanitizer", config={"selector": {"labels": ["PERSON"]}})
    sanitizer.warm_up()
    ruler = nlp.add_pipe("entity_ruler", before="dx_entity_sanitizer")
    ruler.add_patterns([{"label": "PERSON", "pattern": "Иван Петров"}])
    assert "Петров" not in nlp(OTHERS["ru"][0]).text


@pytest.mark.parametrize("language", ["fr", "de", "es", "it", "nl", "pl"])
def test_words_of_a_pipeline_are_drawn_from_a_space_of_its_language(language):
    nlp = spacy.blank(language)
    nlp.add_pipe("dx_sanitizer")
    with pytest.raises(DxError, match=r"set vectors \(space\) and a prior"):
        nlp("Anna")


def test_a_file_is_refused_by_text_wherever_it_stands(tmp_path):
    rows = [ENGLISH.strip()] * 80 + [OTHERS["zh"][0], OTHERS["pl"][0]]
    source, out, receipt = (tmp_path / name for name in ("a.jsonl", "out.jsonl", "receipt.json"))
    source.write_text("".join(json.dumps({"text": row}) + "\n" for row in rows), encoding="utf8")
    how = ["sanitize", str(source), str(out), "--entities", "person,date,phone", "--force"]
    how += ["--receipt", str(receipt)]
    result = run_dx(*how)
    assert result.exit_code == 1 and "李娜" not in result.output
    assert len(out.read_text("utf8").splitlines()) == 80
    ok(run_dx(*how, "--components.dx_entity_sanitizer.unknown_language", "redact"))
    last = [json.loads(line)["text"] for line in out.read_text("utf8").splitlines()][-2:]
    assert last == ["[REDACTED]"] * 2
    assert json.loads(receipt.read_text("utf8"))["count"]["uncovered"] == 2


def test_a_language_that_is_given_is_believed_and_a_script_is_not():
    text = OTHERS["pl"][0]
    assert clean(text, entities=["person"], language="en")
    with pytest.raises(DxError, match="another script"):
        clean(OTHERS["zh"][0], entities=["person"], language="en")


def test_tables_refuse_it():
    pa = pytest.importorskip("pyarrow")
    nlp = make_pipeline(entities=("person",))
    table = pa.table({"text": [ENGLISH, OTHERS["zh"][0], OTHERS["pl"][0]]})
    assert len(sanitize_table(nlp, table)) == 1


def test_the_audit_reports_what_no_rule_could_have_found(tmp_path):
    before, after = tmp_path / "before.txt", tmp_path / "after.txt"
    before.write_text(f"{ENGLISH}\n{OTHERS['zh'][0]}\n", encoding="utf8")
    after.write_text(f"{ENGLISH}\n{OTHERS['zh'][0]}\n", encoding="utf8")
    receipt = dict(make_pipeline(entities=("person",))(ENGLISH)._.dx)
    report = audit_release(after, before, receipt=receipt)
    assert report.leaked and "unread text" in {leak.kind for leak in report.leaks}
    after.write_text(f"{ENGLISH}\n[REDACTED]\n", encoding="utf8")
    report = audit_release(after, before, receipt=receipt)
    assert "unread text" not in {leak.kind for leak in report.leaks}
