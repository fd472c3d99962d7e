"""New chats: the file comes first, who names it comes second (B-03)."""

from __future__ import annotations

import json

import pytest

from tavern_desktop.chat import facts
from tavern_desktop.library.card_file import CardError, read_card
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.groups import read_group
from tavern_desktop.session import new_chat
from tavern_desktop.session.new_chat import create_chat, create_group_chat
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.reader import load


def test_the_card_names_the_new_chat_once_it_is_there(root: DataRoot, monkeypatch: pytest.MonkeyPatch) -> None:
    card = root.characters / "Aria Vale.png"
    before = card.read_bytes()
    publish = new_chat.publish
    cards: list[bytes] = []

    def publish_and_look(*args: object, **more: object) -> object:
        cards.append(card.read_bytes())
        return publish(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(new_chat, "publish", publish_and_look)
    path = create_chat(root, "Aria Vale")
    assert cards == [before]
    assert read_card(card)["chat"] == path.stem


def test_a_chat_that_cannot_be_written_leaves_the_card_alone(root: DataRoot, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object, **more: object) -> None:
        raise StorageError("io", "space")

    card = root.characters / "Aria Vale.png"
    before = card.read_bytes()
    monkeypatch.setattr(new_chat, "publish", full)
    with pytest.raises(StorageError):
        create_chat(root, "Aria Vale")
    assert card.read_bytes() == before


def test_a_card_that_cannot_be_written_does_not_stop_a_new_chat(
    root: DataRoot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*args: object) -> None:
        raise PermissionError(13, "no")

    monkeypatch.setattr(new_chat, "make_current", refused)
    assert create_chat(root, "Aria Vale").is_file()
    with pytest.raises((CardError, OSError)):
        create_chat(root, "Nobody")


def test_a_group_begins_with_a_greeting_of_each_member(root: DataRoot) -> None:
    (record,) = root.groups.glob("*.json")
    path = create_group_chat(root, read_group(root, record.stem))
    records = [message.data() for message in load(path, kind="group").messages]
    assert {data["original_avatar"] for data in records} <= {"Aria Vale.png", "Brother Osric.png", "Captain Ilse.png"}
    assert records
    assert all(facts.role(data) == "assistant" and len(facts.swipes(data)) == 1 for data in records)
    assert not any("{{user}}" in data["mes"] or "{{char}}" in data["mes"] for data in records)
    group = json.loads(record.read_bytes())
    assert group["chat_id"] == path.stem
    assert path.stem in group["chats"]
