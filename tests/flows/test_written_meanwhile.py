"""SillyTavern writes while the window is open: real events, and files written by a real second process."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QWidget

from tavern_desktop.session import writing
from tavern_desktop.session.commands import EditText
from tavern_desktop.session.merging import merge_versions
from tavern_desktop.ui.outside_watch import OutsideWatch
from tests.flows.conftest import MakeChat
from tests.flows.person import CTRL, Person

WRITER = """
import os, pathlib, sys
path, data = pathlib.Path(sys.argv[1]), sys.stdin.buffer.read()
path.parent.mkdir(exist_ok=True)
beside = path.with_name(path.name + ".1234567890")
beside.write_bytes(data)
os.replace(beside, path)
"""
"""As SillyTavern writes: beside the file, then over it."""


MERGED_ONE = "Changes made elsewhere were merged (1)."


def written_elsewhere(path: Path, data: bytes) -> None:
    subprocess.run([sys.executable, "-c", WRITER, str(path)], input=data, check=True)


def message(text: str) -> bytes:
    return json.dumps({"name": "Wanderer", "is_user": True, "is_system": False, "mes": text, "extra": {}}).encode()


def appended(path: Path, *texts: str) -> bytes:
    return b"\n".join([path.read_bytes(), *map(message, texts)])


def banner(person: Person) -> str:
    return str(person.window.pane.banner.text)


def press(person: Person, text: str) -> None:
    next(button for button in person.window.pane.banner.buttons if button.text() == text).click()


def started(person: Person) -> None:
    """The program is started, and the folder watched."""
    person.start()
    person.wait(lambda: is_watched(person))


def is_watched(person: Person) -> bool:
    watch = person.window.services.findChild(OutsideWatch)
    return watch is not None and watch.watcher.is_observing


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[1:]]


def test_an_unedited_chat_follows_and_the_line_being_read_does_not_move(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(200)
    started(person)
    person.open_newest()
    view = person.view
    count = view.model().total()
    person.click_message(count - 40)
    person.view.verticalScrollBar().setValue(person.view.verticalScrollBar().value() - 37)
    before = {number: person.row_top(number) for number in range(count - 40, count - 36)}
    session = person.window.desk.session
    keys = [m.key for m in session.chat.messages]
    published: list[Any] = []
    session.published.connect(published.append)

    # Written there: two messages behind, and one of those far above the line being read.
    lines = appended(path, "One more.", "And another.").split(b"\n")
    changed = json.loads(lines[1 + count - 60])
    lines[1 + count - 60] = json.dumps(changed | {"mes": "A longer text.\n\nOf\n\nmany\n\nlines."}).encode()
    written_elsewhere(path, b"\n".join(lines))
    person.wait(lambda: banner(person) == "Changed on disk: 3 messages.")
    assert {number: person.row_top(number) for number in before} == before
    assert [m.key for m in session.chat.messages[:count]] == keys
    assert person.text_of(count + 1) == "And another."
    assert (session.save_state.kind, published) == ("saved", [])

    # Show leads there; Undo brings back what was, and saves it.
    press(person, "Show")
    assert view.current_key == session.chat.messages[count].key
    person.press(Qt.Key.Key_Z, CTRL)
    person.press(Qt.Key.Key_S, CTRL)
    person.wait(lambda: not session.is_dirty)
    assert len(records(path)) == count
    backups = list((person.window.services.root.user_folder / "backups").glob("chat_*.jsonl"))
    assert any(b"And another." in backup.read_bytes() for backup in backups)
    person.quit()


@pytest.mark.parametrize(("button", "kind"), [("Show", "removed"), ("Compare", "edited"), ("Compare", "added")])
def test_what_changed_is_compared_with_what_was_here(
    person: Person, make_chat: MakeChat, button: str, kind: str
) -> None:
    path = make_chat(60)
    started(person)
    person.open_newest()
    lines = path.read_bytes().split(b"\n")
    match kind:
        case "removed":
            del lines[30]
        case "edited":
            lines[30] = json.dumps(json.loads(lines[30]) | {"mes": "Written there."}).encode()
        case "added":
            lines.append(message("Written there."))
    written_elsewhere(path, b"\n".join(lines))
    person.wait(lambda: banner(person) == "Changed on disk: 1 message.")

    # The button opens the version before and after, and the notice stays, with its Undo.
    press(person, button)
    deeds = person.window.part.history
    person.wait(lambda: deeds.window is not None and deeds.window.model.comparison is not None)
    counts = deeds.window.model.comparison.difference.counts
    assert {one.name.lower(): count for one, count in counts.items() if count} == {kind: 1}
    assert deeds.window.title.text() == "Changed by another program"
    deeds.window.close()
    press(person, "Undo")
    person.press(Qt.Key.Key_S, CTRL)
    person.wait(lambda: not person.window.desk.session.is_dirty)
    assert "Written there." not in [record["mes"] for record in records(path)]
    assert len(records(path)) == 60
    person.quit()


def test_at_the_end_what_is_added_comes_into_view(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(60)
    started(person)
    person.open_newest()
    count = person.view.model().total()
    assert person.view.at_end
    written_elsewhere(path, appended(path, "One more."))
    person.wait(lambda: banner(person) == "Changed on disk: 1 message.")
    assert person.text_of(count) == "One more."
    assert person.view.at_end
    person.quit()


def test_our_own_saves_are_no_news(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(60)
    started(person)
    person.open_newest()
    session = person.window.desk.session
    count = person.view.model().total()
    followed: list[Any] = []
    session.followed.connect(followed.append)
    signature = session.signature
    person.edit(count - 3, "Written here.")
    person.press(Qt.Key.Key_S, CTRL)
    person.wait(lambda: session.signature != signature and not session.is_dirty)
    # Everything heard of the save has been dealt with when a later change elsewhere has arrived in the list.
    other = path.with_name("Another road.jsonl")
    written_elsewhere(other, path.read_bytes())
    person.wait(lambda: person.window.services.library.row(other) is not None)
    assert (followed, banner(person)) == ([], "")
    assert records(path)[count - 3]["mes"] == "Written here."
    person.quit()


def test_an_edited_chat_is_merged_by_itself(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(60)
    started(person)
    person.open_newest()
    count = person.view.model().total()
    person.edit(count - 3, "Written here.")
    written_elsewhere(path, appended(path, "Written elsewhere."))
    person.wait(lambda: banner(person) in (MERGED_ONE, "Changed on disk: 1 message."))  # whoever came first
    assert (person.text_of(count - 3), person.text_of(count)) == ("Written here.", "Written elsewhere.")
    person.quit()


def test_a_message_being_edited_is_not_changed_under_the_hand(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(60)
    started(person)
    person.open_newest()
    session = person.window.desk.session
    number = next(n for n in range(50, 60) if not session.chat.messages[n].data()["is_user"])
    person.click_message(number)
    person.view.setFocus()
    person.press(Qt.Key.Key_F2)
    person.find(QWidget, "messageEditor").setFocus()
    person.press(Qt.Key.Key_A, CTRL)
    person.type("Mine.")
    header, *lines = path.read_bytes().split(b"\n")
    theirs = json.loads(lines[number]) | {"mes": "Theirs.", "swipes": ["Theirs."], "swipe_id": 0}
    lines[number] = json.dumps(theirs).encode()
    written_elsewhere(path, b"\n".join([header, *lines]))
    person.wait(lambda: session.following.is_put_off)  # it was seen, and waits
    person.press(Qt.Key.Key_Return, CTRL)
    person.wait(lambda: banner(person) == MERGED_ONE)
    assert (records(path)[number]["mes"], records(path)[number]["swipes"][-1]) == ("Mine.", "Theirs.")
    person.quit()


@pytest.mark.parametrize("what", ["edited", "removed"])
def test_an_editor_opened_while_a_merge_runs_keeps_its_words(
    person: Person, make_chat: MakeChat, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    path = make_chat(60)
    started(person)
    person.open_newest()
    session = person.window.desk.session
    number = next(n for n in range(50, 60) if not session.chat.messages[n].data()["is_user"])
    is_merging, may_go_on = threading.Event(), threading.Event()

    def slowly(*args: Any) -> Any:
        is_merging.set()
        assert may_go_on.wait(60)
        return merge_versions(*args)

    monkeypatch.setattr(writing, "merge_versions", slowly)
    session.do(EditText(session.chat.messages[5].key, "Mine, saved."))
    header, *lines = path.read_bytes().split(b"\n")
    if what == "edited":
        theirs = {"mes": "Theirs.", "swipes": ["Theirs."], "swipe_id": 0}
        lines[number] = json.dumps(json.loads(lines[number]) | theirs).encode()
    else:
        del lines[number]
    written_elsewhere(path, b"\n".join([header, *lines]))
    session.save_now()
    person.wait(is_merging.is_set)

    # The two are being made one when the person begins to type into the message that the other program changed.
    person.click_message(number)
    person.view.setFocus()
    person.press(Qt.Key.Key_F2)
    editor = person.find(QWidget, "messageEditor")
    editor.setFocus()
    person.press(Qt.Key.Key_A, CTRL)
    person.type("Mine, ")
    may_go_on.set()
    person.wait(lambda: session.following.is_put_off)
    assert person.find(QWidget, "messageEditor") is editor
    person.type("typed.")
    person.press(Qt.Key.Key_Return, CTRL)
    person.wait(lambda: banner(person) != "" and not session.is_dirty)
    written = records(path)
    assert (written[5]["mes"], written[number]["mes"]) == ("Mine, saved.", "Mine, typed.")
    assert len(written) == 60
    if what == "edited":
        assert written[number]["swipes"][-1] == "Theirs."
    person.quit()


def test_a_greeting_over_a_long_chat_is_asked_about(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(60)
    started(person)
    person.open_newest()
    session = person.window.desk.session
    whole = len(session.chat)
    written_elsewhere(path, b"\n".join([path.read_bytes().split(b"\n")[0], message("Hello.")]))
    person.wait(lambda: banner(person).startswith(f"This chat shrank from {whole} to 1 messages"))
    assert len(session.chat) == whole
    press(person, "Take the File")
    person.wait(lambda: session.state == "ready" and len(session.chat) == 1)
    person.wait(lambda: banner(person) == "")
    person.quit()


def test_a_deleted_chat_can_be_saved_again_or_closed(
    person: Person, make_chat: MakeChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tavern_desktop.session.outside.GONE_SECONDS", 0.0)
    path = make_chat(60)
    started(person)
    person.open_newest()
    session = person.window.desk.session
    before = path.read_bytes()
    path.unlink()
    person.wait(lambda: banner(person).startswith("This chat no longer exists on disk."))
    assert "no longer exists" in person.window.status.findChild(object, "statusSave").text()
    press(person, "Save Again Under This Name")
    person.wait(lambda: session.trouble is None and session.save_state.kind == "saved")
    assert path.read_bytes() == before
    path.unlink()
    person.wait(lambda: session.trouble is not None)
    press(person, "Close")
    person.wait(lambda: person.window.desk.session is None)
    assert not path.exists()
    person.quit()


def test_lists_follow_new_chats_and_characters(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(10)
    started(person)
    library = person.window.services.library
    recents = person.find(QAbstractItemView, "recentList")
    row = library.row(path)
    written_elsewhere(path, appended(path, "Last words from elsewhere."))
    person.wait(lambda: library.row(path) != row)
    assert library.row(path).preview == "Last words from elsewhere."
    card = next(person.window.services.root.characters.glob("*.png"))
    written_elsewhere(card.with_name("Somebody new.png"), card.read_bytes())
    person.wait(lambda: library.character("Somebody new") is not None)
    new = path.parent.parent / "Somebody new" / "hello.jsonl"
    rows = recents.model().rowCount()
    written_elsewhere(new, path.read_bytes())
    person.wait(lambda: library.row(new) is not None)
    assert recents.model().rowCount() == rows + 1
    path.unlink()
    person.wait(lambda: library.row(path) is None)
    person.quit()
