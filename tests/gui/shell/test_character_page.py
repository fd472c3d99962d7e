"""The page of a character: the whole card, read and written in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tavern_desktop.library import card_fields
from tavern_desktop.library.card_fields import card_of, fields_of
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.character.page import CharacterPage
from tavern_desktop.ui.main_window import MainWindow
from tavern_desktop.ui.manager.owner import owner_of_character
from tests.gui.shell.window_parts import Opener

CHAT = "A lantern in the rain"
WHO = "Ilka Marsh"


@pytest.fixture
def window(opened: Opener, library: DataRoot, qtbot: QtBot) -> MainWindow:
    window = opened()
    window.open_path(library.chats / WHO / f"{CHAT}.jsonl")
    qtbot.waitUntil(lambda: window.desk.session is not None and window.desk.session.state == "ready")
    return window


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot) -> CharacterPage:
    window.show_inspector(True)
    page = window.part.inspector.character
    qtbot.waitUntil(lambda: page.data.fields is not None)
    return page


@pytest.fixture
def card(library: DataRoot) -> Path:
    return library.characters / f"{WHO}.png"


@pytest.fixture
def said(card: Path) -> Callable[[str], Any]:
    """Return what a field of the card says on disk."""
    return lambda name: getattr(fields_of(card_of(card.read_bytes())), name)


def test_the_whole_card_can_be_read(page: CharacterPage, said: Callable[[str], Any]) -> None:
    for name, field in page.fields.items():
        assert field.toPlainText() == said(name)
        assert field.accessibleName()
    assert page.lines["tags"].text() == ", ".join(said("tags"))
    assert page.greetings.texts == said("alternate_greetings")
    assert page.name.text() == said("name")


def test_what_is_typed_is_on_disk_a_moment_later(page: CharacterPage, qtbot: QtBot, said: Callable[[str], Any]) -> None:
    field = page.fields["personality"]
    field.setFocus()
    field.clear()
    qtbot.keyClicks(field, "Dry, and never late.")
    assert page.state.text() == "Saving…"
    qtbot.waitUntil(lambda: page.state.text() == "Saved")
    assert said("personality") == "Dry, and never late."
    assert page.sections["personality"].tokens.text() == "about 6 tokens"


def test_leaving_a_field_writes_at_once(page: CharacterPage, qtbot: QtBot, said: Callable[[str], Any]) -> None:
    page.data.writer.timer.setInterval(10_000_000)
    page.lines["tags"].setFocus()
    page.lines["tags"].setText("rain, river")
    page.lines["tags"].textEdited.emit("rain,  river,")
    page.lines["tags"].editingFinished.emit()
    qtbot.waitUntil(lambda: said("tags") == ("rain", "river"))


def test_turning_to_another_chat_writes_what_was_typed(
    page: CharacterPage, window: MainWindow, qtbot: QtBot, said: Callable[[str], Any]
) -> None:
    page.data.writer.timer.setInterval(10_000_000)
    page.fields["scenario"].setPlainText("On the bridge.")
    other = next(row.path for row in window.services.library.chats if row.character not in ("", WHO))
    window.open_path(other)
    qtbot.waitUntil(lambda: said("scenario") == "On the bridge.")
    qtbot.waitUntil(lambda: page.data.fields is not None and page.data.stem != WHO)
    assert page.fields["scenario"].toPlainText() == page.data.fields.scenario  # type: ignore[union-attr]


def test_greetings_are_added_ordered_and_removed(page: CharacterPage, qtbot: QtBot, said: Callable[[str], Any]) -> None:
    before = said("alternate_greetings")
    for text in ("One more.", "And another."):
        page.greetings.add_button.click()
        page.greetings._rows[-1][1].setPlainText(text)
    qtbot.waitUntil(lambda: said("alternate_greetings") == (*before, "One more.", "And another."))
    last = page.greetings._rows[-1][0]
    up, remove = last.findChildren(QWidget, "greetingButton")
    up.click()  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: said("alternate_greetings") == (*before, "And another.", "One more."))
    page.greetings._rows[-1][0].findChildren(QWidget, "greetingButton")[1].click()  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: said("alternate_greetings") == (*before, "And another."))
    assert remove is not None


def test_a_favourite_is_marked_in_the_list_too(page: CharacterPage, window: MainWindow, qtbot: QtBot) -> None:
    before = page.favourite.isChecked()
    qtbot.mouseClick(page.favourite, Qt.MouseButton.LeftButton)

    def is_favourite() -> bool:
        found = window.services.library.character(WHO)
        return found is not None and found.favourite

    qtbot.waitUntil(lambda: is_favourite() != before)


def test_what_another_program_writes_comes_in_but_not_over_what_is_typed(
    page: CharacterPage, card: Path, window: MainWindow, qtbot: QtBot
) -> None:
    page.data.writer.timer.setInterval(10_000_000)
    page.fields["personality"].setPlainText("mine, not written yet")
    card_fields.write_fields(card, {"personality": "theirs", "scenario": "theirs"})
    window.services.files_changed.emit(None)
    qtbot.waitUntil(lambda: page.fields["scenario"].toPlainText() == "theirs")
    assert page.fields["personality"].toPlainText() == "mine, not written yet"
    page.data.writer.flush()
    qtbot.waitUntil(lambda: page.state.text() == "Saved")
    written = fields_of(card_of(card.read_bytes()))
    assert (written.personality, written.scenario) == ("mine, not written yet", "theirs")


def test_what_cannot_be_written_is_said_kept_and_tried_again(
    page: CharacterPage, qtbot: QtBot, said: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> bool:
        raise StorageError("io", "space")

    with monkeypatch.context() as patched:
        patched.setattr(card_fields, "change_small_file", full)
        page.fields["personality"].setPlainText("Patient.")
        qtbot.waitUntil(lambda: page.state.text().startswith("Not saved."))
        page.data.reload()
    page.fields["scenario"].setPlainText("Later.")
    qtbot.waitUntil(lambda: page.state.text() == "Saved")
    assert (said("personality"), said("scenario")) == ("Patient.", "Later.")


def test_a_card_that_cannot_be_read_says_why(page: CharacterPage, card: Path, window: MainWindow, qtbot: QtBot) -> None:
    card.write_bytes(card.read_bytes()[:100])
    window.services.files_changed.emit(None)
    qtbot.waitUntil(lambda: "cut off or damaged" in page.problem.text())
    assert not page.body.isVisible()


def test_another_picture_keeps_the_card(
    page: CharacterPage, card: Path, tmp_path: Path, qtbot: QtBot, said: Callable[[str], Any]
) -> None:
    image = QImage(30, 40, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.darkCyan)
    assert image.save(str(tmp_path / "new.jpg"))  # type: ignore[call-overload]
    before = said("description")
    page.take_picture(tmp_path / "new.jpg")
    qtbot.waitUntil(lambda: page.state.text() == "Saved")
    assert QImage(str(card)).size().toTuple() == (30, 40)  # type: ignore[attr-defined]
    assert said("description") == before
    (tmp_path / "no.png").write_bytes(b"no picture")
    page.take_picture(tmp_path / "no.png")
    qtbot.waitUntil(lambda: "no picture that can be" in page.state.text())
    assert QImage(str(card)).size().toTuple() == (30, 40)  # type: ignore[attr-defined]


def test_a_character_is_duplicated_and_exported(
    window: MainWindow, page: CharacterPage, library: DataRoot, tmp_path: Path, qtbot: QtBot
) -> None:
    deeds, owner = window.part.owners.deeds, owner_of_character(window.services.library, WHO)
    window.part.owners.run(Act.DUPLICATE_CHARACTER, owner)
    copy = library.characters / f"{WHO}1.png"
    qtbot.waitUntil(copy.exists)
    assert "chat" not in card_of(copy.read_bytes())
    for name in ("out.png", "out.json"):
        deeds.export_to(owner, tmp_path / name)
        qtbot.waitUntil((tmp_path / name).exists)
    qtbot.waitUntil(lambda: "out.json" in window.pane.banner.text or "out.json" in window.pane.undo_bar.text())
    assert "chat" not in card_of((tmp_path / "out.png").read_bytes())
