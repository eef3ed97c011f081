"""A head says what its value is: above a column, before a colon, in six languages."""

from collections import Counter

import pytest
import spacy
from conftest import pipeline_of

from spacy_dxprivacy.entities.cells import leaves_name, values_of_cell
from spacy_dxprivacy.entities.fields import values_in
from spacy_dxprivacy.entities.heads import Head, head_of, heads_of

VALUES = {"CARDINAL", "QUANTITY"}
LABELS = {
    "PERSON": """name; First Name; lastName; patient_last_name; Patient's last name (required);
        next_of_kin; mother's maiden name; Patientenname; Vorname; Nom du patient;
        Prénom; Apellidos; nombre de pila; Cognome; Nome del paziente; Achternaam;
        Ansprechpartnerin; Médecin traitant; fname; lname; Surname/Family name; Vor-/Nachname;
        Pupil name; Carer's name; Provider; Seen by; Schüler; Betreuerin; Élève; Alumno;
        Apellido paterno; Leerling; patients; FIRST_NM; spouse_nm; Surname, Forename;
        Last, First; Vorname Nachname; Prénom Nom; Apellidos, Nombre; 2do apellido; 1er prénom;
        NOK; father_maiden; stepmother; Kontaktperson; Behandelnder Arzt; ICE name; Cognome, Nome;
        First/Last; Carer(s); Attending MD; Persona de confianza; Known as""",
    "DOB": """dob; DOB; Date of birth; birthDate; Geburtsdatum; Date de naissance; Fecha de
        nacimiento; Data di nascita; Geboortedatum; patient_dob;
        D.O.B.; DoB; date.of.birth; GeburtsDatum; Year of birth; Geb.-Dat.; GebDat; birth_dt;
        Date naiss.; date_naissance; Né(e) le; F. nac.; Fec. nac.; Geb. Datum""",
    "DATE": """DOD; Aufnahmedatum; Date of discharge; Entlassdatum; Fecha de ingreso; visit_dt;
        Date seen; OP-Datum; Date d'entrée; Sterbedat.; Aufn.-Dat.; Opnamedatum; Due date""",
    "ID": """MRN; PAT_ID; employee ID; Kundennummer; Versichertennummer; N° dossier; Numéro
        de sécurité sociale; DNI; codice fiscale; BSN; policy number 2; Passport No.; Pat.-Nr.;
        PatNr; Kundennr; Klantnr; Cliëntnummer; NHSnumber; Acct No; Invoice #; pid; DNI/NIE;
        N° patient; Nº paciente; ID paziente; Pasaporte; Licence Plate; National Insurance No.;
        Participant ID; Employee No; Student No; Subject ID; nurse id; ids; Hosp No; Encounter ID;
        KV-Nr.; Fall-Nr.; Mitglieds-Nr.; Admission No; SSN last 4; Visit ID; Clinic No; NHS;
        Bank account; N° sécu; Hausnr.; house_no; Huisnummer""",
    "GPE": """city; Wohnort; Ville; Ciudad; città; Woonplaats; Country of birth; patient_city;
        Town/City; Suburb""",
    "ADDRESS": """Street; postcode; Straße; PLZ; Code postal; Dirección; Indirizzo; homeAddress;
        Straatnaam; Zip.Code; PLZ/Ort; Name/Address; Cód. postal; Str.""",
    "PHONE": """phone; home_phone; Mobile (work); Telefonnummer; Numéro de téléphone; Cellulare;
        next_of_kin_phone; Tel. No.; WhatsApp; Handynr; Contact No; Home no; phones; Mob.; mob_no;
        Tfno; Teléf.""",
    "AGE": "age; Alter; Âge; Edad; Età; Leeftijd",
    "USERNAME": "userName; login; Benutzername; gebruikersnaam",
    "ORG": "employer; Company name; Arbeitgeber; Hôpital; Empresa; Azienda",
}
SILENT = """product name; file_name; drug; status; comment; text; note; priority; Größe;
        weight; n; price; hostname; column name; event; title; test result; description;
        server name; nameplate; identity; aged care; Yes/No; N/A; cases; doses; Drug/Dose; Item no;
        Line no; Height/Weight; Version no; no; nr; ICD code; and/or; number of cases; first; last;
        given; family history; Dr/Cr; drug_nm; wavelength nm; up to date; date type; page_no;
        Str_len; Last, High, Low; last price; First dose; Exp.; Acc.; Ref. range; Chi square"""


