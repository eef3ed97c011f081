"""Numbers and addresses are found over the end of a line, and user names in paths and logs."""

import pytest
import spacy

from spacy_dxprivacy.integrations.clean import clean, prompt

LABELS = "person date gpe address phone id url email".split()
WRAPPED = {  # text -> what must not be in the release
    "> Call me on 0113 496\n> 0721 tomorrow.": "0721",
    "Her NHS number is 943 476\n5919 and she is well.": "5919",
    "    She lives at 14 Elm\n    Row, Leeds now.": "14_Elm",
    "> > She lives at 14 Elm\n> > Row, Leeds.": "14_Elm",
    "My card is 4111 1111\n1111 1111 and it works.": "4111",
    "You can call +44 20 7831\n 6958 now.": "7831",
    "> Please phone (555) 123-\n> 4567 today.": "4567",
    "| Her MRN: 88-\n| 31207 is new.": "31207",
    "Reach her at 020 7831\n\t6018 after noon.": "7831",
}
PREFIXES = ["\n> ", "\n>> ", "\n| ", "\n# ", "\n// ", "\n * ", "\n    ", "\n-- ", "\n\t", "\n"]
CUT = {  # text with the end of a line -> words that must not be in the release
    "Call me on 0113 496{}0721 tomorrow.": "0721",
    "Her NHS number is 943 476{}5919 and she is well.": "943 5919",
    "She lives at 14 Quince{}Row, Leeds now.": "Quince Row",
    "She was born on 14{}June 1987 in town.": "14{}",
    "She came on August{}14, 1987 with her dog.": "August{}",
    "Please pay to GB29 NWBK 6016{}1331 9268 19 today.": "NWBK 6016 1331",
    "Please write to priya.whitcombe@{}stmary.org about it.": "priya.whitcombe stmary",
    "Please write to priya.whitcombe{}@stmary.org about it.": "priya.whitcombe stmary",
    "Please write to priya.whit={}combe@stmary.org about it.": "priya.whit combe@",
    "Bitte rufen Sie mich unter 0351 4567{}8912 an, wenn Sie Zeit haben.": "4567 8912",
    "Ihre Versichertennummer ist A123 456{}789 und sie ist gesund.": "A123 456 789",
    "Sie wohnt in der Rebenstraße{}14, 01307 Dresden und es geht ihr gut.": "Reben 01307",
    "Sie wohnt in der Lange{}Straße 14 in Dresden und es geht ihr gut.": "Lange",
    "Bitte überweisen Sie auf DE89 3704 0044{}0532 0130 00 noch heute.": "3704 0532",
    "Sie wurde am 14.{}März 1987 in der Stadt geboren und ist noch da.": "14.{}",
    "Vous pouvez me joindre au 03 88 12{}34 56 si vous avez le temps pour cela.": "88{}",
    "Son numéro de sécurité sociale est 2 83 03 75 115{}005 42 et elle va bien.": "005",
    "Elle habite au 14 rue{}des Lilas, 67000 Strasbourg avec son frère.": "Lilas 67000",
    "Elle est née le 14{}mars 1987 dans cette ville.": "14{}",
    "Me puede llamar al 612 345{}678 durante la mañana.": "612 345 678",
    "Su número de historia es 123{}456 y está bien de salud.": "123 456",
    "Ella vive en la calle{}Mayor 14, 28013 Madrid con su hermano.": "Mayor{} 28013",
    "Ella nació el 14{}de marzo de 1987 en esta ciudad.": "14{}",
    "Mi può chiamare al 02 4567{}8912 durante la mattina.": "4567 8912",
    "Lei abita in via Garibaldi{}14, 20121 Milano con suo fratello.": "Garibaldi 20121",
    "Lei è nata il 14{}marzo 1987 in questa città.": "14{}",
    "U kunt mij bereiken op 020 456{}7891 in de ochtend, of later.": "456 7891",
    "Haar patiëntnummer is 123{}45678 en het gaat goed met haar.": "123 45678",
    "Zij woont aan de Kerkstraat{}14, 1017 AB Amsterdam met haar broer.": "Kerkstraat 1017",
    "Gelieve te betalen op NL91 ABNA 0417{}1643 00 vandaag nog, dank u.": "ABNA 1643",
}
ALONE = [
    "Seen on ward 5\n12 beds are free.", "BP was 120 over 80\n70 the pulse", "id,age\n1,30\n2,41\n",
    '"GET /x HTTP/1.1" 200 5120\n127.0.0.1 - - "GET', '"GET /x HTTP/2.0" 404 88\n0.0.0.0 - - "GET',
    "Take 2\n3 times a day.", "Items:\n- 12\n- 34\n", "There were 14\nPeople came and went.",
]  # fmt: skip


def is_left(part, release):
    """Return whether a part is in each of four releases: a street or three digits may be drawn."""
    return all(part in release() for _ in range(4))


@pytest.mark.parametrize("text", WRAPPED)
def test_what_goes_on_after_the_end_of_a_line_is_found_whole(text):
    for release in (lambda: clean(text, entities=LABELS), lambda: prompt(text)[0]):
        for part in WRAPPED[text].split():
            assert not is_left(part.replace("_", " "), release)
        assert release().split()[0] == text.split()[0]


@pytest.mark.parametrize("text", ALONE)
def test_lines_that_do_not_go_on_stay(text):
    assert clean(text, entities=["address", "phone", "id"]) == text


