"""How many threads the matrix products of this process use."""

from __future__ import annotations

import multiprocessing
import os

_limited: set[int] = set()  # numbers of processes; a forked child has another


def one_thread_in_workers() -> None:
    """A worker gets one thread: its brothers use the other cores. Elsewhere nothing changes."""
    if os.getpid() in _limited or multiprocessing.parent_process() is None:
        return
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=1)
    _limited.add(os.getpid())
