"""Whoever writes the lines of a chat is a person, also where the name is a word: Boon Kiat."""

import re

import pytest
from conftest import pipeline_of

LABELS = ("PERSON", "ID")
CHAT = ("Ada Lind", "{}", "Ada Lind", "{}")
SAID = ("morning all", "can you come?", "no, sorry", "which one is it")
# How programs write the time and the name of a sender.
LINES = [
    "12/03/2024, 09:1{} - {}: ",
    "[12/03/2024, 09:1{}:22] {}: ",
    "[8/03/2025, 7:2{}:15 am] {}: ",
    "[8/03/2025, 7:2{}:15\u202fam] ~ {}: ",
    "12.03.24, 09:1{} - {}: ",
    "2024-03-12 09:1{}:22 <{}> ",
    "[09:1{}] {}: ",
    "09:1{} {}: ",
    "10:3{} AM - {}: ",
    "(10:3{}) {}: ",
    "09:1{} | {} | ",
]
SENDERS = ["Boon Kiat", "Pri", "Will Price", "Grace", "Tamsin D", "Maria de la Cruz", "O'Hare"]


@pytest.fixture(scope="module")
def nlp():
    return pipeline_of("dx_entity_ruler", "dx_entity_recognizer")


def chat(line, sender, said=SAID):
    lines = (line.format(i, who.format(sender)) for i, who in enumerate(CHAT))
    return "\n".join(a + b for a, b in zip(lines, said, strict=True))


def readable(nlp, text, name):
    """Return the words of a name that are in no entity."""
    doc = nlp(text)
    hidden = {i for ent in doc.ents if ent.label_ in LABELS for i in range(ent.start, ent.end)}
    words = {word for word in name.split() if len(word) > 1 and word[0].isupper()}
    return [token.text for token in doc if token.text in words and token.i not in hidden]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("sender", SENDERS)
def test_whoever_writes_a_line_of_a_chat_is_a_person(nlp, line, sender):
    assert readable(nlp, chat(line, sender), sender) == []


@pytest.mark.parametrize("said", [
    ("Guten Morgen zusammen", "kannst du kommen?", "nein, leider nicht", "welcher ist es denn"),
    ("bonjour tout le monde", "tu peux venir ?", "non, désolée", "lequel est-ce donc"),
    ("buenos días a todos", "¿puedes venir?", "no, lo siento", "cuál de ellos es"),
])  # fmt: skip
@pytest.mark.parametrize("sender", ["Boon Kiat", "Pri", "Grace"])
def test_so_is_one_in_another_language(nlp, said, sender):
    assert readable(nlp, chat(LINES[1], sender, said), sender) == []


@pytest.mark.parametrize("line", [
    "2024-03-12 09:14:22 ERROR: disk is full", "[09:14] Warning: disk is full",
    "09:15 Update: we are late", "10:30 - Lunch: soup and bread", "09:20 Agenda item 3: roof",
    "[00:04:10] Interviewer: and then?", "10:45 Observations: settled", "11:00 Glucose: 5.1",
])  # fmt: skip
def test_the_word_behind_a_time_stays_where_it_is_no_name(nlp, line):
    other = "2024-03-12 09:16:40 ERROR: disk is full\n09:50 Note: all is well"
    assert [ent.text for ent in nlp(f"{line}\n{other}").ents if ent.label_ in LABELS] == []


@pytest.mark.parametrize("line", LINES[:6])
@pytest.mark.parametrize("sender", ["Ng", "Am", "Reading"])
def test_a_word_that_writes_twice_with_the_day_is_a_person(nlp, line, sender):
    assert readable(nlp, chat(line, sender), sender) == []


@pytest.mark.parametrize("handle", ["pj.rigs", "noodle_sm", "kofi99", "bea-sound", "r_okafor"])
def test_whoever_opens_a_line_with_a_user_name_is_one(nlp, handle):
    text = f"mx_gaf: is the van here\n{handle}: copy, will do\nmx_gaf: ok then"
    doc = nlp(text)
    assert handle in {ent.text for ent in doc.ents if ent.label_ in LABELS}


