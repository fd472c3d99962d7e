"""What another program did to the file of an open chat, found out by looking (conversation entry §7).

`FileLook` looks: at the file's signature first, and only where that is not the one we know at what is in it. What that
means for the chat is its session's business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, Protocol

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.merge import MergeResult
from tavern_desktop.chat.merge_save import is_same_chat, outside_version
from tavern_desktop.session.commands import Command
from tavern_desktop.session.loading import Loaded
from tavern_desktop.session.merging import Lineage
from tavern_desktop.session.runner import Handle, Outcome, Runner
from tavern_desktop.session.steps import Step
from tavern_desktop.session.trouble import Trouble
from tavern_desktop.session.version_steps import steps_between
from tavern_desktop.session.versions import Version
from tavern_desktop.storage import gcpause
from tavern_desktop.storage.errors import StorageError, from_os
from tavern_desktop.storage.signature import Signature

GONE_SECONDS = 5.0
"""A file that is back within so many seconds was replaced, not deleted."""
BUSY_SECONDS = 1.0
"""Seconds until a file is looked at again that is being read or written by ourselves."""
RETRIES = (1.0, 2.0, 4.0)
"""Seconds until a file that cannot be read is looked at again: its writer may be in the middle of it."""

Kind = Literal["same", "touched", "changed", "saved_over", "shrunk", "other", "gone", "unreadable"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of the file.

    same: it is ours; touched: its messages are ours, the rest may not be; changed: `version` and, against ours,
    `result`; saved_over: another program wrote an older copy over messages of ours; shrunk: so much is gone that
    somebody has to be asked (decision D5); other: it is another chat; gone: there is no file; unreadable: `error`
    says why.
    """

    kind: Kind
    known: Signature | None = None
    """The signature of the version that the file was compared with."""
    loaded: Loaded | None = None
    version: Version | None = None
    """The file, its messages with the keys of ours where they are the same."""
    result: MergeResult | None = None
    ours: Version | None = None
    """The chat that the file was compared with …"""
    steps: tuple[Step, ...] = ()
    """… and how it becomes what the file is."""
    error: StorageError | None = None

    def trouble(self) -> Trouble:
        """Return what the person is told of a file that cannot simply be followed."""
        if self.kind in ("gone", "other"):
            return Trouble("gone" if self.kind == "gone" else "other")
        if self.error is not None:
            return Trouble("unreadable", error=self.error)
        return Trouble("shrunk", len(self.version.messages) if self.version is not None else 0)


class FollowFile(Command):
    """The chat becomes what another program wrote. Taking it back brings our version back, which is then saved."""

    label = "Change made elsewhere"
    kind = "outside"

    def __init__(self, steps: Iterable[Step]) -> None:
        """`steps` were planned off the owner, for the chat as it is now."""
        super().__init__()
        self._planned = list(steps)

    def _plan(self, chat: Chat) -> list[Step]:
        return self._planned


def compare(
    known: Signature | None, identity: str | None, read: Callable[[], Loaded], lineage: Lineage, ours: Version
) -> Finding:
    """Read the file and say what it is to ours. Runs on the chat's lane. Raises MergeLossError, a fault of ours."""
    with gcpause.paused():
        return _compared(known, identity, read, lineage, ours)


def _compared(
    known: Signature | None, identity: str | None, read: Callable[[], Loaded], lineage: Lineage, ours: Version
) -> Finding:
    try:
        loaded = read()
    except StorageError as error:
        return Finding("unreadable", known, error=error)
    if None not in (identity, loaded.identity) and loaded.identity != ours.header.integrity():
        return Finding("other", known, loaded)
    records = [message.raw for message in loaded.messages]
    if is_same_chat(lineage.states, records):
        return Finding("touched", known, loaded)
    outside = outside_version(lineage.states, records, ours.messages)
    version = Version(loaded.header, list(outside.version.messages))
    if outside.is_collapse:
        return Finding("shrunk", known, loaded, version)
    result = outside.merge(ours.messages, lineage.states.deleted | lineage.deleted(ours.messages))
    is_theirs = [message.raw for message in result.messages] == records
    kind: Kind = "changed" if is_theirs else "saved_over"
    return Finding(kind, known, loaded, version, result, ours, tuple(steps_between(ours, version)))


