"""Reading the YAML document that a chat was written to, entry by entry, within limits; all of it or nothing (§9)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import yaml

from tavern_desktop.cards.envelope import new_record
from tavern_desktop.cards.errors import PayloadError
from tavern_desktop.cards.store_writing import FORMAT, VERSION
from tavern_desktop.cards.yaml_reading import MOST_NODES, Tree, refuse_alias, refuse_tag
from tavern_desktop.chat import edits, facts, jsontext
from tavern_desktop.chat.jsontext import JsonTextError

MOST_BYTES = 256 << 20
MOST_RECORD = 64 << 20
"""Bytes of one record, or of a text in it."""

_ROLES = ("user", "assistant", "system", "tool")
_MARK = b"chat-store"


class DocumentError(Exception):
    """A document that cannot be read; `sentence` is for people, `index` the number of the entry at fault, or None."""

    def __init__(self, sentence: str, index: int | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence if index is None else f"Entry {index}: {sentence}"
        self.index = index


@dataclass(frozen=True, slots=True)
class Document:
    """What a document holds: lines of a chat file. `header` is None for a chat that had none."""

    title: str
    header: bytes | None
    records: list[bytes]


def is_document(start: bytes) -> bool:
    """Say whether a file that begins like this is such a document."""
    lines = start.split(b"\n")
    return any(line.startswith(b"format:") and _MARK in line for line in lines)


def read_document(file: BinaryIO) -> Document:
    """Return what a document holds. Raises DocumentError."""
    reader = _Reader(_Bounded(file))
    try:
        return reader.document()
    except PayloadError as error:
        raise DocumentError(error.sentence, reader.index) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark is not None else ""
        raise DocumentError(f"This is not valid YAML{where}.", reader.index) from None
    except (yaml.YAMLError, UnicodeDecodeError):
        raise DocumentError("This is not valid YAML.", reader.index) from None


class _Bounded:
    """A file of which no more is read than a document may have."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._left = MOST_BYTES

    def read(self, size: int) -> bytes:
        data = self._file.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise DocumentError("The document is larger than 256 MiB.")
        return data


class _Reader:
    """One document under way. Nothing of it is kept but the records."""

    def __init__(self, file: _Bounded) -> None:
        self.index: int | None = None
        """The entry that is being read."""
        self._nodes = 0
        self._events = self._node_events(file)
        self._tree = Tree(self._events, MOST_RECORD)

    def document(self) -> Document:
        start = next(self._events, None)
        if not isinstance(start, yaml.MappingStartEvent):
            raise PayloadError("not_mapping")
        found: dict[str, Any] = {}
        records: list[bytes] | None = None
        for event in iter(self._next, None):
            key = self._tree.value(event, 1)
            if not isinstance(key, str):
                raise PayloadError("bad_key")
            if key in found or (key == "entries" and records is not None):
                raise PayloadError("duplicate_key")
            if key == "entries":
                records = self._entries()
            else:
                found[key] = self._tree.value(next(self._events), 1)
        for _ in self._events:  # what comes behind it is refused
            pass
        return Document(*self._checked(found), records or [])

    def _checked(self, found: dict[str, Any]) -> tuple[str, bytes | None]:
        if found.get("format") != FORMAT:
            raise DocumentError("This is no chat-store document.")
        version = found.get("version")
        if not isinstance(version, int) or isinstance(version, bool) or version < 1:
            raise DocumentError("The document does not say its version.")
        if version > VERSION:
            raise DocumentError(f"This document is of version {version}, which is newer than this program knows.")
        title, header = found.get("title"), found.get("header")
        return title if isinstance(title, str) else "", None if header is None else _json(header, "header")

    def _entries(self) -> list[bytes]:
        start = next(self._events)
        if isinstance(start, yaml.ScalarEvent) and self._tree.value(start, 1) is None:
            return []
        if not isinstance(start, yaml.SequenceStartEvent):
            raise DocumentError("The entries are no list.")
        records: list[bytes] = []
        self.index = 0
        for event in iter(self._next, None):
            self._nodes = 0
            entry = self._tree.value(event, 2)
            try:
                records.append(record_of(entry))
            except DocumentError as error:
                raise DocumentError(error.sentence, self.index) from None
            self.index = len(records)
        self.index = None
        self._nodes = 0
        return records

    def _next(self) -> Any:
        event = next(self._events)
        return None if isinstance(event, yaml.CollectionEndEvent) else event

    def _node_events(self, file: _Bounded) -> Iterator[Any]:
        documents = 0
        for event in yaml.parse(file, Loader=yaml.CLoader):
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise PayloadError("multi_document")
                refuse_tag(event)
            if isinstance(event, yaml.NodeEvent):
                refuse_alias(event)
                refuse_tag(event)
                self._nodes += 1
                if self._nodes > MOST_NODES:
                    raise PayloadError("too_many_nodes")
            if isinstance(event, yaml.NodeEvent | yaml.CollectionEndEvent):
                yield event


def record_of(entry: Any) -> bytes:
    """Return the record of an entry: its own, with what was changed beside it, else a new one. Raises DocumentError."""
    if not isinstance(entry, dict):
        raise DocumentError("it is no mapping.")
    kind, raw = entry.get("kind"), entry.get("record")
    if raw is not None:
        record = _json(raw, "record")
        data = jsontext.decode(record)
        changed = _with_changes(data, entry)
        return record if changed is data else jsontext.encode(changed)
    if kind == "text":
        return jsontext.encode(_new_text(entry))
    if kind == "special":
        return jsontext.encode(_new_special(entry))
    raise DocumentError(f"its kind {kind!r} is not known, and it has no record.")


def _with_changes(data: dict[str, Any], entry: dict[str, Any]) -> dict[str, Any]:
    """Let what was changed by hand win over the record."""
    if entry.get("kind") == "text" and entry.get("content") is not None:
        content = _text(entry, "content")
        if content != facts.text(data):
            return edits.set_text(data, content)
    envelope = facts.envelope(data)
    if entry.get("kind") == "special" and envelope is not None and entry.get("payload") is not None:
        payload = _text(entry, "payload")
        if payload != envelope.get("yaml"):
            own = facts.extra(data)[facts.OWN_FIELD]
            return edits.set_fields(data, {}, {facts.OWN_FIELD: own | {"card": envelope | {"yaml": payload}}})
    return data


def _new_text(entry: dict[str, Any]) -> dict[str, Any]:
    role = entry.get("role")
    if role not in _ROLES:
        raise DocumentError(f"its role {role!r} is none of {', '.join(_ROLES)}.")
    name = entry.get("name")
    return edits.new_message(role, _text(entry, "content"), name if isinstance(name, str) else "")


def _new_special(entry: dict[str, Any]) -> dict[str, Any]:
    try:
        return new_record(_text(entry, "payload"))
    except PayloadError as error:
        raise DocumentError(error.sentence) from None


def _text(entry: dict[str, Any], name: str) -> str:
    value = entry.get(name)
    if not isinstance(value, str):
        raise DocumentError(f"its {name} is no text.")
    return value


def _json(text: Any, name: str) -> bytes:
    """Return JSON text as one line of a file."""
    if not isinstance(text, str):
        raise DocumentError(f"the {name} is no text.")
    raw = text.encode("utf-8")
    try:
        jsontext.check(raw)
    except JsonTextError:
        raise DocumentError(f"the {name} is no JSON object.") from None
    return raw if b"\n" not in raw and b"\r" not in raw else jsontext.encode(jsontext.decode(raw))
