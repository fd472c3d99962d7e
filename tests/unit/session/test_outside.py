"""Another program writes the file of an open chat: an unedited one follows, an edited one merges."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.chat.merge import MergeResult
from tavern_desktop.session.commands import AppendMessage, EditText
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.outside import GONE_SECONDS, RETRIES
from tavern_desktop.storage.signature import Signature
from tests.unit.session.chats import HEADER, ByHand, lines, recorded, reply, texts, user, write

RECORDS = [user("u0"), reply("a0"), user("u1"), reply("a1"), user("u2")]


class Desk:
    """One chat in a data root, open, and what is said of it."""

    def __init__(self, folder: Path) -> None:
        self.user_folder = folder / "data" / "default-user"
        (self.user_folder / "characters").mkdir(parents=True)
        self.runner = ByHand()
        self.recovery = folder / "recovery"
        self.chats = OpenChats(self.runner, self.recovery, preview_limit=0)
        self.path = write(self.user_folder / "chats" / "Mira" / "talk.jsonl", RECORDS)
        self.session = self.chats.open(self.path)
        self.runner.run_until_idle()
        self.notices = recorded(self.session.notice)
        self.followed: list[MergeResult] = recorded(self.session.followed)
        self.merged: list[MergeResult] = recorded(self.session.merged)
        self.published: list[Signature] = recorded(self.session.published)

    def elsewhere(self, records: list[dict[str, Any]], header: bytes = HEADER) -> None:
        """Another program writes as SillyTavern does, and the window hears of it."""
        self.replace(records, header)
        self.look()

    def replace(self, records: list[dict[str, Any]], header: bytes = HEADER) -> None:
        write(self.path.with_suffix(".tmp"), records, header).replace(self.path)

    def look(self) -> None:
        self.session.look_at_file()
        self.runner.run_until_idle()

    @property
    def texts(self) -> list[str]:
        assert self.session.chat is not None
        return texts(self.session.chat)

    @property
    def keys(self) -> list[int]:
        assert self.session.chat is not None
        return [message.key for message in self.session.chat.messages]

    @property
    def trouble(self) -> str | None:
        return self.session.trouble.kind if self.session.trouble is not None else None

    def edit(self, index: int, text: str) -> None:
        self.session.do(EditText(self.keys[index], text))

    def on_disk(self) -> list[str]:
        return [json.loads(line)["mes"] for line in lines(self.path)[1:]]

    def backups(self) -> list[bytes]:
        return [file.read_bytes() for file in (self.user_folder / "backups").glob("*")]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


# -- following ----------------------------------------------------------------------------------------------


def test_an_unedited_chat_becomes_what_the_file_is_in_place(desk: Desk) -> None:
    keys = desk.keys
    chat = desk.session.chat
    assert chat is not None
    resets = recorded(chat.was_reset)
    edited = reply("a1", "another") | {"mes": "another", "swipe_id": 1}
    desk.elsewhere([*RECORDS[:2], edited, user("new")])
    assert desk.texts == ["u0", "a0", "another", "new"]
    assert desk.session.chat is chat
    assert (desk.keys[:3], resets) == ([keys[0], keys[1], keys[3]], [])
    (result,) = desk.followed
    assert (result.changed_by_disk, result.deleted_by_disk) == ((keys[3],), (keys[2], keys[4]))
    assert result.added_by_disk == (desk.keys[3],)
    assert (desk.session.state, desk.session.save_state.kind, desk.session.is_dirty) == ("ready", "saved", False)
    assert desk.published == []


def test_following_can_be_undone_and_what_the_other_program_wrote_is_kept(desk: Desk) -> None:
    desk.elsewhere([*RECORDS[:4], user("theirs")])
    assert desk.session.undo_label == "Change made elsewhere"
    desk.session.undo()
    assert desk.texts == ["u0", "a0", "u1", "a1", "u2"]
    desk.runner.advance(1)
    assert desk.on_disk() == ["u0", "a0", "u1", "a1", "u2"]
    assert any(b"theirs" in copy for copy in desk.backups())
    desk.session.redo()
    desk.runner.advance(1)
    assert desk.on_disk() == ["u0", "a0", "u1", "a1", "theirs"]


def test_earlier_changes_can_still_be_undone_where_nobody_touched_them(desk: Desk) -> None:
    desk.edit(0, "mine")
    desk.runner.advance(1)
    desk.elsewhere([user("mine"), *RECORDS[1:], user("theirs")])
    desk.session.undo()
    desk.session.undo()
    assert desk.texts == ["u0", "a0", "u1", "a1", "u2"]


def test_an_order_changed_elsewhere_is_followed(desk: Desk) -> None:
    keys = desk.keys
    desk.elsewhere([RECORDS[4], *RECORDS[:4]])
    assert desk.keys == [keys[4], *keys[:4]]
    desk.session.undo()
    assert desk.keys == keys


def test_our_own_saves_are_nothing_new(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.edit(0, "mine")
    desk.runner.advance(1)
    monkeypatch.setattr("tavern_desktop.session.outside.compare", None)
    states = recorded(desk.session.state_changed)
    desk.look()
    assert (desk.followed, desk.merged, states, len(desk.published)) == ([], [], [], 1)


def test_a_touch_is_nothing_and_a_header_is_taken_alone(desk: Desk) -> None:
    undo = recorded(desk.session.undo_changed)
    desk.elsewhere(RECORDS)
    assert (desk.followed, undo, desk.session.is_dirty) == ([], [], False)
    desk.elsewhere(RECORDS, HEADER.replace(b'"integrity"', b'"note_prompt":"be brief","integrity"'))
    assert desk.session.chat is not None
    assert desk.session.chat.header.metadata()["note_prompt"] == "be brief"
    assert (desk.followed, desk.session.is_dirty) == ([], False)


def test_a_header_written_elsewhere_does_not_stop_our_save(desk: Desk) -> None:
    desk.edit(0, "mine")
    desk.elsewhere(RECORDS, HEADER.replace(b'"integrity"', b'"note_prompt":"be brief","integrity"'))
    desk.runner.advance(1)
    assert desk.session.save_state.kind == "saved"
    assert desk.on_disk()[0] == "mine"
    assert b"be brief" in lines(desk.path)[0]


def test_messages_of_ours_that_were_saved_over_come_back(desk: Desk) -> None:
    desk.session.do(AppendMessage(user("ours")))
    desk.runner.advance(1)
    desk.elsewhere([*RECORDS, user("theirs")])  # it was opened before our last message
    assert sorted(desk.texts[-2:]) == ["ours", "theirs"]
    assert desk.on_disk() == desk.texts
    assert [len(result.restored) for result in desk.merged] == [1]
    assert any(b"theirs" in copy and b"ours" not in copy for copy in desk.backups())


def test_a_view_only_follows_and_never_writes(tmp_path: Path) -> None:
    runner = ByHand()
    chats = OpenChats(runner, tmp_path / "recovery", read_only=True, preview_limit=0)
    session = chats.open(write(tmp_path / "chat.jsonl", RECORDS))
    runner.run_until_idle()
    write(session.path, [*RECORDS, user("new")])
    before = session.path.read_bytes()
    chats.look_at_files()
    runner.run_until_idle()
    assert session.chat is not None
    assert texts(session.chat)[-1] == "new"
    assert (session.undo_label, session.path.read_bytes()) == (None, before)


def test_a_writer_that_looks_twice_reads_once(desk: Desk) -> None:
    desk.replace([*RECORDS, user("new")])
    desk.session.look_at_file()
    desk.session.look_at_file()
    desk.runner.run_until_idle()
    assert len(desk.followed) == 1


# -- asking -------------------------------------------------------------------------------------------------


def test_an_edited_chat_is_merged_with_its_save(desk: Desk) -> None:
    desk.edit(0, "mine")
    desk.elsewhere([*RECORDS, user("theirs")])
    assert (desk.session.save_state.kind, desk.texts[0], len(desk.texts)) == ("unsaved", "mine", 5)
    desk.runner.advance(1)
    assert desk.on_disk() == ["mine", "a0", "u1", "a1", "u2", "theirs"]


def test_once_our_edit_is_taken_back_the_file_is_followed(desk: Desk) -> None:
    desk.edit(0, "mine")
    desk.elsewhere([*RECORDS, user("theirs")])
    desk.session.undo()
    desk.runner.run_until_idle()
    assert desk.texts[-1] == "theirs"
    assert desk.session.save_state.kind == "saved"


def test_a_file_that_is_ours_again_needs_no_answer(desk: Desk) -> None:
    kept = desk.path.rename(desk.path.with_suffix(".kept"))
    desk.edit(0, "mine")
    desk.elsewhere([*RECORDS, user("theirs")])
    kept.replace(desk.path)
    desk.look()
    desk.runner.advance(1)
    assert (desk.session.save_state.kind, desk.on_disk()[0]) == ("saved", "mine")


@pytest.mark.parametrize("edited", [False, True])
def test_a_chat_that_collapsed_is_kept_and_asked_about(desk: Desk, edited: bool) -> None:
    if edited:
        desk.edit(0, "mine")
    desk.elsewhere([reply("a greeting in place of everything")])
    assert desk.session.trouble is not None
    assert (desk.trouble, desk.session.trouble.messages) == ("shrunk", 1)
    desk.edit(1, "typed since")
    desk.runner.advance(100)
    assert len(desk.texts) == 5
    assert desk.on_disk() == ["a greeting in place of everything"]
    assert desk.session.save_state.kind == "changed_on_disk"
    desk.session.reload()
    desk.runner.run_until_idle()
    assert desk.texts == ["a greeting in place of everything"]
    assert (desk.trouble, desk.session.save_state.kind) == (None, "saved")
    assert any(b"typed since" in copy.read_bytes() for copy in desk.recovery.iterdir())


def test_a_collapsed_chat_can_be_kept_as_a_new_one(desk: Desk) -> None:
    desk.elsewhere([reply("a greeting")])
    desk.session.save_as_new("kept")
    desk.runner.run_until_idle()
    assert (desk.trouble, desk.session.title, desk.session.save_state.kind) == (None, "kept", "saved")
    desk.edit(0, "mine")
    desk.runner.advance(1)
    assert desk.session.save_state.kind == "saved"


def test_a_collapse_that_is_taken_back_needs_no_answer(desk: Desk) -> None:
    desk.elsewhere([reply("a greeting")])
    desk.elsewhere([*RECORDS, user("new")])
    assert (desk.trouble, desk.texts[-1]) == (None, "new")


def test_what_is_being_typed_into_is_not_changed_under_the_hand(desk: Desk) -> None:
    desk.session.note_editor(True)
    theirs = reply("theirs")
    desk.elsewhere([RECORDS[0], theirs, *RECORDS[2:]])
    desk.edit(0, "ours")
    desk.runner.advance(100)
    assert (desk.texts[1], desk.session.save_state.kind, desk.on_disk()[0]) == ("a0", "unsaved", "u0")
    desk.edit(1, "mine")
    desk.session.note_editor(False)
    desk.runner.advance(1)
    assert desk.session.chat is not None
    assert desk.session.chat.messages[1].data()["swipes"] == ["mine", "theirs"]
    assert desk.on_disk()[:2] == ["ours", "mine"]


def test_a_save_does_not_change_it_under_the_hand_either(desk: Desk) -> None:
    desk.session.note_editor(True)
    desk.replace([RECORDS[0], reply("theirs"), *RECORDS[2:]])
    desk.edit(0, "ours")
    desk.runner.advance(100)
    assert (desk.texts[1], desk.session.save_state.kind, desk.on_disk()[0]) == ("a0", "unsaved", "u0")
    desk.session.note_editor(False)
    desk.runner.advance(1)
    assert (desk.texts[:2], desk.on_disk()[:2]) == (["ours", "theirs"], ["ours", "theirs"])


def test_once_nobody_types_into_it_the_file_is_followed(desk: Desk) -> None:
    desk.session.note_editor(True)
    desk.elsewhere([*RECORDS, user("theirs")])
    desk.session.note_editor(False)
    desk.runner.run_until_idle()
    assert (desk.texts[-1], desk.session.save_state.kind) == ("theirs", "saved")


# -- gone ---------------------------------------------------------------------------------------------------


def test_a_file_that_comes_back_soon_was_not_deleted(desk: Desk) -> None:
    desk.path.unlink()
    desk.look()
    desk.edit(0, "mine")
    desk.runner.advance(GONE_SECONDS - 1)
    assert (desk.trouble, desk.session.save_state.kind) == (None, "unsaved")
    desk.replace(RECORDS)
    desk.runner.advance(1)
    desk.runner.advance(1)
    assert (desk.trouble, desk.session.save_state.kind) == (None, "saved")
    assert desk.on_disk()[0] == "mine"


def test_a_deleted_chat_stays_in_memory_and_is_saved_only_when_asked(desk: Desk) -> None:
    desk.path.unlink()
    desk.look()
    desk.look()
    desk.runner.advance(GONE_SECONDS)
    assert (desk.trouble, desk.session.save_state.kind, desk.session.is_dirty) == ("gone", "gone", False)
    desk.edit(0, "mine")
    desk.session.save_now()
    desk.runner.advance(100)
    assert not desk.path.exists()
    desk.session.save_as_new(desk.session.title)
    desk.runner.run_until_idle()
    assert (desk.trouble, desk.session.save_state.kind) == (None, "saved")
    assert desk.on_disk() == ["mine", "a0", "u1", "a1", "u2"]
    assert b"11111111-1111-4111-8111-111111111111" in lines(desk.path)[0]


@pytest.mark.parametrize("edited", [False, True])
def test_a_deleted_chat_can_be_let_go(desk: Desk, edited: bool) -> None:
    if edited:
        desk.edit(0, "mine")
    desk.path.unlink()
    desk.look()
    desk.runner.advance(GONE_SECONDS)
    removed = recorded(desk.session.removed)
    kept: list[Path | None] = []
    desk.session.let_go(kept.append)
    desk.runner.run_until_idle()
    assert (len(removed), desk.session.state, desk.session.is_dirty) == (1, "failed", False)
    assert [copy is not None and b'"mine"' in copy.read_bytes() for copy in kept] == [edited]


def test_a_deleted_chat_that_is_back_is_followed(desk: Desk) -> None:
    desk.path.unlink()
    desk.look()
    desk.runner.advance(GONE_SECONDS)
    desk.elsewhere([*RECORDS, user("new")])
    assert (desk.trouble, desk.texts[-1], desk.session.save_state.kind) == (None, "new", "saved")


# -- unreadable ---------------------------------------------------------------------------------------------


def test_a_file_in_the_middle_of_being_written_is_looked_at_again(desk: Desk) -> None:
    whole = b"\n".join([desk.path.read_bytes(), json.dumps(user("new")).encode()])
    desk.path.write_bytes(whole[:-9])
    desk.look()
    assert (desk.trouble, len(desk.texts)) == (None, 5)
    desk.path.write_bytes(whole)
    desk.runner.advance(RETRIES[0])
    assert (desk.trouble, desk.texts[-1]) == (None, "new")


def test_a_file_that_stays_damaged_is_never_adopted_nor_written(desk: Desk) -> None:
    desk.path.write_bytes(desk.path.read_bytes()[:-9])
    damaged = desk.path.read_bytes()
    desk.look()
    for seconds in RETRIES:
        desk.runner.advance(seconds)
    assert desk.session.trouble is not None
    assert desk.session.trouble.error is not None
    assert (desk.trouble, desk.session.trouble.error.kind, desk.session.is_dirty) == ("unreadable", "bad_record", True)
    desk.edit(0, "mine")
    desk.session.save_now()
    desk.runner.advance(100)
    assert desk.path.read_bytes() == damaged
    assert desk.texts[0] == "mine"


# -- looking while something else goes on -------------------------------------------------------------------


def test_what_changes_while_we_save_is_found_by_the_save(desk: Desk) -> None:
    desk.edit(0, "mine")
    desk.session.save_now()
    desk.replace([*RECORDS, user("theirs")])
    desk.look()
    assert (desk.session.save_state.kind, desk.on_disk()[0], desk.on_disk()[-1]) == ("saved", "mine", "theirs")


def test_what_is_typed_while_the_file_is_read_is_not_overrun(desk: Desk) -> None:
    desk.replace([*RECORDS, user("theirs")])
    desk.session.look_at_file()
    desk.runner.run_one()  # the stat; reading comes next
    desk.edit(0, "mine")
    desk.runner.run_until_idle()
    assert (desk.texts[0], desk.texts[-1], desk.session.save_state.kind) == ("mine", "u2", "unsaved")
    desk.runner.advance(1)
    assert desk.on_disk() == desk.texts == ["mine", "a0", "u1", "a1", "u2", "theirs"]


def test_a_chat_that_is_closed_is_looked_at_no_more(desk: Desk) -> None:
    desk.path.unlink()
    desk.session.look_at_file()
    desk.chats.release(desk.session)
    desk.runner.advance(100)
    assert desk.trouble is None
