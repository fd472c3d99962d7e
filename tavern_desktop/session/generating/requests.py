"""From what was asked to a stream of events: the scene is read, the prompt built and counted, the model called.

Everything here runs on the loop of the model servers; reading and building go to its helper threads. Between the wish
and the request nothing else goes over the network but one count, and that only to a server nearby.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import msgspec

from tavern_desktop.backends.connection import Connection, Secrets, is_near
from tavern_desktop.backends.errors import BackendError
from tavern_desktop.backends.events import Failed, Started, Usage, Waiting
from tavern_desktop.backends.opening import open_backend
from tavern_desktop.backends.protocol import Backend
from tavern_desktop.backends.providers import api_name
from tavern_desktop.backends.request import Request
from tavern_desktop.backends.request import Tool as Function
from tavern_desktop.backends.settings import BY_MODEL, NO_PRESETS, Generation, PresetNames
from tavern_desktop.backends.transport import Http
from tavern_desktop.library.data_root import root_of
from tavern_desktop.prompt.blind import without_pictures
from tavern_desktop.prompt.build import build_prompt
from tavern_desktop.prompt.messages import Prompt, PromptMessage
from tavern_desktop.prompt.scene import Scene
from tavern_desktop.prompt.tokens import Estimate, usable
from tavern_desktop.session.generating.forms import Form, form_of
from tavern_desktop.session.generating.own_thoughts import for_model
from tavern_desktop.session.generating.scenes import Asked, ChatChoices, chat_choices, scene_of
from tavern_desktop.session.generating.task import NoModel, Produce, Prompted, Put
from tavern_desktop.session.generating.text_templates import template_of
from tavern_desktop.session.generating.tool_offers import tokens_of
from tavern_desktop.session.refusals import Refused
from tavern_desktop.tools.definition import Tool

T = TypeVar("T")

ROUNDS = 4
"""How often a prompt is built because the server took it for longer than was estimated."""

SAFELY = 0.9
"""Part of what a server takes that is aimed at, where it said how much that is."""
STILL_FITS = 0.7
"""Part of a prompt that is tried next after the server found it too long."""

NEARLY_FULL = 0.8
"""Part of the room that a prompt may fill by our estimate without the server being asked to count it."""

MOST_UNASKED = 32_768
"""Tokens that go to a server elsewhere where nobody said how many: most of these are paid for by the token."""


GONE = frozenset({"unreachable", "disconnected"})
"""Failures after which a server may come back as another one."""

NO_PICTURES = re.compile(r"\b(images?|image_url|vision|multimodal|mmproj)\b", re.IGNORECASE)
"""What servers speak of that refuse a request because its model sees no pictures."""
SEES_NONE = "the model sees no pictures"
TEXT_ALONE = "the server takes text alone"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The connection a chat uses; one whose protocol is "local" is a model file that does not run.

    `template`: see `ChatChoices`.
    """

    connection: Connection
    secrets: Secrets
    generation: Generation
    template: str = ""
    presets: PresetNames = NO_PRESETS


Tell = Callable[[str], object]
"""Takes a sentence on how far something is that a reply has to wait for. From any thread."""

Choose = Callable[[ChatChoices, Tell | None], Chosen]
"""Returns the connection for what a chat has chosen; with `Tell` it starts the model of a local one and waits for it.
Called off the owner. Raises NoModel, BackendError."""

Note = Callable[[Connection, "Failed | None"], object]
"""Takes what a server showed itself to be: it answered, or why not."""


class OfferTools(Protocol):
    """Returns the tools that models are offered now, see `ToolOffers.all`."""

    def __call__(
        self, wished: bool | None = None, named: Sequence[str] = (), *, starts: bool = True
    ) -> Awaitable[list[Tool]]: ...


