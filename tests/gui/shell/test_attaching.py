"""Pictures that go with a message: pasted, dropped, taken off, stored in the data folder, sent."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from tavern_desktop.library.pictures import resolve_picture
from tests.gui.shell.test_window import open_chat
from tests.gui.shell.window_parts import Opener


def picture(path: Path) -> Path:
    image = QImage(40, 30, QImage.Format.Format_RGB32)
    image.fill(QColor("teal"))
    assert image.save(str(path))
    return path


def offered(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def test_a_dropped_picture_is_sent_with_the_message(opened: Opener, qtbot: QtBot, tmp_path: Path) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    area, chat = window.pane.composer, window.desk.session.chat
    before = len(chat)
    area.text.insertFromMimeData(offered(picture(tmp_path / "sea.png")))
    qtbot.waitUntil(lambda: len(area.attachments.items) == 1)
    area.text.show_text("Look!")
    qtbot.keyClick(area.text, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(chat) > before)
    extra = chat.messages[-1].data()["extra"]
    (media,) = extra["media"]
    found = resolve_picture(window.services.root, media["url"])
    assert found is not None
    assert found.read_bytes() == (tmp_path / "sea.png").read_bytes()
    assert (media["type"], area.attachments.items, area.text.toPlainText()) == ("image", [], "")


def test_a_pasted_picture_needs_no_words(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    area, chat = window.pane.composer, window.desk.session.chat
    before = len(chat)
    data = QMimeData()
    data.setImageData(QImage(8, 8, QImage.Format.Format_RGB32))
    area.text.insertFromMimeData(data)
    qtbot.waitUntil(lambda: len(area.attachments.items) == 1)
    window.desk.writing.send()
    qtbot.waitUntil(lambda: len(chat) > before)
    assert chat.messages[-1].data()["mes"] == ""


def test_what_is_no_picture_is_refused_with_a_sentence(opened: Opener, qtbot: QtBot, tmp_path: Path) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    page = tmp_path / "error.png"
    page.write_text("<html>")
    window.pane.composer.text.insertFromMimeData(offered(page))
    qtbot.waitUntil(lambda: "no picture" in window.pane.banner.text)
    assert window.pane.composer.attachments.items == []


def test_pictures_stay_with_their_chat(opened: Opener, qtbot: QtBot, tmp_path: Path) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    area = window.pane.composer
    area.text.insertFromMimeData(offered(picture(tmp_path / "sea.png")))
    qtbot.waitUntil(lambda: len(area.attachments.items) == 1)
    window.desk.leave()
    assert area.attachments.items == []
    assert area.attachments.isHidden()
    window.desk.open(path)
    assert [item.name for item in area.attachments.items] == ["sea.png"]
