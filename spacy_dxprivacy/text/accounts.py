"""Find user names in paths, prompts of shells and logs.

A recogniser of names reads prose. In `/home/mwhitcombe` or `ACME\\okafor` the place shows what a
word is. Accounts of systems and services ("root", "www-data") identify nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_NAME = r"([A-Za-z][\w.-]{0,30}\w)"
_END = r"(?![\w.-])"
_LINE = r"(?<![^\n\x1e])"
# A sign that a text with such a name has, and the form of the name and of what stands around it.
_FORMS = (
    ("/home/", rf"/(?:export/|var/)?home/{_NAME}{_END}"),
    ("Users", rf"[\\/]Users[\\/]{_NAME}{_END}"),
    ("Documents and", rf"\\Documents and Settings\\{_NAME}{_END}"),
    ("\\\\", rf"\\\\[\w.-]{{1,60}}\\(?:homes?|users|profiles)\$?\\{_NAME}{_END}"),
    ("\\", rf"(?<![\w\\/:.])[A-Z][A-Z0-9-]{{1,14}}\\(?![A-Z]+\b){_NAME}(?![\w\\.-])"),
    ("~", rf"(?<![\w~/\\.-])~{_NAME}(?=/)"),
    ("~", rf"\b(?:cd|ls|cat|cp|mv|finger) (?:-\w+ )*~{_NAME}{_END}"),
    ("rw", rf"{_LINE}[-dlbcps][rwxsStT-]{{9}}[.+@]?[ \t]+\d+[ \t]+{_NAME}[ \t]"),
    (" [", rf"{_LINE}\S{{3,45}} \S{{1,40}} {_NAME}(?= \[\d\d/\w{{3}}/\d{{4}}:)"),
    ("sudo", rf"\bsudo(?:\[\d+\])?:[ \t]+{_NAME}(?=[ \t]+:)"),
    ("sudo", rf"\bsudo\b.{{0,200}}?\bUSER={_NAME}{_END}"),
    ("su", rf"\b(?:sudo|su|runuser) (?:-\w+ )*-[ul]? ?{_NAME}{_END}"),
    ("session ", rf"\bsession (?:opened|closed) for (?:user )?{_NAME}{_END}"),
    ("password", rf"\bpassword changed for (?:user )?{_NAME}{_END}"),
    (" from ", rf"\b(?:Accepted|Failed) \w+ for (?:invalid user )?{_NAME}(?= from )"),
    (" user", rf"\b(?:invalid|new) user:? (?:name=)?{_NAME}{_END}"),
    ("uid=", rf"\buid=\d+\({_NAME}\)"),
    ("@", rf"(?<![\w.@-]){_NAME}@[\w-]{{1,40}}(?=:[~/]|[ \t]+[~/]\S*\]?[$#])"),
)
_ACCOUNTS = [(sign, re.compile(form)) for sign, form in _FORMS]
_SYSTEM = frozenset(
    "root admin administrator user users username public shared default guest nobody daemon bin "
    "sys sync mail news www www-data apache nginx httpd git svn ubuntu debian centos fedora "
    "ec2-user runner ci app apps node postgres mysql redis jenkins docker vagrant pi test tester "
    "me you home name someone example system service local network all anonymous operator staff "
    "wheel linuxbrew lib src tmp etc var usr opt".split()
)


def user_names(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of user names, in characters."""
    for sign, form in _ACCOUNTS:
        for match in form.finditer(text) if sign in text else ():
            if match[1].lower() not in _SYSTEM:
                yield match.span(1)
