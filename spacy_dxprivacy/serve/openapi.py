"""What the OpenAPI document says of bodies and answers: routes read them by hand."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

DESCRIPTION = (
    "Text in, sanitised text out, under metric differential privacy. Every text is drawn anew at "
    "every request, and what a caller was given adds up. /about has the guarantee."
)
_STRING = {"type": "string"}
_ERROR = {
    "type": "object",
    "properties": {"error": {**_STRING, "description": "A sentence; it holds nothing of a text."}},
}
_ERRORS = {
    "400": "no JSON", "401": "no token, or a wrong one", "403": "the budget is spent",
    "408": "the body was too slow", "413": "too much", "415": "another content type",
    "422": "not what the route takes, or a text that cannot be sanitised",
    "429": "too many requests", "503": "busy", "504": "it took too long",
}  # fmt: skip
_RECEIPT = {
    "type": "object",
    "properties": {
        **{
            name: {"type": "integer"}
            for name in ("tokens", "perturbed", "unknown", "kept", "draws")
        },
        "epsilon": {"type": "number", "description": "Of the text: its words add up."},
    },
}
_NOTE = "Maria told her doctor in London that she sleeps badly."


def _object(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required,
            "additionalProperties": False}  # fmt: skip


def _content(schema: dict[str, Any], example: Any, kind: str = "application/json") -> Any:
    return {kind: {"schema": schema, "example": example}}


def _route(body: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    errors = {
        status: {"description": why, "content": {"application/json": {"schema": _ERROR}}}
        for status, why in _ERRORS.items()
    }
    responses = {"200": {"description": "What was drawn", "content": answer}, **errors}
    return {"requestBody": {"required": True, "content": body}, "responses": responses}


_RECEIPTS = {"type": "boolean", "default": False, "description": "Tell what was done, too."}
_ONE = _object(["text"], text=_STRING, receipts=_RECEIPTS)
_MANY = _object(["texts"], texts={"type": "array", "items": _STRING}, receipts=_RECEIPTS)
_ONE_OUT = _object([], text=_STRING, receipt=_RECEIPT)
_MANY_OUT = _object(
    ["texts"],
    texts={"type": "array", "items": {"type": ["string", "null"]}},
    errors={"type": "object", "additionalProperties": _STRING},
    receipts={"type": "array", "items": _RECEIPT},
)
SANITIZE = _route(
    {
        **_content({"oneOf": [_ONE, _MANY]}, {"text": _NOTE}),
        **_content(_ONE, {"text": _NOTE}, "application/x-ndjson"),
    },
    {
        **_content({"oneOf": [_ONE_OUT, _MANY_OUT]}, {"text": "Lee told his sister in Ghent."}),
        **_content(_ONE_OUT, {"text": "Lee told his sister."}, "application/x-ndjson"),
    },
)
_SPAN = {"start": {"type": "integer"}, "end": {"type": "integer"}, "entity_type": _STRING}
_FOUND = {"type": "object", "properties": {**_SPAN, "score": {"type": "number"}}}
_OPERATOR = {"type": "object", "properties": {"type": _STRING}, "required": ["type"]}
ANONYMIZE = _route(
    _content(
        _object(
            ["text", "analyzer_results"],
            text=_STRING,
            analyzer_results={"type": "array", "items": _FOUND},
            anonymizers={"type": "object", "additionalProperties": _OPERATOR},
        ),
        {
            "text": _NOTE,
            "analyzer_results": [{"start": 0, "end": 5, "score": 0.9, "entity_type": "PERSON"}],
            "anonymizers": {"DEFAULT": {"type": "dx"}},
        },
    ),
    _content(
        {
            "type": "object",
            "properties": {
                "text": _STRING,
                "items": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {**_SPAN, "text": _STRING, "operator": _STRING},
                    },
                },
            },
        },
        {"text": "Lee told her doctor in London that she sleeps badly.", "items": []},
    ),
)


def wants_tokens(app: FastAPI) -> None:
    """Puts the bearer token into the document. It is made once, here."""
    document = app.openapi()
    schemes = document.setdefault("components", {}).setdefault("securitySchemes", {})
    schemes["token"] = {"type": "http", "scheme": "bearer"}
    document["security"] = [{"token": []}, {}]
