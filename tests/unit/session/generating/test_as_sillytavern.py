"""The same request as the real SillyTavern 1.19.0 sends for the same chat, card, lore, persona, note and preset."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tavern_desktop.backends.settings import IN_USE, PresetNames
from tavern_desktop.chat.message import Message
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.personas import Persona
from tavern_desktop.prompt.build import build_prompt
from tavern_desktop.prompt.messages import Prompt
from tavern_desktop.prompt.scene import Action
from tavern_desktop.prompt.tokens import Estimate
from tavern_desktop.session.generating.forms import form_of
from tavern_desktop.session.generating.reply import Speaker
from tavern_desktop.session.generating.scenes import Asked, scene_of
from tests.interop.capture_prompts import CAPTURED, prepare
from tests.interop.prompt_scenarios import SCENARIOS, Scenario

WANTED = json.loads(CAPTURED.read_text("utf-8"))
ALL = PresetNames(chat=IN_USE, text=IN_USE, instruct=IN_USE, context=IN_USE, sysprompt=IN_USE)
ACTIONS: dict[str, Action] = {"reply": "reply", "continue": "continue", "impersonate": "impersonate"}


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_request_is_its(name: str, tmp_path: Path) -> None:
    scenario = SCENARIOS[name]
    prompt = ours(tmp_path, scenario)
    if scenario.takes_messages:
        assert [[message.role, message.name, message.text] for message in prompt.messages] == WANTED[name]
    else:
        assert prompt.text == WANTED[name]


def test_every_scenario_was_captured() -> None:
    assert list(WANTED) == list(SCENARIOS)
    assert len(WANTED) >= 40


def ours(folder: Path, scenario: Scenario) -> Prompt:
    """Return what this program makes of the same data folder, by what SillyTavern has in use there."""
    root = DataRoot(folder)
    for name in ("characters", "worlds", "chats/Mira"):
        (root.user_folder / name).mkdir(parents=True)
    prepare(root.user_folder, scenario, {})
    messages = tuple(Message.new(record) for record in scenario.records)
    asked = Asked(
        root.chats / "Mira" / "talk.jsonl",
        scenario.metadata,
        messages,
        len(messages),
        ACTIONS[scenario.action],
        Speaker("Mira", "Mira.png"),
        Persona("Ana", id="ana.png"),
    )
    form = form_of(root, ALL, takes_messages=scenario.takes_messages)
    return build_prompt(scene_of(asked, form.generation, context=None, can_prefill=True, form=form), Estimate())
