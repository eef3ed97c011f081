"""Lines that wrapped, indented, quoted or commented text broke, joined again."""

from __future__ import annotations

import re

# Between two lines: with the signs of quoted mail, comments and tables.
LINE_END = re.compile(r"(?<=[\w,.=@-])[ \t]*\r?\n[ \t]*(?:(?:[>|#*]|//|--)[ \t]*){0,9}(?=[\w(@+])")


def joint_of(before: str, after: str) -> tuple[str, str]:
    """Return the end of a line without the sign of a soft break, and what stands between the lines
    once they are joined: nothing in a number with a hyphen or in an address of mail."""
    if before.endswith("=") and not before.endswith(" ="):
        return before[:-1], ""
    is_one = before.endswith(("-", "@")) or after.startswith("@")
    return before, "" if is_one else " "


def unwrap(text: str) -> str:
    """Return a mention on one line."""
    if "\n" not in text:
        return text
    done = ""
    for line in LINE_END.split(text):
        before, joint = joint_of(done, line)
        done = f"{before}{joint}{line}" if done else line
    return done
