"""The settings that other programs keep of their tool servers: a JSON object `mcpServers`, by name."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from typing import Any

from tavern_desktop.tools.mcp.errors import ToolServerError
from tavern_desktop.tools.mcp.server import ToolServer, check, is_secret

MOST_BYTES = 1024 * 1024
MOST_SERVERS = 200


@dataclass(frozen=True)
class Found:
    """A server of such a file, and the values of its secrets by name."""

    server: ToolServer
    secrets: dict[str, str]

    def __repr__(self) -> str:
        return f"Found({self.server!r}, secrets=…)"


def read_servers(text: str) -> tuple[list[Found], list[str]]:
    """Return the servers of a file and a sentence for each that cannot be used.

    The object may stand alone or beside other settings, and may be called `servers`. Values that are called like keys
    or passwords are taken for secrets. Raises ToolServerError where there are none.
    """
    entries = _entries(text)
    found: list[Found] = []
    problems: list[str] = []
    for name, entry in list(entries.items())[:MOST_SERVERS]:
        try:
            found.append(_server(name, entry))
        except ToolServerError as error:
            problems.append(error.sentence)
    if not found and not problems:
        raise ToolServerError("setup", "There are no tool servers in this file.")
    return found, problems


def _entries(text: str) -> dict[str, Any]:
    if len(text) > MOST_BYTES:
        raise ToolServerError("setup", "This file is too large to be a list of tool servers.")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise ToolServerError("setup", "This file is not valid JSON.") from None
    for key in ("mcpServers", "servers"):
        if isinstance(data, dict) and isinstance(data.get(key), dict):
            entries: dict[str, Any] = data[key]
            return entries
    raise ToolServerError("setup", "This file has no list “mcpServers”.")


def _server(name: str, entry: Any) -> Found:
    entry = entry if isinstance(entry, dict) else {}
    url = _text(entry.get("url") or entry.get("serverUrl"))
    is_http = bool(url) and not entry.get("command")
    if is_http and entry.get("type") == "sse":
        raise ToolServerError("setup", f"“{name}” speaks the older protocol over SSE, which is not known here.")
    values = _values(entry.get("headers") if is_http else entry.get("env"))
    hidden = {key: value for key, value in values.items() if value and is_secret(key)}
    args = entry.get("args")
    server = ToolServer(
        id=new_id(),
        name=" ".join(name.split())[:100] or "Tools",
        transport="http" if is_http else "stdio",
        command=_text(entry.get("command")),
        args=tuple(str(each) for each in args) if isinstance(args, list) else (),
        folder=_text(entry.get("cwd")),
        url=url if is_http else "",
        values={key: value for key, value in values.items() if key not in hidden},
        secrets=tuple(hidden),
        is_on=entry.get("disabled") is not True and entry.get("enabled") is not False,
    )
    check(server)
    return Found(server, hidden)


def new_id() -> str:
    """Return the id of a new server, under which its secrets are kept too."""
    return secrets.token_hex(8)


def _values(entry: Any) -> dict[str, str]:
    return {str(key): str(value) for key, value in entry.items()} if isinstance(entry, dict) else {}


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
