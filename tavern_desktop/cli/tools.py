"""Commands about tools: which there are, and what one answers. Whoever names a tool here has allowed it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from tavern_desktop.chat.message import Message
from tavern_desktop.cli import output
from tavern_desktop.cli.context import Context
from tavern_desktop.session.generating.model_servers import ModelServers
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.runner import PlainRunner
from tavern_desktop.session.tool_permissions import ToolSettings
from tavern_desktop.storage.directory import kind_of
from tavern_desktop.storage.reader import load
from tavern_desktop.tools.checking import BadArguments, read_arguments
from tavern_desktop.tools.definition import OutcomeUnknown, Tool, ToolContext, ToolResult

ANSWERED, WENT_WRONG = 0, 1


def list_tools(context: Context) -> int:
    """Print the tools, and why those of a server are missing."""
    runner = PlainRunner()
    with _servers(context, runner) as servers:
        permissions = servers.permissions
        settings = permissions.reload()
        tools = servers.submit(servers.offers.existing()).result()
        runner.run_until_idle()  # how the servers stand
        standing = [servers.remote_tools.standing_of(server.id) for server in servers.remote_tools.servers.all()]
    for tool in tools:
        _tell(context, tool, settings, asks=permissions.asks(tool))
    for each in standing:
        if each is not None and each.error is not None:
            output.complain(f"{each.server.name}: {each.error.sentence}")
    if not settings.is_on and not context.json:
        output.complain("Models are offered no tools: that is switched off.")
    return 0


def run_tool(context: Context) -> int:
    """Run one tool. Raises CommandRefused where it is not known, cannot be run so, or its outcome is not known."""
    args = context.args
    seen = ToolContext(tuple(_messages(context)))
    with _servers(context, PlainRunner()) as servers:
        tool = _named(servers.submit(servers.offers.existing()).result(), args.name)
        try:
            given = read_arguments(args.args, tool.parameters)
            result = servers.submit(_answer(tool, given, seen)).result()
        except BadArguments as error:
            raise CommandRefused(str(error)) from None
        except OutcomeUnknown as error:
            raise CommandRefused(f"{error.sentence} Nobody knows whether the call was carried out.") from None
    if context.json:
        output.say_json({"name": tool.name, "text": result.text, "is_error": result.is_error, "card": result.card})
    else:
        output.say_lines(result.text)
        if result.card:
            output.say_lines(result.card)
    return WENT_WRONG if result.is_error else ANSWERED


@contextlib.contextmanager
def _servers(context: Context, runner: PlainRunner) -> Iterator[ModelServers]:
    servers = ModelServers(runner, context.folders, None, frame=0)
    try:
        yield servers
    finally:
        servers.close()


async def _answer(tool: Tool, given: dict[str, Any], seen: ToolContext) -> ToolResult:
    return await tool.run(given, seen)


def _messages(context: Context) -> list[Message]:
    if not context.args.chat:
        return []
    path = context.chat_file(context.args.chat)
    return list(load(path, kind=kind_of(path)).messages)


def _named(tools: list[Tool], name: str) -> Tool:
    """Return a tool by its name or id. Raises CommandRefused."""
    for tool in tools:
        if name in (tool.name, tool.id):
            return tool
    raise CommandRefused(f"There is no tool {name}; `tools list` tells which there are.")


def _tell(context: Context, tool: Tool, settings: ToolSettings, *, asks: bool) -> None:
    offered = settings.is_on and tool.id not in settings.off
    if context.json:
        facts = {name: getattr(tool, name) for name in ("name", "title", "source", "description", "parameters")}
        output.say_json({**facts, "offered": offered, "asks": asks})
    else:
        marks = [mark for mark, holds in (("asks first", asks), ("not offered", not offered)) if holds]
        output.say("  ".join([tool.name, f"{tool.source}: {tool.title}" if tool.source else tool.title, *marks]))
