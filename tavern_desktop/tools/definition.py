"""What a tool is to the program, whoever made it: what models are told of it, whom it asks first, how it is run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tavern_desktop.chat.message import Message
from tavern_desktop.storage.errors import StorageError

CALL_SECONDS = 120.0
"""How long a call may take. Then nobody knows what became of it."""


def _stored_nowhere(data: bytes) -> str:
    """Store nothing: there is no data folder."""
    raise StorageError("validation", "argument", "There is no data folder.")


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool may look at: the chat as it was when the reply was asked for."""

    messages: Sequence[Message] = ()
    store: Callable[[bytes], str] = field(default=_stored_nowhere, repr=False)
    """Puts a picture into the data folder and returns its address. Raises StorageError. Called on a thread."""


@dataclass(frozen=True, slots=True)
class CardChange:
    """What a tool changes of a special message that is in the chat.

    `change` is given its payload as it is when the results come into the chat, which several may change, and returns
    the new one.
    """

    card_id: str
    change: Callable[[dict[str, Any]], dict[str, Any]] = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave. `text` goes to the model; with `is_error` it says what went wrong.

    `card`: the payload of a special message that is shown below the call. `pictures`: addresses of what is shown too.
    `change`: what becomes of a special message that is there already.
    """

    text: str
    is_error: bool = False
    card: str = ""
    pictures: tuple[str, ...] = ()
    change: CardChange | None = None


class OutcomeUnknown(Exception):
    """A call was under way when its tool fell silent or was lost: nobody knows whether it was carried out."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


Run = Callable[[dict[str, Any], ToolContext], Awaitable[ToolResult]]
"""Does the work, on the loop of the model servers. Raises OutcomeUnknown; every other failure is a result."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that models are offered. `name` is unique among those that are offered together."""

    id: str
    """By which permissions are kept; never changes."""
    name: str
    title: str
    description: str
    parameters: dict[str, Any]
    """A JSON schema of an object."""
    run: Run = field(repr=False, compare=False)
    source: str = ""
    """The server it is of, "" for the program's own."""
    asks_first: bool = True
    """The person is asked before it runs, unless they allowed it."""
