"""Merging what another program wrote into a chat that was changed here too (conversation entry §6).

`Lineage` is confined to the lane of its chat: everything that reads or writes it runs there, one after another.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.merge import MergeResult, merge_messages
from tavern_desktop.chat.merge_metadata import merge_headers
from tavern_desktop.chat.merge_save import outside_version
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.states import Spool, States
from tavern_desktop.chat.states import Version as OutsideVersion
from tavern_desktop.session.commands import Command, Mark
from tavern_desktop.session.loading import Loaded
from tavern_desktop.session.steps import Step
from tavern_desktop.session.version_steps import steps_between
from tavern_desktop.session.versions import Version
from tavern_desktop.storage.errors import StorageError

log = logging.getLogger(__name__)


class Lineage:
    """What the file of a chat may descend from: our last load, our publishes and what we followed since."""

    def __init__(self, loaded: Sequence[Message], spool: Spool | None = None) -> None:
        self.states = States(loaded, spool)

    def record(self, published: Sequence[Message]) -> None:
        """Remember a version that is the file now. What is not in it any more was deleted by somebody."""
        self._remember(published)

    def follow(self, found: Sequence[Message]) -> None:
        """Remember a version of another program that the chat became. What is gone from a later one they deleted."""
        self._remember(found, is_theirs=True)

    def merge(self, ours: Sequence[Message], merge: Merge) -> None:
        """Remember a version that another program wrote was merged with, and is the file now."""
        self._remember(merge.version.messages, self.deleted(ours), merged=merge.outside)

    def deleted(self, messages: Sequence[Message]) -> frozenset[int]:
        """Return the keys that were deleted here since the newest version."""
        return frozenset({message.key for message in self.states.messages} - {message.key for message in messages})

    def _remember(
        self,
        messages: Sequence[Message],
        deleted: frozenset[int] | None = None,
        *,
        is_theirs: bool = False,
        merged: OutsideVersion | None = None,
    ) -> None:
        """A spool that cannot be written is no reason for a save to fail: what it should take stays in memory."""
        gone = self.deleted(messages) if deleted is None else deleted
        try:
            self.states.record(messages, gone, merged=merged, is_theirs=is_theirs)
        except StorageError as error:
            log.warning("earlier versions of a chat stay in memory: %s", error)


@dataclass(frozen=True, slots=True)
class Merge:
    """What another program wrote, made one with ours. `found` is their version, under the keys of ours."""

    found: Version
    version: Version
    result: MergeResult
    header_conflicts: tuple[str, ...]
    """Metadata that both sides changed; ours stands."""
    steps: tuple[Step, ...]
    """How our version becomes the merged one."""
    outside: OutsideVersion | None
    """For `States.record`; None where only the header was theirs."""

    @property
    def is_told(self) -> bool:
        """Say whether messages of one side or the other became something else than that side had."""
        return bool(self.result.change_count or self.result.restored or self.result.conflicts)


def merge_headers_only(loaded: Loaded, saved: Version, ours: Version) -> Merge:
    """Return our messages under what the header becomes: the file has the messages that we know."""
    header, conflicts = _header(saved, loaded, ours)
    version = Version(header, ours.messages)
    found = Version(loaded.header, saved.messages)
    steps = tuple(steps_between(ours, version))
    return Merge(found, version, MergeResult(tuple(ours.messages)), tuple(conflicts), steps, None)


def merge_versions(loaded: Loaded, lineage: Lineage, saved: Version, ours: Version) -> Merge | None:
    """Return the file merged with ours, None where so much of the chat is gone from it that somebody has to look first.

    Raises MergeLossError.
    """
    outside = outside_version(lineage.states, [message.raw for message in loaded.messages], ours.messages)
    if outside.is_collapse:
        return None
    result = outside.merge(ours.messages, lineage.states.deleted | lineage.deleted(ours.messages))
    header, conflicts = _header(saved, loaded, ours)
    version = Version(header, list(result.messages))
    found = Version(loaded.header, list(outside.version.messages))
    return Merge(found, version, result, tuple(conflicts), tuple(steps_between(ours, version)), outside.version)


def _header(saved: Version, loaded: Loaded, ours: Version) -> tuple[Header, list[str]]:
    header, conflicts = merge_headers(saved.header, loaded.header, ours.header)
    return header if loaded.identity is None else _named(header, loaded.identity), conflicts


def _named(header: Header, identity: str | None) -> Header:
    """Return the header with the identity that the file has: ours may be one that was never written."""
    if header.integrity() == identity:
        return header
    return header.with_metadata(header.metadata() | {"integrity": identity})


def steps_to(merge: Merge, ours: Version, now: Version) -> list[Step]:
    """Return how the chat, which was `ours` when it was merged and is `now`, takes the merge in.

    What was changed since is merged once more: base is ours, the merge is what somebody else made of it.
    """
    if ours.equals(now):
        return list(merge.steps)
    gone = {message.key for message in ours.messages} - {message.key for message in now.messages}
    messages = merge_messages(ours.messages, merge.version.messages, now.messages, gone).messages
    header, _conflicts = merge_headers(ours.header, merge.version.header, now.header)
    after = Version(_named(header, merge.version.header.integrity()), list(messages))
    return steps_between(now, after)


class AdoptMerge(Command):
    """The chat takes a merge in. Taking it back brings our own version back, which is then saved."""

    label = "Merge"
    kind = "merge"

    def __init__(self, steps: list[Step], mark: Mark) -> None:
        """`steps` are as of `steps_to`, for the chat as it is; `mark`: the journal has it already."""
        super().__init__()
        self.mark = mark
        self._planned = steps

    def _plan(self, chat: Chat) -> list[Step]:
        return self._planned
