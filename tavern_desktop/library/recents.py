"""The chats of a data folder as a person looks for them: newest first, with last words.

Made so that a list fills while files are still being read: ranked by modification time first, summarised in
batches after that (storage contract §10.5). What cannot be read has a row too, marked as damaged.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

import msgspec

from tavern_desktop.library.characters import card_stems, find_character
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.groups import Group, list_groups
from tavern_desktop.storage import directory
from tavern_desktop.storage.directory import ChatFile, FileFailure, Listing
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.index import ChatEntry, Index, stamp_of
from tavern_desktop.storage.names import ChatKind

FIRST_BATCH = 16
BATCH = 64
LARGE = 16 << 20
"""Bytes from which reading a chat for its row takes long enough to be noticed."""

DAMAGED = "damaged"
CONFLICT = "conflict"
PINNED = "pinned"


class ChatRow(msgspec.Struct, frozen=True):
    """A chat as lists show it.

    `kind` is "character" or "group"; `character` the stem of the card and `group` the id of the group, "" where
    there is none. `name` is who the chat is with, `title` the file's name without `.jsonl`, `avatar` the file
    of the picture or "". `messages` is -1 where it is not known. `date_ms` is the last message's date, else the
    file's, since 1970. `preview_state` is text, empty or unavailable. `marks` are words: damaged, conflict
    (`conflicts` has the copies), pinned. `failure` says why the file could not be summarised. `parent` is
    the title of the chat that this one branched off, "" for none.
    """

    file: str
    kind: ChatKind
    character: str
    group: str
    name: str
    title: str
    avatar: str
    messages: int
    size: int
    mtime_ns: int
    date_ms: int
    preview: str
    preview_state: str
    marks: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    failure: FileFailure | None = None
    parent: str = ""

    @property
    def path(self) -> Path:
        return Path(self.file)


def recents(
    root: DataRoot,
    index: Index,
    *,
    limit: int | None = None,
    character: str | None = None,
    pinned: Collection[str] = (),
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[list[ChatRow]]:
    """Yield the chats in batches, newest first, the first batch small so that something shows at once.

    `character` (a stem) lists that one's folder alone, whether it has a card or not. Chats in `pinned` (paths)
    come whatever the limit and do not use it up. `cancelled` is asked between batches. The index is saved at
    the end. Raises StorageError io/list where the folder itself cannot be read.
    """
    found = _listing(root, character)
    if character is None:
        index.keep_chats(root.user_folder, [chat.file for chat in found.files])
    rows = _Rows(root, index, frozenset(pinned))
    for batch in _batches(_ranked(found, limit, pinned)):
        if cancelled():
            break
        yield [rows.row(item) for item in batch]
    index.save()


def row_of(root: DataRoot, index: Index, path: Path, pinned: Collection[str] = ()) -> ChatRow | None:
    """Return the row of one chat as it is now, None where the file is gone: for a list that is already shown."""
    found = directory.list_around(root.user_folder, path)
    rows = _Rows(root, index, frozenset(pinned))
    items: list[ChatFile | FileFailure] = [*found.files, *found.failures]
    return next((rows.row(item) for item in items if item.file == str(path)), None)


def _listing(root: DataRoot, character: str | None) -> Listing:
    if character is None:
        return directory.list_global(root.user_folder, card_stems(root))
    return directory.list_character(root.user_folder, character)


def _ranked(found: Listing, limit: int | None, pinned: Collection[str]) -> list[ChatFile | FileFailure]:
    """Rank by modification time, failures among the chats, and keep what the limit and the pins allow."""
    everything: list[ChatFile | FileFailure] = [*found.files, *found.failures]
    everything.sort(key=lambda item: (-item.mtime_ns, item.file))
    if limit is None:
        return everything
    kept = []
    for item in everything:
        if item.file in pinned:
            kept.append(item)
        elif limit > 0:
            kept.append(item)
            limit -= 1
    return kept


def _batches(ranked: Iterable[ChatFile | FileFailure]) -> Iterator[list[ChatFile | FileFailure]]:
    """Part the ranking so that rows do not wait for a large file behind them."""
    batch: list[ChatFile | FileFailure] = []
    size = FIRST_BATCH
    for item in ranked:
        is_large = isinstance(item, ChatFile) and item.size > LARGE
        if batch and (is_large or len(batch) >= size):
            yield batch
            batch, size = [], BATCH
        batch.append(item)
    if batch:
        yield batch


class _Rows:
    """Makes rows; knows the names of characters and groups that it has met."""

    def __init__(self, root: DataRoot, index: Index, pinned: frozenset[str]) -> None:
        self._root = root
        self._index = index
        self._pinned = pinned
        self._people: dict[str, tuple[str, str]] = {}
        self._groups: dict[str, Group] | None = None  # by the stem of each of their chats

    def row(self, item: ChatFile | FileFailure) -> ChatRow:
        if isinstance(item, FileFailure):
            path = Path(item.file)
            file = ChatFile(item.file, directory.kind_of(path), directory.key_of(path), 0, item.mtime_ns, 0)
            return self._failed(file, item)
        entry = self._index.chat(item)
        if entry is None:
            try:
                entry = _summarise(item)
            except StorageError as error:
                return self._failed(item, FileFailure.of(item.file, error, item.mtime_ns))
            self._index.put_chat(item.file, entry)
        name, avatar, group = self._who(item, entry.character_name)
        return ChatRow(
            item.file,
            item.kind,
            item.key,
            group,
            name,
            item.stem,
            avatar,
            entry.message_count,
            item.size,
            item.mtime_ns,
            entry.date_ms,
            entry.preview,
            entry.preview_state,
            self._marks(item, damaged=entry.preview_state == "unavailable"),
            item.conflicts,
            parent=entry.parent,
        )

    def _failed(self, item: ChatFile, failure: FileFailure) -> ChatRow:
        name, avatar, group = self._who(item, item.key)
        return ChatRow(
            item.file,
            item.kind,
            item.key,
            group,
            name or item.stem,
            item.stem,
            avatar,
            -1,
            item.size,
            item.mtime_ns,
            item.mtime_ns // 1_000_000,
            failure.message,
            "unavailable",
            self._marks(item, damaged=True),
            item.conflicts,
            failure,
        )

    def _marks(self, item: ChatFile, *, damaged: bool) -> tuple[str, ...]:
        marks = ((DAMAGED, damaged), (CONFLICT, bool(item.conflicts)), (PINNED, item.file in self._pinned))
        return tuple(mark for mark, applies in marks if applies)

    def _who(self, item: ChatFile, written: str) -> tuple[str, str, str]:
        """Return the name, the picture and the group of a chat."""
        if item.kind == "group":
            group = self._group_of(item.stem)
            return (group.name, "", group.id) if group else (item.stem, "", "")
        if not item.key:
            return written, "", ""
        if item.key not in self._people:
            character = find_character(self._root, item.key, self._index)
            there = "" if character.problem and not os.path.exists(character.avatar) else character.avatar
            self._people[item.key] = (character.name, there)
        return (*self._people[item.key], "")

    def _group_of(self, stem: str) -> Group | None:
        if self._groups is None:
            try:
                groups = list_groups(self._root)
            except StorageError:
                groups = []  # the chats are shown all the same, by their own names
            self._groups = {chat: group for group in groups for chat in (group.chat, *group.chats) if chat}
        return self._groups.get(stem)


def _summarise(item: ChatFile) -> ChatEntry:
    from tavern_desktop.storage.summary import summarise  # a start with a warm index reads no chat

    summary = summarise(
        Path(item.file), kind=item.kind, directory_key=item.key or item.stem, mtime_ms=item.mtime_ns // 1_000_000
    )
    return ChatEntry(
        stamp_of(item),
        summary.character_name,
        summary.message_count,
        summary.preview,
        summary.preview_state,
        summary.date,
        summary.parent,
    )
