"""PySide does not read the source of what is imported; its own names stay as they are."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import tavern_desktop.workers.lean_pyside
import linecache, PySide6.QtWidgets, email.message
print(sum(len(entry[2]) for entry in linecache.cache.values() if len(entry) > 1))
from PySide6.QtCore import QObject
print(hasattr(QObject(), "setObjectName"))
"""


def test_no_source_is_read_at_import() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    lines, has_names = done.stdout.split()
    assert int(lines) < 3_000
    assert has_names == "True"
