"""How tool servers stand, in the person's words."""

from __future__ import annotations

import shlex

from PySide6.QtCore import QCoreApplication

from tavern_desktop.tools.mcp.links import Standing
from tavern_desktop.tools.mcp.server import ToolServer
from tavern_desktop.ui.icons import Tone


def tr(text: str) -> str:
    return QCoreApplication.translate("ToolServers", text)


def details(server: ToolServer) -> str:
    """Return where a server is, on one line."""
    return server.url if server.transport == "http" else shlex.join([server.command, *server.args])


def state_words(server: ToolServer, standing: Standing | None) -> tuple[str, Tone]:
    """Return how a server stands, and the tone of it."""
    if not server.is_on:
        return tr("Switched off"), "muted"
    if standing is None:
        return "", "muted"
    if standing.error is not None:
        said = f"\n{standing.error.said[-400:]}" if standing.error.said else ""
        return standing.error.sentence + said, "danger"
    if standing.state == "starting":
        return tr("Starting…"), "muted"
    if standing.state == "ready":
        offered = [tool for tool in standing.tools if tool.name not in server.left_out]
        return tool_count(len(offered), len(standing.tools)), "ok"
    return tr("Is started when it is needed"), "muted"


def tool_count(offered: int, all_of_them: int) -> str:
    """Say how many tools are offered."""
    if offered == all_of_them:
        return tr("1 tool") if offered == 1 else tr("{count} tools").format(count=offered)
    return tr("{count} of {all} tools").format(count=offered, all=all_of_them)
