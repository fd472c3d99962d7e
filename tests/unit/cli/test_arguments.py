"""What is for the command line, and how it may be written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tavern_desktop.cli import is_for_command_line
from tavern_desktop.cli.arguments import parse
from tests.unit.cli.conftest import Run


@pytest.mark.parametrize(
    "words",
    [["roots"], ["chats"], ["doctor"], ["--json", "chats", "list"], ["--data-root", "chats", "roots"],
     ["--data-root=x", "chats"], ["--help"], ["-h"], ["--version"], ["--user", "ada", "--portable", "doctor"]],
)  # fmt: skip
def test_a_first_word_that_is_a_command_is_the_command(words: list[str]) -> None:
    assert is_for_command_line(words)


@pytest.mark.parametrize(
    "words",
    [[], ["./chats"], ["story.jsonl"], ["--data-root", "chats"], ["--new-window"], ["story.jsonl", "chats"],
     ["--data-root"], ["--user", "roots", "folder"]],
)  # fmt: skip
def test_anything_else_is_for_the_window(words: list[str]) -> None:
    assert not is_for_command_line(words)


def test_options_stand_before_or_after_the_command() -> None:
    before = parse(["--data-root", "d", "--user", "u", "--portable", "--json", "chats", "list"])
    after = parse(["chats", "list", "--json", "--portable", "--user", "u", "--data-root", "d"])
    between = parse(["--json", "chats", "--data-root", "d", "--portable", "list", "--user", "u"])
    assert before == after == between
    none = parse(["roots"])
    assert (none.data_root, none.user, none.portable, none.json) == (None, None, False, False)


@pytest.mark.parametrize(
    "words",
    [["chats"], ["chats", "sing"], ["chats", "show"], ["chats", "check"], ["chats", "list", "--limit", "0"],
     ["chats", "list", "--limit", "many"], ["chats", "show", "f", "--tail", "-1"],
     ["chats", "edit", "f", "--text", "x"],
     ["chats", "edit", "f", "--message", "1-2", "--text", "x"], ["chats", "delete", "f", "--message", "-1"],
     ["chats", "delete", "f", "--message", "5-2"], ["chats", "delete", "f", "--message", "1-"],
     ["chats", "delete", "f", "--message", "١"], ["chats", "swipe", "f", "--message", "1"],
     ["chats", "swipe", "f", "--message", "1", "--to", "1", "--delete", "1"],
     ["chats", "swipe", "f", "--message", "1", "--to", "0"],
     ["chats", "append", "f", "--role", "narrator", "--text", "x"], ["chats", "append", "f", "--role", "user"],
     ["chats", "show", "f", "--tail", "1", "--from", "1"], ["chats", "show", "f", "--tail", "1", "--count", "1"],
     ["chats", "edit", "f", "--message", "0", "--text", "\udcff"],
     ["roots", "--colour"], ["doctor", "extra"]],
)  # fmt: skip
def test_wrong_usage_is_told_with_code_2(run: Run, words: list[str]) -> None:
    result = run(*words)
    assert result.code == 2
    assert result.out == ""
    assert "usage: tavern-desktop" in result.err


@pytest.mark.parametrize("words", [["--help"], ["chats", "--help"], ["chats", "edit", "-h"], ["--version"]])
def test_help_is_no_failure(run: Run, words: list[str]) -> None:
    result = run(*words)
    assert (result.code, result.err) == (0, "")
    assert "avern" in result.out


def test_commands_need_no_qt_and_no_window(tmp_path: Path) -> None:
    code = (
        "import sys, tavern_desktop.session.open_chats, tavern_desktop.session.preferences;"
        "from tavern_desktop.__main__ import main;"
        "import tavern_desktop.cli.changes, tavern_desktop.cli.reading, tavern_desktop.cli.report;"
        f"code = main(['--data-root', {str(tmp_path)!r}, 'chats', 'list']);"
        "loaded = [m for m in sys.modules if m.startswith(('PySide6', 'shiboken', 'tavern_desktop.ui'))];"
        "sys.exit(code if loaded else 42)"
    )
    finished = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[3], capture_output=True)
    assert finished.returncode == 42, finished.stderr.decode()
