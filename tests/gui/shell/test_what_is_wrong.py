"""What is said of a chat that cannot be read, or has no header."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.reader import load
from tavern_desktop.storage.recovery import recovery
from tavern_desktop.ui.failure import what_is_wrong
from tests.gui.shell.window_parts import Opener

TALK = '{"user_name":"Ana","character_name":"Mira","chat_metadata":{}}\n{"name":"Ana","is_user":true,"mes":"Hello"}'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (TALK.encode("utf-16"), "UTF-16"),
        (bytes(5000), "nothing but NUL bytes"),
        (TALK.encode()[:-3], "damaged at line 2"),
        (TALK.encode() + b'{"mes":"Glued"}', "Several messages are on one line"),
        (TALK.encode() + bytes(9), "NUL bytes, as after a power cut"),
    ],
)
def test_what_happened_is_said(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_bytes(content)
    with pytest.raises(StorageError) as caught:
        load(path)
    assert words in what_is_wrong(caught.value, recovery(path))


def test_a_chat_without_header_says_so_and_a_whole_one_is_made_of_it(
    opened: Opener, qtbot: QtBot, library: DataRoot
) -> None:
    lost = sorted(library.chats.glob("*/*.jsonl"))[0].with_name("lost.jsonl")
    lost.write_text("\n".join(f'{{"name":"Ana","is_user":true,"mes":"m{n}"}}' for n in range(3)), encoding="utf-8")
    window = opened(str(lost))
    qtbot.waitUntil(lambda: "has no header" in window.pane.banner.text)
    assert len(window.desk.session.chat) == 2
    (button,) = window.pane.banner.buttons
    button.click()
    qtbot.waitUntil(lambda: window.desk.path != lost and window.pane.view.is_editable)
    assert [message.seen_data()["mes"] for message in window.desk.session.chat.messages] == ["m0", "m1", "m2"]
    assert lost.read_text("utf-8").count("mes") == 3


def test_a_chat_with_a_header_says_nothing(opened: Opener, qtbot: QtBot, library: DataRoot) -> None:
    chat = sorted(library.chats.glob("*/*.jsonl"))[0]
    window = opened(str(chat))
    qtbot.waitUntil(lambda: window.desk.path == chat and window.pane.view.is_editable)
    assert "has no header" not in window.pane.banner.text
