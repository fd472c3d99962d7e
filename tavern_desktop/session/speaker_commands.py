"""A character gets another name in the messages it wrote, as a command."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from tavern_desktop.chat import edits, facts
from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.facts import Record
from tavern_desktop.chat.message import Message
from tavern_desktop.session.steps import Step
from tavern_desktop.session.wide_commands import RewriteEach

AVATAR, PICTURE = "original_avatar", "force_avatar"
"""In a message: the file of the card that spoke, and the address of the picture to show."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What a character is known by: its name, and the file name of its card."""

    name: str
    avatar: str


class RenameSpeaker(RewriteEach):
    """What a character wrote is under its new name. The user's words, notices and the narrator's stay (§11)."""

    label = "Rename character"

    def __init__(self, old: Identity, new: Identity, *, by_name: bool) -> None:
        """`by_name`: a message that does not say whose card spoke counts by its name, as in the character's chats."""
        super().__init__()
        self.old, self.new, self.by_name = old, new, by_name

    def _plan(self, chat: Chat) -> list[Step]:
        return self._replacements(chat)

    def _changed(self, message: Message) -> Message:
        seen = message.seen_data()
        return message if self._renamed(seen) is seen else edits.rewritten(message, self._renamed(message.data()))

    def _renamed(self, data: Record) -> Record:
        if facts.kind(data) != "character":
            return data
        avatar = data.get(AVATAR)
        if avatar != self.old.avatar and (avatar is not None or not self.by_name):
            return data
        changed = {}
        if data.get("name") == self.old.name:
            changed["name"] = self.new.name
        if avatar == self.old.avatar:
            changed[AVATAR] = self.new.avatar
        picture = data.get(PICTURE)
        old_file = f"file={quote(self.old.avatar, safe='')}"
        if isinstance(picture, str) and old_file in picture:
            changed[PICTURE] = picture.replace(old_file, f"file={quote(self.new.avatar, safe='')}")
        return data | changed if any(data.get(key) != value for key, value in changed.items()) else data
