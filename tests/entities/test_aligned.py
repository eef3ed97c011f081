"""Columns that are aligned by blanks hold what their heads say, as those of other tables do."""

import pytest
from conftest import pipeline_of

from spacy_dxprivacy.entities.aligned import cells_below, columns_in

WARD = """Beds on Monday

BED  HOSP ID    NAME                AGE/SEX   ADM      DIAGNOSIS
---  ---------  ------------------  --------  -------  ------------------
1    22/08841   W. Tolmin           71/M      15.07    Angina, SpO2 91%
2    22/08842   Will Young          71/M      3.07     Asthma, 2 weeks at home  Home 4 mg
12   --         (empty)

Hb 12.4 for all.
"""
CLUB = """
     Player              Club            Pts
  1  Grace Hope          Tarn Rovers      12
  2  Will Young          Fell Rovers       8
 11  Faith Marsh         Fell Rovers     108

All is paid.
"""


@pytest.fixture(scope="module")
def nlp():
    return pipeline_of("dx_entity_ruler", "dx_entity_recognizer")


def marks(nlp, text, *labels):
    return [ent.text for ent in nlp(text).ents if ent.label_ in labels]


def test_cells_stand_below_their_heads():
    lines = CLUB.splitlines()
    starts = columns_in(lines[1])
    rows = [[cell.strip() for cell in cells_below(line, starts)] for line in lines[2:5]]
    assert rows == [
        ["1", "Grace Hope", "Tarn Rovers", "12"],
        ["2", "Will Young", "Fell Rovers", "8"],
        ["11", "Faith Marsh", "Fell Rovers", "108"],
    ]
    for line, row in zip(lines[2:5], rows, strict=True):
        at = 0
        for cell, bare in zip(cells_below(line, starts), row, strict=True):
            assert line[at : at + len(cell)].strip() == bare
            at += len(cell) + 1


@pytest.mark.parametrize("row", [
    "", "He left early.  Nobody knew why.", "Name:  Ada Lind    Phone:  4471", "a single cell",
    "Total  12    4", "A long line that has a few words here  and two blanks",
])  # fmt: skip
def test_other_lines_are_no_heads(row):
    assert columns_in(row) is None


def test_a_row_that_goes_on_over_its_columns_is_none():
    starts = columns_in("Name    Club    Pts")
    assert cells_below("Nobody was here and it rained all day long", starts) is None
    assert cells_below("Ada Lind of the hill  Tarn  4", starts) is not None


def test_names_below_a_head_are_persons_and_days_are_days(nlp):
    assert {"W. Tolmin", "Will Young"} <= {*marks(nlp, WARD, "PERSON")}
    assert marks(nlp, WARD, "DATE")[:3] == ["Monday", "15.07", "3.07"]
    assert marks(nlp, WARD, "ID") == ["22/08841", "22/08842"]
    assert marks(nlp, CLUB, "PERSON") == ["Grace Hope", "Will Young", "Faith Marsh"]


@pytest.mark.parametrize("mark", ["\t", "|", " | "])
def test_days_with_full_stops_are_days_in_all_tables(nlp, mark):
    rows = ["Bed", "Name", "Admitted"], ["1", "W. Tolmin", "15.07"], ["2", "Bo Rask", "3.07"]
    text = "\n".join(mark.join(row) for row in rows)
    assert marks(nlp, text, "DATE") == ["15.07", "3.07"]


@pytest.mark.parametrize("text", [
    "Bed  Name       Hb      Dose\n1    W. Tolmin  12.3    1.5\n2    Bo Rask     9.07   2.5\n",
    "Name\tDate\nBo Rask\t15.47\nW. Tolmin\t3.07\n",
])  # fmt: skip
def test_other_numbers_with_full_stops_are_none(nlp, text):
    assert marks(nlp, text, "DATE") == []


def test_an_office_behind_a_name_stays(nlp):
    text = "            Complainant       Respondent\nParties     Una Tolmin, HR    Bo Rask\n"
    assert marks(nlp, f"{text}For them    Ida Moss, QC      Al Dunn, RN\n", "PERSON") == [
        "Una Tolmin", "Bo Rask", "Ida Moss", "Al Dunn",
    ]  # fmt: skip


def test_one_head_says_enough_over_two_full_rows(nlp):
    text = "Item         Qty   Owner\nOak table    2     Grace\nSteel rod    10    Faith Moss\n"
    assert marks(nlp, text, "PERSON") == ["Grace", "Faith Moss"]
    text = "Item         Qty   Owner\nSee below.\nAll of it is here, said the owner of it.\n"
    assert marks(nlp, text, "PERSON") == []
