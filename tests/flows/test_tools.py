"""A model that uses tools: the person turns them on, allows what may run, sees what came, and loses nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QDialog, QPushButton, QWidget

from tavern_desktop.cards.envelope import read_card
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.tools import remote
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.tools.dialog import ToolsDialog
from tavern_desktop.ui.tools.edit_dialog import EditToolServer
from tavern_desktop.ui.tools.panel import ToolPanel
from tests.flows.person import Person
from tests.flows.test_talking import connect, count, newest, saved, seen, send, two_chats
from tests.model_server import ModelServer
from tests.unit.tools.mcp.harbour import ROOT, as_child

TABLE = {"title": "Cargo", "columns": ["Goods", "Weight"], "rows": [["salt-7c2", 3], ["rope-7c2", 1.5]]}

D = TypeVar("D", bound=QDialog)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A model that says and calls what the story wants."""
    made = ModelServer()
    monkeypatch.setattr("tavern_desktop.backends.discovery.usual_ports", lambda: [made.port])
    yield made
    made.close()


def opened(kind: type[D], parent: QWidget) -> D:
    (found,) = [dialog for dialog in parent.findChildren(kind) if dialog.isVisible()]
    return found


def turn_tools_on(person: Person, *, with_harbour: bool = False) -> None:
    """Reply ▸ Tools…: let models use tools, and add the harbour's server."""
    person.window.acts.run(Act.TOOLS)
    dialog = opened(ToolsDialog, person.window)
    data = person.window.services.tools
    person.wait(lambda: data.is_known)
    dialog.offer.click()
    person.wait(lambda: data.settings.is_on)
    if with_harbour:
        dialog.add_button.click()
        form, wanted = opened(EditToolServer, dialog), as_child()
        form.name.setText("Harbour")
        form.command.setText(f"{wanted.command} -m tests.tool_server")
        form.folder.setText(str(ROOT))
        form.values.setPlainText(f"PYTHONPATH={ROOT}")
        form.save_button.click()
        person.wait(lambda: bool(data.servers))
    dialog.close()
    person.turn_to(person.window)


def asked(person: Person, server: ModelServer, times: int) -> None:
    """Wait until the model was asked so many times in all."""
    person.wait(lambda: len(server.asked) == times)


def ends(server: ModelServer, *texts: str) -> None:
    server.say(*texts)
    server.end()


def calls(server: ModelServer, name: str, **arguments: Any) -> None:
    server.call(name, json.dumps(arguments))
    server.end()


def panel(person: Person) -> ToolPanel | None:
    found = person.window.pane.findChild(ToolPanel)
    return found if found is not None and found.isVisible() else None


def offered(person: Person) -> list[str]:
    """What can be pressed in the panel of the calls, "" with none."""
    shown = panel(person)
    buttons = shown.findChildren(QAbstractButton) if shown is not None else []
    return [button.text() for button in buttons if button.isVisible() and isinstance(button, QPushButton)]


def press(person: Person, text: str) -> None:
    shown = panel(person)
    assert shown is not None
    (button,) = [each for each in shown.findChildren(QPushButton) if each.text() == text and each.isVisible()]
    button.click()


def idle(person: Person) -> bool:
    return person.window.desk.replying.task is None


def test_a_table_is_there_before_the_next_word_and_after_the_next_start(
    person: Person, server: ModelServer, library: DataRoot
) -> None:
    path, _ = two_chats(library)
    person.start()
    person.open_file(path)
    connect(person)
    asked(person, server, 1)
    ends(server, "Ahoy.")
    person.wait(lambda: idle(person))
    assert "tools" not in server.asked[0]  # nobody has turned them on
    turn_tools_on(person)
    send(person, "What is aboard?")
    asked(person, server, 2)
    server.say("I have written it up.")
    calls(server, "show_table", **TABLE)
    asked(person, server, 3)
    # Before the model says another word the table is in the chat, and its values stay there.
    card = read_card(newest(person))
    assert card is not None
    assert (card.title, card.payload["rows"]) == ("Cargo", [["salt-7c2", 3], ["rope-7c2", 1.5]])
    assert server.asked[2]["messages"][-1]["content"] == "[Table shown: Cargo, 2 rows]"
    assert "salt-7c2" not in json.dumps([message["content"] for message in server.asked[2]["messages"]])
    ends(server, "Four and a half in all.")
    person.wait(lambda: idle(person))
    file = saved(person)
    assert [record["mes"] for record in file[-5:]] == [
        "What is aboard?",
        "I have written it up.",
        "The user sees the table now.",
        "[Table shown: Cargo, 2 rows]",
        "Four and a half in all.",
    ]
    person.quit()
    person.start()
    person.open_file(path)
    assert saved(person) == file
    # One Undo for each step of the turn: the text, then the call with all that it brought.
    session = person.window.desk.session
    assert session is not None
    person.wait(lambda: session.commands.next_undo is not None)  # what was done earlier is read from the journal
    person.window.desk.commands.undo()
    assert count(person) == len(file) - 1
    person.window.desk.commands.undo()
    assert newest(person)["mes"] == "What is aboard?"