@pytest.mark.parametrize(("label", "heads"), LABELS.items(), ids=list(LABELS))
def test_a_head_names_the_label_of_its_value(label, heads):
    for head in heads.split(";"):
        found = head_of(head.strip())
        assert found is not None and found.label == label, head.strip()


def test_other_heads_say_nothing():
    for head in SILENT.split(";"):
        assert head_of(head.strip()) is None, head.strip()


@pytest.mark.parametrize("row", [
    "First,Last", "last,first,age", "Given,Surname", "Patient,Dr", "DOB,First,Ward",
    "Family,Given,MI",
])  # fmt: skip
def test_heads_that_say_little_name_persons_beside_others_of_persons(row):
    names = row.split(",")
    found = dict(zip(names, heads_of(names), strict=True))
    persons = {"First", "Last", "last", "first", "Given", "Family", "Dr", "MI"}
    assert all(
        head is not None and head.label == "PERSON" for n, head in found.items() if n in persons
    )


@pytest.mark.parametrize("row", ["First,Second", "Last,High", "Given,Dose", "Dr,Cr", "Family,City"])
def test_heads_that_say_little_name_nobody_by_themselves(row):
    assert not any(head and head.label == "PERSON" for head in heads_of(row.split(",")))


@pytest.mark.parametrize(
    ("label", "cell", "values"),
    [
        ("PERSON", "Grace Price; Will Young", ["Grace Price", "Will Young"]),
        ("PERSON", "Will Young, Grace Price, LÉA", ["Will Young", "Grace Price", "LÉA"]),
        ("PERSON", "Young, Will", ["Young, Will"]),
        ("PERSON", " SERGE ", ["SERGE"]),
        ("PERSON", "price", ["price"]),
        ("PERSON", "Dr. Chidi Okafor (GP)", ["Dr. Chidi Okafor"]),
        ("PERSON", "Mei-Ling O'Hara and J.R. Hope", ["Mei-Ling O'Hara", "J.R. Hope"]),
        ("PERSON", "n/a", []),
        ("PERSON", "unbekannt", []),
        ("PERSON", "Rings after five. Wants a refund.", []),
        ("PERSON", "see ticket 4471", []),
        ("PERSON", "Prof. Dr. Hope Long", ["Prof. Dr. Hope Long"]),
        ("PERSON", "Will Young, daughter", ["Will Young"]),
        ("PERSON", "Will Young [carer]", ["Will Young"]),
        ("PERSON", "Will Young's mum", ["Will Young"]),
        ("PERSON", "Will Young - deceased", ["Will Young"]),
        ("PERSON", "Will Young - Deceased", ["Will Young"]),
        ("PERSON", "Young: Will", ["Young", "Will"]),
        ("PERSON", "Will / Grace", ["Will", "Grace"]),
        ("PERSON", "Mrs. Will Young <will@x.org>", ["Mrs. Will Young"]),
        ("PERSON", "Young, Will (carer), 07700 900123", ["Young, Will"]),
        ("PERSON", "Will Young 07700 900123", ["Will Young"]),
        ("PERSON", "will young (son)", ["will young"]),
        ("PERSON", "Hope?", ["Hope"]),
        ("PERSON", "Young #2", ["Young"]),
        ("PERSON", "Hope1", ["Hope"]),
        ("PERSON", "Null", []),
        ("PERSON", "Guest 3", []),
        ("PERSON", "Walk-in hold", []),
        ("PHONE", "ext 12", ["12"]),
        ("PHONE", "work: 0113 496 0721", ["0113 496 0721"]),
        ("PHONE", "+44 (0)113 496-0721 ext. 4", ["+44 (0)113 496-0721 ext. 4"]),
        ("PHONE", "0113 4960721 / (555) 496.0722", ["0113 4960721", "(555) 496.0722"]),
        ("PHONE", "call wife 2", []),
        ("PERSON", "hope, rose", ["hope, rose"]),
        ("PERSON", "bush; field", ["bush", "field"]),
        ("PERSON", "rose, daughter", ["rose"]),
        ("PERSON", "Rose. Field", ["Rose", "Field"]),
        ("PERSON", "Rose (Field)", ["Rose", "Field"]),
        ("PERSON", "Rose Field (aka Dolly)", ["Rose Field", "Dolly"]),
        ("PERSON", "Bush family", ["Bush"]),
        ("PERSON", "Hope Case rang back", ["Hope Case"]),
        ("PERSON", "Rose Field. Deceased.", ["Rose Field"]),
        ("PERSON", "Prof. J. Bush. M. Stone", ["Prof. J. Bush", "M. Stone"]),
        ("PERSON", "Bush, Rose, Jr.", ["Bush, Rose, Jr"]),
        (
            "PERSON",
            "Ana Luisa Maria De La Cruz Bush Stone",
            ["Ana Luisa Maria De La Cruz Bush Stone"],
        ),
        ("PERSON", "Bush, née Field", ["Bush", "Field"]),
        ("PERSON family", "Bush (geb. Field)", ["Bush", "Field"]),
        ("PERSON", "NOT KNOWN", []),
        ("PERSON", "not given", []),
        ("PERSON family", "Null", ["Null"]),
        ("PERSON family", "True", ["True"]),
        ("PERSON given", "No", ["No"]),
        ("PERSON family", "null", []),
        ("PERSON family", "Unknown", []),
        ("GPE", "Reading!", ["Reading"]),
        ("GPE", "Nice [FR]", ["Nice"]),
        ("GPE", "Bath - UK", ["Bath", "UK"]),
        ("GPE", "Nice, France", ["Nice, France"]),
        ("GPE", "Trinidad and Tobago", ["Trinidad and Tobago"]),
        ("ID", "QQ 12 34 56 C", ["QQ 12 34 56 C"]),
        ("ID", "AB 12 34 56 78 9", ["AB 12 34 56 78 9"]),
        ("ID", "see notes", []),
        ("ID", "to follow in 2 weeks or so", []),
        ("USERNAME", "will young", ["will young"]),
        ("ID", "K12", ["K12"]),
        ("ID", "101", ["101"]),
        ("GPE", "Reading", ["Reading"]),
        ("DOB", "12.3.87", ["12.3.87"]),
        ("DATE", "pending", []),
        ("DATE", "w/c 18 Mar", ["18 Mar"]),
        ("DOB", "all 18+", []),
        ("DOB", "both 21 or over", []),
        ("DOB", "over 65s", []),
        ("DATE", "the 14th", ["the 14th"]),
        ("USERNAME", "grace", ["grace"]),
    ],
)
def test_a_cell_is_its_value(label, cell, values):
    found = values_of_cell(Head(*label.split()), cell)
    assert [cell[start:end] for _, start, end in found] == values


