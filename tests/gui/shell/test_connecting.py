"""Connecting a model: what is found, what is typed, where keys go, and how the model is to write."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import psutil
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tavern_desktop.backends.connection import Connection
from tavern_desktop.backends.settings import Generation
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.connecting.dialog import ConnectDialog
from tavern_desktop.ui.connecting.edit_dialog import EditConnection
from tavern_desktop.ui.connecting.generation_dialog import ChatGeneration, ConnectionGeneration
from tavern_desktop.ui.connecting.optional_number import OptionalNumber
from tavern_desktop.ui.connecting.template_field import TemplateEditor
from tavern_desktop.ui.main_window import MainWindow
from tavern_desktop.ui.prompts.dialog import PromptsDialog
from tests.gui.shell.window_parts import Opener, records
from tests.model_server import ModelServer
from tests.tiny_model import make_tiny_model

LONG = 60_000
KEY = "sk-abcdefgh12345678"

D = TypeVar("D", bound=QDialog)
Wait = Callable[[Callable[[], Any]], None]


@pytest.fixture
def wait(qtbot: QtBot) -> Wait:
    return lambda condition: qtbot.waitUntil(lambda: bool(condition()), timeout=LONG)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    made = ModelServer()
    monkeypatch.setattr("tavern_desktop.backends.discovery.usual_ports", lambda: [made.port])
    yield made
    made.close()


@pytest.fixture
def window(opened: Opener, wait: Wait) -> MainWindow:
    """A window with a chat that can be written in."""
    made = opened()
    made.open_path(Path(made.library.neighbour(0)))
    wait(lambda: made.desk.session is not None and made.desk.session.state == "ready")
    return made


def shown(kind: type[D], parent: QWidget) -> D:
    (found,) = [dialog for dialog in parent.findChildren(kind) if dialog.isVisible()]
    return found


def connections(window: MainWindow, wait: Wait) -> ConnectDialog:
    """Open the dialog, and wait until it has looked around."""
    window.actions_[Act.CONNECT].trigger()
    data = window.services.connecting
    wait(lambda: data.is_known and not data.is_looking)
    return shown(ConnectDialog, window)


def press(parent: QWidget, name: str, wait: Wait) -> None:
    """Press the button of this name once it is there to be seen."""

    def found() -> list[QPushButton]:
        return [one for one in parent.findChildren(QPushButton) if one.accessibleName() == name and one.isVisible()]

    wait(found)
    found()[0].click()


def connected(window: MainWindow, wait: Wait) -> Connection:
    """Connect the server that is found."""
    dialog = connections(window, wait)
    (offer,) = window.services.connecting.new_offers()
    press(dialog, f"Use: {offer.name}", wait)
    wait(lambda: window.status.connection.text().endswith("· connected"))
    wait(lambda: window.services.connecting.known.connections)
    dialog.accept()
    return window.services.connecting.known.connections[0]


def test_a_server_that_is_found_is_used_with_one_press(window: MainWindow, server: ModelServer, wait: Wait) -> None:
    connection = connected(window, wait)
    assert (connection.protocol, connection.url, connection.model) == ("openai", server.url, "tiny")
    assert window.status.connection.text() == f"llama.cpp on port {server.port} · tiny · connected"
    assert window.pane.header.model.text() == "tiny ▾"
    dialog = connections(window, wait)
    assert window.services.connecting.new_offers() == []
    assert not dialog.found_note.isHidden()


def test_where_nothing_answers_it_is_said_how_to_go_on(window: MainWindow, wait: Wait) -> None:
    dialog = connections(window, wait)
    assert dialog.found_note.text().startswith("No model server answers")
    assert window.status.connection.text() == "No model connected"


def test_what_is_typed_is_tried_and_kept_and_the_key_apart(
    window: MainWindow, server: ModelServer, wait: Wait, own_files_apart: Path
) -> None:
    dialog = connections(window, wait)
    dialog.add()
    form = shown(EditConnection, dialog)
    form.name.setText("Mine")
    form.url.setText(server.url)
    form.key.setText(KEY)
    assert "only your account" in form.about_key.text()
    form.fetch_button.click()
    wait(lambda: form.said.text() == "1 model.")
    assert form.model.currentText() == "tiny"
    form.test_button.click()
    wait(lambda: form.said.text() == "It answers: tiny, 4,096 tokens.")
    form.save_button.click()
    wait(lambda: window.status.connection.text() == "Mine · tiny · connected")
    assert server.seen[-1].headers["authorization"] == f"Bearer {KEY}"
    config = own_files_apart / "config"
    assert KEY not in (config / "connections.json").read_text("utf-8")
    assert KEY in (config / "keys.json").read_text("utf-8")
    assert "key in a file only your account can read" in dialog.findChild(QWidget, "connectionRow").details.text()
    (kept,) = window.services.connecting.known.connections
    dialog.edit(kept)
    again = shown(EditConnection, dialog)
    assert again.key.text() == ""
    assert again.key.placeholderText().startswith("A key is kept")
    assert again.tools.isChecked()
    again.tools.click()
    again.save_button.click()
    wait(lambda: [each.off for each in window.services.connecting.known.connections] == [("tools",)])
    dialog.edit(*window.services.connecting.known.connections)
    last = shown(EditConnection, dialog)
    assert not last.tools.isChecked()
    last.tools.click()
    last.save_button.click()
    wait(lambda: [each.off for each in window.services.connecting.known.connections] == [()])


def test_what_cannot_be_is_said_and_nothing_is_kept(window: MainWindow, wait: Wait) -> None:
    dialog = connections(window, wait)
    dialog.add()
    form = shown(EditConnection, dialog)
    form.name.clear()
    form.save_button.click()
    assert form.said.text() == "A connection needs a name."
    form.name.setText("Mine")
    form.url.setText("nowhere")
    form.save_button.click()
    assert "must be like http://host:port" in form.said.text()
    form.url.setText("http://127.0.0.1:1/v1")
    form.more_button.click()
    form.more.headers.setPlainText("no header")
    form.save_button.click()
    assert form.said.text() == "This is no header: no header. Write it as “Name: value”."
    form.more.headers.setPlainText("Authorization: Bearer secret")
    form.save_button.click()
    assert "looks like a secret" in form.said.text()
    form.more.headers.clear()
    form.test_button.click()
    wait(lambda: form.said.text() not in ("", "Asking…"))
    assert "127.0.0.1:1" in form.said.text()
    form.reject()
    assert window.services.connecting.known.connections == ()


def test_a_kind_proposes_name_and_address_until_others_are_typed(window: MainWindow, wait: Wait) -> None:
    dialog = connections(window, wait)
    dialog.add()
    form = shown(EditConnection, dialog)
    form.kind.setCurrentText("Anthropic")
    assert (form.name.text(), form.url.text()) == ("Anthropic", "https://api.anthropic.com/v1")
    form.name.setText("Mine")
    form.url.setText("http://127.0.0.1:9/v1")
    form.kind.setCurrentText("Ollama")
    assert (form.name.text(), form.url.text()) == ("Mine", "http://127.0.0.1:9/v1")


def test_a_server_that_is_gone_is_told_in_its_row_and_below(
    window: MainWindow, server: ModelServer, wait: Wait
) -> None:
    connection = connected(window, wait)
    dialog = connections(window, wait)
    server.unplug()
    press(dialog, f"Test: {connection.name}", wait)
    wait(lambda: window.status.connection.text().endswith("does not answer"))
    assert window.services.connecting.reach_of(connection).sentence in {
        label.text() for label in dialog.findChildren(QWidget) if label.property("tone") == "danger"
    }


def test_connections_of_sillytavern_are_taken_over(window: MainWindow, library: DataRoot, wait: Wait) -> None:
    secrets = {"api_key_openrouter": [{"id": "a", "value": KEY, "label": "", "active": True}]}
    (library.user_folder / "secrets.json").write_text(json.dumps(secrets))
    settings = library.user_folder / "settings.json"
    held = json.loads(settings.read_text()) if settings.exists() else {}
    held |= {"main_api": "openai", "oai_settings": {"chat_completion_source": "openrouter", "openrouter_model": "a/b"}}
    settings.write_text(json.dumps(held))
    dialog = connections(window, wait)
    dialog.take_over_button.click()
    wait(lambda: dialog.said.text())
    assert dialog.said.text() == "Taken over: OpenRouter."
    assert window.pane.header.model.text() == "a/b ▾"
    dialog.take_over_button.click()
    wait(lambda: "not here already" in dialog.said.text())


def test_the_settings_of_a_connection_and_of_a_chat_shape_the_request(
    window: MainWindow, server: ModelServer, wait: Wait
) -> None:
    connection = connected(window, wait)
    dialog = connections(window, wait)
    dialog.show_generation(connection)
    panel = shown(ConnectionGeneration, dialog).panel
    panel.numbers["temperature"].setValue(0.5)
    panel.numbers["top_k"].stepBy(1)
    panel.stop.setPlainText("\\n\\nYou:")
    shown(ConnectionGeneration, dialog).save_button.click()
    wait(lambda: window.services.connecting.known.connections[0].generation.temperature == 0.5)
    dialog.accept()
    window.actions_[Act.GENERATION].trigger()
    own = shown(ChatGeneration, window)
    assert own.panel.numbers["temperature"].text() == "As the connection: 0.5"
    own.panel.numbers["temperature"].setValue(1.25)
    own.save_button.click()
    window.pane.composer.text.setPlainText("Hello")
    window.pane.composer.send_button.click()
    wait(lambda: server.asked)
    body = server.asked[0]
    assert (body["temperature"], body["top_k"], body["stop"]) == (1.25, 40, ["\n\nYou:"])
    server.say("Well.")
    server.end()
    wait(lambda: window.desk.replying.task is None)
    assert window.status.tokens.text() == "last request 9 / 4096 tokens"


def test_the_settings_of_a_chat_can_be_undone(window: MainWindow, wait: Wait) -> None:
    window.actions_[Act.GENERATION].trigger()
    own = shown(ChatGeneration, window)
    own.panel.numbers["seed"].setValue(7)
    own.panel.system_prompt.setPlainText("Be brief.")
    own.save_button.click()
    session = window.desk.session
    assert session is not None
    assert session.chat is not None
    assert session.chat.header.metadata()["tavern_desktop"]["generation"] == {"seed": 7, "system_prompt": "Be brief."}
    window.actions_[Act.UNDO].trigger()
    assert "tavern_desktop" not in session.chat.header.metadata()


def test_what_a_server_does_not_take_is_disabled_with_the_reason(
    window: MainWindow, server: ModelServer, wait: Wait
) -> None:
    connection = connected(window, wait)
    dialog = connections(window, wait)
    dialog.show_generation(connection)
    panel = shown(ConnectionGeneration, dialog).panel
    assert panel.numbers["min_p"].isEnabled()
    assert not panel.effort.isEnabled()
    assert panel.hints["reasoning_effort"].text() == f"{connection.name} takes no reasoning effort."
    assert not panel.template.isEnabled()
    assert panel.hints["template"].text().endswith("takes messages and writes them out itself.")


def test_a_template_is_checked_while_it_is_typed(qtbot: QtBot) -> None:
    taken: list[str] = []
    parent = QWidget()
    qtbot.addWidget(parent)
    editor = TemplateEditor(parent, 'name = "Mine"', taken.append)
    assert "This is no template" in editor.said.text()
    assert not editor.save_button.isEnabled()
    roles = "\n".join(f'[{role}]\nbefore = "<{role}>"\n' for role in ("system", "user", "assistant"))
    editor.text.setPlainText(f'name = "Mine"\nstop = ["</s>"]\n{roles}')
    assert editor.sample.toPlainText().endswith("<user>Go on.<assistant>")
    assert editor.said.text() == "A reply ends at: </s>"
    editor.save_button.click()
    assert taken == [editor.text.toPlainText()]


def test_another_model_answers_in_this_chat_alone(window: MainWindow, server: ModelServer, wait: Wait) -> None:
    connected(window, wait)
    data = window.services.connecting
    other = Connection(id="other", name="Other", protocol="openai", url="http://127.0.0.1:9/v1", model="big")
    data.servers.connections.put(other)
    data.refresh()
    wait(lambda: len(data.known.connections) == 2)
    window.pane.header.model.click()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    (here,) = [action.menu() for action in menu.actions() if action.text() == "Answers in This Chat"]
    (choice,) = [action for action in here.actions() if action.text() == "Other · big"]
    choice.trigger()
    menu.close()
    assert window.pane.header.model.text() == "big ▾"
    session = window.desk.session
    assert session is not None
    session.save_now()
    wait(lambda: session.save_state.kind == "saved")
    head = json.loads(session.path.read_text("utf-8").split("\n", 1)[0])
    assert head["chat_metadata"]["tavern_desktop"]["connection"] == "other"
    assert records(session.path)
    assert window.status.connection.text().startswith("Other · big")


def test_a_number_left_to_others_starts_at_a_usual_value(qtbot: QtBot) -> None:
    box = OptionalNumber(0, 10, 0.05, 1.0, 2)
    qtbot.addWidget(box)
    box.show_words("Server decides")
    assert (box.number, box.text()) == (None, "Server decides")
    qtbot.keyClick(box, Qt.Key.Key_Up)
    assert box.number == 1.0
    box.show_number(0)
    assert box.number == 0
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert box.number is None


def test_a_model_file_runs_here_and_its_end_is_a_sentence(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    dialog = connections(window, wait)
    wrong = tmp_path / "wrong.gguf"
    wrong.write_bytes(b"no model")
    dialog.use_file(wrong)
    wait(lambda: dialog.said.text() == "wrong.gguf is no model file (GGUF).")
    dialog.use_file(make_tiny_model(tmp_path / "tiny.gguf"))
    wait(lambda: window.status.connection.text() == "tiny · connected")
    assert window.pane.header.model.text() == "tiny ▾"
    (child,) = [one for one in psutil.Process().children() if "tavern_desktop.session.local_server" in one.cmdline()]
    child.kill()
    wait(lambda: window.status.connection.text() == "tiny · has a fault")
    (connection,) = window.services.connecting.known.connections
    assert window.services.connecting.reach_of(connection).sentence.startswith("The model tiny ended: ")
    press(dialog, "Load: tiny", wait)
    wait(lambda: window.status.connection.text() == "tiny · connected")
    press(dialog, "Unload: tiny", wait)
    wait(lambda: window.status.connection.text() == "tiny")
    assert not [one for one in psutil.Process().children() if "tavern_desktop.session.local_server" in one.cmdline()]


def test_a_setting_that_is_refused_can_be_left_out_from_then_on(
    window: MainWindow, server: ModelServer, wait: Wait
) -> None:
    connection = connected(window, wait)
    wished = replace(connection, generation=Generation(min_p=0.1, top_k=20))
    window.services.connecting.servers.connections.put(wished)
    server.refuse_setting("min_p")
    window.pane.composer.text.setPlainText("Hello")
    window.pane.composer.send_button.click()
    wait(lambda: window.pane.banner.buttons)
    assert "does not take the setting min_p" in window.pane.banner.text
    next(one for one in window.pane.banner.buttons if one.text() == "Leave It Out").click()
    wait(lambda: len(server.asked) == 2)
    assert server.asked[1]["top_k"] == 20
    assert "min_p" not in server.asked[1]
    server.say("Well.")
    server.end()
    wait(lambda: window.desk.replying.task is None)


def test_everything_in_the_dialogs_has_a_name(window: MainWindow, server: ModelServer, wait: Wait) -> None:
    connection = connected(window, wait)
    dialog = connections(window, wait)
    dialog.add()
    dialog.show_generation(connection)
    fields = (QAbstractButton, QComboBox, QLineEdit, QPlainTextEdit, QAbstractSpinBox)
    nameless = [
        field
        for kind in fields
        for field in dialog.findChildren(kind)
        if field.focusPolicy() and not field.accessibleName() and not (hasattr(field, "text") and field.text())
        and not isinstance(field.parent(), QComboBox | QAbstractSpinBox)
    ]  # fmt: skip
    assert nameless == []


def test_a_preset_of_the_data_folder_is_chosen_and_its_samplers_count(
    window: MainWindow, server: ModelServer, library: DataRoot, wait: Wait
) -> None:
    folder = library.user_folder / "OpenAI Settings"
    folder.mkdir(exist_ok=True)
    prompts = [{"identifier": "main", "content": "By the preset."}]
    (folder / "Harbour.json").write_text(json.dumps({"temperature": 0.75, "top_p": 0.5, "prompts": prompts}))
    connection = connected(window, wait)
    dialog = connections(window, wait)
    dialog.show_generation(connection)
    panel = shown(ConnectionGeneration, dialog).panel
    box = panel.presets.boxes["chat"]
    wait(lambda: box.findData("Harbour") >= 0)
    box.setCurrentIndex(box.findData("Harbour"))
    box.activated.emit(box.currentIndex())
    wait(lambda: panel.numbers["temperature"].text() == "As the preset: 0.75")
    panel.numbers["top_p"].setValue(0.9)
    shown(ConnectionGeneration, dialog).save_button.click()
    wait(lambda: window.services.connecting.known.connections[0].presets.chat == "Harbour")
    dialog.accept()
    window.actions_[Act.GENERATION].trigger()
    own = shown(ChatGeneration, window)
    chosen = own.panel.presets.boxes["chat"]
    assert chosen.currentText() == "As the connection: Harbour"
    wait(lambda: own.panel.numbers["temperature"].text() == "As the preset: 0.75")
    assert own.panel.numbers["top_p"].text() == "As the connection: 0.9"
    own.reject()
    window.pane.composer.text.setPlainText("Hello")
    window.pane.composer.send_button.click()
    wait(lambda: server.asked)
    body = server.asked[0]
    assert (body["temperature"], body["top_p"], body["messages"][0]["content"]) == (0.75, 0.9, "By the preset.")
    server.say("Well.")
    server.end()
    wait(lambda: window.desk.replying.task is None)


def test_the_prompts_of_a_chat_become_a_preset_that_the_chat_uses(
    window: MainWindow, library: DataRoot, wait: Wait
) -> None:
    window.actions_[Act.PROMPTS].trigger()
    told: list[bool] = []
    window.services.connecting.changed.connect(lambda: told.append(True))
    prompts = shown(PromptsDialog, window)
    wait(lambda: prompts.model.rowCount())
    prompts.editor.text.setPlainText("Speak as {{char}}.")
    prompts.save_as("Of the harbour")
    wait(lambda: not [each for each in window.findChildren(PromptsDialog) if each.isVisible()])
    session = window.desk.session
    assert session is not None
    assert session.chat is not None
    assert session.chat.header.metadata()["tavern_desktop"]["presets"] == {"chat": "Of the harbour"}
    assert told
    file = library.user_folder / "OpenAI Settings" / "Of the harbour.json"
    assert json.loads(file.read_text())["prompts"][0]["content"] == "Speak as {{char}}."
    window.actions_[Act.UNDO].trigger()
    assert "tavern_desktop" not in session.chat.header.metadata()
