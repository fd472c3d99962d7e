"""Open chats whose unseen alternatives are on disk: loading, changing, saving, merging and reloading them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.cold_message import ColdMessage
from tavern_desktop.session import cold_swipes
from tavern_desktop.session.branch import write_branch
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.cold_swipes import ColdSwipes
from tavern_desktop.session.commands import (
    UNREADABLE,
    AddSwipe,
    AppendMessage,
    CopyMessage,
    DeleteSwipe,
    EditText,
    SelectSwipe,
    SetHidden,
)
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.storage.errors import sentence
from tests.unit.session.chats import ByHand, lines, reply, user, write

RECORDS = [user("u0"), reply("a0", "b0", "c0"), user("u1"), reply("a1", "b1"), reply("a2", "b2")]
COLD = [False, True, False, True, False]


class Desk:
    """One chat, opened with the setting on, whatever its length."""

    def __init__(self, folder: Path) -> None:
        self.is_wanted = True
        self.runner = ByHand()
        messages_of = ColdSwipes(folder / "cache", lambda: self.is_wanted).messages_of
        chats = OpenChats(self.runner, folder / "recovery", preview_limit=0, messages_of=messages_of)
        self.path = write(folder / "data" / "chat.jsonl", RECORDS)
        self.before = lines(self.path)
        self.session: ChatSession = chats.open(self.path)
        self.runner.run_until_idle()

    @property
    def chat(self) -> Chat:
        assert self.session.chat is not None
        return self.session.chat

    def key(self, index: int) -> int:
        return self.chat.messages[index].key

    def cold(self) -> list[bool]:
        return [isinstance(message, ColdMessage) for message in self.chat.messages]

    def save(self) -> list[dict[str, Any]]:
        """Save, and return the messages of the file."""
        self.session.save_now()
        self.runner.run_until_idle()
        return [json.loads(line) for line in lines(self.path)[1:]]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(cold_swipes, "LONG", 0)
    return Desk(tmp_path)


def test_only_unseen_alternatives_of_long_chats_are_left_on_disk_and_only_if_wanted(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert desk.cold() == COLD
    assert not desk.session.is_dirty
    size = desk.path.stat().st_size
    for is_wanted, long in ((True, size + 1), (False, size)):
        monkeypatch.setattr(cold_swipes, "LONG", long)
        desk.is_wanted = is_wanted
        desk.session.reload()
        desk.runner.run_until_idle()
        assert desk.cold() == [False] * 5


def test_other_messages_are_saved_with_the_bytes_they_had(desk: Desk) -> None:
    desk.session.do(EditText(desk.key(1), "new"))
    desk.session.do(SetHidden([desk.key(3)], True))
    assert desk.cold() == COLD
    saved = desk.save()
    assert saved[1]["swipes"] == ["new", "b0", "c0"]
    assert (saved[3]["swipes"], saved[3]["is_system"]) == (["a1", "b1"], True)
    assert [lines(desk.path)[at] for at in (1, 3, 5)] == [desk.before[at] for at in (1, 3, 5)]
    desk.session.undo()
    desk.session.undo()
    desk.save()
    assert lines(desk.path)[1:] == desk.before[1:]


def test_alternatives_are_there_when_they_are_wanted(desk: Desk) -> None:
    desk.session.do(SelectSwipe(desk.key(1), 2))
    assert desk.chat.messages[1].data()["mes"] == "c0"
    desk.session.do(DeleteSwipe(desk.key(1), 0))
    desk.session.do(AddSwipe(desk.key(3), "d1"))
    desk.session.do(CopyMessage(desk.key(3)))
    saved = desk.save()
    assert saved[1]["swipes"] == ["b0", "c0"]
    assert saved[3]["swipes"] == saved[4]["swipes"] == ["a1", "b1", "d1"]


def test_a_save_that_came_before_changes_nothing_about_what_is_on_disk(desk: Desk) -> None:
    desk.session.do(AppendMessage(user("more")))
    desk.save()
    desk.session.do(EditText(desk.key(1), "new"))
    assert desk.save()[1]["swipes"] == ["new", "b0", "c0"]


def test_what_another_program_wrote_is_merged_with_whole_messages(desk: Desk) -> None:
    desk.session.do(EditText(desk.key(1), "mine"))
    theirs = [*RECORDS[:3], reply("a1", "b1", "theirs"), RECORDS[4], user("new")]
    write(desk.path.with_suffix(".tmp"), theirs).replace(desk.path)
    saved = desk.save()
    assert [record["mes"] for record in saved] == ["u0", "mine", "u1", "a1", "a2", "new"]
    assert [saved[at]["swipes"] for at in (1, 3)] == [["mine", "b0", "c0"], ["a1", "b1", "theirs"]]
    desk.session.undo()
    assert [message.data()["mes"] for message in desk.chat.messages] == ["u0", "mine", "u1", "a1", "a2"]


def test_an_unedited_chat_follows_its_file(desk: Desk) -> None:
    keys = [message.key for message in desk.chat.messages]
    write(desk.path.with_suffix(".tmp"), [*RECORDS, user("new")]).replace(desk.path)
    desk.session.look_at_file()
    desk.runner.run_until_idle()
    assert [message.key for message in desk.chat.messages][:5] == keys
    assert desk.cold() == [*COLD, False]
    assert not desk.session.is_dirty


def test_the_setting_takes_effect_on_reload_and_keys_stay(desk: Desk) -> None:
    keys = [message.key for message in desk.chat.messages]
    for is_wanted, cold in ((False, [False] * 5), (True, COLD)):
        desk.is_wanted = is_wanted
        desk.session.reload()
        desk.runner.run_until_idle()
        assert desk.cold() == cold
        assert [message.key for message in desk.chat.messages] == keys


def test_a_branch_has_all_alternatives(desk: Desk) -> None:
    branch = write_branch(desk.path, desk.chat.header, desk.chat.messages[:4])
    assert lines(branch)[1:] == desk.before[1:5]


def test_what_cannot_be_read_back_is_told_and_the_file_stays_as_it_is(desk: Desk) -> None:
    source: Any = desk.chat.messages[1][3]  # type: ignore[misc]
    source.close()
    with pytest.raises(CommandRefused, match=UNREADABLE):
        desk.session.do(SelectSwipe(desk.key(1), 2))
    desk.session.do(AppendMessage(user("more")))
    desk.save()
    error = desk.session.save_state.error
    assert error is not None
    assert (error.kind, error.detail, error.index) == ("cold_swipe", "source_gone", 1)
    assert sentence(error) == "Older swipes of message 1 could not be read back; nothing was saved."
    assert lines(desk.path) == desk.before
    assert desk.session.is_dirty