@pytest.mark.parametrize(("old", "new", "is_left"), [
    ("rose, bush", "miller, bush", True), ("rose bush (son)", "ann miller (son)", False),
    ("Rose Bush", "Ann Bush", True), ("Rose Bush, daughter", "Ann Miller, daughter", False),
    ("Bush family", "Miller family", False),
])  # fmt: skip
def test_a_word_that_may_name_is_seen_in_what_replaces_a_cell(old, new, is_left):
    assert leaves_name(Head("PERSON", "bare"), old, new) == is_left


@pytest.mark.parametrize(("cells", "label"), [
    ("03.04.1985; 13.04.85; 3.4.; 04.13.85; 12.03; 1.12.20 9:30; 9:30 on 3 May; 12.10.2020 9.30",
     "DATE"),
    ("9:30; 09.45; 10h30; 10:30:05; 9.30 Uhr; 9 am; 10:30-11:15; 10:30+01:00; 09:30:15.250 Z",
     "TIME"),
])  # fmt: skip
def test_a_cell_below_a_head_of_dates_is_a_time_only_without_a_date(cells, label):
    for cell in cells.split("; "):
        for head in ("DATE", "DOB"):
            assert values_of_cell(Head(head), cell) == [(label, 0, len(cell))], cell


@pytest.mark.parametrize(
    ("cell", "label"), [("12.03.85", "DATE"), ("9.12", "TIME"), ("12.45.30", "TIME")]
)
def test_a_day_below_a_head_of_times_is_a_date(cell, label):
    assert values_of_cell(Head("TIME"), cell) == [(label, 0, len(cell))]


