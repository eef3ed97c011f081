"""Find secrets and user names: in paths, logs, commands and settings, in a text of any language.

data/entities/forms.txt holds their forms. Names of accounts that systems and programs have, such as
root and www-data, are no user names: SYSTEM_ACCOUNTS in data/entities/words.txt lists them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice, takewhile

import numpy as np
from spacy.attrs import LIKE_EMAIL, LIKE_URL
from spacy.tokens import Doc

from ..text.mentions import Entity, in_ascii, is_word
from .tables import GOODS, SYSTEM_ACCOUNTS, pattern, words
from .words import is_file_name, is_name, is_of_every_machine, is_ordinary, is_whole_address

# Quick tests: most texts match none of these, and skip the slower searches.
_SECRET_SIGN = re.compile(
    r"[\w+/=-]{20}|://|-----begin|pass|pwd|secret|token|api(?:[ _-]?|:\s*)key|authorization|"
    r"kennwort|contraseñ|wachtwoord|parola|senha|hasło|otp|\bpin\b|\btan\b|\bcv[vc]|mdp|code\b|código|"
    r"codice|geheimzahl|zugangs|losung|schlüssel|sleutel|clave|clé|chiave|curl|wget|mysql"
)
_USER_SIGNS = (
    "\\", "~", "/home", "/users", "mail/", "cron", "media/", "sudo", "%2f", "%5c", "rw-", "r--",
    "rwx", "pts/", " tty", ":x:", " 0.0 ", "uid=", "cn=", "acct", "logname", "samaccountname=",
    "user=", "user '", 'user "', "user:", "user':", 'user":', "<user", "user>", "username",
    "user.name", "user slice", "net user", "localgroup", "--user", "--owner", "--login", "--as",
    "--author", "--reviewer", "name=", "ssh", "sftp", "scp ", "rsync", "git@", "git+", '] "', "]$",
    "]#", ":/", "chown", "chgrp", "setfacl", "icacls", "useradd", "adduser", "userdel", "deluser",
    "usermod", "passwd", "chage", "su -", "# su", "$ su", "su:", "su[", "ps -", "kill", "psql",
    "pg_", "mysql", "mongo", "curl", "wget", "role '", 'role "', "count '", 'count "', "login '",
    'login "', "for '", "'@'", '"@"', "`@`", "to=<", " * ", "@reboot", "@daily", "@hourly",
    "@weekly", "@monthly", " login", "login ", "logon ", "logout ", "for user", "of user", "user ",
    "owner>", "account>", "doas", "docker", "podman", "finger ", "groups ", "all=(", " all =",
    " | ", "password ", "auth", ") reload", "/grant", "/deny", "\n<", " <", " has joined",
    " has left", " has quit", "is now known", "sets mode", "todo(", "fixme(", "hack(", "xxx(",
)  # fmt: skip
BEFORE_USER = 60  # characters before a user name in a sentence that show that it is one
# In sentences that tell the name of a user.
_TOLD_SIGNS = (
    "login", "log-in", "user", "screen", "nick", "gamertag", "account ", "profile ", " by ", " (",
)  # fmt: skip
_NO_NAMES = GOODS | words("FILE_WORDS")
_STEM = re.compile(r"[\w.-]{1,100}")  # of a file's name, read backwards
_ADDRESS = re.compile(r"://|www\.|@")
_PIECE = re.compile(r"[^\W\d_]{4,}")
_WORDS_BEFORE = re.compile(r"\b[^\W\da-z_][^\W\d_]{1,20}")  # with capitals
MIN_OF_NAME = 4  # letters of a name within a user name
_MAIL = re.compile(
    r"(?<![\w.+'’@/\\-])\w[\w.+'’-]{0,63}@[^\W_][\w-]{0,62}(?:\.[\w-]{1,63}){0,4}\.[^\W\d_]{2,24}"
    r"(?![\w@-]|:[/~\w\\]|\.\w)"
)


def accounts_in(text: str) -> Iterator[Entity]:
    """Yield the secrets, the addresses with a host of one word and the user names of a text, and
    names of persons in names of files, in characters."""
    lower = text.lower()
    secrets = list[Entity]()
    if _SECRET_SIGN.search(lower):
        for match in pattern("SECRET").finditer(text):
            secrets.append(Entity("SECRET", *_in_query(text, *match.span(match.lastindex or 0))))
    yield from secrets
    yield from _addresses_in(text, lower, secrets)
    if "@" in text:
        yield from _mails_in(text)
    yield from _users_in(text, lower)
    for match in pattern("FILE_END").finditer(text):
        yield from (Entity("USERNAME", *span) for span in _names_in_file(text, match.start()))


def _users_in(text: str, lower: str) -> Iterator[Entity]:
    """Yield the user names of paths, logs, commands and sentences, in characters."""
    if any(sign in lower for sign in _USER_SIGNS):
        for name in ("USER_PATH", "USER_WORD"):
            for match in pattern(name).finditer(text):
                groups = (i for i, part in enumerate(match.groups(), 1) if part)
                named = (i for i in groups if _names_user(match[i], name == "USER_PATH"))
                yield from (Entity(_label_of(match[i]), *match.span(i)) for i in named)
    if any(sign in lower for sign in _TOLD_SIGNS):
        for match in filter(_is_told, pattern("USER_TOLD").finditer(text)):
            yield Entity("USERNAME", *match.span(match.lastindex or 0))


def _in_query(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the extent of a secret, which in the query of an address ends with its field."""
    run = text[max(start - 300, 0) : start].rpartition(" ")[2]
    field = text.find("&", start + 1, end) if "://" in run and "?" in run else -1
    return start, end if field < 0 else field


