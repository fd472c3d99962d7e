"""Prompts beside those that SillyTavern 1.19.0 made of the same chat, card, lore and settings, message by message.

What it made was taken down by `tests/interop/capture_lore.py`; where ours differs on purpose, `DIFFERENT` says why.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.cli.entry import main
from tests.interop.capture_lore import CAPTURED, file_of
from tests.interop.lore_scenarios import SCENARIOS, write

DIFFERENT: dict[str, str] = {}
"""Scenarios in which this program sends something else, and why."""

_FLAGS = {"continue": ["--continue"], "swipe": ["--swipe"], "reply": []}


def ours(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """Return the messages that this program would send for a scenario."""
    scenario = SCENARIOS[name]
    chat = write(tmp_path / "data" / "default-user", scenario)
    words = ["--data-root", str(tmp_path / "data"), "prompt", str(chat), "--preset", "*", "--json"]
    code = main([*words, *_FLAGS[scenario.action]])
    said = capsys.readouterr()
    assert code == 0, said.err
    messages: list[dict[str, Any]] = json.loads(said.out)["request"]["messages"]
    return messages


def theirs(name: str) -> list[dict[str, Any]]:
    """Return the messages that SillyTavern sent."""
    messages: list[dict[str, Any]] = json.loads(file_of(name).read_text("utf-8"))["messages"]
    return messages


@pytest.mark.parametrize("name", [name for name in SCENARIOS if name not in DIFFERENT])
def test_the_same_is_sent(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ours(name, tmp_path, capsys) == theirs(name)


def test_what_differs_still_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Else the reason is gone and the scenario belongs to the others."""
    for number, name in enumerate(DIFFERENT):
        assert ours(name, tmp_path / str(number), capsys) != theirs(name), name


def test_there_is_one_file_for_each_scenario() -> None:
    assert {path.name for path in CAPTURED.iterdir()} == {file_of(name).name for name in SCENARIOS}
    assert len(SCENARIOS) >= 40
