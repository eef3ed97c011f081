"""Run the service until it is stopped."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any

from spacy.language import Language

from ...config import ServiceOptions
from ...errors import DxError, Errors, UsageError
from ...io.build import the_sanitizer
from ...pipeline.component import DxSanitizer
from .callers import Callers, Ledger, read_callers

if TYPE_CHECKING:
    import uvicorn

HTTP = ("httpx", "httpcore", "httpcore.http11", "httpcore.connection")
PATIENCE = 30  # seconds for requests that are under way at SIGTERM


def serve(
    nlp: Language, limits: ServiceOptions, n_process: int = 1, *, ready: Callable[[str], None],
    checked: bool = True,
) -> None:  # fmt: skip
    """Answer requests until SIGTERM or Ctrl-C; what is under way then is finished first.

    n_process: workers; two at least are started. ready: called with the address of the service.
    checked: answer texts of languages that the pipeline does not cover with an error.
    Raises DxError where files or the pipeline do not fit.
    """
    from .app import make_app
    from .scheduler import Scheduler
    from .workers import ForkServer

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
    callers = Callers() if limits.tokens is None else read_callers(limits.tokens)
    # The fork server comes before files and threads, which it would copy.
    restorable = bool(limits.upstream)
    with closing(ForkServer(nlp, n_process, restorable=restorable, checked=checked)) as fork_server:
        with closing(Ledger(limits.ledger, terms.guarantee, limits.budget)) as ledger:
            scheduler = Scheduler(fork_server, terms, callers, ledger, limits)
            server = make_server(make_app(scheduler), limits)
            # uvicorn raises the signal once more when it has stopped: that ends in peace.
            before = signal.signal(signal.SIGTERM, lambda number, frame: None)
            try:
                where = f"[{limits.address}]" if ":" in limits.address else limits.address
                ready(f"http://{where}:{limits.port}")
                server.run()
            finally:
                signal.signal(signal.SIGTERM, before)
                scheduler.close()


def make_server(app: Any, limits: ServiceOptions) -> uvicorn.Server:
    """Return a server that writes nothing of a request anywhere."""
    import uvicorn

    from .connection import Arrivals, Connection
    from .guard import LOG

    # Tracebacks of uvicorn quote texts; ours are kinds and places of errors.
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "asyncio", *HTTP):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    if not LOG.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("dx serve: %(message)s"))
        LOG.addHandler(handler)
    connection = partial(
        Connection, arrivals=Arrivals(limits.max_requests), seconds=limits.max_seconds
    )
    return uvicorn.Server(uvicorn.Config(
        app, host=limits.address, port=limits.port, http=connection,  # type: ignore[arg-type]
        access_log=False, log_config=None, server_header=False, date_header=False,
        proxy_headers=False, ws="none", lifespan="off", backlog=2048,
        timeout_keep_alive=10, timeout_graceful_shutdown=PATIENCE,
    ))  # fmt: skip