@pytest.mark.parametrize("text", [
    "max_size: three of them\nmin-size: one of them\nmax_size: four of them",
    "first_name: two words\nlast_name: one word\nfirst_name: two words",
    "step_1: mix the dough\nstep_2: let it rest\nstep_1: mix the dough",
])  # fmt: skip
def test_the_keys_of_a_configuration_are_no_user_names(nlp, text):
    assert [ent.text for ent in nlp(text).ents if ent.label_ in LABELS] == []


@pytest.mark.parametrize(("said", "other"), [
    (("is the van here", "copy, will do"), "sure, ok then"),
    (("training fällt heute aus", "wer sagt das denn"), "weiß ich auch nicht"),
    (("tu viens ce soir ou pas", "non, pas ce soir"), "alors à demain soir"),
])  # fmt: skip
def test_names_in_small_letters_that_open_lines_are_persons(nlp, said, other):
    text = f"svenja: {said[0]}\nkofi: {said[1]}\nsvenja: {other}"
    assert readable(nlp, text.replace("svenja", "Svenja"), "Svenja") == []
    shown = {ent.text for ent in nlp(text).ents if ent.label_ in LABELS}
    assert {"svenja", "kofi"} <= shown
    assert not [ent for ent in nlp(text.replace("kofi", "total")).ents if ent.text == "total"]


# How programs write a sender before the time, on a line of its own.
HEADS = [
    "{1} — Yesterday at 9:0{0} PM\n",
    "{1} — 12/03/2024 9:0{0} PM\n",
    "{1}, [19/8/2024 6:1{0} am]\n",
    "{1}, [19.08.24 18:1{0}]\n",
    "{1} 🐋, [Aug 19, 2024 at 6:1{0} AM]\n",
]


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("sender", ["mimbo", "Pixel", "Grace", "Boon Kiat", "Tamsin D.", "Ng"])
def test_whoever_stands_before_the_time_is_a_person(nlp, head, sender):
    text = chat(head, sender, [f"{said}\n" for said in SAID])
    assert readable(nlp, text, sender) == []
    found = " ".join(ent.text for ent in nlp(text).ents if ent.label_ in LABELS)
    assert sender.strip(".") in found


@pytest.mark.parametrize("handle", ["coach_tern", "tidal-fox", "xX_Ñacurutú_Xx", "gus77"])
def test_so_is_a_user_name(nlp, handle):
    text = chat(HEADS[0], handle, [f"{said}\n" for said in SAID])
    assert handle in {ent.text for ent in nlp(text).ents if ent.label_ in LABELS}


@pytest.mark.parametrize("text", [
    "Rehearsal — 12/03/2024 18:00\nRehearsal — 14/03/2024 18:00\nRehearsal — 15/03/2024 18:00\n",
    "Doors open — Today at 7:00 PM\nThe hall is open.\nSupper — Today at 8:00 PM\nIt is free.\n",
    "Backup finished, [19/8/2024 6:11 am]\nNo errors.\nScan finished, [19/8/2024 6:31 am]\nNone.\n",
    "Location — 12/03/2024 18:00\nIt is here.\nLocation — 14/03/2024 18:00\nIt is there.\n",
    "Update — Yesterday at 9:02 PM\nWe are late.\nNote — Yesterday at 9:04 PM\nNo rain.\n",
])  # fmt: skip
def test_what_stands_before_the_time_of_a_programme_stays(nlp, text):
    assert [ent.text for ent in nlp(text).ents if ent.label_ in LABELS] == []


@pytest.mark.parametrize("text", [
    "[09:05] {0}: is the van here\n[09:06] pj.rigs: copy, will do\n[09:07] {0}: ok then",
    "{0} — 9:05 PM\nis the van here\n\npj.rigs — 9:06 PM\ncopy\n\n{0} — 9:07 PM\nok then\n",
    "**{0}** (Moderator)\nIs the van here?\n\n**pj_rigs**\nYes.\n\n*Edited by {0}, 3 May*\n",
])  # fmt: skip
@pytest.mark.parametrize("handle", ["mossy_wren", "kitebuilder58"])
def test_user_names_beside_times_and_in_bold_are_replaced(nlp, text, handle):
    doc = nlp(text.format(handle))
    hidden = [ent.text for ent in doc.ents if ent.label_ in LABELS]
    assert hidden.count(handle) == text.count("{0}")


