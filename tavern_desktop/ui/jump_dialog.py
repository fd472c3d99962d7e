"""Jump anywhere: chats newest first, then characters and groups, found by a few letters."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QWidget

from tavern_desktop.ui.avatars import Avatars
from tavern_desktop.ui.library.data import LibraryData
from tavern_desktop.ui.library.entries import Entry, character_entries, chat_entries, group_entries
from tavern_desktop.ui.quick_pick import Pick, QuickPick
from tavern_desktop.ui.relative_date import relative_date


def jump_dialog(
    parent: QWidget, library: LibraryData, avatars: Avatars, open_chat: Callable[[str], object],
    start_chat: Callable[[str], object],
) -> QuickPick:  # fmt: skip
    """Return the dialog; `open_chat` takes a chat's path, `start_chat` the stem of a character without chats."""
    dialog = QuickPick(parent, "jumpDialog", parent.tr("Jump to"), parent.tr("A chat, a character or a group"), [])
    dialog.show_pictures(avatars)

    def fill() -> None:
        dialog.set_picks(_picks(dialog, library, open_chat, start_chat))

    fill()
    for signal in (library.chats_changed, library.characters_changed, library.groups_changed):
        signal.connect(fill)
        dialog.finished.connect(partial(signal.disconnect, fill))
    return dialog


def _picks(
    dialog: QuickPick, library: LibraryData, open_chat: Callable[[str], object], start_chat: Callable[[str], object]
) -> list[Pick]:
    chats = [_chat_pick(entry, open_chat) for entry in chat_entries(library.chats)]
    characters = [
        Pick(
            entry.name, entry.words, dialog.tr("Character"), _opening(entry, open_chat, start_chat), avatar=entry.avatar
        )
        for entry in character_entries(library.characters, library.chats)
    ]
    groups = [
        Pick(entry.name, entry.words, dialog.tr("Group"), partial(open_chat, entry.path), avatar=entry.avatar)
        for entry in group_entries(library.groups, library.chats)
        if entry.path
    ]
    return [*chats, *characters, *groups]


def _chat_pick(entry: Entry, open_chat: Callable[[str], object]) -> Pick:
    detail = " · ".join(filter(None, (entry.told_title, entry.words)))
    return Pick(entry.name, detail, _date(entry), partial(open_chat, entry.path), avatar=entry.avatar)


def _opening(
    entry: Entry, open_chat: Callable[[str], object], start_chat: Callable[[str], object]
) -> Callable[[], object]:
    return partial(open_chat, entry.path) if entry.path else partial(start_chat, entry.key)


def _date(entry: Entry) -> str:
    return relative_date(entry.date_ms) if entry.date_ms is not None else ""
