"""Names and ports of this machine.

A foreign page can let its own name lead to 127.0.0.1 (DNS rebinding) and read what is served there.
So servers here answer only to the names of this machine (TrustedHostMiddleware).
"""

from __future__ import annotations

import ipaddress
import socket

from ..errors import DxError, Errors

LOOPBACK = ("localhost", "127.0.0.1", "::1", "[::1]")


def is_loopback(name: str) -> bool:
    """Return whether a name or an address is of this machine alone."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def check_port(address: str, port: int) -> None:
    """Raise DxError where the port is taken or not permitted."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address, port))
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise DxError(Errors.DX087.format(port=port, address=address, why=why)) from None