@pytest.mark.parametrize("cell", [
    "7:45a", "6p", "2-2:30p", "after 4", "not before 9", "by noon", "10ish", "8 o'clock", "1400",
    "9 to 11", "4pm sharp", "11",
])  # fmt: skip
def test_a_cell_below_a_head_of_times_of_day_is_one(cell):
    head = Head("TIME", "clock", is_weak=True)
    expected = [("TIME", 0, len(cell))] if any(map(str.isdigit, cell)) else []
    assert values_of_cell(head, cell) == expected


@pytest.mark.parametrize(
    ("cell", "label"), [("11", "DATE"), ("3 May", "DATE"), ("6p", "TIME"), ("0915", "TIME")]
)
def test_a_number_below_a_head_that_may_be_of_days_is_a_day(cell, label):
    assert values_of_cell(Head("TIME", is_weak=True), cell) == [(label, 0, len(cell))]


@pytest.mark.parametrize("cell", ["40 min", "1h 20m", "1:14.08", "18'20\"", "3 weeks"])
def test_a_period_below_a_head_of_times_is_no_day(cell):
    assert values_of_cell(Head("TIME", "clock", is_weak=True), cell) == []


def dates_of_rules(text):
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_entity_ruler")
    return [ent.text for ent in nlp(text).ents if ent.label_ == "DATE"]


@pytest.mark.parametrize("text", [
    "name,drug,due\nAda Lind,senna,0700\nBo Rask,senna,1900\nUna Hale,senna,2000",
    "| Name | Time |\n|---|---|\n| Ada Lind | 1900 |\n| Bo Rask | 2015 |",
    "| Name | Start | End |\n|---|---|---|\n| Ada Lind | 9 | 8p |\n| Bo Rask | 9a | 5 |",
    "| Name | VA | Pain |\n|---|---|---|\n| Ada Lind | 6/9 | 7/10 |\n| Bo Rask | 6/12 | 2/10 |",
    "Name,Town,Returned\nAda Lind,Bath,9/20\nBo Rask,Bath,11/20",
])  # fmt: skip
def test_times_of_day_and_scores_of_a_column_are_no_dates(text):
    assert dates_of_rules(text) == []


@pytest.mark.parametrize(("text", "days"), [
    ("Order no\tName\tCollect on\n77\tAda Lind\t11/22\n78\tBo Rask\t11/24", ["11/22", "11/24"]),
    ("| Tool | Name | Lent | Due |\n|---|---|---|---|\n| Saw | Ada Lind | 9/4 | 16/4 |\n"
     "| Axe | Bo Rask | 11/4 | 18/4 |", ["9/4", "16/4", "11/4", "18/4"]),
    ("Name,Town,Planted\nAda Lind,Bath,02/03\nBo Rask,Bath,09/04", ["02/03", "09/04"]),
    ("Hive\tQueen\tLast seen\tFrames\n1\tblue\t12/6\t8\n2\tgreen\t19/6\t10", ["12/6", "19/6"]),
    ("| Name | Joined |\n|---|---|\n| Ada Lind | 1900 |\n| Bo Rask | 2015 |", ["1900", "2015"]),
])  # fmt: skip
def test_the_days_of_an_event_in_a_column_are_dates(text, days):
    assert dates_of_rules(text) == days


