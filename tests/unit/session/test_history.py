"""Versions of a chat, reached through its journal and its backups, and compared."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.differences import Kind
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.session.commands import DeleteMessages, EditText, MoveMessage
from tavern_desktop.session.header_commands import SetMetadata
from tavern_desktop.session.history import (
    Comparison,
    Past,
    Snapshot,
    VersionUnreachable,
    compare_change,
    compare_with_present,
    list_backups,
    list_versions,
)
from tavern_desktop.session.message_history import earlier_texts
from tavern_desktop.session.restoring import RestoreMessages, RestoreVersion, Wanted
from tavern_desktop.storage.backups import BackupFolder
from tavern_desktop.storage.errors import StorageError
from tests.unit.chat.merge_sides import Writer, changed_messages, scripts
from tests.unit.session.chats import HEADER, chat_of, texts, user, write
from tests.unit.session.versioned import BEGAN, Versioned


@pytest.fixture
def told(tmp_path: Path) -> Versioned:
    chat = chat_of(*(user(f"text {number}") for number in range(8)))
    return Versioned(chat, tmp_path / "journal")


def past(told: Versioned, number: int) -> Past:
    return next(past for past in list_versions(told.journal) if past.id == str(number))


def kinds(comparison: Comparison) -> list[tuple[int, int, set[Kind]]]:
    return [(row.before, row.after, set(row.kinds)) for row in comparison.difference.rows if row.kinds]


def key(told: Versioned, index: int) -> int:
    return told.chat.messages[index].key


def test_versions_stand_newest_first_with_what_they_changed(told: Versioned) -> None:
    assert list_versions(told.journal) == []
    assert list_versions(None) == []
    told.do(EditText(key(told, 2), "other"))
    told.do(DeleteMessages([key(told, 3), key(told, 4)]))
    newest, edit, start = list_versions(told.journal)
    assert (newest.label, newest.messages, newest.removed, newest.at_ms) == ("Delete 2 messages", 6, 2, BEGAN + 60_000)
    assert (edit.id, edit.before, edit.kind, edit.edited, edit.messages) == ("1", "0", "command", 1, 8)
    assert (start.id, start.kind, start.messages, start.before) == ("0", "start", 8, "")


def test_a_change_is_compared_with_what_was_before_it(told: Versioned) -> None:
    edit = told.do(EditText(key(told, 2), "other"))
    deletion = told.do(DeleteMessages([key(told, 3), key(told, 4)]))
    told.do(EditText(key(told, 0), "later"))
    comparison = compare_change(told.journal, told.present, past(told, edit))
    assert kinds(comparison) == [(2, 2, {Kind.EDITED})]
    assert texts(Chat(comparison.before.header, comparison.before.messages))[2] == "text 2"
    assert comparison.after.messages[5:] == told.chat.messages[3:]
    comparison = compare_change(told.journal, told.present, past(told, deletion))
    assert kinds(comparison) == [(3, -1, {Kind.REMOVED}), (4, -1, {Kind.REMOVED})]
    assert all((row in comparison.restorable) for row in comparison.difference.rows if row.kinds)


def test_a_version_is_compared_with_the_chat_as_it_is(told: Versioned) -> None:
    told.do(EditText(key(told, 2), "other"))
    told.do(MoveMessage(key(told, 0), 5))
    told.do(SetMetadata(told.chat.header.metadata() | {"note_prompt": "x"}))
    comparison = compare_with_present(told.journal, told.present, past(told, 0))
    assert kinds(comparison) == [(2, 1, {Kind.EDITED}), (0, 5, {Kind.MOVED})]
    assert comparison.after == comparison.present
    assert (comparison.metadata, comparison.would_change) == (("note_prompt",), True)
    newest = list_versions(told.journal)[0]
    assert not compare_with_present(told.journal, told.present, newest).would_change


def test_what_is_back_already_is_not_offered(told: Versioned) -> None:
    deletion = DeleteMessages([key(told, 3)])
    number = told.do(deletion)
    told.undo(deletion)
    comparison = compare_change(told.journal, told.present, past(told, number))
    (row,) = (row for row in comparison.difference.rows if row.kinds)
    assert row not in comparison.restorable
    added = compare_change(told.journal, told.present, past(told, number + 1))
    (row,) = (row for row in added.difference.rows if row.kinds)
    assert (row.kinds, row in added.restorable) == ({Kind.ADDED}, False)
    told.do(DeleteMessages([key(told, 3)]))
    added = compare_change(told.journal, told.present, past(told, number + 1))
    assert added.wanted(row) == (added.after, 3)
    assert row in added.restorable


def test_a_message_brought_back_is_known_again(told: Versioned) -> None:
    number = told.do(DeleteMessages([key(told, 3), key(told, 4)]))
    comparison = compare_change(told.journal, told.present, past(told, number))
    told.do(RestoreMessages(Wanted(comparison.before.messages, frozenset([3]))), "restore")
    comparison = compare_change(told.journal, told.present, past(told, number))
    rows = [row for row in comparison.difference.rows if row.kinds]
    assert [(row in comparison.restorable) for row in rows] == [False, True]
    assert list_versions(told.journal)[0].kind == "restore"


def test_a_journal_that_does_not_fit_says_so(told: Versioned, tmp_path: Path) -> None:
    number = told.do(EditText(key(told, 2), "other"))
    wanted = past(told, number)
    strange = Snapshot(told.chat.header, Message.read([b'{"mes":"strange"}'] * 8))
    for journal, present in ((None, told.present), (told.journal, strange)):
        with pytest.raises(VersionUnreachable):
            compare_change(journal, present, wanted)
    with pytest.raises(VersionUnreachable):
        compare_with_present(told.journal, told.present, Past("77", "command", 0))


def test_backups_are_versions_too(tmp_path: Path) -> None:
    chat = tmp_path / "chats" / "Mira" / "one.jsonl"
    (tmp_path / "characters").mkdir()
    write(chat, [user("one"), user("two"), user("three")])
    backup = BackupFolder(tmp_path / "backups").ensure(chat)
    write(chat, [user("one"), user("other")])
    (found,) = list_backups(chat)
    assert (found.kind, found.path, found.size) == ("backup", backup, backup.stat().st_size)
    lines = chat.read_bytes().split(b"\n")
    present = Snapshot(Header(lines[0]), Message.read(lines[1:]))
    comparison = compare_with_present(None, present, found)
    assert [set(row.kinds) for row in comparison.difference.rows] == [
        set(),
        {Kind.REMOVED},
        {Kind.REMOVED},
        {Kind.ADDED},
    ]
    assert comparison.before.messages[0] is present.messages[0]
    backup.unlink()
    with pytest.raises(StorageError):
        compare_with_present(None, present, found)


def test_what_a_message_said_before(told: Versioned) -> None:
    changed = key(told, 4)
    told.do(EditText(changed, "second"))
    told.do(MoveMessage(changed, -3))
    deletion = DeleteMessages([changed, key(told, 0)])
    told.do(deletion)
    told.undo(deletion)
    told.do(EditText(key(told, 6), "another message"))
    told.do(EditText(changed, "third"))
    told.do(DeleteMessages([key(told, 0)]))
    index = told.chat.find(changed)
    assert index is not None
    found = earlier_texts(told.journal, told.present, index)
    assert [(one.text, one.past.label) for one in found] == [("second", "Edit message"), ("text 4", "Edit message")]
    assert found[0].message.key == changed
    assert earlier_texts(told.journal, told.present, 3) == []
    assert earlier_texts(None, told.present, 3) == []


@settings(max_examples=60)
@given(st.lists(scripts(), min_size=1, max_size=5), st.integers(0, 8), st.data())
def test_every_version_is_what_it_was_and_can_be_restored(
    tmp_path_factory: pytest.TempPathFactory, changes: list[object], count: int, data: st.DataObject
) -> None:
    writer = Writer(4)
    chat = Chat(Header(HEADER), [Message.new(writer.record()) for _ in range(count)])
    told = Versioned(chat, tmp_path_factory.mktemp("journal"))
    states = [[message.raw for message in chat.messages]]
    for script in changes:
        messages, _ = changed_messages(chat.messages, script, writer)  # type: ignore[arg-type]
        if messages != chat.messages:
            told.do(RestoreVersion(chat.header, messages))
            states.append([message.raw for message in chat.messages])
    if len(states) == 1:
        return
    number = data.draw(st.integers(0, len(states) - 1))
    comparison = compare_with_present(told.journal, told.present, past(told, number))
    assert [message.raw for message in comparison.before.messages] == states[number]
    if number:
        change = compare_change(told.journal, told.present, past(told, number))
        assert [message.raw for message in change.before.messages] == states[number - 1]
        assert [message.raw for message in change.after.messages] == states[number]
    RestoreVersion(comparison.before.header, comparison.before.messages).do(chat)
    assert [message.raw for message in chat.messages] == states[number]
