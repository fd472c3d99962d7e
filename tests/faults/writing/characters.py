"""What a person brings into the data folder besides chats: characters and pictures, and words for the dictionary."""

from __future__ import annotations

import json
from pathlib import Path

from tavern_desktop.library.attachments import store_picture
from tavern_desktop.library.card_fields import fields_of, write_fields
from tavern_desktop.library.card_file import CardError, card_data, read_card
from tavern_desktop.library.character_files import create_character, import_card
from tavern_desktop.library.groups import read_group
from tavern_desktop.library.persona_files import read_persona, write_persona
from tavern_desktop.library.worlds import change_entry, load_world
from tavern_desktop.session.new_chat import create_group_chat
from tavern_desktop.session.spelling import OWN_WORDS, keep_own_word, read_own_words
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.own_folders import own_folders
from tests.faults.writing.base import TEXTS, WritePath, whole_chats


class NewCharacter(WritePath):
    """A card that is written anew."""

    name = "new character"

    def act(self) -> None:
        try:
            self.make()
        except (CardError, OSError) as error:  # the window has a sentence for these
            self.tell(f"The character could not be made: {error}.")

    def make(self) -> None:
        """Write it."""
        create_character(self.root, {"name": "Tock", "first_mes": "Tick."})

    def cards(self) -> list[Path]:
        """The cards that are there besides the one that was; each of them is whole."""
        found = [path for path in self.root.characters.iterdir() if path.suffix == ".png" and path.stem != "Mira"]
        assert all(card_data(read_card(path))["name"] == "Tock" for path in found)
        return found

    def is_done(self) -> bool:
        return len(self.cards()) == 1

    def check(self) -> None:
        super().check()
        assert len(self.cards()) <= 1
        assert read_card(self.root.characters / "Mira.png")


class ImportCard(NewCharacter):
    """A card from elsewhere."""

    name = "import card"

    def make_ready(self) -> None:
        super().make_ready()
        self.source = self.folder / "from elsewhere.json"
        self.source.write_text('{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Tock"}}', encoding="utf-8")

    def make(self) -> None:
        import_card(self.root, self.source)

    def check(self) -> None:
        super().check()
        assert self.source.stat().st_size > 50


class EditCard(NewCharacter):
    """A character's card, which says something else from then on."""

    name = "edit card"

    def make_ready(self) -> None:
        super().make_ready()
        self.before = fields_of(read_card(self.root.characters / "Mira.png")).scenario

    def make(self) -> None:
        write_fields(self.root.characters / "Mira.png", {"scenario": "On the bridge."})

    def is_done(self) -> bool:
        return fields_of(read_card(self.root.characters / "Mira.png")).scenario == "On the bridge."

    def check(self) -> None:
        super().check()
        assert fields_of(read_card(self.root.characters / "Mira.png")).scenario in (self.before, "On the bridge.")


class NewGroupChat(WritePath):
    """A chat of a group, which its record names then."""

    name = "new group chat"

    def make_ready(self) -> None:
        super().make_ready()
        self.record = self.root.groups / "7.json"
        self.record.parent.mkdir()
        self.record.write_text('{"id":"7","name":"Inn","members":["Mira.png"],"chats":[],"own":1}', encoding="utf-8")

    def act(self) -> None:
        try:
            create_group_chat(self.root, read_group(self.root, "7"))
        except OSError as error:  # the window has a sentence for these
            self.tell(f"The chat could not be made: {error}.")

    def is_done(self) -> bool:
        record = json.loads(self.record.read_bytes())
        assert record["own"] == 1
        return bool(record["chats"]) and set(record["chats"]) <= {
            path.stem for path in self.root.group_chats.glob("*.jsonl")
        }

    def is_allowed(self, texts: list[str]) -> bool:
        return texts == TEXTS or len(texts) <= 1

    def check(self) -> None:
        super().check()
        assert self.is_done() or not json.loads(self.record.read_bytes())["chats"]
        assert all(len(texts) <= 1 for texts in whole_chats(self.root.group_chats))


class StorePicture(WritePath):
    """A picture that goes with a message."""

    name = "picture"
    picture = b"\x89PNG\r\n\x1a\n" + bytes(5000)

    def act(self) -> None:
        store_picture(self.root, "Mira", self.picture)

    def is_done(self) -> bool:
        return [path.read_bytes() for path in self._stored()] == [self.picture]

    def check(self) -> None:
        super().check()
        assert self.is_done() or not self._stored()

    def _stored(self) -> list[Path]:
        return list(self.root.user_folder.glob("user/images/Mira/*.png"))


class KeepWord(WritePath):
    """A word of the person's own, beside those that were there."""

    name = "own word"

    def make_ready(self) -> None:
        super().make_ready()
        self.place = own_folders().config
        self.place.mkdir(parents=True)
        (self.place / OWN_WORDS).write_text("Lanternfolk\n", encoding="utf-8")

    def act(self) -> None:
        keep_own_word(self.place, "Tockling")

    def is_done(self) -> bool:
        return read_own_words(self.place) == {"Lanternfolk", "Tockling"}

    def check(self) -> None:
        super().check()
        assert self.is_done() or read_own_words(self.place) == {"Lanternfolk"}


class EditPersona(WritePath):
    """A persona, which is kept in the settings of another program."""

    name = "edit persona"

    def make_ready(self) -> None:
        super().make_ready()
        self.root.settings.write_text('{"power_user":{"personas":{"1.png":"Ana"}},"theirs":[1,2,3]}', encoding="utf-8")

    def act(self) -> None:
        try:
            write_persona(self.root, "1.png", {"description": "A pilot."})
        except StorageError as error:
            self.tell(sentence(error))

    def is_done(self) -> bool:
        return read_persona(self.root, "1.png").description == "A pilot."

    def check(self) -> None:
        super().check()
        found = json.loads(self.root.settings.read_bytes())
        assert (found["theirs"], found["power_user"]["personas"]) == ([1, 2, 3], {"1.png": "Ana"})


class EditLore(WritePath):
    """An entry of a lorebook."""

    name = "edit lore"

    def make_ready(self) -> None:
        super().make_ready()
        self.root.worlds.mkdir()
        book = '{"entries":{"0":{"uid":0,"key":["a"],"content":"A"},"1":{"uid":1,"content":"B"}},"theirs":1}'
        (self.root.worlds / "House.json").write_text(book, encoding="utf-8")

    def act(self) -> None:
        try:
            change_entry(self.root, "House", 0, {"content": "Another"})
        except StorageError as error:
            self.tell(sentence(error))

    def is_done(self) -> bool:
        return load_world(self.root, "House").entries[0]["content"] == "Another"

    def check(self) -> None:
        super().check()
        entries = load_world(self.root, "House").entries
        assert entries[0]["content"] in ("A", "Another")
        assert (entries[0]["key"], entries[1]["content"]) == (["a"], "B")
