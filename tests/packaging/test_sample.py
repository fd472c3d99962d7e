"""The library that a first start shows: real files as SillyTavern writes them, showing what we promise."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.resources import resource_path

USER = resource_path("sample", "default-user")
CHATS = sorted((USER / "chats").glob("*/*.jsonl"))


def _records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")]


def _card(path: Path, keyword: bytes) -> dict[str, Any]:
    raw, at = path.read_bytes(), 8
    while at < len(raw):
        length, kind = struct.unpack_from(">I4s", raw, at)
        body = raw[at + 8 : at + 8 + length]
        if kind == b"tEXt" and body.startswith(keyword + b"\0"):
            return json.loads(base64.b64decode(body[len(keyword) + 1 :]))  # type: ignore[no-any-return]
        at += length + 12
    raise AssertionError(f"{path.name} has no {keyword!r} chunk")


@pytest.mark.parametrize("path", CHATS, ids=lambda path: path.stem)
def test_each_chat_has_the_form_of_1_19(path: Path) -> None:
    header, *messages = _records(path)
    assert list(header) == ["chat_metadata", "user_name", "character_name"]
    assert len(header["chat_metadata"]["integrity"]) == 36
    for message in messages:
        assert message["send_date"].endswith("Z")
        if "swipes" in message:
            assert message["swipes"][message["swipe_id"]] == message["mes"]
            assert len(message["swipe_info"]) == len(message["swipes"])


def test_together_they_show_what_a_chat_can_hold() -> None:
    messages = [message for path in CHATS for message in _records(path)[1:]]
    texts = "\n".join(message["mes"] for message in messages)
    assert len(CHATS) == 3
    assert any(len(message.get("swipes", ())) > 2 for message in messages)
    assert any(message["is_user"] and message["is_system"] for message in messages)
    assert any(message["extra"].get("reasoning") for message in messages)
    assert "```python" in texts
    assert "|:--|" in texts
    assert "灯塔" in texts
    [picture] = [medium["url"] for message in messages for medium in message["extra"].get("media", ())]
    assert (USER / picture.lstrip("/")).is_file()


@pytest.mark.parametrize("path", sorted((USER / "characters").glob("*.png")), ids=lambda path: path.stem)
def test_each_card_names_a_chat_that_is_there(path: Path) -> None:
    card = _card(path, b"chara")
    assert card["data"] == _card(path, b"ccv3")["data"]
    assert card["data"]["name"] == path.stem
    assert (USER / "chats" / path.stem / f"{card['chat']}.jsonl").is_file()


def test_the_code_in_the_sample_is_right() -> None:
    [text] = [message["mes"] for path in CHATS for message in _records(path)[1:] if "```python" in message["mes"]]
    printed: list[str] = []
    exec(text.split("```python\n")[1].split("```")[0], {"print": printed.append})
    assert printed == ["Saturday 05:40", "Saturday 18:05", "Sunday 06:30"]
    assert all(line in text for line in printed)
