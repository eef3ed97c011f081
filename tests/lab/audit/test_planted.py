"""What was replaced in a letter is found wherever and however it is still readable."""

import json
import sys
import zipfile
from email import message_from_bytes
from email.policy import default
from importlib import import_module
from pathlib import Path

import pytest
from conftest import ok, run_dx

from spacy_dxprivacy import Space
from spacy_dxprivacy.config.options import FileOptions
from spacy_dxprivacy.lab.audit import audit_release
from spacy_dxprivacy.lab.audit.alignment import Span, align
from spacy_dxprivacy.lab.audit.entity_mode import EntityAudit
from spacy_dxprivacy.lab.audit.forms import Forms, Sought
from spacy_dxprivacy.lab.audit.original import read_original, rules
from spacy_dxprivacy.lab.audit.replaced import Document, read_document
from spacy_dxprivacy.text.normal import normal_form

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
REPLACED = "replaced, and readable"
LETTER = (
    "Wir berichten über Frau Sabine Habermehl, geb. Thormann, aus Apolda.\n"
    "Frau Habermehl war müde, und das Gewicht blieb gleich."
)


@pytest.fixture(scope="module")
def planted():
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return import_module("planted")
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.fixture
def letter(tmp_path):
    """letter(changed, name) -> the audit of a release in which `changed` was written at its end."""

    def make(change=lambda text: text, text=LETTER, labels="person,gpe"):
        source, target, receipt = (tmp_path / name for name in ("o.txt", "r.txt", "r.json"))
        source.write_text(text, encoding="utf8")
        seed = ("--components.dx_entity_sanitizer.seed", 1)
        options = ("--entities", labels, "--receipt", receipt, "--force", *seed)
        ok(run_dx("sanitize", source, target, *options))
        target.write_text(change(target.read_text(encoding="utf8")), encoding="utf8")
        return audit_release(target, source, receipt=json.loads(receipt.read_text()))

    return make


def words_of(report, kind=REPLACED):
    return set().union(*(leak.words for leak in report.leaks if leak.kind == kind))


# -- the letter ------------------------------------------------------------------------------------


def test_a_genitive_a_maiden_name_and_a_town_that_stay_are_found(letter):
    beside = "Habermehls Gewicht, geb. Thormann, Apolda"
    report = letter(lambda text: text.replace("das Gewicht", beside))
    assert report.leaked and words_of(report) == {"habermehls", "thormann", "apolda"}
    assert not letter().leaked


def test_its_sentences_are_true_of_entity_mode(letter):
    for change in (str, lambda text: f"{text} Habermehls"):
        lines = "\n".join(letter(change).lines())
        assert "mechanism" not in lines and "unknown words" not in lines
        assert "habermehl" not in lines.lower()


def test_the_first_lines_say_what_was_found_and_what_to_do(letter):
    first, second, *_ = letter(lambda text: f"{text} Habermehls").lines()
    assert first.startswith("leaked") and "do not hand it over" in second
    first, second, *_ = letter(text=f"{LETTER} Am Donnerstag kam Vandermeer.").lines()
    assert first.startswith("nothing undeclared")


def test_a_document_in_which_nothing_was_replaced_leaks(letter):
    report = letter(lambda text: LETTER)
    assert report.leaked and words_of(report, "unchanged text") >= {"sabine habermehl"}


def test_labels_that_were_not_asked_for_are_counted(letter):
    report = letter(labels="person")
    assert not report.leaked
    assert any("1 GPE" in leak.what for leak in report.leaks if leak.declared)


# -- places and surrogates -------------------------------------------------------------------------


def document(old, new, *names):
    spans = [Span("PERSON", old.index(name), old.index(name) + len(name)) for name in names]
    return Document(old, new, spans, "en")


def test_a_mention_stands_for_what_replaced_it():
    old = "Ann Lee saw Bob. It was late, and Bob slept."
    spans = [Span("PERSON", 0, 7), Span("PERSON", 12, 15), Span("PERSON", 34, 37)]
    new = "Eva Maria Fox saw Al. It was late, and Al slept."
    aligned = align(old, new, spans)
    assert [new[slice(*gap.new)] for gap in aligned.gaps] == ["Eva Maria Fox", "Al", "Al"]
    assert aligned.keeps(14, 17) and not aligned.keeps(0, 13)
    assert aligned.gap_at(18, 20).spans == [1] and aligned.gap_at(14, 17) is None