@pytest.mark.parametrize(("cell", "values"), [
    ("Marlow Bucks", ["Marlow Bucks"]), ("Red", []), ("1st XI", []), ("Home B", []),
    ("Tolmere A", ["Tolmere"]), ("Tolmere 2nd XI", ["Tolmere"]), ("Under 12s", []),
])  # fmt: skip
def test_a_team_of_ordinary_words_is_no_organisation(cell, values):
    found = values_of_cell(Head("ORG", "team", is_weak=True), cell)
    assert [cell[start:end] for _, start, end in found] == values


def test_an_age_is_no_time():
    assert values_of_cell(Head("AGE"), "91.50")[0].label == "DATE"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("**Patient ID:** pat_ABC123DEF456", "pat_ABC123DEF456"),
        ("Record number: doc_20240315_9876543210.", "doc_20240315_9876543210"),
        ("- *Next of kin*: Grace Price, daughter", "Grace Price"),
        ("Surname:\nPrice\n", "Price"),
        ("Versichertennummer: K7781", "K7781"),
        ("Nom du patient : Hope Lenoir\n", "Hope Lenoir"),
        ("Apellidos: Reading Iglesias", "Reading Iglesias"),
        ("| Surname | City |\n|---|---|\n| Young | Reading |", "Young"),
        ("| Date | Shift | Good |\n|------|:---:|---:|\n| 12/5 | Early | 431 |", "12/5"),
        ("Datum\tSchicht\tGut\n12.5\tFrüh\t431\n13.5\tSpät\t388", "13.5"),
        ("Shift,Surname,Good\nEarly,Price,431\nLate,Hope,388", "Hope"),
        ("| Shift | Phone |\n|---|---|\n| Early | 5550 0127 |", "5550 0127"),
        ("Vorname\tWohnort\nGrace\tBath\nWill\tReading", "Reading"),
    ],
)
def test_a_label_within_a_text_names_its_value(text, value):
    assert value in [text[start:end] for _, start, end in values_in(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Product name: Blue Heaven",
        "Patient: stable, seen by the team",
        "Name: City\nCity: Name",
        "Surname: n/a",
        "age,weight\n34,80\n89,70",
        "| Name | Shade |\n|---|---|\n| Violet | dark |",
        "We set the date, then the hall, or so.\nThe 12/5, say, or 13/5.\nSo, so, it.",
        "Send the date, please\n12/5, perhaps",
        "4/28  No class, work day\n5/3  Grade 2, 9:00 to 11:30\n5/12  Fair, all day",
        "10:30 No order, free day\n11:30 Grade 2, 9:00 to 11:30",
    ],
)
def test_a_label_without_a_value_of_its_kind_names_nothing(text):
    assert not [*values_in(text)]


@pytest.mark.parametrize(
    "text",
    ["Day,Shift,Lead\n12/5,Early,Bo\n13/5,Late,Al", "Date,Shift,N\n12/5,Early,4\n13/5,Late,9"],
)
def test_a_value_of_a_column_is_no_part_of_the_next(text):
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_entity_ruler")
    assert [ent.text for ent in nlp(text).ents if ent.label_ == "DATE"] == ["12/5", "13/5"]


