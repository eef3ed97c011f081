"""Persons, and words that are none, in German, French, Spanish, Dutch and Italian texts."""

import pytest
from conftest import pipeline_of


def entities_in(language, text, label="PERSON"):
    doc = pipeline_of("dx_entity_ruler", lang=language)(text)
    return [ent.text for ent in doc.ents if ent.label_ == label]


@pytest.mark.parametrize(
    ("text", "persons"),
    [
        ("Die Zeugin Polizeiobermeisterin Katja Rüther war da.", ["Katja Rüther"]),
        ("Frau Studienrätin Heidrun Vierck ist krank.", ["Heidrun Vierck"]),
        ("Frau Studienrätin Vierck ist krank.", ["Vierck"]),
        ("Hausmeister Bodo Sander hat es repariert.", ["Bodo Sander"]),
        ("Am Sonntag spielt Kantor Volkmar Seidel die Orgel.", ["Volkmar Seidel"]),
        (
            "Gestern kam Stationsleiterin Ute Behn mit Logopädin Meike Uhl.",
            ["Ute Behn", "Meike Uhl"],
        ),
        ("Wir danken Herrn Oberstudienrat Gerd Pohlmann.", ["Gerd Pohlmann"]),
        ("Es kam Gerichtsvollzieher Olaf Munk.", ["Olaf Munk"]),
        ("Herr Dipl.-Kfm. Ahlers und Frau Mag. Haupt sind da.", ["Ahlers", "Haupt"]),
        ("Lieber Herr Professor Dr. Steinbrück, danke.", ["Steinbrück"]),
        ("Herr Dr. Baum und Frau Dr. med. Busch sind da.", ["Baum", "Busch"]),
        ("Der Vorsitzende Richter am Amtsgericht Dr. Meinhold kam.", ["Meinhold"]),
        ("Mit freundlichen Grüßen\ni. A. Sabine Thieme", ["Sabine Thieme"]),
        ("Mit freundlichen Grüßen\ni.V. Jörg Maßmann", ["Jörg Maßmann"]),
        ("Gestern kam Trainer Jupp Rademacher.", ["Jupp Rademacher"]),
    ],
)
def test_german_jobs_are_no_part_of_the_name_behind_them(text, persons):
    assert entities_in("de", text) == persons


@pytest.mark.parametrize(
    ("text", "persons"),
    [
        ("Herr Hofmeister und Frau Burmeister sind da.", ["Hofmeister", "Burmeister"]),
        (
            "Es kam Valentin Grabmeister mit Anna Baumeister.",
            ["Valentin Grabmeister", "Anna Baumeister"],
        ),
        (
            "Heute ist Herr Murat Yildiz mit Frau Kristin Kantor da.",
            ["Murat Yildiz", "Kristin Kantor"],
        ),
        ("Herr Richter ist krank, Frau Richter Anna nicht.", ["Richter", "Richter Anna"]),
        ("Die Frau Zeit hatte, kam mit der Studienrätin.", []),
        ("Herr Präsident, Frau Ministerin und Herr Nachbar sind da.", []),
    ],
)
def test_family_names_like_jobs_are_names(text, persons):
    assert entities_in("de", text) == persons


@pytest.mark.parametrize(
    ("language", "text", "persons"),
    [
        ("it", "Paziente: Sig.ra Rosa Monti\nÈ qui.", ["Rosa Monti"]),
        ("it", "Medico: Dott.ssa Pia Conti", ["Pia Conti"]),
        ("es", "Paciente: D. Joaquín Belmonte", ["Joaquín Belmonte"]),
        (
            "es",
            "Están Carmen Belmonte y D. Joaquín Belmonte.",
            ["Carmen Belmonte", "Joaquín Belmonte"],
        ),
        ("es", "Con Ximena Pardo y Nuria Solís en casa.", ["Ximena Pardo", "Nuria Solís"]),
        ("es", "Leo a José Ortega y Gasset en casa.", ["José Ortega y Gasset"]),
    ],
)
def test_a_title_behind_a_key_or_a_conjunction_begins_a_name(language, text, persons):
    assert entities_in(language, text) == persons


@pytest.mark.parametrize(
    ("text", "persons"),
    [
        ("Hast du Schneiders Nummer?", ["Schneiders"]),
        ("Hier ist Möllers Adresse.", ["Möllers"]),
        ("Krauses Blutdruck ist gut.", ["Krauses"]),
        ("Webers neues Bett ist da.", ["Webers"]),
        ("Ich habe Lenas Mutter und Barans Hund gesehen.", ["Lenas", "Barans"]),
        ("Gestern stieg Anna Lehmanns Blutdruck.", ["Anna Lehmanns"]),
        ("Hier wohnt Familie Überschär.", ["Überschär"]),
        ("Der Vorsitzende Richter Klein kam.", ["Klein"]),
        ("Hier sind Jens Weber und Peters Anna.", ["Jens Weber", "Peters Anna"]),
        ("Im Haus des Bauers Kind, Hamburgs Rat, Omas Brot, Vaters Auto.", []),
        ("Beim Training der Stars halfen Chats und Tests.", []),
    ],
)
def test_german_names_in_the_genitive_are_names(text, persons):
    assert entities_in("de", text) == persons
