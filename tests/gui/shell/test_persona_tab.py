"""The persona in the inspector: written in, chosen, made; and the author's note beside the lore."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.personas import Persona
from tavern_desktop.ui.lore.note import NoteEditor
from tavern_desktop.ui.main_window import MainWindow
from tavern_desktop.ui.persona.tab import PersonaTab
from tests.gui.shell.window_parts import Opener
from tests.make_library import png

ID = "1719300000000.png"


@pytest.fixture
def settings(library: DataRoot) -> Path:
    library.personas.mkdir(exist_ok=True)
    (library.personas / ID).write_bytes(png(4, 4, (1, 2, 3), {}))
    path = library.settings
    known = json.loads(path.read_bytes()) if path.exists() else {}
    user = known.get("power_user", {}) | {
        "personas": {ID: "Wren"},
        "persona_descriptions": {ID: {"description": "A pilot.", "position": 0, "x": [1]}},
        "persona_description": "A pilot.",
    }
    path.write_text(json.dumps(known | {"power_user": user, "user_avatar": ID, "username": "Wren", "theirs": 1}))
    return path


@pytest.fixture
def window(opened: Opener, library: DataRoot, settings: Path, qtbot: QtBot) -> MainWindow:
    window = opened()
    window.open_path(library.chats / "Ilka Marsh" / "A lantern in the rain.jsonl")
    qtbot.waitUntil(lambda: window.desk.session is not None and window.desk.session.state == "ready")
    window.desk.personas.choose(Persona("Wren", library.personas / ID, ID))
    qtbot.waitUntil(lambda: window.desk.writing.persona.id == ID)
    return window


@pytest.fixture
def tab(window: MainWindow, qtbot: QtBot) -> PersonaTab:
    window.show_inspector(True)
    window.inspector.show_tab(1)
    tab: PersonaTab = window.findChild(PersonaTab)
    qtbot.waitUntil(lambda: tab.fields is not None)
    return tab


def on_disk(settings: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(settings.read_bytes())
    return found


def test_what_is_typed_is_in_the_settings_and_in_force_at_once(tab: PersonaTab, settings: Path, qtbot: QtBot) -> None:
    assert (tab.name.text(), tab.description.toPlainText()) == ("Wren", "A pilot.")
    tab.description.setFocus()
    tab.description.clear()
    qtbot.keyClicks(tab.description, "A sailor.")
    tab.place.setCurrentIndex(tab.place.findData(4))
    tab.place.activated.emit(tab.place.currentIndex())
    tab.from_end.setValue(6)
    qtbot.waitUntil(lambda: tab.state.text() == "Saved")
    found = on_disk(settings)
    entry = found["power_user"]["persona_descriptions"][ID]
    assert entry == {"description": "A sailor.", "position": 4, "depth": 6, "x": [1]}
    assert found["power_user"]["persona_description"] == "A sailor."
    assert found["power_user"]["persona_description_depth"] == 6
    assert found["theirs"] == 1
    assert tab.from_end.isVisible()


def test_another_name_is_who_one_is_in_the_chat(
    tab: PersonaTab, window: MainWindow, settings: Path, qtbot: QtBot
) -> None:
    tab.name.setText("Wren Ashe")
    tab.name.textEdited.emit("Wren Ashe")
    qtbot.waitUntil(lambda: window.desk.writing.persona.name == "Wren Ashe")
    assert on_disk(settings)["username"] == "Wren Ashe"


def test_a_persona_is_made_chosen_and_moved_to_the_bin(
    tab: PersonaTab,
    window: MainWindow,
    library: DataRoot,
    settings: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    binned: list[Path] = []

    def take(path: Path) -> bool:
        binned.append(path)
        path.unlink()
        return True

    monkeypatch.setattr("tavern_desktop.library.persona_files.to_system_bin", take)
    tab.make()
    qtbot.waitUntil(lambda: tab.persona.id not in ("", ID) and tab.fields is not None and tab.fields.name != "")
    made = tab.persona.id
    assert (library.personas / made).exists()
    assert on_disk(settings)["power_user"]["personas"][made] == "New persona"
    tab.remove()
    qtbot.waitUntil(lambda: binned == [library.personas / made])
    qtbot.waitUntil(lambda: tab.persona.id != made)
    assert made not in on_disk(settings)["power_user"]["personas"]


def test_another_picture(tab: PersonaTab, library: DataRoot, tmp_path: Path, qtbot: QtBot) -> None:
    image = QImage(30, 40, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.darkCyan)
    assert image.save(str(tmp_path / "new.png"))  # type: ignore[call-overload]
    tab.take_picture(tmp_path / "new.png")
    qtbot.waitUntil(lambda: QImage(str(library.personas / ID)).width() == 30)


def test_damaged_settings_are_never_written(tab: PersonaTab, settings: Path, qtbot: QtBot) -> None:
    settings.write_bytes(b"{half")
    tab.description.setPlainText("kept here")
    qtbot.waitUntil(lambda: tab.state.text().startswith("Not saved."))
    assert settings.read_bytes() == b"{half"
    assert tab.description.toPlainText() == "kept here"


def test_the_author_s_note_is_a_change_of_the_chat_that_can_be_undone(window: MainWindow, qtbot: QtBot) -> None:
    window.show_inspector(True)
    window.inspector.show_tab(2)
    note: NoteEditor = window.findChild(NoteEditor)
    session = window.desk.session
    assert session is not None
    assert session.chat is not None
    chat = session.chat
    before = chat.header.metadata()
    note.text.setPlainText("Keep it short.")
    note.text.left.emit()
    assert chat.header.metadata()["note_prompt"] == "Keep it short."
    note.from_end.setValue(2)
    note.from_end.editingFinished.emit()
    assert chat.header.metadata()["note_depth"] == 2
    window.desk.commands.undo()
    window.desk.commands.undo()
    assert chat.header.metadata() == before
    qtbot.waitUntil(lambda: note.text.toPlainText() == "")
    note.text.left.emit()
    assert chat.header.metadata() == before, "nothing was typed"
