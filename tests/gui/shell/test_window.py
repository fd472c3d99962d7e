"""The window with its real parts: opening, writing, undoing, closing, and what comes back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from tavern_desktop.chat import facts
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.commands import AppendMessage
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.crash import CrashHook
from tavern_desktop.ui.dropping import dropped_path
from tavern_desktop.ui.main_window import MainWindow
from tavern_desktop.ui.messages import LastLines
from tests.gui.shell.window_parts import Opener, records


def open_chat(window: MainWindow, qtbot: QtBot, name: str) -> Path:
    """Open the chat whose title is `name` and wait until it is there."""
    row = next(row for row in window.services.library.chats if row.title == name)
    window.desk.open(row.path)
    qtbot.waitUntil(lambda: window.desk.session.state != "loading")
    return row.path


def saved(window: MainWindow, qtbot: QtBot) -> None:
    window.acts.run(Act.SAVE)
    qtbot.waitUntil(lambda: window.desk.session.save_state.kind == "saved" and not window.desk.session.is_dirty)


def test_a_library_row_opens_its_chat_at_the_end(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    index = window.library.recent.filter.index(0, 0)
    window.library.recent.view.clicked.emit(index)
    qtbot.waitUntil(lambda: window.desk.session is not None and window.desk.session.state == "ready")
    assert str(window.desk.path) == index.data(Qt.ItemDataRole.UserRole)
    assert window.pane.page == "surface"
    assert window.pane.view.at_end
    assert window.pane.composer.text.hasFocus() or not window.isActiveWindow()


def test_sending_adds_my_message_and_saves_it(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    before = records(path)
    qtbot.waitUntil(lambda: window.desk.writing.persona.name != "You")
    window.pane.composer.text.show_text("On my way.")
    qtbot.keyClick(window.pane.composer.text, Qt.Key.Key_Return)
    assert window.pane.composer.text.toPlainText() == ""
    qtbot.waitUntil(lambda: "connect a model" in window.pane.banner.text)
    saved(window, qtbot)
    after = records(path)
    assert after[:-1] == before
    assert (after[-1]["mes"], after[-1]["is_user"]) == ("On my way.", True)
    assert after[-1]["name"] == window.desk.writing.persona.name


def test_undo_takes_the_sent_message_back(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    before = path.read_bytes()
    window.pane.composer.text.show_text("On my way.")
    window.desk.writing.send()
    saved(window, qtbot)
    assert path.read_bytes() != before
    window.actions_[Act.UNDO].trigger()
    saved(window, qtbot)
    assert records(path) == [json.loads(line) for line in before.decode().split("\n")[1:]]
    assert window.actions_[Act.REDO].isEnabled()


def test_a_mistyped_command_is_explained_and_stays(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    before = path.read_bytes()
    window.pane.composer.text.show_text("/hdie 3")
    window.desk.writing.send()
    assert window.pane.composer.text.toPlainText() == "/hdie 3"
    assert "/hdie is not known" in window.pane.banner.text
    assert not window.desk.session.is_dirty
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [("/sys The lights go out.", "narrator", "System"), ("/comment later", "comment", "Note"),
     ('/sendas name="Ilka Marsh" Here.', "character", "Ilka Marsh")],
)  # fmt: skip
def test_known_commands_add_what_they_say(opened: Opener, qtbot: QtBot, text: str, kind: str, name: str) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    window.pane.composer.text.show_text(text)
    window.desk.writing.send()
    data = window.desk.session.chat.messages[-1].data()
    assert (facts.kind(data), facts.name(data)) == (kind, name)


def test_hiding_by_command_reaches_exactly_the_messages(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    window.pane.composer.text.show_text("/hide 0-1")
    window.desk.writing.send()
    hidden = [facts.is_hidden(message.data()) for message in window.desk.session.chat.messages]
    assert hidden[:2] == [True, True]


def test_drafts_stay_with_their_chat(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    window.pane.composer.text.show_text("half a thought")
    open_chat(window, qtbot, "灯谜")
    assert window.pane.composer.text.toPlainText() == ""
    open_chat(window, qtbot, "The tide table")
    assert window.pane.composer.text.toPlainText() == "half a thought"


def test_reasoning_can_be_copied_where_there_is_some(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    chat = window.desk.session.chat
    window.pane.view.set_current_key(chat.messages[0].key)
    assert not window.actions_[Act.COPY_REASONING].isEnabled()
    record = {"name": "Mira", "is_user": False, "mes": "said", "extra": {"reasoning": "thought"}}
    window.desk.commands.run(AppendMessage(record))
    window.pane.view.set_current_key(chat.messages[-1].key)
    assert window.actions_[Act.COPY_REASONING].isEnabled()
    window.acts.run(Act.COPY_REASONING)
    assert QGuiApplication.clipboard().text() == "thought"


def test_a_click_that_is_quicker_than_the_last_chat_stands(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    last = open_chat(window, qtbot, "The tide table")
    opened.close()
    window = opened()
    quicker = open_chat(window, qtbot, "灯谜")
    window.open_last()
    assert quicker != last
    assert window.desk.path == quicker


def test_deleting_offers_undo(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    chat = window.desk.session.chat
    count, key = len(chat), chat.messages[1].key
    window.desk.commands.act_by_name("delete", key)
    assert len(chat) == count - 1
    assert window.pane.undo_bar.isVisible()
    assert window.pane.undo_bar.text.startswith("#1 deleted, ")
    qtbot.mouseClick(window.pane.undo_bar.undo_button, Qt.MouseButton.LeftButton)
    assert [message.key for message in chat.messages][1] == key


def test_two_windows_on_one_chat_show_each_change_at_once(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    window.actions_[Act.NEW_WINDOW].trigger()
    other = next(
        w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow) and w not in (window,) and w.isVisible()
    )
    assert other.desk.session is window.desk.session
    qtbot.waitUntil(lambda: other.pane.view.model() is not None and other.pane.view.model().rowCount() > 0)
    rows = other.pane.view.model().rowCount()
    window.pane.composer.text.show_text("seen in both")
    window.desk.writing.send()
    assert other.pane.view.model().rowCount() == rows + 1
    other.actions_[Act.UNDO].trigger()
    assert window.pane.view.model().rowCount() == rows


def test_closing_at_once_after_a_change_loses_nothing(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    window.pane.composer.text.show_text("last words")
    window.desk.writing.send()
    window.close()
    assert records(path)[-1]["mes"] == "last words"


def test_everything_comes_back_at_the_next_start(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    window.resize(740, 560)
    window.acts.run(Act.INSPECTOR)
    window.library.show_tab(1)
    window.close()
    window.services.shut_down()
    again = opened()
    qtbot.waitUntil(lambda: again.desk.path == path)
    assert (again.width(), again.height()) == (740, 560)
    assert again.inspector.isVisible()
    assert again.library._pages.currentIndex() == 1


def test_a_damaged_chat_is_never_shown_as_empty(opened: Opener, qtbot: QtBot, library: DataRoot) -> None:
    path = next(library.chats.rglob("The tide table.jsonl"))
    lines = path.read_bytes().split(b"\n")
    lines[2] = lines[2][:40]
    damaged = b"\n".join(lines)
    path.write_bytes(damaged)
    window = opened(str(path))
    qtbot.waitUntil(lambda: window.pane.page == "failed")
    qtbot.waitUntil(lambda: window.pane.failed.lines.model().rowCount() > 0)
    assert "damaged at line 3" in window.pane.failed.what.text()
    assert "1 line is damaged" in window.pane.failed.rest_text.text()
    assert not window.pane.composer.isEnabled()
    assert not window.actions_[Act.EDIT].isEnabled()
    window.acts.run(Act.SAVE)
    assert path.read_bytes() == damaged
    qtbot.mouseClick(window.pane.failed.repair, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.desk.path is not None and window.desk.path != path)
    qtbot.waitUntil(lambda: window.desk.session.state == "ready")
    assert window.desk.path.name == "The tide table (repaired).jsonl"
    assert len(window.desk.session.chat) == len(lines) - 2
    assert path.read_bytes() == damaged


def test_a_file_that_is_gone_says_so(opened: Opener, qtbot: QtBot, library: DataRoot) -> None:
    window = opened(str(library.chats / "nobody" / "nothing.jsonl"))
    qtbot.waitUntil(lambda: window.pane.page == "failed")
    assert window.pane.failed.what.text() == "This chat no longer exists on disk."
    assert not window.pane.failed.repair.isVisible()


def test_a_file_that_holds_another_chat_now_is_not_overwritten(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    theirs = b'{"chat_metadata":{"integrity":"another"}}\n{"name":"Other","is_user":false,"mes":"from elsewhere"}'
    path.write_bytes(theirs)
    window.pane.composer.text.show_text("mine")
    window.desk.writing.send()
    window.acts.run(Act.SAVE)
    qtbot.waitUntil(lambda: window.desk.session.save_state.kind == "changed_on_disk")
    assert "now holds another one" in window.pane.banner.text
    assert [button.text() for button in window.pane.banner.buttons] == ["Save as New Chat…", "Take the File"]
    assert "Not saved" in window.status.save.text()
    assert path.read_bytes() == theirs
    window.close()
    assert window.isVisible()
    (box,) = (w for w in QApplication.topLevelWidgets() if isinstance(w, QDialog) and w.isVisible())
    box.reject()
    qtbot.mouseClick(window.pane.banner.buttons[1], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: facts.text(window.desk.session.chat.messages[-1].data()) == "from elsewhere")
    assert "put aside" in window.pane.banner.text
    assert path.read_bytes() == theirs


def test_a_new_chat_has_its_file_and_all_greetings_first(opened: Opener, qtbot: QtBot, library: DataRoot) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    stem = window.desk.character
    before = set((library.chats / stem).iterdir())
    window.actions_[Act.NEW_CHAT].trigger()
    qtbot.waitUntil(lambda: window.desk.path is not None and window.desk.path not in before)
    qtbot.waitUntil(lambda: window.desk.session.state == "ready")
    (greeting,) = records(window.desk.path)
    assert greeting["mes"] == greeting["swipes"][0]
    assert len(greeting["swipe_info"]) == len(greeting["swipes"])
    assert not greeting["is_user"]


def test_the_first_start_welcomes_and_works_on_the_sample(opened: Opener, qtbot: QtBot) -> None:
    window = opened(own=True)
    qtbot.waitUntil(lambda: window.pane.page == "welcome")
    assert len(window.services.library.chats) == 3
    qtbot.mouseClick(window.pane.welcome.sample, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.desk.session is not None and window.desk.session.state == "ready")
    window.close()
    window.services.shut_down()
    again = opened(own=True)
    qtbot.waitUntil(lambda: again.desk.session is not None)
    assert again.pane.page != "welcome"


def test_a_folder_that_is_none_is_refused_with_a_sentence(opened: Opener, tmp_path: Path) -> None:
    window = opened()
    root = window.services.root
    (tmp_path / "holiday pictures").mkdir()
    window.open_path(tmp_path / "holiday pictures")
    assert "is no SillyTavern or TauriTavern folder" in window.pane.banner.text
    assert window.services.root == root


def test_what_may_be_dropped(tmp_path: Path) -> None:
    def dragged(*paths: Path) -> QMimeData:
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
        return data

    chat, other = tmp_path / "x.jsonl", tmp_path / "x.txt"
    assert dropped_path(dragged(tmp_path)) == tmp_path
    assert dropped_path(dragged(chat)) == chat
    assert dropped_path(dragged(other)) is None
    assert dropped_path(dragged(chat, chat)) is None
    assert dropped_path(QMimeData()) is None


def test_escape_leaves_the_mode_and_then_goes_to_the_composer(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    window.acts.run(Act.FIND)
    assert window.pane.find_bar.isVisible()
    window.pane.view.setFocus()
    window.acts.run(Act.SELECT_PREVIOUS)
    window.acts.escape()
    assert window.pane.find_bar.isVisible()
    window.acts.escape()
    assert not window.pane.find_bar.isVisible()
    window.acts.escape()
    assert QApplication.focusWidget() in (window.pane.composer.text, None)


def test_finding_goes_through_the_whole_chat(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    chat = window.desk.session.chat
    word = facts.text(chat.messages[0].data()).split()[0].strip('*"“”')
    window.acts.run(Act.FIND)
    window.pane.find_bar.field.setText(word)
    window.pane.find_bar._search()
    qtbot.waitUntil(lambda: " of " in window.pane.find_bar.count.text())
    first = window.pane.find_bar.count.text()
    assert first.startswith("1 of ") or not first.endswith(" of 1")
    window.acts.run(Act.FIND_NEXT)
    assert window.actions_[Act.FIND_NEXT].isEnabled()
    window.acts.escape()


def test_zoom_reaches_the_surface_and_is_kept(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    before = window.services.settings.text_size
    window.acts.run(Act.ZOOM_IN)
    assert window.services.settings.text_size == before + 10
    window.acts.run(Act.ZOOM_RESET)
    assert window.services.settings.text_size == 100


def test_every_dialog_opens_and_closes(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    for act in (Act.JUMP, Act.GO_TO, Act.SETTINGS, Act.COMMAND_PALETTE, Act.KEY_MAP, Act.ABOUT):
        window.acts.run(act)
        dialogs = [w for w in QApplication.topLevelWidgets() if isinstance(w, QDialog) and w.isVisible()]
        assert len(dialogs) == 1, act
        dialogs[0].reject()
        qtbot.waitUntil(lambda gone=dialogs[0]: not shiboken6.isValid(gone))


def test_links_open_only_after_their_target_was_seen(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    went: list[str] = []
    monkeypatch.setattr(
        "tavern_desktop.ui.window_acts.QDesktopServices.openUrl", lambda url: went.append(url.toString())
    )
    window = opened()
    window.acts.open_link("https://example.org/a?b=<c>")
    (box,) = (w for w in QApplication.topLevelWidgets() if isinstance(w, QDialog) and w.isVisible())
    assert box.informativeText() == "https://example.org/a?b=<c>"
    assert went == []
    box.reject()


def test_copying_takes_from_where_the_person_is(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    window.activateWindow()
    window.pane.composer.text.show_text("from the composer")
    window.pane.composer.text.selectAll()
    window.pane.composer.text.setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is window.pane.composer.text)
    window.acts.run(Act.COPY)
    assert QGuiApplication.clipboard().text() == "from the composer"


def test_switching_fast_never_mixes_two_chats(opened: Opener, qtbot: QtBot, library: DataRoot) -> None:
    window = opened()
    rows = {row.title: row.path for row in window.services.library.chats}
    first, second = rows["The tide table"], rows["灯谜"]
    before = {path: records(path) for path in (first, second)}
    for path in (first, second, first, second):
        window.desk.open(path)
        window.pane.composer.text.show_text(f"draft for {path.stem}")
    qtbot.waitUntil(lambda: window.desk.session.state == "ready")
    assert window.desk.path == second
    window.desk.writing.send()
    window.desk.open(first)
    qtbot.waitUntil(lambda: window.desk.session.state == "ready")
    assert window.pane.composer.text.toPlainText() == "draft for The tide table"
    assert window.pane.view.model().rowCount() == len(before[first])
    window.close()
    assert records(first) == before[first]
    assert [record["mes"] for record in records(second)[len(before[second]) :]] == ["draft for 灯谜"]


def test_a_crash_is_shown_once_with_what_a_report_needs(theme: object) -> None:
    reports: list[str] = []
    hook = CrashHook(LastLines(), reports.append)
    try:
        raise RuntimeError("something of ours")
    except RuntimeError as error:
        hook.handle(type(error), error, error.__traceback__)
    (report,) = reports
    assert "Tavern Desktop" in report
    assert "RuntimeError: something of ours" in report


def test_every_menu_is_within_its_bar(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    bar = window.menuBar()
    height = bar.height()
    qtbot.waitUntil(lambda: len(bar.actions()) > 4)
    assert all(bar.rect().contains(bar.actionGeometry(action)) for action in bar.actions())
    assert bar.height() == height == bar.sizeHint().height()
