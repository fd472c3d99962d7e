"""Asking for replies without a window."""

from __future__ import annotations

import json
from pathlib import Path

from tests.unit.cli.conftest import Run, message


def test_with_no_model_the_message_is_in_the_chat_and_it_is_said_how_to_go_on(run: Run, chat: Path) -> None:
    result = run("send", chat, "--text", "Is anybody there?")
    assert result.code == 1
    assert "The message is in the chat; `send --reply` asks for the reply again." in result.err
    assert message(chat, 8)["mes"] == "Is anybody there?"
    again = run("send", chat, "--reply")
    assert again.code == 1
    assert "The message is in the chat" not in again.err


def test_the_prompt_is_shown_where_no_model_is_connected(run: Run, chat: Path) -> None:
    result = run("prompt", chat)
    assert result.code == 0
    assert "question 0" in result.out


def test_the_prompt_can_be_put_together_by_a_preset_of_the_data_folder(run: Run, chat: Path) -> None:
    folder = chat.parents[2] / "OpenAI Settings"
    folder.mkdir(exist_ok=True)
    prompts = [{"identifier": "main", "content": "A preset’s words for {{char}}."}]
    order = [{"identifier": name} for name in ("main", "chatHistory")]
    preset = {"prompts": prompts, "prompt_order": [{"character_id": 100001, "order": order}], "new_chat_prompt": "[go]"}
    (folder / "Mine.json").write_text(json.dumps(preset))
    shown = json.loads(run("prompt", chat, "--preset", "Mine", "--json").out)
    assert [part["source"] for part in shown["parts"]][:3] == ["main", "heading", "history"]
    assert shown["request"]["messages"][0]["content"].startswith("A preset’s words")
    assert shown["preset"] == "Mine"
    missing = run("prompt", chat, "--preset", "Gone")
    assert "left out: chat preset Gone: There is no chat preset “Gone”" in missing.out