@pytest.fixture(scope="module")
def nlp():
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_entity_ruler")
    nlp.add_pipe("dx_entity_recognizer")
    labels = ",".join(label.upper() for label in LABELS)
    selector = {"@dx_selectors": "dx.Entities.v1", "labels": labels}
    nlp.add_pipe("dx_entity_sanitizer", config={"selector": selector, "seed": 1})
    return nlp


@pytest.mark.parametrize("text", CUT)
def test_what_goes_on_in_all_languages_is_found_under_all_signs_of_lines(nlp, text):
    before, _, after = text.partition("{}")
    for prefix in PREFIXES:
        given = f"{before}{prefix}{after}"
        for part in CUT[text].split(" "):
            assert not is_left(part.replace("{}", prefix), lambda given=given: nlp(given).text)
        released = nlp(given).text
        assert released.split()[0] == text.split()[0] and released[-4:] == text[-4:]


FORMS = [
    "Patient: Grace Okafor\nSurname: Price\nMRN: K12\nNext of kin: Hope Bush\nCity: Reading\n",
    "Name\tCity\nGrace Okafor\tReading\nMark Field\tBath\n",
    "GP\nFaith Baker\n\nFirst name\nWill\n",
    "| Surname | City |\n|---|---|\n| Bush | Nice |\n| Price | Deal |\n\nShe is well.\n",
    "Name,Ward,Age\nGrace Okafor,5,44\nMark Field,6,93\n",
    "City\nReading\n12 Elm Row\nLeeds LS1 4AB\n",
    "Dear Grace,\n\nplease call.\n\nBest wishes,\nHope\nProject lead\n",
    "Password: xK9!pq7wZ\nUser: hope\n",
    "[10:02] Grace: hi\n[10:03] Mark: back at 9\n",
    "8/9: called\n9/9: seen by Dr Bush\n",
    "BEGIN:VCARD\nVERSION:3.0\nN:Bush;Grace;;;\nTEL:0113 496 0721\nBDAY:1985-04-03\nEND:VCARD\n",
    "1\n00:00:05,000 --> 00:00:09,000\n- Grace: I am at 14 Elm\nRow.\n",
    "born 3 May\n1985, aged\n92.\n",
]
LINES = [*FORMS, *(text.format("\n") for text in CUT), *WRAPPED, *ALONE]


@pytest.mark.parametrize("text", LINES)
def test_lines_that_end_as_in_windows_are_read_as_others(nlp, text):
    recognisers = [pipe for name, pipe in nlp.pipeline if name != "dx_entity_sanitizer"]
    found = list[list[str]]()
    for given in (text, text.replace("\n", "\r\n")):
        doc = nlp.make_doc(given)
        for pipe in recognisers:
            doc = pipe(doc)
        found.append([f"{' '.join(ent.text.split())} {ent.label_}" for ent in doc.ents])
    assert found[0] == found[1]
    assert " \n" in text or " \n" not in nlp(text.replace("\n", "\r\n")).text


ACCOUNTS = [
    "open /home/{}/notes.txt now", "in /Users/{}/Desktop", "C:\\Users\\{}\\data.csv was read",
    "ls ~{}/src", "cd ~{}", "login ACME\\{} failed", "\\\\fs01\\home\\{}\\a.doc",
    "-rw-r--r--  1 {} staff 120 Mar  5 10:00 a.txt", "drwxr-xr-x. 12 {} users 4096 Jan 1 2024 x",
    "sudo: {} : TTY=pts/0 ; PWD=/srv ; COMMAND=/bin/ls", "sudo -u {} ls /srv",
    "127.0.0.1 - {} [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.0\" 200 23",
    "Accepted publickey for {} from 10.0.0.1 port 22 ssh2", "uid=1000({}) gid=1000(staff)",
    "session opened for user {} by (uid=0)", "{}@web01:~/src$ ls", "[{}@web01 ~]$ ls",
    'File "/home/{}/main.py", line 3, in <module>',
]  # fmt: skip


@pytest.mark.parametrize("name", ["mwhitcombe", "okafor", "priya.raman"])
@pytest.mark.parametrize("form", ACCOUNTS)
def test_user_names_in_paths_and_logs_are_replaced_and_the_path_stays(form, name):
    before, _, after = form.partition("{}")
    released = clean(form.format(name), entities=["id"])
    assert name not in released
    if not any(map(str.isdigit, form)):
        assert released.startswith(before) and released.endswith(after), released
    assert name not in prompt(form.format(name))[0]


@pytest.mark.parametrize("text", [
    "/home/user/x and /srv/y", "C:\\new\\table", "it took ~approx 5 min", "AND\\OR",
    "sudo apt install foo", "waiting for user input",
    "a \\n b and ~5 %", "see main.py, run.sh and README.md",
])  # fmt: skip
def test_accounts_of_systems_paths_and_files_stay(text):
    assert clean(text, entities=["id", "person", "url"]) == text


def test_a_traceback_keeps_its_words():
    text = 'Traceback (most recent call last):\n  File "main.py", line 3, in <module>\n'
    assert clean(text, entities=["person", "url", "id"]) == text


SECRETS = [
    "key sk-proj-Ab3dE5gH7jK9mN1pQ3sT5vW7xY9zA1bC3dE5fG7h", "password: Tr0ub4dor&3",
    "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE", "api key: 9f8e7d6c5b4a39281706f5e4d3c2b1a0",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "token=ghp_16C7e42F292c6912E7710c838347Ae178B4a", "passwd=hunter2hunter2",
]  # fmt: skip


@pytest.mark.parametrize("text", SECRETS)
def test_secrets_are_recognised_in_their_common_forms(text):
    secret = text.replace("=", " ").split()[-1]
    assert secret not in clean(text, entities=["secret"])
