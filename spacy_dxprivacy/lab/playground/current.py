"""The workshop of this process: Streamlit runs the page as a script, which takes no arguments."""

from __future__ import annotations

from .workshop import Workshop

_workshop: Workshop | None = None


def use(workshop: Workshop | None) -> None:
    """From here on the page shows this workshop; None takes it away."""
    global _workshop
    _workshop = workshop


def workshop() -> Workshop | None:
    """The one that the page shows, if there is any."""
    return _workshop
