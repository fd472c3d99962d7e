"""Tool servers in the window: added, tried out, changed, switched off, imported, removed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QDialog, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tavern_desktop.session.generating.scenes import chat_choices
from tavern_desktop.tools.mcp.server import ToolServer
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.main_window import MainWindow
from tavern_desktop.ui.tools.dialog import ToolsDialog
from tavern_desktop.ui.tools.edit_dialog import EditToolServer
from tavern_desktop.ui.tools.values_field import HIDDEN
from tests.gui.shell.window_parts import Opener
from tests.unit.tools.mcp.harbour import ROOT, as_child

LONG = 60_000

D = TypeVar("D", bound=QDialog)
Wait = Callable[[Callable[[], Any]], None]


@pytest.fixture
def wait(qtbot: QtBot) -> Wait:
    return lambda condition: qtbot.waitUntil(lambda: bool(condition()), timeout=LONG)


@pytest.fixture
def window(opened: Opener) -> MainWindow:
    return opened()


def shown(kind: type[D], parent: QWidget) -> D:
    (found,) = [dialog for dialog in parent.findChildren(kind) if dialog.isVisible()]
    return found


def tools(window: MainWindow, wait: Wait) -> ToolsDialog:
    """Open the dialog, and wait until the servers have been read."""
    window.actions_[Act.TOOLS].trigger()
    wait(lambda: window.services.tools.is_known)
    return shown(ToolsDialog, window)


def kept(window: MainWindow, server: ToolServer, wait: Wait, **secrets: str) -> ToolServer:
    """Have a server kept already."""
    window.services.tools.keep(server, secrets)
    wait(lambda: server in window.services.tools.servers)
    return server


def named(parent: QWidget, name: str) -> QAbstractButton:
    (found,) = [one for one in parent.findChildren(QAbstractButton) if one.accessibleName() == name and one.isVisible()]
    return found


def state(dialog: ToolsDialog, server: ToolServer) -> str:
    return dialog._rows[server.id].state.text()


def test_a_server_is_added_tried_out_and_its_tools_are_offered(window: MainWindow, wait: Wait) -> None:
    dialog = tools(window, wait)
    assert "There are none yet." in dialog.note.text()
    dialog.add_button.click()
    edit = shown(EditToolServer, dialog)
    server = as_child()
    edit.name.setText("Harbour")
    edit.command.setText(f"{server.command} -m tests.tool_server")
    edit.folder.setText(str(ROOT))
    edit.values.setPlainText(f"PYTHONPATH={ROOT}\nHARBOUR_TOKEN=swordfish-7")
    edit.test_button.click()
    wait(lambda: edit.tools.count())
    assert edit.said.text() == "It answers: 12 tools."
    assert edit.tools.item(0).text() == "Depth of water (depth)"
    edit.tools.item(0).setCheckState(Qt.CheckState.Unchecked)
    edit.save_button.click()
    wait(lambda: window.services.tools.servers)
    (made,) = window.services.tools.servers
    assert (made.left_out, made.secrets, made.values) == (("depth",), ("HARBOUR_TOKEN",), {"PYTHONPATH": str(ROOT)})
    wait(lambda: state(dialog, made) == "11 of 12 tools")
    named(dialog, "Edit: Harbour").click()
    again = shown(EditToolServer, dialog)
    assert again.secrets.toPlainText() == f"HARBOUR_TOKEN={HIDDEN}"
    assert again.tools.item(0).checkState() == Qt.CheckState.Unchecked
    again.name.setText("Quay")
    again.save_button.click()
    wait(lambda: [server.name for server in window.services.tools.servers] == ["Quay"])
    assert window.services.model_servers.remote_tools.servers.secrets_of(made) == {"HARBOUR_TOKEN": "swordfish-7"}


@pytest.mark.parametrize(
    ("command", "values", "secrets", "says"),
    [
        ("", "", "", "it names no program to start"),
        ("prog 'open", "", "", "A quotation mark in the command is left open."),
        ("prog", "no sign", "", "Write each line as NAME=value"),
        ("prog", "", "TOKEN=", "TOKEN has no value."),
        ("prog", "A=1", "A=2", "the variable A is there twice"),
    ],
)
def test_what_cannot_be_used_says_why_and_stays_open(
    window: MainWindow, wait: Wait, command: str, values: str, secrets: str, says: str
) -> None:
    dialog = tools(window, wait)
    dialog.add_button.click()
    edit = shown(EditToolServer, dialog)
    edit.name.setText("X")
    edit.command.setText(command)
    edit.values.setPlainText(values)
    edit.secrets.setPlainText(secrets)
    edit.save_button.click()
    assert says in edit.said.text()
    assert edit.isVisible()


def test_one_that_cannot_be_started_says_so_and_can_be_switched_off_and_removed(window: MainWindow, wait: Wait) -> None:
    server = kept(window, as_child(command="no-such-program-8f1"), wait)
    dialog = tools(window, wait)
    wait(lambda: "“no-such-program-8f1” is not there" in state(dialog, server))
    switch = named(dialog, "On: Harbour")
    assert isinstance(switch, QCheckBox)
    switch.setFocus()
    switch.click()
    wait(lambda: state(dialog, server) == "Switched off")
    assert dialog.focusWidget() is named(dialog, "On: Harbour")
    named(dialog, "Remove: Harbour").click()
    box = shown(QMessageBox, dialog)
    next(button for button in box.buttons() if button.text() == "Remove").click()
    wait(lambda: not window.services.tools.servers)
    assert "There are none yet." in dialog.note.text()


def test_the_settings_of_another_program_are_imported(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    entry = {"command": "no-such-program-8f1", "env": {"API_KEY": "k-1"}, "disabled": True}
    file = tmp_path / "other.json"
    file.write_text(json.dumps({"mcpServers": {"files": entry, "bad": {"url": "nowhere"}}}))
    dialog = tools(window, wait)
    dialog.import_file(file)
    wait(lambda: window.services.tools.servers)
    assert dialog.said.text().startswith("Added: files.\nThe tool server “bad” cannot be used")
    (server,) = window.services.tools.servers
    assert (server.secrets, server.is_on) == (("API_KEY",), False)
    file.write_text("no json")
    dialog.import_file(file)
    wait(lambda: dialog.said.text() == "This file is not valid JSON.")


def test_without_the_package_the_dialog_says_how_to_get_it(
    window: MainWindow, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tavern_desktop.ui.tools.dialog.is_installed", lambda: False)
    dialog = tools(window, wait)
    assert dialog.missing.isVisible()
    assert "pip install 'tavern-desktop[mcp]'" in dialog.missing.text()


def test_an_address_has_headers_where_a_program_has_variables(window: MainWindow, wait: Wait) -> None:
    dialog = tools(window, wait)
    dialog.add_button.click()
    edit = shown(EditToolServer, dialog)
    assert (edit.command.isVisible(), edit.url.isVisible()) == (True, False)
    edit.kind.setCurrentIndex(1)
    assert (edit.command.isVisible(), edit.url.isVisible()) == (False, True)
    assert edit.secrets.accessibleName() == "Secret headers"
    assert edit.secrets.placeholderText() == "Name: value"
    assert all(button.autoDefault() is (button is edit.save_button) for button in edit.findChildren(QPushButton))


def test_a_chat_decides_for_itself_and_undo_takes_it_back(window: MainWindow, wait: Wait) -> None:
    dialog = tools(window, wait)
    assert not dialog.in_chat.isVisible()  # no chat is in view
    dialog.close()
    window.open_path(Path(window.library.neighbour(0)))
    wait(lambda: window.desk.session is not None and window.desk.session.state == "ready")
    dialog = tools(window, wait)
    assert dialog.in_chat.currentText() == "As set above"
    dialog.in_chat.setCurrentIndex(2)
    dialog.in_chat.activated.emit(2)
    session = window.desk.session
    assert session is not None
    assert session.chat is not None
    assert chat_choices(session.chat.header.metadata()).uses_tools is False
    dialog.close()
    session.undo()
    assert chat_choices(session.chat.header.metadata()).uses_tools is None


def test_tools_of_the_program_ask_first_where_that_is_wanted(window: MainWindow, wait: Wait) -> None:
    dialog = tools(window, wait)
    permissions = window.services.model_servers.permissions
    dice = next(tool for tool in window.services.tools.own if tool.id == "roll_dice")
    assert not permissions.asks(dice)
    dialog.own_ask.click()
    wait(lambda: window.services.tools.settings.asks_for_own)
    assert permissions.asks(dice)
    permissions.allow_always(dice)
    assert not permissions.asks(dice)
    dialog.own_ask.click()
    wait(lambda: not window.services.tools.settings.asks_for_own)
