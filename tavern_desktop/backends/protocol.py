"""What every protocol offers, and what all of them have in common."""

from __future__ import annotations

import contextlib
import typing
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Any, ClassVar

import msgspec

from tavern_desktop.backends.connection import Connection, Secrets, base_url, root_url
from tavern_desktop.backends.errors import BackendError
from tavern_desktop.backends.events import Event, Failed, Finished, Reasoning, Text, Waiting
from tavern_desktop.backends.exchange import Exchange
from tavern_desktop.backends.joiner import Joiner
from tavern_desktop.backends.providers import Taken
from tavern_desktop.backends.request import Request
from tavern_desktop.backends.transport import Http
from tavern_desktop.prompt.messages import PromptMessage

TEXT_LIMIT = 8_000_000
"""Characters a reply may have: a server that never ends is stopped there."""


class Model(msgspec.Struct, frozen=True):
    """A model that a server offers."""

    id: str
    name: str = ""
    context: int | None = None
    """Tokens that prompt and reply may have together, where the server says it."""


class Status(msgspec.Struct, frozen=True):
    """What a server says of itself. `model` is the one that answers now, "" where that is chosen by the request."""

    server: str
    model: str = ""
    context: int | None = None
    version: str = ""


class Reply(typing.Protocol):
    """Turns the records of one reply into events."""

    def take(self, record: dict[str, Any]) -> Iterator[Event]:
        """Yield the events of a record."""

    def end(self) -> Iterator[Event]:
        """Yield what is known when nothing more comes."""


class Backend(ABC):
    """One server by one protocol. Used on one loop; any number of replies may be under way at once.

    The methods that ask something raise BackendError; `stream` never does, its last event tells of it. A reply is
    stopped by closing the stream or cancelling the task that reads it; what the protocol has for that is done before
    the close returns, so that a request sent next finds the server free.
    """

    protocol: ClassVar[str]
    takes_messages: ClassVar[bool] = True
    takes_text: ClassVar[bool] = False

    def __init__(self, connection: Connection, secrets: Secrets, http: Http) -> None:
        """Raises BackendError connection."""
        self.connection = connection
        self._base = base_url(connection)
        self._root = root_url(connection)
        self._exchange = Exchange(connection, secrets, http, self._headers())

    @property
    def server(self) -> str:
        """What people call the server."""
        return self._exchange.server

    async def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        """Yield the reply. The last event is `Finished` or `Failed`."""
        whole = _Whole(self._exchange)
        try:
            async with contextlib.aclosing(self._events(request)) as events:
                async for event in events:
                    for ready in whole.take(event):
                        yield ready
            for ready in whole.end():
                yield ready
        except BackendError as error:
            for ready in whole.held():
                yield ready
            error.setting = self.taken(request.model).ours(error.setting)
            yield Failed.of(error)

    async def status(self) -> Status:
        """Return what the server is. Raises BackendError where it does not answer or refuses the key."""
        found = await self.models()
        name = self.connection.model or (found[0].id if len(found) == 1 else "")
        told = next((model.context for model in found if model.id == name), None)
        return Status(self.server, name, told or await self.context_size(name))

    async def context_size(self, model: str = "") -> int | None:
        """Return how many tokens prompt and reply may have together, None where the server does not say."""
        wanted = model or self.connection.model
        found = await self.models()
        if not wanted and len(found) == 1:
            return found[0].context
        return next((entry.context for entry in found if entry.id == wanted), None)

    async def count_tokens(self, text: str) -> int | None:
        """Return how many tokens a text has by the server's own count, None where it does not offer that."""
        return None

    async def apply_template(self, messages: Sequence[PromptMessage]) -> str | None:
        """Return messages as one text by the model's own template, None where the server does not offer that."""
        return None

    def refusal_of(self, setting: str, model: str = "") -> str:
        """Return why a setting is not sent, "" if it is: one sentence to show beside it."""
        return self.taken(model).refusal(setting)

    @property
    def makes_alternatives(self) -> bool:
        """Whether `Request.count` is followed; where it is not, one reply comes."""
        return False

    def can_continue(self, model: str = "") -> str:
        """Return why a reply cannot be continued from a part of it, "" if it can."""
        return ""

    @abstractmethod
    async def models(self) -> list[Model]:
        """Return the models that may be chosen; [] where there is nothing to choose."""

    @abstractmethod
    def taken(self, model: str = "") -> Taken:
        """Return which settings are taken, by the server and the model."""

    @abstractmethod
    def _events(self, request: Request) -> AsyncGenerator[Event, None]:
        """Yield the events of a reply as they come, pieces of characters and all. Raises BackendError."""

    async def _read(self, url: str, body: dict[str, Any], reply: Reply) -> AsyncGenerator[Event, None]:
        """Send a request and yield the events that `reply` makes of what comes. Raises BackendError."""
        async with contextlib.aclosing(self._exchange.records(url, body)) as records:
            async for record in records:
                if isinstance(record, Waiting):
                    yield record
                    continue
                for event in reply.take(record):
                    yield event
        for event in reply.end():
            yield event

    def _headers(self) -> dict[str, str]:
        """Return the headers of the protocol; `${key}` stands for the key."""
        return {"Authorization": "Bearer ${key}"}

    def _model(self, request: Request) -> str:
        return request.model or self.connection.model

    def _needs_messages(self, request: Request) -> None:
        if not request.messages:
            raise BackendError("unsupported", f"{self.server} takes messages, not one text.")

    def _needs_prompt(self, request: Request) -> None:
        if not request.prompt:
            raise BackendError("unsupported", f"{self.server} takes one text, not messages.")

    def _needs_no_prefill(self, request: Request) -> None:
        refusal = self.can_continue(request.model) if request.is_continuation else ""
        if refusal:
            raise BackendError("unsupported", refusal)


class _Whole:
    """Makes a stream of what a protocol gives: whole characters, no empty pieces, an end."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._joiners: dict[tuple[type[Text | Reasoning], int], Joiner] = {}
        self._length = 0
        self._ends: list[Finished] = []

    def take(self, event: Event) -> list[Event]:
        """Return what can be given out for an event. Raises BackendError for a reply without end."""
        if isinstance(event, Finished):
            self._ends.append(event)
            return []
        if not isinstance(event, Text | Reasoning):
            return [event]
        key = (type(event), event.choice)
        joiner = self._joiners.get(key)
        if joiner is None:
            joiner = self._joiners[key] = Joiner()
        text = joiner.feed(event.text)
        self._length += len(text)
        if self._length > TEXT_LIMIT:
            raise self._exchange.bad_reply(f"its reply has no end ({TEXT_LIMIT:,} characters came)")
        if text is event.text and text:
            return [event]
        signed = isinstance(event, Reasoning) and event.signature
        return [msgspec.structs.replace(event, text=text)] if text or signed else []

    def held(self) -> list[Event]:
        """Return what was held back of characters that never became whole."""
        found: list[Event] = []
        for (kind, choice), joiner in self._joiners.items():
            text = joiner.end()
            if text:
                found.append(kind(text, choice))
        return found

    def end(self) -> list[Event]:
        """Return the end of the reply. Raises BackendError if the server did not finish."""
        if not self._ends:
            server = self._exchange.server
            raise BackendError("disconnected", f"{server} ended the connection before the reply was complete.")
        return [*self.held(), *self._ends]
