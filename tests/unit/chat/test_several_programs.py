"""Several programs on one chat, each saving over the others: what we ever saw stays until somebody deletes it."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest

from tavern_desktop.chat.merge_save import is_same_chat, outside_version
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.states import States
from tests.unit.chat.merge_sides import Record, Writer, changed_messages, changed_records, encoded

KINDS = ("add", "add", "edit", "move", "delete")


class MarkingWriter(Writer):
    """Makes records that can be told apart whatever becomes of their texts."""

    def record(self, **fields: Any) -> Record:
        return super().record(mark=self._number, **fields)


def _marks(records: Iterable[Record]) -> set[int]:
    return {record["mark"] for record in records}


class Story:
    """A chat on disk, our session of it, and other programs that each hold a copy and know of nobody."""

    def __init__(self, seed: int, programs: int) -> None:
        self.random = random.Random(seed)
        self.writer = MarkingWriter(seed)
        self.disk = [self.writer.record() for _ in range(self.random.randint(1, 6))]
        self.copies = [list(self.disk) for _ in range(programs)]
        self.memory = Message.read(encoded(self.disk))
        self.states = States(self.memory)
        self.deleted_by_somebody: set[int] = set()

    def script(self) -> list[tuple[str, float, float]]:
        count = self.random.randint(0, 2)
        return [(self.random.choice(KINDS), self.random.random(), self.random.random()) for _ in range(count)]

    def one_loads(self) -> None:
        self.copies[self.random.randrange(len(self.copies))] = list(self.disk)

    def one_saves_over(self) -> None:
        index = self.random.randrange(len(self.copies))
        before = self.copies[index]
        self.disk = changed_records(before, self.script(), self.writer)
        self.copies[index] = list(self.disk)
        self.deleted_by_somebody |= _marks(before) - _marks(self.disk)
        self.we_save()

    def we_edit(self) -> None:
        before = self.ours()
        self.memory, deleted = changed_messages(self.memory, self.script(), self.writer)
        self.deleted_by_somebody |= before - self.ours()
        self.we_save(deleted)

    def we_save(self, deleted: Iterable[int] = ()) -> None:
        """Merge what is on disk, publish, and hold that nothing is missing."""
        records = encoded(self.disk)
        seen = self.ours() | _marks(self.disk)
        if is_same_chat(self.states, records):
            self.states.record(self.memory, deleted)
        else:
            outside = outside_version(self.states, records, self.memory)
            result = outside.merge(self.memory, self.states.deleted.union(deleted))
            assert not [conflict for conflict in result.conflicts if conflict.kind == "lost_in_memory"]
            self.memory = list(result.messages)
            self.states.record(self.memory, deleted, outside.version)
        self.disk = [message.data() for message in self.memory]
        assert seen - self.ours() <= self.deleted_by_somebody
        assert len({message.key for message in self.memory}) == len(self.memory)

    def ours(self) -> set[int]:
        return _marks(message.data() for message in self.memory)


@pytest.mark.parametrize("programs", [1, 2, 3])
@pytest.mark.parametrize("seed", range(60))
def test_what_we_ever_saw_stays_until_somebody_deletes_it(seed: int, programs: int) -> None:
    story = Story(seed, programs)
    steps = (story.we_edit, story.we_edit, story.one_saves_over, story.one_saves_over, story.one_loads)
    for _ in range(20):
        story.random.choice(steps)()
