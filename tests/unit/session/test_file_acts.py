"""Acts on whole files while they are open: what is saved first, what goes on where, and what is only a warning."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tavern_desktop.library import records
from tavern_desktop.library.card_file import read_card
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session import file_acts
from tavern_desktop.session.commands import AppendMessage
from tavern_desktop.session.file_acts import FileActs, FileDone, Removed
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.runner import Outcome, PlainRunner
from tavern_desktop.storage import file_moves
from tavern_desktop.storage.errors import StorageError

T = TypeVar("T")
CHAT = b'{"chat_metadata":{"integrity":"x","note":1.10}}\n{"name":"Ada","mes":"one"}\n{"name":"Mira","mes":"two"}\n'


class Desk:
    """A program with open chats."""

    def __init__(self, own: Path) -> None:
        self.runner = PlainRunner()
        self.chats = OpenChats(self.runner, own / "recovery", preview_limit=0)
        self.acts = FileActs(self.runner, self.chats, own)

    def result(self, start: Callable[[Callable[[Outcome[T]], None]], None]) -> T:
        outcomes: list[Outcome[T]] = []
        start(outcomes.append)
        self.runner.run_until_idle()
        (outcome,) = outcomes
        return outcome.result()

    def rename(self, path: Path, name: str) -> FileDone:
        return self.result(lambda done: self.acts.rename(path, name, done))

    def remove(self, path: Path) -> Removed:
        return self.result(lambda done: self.acts.remove(path, done))

    def branch(self, path: Path, index: int) -> Path:
        return self.result(lambda done: self.acts.branch(path, index, done)).path


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "own")


@pytest.fixture
def chat(root: DataRoot) -> Path:
    path = root.chats / "Aria Vale" / "talk.jsonl"
    path.write_bytes(CHAT)
    return path


@pytest.fixture(autouse=True)
def no_bin(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The bin of the test: what went in."""
    binned: list[Path] = []

    def take(path: Path) -> bool:
        binned.append(path)
        path.unlink()
        return True

    monkeypatch.setattr(file_moves, "to_system_bin", take)
    return binned


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_a_closed_chat_is_renamed_without_being_read(desk: Desk, chat: Path) -> None:
    chat.write_bytes(b"\0 damaged")
    assert desk.rename(chat, "other") == FileDone(chat.with_name("other.jsonl"))
    assert chat.with_name("other.jsonl").read_bytes() == b"\0 damaged"


def test_an_open_chat_is_saved_first_and_goes_on_under_its_new_name(desk: Desk, chat: Path) -> None:
    session = desk.chats.open(chat)
    desk.runner.run_until_idle()
    session.do(AppendMessage({"name": "Ada", "mes": "three"}))
    former: list[Path] = []
    session.path_changed.connect(former.append)
    target = desk.rename(chat, "other").path
    assert (former, session.path, session.title) == ([chat], target, "other")
    assert [line.get("mes") for line in lines(target)] == [None, "one", "two", "three"]
    assert desk.chats.session_for(target) is session
    session.do(AppendMessage({"name": "Ada", "mes": "four"}))
    session.save_now()
    desk.runner.run_until_idle()
    assert session.save_state.kind == "saved"
    assert lines(target)[-1]["mes"] == "four"
    assert not chat.exists()


def test_a_save_that_fails_stops_the_rename(desk: Desk, chat: Path) -> None:
    session = desk.chats.open(chat)
    desk.runner.run_until_idle()
    session.do(AppendMessage({"name": "Ada", "mes": "ours"}))
    theirs = b'{"chat_metadata":{"integrity":"another"}}\n{"name":"Ada","mes":"theirs"}'
    chat.write_bytes(theirs)
    with pytest.raises(StorageError):
        desk.rename(chat, "other")
    assert (session.path, chat.read_bytes()) == (chat, theirs)
    assert session.is_dirty
    assert not session.is_saving


def test_a_file_that_somebody_changed_is_not_known_after_its_rename(desk: Desk, chat: Path) -> None:
    session = desk.chats.open(chat)
    desk.runner.run_until_idle()
    chat.write_bytes(CHAT + b'{"name":"Ada","mes":"theirs"}')
    target = desk.rename(chat, "other").path
    session.do(AppendMessage({"name": "Ada", "mes": "ours"}))
    session.save_now()
    desk.runner.run_until_idle()
    assert b"theirs" in target.read_bytes()


