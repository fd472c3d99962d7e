"""The functions that write chat files, without a program around them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from tavern_desktop.library.card_file import CardError
from tavern_desktop.session.importing import Receiver, import_chats
from tavern_desktop.session.new_chat import create_chat
from tavern_desktop.session.repair_copy import repair_to
from tavern_desktop.storage.backups import BackupFolder
from tavern_desktop.storage.metadata import read_metadata, save_metadata, set_extension
from tests.faults.writing.base import IDENTITY, TALK, TEXTS, WritePath, texts_of, whole_chats

CUT = b'\n{"name":"Mira","mes":"cut he'
"""The beginning of a message whose end never reached the disk."""


class SaveMetadata(WritePath):
    """The header alone."""

    name = "metadata"
    new: ClassVar[dict[str, Any]] = {"integrity": IDENTITY, "n": 2}

    def act(self) -> None:
        save_metadata(self.chat, self.new)

    def is_done(self) -> bool:
        return read_metadata(self.chat) == self.new

    def check(self) -> None:
        assert self.is_done() or self.chat.read_bytes() == TALK
        assert self.chat.read_bytes().split(b"\n")[1:] == TALK.split(b"\n")[1:]


class WriteExtension(SaveMetadata):
    """One entry of the header, for an extension."""

    name = "extension"
    new: ClassVar[dict[str, Any]] = {
        "integrity": IDENTITY,
        "n": 1.1,
        "extensions": {"ours": [1]},
    }

    def act(self) -> None:
        set_extension(self.chat, "ours", [1])


class Backup(WritePath):
    """A copy into SillyTavern's own folder."""

    name = "backup"

    def make_ready(self) -> None:
        super().make_ready()
        self.backups = BackupFolder(self.root.user_folder / "backups")

    def act(self) -> None:
        self.backups.add(self.chat)

    def is_done(self) -> bool:
        return [backup.path.read_bytes() for backup in self.backups.list()] == [TALK]

    def check(self) -> None:
        super().check()
        assert not self.backups.list() or self.is_done()


class NewChat(WritePath):
    """A chat with a character's greeting."""

    name = "new chat"

    def act(self) -> None:
        try:
            create_chat(self.root, "Mira")
        except (CardError, OSError) as error:  # the window has a sentence for these
            self.tell(f"The chat could not be made: {error}.")

    def is_done(self) -> bool:
        return len(whole_chats(self.chat.parent)) == 2

    def is_allowed(self, texts: list[str]) -> bool:
        return texts == TEXTS or len(texts) == 1

    def check(self) -> None:
        super().check()
        assert TEXTS in whole_chats(self.chat.parent)


class Import(WritePath):
    """A chat from another place."""

    name = "import"

    def make_ready(self) -> None:
        super().make_ready()
        self.source = self.folder / "from elsewhere.jsonl"
        self.source.write_bytes(TALK)

    def act(self) -> None:
        import_chats(self.root, self.source, Receiver("Mira"))

    def is_done(self) -> bool:
        return whole_chats(self.chat.parent) == [TEXTS, TEXTS]

    def check(self) -> None:
        super().check()
        assert self.source.read_bytes() == TALK
        assert self.is_done() or whole_chats(self.chat.parent) == [TEXTS]


class RepairCopy(WritePath):
    """What is readable of a damaged chat, and beside it what is not."""

    name = "repair copy"

    def make_ready(self) -> None:
        super().make_ready()
        self.damaged, self.out = self.folder / "damaged.txt", self.folder / "repaired.jsonl"
        self.damaged.write_bytes(TALK + CUT)
        self.rest: Path | None = None

    def act(self) -> None:
        self.rest = repair_to(self.damaged, self.out).rest

    def again(self) -> None:
        self.out.unlink(missing_ok=True)
        super().again()

    def is_done(self) -> bool:
        return self.rest is not None and self.rest.exists() and texts_of(self.out) == TEXTS

    def check(self) -> None:
        super().check()
        assert self.damaged.read_bytes() == TALK + CUT
        assert not self.out.exists() or texts_of(self.out) == TEXTS
