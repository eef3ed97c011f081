"""Requests to a service, right and broken: each is answered, and no text is in an error."""

from __future__ import annotations

import asyncio
import json
from random import Random
from typing import Any

from asgi import asked
from spacy.language import Language

from spacy_dxprivacy.config import ServiceOptions
from spacy_dxprivacy.integrations.serve.app import make_app
from spacy_dxprivacy.integrations.serve.callers import Callers, Ledger
from spacy_dxprivacy.integrations.serve.service import Lane, Service
from spacy_dxprivacy.io.build import the_sanitizer

from . import generate
from .laws import leaked

PATHS = ("/sanitize", "/sanitize", "/anonymize", "/health", "/about", "/budget", "/nothing")
KINDS = ("application/json", "application/json", "application/json", "text/plain")


def service(nlp: Language) -> Any:
    """The application, without a network. Requests come one at a time, so a pipeline is enough."""
    terms = the_sanitizer(nlp).terms
    ledger = Ledger(None, terms.guarantee)
    lane = Lane(nlp, ledger)
    return make_app(Service(lane, lane, terms, Callers(), ledger, ServiceOptions()))


def check_requests(app: Any, rng: Random, many: int) -> dict[str, int]:
    """Of so many requests how many were answered by which status."""

    async def all_of_them() -> dict[str, int]:
        counts: dict[str, int] = {}
        for _ in range(many):
            path, body = rng.choice(PATHS), _body(rng)
            answer = await asked(app, path, body, content_type=rng.choice(KINDS))
            assert answer.status < 500, answer.status
            # Of /anonymize the caller says what goes, and by which name.
            if path != "/anonymize" or answer.status != 200:
                assert not leaked(answer.body.decode("utf8", "replace"), answer.headers)
            assert b"Traceback" not in answer.body
            counts[str(answer.status)] = counts.get(str(answer.status), 0) + 1
        return counts

    return asyncio.run(all_of_them())


def _body(rng: Random) -> bytes:
    texts = [generate.text(rng, 4) for _ in range(rng.randrange(4))]
    told: Any = rng.choice([
        {"text": generate.text(rng, 8)}, {"texts": texts}, {"texts": texts, "receipts": True},
        {"text": generate.text(rng, 8), "analyzer_results": [
            {"start": rng.randrange(9), "end": rng.randrange(40), "score": generate.value(rng),
             "entity_type": rng.choice(("PERSON", "Zorblattovich"))}]},
        {"text": generate.value(rng)}, generate.value(rng), texts,
    ])  # fmt: skip
    raw = json.dumps(told, default=str).encode()
    return raw if rng.random() < 0.8 else generate.damaged(rng, raw)
