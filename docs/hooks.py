"""What mkdocs calls while it builds the site."""

from __future__ import annotations

import re
from typing import Any

from latex2mathml.converter import convert

LINK = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+)[^)]*\)")
# A formula between lines of $$, as code hosts set them. Here it becomes MathML, which browsers set
# by themselves: the site loads no script and no font for it.
FORMULA = re.compile(r"^\$\$\n(.+?)\n\$\$$", re.M | re.S)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return the page without links that leave docs/, and with its formulas as MathML.

    [`configs/`](../configs) works where the docs are read in the repository, and not on the site.
    tests/docs/test_docs.py checks that these files exist.
    """
    depth = page.file.src_uri.count("/")
    inside = LINK.sub(lambda link: link[0] if link[2].count("/") <= depth else link[1], markdown)
    return FORMULA.sub(_set, inside)


def _set(found: re.Match[str]) -> str:
    formula = " ".join(found[1].split())
    return f'<div class="formula">{convert(formula, display="block")}</div>'
