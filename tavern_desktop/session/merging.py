"""Merging what another program wrote into a chat that was changed here too (conversation entry §6).

`Lineage` is confined to the lane of its chat: everything that reads or writes it runs there, one after another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.merge import MergeLossError, MergeResult, merge_messages
from tavern_desktop.chat.merge_metadata import merge_headers
from tavern_desktop.chat.merge_save import outside_version
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.states import States
from tavern_desktop.session.backing_up import back_up_first
from tavern_desktop.session.commands import Command
from tavern_desktop.session.loading import Loaded
from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.steps import Step
from tavern_desktop.session.version_steps import steps_between
from tavern_desktop.session.versions import Version
from tavern_desktop.storage.format import commit_pieces
from tavern_desktop.storage.publish import publish
from tavern_desktop.storage.signature import Signature


class MergeRefused(Refused):
    """The two versions were not merged; file and memory are as they were."""


class Lineage:
    """What the file of a chat may descend from: our last load and our publishes since."""

    def __init__(self, loaded: list[Message]) -> None:
        self.states = States(loaded)

    def record(self, published: list[Message]) -> None:
        """Remember a publish. What is not in it any more was deleted by commands: nothing else takes messages out."""
        self.states.record(published, self.deleted(published))

    def deleted(self, messages: list[Message]) -> frozenset[int]:
        """Return the keys that were deleted here since the newest publish."""
        return frozenset({message.key for message in self.states.messages} - {message.key for message in messages})


@dataclass(frozen=True, slots=True)
class Merged:
    """A merge that is the file now."""

    header: Header
    result: MergeResult
    signature: Signature

    @property
    def version(self) -> Version:
        return Version(self.header, list(self.result.messages))


def merge_into_file(path: Path, read: Callable[[], Loaded], lineage: Lineage, saved: Version, ours: Version) -> Merged:
    """Read the file, merge it with `ours` and publish the result. Runs on the chat's lane.

    The version on disk is backed up first (B7). Raises StorageError, ChangedOnDisk; MergeRefused where so much is
    gone from the file that somebody has to look at it first (the collapse guard, decision D5).
    """
    loaded = read()
    outside = outside_version(lineage.states, [message.raw for message in loaded.messages], ours.messages)
    if outside.is_collapse:
        raise MergeRefused(
            f"The file shrank to {len(loaded.messages)} messages outside this program, yours has {len(ours.messages)}. "
            "Nothing was merged: reload to take the file, or save yours as a new chat."
        )
    deleted = lineage.deleted(ours.messages)
    try:
        result = outside.merge(ours.messages, lineage.states.deleted | deleted)
    except MergeLossError:
        raise MergeRefused("The two versions could not be merged safely. Save yours as a new chat.") from None
    header, _conflicts = merge_headers(saved.header, loaded.header, ours.header)
    back_up_first(path)
    pieces = commit_pieces(header, result.messages)
    signature = publish(path, pieces, expected=loaded.signature, integrity=header.integrity())
    lineage.states.record(result.messages, deleted, merged=outside.version)
    return Merged(header, result, signature)


def caught_up(merged: Merged, ours: Version, chat: Chat) -> Version:
    """Return what the chat is with the merge: the merge itself, or what was changed meanwhile merged into it."""
    if ours.equals(chat):
        return merged.version
    gone = {message.key for message in ours.messages} - {message.key for message in chat.messages}
    messages = merge_messages(ours.messages, merged.result.messages, chat.messages, gone).messages
    header, _conflicts = merge_headers(ours.header, merged.header, chat.header)
    return Version(header, list(messages))


class AdoptMerge(Command):
    """The chat becomes the merged version. Taking it back brings our own version back, which is then saved."""

    label = "Merge"

    def __init__(self, version: Version) -> None:
        super().__init__()
        self._version = version

    def _plan(self, chat: Chat) -> list[Step]:
        return steps_between(Version(chat.header, list(chat.messages)), self._version)
