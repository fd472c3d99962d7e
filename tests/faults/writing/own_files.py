"""Files of our own: journals, drafts, settings, replies that are being written."""

from __future__ import annotations

import pytest

from tavern_desktop.backends.connection import Connection
from tavern_desktop.session import key_store
from tavern_desktop.session.connections import Connections
from tavern_desktop.session.key_store import KeyStore
from tavern_desktop.session.preferences import Preferences
from tavern_desktop.storage import journal as journal_module
from tavern_desktop.storage.drafts import Draft, DraftFolder
from tavern_desktop.storage.journal import Journal
from tavern_desktop.storage.journal_folders import JOURNALS
from tavern_desktop.storage.journal_state import digests_of, kept_state, save_state
from tavern_desktop.storage.journal_thinning import thin
from tavern_desktop.storage.journal_versions import records_at
from tavern_desktop.storage.own_folders import own_folders
from tavern_desktop.storage.reply_stream import ReplyStream, StreamHead, interrupted_replies
from tavern_desktop.storage.signature import Signature
from tavern_desktop.storage.unsaved import FOLDER as UNSAVED
from tavern_desktop.storage.unsaved import Unsaved, list_unsaved, note_unsaved
from tests.faults.writing.base import WritePath
from tests.unit.storage.journal_story import DAY, HOUR, Story


class JournalPath(WritePath):
    """Something that is done to the journal of a chat with a story of its own."""

    def make_ready(self) -> None:
        super().make_ready()
        self.story = Story(Journal(self.own.data / JOURNALS / "key"))

    def check(self) -> None:
        """See that every state that can be gone back to is what it was."""
        super().check()
        journal = Journal(self.story.journal.folder)
        assert journal.warnings == []
        assert journal.oldest == 0
        for number in {journal.number, *(meta.before for meta in journal.metas())}:
            known = self.story.states[journal.number]
            assert records_at(journal, number, *known) == self.story.states[number]


class AppendToJournal(JournalPath):
    """A change is written down, made durable, and noted as published."""

    name = "journal append"
    changes_before = 3

    def make_ready(self) -> None:
        super().make_ready()
        list(self.story.changes(self.changes_before))
        self.story.chat.remove(2, 4)
        self.entry = self.story.take()

    def act(self) -> None:
        journal, number = self.story.journal, self.entry.number
        if journal.number < number:
            journal.append([self.entry])
        journal.sync()
        journal.note_published(Signature(1, 2, (3, 4)), number, self.entry.delta.count_after)

    def is_done(self) -> bool:
        journal = Journal(self.story.journal.folder)
        return journal.number == self.entry.number and journal.published is not None


class BeginJournal(AppendToJournal):
    """The very first change of a chat."""

    name = "journal begin"
    changes_before = 0


class Thin(JournalPath):
    """Old changes become fewer, and their files one."""

    name = "journal thinning"
    is_silent = True

    def make_ready(self) -> None:
        super().make_ready()
        for _ in range(3):
            list(self.story.changes(4, every=HOUR))
            self._begin_a_file()
        self.before = len(self.story.journal.metas())

    def _begin_a_file(self) -> None:
        """Have the next change begin a new file, as if this one was full."""
        with pytest.MonkeyPatch.context() as patches:
            patches.setattr(journal_module, "FULL_BYTES", self.story.journal.segments[-1].end)
            self.story.change(every=HOUR)

    def act(self) -> None:
        thin(self.story.journal, 0, self.story.now + 1000 * DAY)

    def is_done(self) -> bool:
        return len(Journal(self.story.journal.folder).metas()) < self.before - 9


class KeepState(WritePath):
    """The digests of a state of a chat."""

    name = "journal state"

    def make_ready(self) -> None:
        super().make_ready()
        self.place = self.own.data / JOURNALS / "key"
        self.old, self.new = digests_of([b"one"]), digests_of([b"one", b"two"])
        save_state(self.place, 1, self.old)

    def act(self) -> None:
        save_state(self.place, 2, self.new)

    def is_done(self) -> bool:
        return kept_state(self.place) == (2, self.new)

    def check(self) -> None:
        assert kept_state(self.place) in ((1, self.old), (2, self.new))


