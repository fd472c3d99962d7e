"""Asking for replies without a window."""

from __future__ import annotations

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