class Looked(Protocol):
    """Whose file is looked at."""

    @property
    def path(self) -> Path:
        """The file."""

    @property
    def signature(self) -> Signature | None:
        """The signature of the version that we last read or wrote."""

    @property
    def lane(self) -> str:
        """Where the file is read and written."""

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing is being read or written, so that a finding can be taken."""

    def comparison(self) -> Callable[[], Finding]:
        """Return what reads the file and compares it, off the owner."""

    def hold(self) -> None:
        """Save nothing until the next finding: it is not known yet what became of the file."""

    def take(self, finding: Finding) -> None:
        """Do what the finding asks for."""


class FileLook:
    """Looks at the file of one session. Belongs to the owner."""

    def __init__(self, runner: Runner, looked: Looked) -> None:
        self._runner = runner
        self._looked = looked
        self._is_looking = False
        self._judged: Signature | None = None
        self._timer: Handle | None = None
        self._is_missed = False
        self._failures = 0
        self._is_closed = False

    def look(self) -> None:
        """See whether the file is still the one we know, in the file's lane; one stat where it is."""
        if not self._is_looking and not self._is_closed:
            self._is_looking = True
            path = self._looked.path
            self._runner.submit(partial(_signature, path), partial(self._stated, path), lane=self._looked.lane)

    def forget(self) -> None:
        """Begin anew, as with another version of the file in memory."""
        self._calm()
        self._judged = None

    def close(self) -> None:
        """Look no more."""
        self._calm()
        self._is_closed = True

    def _stated(self, path: Path, outcome: Outcome[Signature | None]) -> None:
        self._is_looking = False
        if not self._may_take(path):
            return
        if isinstance(outcome.error, StorageError):
            self._cannot_read(Finding("unreadable", error=outcome.error))
            return
        found = outcome.result()
        if found is None:
            self._is_gone()
        elif found == self._looked.signature:
            self.forget()
            self._looked.take(Finding("same"))
        elif found != self._judged:
            self._is_looking = True
            done = partial(self._compared, path, found)
            self._runner.submit(self._looked.comparison(), done, lane=self._looked.lane)

    def _compared(self, path: Path, found: Signature, outcome: Outcome[Finding]) -> None:
        self._is_looking = False
        if not self._may_take(path):
            return
        self._judged = found  # also if comparing fails by a fault of ours: once is enough to hear of it
        finding = outcome.result()
        error = finding.error
        if finding.known != self._looked.signature or (error is not None and error.kind == "not_found"):
            self._judged = None
            self.look()  # saved or gone meanwhile
        elif error is not None:
            self._judged = None
            self._cannot_read(finding, found)
        else:
            self._calm()
            self._looked.take(finding)

    def _may_take(self, path: Path) -> bool:
        """Say whether what was found can be used now; while the file is read or written, look again later."""
        if self._is_closed or path != self._looked.path:
            return False
        if not self._looked.is_at_rest and self._timer is None:
            self._look_in(BUSY_SECONDS)
        return self._looked.is_at_rest

    def _is_gone(self) -> None:
        if not self._is_missed:
            self._is_missed = True
            self._looked.hold()
            self._look_in(GONE_SECONDS)
        elif self._timer is None:
            self._looked.take(Finding("gone"))

    def _cannot_read(self, finding: Finding, found: Signature | None = None) -> None:
        if self._timer is not None:
            return
        if self._failures < len(RETRIES):
            self._looked.hold()
            self._look_in(RETRIES[self._failures])
            self._failures += 1
        else:
            self._judged = found
            self._looked.take(finding)

    def _look_in(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._runner.call_later(seconds, self._look_again)

    def _look_again(self) -> None:
        self._timer = None
        self.look()

    def _calm(self) -> None:
        """There is a file, and it can be read."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._is_missed, self._failures = None, False, 0


def _signature(path: Path) -> Signature | None:
    try:
        return Signature.of_path(path)
    except OSError as error:
        raise from_os(error, "open", path) from None
