"""What a prompt is built from, read from a data folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tavern_desktop.backends.settings import Generation
from tavern_desktop.chat.message import Message
from tavern_desktop.library.personas import Persona
from tavern_desktop.prompt.build import build_prompt
from tavern_desktop.prompt.messages import Prompt
from tavern_desktop.prompt.tokens import Estimate
from tavern_desktop.session.generating.reply import Speaker
from tavern_desktop.session.generating.scenes import Asked, scene_of

BOOK = "Tea"


def prompt_of(folder: Path, entry: dict[str, Any], metadata: dict[str, Any], *texts: str) -> Prompt:
    """Return the prompt of a chat with a lorebook of one entry."""
    user = folder / "default-user"
    (user / "worlds").mkdir(parents=True, exist_ok=True)
    (user / "chats" / "Mira").mkdir(parents=True, exist_ok=True)
    record = {"uid": 0, "key": ["kettle"], "comment": "Kettle", "content": "It is haunted."} | entry
    (user / "worlds" / f"{BOOK}.json").write_text(json.dumps({"entries": {"0": record}}))
    (user / "settings.json").write_text(json.dumps({"tag_map": {"Mira.png": ["t1"]}}))
    hidden = {"name": "Ana", "is_user": True, "is_system": True, "mes": "kettle", "extra": {}}
    said = [{"name": "Ana", "is_user": True, "is_system": False, "mes": text, "extra": {}} for text in texts]
    messages = tuple(Message.new(data) for data in [hidden, *said])
    asked = Asked(
        user / "chats" / "Mira" / "talk.jsonl",
        {"world_info": BOOK} | metadata,
        messages,
        len(messages),
        "reply",
        Speaker("Mira", "Mira.png"),
        Persona("me.png", "Ana"),
    )
    return build_prompt(scene_of(asked, Generation(), context=None, can_prefill=False), Estimate())


def has_lore(prompt: Prompt) -> bool:
    return any(part.source == "lore: Kettle" for part in prompt.parts)


def test_an_entry_that_stays_is_in_the_next_prompts_too(tmp_path: Path) -> None:
    sticky = {"sticky": 3}
    first = prompt_of(tmp_path, sticky, {}, "a kettle")
    assert first.metadata == {
        "timedWorldInfo": {
            "sticky": {f"{BOOK}.0": {"start": 1, "end": 4, "protected": False}},
            "cooldown": {},
        }
    }
    talk = ["a kettle", "one", "two", "three", "four"]
    kept = dict(first.metadata)
    assert [has_lore(prompt_of(tmp_path, sticky, kept, *talk[:count])) for count in range(3, 6)] == [True, False, False]


def test_hidden_messages_do_not_count_for_a_delay(tmp_path: Path) -> None:
    assert not has_lore(prompt_of(tmp_path, {"delay": 4}, {}, "one", "two", "a kettle"))
    assert has_lore(prompt_of(tmp_path, {"delay": 4}, {}, "zero", "one", "two", "a kettle"))


def test_the_speaker_s_tags_say_whether_an_entry_is_meant(tmp_path: Path) -> None:
    assert has_lore(prompt_of(tmp_path, {"characterFilter": {"tags": ["t1"]}}, {}, "a kettle"))
    assert not has_lore(prompt_of(tmp_path, {"characterFilter": {"tags": ["t2"]}}, {}, "a kettle"))
