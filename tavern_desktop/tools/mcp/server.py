"""Servers of tools by the Model Context Protocol: what is kept of one, and what makes it usable."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from tavern_desktop.tools.mcp.errors import ToolServerError

Transport = Literal["stdio", "http"]

_Seconds = Annotated[float, Meta(gt=0, le=86_400)]
_SECRET = re.compile(r"authorization|cookie|key|token|secret|passw|credential|bearer|dsn", re.IGNORECASE)
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VARIABLE_NAME = re.compile(r"[^=\0\s]+")


class ToolServer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One server of tools. Nothing secret is in here.

    `id` never changes and names the secrets in the key store. With "stdio" the program starts `command` with `args` in
    `folder` and talks to it over its input and output; with "http" it asks `url`. `values` are environment variables,
    or headers, as they are; `secrets` names those whose values are in the key store. `left_out` are tools that no model
    is offered.
    """

    id: str
    name: str
    transport: Transport = "stdio"
    command: str = ""
    args: tuple[str, ...] = ()
    folder: str = ""
    url: str = ""
    values: dict[str, str] = {}
    secrets: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    is_on: bool = True
    start_seconds: _Seconds = 60.0
    """How long it may take to start and to say what it has; the first start may fetch the program."""


def check(server: ToolServer) -> None:
    """Raise ToolServerError unless the server can be used and keeps no secret in the open."""
    if server.transport == "stdio":
        if not server.command.strip() or "\0" in server.command + "".join(server.args) + server.folder:
            raise _wrong(server, "it names no program to start")
    else:
        _check_address(server)
    what, form = ("variable", _VARIABLE_NAME) if server.transport == "stdio" else ("header", _HEADER_NAME)
    for name in (*server.values, *server.secrets):
        if not form.fullmatch(name):
            raise _wrong(server, f"the {what} {name!r} cannot be sent")
    for name, value in server.values.items():
        check_value(server, name, value)
    if twice := set(server.values) & set(server.secrets):
        raise _wrong(server, f"the {what} {min(twice)} is there twice")


def check_value(server: ToolServer, name: str, value: str) -> None:
    """Raise ToolServerError for a value that cannot be handed over."""
    if "\0" in value or (server.transport == "http" and not (value.isascii() and value.isprintable())):
        raise _wrong(server, f"the value of {name} has characters that cannot be sent")


def is_secret(name: str) -> bool:
    """Say whether a variable or a header is called like something secret."""
    return _SECRET.search(name) is not None


def handed_over(server: ToolServer, secrets: Mapping[str, str]) -> dict[str, str]:
    """Return the variables or headers with their values. Raises ToolServerError for a secret that is not known."""
    missing = [name for name in server.secrets if not secrets.get(name)]
    if missing:
        raise ToolServerError("setup", f"The value of {missing[0]} for “{server.name}” is not known: enter it again.")
    return server.values | {name: secrets[name] for name in server.secrets}


def _check_address(server: ToolServer) -> None:
    try:
        parts = urlsplit(server.url.strip())
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_good = False
    if not is_good or not server.url.strip().isprintable() or " " in server.url.strip():
        raise _wrong(server, "the address must be like https://host/mcp")
    if parts.username or parts.password:
        raise _wrong(server, "the address holds a password: use a secret header")


def _wrong(server: ToolServer, why: str) -> ToolServerError:
    return ToolServerError("setup", f"The tool server “{server.name}” cannot be used: {why}.")
