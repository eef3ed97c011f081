"""Make docs/release.png: what stands in a release, in the colours of displaCy.

    python scripts/picture.py       # needs chromium

The text is that of README.md, sampled with the seed 1.
"""

from __future__ import annotations

import subprocess
import tempfile
from html import escape
from pathlib import Path

import spacy
from spacy import displacy

ROOT = Path(__file__).parents[1]
TEXT = (
    "Mrs. Eleanor Whitcombe is a 67-year-old retired teacher from Leeds. I've asked Dr. Okafor to "
    "see her on 14 March 2023. Mrs. Whitcombe lives with her daughter Ruth, and sleeps badly since "
    "she was admitted to St. James's Hospital."
)
SELECTOR = {"@dx_selectors": "dx.Entities.v1", "labels": ["PERSON", "DATE", "GPE", "ORG"]}
STYLE = "<style>body {margin: 12px 16px; background: #fff; font: 17px/1.5 sans-serif}</style>"


def main() -> None:
    before, sampled, entities = (spacy.blank("en") for _ in range(3))
    sampled.add_pipe("dx_sanitizer", config={"seed": 1})
    entities.add_pipe("dx_entity_recognizer")
    entities.add_pipe("dx_entity_sanitizer", config={"seed": 1, "selector": SELECTOR})
    before.add_pipe("dx_entity_recognizer")
    parts = [
        "<small>before</small>",
        displacy.render(before(TEXT), style="ent"),
        "<small><b>dx_entity_sanitizer</b>: names, dates and places replaced, for readers</small>",
        displacy.render(entities(TEXT), style="ent"),
        "<small><b>dx_sanitizer</b>: every word sampled, for training</small>",
        f"<p>{escape(sampled(TEXT).text)}</p>",
    ]
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(f"<meta charset=utf8>{STYLE}{''.join(parts)}", encoding="utf8")
        command = ["chromium", "--headless", "--no-sandbox", "--hide-scrollbars"]
        size = [f"--screenshot={ROOT / 'docs' / 'release.png'}", "--window-size=900,410"]
        subprocess.run([*command, *size, page.as_uri()], check=True, capture_output=True)


if __name__ == "__main__":
    main()