@pytest.mark.parametrize("text", [
    "[09:05] disk_size: four of them\n[09:06] disk_name: one of them\n[09:07] disk_size: all of it",
    "Check-in — 9:00 AM\nBring a pen.\nCheck-in — 2:00 PM\nBring a book.\n",
    "**install**\nRun the script.\n\n**usage**\nRun it again.\n",
    "**nixpkgs**\nThe packages.\n\n**home_lib**\nThe homes.\n\n**nix-darwin**\nThe rest.\n",
    "**step_one**\nRun the script.\n\n**step_one**\nRun it again.\n",
])  # fmt: skip
def test_labels_and_headings_beside_times_and_in_bold_stay(nlp, text):
    assert [ent.text for ent in nlp(text).ents if ent.label_ in LABELS] == []


def test_a_full_name_in_capitals_that_speaks_twice_is_a_person(nlp):
    text = "MAREIKE VAN DER BELL: Yes.\n\nADA LIND: No.\n\nMAREIKE VAN DER BELL: Why?\n"
    assert readable(nlp, text, "MAREIKE BELL") == []


@pytest.mark.parametrize("label", ["WATER METER", "NHS NUMBER", "STAGE MANAGER", "TEFAL IRON"])
def test_a_label_in_capitals_that_stands_twice_stays(nlp, label):
    text = f"{label}: four.\n\n{label}: five.\n"
    assert [ent.text for ent in nlp(text).ents if ent.label_ in LABELS] == []


@pytest.mark.parametrize(("text", "initials"), [
    ("Balance 12 ml, signed TN/HB. All is well.", {"TN", "HB"}),
    ("Balance 12 ml, signed WB/AM. All is well.", {"WB", "AM"}),
    ("The till was checked by KM.", {"KM"}),
    ("Entered in Xero: WB 2024-05-02", {"WB"}),
    ("Typed 3 May (JMcD)", {"JMcD"}),
    ("[File DS 33, typist TNB]", {"TNB"}), ("Transcribed by RHK.", {"RHK"}),
    ("TO: All staff   FROM: KJ   RE: Keys", {"KJ"}),
    ("Typed: KJL    Dictated: RHK", {"KJL", "RHK"}), ("typed KJL 14/3/24", {"KJL"}),
])  # fmt: skip
def test_initials_of_those_who_sign_are_persons(nlp, text, initials):
    assert {ent.text for ent in nlp(text).ents if ent.label_ == "PERSON"} == initials


@pytest.mark.parametrize("text", [
    "The till was checked by QA.", "It was verified by IT.", "He signed an NDA.",
    "It was checked by HR.", "It was signed NDA, and checked by DHL.",
    "He typed NHS in the box.", "Typed: OK", "From: IT\nTo: all",
    "It was taken by AI, and logged: OK.", "Tested by PCR.",
])  # fmt: skip
def test_departments_that_check_something_are_none(nlp, text):
    assert [ent.text for ent in nlp(text).ents if ent.label_ == "PERSON"] == []


@pytest.mark.parametrize(("text", "name"), [
    ("The stall that Ah Seng runs is open.", "Ah Seng"),
    ("- EN Gift is off sick", "Gift"),
    ("Agent: Lindiwe (lmoyo07)", "lmoyo07"),
    ("He runs a Facebook page, rizgar.kobane88, with 30 posts.", "rizgar.kobane88"),
])  # fmt: skip
def test_names_behind_short_words_and_labels_are_replaced(nlp, text, name):
    assert name in {ent.text for ent in nlp(text).ents if ent.label_ in LABELS}


def test_ah_alone_names_nobody(nlp):
    doc = nlp("The stall that Ah Seng runs is open. Ah well, ah ok.")
    assert [ent.text for ent in doc.ents if ent.label_ == "PERSON"] == ["Ah Seng"]