@pytest.mark.parametrize(
    ("new", "leaked", "by_chance"),
    [
        ("Mary Fox met Tom Hill.", [], []),
        ("Paul Fox met Tom Hill.", [], ["Paul"]),  # a surrogate of another
        ("Mary Kowalczyk met Tom Hill.", ["Kowalczyk"], []),  # on no list of surrogates
        ("Mary Fox met Tom Hill and Anna.", ["Anna"], []),  # where nothing stood
    ],
)
def test_a_surrogate_that_is_a_name_of_the_document_is_chance(new, leaked, by_chance):
    old = "Anna Kowalczyk met Paul Zbigniew."
    found = read_document(document(old, new, "Anna Kowalczyk", "Paul Zbigniew"), {"PERSON"})
    assert [new[hit.start : hit.end] for hit in found.leaked] == leaked
    assert [new[hit.start : hit.end] for hit in found.by_chance] == by_chance


def test_a_name_that_is_its_own_surrogate_everywhere_is_no_leak():
    old = "Paul Kowalczyk met Anna. Paul slept."
    spans = [Span("PERSON", 0, 14), Span("PERSON", 19, 23), Span("PERSON", 25, 29)]
    found = read_document(Document(old, "Paul Fox met Tina. Paul slept.", spans, "en"), {"PERSON"})
    assert not found.leaked


def test_what_was_nowhere_replaced_is_kept_and_may_be_a_name():
    old = "Anna Kowalczyk met the smith, then Vandermeer of Quuxberg, case 7734551209."
    found = read_document(
        document(old, old.replace("Anna Kowalczyk", "Eva Fox"), "Anna Kowalczyk"), {"PERSON"}
    )
    assert found.kept == {"vandermeer", "quuxberg", "7734551209"} and not found.leaked


def test_ordinary_words_are_no_names():
    forms = Forms([Sought("PERSON", "Grace Grant"), Sought("PERSON", "Will May")])
    assert not forms.find("A grant was given by the grace of God, and we will see. May I go?")
    assert [hit.word for hit in forms.find("This was said by Grace")] == ["grace"]


@pytest.mark.parametrize(
    "text",
    [
        "born 12.3.1961", "1961-03-12", "March 12, 1961", "12. März 1961", "12/03/61", "S.H.",
        "H. S.", "Wiesenstr. 14", "Wiesenstrasse", "(03641)445566", "+49 3641 44 55 66", "in Jena",
        "Jenaer Klinik", "Habermehls'", "Ha\u00adbermehl", "h\u0430bermehl", "#Habermehl",
    ],
)  # fmt: skip
def test_a_form_in_other_signs_is_found(text):
    sought = {"PERSON": "Sabine Habermehl", "DATE": "12. März 1961", "ADDRESS": "Wiesenstraße 14"}
    sought |= {"PHONE": "03641 445566", "GPE": "Jena"}
    forms = Forms([Sought(*pair) for pair in sought.items()], "de")
    assert len(forms.find(normal_form(text))) == 1


@pytest.mark.parametrize(
    "text",
    ["Fallnummer 20417", "des Hofes", "Dr. J. D. came", "am 1.2.1961", "an den 12. Mai 1961"],
)
def test_other_names_and_numbers_are_none_of_these_forms(text):
    forms = Forms([Sought("PERSON", "Sabine Habermehl"), Sought("ID", "120417")], "de")
    assert not forms.find(text)


def read_rows(tmp_path, old, new, labels=("PERSON",), **settings):
    """What is found in rows of texts."""
    sides = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    for side, texts in zip(sides, (old, new), strict=True):
        side.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    before, after = (read_original(side, FileOptions(), Space.builtin()).records for side in sides)
    audit = EntityAudit(rules(), before, [(record, "b.jsonl") for record in after[0]])
    for name, value in settings.items():
        setattr(audit, name, value)
    return audit.run(labels).by_place


OLD = ["Mr. Adam Kowalczyk slept.", "Ms. Ruth Vandermeer came.", "Mr. John Quuxington left."]


def test_records_that_failed_are_in_no_release(tmp_path):
    new = ["Mr. Carl Fox slept.", "Mr. Mark Hill left. Quuxingtons dog"]
    found = read_rows(tmp_path, OLD, new, failed=[[2]])
    assert found["replaced, and readable", "b.jsonl"].words == {"quuxingtons"}


def test_a_release_that_lacks_documents_is_searched_for_all_of_them(tmp_path):
    found = read_rows(tmp_path, OLD, ["Mr. Carl Fox slept.", "Mr. Mark Hill left. Quuxington"])
    assert found["replaced, and readable", "b.jsonl"].words == {"quuxington"}


