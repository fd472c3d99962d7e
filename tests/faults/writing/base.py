"""What all ways of writing have in common: made ready in a folder, done once, and looked at whatever came of it.

A write path is a class with a `name`. `act` does it; what it tells the person is collected in `told`. `is_done` says
whether its effect is there, whole; `check` that nothing is lost or half written, done or not. What is left when its
process is killed is judged from the disk alone, by `is_allowed`.
"""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from functools import cache
from pathlib import Path
from typing import ClassVar

import pytest
from send2trash import plat_other

from tavern_desktop.chat import facts
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.refusals import Refused
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.own_folders import RootFolders, own_folders
from tavern_desktop.storage.reader import load
from tavern_desktop.storage.stages import sweep
from tests.make_library import Teller, card, png

TALK = b"\n".join(
    [
        b'{"chat_metadata":{"integrity":"11111111-1111-4111-8111-111111111111","n":1.10},"user_name":"Ana"}',
        b'{"name":"Mira","is_user":false,"mes":"one","extra":{}}',
        b'{"name":"Ana","is_user":true,"mes":"two","extra":{}}',
        b'{"name":"Mira","is_user":false,"mes":"three","swipe_id":0,"swipes":["three"],"extra":{}}',
    ]
)
TEXTS = ["one", "two", "three"]
IDENTITY = "11111111-1111-4111-8111-111111111111"


class WritePath(ABC):
    """One way of writing, in a folder of its own with a data root and our own folder in it."""

    name: ClassVar[str]
    is_silent: ClassVar[bool] = False
    """Nobody is told: it is tried again some other day."""
    always_tells: ClassVar[bool] = False
    """It is what is done where something is in the way."""
    comes_back: ClassVar[bool] = False
    """The change was done before the writing: whatever kills that, the chat has it when it is opened again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = DataRoot(folder / "data")
        self.chat = self.root.chats / "Mira" / "talk.jsonl"
        self.told: list[str] = []
        os.environ["TAVERN_DESKTOP_HOME"] = str(folder / "own")
        _bin_in(folder / "system")

    @property
    def own(self) -> RootFolders:
        """Our own folders for the data root."""
        return own_folders().for_root(self.root.path)

    def make_ready(self) -> None:
        """Make what is there before the writing."""
        self.root.characters.mkdir(parents=True)
        self.chat.parent.mkdir(parents=True)
        (self.root.characters / "Mira.png").write_bytes(_card())
        (self.root.user_folder / "settings.json").write_text('{"username":"Ana"}', encoding="utf-8")
        self.chat.write_bytes(TALK)

    def try_it(self) -> None:
        """Do it; what stops it is told."""
        try:
            self.act()
        except (StorageError, Refused) as error:
            self.tell(error)

    def tell(self, error: BaseException | str | None) -> None:
        """Keep what a person would be told; anything but our own errors is a fault of ours."""
        if error is None:
            return
        if not isinstance(error, str | StorageError | Refused):
            raise error
        text = sentence(error) if isinstance(error, StorageError) else str(error)
        assert text.endswith((".", "?")), text
        assert len(text) > 15, text
        self.told.append(text)

    @abstractmethod
    def act(self) -> None:
        """Write. Raises StorageError, Refused."""

    def again(self) -> None:
        """Try once more, now that nothing is in the way."""
        self.try_it()

    @abstractmethod
    def is_done(self) -> bool:
        """Say whether all that was wanted is there."""

    def check(self) -> None:
        """See that nothing is lost or half written."""
        assert self.chat.read_bytes() == TALK

    def is_allowed(self, texts: list[str]) -> bool:
        """Say whether a chat of the data root may be left with these messages by a process that was killed."""
        return texts == TEXTS

    def strays(self) -> list[str]:
        """Return stages that a sweep leaves in any folder."""
        found = []
        for path, _, _ in os.walk(self.folder):
            sweep(path)
            found += [os.path.join(path, name) for name in os.listdir(path) if name.endswith(".tmp")]
        return found


def texts_of(path: Path) -> list[str]:
    """Return what the messages of a chat file say; that it is whole is seen by reading it."""
    return [facts.text(message.data()) for message in load(path).messages]


def whole_chats(folder: Path) -> list[list[str]]:
    """Return the texts of every chat below a folder, each of them whole."""
    return [texts_of(path) for path in sorted(folder.rglob("*.jsonl")) if not path.name.startswith("savelog")]


def keep_places(patches: pytest.MonkeyPatch) -> None:
    """See to it that after the test our own folder and the system's bin are where they were."""
    patches.setenv("TAVERN_DESKTOP_HOME", os.environ.get("TAVERN_DESKTOP_HOME", ""))
    for name in _BIN:
        patches.setattr(plat_other, name, getattr(plat_other, name))


_BIN = ("XDG_DATA_HOME", "HOMETRASH_B", "HOMETRASH")


def _bin_in(folder: Path) -> None:
    """Let the system's bin be in this folder: it is looked up only once in the life of a process."""
    trash = folder / "Trash"
    for name, value in zip(_BIN, (os.fsencode(folder), os.fsencode(trash), str(trash)), strict=True):
        setattr(plat_other, name, value)


@cache
def _card() -> bytes:
    """Return the picture of a character whose chat is called `talk`."""
    return png(4, 4, (1, 2, 3), {"chara": json.dumps(card(Teller(1), "Mira", "talk"))})
