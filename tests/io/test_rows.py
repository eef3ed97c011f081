"""A row is one document: a column says what its cells hold, and fields share persons and dates."""

import json
from datetime import date, timedelta

import pytest
import spacy
from conftest import ok, run_dx
from spacy.tokens import DocBin

from spacy_dxprivacy import assert_sanitized
from spacy_dxprivacy.io.formats import head_in
from spacy_dxprivacy.io.values import blank_of

ENTITIES = "person,date,time,gpe,address,org,email,phone,id"
HEADS = "name,surname,mrn,city,age,dob,seen,note".split(",")
ROWS = [
    ["Will", "Young", "K12", "Reading", "101", "1950-03-04", "2023-01-02",
     "Mr Young was seen on 2023-01-02 with his sister May Summers."],
    ["Grace", "Price", "K13", "Bath", "34", "1989-03-04", "2023-01-05", "Price slept well."],
    ["SERGE", "LÉA", "101", "Nice", "44", "1979-03-04", "2023-02-05", "nothing new"],
]  # fmt: skip


def written(path, head, rows):
    """Write a table in the format of a path."""
    if path.suffix == ".jsonl":
        path.write_text(
            "".join(json.dumps(dict(zip(head, row, strict=True))) + "\n" for row in rows)
        )
    elif path.suffix == ".parquet":
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        pq.write_table(pa.table(dict(zip(head, zip(*rows, strict=True), strict=True))), path)
    elif path.suffix == ".xlsx":
        book = pytest.importorskip("openpyxl").Workbook()
        for row in [head, *rows]:
            book.active.append(row)
        book.save(path)
    else:
        mark = "\t" if path.suffix == ".tsv" else ","
        quoted = ([f'"{cell}"' for cell in row] for row in [head, *rows])
        path.write_text("\n".join(map(mark.join, quoted)))
    return path


