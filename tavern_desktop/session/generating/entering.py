"""How a view gets a conversation: one way in, with its states (conversation entry §2, §3).

A view that comes in while a reply is written replays what it missed from the task's log and then follows it. Entering
never saves, and what was asked for earlier counts for nothing once something else is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tavern_desktop.chat.message import Message
from tavern_desktop.chat.signal import Signal
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.generating.event_log import Replay
from tavern_desktop.session.generating.events import Event, Partial, needs_rebuild
from tavern_desktop.session.generating.generations import Generations
from tavern_desktop.session.loading import ChatKind
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.storage.signature import Signature

if TYPE_CHECKING:
    from tavern_desktop.session.generating.task import GenerationTask

Source = Literal[
    "startup",
    "sidebar",
    "recent",
    "bookmark",
    "branch",
    "search_hit",
    "reload",
    "external_change",
    "after_delete",
    "after_rename",
    "new_chat",
]
"""Why a view wants a conversation: it changes how that is shown, never what is loaded."""

ViewState = Literal["idle", "loading", "ready", "replaying", "live", "failed"]


@dataclass(frozen=True, slots=True)
class TaskReplay:
    """A running reply, for a view that comes in: from which event it goes on, and what came before the log begins."""

    task_id: str
    event_count: int
    first_event: int
    needs_rebuild: bool
    replay_from: int
    partial: Partial | None


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """A conversation as it is at one moment, read without writing, switching or starting anything."""

    path: Path
    title: str
    kind: ChatKind
    integrity: str | None
    messages: tuple[Message, ...]
    signature: Signature | None
    warnings: tuple[str, ...]
    dirty: bool
    replay: TaskReplay | None


def bootstrap(session: ChatSession, task: GenerationTask | None) -> Bootstrap:
    """Return the conversation of a session that is loaded."""
    chat = session.chat
    if chat is None:
        raise AssertionError("only what is loaded is entered")
    header, messages = chat.snapshot()
    return Bootstrap(
        session.path,
        session.title,
        session.kind,
        header.integrity(),
        messages,
        session.signature,
        session.warnings,
        session.is_dirty,
        _replay(task, messages) if task is not None else None,
    )


def _replay(task: GenerationTask, messages: Sequence[Message]) -> TaskReplay:
    log = task.log
    rebuild = needs_rebuild(messages[-1].data() if messages else None, log.openness)
    start = 0 if rebuild else log.event_count
    return TaskReplay(task.id, log.event_count, log.first_event, rebuild, start, log.partial)


class ConversationView:
    """One view of conversations, one after another. `state` and what it shows change only by its signals."""

    def __init__(self, open_chats: OpenChats, generations: Generations) -> None:
        self.state_changed: Signal[()] = Signal()
        self.entered: Signal[Bootstrap, Source] = Signal()
        """The conversation is there: show all of it, in one step."""
        self.entered_again: Signal[Source] = Signal()
        """The conversation in view was asked for once more: nothing but the place to look at may change."""
        self.rebuilt: Signal[Partial] = Signal()
        """The reply being written, as far as it has come: show this instead of what is shown of it."""
        self.advanced: Signal[Sequence[Event]] = Signal()
        """The reply went on by these events."""
        self.state: ViewState = "idle"
        self.session: ChatSession | None = None
        self.task: GenerationTask | None = None
        self._open_chats = open_chats
        self._generations = generations
        self._source: Source = "startup"
        self._replay: Replay | None = None
        self._number = 0
        generations.started.connect(self._task_started)
        generations.ended.connect(self._task_ended)

    def enter(self, path: Path, source: Source, kind: ChatKind | None = None) -> ChatSession:
        """Bring a conversation into view; return its session. What was asked for before is abandoned, silently."""
        shown = self.session
        if shown is not None and self._open_chats.session_for(path) is shown:
            self._enter_again(shown, source)
            return shown
        self.leave()
        self._number += 1
        session = self._open_chats.open(path, kind)
        self.session, self._source = session, source
        session.state_changed.connect(self._session_changed)
        self._set_state("loading")
        self._session_changed()
        return session

    def leave(self) -> None:
        """Show nothing. A reply that is being written goes on; what is unsaved is handed to the chat's own queue."""
        session = self.session
        if session is None:
            return
        session.state_changed.disconnect(self._session_changed)
        self._unfollow()
        self.session = None
        self._number += 1
        self._set_state("idle")
        self._open_chats.release(session)

    # -- entering -------------------------------------------------------------------------------------------

    def _enter_again(self, session: ChatSession, source: Source) -> None:
        self._source = source
        if source == "reload" and session.state == "ready":
            session.reload()
        elif session.state == "failed":
            session.load()
        elif self.state in ("ready", "replaying", "live"):
            self.entered_again.emit(source)

    def _session_changed(self) -> None:
        session = self.session
        if session is None:
            return
        if session.state == "failed":
            self._unfollow()
            self._set_state("failed")
        elif session.state == "loading":
            self._set_state("loading")
        elif self.state in ("loading", "failed", "idle"):
            self._arrive(session)

    def _arrive(self, session: ChatSession) -> None:
        number = self._number
        task = self._generations.of(session)
        self._set_state("ready")
        if number != self._number:  # somebody entered something else on hearing that
            return
        self.entered.emit(bootstrap(session, task), self._source)
        if number == self._number:
            self._follow(task)

    # -- following a reply ------------------------------------------------------------------------------------

    def _follow(self, task: GenerationTask | None) -> None:
        """Show what a reply has come to, and go on with it; nothing of it is missed and nothing comes twice."""
        if task is None or not task.is_running:
            self._set_state("live")
            return
        self._unfollow()
        self.task = task
        self._set_state("replaying")
        self._replay = Replay(task.id, task.log.event_count)
        task.log.added.connect(self._advance)
        self.rebuilt.emit(task.log.so_far())
        self._set_state("live")

    def _unfollow(self) -> None:
        if self.task is not None:
            self.task.log.added.disconnect(self._advance)
        self.task = self._replay = None

    def _advance(self, events: Sequence[Event]) -> None:
        if self._replay is None or self.task is None:
            return
        applied, self._replay, has_gap = self._replay.apply(events)
        if has_gap:
            self._follow(self.task)
        elif applied:
            self.advanced.emit(applied)

    def _task_started(self, task: GenerationTask) -> None:
        if task.session is self.session and self.state in ("ready", "live"):
            self._follow(task)

    def _task_ended(self, task: GenerationTask) -> None:
        if task is self.task:
            self._unfollow()

    def _set_state(self, state: ViewState) -> None:
        if state != self.state:
            self.state = state
            self.state_changed.emit()
