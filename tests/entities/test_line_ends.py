"""Numbers and addresses are found over the end of a line, and user names in paths and logs."""

import pytest

from spacy_dxprivacy.integrations.clean import clean, prompt

LABELS = "person date gpe address phone id url email".split()
WRAPPED = {  # text -> what must not be in the release
    "> Call me on 0113 496\n> 0721 tomorrow.": "0721",
    "Her NHS number is 943 476\n5919 and she is well.": "5919",
    "    She lives at 14 Elm\n    Row, Leeds now.": "14_Elm",
    "> > She lives at 14 Elm\n> > Row, Leeds.": "14_Elm",
    "My card is 4111 1111\n1111 1111 and it works.": "4111",
    "You can call +44 20 7946\n 0958 now.": "0958",
    "> Please phone (555) 123-\n> 4567 today.": "4567",
    "| Her MRN: 88-\n| 31207 is new.": "31207",
    "Reach her at 020 7946\n\t0018 after noon.": "7946",
}
ALONE = [
    "Seen on ward 5\n12 beds are free.", "BP was 120 over 80\n70 the pulse", "id,age\n1,30\n2,41\n",
    "Take 2\n3 times a day.", "Items:\n- 12\n- 34\n", "There were 14\nPeople came and went.",
]  # fmt: skip


@pytest.mark.parametrize("text", WRAPPED)
def test_what_goes_on_after_the_end_of_a_line_is_found_whole(text):
    for released in (clean(text, entities=LABELS), prompt(text)[0]):
        for part in WRAPPED[text].split():
            assert part.replace("_", " ") not in released, released
        assert released.split()[0] == text.split()[0]


@pytest.mark.parametrize("text", ALONE)
def test_lines_that_do_not_go_on_stay(text):
    assert clean(text, entities=["address", "phone", "id"]) == text


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
