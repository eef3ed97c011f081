"""Texts before and after, side by side: a page for the eyes of who holds the originals."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ...batch.preview import Preview
from .entity_mode import Left

_STYLE = """
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; table-layout: fixed; }
table.counts { width: auto; }
td, th { text-align: left; vertical-align: top; padding: .4rem .8rem; border-top: 1px solid #8886; }
td.text { white-space: pre-wrap; overflow-wrap: anywhere; }
td.n { text-align: right; }
del { background: #f003; text-decoration: none; } ins { background: #0a04; text-decoration: none; }
.warn { border-left: .3rem solid #c00; padding-left: .8rem; }
"""


def side_by_side(previews: Sequence[Preview], left: Left) -> str:
    """An HTML page that needs nothing else. It shows the originals: keep it as they are kept."""
    rows = "\n".join(_row(preview) for preview in previews)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>Before and after</title><style>{_STYLE}</style></head><body>"
        "<h1>Before and after</h1>"
        '<p class="warn">The left column holds the originals: keep this page as you keep them.'
        " What is not marked stays as it was, whether it names somebody or not.</p>"
        f"{_counts(left)}"
        "<table><thead><tr><th>before</th><th>after</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></body></html>\n"
    )


def _counts(left: Left) -> str:
    rows = "".join(
        f"<tr><td>{escape(label)}</td>"
        + "".join(f'<td class="n">{of[what]}</td>' for what in ("found", "replaced", "kept"))
        + "</tr>"
        for label, of in sorted(left.counts.items())
    )
    head = "<tr><th>label</th><th>found</th><th>replaced</th><th>kept</th></tr>"
    told = (
        f"<p>{left.changed} of {left.words} words changed, stand-ins: {escape(left.setting)}.</p>"
    )
    return f'{told}<table class="counts"><thead>{head}</thead><tbody>{rows}</tbody></table>'


def _row(preview: Preview) -> str:
    if preview.why:
        return f'<tr><td colspan="2">{preview.number}: {escape(preview.why)}</td></tr>'
    before, after = _marked(preview.before, "del"), _marked(preview.after, "ins")
    return f'<tr><td class="text">{before}</td><td class="text">{after}</td></tr>'


def _marked(pieces: Sequence[tuple[str, bool]], tag: str) -> str:
    return "".join(
        f"<{tag}>{escape(piece)}</{tag}>" if changed and piece.strip() else escape(piece)
        for piece, changed in pieces
    )
