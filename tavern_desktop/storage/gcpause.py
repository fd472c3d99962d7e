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
_freeze = False


@contextmanager
def paused() -> Iterator[None]:
    """Keep the cyclic collector off for as long as anybody is inside."""
    global _active, _was_enabled, _freeze
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
            if _active == 0:
                if _freeze:
                    gc.freeze()
                    _freeze = False
                if _was_enabled:
                    gc.enable()


def freeze_at_end() -> None:
    """Take what lives when the pause ends out of the collector's sight.

    Called inside the pause, for what is large and stays: else the first collection afterwards, on whatever
    thread, walks all of it and the window stalls. Cyclic garbage of that moment is never collected either.
    """
    global _freeze
    with _lock:
        _freeze = True
