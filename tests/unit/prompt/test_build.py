"""From a chat to a request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.chat.message import Message
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.prompt.build import build_prompt
from tavern_desktop.prompt.messages import Prompt, PromptError
from tavern_desktop.prompt.scene import Character, Scene, Wording
from tavern_desktop.prompt.tokens import Estimate

MIRA = Character("Mira", "{{char}} keeps the lighthouse.", "calm", "A storm.", system_prompt="{{original}} Be brief.")
BARE = Wording(main="Reply as {{char}}.", chat_heading="", example_heading="Example:", reply_nudge="")


def said(name: str, text: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "is_user": name == "Ana", "is_system": False, "mes": text, "extra": {}, **more}


def chat(*records: dict[str, Any]) -> list[Message]:
    return [Message.new(record) for record in records]


TALK = chat(said("Mira", "Hello, {{user}}."), said("Ana", "Hi."), said("Mira", "Tea?"))


def scene(messages: list[Message] = TALK, **more: Any) -> Scene:
    values: dict[str, Any] = {
        "character": MIRA,
        "user": "Ana",
        "messages": messages,
        "end": len(messages),
        "wording": BARE,
    }
    return Scene(**(values | more))


def lines(prompt: Prompt) -> list[str]:
    return [f"{part.source}|{part.message.role}|{part.message.text}" for part in prompt.parts]


def test_card_and_history_stand_in_order_with_their_names_filled_in() -> None:
    assert lines(build_prompt(scene(), Estimate())) == [
        "main|system|Reply as Mira. Be brief.",
        "description|system|Mira keeps the lighthouse.",
        "personality|system|calm",
        "scenario|system|A storm.",
        "history|assistant|Hello, Ana.",
        "history|user|Hi.",
        "history|assistant|Tea?",
    ]


def test_hidden_messages_and_comments_are_left_out_and_named() -> None:
    messages = chat(
        said("Mira", "one"),
        said("Ana", "hidden", is_system=True),
        said("Mira", "hidden too", is_system=True),
        said("System", "It rains.", extra={"type": "narrator"}),
    )
    prompt = build_prompt(scene(messages), Estimate())
    assert lines(prompt)[4:] == ["history|assistant|one", "history|system|It rains."]
    (left,) = prompt.left_out
    assert (left.reason, left.first, left.last) == ("hidden", 1, 2)


def test_the_oldest_messages_go_first_when_the_context_is_full() -> None:
    messages = chat(*(said("Ana" if n % 2 else "Mira", f"message {n} " + "x" * 300) for n in range(50)))
    prompt = build_prompt(scene(messages, context=1024, reply=200), Estimate())
    indices = [part.index for part in prompt.parts if part.index is not None]
    assert indices == list(range(indices[0], 50))
    assert prompt.tokens <= 1024 - 200
    assert prompt.first_index == indices[0] > 0
    assert prompt.left_out[-1].last == indices[0] - 1
    assert prompt.parts[1].source == "description"


def test_a_description_that_fits_nowhere_is_named_and_nothing_is_sent() -> None:
    big = Character("Mira", "long " * 3000)
    with pytest.raises(PromptError) as caught:
        build_prompt(scene(character=big, context=2048), Estimate())
    assert (caught.value.kind, caught.value.source) == ("too_large", "description")
    assert "character description" in caught.value.sentence


def test_a_message_is_decoded_only_if_it_may_be_sent() -> None:
    broken = Message(1, b"{")
    messages = [broken] * 1000 + chat(*(said("Ana", "y" * 900) for _ in range(20)))
    prompt = build_prompt(scene(messages, context=2048, reply=256), Estimate())
    assert all(part.index is None or part.index >= 1000 for part in prompt.parts)


def test_a_chat_may_have_its_own_texts_for_those_of_the_card() -> None:
    prompt = build_prompt(scene(overrides=Character("", scenario="A calm sea.")), Estimate())
    (scenario,) = [part for part in prompt.parts if part.source == "scenario"]
    assert (scenario.message.text, scenario.reason) == ("A calm sea.", "set for this chat")


def test_examples_come_after_the_card_and_only_if_there_is_room() -> None:
    card = Character(
        "Mira", examples="<START>\n{{user}}: Who?\n{{char}}: Me.\nAlways.\n<start>\n{{char}}: " + "z" * 9000
    )
    prompt = build_prompt(scene(character=card, context=2048, reply=256), Estimate())
    examples = [part.message for part in prompt.parts if part.source == "examples"]
    assert [(m.name, m.text) for m in examples] == [
        ("", "Example:"),
        ("example_user", "Who?"),
        ("example_assistant", "Me.\nAlways."),
    ]
    assert [(left.source, left.reason) for left in prompt.left_out] == [("examples", "no room left in the context")]


def test_another_alternative_is_asked_for_without_the_message_it_is_for() -> None:
    assert lines(build_prompt(scene(end=2, action="swipe"), Estimate()))[-1] == "history|user|Hi."


def test_a_message_is_continued_by_prefill_or_by_asking() -> None:
    prefill = build_prompt(scene(action="continue", can_prefill=True), Estimate()).messages[-1]
    assert (prefill.text, prefill.role, prefill.is_prefill) == ("Tea?", "assistant", True)
    asked = build_prompt(scene(action="continue"), Estimate())
    assert [part.source for part in asked.parts][-2:] == ["history", "continue"]
    with pytest.raises(PromptError):
        build_prompt(scene([], action="continue"), Estimate())


def test_the_user_s_part_is_asked_for_at_the_end() -> None:
    prompt = build_prompt(scene(action="impersonate"), Estimate())
    assert prompt.parts[-1].source == "impersonate"
    assert "Ana" in prompt.messages[-1].text


def test_in_groups_it_is_told_who_speaks() -> None:
    messages = chat(said("Tomas", "Ho."), said("Ana", "Hi."), said("Mira", "Tea?"))
    prompt = build_prompt(scene(messages, is_group=True), Estimate())
    history = [part.message.text for part in prompt.parts if part.source == "history"]
    assert history == ["Tomas: Ho.", "Hi.", "Mira: Tea?"]
    assert prompt.messages[-1].text.startswith("Write the next message as Mira")


def test_a_prompt_that_is_no_continuation_never_ends_with_the_model_s_own_message() -> None:
    nudged = build_prompt(scene(wording=Wording()), Estimate())
    assert (nudged.parts[-1].source, nudged.messages[-1].role) == ("nudge", "system")
    assert build_prompt(scene(end=2, wording=Wording()), Estimate()).messages[-1].role == "user"


def test_the_same_scene_gives_the_same_prompt() -> None:
    assert build_prompt(scene(), Estimate()) == build_prompt(scene(), Estimate())


def test_pictures_of_the_data_folder_go_with_their_message(tmp_path: Path) -> None:
    root = DataRoot(tmp_path, "default-user")
    picture = root.user_folder / "user" / "images" / "Mira" / "sea.png"
    picture.parent.mkdir(parents=True)
    picture.write_bytes(b"\x89PNG\r\n\x1a\n")
    media = [{"type": "image", "url": "/user/images/Mira/sea.png"}, {"type": "image", "url": "/user/images/gone.png"}]
    messages = chat(said("Ana", "", extra={"media": media}))
    assert build_prompt(scene(messages, root=root), Estimate()).messages[-1].images == (picture,)
    assert "history" not in [part.source for part in build_prompt(scene(messages), Estimate()).parts]
