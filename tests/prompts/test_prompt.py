"""dx.prompt: surrogates for a model, originals in its answer, by the code of the proxy."""

import base64
import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import spacy_dxprivacy as dx
from spacy_dxprivacy import DxError, UsageError
from spacy_dxprivacy.prompts.conversation import Conversations, Sent, secret

TEXT = "Hi, I'm Priya Whitcombe from Leeds. Call (415) 867-5309 or priya@stmary.org."


def prompted(text):
    return dx.prompt(text, entities="person")[0]


def test_a_text_and_its_answer():
    text, restore = dx.prompt(TEXT)
    assert not [name for name in ("Priya", "Whitcombe", "Leeds", "867", "stmary") if name in text]
    assert restore(text) == TEXT
    name = text.split()[2:4]
    answer = f"Dear {name[1].upper()}, {' '.join(name)}!"
    assert restore(answer) == "Dear WHITCOMBE, Priya Whitcombe!"
    link = f"![x](https://a.example/{name[1]}.png)"
    assert restore(link) == link
    assert dx.prompt(TEXT)[0] == text


def test_a_conversation_keeps_its_surrogates_and_its_earlier_texts():
    turns = ["Ms. Whitcombe is ill.", "Is she?", "whitcombe, born on 1983-04-27"]
    sent, restore = dx.prompt(turns[:1])
    longer, restore = dx.prompt(turns)
    assert longer[:1] == sent and [restore(text) for text in longer] == turns
    assert "whitcombe" not in "".join(longer).lower()
    assert dx.prompt(["Another begins.", turns[0]])[0][1] != sent[0]


def test_conversations_that_begin_alike_hide_what_each_of_them_reveals():
    greeting, later = "Good day to you.", "I will call rose tomorrow."
    assert dx.prompt([greeting, later])[0] == [greeting, later]
    turns = [greeting, "My wife is Rose Whitcombe.", later]
    for _ in range(2):
        sent, restore = dx.prompt(turns)
        assert "rose" not in sent[2] and [restore(text) for text in sent] == turns
    ended = [*turns, "The rose in my garden is red."]
    assert dx.prompt(ended)[0][:3] == sent and dx.prompt(ended)[0] == dx.prompt(ended)[0]


def test_what_is_held_of_a_text_cannot_be_looked_up_without_the_key():
    """Whoever reads the memory of a conversation cannot try texts against a plain digest."""
    line, sent = ("user: ", TEXT), Sent("as it was sent")
    held = []
    for caller, beginning in (("ann", "Hello."), ("bob", "Hello."), ("ann", "Good day.")):
        conversation = Conversations().of(caller, beginning)
        assert conversation.get(line) is None
        conversation.add(line, sent)
        assert conversation.get(line) is sent and conversation.get(("tool: ", TEXT)) is None
        held += conversation.sent
    assert len(set(held)) == 3


def test_policies():
    text, restore = dx.prompt(TEXT, policy={"person": "mask", "gpe": "leave"})
    assert "[PERSON 1] from Leeds" in text and restore(text) == TEXT
    with pytest.raises(DxError, match="PHONE") as caught:
        dx.prompt(TEXT, policy={"phone": "block"})
    assert "867" not in str(caught.value)
    with pytest.raises(DxError, match="policy"):
        dx.prompt(TEXT, policy={"phone": "hide"})


def test_what_is_no_text_is_refused_and_leaves_clean_as_it_was():
    for wrong in (5, [TEXT, None], {"a": TEXT}, f"{TEXT}\ud83d"):
        with pytest.raises(DxError) as caught:
            dx.prompt(wrong)
        assert caught.value.__context__ is None  # such as UnicodeEncodeError, which has the text
    with pytest.raises(UsageError):
        dx.prompt(TEXT, entitys="person")
    dx.prompt(TEXT, entities="person")
    cleaned = {dx.clean("I am Priya Whitcombe.", entities="person") for _ in range(9)}
    assert len(cleaned) > 3  # no conversation


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc")
def test_no_child_process_gets_the_secret():
    dx.prompt([TEXT, "She was born on 1983-04-27."])
    code = "import os; print(sorted(os.environ.items()), open('/proc/self/cmdline').read())"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for form in (secret().hex(), str(list(secret())), base64.b64encode(secret()).decode()):
        assert form not in child.stdout.lower() and form not in str(os.environ)
    assert not [name for name in os.environ if "SECRET" in name]


def test_a_fork_has_the_conversations_of_its_parent_and_a_new_process_has_not():
    text = "Priya Whitcombe was born on 1983-04-27."
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(prompted, (text,)) == prompted(text)
    code = f"import spacy_dxprivacy as dx; print(dx.prompt({text!r}, entities='person')[0])"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert other.stdout.strip() != prompted(text)


SECRETS = {
    "My key is {}.": "sk-proj-Ab3dE5gH7jK9mN1pQ3sT5vW7yZ9aB1cD3eF5gH7jK9mN1pQ3",
    "password: {}": "Kestrel99!", "The password is {}, thanks.": "Tr0ub4dor&3",
    "AWS_ACCESS_KEY_ID={}": "AKIAIOSFODNN7EXAMPLE", "Take {} for it.": "AKIAIOSFODNN7EXAMPLE",
    "aws_secret_access_key = {}": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "api: key: {}": "9f86d081884c7d659a2feaa0c55ad015",
    "token={}": "16C7e42F292c6912E7710c838347Ae17",
    "git clone with {}": "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "Authorization: Bearer {}": "abcdEFGH1234567890abcdEF",
    'api_key: "{}"': "abcd1234efgh5678", "pwd={}": "hunter2-Kestrel",
}  # fmt: skip


@pytest.mark.parametrize("form", SECRETS)
def test_secrets_are_replaced_by_default_and_come_back(form):
    text = form.format(SECRETS[form])
    sent, restore = dx.prompt(text)
    assert SECRETS[form] not in sent and restore(sent) == text
    link = f"https://a.example/?{sent.split()[-1]}"
    assert SECRETS[form] not in restore(link)


def test_threads_do_not_mix():
    def ask(name):
        for i in range(5):
            turns = [f"I am {name}.", f"{i}: {name} again."]
            sent, restore = dx.prompt(turns)
            assert [restore(text) for text in sent] == turns

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(ask, (f"{first} Whitcombe" for first in "Priya Ulla Maria Anna".split())))
