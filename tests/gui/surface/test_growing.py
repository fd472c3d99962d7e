"""A text that is written piece by piece looks the same as one that came at once, and costs no more when it is long."""

from __future__ import annotations

import random

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tavern_desktop.ui.chat.blocks import Parsed
from tavern_desktop.ui.chat.context import ChatContext
from tavern_desktop.ui.chat.document import MessageDocument
from tavern_desktop.ui.chat.growing import SETTLED_EVERY, GrowingText
from tavern_desktop.ui.chat.look import Look
from tavern_desktop.ui.chat.markdown import begin_of_last, parse
from tavern_desktop.ui.chat.pictures import PictureShelf
from tavern_desktop.ui.theme import themes

PIECES = [
    '*She looks up.* "You came," she says.\n\n',
    "Plain words that go on and on, **bold** and `code`, without an end\nand a second line\n\n",
    "```python\ndef f(x):\n    return x\n```\n\n",
    "- one\n- two\n  - three\n\n",
    "> a quote\n> goes on\n\n",
    "| a | b |\n|---|---|\n| 1 | **2** |\n\n",
    "# A heading\n",
    "---\n",
    "小月说：**你好**。\n\n",
    "an open *emphasis and an open ```",
    "1. first\n2. second\n\n",
    "<b>bold</b> and a <details><summary>s</summary>fold</details>\n\n",
    "![](x.png)\n\n",
]


@pytest.fixture
def look(qtbot: QtBot) -> Look:
    context = ChatContext(themes().current)
    return Look(context.theme, QApplication.font(), 100)


def document(parsed: Parsed, look: Look) -> MessageDocument:
    shelf = PictureShelf(lambda url: None, lambda work, done: None)
    return MessageDocument(parsed, look, 500, shelf)


def shown(made: MessageDocument) -> tuple[object, ...]:
    block, formats = made.begin(), []
    while block.isValid():
        shape = block.blockFormat()
        formats.append((shape.topMargin(), shape.indent(), shape.lineHeight(), shape.leftMargin()))
        block = block.next()
    decorations = [(each.kind, each.rect.toRect(), each.text) for each in made.decorations()]
    return made.toRawText(), formats, decorations, made.height(), list(made.blocks)


@pytest.mark.parametrize("seed", range(12))
def test_it_looks_the_same_at_every_step(seed: int, look: Look) -> None:
    chooser = random.Random(seed)
    kinds = PIECES if seed % 3 == 0 else PIECES[:-2]
    text = "".join(chooser.choices(kinds, k=25))
    growing, at = GrowingText(), 1
    made = document(parse(text[:1]), look)
    while at <= len(text):
        parsed = growing.parse(text[:at])
        assert parsed is not None
        assert parsed.blocks == parse(text[:at]).blocks
        if not made.grow(parsed):
            made = document(parsed, look)
        assert shown(made) == shown(document(parsed, look))
        at += chooser.randint(1, 120)


def test_what_can_no_longer_change_is_not_worked_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = []

    def counted(text: str) -> Parsed:
        lengths.append(len(text))
        return parse(text)

    monkeypatch.setattr("tavern_desktop.ui.chat.growing.parse", counted)
    growing = GrowingText()
    text = PIECES[1] * 300
    for at in range(0, len(text), 40):
        growing.parse(text[:at])
    assert max(lengths[-200:]) < 2 * SETTLED_EVERY + len(PIECES[1])


def test_a_text_that_changed_its_mind_is_no_growth() -> None:
    growing = GrowingText()
    growing.parse("one two")
    assert growing.parse("one") is None


@pytest.mark.parametrize("text", ["", "one paragraph", "a <b>\n\nb", "a\n\n[x]: y\n\nb", "a\r\n\r\nb"])
def test_where_it_cannot_be_told_all_may_still_change(text: str) -> None:
    assert begin_of_last(text) == 0


def test_the_last_block_may_still_change() -> None:
    assert begin_of_last("a\n\n- b\n- c\n\n```\nd") == len("a\n\n- b\n- c\n\n")
