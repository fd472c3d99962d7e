"""From what was asked to a stream of events: the scene is read, the prompt built and counted, the model called.

Everything here runs on the loop of the model servers; reading and building go to its helper threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from tavern_desktop.backends.connection import Connection, Secrets
from tavern_desktop.backends.errors import BackendError
from tavern_desktop.backends.events import Failed
from tavern_desktop.backends.opening import open_backend
from tavern_desktop.backends.protocol import Backend
from tavern_desktop.backends.request import Request
from tavern_desktop.backends.settings import Generation
from tavern_desktop.backends.transport import Http
from tavern_desktop.prompt.build import build_prompt
from tavern_desktop.prompt.messages import Prompt, PromptMessage
from tavern_desktop.prompt.scene import Scene
from tavern_desktop.prompt.templates import TextTemplate, known_templates
from tavern_desktop.prompt.tokens import Estimate, usable
from tavern_desktop.session.generating.scenes import Asked, ChatChoices, chat_choices, scene_of
from tavern_desktop.session.generating.task import NoModel, Produce, Prompted, Put

T = TypeVar("T")

FALLBACK_TEMPLATE = "chatml"
"""For servers that complete text and do not know their model's own form."""

ROUNDS = 4
"""How often a prompt is built because the server counted more than was estimated."""

SAFELY = 0.9
STILL_FITS = 0.7
"""Part of a prompt that is tried next after the server found it too long."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The connection a chat uses. `template`: see `ChatChoices`."""

    connection: Connection
    secrets: Secrets
    generation: Generation
    template: str = ""


Choose = Callable[[ChatChoices], Chosen]
"""Returns the connection for what a chat has chosen. Called off the owner. Raises NoModel, BackendError."""


class Requests:
    """Builds requests and sends them. `Http` belongs to the loop."""

    def __init__(self, http: Http, choose: Choose) -> None:
        self._http = http
        self._choose = choose
        self._estimates: dict[str, Estimate] = {}
        """How to count for each connection and model, learnt from what their servers counted."""
        self._limits: dict[str, int] = {}
        """How many tokens fit, as we count them, where a server refused more."""

    def produce(self, asked: Asked, count: int = 1) -> Produce:
        """Return what streams the reply; `count` alternatives of it where the server can."""

        async def produce(put: Put) -> None:
            chosen, backend = await self._open(asked)
            for attempt in range(ROUNDS):
                prompt, request = await self._request(asked, chosen, backend, count)
                put(Prompted(prompt, api_of(chosen.connection), request.model or chosen.connection.model))
                may_shorten = attempt < ROUNDS - 1 and prompt.is_estimate
                refusal = await self._stream(backend, request, put, may_shorten=may_shorten)
                if refusal is None:
                    return
                self._limits[_name(chosen.connection)] = _shorter(prompt, refusal)

        return produce

    async def _stream(self, backend: Backend, request: Request, put: Put, *, may_shorten: bool) -> Failed | None:
        """Hand on what comes; return why the server found the prompt too long where it may be built shorter."""
        async with contextlib.aclosing(backend.stream(request)) as events:
            async for event in events:
                if may_shorten and isinstance(event, Failed) and event.kind == "too_long":
                    return event
                put(event)
        return None

    async def prompt(self, asked: Asked) -> tuple[Prompt, Request]:
        """Return what would be sent, without sending it; without a connection what one with nothing set would get.

        Raises BackendError, PromptError, StorageError.
        """
        try:
            chosen, backend = await self._open(asked)
        except NoModel:
            return await asyncio.to_thread(_unconnected, asked)
        return await self._request(asked, chosen, backend, 1)

    async def _open(self, asked: Asked) -> tuple[Chosen, Backend]:
        chosen = await asyncio.to_thread(self._choose, chat_choices(asked.metadata))
        return chosen, open_backend(chosen.connection, chosen.secrets, self._http)

    async def _request(self, asked: Asked, chosen: Chosen, backend: Backend, count: int) -> tuple[Prompt, Request]:
        context = await _quietly(backend.context_size())
        can_prefill = not backend.can_continue()
        limit = self._limits.get(_name(chosen.connection))
        context = min(filter(None, (context, limit)), default=None)
        scene = await asyncio.to_thread(scene_of, asked, chosen.generation, context=context, can_prefill=can_prefill)
        name = _name(chosen.connection)
        estimate = self._estimates.get(name, Estimate())
        for _ in range(ROUNDS):
            prompt = await asyncio.to_thread(build_prompt, scene, estimate)
            text = await self._text(scene, prompt, chosen, backend)
            counted = await _quietly(backend.count_tokens(text or _joined(prompt.messages)))
            if counted is None:
                break
            estimate = self._estimates[name] = estimate.calibrated(prompt.tokens, counted)
            if counted <= usable(scene.context, scene.reply, is_estimate=False):
                break
        settings = chosen.generation.over(Generation(reply_tokens=scene.reply))
        messages = () if text else tuple(prompt.messages)
        request = Request(messages=messages, prompt=text, settings=settings, stop=prompt.stop, count=count)
        return prompt, request

    async def _text(self, scene: Scene, prompt: Prompt, chosen: Chosen, backend: Backend) -> str:
        """Return the prompt as one text, "" where the server takes messages."""
        if backend.takes_messages:
            return ""
        if not chosen.template:
            own = await _quietly(backend.apply_template(prompt.messages))
            if own:
                return own
        template = template_of(chosen.template)
        return template.render(prompt.messages, char=scene.character.name, user=scene.user)


def _unconnected(asked: Asked) -> tuple[Prompt, Request]:
    scene = scene_of(asked, chat_choices(asked.metadata).generation, context=None, can_prefill=False)
    prompt = build_prompt(scene, Estimate())
    return prompt, Request(messages=tuple(prompt.messages), stop=prompt.stop)


def _shorter(prompt: Prompt, refusal: Failed) -> int:
    """Return how many tokens, as we count them, to reckon with after a prompt was refused as too long.

    Most servers say how many they counted and how many they take, in words of their own.
    """
    said = sorted({int(number) for number in re.findall(r"\d{3,}", refusal.sentence)})
    share = SAFELY * said[0] / said[-1] if len(said) == 2 else STILL_FITS
    return round((prompt.tokens + prompt.reply) * min(share, STILL_FITS))


def _name(connection: Connection) -> str:
    return f"{connection.id} {connection.model}"


def api_of(connection: Connection) -> str:
    """Return what a message's record calls the source of a reply."""
    return connection.provider or connection.protocol


def template_of(name: str) -> TextTemplate:
    """Return a template by its id, the fallback for one that is not known."""
    templates = known_templates()
    return templates.get(name) or templates[FALLBACK_TEMPLATE]


def _joined(messages: list[PromptMessage]) -> str:
    return "\n".join(message.text for message in messages)


async def _quietly(answer: Awaitable[T | None]) -> T | None:
    """Return an answer that is useful but not needed; a server that cannot give it will say so where it matters."""
    try:
        return await answer
    except BackendError:
        return None