@pytest.mark.parametrize("text", [
    "| Ref | Officer | Plot |\n|---|---|---|\n| 24/318 | JW | 9 |\n| 24/340 | TA | 8 |",
    "ref,doctor,ward\n318,JW,4\n319,TA,5", "Ward\tReviewed by\tBed\nNorth\tJW\t4\nSouth\tTA\t5",
])  # fmt: skip
def test_initials_below_a_head_of_persons_are_names(text):
    nlp = pipeline_of("dx_entity_ruler", "dx_entity_recognizer")
    assert [ent.text for ent in nlp(text).ents if ent.label_ == "PERSON"] == ["JW", "TA"]


@pytest.mark.parametrize("form", [
    "Geburtsdatum: 3.4.1960", "Vorname: Heidi", "Wohnort: Celle", "Apellidos: Lara Koch",
    "Achternaam: Bakker", "Prénom: Hervé",
])  # fmt: skip
@pytest.mark.parametrize("rest", ["", "\nNotes: we saw her today and she is well again."])
def test_a_label_of_another_language_is_nobody(form, rest):
    nlp = pipeline_of("dx_entity_ruler", "dx_entity_recognizer")
    label = form.partition(":")[0]
    assert not [ent.text for ent in nlp(form + rest).ents if label in ent.text]


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "it", "nl"])
def test_labels_are_read_in_each_language(language):
    nlp = spacy.blank(language)
    nlp.add_pipe("dx_entity_ruler")
    doc = nlp("Patient ID: pat_ABC123DEF456\nKundennummer: K7781\n")
    assert {"pat_ABC123DEF456", "K7781"} <= {ent.text for ent in doc.ents if ent.label_ == "ID"}


@pytest.mark.parametrize(("text", "private", "stays"), [
    ("Part,Part no.,Qty,Seller\nOil filter Ryco,Z418,11,Bo Lind\nBelt Bendix,6PK1973,4,Al Reed",
     ["Bo Lind", "Al Reed"], ["Ryco", "Z418", "Bendix", "6PK1973"]),
    ("| Asset tag | Machine | Vib. DE | Inspector |\n|---|---|---|---|\n"
     "| P-101A | KSB Etanorm | 2 | Bo Lind |\n| M-310 | WEG W22 | 3 | Al Reed |",
     ["Bo Lind", "Al Reed"], ["P-101A", "KSB", "M-310", "W22"]),
    ("Lot,Breed,Head,Buyer\n1,Angus steers,4,Bo Lind\n2,Hereford x,5,Al Reed",
     ["Bo Lind", "Al Reed"], ["Angus", "Hereford"]),
    ("Drug,Dose,Nurse\nMarevan,3 mg,Bo Lind\nTom Reed has it,4 mg,Al Reed",
     ["Bo Lind", "Tom Reed", "Al Reed"], ["Marevan", "3 mg"]),
])  # fmt: skip
def test_a_column_of_things_holds_neither_names_nor_numbers_of_persons(text, private, stays):
    nlp = pipeline_of("dx_entity_ruler", "dx_entity_recognizer")
    found = " ".join(ent.text for ent in nlp(text).ents if ent.label_ not in VALUES)
    assert all(name in found for name in private)
    assert not any(thing in found for thing in stays)


