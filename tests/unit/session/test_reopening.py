"""A chat is opened again: after a crash, after another program wrote it while it was closed, after neither."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.session.commands import AppendMessage, DeleteMessages, MoveMessage
from tavern_desktop.storage.journal_state import FILE_NAME
from tavern_desktop.storage.journal_versions import records_at
from tests.unit.session.chats import lines, reply, user
from tests.unit.session.journaled import Desk


def said(text: str, minute: int, **fields: Any) -> dict[str, Any]:
    return user(text, send_date=f"2026-01-05T10:{minute:02}:00.000Z", **fields)


def answered(text: str, minute: int) -> dict[str, Any]:
    return reply(text, send_date=f"2026-01-05T10:{minute:02}:00.000Z")


RECORDS = [record for n in range(6) for record in (said(f"u{n}", 2 * n), answered(f"a{n}", 2 * n + 1))]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, RECORDS)


def test_a_chat_closed_in_good_order_is_as_it_was(desk: Desk) -> None:
    desk.edit(1, "mine")
    desk.restart()
    assert (desk.recovered, desk.session.is_dirty, desk.notices) == ([], False, [])
    assert desk.story() == [("command", "Edit message")]


# -- a program that died --------------------------------------------------------------------------------------


def test_what_was_not_saved_when_the_program_died_is_back_and_is_saved(desk: Desk) -> None:
    desk.edit(1, "published")
    desk.save()
    desk.do(AppendMessage(said("not saved", 30)))
    desk.do(DeleteMessages([desk.keys[0]]))
    desk.edit(3, "mine")
    assert desk.unsaved() == [str(desk.path)]
    before = lines(desk.path)
    desk.start()
    assert desk.texts == ["published", "u1", "a1", "mine", "a2", "u3", "a3", "u4", "a4", "u5", "a5", "not saved"]
    (recovery,) = desk.recovered
    assert (recovery.kind, recovery.count, recovery.is_in_journal) == ("unsaved", 3, True)
    assert lines(desk.path) == before
    desk.runner.advance(1)
    assert desk.on_disk() == desk.texts
    assert (desk.unsaved(), len(desk.story())) == ([], 4)
    desk.restart()
    assert (desk.recovered, desk.session.is_dirty) == ([], False)


def test_what_is_back_can_be_undone_at_once_and_then_what_was_done_before(desk: Desk) -> None:
    desk.edit(1, "published")
    desk.save()
    before = lines(desk.path)
    desk.do(DeleteMessages(desk.keys[2:5]))
    desk.start()
    assert desk.session.undo_label == "Changes that were not saved"
    desk.session.undo()
    desk.runner.advance(1)
    assert lines(desk.path)[1:] == before[1:]
    assert desk.session.undo_label == "Edit message"
    desk.session.undo()
    desk.runner.advance(1)
    assert desk.texts[1] == "a0"
    desk.session.redo()
    desk.session.redo()
    assert len(desk.texts) == 9


def test_a_program_that_dies_between_publishing_and_noting_it_down_has_nothing_to_bring_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.edit(1, "mine")
    with monkeypatch.context() as patched:
        patched.setattr("tavern_desktop.session.chat_journal.ChatJournal.published", lambda *_arguments: None)
        desk.save()
    desk.start()
    assert (desk.recovered, desk.session.is_dirty, desk.texts[1]) == ([], False, "mine")
    desk.close()
    assert desk.unsaved() == []


def test_changes_before_the_first_save_are_back_too(desk: Desk) -> None:
    desk.do(AppendMessage(said("the very first", 30)))
    desk.start()
    assert desk.texts[-1] == "the very first"
    assert [recovery.kind for recovery in desk.recovered] == ["unsaved"]


def test_unsaved_changes_are_merged_with_what_another_program_wrote_meanwhile(desk: Desk) -> None:
    desk.edit(1, "published")
    desk.save()
    desk.do(AppendMessage(said("not saved", 30)))
    desk.edit(2, "mine")
    theirs = desk.records()
    theirs[5] |= {"mes": "theirs", "swipes": ["theirs"]}
    desk.elsewhere([*theirs, answered("theirs, new", 40)])
    desk.start()
    assert [desk.texts[index] for index in (1, 2, 5)] == ["published", "mine", "theirs"]
    assert sorted(desk.texts[12:]) == ["not saved", "theirs, new"]
    (recovery,) = desk.recovered
    assert (recovery.kind, recovery.count, recovery.is_in_journal) == ("unsaved", 2, False)
    desk.runner.advance(1)
    assert desk.on_disk() == desk.texts
    assert any(b"theirs, new" in copy and b"not saved" not in copy for copy in desk.backups())
    assert [kind for kind, _ in desk.story()][3:] == ["outside", "recovered"]
    desk.restart()
    assert (desk.recovered, desk.session.is_dirty) == ([], False)


# -- another program, while we were closed -------------------------------------------------------------------


def test_what_another_program_wrote_meanwhile_is_a_version_like_any_other(desk: Desk) -> None:
    desk.edit(1, "mine")
    desk.close()
    desk.elsewhere([*desk.records(), said("theirs", 30)])
    desk.start()
    assert (desk.texts[1], desk.texts[-1], desk.recovered, desk.session.is_dirty) == ("mine", "theirs", [], False)
    assert desk.story()[-1] == ("outside", "Changed elsewhere while closed")
    assert [len(version) for version in desk.versions()] == [12, 12, 13]


def test_messages_that_an_older_copy_was_saved_over_are_back(desk: Desk) -> None:
    older = desk.records()
    for n in range(30):
        desk.do(AppendMessage(said(f"ours {n}", 30 + n)))
        if n % 7 == 0:
            desk.save()
    desk.close()
    desk.elsewhere([*older, answered("by the other", 20)])
    desk.start()
    assert sorted(desk.texts[12:]) == sorted(["by the other", *(f"ours {n}" for n in range(30))])
    (recovery,) = desk.recovered
    assert (recovery.kind, recovery.count) == ("saved_over", 30)
    assert desk.session.undo_label == "Messages that were saved over"
    desk.runner.advance(1)
    assert desk.on_disk() == desk.texts
    assert any(b"by the other" in copy and b"ours 1" not in copy for copy in desk.backups())
    desk.session.undo()
    desk.runner.advance(1)
    assert desk.on_disk() == [*(record["mes"] for record in RECORDS), "by the other"]
    desk.restart()
    assert (desk.recovered, len(desk.texts)) == ([], 13)


def test_an_edit_that_an_older_copy_was_saved_over_is_back(desk: Desk) -> None:
    older = desk.records()
    desk.edit(2, "a much better wording")
    desk.close()
    desk.elsewhere([*older, answered("by the other", 20)])
    desk.start()
    assert (desk.texts[2], desk.texts[-1]) == ("a much better wording", "by the other")


def test_what_was_deleted_here_does_not_come_back_and_what_was_deleted_there_is_gone(desk: Desk) -> None:
    desk.do(AppendMessage(said("ours", 30)))
    desk.do(DeleteMessages([desk.keys[0]]))
    desk.close()
    theirs = desk.records()
    del theirs[3]  # was there before our journal
    desk.elsewhere([*theirs, answered("by the other", 40)])
    desk.start()
    assert "u0" not in desk.texts
    assert "u2" not in desk.texts
    assert desk.texts[-2:] == ["ours", "by the other"]
    assert desk.recovered == []


def test_a_chat_that_was_moved_about_elsewhere_stays_so(desk: Desk) -> None:
    desk.do(MoveMessage(desk.keys[0], 3))
    desk.close()
    theirs = desk.records()
    desk.elsewhere([theirs[-1], *theirs[:-1]])
    desk.start()
    assert (desk.texts[0], desk.recovered) == ("a5", [])


def test_a_chat_of_which_most_is_gone_is_asked_about_and_can_be_brought_back(tmp_path: Path) -> None:
    desk = Desk(tmp_path, [])
    for n in range(15):
        desk.do(AppendMessage(said(f"ours {n}", n)))
    desk.close()
    desk.elsewhere(desk.records()[-1:])
    desk.start()
    assert desk.texts == ["ours 14"]
    (recovery,) = desk.recovered
    assert (recovery.kind, recovery.count, desk.session.is_dirty) == ("shrunk", 15, False)
    desk.session.bring_back()
    desk.runner.advance(1)
    assert desk.on_disk() == [f"ours {n}" for n in range(15)]
    desk.session.undo()
    assert desk.texts == ["ours 14"]


def test_a_chat_older_than_its_journal_can_be_brought_back_with_its_backup(desk: Desk) -> None:
    """As when SillyTavern puts a greeting in the place of a chat that is too long for it."""
    desk.edit(1, "mine")
    desk.close()
    before = desk.on_disk()
    desk.elsewhere([reply("Hello there.")])
    desk.start()
    (recovery,) = desk.recovered
    assert (recovery.kind, recovery.count) == ("shrunk", 12)
    assert desk.texts == ["Hello there."]
    desk.session.bring_back()
    desk.runner.advance(1)
    assert desk.on_disk() == before
    desk.session.undo()
    assert desk.texts == ["Hello there."]


def test_texts_that_another_program_changed_are_in_history_by_the_backup(desk: Desk) -> None:
    desk.edit(1, "mine")
    desk.close()
    before = desk.records()
    desk.elsewhere([*before[:5], said("theirs", 40), *before[6:]])
    desk.start()
    journal, chat = desk.journal(), desk.session.chat
    assert chat is not None
    present = [message.raw for message in chat.messages]
    _, then = records_at(journal, journal.metas()[0].before, chat.header.raw, present)
    assert [json.loads(record)["mes"] for record in then] == [record["mes"] for record in before]


def test_of_a_chat_older_than_its_journal_without_a_backup_not_everything_can_be_brought_back(desk: Desk) -> None:
    desk.edit(1, "mine")
    desk.close()
    for backup in (desk.path.parents[2] / "backups").iterdir():
        backup.unlink()
    desk.elsewhere([reply("Hello there.")])
    desk.start()
    (recovery,) = desk.recovered
    assert (recovery.kind, recovery.count, recovery.steps) == ("shrunk", 12, ())
    desk.session.bring_back()
    assert desk.texts == ["Hello there."]


def test_another_chat_of_the_same_name_has_nothing_to_do_with_it(desk: Desk) -> None:
    desk.do(AppendMessage(said("ours", 30)))
    desk.close()
    desk.elsewhere([said("another story", 0)], b'{"chat_metadata":{"integrity":"another"}}')
    desk.start()
    assert (desk.texts, desk.recovered, desk.journal().number) == (["another story"], [], 0)


def test_without_the_digests_of_a_state_what_the_journal_has_is_still_back(desk: Desk) -> None:
    older = desk.records()
    desk.do(AppendMessage(said("ours", 30)))
    desk.close()
    (desk.journal().folder / FILE_NAME).unlink()
    desk.elsewhere([*older, answered("by the other", 20)])
    desk.start()
    assert sorted(desk.texts[12:]) == ["by the other", "ours"]
    desk.restart()
    desk.path.write_bytes(desk.path.read_bytes())  # it is known again by its messages
    desk.restart()
    assert (desk.recovered, desk.story()[-1]) == ([], ("recovered", "Messages that were saved over"))


def test_a_copy_with_other_times_is_the_same_file(desk: Desk) -> None:
    desk.edit(1, "mine")
    desk.close()
    desk.path.write_bytes(desk.path.read_bytes())
    desk.start()
    assert (desk.recovered, desk.story()) == ([], [("command", "Edit message")])
    published = desk.journal().published
    assert published is not None
    assert published.signature == desk.session.signature


def test_a_fault_of_ours_leaves_the_chat_without_a_history(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.edit(1, "mine")
    desk.close()
    with monkeypatch.context() as patched:
        patched.setattr("tavern_desktop.session.reopening.identity_of", None)
        with pytest.raises(TypeError):
            desk.start()
    assert (desk.session.state, desk.texts[1]) == ("ready", "mine")


# -- another program gave it another name ---------------------------------------------------------------------


def renamed(desk: Desk, name: str = "another road.jsonl", folder: str = "Mira") -> Path:
    new = desk.path.parent.with_name(folder) / name
    new.parent.mkdir(exist_ok=True)
    return desk.path.rename(new)


@pytest.mark.parametrize("folder", ["Mira", "Mira Vale"])
def test_renamed_while_it_was_closed_it_keeps_its_history(desk: Desk, folder: str) -> None:
    desk.edit(1, "mine")
    desk.close()
    new = renamed(desk, folder=folder)
    desk.start(opens=False)
    desk.path = new
    desk.open(new)
    assert (desk.recovered, desk.story()) == ([], [("command", "Edit message")])
    assert desk.session.undo_label == "Edit message"
    desk.edit(2, "and more")
    desk.restart()
    assert desk.story() == [("command", "Edit message"), ("command", "Edit message")]
    again = renamed(desk, "once more.jsonl", folder)
    desk.start(opens=False)
    desk.path = again
    desk.open(again)
    assert len(desk.story()) == 2, "what it was called before is known a second time too"


def test_what_was_written_under_the_new_name_stands_in_the_history(desk: Desk) -> None:
    desk.edit(1, "mine")
    desk.close()
    desk.path = renamed(desk)
    with desk.path.open("ab") as file:
        file.write(b"\n" + json.dumps(said("theirs", 40)).encode())
    desk.start()
    assert (desk.recovered, desk.texts[-1]) == ([], "theirs")
    assert [kind for kind, _ in desk.story()] == ["command", "outside"]


def test_what_was_not_saved_under_the_old_name_is_back(desk: Desk) -> None:
    desk.edit(1, "published")
    desk.save()
    desk.edit(3, "never saved")
    desk.path = renamed(desk)
    desk.start()
    assert desk.texts[3] == "never saved"
    assert desk.unsaved() == [str(desk.path)]
    desk.runner.advance(1)
    assert (desk.on_disk(), desk.unsaved()) == (desk.texts, [])


def test_a_copy_takes_no_history_from_what_it_was_copied_from(desk: Desk) -> None:
    desk.edit(1, "mine")
    desk.close()
    copy = desk.path.with_name("copy.jsonl")
    copy.write_bytes(desk.path.read_bytes())
    original, desk.path = desk.path, copy
    desk.start()
    assert desk.story() == []
    desk.path = original
    desk.start()
    assert desk.story() == [("command", "Edit message")]


def test_a_branch_is_not_taken_for_what_it_was_cut_from(desk: Desk) -> None:
    """It has the identity, and the chat is gone; but what was saved there is not in it, and shall not come into it."""
    desk.edit(1, "mine")
    desk.close()
    branch = desk.path.with_name("branch.jsonl")
    branch.write_bytes(b"\n".join(lines(desk.path)[:5]))
    desk.path.unlink()
    desk.path = branch
    desk.start()
    assert (desk.story(), desk.recovered, len(desk.texts)) == ([], [], 4)
