"""What an open chat does when another program wrote its file: follow it, merge, or have the person decide.

`FileLook` finds out what became of the file; this is what it means for the chat.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tavern_desktop.chat.merge_metadata import merge_headers
from tavern_desktop.session.loading import Loaded
from tavern_desktop.session.outside import FileLook, Finding, FollowFile, compare
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.session.trouble import NeedsAnswer, Trouble
from tavern_desktop.session.versions import Version
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError
from tavern_desktop.storage.signature import Signature

if TYPE_CHECKING:
    from tavern_desktop.session.chat_session import ChatSession

DAMAGE = frozenset({"bad_header", "bad_record", "bad_encoding"})
"""Kinds of errors after which there may be something left to read."""


class Following:
    """Part of one session. `trouble` is why nothing is saved until the person decides."""

    def __init__(self, session: ChatSession, runner: Runner) -> None:
        self.trouble: Trouble | None = None
        self.is_put_off = False
        """Another program wrote the file, and that waits for a save or for who is typing into a message."""
        self._session = session
        self._runner = runner
        self._look = FileLook(runner, self)
        self._is_held = False
        self._editors = 0

    def look(self) -> None:
        """See whether another program wrote the file."""
        if self._session.chat is not None:
            self._look.look()

    @property
    def has_editors(self) -> bool:
        """Say whether somebody is typing into a message."""
        return self._editors > 0

    def look_if_clean(self) -> None:
        """Look again at a file that was not followed because of changes here, once there are none."""
        if (self.trouble is not None or self.is_put_off) and not self._session.is_dirty and not self._editors:
            self.is_put_off = False
            self._look.forget()
            self.look()

    def note_editor(self, is_open: bool) -> None:
        """Take notice that somebody begins, or ends, to type into a message."""
        self._editors += 1 if is_open else -1
        if not self._editors and self.is_put_off:
            self._set_trouble(None)  # what is to be saved will be, and finds their version by itself
            self.look_if_clean()

    def take_refusal(self, error: ChangedOnDisk | StorageError) -> None:
        """Find out what a save found in the place of the file that it was made for."""
        if isinstance(error, NeedsAnswer):
            self._set_trouble(error.trouble)
            return
        self._look.forget()
        self.hold()
        self.look()

    def settle(self) -> None:
        """Take notice that memory and file are of one version: nothing is left to decide."""
        self._look.forget()
        self.is_put_off = False
        self._set_trouble(None)

    def wait(self) -> None:
        """Let the queue wait for what has to be known or answered first."""
        session = self._session
        if self.trouble is not None:
            session.queue.wait_as("gone" if self.trouble.kind == "gone" else "changed_on_disk")
        elif session.needs_header_consent or session.read_only == "old_form":
            session.queue.wait_as("needs_header_consent")
        else:
            session.queue.wait_as("unsaved" if self._is_held else None)

    def close(self) -> None:
        """Look no more."""
        self._look.close()

    # -- for `FileLook` ---------------------------------------------------------------------------------

    @property
    def path(self) -> Path:
        return self._session.path

    @property
    def signature(self) -> Signature | None:
        return self._session.signature

    @property
    def lane(self) -> str:
        return self._session.lane

    @property
    def is_at_rest(self) -> bool:
        return self._session.is_at_rest

    def comparison(self) -> Callable[[], Finding]:
        session = self._session
        if session.chat is None:
            raise AssertionError("a chat that was not read is not looked at")
        ours = Version.of(session.chat)
        file, read = session.file, session.reading.work(session.path)
        return partial(compare, file.signature, file.identity, read, file.lineage, ours)

    def hold(self) -> None:
        self._is_held = True
        self.wait()

    def take(self, finding: Finding) -> None:
        session = self._session
        if finding.kind in ("gone", "unreadable", "shrunk", "other"):
            session.file.is_lost |= finding.error is not None and finding.error.kind in DAMAGE
            self._set_trouble(finding.trouble())
            return
        self.is_put_off = finding.kind in ("changed", "saved_over") and (session.is_dirty or self._editors > 0)
        if self.is_put_off and self._editors:
            self.hold()
            return
        self._set_trouble(None)
        if finding.kind == "touched":
            self._follow_header(finding.loaded)
        elif finding.kind == "same" or session.is_dirty:
            return  # a save that is due finds their version, and merges it
        elif finding.kind == "changed" or session.read_only is not None:
            self._follow(finding)
        else:
            session.file.is_lost = True  # the newest of ours: it is merged back by a save
            session.save_now()

    # -- continued --------------------------------------------------------------------------------------

    def _set_trouble(self, trouble: Trouble | None) -> None:
        changed, self.trouble, self._is_held = trouble != self.trouble, trouble, False
        self.wait()
        if changed:
            self._session.state_changed.emit()

    def _follow(self, finding: Finding) -> None:
        """Become what the file is, as a command that can be taken back."""
        session = self._session
        if session.chat is None or finding.version is None or finding.loaded is None or finding.result is None:
            raise AssertionError("a file that changed was read and compared")
        if finding.ours is None or not finding.ours.equals(session.chat):  # changed since it was compared, and back
            self._look.forget()
            self._look.look()
            return
        session.file.saved = finding.version
        record = partial(session.file.lineage.follow, finding.version.messages)
        self._runner.submit(record, Outcome.result, lane=self.lane)
        command = FollowFile(finding.steps)
        try:
            if command.do(session.chat) and session.read_only is None:
                session.commands.add(command)
        finally:  # also when an observer of the chat raises
            session.epoch += 1
            session.journaling.note_done(command)
            session.journaling.note_file(finding.loaded)
            session.know(finding.loaded)
        session.undo_changed.emit()
        session.followed.emit(finding.result)

    def _follow_header(self, loaded: Loaded | None) -> None:
        """Take a header that another program wrote above the same messages."""
        session = self._session
        if session.chat is None or loaded is None:
            raise AssertionError("a file that was touched was read and compared")
        header = loaded.header
        if session.is_dirty:
            header, _conflicts = merge_headers(session.file.saved.header, loaded.header, session.chat.header)
        session.file.saved = Version(loaded.header, session.file.saved.messages)
        if header != session.chat.header:
            session.chat.set_header(header)
            session.journaling.note_rest()
        session.know(loaded)
