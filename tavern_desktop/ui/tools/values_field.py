"""Variables or headers of a tool server, a line each: those anybody may see, and secrets, which are never shown."""

from __future__ import annotations

from PySide6.QtWidgets import QPlainTextEdit

from tavern_desktop.session.refusals import Refused
from tavern_desktop.tools.mcp.server import Transport
from tavern_desktop.ui.widgets import never_scroll_sideways

HIDDEN = "••••••••"
"""Stands for a secret that is kept."""


class ValuesField(QPlainTextEdit):
    """Shows and reads `NAME=value` for a program, `Name: value` for an address."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        never_scroll_sideways(self)
        self.setFixedHeight(self.fontMetrics().lineSpacing() * 2 + 20)

    def show_values(self, values: dict[str, str], transport: Transport) -> None:
        """Show names and values."""
        sign = _sign(transport)
        self.setPlainText("\n".join(f"{name}{sign}{value}" for name, value in values.items()))

    def read(self, transport: Transport) -> dict[str, str]:
        """Return names and values as they are typed. Raises Refused for a line that has neither."""
        sign = _sign(transport).strip()
        found = {}
        for line in filter(str.strip, self.toPlainText().splitlines()):
            name, mark, value = line.partition(sign)
            if not mark or not name.strip():
                raise Refused(f"Write each line as {example(transport)}; this one is not: {name.strip()[:40]}")
            found[name.strip()] = value.strip()
        return found


def example(transport: Transport) -> str:
    """Return how a line is written."""
    return "NAME=value" if transport == "stdio" else "Name: value"


def _sign(transport: Transport) -> str:
    return "=" if transport == "stdio" else ": "
