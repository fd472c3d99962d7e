"""What is done in a chat is in its journal, durable with each save; so is what other programs did to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.session.commands import AppendMessage, DeleteMessages, EditText, MoveMessage
from tavern_desktop.session.file_acts import Removed
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.journal import Journal
from tests.unit.session.chats import ByHand, reply, texts, user, write
from tests.unit.session.journaled import Desk

RECORDS = [user("u0"), reply("a0"), user("u1"), reply("a1"), user("u2")]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, RECORDS)


def test_each_command_undo_and_redo_is_an_entry(desk: Desk) -> None:
    desk.edit(1, "mine")
    desk.do(DeleteMessages([desk.keys[0]]))
    desk.session.undo()
    desk.session.redo()
    desk.do(MoveMessage(desk.keys[0], 2))
    desk.save()
    assert desk.story() == [
        ("command", "Edit message"),
        ("command", "Delete message"),
        ("undo", "Delete message"),
        ("redo", "Delete message"),
        ("command", "Move message down"),
    ]
    assert [meta.undoes for meta in reversed(desk.journal().metas())] == [None, None, 2, 2, None]
    published = desk.journal().published
    assert published is not None
    assert (published.number, published.count, published.signature) == (5, 4, desk.session.signature)
    assert [len(version) for version in desk.versions()] == [5, 5, 4, 5, 4, 4]


def test_nothing_is_written_of_a_chat_that_is_only_read(desk: Desk) -> None:
    desk.chats.release(desk.session)
    desk.runner.run_until_idle()
    assert not list(desk.own.rglob("*.journal"))
    assert desk.unsaved() == []


def test_what_is_not_saved_yet_is_noted_until_it_is(desk: Desk) -> None:
    desk.edit(1, "mine")
    assert desk.unsaved() == [str(desk.path)]
    desk.save()
    assert desk.unsaved() == []


def test_what_was_taken_back_before_it_was_saved_is_nothing_unsaved(desk: Desk) -> None:
    before = desk.path.stat()
    desk.edit(1, "mine")
    desk.session.undo()
    desk.runner.run_until_idle()
    published = desk.journal().published
    assert published is not None
    assert (desk.unsaved(), published.number, desk.path.stat()) == ([], 2, before)
    desk.start()
    assert (desk.recovered, desk.session.redo_label) == ([], "Edit message")


def test_a_chat_without_an_identity_keeps_its_journal(tmp_path: Path) -> None:
    desk = Desk(tmp_path, RECORDS)
    write(desk.path, RECORDS, b'{"chat_metadata":{}}')
    desk.start()
    desk.edit(1, "mine")
    desk.session.reload()
    desk.runner.run_until_idle()
    desk.restart()
    assert [kind for kind, _ in desk.story()] == ["command", "reload"]


def test_what_is_done_while_a_save_runs_comes_after_it(desk: Desk) -> None:
    desk.edit(1, "mine")
    desk.session.save_now()
    desk.session.do(EditText(desk.keys[0], "meanwhile"))
    desk.runner.run_until_idle()
    published = desk.journal().published
    assert published is not None
    assert (published.number, desk.journal().number) == (1, 2)
    assert desk.unsaved() == [str(desk.path)]


def test_a_merge_is_the_version_that_was_found_and_what_became_of_both(desk: Desk) -> None:
    desk.edit(1, "mine")
    write(desk.path, [*RECORDS, user("theirs")])
    desk.save()
    assert desk.story() == [
        ("command", "Edit message"),
        ("found", "Version of another program"),
        ("merge", "Merge"),
    ]
    as_loaded, ours, found, merged = desk.versions()
    assert [len(version) for version in (as_loaded, ours, found, merged)] == [5, 5, 6, 6]
    assert b'"mine"' in ours[1]
    assert b'"mine"' not in found[1]
    assert b'"mine"' in merged[1]
    desk.session.undo()
    desk.save()
    assert desk.journal().metas()[0].undoes == 3
    assert desk.versions()[-1] == ours


def test_what_is_typed_while_merging_follows_the_merge(desk: Desk) -> None:
    desk.edit(1, "mine")
    write(desk.path, [*RECORDS, user("theirs")])
    desk.session.save_now()
    desk.session.do(AppendMessage(user("typed meanwhile")))
    desk.runner.run_until_idle()
    assert desk.story()[1:] == [
        ("found", "Version of another program"),
        ("merge", "Merge"),
        ("command", "Add message"),
    ]
    assert [len(version) for version in desk.versions()] == [5, 5, 6, 6, 7]
    desk.runner.advance(1)
    assert desk.journal().published is not None
    assert desk.unsaved() == []


def test_a_version_that_is_followed_or_read_again_is_an_entry(desk: Desk) -> None:
    write(desk.path, [*RECORDS, user("theirs")])
    desk.session.look_at_file()
    desk.runner.run_until_idle()
    desk.edit(1, "mine")
    write(desk.path, RECORDS[:3])
    desk.session.reload()
    desk.runner.run_until_idle()
    assert desk.story() == [
        ("outside", "Change made elsewhere"),
        ("command", "Edit message"),
        ("reload", "Reload"),
    ]
    assert [len(version) for version in desk.versions()] == [5, 6, 6, 3]
    published = desk.journal().published
    assert published is not None
    assert published.number == 3
    assert desk.unsaved() == []


def test_what_is_replaced_at_the_persons_wish_is_kept(desk: Desk) -> None:
    desk.edit(1, "mine")
    write(desk.path, [reply("a greeting")])
    desk.save()
    desk.session.keep_mine()
    desk.runner.run_until_idle()
    assert [kind for kind, _ in desk.story()] == ["command", "found", "merge"]
    assert [len(version) for version in desk.versions()] == [5, 5, 1, 5]


def test_a_header_that_another_program_wrote_is_an_entry_too(desk: Desk) -> None:
    assert desk.session.chat is not None
    header = desk.session.chat.header
    desk.edit(1, "mine")
    desk.save()
    write(desk.path, [message.data() for message in desk.session.chat.messages], header.raw + b" ")
    desk.session.look_at_file()
    desk.runner.run_until_idle()
    assert desk.story()[-1] == ("outside", "Other changes")
    assert len(desk.versions()) == 3


def test_it_goes_along_when_the_chat_gets_another_name(desk: Desk) -> None:
    desk.edit(1, "mine")
    done: list[Any] = []
    desk.acts.rename(desk.path, "other", done.append)
    desk.session.do(EditText(desk.keys[0], "meanwhile"))
    desk.runner.run_until_idle()
    desk.runner.advance(1)
    assert desk.session.path.name == "other.jsonl"
    assert [label for _, label in desk.story()] == ["Edit message", "Edit message"]
    assert desk.journal(desk.path).number == 0
    assert desk.unsaved() == []
    assert desk.notices == []


def test_a_new_chat_of_a_removed_ones_name_begins_anew(desk: Desk) -> None:
    desk.edit(1, "mine")
    desk.save()
    removed: list[Outcome[Removed]] = []
    desk.acts.remove(desk.path, removed.append)
    desk.runner.run_until_idle()
    assert desk.journal(desk.path).number == 0
    desk.acts.bring_back(removed[0].result(), lambda _outcome: None)
    desk.runner.run_until_idle()
    assert desk.journal(desk.path).number == 1


def test_a_chat_saved_as_a_new_one_leaves_the_old_ones_journal_where_its_file_is(desk: Desk) -> None:
    desk.edit(1, "mine")
    desk.save()
    desk.edit(0, "only for the new one")
    new = desk.session.save_as_new("new")
    desk.runner.run_until_idle()
    old = desk.journal(desk.path)
    assert [meta.kind for meta in old.metas()] == ["reload", "command", "command"]
    assert (desk.unsaved(), desk.journal(new).number) == ([], 0)
    desk.edit(0, "there")
    assert (desk.journal(new).number, desk.unsaved()) == (1, [str(new)])


def test_durable_is_told_once_everything_is_on_the_disk(desk: Desk) -> None:
    told: list[str] = []
    desk.session.do(AppendMessage(user("sent")))
    desk.session.make_durable(lambda: told.append("sent"))
    assert told == []
    desk.runner.run_until_idle()
    assert (told, desk.journal().number) == (["sent"], 1)
    desk.session.save_now()
    desk.session.do(AppendMessage(user("sent during a save")))
    desk.session.make_durable(lambda: told.append("later"))
    desk.runner.run_until_idle()
    assert (told, desk.journal().number) == (["sent", "later"], 2)


def test_a_journal_that_cannot_be_written_stops_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: Any) -> None:
        raise StorageError("io", "space")

    told: list[str] = []
    with monkeypatch.context() as patched:
        patched.setattr(Journal, "append", full)
        desk.edit(1, "mine")
        desk.edit(0, "mine too")
        desk.save()
        desk.session.make_durable(lambda: told.append("anyway"))
        desk.runner.run_until_idle()
        assert (desk.session.save_state.kind, told) == ("saved", ["anyway"])
        (notice,) = desk.notices
        assert notice.startswith("The history of this chat cannot be written; it is saved all the same.")
    desk.edit(2, "later")
    assert [label for _, label in desk.story()] == ["Edit message"] * 3
    assert len(desk.versions()) == 4


def test_history_reads_what_belongs_to_the_chat_as_it_is(desk: Desk) -> None:
    numbers: list[int] = []
    desk.session.do(AppendMessage(user("new")))

    def work(journal: Journal | None) -> int:
        assert journal is not None
        return journal.number

    desk.session.read_journal(work, lambda outcome: numbers.append(outcome.result()))
    desk.runner.run_until_idle()
    assert numbers == [1]


def test_a_program_that_only_looks_keeps_none(tmp_path: Path) -> None:
    path = write(tmp_path / "chat.jsonl", RECORDS)
    runner = ByHand()
    own = tmp_path / "own"
    chats = OpenChats(runner, own / "recovery", own_folder=own, read_only=True, preview_limit=0)
    session = chats.open(path)
    runner.run_until_idle()
    journals: list[Journal | None] = []
    session.read_journal(lambda journal: journal, lambda outcome: journals.append(outcome.result()))
    runner.run_until_idle()
    assert session.chat is not None
    assert (journals, texts(session.chat)[0], own.exists()) == ([None], "u0", False)
