"""What mkdocs calls while it builds the site."""

from __future__ import annotations

import re
from typing import Any

# [`configs/`](../configs): right where the docs are read in the repository, and not on the site.
# tests/test_docs.py checks that these lead somewhere.
BEYOND = re.compile(r"\[([^\]]+)\]\(\.\./[^)]*\)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    return BEYOND.sub(r"\1", markdown)
