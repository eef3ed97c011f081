"""The workshop of this process: Streamlit runs the page as a script, which takes no arguments."""

from __future__ import annotations

from .workshop import Workshop

_workshop: Workshop | None = None


def use(workshop: Workshop | None) -> None:
    global _workshop
    _workshop = workshop


def workshop() -> Workshop | None:
    return _workshop
