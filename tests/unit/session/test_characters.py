"""Characters as a whole: another name with everything that follows, into the bin and back (contract §8, D14)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.library import character_files, records
from tavern_desktop.library.card_file import card_data, read_card
from tavern_desktop.library.character_files import free_stem
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.character_removal import CharacterRemoved, UnreadableChats
from tavern_desktop.session.character_renaming import CharacterRenamed
from tavern_desktop.session.commands import AppendMessage
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.speaker_commands import Identity, RenameSpeaker
from tavern_desktop.storage import file_moves
from tavern_desktop.storage.errors import StorageError
from tests.unit.session.chats import chat_of, reply, user
from tests.unit.session.test_file_acts import Desk, lines

OLD, NEW = Identity("Aria Vale", "Aria Vale.png"), Identity("Aria 小月", "Aria 小月.png")
TALK = [
    {"chat_metadata": {"integrity": "x"}},
    {"name": "Mira", "is_user": True, "mes": "Aria Vale?"},
    {"name": "Aria Vale", "mes": "Yes."},
]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "own")


@pytest.fixture(autouse=True)
def binned(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    binned: list[Path] = []

    def take(path: Path) -> bool:
        binned.append(path)
        path.unlink()
        return True

    monkeypatch.setattr(file_moves, "to_system_bin", take)
    return binned


@pytest.fixture
def chat(root: DataRoot) -> Path:
    """The only chat of a character."""
    folder = root.chats / "Aria Vale"
    for path in folder.glob("*"):
        path.unlink()
    path = folder / "talk.jsonl"
    path.write_text("\n".join(map(json.dumps, TALK)), "utf-8")
    return path


def rename(desk: Desk, root: DataRoot, name: str = NEW.name, **more: Any) -> CharacterRenamed:
    return desk.result(lambda done: desk.acts.character_names.rename(root, "Aria Vale", name, done, **more))


def remove(desk: Desk, root: DataRoot, **more: Any) -> CharacterRemoved:
    return desk.result(lambda done: desk.acts.character_bin.remove(root, "Aria Vale", done, **more))


def test_what_a_character_wrote_gets_its_new_name_and_nothing_else_does() -> None:
    picture = {"force_avatar": "/thumbnail?type=avatar&file=Aria%20Vale.png", "original_avatar": "Aria Vale.png"}
    records = [
        reply("a", "b", name="Aria Vale"),
        user("q", name="Aria Vale"),
        reply("a", name="Aria Vale", is_system=True),
        reply("a", name="Aria Vale", extra={"type": "narrator"}),
        reply("a", name="Osric"),
        reply("a", name="Aria Vale", original_avatar="Other.png"),
        reply("a", name="Aria Vale", **picture),
        reply("a", name="Aria when young", **picture),
    ]
    chat = chat_of(*records)
    before = list(chat.messages)
    command = RenameSpeaker(OLD, NEW, by_name=True)
    assert command.do(chat)
    changed = [number for number, (old, new) in enumerate(zip(before, chat.messages, strict=True)) if old is not new]
    assert changed == [0, 6, 7]
    said = [chat.messages[number].data() for number in changed]
    assert [data["name"] for data in said] == ["Aria 小月", "Aria 小月", "Aria when young"]
    assert said[1]["original_avatar"] == "Aria 小月.png"
    assert said[1]["force_avatar"] == "/thumbnail?type=avatar&file=Aria%20%E5%B0%8F%E6%9C%88.png"
    command.undo(chat)
    assert chat.messages == before
    in_group = chat_of(*records)
    RenameSpeaker(OLD, NEW, by_name=False).do(in_group)
    assert in_group.messages[0].data()["name"] == "Aria Vale"


def test_card_folder_groups_and_messages_follow(desk: Desk, root: DataRoot, chat: Path) -> None:
    (group,) = root.groups.glob("*.json")
    record = json.loads(group.read_bytes())
    group_chat = root.group_chats / f"{record['chats'][0]}.jsonl"
    spoken = {"name": "Aria Vale", "mes": "Hm.", "original_avatar": "Aria Vale.png"}
    group_chat.write_text("\n".join(map(json.dumps, [{"chat_metadata": {}}, spoken])), "utf-8")
    done = rename(desk, root)
    assert (done.stem, done.warnings, done.changed) == ("Aria 小月", (), 2)
    card = root.characters / "Aria 小月.png"
    assert card_data(read_card(card))["name"] == "Aria 小月"
    assert not (root.characters / "Aria Vale.png").exists()
    moved = root.chats / "Aria 小月" / "talk.jsonl"
    assert done.chats == ((chat, moved),)
    assert not chat.parent.exists()
    assert [line["name"] for line in lines(moved)[1:]] == ["Mira", "Aria 小月"]
    assert lines(moved)[1]["mes"] == "Aria Vale?"
    members = json.loads(group.read_bytes())["members"]
    assert members == [member.replace("Aria Vale", "Aria 小月") for member in record["members"]]
    assert (lines(group_chat)[1]["name"], lines(group_chat)[1]["original_avatar"]) == ("Aria 小月", "Aria 小月.png")


def test_messages_may_keep_the_old_name(desk: Desk, root: DataRoot, chat: Path) -> None:
    before = chat.read_bytes()
    rename(desk, root, in_chats=False)
    assert (root.chats / "Aria 小月" / "talk.jsonl").read_bytes() == before


def test_an_open_chat_is_saved_and_goes_on_where_it_is_then(desk: Desk, root: DataRoot, chat: Path) -> None:
    session = desk.chats.open(chat)
    desk.runner.run_until_idle()
    session.do(AppendMessage({"name": "Aria Vale", "mes": "not saved"}))
    rename(desk, root)
    moved = root.chats / "Aria 小月" / "talk.jsonl"
    assert session.path == moved
    assert desk.chats.session_for(moved) is session
    assert [line.get("name") for line in lines(moved)] == [None, "Mira", "Aria 小月", "Aria 小月"]
    session.do(AppendMessage({"name": "Mira", "mes": "after"}))
    session.save_now()
    desk.runner.run_until_idle()
    assert lines(moved)[-1]["mes"] == "after"
    assert not chat.parent.exists()


def test_a_chat_that_cannot_follow_is_listed_and_the_others_do(desk: Desk, root: DataRoot, chat: Path) -> None:
    for record in root.groups.glob("*.json"):
        record.unlink()
    damaged = chat.with_name("damaged.jsonl")
    damaged.write_bytes(chat.read_bytes() + b'\n{"cut')
    before = damaged.read_bytes()
    done = rename(desk, root)
    (warning,) = done.warnings
    assert warning.startswith("Renamed, but not in the chat “damaged”: ")
    assert done.changed == 1
    assert (root.chats / done.stem / "damaged.jsonl").read_bytes() == before


def test_a_folder_that_cannot_be_moved_leaves_everything_as_it_was(
    desk: Desk, root: DataRoot, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*paths: object) -> None:
        raise PermissionError(13, "no")

    monkeypatch.setattr(character_files, "move_without_replacing", refused)
    card = root.characters / "Aria Vale.png"
    before = (card.read_bytes(), chat.read_bytes(), sorted(root.characters.iterdir()))
    session = desk.chats.open(chat)
    desk.runner.run_until_idle()
    with pytest.raises(StorageError, match="io/replace"):
        rename(desk, root)
    assert (card.read_bytes(), chat.read_bytes(), sorted(root.characters.iterdir())) == before
    session.do(AppendMessage({"name": "Mira", "mes": "after"}))
    session.save_now()
    desk.runner.run_until_idle()
    assert lines(chat)[-1]["mes"] == "after"


def test_what_failed_behind_the_card_is_a_warning(
    desk: Desk, root: DataRoot, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*paths: object) -> None:
        raise PermissionError(13, "no")

    monkeypatch.setattr(records, "change_small_file", refused)
    done = rename(desk, root)
    assert done.warnings == ("Renamed, but a group could not be brought up to date: no.",)
    assert (root.characters / "Aria 小月.png").is_file()


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("Aria Vale", "Aria Vale"),
        ("Brother Osric", "Brother Osric1"),
        ("What?|Now", "WhatNow"),
        ("con", "_con"),
        ("Aux.old", "_Aux.old"),
        ("???", "_"),
        ("Mira...", "Mira..."),
        (".hidden", ".hidden"),
        ("a/b\\c", "abc"),
    ],
)
def test_a_free_and_safe_file_name_is_found(root: DataRoot, name: str, stem: str) -> None:
    assert free_stem(root, "Aria Vale", name) == stem


def test_the_name_alone_changes_where_the_file_name_stays(desk: Desk, root: DataRoot, chat: Path) -> None:
    done = rename(desk, root, "Aria Vale?")
    assert (done.stem, card_data(read_card(root.characters / "Aria Vale.png"))["name"]) == ("Aria Vale", "Aria Vale?")
    assert lines(chat)[2]["name"] == "Aria Vale?"
    with pytest.raises(CommandRefused):
        rename(desk, root, "  ")


def test_a_card_goes_into_the_bin_and_its_chats_stay(
    desk: Desk, root: DataRoot, chat: Path, binned: list[Path]
) -> None:
    card = root.characters / "Aria Vale.png"
    content = card.read_bytes()
    gone = remove(desk, root)
    assert (binned, gone.chats, gone.warnings) == ([card], (), ())
    assert chat.exists()
    assert desk.result(lambda done: desk.acts.character_bin.bring_back(gone, done)) == ()
    assert card.read_bytes() == content


def test_with_its_chats_everything_goes_and_comes_back(
    desk: Desk, root: DataRoot, chat: Path, binned: list[Path]
) -> None:
    card = root.characters / "Aria Vale.png"
    other = chat.with_name("other.jsonl")
    other.write_bytes(chat.read_bytes().replace(b'"x"', b'"y"'))
    session = desk.chats.open(chat)
    desk.runner.run_until_idle()
    before = {path: path.read_bytes() for path in (card, chat, other)}
    gone = remove(desk, root, with_chats=True)
    assert set(binned) == set(before)
    assert binned[-1] == card
    assert not chat.parent.exists()
    assert session.state == "failed"
    assert len(gone.chats) == 2
    assert desk.result(lambda done: desk.acts.character_bin.bring_back(gone, done)) == ()
    assert {path: path.read_bytes() for path in before} == before


def test_a_chat_that_cannot_be_read_stops_it_with_a_list(
    desk: Desk, root: DataRoot, chat: Path, binned: list[Path]
) -> None:
    for name in ("bad 1", "bad 2"):
        chat.with_name(f"{name}.jsonl").write_bytes(b"garbage")
    with pytest.raises(UnreadableChats) as caught:
        remove(desk, root, with_chats=True)
    assert [Path(failure.file).stem for failure in caught.value.failures] == ["bad 1", "bad 2"]
    assert "bad 1.jsonl, bad 2.jsonl" in caught.value.sentence
    assert binned == []
    remove(desk, root, with_chats=True, despite_damage=True)
    assert len(binned) == 4


def test_a_chat_that_stays_keeps_the_card(
    desk: Desk, root: DataRoot, chat: Path, binned: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    session = desk.chats.open(chat)  # still loading: it may not be removed now
    assert session.state == "loading"
    outcomes: list[Any] = []
    desk.acts.character_bin.remove(root, "Aria Vale", outcomes.append, with_chats=True)
    monkeypatch.setattr(session, "begin_move", lambda **more: (_ for _ in ()).throw(CommandRefused("It is busy.")))
    desk.runner.run_until_idle()
    assert "stays, because its chat “talk” does: It is busy." in outcomes[0].error.sentence
    assert (root.characters / "Aria Vale.png").exists()
    assert binned == []


def test_a_disk_without_a_bin_keeps_the_card_in_our_folder(
    desk: Desk, root: DataRoot, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_moves, "to_system_bin", lambda path: False)
    gone = remove(desk, root)
    assert gone.copy is not None
    assert gone.copy.is_file()
    assert str(gone.copy) in gone.warnings[0]
    assert not gone.card.exists()
