"""Tools that a reply calls, in the window: asked about, run, shown, with the chat in view and without."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from tavern_desktop.backends.connection import Connection
from tavern_desktop.session.generating.scenes import chat_choices
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.main_window import MainWindow
from tavern_desktop.ui.tools.panel import ToolPanel
from tests.gui.shell.window_parts import Opener
from tests.model_server import ModelServer
from tests.tool_server import SMALLEST_PNG
from tests.unit.tools.mcp.harbour import as_child

LONG = 60_000
TABLE = {"title": "Cargo", "columns": ["Goods", "Weight"], "rows": [["salt", 3], ["rope", 1.5]]}

Wait = Callable[[Callable[[], Any]], None]


@pytest.fixture
def wait(qtbot: QtBot) -> Wait:
    return lambda condition: qtbot.waitUntil(lambda: bool(condition()), timeout=LONG)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    made = ModelServer()
    yield made
    made.close()


@pytest.fixture
def window(opened: Opener, server: ModelServer, wait: Wait) -> MainWindow:
    """A window with a chat that is answered, and with tools."""
    made = opened()
    services = made.services.model_servers
    services.connections.put(
        Connection(id="c", name="Here", protocol="openai", provider="llamacpp", url=server.url, model="tiny")
    )
    services.permissions.offer(is_on=True)
    services.remote_tools.servers.put(as_child(), {})
    made.open_path(Path(made.library.neighbour(0)))
    wait(lambda: made.desk.session is not None and made.desk.session.state == "ready")
    return made


def asked(window: MainWindow, server: ModelServer, wait: Wait) -> None:
    """Have the character speak, and wait until its model is asked."""
    before = len(server.asked)
    window.actions_[Act.REPLY].trigger()
    wait(lambda: len(server.asked) > before)


def panel(window: MainWindow) -> ToolPanel | None:
    return window.pane.findChild(ToolPanel)


def is_asking(window: MainWindow) -> bool:
    shown = panel(window)
    return shown is not None and shown.isVisible()


def press(window: MainWindow, text: str) -> None:
    shown = panel(window)
    assert shown is not None
    (button,) = [each for each in shown.findChildren(QPushButton) if each.text() == text and each.isVisible()]
    button.click()


def newest(window: MainWindow, count: int) -> list[dict[str, Any]]:
    assert window.desk.session is not None
    assert window.desk.session.chat is not None
    return [message.data() for message in window.desk.session.chat.messages[-count:]]


def test_a_table_that_the_model_makes_is_seen_before_its_next_text(
    window: MainWindow, server: ModelServer, wait: Wait
) -> None:
    asked(window, server, wait)
    names = [tool["function"]["name"] for tool in server.asked[0]["tools"]]
    assert {"show_table", "roll_dice", "depth"} <= set(names)
    server.say("Here it is.")
    server.call("show_table", json.dumps(TABLE))
    server.end()
    wait(lambda: len(server.asked) == 2)
    assert not is_asking(window)
    row = window.pane.view.record(window.pane.view.records.rowCount() - 2)  # the reply under way is the last
    assert row.special is not None
    assert row.special.title == "Cargo"
    assert [message["role"] for message in server.asked[1]["messages"]][-3:] == ["assistant", "tool", "system"]
    assert "salt" not in json.dumps(server.asked[1]["messages"][-1])
    server.say("Three and a half in all.")
    server.end()
    wait(lambda: window.desk.replying.task is None)
    assert [row["mes"] for row in newest(window, 4)][::3] == ["Here it is.", "Three and a half in all."]


def test_a_tool_of_a_server_runs_after_a_question_that_waits_in_its_chat(
    window: MainWindow, server: ModelServer, wait: Wait
) -> None:
    asked(window, server, wait)
    server.call("depth", json.dumps({"place": "Salt Bay", "tide": 2}))
    server.end()
    wait(lambda: is_asking(window))
    shown = panel(window)
    assert shown is not None
    names = [button.accessibleName() for button in shown.findChildren(QPushButton)]
    assert names == [f"{text}: Depth of water" for text in ("Allow Once", "Allow in This Chat", "Always", "Refuse")]
    here = window.desk.session
    assert here is not None
    window.open_path(Path(window.library.neighbour(1)))
    wait(lambda: window.desk.session is not here and not is_asking(window))
    window.open_path(here.path)
    wait(lambda: is_asking(window))
    press(window, "Allow in This Chat")
    wait(lambda: len(server.asked) == 2)
    assert server.asked[1]["messages"][-1] == {
        "role": "tool",
        "content": "10 feet at Salt Bay",
        "tool_call_id": "call_1",
    }
    assert not is_asking(window)
    server.call("depth", json.dumps({"place": "Quay"}))
    server.end()
    wait(lambda: len(server.asked) == 3)
    assert server.asked[2]["messages"][-1]["content"] == "4 feet at Quay"
    assert here.chat is not None
    assert chat_choices(here.chat.header.metadata()).allowed_tools == ("child/depth",)
    server.say("Deep enough.")
    server.end()
    wait(lambda: window.desk.replying.task is None)


def test_a_workflow_goes_on_before_one_s_eyes_and_says_when_it_was_interrupted(
    window: MainWindow, server: ModelServer, wait: Wait
) -> None:
    asked(window, server, wait)
    steps = [{"title": "Load", "status": "running"}, {"title": "Sail"}]
    server.call("show_workflow", json.dumps({"title": "Crossing", "steps": steps}))
    server.end()
    wait(lambda: len(server.asked) == 2)
    assert told(window) == ["Crossing. Running"]
    assert "Running" in painted(window)
    progress = [{"step": "Load", "status": "done"}, {"step": "Sail", "status": "running"}]
    server.call("workflow_progress", json.dumps({"steps": progress}))
    server.end()
    wait(lambda: len(server.asked) == 3)
    assert painted(window) == ["Running", "Crossing", "Done", "Load", "Running", "Sail"]
    server.say("Cast off.")
    server.end()
    wait(lambda: window.desk.replying.task is None)
    assert told(window) == ["Crossing. Interrupted"]
    assert painted(window) == ["Interrupted", "Crossing", "Done", "Load", "Interrupted", "Sail"]


def told(window: MainWindow) -> list[str]:
    """What is said of the workflows in view."""
    model = window.pane.view.records
    indices = [model.index(row, 0) for row in range(model.rowCount()) if window.pane.view.record(row).special]
    return [index.data(Qt.ItemDataRole.AccessibleTextRole).rpartition(": ")[2] for index in indices]


def painted(window: MainWindow) -> list[str]:
    """The words of the workflow in view."""
    view = window.pane.view
    view.grab()
    (row,) = [row for row in range(view.records.rowCount()) if view.record(row).special]
    face = view.row_view(row).face
    assert face is not None
    return [words.text for words in face.words]


def test_a_picture_of_a_tool_is_in_the_data_folder_and_in_the_chat(
    window: MainWindow, server: ModelServer, wait: Wait
) -> None:
    asked(window, server, wait)
    server.call("chart", "{}")
    server.end()
    wait(lambda: is_asking(window))
    press(window, "Allow Once")
    wait(lambda: len(server.asked) == 2)
    result, note = newest(window, 2)
    assert result["mes"] == "[A picture, image/png.]"
    (media,) = note["extra"]["media"]
    root = window.services.root
    assert root is not None
    assert (root.user_folder / media["url"].lstrip("/")).read_bytes() == SMALLEST_PNG
    assert media["url"] not in json.dumps(server.asked[1]["messages"])
    server.say("There.")
    server.end()
    wait(lambda: window.desk.replying.task is None)


def test_an_unknown_outcome_can_be_run_again_or_given_up(window: MainWindow, server: ModelServer, wait: Wait) -> None:
    asked(window, server, wait)
    before = newest(window, 99)
    server.call("sink", "{}")
    server.end()
    wait(lambda: is_asking(window))
    press(window, "Allow Once")
    shown = panel(window)
    assert shown is not None
    wait(lambda: [each for each in shown.findChildren(QPushButton) if each.text() == "Run Again"])
    assert newest(window, 99) == before
    press(window, "Give Up")
    wait(lambda: window.desk.replying.task is None)
    assert not is_asking(window)
    assert newest(window, 99) == before


def test_always_is_kept_and_can_be_taken_back(
    window: MainWindow, server: ModelServer, wait: Wait, qtbot: QtBot
) -> None:
    asked(window, server, wait)
    server.call("depth", json.dumps({"place": "Quay"}))
    server.end()
    wait(lambda: is_asking(window))
    shown = panel(window)
    assert shown is not None
    button = shown.first_button()
    assert button is not None
    button.setFocus()
    qtbot.keyClick(button, Qt.Key.Key_Tab)
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Space)
    wait(lambda: len(server.asked) == 2)
    permissions = window.services.model_servers.permissions
    wait(lambda: permissions.reload().allowed == {"child/depth": "Harbour: Depth of water"})
    server.say("Four feet.")
    server.end()
    wait(lambda: window.desk.replying.task is None)
    window.services.tools.revoke("child/depth")
    wait(lambda: permissions.reload().allowed == {})


def test_a_server_that_takes_no_tools_gets_none_from_then_on(
    window: MainWindow, server: ModelServer, wait: Wait
) -> None:
    server.refuse_setting("tools")
    asked(window, server, wait)
    wait(lambda: any(button.text() == "Leave It Out" for button in window.pane.banner.buttons))
    next(button for button in window.pane.banner.buttons if button.text() == "Leave It Out").click()
    wait(lambda: len(server.asked) == 2)
    assert "tools" not in server.asked[1]
    server.say("Aye.")
    server.end()
    wait(lambda: window.desk.replying.task is None)
