"""Started where there is no screen, the program says so instead of being aborted."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.packaging.test_locks import ROOT

SCREENS = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}


def test_one_clear_sentence_and_an_ordinary_failure() -> None:
    environment = {name: value for name, value in os.environ.items() if name not in SCREENS}
    command = [sys.executable, "-m", "tavern_desktop"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("There is no screen")
    assert "Traceback" not in done.stderr
