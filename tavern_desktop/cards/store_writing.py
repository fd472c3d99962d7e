"""A chat as one YAML document that people can read and change by hand (contract cards §9).

Each entry has its record's JSON text to the letter, so that nothing is lost on the way there and back; what stands
beside it is for people.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from tavern_desktop.cards.yaml_writing import quoted, text_scalar
from tavern_desktop.chat import edits, facts, jsontext

FORMAT = "chat-store"
VERSION = 1

_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff\t]")
_ODD_LINE = re.compile(r"\A |^ +$", re.MULTILINE)
"""What a reader of a block would take for its indentation, or for nothing."""


def write_document(title: str, header: bytes | None, records: Iterable[bytes]) -> Iterator[str]:
    """Yield the document of a chat piece by piece. `header` and `records` are lines of its file, without their ends."""
    yield f"format: {FORMAT}\nversion: {VERSION}\n"
    yield f"title: {_scalar(title)}\nexportedAt: {quoted(edits.now())}\n"
    yield f"header: {'null' if header is None else _verbatim(header)}\n"
    first = True
    for record in records:
        if first:
            yield "entries:\n"
            first = False
        yield _entry(record)
    if first:
        yield "entries: []\n"


def _entry(record: bytes) -> str:
    data = jsontext.decode(record)
    lines = _special(data) if facts.envelope(data) is not None else _text(data)
    lines.append(f"record: {_verbatim(record)}")
    return "  - " + "\n    ".join(lines) + "\n"


def _text(data: dict[str, Any]) -> list[str]:
    lines = ["kind: text", f"role: {facts.role(data)}"]
    lines += _line("name", facts.name(data))
    return lines + _line("content", facts.text(data))


def _special(data: dict[str, Any]) -> list[str]:
    envelope = facts.envelope(data) or {}
    lines = ["kind: special"]
    for key, name in (("type", "type"), ("id", "id"), ("yaml", "payload")):
        if isinstance(envelope.get(key), str):
            lines += _line(name, envelope[key])
    return lines


def _line(name: str, value: str) -> list[str]:
    """Return a key with its text; nothing for one that YAML cannot express, which the record has all the same."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return []
    return [f"{name}: {_scalar(value)}"]


def _scalar(value: str) -> str:
    """Return a text, of several lines as a block where that keeps every character."""
    body = value.removesuffix("\n")
    if "\n" not in value or _UNSAFE.search(value) or _ODD_LINE.search(value) or not body or body.endswith("\n"):
        return _one_line(value)
    if body.startswith("\n"):
        return _one_line(value)
    mark = "|" if value.endswith("\n") else "|-"
    return "\n".join([mark, *(f"      {line}" if line else "" for line in body.split("\n"))])


def _one_line(value: str) -> str:
    try:
        return text_scalar(value)
    except ValueError:
        return quoted(value.encode("utf-8", "replace").decode())


def _verbatim(line: bytes) -> str:
    """Return JSON text in single quotes, in which only the quote itself has to be doubled."""
    text = line.decode("utf-8")
    return quoted(text) if _UNSAFE.search(text) or text != text.strip() else "'" + text.replace("'", "''") + "'"
