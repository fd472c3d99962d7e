"""All replies that are being written in a program: at most one for each chat, as many chats as there are."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tavern_desktop.chat import facts
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.signal import Signal
from tavern_desktop.library.personas import Persona
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import CommandRefused

if TYPE_CHECKING:  # what talks to servers is imported with the first reply, not on the way to the first window
    from tavern_desktop.backends.settings import PresetNames
    from tavern_desktop.session.generating.reply import Speaker
    from tavern_desktop.session.generating.scenes import Asked
    from tavern_desktop.session.generating.task import GenerationTask, Kind, Means, Produce


MOST_TOOL_ROUNDS = 8
"""How often one reply may call tools; then the model has to say something."""


class Models(Protocol):
    """What generations need of the part that talks to model servers; made with the first reply."""

    @property
    def means(self) -> Means:
        """What tasks work with."""

    def produce(self, asked: Asked, count: int = 1) -> Produce:
        """Return what builds the request and streams the reply for what was asked; `count` alternatives if it can."""


class Generations:
    """Starts, knows and stops the generations of a program. Belongs to the owner."""

    def __init__(self, open_chats: OpenChats, make_models: Callable[[], Models]) -> None:
        self.started: Signal[GenerationTask] = Signal()
        self.ended: Signal[GenerationTask] = Signal()
        self._open_chats = open_chats
        open_chats.is_generating = lambda session: self.of(session) is not None
        self._make_models = make_models
        self._running: dict[str, GenerationTask] = {}
        self._is_ending = False
        self._rest: dict[str, tuple[tuple[Speaker, ...], Persona]] = {}
        """Who speaks in a group after the reply that is being written; by the ids of the tasks waited for."""
        self._due: dict[str, tuple[tuple[Speaker, ...], Persona]] = {}
        """What was sent while a reply was written is answered after it; by the ids of the tasks waited for."""

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
        self,
        session: ChatSession,
        kind: Kind,
        speaker: Speaker,
        persona: Persona,
        key: int | None = None,
        count: int = 1,
        *,
        connection: str = "",
        tools: tuple[str, ...] = (),
        presets: PresetNames | None = None,
        tool_rounds: int = 0,
    ) -> GenerationTask:
        """Begin a reply: behind the last message, or for the message `key` (swipe, continue); `count` alternatives.
        `connection`: id or name of the one to use this time, "" for the chat's. `tools`: see `Asked.tools`. `presets`:
        those to use this time.
        `tool_rounds`: how often tools were called for it already.

        A message that cannot have alternatives, such as the user's, is answered instead. Raises CommandRefused.
        """
        from tavern_desktop.session.generating.scenes import Asked
        from tavern_desktop.session.generating.task import GenerationTask, Target

        chat = session.chat
        if chat is None or not session.can_change:
            raise CommandRefused("The chat cannot be changed just now, so no reply can be written into it.")
        if self.of(session) is not None:
            raise CommandRefused("A reply is being written in this chat already; stop it first.")
        messages = tuple(chat.messages)
        index = chat.find(key) if key is not None else None
        if kind == "swipe" and index is not None:
            kind, index = _alternative(messages, index)
        if kind == "continue" and index is not None and facts.kind(messages[index].seen_data()) == "special":
            raise CommandRefused("A special message cannot go on; have the character speak instead.")
        if kind == "continue" and index is not None and facts.kind(messages[index].seen_data()) == "tool":
            kind, index = "reply", None  # a result is no text that could go on (storage contract §14.4)
        end = _end(messages, kind, index)
        grows = messages[index].key if index is not None and kind in ("swipe", "continue") else None
        target = Target(kind, messages[:end], grows)
        may_call = kind == "reply" and count == 1 and tool_rounds < MOST_TOOL_ROUNDS
        metadata = chat.header.metadata()
        asked = Asked(session.path, metadata, messages, end, kind, speaker, persona, connection, may_call, tools)
        if presets is not None:
            asked = replace(asked, presets=presets)
        task = GenerationTask(session, target, speaker, persona.name, self._models.means)
        # The task holds the chat open as a view does: nobody has to look for the reply to reach it.
        self._open_chats.open(session.path, session.kind)
        self._running[task.id] = task
        again = partial(
            self.start, session, "reply", speaker, persona, connection=connection, tools=tools, presets=presets
        )
        task.ended.connect(self._end_of(task, partial(again, tool_rounds=tool_rounds + 1)))
        # The request is built while those who watch make room for the reply.
        task.start(self._produce(asked, count))
        self.started.emit(task)
        return task

    def answer(self, session: ChatSession, speakers: Sequence[Speaker], persona: Persona) -> GenerationTask:
        """Begin a reply to what was just sent, or see to it after the one that is being written; return that.

        In a group several may speak, one after another. Raises CommandRefused.
        """
        task = self.of(session)
        if task is not None:
            self._due[task.id] = (tuple(speakers), persona)
            return task
        return self._go_on(session, tuple(speakers), persona)

    def _go_on(self, session: ChatSession, speakers: tuple[Speaker, ...], persona: Persona) -> GenerationTask:
        first, *others = speakers
        task = self.start(session, "reply", first, persona)
        if others:
            self._rest[task.id] = (tuple(others), persona)
        return task

    def stop(self, session: ChatSession) -> bool:
        """Stop the reply of a chat; what has come stays. Nothing goes on by itself after that: return whether something
        was sent meanwhile, which is not answered now.
        """
        task = self.of(session)
        if task is None:
            return False
        was_next = self._due.pop(task.id, None) is not None
        self._rest.pop(task.id, None)
        task.stop()
        return was_next

    def has_next(self, session: ChatSession) -> bool:
        """Say whether something that was sent will be answered after the reply that is being written."""
        task = self.of(session)
        return task is not None and task.id in self._due

    def stop_all(self, timeout: float) -> None:
        """Stop every generation and put what has come into its chat: the program ends."""
        self._is_ending = True
        for task in self.running():
            task.stop("closing")
        if self._running:
            self._models.means.runner.run_until(lambda: not self._running, timeout)
        self._is_ending = False

    def _produce(self, asked: Asked, count: int) -> Produce:
        if count == 1:
            return self._models.produce(asked)
        from tavern_desktop.session.generating.several import several

        return several(partial(self._models.produce, asked), count)

    @cached_property
    def _models(self) -> Models:
        return self._make_models()

    def _end_of(self, task: GenerationTask, again: Callable[[], GenerationTask]) -> Callable[[], None]:
        """`again`: has the model asked once more, after what tools answered."""

        def end() -> None:
            self._running.pop(task.id, None)
            due, rest = self._due.pop(task.id, None), self._rest.pop(task.id, None)
            self.ended.emit(task)
            # After a failure nothing goes on by itself: the person is told, and can try again.
            if due is not None and task.state != "failed" and not self._is_ending:
                with contextlib.suppress(CommandRefused):
                    self.answer(task.session, *due)
            elif task.goes_on and not self._is_ending:
                with contextlib.suppress(CommandRefused):
                    following = again()
                    if rest is not None:
                        self._rest[following.id] = rest
            elif rest is not None and task.state == "done" and not self._is_ending:
                with contextlib.suppress(CommandRefused):
                    self._go_on(task.session, *rest)
            self._open_chats.release(task.session)

        return end


def _alternative(messages: tuple[Message, ...], index: int) -> tuple[Kind, int | None]:
    """Return what asking for another alternative of a message means: of that reply, or of the one before a note.

    A message of the person's at the end is answered anew. Raises CommandRefused. (Known failure B-32: notes stay.)
    """
    for at in range(index, -1, -1):
        data = messages[at].seen_data()
        if facts.kind(data) == "character" and facts.may_swipe(data):
            return "swipe", at
        if facts.role(data) == "user":
            if at == index and at != len(messages) - 1:
                raise CommandRefused("Only a reply can have another alternative.")
            return "reply", None
    raise CommandRefused("There is no reply in this chat yet.")


def _end(messages: tuple[Message, ...], kind: Kind, index: int | None) -> int:
    """Return before which index the history of a request ends."""
    if index is None:
        return len(messages)
    return index if kind == "swipe" else index + 1
