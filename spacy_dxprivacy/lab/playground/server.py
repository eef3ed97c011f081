"""The server of the page: Streamlit's, on this machine alone, with all that it tells others off."""

from __future__ import annotations

import ipaddress
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ...errors import DxError, Errors
from ...machine.hosts import LoopbackNamesOnly
from . import current
from .workshop import Workshop

PAGE = Path(__file__).with_name("page.py")
NEEDED = ("streamlit", "matplotlib")
# They go before every config file and every environment variable of Streamlit.
OPTIONS = {
    "browser.gatherUsageStats": "false",
    "client.showErrorDetails": "none",  # an exception may quote a text
    "client.toolbarMode": "minimal",
    "global.developmentMode": "false",
    "logger.enableRich": "false",
    "logger.hideWelcomeMessage": "true",
    "logger.level": "critical",
    "runner.magicEnabled": "false",
    "server.enableCORS": "true",  # pages of others may not talk to this one
    "server.enableXsrfProtection": "true",
    "server.fileWatcherType": "none",
    "server.headless": "true",  # or it asks for an e-mail address, and opens a browser
    "server.runOnSave": "false",
    # Words in Streamlit's own red have a contrast of 3.6 on a dark page.
    "theme.light.primaryColor": "#b3303e",
    "theme.dark.primaryColor": "#ff9aa2",
}


def check_extra() -> None:
    """Raises DxError with what to type where a library of the extra is missing."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise DxError(Errors.DX085.format(missing=" and ".join(missing)))


def check_address(given: str) -> str:
    """The address as a number. Raises DxError for any that others can reach."""
    address = "127.0.0.1" if given == "localhost" else given
    with suppress(ValueError):
        if ipaddress.ip_address(address).is_loopback:
            return address
    raise DxError(Errors.DX086.format(given=given))


def serve(workshop: Workshop, address: str, port: int) -> None:
    """Show the page until Ctrl-C."""
    from streamlit.web.cli import main

    current.use(workshop)
    guard_streamlit()
    options = {**OPTIONS, "server.address": check_address(address), "server.port": str(port)}
    arguments = [f"--{name}={value}" for name, value in options.items()]
    main(["run", str(PAGE), *arguments], standalone_mode=False)


def guard_streamlit() -> None:
    """All that Streamlit serves from here on goes through LoopbackNamesOnly. Raises AttributeError
    for a version that is built in another way: it would be served to everybody."""
    from starlette.middleware import Middleware
    from streamlit.web.server.starlette import starlette_app

    make = starlette_app.create_streamlit_middleware
    if getattr(make, "guarded", False):
        return

    def guarded() -> list[Any]:
        return [Middleware(LoopbackNamesOnly), *make()]

    guarded.guarded = True  # type: ignore[attr-defined]
    starlette_app.create_streamlit_middleware = guarded
