"""`dx`: the commands of spacy_dxprivacy as a program of their own, beside `python -m spacy dx`.

It lies beside the package, as an import of anything in the package imports spaCy, and that takes
longer than anybody waits for `dx --help`.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import metadata

COMMANDS = {
    "sanitize": "Replace the words of texts under metric differential privacy",
    "config": "Write a full config from options, check one, or print the defaults",
    "report": "A page for who may see the originals: what sanitising did",
    "audit": "Try to refute a guarantee, or look for what a release leaks",
    "attack": "Find out how much of sanitised texts an attacker can tell",
    "tune": "See what epsilon does to words, and find the one that meets a target",
    "inspect": "See what becomes of a word, and how likely",
    "space": "Make a space of word vectors, or join your words to the built-in one",
    "index": "Build an index of a large space",
    "prior": "Make public language of public texts",
    "key": "Make a secret key, for stand-ins and tables",
    "edit": "Let a language model go over what was released before",
    "restore": "Put the originals back into an answer",
    "serve": "Answer requests: a service with a budget for each caller",
    "playground": "Open a page to try all this on",
    "experiment": "Run the experiments of the papers",
    "verify": "Compare downloaded files with their digests",
    "completion": "Print what makes a shell complete these commands and their options",
}
FIRST = """Usage: dx COMMAND [OPTIONS]

Private text: words replaced under metric differential privacy (spacy_dxprivacy).

"""
LAST = """
`dx COMMAND --help` lists the options of a command. To begin with:

  dx sanitize --text "Maria told her doctor that she sleeps badly."
  dx sanitize notes.csv clean.csv --field note
"""


def main() -> None:
    """Runs the command that the arguments name."""
    arguments = sys.argv[1:]
    if arguments in ([], ["--help"], ["-h"]):
        rows = (f"  {name:<12}{line}\n" for name, line in COMMANDS.items())
        _print("".join([FIRST, "Commands:\n", *rows, LAST]))
    elif arguments == ["--version"]:
        _print(f"dx {_version()}\n")
    else:
        if _asks_for_help(arguments):
            with suppress(ImportError):  # then it takes as long as any command
                import dx_outline

                dx_outline.of(arguments[0])
        from spacy_dxprivacy.cli.program import run

        sys.exit(run())


def _asks_for_help(arguments: list[str]) -> bool:
    """Whether a command's options are asked for, and nothing else."""
    *names, last = arguments
    plain = not any(name.startswith("-") for name in names)
    return last == "--help" and plain and 0 < len(names) < 3 and names[0] in COMMANDS


def _print(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough: nothing is left to be flushed
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _version() -> str:
    try:
        return metadata.version("spacy-dxprivacy")
    except metadata.PackageNotFoundError:
        from spacy_dxprivacy.about import __version__

        return __version__


if __name__ == "__main__":
    main()
