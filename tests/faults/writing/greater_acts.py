"""What is done with more than one file: conflict copies, backups over a chat, characters with their chats."""

from __future__ import annotations

from typing import ClassVar

from tavern_desktop.library.card_file import CardError, read_card
from tavern_desktop.library.characters import text_field
from tavern_desktop.session.backup_acts import BackupActs
from tavern_desktop.session.character_renaming import CharacterRenaming
from tests.faults.writing.base import TALK, TEXTS, texts_of, whole_chats
from tests.faults.writing.open_chats import OpenChat

THEIRS = b'\n{"name":"Mira","is_user":false,"mes":"theirs","extra":{}}'


class KeepMine(OpenChat):
    """Ours over what another program wrote, which is copied first."""

    name = "keep mine"

    def make_ready(self) -> None:
        super().make_ready()
        self.chat.write_bytes(TALK + THEIRS)

    def act(self) -> None:
        self.session.keep_mine()
        self.runner.run_until_idle()
        self.tell(self.session.save_state.error)

    def again(self) -> None:
        if not self.is_done():
            self.act()

    def is_allowed(self, texts: list[str]) -> bool:
        return texts[:3] == TEXTS and set(texts) <= {*self.wanted, "theirs"}

    def check(self) -> None:
        assert "four" in self.memory()
        assert all(map(self.is_allowed, whole_chats(self.root.path)))
        assert any("theirs" in texts for texts in whole_chats(self.root.path)), "their version is gone"


class MergeCopy(OpenChat):
    """A conflict copy of a sync program into its chat."""

    name = "merge conflict copy"
    wanted: ClassVar[list[str]] = ["one", "two", "three", "four", "theirs"]

    def make_ready(self) -> None:
        super().make_ready()
        self.copy = self.chat.with_name("talk.sync-conflict-20260106-090000-ABCDEFG.jsonl")
        self.copy.write_bytes(TALK + THEIRS)

    def act(self) -> None:
        if self.copy.exists():
            self.outcome(lambda done: self.acts.copies.merge(self.session.path, self.copy, done))

    def again(self) -> None:
        super().again()
        self.try_it()

    def is_done(self) -> bool:
        return sorted(texts_of(self.chat)) == sorted(self.wanted) and not self.copy.exists()

    def is_allowed(self, texts: list[str]) -> bool:
        return texts[:3] == TEXTS and set(texts) <= set(self.wanted)

    def check(self) -> None:
        assert "four" in self.memory()
        found = whole_chats(self.folder)
        assert all(map(self.is_allowed, found))
        assert any("theirs" in texts for texts in found), "the copy is gone"


class RestoreOver(OpenChat):
    """A backup in the place of the chat, which is copied first."""

    name = "restore over"
    comes_back = False
    wanted: ClassVar[list[str]] = ["one", "two"]

    def change(self) -> None:
        """Nothing is unsaved."""

    def make_ready(self) -> None:
        super().make_ready()
        self.backup = self.root.user_folder / "backups" / "chat_mira_20200101-000000.jsonl"
        self.backup.parent.mkdir()
        self.backup.write_bytes(TALK.rsplit(b"\n", 1)[0])
        self.backup_acts = BackupActs(self.runner, self.chats)

    def act(self) -> None:
        if self.session.chat is not None and self.memory() == TEXTS:
            self.outcome(lambda done: self.backup_acts.restore_over(self.chat, self.backup, done))

    def again(self) -> None:
        super().again()
        self.try_it()

    def check(self) -> None:
        assert self.memory() in (TEXTS, self.wanted)
        found = whole_chats(self.root.path)
        assert all(map(self.is_allowed, found))
        assert TEXTS in found, "what the chat was is gone"


class RenameCharacter(OpenChat):
    """Another name for the character: card, folder and messages follow."""

    name = "rename character"

    def act(self) -> None:
        renaming = CharacterRenaming(self.runner, self.chats)
        if (self.root.characters / "Mira.png").exists():
            try:
                renamed = self.outcome(lambda done: renaming.rename(self.root, "Mira", "Mirabel", done))
                self.told += renamed.warnings if renamed is not None else ()
            except (CardError, OSError) as error:  # the window has a sentence for these
                self.tell(f"The character could not be renamed: {error}.")

    def again(self) -> None:
        super().again()
        self.try_it()

    def cards(self) -> list[tuple[str, str]]:
        """Return stem and name of each card."""
        return [(path.stem, text_field(read_card(path), "name")) for path in self.root.characters.glob("*.png")]

    def is_done(self) -> bool:
        """Say so also where only the old card could not be removed, which is told."""
        is_named = ("Mirabel", "Mirabel") in self.cards() and (len(self.cards()) == 1 or bool(self.told))
        return is_named and whole_chats(self.root.chats) == [self.wanted]

    def check(self) -> None:
        assert self.memory() == self.wanted
        assert len(self.cards()) in (1, 2)
        assert [*filter(self.is_allowed, whole_chats(self.root.chats))]
        assert self.session.path.exists()


class RemoveCharacter(OpenChat):
    """A character with its chats into the bin."""

    name = "remove character"

    def make_ready(self) -> None:
        super().make_ready()
        OpenChat.act(self)
        self.chats.release(self.session)
        self.runner.run_until_idle()

    def act(self) -> None:
        if (self.root.characters / "Mira.png").exists():
            removed = self.outcome(
                lambda done: self.acts.character_bin.remove(self.root, "Mira", done, with_chats=True)
            )
            self.told += removed.warnings if removed is not None else ()

    def again(self) -> None:
        self.try_it()

    def is_done(self) -> bool:
        return not self.chat.exists() and not (self.root.characters / "Mira.png").exists()

    def check(self) -> None:
        found = whole_chats(self.folder)
        assert self.wanted in found
        assert all(map(self.is_allowed, found))
        cards = [*self.folder.rglob("*.png")]
        assert cards, "the card is gone"
        assert all(read_card(card) for card in cards)


class CloseChat(OpenChat):
    """The last view is closed: saved, and the journal left as it is good to find."""

    name = "close chat"

    def act(self) -> None:
        self.chats.release(self.session)
        super().act()
