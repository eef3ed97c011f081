"""Full names go as a whole, also where a part of them is a common word; words stay words."""

import pytest
from conftest import in_letter, marks_of

LABELS = {"PERSON", "GPE", "ORG", "ADDRESS", "ID"}


@pytest.fixture(scope="module")
def marks():
    return marks_of(LABELS)


@pytest.mark.parametrize("name", [
    "Hansel Go", "Blessing Okonjo", "Precious Nkemelu", "Comfort Odhiambo",
])  # fmt: skip
@pytest.mark.parametrize("text", [
    "The complaint against {} in his capacity fails.", "It is from the hospital. {}, folder 12/9.",
])  # fmt: skip
def test_a_part_that_is_a_common_word_goes_with_the_name(marks, text, name):
    assert name in in_letter(marks, text.format(name))


@pytest.mark.parametrize("name", [
    "Kit Fazenda-Moll", "Bright Asamoah", "Fortune Wekesa", "Gift Chikwanda", "Wren Hollingby",
])  # fmt: skip
def test_a_given_name_that_is_a_common_word_goes_again_alone(marks, name):
    found = " ".join(in_letter(marks, f"New to the board: {name}. Ask Ada and {name.split()[0]}."))
    assert found.count(name.split()[0]) == 2
    assert name in found


@pytest.mark.parametrize("text", [
    "We have volunteers Can Yıldızhan and Melek from there.", "I spoke with An Tranová at noon.",
    "They were told by So Hyunwoo of it.", "It was signed by Do Minhquan, a clerk.",
    "The letter is for My Lindqvistsson, who left.",
])  # fmt: skip
def test_a_function_word_with_a_capital_within_a_sentence_is_a_given_name(marks, text):
    name = next(word for word in text.split() if word in {"Can", "An", "So", "Do", "My"})
    assert name in " ".join(in_letter(marks, text)).split()


@pytest.mark.parametrize("text", [
    "It is time to Go Green with it.", "We read the Can Opener manual.", "Then So What was sung.",
    "He said Do Not Enter to us.", "It was An Open Letter, no more.",
])  # fmt: skip
def test_the_capitals_of_a_title_make_no_name_of_words(marks, text):
    assert in_letter(marks, text) == []


@pytest.mark.parametrize("label", ["Host", "Guest", "Interviewer", "Narrator", "Photos"])
@pytest.mark.parametrize("name", ["Clemency Rourke", "Hope Price", "Xu Meilin", "Tam Nguyen Lee"])
def test_who_is_told_by_a_label_within_a_line_goes(marks, label, name):
    assert name in marks(f'"The Ferry", episode 17\n{label}: {name}. Recorded in July at noon.')


@pytest.mark.parametrize("text", [
    'Ada "Bo" Bright (treas.) came.', 'Oluwafemi "Femi" Stone came.', "Ola 'Lala' Brook left.",
    'Pedro "Memo" Cross left.', 'Giuseppe "Joe" Field left.',
])  # fmt: skip
def test_a_family_name_behind_a_nickname_may_be_a_common_word(marks, text):
    found = " ".join(in_letter(marks, text))
    assert text.split()[2] in found.split()


@pytest.mark.parametrize("text", [
    "Ada said \"no\" Then we left.", "We told Ada \"wait\" and left.", "It was 'Ada','Lind' there.",
])  # fmt: skip
def test_a_word_in_quotes_behind_a_name_is_no_nickname(marks, text):
    assert not {"no", "wait", "Then", "and"} & {*" ".join(in_letter(marks, text)).split()}


@pytest.mark.parametrize("honorific", ["amma", "appa", "didi", "bhai", "hanım", "kaka"])
def test_an_honorific_behind_a_given_name_stays(marks, honorific):
    found = in_letter(marks, f"Then Devaki {honorific} (84) had a sore hand.")
    assert found == ["Devaki"]


@pytest.mark.parametrize("text", [
    "The tree is Abies alba.", "It was Felis catus that ate it.", "We saw Apis mellifera.",
])  # fmt: skip
def test_a_species_stays(marks, text):
    assert in_letter(marks, text) == []


@pytest.mark.parametrize(("text", "name"), [
    ("Captain Ma. Grace Palmado of the town agreed.", "Ma. Grace Palmado"),
    ("We saw Wm. Tolliver at noon.", "Wm. Tolliver"), ("Ask Md. Rashid Karim.", "Md. Rashid Karim"),
    ("Then Robt. J. Kettlewell signed.", "Robt. J. Kettlewell"),
    ("A toy by Tam o' the Hills is there.", "Tam o' the Hills"),
    ("Pt is Lafrance, Gaëlle, DOB 1958-08-30.", "Lafrance, Gaëlle"),
    ("Patient Okonjo, Tunde (84) came.", "Okonjo, Tunde"),
    ("Re: Brandvold, Signe M, born 1958.", "Brandvold, Signe M"),
])  # fmt: skip
def test_short_and_inverted_names_go_as_a_whole(marks, text, name):
    assert name in in_letter(marks, text)


@pytest.mark.parametrize("text", [
    "It is Md. Code on it.", "A Will o' the wisp was seen.", "Tell the patient, Then we go.",
])  # fmt: skip
def test_what_looks_like_them_stays(marks, text):
    assert in_letter(marks, text) == []


@pytest.mark.parametrize("verb", ["Tell", "Ask", "Inform", "Remind", "Give"])
def test_whoever_is_told_something_is_a_person(marks, verb):
    assert "Kwabena" in in_letter(marks, f"Theatre 2. {verb} Kwabena anaesthesia forms, please.")


@pytest.mark.parametrize("name", [
    "Gethin Reading", "Oluwatoni Best", "Xiulan Sun", "Ffion Wells", "Eiluned Moor",
])  # fmt: skip
def test_two_words_between_persons_of_a_list_are_a_person(marks, name):
    assert name in in_letter(marks, f"Present: Mary Kelly, {name}, Ines Vaz, and Old Ted.")


@pytest.mark.parametrize("item", ["Wet Paint", "Green Tea", "Main Door", "Lost Keys", "Cold Milk"])
def test_ordinary_words_between_them_stay(marks, item):
    assert item not in " ".join(in_letter(marks, f"See: Mary Kelly, {item}, Ines Vaz, and Ted."))


@pytest.mark.parametrize("head", ["Who", "Presenter", "Fixed by", "Referee", "Spoke to"])
@pytest.mark.parametrize("name", ["Memo G.", "Will", "Hope Price"])
def test_a_column_of_who_did_something_is_of_persons(marks, head, name):
    table = f"| Time | What | {head} |\n|---|---|---|\n| 21:10 | it is late | Ada |\n"
    assert name.split()[0] in " ".join(marks(f"{table}| 22:30 | it is dry | {name} |\n"))


@pytest.mark.parametrize("results", [
    "Men: 1. Ann Lee 41:52, 2. Cheryl Teo 43:07.", "Women: 2. Cheryl Teo 43:07, 3. Ann Lee 44:30.",
])  # fmt: skip
def test_the_result_of_a_race_is_no_part_of_a_name(marks, results):
    assert {"Ann Lee", "Cheryl Teo"} <= {*marks(results)}
