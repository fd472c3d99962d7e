"""Writing a chat to its file: what a save does in the file's lane (conversation entry §6.2).

The normal case is a file as we left it (path `same`). Another program's version is merged: where only the header is
theirs without ado (`fast`), else with a copy of it first (`slow`). A version that somebody declared (a restored one,
"keep mine") replaces whatever is there, which is copied first (`override`).
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tavern_desktop.chat.merge import MergeLossError
from tavern_desktop.chat.merge_save import is_same_chat
from tavern_desktop.chat.recognition import recognise
from tavern_desktop.session.backing_up import back_up_first
from tavern_desktop.session.chat_journal import ChatJournal
from tavern_desktop.session.commands import Mark
from tavern_desktop.session.loading import ChatKind, Loaded
from tavern_desktop.session.merging import Lineage, Merge, merge_headers_only, merge_versions
from tavern_desktop.session.pending import PendingVersions
from tavern_desktop.session.trouble import NeedsAnswer, Trouble
from tavern_desktop.session.versions import Version, write_over
from tavern_desktop.storage import gcpause
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError, from_os
from tavern_desktop.storage.format import commit_pieces
from tavern_desktop.storage.publish import publish
from tavern_desktop.storage.savelog import Attempt, SaveLog
from tavern_desktop.storage.signature import Signature

ATTEMPTS = 3
"""How often a merge begins anew because somebody wrote once more meanwhile."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Written:
    """A version that is the file now. `merge`: what of it another program wrote."""

    version: Version
    signature: Signature
    merge: Merge | None = None


