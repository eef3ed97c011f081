"""Requests that name another machine are not answered.

A page of somebody else can let its own name lead to 127.0.0.1 (DNS rebinding): the browser then
takes this server for that page's, and shows it all. The name that it asked for stands in Host.
"""

from __future__ import annotations

import ipaddress
import socket
from typing import Any

from ..errors import DxError, Errors


class LoopbackNamesOnly:
    """ASGI: answers 421 to a request, and closes a web socket, whose Host is not this machine."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket") or is_loopback(host_of(scope)):
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            headers = [(b"content-type", b"text/plain")]
            await send({"type": "http.response.start", "status": 421, "headers": headers})
            await send({"type": "http.response.body", "body": b"This host is not served here."})


def is_loopback(name: str) -> bool:
    """Return whether a name or address is of this machine: localhost, 127.0.0.1, ::1 or [::1]."""
    try:
        address = ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return name == "localhost"
    return address.is_loopback


def host_of(scope: Any) -> str:
    """Return the name in Host, without its port; "" where there is none, or several."""
    hosts = [value for name, value in scope["headers"] if name.lower() == b"host"]
    host = hosts[0].decode("latin1").lower() if len(hosts) == 1 else ""
    name, _, port = host.rpartition(":")
    return name if port.isdigit() else host


def check_port(address: str, port: int) -> None:
    """Raise DxError where the port is taken or not ours to take."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address, port))
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise DxError(Errors.DX087.format(port=port, address=address, why=why)) from None
