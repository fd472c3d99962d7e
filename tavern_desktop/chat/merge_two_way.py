"""Two versions of a chat made into one where nobody knows what they come from (conversation entry 6.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from tavern_desktop.chat import identity
from tavern_desktop.chat.message import Message


class TwoWayResult(NamedTuple):
    """The merged messages, and how they came about.

    `fast`: memory as it is, for it goes on from what the file has. `slow`: the file, with our versions and
    additions.
    """

    messages: tuple[Message, ...]
    path: Literal["fast", "slow"]


def merge_two_way(disk: Sequence[bytes], memory: Sequence[Message]) -> TwoWayResult:
    """Merge by stored ids: nothing of the file is removed, and nothing of ours that can be told from it is lost.

    A message of ours without an id, or with the id of an earlier one, is left out where the file has something
    else to say: it cannot be told from the file's. (All that we write has an id.)
    """
    disk_ids = identity.effective_ids(disk)
    memory_ids = identity.effective_ids([message.raw for message in memory])
    if None not in disk_ids and memory_ids[: len(disk_ids)] == disk_ids:
        return TwoWayResult(tuple(memory), "fast")
    ours = {name: message for name, message in zip(memory_ids, memory, strict=True) if name is not None}
    on_disk = set(disk_ids)
    merged = [
        message if name is None else ours.get(name, message)
        for name, message in zip(disk_ids, Message.read(disk), strict=True)
    ]
    merged += [message for name, message in ours.items() if name not in on_disk]
    return TwoWayResult(tuple(merged), "slow")
