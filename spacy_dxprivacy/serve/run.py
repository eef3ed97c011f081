"""The service until it is stopped. Nothing of a request is logged, cached or stored."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacy.language import Language

from ..batch.build import the_sanitizer
from ..errors import DxError, Errors, UsageError
from ..machine.hosts import is_loopback
from ..pipeline.component import DxSanitizer
from ..validate import needs, whole
from .callers import Arrivals, Callers, Ledger, Limits, read_callers

if TYPE_CHECKING:
    import uvicorn

PATIENCE = 30  # seconds for requests that are under way at SIGTERM


@dataclass(frozen=True)
class Service:
    """Where it listens, whom it answers, and how much.

    Raises:
        UsageError: Others can reach the address, without tokens or names of hosts; or nothing keeps
            the budget.
    """

    address: str = "127.0.0.1"
    port: int = 8000
    hosts: Sequence[str] = ()  # names besides those of this machine by which it may be asked
    tokens: Path | None = None  # the file of callers; without one, everybody here may ask
    budget: float | None = None  # the most epsilon of a caller
    ledger: Path | None = None
    n_process: int = 1
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        whole("port", self.port, least=0)
        whole("n_process", self.n_process, least=1)
        reach = "others can reach this `address`: give"
        if not is_loopback(self.address) and self.tokens is None:
            raise UsageError(f"{reach} `tokens`, a file of who may ask.")
        if not is_loopback(self.address) and not self.hosts:
            raise UsageError(f"{reach} `host`, the names by which they ask.")
        if self.budget is not None and self.ledger is None:
            raise UsageError("a `budget` has to outlast the service: give `ledger`, a file.")


def check_extra() -> None:
    """Raise DxError with what to type where a library of the extra is missing."""
    for package in ("fastapi", "uvicorn"):
        needs(package, "The service", extra="serve")


def serve(nlp: Language, service: Service, *, ready: Callable[[str], None]) -> None:
    """Answer requests until SIGTERM or Ctrl-C; what is under way then is finished first.

    Args:
        ready: Is called with the address of the service.

    Raises:
        DxError: Files or the pipeline do not fit.
        KeyboardInterrupt: Ctrl-C.
    """
    from .app import make_app
    from .desk import Desk
    from .workers import Nursery

    terms = the_sanitizer(nlp).terms
    if terms.seeded:
        raise DxError(Errors.DX072)
    # A later sanitizer gets new Docs, which do not say whose they are.
    later = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, DxSanitizer)][1:]
    parts = [part for pipe in later for part in (pipe.terms.surrogates or {}).values()]
    if any("key_id" in part for part in parts):
        raise UsageError("the first sanitizer of a pipeline alone may have a `key` in the service.")
    if service.budget is not None and terms.numbers is not None:
        raise UsageError("a `budget` is of words: numbers have an epsilon of another metric.")
    callers = Callers() if service.tokens is None else read_callers(service.tokens)
    # The nursery comes before files and threads, which it would copy.
    with closing(Nursery(nlp, service.n_process)) as nursery:
        with closing(Ledger(service.ledger, terms.guarantee, service.budget)) as ledger:
            desk = Desk(nursery, terms, callers, ledger, service.limits)
            server = make_server(make_app(desk, hosts=service.hosts), service)
            # uvicorn raises the signal once more when it has stopped: that ends in peace.
            before = signal.signal(signal.SIGTERM, lambda number, frame: None)
            try:
                where = f"[{service.address}]" if ":" in service.address else service.address
                ready(f"http://{where}:{service.port}")
                server.run()
            finally:
                signal.signal(signal.SIGTERM, before)
                desk.close()


def make_server(app: Any, service: Service) -> uvicorn.Server:
    """Return a server that writes nothing of a request anywhere."""
    import uvicorn

    from .guard import LOG, Connection

    # Tracebacks of uvicorn quote. Ours are kinds and places of errors.
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    if not LOG.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("dx serve: %(message)s"))
        LOG.addHandler(handler)
    most, seconds = service.limits.requests, service.limits.seconds
    heads = Arrivals(most, max(1, most // 2))
    return uvicorn.Server(uvicorn.Config(
        app, host=service.address, port=service.port,
        http=partial(Connection, arrivals=heads, seconds=seconds),  # type: ignore[arg-type]
        access_log=False, log_config=None, server_header=False, date_header=False,
        proxy_headers=False, ws="none", lifespan="off", backlog=2048,
        timeout_keep_alive=10, timeout_graceful_shutdown=PATIENCE,
    ))  # fmt: skip
