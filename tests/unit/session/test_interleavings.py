"""Whatever a person, another program, the disk and the threads do in whatever order: no word is lost.

Every text that anybody writes is a word of its own, so it can be told where each of them is at any moment.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

from tavern_desktop.session import commands, reading
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.file_acts import FileActs
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import Refused
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.journal import Journal
from tavern_desktop.storage.stages import Stage
from tests.unit.session.chats import reply, user, write
from tests.unit.session.stepped import Stepped

PERSON = (
    *("edit", "swipe", "add", "delete", "undo", "redo"),
    *("save", "reload", "cancel", "save_as", "rename", "flush"),
)
VIEWS = ("open", "open", "release")
OTHERS = ("foreign", "foreign", "foreign_edit", "load_there", "stale", "gone", "back", "fail", "look", "look")
GOING_ON = ("work", "answer", "second") * 4 + ("wait",)
ACTS = PERSON + VIEWS + OTHERS + GOING_ON
STEPS = st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 5)), min_size=20, max_size=60)
WORD = re.compile(rb"(?:mine|theirs)-\d+")
FOREIGN = re.compile(rb"theirs-\d+")


class Story:
    """A program with one folder of chats, and everybody who writes there."""

    def __init__(self, folder: Path) -> None:
        self.everything = folder
        self.folder = folder / "data" / "default-user" / "chats" / "Mira"
        (self.folder.parents[1] / "characters").mkdir(parents=True)
        self.own = folder / "own"
        self.path = write(self.folder / "talk.jsonl", [user("one"), reply("two", "three"), user("four")])
        self.runner = Stepped()
        self.chats = OpenChats(self.runner, self.own / "recovery", own_folder=self.own, preview_limit=2)
        self.acts = FileActs(self.runner, self.chats, self.own)
        self.views: list[ChatSession] = []
        self.seen: list[ChatSession] = []
        self.closed: list[ChatSession] = []
        self.is_failing = False
        self.theirs: set[bytes] = set()
        self.loaded_there: bytes | None = None
        self._numbers = count(1)

    def begin(self) -> None:
        self.open(0)
        self.runner.settle()
        self.runner.advance(1)  # after the preview
        self.runner.settle()

    @property
    def session(self) -> ChatSession:
        return self.views[-1] if self.views else self.seen[-1]

    # -- what happens -----------------------------------------------------------------------------------

    def do(self, act: str, number: int) -> None:
        """Let something happen; where the program refuses it, it says why and nothing happens."""
        if act in PERSON and not self.views:
            return
        with suppress(Refused, StorageError):
            getattr(self, act)(number)
        self.check()

    def open(self, _number: int) -> None:
        session = self.chats.open(self.seen[-1].path if self.seen else self.path)
        self.views.append(session)
        if session not in self.seen:
            self.seen.append(session)
            self._watch(session)

    def release(self, number: int) -> None:
        if self.views:
            self.chats.release(self.views.pop(number % len(self.views)))

    def edit(self, number: int) -> None:
        self._command(lambda key: commands.EditText(key, self._word("mine")), number)

    def swipe(self, number: int) -> None:
        self._command(lambda key: commands.SelectSwipe(key, number % 3), number)

    def add(self, _number: int) -> None:
        self._command(lambda _key: commands.AppendMessage(user(self._word("mine"))), 0)

    def delete(self, number: int) -> None:
        self._command(lambda key: commands.DeleteMessages([key]), number)

    def undo(self, _number: int) -> None:
        self.session.undo()

    def redo(self, _number: int) -> None:
        self.session.redo()

    def save(self, _number: int) -> None:
        self.session.save_now()

    def reload(self, _number: int) -> None:
        self.session.reload()

    def cancel(self, _number: int) -> None:
        self.session.cancel_load()

    def save_as(self, number: int) -> None:
        self.session.save_as_new(f"new {number}")

    def rename(self, number: int) -> None:
        self.acts.rename(self.session.path, f"renamed {number}", lambda _outcome: None)

    def foreign(self, _number: int) -> None:
        """Another program adds a message."""
        path, word = self.session.path, self._word("theirs")
        if path.exists():
            self._written_there(path, path.read_bytes() + b"\n" + json.dumps(user(word)).encode())
            self.theirs.add(word.encode())

    def foreign_edit(self, _number: int) -> None:
        """Another program changes a message of its own."""
        path, word = self.session.path, self._word("theirs").encode()
        old = FOREIGN.search(path.read_bytes()) if path.exists() else None
        if old is not None:
            self._written_there(path, re.sub(old[0] + rb"\b", word, path.read_bytes()))
            self.theirs = self.theirs - {old[0]} | {word}

    def load_there(self, _number: int) -> None:
        """Another program opens the chat."""
        path = self.session.path
        self.loaded_there = path.read_bytes() if path.exists() else None

    def stale(self, _number: int) -> None:
        """And saves what it had loaded then, with a message more, over whatever the file is now."""
        path, word = self.session.path, self._word("theirs")
        if path.exists() and self.loaded_there is not None:
            self.loaded_there += b"\n" + json.dumps(user(word)).encode()
            self._written_there(path, self.loaded_there)
            self.theirs.add(word.encode())

    def _written_there(self, path: Path, content: bytes) -> None:
        """Write a file as other programs do; of what nobody else has they made an end themselves."""
        beside = path.with_name("foreign.tmp")
        beside.write_bytes(content)
        beside.replace(path)
        self.theirs &= self.on_disk() | self.in_memory()

    def gone(self, _number: int) -> None:
        """Another program takes the file away."""
        if self.session.path.exists() and not (self.folder / "away").exists():
            self.session.path.rename(self.folder / "away")

    def back(self, _number: int) -> None:
        """And brings it back."""
        if (self.folder / "away").exists() and not self.session.path.exists():
            (self.folder / "away").rename(self.session.path)

    def look(self, _number: int) -> None:
        """The window hears that something changed in the folder."""
        self.chats.look_at_files()

    def fail(self, number: int) -> None:
        self.is_failing = number % 2 == 0

    def work(self, number: int) -> None:
        self.runner.work(number)

    def answer(self, _number: int) -> None:
        self.runner.answer()

    def second(self, _number: int) -> None:
        self.runner.advance(1)

    def wait(self, number: int) -> None:
        self.runner.advance(10 * number)

    def flush(self, number: int) -> None:
        self.chats.flush_all(number)

    def _command(self, make: Callable[[int], commands.Command], number: int) -> None:
        """Do something with one of our own messages."""
        chat = self.session.chat
        ours = [message.key for message in chat.messages if not FOREIGN.search(message.raw)] if chat else []
        if ours:
            self.session.do(make(ours[number % len(ours)]))

    def _word(self, whose: str) -> str:
        return f"{whose}-{next(self._numbers)}"

    # -- what must hold ---------------------------------------------------------------------------------

    def check(self) -> None:
        for session in self.seen:
            assert_honest(session)
            if session not in self.closed and not self._is_open(session):
                self.closed.append(session)
                assert ours(session) <= self.on_disk() | self.in_journals()
        assert self.theirs <= self.on_disk() | self.in_memory()

    def in_journals(self) -> set[bytes]:
        """Every word in the history of a chat."""
        folders = {file.parent for file in self.own.rglob("*.journal")}
        changes = (delta for folder in folders for _, delta in Journal(folder).deltas_back())
        return {word for delta in changes for word in WORD.findall(repr(delta).encode())}

    def in_memory(self) -> set[bytes]:
        """Every word in a chat that is open."""
        return {word for session in self.seen if self._is_open(session) for word in words(session)}

    def end(self) -> None:
        """Let everything come to rest with a healthy disk."""
        self.is_failing = False
        for _ in range(8):
            self.chats.look_at_files()
            self.runner.settle()
            self.runner.advance(100)
        self.runner.settle()
        self.check()
        unsaved = self.chats.flush_all(1)
        for session in self.seen:
            assert session.is_dirty or session.trouble or ours(session) <= self.on_disk() | self.in_journals()
        for session in self.seen:
            if session.is_dirty:
                assert (session.state, session.save_state.kind) in (("ready", "changed_on_disk"), ("ready", "gone"))
                assert session.title in unsaved
                session.save_as_new(f"the end {next(self._numbers)}")
                self.runner.settle()
                assert words(session) <= set(WORD.findall(session.path.read_bytes()))
        for session in tuple(self.views):
            self.chats.release(session)
        self.views.clear()
        self.runner.settle()
        assert self.chats.unsaved() == []
        assert not any(self._is_open(session) for session in self.seen)
        self.check()

    def on_disk(self) -> set[bytes]:
        """Every word in a chat, in a backup or put aside; what is in the journal does not count."""
        files = [file for file in self.everything.rglob("*") if file.is_file() and file.suffix != ".journal"]
        return {word for file in files for word in WORD.findall(file.read_bytes())}

    def _is_open(self, session: ChatSession) -> bool:
        return self.chats.session_for(session.path) is session

    def _watch(self, session: ChatSession) -> None:
        """What a reload or merge takes out of memory must be on disk; nobody is told of a save that is none."""
        before: set[bytes] = set()

        def loaded() -> None:
            if session.chat is not None:
                session.state_changed.disconnect(loaded)
                session.chat.about_to_reset.connect(lambda: before.update(ours(session)))
                session.chat.was_reset.connect(reset)

        def reset() -> None:
            assert before <= ours(session) | self.on_disk() | self.in_journals()
            before.clear()

        session.state_changed.connect(loaded)
        session.save_changed.connect(lambda: assert_honest(session))


def assert_honest(session: ChatSession) -> None:
    """What is said to be saved is."""
    assert not (session.save_state.kind == "saved" and session.is_dirty)


def words(session: ChatSession) -> set[bytes]:
    """The words that a person sees in this chat now."""
    messages = session.chat.messages if session.chat is not None else []
    return {word for message in messages for word in WORD.findall(message.raw)}


def ours(session: ChatSession) -> set[bytes]:
    """Those of them that were written here: what another program wrote it may also take out again."""
    return {word for word in words(session) if not FOREIGN.fullmatch(word)}


@contextmanager
def disk_of(story: Story) -> Iterator[None]:
    """A disk that is full while the story says so; and every chat counts as large, so that it has a preview."""
    sync = Stage.sync

    def failing(stage: Stage) -> Any:
        if story.is_failing:
            raise StorageError("io", "space")
        return sync(stage)

    small = mock.patch.object(reading, "PREVIEWED", 0)
    with small, mock.patch.object(Stage, "sync", failing), mock.patch("os.fsync"):
        yield


@settings(max_examples=100, deadline=None)
@given(STEPS)
def test_no_word_is_lost(steps: list[tuple[str, int]]) -> None:
    with TemporaryDirectory() as folder:
        story = Story(Path(folder))
        with disk_of(story):
            story.begin()
            for act, number in steps:
                story.do(act, number)
            story.end()
