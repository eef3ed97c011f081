"""A short text in another language is refused or read in that language; English, names and lists
are not taken for one."""

import subprocess
import sys

import pytest

from spacy_dxprivacy import DxError
from spacy_dxprivacy.integrations.clean import clean, prompt
from spacy_dxprivacy.text.language import COVERED, language_of, uncovered

# Text, its language, and a name in it.
UNCOVERED = [
    ("Ewa Kowalska wczoraj przyszła do lekarza z bólem głowy.", "pl", "Kowalska"),
    ("Mój mąż Piotr ma gorączkę od wczoraj.", "pl", "Piotr"),
    ("zadzwoń proszę jutro rano do mojej siostry zofii", "pl", "zofii"),
    ("Jana Nováková včera volala do ordinace.", "cs", "Nováková"),
    ("Kdy přijde paní Horáková na kontrolu?", "cs", "Horáková"),
    ("Ayşe Yılmaz dün doktora geldi.", "tr", "Yılmaz"),
    ("Mehmet Kaya için bir mektup yaz.", "tr", "Mehmet"),
    ("Anna Lindqvist ringde till mottagningen igår.", "sv", "Lindqvist"),
    ("Mette Sørensen ringede til lægen i går.", "da", "Mette"),
    ("Matti Virtanen soitti eilen lääkärille.", "fi", "Virtanen"),
    ("Kovács Anna tegnap felhívta az orvost.", "hu", "Kovács"),
    ("Maria Popescu a sunat ieri la doctor.", "ro", "Popescu"),
    ("Você pode ligar para o Pedro amanhã?", "pt", "Pedro"),
    ("Nguyễn Văn An hôm qua đã gọi bác sĩ.", "vi", "Nguyễn"),
    ("Jonas Kazlauskas vakar skambino gydytojui.", "lt", "Kazlauskas"),
]
READ = [
    ("Anna Schmidt kam gestern zum Arzt.", "de", "Schmidt", "kam gestern zum Arzt"),
    ("Peter Wagner kam nicht zum Termin.", "de", "Wagner", "kam nicht zum Termin"),
    ("Frau Meier hat Fieber.", "de", "Meier", "hat Fieber"),
    ("Marie Dupont a appelé hier.", "fr", "Dupont", "a appelé hier"),
    ("María García llamó ayer al médico.", "es", "García", "llamó ayer al médico"),
    ("Jan de Vries belde gisteren de dokter.", "nl", "Vries", "gisteren de dokter"),
    ("Maria Rossi ha chiamato ieri il medico.", "it", "Rossi", "ha chiamato ieri il medico"),
    ("Kommst du heut vorbei, Lena?", "de", "Lena", "vorbei"),
    ("Keine Beschwerden, Herr Abt geht nach Hause", "de", "Abt", "Beschwerden"),
    ("Salut Yannick, merci beaucoup", "fr", "Yannick", "merci beaucoup"),
    ("Estimado Jorge: adjunto la factura", "es", "Jorge", "adjunto la factura"),
    ("Hai parlato con Giulia?", "it", "Giulia", "parlato con"),
    ("Dankjewel Joost, tot morgen", "nl", "Joost", "tot morgen"),
]
ENGLISH = [
    "Anna Schmidt 12.3.1990", "Anna Schmidt", "JOHN SMITH DOB 1/2/1990", "ok thx", "lol omg",
    "Maria Lopez\nJohn Smith\nPriya Whitcombe", "Tomasz Wiśniewski", "EWA KOWALSKA, KRAKÓW",
    "ewa kowalska, jan nowak, zofia lis", "Zürich, Genève, Łódź", "Jürgen Müller (Köln)",
    "Tomasz Wiśniewski came yesterday.", "I met Zoë Müller-Lüdenscheidt in Łódź.",
    "BP 120/80 HR 70 T 37.2", "MRN 1234567 Okafor, Priya", "paracetamol 500 mg po qid",
    "See Dr. Okafor re: MRI", "amoxicillin, ibuprofen, omeprazole", "pt c/o n/v x3d",
    "Rx: metformin 500mg bid; lisinopril 10mg qd", "ADMIT DX: CHF EXACERBATION",
    "Psoas major, quadratus lumborum, latissimus dorsi", "Carcinoma in situ of the cervix",
    "Staphylococcus aureus, Escherichia coli", "SELECT name FROM users", "Rio de Janeiro, Minas",
    "for i in range(10): print(i)", "play lorenzo palacios quispe", "Curriculum vitae of A. Bak",
    "Traceback (most recent call last)", "gr8 thx c u l8r", "ID;name;city\n1;Jan;Oslo",
    "cholecystitis, cholelithiasis, choledocholithiasis", "wishy-washy.", "hey whats up dude",
    "overslept again lol", "Fuuuulhaaaam forever", "To: joost.devries@meridiaan.example",
    "Paella for six on Saturday", "RAFAEL CASTAÑO BUSTOS", "Kam met Mit in Bei",
]  # fmt: skip


@pytest.mark.parametrize(("text", "language", "name"), UNCOVERED)
def test_a_short_text_that_nobody_covers_is_refused_at_every_door(text, language, name):
    assert language_of(text) == language and uncovered(text, COVERED) == [(0, len(text))]
    for door in (clean, prompt):
        with pytest.raises(DxError, match="DX180") as failure:
            door(text, entities=["person", "date"])
        assert name not in str(failure.value)
    with pytest.raises(DxError, match="DX180"):
        clean(text)


@pytest.mark.parametrize(("text", "language", "name"), UNCOVERED)
def test_a_short_paragraph_of_an_english_text_is_refused(text, language, name):
    english = "You are an assistant of a clinic. Answer in the language of the patient."
    for whole in (f"{english}\n\n{text}", f"{text}\n\n{english}", f"{english}\n\n{text}\n\nBye."):
        ((start, end),) = uncovered(whole, COVERED)
        assert whole[start:end] == text
    with pytest.raises(DxError, match="DX180"):
        prompt([english, text], entities=["person"])


@pytest.mark.parametrize(("text", "language", "name", "rest"), READ)
def test_a_short_text_is_read_in_its_language(text, language, name, rest):
    assert language_of(text) == language
    released = clean(text, entities=["person"])
    assert name not in released and rest in released
    with pytest.raises(DxError, match="DX180"):
        clean(text)  # the built-in space has English words


@pytest.mark.parametrize("text", ENGLISH)
def test_names_lists_and_short_english_have_no_language_of_their_own(text):
    assert language_of(text) in ("", "en")
    assert uncovered(text, {"en"}) == []


def test_a_short_text_of_a_file_in_another_language_is_of_its_language(tmp_path):
    from conftest import ok, run_dx

    long = "Der Patient ist da und die Frau hat es mit dem Arzt besprochen, aber sie war nicht da."
    rows = [long, "Kari Wagner ringte heute.", "Anna Schmidt kam gestern zum Arzt."]
    (tmp_path / "a.csv").write_text("text\n" + "".join(f'"{row}"\n' for row in rows))
    ok(run_dx("sanitize", tmp_path / "a.csv", tmp_path / "b.csv", "--entities", "person"))
    written = (tmp_path / "b.csv").read_text()
    assert "Schmidt" not in written and "kam gestern zum Arzt" in written


def test_english_never_loads_the_model():
    code = (
        "import sys; from spacy_dxprivacy.integrations.clean import clean\n"
        "for text in ('Anna Schmidt came.', 'ok thx', 'See Dr. Okafor re: MRI, JOHN SMITH'):\n"
        "    clean(text, entities=['person'])\n"
        "assert not any(name.startswith('py3langid') for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
