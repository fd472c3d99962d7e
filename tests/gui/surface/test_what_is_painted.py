"""Every kind of row is painted; nothing runs, nothing is fetched, nothing grows without bounds (known failure B-62)."""

from __future__ import annotations

import base64
import socket
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from tavern_desktop.ui.chat.context import ChatContext
from tavern_desktop.ui.chat.document import MessageDocument
from tavern_desktop.ui.chat.view import ChatView
from tests.gui.surface.chats import change, chat_of, long_chat, record
from tests.gui.surface.conftest import Show

KINDS: list[dict[str, Any]] = [
    {"is_user": True},
    {"is_system": True},
    {"extra": {"type": "narrator"}},
    {"extra": {"type": "comment"}, "is_system": True},
    {"extra": {"type": "help"}, "is_system": True},
    {"extra": {"tool_invocations": [{"name": "roll", "parameters": "{}", "result": "17"}]}, "is_system": True},
    {"role": "tool", "is_system": True},
    {"extra": {"media": [{"type": "video", "url": "a.mp4"}], "files": [{"name": "a.txt"}]}},
    {"extra": {"reasoning": "because"}, "swipes": ["x", "y"], "swipe_id": 7},
    {"send_date": None, "name": None, "mes": None, "extra": []},
]
MARKUP = [
    "# H\n\n> q\n> > r\n\n- a\n- [x] b\n\n1. c\n\n---\n\n```py\nx = 1\n```\n\n| a | b |\n|---|---|\n| c | d |",
    "| only |\n|---|\n| a table |",
    "```\ncode first\n```\n\n```\ncode last\n```",
    "| a |\n|---|\n| b |\n\n| c |\n|---|\n| d |",
    "كانت الليلة هادئة.\n\n- عنصر\n\n> اقتباس",
    "月光*落在*湖面上 🦊",
    "<script>alert(1)</script><style>*{display:none}</style> still here",
    "",
]


def document_of(view: ChatView, row: int = 0) -> MessageDocument:
    document = view.row_view(row).document
    assert document is not None
    return document


def png(width: int, height: int) -> bytes:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("teal"))
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    assert image.save(buffer, "PNG")
    return bytes(data.data())


@pytest.mark.parametrize("extra", KINDS)
def test_every_kind_of_row(show: Show, extra: dict[str, Any]) -> None:
    view = show(chat_of([record("Text “said” *done*", 0) | extra, record("next", 1)]))
    for fold in view.row_view(0).layout.folds:
        view.toggle_fold(view.key(0), fold.name)
    view.set_current_key(view.key(0))
    view.grab()


@pytest.mark.parametrize("text", MARKUP)
def test_every_kind_of_text(show: Show, text: str) -> None:
    view = show(chat_of([text]))
    view.grab()
    view.painting._colour_code()
    view.grab()
    view.text.select_message(view.key(0))
    view.selected_text()
    view.selected_markdown()
    view.grab()


def test_code_keeps_its_height_when_it_gets_its_colours(show: Show, qtbot: QtBot) -> None:
    view = show(chat_of(["```python\ndef f(): return 'x'  # y\n```"]))
    height = document_of(view).height()
    view.grab()
    qtbot.waitUntil(lambda: view.row_view(0).coloured)
    assert document_of(view).height() == height
    assert document_of(view).findBlockByNumber(0).layout().formats()


def test_paragraphs_run_from_their_first_strong_letter(show: Show) -> None:  # known failure B-59
    text = "كانت ليلة.\n\nEnglish.\n\n“اقتباس” English\n\n🦊 كلمة 12 word\n\n```\nكود\n```"
    document = document_of(show(chat_of([text])))
    directions = [document.findBlockByNumber(number).textDirection() for number in document.blocks]
    left, right = Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft
    assert directions == [right, left, right, right, left]