def test_a_rare_name_is_sought_in_other_documents_and_a_common_one_is_not(tmp_path):
    old = [OLD[2], "Quuxington was there.", "John was there."]
    new = ["Mr. Mark Hill left.", *old[1:]]
    found = read_rows(tmp_path, old, new)["replaced, and readable", "b.jsonl"]
    assert found.words == {"quuxington"} and found.documents == 1


# -- beside the text -------------------------------------------------------------------------------


def sanitised(planted, kind, tmp_path):
    people = [planted.person(number, "en") for number in range(2)]
    source, target = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    for number, person in enumerate(people):
        planted.write_letter(source / f"{number}.{kind}", person.letter)
    return people[0], source, target, planted.sanitise(source, target)


@pytest.mark.parametrize("kind", ["html", "eml", "docx"])
def test_what_other_programs_write_beside_the_text_is_read(kind, planted, tmp_path):
    if kind == "docx":
        pytest.importorskip("lxml")
    person, source, target, receipt = sanitised(planted, kind, tmp_path)
    assert not audit_release(target, source, receipt=receipt).leaked
    path = target / f"0.{kind}"
    if kind == "docx":
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr("docProps/core.xml", f"<c><creator>{person.family}</creator></c>")
    elif kind == "html":
        path.write_text(f"{path.read_text()}<!-- {person.family} -->")
    else:
        mail = message_from_bytes(path.read_bytes(), policy=default)
        mail["X-Patient"] = person.family
        path.write_bytes(mail.as_bytes())
    report = audit_release(target, source, receipt=receipt)
    assert report.leaked and words_of(report, "markup") == {person.family.lower()}


def test_a_file_that_is_called_after_a_person_is_found(planted, tmp_path):
    person, source, target, receipt = sanitised(planted, "txt", tmp_path)
    for folder in (source, target):
        (folder / "0.txt").rename(folder / f"0_{person.family}.txt")
    report = audit_release(target, source, receipt=receipt)
    assert report.leaked and "file names" in {leak.kind for leak in report.leaks}
    assert person.family.lower() not in "\n".join(report.lines()).lower()


def test_a_column_that_holds_what_was_replaced_is_found(planted, tmp_path):
    person = planted.person(0, "en")
    rows = [{"text": person.letter, "by": "ward 3"}, {"text": "All was well.", "by": "ward 4"}]
    source, target = tmp_path / "o.jsonl", tmp_path / "r.jsonl"
    source.write_text("\n".join(map(json.dumps, rows)))
    receipt = planted.sanitise(source, target)
    assert not audit_release(target, source, receipt=receipt).leaked
    released = [json.loads(line) for line in target.read_text().splitlines()]
    released[1]["by"] = person.family  # in the row of another person: the name is rare
    target.write_text("\n".join(map(json.dumps, released)))
    assert "field by" in {
        leak.kind for leak in audit_release(target, source, receipt=receipt).leaks
    }


# -- all forms, in all formats ---------------------------------------------------------------------


@pytest.mark.parametrize("language", ["de", "en"])
def test_each_form_of_a_name_is_found_in_a_text(language, planted):
    for number, (name, form) in enumerate(planted.FORMS.items()):
        p = planted.person(number, language)
        sought = [Sought("PERSON", f"{p.given} {p.family}"), Sought("PERSON", p.maiden)]
        sought += [Sought("GPE", p.town), Sought("PHONE", p.phone), Sought("ID", p.case)]
        text = f"It was {form(p)} and no more."
        assert Forms([*sought, Sought("EMAIL", p.mail)], language).find(text), name


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", "txt md log srt vtt html eml docx csv tsv jsonl xlsx parquet spacy".split()
)
@pytest.mark.parametrize("language", ["de", "en"])
def test_thirty_of_thirty_planted_forms_are_found(kind, language, planted, tmp_path):
    pytest.importorskip(
        {"xlsx": "openpyxl", "parquet": "pyarrow", "docx": "lxml"}.get(kind, "json")
    )
    found = planted.planted(kind, tmp_path, language)
    assert len(found) == 30 and all(found.values()), [n for n, hit in found.items() if not hit]


@pytest.mark.slow
@pytest.mark.parametrize("language", ["de", "en", "fr", "es", "nl", "it"])
def test_clean_releases_raise_no_alarm(language, planted, tmp_path):
    report = planted.clean("jsonl", tmp_path, language, 0, 36)  # 216 letters in all
    assert not report.leaked, report.lines()
