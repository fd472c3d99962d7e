"""Everything that changes a chat, as commands that can be undone.

A command is addressed to message keys, never to indices, so that it means the same message whatever happened
around it. It works out its steps the first time it is done; undo and redo go over the same steps.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tavern_desktop.chat import edits, facts, identity, swipes
from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.facts import Record
from tavern_desktop.chat.merge_fields import merge_fields
from tavern_desktop.chat.message import Message
from tavern_desktop.session.refusals import CommandRefused, UndoRefused
from tavern_desktop.session.steps import Changed, Place, Presence, Relocate, Replace, Step, Taint, runs_of
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.journal_format import JournalKind

GONE = "This message is no longer in the chat."
UNREADABLE = "The other alternatives of a message could not be read back; nothing was changed."


@dataclass(slots=True)
class Mark:
    """The number that a change got in the chat's journal, None while it has none. For the chat's lane."""

    number: int | None = None


class Command(ABC):
    """A change of one chat. `label` is what the Undo menu names."""

    label: str
    kind: JournalKind = "command"
    """What the journal has it as."""
    replaces_all = False
    """Whether the whole chat becomes another version, so that the next save does not merge (entry §6.7)."""

    def __init__(self) -> None:
        self.mark = Mark()
        self._steps: list[Step] | None = None

    def do(self, chat: Chat) -> bool:
        """Change the chat, for the first time or again; return whether there was anything to change.

        Raises CommandRefused the first time, UndoRefused later; then nothing is changed.
        """
        if self._steps is None:
            steps = self._plan_or_refuse(chat)
            for step in steps:
                step.apply(chat, back=False)
            self._steps = steps
        else:
            self._check(chat, back=False)
            for step in self._steps:
                step.apply(chat, back=False)
        return bool(self._steps)

    def undo(self, chat: Chat) -> None:
        """Take the change back, byte for byte. Raises UndoRefused; then nothing is changed."""
        self._check(chat, back=True)
        for step in reversed(self._steps or ()):
            step.apply(chat, back=True)

    @abstractmethod
    def _plan(self, chat: Chat) -> list[Step]:
        """Return the steps on the chat as it is, none if nothing would change. Raises CommandRefused."""

    def _plan_or_refuse(self, chat: Chat) -> list[Step]:
        try:
            return self._plan(chat)
        except StorageError:
            raise CommandRefused(UNREADABLE) from None

    def _check(self, chat: Chat, *, back: bool) -> None:
        try:
            for step in self._steps or ():
                step.check(chat, back=back)
        except Changed:
            what = "undone" if back else "done again"
            raise UndoRefused(f"“{self.label}” cannot be {what}: the chat was changed there since.") from None
        except StorageError:
            raise UndoRefused(UNREADABLE) from None


class _Rewrite(Command):
    """A command that changes what one message says."""

    taints = True
    of_seen = True
    """Whether it concerns only what is seen of the message: then alternatives that are on disk stay there."""

    def __init__(self, key: int) -> None:
        super().__init__()
        self.key = key

    def _plan(self, chat: Chat) -> list[Step]:
        index = _index(chat, self.key)
        message = chat.messages[index]
        data = message.seen_data() if self.of_seen else message.data()
        changed = edits.rewritten(message, self._change(chat, data), of_seen=self.of_seen)
        if changed is message:
            return []
        if identity.is_taken(chat.messages, index):
            changed = edits.with_own_id(changed, of_seen=self.of_seen)
        return [Replace((message,), (changed,)), *(_taint(chat) if self.taints else ())]

    @abstractmethod
    def _change(self, chat: Chat, data: Record) -> Record:
        """Return what the message shall say."""


class EditText(_Rewrite):
    """Another text for the shown alternative of a message.

    `began_with` is the text that was edited. Should another have come into its place meanwhile, from another program or
    window, both are kept as in every merge (decision D4).
    """

    label = "Edit message"

    def __init__(self, key: int, text: str, began_with: str | None = None) -> None:
        super().__init__(key)
        self.text, self.began_with = text, began_with

    def _plan(self, chat: Chat) -> list[Step]:
        self.of_seen = not self._is_other(chat.messages[_index(chat, self.key)].seen_data())
        return super()._plan(chat)

    def _change(self, chat: Chat, data: Record) -> Record:
        if self.began_with is None or not self._is_other(data):
            return edits.set_text(data, self.text)
        before = edits.set_text(data, self.began_with)
        return merge_fields(before, data, edits.set_text(before, self.text))[0]

    def _is_other(self, data: Record) -> bool:
        return self.began_with is not None and facts.text(data) not in (self.began_with, self.text)


class EditFields(_Rewrite):
    """Other fields of a message, such as its speaker, or other parts of `extra` (see `edits.set_fields`)."""

    def __init__(
        self, key: int, fields: Mapping[str, Any], extra: Mapping[str, Any] | None = None, label: str = "Edit message"
    ) -> None:
        super().__init__(key)
        self.fields, self.extra, self.label = fields, extra, label

    def _change(self, chat: Chat, data: Record) -> Record:
        return edits.set_fields(data, self.fields, self.extra)


class _SwipeCommand(_Rewrite):
    """A command about the alternatives of a message."""

    def _change(self, chat: Chat, data: Record) -> Record:
        if not facts.may_swipe(data):
            raise CommandRefused("This message cannot have alternatives.")
        try:
            return self._swipe(data, swipes.is_pristine(chat.header.metadata(), len(chat)))
        except IndexError:
            raise CommandRefused("This message has no such alternative.") from None

    @abstractmethod
    def _swipe(self, data: Record, pristine: bool) -> Record:
        """Return the record with the alternatives changed. Raises IndexError."""


class SelectSwipe(_SwipeCommand):
    """Another alternative is shown; of any message that has some (D25)."""

    label = "Choose alternative"
    taints = False
    of_seen = False

    def __init__(self, key: int, index: int) -> None:
        super().__init__(key)
        self.index = index

    def _swipe(self, data: Record, pristine: bool) -> Record:
        return swipes.select(data, self.index, pristine=pristine)


class AddSwipe(_SwipeCommand):
    """One more alternative at the end, with its side data (`extra`, `gen_started`, `gen_finished`)."""

    label = "Add alternative"

    def __init__(self, key: int, text: str, info: Record | None = None, *, show: bool = True) -> None:
        super().__init__(key)
        self.text, self.info, self.show = text, info, show

    def _swipe(self, data: Record, pristine: bool) -> Record:
        return swipes.add(data, self.text, self.info, send_date=edits.now(), show=self.show, pristine=pristine)


class DeleteSwipe(_SwipeCommand):
    """One alternative goes; the next moves into its place. It never deletes the message (known failures B-23)."""

    label = "Delete alternative"
    of_seen = False

    def __init__(self, key: int, index: int) -> None:
        super().__init__(key)
        self.index = index

    def _swipe(self, data: Record, pristine: bool) -> Record:
        if len(facts.swipes(data)) < 2:
            raise CommandRefused("The only alternative cannot be deleted; delete the message instead.")
        return swipes.delete(data, self.index, pristine=pristine)


class SetHidden(Command):
    """Messages are kept out of prompts or let in again; those where that makes no sense stay as they are."""

    def __init__(self, keys: Iterable[int], hidden: bool) -> None:
        super().__init__()
        self.keys, self.hidden = tuple(keys), hidden
        what = "message" if len(self.keys) == 1 else f"{len(self.keys)} messages"
        self.label = f"Hide {what}" if hidden else f"Unhide {what}"
        self._prepared: dict[int, tuple[Message, Message]] = {}

    def prepare(self, messages: Iterable[Message]) -> None:
        """Work out beforehand what these messages will be; from any thread, where there are very many of them.

        What is another message by the time of `do` is then worked out anew.
        """
        self._prepared = {message.key: (message, self._changed(message)) for message in messages}

    def _plan(self, chat: Chat) -> list[Step]:
        before = [chat.messages[index] for index in _indices(chat, self.keys)]
        if not before:
            raise CommandRefused(GONE)
        prepared, self._prepared = self._prepared, {}
        changed = []
        for message in before:
            was, becomes = prepared.get(message.key, (None, message))
            changed.append((message, becomes if was is message else self._changed(message)))
        pairs = [(old, new) for old, new in changed if new is not old]
        return [Replace(tuple(old for old, _ in pairs), tuple(new for _, new in pairs))] if pairs else []

    def _changed(self, message: Message) -> Message:
        data = message.seen_data()
        if facts.is_hidden(data) == self.hidden or not facts.may_hide(data):
            return message
        return edits.saying(message, edits.set_hidden(data, self.hidden), of_seen=True)


class DeleteMessages(Command):
    """Messages go, exactly these: nothing around them cascades (storage contract 14.4)."""

    def __init__(self, keys: Iterable[int]) -> None:
        super().__init__()
        self.keys = tuple(keys)
        self.label = "Delete message" if len(self.keys) == 1 else f"Delete {len(self.keys)} messages"

    @classmethod
    def from_here(cls, chat: Chat, key: int) -> DeleteMessages:
        """Return the command that deletes a message and everything after it. Raises CommandRefused."""
        return cls(message.key for message in chat.messages[_index(chat, key) :])

    def _plan(self, chat: Chat) -> list[Step]:
        runs = runs_of(_indices(chat, self.keys))
        if not runs:
            raise CommandRefused(GONE)
        gone = tuple((Place.around(chat, *run), tuple(chat.messages[run[0] : run[1] + 1])) for run in runs)
        return [Presence(False, gone), *_taint(chat)]


class MoveMessage(Command):
    """A message changes places, `step` messages down (up if negative), at most to an end of the chat."""

    def __init__(self, key: int, step: int) -> None:
        super().__init__()
        self.key, self.step = key, step
        self.label = "Move message up" if step < 0 else "Move message down"

    def _plan(self, chat: Chat) -> list[Step]:
        here = _index(chat, self.key)
        there = min(max(here + self.step, 0), len(chat) - 1)
        if there == here:
            return []
        gap = there if there < here else there + 1
        return [Relocate(self.key, Place.around(chat, here, here), Place.around(chat, gap, gap - 1))]


class _Insertion(Command):
    """A command that brings a new message."""

    arrived: int | None = None
    """The key of the new message, once it is there."""

    def _plan(self, chat: Chat) -> list[Step]:
        index, data = self._arrival(chat)
        message = self._message(data)
        self.arrived = message.key
        come = (Place.around(chat, index, index - 1), (message,))
        return [Presence(True, (come,)), *_taint(chat)]

    def _message(self, data: Record) -> Message:
        return edits.created(data)

    @abstractmethod
    def _arrival(self, chat: Chat) -> tuple[int, Record]:
        """Return before which index what message comes. Raises CommandRefused."""


class InsertMessage(_Insertion):
    """A new message behind another; at the top with `after_key` None. Records come from `chat.edits`."""

    label = "Insert message"

    def __init__(self, after_key: int | None, data: Record) -> None:
        super().__init__()
        self.after_key, self.data = after_key, data

    def _arrival(self, chat: Chat) -> tuple[int, Record]:
        return 0 if self.after_key is None else _index(chat, self.after_key) + 1, self.data


class AppendMessage(_Insertion):
    """A new message at the end."""

    label = "Add message"

    def __init__(self, data: Record) -> None:
        super().__init__()
        self.data = data

    def _arrival(self, chat: Chat) -> tuple[int, Record]:
        return len(chat), self.data


class CopyMessage(_Insertion):
    """The same message once more, directly behind it."""

    label = "Duplicate message"

    def __init__(self, key: int) -> None:
        super().__init__()
        self.key = key

    def _arrival(self, chat: Chat) -> tuple[int, Record]:
        index = _index(chat, self.key)
        return index + 1, edits.copy_of(chat.messages[index].data())


def _index(chat: Chat, key: int) -> int:
    index = chat.find(key)
    if index is None:
        raise CommandRefused(GONE)
    return index


def _indices(chat: Chat, keys: Iterable[int]) -> list[int]:
    """Return where these messages stand, sorted, each once; those that are gone are left out."""
    return sorted({index for index in map(chat.find, keys) if index is not None})


def _taint(chat: Chat) -> list[Step]:
    metadata = chat.header.metadata()
    if metadata.get("tainted") is True:
        return []
    return [Taint(chat.header, chat.header.with_metadata(metadata | {"tainted": True}))]
