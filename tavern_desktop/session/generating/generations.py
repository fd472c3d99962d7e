"""All replies that are being written in a program: at most one for each chat, as many chats as there are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tavern_desktop.chat.message import Message
from tavern_desktop.chat.signal import Signal
from tavern_desktop.library.personas import Persona
from tavern_desktop.prompt.scene import Action
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.generating.reply import Speaker
from tavern_desktop.session.generating.scenes import Asked
from tavern_desktop.session.generating.task import GenerationTask, Kind, Means, Produce, Target
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import CommandRefused

MakeProduce = Callable[[Asked], Produce]
"""Returns what builds the request and streams the reply for what was asked."""

ACTIONS: dict[Kind, Action] = {
    "reply": "reply",
    "swipe": "swipe",
    "continue": "continue",
    "impersonate": "impersonate",
}


class Generations:
    """Starts, knows and stops the generations of a program. Belongs to the owner."""

    def __init__(self, open_chats: OpenChats, means: Means, make_produce: MakeProduce) -> None:
        self.started: Signal[GenerationTask] = Signal()
        self.ended: Signal[GenerationTask] = Signal()
        self._open_chats = open_chats
        self._means = means
        self._make_produce = make_produce
        self._running: dict[str, GenerationTask] = {}

    def running(self) -> list[GenerationTask]:
        """Return the generations that run, oldest first."""
        return list(self._running.values())

    def of(self, session: ChatSession | None) -> GenerationTask | None:
        """Return the generation that runs in a chat, None if none does."""
        return next((task for task in self._running.values() if task.session is session), None)

    def of_path(self, path: Path) -> GenerationTask | None:
        """Return the generation that runs in the chat of a file, None if none does."""
        return self.of(self._open_chats.session_for(path)) if self._running else None

    def start(
        self, session: ChatSession, kind: Kind, speaker: Speaker, persona: Persona, key: int | None = None
    ) -> GenerationTask:
        """Begin a reply: behind the last message, or for the message `key` (swipe, continue).

        A message that cannot have alternatives, such as the user's, is answered instead. Raises CommandRefused.
        """
        chat = session.chat
        if chat is None or not session.can_change:
            raise CommandRefused("The chat cannot be changed just now, so no reply can be written into it.")
        if self.of(session) is not None:
            raise CommandRefused("A reply is being written in this chat already; stop it first.")
        messages = tuple(chat.messages)
        end = _end(messages, kind, chat.find(key) if key is not None else None)
        target = Target(kind, messages[:end], key if kind in ("swipe", "continue") else None)
        action = ACTIONS[kind]
        asked = Asked(session.path, chat.header.metadata(), messages, end, action, speaker, persona)
        task = GenerationTask(session, target, speaker, persona.name, self._means)
        # The task holds the chat open as a view does: nobody has to look for the reply to reach it.
        self._open_chats.open(session.path, session.kind)
        self._running[task.id] = task
        task.ended.connect(self._end_of(task))
        self.started.emit(task)
        task.start(self._make_produce(asked))
        return task

    def stop_all(self, timeout: float) -> None:
        """Stop every generation and put what has come into its chat: the program ends."""
        for task in self.running():
            task.stop("closing")
        self._means.runner.run_until(lambda: not self._running, timeout)

    def _end_of(self, task: GenerationTask) -> Callable[[], None]:
        def end() -> None:
            self._running.pop(task.id, None)
            self.ended.emit(task)
            self._open_chats.release(task.session)

        return end


def _end(messages: tuple[Message, ...], kind: Kind, index: int | None) -> int:
    """Return before which index the history of a request ends."""
    if index is None:
        return len(messages)
    return index if kind == "swipe" else index + 1
