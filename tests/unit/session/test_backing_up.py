"""Backups of what is saved: once a window, on the lane of the save, a warning where they fail."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session import backing_up
from tavern_desktop.session.backing_up import Backups
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.commands import AppendMessage
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.runner import PlainRunner

CHAT = b'{"chat_metadata":{"integrity":"x"}}\n{"name":"Ada","mes":"one"}'


class Desk:
    """Open chats whose time the test decides."""

    def __init__(self, folder: Path) -> None:
        self.now = 0.0
        self.runner = PlainRunner(lambda: self.now)
        backups = Backups(self.runner, clock=lambda: self.now)
        self.chats = OpenChats(self.runner, folder / "recovery", preview_limit=0, backups=backups)
        self.notices: list[str] = []

    def open(self, path: Path) -> ChatSession:
        session = self.chats.open(path)
        session.notice.connect(self.notices.append)
        self.runner.run_until_idle()
        return session

    def change(self, session: ChatSession, text: str) -> None:
        session.do(AppendMessage({"name": "Ada", "mes": text}))
        session.save_now()
        self.runner.run_until_idle()

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.runner.run_timers()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
def chat(root: DataRoot) -> Path:
    path = root.chats / "Aria Vale" / "talk.jsonl"
    path.write_bytes(CHAT)
    return path


def copies(root: DataRoot) -> list[Path]:
    return sorted((root.user_folder / "backups").glob("chat_aria_vale_*"), key=lambda path: path.stat().st_mtime_ns)


def test_the_first_save_is_backed_up_at_once_and_the_last_at_the_windows_end(
    desk: Desk, root: DataRoot, chat: Path
) -> None:
    session = desk.open(chat)
    desk.change(session, "two")
    assert [path.read_bytes() for path in copies(root)] == [chat.read_bytes()]
    desk.change(session, "three")
    desk.change(session, "four")
    assert len(copies(root)) == 1
    desk.wait(backing_up.WINDOW)
    assert len(copies(root)) == 2
    assert copies(root)[-1].read_bytes() == chat.read_bytes()


def test_what_waits_is_copied_when_the_program_ends(desk: Desk, root: DataRoot, chat: Path) -> None:
    session = desk.open(chat)
    desk.change(session, "two")
    session.do(AppendMessage({"name": "Ada", "mes": "three"}))
    assert desk.chats.flush_all(5) == []
    assert copies(root)[-1].read_bytes() == chat.read_bytes()
    assert b"three" in chat.read_bytes()


def test_a_large_chat_is_copied_less_often(
    desk: Desk, root: DataRoot, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backing_up, "LARGE", 10)
    session = desk.open(chat)
    desk.change(session, "two")
    desk.change(session, "three")
    desk.wait(backing_up.WINDOW)
    assert len(copies(root)) == 1
    desk.wait(backing_up.LARGE_WINDOW)
    assert len(copies(root)) == 2


def test_a_backup_that_fails_is_a_warning_and_the_save_a_success(desk: Desk, root: DataRoot, chat: Path) -> None:
    shutil.rmtree(root.user_folder / "backups", ignore_errors=True)
    (root.user_folder / "backups").write_bytes(b"in the way")
    session = desk.open(chat)
    desk.change(session, "two")
    assert session.save_state.kind == "saved"
    assert b"two" in chat.read_bytes()
    (notice,) = desk.notices
    assert notice.startswith("Saved, but no backup could be made.")


def test_a_chat_outside_every_data_root_gets_no_files_beside_it(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "alone" / "talk.jsonl"
    path.parent.mkdir()
    path.write_bytes(CHAT)
    session = desk.open(path)
    desk.change(session, "two")
    backing_up.back_up_first(path)
    assert os.listdir(path.parent) == ["talk.jsonl"]
    assert os.listdir(tmp_path) == ["alone"]


def test_a_forced_copy_does_not_ask_how_old_the_last_one_is(desk: Desk, root: DataRoot, chat: Path) -> None:
    session = desk.open(chat)
    desk.change(session, "two")
    desk.change(session, "three")
    backing_up.back_up_first(chat)
    assert len(copies(root)) == 2


def test_metadata_alone_is_saved_without_touching_the_body(desk: Desk, chat: Path) -> None:
    chat.write_bytes(CHAT.replace(b"\n", b"\r\n \n") + b"\r\n")
    body = chat.read_bytes().partition(b"\n")[2]
    session = desk.open(chat)
    assert session.chat is not None
    header = session.chat.header
    session.chat.set_header(header.with_metadata(header.metadata() | {"note_prompt": "rain"}))
    session.save_now()
    desk.runner.run_until_idle()
    assert session.save_state.kind == "saved"
    assert b"rain" in chat.read_bytes()
    assert chat.read_bytes().partition(b"\n")[2] == body


def test_metadata_is_not_saved_to_a_file_that_is_gone(desk: Desk, chat: Path) -> None:
    session = desk.open(chat)
    assert session.chat is not None
    header = session.chat.header
    session.chat.set_header(header.with_metadata(header.metadata() | {"note_prompt": "rain"}))
    chat.unlink()
    session.save_now()
    desk.runner.run_until_idle()
    assert session.is_dirty
    assert not chat.exists()
