"""Where a chat's journal is: with its data root, whatever the program was started on, and never of two processes."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock

from tavern_desktop.session.commands import EditText
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.storage.own_folders import OwnFolders
from tests.unit.session.chats import ByHand, user, write

RECORDS = [user("u0"), user("u1")]


class Program:
    """A program that was started on a data root."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folders = OwnFolders(folder / "config", folder / "own", folder / "cache")
        self.root = folder / name
        (self.root / "default-user" / "characters").mkdir(parents=True, exist_ok=True)
        own = self.folders.for_root(self.root).data
        self.runner = ByHand()
        self.chats = OpenChats(
            self.runner, own / "recovery", own_folder=own, root=self.root, folders=self.folders, preview_limit=0
        )

    @property
    def chat(self) -> Path:
        return self.root / "default-user" / "chats" / "Mira" / "talk.jsonl"

    def change(self, path: Path, text: str, *, closes: bool = True) -> None:
        session = self.chats.open(path)
        self.runner.run_until_idle()
        assert session.chat is not None
        session.do(EditText(session.chat.messages[0].key, text))
        session.save_now()
        self.runner.run_until_idle()
        if closes:
            self.chats.release(session)
            self.runner.run_until_idle()

    def versions(self, path: Path) -> int:
        assert self.chats.journals is not None
        return self.chats.journals.journal(path).number


def test_a_chat_of_another_data_root_has_its_journal_there(tmp_path: Path) -> None:
    one, other = Program(tmp_path, "one"), Program(tmp_path, "other")
    write(one.chat, RECORDS)
    one.change(one.chat, "by the one")
    other.change(one.chat, "by the other")
    assert (one.versions(one.chat), other.versions(one.chat)) == (2, 2)


def test_a_chat_in_no_data_root_has_one_too(tmp_path: Path) -> None:
    one, other = Program(tmp_path, "one"), Program(tmp_path, "other")
    path = write(tmp_path / "downloads" / "talk.jsonl", RECORDS)
    one.change(path, "by the one")
    other.change(path, "by the other")
    assert one.versions(path) == 2
    assert list((one.folders.data / "outside" / "journal").iterdir()) != []


def test_only_one_process_writes_it_at_a_time(tmp_path: Path) -> None:
    one, other = Program(tmp_path, "one"), Program(tmp_path, "other")
    path = write(tmp_path / "downloads" / "talk.jsonl", RECORDS)
    one.change(path, "by the one", closes=False)
    other.change(path, "by the other")  # saved, but not written down by this one
    assert (one.versions(path), b"by the other" in path.read_bytes()) == (1, True)
    session = one.chats.session_for(path)
    assert session is not None
    one.chats.release(session)
    one.runner.run_until_idle()
    (lock,) = (one.folders.data / "outside" / "locks").glob("*.lock")
    with FileLock(lock).acquire(blocking=False):
        assert one.versions(path) == 1


def test_the_owner_of_a_data_root_minds_who_came_before(tmp_path: Path) -> None:
    one, owner = Program(tmp_path, "one"), Program(tmp_path, "other")
    write(owner.chat, RECORDS)
    one.change(owner.chat, "by the one", closes=False)
    owner.change(owner.chat, "by the owner")
    assert owner.versions(owner.chat) == 1