def _addresses_in(text: str, lower: str, secrets: Sequence[Entity]) -> Iterator[Entity]:
    """Yield the addresses that tokenizers split or join: with a host of one word, and of links in
    Markdown, without the label of the link. They end before a secret, which may be asked for alone.
    """
    for name, sign in (("SHORT_HOST", "://"), ("HOST_OF_USER", "://"), ("LINK", "](")):
        for match in pattern(name).finditer(text) if sign in lower else ():
            label = str(match.lastgroup or "URL")
            start, end = match.span(match.lastindex or 0)
            end = min([end, *(secret.start for secret in secrets if secret.end > start)])
            if end > start and not is_of_every_machine(text[start:end]):
                yield Entity(label, start, end)


def whole_addresses(doc: Doc, accounts: Sequence[Entity]) -> Iterator[Entity]:
    """Yield the addresses of mail and of the web, in characters, whatever is in them: a date, the
    number of an account, a name (https://corp.com/lind?dob=1964-03-12). A secret is no part of one,
    as it may be asked for alone. accounts: those of the text, of which some are addresses."""
    found = [account for account in accounts if account.label in ("EMAIL", "URL")]
    yield from found
    flags = doc.to_array([LIKE_EMAIL, LIKE_URL])
    if not flags.any():
        return
    # Nor is the user of a machine a part of one of mail: jane@10.0.0.5:notes.
    users = [account for account in accounts if account.label == "USERNAME"]
    taken = {"URL": _Spans(found), "EMAIL": _Spans([*found, *users])}
    secrets = _Spans([account for account in accounts if account.label == "SECRET"])
    for i in np.nonzero(flags.any(axis=1))[0].tolist():
        start, end = doc[i].idx, doc[i].idx + len(doc[i])
        is_in_path = i > 0 and doc[i - 1].text[-1] in "/\\" and not doc[i - 1].whitespace_
        label = "EMAIL" if flags[i, 0] else "URL"
        is_free = not is_in_path and not taken[label].within(start, end)
        if is_free and is_whole_address(label, doc[i].text):
            yield from _beside(secrets.within(start, end), Entity(label, start, end))


class _Spans:
    """The extents of entities, which may overlap, in characters."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        self._spans = sorted((start, end) for _, start, end in entities)
        self._last = [*accumulate((end for _, end in self._spans), max)]  # the ends up to each

    def within(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return those that have a part between two places."""
        i = bisect_right(self._last, start)
        return [*takewhile(lambda span: span[0] < end, islice(self._spans, i, None))]


