"""What is known of the file of an open chat: which version it holds, and what that version comes from."""

from __future__ import annotations

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.states import Spool
from tavern_desktop.session.loading import Loaded
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
        self.identity: str | None = None
        """The integrity value that the file has; without one, any that another program gives it is the chat's."""
        self.lineage = Lineage([])
        self.is_lost = False
        """The file no longer holds what is in memory, whether or not that was changed: it is damaged or gone."""
        self.saves_over_theirs = False
        """The next save takes something back that another program wrote: the file is copied first."""
        self.overrides = False
        """The next save replaces whatever is there: the person brought an earlier version back (entry §6.7)."""

    def differs_from(self, chat: Chat) -> bool:
        """Say whether there is something to save."""
        return self.is_lost or not self.saved.equals(chat)

    def begin_anew(self, saved: Version, spool: Spool | None = None) -> None:
        """Take notice of a version that was loaded, or written as a new file: nothing is known of earlier ones."""
        self.saved = saved
        self.lineage = Lineage(saved.messages, spool)

    def was_read(self, loaded: Loaded) -> None:
        """Take notice of what was read of the file that holds `saved`."""
        self._holds(loaded.signature, loaded.identity)

    def was_written(self, version: Version, signature: Signature) -> None:
        """Take notice that `version` is the file now."""
        self.saved = version
        self._holds(signature, version.header.integrity())

    def _holds(self, signature: Signature, identity: str | None) -> None:
        self.signature, self.identity = signature, identity
        self.is_lost = self.saves_over_theirs = self.overrides = False
