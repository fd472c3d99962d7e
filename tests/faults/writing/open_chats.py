"""Chats that are open in a program: saving them, and what is done with whole files of them."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, TypeVar

import pytest

from tavern_desktop.chat import facts
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.commands import AppendMessage, EditText
from tavern_desktop.session.file_acts import FileActs, FileDone, Removed
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.pending import PENDING
from tavern_desktop.session.runner import Outcome, PlainRunner
from tavern_desktop.storage.backups import BackupFolder
from tavern_desktop.storage.signature import Signature
from tavern_desktop.storage.stages import Stage
from tests.faults.writing.base import TALK, TEXTS, WritePath, texts_of, whole_chats

T = TypeVar("T")


class Clocked(PlainRunner):
    """A runner on a clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(lambda: self.now)

    def advance(self, seconds: float) -> None:
        """Let time pass, and what is due happen."""
        self.now += seconds
        self.run_timers()
        self.run_until_idle()


class OpenChat(WritePath):
    """A chat that is open in a program, with a change that is not saved yet."""

    wanted: ClassVar[list[str]] = ["one", "two", "three", "four"]
    comes_back = True

    def make_ready(self) -> None:
        super().make_ready()
        self.start()
        self.change()
        self.runner.run_until_idle()

    def start(self) -> None:
        """Open the chat in a program that is new."""
        self.runner = Clocked()
        own = self.own.data
        root = self.root.path
        self.chats = OpenChats(self.runner, own / "recovery", own_folder=own, root=root, preview_limit=0)
        self.acts = FileActs(self.runner, self.chats, own)
        self.session: ChatSession = self.chats.open(self.chat)
        self.runner.run_until_idle()
        self.session.notice.connect(self.tell)

    def change(self) -> None:
        """Change the chat, without saving it."""
        self.session.do(AppendMessage({"name": "Ana", "is_user": True, "mes": "four", "extra": {}}))

    def act(self) -> None:
        self.session.save_now()
        self.runner.run_until_idle()
        for _ in range(4):  # what may pass by itself is tried again before anybody is told
            if self.session.is_dirty and not self.session.save_state.error:
                self.runner.advance(5)
        self.tell(self.session.save_state.error)

    def again(self) -> None:
        self.runner.advance(120)
        self.runner.advance(120)

    def is_done(self) -> bool:
        return texts_of(self.chat) == self.wanted and self.session.save_state.kind == "saved"

    def check(self) -> None:
        assert self.memory() == self.wanted
        assert texts_of(self.chat) in (TEXTS, self.wanted)
        assert self.session.is_dirty or self.session.save_state.kind == "saved"

    def is_allowed(self, texts: list[str]) -> bool:
        return texts in (TEXTS, self.wanted)

    def memory(self) -> list[str]:
        """Return what the messages of the open chat say."""
        assert self.session.chat is not None
        return [facts.text(message.data()) for message in self.session.chat.messages]

    def outcome(self, start: Callable[[Callable[[Outcome[T]], None]], None]) -> T | None:
        """Do something with a whole file, and return what came of it; an error is told."""
        outcomes: list[Outcome[T]] = []
        start(outcomes.append)
        self.runner.run_until_idle()
        self.tell(self.session.save_state.error)
        if not outcomes:
            return None
        self.tell(outcomes[0].error)
        return outcomes[0].value


class FullSave(OpenChat):
    """The whole chat."""

    name = "full save"


class EditSave(OpenChat):
    """An edit and what is done after it, journal included."""

    name = "edit and save"
    wanted: ClassVar[list[str]] = ["one", "two", "three, no four"]
    comes_back = False

    def change(self) -> None:
        """Leave that to the writing: it is part of it."""

    def act(self) -> None:
        assert self.session.chat is not None
        self.session.do(EditText(self.session.chat.messages[2].key, "three, no four"))
        super().act()


class MergeSave(OpenChat):
    """Another program wrote the file meanwhile."""

    name = "merge save"
    wanted: ClassVar[list[str]] = ["one", "two", "three", "theirs", "four"]

    def make_ready(self) -> None:
        super().make_ready()
        self.chat.write_bytes(TALK + b'\n{"name":"Mira","is_user":false,"mes":"theirs","extra":{}}')

    def is_allowed(self, texts: list[str]) -> bool:
        return texts[:3] == TEXTS and set(texts) <= set(self.wanted)

    def is_done(self) -> bool:
        return sorted(texts_of(self.chat)) == sorted(self.wanted) and self.session.save_state.kind == "saved"

    def check(self) -> None:
        assert "four" in self.memory()
        found = texts_of(self.chat)
        assert "theirs" in found
        assert self.is_allowed(found)


class Rename(OpenChat):
    """Another name, after what is not saved was saved."""

    name = "rename"

    def act(self) -> None:
        self.outcome(lambda done: self.acts.rename(self.session.path, "renamed", done))

    def again(self) -> None:
        super().again()
        if not self.target.exists():
            self.try_it()

    @property
    def target(self) -> Path:
        return self.chat.with_name("renamed.jsonl")

    def is_done(self) -> bool:
        return self.target.exists() and not self.chat.exists() and texts_of(self.target) == self.wanted

    def check(self) -> None:
        assert self.memory() == self.wanted
        assert whole_chats(self.chat.parent) in ([TEXTS], [self.wanted])
        assert self.session.path.exists()


