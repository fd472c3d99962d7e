"""Spares PySide from reading the source of every module that is imported. Import this before anything of ours.

PySide has an option to call its methods by snake_case names, switched on module by module. To see who might use it,
it reads each module's source text, ours and the standard library's alike. We never use it, and the reading costs a
start a fifth of its time and 8 MB that stay. A PySide that does this in another way is simply left alone.
"""

from __future__ import annotations

import importlib
from types import ModuleType

import PySide6.QtCore  # noqa: F401  brings the module that is looked for


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