@pytest.mark.parametrize(
    ("text", "label", "value"),
    [
        ("City: Reading", "GPE", "Reading"),
        ("**First name:** Will", "PERSON", "Will"),
        ("**Surname:** Price\n**City:** Nice", "PERSON", "Price"),
        ("Surname = Price", "PERSON", "Price"),
        ("SURNAME: PRICE", "PERSON", "PRICE"),
        ("Place of birth: Nice", "GPE", "Nice"),
        ("Employer: Target", "ORG", "Target"),
        ("**User name:** grace", "ID", "grace"),
        ("Identifiant : grace", "ID", "grace"),
        ("MRN: 7", "ID", "7"),
        ("Calle: Los Sauces", "ADDRESS", "Los Sauces"),
        ("**Age:** 101", "DATE", "101"),
        ("**Age:** 94", "DATE", "94"),
        ("Edad: 101", "DATE", "101"),
        ("Leeftijd: 101", "DATE", "101"),
        ("surname: price", "PERSON", "price"),
        ('"first_name": "will",', "PERSON", "will"),
        ("<tr><td>Surname</td><td>Price</td></tr>", "PERSON", "Price"),
        ("<dt>Surname<dd>Long<dt>City<dd>Nice", "PERSON", "Long"),
        ('<input name="city" value="Reading">', "GPE", "Reading"),
        ("First name\nWill\n", "PERSON", "Will"),
        ("Surname\n\nReading\n", "PERSON", "Reading"),
        ("First name\nWill\nCity\nNice\n", "GPE", "Nice"),
        ("| City | Reading |", "GPE", "Reading"),
        ("| Surname | Price |\n| City | Nice |", "PERSON", "Price"),
        ("| Field | Value |\n|---|---|\n| City | Reading |\n| MRN | K12 |", "GPE", "Reading"),
        ("| MRN | K12 |", "ID", "K12"),
        ("City\tReading", "GPE", "Reading"),
        ("Surname\tWard\nPrice\tA\nHope\tB\nLong\tC", "PERSON", "Long"),
        ("Surname,Ward,Bed\nPrice,A,1\nHope,B,2\nLong,C,3", "PERSON", "Price"),
        ("Surname;Ward;Bed\nPrice;A;1\nHope;B;2\nLong;C;3", "PERSON", "Long"),
    ],
)
def test_a_value_behind_its_label_is_an_entity_though_it_is_a_common_word(text, label, value):
    nlp = pipeline_of("dx_entity_ruler", "dx_entity_recognizer")
    assert (value, label) in [(ent.text, ent.label_) for ent in nlp(text).ents]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Next of kin: Daughter", "Daughter"),
        ("surname: required", "required"),
        ("last_name: string", "string"),
        ("Surname: As above", "above"),
        ("<tr><td>Surname</td><td>Status</td></tr>", "Status"),
        ("Guardian: Mother", "Mother"),
        ("| Surname | Status |\n|---|---|\n| Price | Good |", "Status"),
        ("Surname\tStatus\nPrice\tGood\nLong\tBad", "Status"),
        ("| Shift | Good |\n| Bath | Nice |", "Nice"),
        ("**Age:** 7", "7"),
        ("First name\nLast name\nCity", "Last"),
        ("Patient\nStable\n", "Stable"),
        ("Patient: Stable", "Stable"),
        ("login: required", "required"),
        ("City: unknown", "unknown"),
        ("The city:\nit is big", "it"),
        ("School\nGood\n", "Good"),
        ("Price: 7", "7"),
        ("Surname and city\nPrice is good", "good"),
    ],
)
def test_a_label_names_no_word_of_another_kind(text, word):
    nlp = pipeline_of("dx_entity_ruler", "dx_entity_recognizer")
    found = [ent.text for ent in nlp(text).ents if ent.label_ not in VALUES]
    assert not any(word in name.split() for name in found)