def test_nothing_is_fetched(show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        at = f"http://127.0.0.1:{server.getsockname()[1]}"
        texts = [
            f"![x]({at}/q.png)",
            f'<img src="{at}/p.png">',
            f'<div style="background:url({at}/b.png)">x</div><link rel=stylesheet href="{at}/s.css">',
            f"<table background='{at}/t.png'><tr><td><img src='{at}/u.png'></td></tr></table>",
            f"[![x]({at}/v.png)]({at}/w)",
        ]
        view = show(chat_of([*texts, record("m", 1, extra={"media": [{"type": "image", "url": f"{at}/m.png"}]})]))
        view.grab()
        for row in range(len(texts)):
            document_of(view, row).toHtml()
        with pytest.raises(BlockingIOError):
            server.accept()
        assert "not loaded" in document_of(view).text()


def test_local_files_outside_are_not_read(show: Show, context: ChatContext, tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(png(10, 10))
    view = show(chat_of([f"![x](file://{secret})", f"![x]({secret})"]))
    assert "not found" in document_of(view, 1).text()
    for row in (0, 1):
        assert not document_of(view, row).decorations()


def with_pictures(context: ChatContext, folder: Path) -> ChatContext:
    from dataclasses import replace

    return replace(context, resolve_picture=lambda url: folder / url if (folder / url).is_file() else None)


def test_a_picture_has_its_room_before_it_is_there(
    show: Show, context: ChatContext, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "a.png").write_bytes(png(300, 200))
    (tmp_path / "wide.png").write_bytes(png(3_000, 100))
    view = show(None)
    chat = chat_of(["![a](a.png)", "![a](a.png =150x)", "![w](wide.png)", "![n](nowhere.png)"])
    view.set_chat(chat, with_pictures(context, tmp_path))
    spots = [[d.spot.size for d in document_of(view, row).decorations() if d.spot] for row in range(4)]
    assert [(size.width(), size.height()) for (size,) in spots[:2]] == [(300, 200), (150, 100)]
    assert spots[2][0].width() == view.row_view(2).layout.text.width()
    assert spots[3] == []
    before = [view.row_rect(row) for row in range(4)]
    with qtbot.waitSignal(view.pictures.arrived):
        view.grab()
    view.grab()
    assert [view.row_rect(row) for row in range(4)] == before


def test_a_picture_that_is_none(show: Show, context: ChatContext, tmp_path: Path) -> None:
    (tmp_path / "broken.png").write_bytes(png(50, 50)[:60])
    (tmp_path / "text.png").write_text("no picture")
    view = show(None)
    view.set_chat(chat_of(["![a](broken.png)", "![b](text.png)"]), with_pictures(context, tmp_path))
    view.grab()
    view.pictures._load_next()
    view.grab()
    assert "not found" in document_of(view, 1).text()


def test_a_huge_picture_is_not_decoded(show: Show) -> None:
    header = bytearray(png(8, 8))
    header[16:24] = (20_000).to_bytes(4, "big") * 2  # the size in IHDR; decoding would take 1.6 GB
    import zlib

    header[29:33] = zlib.crc32(bytes(header[12:29])).to_bytes(4, "big")
    url = "data:image/png;base64," + base64.b64encode(bytes(header)).decode()
    view = show(chat_of([f"![big]({url})"]))
    assert "20000 × 20000" in document_of(view).text()


def test_a_picture_in_a_data_url(show: Show, qtbot: QtBot) -> None:
    url = "data:image/png;base64," + base64.b64encode(png(400, 300)).decode()
    view = show(chat_of([f"before ![big]({url}) after"]))
    with qtbot.waitSignal(view.pictures.arrived):
        view.grab()
    assert document_of(view).text().replace("\ufffc", "picture") == "before\npicture\nafter"


def test_jokes_of_nesting(show: Show) -> None:
    texts = ["> " * 5_000 + "deep", "- " * 5_000 + "x", "<div>" * 5_000, "<b>" * 5_000 + "x", "“" * 5_000 + "”" * 5_000]
    view = show(chat_of(texts))
    view.grab()
    view.verticalScrollBar().setValue(0)
    view.grab()


def test_a_very_long_text_is_shown_in_two_steps(show: Show) -> None:
    view = show(chat_of(["word " * 40_000]))
    short = document_of(view).length()
    assert "Show the rest" in document_of(view).text()
    view.toggle_details(view.key(0), -1)
    assert document_of(view).length() > short * 2
    assert view.record(0).text == "word " * 40_000


def test_colours_of_authors_stay_legible(show: Show, context: ChatContext) -> None:
    from dataclasses import replace

    from tavern_desktop.ui.theme import Theme

    view = show(None)
    view.set_context(replace(context, theme=Theme.load("dark")))
    assert view.look.colour("black").lightnessF() > 0.5  # type: ignore[union-attr]
    assert view.look.colour("rgb(10, 20, 30)") is not None
    for nonsense in ("", "url(x)", "notacolour", "rgb(1,2)"):
        assert view.look.colour(nonsense) is None


def test_search_hits_are_marked_and_found(show: Show) -> None:
    chat = long_chat(300)
    change(chat, 20, mes="filler " * 600 + "the Heron knows " + "filler " * 300)
    view = show(chat)
    view.set_search_hits("heron")
    view.scroll_to_index(20)
    row = view.row_of(chat.messages[20].key)
    assert row is not None
    shown = view.row_view(row)
    (hit,) = view.marks.hits_in(shown)
    assert shown.document is not None
    line = view.row_rect(row).top() + shown.layout.text.top() + shown.document.line_top(hit[0])
    assert 0 <= line < view.viewport().height()
    assert view.marks.current_in(chat.messages[20].key) == 0
    view.grab()
    view.set_search_hits("")
    assert view.marks.hits_in(shown) == ()


def test_day_lines_follow_the_days(show: Show) -> None:
    days = ["2026-03-03T10:00:00Z", "2026-03-03T11:00:00Z", "2026-03-05T10:00:00Z", None]
    chat = chat_of([record("x", number, send_date=day) for number, day in enumerate(days)])
    view = show(chat)

    def lines() -> list[bool]:
        return [bool(view.row_view(row).layout.day_text) for row in range(len(chat))]

    assert lines() == [True, False, True, False]
    chat.remove(0, 0)
    assert lines() == [True, True, False]
    chat.move(0, 0, 2)
    assert lines() == [True, True, False]
    chat.remove(0, 1)
    assert lines() == [False]
