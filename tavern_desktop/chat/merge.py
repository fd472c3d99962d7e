"""Three versions of a chat made into one: what both sides come from, the file as it is now, and ours.

Rules of conversation entry 6.3: no addition and no edit of either side is lost; what was deleted goes only if the
other side left it as it was; of two edits of one thing ours stays and the conflict is named.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.content import Digests
from tavern_desktop.chat.likeness import are_one
from tavern_desktop.chat.merge_fields import merge_fields
from tavern_desktop.chat.merge_order import merge_order
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.recognition import recognise

MOST_MISSING = 10
"""Messages gone from a file from which, if they are half of it, somebody should be asked (decision D5)."""


class MergeLossError(Exception):
    """A merge that would have lost a message: a fault of ours. Nothing may be saved; the file is as it was."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A place where both sides did something different, and what that was.

    `field`: both changed `field` of the message (`content` is the text with its swipes); ours stands.
    `delete_vs_edit`: `side` deleted what the other edited; the edited one stands.
    `lost_in_memory`: we no longer have it, and nobody deleted it: a fault of ours; disk's stands.
    `order`: both moved messages (`key` is None); our order stands.
    """

    kind: Literal["field", "delete_vs_edit", "lost_in_memory", "order"]
    key: int | None
    field: str | None = None
    side: Literal["disk", "memory"] | None = None


@dataclass(frozen=True, slots=True)
class MergeResult:
    """The merged messages, with the keys of memory's, and what they owe to the file. All but messages are keys."""

    messages: tuple[Message, ...]
    conflicts: tuple[Conflict, ...] = ()
    added_by_disk: tuple[int, ...] = ()
    changed_by_disk: tuple[int, ...] = ()
    """Messages of ours that now say something else, or say more."""
    deleted_by_disk: tuple[int, ...] = ()
    restored: tuple[int, ...] = ()
    """Messages of ours that another program had saved over (decision D3)."""

    @property
    def change_count(self) -> int:
        """How many messages were added, changed or deleted elsewhere."""
        return len(self.added_by_disk) + len(self.changed_by_disk) + len(self.deleted_by_disk)


def merge_three_way(
    base: Sequence[Message], disk: Sequence[bytes], memory: Sequence[Message], deleted: Collection[int]
) -> MergeResult:
    """Merge the records of a file into `memory`. `deleted` are the keys of the recorded deletions."""
    digests = Digests()
    return merge_messages(base, recognise(base, disk, memory, digests).messages, memory, deleted, digests)


def merge_copies(ours: Sequence[Message], copy: Sequence[bytes], base: Sequence[Message] | None = None) -> MergeResult:
    """Unite a chat with a copy of it: all messages of both, nothing of either removed.

    `base` is the version of ours that the copy comes from, None where that is not known. It tells what was deleted
    here, and stays so unless it was edited there; what the copy lacks is not taken for deleted.
    """
    digests = Digests()
    if base is None:
        theirs = recognise_copy(ours, copy, digests)
        contents = {message.key: message.raw for message in theirs}
        common = [m for m in ours if m.key in contents and digests.are_equal(m.raw, contents[m.key])]
        return merge_messages(common, theirs, ours, (), digests)
    theirs = recognise_copy(base, copy, digests, ours)
    keys = {message.key for message in theirs}
    common = [message for message in base if message.key in keys]
    deleted = {message.key for message in common} - {message.key for message in ours}
    return merge_messages(common, theirs, ours, deleted, digests)


def recognise_copy(
    ours: Sequence[Message],
    copy: Sequence[bytes],
    digests: Digests | None = None,
    others: Sequence[Message] = (),
) -> list[Message]:
    """Return the messages of a copy, with our keys where they are ours, or one of `others`.

    What merely takes the place of one of ours, as two answers given on two computers do, is a message of its own.
    """
    digests = Digests() if digests is None else digests
    known = {message.key: message.raw for message in (*others, *ours)}

    def owned(message: Message) -> Message:
        mine = known.get(message.key)
        if mine is None or digests.are_equal(message.raw, mine) or are_one(mine, message.raw):
            return message
        return Message.read([message.raw])[0]

    return list(map(owned, recognise(ours, copy, others, digests).messages))


def merge_messages(
    base: Sequence[Message],
    disk: Sequence[Message],
    memory: Sequence[Message],
    deleted: Collection[int],
    digests: Digests | None = None,
) -> MergeResult:
    """Merge three lists whose messages have the same keys where they are the same messages.

    Also for edits made here while a merge was saved: base = the snapshot, disk = the result, memory = the chat now.
    Raises MergeLossError.
    """
    merge = _Merge(base, disk, memory, frozenset(deleted), Digests() if digests is None else digests)
    return merge.result()


