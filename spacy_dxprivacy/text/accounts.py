"""Find user names in paths, prompts of shells and logs.

A recogniser of names reads prose. In `/home/mwhitcombe` or `ACME\\okafor` the place shows what a
word is. Accounts of systems and services ("root", "www-data") identify nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# One of them is in each form.
_SIGNS = ("\\", "~", "/home/", "/Users/", "sudo", "uid=", "rw", "user", "[", "@", "su ", " for ")
_NAME = r"(?P<{}>[A-Za-z][\w.-]{{0,30}}\w)"
_FORMS = (
    r"/(?:home|Users|export/home|var/home)/{}(?![\w.-])",
    r"[\\/]Users[\\/]{}(?![\w.-])",
    r"\\Documents and Settings\\{}(?![\w.-])",
    r"\\\\[\w.-]{{1,60}}\\(?:home|users|profiles|homes)\$?\\{}(?![\w.-])",
    r"(?<![\w\\/:.])[A-Z][A-Z0-9-]{{1,14}}\\(?![A-Z]+\b){}(?![\w\\.-])",
    r"(?<![\w~/\\.-])~{}(?=/)",
    r"\b(?:cd|ls|cat|cp|mv|finger) (?:-\w+ )*~{}(?![\w.-])",
    r"(?<![^\n\x1e])[-dlbcps][rwxsStT-]{{9}}[.+@]?[ \t]+\d+[ \t]+{}[ \t]",
    r"(?<![^\n\x1e])\S{{3,45}} \S{{1,40}} {}(?= \[\d\d/\w{{3}}/\d{{4}}:)",
    r"\bsudo(?:\[\d+\])?:[ \t]+{}(?=[ \t]+:)",
    r"\b(?:sudo|su|runuser) (?:-\w+ )*-(?:u|l)? ?{}(?![\w.-])",
    r"\b(?:session (?:opened|closed)|password changed) for (?:user )?{}(?![\w.-])",
    r"\b(?:Accepted|Failed) \w+ for (?:invalid user )?{}(?= from )",
    r"\b(?:invalid|new) user:? (?:name=)?{}(?![\w.-])",
    r"\buid=\d+\({}\)",
    r"\bsudo\b.{{0,200}}?\bUSER={}(?![\w.-])",
    r"(?<![\w.@-]){}@[\w-]{{1,40}}(?=:[~/]|[ \t]+[~/]\S*\]?[$#])",
)
_SYSTEM = frozenset(
    "root admin administrator user users username public shared default guest nobody daemon "
    "bin sys sync mail news www www-data apache nginx httpd git svn ubuntu debian centos "
    "fedora ec2-user runner ci app apps node postgres mysql redis jenkins docker vagrant pi "
    "test tester me you home name someone example system service local network all anonymous "
    "operator staff wheel default.user linuxbrew lib src tmp etc var usr opt".split()
)


def _compiled() -> re.Pattern[str]:
    forms = (form.format(_NAME.format(f"n{i}")) for i, form in enumerate(_FORMS))
    return re.compile("|".join(forms))


_ACCOUNT = _compiled()


def user_names(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of user names, in characters, in order."""
    if not any(sign in text for sign in _SIGNS):
        return
    for match in _ACCOUNT.finditer(text):
        group = str(match.lastgroup)
        if match[group].lower() not in _SYSTEM:
            yield match.span(group)