def _beside(secrets: Iterable[tuple[int, int]], address: Entity) -> Iterator[Entity]:
    """Yield the parts of an address before and behind the secrets within it, in characters."""
    label, start, last = address
    for first, end in secrets:
        if start < first:
            yield Entity(label, start, first)
        start = max(end, start)
    if start < last:
        yield Entity(label, start, last)


def _mails_in(text: str) -> Iterator[Entity]:
    """Yield the addresses of mail that a tokenizer joins to what stands before them, as in
    RCPT TO:<jane@corp.com> and mail=jane@corp.com, and those with accents or an apostrophe.
    Within an address of the web there are none."""
    for match in _MAIL.finditer(text):
        start = match.start()
        run = text[max(start - 99, 0) : start].rpartition(" ")[2].rpartition("\n")[2]
        is_joined = bool(run) and "://" not in run
        if is_joined or "'" in match[0] or not match[0].isascii():
            yield Entity("EMAIL", *match.span())


def _label_of(name: str) -> str:
    """Return PERSON for a user who is named as a person is: user Maria Lopez logged in."""
    return "PERSON" if name.istitle() and is_name(name) else "USERNAME"


def _names_in_file(text: str, end: int) -> Iterator[tuple[int, int]]:
    """Yield the names of persons in the name of a file whose ending begins at `end`. In an address
    there are none, as it is an entity itself."""
    before = text[max(end - 200, 0) : end]
    stem = _STEM.match(before[::-1])
    if stem is None or _ADDRESS.search(before.split()[-1]):
        return
    start = end - stem.end()
    for match in _PIECE.finditer(text[start:end].lower()):
        word = match[0]
        if is_name(word) and not is_word(word) and word not in _NO_NAMES:
            yield start + match.start(), start + match.end()


def _is_told(match: re.Match[str]) -> bool:
    """Return whether what a sentence tells to be a user name is none of a system, and no ordinary
    word; behind "by" it has a listed name in it (jlind, noor-h), in brackets it is made of the name
    before them."""
    name, kind = match[match.lastindex or 0], str(match.lastgroup).upper()
    before = match.string[max(match.start() - BEFORE_USER, 0) : match.start()]
    if kind == "BEHIND":
        return _is_made_of(name, _WORDS_BEFORE.findall(before))
    if kind == "JOINED":
        return not is_ordinary(name.partition("_")[0].lower())
    if kind != "OF" and pattern(f"BEFORE_USER_{kind}").search(before) is None:
        return False
    pieces = [piece for piece in re.split(r"[\d_.-]+", name.lower()) if len(piece) > 2]
    if name in SYSTEM_ACCOUNTS or is_file_name(name) or not pieces:
        return False
    if kind == "BY":
        forms = [form for piece in pieces for form in (piece, piece[1:], piece[:-1])]
        return not any(map(is_ordinary, pieces)) and any(map(is_name, forms))
    return not all(is_ordinary(piece) and not is_name(piece) for piece in pieces)


def _is_made_of(name: str, words: list[str]) -> bool:
    """Return whether a user name begins with one of the last three words with capitals before it,
    or is the last behind an initial: Dónal Mac Giolla (donalmg), Ada Lind (alind)."""
    parts = [plain for word in words[-3:] for plain in in_ascii(word.lower()) or (word.lower(),)]
    begins = any(len(part) >= MIN_OF_NAME and name.startswith(part) for part in parts)
    return begins or (bool(parts) and len(parts[-1]) >= MIN_OF_NAME and name[1:] == parts[-1])


def _names_user(name: str, is_sure: bool) -> bool:
    """Return whether a user name is neither a system's nor a file, nor a common word where its
    place says little."""
    lower = name.lower()
    if lower in SYSTEM_ACCOUNTS or is_file_name(lower):
        return False
    return is_sure or not is_word(lower) or is_name(lower)
