"""A reply that another process asks for, as plain data: send, generate, wait until it is on disk (decision D22).

Nobody is there to be asked about tools: a call is carried out where it was allowed with the wish, or the person has
allowed it earlier; every other one is answered by a refusal.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal

import msgspec

from tavern_desktop.backends.settings import NO_PRESETS, PresetNames
from tavern_desktop.chat import edits, facts
from tavern_desktop.session.commands import AppendMessage
from tavern_desktop.session.generating.generations import Generations
from tavern_desktop.session.generating.reply import Speaker
from tavern_desktop.session.generating.speaking import Voices, voices_of
from tavern_desktop.session.generating.task import GenerationTask
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import CommandRefused, Refused
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.storage.errors import StorageError

MOST_TOLD = 2_000
"""Characters of what a tool answered that are told; the chat has all of it."""


class Wanted(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is wanted: `text` is sent first, "" for none; "swipe" and "continue" are about the newest message.

    `speaker` is a member of a group by name, "" for whose turn it is. `connection`: id or name, "" for the chat's.
    `tools`: names or ids of tools that are offered and run without a question.
    `presets`: those to use this time.
    """

    file: str
    kind: Literal["reply", "swipe", "continue"] = "reply"
    text: str = ""
    speaker: str = ""
    connection: str = ""
    tools: tuple[str, ...] = ()
    presets: PresetNames = NO_PRESETS


class ToldCall(msgspec.Struct, frozen=True):
    """A call of a tool, as who asked is told of it. `is_refused`: nobody allowed it."""

    name: str
    arguments: str
    text: str
    is_error: bool
    is_refused: bool


class SoFar(msgspec.Struct, frozen=True):
    """What a reply has come to: all that was said, and the calls that were answered."""

    text: str = ""
    calls: tuple[ToldCall, ...] = ()


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
        """The reply that is being written; after tools were called another than before."""
        self._runner = runner
        self._chats = chats
        self._generations = generations
        self._wanted = wanted
        self._told = done
        self._is_begun = False
        self._said: list[str] = []
        """What was said before tools were called."""
        self._calls: list[ToldCall] = []
        self._refused: set[tuple[str, str]] = set()
        """Calls that nobody allowed: the ids of the reply and of the call."""
        self._unknown = ""
        """Why it is not known what became of a call."""
        self._session = chats.open(Path(wanted.file))
        self._session.state_changed.connect(self._go_on)
        self._session.save_changed.connect(self._go_on)
        self._go_on()

    @property
    def so_far(self) -> dict[str, Any]:
        """What has come, a `SoFar` as plain data."""
        said = [*self._said, self.task.log.so_far().text if self.task is not None else ""]
        return msgspec.to_builtins(SoFar("\n\n".join(filter(None, said)), tuple(self._calls)))  # type: ignore[no-any-return]

    def outcome(self) -> dict[str, Any]:
        """Return what there is to tell of a job that did not fail."""
        task, chat = self.task, self._session.chat
        index = chat.find(task.landed) if task is not None and task.landed is not None and chat is not None else None
        text = facts.text(chat.messages[index].seen_data()) if chat is not None and index is not None else ""
        reply = {
            "state": task.state if task is not None else "failed",
            "message": index,
            "text": text,
            "tools": [{"name": call.name, "text": call.text, "is_error": call.is_error} for call in self._calls],
            "failure": self._failure(),
        }
        return {"reply": reply}

    def _failure(self) -> dict[str, str] | None:
        if self._unknown:
            return {"kind": "outcome_unknown", "message": self._unknown}
        failure = self.task.failure if self.task is not None else None
        return None if failure is None else {"kind": failure.kind, "message": failure.sentence}

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

    def _generate(self, voices: Voices, speaker: Speaker) -> None:
        session, wanted = self._session, self._wanted
        kind = wanted.kind
        try:
            if session.chat is None or (kind != "reply" and not len(session.chat)):
                raise CommandRefused("There is no message in this chat yet.")
            key = session.chat.messages[-1].key if kind != "reply" else None
            begin = partial(self._generations.start, session, kind, speaker, voices.persona, key)
            task = begin(connection=wanted.connection, tools=wanted.tools, presets=wanted.presets)
        except Refused as error:
            self.error = error
            self._finish()
            return
        self._generations.started.connect(self._follow_next)
        self._follow(task)

    def _follow(self, task: GenerationTask) -> None:
        self.task = task
        task.batch_changed.connect(partial(self._decide, task))
        task.ended.connect(partial(self._ended, task))

    def _follow_next(self, task: GenerationTask) -> None:
        """Go on with what the model says after tools have answered."""
        if task.session is self._session and self.task is not None and self.task.goes_on:
            self._said.append(self.task.log.so_far().text)
            self._follow(task)

    def _ended(self, task: GenerationTask) -> None:
        self._calls += [
            ToldCall(
                call.name, call.arguments, result.text[:MOST_TOLD], result.is_error, (task.id, call.id) in self._refused
            )
            for call, result in task.answers
        ]
        self._session.save_now()
        self._go_on()

    # -- tools ------------------------------------------------------------------------------------------------

    def _decide(self, task: GenerationTask) -> None:
        """Answer for the person where a tool asks first; a turn with a call of unknown outcome is given up."""
        batch = task.batch
        for number, each in enumerate(batch.calls if batch is not None else ()):
            if batch is None or task.batch is not batch:
                return  # what was decided for an earlier call has ended it
            if each.state == "unknown":
                self._unknown = f"{each.sentence} Nobody knows whether the call of {each.call.name} was carried out."
                task.stop()
            elif each.state == "asking" and each.tool is not None:
                is_allowed = each.tool.name in self._wanted.tools or each.tool.id in self._wanted.tools
                if is_allowed:
                    batch.allow(number)
                else:
                    self._refused.add((task.id, each.call.id))
                    batch.refuse(number)

    # -- the end ----------------------------------------------------------------------------------------------

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
        self._generations.started.disconnect(self._follow_next)
        self._chats.release(self._session)
        if self._told is not None:
            self._told(self)
