"""Characters made anew, chosen as a card, or dropped: each is in the library, with a chat that it opens."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QDropEvent, QImage
from PySide6.QtWidgets import QDialog, QMessageBox
from pytestqt.qtbot import QtBot

from tavern_desktop.library.card_file import card_data, read_card
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.arriving import KEY
from tavern_desktop.ui.main_window import MainWindow
from tavern_desktop.ui.new_character_dialog import NewCharacterDialog
from tests.gui.shell.window_parts import Opener

CARD: dict[str, Any] = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {"name": "Nova", "first_mes": "Strap in, {{user}}.", "alternate_greetings": ["Late again."]},
}


@pytest.fixture
def window(opened: Opener) -> MainWindow:
    return opened()


def _dragged(path: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    return data


def _drop(window: MainWindow, path: Path) -> None:
    data, button = _dragged(path), Qt.MouseButton.LeftButton
    keys = Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPointF(500, 300), Qt.DropAction.CopyAction, data, button, keys))


def _chat_with(window: MainWindow, qtbot: QtBot, name: str) -> list[dict[str, Any]]:
    """Wait for the chat with a character; return its messages."""
    qtbot.waitUntil(lambda: window.desk.character == name)
    session = window.desk.session
    assert session is not None
    qtbot.waitUntil(lambda: session.state == "ready")
    assert session.chat is not None
    return [message.data() for message in session.chat.messages]


def _said(window: MainWindow) -> list[str]:
    return [notice.text for notice in window.pane.banner._notices if notice.key == KEY]


def _dialog(window: MainWindow) -> NewCharacterDialog:
    window.acts.run(Act.NEW_CHARACTER)
    dialog = window.findChild(NewCharacterDialog)
    assert dialog is not None
    return dialog


def test_a_new_character_opens_its_first_chat(
    window: MainWindow, library: DataRoot, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = _dialog(window)
    assert not dialog.create_button.isEnabled()
    qtbot.keyClicks(dialog.name, "Nova")
    dialog.description.setPlainText("A pilot.")
    dialog.greeting.setPlainText("Strap in.")
    image = QImage(30, 40, QImage.Format.Format_RGB32)
    image.fill(QColor("teal"))
    image.save(str(tmp_path / "face.jpg"))
    dialog.take_picture(tmp_path / "face.jpg")
    qtbot.waitUntil(lambda: dialog._picture is not None)
    qtbot.keyClick(dialog, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert [data["mes"] for data in _chat_with(window, qtbot, "Nova")] == ["Strap in."]
    card = library.characters / "Nova.png"
    assert card_data(read_card(card))["description"] == "A pilot."
    assert QImage(str(card)).size() == image.size()
    qtbot.waitUntil(lambda: window.services.library.character("Nova") is not None)


def test_what_was_written_is_given_up_only_when_that_is_said_twice(window: MainWindow) -> None:
    dialog = _dialog(window)
    dialog.greeting.setPlainText("Strap in.")
    dialog.reject()
    assert dialog.isVisible()
    assert dialog.hint.text()
    dialog.reject()
    assert not dialog.isVisible()


def test_what_is_no_picture_is_refused(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    dialog = _dialog(window)
    (tmp_path / "face.png").write_bytes(b"<html>404</html>")
    dialog.take_picture(tmp_path / "face.png")
    qtbot.waitUntil(lambda: "face.png" in dialog.hint.text())
    assert dialog._picture is None


def test_a_dropped_card_opens_a_chat_with_its_greetings(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "nova.json"
    path.write_text(json.dumps(CARD), "utf-8")
    _drop(window, path)
    (first,) = _chat_with(window, qtbot, "Nova")
    assert first["swipes"] == ["Strap in, {{user}}.", "Late again."]
    assert _said(window) == []


def test_a_card_on_the_composer_is_a_character_and_no_attachment(
    window: MainWindow, library: DataRoot, qtbot: QtBot, tmp_path: Path
) -> None:
    window.open_path(next(library.chats.glob("*/*.jsonl")))
    qtbot.waitUntil(lambda: window.desk.session is not None and window.desk.session.state == "ready")
    card = tmp_path / "tock.png"
    shutil.copy(library.characters / "Tock.png", card)
    window.pane.composer.text.insertFromMimeData(_dragged(card))
    _chat_with(window, qtbot, "Tock1")
    copy, original = (card_data(read_card(path)) for path in (library.characters / "Tock1.png", card))
    assert copy == original
    assert window.pane.composer.attachments.items == []
    assert not window.pane.composer.text.canInsertFromMimeData(_dragged(tmp_path / "card.json"))


def test_what_was_adjusted_can_be_seen(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    """B-33."""
    path = tmp_path / "nova.json"
    path.write_text(json.dumps(CARD | {"data": CARD["data"] | {"tags": "a,b"}}), "utf-8")
    window.part.arriving.take(path)
    _chat_with(window, qtbot, "Nova")
    qtbot.waitUntil(lambda: _said(window) != [])
    notice = next(notice for notice in window.pane.banner._notices if notice.key == KEY)
    notice.buttons[0][1]()
    box = window.findChild(QMessageBox, "adjusted")
    assert box is not None
    assert "tags" in box.informativeText()
    box.close()


@pytest.mark.parametrize("name", ["page.png", "notes.json"])
def test_what_is_no_card_is_named(
    window: MainWindow, library: DataRoot, qtbot: QtBot, tmp_path: Path, name: str
) -> None:
    """B-35."""
    path = tmp_path / name
    path.write_text("<!DOCTYPE html>" if name == "page.png" else '{"settings": 1}', "utf-8")
    before = sorted(library.characters.iterdir())
    window.part.arriving.take(path)
    qtbot.waitUntil(lambda: _said(window) != [])
    assert name in _said(window)[0]
    assert sorted(library.characters.iterdir()) == before


def test_a_dropped_json_that_is_no_card_may_be_a_chat(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text('{"name": "x", "description": "", "messages": []}', "utf-8")
    asked: list[Path] = []
    window.part.owners.import_chats = lambda owner, files: asked.extend(files)  # type: ignore[method-assign]
    _drop(window, path)
    qtbot.waitUntil(lambda: asked == [path])
    assert _said(window) == []
    assert window.findChild(QDialog, "newCharacterDialog") is None
