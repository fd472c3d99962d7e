"""The servers whose tools models may use: which there are, how they stand, how to add one."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.generating.scenes import chat_choices
from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.tool_permissions import use_in_chat
from tavern_desktop.tools.mcp.server import ToolServer
from tavern_desktop.tools.mcp.transports import MISSING, is_installed
from tavern_desktop.ui.connecting.row import ConnectionRow
from tavern_desktop.ui.connecting.rows_dialog import RowsDialog
from tavern_desktop.ui.tools import words
from tavern_desktop.ui.tools.data import ToolsData
from tavern_desktop.ui.widgets import clear_layout, label, push_button

FIRST_HEIGHT = 640

_IN_CHAT = (None, True, False)
"""Whether models are offered tools in the chat in view, in the order of the choices."""


class ToolsDialog(RowsDialog):
    """Shows `ToolsData` as it changes; everything it does goes on if it is closed."""

    def __init__(self, parent: QWidget, data: ToolsData, session: ChatSession | None = None) -> None:
        """`session`: the chat in view, which may decide for itself."""
        super().__init__(parent, "toolsDialog", self.tr("Tools"), FIRST_HEIGHT)
        self._data = data
        self._session = session if session is not None and session.chat is not None else None
        self._rows: dict[str, ConnectionRow] = {}
        self._shown: tuple[ToolServer, ...] | None = None
        self._own_boxes: dict[str, QCheckBox] = {}
        self.offer = QCheckBox(self.tr("Let models use tools"))
        self.offer.setObjectName("offerTools")
        self.offer.clicked.connect(lambda is_on: data.offer(is_on=is_on))
        self.about_offer = label(
            self.tr("Some servers take none: a reply then says so, and tools can be left out for that connection."),
            "muted",
            wrap=True,
        )
        self.in_chat = QComboBox()
        self.in_chat.setObjectName("toolsInChat")
        self.in_chat.addItems([self.tr("As set above"), self.tr("Use tools"), self.tr("Use none")])
        self.in_chat.setAccessibleName(self.tr("In the chat in view"))
        self.in_chat.activated.connect(self._choose_for_chat)
        self.own_heading = label(self.tr("Tools of this program"), "section")
        self.own = QGridLayout()
        self.own_ask = QCheckBox(self.tr("Ask me before one of these runs"))
        self.own_ask.setObjectName("askForOwn")
        self.own_ask.clicked.connect(lambda asks: data.ask_for_own(asks=asks))
        self.about_own = label(
            self.tr(
                "They work inside this program: they show something in the chat, read the chat without its hidden "
                "messages, roll dice or tell the time. What they answer goes to the model, like everything in the chat."
            ),
            "muted",
            wrap=True,
        )
        self.allowed_heading = label(self.tr("Run without a question"), "section")
        self.allowed = QVBoxLayout()
        self._decided: tuple[object, ...] = ()
        self.heading = label(self.tr("Tool servers"), "section")
        self.note = label("", "muted", wrap=True)
        self.missing = label(self.tr(MISSING), "warn", wrap=True)
        self.missing.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.servers = QVBoxLayout()
        self.add_button = push_button(self.tr("Add a Tool Server…"), "plain", self.add)
        self.import_button = push_button(self.tr("Import from a File…"), "plain", self.ask_for_file)
        self.import_button.setToolTip(self.tr("The “mcpServers” in the settings of another program"))
        self._lay_out()
        data.changed.connect(self._show)
        data.refused.connect(self.say_problem)
        data.imported.connect(self._imported)
        self._show()
        data.refresh()

    # -- what is done -----------------------------------------------------------------------------------------

    def add(self) -> None:
        """Have the person describe a new server."""
        self._edit(None)

    def ask_for_file(self) -> None:
        """Have the person choose another program's settings, and add its servers."""
        dialog = QFileDialog(self, self.tr("Import Tool Servers"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([self.tr("Settings (*.json)"), self.tr("All files (*)")])
        dialog.fileSelected.connect(lambda path: self.import_file(Path(path)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def import_file(self, path: Path) -> None:
        """Add the servers of a file."""
        self.say("")
        self._data.import_file(path)

    def _imported(self, names: list[str], problems: list[str]) -> None:
        told = [self.tr("Added: {names}.").format(names=", ".join(names))] if names else []
        self.say("\n".join([*told, *problems]), "danger" if problems else "ok")

    def _choose_for_chat(self, number: int) -> None:
        if self._session is None:
            return
        try:
            use_in_chat(self._session, _IN_CHAT[number])
        except Refused as refusal:
            self.say_problem(refusal.sentence)
            self._show_decisions()

    def _edit(self, server: ToolServer | None) -> None:
        from tavern_desktop.ui.tools.edit_dialog import EditToolServer

        self.say("")
        EditToolServer(self, self._data, server).open()

    def _restart(self, server: ToolServer) -> None:
        self.say("")
        self._data.restart(server)

    def _remove(self, server: ToolServer) -> None:
        question = self.tr("Remove the tool server “{name}” and its secrets?").format(name=server.name)
        remove = partial(self._data.remove, server)
        self.ask_to_remove("removeToolServer", self.tr("Remove Tool Server"), question, remove)

    # -- what is shown ----------------------------------------------------------------------------------------

    def _show(self) -> None:
        data = self._data
        if data.servers != self._shown:
            self._shown = data.servers
            self.refill(self._fill, self.add_button)
        decided = (data.settings, data.own)
        if decided != self._decided:
            self._decided = decided
            self._show_decisions()
        for server in data.servers:
            self._rows[server.id].show_state(*words.state_words(server, data.standing_of(server)))
        self.note.setText(self._about())
        self.note.setVisible(bool(self.note.text()))

    def _fill(self) -> Iterable[ConnectionRow]:
        clear_layout(self.servers)
        self._rows = {server.id: self._row(server) for server in self._data.servers}
        for row in self._rows.values():
            self.servers.addWidget(row)
            row.show()
        return self._rows.values()

    def _show_decisions(self) -> None:
        """Show which tools of the program are offered, and which run without a question."""
        settings = self._data.settings
        self.offer.setChecked(settings.is_on)
        self.own_ask.setChecked(settings.asks_for_own)
        chat = self._session.chat if self._session is not None else None
        uses = chat_choices(chat.header.metadata()).uses_tools if chat is not None else None
        self.in_chat.setCurrentIndex(_IN_CHAT.index(uses))
        if self.own.isEmpty():
            for number, tool in enumerate(self._data.own):
                box = QCheckBox(tool.title)
                box.setToolTip(tool.description)
                box.clicked.connect(partial(self._switch_own, tool.id))
                self.own.addWidget(box, number // 2, number % 2)
                self._own_boxes[tool.id] = box
        for tool_id, box in self._own_boxes.items():
            box.setChecked(tool_id not in settings.off)
        clear_layout(self.allowed)
        for tool_id, name in settings.allowed.items():
            row = ConnectionRow(name, "check")
            row.add_button(self.tr("Ask Again"), partial(self._data.revoke, tool_id))
            self.allowed.addWidget(row)
        self.allowed_heading.setVisible(bool(settings.allowed))

    def _switch_own(self, tool_id: str, is_on: bool) -> None:
        self._data.switch_own(tool_id, is_on=is_on)

    def _row(self, server: ToolServer) -> ConnectionRow:
        row = ConnectionRow(server.name, "link")
        row.show_details(words.details(server))
        switch = QCheckBox(self.tr("On"))
        switch.setAccessibleName(self.tr("On: {name}").format(name=server.name))
        switch.setChecked(server.is_on)
        switch.toggled.connect(lambda is_on: self._data.switch(server, is_on=is_on))
        row.add_widget(switch)
        deeds = [
            ("pencil", self.tr("Edit"), partial(self._edit, server)),
            ("trash", self.tr("Remove"), partial(self._remove, server)),
        ]
        if server.is_on:
            deeds.insert(0, ("refresh", self.tr("Start again"), partial(self._restart, server)))
        row.add_deeds(deeds)
        return row

    def _about(self) -> str:
        if self._data.problems:
            return " ".join(self._data.problems)
        if self._data.servers or not self._data.is_known:
            return ""
        return self.tr(
            "There are none yet. A tool server is a program, on this computer or elsewhere, that speaks the Model "
            "Context Protocol: it may search files, look things up, or do things for you. A model can only use what "
            "you add here, and you are asked before it does."
        )

    # -- layout -----------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        column = self.column
        self.servers.setSpacing(8)
        self.allowed.setSpacing(8)
        self.own.setHorizontalSpacing(24)
        column.addWidget(self.offer)
        column.addWidget(self.about_offer)
        if self._session is not None:
            row = QHBoxLayout()
            row.addWidget(label(self.tr("In the chat in view")))
            row.addSpacing(12)
            row.addWidget(self.in_chat)
            row.addStretch(1)
            column.addLayout(row)
        column.addSpacing(12)
        column.addWidget(self.own_heading)
        column.addWidget(self.about_own)
        column.addLayout(self.own)
        column.addSpacing(4)
        column.addWidget(self.own_ask)
        column.addSpacing(12)
        for part in (self.heading, self.missing, self.note):
            column.addWidget(part)
        column.addLayout(self.servers)
        column.addSpacing(12)
        column.addWidget(self.allowed_heading)
        column.addLayout(self.allowed)
        column.addStretch(1)
        self.missing.setVisible(not is_installed())
        self.lay_foot((self.add_button, self.import_button))
