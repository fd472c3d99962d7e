"""Tools of other programs, as tools of ours."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.tools.definition import CALL_SECONDS, OutcomeUnknown, Tool, ToolContext, ToolResult
from tavern_desktop.tools.mcp.errors import UNKNOWN_OUTCOMES, ToolServerError
from tavern_desktop.tools.mcp.links import Offered
from tavern_desktop.tools.mcp.results import Answer

Call = Callable[[str, str, dict[str, Any], float], Awaitable[Answer]]
"""Has a tool of a server do its work: (id of the server, name, arguments, seconds)."""


def as_tool(offered: Offered, call: Call) -> Tool:
    """Return a tool that a server offers; the person is asked before it runs."""
    server, tool = offered.server, offered.tool

    async def run(given: dict[str, Any], context: ToolContext) -> ToolResult:
        try:
            answer = await call(server.id, tool.name, given, CALL_SECONDS)
        except ToolServerError as error:
            if error.kind in UNKNOWN_OUTCOMES and not error.is_of_start:
                raise OutcomeUnknown(error.sentence) from None
            return ToolResult(error.sentence, is_error=True)
        return await asyncio.to_thread(_stored, answer, context)

    return Tool(
        f"{server.id}/{tool.name}", offered.name, tool.title, tool.description, tool.parameters, run, server.name
    )


def _stored(answer: Answer, context: ToolContext) -> ToolResult:
    """Return an answer as a result, its pictures in the data folder; where that fails the text says so."""
    text, urls = answer.text, []
    for picture in answer.pictures:
        try:
            urls.append(context.store(picture.data))
        except StorageError as error:
            text = f"{text}\n[A picture could not be kept: {error.message or sentence(error)}]".strip()
    return ToolResult(text, answer.is_error, pictures=tuple(urls))
