"""A model whose reply a test hands out piece by piece, and a program without a window around it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from tavern_desktop.backends.events import Event, Started
from tavern_desktop.backends.loop_thread import LoopThread
from tavern_desktop.library.personas import Persona
from tavern_desktop.prompt.messages import Prompt
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.generating.generations import Generations
from tavern_desktop.session.generating.reply import Speaker
from tavern_desktop.session.generating.scenes import Asked
from tavern_desktop.session.generating.task import GenerationTask, Kind, Means, Produce, Prompted, Put
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.runner import PlainRunner
from tavern_desktop.tools.definition import Tool
from tests.unit.session.chats import reply, user, write

SECONDS = 60.0
"""How long a test waits for what must come; it decides nothing."""


class Scripted:
    """A model that says what the test sends."""

    def __init__(self, prompt: Prompt | None = None) -> None:
        self.prompt = prompt or Prompt(())
        self.asked: Asked | None = None
        self.tools: tuple[Tool, ...] = ()
        self.is_there = False
        self.was_stopped = False
        self._pieces: asyncio.Queue[Event | None]
        self._loop: asyncio.AbstractEventLoop

    async def produce(self, put: Put) -> None:
        """Wait for what the test sends."""
        self._loop, self._pieces = asyncio.get_running_loop(), asyncio.Queue()
        put(Prompted(self.prompt, "openai", "asked-for", self.tools))
        put(Started("tiny"))
        self.is_there = True
        try:
            while (event := await self._pieces.get()) is not None:
                put(event)
        except asyncio.CancelledError:
            self.was_stopped = True
            raise

    def send(self, *events: Event | None) -> None:
        """Send pieces; None ends the reply."""
        for event in events:
            self._loop.call_soon_threadsafe(self._pieces.put_nowait, event)


class Program:
    """Open chats and generations over a folder with chats of Mira."""

    def __init__(self, folder: Path) -> None:
        self.runner = PlainRunner()
        self.loop = LoopThread()
        self.streams = folder / "own" / "streams"
        self.chats = OpenChats(self.runner, folder / "own" / "recovery", preview_limit=0)
        self.means = Means(self.runner, self.loop, self.streams, frame=0)
        self.generations = Generations(self.chats, lambda: self)
        self.models: list[Scripted] = []
        self.tools: tuple[Tool, ...] = ()
        """What the models may call."""
        self.folder = folder / "chats" / "Mira"

    def write(self, name: str = "talk") -> Path:
        """Write a chat and return its file."""
        return write(self.folder / f"{name}.jsonl", [user("u0"), reply("a1", "b1"), user("u2")])

    def open(self, path: Path) -> ChatSession:
        """Open a chat and wait until it is there."""
        session = self.chats.open(path)
        self.runner.run_until_idle()
        return session

    def start(
        self, session: ChatSession, kind: Kind = "reply", key: int | None = None
    ) -> tuple[GenerationTask, Scripted]:
        """Begin a reply and wait until its model listens."""
        task = self.generations.start(session, kind, Speaker("Mira"), Persona("Ana"), key)
        model = self.models[-1]
        self.until(lambda: model.is_there)
        return task, model

    def finish(self, task: GenerationTask, model: Scripted) -> None:
        """Let the reply end."""
        model.send(None)
        self.until(lambda: not task.is_running)

    def until(self, condition: Callable[[], bool]) -> None:
        """Let everything go on until something is so."""
        assert self.runner.run_until(condition, SECONDS)

    def close(self) -> None:
        """End the thread of the models."""
        self.loop.close()

    def produce(self, asked: Asked, count: int = 1) -> Produce:
        """Return a model for what was asked: the part of `Models`."""
        model = Scripted()
        model.asked = asked
        model.tools = self.tools
        self.models.append(model)
        return model.produce
