"""Run the service until it is stopped: uvicorn, its workers, and what each of them makes."""

from __future__ import annotations

import dataclasses
import logging
import os
import signal
import tempfile
import threading
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from spacy.language import Language

from ...config import PipelineOptions, ServiceOptions
from ...errors import DxError, Errors, UsageError
from ...io.build import make_pipeline, the_sanitizer
from ...io.results import end_with_parent
from ...pipeline.component import DxSanitizer
from ...privacy.guarantee import Guarantee
from .callers import Callers, Ledger, read_callers

if TYPE_CHECKING:
    from fastapi import FastAPI

SETTINGS = "DX_SERVICE_SETTINGS"  # in the environment: JSON of the options, no secrets
Settings = tuple[PipelineOptions, ServiceOptions]
QUIET = ("uvicorn", "asyncio", "httpx", "httpcore")  # their tracebacks and messages quote texts
PATIENCE = 30  # seconds for requests that are under way at SIGTERM


def serve(
    pipeline: PipelineOptions,
    limits: ServiceOptions,
    guarantee: Guarantee,
    *,
    ready: Callable[[str], None],
) -> None:
    """Answer requests until SIGTERM or Ctrl-C; what is under way then is finished first.

    Args:
        pipeline: What sanitises.
        limits: Where and whom it serves, and how much.
        guarantee: Of the pipeline, as `check` returns it.
        ready: Called with the address of the service, before its workers start.

    Raises:
        DxError: The ledger does not fit.
    """
    import uvicorn
    from pydantic import TypeAdapter

    from .service import conversation_secret

    conversation_secret()
    with nullcontext("") if limits.ledger else tempfile.TemporaryDirectory() as folder:  # mode 700
        ledger = limits.ledger or Path(folder) / "spent.db"
        Ledger(ledger, guarantee, limits.budget).close()  # workers find a file that is in order
        both = pipeline, dataclasses.replace(limits, ledger=ledger)
        os.environ[SETTINGS] = TypeAdapter(Settings).dump_json(both).decode()
        # uvicorn raises the signal once more when it has stopped: that ends in peace.
        signal.signal(signal.SIGTERM, lambda number, frame: None)
        where = f"[{limits.address}]" if ":" in limits.address else limits.address
        ready(f"http://{where}:{limits.port}")
        uvicorn.run(
            f"{__name__}:create_app", factory=True, workers=limits.workers,
            host=limits.address, port=limits.port, limit_concurrency=limits.max_requests,
            http="h11", ws="none", lifespan="off", access_log=False, log_config=None,
            server_header=False, date_header=False, proxy_headers=False, backlog=2048,
            timeout_keep_alive=10, timeout_graceful_shutdown=PATIENCE,
        )  # fmt: skip


def create_app() -> FastAPI:
    """Return the application of a worker, by the settings in the environment."""
    from pydantic import TypeAdapter

    from .app import make_app
    from .service import Lane, Service

    threading.Thread(target=end_with_parent, daemon=True).start()  # even if it is killed
    warnings.simplefilter("ignore")  # those of spaCy may quote tokens
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    pipeline, limits = TypeAdapter(Settings).validate_json(os.environ[SETTINGS])
    pipelines = [make_pipeline(pipeline) for _ in range(2)]
    terms = the_sanitizer(pipelines[0]).terms
    ledger = Ledger(limits.ledger, terms.guarantee, limits.budget)
    small, large = (
        Lane(nlp, ledger, restorable=bool(limits.upstream), checked=pipeline.language is None)
        for nlp in pipelines
    )
    callers = Callers() if limits.tokens is None else read_callers(limits.tokens)
    return make_app(Service(small, large, terms, callers, ledger, limits))


def check(nlp: Language, limits: ServiceOptions) -> Guarantee:
    """Return the guarantee of a pipeline. Raise DxError for one that a service cannot have."""
    terms = the_sanitizer(nlp).terms
    if terms.seeded:
        raise DxError(Errors.DX072)
    # A later sanitizer gets new Docs, which do not say whose they are.
    later = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, DxSanitizer)][1:]
    parts = [part for pipe in later for part in (pipe.terms.surrogates or {}).values()]
    if any("key_id" in part for part in parts):
        raise UsageError("in the service, only the first sanitizer of a pipeline may have a `key`.")
    if limits.budget is not None and terms.numbers is not None:
        raise UsageError(
            "`budget` does not cover numbers, whose epsilon has another metric: leave one out."
        )
    if limits.upstream and not the_sanitizer(nlp).surrogates:
        raise UsageError("an `upstream` needs `entities`: only surrogates can be restored.")
    if limits.tokens is not None:
        read_callers(limits.tokens)
    return terms.guarantee
