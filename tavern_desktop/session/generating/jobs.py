"""A reply that another process asks for, as plain data: send, generate, wait until it is on disk (decision D22)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal

import msgspec

from tavern_desktop.chat import edits, facts
from tavern_desktop.session.commands import AppendMessage
from tavern_desktop.session.generating.generations import MOST_TOOL_ROUNDS, Generations
from tavern_desktop.session.generating.speaking import Voices, voices_of
from tavern_desktop.session.generating.task import GenerationTask
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import CommandRefused, Refused
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.storage.errors import StorageError


class Wanted(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is wanted: `text` is sent first, "" for none; "swipe" and "continue" are about the newest message.

    `speaker` is a member of a group by name, "" for whose turn it is. `connection`: id or name, "" for the chat's.
    """

    file: str
    kind: Literal["reply", "swipe", "continue"] = "reply"
    text: str = ""
    speaker: str = ""
    connection: str = ""


def generate_request(wanted: Wanted) -> dict[str, Any]:
    """Return what is said to the process that owns the data folder."""
    return {"generate": msgspec.to_builtins(wanted)}


class GenerateJob:
    """One reply, from the text that is sent to the file that has the answer. Belongs to the owner."""

    def __init__(
        self,
        runner: Runner,
        chats: OpenChats,
        generations: Generations,
        wanted: Wanted,
        done: Callable[[GenerateJob], object] | None = None,
    ) -> None:
        self.is_finished = False
        self.error: StorageError | Refused | None = None
        self.task: GenerationTask | None = None
        self._runner = runner
        self._chats = chats
        self._generations = generations
        self._wanted = wanted
        self._told = done
        self._is_begun = False
        self._session = chats.open(Path(wanted.file))
        self._session.state_changed.connect(self._go_on)
        self._session.save_changed.connect(self._go_on)
        self._go_on()

    @property
    def text(self) -> str:
        """The reply so far."""
        return self.task.log.so_far().text if self.task is not None else ""

    def outcome(self) -> dict[str, Any]:
        """Return what there is to tell of a job that did not fail."""
        task, chat = self.task, self._session.chat
        index = chat.find(task.landed) if task is not None and task.landed is not None and chat is not None else None
        text = facts.text(chat.messages[index].seen_data()) if chat is not None and index is not None else self.text
        failure = task.failure if task is not None else None
        return {
            "state": task.state if task is not None else "failed",
            "message": index,
            "text": text,
            "failure": None if failure is None else {"kind": failure.kind, "message": failure.sentence},
        }

    def _go_on(self) -> None:
        if self.is_finished:
            return
        try:
            if not self._is_begun and self._session.state != "loading":
                self._begin()
            elif self.task is not None and not self.task.is_running and self._is_saved():
                self._finish()
        except (StorageError, Refused) as error:
            self.error = error
            self._finish()

    def _begin(self) -> None:
        session = self._session
        if session.chat is None:
            raise session.error or StorageError("io", "read", chat_ref=session.path)
        if not session.can_change:
            raise CommandRefused("This chat can only be looked at; nothing was sent.")
        self._is_begun = True
        header, messages = session.chat.snapshot()
        work = partial(voices_of, session.path, header.metadata(), messages)
        self._runner.submit(work, self._send)

    def _send(self, outcome: Outcome[Voices]) -> None:
        session, wanted = self._session, self._wanted
        try:
            voices = outcome.result()
            speaker = voices.named(wanted.speaker)
            if wanted.text:
                persona = voices.persona
                record = edits.new_user_message(wanted.text, persona.name, force_avatar=persona.force_avatar() or None)
                session.do(AppendMessage(record))
            session.make_durable(partial(self._generate, voices, speaker))
        except (StorageError, Refused) as error:
            self.error = error
            self._finish()

    def _generate(self, voices: Voices, speaker: Any) -> None:
        session, wanted = self._session, self._wanted
        kind = wanted.kind
        try:
            if session.chat is None or (kind != "reply" and not len(session.chat)):
                raise CommandRefused("There is no message in this chat yet.")
            key = session.chat.messages[-1].key if kind != "reply" else None
            # Nobody is there to be asked before a tool runs, so none is called.
            begin = partial(self._generations.start, session, kind, speaker, voices.persona, key)
            task = begin(connection=wanted.connection, tool_rounds=MOST_TOOL_ROUNDS)
        except Refused as error:
            self.error = error
            self._finish()
            return
        self.task = task
        task.ended.connect(self._ended)

    def _ended(self) -> None:
        self._session.save_now()
        self._go_on()

    def _is_saved(self) -> bool:
        """Say whether the file has it. Raises StorageError if it is not going to."""
        state = self._session.save_state
        if state.error is not None:
            raise state.error
        return state.kind == "saved"

    def _finish(self) -> None:
        self.is_finished = True
        self._session.state_changed.disconnect(self._go_on)
        self._session.save_changed.disconnect(self._go_on)
        self._chats.release(self._session)
        if self._told is not None:
            self._told(self)
