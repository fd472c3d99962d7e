"""A chat as a file for other programs and for people: JSONL byte for byte, YAML, Markdown, a web page, plain text.

The YAML document has every record to the letter, and can be changed by hand and imported again. What is hidden from
prompts is left out of the three for reading, as in SillyTavern's own text export. Nothing in the web page runs, and
nothing in it is fetched from anywhere.
"""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from tavern_desktop.chat import facts
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.storage.copies import copy_new
from tavern_desktop.storage.directory import kind_of
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError
from tavern_desktop.storage.names import SUFFIX
from tavern_desktop.storage.publish import publish
from tavern_desktop.storage.reader import BLOCK_SIZE, Cancelled, LoadedChat, Progress, blocks, load, opened
from tavern_desktop.storage.signature import Signature

Format = Literal["jsonl", "yaml", "md", "html", "txt"]
FORMATS: tuple[Format, ...] = ("jsonl", "yaml", "md", "html", "txt")

TOLD_EVERY = 500
"""Messages after which is told how far it is."""

Writer = Callable[[str, Iterable[Message]], Iterator[str]]
"""Takes the chat's title and its messages, yields the text piece by piece."""


def export_chat(
    path: Path, out: Path, form: Format, *, replace: bool = False, cancelled: Cancelled | None = None
) -> None:
    """Write the chat at `path`, as it is on disk, to `out`. Runs off the owner.

    An existing file is replaced only with `replace`. Raises StorageError already_exists/target, validation/argument
    where `out` is the chat itself, cancelled, what loading raises (not for jsonl, which is copied as it is), io.
    """
    require_free(path, out, replace=replace)
    if form == "jsonl":
        copy_chat(path, out)
    else:
        write_text(read_told(path, cancelled), path, out, form, cancelled=cancelled)


def require_free(path: Path, out: Path, *, replace: bool) -> None:
    """Raise already_exists/target for a file that is not to be replaced, validation/argument for the chat itself."""
    if not out.exists():
        return
    if out.samefile(path):
        raise StorageError("validation", "argument", "The copy cannot take the place of the chat itself")
    if not replace:
        raise StorageError("already_exists", "target", chat_ref=out)


def copy_chat(path: Path, out: Path) -> None:
    """Write the chat at `path` to `out` byte for byte, whatever is there. Raises StorageError."""
    there = Signature.of_path(out)
    if there is None:
        copy_new(path, out)
    else:
        _publish(out, _raw(path), there)


def read_told(path: Path, cancelled: Cancelled | None = None) -> LoadedChat:
    """Return a chat as it is on disk. Raises StorageError."""
    return load(path, kind=kind_of(path), cancelled=cancelled)


def write_text(
    chat: LoadedChat,
    path: Path,
    out: Path,
    form: Format,
    *,
    cancelled: Cancelled | None = None,
    progress: Progress | None = None,
) -> None:
    """Write the chat at `path`, as it was read, for people to `out`, whatever is there.

    `progress` is told (messages, in all). Raises StorageError, cancelled.
    """
    told, title = _counted(chat.messages, cancelled, progress), path.name.removesuffix(SUFFIX)
    texts = _document(title, chat.header, told) if form == "yaml" else WRITERS[form](title, told)
    pieces = (piece.encode("utf-8", "replace") for piece in texts)
    _publish(out, pieces, Signature.of_path(out))


def as_text(_title: str, messages: Iterable[Message]) -> Iterator[str]:
    """`Name: text` and a blank line for each message."""
    for name, text, _ in _told(messages):
        yield f"{name}: {text}\n\n"


def as_markdown(title: str, messages: Iterable[Message]) -> Iterator[str]:
    """A heading, then each message under its speaker's name; the texts are Markdown already."""
    yield f"# {title}\n"
    for name, text, date in _told(messages):
        when = f" · {date}" if date else ""
        yield f"\n---\n\n**{_escaped(name)}**{when}\n\n{text.strip()}\n"


def as_html(title: str, messages: Iterable[Message]) -> Iterator[str]:
    """One page that needs nothing else. Markup in messages is shown as text, pictures as their descriptions."""
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table").enable("strikethrough")
    markdown.disable("image")
    yield _PAGE_START.format(title=html.escape(title))
    for name, text, date in _told(messages):
        when = f" <time>{html.escape(date)}</time>" if date else ""
        yield f"<article><h2>{html.escape(name)}{when}</h2>\n{markdown.render(text)}</article>\n"
    yield "</main></body></html>\n"


WRITERS: Mapping[str, Writer] = {"txt": as_text, "md": as_markdown, "html": as_html}


def _told(messages: Iterable[Message]) -> Iterator[tuple[str, str, str]]:
    """Yield (speaker, text, date) of every message that is told."""
    for message in messages:
        data = message.data()
        if facts.is_hidden(data) or not isinstance(data.get(facts.TEXT_FIELD), str) or not data[facts.TEXT_FIELD]:
            continue
        yield facts.name(data), _shown(data).replace("\r\n", "\n"), _date(data)


def _shown(data: dict[str, Any]) -> str:
    extra = data.get("extra")
    shown = extra.get("display_text") if isinstance(extra, dict) else None
    return shown if isinstance(shown, str) and shown else facts.text(data)


def _date(data: dict[str, Any]) -> str:
    moment = facts.send_date_ms(data)
    if moment is None:
        return ""
    try:
        return datetime.fromtimestamp(moment / 1000).strftime("%Y-%m-%d %H:%M")
    except (OverflowError, ValueError, OSError):
        return ""


def _escaped(name: str) -> str:
    """A name that is no markup, whatever it is made of."""
    return re.sub(r"([\\`*_\[\]<>#])", r"\\\1", " ".join(name.split()))


def _raw(path: Path) -> Iterator[bytes]:
    with opened(path, sys.maxsize) as (file, signature):
        yield from blocks(file, signature.size, BLOCK_SIZE, path)


def _document(title: str, header: Header | None, messages: Iterable[Message]) -> Iterator[str]:
    from tavern_desktop.cards.store_writing import write_document  # YAML is loaded where it is asked for

    return write_document(title, header.raw if header is not None else None, (message.raw for message in messages))


def _counted(messages: list[Message], cancelled: Cancelled | None, progress: Progress | None) -> Iterator[Message]:
    for number, message in enumerate(messages, 1):
        if cancelled is not None and cancelled():
            raise StorageError("cancelled", "user")
        yield message
        if progress is not None and (number % TOLD_EVERY == 0 or number == len(messages)):
            progress(number, len(messages))


def _publish(out: Path, pieces: Iterable[bytes], there: Signature | None) -> None:
    try:
        publish(out, pieces, expected=there, integrity=None, force=True)
    except ChangedOnDisk:
        raise StorageError("already_exists", "target", chat_ref=out) from None


_PAGE_START = """\
<!doctype html>
<html><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 17px/1.6 Georgia, "Noto Serif", serif; margin: 0; }}
main {{ max-width: 42rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }}
h1 {{ font-size: 1.5rem; }}
article {{ margin-top: 1.75rem; overflow-wrap: anywhere; }}
h2 {{ font: 600 .95rem/1.4 system-ui, sans-serif; margin: 0 0 .25rem; }}
time {{ font-weight: 400; opacity: .6; margin-left: .5em; }}
pre {{ overflow-x: auto; padding: .75rem; border: 1px solid #8886; border-radius: 6px; }}
table {{ border-collapse: collapse; }} td, th {{ border: 1px solid #8886; padding: .2rem .6rem; }}
</style></head><body><main>
<h1>{title}</h1>
"""
