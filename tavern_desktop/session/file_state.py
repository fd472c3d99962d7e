"""What is known of the file of an open chat: which version it holds, and what that version comes from."""

from __future__ import annotations

from collections.abc import Sequence

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.session.merging import Lineage
from tavern_desktop.session.versions import Version
from tavern_desktop.storage.signature import Signature


class FileState:
    """Belongs to the owner; what is in `lineage` to the file's lane."""

    def __init__(self) -> None:
        self.saved = Version(Header.new(), [])
        """What we last read or published."""
        self.signature: Signature | None = None
        """Of the file with that version."""
        self.lineage = Lineage([])
        self.is_lost = False
        """The file no longer holds what is in memory, whether or not that was changed: it is damaged or gone."""
        self.saves_over_theirs = False
        """The next save takes something back that another program wrote: the file is copied first."""

    def differs_from(self, chat: Chat) -> bool:
        """Say whether there is something to save."""
        return self.is_lost or not self.saved.equals(chat)

    def descends_from(self, messages: Sequence[Message]) -> None:
        """Begin anew with what was loaded, or is followed: earlier versions are no longer what others can have."""
        self.lineage = Lineage(list(messages))

    def holds(self, signature: Signature, version: Version | None = None) -> None:
        """Take notice that the file has this signature and holds `version`, None: the one it is known to hold."""
        self.signature = signature
        self.saved = version or self.saved
        self.is_lost = self.saves_over_theirs = False
