"""Spares a start what it does not need: import this before anything of ours.

PySide has an option to call its methods by snake_case names, switched on module by module. To see who might use it,
it reads each module's source text, ours and the standard library's alike. We never use it, and the reading costs a
start a fifth of its time and 8 MB that stay. A PySide that does this in another way is simply left alone.

And Python looks for garbage whenever 700 more objects were made than freed. A start makes some hundred thousand,
classes and code above all, which stay: looking that often costs it a tenth of its time.
"""

from __future__ import annotations

import gc
import importlib
from types import ModuleType

import PySide6.QtCore  # noqa: F401  brings the module that is looked for

GARBAGE_THRESHOLD = 20_000


def spare_sources() -> bool:
    """Let PySide take every module for one without the option; return whether it could be told."""
    try:
        feature = importlib.import_module("shibokensupport.feature")
    except ImportError:
        return False
    if not callable(getattr(feature, "_mod_uses_pyside", None)):
        return False
    setattr(feature, "_mod_uses_pyside", _uses_no_option)  # noqa: B010  no such name is declared
    return True


def _uses_no_option(_module: ModuleType) -> bool:
    return False


spare_sources()
gc.set_threshold(GARBAGE_THRESHOLD, *gc.get_threshold()[1:])
