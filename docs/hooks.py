"""What mkdocs calls while it builds the site."""

from __future__ import annotations

import re
from typing import Any

from latex2mathml.converter import convert

# [`configs/`](../configs): right where the docs are read in the repository, and not on the site.
# tests/test_docs.py checks that these lead somewhere.
BEYOND = re.compile(r"\[([^\]]+)\]\(\.\./[^)]*\)")
# A formula between lines of $$, as code hosts set them. Here it becomes MathML, which browsers set
# by themselves: the site loads no script and no font for it.
FORMULA = re.compile(r"^\$\$\n(.+?)\n\$\$$", re.M | re.S)


def on_page_markdown(markdown: str, **_: Any) -> str:
    return FORMULA.sub(_set, BEYOND.sub(r"\1", markdown))


def _set(found: re.Match[str]) -> str:
    formula = " ".join(found[1].split())
    return f'<div class="formula">{convert(formula, display="block")}</div>'
