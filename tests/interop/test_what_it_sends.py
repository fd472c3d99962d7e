"""SillyTavern still sends what was taken down of it; with `--full` for every scenario."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.interop import capture_prompts, prompt_scenarios
from tests.interop.capture_lore import capturing, file_of
from tests.interop.lore_scenarios import SCENARIOS
from tests.interop.sillytavern import Unavailable
from tests.unit.prompt.test_lore_as_sillytavern import theirs

FEW = ("lore that finds lore",)


def test_it_sends_what_was_taken_down(tmp_path: Path, is_full: bool) -> None:
    try:
        with capturing(tmp_path) as capture:
            for name in SCENARIOS if is_full else FEW:
                assert capture.messages(SCENARIOS[name]) == theirs(name), name
    except Unavailable as reason:
        pytest.skip(f"the real SillyTavern is not available: {reason}")
    assert file_of(FEW[0]).exists()


def test_and_for_every_preset(is_full: bool) -> None:
    wanted = json.loads(capture_prompts.CAPTURED.read_text("utf-8"))
    names = list(prompt_scenarios.SCENARIOS) if is_full else list(prompt_scenarios.SCENARIOS)[:1]
    try:
        found = capture_prompts.capture(names)
    except Unavailable as reason:
        pytest.skip(f"the real SillyTavern is not available: {reason}")
    assert found == {name: wanted[name] for name in names}
