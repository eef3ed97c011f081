"""The OpenAPI document as a page that loads nothing, from nowhere."""

from __future__ import annotations

import json
from html import escape
from typing import Any

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color-scheme:light dark}pre{overflow-x:auto;padding:.7rem;border:1px solid #8888;"
    "border-radius:6px}code,pre{font:14px/1.4 ui-monospace,monospace}"
    "table{border-collapse:collapse}"
    "td,th{padding:.2rem .8rem .2rem 0;text-align:left;vertical-align:top}"
)


def page(document: dict[str, Any]) -> str:
    """HTML. document: of OpenAPI."""
    title = escape(document["info"]["title"])
    routes = "".join(
        _route(path, method.upper(), told)
        for path, methods in document["paths"].items()
        for method, told in methods.items()
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style><h1>{title} {escape(document['info']['version'])}</h1>"
        f"<p>{escape(document['info']['description'])}</p>"
        f'<p><a href="openapi.json">openapi.json</a></p>{routes}</html>'
    )


def _route(path: str, method: str, told: dict[str, Any]) -> str:
    parts = [f"<h2><code>{method} {escape(path)}</code></h2>"]
    parts.append(f"<p>{escape(told.get('description', ''))}</p>")
    parts += _examples("Body", told.get("requestBody", {}).get("content", {}))
    responses = told.get("responses", {})
    parts += _examples("Answer", responses.get("200", {}).get("content", {}))
    rows = "".join(
        f"<tr><td>{escape(status)}</td><td>{escape(one['description'])}</td></tr>"
        for status, one in responses.items()
        if status != "200"
    )
    return "".join([*parts, f"<table>{rows}</table>" if rows else ""])


def _examples(name: str, content: dict[str, Any]) -> list[str]:
    return [
        f"<p>{name}, <code>{escape(kind)}</code></p>"
        f"<pre>{escape(json.dumps(one['example'], indent=2))}</pre>"
        for kind, one in content.items()
        if "example" in one
    ]
