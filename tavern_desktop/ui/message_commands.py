"""What is asked for at a message becomes a command on its chat."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QLocale, QObject, Signal
from PySide6.QtGui import QGuiApplication

from tavern_desktop.chat import edits, facts, swipes
from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.message import Message
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.commands import (
    Command,
    CopyMessage,
    DeleteMessages,
    DeleteSwipe,
    EditText,
    InsertMessage,
    MoveMessage,
    SelectSwipe,
    SetHidden,
)
from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.chat.view import ChatView

MANY = 2000
"""Messages beyond which a change of all of them is worked out off the window's thread: a twelfth of a second."""
SEVERAL = 3
"""Alternatives written at once where several are asked for."""
SHOWN_WORDS = 32
"""Characters of a deleted message that the undo bar has room for."""
USER_SEARCHED = 500
"""Messages from the end among which my last one is looked for."""


class MessageCommands(QObject):
    """Acts on the chat in view. Owner: the desk."""

    refused = Signal(str)
    """A sentence why something was not done."""
    edit_refused = Signal(int, str)
    """(key, text): what was typed into a message could not be made its text."""
    preparing = Signal(str)
    """A sentence on what is being worked out off the window's thread; "" once it is done."""
    undone = Signal()
    """Something was taken back."""
    link_requested = Signal(object, int)
    """(Act, key): something about branches and bookmarks is wanted at this message."""
    regenerate_requested = Signal(int, int)
    """(key, count): so many more alternatives of a message are to be written."""
    undo_offered = Signal(str)
    """Something was taken away; the sentence for the undo bar."""

    def __init__(
        self, runner: Runner, view: ChatView, session: Callable[[], ChatSession | None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._runner = runner
        self._view = view
        self._session = session
        self.writes_past_last = True
        """Whether going past the last alternative of the newest reply has another one written."""
        view.edit_committed.connect(self.edit)
        view.swipe_requested.connect(self.swipe)
        view.action_requested.connect(self.act_by_name)
        self._acts: dict[Act, Callable[[Chat, int, list[int]], object]] = {
            Act.EDIT: lambda chat, key, keys: self._edit_at(chat, key),
            Act.COPY_MESSAGE: lambda chat, key, keys: self._copy(chat, keys, facts.text),
            Act.COPY_REASONING: lambda chat, key, keys: self._copy(chat, keys, facts.reasoning),
            Act.SWIPE_LEFT: lambda chat, key, keys: self.swipe(key, -1),
            Act.SWIPE_RIGHT: lambda chat, key, keys: self.swipe(key, 1),
            Act.REGENERATE: lambda chat, key, keys: self.regenerate_requested.emit(key, 1),
            Act.MORE_SWIPES: lambda chat, key, keys: self.regenerate_requested.emit(key, SEVERAL),
            Act.DELETE_SWIPE: lambda chat, key, keys: self._delete_swipe(chat, key),
            Act.HIDE: lambda chat, key, keys: self.run(SetHidden(keys, True)),
            Act.UNHIDE: lambda chat, key, keys: self.run(SetHidden(keys, False)),
            Act.MOVE_UP: lambda chat, key, keys: self._do(MoveMessage(key, -1)),
            Act.MOVE_DOWN: lambda chat, key, keys: self._do(MoveMessage(key, 1)),
            Act.INSERT_BEFORE: lambda chat, key, keys: self._insert(chat, key, before=True),
            Act.INSERT_AFTER: lambda chat, key, keys: self._insert(chat, key, before=False),
            Act.DUPLICATE: lambda chat, key, keys: self._do(CopyMessage(key)),
            Act.BRANCH: lambda chat, key, keys: self.link_requested.emit(Act.BRANCH, key),
            Act.BOOKMARK: lambda chat, key, keys: self.link_requested.emit(Act.BOOKMARK, key),
            Act.OPEN_BOOKMARK: lambda chat, key, keys: self.link_requested.emit(Act.OPEN_BOOKMARK, key),
            Act.REMOVE_BOOKMARK: lambda chat, key, keys: self.link_requested.emit(Act.REMOVE_BOOKMARK, key),
            Act.DELETE: lambda chat, key, keys: self._delete(chat, keys),
            Act.DELETE_FROM_HERE: lambda chat, key, keys: self._delete_from(chat, key),
        }

    def handles(self, act: Act) -> bool:
        """Say whether `act` is about messages."""
        return act in self._acts

    def act(self, act: Act) -> None:
        """Do `act` to the current message, or to all selected ones where that makes sense."""
        key = self._view.current_key
        if key is not None:
            self._act_at(act, key)

    def act_by_name(self, name: str, key: int) -> None:
        """Do what the surface asks for, named as the action is; what has no action yet is left undone."""
        act = Act.__members__.get(name.upper())
        if act is not None:
            self._act_at(act, key)

    def edit(self, key: int, text: str, began_with: str) -> None:
        """Give a message another text than the one that the editor was opened on."""
        if not self._do(EditText(key, text, began_with)):
            self.edit_refused.emit(key, text)

    def swipe(self, key: int, step: int) -> None:
        """Show the alternative before (-1) or after (1) the shown one."""
        message = self._message(key)
        if message is None:
            return
        chat, data = message[0], message[1].seen_data()
        pristine = swipes.is_pristine(chat.header.metadata(), len(chat))
        to = swipes.left(data) if step < 0 else swipes.right(data, pristine=pristine)
        if to == "generate":
            grows = self.writes_past_last and chat.messages[-1].key == key
            to = None if grows or len(facts.swipes(data)) < 2 else 0
            if grows:
                self.regenerate_requested.emit(key, 1)
        if isinstance(to, int):
            self._do(SelectSwipe(key, to))

    def swipe_newest(self, step: int) -> None:
        """Swipe the newest message, if it is one that can be."""
        chat = self._chat()
        if chat is not None and len(chat) and facts.may_swipe(chat.messages[-1].data()):
            self.swipe(chat.messages[-1].key, step)

    def edit_my_last(self) -> None:
        """Open the editor on my newest message."""
        chat = self._chat()
        if chat is None:
            return
        for message in reversed(chat.messages[-USER_SEARCHED:]):
            if facts.role(message.seen_data()) == "user":
                self._view.begin_edit(message.key)
                return

    def undo(self) -> None:
        """Take back the last change of this chat."""
        self._step_back(lambda session: session.undo())
        self.undone.emit()

    def redo(self) -> None:
        """Do again what was taken back."""
        self._step_back(lambda session: session.redo())

    def run(self, command: Command) -> bool:
        """Carry out a command on the chat in view; return whether it was accepted."""
        session = self._session()
        chat = self._chat()
        if isinstance(command, SetHidden) and len(command.keys) > MANY and session is not None and chat is not None:
            self._prepare(session, chat, command)
            return True
        return self._do(command)

    def _prepare(self, session: ChatSession, chat: Chat, command: SetHidden) -> None:
        """Work out on a thread what very many messages become, then carry it out if the chat is still in view."""
        indices = (index for index in map(chat.find, command.keys) if index is not None)
        messages = [chat.messages[index] for index in indices]

        def prepared(outcome: Outcome[None]) -> None:
            outcome.result()
            self.preparing.emit("")
            if self._session() is session:
                self._do(command)
            else:
                self.refused.emit(self.tr("The messages were not changed, because the chat was left before."))

        text = self.tr("Hiding {count} messages…") if command.hidden else self.tr("Showing {count} messages again…")
        self.preparing.emit(text.format(count=QLocale().toString(len(messages))))
        self._runner.submit(lambda: command.prepare(messages), prepared)

    def _act_at(self, act: Act, key: int) -> None:
        chat = self._chat()
        if chat is None or chat.find(key) is None:  # it may be a reply that is only being written
            return
        selected = self._view.selected_keys()
        self._acts[act](chat, key, selected if key in selected else [key])

    def _chat(self) -> Chat | None:
        session = self._session()
        return session.chat if session is not None and session.can_change else None

    def _message(self, key: int) -> tuple[Chat, Message] | None:
        chat = self._chat()
        index = chat.find(key) if chat is not None else None
        return (chat, chat.messages[index]) if chat is not None and index is not None else None

    def _do(self, command: Command) -> bool:
        session = self._session()
        if session is None:
            return False
        try:
            session.do(command)
        except Refused as refusal:
            self.refused.emit(refusal.sentence)
            return False
        return True

    def _step_back(self, step: Callable[[ChatSession], None]) -> None:
        session = self._session()
        if session is None:
            return
        try:
            step(session)
        except Refused as refusal:
            self.refused.emit(refusal.sentence)

    def _edit_at(self, chat: Chat, key: int) -> None:
        """Open the editor; what a special message says is its source."""
        index = chat.find(key)
        if index is not None and facts.envelope(chat.messages[index].seen_data()) is not None:
            self._view.special_requested.emit("source", key)
        else:
            self._view.begin_edit(key)

    def _delete(self, chat: Chat, keys: list[int]) -> None:
        self._take_out(chat, DeleteMessages(keys))

    def _delete_from(self, chat: Chat, key: int) -> None:
        self._take_out(chat, DeleteMessages.from_here(chat, key))

    def _take_out(self, chat: Chat, command: DeleteMessages) -> None:
        told = self._described(chat, command.keys)
        if self._do(command):
            self.undo_offered.emit(told)

    def _described(self, chat: Chat, keys: Sequence[int]) -> str:
        """Return which messages are deleted, for the undo bar (B-21)."""
        indices = sorted(index for index in map(chat.find, keys) if index is not None)
        if len(indices) != 1:
            text = self.tr("{count} messages deleted, #{first} to #{last}")
            if not indices or indices[-1] - indices[0] >= len(indices):
                text = self.tr("{count} messages deleted")
            first, last = (indices[0], indices[-1]) if indices else (0, 0)
            return text.format(count=len(indices), first=first, last=last)
        data = chat.messages[indices[0]].data()
        words = " ".join(facts.text(data).split())
        words = words[:SHOWN_WORDS].rstrip() + "…" if len(words) > SHOWN_WORDS else words
        text = self.tr("#{number} deleted, {name}: “{words}”") if words else self.tr("#{number} deleted, {name}")
        return text.format(number=indices[0], name=facts.name(data), words=words)

    def _delete_swipe(self, chat: Chat, key: int) -> None:
        message = self._message(key)
        if message is not None and self._do(DeleteSwipe(key, facts.swipes(message[1].seen_data()).current)):
            self.undo_offered.emit(self.tr("Swipe deleted"))

    def _copy(self, chat: Chat, keys: list[int], part: Callable[[facts.Record], str]) -> None:
        indices = sorted(index for index in map(chat.find, keys) if index is not None)
        texts = [part(chat.messages[index].seen_data()) for index in indices]
        QGuiApplication.clipboard().setText("\n\n".join(filter(None, texts)))

    def _insert(self, chat: Chat, key: int, *, before: bool) -> None:
        """Put an empty message of the same speaker beside this one and open it in the editor."""
        index = chat.find(key)
        if index is None:
            return
        neighbour = chat.messages[index].seen_data()
        role = facts.role(neighbour)
        record = edits.new_message("assistant" if role == "tool" else role, "", facts.name(neighbour))
        at = index - 1 if before else index
        after_key = chat.messages[at].key if at >= 0 else None
        if self._do(InsertMessage(after_key, record)):
            self._view.begin_edit(chat.messages[at + 1].key)
