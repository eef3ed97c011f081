"""The receipt of a run as one page, for whoever signs the release: HTML that loads nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from ..about import __version__
from ..pipeline.describe import plural
from .statements import QUESTIONS, alarms, statements
from .tally import Tally

# The print fits one sheet of A4.
STYLE = """
body { font: 11pt/1.4 system-ui, sans-serif; color: #1d1f23; background: #fff; max-width: 46rem;
  margin: 0 auto; padding: 1rem; }
h1 { font-size: 15pt; margin: 0; } h2 { font-size: 12pt; margin: .9em 0 .2em; }
p, ul, ol { margin: .2em 0; } ul, ol { padding-left: 1.3em; } .small { color: #555b63; }
.alarm { border: 2px solid #b00020; color: #b00020; padding: .3em .6em; font-weight: 700; }
.sign { border-top: 1px solid #1d1f23; margin-top: 2.4em; padding-top: .3em; }
@page { size: A4; margin: 14mm; }
@media print { body { font-size: 9pt; padding: 0; max-width: none; } }
"""


def receipt_page(tally: Tally) -> str:
    """Return the page of a run. It holds no text of documents."""
    count, parts = tally.count, list[str]()
    counted = f"{plural(count.documents, 'document')}, {count.tokens:,} words and signs"
    for alarm in alarms(tally):
        parts.append(f'<p class="alarm" role="alert">{escape(alarm)}</p>')
    for question, answer in zip(QUESTIONS, statements(tally), strict=True):
        kind = "ol" if question is QUESTIONS.actions else "ul"
        parts.append(f"<h2>{escape(question)}</h2>\n{_items(kind, answer.sentences)}")
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta http-equiv="Content-Security-Policy" '
            "content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            f"<title>Receipt of sanitised texts</title>\n<style>{STYLE}</style>\n</head>\n<body>",
            f"<h1>Receipt of sanitised texts</h1>\n<p>{escape(counted)}.</p>",
            *parts,
            '<p class="sign">Release, name, date, signature</p>',
            f'<p class="small">Made by spacy_dxprivacy {escape(__version__)}, from the receipt in '
            "full (JSON, for experts). It is no legal advice.</p>\n</body>\n</html>\n",
        ]
    )


def _items(kind: str, sentences: Iterable[str]) -> str:
    marked = (re.sub("`(.+?)`", r"<code>\1</code>", escape(sentence)) for sentence in sentences)
    rows = "\n".join(f"<li>{sentence}</li>" for sentence in marked)
    return f"<{kind}>\n{rows}\n</{kind}>"