TURNS = "{0}: good morning\nKerstin: who has the key\n{0}: not me\nKerstin: nor I\n"


@pytest.mark.parametrize("sender", ["Sonder", "Rosella", "Auntie Rosella", "Bo Rask", "Kestrin"])
def test_who_speaks_in_turns_is_a_person_beside_a_given_name(nlp, sender):
    assert readable(nlp, TURNS.format(sender), sender.removeprefix("Auntie ")) == []


@pytest.mark.parametrize("label", ["Note", "Status", "Nurse", "Operator", "Warning"])
def test_labels_and_roles_that_open_lines_stay(nlp, label):
    assert readable(nlp, TURNS.format(label), label) == [label, label]


def test_initials_in_brackets_may_stand_before_a_role(nlp):
    text = "Present: Kasper Mbeki (KM, roofs), Nadia Imre (NI)\n\n3.1 KM: the slates came.\n"
    assert readable(nlp, text, "KM") == [] == readable(nlp, text, "NI")


def test_a_nickname_in_quotes_makes_a_town_a_given_name(nlp):
    doc = nlp('Speaker: Florence "Flo" Villarmel\n\nFV: Six days a week.\n\nFV: And more.\n')
    labels = {ent.text: ent.label_ for ent in doc.ents}
    assert labels["Florence"] == "PERSON"
    assert labels["FV"] == "PERSON"


def test_a_sender_of_joined_names_is_one_beside_another_user(nlp):
    text = "[21:05] olga_mum2: hello\n[21:07] SiobhanB: hi love\n[21:09] SiobhanB: ok then\n"
    assert readable(nlp, text, "SiobhanB") == []


@pytest.mark.parametrize(("text", "name"), [
    ("I've put Ji-ho with Emeka, and Seo-yeon beside them.", "Ji-ho"),
    ("Thanks to Bongani Zulu for the test.", "Bongani Zulu"),
    ("Ask Ann Welsh about it.", "Ann Welsh"), ("It is sorted w Gwilym by noon.", "Gwilym"),
])  # fmt: skip
def test_given_names_of_korea_and_names_like_peoples_go(nlp, text, name):
    assert name in {ent.text for ent in nlp(text).ents if ent.label_ == "PERSON"}


@pytest.mark.parametrize("text", ["Ha-ha, no.", "It is so-so today.", "A must-do list. In-on it."])
def test_other_words_in_two_parts_stay(nlp, text):
    assert not [ent.text for ent in nlp(text).ents if ent.label_ == "PERSON"]


def test_a_name_again_makes_a_person_of_what_looks_like_a_place(nlp):
    doc = nlp("ticket HVC-20931 came from Gwilym Tarrow\nall sorted then, Gwilym was nice")
    assert {ent.text: ent.label_ for ent in doc.ents}["Gwilym Tarrow"] == "PERSON"


@pytest.mark.parametrize("head", [
    "--- noor_h, 10:05", "-- noor_h (10:05)", "--- noor_h 2024-11-04", "> noor_h, 2 days ago",
    "### noor_h commented on May 6", "**noor_h** 10:22", "— noor.k · May 29",
    "== noor_h, 14 Jan ==", "#14 noor_h wrote:",
    "--- noor-h77, yesterday",
])  # fmt: skip
def test_whoever_heads_a_comment_with_a_user_name_is_replaced(nlp, head):
    name = re.search(r"noor[\w.-]*", head)[0]
    doc = nlp(f"The build fails.\n\n{head}\nIt works for me.\n")
    assert name in " ".join(ent.text for ent in doc.ents if ent.label_ in LABELS)


@pytest.mark.parametrize("text", [
    "--- foo_bar.py 2024-11-04 09:12\n", "## node-v18 - 2024-11-04\n", "## v2.3.0 - 2024-11-04\n",
    "max_size 10:30 ok\nmin_size 10:31 ok\n", "- X-ray 14 May\n- follow-up 2 weeks later\n",
    "-- wi-fi yesterday\n", "# retry_count 2024-11-04\n", "## rc_1 2024-11-04\n",
])  # fmt: skip
def test_files_releases_and_items_of_lists_are_no_user_names(nlp, text):
    assert not [ent.text for ent in nlp(text).ents if ent.label_ in LABELS]


