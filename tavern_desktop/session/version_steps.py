"""From one whole version of a chat to another: as few reversible steps as it takes, so that views keep their place."""

from __future__ import annotations

import operator
from dataclasses import dataclass

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.content import common_ends
from tavern_desktop.chat.message import Message
from tavern_desktop.session.steps import Changed, Place, Presence, Replace, Step, Taint, runs_of
from tavern_desktop.session.versions import Version

MOST_RUNS = 64
"""Runs of neighbours that come or go one after another; beyond that everything is exchanged at once."""
MOST_CHANGED = 1000
"""Messages that say something else, likewise: they stay where they are, which costs a view little."""


def steps_between(before: Version, after: Version) -> list[Step]:
    """Return the steps that lead from one version to the other, none where they are equal."""
    old, new = _apart(before.messages, after.messages)
    old_keys, new_keys = {message.key for message in old}, {message.key for message in new}
    stays = [message for message in old if message.key in new_keys]
    comes_to = [message for message in new if message.key in old_keys]
    if [message.key for message in stays] != [message.key for message in comes_to]:
        return [Exchange(before, after)]
    pairs = zip(stays, comes_to, strict=True)
    changed = [(one, other) for one, other in pairs if one is not other and one.raw != other.raw]
    gone = _runs(before.messages, old_keys - new_keys)
    added = _runs(after.messages, new_keys - old_keys)
    if len(gone) + len(added) > MOST_RUNS or len(changed) > MOST_CHANGED:
        return [Exchange(before, after)]
    steps: list[Step] = []
    if changed:
        steps.append(Replace(*(tuple(side) for side in zip(*changed, strict=True))))
    steps += [Presence(comes, runs) for comes, runs in ((False, gone), (True, added)) if runs]
    if before.header != after.header:
        steps.append(Taint(before.header, after.header))  # as with the mark: no reason to refuse an undo
    return steps


def _apart(before: list[Message], after: list[Message]) -> tuple[list[Message], list[Message]]:
    """Return what lies between the ends that two versions share; most messages are the same objects."""
    front, back = common_ends(before, after, operator.is_)
    return before[front : len(before) - back], after[front : len(after) - back]


def _runs(messages: list[Message], keys: set[int]) -> tuple[tuple[Place, tuple[Message, ...]], ...]:
    """Return the runs of neighbours among these messages, each with its place in the list."""
    if not keys:
        return ()
    indices = [index for index, message in enumerate(messages) if message.key in keys]
    return tuple((_place(messages, *run), tuple(messages[run[0] : run[1] + 1])) for run in runs_of(indices))


def _place(messages: list[Message], first: int, last: int) -> Place:
    after = messages[first - 1].key if first else None
    return Place(after, messages[last + 1].key if last + 1 < len(messages) else None)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One whole version for another."""

    before: Version
    after: Version

    def check(self, chat: Chat, *, back: bool) -> None:
        if (self.after if back else self.before).messages != chat.messages:
            raise Changed

    def apply(self, chat: Chat, *, back: bool) -> None:
        version = self.before if back else self.after
        chat.reset(version.header, version.messages)
