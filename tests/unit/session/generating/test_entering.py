"""Entering conversations, leaving them in the middle of a reply, and coming back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tavern_desktop.backends.events import Finished, Reasoning, Text
from tavern_desktop.library.personas import Persona
from tavern_desktop.session import commands
from tavern_desktop.session.generating.entering import Bootstrap, ConversationView, Source
from tavern_desktop.session.generating.events import Event, Partial
from tavern_desktop.session.generating.reply import Speaker
from tavern_desktop.session.refusals import CommandRefused
from tests.unit.session.chats import recorded, reply, user, write
from tests.unit.session.generating.scripted import Program

PIECES = [Reasoning("hm"), Text("Good "), Text("mor"), Text("ning."), Finished("stop")]


class Window:
    """What a window shows of the conversation in view."""

    def __init__(self, program: Program) -> None:
        self.view = ConversationView(program.chats, program.generations)
        self.entries: list[tuple[Bootstrap, Source]] = recorded(self.view.entered)
        self.partial = Partial()
        self.view.rebuilt.connect(self._rebuild)
        self.view.advanced.connect(self._advance)

    def _rebuild(self, partial: Partial) -> None:
        self.partial = partial

    def _advance(self, events: list[Event]) -> None:
        assert next(event.idx for event in events) == self.partial.upto
        self.partial.add(events)


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    program = Program(tmp_path)
    yield program
    program.close()


def test_a_conversation_is_entered_in_one_step(program: Program) -> None:
    window = Window(program)
    window.view.enter(program.write(), "sidebar")
    assert window.view.state == "loading"
    program.runner.run_until_idle()
    assert window.view.state == "live"
    ((entry, source),) = window.entries
    assert ([m.data()["mes"] for m in entry.messages], source, entry.dirty) == (["u0", "a1", "u2"], "sidebar", False)
    assert entry.replay is None


def test_the_conversation_in_view_is_not_saved_when_it_is_entered_again(program: Program) -> None:
    window = Window(program)
    path = program.write()
    session = window.view.enter(path, "sidebar")
    program.runner.run_until_idle()
    published = recorded(session.published)
    again = recorded(window.view.entered_again)
    assert session.chat is not None
    session.do(commands.EditText(session.chat.messages[0].key, "edited"))
    window.view.enter(path.parent / ".." / path.parent.name / path.name, "sidebar")
    program.runner.run_until_idle()
    assert (published, again, len(window.entries)) == ([], ["sidebar"], 1)


def test_only_what_was_entered_last_arrives(program: Program) -> None:
    window = Window(program)
    first, second = program.write("one"), program.write("two")
    for path in (first, second, first):
        window.view.enter(path, "sidebar")
    program.runner.run_until_idle()
    assert [entry.title for entry, _ in window.entries] == ["one"]


def test_a_file_that_is_not_there_is_said_and_can_be_tried_again(program: Program) -> None:
    window = Window(program)
    path = program.folder / "missing.jsonl"
    window.view.enter(path, "recent")
    program.runner.run_until_idle()
    assert window.view.state == "failed"
    program.write("missing")
    window.view.enter(path, "reload")
    program.runner.run_until_idle()
    assert window.view.state == "live"


@pytest.mark.parametrize("entered", range(len(PIECES) + 1))
def test_a_view_that_comes_in_at_any_moment_shows_the_same_reply(program: Program, entered: int) -> None:
    path = program.write()
    session = program.open(path)
    task, model = program.start(session)
    model.send(*PIECES[:entered])
    came = "".join(piece.text for piece in PIECES[:entered] if isinstance(piece, Text))
    program.until(lambda: task.log.so_far().text == came)
    window = Window(program)
    window.view.enter(path, "sidebar")
    program.runner.run_until_idle()
    assert (window.view.state, window.view.task) == ("live", task)
    replay = window.entries[0][0].replay
    assert replay is not None
    assert replay.needs_rebuild  # the last message is the user's
    model.send(*PIECES[entered:])
    program.finish(task, model)
    assert (window.partial.text, window.partial.reasoning) == ("Good morning.", "hm")
    assert session.chat is not None
    assert session.chat.messages[-1].data()["mes"] == "Good morning."


def test_a_reply_goes_on_while_nobody_looks(program: Program) -> None:
    window = Window(program)
    session = window.view.enter(program.write("one"), "sidebar")
    program.runner.run_until_idle()
    task, model = program.start(session)
    model.send(Text("for one"))
    window.view.enter(program.write("two"), "sidebar")
    program.runner.run_until_idle()
    program.finish(task, model)
    program.runner.run_until_idle()
    assert b"for one" in (program.folder / "one.jsonl").read_bytes()
    assert b"for one" not in (program.folder / "two.jsonl").read_bytes()
    assert program.chats.session_for(session.path) is None


def test_two_windows_follow_one_reply(program: Program) -> None:
    one, two = Window(program), Window(program)
    path = program.write()
    session = one.view.enter(path, "sidebar")
    two.view.enter(path, "sidebar")
    program.runner.run_until_idle()
    task, model = program.start(session)
    model.send(Text("Hello"))
    program.until(lambda: two.partial.text == "Hello")
    one.view.leave()
    program.finish(task, model)
    assert (two.partial.text, one.view.state) == ("Hello", "idle")


def test_one_reply_at_a_time_in_a_chat(program: Program) -> None:
    session = program.open(program.write())
    task, model = program.start(session)
    with pytest.raises(CommandRefused, match="already"):
        program.start(session)
    program.finish(task, model)
    program.finish(*program.start(session))


def test_what_is_sent_while_a_reply_is_written_is_answered_after_it(program: Program) -> None:
    session = program.open(program.write())
    assert session.chat is not None
    task, model = program.start(session)
    session.do(commands.AppendMessage(user("and this?")))
    assert program.generations.answer(session, [Speaker("Mira")], Persona("Ana")) is task
    model.send(Text("first"))
    program.finish(task, model)
    program.until(lambda: len(program.models) == 2 and program.models[1].is_there)
    (second,) = program.generations.running()
    program.models[1].send(Text("second"))
    program.finish(second, program.models[1])
    assert [message.data()["mes"] for message in session.chat.messages[2:]] == ["u2", "first", "and this?", "second"]


def test_what_a_request_is_built_from_stays_what_was_asked(program: Program) -> None:
    session = program.open(program.write())
    assert session.chat is not None
    reply_key = session.chat.messages[1].key
    task, model = program.start(session, "swipe", reply_key)
    session.do(commands.AppendMessage(user("meanwhile")))
    assert model.asked is not None
    assert (len(model.asked.messages), model.asked.end, model.asked.action) == (3, 1, "swipe")
    model.send(Text("c1"))
    program.finish(task, model)
    assert session.chat.messages[1].data()["swipes"] == ["a1", "b1", "c1"]


def test_another_alternative_never_touches_a_note(program: Program) -> None:
    """B-32: only the reply before the note gains one; with the note at the end, too."""
    note = {"name": "Note", "is_user": False, "is_system": True, "mes": "n1", "extra": {}}
    path = write(program.folder / "notes.jsonl", [user("u0"), reply("a1"), note])
    session = program.open(path)
    assert session.chat is not None
    task, model = program.start(session, "swipe", session.chat.messages[2].key)
    model.send(Text("b1"))
    program.finish(task, model)
    records = [message.data() for message in session.chat.messages]
    assert (records[1]["swipes"], records[2]) == (["a1", "b1"], note)


def test_a_message_that_is_no_reply_has_no_alternatives(program: Program) -> None:
    session = program.open(program.write())
    assert session.chat is not None
    with pytest.raises(CommandRefused, match="Only a reply"):
        program.start(session, "swipe", session.chat.messages[0].key)
    task, model = program.start(session, "swipe", session.chat.messages[2].key)
    assert task.target.kind == "reply"
    program.finish(task, model)


def test_at_the_end_every_reply_is_kept_as_far_as_it_came(program: Program) -> None:
    sessions = [program.open(program.write(name)) for name in ("one", "two")]
    for session, text in zip(sessions, ("first", "second"), strict=True):
        task, model = program.start(session)
        model.send(Text(text))
        program.until(lambda task=task, text=text: task.log.so_far().text == text)  # type: ignore[misc]
    program.generations.stop_all(60)
    assert program.chats.flush_all(60) == []
    for name, text in (("one", b"first"), ("two", b"second")):
        data = (program.folder / f"{name}.jsonl").read_bytes()
        assert text in data
        assert b'"stopped":"closing"' in data
