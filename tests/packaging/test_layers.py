"""What the import contracts cannot say: of Qt, workers know QtCore alone."""

from __future__ import annotations

import ast
from pathlib import Path

import tavern_desktop

PACKAGE = Path(tavern_desktop.__file__).parent


def test_workers_use_nothing_of_qt_but_its_core() -> None:
    used = set()
    for path in (PACKAGE / "workers").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("PySide6"):
                used |= {f"{node.module}.{name.name}".split(".")[1] for name in node.names}
            elif isinstance(node, ast.Import):
                used |= {name.name.partition(".")[2] for name in node.names if name.name.startswith("PySide6")}
    assert used <= {"QtCore"}