def is_collapse(base_count: int, survivors: int) -> bool:
    """Say whether so many messages of the base are gone from the file that somebody has to be asked first (6.6)."""
    missing = base_count - survivors
    return missing > 0 and (survivors == 0 or (missing >= MOST_MISSING and 2 * missing >= base_count))


class _Merge:
    """One merge under way: the three sides by key, and what is kept so far."""

    def __init__(
        self,
        base: Sequence[Message],
        disk: Sequence[Message],
        memory: Sequence[Message],
        deleted: frozenset[int],
        digests: Digests,
    ) -> None:
        self._base = {message.key: message for message in base}
        self._disk = {message.key: message for message in disk}
        self._memory = {message.key: message for message in memory}
        self._deleted = deleted
        self._digests = digests
        self._kept: dict[int, Message] = {}
        self._changed: list[int] = []
        self._conflicts: list[Conflict] = []

    def result(self) -> MergeResult:
        for key, message in self._base.items():
            self._keep(self._decide(message, self._disk.get(key), self._memory.get(key)))
        for key, message in self._disk.items():
            if key not in self._base:
                ours = self._memory.get(key)
                self._keep(message if ours is None else self._unite(None, message, ours))
        for key, message in self._memory.items():
            if key not in self._base and key not in self._disk:
                self._keep(message)
        base, disk, memory = list(self._base), list(self._disk), list(self._memory)
        order, in_conflict = merge_order(base, disk, memory, self._kept)
        if in_conflict:
            self._conflicts.append(Conflict("order", None))
        self._assert_nothing_lost(order)
        return MergeResult(
            tuple(self._kept[key] for key in order),
            tuple(self._conflicts),
            added_by_disk=tuple(key for key in disk if key not in self._memory and key not in self._base),
            changed_by_disk=tuple(self._changed),
            deleted_by_disk=tuple(key for key in memory if key not in self._kept),
        )

    def _keep(self, message: Message | None) -> None:
        if message is not None:
            self._kept[message.key] = message

    def _decide(self, base: Message, disk: Message | None, memory: Message | None) -> Message | None:
        """Return what becomes of a message that both sides come from, None for nothing."""
        if disk is not None and memory is not None:
            return self._unite(base.raw, disk, memory)
        if disk is not None:
            return self._without_ours(base, disk)
        if memory is None or self._digests.are_equal(memory.raw, base.raw):
            return None
        self._conflicts.append(Conflict("delete_vs_edit", base.key, side="disk"))
        return memory

    def _without_ours(self, base: Message, disk: Message) -> Message | None:
        if base.key not in self._deleted:
            self._conflicts.append(Conflict("lost_in_memory", base.key))
            return disk
        if self._digests.are_equal(disk.raw, base.raw):
            return None
        self._conflicts.append(Conflict("delete_vs_edit", base.key, side="memory"))
        return disk

    def _unite(self, base: bytes | None, disk: Message, memory: Message) -> Message:
        """Return one message for two versions of it; nothing is parsed where one side kept its bytes."""
        if disk.raw == memory.raw or disk.raw == base:
            return memory
        if memory.raw == base:
            if not self._digests.are_equal(disk.raw, memory.raw):
                self._changed.append(disk.key)
            return disk
        ours = memory.data()
        merged, fields = merge_fields({} if base is None else jsontext.decode(base), disk.data(), ours)
        self._conflicts += [Conflict("field", disk.key, field=name) for name in fields]
        if jsontext.same(merged, ours):
            return memory
        self._changed.append(disk.key)
        return disk.with_data(merged)

    def _assert_nothing_lost(self, order: Sequence[int]) -> None:
        """Check the outcome without the rules that led to it. It must never fail (6.6)."""
        if len(order) != len(self._kept) or set(order) != self._kept.keys():
            raise MergeLossError("the order of a merge does not hold each of its messages once")
        for side, other in ((self._disk, self._memory), (self._memory, self._disk)):
            for key in side.keys() - self._kept.keys():
                untouched = key in self._base and self._digests.are_equal(side[key].raw, self._base[key].raw)
                if key in other or not untouched or (side is self._disk and key not in self._deleted):
                    raise MergeLossError("a merge does not hold a message that nobody deleted")
