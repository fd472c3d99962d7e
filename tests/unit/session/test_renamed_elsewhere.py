"""A file that got another name is found again by what is in it, and by nothing less."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.commands import AppendMessage
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.renamed_elsewhere import follow_rename, same_chat_beside
from tests.unit.session.chats import HEADER, ByHand, lines, user, write

IDENTITY = "11111111-1111-4111-8111-111111111111"


def test_one_file_with_this_identity_and_size(tmp_path: Path) -> None:
    old = tmp_path / "old.jsonl"
    new = write(tmp_path / "new.jsonl", [user("a")])
    size = new.stat().st_size
    write(tmp_path / "longer.jsonl", [user("aa")])
    write(tmp_path / "other.jsonl", [user("a")], HEADER.replace(b"1111", b"2222"))
    (tmp_path / "damaged.jsonl").write_bytes(b"{" * size)
    (tmp_path / "new.bak").write_bytes(new.read_bytes())
    found = same_chat_beside(old, IDENTITY, size)
    assert found is not None
    assert found[0] == new
    assert same_chat_beside(new, IDENTITY, size) is None
    write(tmp_path / "copy.jsonl", [user("a")])
    assert same_chat_beside(old, IDENTITY, size) is None
    assert same_chat_beside(tmp_path / "no folder" / "old.jsonl", IDENTITY, size) is None


class Desk:
    """A program with a chat open whose file is gone."""

    def __init__(self, path: Path, own: Path) -> None:
        self.runner = ByHand()
        self.chats = OpenChats(self.runner, own / "recovery", preview_limit=0)
        self.session: ChatSession = self.chats.open(path)
        self.runner.run_until_idle()

    def lose(self) -> None:
        """Notice that the file is gone."""
        self.session.look_at_file()
        for _ in range(3):
            self.runner.run_until_idle()
            self.runner.advance(5)
        assert self.session.trouble is not None
        assert self.session.trouble.kind == "gone"

    def follow(self) -> Path | None:
        told: list[Path | None] = []
        follow_rename(self.runner, self.chats, self.session, told.append)
        self.runner.run_until_idle()
        (target,) = told
        return target


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(tmp_path / "old.jsonl", [user("one")])


def test_what_was_not_saved_goes_along(path: Path, tmp_path: Path) -> None:
    desk = Desk(path, tmp_path / "own")
    desk.session.do(AppendMessage(user("two")))
    new = path.rename(path.with_name("new.jsonl"))
    desk.lose()
    assert desk.follow() == new
    desk.session.save_now()
    desk.runner.run_until_idle()
    assert (len(lines(new)), desk.session.trouble, path.exists()) == (3, None, False)


def test_a_chat_that_somebody_has_open_is_left_alone(path: Path, tmp_path: Path) -> None:
    desk = Desk(path, tmp_path / "own")
    new = path.rename(path.with_name("new.jsonl"))
    desk.chats.open(new)
    desk.runner.run_until_idle()
    desk.lose()
    assert desk.follow() is None
    assert desk.session.path == path


def test_a_chat_that_is_gone_stays_gone(path: Path, tmp_path: Path) -> None:
    desk = Desk(path, tmp_path / "own")
    path.unlink()
    desk.lose()
    assert desk.follow() is None
    assert desk.session.trouble is not None