class Requests:
    """Builds requests and sends them. `Http` belongs to the loop."""

    def __init__(
        self,
        http: Http,
        choose: Choose,
        note: Note = lambda connection, failed: None,
        offer: OfferTools | None = None,
    ) -> None:
        """`offer`: None offers no tools."""
        self._http = http
        self._offer = offer
        self._choose = choose
        self._note = note
        self._estimates: dict[str, Estimate] = {}
        """How to count for each connection and model, learnt from what their servers counted."""
        self._contexts: dict[str, int | None] = {}
        """How many tokens each server takes, as it said; asked once."""
        self._models: dict[str, str] = {}
        """Which model each server has loaded, where a template is chosen by that."""
        self._limits: dict[str, int] = {}
        """How many tokens fit, as we count them, where a server refused more."""
        self._reported: dict[str, str] = {}
        """What the models of connections call themselves, which replies are kept under."""
        self._blind: set[str] = set()
        """Connections whose models refused pictures: they get the texts alone."""

    def forget(self, connection: Connection) -> None:
        """Take nothing for known of a server any more: it may be another one, with another model."""
        name = _name(connection)
        self._estimates.pop(name, None)
        self._contexts.pop(name, None)
        self._limits.pop(name, None)
        self._models.pop(name, None)
        self._reported.pop(name, None)
        self._blind.discard(name)

    def produce(self, asked: Asked, count: int = 1) -> Produce:
        """Return what streams the reply; `count` alternatives of it where the server can."""

        async def produce(put: Put) -> None:
            def tell(sentence: str) -> None:
                put(Waiting(sentence, 0.0))

            chosen, backend = await self._open(asked, tell)
            connection = chosen.connection
            tools = await self._tools(asked, chosen, backend, starts=asked.may_call)
            for attempt in range(ROUNDS):
                prompt, request = await self._request(asked, chosen, backend, count, tools)
                called = tuple(tools) if request.tool_choice == "auto" else ()
                put(Prompted(prompt, api_name(connection), request.model or connection.model, called))
                may_shorten = attempt < ROUNDS - 1 and prompt.is_estimate
                failed = await self._stream(backend, request, prompt, put, may_shorten=may_shorten)
                mended = failed is not None and (_is_blind(failed, request) or failed.kind == "too_long")
                self._note(connection, None if mended else failed)  # a server that refuses one request is well
                if failed is None:
                    return
                if failed.kind in GONE:
                    self.forget(connection)
                if _is_blind(failed, request):
                    self._blind.add(_name(connection))
                    tell(f"{backend.server} sees no pictures: they are left out.")
                elif failed.kind == "too_long" and may_shorten:
                    self._limits[_name(connection)] = _shorter(prompt, failed)
                else:
                    return

        return produce

    async def prompt(self, asked: Asked) -> tuple[Prompt, Request]:
        """Return what would be sent, without sending it or starting a model; where no server can be asked, what one
        with nothing set would get. Raises BackendError, PromptError, StorageError.
        """
        try:
            chosen = await asyncio.to_thread(self._choose, _choices(asked), None)
        except NoModel:
            choices = _choices(asked)
            return await asyncio.to_thread(_unconnected, asked, choices.generation, choices.presets)
        if chosen.connection.protocol == "local":
            return await asyncio.to_thread(_unconnected, asked, chosen.generation, chosen.presets)
        backend = self._backend(chosen)
        return await self._request(asked, chosen, backend, 1, await self._tools(asked, chosen, backend, starts=False))

    async def know(self, connection: Connection, secrets: Secrets) -> None:
        """Ask beforehand what every request to a server needs to know. Raises BackendError."""
        await self._context(open_backend(connection, secrets, self._http))

    # -- sending ----------------------------------------------------------------------------------------------

    async def _stream(
        self, backend: Backend, request: Request, prompt: Prompt, put: Put, *, may_shorten: bool
    ) -> Failed | None:
        """Hand on what comes and return the failure it ended with; of one that can be mended nobody else is told."""
        failed: Failed | None = None
        async with contextlib.aclosing(backend.stream(request)) as events:
            async for event in events:
                if isinstance(event, Failed):
                    failed = event
                    self._contexts.pop(_name(backend.connection), None)  # it may be another server now
                    self._models.pop(_name(backend.connection), None)
                    if (may_shorten and event.kind == "too_long") or _is_blind(event, request):
                        continue
                    self._blind.discard(_name(backend.connection))
                elif isinstance(event, Usage):
                    self._learn(_name(backend.connection), prompt, event.prompt)
                elif isinstance(event, Started) and event.model:
                    self._reported[_name(backend.connection)] = event.model
                put(event)
        return failed

    def _learn(self, name: str, prompt: Prompt, counted: int | None) -> None:
        if counted and not any(message.images for message in prompt.messages):
            self._estimates[name] = self._estimate(name).calibrated(prompt.tokens, counted)

    # -- building ---------------------------------------------------------------------------------------------

    async def _open(self, asked: Asked, tell: Tell) -> tuple[Chosen, Backend]:
        chosen = await asyncio.to_thread(self._choose, _choices(asked), tell)
        return chosen, self._backend(chosen)

    def _backend(self, chosen: Chosen) -> Backend:
        return open_backend(chosen.connection, chosen.secrets, self._http)

    async def _tools(self, asked: Asked, chosen: Chosen, backend: Backend, *, starts: bool) -> list[Tool]:
        """Return the tools for a reply: none where the server takes none, or the person offers it none.

        Raises Refused where one is asked for by its name that cannot be offered.
        """
        if self._offer is None or not backend.takes_messages or "tools" in chosen.connection.off:
            if asked.tools:
                raise Refused(f"{chosen.connection.name} is offered no tools, so {asked.tools[0]} cannot be called.")
            return []
        return await self._offer(chat_choices(asked.metadata).uses_tools, asked.tools, starts=starts)

    async def _request(
        self, asked: Asked, chosen: Chosen, backend: Backend, count: int, tools: Sequence[Tool]
    ) -> tuple[Prompt, Request]:
        name = _name(chosen.connection)
        tool_tokens = tokens_of(tools) if tools else None
        context = await self._room(chosen, backend)
        can_prefill = not backend.can_continue()
        form = await self._form(asked, chosen, backend)
        settings = chosen.generation.over(form.generation)
        scene = await asyncio.to_thread(
            scene_of,
            asked,
            settings,
            context=context,
            can_prefill=can_prefill,
            tool_tokens=tool_tokens,
            form=form,
        )
        prompt = await asyncio.to_thread(build_prompt, scene, self._estimate(name))
        text, stop = await self._text(scene, prompt, chosen, backend)
        room = usable(scene.context, scene.reply, is_estimate=False)
        if prompt.tokens > room * NEARLY_FULL and is_near(chosen.connection):
            counted = await _quietly(backend.count_tokens(text or _joined(prompt.messages)))
            if counted and counted > room:
                self._estimates[name] = Estimate(self._estimate(name).ratio * counted / prompt.tokens)
                prompt = await asyncio.to_thread(build_prompt, scene, self._estimate(name))
                text, stop = await self._text(scene, prompt, chosen, backend)
            else:
                self._learn(name, prompt, counted)
        if text or name in self._blind:
            prompt = without_pictures(prompt, TEXT_ALONE if text else SEES_NONE)
        request = Request(
            messages=() if text else for_model(prompt.messages, api_name(chosen.connection), self._names_of(chosen)),
            prompt=text,
            settings=settings.over(Generation(reply_tokens=scene.reply)),
            stop=(*prompt.stop, *stop),
            count=count if backend.makes_alternatives else 1,
            tools=_told(tools, prompt, asked),
            tool_choice="auto" if asked.may_call else "none",
        )
        return prompt, request

    def _names_of(self, chosen: Chosen) -> tuple[str, ...]:
        """Return the names of a connection's model: by which it is set up, and by which it called itself last."""
        names = (chosen.connection.model, self._reported.get(_name(chosen.connection), ""))
        return tuple(filter(None, names))

    async def _form(self, asked: Asked, chosen: Chosen, backend: Backend) -> Form:
        """Return what the chosen presets make of a request."""
        model = chosen.connection.model
        if chosen.presets.instruct == BY_MODEL and not model:
            model = await self._model(backend)
        return await asyncio.to_thread(
            form_of,
            root_of(asked.path),
            chosen.presets,
            takes_messages=backend.takes_messages,
            takes_prefill=chosen.connection.protocol == "anthropic",
            model=model,
        )

    async def _model(self, backend: Backend) -> str:
        """Return the name of the model that a server has loaded, "" if it does not say; asked once."""
        name = _name(backend.connection)
        if name not in self._models:
            status = await _quietly(backend.status())
            if status is None:
                return ""
            self._models[name] = status.model
        return self._models[name]

    async def _room(self, chosen: Chosen, backend: Backend) -> int | None:
        """Return how many tokens a request may have, None where nobody says."""
        connection = chosen.connection
        context = await _quietly(self._context(backend))
        wanted = chosen.generation.context_tokens
        unasked = MOST_UNASKED if wanted is None and context and not is_near(connection) else None
        return min(filter(None, (context, unasked, self._limits.get(_name(connection)))), default=None)

    async def _context(self, backend: Backend) -> int | None:
        name = _name(backend.connection)
        if name not in self._contexts:
            self._contexts[name] = await backend.context_size()
        return self._contexts[name]

    def _estimate(self, name: str) -> Estimate:
        return self._estimates.get(name, Estimate())

    async def _text(
        self, scene: Scene, prompt: Prompt, chosen: Chosen, backend: Backend
    ) -> tuple[str, tuple[str, ...]]:
        """Return the prompt as one text and where the reply ends, nothing where the server takes messages."""
        if backend.takes_messages or prompt.text:
            return prompt.text, ()
        if not chosen.template:
            own = await _quietly(backend.apply_template(prompt.messages))
            if own:
                return own, ()
        template = template_of(chosen.template)
        text = template.render(prompt.messages, char=scene.character.name, user=scene.user)
        return text, template.stop_texts(scene.user)


