"""What a text is about makes a word one of its subject: chess, music, varieties, scores, drugs."""

import pytest
from conftest import marks_of

CHESS = "The club met for chess. A knight fork won the endgame, and the blitz was fun. "
MUSIC = "The string quartet has a recital, with violin and cello. "


@pytest.fixture(scope="module")
def marks():
    return marks_of({"PERSON", "GPE", "ORG", "ADDRESS", "ID", "DATE"})


@pytest.mark.parametrize("text", [
    "Then Black resigned.", "It was a Najdorf again.", "She lost to the Budapest Gambit.",
    "The spring Swiss is full.", "He plays the Winawer with care.",
])  # fmt: skip
def test_sides_openings_and_pairings_of_chess_stay(marks, text):
    assert marks(CHESS + text) == []


@pytest.mark.parametrize(("text", "name"), [
    ("Mr Black brought the clocks. Black resigned as treasurer.", "Black"),
    ("We drove to Budapest for it.", "Budapest"), ("Ask Anna White. White has the key.", "White"),
])  # fmt: skip
def test_persons_and_places_in_a_text_on_chess_go(marks, text, name):
    assert name in " ".join(marks(CHESS + text))


def test_black_is_a_name_in_other_texts(marks):
    assert "Black" in " ".join(marks("We met at noon. Then Mr Black resigned."))


@pytest.mark.parametrize("text", [
    "It ends with Brahms Op. 51.", "We hear Telemann Double then.", "They play Corelli No. 8.",
])  # fmt: skip
def test_pieces_that_are_called_by_their_composer_stay(marks, text):
    assert marks(MUSIC + text) == []


@pytest.mark.parametrize(("text", "name"), [
    ("Ms Purcell hires the hall. Purcell A is the first desk.", "Purcell"),
    ("Elgar rang about the stands.", "Elgar"),
])  # fmt: skip
def test_persons_with_the_names_of_composers_go(marks, text, name):
    assert name in " ".join(marks(MUSIC + text))


@pytest.mark.parametrize("text", [
    "The Red Zorvin has split again.", "We sowed Blue Drimmel in the tunnel.",
    "The Exeter Hip Score was 41 of 48.", "Her Lindgren Shoulder Index rose by ten.",
    "Take Tab. Zorvelin 40 mg at night.", "1. T. Zorvelin 40 mg\n2. T. Drimelex 5 mg",
    "Bring two bags of Drimmel Grit.", "Your Visa ending is wrong, the Amex card too.",
    "The blood had Na 133 and Hb 12.1, with the Ct values.", "It is six point five Plato now.",
    "It was a grade: Gr III. The next is Gr II.",
    "We broke down on the M6 then.", "Inform Madam Consultant at once.",
    "The wind, north-westerly, is strong.", "The DPF clean was dear.",
    "Take Syp. Ascoril twice.", "The lens was a Nagler 13 mm.",
    "Under Act 4670 Section 13 it is so.", "We used a Neumann U87 on it.",
    "It is clear.\nWard: Female 2, Bed 4\n", "We all sang Lindgren's Reel.",
    "Meds: Zorvelin, Drimelex 5 mg, Torvamine",
    "Hops: Zorvin, Drimmel and Tarnock", "An Airfix Spitfire hung there.",
    "The Ishida checkweigher was on.", "Pay by Zelle, please.", "Polkey: none is due.",
])  # fmt: skip
def test_varieties_scores_drugs_and_seasons_stay(marks, text):
    assert marks(text) == []


@pytest.mark.parametrize(("text", "name"), [
    ("We gave T. Lind 5 mg of it.", "Lind"), ("Inj. was given by Mr Lind at 5.", "Lind"),
    ("Brown Drimmel: see you at six.", "Drimmel"), ("Two bags of Ada Lind were lost.", "Ada Lind"),
    ("Ada Knee came by at noon.", "Ada"), ("Inform Madam Okwuosa at once.", "Okwuosa"),
    ("It was due in autumn 2019.", "2019"), ("They live at 12 Mill Lane.", "12 Mill Lane"),
    ("Mr Na 133 is the seat of Na Young Lee.", "Na Young Lee"),
    ("Meds: given by Okwuosa at six", "Okwuosa"), ("Meds: Ada Lind has them", "Ada Lind"),
    ("Hops: Chukwudi brings them, Ngozi has more", "Chukwudi"),
    ("We saw Ada 13 at the door.", "Ada"), ("Ask Okwuosa B204 about it.", "Okwuosa"),
    ("We met Lindgren at the Reel.", "Lindgren"),
    ("Hi all.\nWard: yes, at six.", "Ward"),
    ("Drinks: Okwuosa, food: Lindgren", "Okwuosa"),
    ("He lives at 4670 County Road 13 now.", "4670"),
])  # fmt: skip
def test_persons_and_dates_beside_these_go(marks, text, name):
    assert name in " ".join(marks(text))