class KeepDraft(WritePath):
    """What is typed and not sent."""

    name = "draft"

    def make_ready(self) -> None:
        super().make_ready()
        self.drafts = DraftFolder(self.own.data / "drafts")
        self.drafts.put(Draft("talk", "a beginning"))

    def act(self) -> None:
        self.drafts.put(Draft("talk", "a beginning and more"))

    def texts(self) -> list[str]:
        return [draft.composer for draft in self.drafts.read().drafts]

    def is_done(self) -> bool:
        return self.texts() == ["a beginning and more"]

    def check(self) -> None:
        assert self.texts() in (["a beginning"], ["a beginning and more"])


class KeepSettings(WritePath):
    """One setting."""

    name = "settings"

    def make_ready(self) -> None:
        super().make_ready()
        self.preferences = Preferences(own_folders())
        self.preferences.settings.update(user="one")

    def act(self) -> None:
        self.preferences.settings.update(user="two")

    def user(self) -> str | None:
        return Preferences(own_folders()).settings.value.user

    def is_done(self) -> bool:
        return self.user() == "two"

    def check(self) -> None:
        assert self.user() in ("one", "two")


class KeepConnection(WritePath):
    """How a model server is reached."""

    name = "connection"

    def make_ready(self) -> None:
        super().make_ready()
        Connections(own_folders()).put(self.connection("one"))

    def connection(self, name: str) -> Connection:
        return Connection(id=name, name=name, protocol="openai", url="http://127.0.0.1:1/v1")

    def act(self) -> None:
        Connections(own_folders()).put(self.connection("two"))

    def names(self) -> list[str]:
        return [connection.name for connection in Connections(own_folders()).all()]

    def is_done(self) -> bool:
        return self.names() == ["one", "two"]

    def check(self) -> None:
        assert self.names() in (["one"], ["one", "two"])


class KeepKey(WritePath):
    """A key, on a system without a key store."""

    name = "key"

    def make_ready(self) -> None:
        super().make_ready()
        self.put("one")

    def put(self, name: str) -> None:
        with pytest.MonkeyPatch.context() as patches:
            patches.setattr(key_store, "_from_system", lambda ask: None)
            KeyStore(own_folders()).put(name, f"key {name}")

    def act(self) -> None:
        self.put("two")

    def keys(self) -> list[str]:
        """Return the keys that are kept."""
        with pytest.MonkeyPatch.context() as patches:
            patches.setattr(key_store, "_from_system", lambda ask: None)
            return [KeyStore(own_folders()).get(name) for name in ("one", "two")]

    def is_done(self) -> bool:
        return self.keys() == ["key one", "key two"]

    def check(self) -> None:
        assert self.keys() in (["key one", ""], ["key one", "key two"])


class NoteUnsaved(WritePath):
    """The note that a chat is ahead of its file."""

    name = "unsaved note"

    def act(self) -> None:
        note_unsaved(self.own.data / UNSAVED, "key", Unsaved(str(self.chat), "character", "talk", 1))

    def is_done(self) -> bool:
        return len(list_unsaved(self.own.data / UNSAVED)) == 1


class KeepReply(WritePath):
    """The text of a reply while it is being written."""

    name = "reply stream"

    def make_ready(self) -> None:
        super().make_ready()
        self.place = self.own.data / "streams"
        self.place.mkdir(parents=True)
        self.tries = 0

    def act(self) -> None:
        self.tries += 1
        head = StreamHead(str(self.chat), "reply", "Mira", 2, 1)
        stream = ReplyStream(self.place, f"task{self.tries}", head)
        try:
            stream.append("It rained ", "")
            stream.append("all night.", "")
        finally:
            stream.leave()

    def is_done(self) -> bool:
        return "It rained all night." in self.replies()

    def replies(self) -> list[str]:
        return [reply.text for reply in interrupted_replies(self.place)]

    def check(self) -> None:
        super().check()
        assert set(self.replies()) <= {"It rained ", "It rained all night."}