def test_the_card_follows_a_rename(desk: Desk, root: DataRoot, chat: Path) -> None:
    card = root.characters / "Aria Vale.png"
    current = read_card(card).get("chat")
    assert isinstance(current, str)
    path = chat.with_name(f"{current}.jsonl")
    if not path.exists():
        path.write_bytes(CHAT)
    before = {name: value for name, value in read_card(card).items() if name != "chat"}
    assert desk.rename(path, "another name").warnings == ()
    after = read_card(card)
    assert after.pop("chat") == "another name"
    assert after == before


def test_a_record_that_cannot_be_written_is_a_warning(desk: Desk, chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(old: Path, new: Path) -> None:
        raise StorageError("io", "write", "no room")

    monkeypatch.setattr(file_acts, "follow", refuse)
    done = desk.rename(chat, "other")
    assert done.path.exists()
    assert done.warnings == ("Renamed, but the list of chats could not be brought up to date: no room.",)


def test_removing_an_open_chat_lets_go_of_it_and_writes_it_nowhere(desk: Desk, chat: Path, no_bin: list[Path]) -> None:
    session = desk.chats.open(chat)
    desk.runner.run_until_idle()
    session.do(AppendMessage({"name": "Ada", "mes": "unsaved"}))
    gone: list[bool] = []
    session.removed.connect(lambda: gone.append(True))
    removed = desk.remove(chat)
    assert (gone, no_bin, removed.warnings) == ([True], [chat], ())
    desk.chats.release(session)
    desk.runner.run_until_idle()
    assert not chat.exists()
    assert desk.chats.session_for(chat) is None


def test_a_removed_chat_can_be_brought_back(desk: Desk, root: DataRoot, chat: Path) -> None:
    removed = desk.remove(chat)
    assert removed.copy is not None
    assert removed.copy.parent == root.user_folder / "backups"
    back = desk.result(lambda done: desk.acts.bring_back(removed, done))
    assert (back.path, chat.read_bytes()) == (chat, CHAT)
    again = desk.result(lambda done: desk.acts.bring_back(removed, done))
    assert again.path.name == "talk 2.jsonl"


def test_outside_every_data_root_the_copy_is_in_our_own_folder(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "alone" / "talk.jsonl"
    path.parent.mkdir()
    path.write_bytes(CHAT)
    removed = desk.remove(path)
    assert removed.copy == tmp_path / "own" / "kept" / "talk.jsonl"
    assert list(path.parent.iterdir()) == []


def test_without_a_copy_the_chat_is_removed_all_the_same_and_that_is_said(
    desk: Desk, chat: Path, no_bin: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> Path:
        raise StorageError("io", "space", "No space left on device")

    monkeypatch.setattr(file_acts, "back_up_first", refuse)
    removed = desk.remove(chat)
    assert no_bin == [chat]
    assert removed.warnings == ("Removed, but no copy for undo could be made: No space left on device.",)
    with pytest.raises(CommandRefused):
        desk.acts.bring_back(removed, lambda outcome: None)


def test_a_removal_that_fails_leaves_the_chat_open_and_saving(
    desk: Desk, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise StorageError("io", "delete", "Permission denied")

    monkeypatch.setattr(file_acts, "bin_file", refuse)
    session = desk.chats.open(chat)
    desk.runner.run_until_idle()
    session.do(AppendMessage({"name": "Ada", "mes": "three"}))
    with pytest.raises(StorageError):
        desk.remove(chat)
    session.save_now()
    desk.runner.run_until_idle()
    assert b"three" in chat.read_bytes()


def test_a_chat_that_is_still_being_read_is_moved_once_it_is_there(desk: Desk, chat: Path, no_bin: list[Path]) -> None:
    session = desk.chats.open(chat)
    target = desk.rename(chat, "other").path
    assert (session.path, session.state, target.read_bytes()) == (target, "ready", CHAT)
    session.reload()
    assert desk.remove(target).path == target
    assert no_bin == [target]
    damaged = chat.with_name("damaged.jsonl")
    damaged.write_bytes(CHAT + b'{"cut')
    desk.chats.open(damaged)
    assert desk.rename(damaged, "renamed").path.exists()


def test_a_group_keeps_its_list_of_chats_in_step(desk: Desk, root: DataRoot) -> None:
    file = next(iter(sorted(root.groups.glob("*.json"))))
    record = json.loads(file.read_bytes())
    path = root.group_chats / f"{record['chats'][0]}.jsonl"
    if not path.exists():
        path.write_bytes(CHAT)
    target = desk.rename(path, "our evening").path
    assert json.loads(file.read_bytes())["chats"][0] == "our evening"
    branch = desk.branch(target, 0)
    assert json.loads(file.read_bytes())["chats"][-1] == branch.stem
    removed = desk.remove(target)
    assert "our evening" not in json.loads(file.read_bytes())["chats"]
    desk.result(lambda done: desk.acts.bring_back(removed, done))
    assert json.loads(file.read_bytes())["chats"][-1] == "our evening"
    unchanged = {name for name in record if name not in ("chats", "chat_id")}
    assert {name: json.loads(file.read_bytes())[name] for name in unchanged} == {n: record[n] for n in unchanged}


def test_a_card_that_named_the_removed_chat_names_the_newest_that_is_left(
    desk: Desk, root: DataRoot, chat: Path
) -> None:
    card = root.characters / "Aria Vale.png"
    path = chat.with_name(f"{read_card(card)['chat']}.jsonl")
    if not path.exists():
        path.write_bytes(CHAT)
    newest = records.newest_beside(path)
    assert newest is not None
    desk.remove(path)
    assert read_card(card)["chat"] == newest.stem


def test_a_branch_leaves_the_chat_alone_byte_for_byte(desk: Desk, chat: Path) -> None:
    branch = desk.branch(chat, 0)
    assert chat.read_bytes() == CHAT
    assert branch.name == "talk - Branch #1.jsonl"
    header, *messages = lines(branch)
    assert messages == [{"name": "Ada", "mes": "one"}]
    assert header["chat_metadata"]["main_chat"] == "talk"
    assert header["chat_metadata"]["note"] == 1.10
    assert header["chat_metadata"]["integrity"] not in ("x", "")
    assert desk.branch(chat, 1).name == "talk - Branch #2.jsonl"
    assert desk.branch(branch, 0).name == "talk - Branch #3.jsonl"
    assert branch.read_bytes().splitlines()[1] == CHAT.splitlines()[1]


def test_a_branch_of_an_open_chat_has_what_is_not_saved_yet(desk: Desk, chat: Path) -> None:
    session = desk.chats.open(chat)
    desk.runner.run_until_idle()
    session.do(AppendMessage({"name": "Ada", "mes": "three"}))
    assert lines(desk.branch(chat, 2))[-1]["mes"] == "three"
    assert chat.read_bytes() == CHAT
    with pytest.raises(CommandRefused, match="There is no message 3"):
        desk.acts.branch(chat, 3, lambda outcome: None)


def test_a_long_name_is_shortened_before_the_branchs_number(desk: Desk, chat: Path) -> None:
    long = chat.rename(chat.with_name("名" * 80 + ".jsonl"))
    branch = desk.branch(long, 0)
    assert branch.name.endswith(" - Branch #1.jsonl")
    assert len(branch.name.encode()) <= 255


def test_a_duplicate_has_the_saved_bytes(desk: Desk, chat: Path) -> None:
    copy = desk.result(lambda done: desk.acts.duplicate(chat, done)).path
    assert (copy.name, copy.read_bytes()) == ("talk (copy).jsonl", CHAT)
    session = desk.chats.open(chat)
    desk.runner.run_until_idle()
    session.do(AppendMessage({"name": "Ada", "mes": "three"}))
    second = desk.result(lambda done: desk.acts.duplicate(chat, done)).path
    assert second.name == "talk (copy) 2.jsonl"
    assert second.read_bytes() == chat.read_bytes()
    assert b"three" in second.read_bytes()
    assert not session.is_dirty


def test_a_long_export_tells_how_far_it_is_and_can_be_stopped(desk: Desk, chat: Path, tmp_path: Path) -> None:
    chat.write_bytes(CHAT + b"\n".join(b'{"name":"Ada","mes":"more"}' for _ in range(1200)))
    out, told = tmp_path / "out.md", list[tuple[int, int]]()
    acts = desk.acts
    desk.result(lambda done: acts.export(chat, out, "md", done, progress=lambda *step: told.append(step)))
    assert told == [(500, 1202), (1000, 1202), (1202, 1202)]
    before = out.read_bytes()
    stops = iter([False] * 20 + [True] * 9999)
    with pytest.raises(StorageError, match="cancelled"):
        desk.result(lambda done: acts.export(chat, out, "md", done, replace=True, cancelled=lambda: next(stops)))
    assert out.read_bytes() == before
    with pytest.raises(StorageError, match="already_exists"):
        desk.result(lambda done: acts.export(chat, out, "md", done))
