"""What is not needed to show the lists is not imported before they are shown (budget P14)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tavern_desktop.resources import resource_path

PROGRAM = """
import sys
from tavern_desktop import app
window = app.build(["--data-root", sys.argv[1]])
window.show()
from tests.bench.waiting import until
until(lambda: window.library.recent.filter.rowCount() > 0)
print(*sorted(sys.modules))
"""
LATER = (
    "tavern_desktop.chat.message",
    "tavern_desktop.storage.reader",
    "tavern_desktop.storage.publish",
    "tavern_desktop.session.chat_session",
    "tavern_desktop.session.drafts",
    "tavern_desktop.ui.actions",
    "tavern_desktop.ui.chat.view",
    "asyncio",
    "filelock",
    "httpx2",
    "markdown_it",
    "multiprocessing",
    "watchdog",
)


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The modules of a program that shows its lists, at its second start: its index is warm."""
    folder = tmp_path_factory.mktemp("start")
    root = folder / "data"
    shutil.copytree(resource_path("sample"), root)
    environment = os.environ | {"TAVERN_DESKTOP_HOME": str(folder / "own")}
    indexed = "window.services.library.is_loaded"
    for program in (PROGRAM.replace("window.library.recent.filter.rowCount() > 0", indexed), PROGRAM):
        command = [sys.executable, "-c", program, str(root)]
        here = Path(__file__).parents[2]
        done = subprocess.run(command, capture_output=True, text=True, cwd=here, env=environment, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("name", LATER)
def test_it_comes_later(modules: set[str], name: str) -> None:
    assert "tavern_desktop.ui.main_window" in modules
    assert name not in modules
