"""What one row of the library lists says, made from chats, characters and groups. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QCoreApplication

from tavern_desktop.library.characters import Character
from tavern_desktop.library.groups import Group
from tavern_desktop.library.recents import DAMAGED, ChatRow

_LINE_MARKS = re.compile(r"^\s*(?:#{1,6}|>|[-+*])\s+(?:\[[ xX]\]\s+)?|\|(?:[-: ]+\|)*", re.MULTILINE)
_EMPHASIS = re.compile(r"\*+|`+|~~")
"""Markdown that a line of last words is easier to read without."""


@dataclass(frozen=True)
class Marks:
    """The chats, as paths, of which something is to be told that their files do not say."""

    drafts: frozenset[str] = frozenset()
    """Something is typed there and not sent or saved."""
    writing: frozenset[str] = frozenset()
    """A reply is being written there."""
    unread: frozenset[str] = frozenset()
    """A reply came there that nobody has seen."""


@dataclass(frozen=True)
class Entry:
    """A row: `path` is the chat that opens, "" if there is none yet; `key` names the row whatever it says."""

    key: str
    name: str
    told: str
    """The words of the second line as they stand in the chat, Markdown and all."""
    path: str = ""
    title: str = ""
    avatar: str = ""
    date_ms: int | None = None
    damaged: bool = False
    versions: int = 1
    """How many there are of the chat, its conflict copies included."""
    draft: bool = False
    """Something is typed in this chat and not sent or saved."""
    writing: bool = False
    """A reply is being written in this chat."""
    unread: bool = False
    """A reply came in this chat that nobody has seen."""

    @property
    def words(self) -> str:
        """The words of the second line, worked out for the rows that are seen."""
        return _plain(self.told)

    @property
    def told_title(self) -> str:
        """The title where it tells something that the row does not say anyway."""
        return useful_title(self.name, self.title)

    @property
    def told_versions(self) -> str:
        """How many versions there are, "" for the one that a chat has."""
        if self.versions < 2:
            return ""
        return QCoreApplication.translate("Library", "{count} versions").format(count=self.versions)

    @property
    def searched(self) -> str:
        return f"{self.name}\n{self.title}"


def chat_entries(rows: Sequence[ChatRow], marks: Marks = Marks()) -> list[Entry]:
    """Return a row for each chat."""
    return [
        Entry(
            row.file,
            row.name,
            _told(row),
            row.file,
            row.title,
            row.avatar,
            row.date_ms,
            DAMAGED in row.marks,
            1 + len(row.conflicts),
            row.file in marks.drafts,
            row.file in marks.writing,
            row.file in marks.unread,
        )
        for row in rows
    ]


def character_entries(characters: Sequence[Character], rows: Sequence[ChatRow]) -> list[Entry]:
    """Return a row for each character, with its current chat or else its newest."""
    by_stem: dict[str, list[ChatRow]] = {}
    for row in rows:
        if row.kind == "character":
            by_stem.setdefault(row.character, []).append(row)
    return [
        _person(one.stem, one.name, one.avatar, one.problem, one.chat, by_stem.get(one.stem, [])) for one in characters
    ]


def group_entries(groups: Sequence[Group], rows: Sequence[ChatRow]) -> list[Entry]:
    """Return a row for each group, with its current chat or else its newest."""
    by_id: dict[str, list[ChatRow]] = {}
    for row in rows:
        if row.group:
            by_id.setdefault(row.group, []).append(row)
    return [_person(one.id, one.name, "", one.problem, one.chat, by_id.get(one.id, [])) for one in groups]


def useful_title(name: str, title: str) -> str:
    """Return the chat's title unless it only says the name and when the chat was begun, as most file names do."""
    begun = rf"(?:{re.escape(name)} - )?\d{{4}}-\d{{1,2}}-\d{{1,2}}\b.*"
    return "" if title == name or re.fullmatch(begun, title) else title


def words_of(row: ChatRow) -> str:
    """Return the chat's last words on one line, or what there is to say instead."""
    return _plain(_told(row))


@lru_cache(maxsize=512)
def _plain(text: str) -> str:
    return " ".join(_EMPHASIS.sub("", _LINE_MARKS.sub(" ", text)).split())


def _with_names(text: str, char: str) -> str:
    from tavern_desktop.ui.chat.record import Names, fill_in_names  # not needed for most lists, and not cheap

    return fill_in_names(text, Names(char=char))


def _told(row: ChatRow) -> str:
    if row.preview_state == "text":
        return _with_names(row.preview, row.name) if "{{" in row.preview else row.preview
    if row.failure is not None:
        return row.failure.message
    if row.preview_state == "empty":
        return QCoreApplication.translate("Library", "No messages yet")
    return QCoreApplication.translate("Library", "Preview unavailable")


def _person(key: str, name: str, avatar: str, problem: str, current: str, rows: list[ChatRow]) -> Entry:
    chat = next((row for row in rows if row.title == current), rows[0] if rows else None)
    if problem:
        words = problem
    elif chat is None:
        words = QCoreApplication.translate("Library", "No chats yet")
    elif len(rows) == 1:
        words = _told(chat)
    else:
        words = QCoreApplication.translate("Library", "{count} chats").format(count=len(rows))
    return Entry(
        key,
        name,
        words,
        chat.file if chat else "",
        "",
        avatar,
        rows[0].date_ms if rows else None,
        bool(problem),
    )