@pytest.mark.parametrize("label", ["Maman", "Destinataire"])
def test_kin_and_labels_of_other_languages_open_lines_too(nlp, label):
    said = "{0}: tu peux venir demain ?\nCamille: non, désolée\n{0}: et lundi ?\nCamille: oui\n"
    assert readable(nlp, said.format(label), label) == [label, label]


def test_a_few_short_lines_have_senders_too(nlp):
    text = "Auntie Shelly: morning\nRavin: who has it\nDevika: me\nRavin: ok\nDevika: fine\n"
    assert readable(nlp, text, "Ravin") == [] == readable(nlp, text, "Devika")


# How programs write who speaks above what is said.
BLOCKS = ["{}\n    {}\n\n", "{}:\n{}\n\n", "{} (10:04)\n{}\n\n", "**{}**\n{}\n\n", "{}\n\t{}\n"]


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("other", ["Visitor", "Agent", "Kerstin"])
def test_who_speaks_above_what_is_said_is_a_person(nlp, block, other):
    turns = zip([other, "Kestrin"] * 2, SAID, strict=True)
    text = "".join(block.format(*turn) for turn in turns)
    assert readable(nlp, text, "Kestrin") == []
    assert other == "Kerstin" or readable(nlp, text, other) == [other, other]


@pytest.mark.parametrize(("one", "other"), [
    ("Ubuntu", "Fedora"), ("Ingredients", "Method"), ("Customer", "Carpet"),
])  # fmt: skip
def test_headings_above_indented_lines_stay(nlp, one, other):
    text = "".join(f"{head}\n    two of them\n\n" for head in (one, other, one, other))
    assert [ent.text for ent in nlp(text).ents if ent.label_ in LABELS] == []


@pytest.mark.parametrize("gap", ["  ", "\t"])
def test_initials_apart_from_what_is_said_are_those_of_a_speaker(nlp, gap):
    head = "Interviewer: Ian Tabone\nInterviewee: Rosa Camilleri\n\n"
    said = f"IT{gap}So how was it?\n\nRC{gap}Cold. [laughs]\n\n"
    assert readable(nlp, head + said + said, "IT") == [] == readable(nlp, head + said, "Rosa")
    assert readable(nlp, head + said + said, "RC") == []
    other = f"QA{gap}the tests\nIT{gap}the computers\n"
    assert readable(nlp, head + other, "IT") == ["IT"]


@pytest.mark.parametrize("line", [
    "10:02:1{} From {} to Everyone: ", "10:02:1{}\t From  {} : ", "10:02:1{} From {} to Host: ",
    "10:02:1{} From Bo Rask to {} (direct message): ",
])  # fmt: skip
@pytest.mark.parametrize("sender", ["Boon Kiat", "Will Price", "Kestrin Tarlev"])
def test_who_writes_to_whom_in_a_meeting_is_a_person(nlp, line, sender):
    text = chat(line, sender)
    assert readable(nlp, text, sender) == []
    assert not [ent for ent in nlp(text).ents if {"From", "Everyone"} & {t.text for t in ent}]


def test_a_way_behind_a_time_has_no_sender(nlp):
    doc = nlp("10:06 From the hall to Leeds: 40 min\n10:50 From Leeds to the hall: 40 min\n")
    assert not [ent.text for ent in doc.ents if ent.label_ == "PERSON"]


@pytest.mark.parametrize("role", ["Interviewer", "Moderator", "Note taker"])
def test_initials_in_brackets_behind_a_role_speak(nlp, role):
    text = f"{role} (JT): So how was it?\nOV. Cold.\nJT. Why?\nOV. Winter.\n\nFor Orla Venning.\n"
    assert readable(nlp, text, "JT") == [] == readable(nlp, text, "OV")


def test_the_role_in_short_stays(nlp):
    assert not [ent.text for ent in nlp("Interviewer (INT): So how was it?\n").ents]