def released(path):
    """Return the rows of a table in JSON lines."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def sanitized(source, *more, fields=HEADS, labels=ENTITIES):
    target = source.parent / "out.jsonl"
    field = ["--field", ",".join(fields)]
    done = run_dx("sanitize", source, target, *field, "--entities", labels, "--force", *more)
    return ok(done), released(target)


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "xlsx", "parquet"])
def test_a_column_says_what_it_holds(tmp_path, form):
    path = written(tmp_path / f"in.{form}", HEADS, ROWS)
    # A drawn cell equals the original once in some hundreds of times, but not twice.
    (done, rows), (_, again) = sanitized(path), sanitized(path)
    for old, new, other in zip(ROWS, rows, again, strict=True):
        for head, cell in zip([*HEADS[:4], "dob"], [*old[:4], old[5]], strict=True):
            assert cell not in new[head].split() or cell not in other[head].split()
        assert new["age"] == {"101": "90"}.get(old[4], old[4])
    assert "  Columns    name " in done.stderr and " of 3 cells, surname " in done.stderr


def test_the_fields_of_a_row_share_persons_and_one_shift(tmp_path):
    _, rows = sanitized(written(tmp_path / "in.csv", HEADS, ROWS))
    first = rows[0]
    assert first["surname"] in first["note"]
    assert first["seen"] in first["note"]
    for old, new in zip(ROWS, rows, strict=True):
        days = [date.fromisoformat(n) - date.fromisoformat(o)
                for o, n in zip(old[5:7], (new["dob"], new["seen"]), strict=True)]  # fmt: skip
        assert days[0] == days[1]
    shifts = {date.fromisoformat(new["seen"]) - date.fromisoformat(old[6])
              for old, new in zip(ROWS, rows, strict=True)}  # fmt: skip
    assert len(shifts) > 1  # a shift for each row


@pytest.mark.parametrize("more", [(), ("--n-process", "2")])
def test_the_messages_of_a_ticket_are_of_the_same_persons(tmp_path, more):
    names = ["Ngozi Featherstone", "Ngozi", "Ms Featherstone", "NGOZI FEATHERSTONE"]
    ticket = {"messages": [
        {"author": "Ngozi Featherstone", "text": "Hi, it is Ngozi, my order is late."},
        {"author": "Raj Chaudhuri", "text": "Dear Ms Featherstone, thank you."},
        {"author": "NGOZI FEATHERSTONE", "text": "Where is it, Raj?"},
    ]}  # fmt: skip
    path = tmp_path / "in.jsonl"
    path.write_text(json.dumps(ticket) + "\n" + json.dumps(ticket) + "\n")
    _, tickets = sanitized(path, *more, fields=["messages[].author", "messages[].text"])
    for new in tickets:
        authors = [message["author"] for message in new["messages"]]
        texts = [message["text"] for message in new["messages"]]
        assert not any(name in json.dumps(new) for name in names)
        first, last = authors[0].split()
        assert authors[2] == authors[0].upper()
        assert f"it is {first}," in texts[0] and f"Ms {last}," in texts[1]
        assert authors[1].split()[0] in texts[2]


def test_a_given_and_a_family_name_are_one_person(tmp_path):
    head = ["family name", "note", "first name"]
    rows = [["Hope", "Grace Hope called. Grace was glad.", "Grace"],
            ["van der Berg", "Anna van der Berg came.", "Anna Maria"]]  # fmt: skip
    _, found = sanitized(written(tmp_path / "in.csv", head, rows), fields=head)
    for new in found:
        assert new["note"].startswith(f"{new['first name'].split()[0]} ")
        assert new["family name"].split()[-1] in new["note"]


def test_what_a_column_holds_is_replaced_in_the_other_fields(tmp_path):
    head = ["patient", "mrn", "city", "note"]
    rows = [["May Summers", "K12", "Nice", "May was well. K12 slept. Born in Nice."],
            ["Will Reading", "AX-55-Q", "Bath", "Reading sleeps. Chart AX-55-Q. Will asked."],
            ["Al Ng", "9911", "Reading", "Al asked. Ng slept. Reading was her home."]]  # fmt: skip
    _, found = sanitized(written(tmp_path / "in.csv", head, rows), fields=head)
    for old, new in zip(rows, found, strict=True):
        first, last = new["patient"].split()
        assert {first, last} & {*new["note"].replace(".", "").split()}
        assert old[1] not in old[3] or new["mrn"] in new["note"]
        for value in (*old[0].split(), *old[1:3]):
            assert value not in new["note"].replace(".", "").split(), value


@pytest.mark.parametrize(
    "cells",
    [
        ("12 Main Street", "Boston, MA 02118"),
        ("She lives at 14 Elm", "Row, Leeds"),
        ("born on 14 March", "2020 was good"),
        ("She called 0113 496", "0721 now"),
        ("seen by Maria", "Lopez came"),
        ("employer Siemens", "AG or another"),
    ],
)
def test_no_entity_goes_on_in_the_next_cell(tmp_path, cells):
    head = ["left", "right"]
    _, (new,) = sanitized(written(tmp_path / "in.csv", head, [cells]), fields=head)
    assert "\n" not in new["left"] and new["right"].strip()
    assert len(new["left"].split()) <= len(cells[0].split()) + 1


def test_empty_cells_and_cells_that_hold_nothing_stay(tmp_path):
    head = ["name", "mrn", "note"]
    rows = [["", "n/a", ""], ["unknown", "", "Ms Grace Price came."], ["Grace Price", "K12", ""]]
    _, found = sanitized(written(tmp_path / "in.csv", head, rows), fields=head)
    assert [row["name"] for row in found][:2] == ["", "unknown"]
    assert found[0]["mrn"] == "n/a" and "Price" not in json.dumps(found)


def test_cells_that_stayed_under_a_head_that_names_personal_data_are_counted(tmp_path):
    path = written(tmp_path / "in.csv", HEADS, ROWS)
    done, _ = sanitized(path, labels="person", fields=["name", "city", "note"])
    assert "city (3)" in done.stderr and "CELLS THAT STAYED" in done.stderr
    assert "Reading" not in done.stderr
    done, _ = sanitized(path, labels="person", fields=["name", "note"])
    assert "CELLS THAT STAYED" not in done.stderr


def test_a_cell_counts_as_replaced_only_if_nothing_that_names_is_left(tmp_path):
    head = ["name", "surname", "city"]
    rows = [
        ["Will Young, daughter", "Hope?", "Reading!"],
        ["Will Young's mum", "Null", "Nice [FR]"],
        ["Young: Will", "Young #2", "Bath"],
        ["We met. Will went home then.", "True", ""],
    ]
    done, found = sanitized(written(tmp_path / "in.csv", head, rows), fields=head)
    assert "name (1)" in done.stderr and "surname (" not in done.stderr
    for old, new in zip(rows[:3], found, strict=False):
        words = {*" ".join(map(str, new.values())).replace("'", " ").split()}
        assert not {"Will", "Young", "Young:", "Reading!", "Nice", "Null", "Hope?"} & words, old
    assert found[0]["name"].endswith(", daughter") and found[1]["name"].endswith("'s mum")


@pytest.mark.parametrize(
    ("path", "head"),
    [
        ("messages[].author", "author"),
        ("name.first", "first name"),
        ("name.given[]", "given name"),
        ("patient.name.family", "family name"),
        ("phone.home", "phone home"),
        ("phones[].value", "phones"),
        ("identifier[].value", "identifier"),
        ("contact.number", "contact number"),
        ("employer.name", "employer"),
        ("address.city", "city"),
        ("patient.note", "note"),
        ("dose.value", "value"),
        ("messages[].text", "text"),
        ("ids[]", "ids"),
    ],
)
def test_a_key_of_json_is_read_with_the_key_above_it(path, head):
    assert head_in(path) == head


def test_values_below_keys_of_json_are_replaced(tmp_path):
    entry = {"name": {"first": "Will", "last": "Reading"}, "phone": {"home": "0113 4960721"},
             "identifier": [{"value": "K12"}], "patients": ["May", "Price"], "ids": ["A7"],
             "note": "Will asked for May. K12 is Reading's number."}  # fmt: skip
    path = tmp_path / "in.jsonl"
    path.write_text(json.dumps(entry))
    fields = "name.first name.last phone.home identifier[].value patients[] ids[] note".split()
    _, (new,) = sanitized(path, fields=fields)
    assert not {"Will", "Reading", "K12", "May", "Price", "A7"} & {
        *json.dumps(new).replace('"', " ").replace(",", " ").replace(".", " ").split()
    }
    assert new["identifier"][0]["value"] in new["note"] and new["name"]["first"] in new["note"]


def test_numbers_of_columns_find_the_delimiter(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("prénom;n° dossier;ville\nLÉA;D-4471;Nice\n")
    _, rows = sanitized(path, fields=["1", "2", "3"])
    assert not {"LÉA", "D-4471", "Nice"} & set(rows[0].values())


@pytest.mark.parametrize("mark", ";|\t,")
@pytest.mark.parametrize("head", ["Nachname, Vorname", "Surname, Forename", "Apellidos, Nombre"])
def test_numbers_of_columns_find_the_delimiter_beside_a_head_with_a_comma(tmp_path, head, mark):
    path = tmp_path / "in.csv"
    path.write_text(f'"{head}"{mark}Note\n"Bush, Rosa"{mark}Hallo\n')
    _, (row,) = sanitized(path, fields=["1", "2"])
    assert [*row] == [head, "Note"] and "Bush" not in row[head] and row[head].count(",") == 1


@pytest.mark.parametrize("days", [("05/06/2023", "13/06/2023"), ("17-08-2021", "03-04-2021")])
def test_rows_that_are_read_in_several_orders_are_named(tmp_path, days):
    path = written(tmp_path / "in.csv", ["admitted"], [[day] for day in days])
    done, _ = sanitized(path, fields=["admitted"])
    assert "MIXED ORDERS" in done.stderr and "--date-order" in done.stderr
    done, _ = sanitized(path, "--date-order", "dmy", fields=["admitted"])
    assert "MIXED ORDERS" not in done.stderr


def test_a_row_is_one_doc_with_one_receipt(tmp_path):
    path, target = written(tmp_path / "in.csv", HEADS, ROWS), tmp_path / "out.spacy"
    field = ["--field", "name,surname,note", "--entities", ENTITIES]
    ok(run_dx("sanitize", path, target, *field))
    docs = list(DocBin().from_disk(target).get_docs(spacy.blank("en").vocab))
    assert len(docs) == 3 and len(docs[0].text.split("\n\n;\n\n")) == 2
    for doc in docs:
        assert_sanitized(doc)


@pytest.mark.parametrize("form", ["csv", "jsonl", "xlsx"])
@pytest.mark.parametrize("head", ["age", "Alter", "Patient age"])
def test_no_cell_of_an_age_becomes_empty(tmp_path, form, head):
    ages = ["90", "91", "94", "99", "100", "129", "1931", "94;96", "91.5", "ninety-four"]
    path = written(tmp_path / f"in.{form}", [head], [[age] for age in [*ages, "89", " "]])
    _, rows = sanitized(path, fields=[head])
    cells = [str(row[head]) for row in rows]
    assert cells[:6] == ["90"] * 6 and all(cell.strip() for cell in cells[:-1])
    assert not {"91", "94", "96", "94;96", "91.5"} & set(cells) and cells[-2] == "89"


@pytest.mark.parametrize(
    ("head", "cell"),
    [("dob", "1950-03-04"), ("Geburtsdatum", "4.3.1950"), ("age", "in her 90s"), ("born", "1950")],
)
def test_a_cell_does_not_begin_before_it(tmp_path, head, cell):
    _, (new,) = sanitized(written(tmp_path / "in.csv", [head], [[cell]]), fields=[head])
    assert new[head].strip() and not {"age", "born"} & set(new[head].split())


def test_words_that_are_lost_leave_a_mark():
    assert [blank_of(value) for value in ("Grace", 94, date(2020, 1, 1))] == ["[REDACTED]"] * 3
    assert [blank_of(value) for value in ("", " ", "\n")] == ["", " ", "\n"]


FACTS = {  # head: cells that stay
    "drug": ["Marevan", "Scott's emulsion"],
    "breed": ["Angus", "Charolais"],
    "weight": ["130.5", "250.75"],
    "price": ["45678", "250.75"],
    "Menge": ["1,5", "12"],
    "Dose (mg)": ["12.5", "< 8 %"],
    "part no": ["KX-4471", "88-31207"],
}
PERSONAL = {  # head: cells that do not, although the head says that it holds facts
    "dose": "call 0113 496 0721",
    "price": "see grace@price.example",
    "weight": "weighed on 14 March 2023",
    "drug": "given by Dr Maria Lopez",
}


@pytest.mark.parametrize("form", ["csv", "jsonl", "xlsx"])
@pytest.mark.parametrize("head", FACTS)
def test_a_cell_of_a_fact_stays_as_in_a_table_of_a_text(tmp_path, form, head):
    for fields in ([head], ["name", head]):
        path = written(
            tmp_path / f"in.{form}", ["name", head], [["Maria Lopez", c] for c in FACTS[head]]
        )
        _, rows = sanitized(path, fields=fields)
        assert [row[head] for row in rows] == FACTS[head]
        assert ("Maria Lopez" in json.dumps(rows)) == (fields == [head])


def test_a_number_of_a_fact_stays_a_number(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text('{"weight": 130.5, "price": 45678}\n{"weight": 250.75, "price": 12}\n')
    _, rows = sanitized(path, fields=["weight", "price"])
    assert rows == [{"weight": 130.5, "price": 45678}, {"weight": 250.75, "price": 12}]


@pytest.mark.parametrize("head", PERSONAL)
def test_what_names_someone_in_a_cell_of_facts_is_replaced(tmp_path, head):
    _, (row,) = sanitized(written(tmp_path / "in.csv", [head], [[PERSONAL[head]]]), fields=[head])
    assert row[head] != PERSONAL[head] and PERSONAL[head].split()[0] in row[head]


def test_cells_that_name_nobody_drop_no_row(tmp_path):
    path = tmp_path / "in.jsonl"
    cells = '"active": true, "score": 1e400, "low": -1e400, "note": "Infinity, Maria Lopez"'
    path.write_text(f'{{"name": "Maria Lopez", {cells}}}\n{{"name": null, "active": false}}\n')
    fields = ["--field", "name", "--field", "active", "--entities", ENTITIES]
    target = tmp_path / "out.jsonl"
    ok(run_dx("sanitize", path, target, *fields))
    first, second = target.read_text().splitlines()
    assert '"active": true, "score": 1e999, "low": -1e999, "note": "Infinity, ' in first
    assert (
        second == '{"name": null, "active": false}' and json.loads(first)["name"] != "Maria Lopez"
    )


def test_a_duration_of_a_sheet_stays(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    rows = [["Maria Lopez", timedelta(hours=30, minutes=4), True]] * 2
    path = written(tmp_path / "in.xlsx", ["name", "wait", "active"], rows)
    fields = ["--field", "name,wait,active", "--entities", ENTITIES]
    ok(run_dx("sanitize", path, tmp_path / "out.xlsx", *fields))
    _, *new = openpyxl.load_workbook(tmp_path / "out.xlsx").active.iter_rows(values_only=True)
    assert [row[1:] for row in new] == [(timedelta(hours=30, minutes=4), True)] * 2
    assert not any("Maria Lopez" in row for row in new)


def test_a_head_over_several_columns_of_a_sheet_is_that_of_each(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    path = written(tmp_path / "in.xlsx", ["Pupil name", None, "Form"], [["May", "Price", "4b"]] * 2)
    book = openpyxl.load_workbook(path)
    book.active.merge_cells("A1:B1")
    book.save(path)
    done, rows = sanitized(path, fields=["1", "2"], labels="person")
    assert "Pupil name 2 of 2 cells" in done.stderr and "Pupil name 2 2 of 2 cells" in done.stderr
    assert not {"May", "Price"} & {str(cell) for row in rows for cell in row.values()}
    assert [row["Form"] for row in rows] == ["4b", "4b"]


@pytest.mark.parametrize(("title", "named"), [("Visits", "Visits"), ("Jukka Hauta-aho", "1 whose")])
def test_sheets_after_the_first_are_named(tmp_path, title, named):
    openpyxl = pytest.importorskip("openpyxl")
    path = written(tmp_path / "in.xlsx", ["name"], [["Maria Lopez"]])
    book = openpyxl.load_workbook(path)
    book.create_sheet(title).append(["surname"])
    book.save(path)
    done, _ = sanitized(path, fields=["name"])
    assert f"NOT READ: 1 sheet after the first ({named}" in done.stderr
    done = run_dx("sanitize", path, tmp_path / "out.jsonl", "--field", "surname", "--force")
    assert done.exit_code == 2 and f"Only its first sheet is read, not {named}" in done.stderr
    assert "Hauta" not in done.stderr


HEADS_TO_NAME = {  # first row: the option, and the column that it names
    '"Surname, First name",age': ('"Surname, First name"', "Surname, First name"),
    '"Price, Grace",mrn': ('"Price, Grace",mrn', "Price, Grace"),
    "mrn, full name": ("full name", " full name"),
    "mrn; full name": ("mrn,full name", " full name"),
    'mrn,"5"" full name"': ('5" full name', '5" full name'),
}


@pytest.mark.parametrize("first", HEADS_TO_NAME)
def test_any_head_can_be_named(tmp_path, first):
    option, column = HEADS_TO_NAME[first]
    mark, cell = ";" if ";" in first else ",", '"Maria Lopez"'
    row = [cell, "44"] if first.startswith('"') else ["44", cell]
    (tmp_path / "in.csv").write_text(f"{first}\n{mark.join(row)}\n")
    target = tmp_path / "out.jsonl"
    ok(run_dx("sanitize", tmp_path / "in.csv", target, "--field", option, "--entities", ENTITIES))
    (new,) = released(target)
    assert new[column] != "Maria Lopez" and column in first.replace('""', '"')


def test_a_json_file_is_refused_with_a_command_for_what_it_holds(tmp_path):
    for text, command in (('{"a": 1}', "jq -c . "), ("\ufeff\n {", "jq -c . "), ("[1]", "'.[]'")):
        (tmp_path / "in.json").write_text(text)
        done = run_dx("sanitize", tmp_path / "in.json", tmp_path / "out.jsonl")
        assert done.exit_code == 2 and command in done.stderr


def test_files_without_an_ending_are_named(tmp_path):
    (tmp_path / "in").mkdir()
    for name in ("a.txt", "README", "b.tar", ".hidden"):
        (tmp_path / "in" / name).write_text("Maria Lopez came.")
    done = run_dx("sanitize", tmp_path / "in", tmp_path / "out", "--entities", ENTITIES)
    line = next(line for line in done.stderr.splitlines() if "NOT READ" in line)
    assert "1 file without an ending" in line and "1 .tar file" in line and "README" not in line
