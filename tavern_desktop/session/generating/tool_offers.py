"""The tools that a reply may use: the program's own, and those of the servers that are set up."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from tavern_desktop.cards.registry import known_forms
from tavern_desktop.resources import resource_path
from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.remote_tools import RemoteTools
from tavern_desktop.session.tool_permissions import ToolPermissions
from tavern_desktop.tools.builtin import builtin_tools
from tavern_desktop.tools.definition import Tool
from tavern_desktop.tools.mcp.links import LONGEST_NAME
from tavern_desktop.tools.remote import as_tool

FORMS = "forms"
"""In our folder for settings, and in the program's own data."""


class ToolOffers:
    """Its coroutines run on the loop of the model servers."""

    def __init__(self, permissions: ToolPermissions, remote: RemoteTools, config: Path) -> None:
        """`config`: our folder for settings."""
        self._permissions, self._remote, self._config = permissions, remote, config

    async def all(self, wished: bool | None = None, named: Sequence[str] = (), *, starts: bool = True) -> list[Tool]:
        """Return what models are offered now, each under a name of its own; nothing where that is switched off.

        `wished`: what the chat decided for itself. `named`: names or ids of tools that are offered in any case.
        `starts`: servers that do not run are started for it. Raises Refused where one that is named does not exist.
        """
        settings = await asyncio.to_thread(self._permissions.reload)
        is_on = settings.is_on if wished is None else wished
        if not is_on and not named:
            return []
        tools = await self.existing(starts=starts)
        known = {word for tool in tools for word in (tool.name, tool.id)}
        if missing := [name for name in named if name not in known]:
            raise Refused(f"There is no tool {missing[0]}; `tools list` tells which there are.")
        return [
            tool for tool in tools if tool.name in named or tool.id in named or (is_on and tool.id not in settings.off)
        ]

    async def existing(self, *, starts: bool = True) -> list[Tool]:
        """Return the tools there are, whether models are offered them or not, each under a name of its own."""
        own = await asyncio.to_thread(own_tools, self._config)
        taken = {tool.name for tool in own}
        found = await self._remote.offered() if starts else self._remote.known()
        others = [as_tool(offered, self._remote.call) for offered in found]
        return [*own, *(_renamed(tool, taken) for tool in others)]


def own_tools(config: Path) -> list[Tool]:
    """Return the program's own tools, with the forms that can be filled in here. Reads files."""
    return builtin_tools(known_forms(resource_path(FORMS), config / FORMS))


def tokens_of(tools: Sequence[Tool]) -> int:
    """Return about how many tokens it takes to describe tools to a model."""
    return sum(len(f"{tool.name}{tool.description}{tool.parameters}") for tool in tools) // 3


def _renamed(tool: Tool, taken: set[str]) -> Tool:
    from dataclasses import replace

    return tool if tool.name not in taken else replace(tool, name=f"{tool.name[: LONGEST_NAME - 6]}_other")
