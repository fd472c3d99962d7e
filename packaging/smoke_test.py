"""Start a built program as a person would, open a chat in it, change it, close it: `smoke_test.py dist/tavern-desktop`.

Everything is asked of the built program alone; standard library only.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SAMPLE = Path(__file__).resolve().parent.parent / "resources" / "sample"
CHAT = "Tock/The tide table"
TEXT = "Brisk, then! 快一点！"
PATIENCE = 60.0


def main(folder: Path) -> int:
    """Return 0 when the program in `folder` works; anything else is an AssertionError that says what does not."""
    with tempfile.TemporaryDirectory(prefix="tavern-desktop-smoke-") as temporary:
        program = Program(folder / "tavern-desktop", Path(temporary))
        listed = [json.loads(line) for line in program.run("chats", "list", "--json").splitlines()]
        assert len(listed) == 3, f"the sample has three chats, not {len(listed)}"
        window = program.open_window(program.chat_file)
        program.run("chats", "edit", CHAT, "--message", "1", "--text", TEXT)
        window.send_signal(signal.SIGTERM)
        _, said = window.communicate(timeout=PATIENCE)
        assert window.returncode == 0, f"the window ended with {window.returncode}: {said}"
        assert "Traceback" not in said, said
        shown = json.loads(program.run("chats", "show", CHAT, "--from", "1", "--count", "1", "--json"))
        assert shown["text"] == TEXT, f"the message says {shown['text']!r}"
        assert program.remembers_chat(), "the window did not have the chat in view"
    print("the built program starts, opens a chat, saves a change and closes")
    return 0


class Program:
    """The built program with a data folder and a home of its own."""

    def __init__(self, executable: Path, place: Path) -> None:
        self._executable = executable
        self._home = place / "home"
        self._root = Path(shutil.copytree(SAMPLE, place / "data"))
        self.chat_file = self._root / "default-user" / "chats" / f"{CHAT}.jsonl"
        self._environment = os.environ | {"TAVERN_DESKTOP_HOME": str(self._home), "QT_QPA_PLATFORM": "offscreen"}

    def run(self, *words: str) -> str:
        """Run a command of the command line and return what it printed."""
        done = subprocess.run(
            [self._executable, *words, "--data-root", self._root],
            env=self._environment,
            capture_output=True,
            encoding="utf-8",
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, f"{' '.join(words)} failed: {done.stderr}"
        return done.stdout

    def open_window(self, file: Path) -> subprocess.Popen[str]:
        """Start the window on a chat; return when it owns the data folder and so takes changes for it."""
        window = subprocess.Popen(
            [self._executable, file, "--data-root", self._root],
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        for _ in range(int(PATIENCE * 10)):
            if self._own_files("owner.key"):
                return window
            try:
                window.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
            raise AssertionError(f"the window ended with {window.returncode}: {window.communicate()[1]}")
        window.kill()
        raise AssertionError("the window did not take the data folder into its care")

    def remembers_chat(self) -> bool:
        """Say whether the chat was in view, all of it, when the window closed: only then its place is kept."""
        [file] = self._own_files("state.json")
        state: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return f"chats/{CHAT}.jsonl" in state["positions"]

    def _own_files(self, name: str) -> list[Path]:
        return list(self._home.rglob(name))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
