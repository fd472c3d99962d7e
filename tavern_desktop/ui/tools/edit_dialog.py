"""Adding a tool server, or changing one: how it is reached, what it is told, which of its tools are offered."""

from __future__ import annotations

import shlex
from concurrent.futures import Future
from typing import Any

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from tavern_desktop.session.refusals import Refused
from tavern_desktop.tools.mcp.errors import ToolServerError
from tavern_desktop.tools.mcp.file_format import new_id
from tavern_desktop.tools.mcp.link import RemoteTool
from tavern_desktop.tools.mcp.server import ToolServer, Transport, check, is_secret
from tavern_desktop.ui.tools.data import ToolsData
from tavern_desktop.ui.tools.values_field import HIDDEN, ValuesField, example
from tavern_desktop.ui.tools.words import tool_count
from tavern_desktop.ui.widgets import TextField, label, push_button, set_tone

TALLEST = 720
"""Pixels that the dialog asks for at most."""

_TRANSPORTS: tuple[Transport, ...] = ("stdio", "http")


class EditToolServer(QDialog):
    """`server`: the one to change, None for a new one. Nothing is kept before the person says so."""

    def __init__(self, parent: QWidget, data: ToolsData, server: ToolServer | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("editToolServer")
        self.setWindowTitle(self.tr("Edit Tool Server") if server is not None else self.tr("Add a Tool Server"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._data = data
        self._server = server or ToolServer(id=new_id(), name="")
        self._asking: Future[Any] | None = None
        self._is_closed = False
        self.kind = QComboBox()
        self.kind.addItems([self.tr("A program on this computer"), self.tr("An address")])
        self.kind.setAccessibleName(self.tr("How it is reached"))
        self.name = TextField("", self.tr("Name"))
        self.command = TextField("npx -y @modelcontextprotocol/server-memory", self.tr("Command"))
        self.folder = TextField(self.tr("As usual"), self.tr("Folder"))
        self.url = TextField("https://host/mcp", self.tr("Address"))
        self.values = ValuesField("")
        self.secrets = ValuesField("")
        self.about_secrets = label("", "muted", wrap=True)
        self.tools_heading = label(self.tr("Offered tools"), "section")
        self.tools = QListWidget()
        self.tools.setObjectName("offeredTools")
        self.tools.setAccessibleName(self.tr("Offered tools"))
        self.tools.setMinimumHeight(96)
        self.said = label("", "muted", wrap=True)
        self.said.setAccessibleDescription(self.tr("What became of it"))
        self.test_button = push_button(self.tr("Test"), "plain", self.test)
        self.save_button = push_button(self.tr("Save") if server is not None else self.tr("Add"), "primary", self.save)
        self._lay_out()
        self._show_server()
        self.kind.currentIndexChanged.connect(self._show_kind)
        self.finished.connect(self._close)

    @property
    def _transport(self) -> Transport:
        return _TRANSPORTS[self.kind.currentIndex()]

    # -- what is done -----------------------------------------------------------------------------------------

    def save(self) -> None:
        """Keep the server and close; where it cannot be kept, say why and stay."""
        typed = self._read()
        if typed is not None:
            self._data.keep(*typed, self._kept, self._say_problem)

    def test(self) -> None:
        """Start what is typed, without keeping it, and ask for its tools."""
        typed = self._read()
        if typed is None:
            return
        self._stop_asking()
        self._say(self.tr("Starting… The first start may take a while."))
        self._asking = self._data.try_out(*typed, self._tested)

    def _kept(self) -> None:
        if not self._is_closed:
            self.accept()

    def _tested(self, tools: tuple[RemoteTool, ...] | None, problem: str) -> None:
        if self._is_closed:
            return
        if tools is None:
            self._say_problem(problem)
            return
        self._show_tools(tools)
        self._say(self.tr("It answers: {tools}.").format(tools=tool_count(len(tools), len(tools))), "ok")

    def _close(self) -> None:
        self._is_closed = True
        self._stop_asking()

    def _stop_asking(self) -> None:
        if self._asking is not None:
            self._asking.cancel()

    # -- between the fields and a server ----------------------------------------------------------------------

    def _read(self) -> tuple[ToolServer, dict[str, str]] | None:
        """Return the server and the new secrets as they are typed, None after saying what is wrong with them."""
        try:
            server, secrets = self._typed()
            check(server)
            missing = [name for name in server.secrets if name not in self._server.secrets and not secrets.get(name)]
            if missing:
                raise Refused(self.tr("{name} has no value.").format(name=missing[0]))
        except (Refused, ToolServerError) as error:
            self._say_problem(error.sentence)
            return None
        return server, secrets

    def _typed(self) -> tuple[ToolServer, dict[str, str]]:
        name = self.name.text().strip()
        if not name:
            raise Refused(self.tr("A tool server needs a name."))
        plain, hidden = self.values.read(self._transport), self.secrets.read(self._transport)
        hidden |= {name: plain.pop(name) for name in list(plain) if is_secret(name) and plain[name]}
        changes: dict[str, Any] = {
            "name": name,
            "transport": self._transport,
            "values": plain,
            "secrets": tuple(hidden),
            "left_out": self._left_out(),
        }
        if self._transport == "stdio":
            words = _words(self.command.text())
            changes |= {"command": words[0] if words else "", "args": tuple(words[1:]), "url": ""}
            changes["folder"] = self.folder.text().strip()
        else:
            changes |= {"url": self.url.text().strip(), "command": "", "args": (), "folder": ""}
        new = {name: value for name, value in hidden.items() if value and value != HIDDEN}
        return msgspec.structs.replace(self._server, **changes), new

    def _left_out(self) -> tuple[str, ...]:
        items = [self.tools.item(row) for row in range(self.tools.count())]
        unchecked = tuple(
            item.data(Qt.ItemDataRole.UserRole) for item in items if item.checkState() == Qt.CheckState.Unchecked
        )
        return unchecked if items else self._server.left_out

    def _show_server(self) -> None:
        server = self._server
        self.kind.setCurrentIndex(_TRANSPORTS.index(server.transport))
        self.name.setText(server.name)
        self.command.setText(shlex.join([server.command, *server.args]) if server.command else "")
        self.folder.setText(server.folder)
        self.url.setText(server.url)
        self.values.show_values(server.values, server.transport)
        self.secrets.show_values(dict.fromkeys(server.secrets, HIDDEN), server.transport)
        standing = self._data.standing_of(server)
        self._show_tools(standing.tools if standing is not None else ())
        self._show_kind()

    def _show_kind(self) -> None:
        is_program = self._transport == "stdio"
        for row, belongs in ((self.command, is_program), (self.folder, is_program), (self.url, not is_program)):
            self._form.setRowVisible(row, belongs)
        texts = (
            (self._values_label, self.values, self.tr("Variables"), self.tr("Headers")),
            (self._secrets_label, self.secrets, self.tr("Secret variables"), self.tr("Secret headers")),
        )
        for name, field, of_program, of_address in texts:
            name.setText(of_program if is_program else of_address)
            field.setAccessibleName(name.text())
            field.setPlaceholderText(example(self._transport))
        self._fit()

    def _show_tools(self, tools: tuple[RemoteTool, ...]) -> None:
        left_out = self._left_out()
        self.tools.clear()
        for tool in tools:
            item = QListWidgetItem(tool.title if tool.title == tool.name else f"{tool.title} ({tool.name})")
            item.setData(Qt.ItemDataRole.UserRole, tool.name)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            state = Qt.CheckState.Unchecked if tool.name in left_out else Qt.CheckState.Checked
            item.setCheckState(state)
            item.setToolTip(" ".join(tool.description.split())[:400])
            self.tools.addItem(item)
        for widget in (self.tools_heading, self.tools):
            widget.setVisible(bool(tools))
        self._fit()

    def _fit(self) -> None:
        """Be high enough for everything: sentences that wrap want more than Qt reckons with by itself."""
        layout = self.layout()
        if layout is not None:
            layout.activate()
            self.setMinimumHeight(0)
            wanted = layout.totalHeightForWidth(self.width())
            self.setMinimumHeight(min(wanted, TALLEST))
            self.resize(self.width(), max(self.height(), self.minimumHeight()))

    def _say(self, text: str, tone: str = "muted") -> None:
        self.said.setText(text)
        self.said.setVisible(bool(text))
        set_tone(self.said, tone)
        self._fit()

    def _say_problem(self, text: str) -> None:
        if not self._is_closed:
            self._say(text, "danger")

    # -- layout -----------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        self._values_label, self._secrets_label = label(), label()
        self._form = form = QFormLayout()
        form.setHorizontalSpacing(18)
        form.setVerticalSpacing(10)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(label(self.tr("How it is reached")), self.kind)
        form.addRow(label(self.tr("Name")), self.name)
        form.addRow(label(self.tr("Command")), self.command)
        form.addRow(label(self.tr("Folder")), self.folder)
        form.addRow(label(self.tr("Address")), self.url)
        form.addRow(self._values_label, self.values)
        form.addRow(self._secrets_label, self.secrets)
        form.addRow("", self.about_secrets)
        note = self.tr("Secrets are handed to the server and to nobody else. {where}")
        self.about_secrets.setText(note.format(where=self._data.about_secrets).strip())
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        cancel = push_button(self.tr("Cancel"), "plain", self.reject)
        for button in (self.test_button, cancel):
            button.setAutoDefault(False)
        self.save_button.setDefault(True)
        buttons.addWidget(self.test_button)
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self.save_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(22, 20, 22, 16)
        column.setSpacing(12)
        column.addLayout(form)
        column.addWidget(self.tools_heading)
        column.addWidget(self.tools, 1)
        column.addWidget(self.said)
        column.addStretch(0)
        column.addLayout(buttons)
        self.said.hide()
        self.setMinimumWidth(520)
        self.resize(560, 480)


def _words(text: str) -> list[str]:
    """Return a command line as words. Raises Refused where a quotation mark is left open."""
    try:
        return shlex.split(text)
    except ValueError:
        raise Refused("A quotation mark in the command is left open.") from None