FORMS_OF_PERSONS = [
    ("Patient: Will Okoro\n\nWill slept badly. We asked Will.", "Will Okoro|Will|Will"),
    ("Surname: May\n\nMay was well. May she rest?", "May|May"),
    ("Last name: Case\nFirst name: Faith", "Case|Faith"),
    ("Surname: Day", "Day"),
    ("Forename: Guest", "Guest"),
    ("Apellidos: Land", "Land"),
    ("Family name: Page\nCity: Nice", "Page"),
    ("Name\tCity\nRose Bush\tNice\nMark Stone\tBath", "Rose Bush|Mark Stone"),
    ("Name,Ward,Age\nWill Orr,5,44\nFaith Cook,6,31", "Will Orr|Faith Cook"),
    ("Bed: 4\nMRN: K12\nConsultant: Price", "Price"),
    ("Ward sister: Joy\nGP: Baker\nReviewed by: Long\nMRN: K12", "Baker|Long"),
    ("Patient: rose bush\nMRN: K12", "rose bush"),
    ('{"mrn": "K12", "gp": "Cook", "nurse": "Faith"}', "Cook|Faith"),
    ("<p><b>Patient:</b> Mark Stone<br><strong>GP:</strong> Cook</p>", "Mark Stone|Cook"),
    ("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Rose Bush>I am well.\n", "Rose Bush"),
]
NO_FORMS_OF_PERSONS = [
    "Patient: Stable", "GP: Informed\nPatient: Improving\nMRN: K12",
    "Mother: Diabetes\nFather: Well",
    "Surgeon: Available\nNurse: Present\nMRN: K12", "Doctor: Yes\nConsultant: Surgical\nMRN: K12",
    "Doctor: Hi.\nPatient: Well.\nDoctor: Okay", "GP: Ok, so\nPatient: Fine",
    "<b>Patient:</b> Stable", "<v Interviewer>So.", "Next of kin: Sibling",
]  # fmt: skip


@pytest.mark.parametrize(("text", "names"), FORMS_OF_PERSONS)
def test_a_name_of_a_form_is_a_person_in_the_whole_text(text, names):
    nlp = pipeline_of("dx_entity_ruler", "dx_entity_recognizer")
    found = [ent.text for ent in nlp(text).ents if ent.label_ == "PERSON"]
    assert not Counter(names.split("|")) - Counter(found)


@pytest.mark.parametrize("text", NO_FORMS_OF_PERSONS)
def test_what_a_form_says_of_somebody_is_no_name(text):
    nlp = pipeline_of("dx_entity_ruler", "dx_entity_recognizer")
    assert not [ent.text for ent in nlp(text).ents if ent.label_ == "PERSON"]


def test_the_values_of_labels_are_sought_in_linear_time():
    for text in (
        "a\n" * 50_000,
        "| a | b\n" * 20_000,
        "a\tb\n" * 20_000,
        "x \t" * 40_000,
        "<td>" * 9_000,
    ):
        assert not [*values_in(text)]


BURIALS = "No.\tName\tAbode\tBuried\tRemarks\n{}\n9\tOwen Cole\tTarnby\t9 May 1871\tSame grave\n"


@pytest.mark.parametrize(("row", "found"), [
    ("1\tInfant Tolan\tLetter West\t4 Jan 1871\tFee paid", {"Tolan", "Letter West"}),
    ("1\tIda Tolan otherwise Coyle\tBantry, workhouse\t4 Jan 1871\t",
     {"Ida Tolan", "Coyle", "Bantry"}),
    ("1\tWidow Daly\tfrom the sea\t4 Jan 1871\tFee paid", {"Daly"}),
    ("1\tIda Tolan\tdo.\t4 Jan 1871\tFee paid", {"Ida Tolan"}),
])  # fmt: skip
def test_a_register_says_more_of_persons_and_places(row, found):
    nlp = pipeline_of("dx_entity_ruler", "dx_entity_recognizer")
    ents = {ent.text for ent in nlp(BURIALS.format(row)).ents if ent.label_ in ("PERSON", "GPE")}
    assert ents - {"Owen Cole", "Tarnby"} == found


@pytest.mark.parametrize("head", ["Grade", "Position", "Role", "Job title", "Seat"])
@pytest.mark.parametrize("role", ["Cox", "Mason", "Baker", "Hooker"])
def test_what_somebody_is_stays_below_its_head(head, role):
    nlp = pipeline_of("dx_entity_ruler", "dx_entity_recognizer")
    rows = f"| Ada Tolan | {role} | 12 |\n| Bo Rask | {role} | 8 |"
    found = nlp(f"| Member | {head} | Due |\n|---|---|---|\n{rows}").ents
    assert [ent.text for ent in found if ent.label_ == "PERSON"] == ["Ada Tolan", "Bo Rask"]
