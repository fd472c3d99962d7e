"""Whole prompts, byte for byte: the same scene gives the same prompt, and a change of it is seen."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tavern_desktop.prompt.build import build_prompt
from tavern_desktop.prompt.scene import Scene
from tavern_desktop.prompt.tokens import Estimate
from tests.unit.prompt.scenarios import CHAT, TEXT, shown

GOLDEN = Path(__file__).parent / "golden"
SCENES = {f"chat_{name}": make for name, make in CHAT.items()} | {f"text_{name}": make for name, make in TEXT.items()}


@pytest.mark.parametrize("name", SCENES)
def test_a_prompt_is_as_it_was(name: str) -> None:
    scene = SCENES[name]()
    text = built(scene)
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("TAVERN_GOLDEN") == "write":
        path.write_bytes(text.encode())
    assert text.encode() == path.read_bytes()
    assert text == built(SCENES[name]())


@pytest.mark.parametrize("name", TEXT)
def test_the_parts_of_a_text_are_the_text(name: str) -> None:
    prompt = build_prompt(TEXT[name](), Estimate())
    assert "".join(part.message.text for part in prompt.parts) == prompt.text
    assert prompt.tokens <= prompt.context - prompt.reply


def test_there_is_no_golden_file_without_its_scene() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(SCENES)


def built(scene: Scene) -> str:
    return shown(build_prompt(scene, Estimate()))
