"""Who the person is in a chat: shown in the composer, chosen there or by /persona, taken back by Undo."""

from __future__ import annotations

import json
import shutil

import pytest
from pytestqt.qtbot import QtBot

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.ui.main_window import MainWindow
from tests.gui.shell.window_parts import Opener


@pytest.fixture
def window(opened: Opener, library: DataRoot, qtbot: QtBot) -> MainWindow:
    """A window on a chat, in a folder with two personas."""
    shutil.copy(library.personas / "wren.png", library.personas / "captain.png")
    file = library.user_folder / "settings.json"
    settings = json.loads(file.read_text("utf-8"))
    settings["power_user"]["personas"]["captain.png"] = "Captain Ilse"
    file.write_text(json.dumps(settings), "utf-8")
    made = opened()
    chat = next(library.chats.glob("*/*.jsonl"))
    made.open_path(chat)
    qtbot.waitUntil(lambda: made.desk.session is not None and made.desk.session.state == "ready")
    qtbot.waitUntil(lambda: made.desk.writing.persona.name == "Wren")
    return made


def _persona(window: MainWindow) -> object:
    session = window.desk.session
    assert session is not None
    assert session.chat is not None
    return session.chat.header.metadata().get("persona")


def test_the_menu_has_the_folder_s_personas_and_what_is_chosen_can_be_undone(window: MainWindow, qtbot: QtBot) -> None:
    button = window.pane.composer.persona
    assert button.text().strip() == "Wren"
    before = _persona(window)
    menu = button.menu()
    menu.aboutToShow.emit()
    qtbot.waitUntil(lambda: [act.text() for act in menu.actions()[:2]] == ["Captain Ilse", "Wren"])
    assert [act.isChecked() for act in menu.actions()[:2]] == [False, True]
    menu.actions()[0].trigger()
    qtbot.waitUntil(lambda: button.text().strip() == "Captain Ilse")
    assert _persona(window) == "captain.png"
    window.desk.commands.undo()
    assert _persona(window) == before
    qtbot.waitUntil(lambda: button.text().strip() == "Wren")


def test_a_command_chooses_by_name_and_what_is_sent_then_is_theirs(window: MainWindow, qtbot: QtBot) -> None:
    composer = window.pane.composer.text
    composer.setPlainText("/persona captain ilse")
    window.desk.writing.send()
    qtbot.waitUntil(lambda: composer.toPlainText() == "")
    qtbot.waitUntil(lambda: window.desk.writing.persona.name == "Captain Ilse")
    composer.setPlainText("Aye.")
    window.desk.writing.send()
    session = window.desk.session
    assert session is not None
    assert session.chat is not None
    sent = session.chat.messages[-1].data()
    assert (sent["name"], sent["mes"]) == ("Captain Ilse", "Aye.")
    assert sent["force_avatar"].endswith("captain.png")
    qtbot.waitUntil(lambda: window.desk.replying.task is None)


def test_a_name_that_nobody_has_stays_in_the_composer(window: MainWindow, qtbot: QtBot) -> None:
    composer = window.pane.composer.text
    composer.setPlainText("/persona Nobody At All")
    with qtbot.waitSignal(window.desk.personas.refused) as refused:
        window.desk.writing.send()
    assert "Nobody At All" in refused.args[0]
    assert composer.toPlainText() == "/persona Nobody At All"