def test_the_owner_of_a_ware_goes_without_its_ending(marks):
    assert marks("It dips to 2.6 V on Shalini's Siglent, we saw.") == ["Shalini"]


def test_short_heads_and_subjects_of_a_school_stay_and_pupils_go(marks):
    text = (
        "ADM | NAME | ENG | KIS | MAT | TOT\n77 | LIND ADA | 81 | 77 | 92 | 250\n"
        "78 | RASK BO | 66 | 49 | 63 | 178\n\n"
        "Subject | Teacher | Mean | Change from T2\nENG | Mrs. Kestrel | 58.2 | 3.1\n"
        "KIS | Juma Hamisi | 61.0 | 0.4\n"
    )
    found = " ".join(marks(text))
    assert all(name in found for name in ("LIND ADA", "RASK BO", "Kestrel", "Juma Hamisi"))
    assert all(word not in found for word in ("ENG", "KIS", "MAT", "Change"))


def test_initials_below_a_subject_of_a_study_go(marks):
    text = "Subject | Visit | Dose\nJKS | 2 | 5\nABT | 3 | 5\n"
    assert "JKS" in " ".join(marks(text))


def test_what_an_animal_is_stays_below_a_head_of_patients(marks):
    text = (
        "| Owner | Patient | Wt |\n|---|---|---|\n| Ada Lind | Rufus, GSD, FN, 9 y | 31 kg |\n"
        "| Bo Rask | Minnie, DSH | 4 kg |\n"
    )
    found = " ".join(marks(text))
    assert all(name in found for name in ("Ada Lind", "Bo Rask", "Rufus"))
    assert all(word not in found for word in ("GSD", "FN", "DSH"))


def test_initials_of_a_child_below_a_head_of_patients_go(marks):
    found = marks("| Patient | Wt |\n|---|---|\n| Okwuosa, FN | 31 kg |\n| Lind, MS | 4 kg |\n")
    assert "FN" in " ".join(found)


def test_a_firm_does_not_reach_over_the_cells_of_a_row(marks):
    text = "File\tSender\tPhone\tCargo\n12\tTarn Valley Clinic\t\t40 kg\n"
    assert marks(text) == ["Tarn Valley Clinic"]


def test_an_address_ends_before_a_greeting(marks):
    text = "Flat 3, 9 Mill Lane\nStromness\nKW16 3BY\n\nDear Ms Okwuosa\n\nYOUR BILL FOR JUNE\n"
    assert marks(text)[0] == "Flat 3, 9 Mill Lane\nStromness\nKW16 3BY"


@pytest.mark.parametrize("text", [
    "09:41 CG: Roger. Is anybody hurt, lifeboat, over.", "Roger that, copy you on channel 67.",
    "Roger, out. Tower, runway in sight.",
])  # fmt: skip
def test_answers_over_the_radio_stay(marks, text):
    assert not {"Roger", "Wilco"} & set(marks(text))


@pytest.mark.parametrize("text", ["Roger came by, over the fence.", "Ask Roger. The radio is his."])
def test_roger_is_a_person_elsewhere(marks, text):
    assert "Roger" in marks(text)


@pytest.mark.parametrize("text", [
    "Braden was 13.", "Waterlow 18, Barthel of 12.", "Bristol type 4 again. Glasgow 15 on arrival.",
])  # fmt: skip
def test_scales_with_their_values_stay(marks, text):
    assert marks(text) == []


def test_towns_and_persons_without_a_value_go(marks):
    assert marks("Braden Lind was away. We drove to Bristol.") == ["Braden Lind", "Bristol"]
