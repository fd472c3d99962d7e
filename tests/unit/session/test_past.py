"""What was done in an earlier run can be undone and redone in this one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tavern_desktop.session.commands import AppendMessage, Command, CopyMessage, DeleteMessages, EditText, MoveMessage
from tavern_desktop.session.refusals import UndoRefused
from tests.unit.session.chats import lines, reply, user
from tests.unit.session.journaled import Desk

RECORDS = [user("u0"), reply("a0"), user("u1"), reply("a1"), user("u2")]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, RECORDS)


def test_everything_is_undone_and_redone_across_a_restart(desk: Desk) -> None:
    states = [desk.texts]
    for command in (
        EditText(desk.keys[1], "mine"),
        DeleteMessages([desk.keys[0], desk.keys[3]]),
        AppendMessage(user("new")),
        MoveMessage(desk.keys[2], -1),
    ):
        desk.do(command)
        states.append(desk.texts)
    before = lines(desk.path)[1:]
    desk.restart()
    assert desk.session.undo_label == "Move message up"
    for state in reversed(states[:-1]):
        desk.session.undo()
        assert desk.texts == state
    assert desk.session.undo_label is None
    desk.save()
    assert lines(desk.path)[1:] == before
    for state in states[1:]:
        desk.session.redo()
        assert desk.texts == state


def test_what_was_undone_before_can_be_redone_after(desk: Desk) -> None:
    desk.edit(0, "first")
    desk.edit(1, "second")
    desk.edit(2, "third")
    for _ in range(2):
        desk.session.undo()
    desk.restart()
    assert (desk.session.undo_label, desk.session.redo_label) == ("Edit message", "Edit message")
    desk.session.redo()
    assert desk.texts[:3] == ["first", "second", "u1"]
    desk.session.redo()
    assert desk.texts[:3] == ["first", "second", "third"]
    desk.restart()
    for _ in range(3):
        desk.session.undo()
    assert desk.texts == ["u0", "a0", "u1", "a1", "u2"]
    assert desk.session.undo_label is None


def test_a_merge_and_what_was_followed_can_be_undone_too(desk: Desk) -> None:
    desk.edit(1, "mine")
    desk.elsewhere([*RECORDS, user("theirs")])
    desk.save()
    desk.elsewhere([*desk.records(), user("more of theirs")])
    desk.session.look_at_file()
    desk.runner.run_until_idle()
    desk.restart()
    assert desk.session.undo_label == "Change made elsewhere"
    desk.session.undo()
    assert desk.texts[-1] == "theirs"
    assert desk.session.undo_label == "Merge"
    desk.session.undo()
    desk.session.undo()
    assert desk.texts == ["u0", "a0", "u1", "a1", "u2"]
    desk.save()
    assert any(b"more of theirs" in copy for copy in desk.backups())


def test_what_another_program_changed_since_is_refused_with_a_sentence(desk: Desk) -> None:
    desk.edit(1, "mine")
    desk.edit(0, "mine too")
    desk.restart()
    theirs = desk.records()
    theirs[0] |= {"mes": "theirs"}
    desk.elsewhere(theirs)
    desk.session.look_at_file()
    desk.runner.run_until_idle()
    desk.session.undo()  # what was followed
    desk.session.redo()
    desk.save()
    desk.do(AppendMessage(user("later")))
    desk.restart()
    for _ in range(2):
        desk.session.undo()
    assert desk.texts[:2] == ["mine too", "mine"]


def test_nothing_is_undone_beyond_what_another_program_took_out_while_we_were_closed(desk: Desk) -> None:
    desk.edit(1, "mine")
    desk.close()
    shutil.rmtree(desk.root / "default-user" / "backups")  # they would tell what it was
    desk.elsewhere(desk.records()[:-1])
    desk.start()
    desk.edit(0, "later")
    desk.restart()
    desk.session.undo()
    assert desk.texts == ["u0", "mine", "u1", "a1"]
    with pytest.raises(UndoRefused, match="another program changed the chat while it was closed"):
        desk.session.undo()
    assert desk.texts == ["u0", "mine", "u1", "a1"]
    assert desk.session.undo_label is None


def test_a_reload_can_be_undone(desk: Desk) -> None:
    desk.edit(1, "mine")
    desk.elsewhere(RECORDS[:2])
    desk.session.reload()
    desk.runner.run_until_idle()
    assert desk.session.undo_label == "Reload"
    desk.session.undo()
    assert desk.texts == ["u0", "mine", "u1", "a1", "u2"]


ACTS = st.lists(st.tuples(st.sampled_from(["edit", "add", "copy", "delete", "move", "undo", "redo", "restart"]),
                          st.integers(0, 9)), min_size=5, max_size=25)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(ACTS)
def test_restarts_make_no_difference(tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[str, int]]) -> None:
    """The same is done twice, once with restarts in between; in the end everything is undone."""
    ended = []
    for restarts in (True, False):
        desk = Desk(tmp_path_factory.mktemp("past"), RECORDS)
        for number, (act, which) in enumerate(acts):
            _do(desk, act, which, number, restarts)
        shown = desk.texts
        while desk.session.undo_label is not None:
            desk.session.undo()
        ended.append((shown, desk.texts))
    assert ended[0] == ended[1]
    assert ended[0][1] == ["u0", "a0", "u1", "a1", "u2"]


def _do(desk: Desk, act: str, which: int, number: int, restarts: bool) -> None:
    keys = desk.keys
    key = keys[which % len(keys)] if keys else None
    if act == "undo":
        desk.session.undo()
    elif act == "redo":
        desk.session.redo()
    elif act == "restart":
        if restarts:
            desk.restart()
    elif act == "add" or key is None:
        desk.do(AppendMessage(user(f"new {number}")))
    else:
        made: dict[str, Command] = {
            "edit": EditText(key, f"text {number}"),
            "copy": CopyMessage(key),
            "delete": DeleteMessages([key]),
            "move": MoveMessage(key, which - 4),
        }
        desk.do(made[act])
