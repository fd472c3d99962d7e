"""No cyclic garbage collection while records are decoded in bulk: it doubles the time of a load.

Counted, so that loads may overlap; the collector is as it was after the last one, also after errors.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_active = 0
_was_enabled = False


@contextmanager
def paused() -> Iterator[None]:
    """Keep the cyclic collector off for as long as anybody is inside."""
    global _active, _was_enabled
    with _lock:
        if _active == 0:
            _was_enabled = gc.isenabled()
            gc.disable()
        _active += 1
    try:
        yield
    finally:
        with _lock:
            _active -= 1
            if _active == 0 and _was_enabled:
                gc.enable()


def freeze_what_stays() -> None:
    """Take what lives now out of the collector's sight, unless another load is still making its own.

    For large chats only: cyclic garbage of this moment is never collected either.
    """
    with _lock:
        if _active == 0:
            gc.freeze()
