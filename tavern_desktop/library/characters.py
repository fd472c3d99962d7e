"""The characters of a data folder: one PNG each, the picture with the card in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from tavern_desktop.library.card_file import CardError, card_data, read_card, text_field
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.storage.errors import from_os
from tavern_desktop.storage.index import CardEntry, Index, Stamp

SUFFIX = ".png"
BATCH = 50


class Character(msgspec.Struct, frozen=True):
    """A character as lists show it.

    `stem` is its identity (the file's name without `.png`), `chat` the stem of its current chat or "".
    A card that cannot be read has its file's name, and says so in `problem`.
    """

    stem: str
    avatar: str
    name: str
    chat: str
    favourite: bool
    problem: str

    @property
    def avatar_path(self) -> Path:
        return Path(self.avatar)


class Greeting(msgspec.Struct, frozen=True):
    """What a character opens a new chat with: its name, and the greetings, the chosen one first."""

    name: str
    texts: tuple[str, ...]


def card_stems(root: DataRoot) -> dict[str, Stamp]:
    """Return the stem of every card in the folder, with what tells whether its file changed.

    Raises StorageError io/list. A folder that is not there has none.
    """
    found: dict[str, Stamp] = {}
    try:
        with os.scandir(root.characters) as entries:
            for entry in entries:
                if entry.name.endswith(SUFFIX) and entry.name != SUFFIX and entry.is_file():
                    info = entry.stat()
                    found[entry.name[: -len(SUFFIX)]] = (info.st_size, info.st_mtime_ns, info.st_ino)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise from_os(error, "list", root.characters) from error
    return found


def find_character(root: DataRoot, stem: str, index: Index, stamp: Stamp | None = None) -> Character:
    """Return one character; without a file it is known by its stem alone."""
    avatar = os.path.join(root.characters, stem + SUFFIX)
    if stamp is None:
        try:
            info = os.stat(avatar)
        except OSError:
            return Character(stem, avatar, stem, "", False, "There is no card with this name.")
        stamp = (info.st_size, info.st_mtime_ns, info.st_ino)
    entry = index.card(avatar, stamp)
    if entry is None:
        entry = _read_entry(avatar, stem, stamp)
        index.put_card(avatar, entry)
    return Character(stem, avatar, entry.name, entry.chat, entry.favourite, entry.problem)


def characters_in_batches(root: DataRoot, index: Index, batch: int = BATCH) -> Iterator[list[Character]]:
    """Yield all characters by file name, some at a time, so that a list can fill while cards are read.

    Raises StorageError io/list before the first batch.
    """
    stems = card_stems(root)
    order = sorted(stems, key=str.casefold)
    for start in range(0, len(order), batch):
        yield [find_character(root, stem, index, stems[stem]) for stem in order[start : start + batch]]
    index.save()


def list_characters(root: DataRoot, index: Index) -> list[Character]:
    """Return all characters sorted by name."""
    found = [character for batch in characters_in_batches(root, index) for character in batch]
    return sorted(found, key=lambda character: (character.name.casefold(), character.stem))


def greeting(path: Path) -> Greeting:
    """Return what the card at `path` opens a chat with. Raises CardError, OSError."""
    card = read_card(path)
    alternates = card_data(card).get("alternate_greetings")
    texts = [text_field(card, "first_mes"), *(alternates if isinstance(alternates, list) else [])]
    chosen = tuple(text for text in texts if isinstance(text, str) and text)
    return Greeting(text_field(card, "name") or path.stem, chosen)


def _read_entry(avatar: str, stem: str, stamp: Stamp) -> CardEntry:
    try:
        card = read_card(avatar)
    except CardError as error:
        return CardEntry(stamp, stem, "", False, str(error))
    except OSError as error:
        return CardEntry(stamp, stem, "", False, f"The card could not be read: {error.strerror or error}.")
    chat = card.get("chat")
    return CardEntry(
        stamp, text_field(card, "name").strip() or stem, chat if isinstance(chat, str) else "", _is_favourite(card), ""
    )


def _is_favourite(card: dict[str, object]) -> bool:
    """SillyTavern writes true, and older versions the word."""
    extensions = card_data(card).get("extensions")
    value = extensions.get("fav") if isinstance(extensions, dict) else None
    return (value if value is not None else card.get("fav")) in (True, "true")
