"""A hook of a coding agent: what would send a name or an identifier to the model is stopped.

Claude Code and others run a command before they act, with the action as JSON on stdin, and stop
the action where it exits with status 2. In .claude/settings.json:

    {"hooks": {
      "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "python HOOK"}]}],
      "PreToolUse": [{"matcher": "Read|Bash|WebFetch",
                      "hooks": [{"type": "command", "command": "python HOOK"}]}]}}

where HOOK is the path of this file. It counts the mentions in a prompt, in the input of a tool, and
in the file that a tool is about to read. It says how many of which label, and never which. A hook
cannot change a text: `dx sanitize` does, and `dx proxy` does so on the way.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import spacy_dxprivacy as dx
from spacy_dxprivacy.io.build import make_pipeline

LABELS = "person,email,phone,address,id,secret"
MAX_BYTES = 2**20
STOP = 2  # the status with which a hook stops the action; all others let it pass


def texts_of(event: dict) -> list[str]:
    """Return what an action would send to the model."""
    given = event.get("tool_input") or {}
    path = given.get("file_path")
    texts = [event.get("prompt") or "", *(v for v in given.values() if isinstance(v, str))]
    texts = [text for text in texts if text != path]  # paths name users of this machine
    if path and Path(path).is_file():
        texts.append(Path(path).read_bytes()[:MAX_BYTES].decode("utf8", "replace"))
    return [text for text in texts if text.strip()]


def count(texts: list[str]) -> Counter:
    """Return the numbers of mentions by label."""
    nlp, counts = make_pipeline(entities=LABELS), Counter()
    for doc in nlp.pipe(texts):
        for label, mentions in doc._.dx.count.mentions.items():
            counts[label] += mentions["found"]
    return +counts


def main() -> int:
    """Read an action on stdin, and return the status of the hook."""
    try:
        found = count(texts_of(json.load(sys.stdin)))
    except Exception as error:  # what cannot be checked is stopped
        why = str(error) if isinstance(error, dx.DxError) else type(error).__name__
        print(f"not checked, so it is stopped: {why}", file=sys.stderr)
        return STOP
    if not found:
        return 0
    listed = ", ".join(f"{number} {label}" for label, number in sorted(found.items()))
    remedy = f"Sanitise it first: dx sanitize FILE OUT --entities {LABELS}"
    print(f"it holds {listed}. {remedy}", file=sys.stderr)
    return STOP


if __name__ == "__main__":
    sys.exit(main())