def _choices(asked: Asked) -> ChatChoices:
    """Return what the chat has chosen, with the connection that is asked for this once."""
    choices = chat_choices(asked.metadata)
    presets = asked.presets.over(choices.presets)
    return msgspec.structs.replace(choices, connection=asked.connection or choices.connection, presets=presets)


def _told(tools: Sequence[Tool], prompt: Prompt, asked: Asked) -> tuple[Function, ...]:
    """Return what is told of tools: providers want it wherever earlier calls are sent, also where none may be made."""
    if not asked.may_call and not any(message.tool_calls for message in prompt.messages):
        return ()
    return tuple(Function(tool.name, tool.description, tool.parameters) for tool in tools)


def _unconnected(asked: Asked, generation: Generation, presets: PresetNames) -> tuple[Prompt, Request]:
    form = form_of(root_of(asked.path), presets, takes_messages=True)
    scene = scene_of(asked, generation.over(form.generation), context=None, can_prefill=False, form=form)
    prompt = build_prompt(scene, Estimate())
    return prompt, Request(messages=tuple(prompt.messages), stop=prompt.stop)


def _is_blind(failed: Failed, request: Request) -> bool:
    """Say whether a request was refused for its pictures."""
    return NO_PICTURES.search(failed.sentence) is not None and any(message.images for message in request.messages)


def _shorter(prompt: Prompt, refusal: Failed) -> int:
    """Return how many tokens, as we count them, to reckon with after a prompt was refused as too long.

    Most servers say how many they counted and how many they take, in words of their own.
    """
    said = sorted({int(number) for number in re.findall(r"\d{3,}", refusal.sentence)})
    share = SAFELY * said[0] / said[-1] if len(said) == 2 else STILL_FITS
    return round((prompt.tokens + prompt.reply) * min(share, STILL_FITS))


def _name(connection: Connection) -> str:
    return f"{connection.id} {connection.url} {connection.model}"


def _joined(messages: list[PromptMessage]) -> str:
    return "\n".join(message.text for message in messages)


async def _quietly(answer: Awaitable[T | None]) -> T | None:
    """Return an answer that is useful but not needed; a server that cannot give it will say so where it matters."""
    try:
        return await answer
    except BackendError:
        return None