def test_a_tool_of_a_server_asks_hangs_and_is_run_again(
    person: Person, server: ModelServer, library: DataRoot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, elsewhere = two_chats(library)
    board = tmp_path / "board.txt"
    person.start()
    person.open_file(here)
    connect(person)
    asked(person, server, 1)
    ends(server, "Ahoy.")
    person.wait(lambda: idle(person))
    turn_tools_on(person, with_harbour=True)

    # The person is asked, with what is passed to the tool before their eyes.
    send(person, "How deep is it?")
    asked(person, server, 2)
    calls(server, "depth", place="Salt Bay", tide=2)
    person.wait(lambda: offered(person) == ["Allow Once", "Allow in This Chat", "Always", "Refuse"])
    assert newest(person)["mes"] == "How deep is it?"  # nothing of the turn is in the chat yet
    press(person, "Allow Once")
    asked(person, server, 3)
    assert server.asked[2]["messages"][-1]["content"] == "10 feet at Salt Bay"

    # The next call hangs. After its time nobody knows what it did, and nothing is made up.
    before = count(person)
    monkeypatch.setattr(remote, "CALL_SECONDS", 0.5)
    calls(server, "ask_pilot", board=str(board))
    person.wait(lambda: "Allow Once" in offered(person))
    press(person, "Allow Once")
    person.wait(lambda: offered(person) == ["Run Again", "Give Up"])
    assert board.read_text() == "wanted\n"
    assert count(person) == before
    assert len(server.asked) == 3

    # The person looks at another chat meanwhile: the question waits where it belongs.
    person.open_file(elsewhere)
    person.wait(lambda: panel(person) is None)
    person.open_file(here)
    person.wait(lambda: offered(person) == ["Run Again", "Give Up"])
    monkeypatch.setattr(remote, "CALL_SECONDS", 60.0)
    press(person, "Run Again")
    asked(person, server, 4)
    assert server.asked[3]["messages"][-1]["content"] == "The pilot comes, asked 2 times."
    assert panel(person) is None
    ends(server, "Ten feet, and the pilot comes.")
    person.wait(lambda: idle(person))
    assert seen(person) == "Ten feet, and the pilot comes."
    roles = [record.get("role") for record in saved(person)[-5:]]
    assert roles == [None, "tool", None, "tool", None]


def test_a_turn_that_is_given_up_leaves_what_was_said(person: Person, server: ModelServer, library: DataRoot) -> None:
    here, _ = two_chats(library)
    person.start()
    person.open_file(here)
    connect(person)
    asked(person, server, 1)
    ends(server, "Ahoy.")
    person.wait(lambda: idle(person))
    turn_tools_on(person, with_harbour=True)
    send(person, "Wait for wind.")
    asked(person, server, 2)
    server.say("I am listening.")
    calls(server, "becalmed")
    person.wait(lambda: "Allow Once" in offered(person))
    press(person, "Allow Once")
    person.wait(lambda: offered(person) == ["Cancel"])
    press(person, "Cancel")
    person.wait(lambda: offered(person) == ["Run Again", "Give Up"])
    press(person, "Give Up")
    person.wait(lambda: idle(person))
    assert panel(person) is None
    kept = saved(person)[-1]
    assert (kept["mes"], "tool_calls" in kept) == ("I am listening.", False)
    assert len(server.asked) == 2
    # The chat goes on as ever.
    send(person, "Never mind.")
    asked(person, server, 3)
    ends(server, "Aye.")
    person.wait(lambda: idle(person))
    assert seen(person) == "Aye."


def test_a_call_that_is_refused_is_told_to_the_model(person: Person, server: ModelServer, library: DataRoot) -> None:
    here, _ = two_chats(library)
    person.start()
    person.open_file(here)
    connect(person)
    asked(person, server, 1)
    ends(server, "Ahoy.")
    person.wait(lambda: idle(person))
    turn_tools_on(person, with_harbour=True)
    send(person, "Set the flag.")
    asked(person, server, 2)
    calls(server, "set_flag", colour="black")
    person.wait(lambda: "Refuse" in offered(person))
    shown = panel(person)
    assert shown is not None
    button = shown.first_button()
    assert button is not None
    button.setFocus()
    for _ in range(3):
        person.press(Qt.Key.Key_Tab)
    person.press(Qt.Key.Key_Space)
    asked(person, server, 3)
    assert server.asked[2]["messages"][-1]["content"] == "The user did not allow this call."
    assert person.window.pane.composer.text.hasFocus()
    ends(server, "Then it stays down.")
    person.wait(lambda: idle(person))
    assert seen(person) == "Then it stays down."
