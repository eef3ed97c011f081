"""The service until it is stopped: uvicorn, told to write nothing of a request anywhere."""

from __future__ import annotations

import logging
import os
import signal
import stat
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from spacy.language import Language

from ..batch.build import the_sanitizer
from ..component import DxSanitizer
from ..errors import DxError, Errors, UsageError
from ..machine.hosts import Asgi, is_loopback
from ..validate import whole
from .callers import Callers, read_callers
from .desk import make_desk
from .guard import LOG
from .ledger import Ledger
from .limits import Arrivals, Limits
from .workers import Nursery

if TYPE_CHECKING:
    import uvicorn

NEEDED = ("fastapi", "uvicorn")
PATIENCE = 30  # seconds for requests that are under way when it is told to stop


@dataclass(frozen=True)
class Service:
    """address and port: where it listens. hosts: names besides those of this machine by which it
    may be asked. tokens: the file of callers; without one, everybody on this machine may ask.
    budget: the most epsilon of a caller. ledger: the file that keeps what was given.

    Raises UsageError for an address that others can reach without tokens or names of hosts, and for
    a budget that nothing keeps.
    """

    address: str = "127.0.0.1"
    port: int = 8000
    hosts: Sequence[str] = ()
    tokens: Path | None = None
    budget: float | None = None
    ledger: Path | None = None
    n_process: int = 1
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        whole("port", self.port, least=0)
        whole("n_process", self.n_process, least=1)
        if not is_loopback(self.address):
            if self.tokens is None:
                raise UsageError(
                    "others can reach this `address`: give `tokens`, a file of who may ask."
                )
            if not self.hosts:
                raise UsageError(
                    "others can reach this `address`: give `host`, the names by which they ask."
                )
        if self.budget is not None and self.ledger is None:
            raise UsageError("a `budget` has to outlast the service: give `ledger`, a file.")


def check_extra() -> None:
    """Raises DxError with what to type where a library of the extra is missing."""
    missing = " and ".join(name for name in NEEDED if find_spec(name) is None)
    if missing:
        raise DxError(Errors.DX074.format(what="The service", package=missing, extra="serve"))


def serve(nlp: Language, service: Service, *, ready: Callable[[str], None]) -> None:
    """Answer requests until SIGTERM or Ctrl-C; what is under way then is finished first. ready:
    told where it listens. Raises DxError where files do not fit, KeyboardInterrupt for Ctrl-C."""
    from .app import make_app

    terms = the_sanitizer(nlp).terms
    if terms.seeded:
        raise DxError(Errors.DX072)
    _check_keys(nlp)
    if service.budget is not None and terms.numbers is not None:
        raise UsageError("a `budget` is of words: numbers have an epsilon of another metric.")
    callers = Callers() if service.tokens is None else read_callers(service.tokens)
    _check_private(service.ledger)
    _quiet()
    # The nursery comes before files and threads, which it would copy.
    with closing(Nursery(nlp, service.n_process)) as nursery:
        with closing(Ledger(service.ledger, terms.guarantee, service.budget)) as ledger:
            desk = make_desk(nursery, terms, callers, ledger, service.limits)
            server = make_server(make_app(desk, hosts=service.hosts), service)
            # uvicorn raises the signal once more when it has stopped: that ends in peace.
            before = signal.signal(signal.SIGTERM, lambda number, frame: None)
            try:
                where = f"[{service.address}]" if ":" in service.address else service.address
                ready(f"http://{where}:{service.port}")
                server.run()
            finally:
                signal.signal(signal.SIGTERM, before)
                desk.engine.close()


def make_server(app: Asgi, service: Service) -> uvicorn.Server:
    """Return a server that writes nothing of a request anywhere."""
    import uvicorn

    from .connection import Connection

    most, seconds = service.limits.requests, service.limits.seconds
    heads = Arrivals(most, max(1, most // 2))
    return uvicorn.Server(uvicorn.Config(
        app, host=service.address, port=service.port,
        http=partial(Connection, arrivals=heads, seconds=seconds),  # type: ignore[arg-type]
        access_log=False, log_config=None, server_header=False, date_header=False,
        proxy_headers=False, ws="none", lifespan="off", backlog=2048,
        timeout_keep_alive=10, timeout_graceful_shutdown=PATIENCE,
    ))  # fmt: skip


def _quiet() -> None:
    """Of uvicorn nothing is written: its tracebacks quote. Of ours, kinds and places of errors."""
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    if not LOG.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("dx serve: %(message)s"))
        LOG.addHandler(handler)


def _check_keys(nlp: Language) -> None:
    """Raises UsageError for a key that callers would share: a sanitizer makes new Docs, which do
    not say whose they are."""
    found = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, DxSanitizer)]
    told = [one for pipe in found[1:] for one in (pipe.terms.surrogates or {}).values()]
    if any("key_id" in one for one in told):
        raise UsageError("the first sanitizer of a pipeline alone may have a `key` in the service.")


def _check_private(path: Path | None) -> None:
    """Raises DxError for a ledger that others can read: it has the names of callers."""
    if path is None or os.name != "posix" or not path.exists():
        return
    if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        why = "others can read it, and may have done so (mode 600 keeps them out)"
        raise DxError(Errors.DX144.format(path=path, what="a ledger", why=why))
