"""A file that somebody else has written since, and what saving over it takes (conversation entry 6).

Between reading the file and publishing: find what it descends from, ask if the chat collapsed, merge.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from tavern_desktop.chat.ancestor import Base, choose_base
from tavern_desktop.chat.content import Digests, all_equal
from tavern_desktop.chat.merge import MergeResult, is_collapse, merge_messages
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.recognition import recognise
from tavern_desktop.chat.states import States, Version


@dataclass(frozen=True, slots=True)
class OutsideVersion:
    """The file as somebody else left it, seen from here."""

    base: Base
    version: Version
    """For `States.record`, once the merge is published."""
    survivors: int
    """Messages of the base that are still in the file."""
    _digests: Digests

    @property
    def is_collapse(self) -> bool:
        """Whether so much is gone that nothing may be adopted before somebody answered (the collapse guard)."""
        return is_collapse(len(self.base.messages), self.survivors)

    def merge(self, memory: Sequence[Message], deleted: Collection[int]) -> MergeResult:
        """Merge it into `memory`. `deleted` are the keys of all recorded deletions (with `States.deleted`).

        Raises MergeLossError.
        """
        result = merge_messages(self.base.messages, self.version.messages, memory, deleted, self._digests)
        restored = tuple(message.key for message in result.messages if message.key in self.base.unseen)
        return replace(result, restored=restored)


def is_same_chat(states: States, records: Sequence[bytes]) -> bool:
    """Say whether the file has the messages of our last publish (the `fast` path: a touch, other metadata)."""
    return all_equal([message.raw for message in states.messages], records)


def outside_version(states: States, records: Sequence[bytes], memory: Sequence[Message]) -> OutsideVersion:
    """Recognise the messages of a file that somebody else has written."""
    digests = Digests()
    base = choose_base(states, records, digests)
    known = [*memory, *states.earlier_messages()]
    messages, survivors = recognise(base.messages, records, known, digests)
    return OutsideVersion(base, Version(messages, base.state, base.messages), survivors, digests)