@dataclass(frozen=True, slots=True)
class Writing:
    """One save, with everything as it was when it began. Called once, in the file's lane.

    Raises ChangedOnDisk where another program writes again and again or the file is gone, NeedsAnswer, StorageError;
    then the file is as it was.
    """

    path: Path
    kind: ChatKind
    ours: Version
    saved: Version
    signature: Signature | None
    identity: str | None
    """The integrity value that the file is known to have."""
    lineage: Lineage
    read: Callable[[], Loaded]
    """Reads the file. Raises StorageError."""
    own_folder: Path | None
    save_log: SaveLog | None
    pending: PendingVersions | None
    journal: ChatJournal | None
    """At the state `ours`."""
    mark: Mark
    """Gets the number in the journal of what may be merged."""
    may_merge: Callable[[], bool] = lambda: True
    """Not while somebody types into a message: what it says is not changed under their hand. Asked off the owner."""
    copies_first: bool = False
    """What is there is copied before it is replaced, also if it is what we left."""
    overrides: bool = False
    """Ours replaces whatever is there."""

    def __call__(self) -> Written:
        with self._attempt() as attempt:
            try:
                written = self._override(attempt) if self.overrides else self._save(attempt)
            except StorageError as error:
                if error.detail in ("replace", "replace_blocked"):
                    self._keep_pending()
                raise
            attempt.new, attempt.new_count = written.signature, len(written.version.messages)
        if self.pending is not None:
            self.pending.forget(self.path)
        return written

    def _keep_pending(self) -> None:
        """Another program keeps the file open: our version waits in our own folder (decision D14)."""
        if self.pending is not None:
            try:
                self.pending.keep(self.path, self.ours, self.signature)
            except (StorageError, OSError) as error:
                log.warning("a version that could not be saved could not be put aside: %s", type(error).__name__)

    def _save(self, attempt: Attempt) -> Written:
        try:
            return self._plain(attempt)
        except ChangedOnDisk as change:
            if change.found is None or not self.may_merge():
                raise
        except StorageError as error:
            if error.kind != "integrity":
                raise
            if self.identity is not None:
                raise NeedsAnswer(self.path, Trouble("other")) from None
        for _ in range(ATTEMPTS - 1):
            try:
                return self._merged(attempt)
            except ChangedOnDisk:
                if not self.may_merge():
                    raise
        return self._merged(attempt)

    def _plain(self, attempt: Attempt) -> Written:
        attempt.path = "same"
        if self.copies_first:
            self._copy()
        if self.journal is not None:
            self.journal.sync()
        signature = write_over(self.path, self.kind, self.ours, self.saved, self.signature)
        self.lineage.record(self.ours.messages)
        self._note_published(self.ours, signature)
        return Written(self.ours, signature)

    def _merged(self, attempt: Attempt) -> Written:
        with gcpause.paused():
            loaded, merge = self._made_one(attempt)
        if merge.outside is not None and not self.may_merge():  # an editor was opened while the two were made one
            raise ChangedOnDisk(self.path, loaded.signature)
        if merge.outside is not None:
            self._copy()
        signature = self._publish(merge.version, loaded.signature)
        with gcpause.paused():
            self.lineage.merge(self.ours.messages, merge)
            if self.journal is not None:
                self.journal.merged(self.ours, merge.found, merge.version, self.mark)
        self._note_published(merge.version, signature)
        return Written(merge.version, signature, merge)

    def _made_one(self, attempt: Attempt) -> tuple[Loaded, Merge]:
        """Read the file and merge it with ours."""
        loaded = self._read()
        self._require_same_chat(loaded)
        if is_same_chat(self.lineage.states, [message.raw for message in loaded.messages]):
            attempt.path = "fast"
            return loaded, merge_headers_only(loaded, self.saved, self.ours)
        attempt.path = "slow"
        merge = self._merge(loaded)
        conflicts = merge.result.conflicts
        attempt.conflicts = len(conflicts) + len(merge.header_conflicts)
        attempt.lost_in_memory = sum(conflict.kind == "lost_in_memory" for conflict in conflicts)
        if attempt.lost_in_memory:
            log.error("%d messages were gone here without a command that took them", attempt.lost_in_memory)
        return loaded, merge

    def _require_same_chat(self, loaded: Loaded) -> None:
        """Raise NeedsAnswer if the file is another chat. One that had no identity may have been given one."""
        if None not in (loaded.identity, self.identity) and loaded.identity != self.ours.header.integrity():
            raise NeedsAnswer(self.path, Trouble("other"))

    def _merge(self, loaded: Loaded) -> Merge:
        try:
            merge = merge_versions(loaded, self.lineage, self.saved, self.ours)
        except MergeLossError:
            log.exception("a merge would have lost a message; nothing was saved")
            message = "its version and yours could not be merged safely"
            raise StorageError("io", "replace", message, chat_ref=self.path) from None
        if merge is None:
            raise NeedsAnswer(self.path, Trouble("shrunk", len(loaded.messages)))
        return merge

    def _read(self) -> Loaded:
        try:
            return self.read()
        except StorageError as error:
            if error.kind == "not_found":
                raise ChangedOnDisk(self.path, None) from None
            raise error.with_facts(side="existing") from None

    def _override(self, attempt: Attempt) -> Written:
        attempt.path = "override"
        try:
            found = Signature.of_path(self.path)
        except OSError as error:
            raise from_os(error, "open", self.path) from None
        theirs = None
        if found is not None:
            self._copy()
            theirs = self._found() if found != self.signature else None
        signature = self._publish(self.ours, found, force=True)
        self.lineage.record(self.ours.messages)
        if self.journal is not None and theirs is not None:
            self.journal.merged(self.ours, theirs, self.ours, self.mark)
        self._note_published(self.ours, signature)
        return Written(self.ours, signature)

    def _found(self) -> Version | None:
        """Return the version that is to be replaced, under the keys of ours; None where it cannot be read."""
        try:
            loaded = self.read()
        except StorageError:
            return None
        records = [message.raw for message in loaded.messages]
        return Version(loaded.header, recognise(self.ours.messages, records).messages)

    def _note_published(self, version: Version, signature: Signature) -> None:
        if self.journal is not None:
            self.journal.published(signature, len(version.messages), version.header.integrity())

    def _publish(self, version: Version, expected: Signature | None, *, force: bool = False) -> Signature:
        if self.journal is not None:
            self.journal.sync()
        pieces = commit_pieces(version.header, version.messages)
        return publish(self.path, pieces, expected=expected, integrity=version.header.integrity(), force=force)

    def _copy(self) -> None:
        back_up_first(self.path, self.own_folder)

    def _attempt(self) -> contextlib.AbstractContextManager[Attempt]:
        is_metadata = self.ours.messages == self.saved.messages
        attempt = Attempt(
            "overwrite" if self.overrides else "metadata" if is_metadata else "save",
            old_count=len(self.saved.messages),
            new_count=len(self.ours.messages),
            old=self.signature,
            deletions=len(self.lineage.deleted(self.ours.messages)),
            caller="queue",
        )
        return logged(self.save_log, self.path, attempt)


def logged(save_log: SaveLog | None, path: Path, attempt: Attempt) -> contextlib.AbstractContextManager[Attempt]:
    """Record what becomes of a save, if there is a log."""
    return contextlib.nullcontext(attempt) if save_log is None else save_log.attempt(path, attempt)
