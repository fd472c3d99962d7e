"""What a list shows of a chat, without loading it (storage contract §10.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path
from typing import Any

from tavern_desktop.chat import jsontext, links
from tavern_desktop.chat.dates import parse_date
from tavern_desktop.chat.jsontext import JsonTextError
from tavern_desktop.storage import format as chat_format
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.format import BLANK, BOM, ChatKind
from tavern_desktop.storage.reader import BLOCK_SIZE, blocks, opened

PREVIEW_LENGTH = 400
"""Code points of the last message that a list keeps; a longer one loses its beginning."""

UNAVAILABLE = "Preview unavailable"


@dataclass(frozen=True, slots=True)
class Summary:
    """A chat as one row of a list.

    `preview_state` is text, empty or unavailable; `preview_full` is the whole last text. `date` is in
    milliseconds since 1970. `message_count` counts damaged messages too. `parent` is the stem of the chat that this
    one is a branch or a checkpoint of, "" for none.
    """

    character_name: str
    file_name: str
    file_size: int
    message_count: int
    preview: str
    preview_full: str
    preview_state: str
    date: int
    chat_id: str | None
    parent: str = ""


def summarise(
    path: Path,
    *,
    directory_key: str = "",
    kind: ChatKind = "character",
    mtime_ms: int | None = None,
    tz: tzinfo | None = None,
) -> Summary:
    """Read what a list shows of the chat: its header, its last record, and how many there are.

    `directory_key` names the character where the header does not. `mtime_ms` is the file's time as the
    listing saw it, None asks the file. `tz` is the local zone of dates without an offset, None this
    computer's. Raises StorageError: not_found, bad_header, bad_encoding, truncated, io.
    """
    try:
        with opened(path) as (file, signature):
            survey = _Survey(kind)
            survey.run(chat_format.lines(blocks(file, signature.size, BLOCK_SIZE, path)))
    except StorageError as error:
        raise error.with_facts(chat_ref=path) from None
    text, state, date = _last_words(survey.last, tz)
    if date is None:
        date = signature.modified_millis if mtime_ms is None else mtime_ms
    return Summary(
        character_name=_character_name(survey.header, directory_key),
        file_name=path.name,
        file_size=signature.size,
        message_count=survey.messages,
        preview=text if len(text) <= PREVIEW_LENGTH else f"...{text[-PREVIEW_LENGTH:]}",
        preview_full=text,
        preview_state=state,
        date=date,
        chat_id=_chat_id(survey.header),
        parent=links.parent_of(survey.header.get("chat_metadata") or {}),
    )


def window_info(chat_kind: str, chat_ref: Mapping[str, Any], message_count: int) -> dict[str, Any]:
    """Return the six fields scripts ask for (§14.3): the window is always the whole chat."""
    return {
        "mode": "off",
        "chatKind": chat_kind,
        "chatRef": chat_ref,
        "totalCount": message_count,
        "windowStartIndex": 0,
        "windowLength": message_count,
    }


class _Survey:
    """One pass over the lines of a chat: interprets the first record, counts, and keeps the last message."""

    def __init__(self, kind: ChatKind) -> None:
        self.header: dict[str, Any] = {}
        self.messages = 0
        self.last: bytes | None = None
        self._kind = kind
        self._line = 0
        self._offset = 0

    def run(self, lines: Iterable[bytes]) -> None:
        stream = iter(lines)
        self._read_lead(stream)
        for line in stream:
            self._line += 1
            if not line.isascii():
                self._require_utf8(line)
            raw = line.strip(BLANK)
            if raw:
                self.messages += 1
                self.last = raw
            self._offset += len(line) + 1

    def _read_lead(self, lines: Iterable[bytes]) -> None:
        bom_seen = False
        for line in lines:
            self._line += 1
            raw, bom_seen = chat_format.strip_lead(line, bom_seen=bom_seen)
            if raw:
                self._take_first(raw, self._offset + line.index(raw))
            self._offset += len(line) + 1
            if raw:
                return

    def _take_first(self, raw: bytes, offset: int) -> None:
        first = chat_format.decode_record(raw, record=0, line=self._line, offset=offset, is_first=True)
        if chat_format.is_header_first(self._kind, first):
            chat_format.validate_header(first, record=0, line=self._line, offset=offset)
            self.header = first
        else:
            self.messages, self.last = 1, raw

    def _require_utf8(self, line: bytes) -> None:
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise StorageError("bad_encoding", "utf8", line=self._line, offset=self._offset + error.start) from None


def _last_words(raw: bytes | None, tz: tzinfo | None) -> tuple[str, str, int | None]:
    """Return the text of the last message, the state of the preview, and its date if it has a valid one."""
    if raw is None:
        return "", "empty", None
    try:
        if raw.startswith(BOM):
            raise JsonTextError("json", "a byte order mark inside the file")
        data = jsontext.decode(raw)
    except JsonTextError:
        return UNAVAILABLE, "unavailable", None
    text = data.get("mes")
    date = parse_date(data.get("send_date"), tz)
    if text is None or text == "":
        return "", "empty", date
    if not isinstance(text, str):
        return UNAVAILABLE, "unavailable", date
    return text, "text", date


def _character_name(header: Mapping[str, Any], directory_key: str) -> str:
    name = header.get("character_name")
    if isinstance(name, str) and name.strip() and name.strip().lower() != "unused":
        return name
    return directory_key


def _chat_id(header: Mapping[str, Any]) -> str | None:
    value = (header.get("chat_metadata") or {}).get("chat_id_hash")
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        return str(value)
    return None
