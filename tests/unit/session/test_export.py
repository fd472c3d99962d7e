"""Exports: the file's own bytes, or something that people can read and that is only text."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tavern_desktop.session.export import FORMATS, Format, export_chat
from tavern_desktop.storage.errors import StorageError

CHAT = "\n".join(
    [
        '{"chat_metadata":{"integrity":"x"},"n":1.10}\r',
        '{"name":"Ada*","mes":"The **kettle** sings.\\r\\n<script>alert(1)</script>",'
        '"send_date":"2026-01-05T08:07:03Z"}',
        '{"name":"Mira","is_user":true,"mes":"![a cat](http://example.org/cat.png)","extra":{"display_text":""}}',
        '{"name":"Note","is_system":true,"mes":"hidden"}',
        '{"name":"Ada*","mes":"raw","extra":{"display_text":"shown \\ud83d"}}',
        '{"name":"Ada*"}',
        "",
    ]
)


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "A & B.jsonl"
    path.write_text(CHAT, "utf-8", newline="")
    return path


def _exported(chat: Path, form: Format) -> str:
    out = chat.parent / f"out.{form}"
    export_chat(chat, out, form)
    return out.read_bytes().decode("utf-8")


def test_jsonl_is_the_file_byte_for_byte_even_if_it_is_damaged(chat: Path) -> None:
    chat.write_bytes(chat.read_bytes() + b"\xff\0")
    export_chat(chat, chat.with_name("copy.jsonl"), "jsonl")
    assert chat.with_name("copy.jsonl").read_bytes() == chat.read_bytes()


def test_text_is_what_sillytavern_exports(chat: Path) -> None:
    assert _exported(chat, "txt") == (
        "Ada*: The **kettle** sings.\n<script>alert(1)</script>\n\n"
        "Mira: ![a cat](http://example.org/cat.png)\n\n"
        "Ada*: shown ?\n\n"
    )


def test_markdown_keeps_the_texts_and_names_the_speakers(chat: Path) -> None:
    text = _exported(chat, "md")
    assert text.startswith("# A & B\n")
    assert "**Ada\\***" in text
    assert "The **kettle** sings." in text
    assert "hidden" not in text
    assert "2026-01-05" in text


def test_nothing_in_the_page_runs_or_is_fetched(chat: Path) -> None:
    page = _exported(chat, "html")
    assert "<title>A &amp; B</title>" in page
    assert "<strong>kettle</strong>" in page
    assert "<script" not in page
    assert "<img" not in page
    assert "src=" not in page


@pytest.mark.parametrize("form", FORMATS)
def test_an_existing_file_is_only_replaced_knowingly(chat: Path, form: Format) -> None:
    out = chat.parent / "out"
    out.write_bytes(b"precious")
    with pytest.raises(StorageError) as caught:
        export_chat(chat, out, form)
    assert (caught.value.kind, caught.value.detail) == ("already_exists", "target")
    assert out.read_bytes() == b"precious"
    export_chat(chat, out, form, replace=True)
    assert out.read_bytes() != b"precious"


@pytest.mark.parametrize("form", FORMATS)
def test_the_chat_itself_is_never_replaced(chat: Path, form: Format) -> None:
    before = chat.read_bytes()
    with pytest.raises(StorageError) as caught:
        export_chat(chat, chat, form, replace=True)
    assert (caught.value.kind, chat.read_bytes()) == ("validation", before)


def test_a_stopped_export_leaves_nothing(chat: Path) -> None:
    with pytest.raises(StorageError) as caught:
        export_chat(chat, chat.parent / "out.md", "md", cancelled=lambda: True)
    assert caught.value.kind == "cancelled"
    assert os.listdir(chat.parent) == [chat.name]
