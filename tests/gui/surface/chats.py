"""Chats and gestures for the tests of the surface."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.ui.chat.view import ChatView

WORDS = ("lantern", "river", "coin", "map", "winter", "harbour", "ash", "clock", "owl", "the", "a", "her", "his")


def record(text: str, number: int = 0, **more: Any) -> dict[str, Any]:
    """Return a message record, users and characters in turn, five minutes apart."""
    is_user = number % 2 == 1
    name = "Wanderer" if is_user else "Aria"
    date = f"2026-03-{1 + number // 200 % 28:02}T{number // 12 % 24:02}:{number % 12 * 5:02}:00.000Z"
    return {"name": name, "is_user": is_user, "is_system": False, "send_date": date, "mes": text, "extra": {}} | more


def chat_of(records: Sequence[dict[str, Any] | str]) -> Chat:
    made = [record(item, number) if isinstance(item, str) else item for number, item in enumerate(records)]
    return Chat(Header.new(), [Message.new(item) for item in made])


def long_chat(count: int, most_words: int = 60, seed: int = 1) -> Chat:
    """Return a chat of `count` messages of one to `most_words` words."""
    chooser = random.Random(seed)
    texts = (" ".join(chooser.choices(WORDS, k=chooser.randint(1, most_words))) for _ in range(count))
    return chat_of([record(text, number) for number, text in enumerate(texts)])


def new_message(text: str, number: int = 0) -> Message:
    return Message.new(record(text, number))


def change(chat: Chat, index: int, **fields: Any) -> None:
    """Give a message other fields, as a command would."""
    message = chat.messages[index]
    chat.replace(index, [message.with_data(message.data() | fields)])


def seen(view: ChatView) -> dict[int, int]:
    """Return {key: top on screen} of the messages on screen."""
    return {view.key(row): view.places.screen_top(row) for row in view.places.visible_rows()}


def mouse(view: ChatView, what: QEvent.Type, point: QPoint, modifiers: Any = Qt.KeyboardModifier.NoModifier) -> None:
    """Send the viewport a mouse event as the window system would, dragging moves included."""
    is_move = what == QEvent.Type.MouseMove
    button = Qt.MouseButton.NoButton if is_move else Qt.MouseButton.LeftButton
    held = Qt.MouseButton.NoButton if what == QEvent.Type.MouseButtonRelease else Qt.MouseButton.LeftButton
    place = view.viewport().mapToGlobal(point)
    event = QMouseEvent(what, QPointF(point), QPointF(place), button, held, modifiers)
    QApplication.sendEvent(view.viewport(), event)


def click(view: ChatView, point: QPoint, modifiers: Any = Qt.KeyboardModifier.NoModifier) -> None:
    mouse(view, QEvent.Type.MouseButtonPress, point, modifiers)
    mouse(view, QEvent.Type.MouseButtonRelease, point, modifiers)


def drag(view: ChatView, start: QPoint, end: QPoint) -> None:
    mouse(view, QEvent.Type.MouseButtonPress, start)
    mouse(view, QEvent.Type.MouseMove, end)
    mouse(view, QEvent.Type.MouseButtonRelease, end)


def part_point(view: ChatView, key: int, part: str) -> QPoint:
    """Return a point on a part of a message, found by asking what lies where."""
    row = view.row_of(key)
    assert row is not None
    area = view.row_rect(row).intersected(view.viewport().rect())
    for y in range(area.top(), area.bottom() + 1, 3):
        for x in range(area.left(), area.right() + 1, 4):
            hit = view.hit_test(QPoint(x, y))
            if hit is not None and hit.part == part:
                return QPoint(x + 2, y + 1)
    raise AssertionError(f"no {part} on message {key}")


def character_point(view: ChatView, key: int, character: int) -> QPoint:
    """Return the point just before a character of a message's text."""
    row = view.row_of(key)
    assert row is not None
    shown = view.row_view(row)
    assert shown.document is not None
    block = shown.document.findBlock(character)
    line = block.layout().lineForTextPosition(character - block.position())
    x = line.cursorToX(character - block.position())
    left = x[0] if isinstance(x, tuple) else x
    corner = view.row_rect(row).topLeft() + shown.layout.text.topLeft()
    block_top = shown.document.documentLayout().blockBoundingRect(block).top()
    return corner + QPoint(round(left), round(block_top + line.y() + line.height() / 2))
