"""Whole prompts, byte for byte: the same scene gives the same prompt, and a change of it is seen."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tavern_desktop.prompt.build import build_prompt
from tavern_desktop.prompt.scene import Scene
from tavern_desktop.prompt.tokens import Estimate
from tests.unit.prompt.scenarios import CHAT, shown

GOLDEN = Path(__file__).parent / "golden"
SCENES = {f"chat_{name}": make for name, make in CHAT.items()}


@pytest.mark.parametrize("name", SCENES)
def test_a_prompt_is_as_it_was(name: str) -> None:
    scene = SCENES[name]()
    text = built(scene)
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("TAVERN_GOLDEN") == "write":
        path.write_bytes(text.encode())
    assert text.encode() == path.read_bytes()
    assert text == built(SCENES[name]())


def test_there_is_no_golden_file_without_its_scene() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(SCENES)


def built(scene: Scene) -> str:
    return shown(build_prompt(scene, Estimate()))