class CopyOut(OpenChat):
    """A new file that is made of the chat."""

    parts: ClassVar[list[list[str]]] = []
    """What else than the whole chat there may be."""

    def check(self) -> None:
        super().check()
        assert all(map(self.is_allowed, whole_chats(self.root.path)))

    def is_allowed(self, texts: list[str]) -> bool:
        return super().is_allowed(texts) or texts in self.parts

    def again(self) -> None:
        super().again()
        if not self.is_done():
            self.try_it()


class Duplicate(CopyOut):
    """The same once more."""

    name = "duplicate"

    def act(self) -> None:
        self.outcome(lambda done: self.acts.duplicate(self.session.path, done))

    def is_done(self) -> bool:
        copies = [texts_of(path) for path in self.chat.parent.glob("*(copy)*.jsonl")]
        return texts_of(self.chat) == self.wanted and self.wanted in copies


class Branch(CopyOut):
    """The chat up to a message."""

    name = "branch"
    parts: ClassVar[list[list[str]]] = [["one", "two"]]

    def act(self) -> None:
        self.outcome(lambda done: self.acts.branch(self.session.path, 1, done))

    def is_done(self) -> bool:
        return ["one", "two"] in whole_chats(self.chat.parent)


class Export(CopyOut):
    """The chat for people to read, in place of an older export."""

    name = "export"

    def make_ready(self) -> None:
        super().make_ready()
        self.out = self.folder / "talk.md"
        self.out.write_text("an older export", encoding="utf-8")

    def act(self) -> None:
        self.outcome(lambda done: self.acts.export(self.session.path, self.out, "md", done, replace=True))

    def is_done(self) -> bool:
        written = self.out.read_text(encoding="utf-8")
        return all(text in written for text in self.wanted)

    def check(self) -> None:
        super().check()
        assert self.is_done() or self.out.read_text(encoding="utf-8") == "an older export"


class Restore(CopyOut):
    """A backup as a new chat."""

    name = "restore"

    def make_ready(self) -> None:
        super().make_ready()
        self.backup = BackupFolder(self.root.user_folder / "backups").ensure(self.chat)

    def act(self) -> None:
        self.outcome(lambda done: self.acts.restore(self.session.path, self.backup, done))

    def is_done(self) -> bool:
        return bool([*self.chat.parent.glob("*(backup)*.jsonl")])


class Remove(OpenChat):
    """Into the bin, after a copy was made."""

    name = "remove"
    removed: Removed | None = None

    def make_ready(self) -> None:
        super().make_ready()
        OpenChat.act(self)

    def act(self) -> None:
        self.removed = self.outcome(lambda done: self.acts.remove(self.session.path, done))
        if self.removed is not None:
            self.told += self.removed.warnings

    def again(self) -> None:
        if self.chat.exists():
            self.try_it()

    def is_done(self) -> bool:
        return not self.chat.exists()

    def check(self) -> None:
        found = whole_chats(self.folder)
        assert self.wanted in found
        assert all(map(self.is_allowed, found))


class BringBack(Remove):
    """Out of the bin again."""

    name = "bring back"
    made: FileDone | None = None

    def make_ready(self) -> None:
        super().make_ready()
        Remove.act(self)
        assert self.removed is not None
        self.told.clear()

    def act(self) -> None:
        removed = self.removed
        assert removed is not None
        self.made = self.outcome(lambda done: self.acts.bring_back(removed, done))

    def again(self) -> None:
        if not self.is_done():
            self.try_it()

    def is_done(self) -> bool:
        return self.chat.exists() and texts_of(self.chat) == self.wanted


class PutAside(OpenChat):
    """Another program keeps the file open, so the new version waits in our own folder (decision D14)."""

    name = "put aside"
    always_tells = True

    def act(self) -> None:
        replace = Stage.replace_expected

        def blocked(stage: Stage, expected: Signature) -> None:
            if stage._target == self.chat:
                raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
            replace(stage, expected)

        with pytest.MonkeyPatch.context() as patches:
            patches.setattr(Stage, "replace_expected", blocked)
            super().act()

    def is_done(self) -> bool:
        waiting = [texts_of(path) for path in (self.own.data / PENDING).glob("*.jsonl")]
        return waiting == [self.wanted] or super().is_done()


class TakeAside(PutAside):
    """A version that waits takes its place at the next start."""

    name = "take aside"
    always_tells = False

    def make_ready(self) -> None:
        super().make_ready()
        PutAside.act(self)
        self.start()
        self.told.clear()

    def act(self) -> None:
        self.chats.save_pending()
        self.runner.run_until_idle()
        OpenChat.act(self)

    def is_done(self) -> bool:
        """Say so also where the version that waited could not be removed: the next save does it."""
        return OpenChat.is_done(self)
