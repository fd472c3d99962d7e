"""Which chat is the current one: written into cards and groups' records, nothing else of them changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.library import card_text
from tavern_desktop.library.card_file import card_data, read_card
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.records import follow, make_current, record_current

KEPT = "kept"


@pytest.fixture
def chat(root: DataRoot) -> Path:
    path = root.chats / "Aria Vale" / f"{KEPT}.jsonl"
    path.write_bytes(b'{"chat_metadata":{}}')
    return path


def card(root: DataRoot) -> Path:
    return root.characters / "Aria Vale.png"


def name_chat(root: DataRoot, value: Any) -> None:
    """Let the card name this as its current chat; ... takes the field out."""

    def change(said: dict[str, Any]) -> dict[str, Any]:
        without = {key: one for key, one in said.items() if key != "chat"}
        return without if value is ... else without | {"chat": value}

    card_text.change_card(card(root), change)


@pytest.mark.parametrize("named", [..., "", None, 7, "not there"])
def test_a_card_that_names_no_chat_that_is_there_gets_the_one_that_is_open(
    root: DataRoot, chat: Path, named: object
) -> None:
    name_chat(root, named)
    before = read_card(card(root))
    assert record_current(chat)
    assert read_card(card(root)) == before | {"chat": KEPT}
    again = card(root).read_bytes()
    assert not record_current(chat)
    assert card(root).read_bytes() == again


def test_a_card_that_names_one_keeps_it(root: DataRoot, chat: Path) -> None:
    other = chat.with_name("other.jsonl")
    other.write_bytes(b"{}")
    name_chat(root, "other")
    before = card(root).read_bytes()
    assert not record_current(chat)
    assert card(root).read_bytes() == before
    assert make_current(chat)
    assert read_card(card(root))["chat"] == KEPT
    follow(chat, chat.with_name("renamed.jsonl"))
    assert read_card(card(root))["chat"] == "renamed"


def test_everything_else_of_the_picture_stays_byte_for_byte(root: DataRoot, chat: Path) -> None:
    tail = b"\0\0\0\7what a program left behind the picture"
    card(root).write_bytes(card(root).read_bytes() + tail)
    before = card(root).read_bytes()
    name_chat(root, "x")
    middle = card(root).read_bytes()
    assert middle.endswith(tail)
    name_chat(root, read_card(card(root))["chat"])
    assert card(root).read_bytes() == middle
    assert before[:33] == middle[:33]


def test_a_card_without_its_base64_ending_is_changed_too() -> None:
    said = card_text._plain(b"eyJjaGF0IjoieCJ9"[:-1].rstrip(b"=") + b"9\n")
    assert json.loads(said) == {"chat": "x"}


@pytest.mark.parametrize("content", [b"", b"no picture", card_text.PNG, card_text.PNG + b"\0\0\xff\xfftEXtchara\0cut"])
def test_what_is_no_card_is_left_alone(root: DataRoot, chat: Path, content: bytes) -> None:
    card(root).write_bytes(content)
    assert not make_current(chat)
    assert card(root).read_bytes() == content


def test_a_groups_record(root: DataRoot) -> None:
    (record,) = root.groups.glob("*.json")
    group = json.loads(record.read_bytes())
    record.write_text(json.dumps(group | {"chat_id": "gone", "chats": ["a", "b"]}), "utf-8")
    for name in ("a", "b"):
        (root.group_chats / f"{name}.jsonl").write_bytes(b"{}")
    assert record_current(root.group_chats / "b.jsonl")
    assert json.loads(record.read_bytes())["chat_id"] == "b"
    assert not record_current(root.group_chats / "a.jsonl")
    assert not make_current(root.group_chats / "of nobody.jsonl")
    assert make_current(root.group_chats / "a.jsonl")
    assert json.loads(record.read_bytes())["chat_id"] == "a"


def test_a_card_has_its_name_in_two_places(root: DataRoot) -> None:
    assert card_text.change_card(card(root), card_text.renamed("Aria 小月"))
    said = read_card(card(root))
    assert card_data(said)["name"] == "Aria 小月"
    assert said.get("name", "Aria 小月") == "Aria 小月"
    assert not card_text.change_card(card(root), card_text.renamed("Aria 小月"))


def test_what_another_program_wrote_into_a_card_meanwhile_stays(
    root: DataRoot, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name_chat(root, "not there")
    ours, theirs = card_text.changed_card, [card(root).read_bytes() + b"their picture"]

    def meanwhile(data: bytes, change: card_text.Change) -> bytes | None:
        if theirs:
            card(root).write_bytes(theirs.pop())
        return ours(data, change)

    monkeypatch.setattr(card_text, "changed_card", meanwhile)
    assert record_current(chat)
    assert card(root).read_bytes().endswith(b"their picture")
    assert read_card(card(root))["chat"] == KEPT
