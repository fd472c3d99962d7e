"""All open chats of a program: one session for each file, shared by its views."""

from __future__ import annotations

from pathlib import Path

from tavern_desktop.chat.signal import Signal
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.loading import ChatKind, HeaderForHeaderless
from tavern_desktop.session.runner import Runner


class OpenChats:
    """Opens chats and keeps each open until its last view let go and everything is saved."""

    def __init__(
        self,
        runner: Runner,
        recovery_folder: Path,
        *,
        header_for_headerless: HeaderForHeaderless | None = None,
        read_only: bool = False,
        preview_limit: int = 100,
    ) -> None:
        """`recovery_folder`: in our own folder, for unsaved states; made when needed.

        `header_for_headerless`: called off the owner for group chats without a header. `read_only`: another process
        owns the data folder. `preview_limit`: see `Setup`; 0 for the command line.
        """
        self.unsaved_changed: Signal[()] = Signal()
        """`unsaved()` may have changed."""

    def open(self, path: Path, kind: ChatKind | None = None) -> ChatSession:
        """Return the session of this file for one more view, which must `release` it; loading starts by itself.

        Without `kind`, a file in a folder called `group chats` is a group's.
        """

    def release(self, session: ChatSession) -> None:
        """Let go of a session for one view; the last one's leaving saves at once and then closes it."""

    def session_for(self, path: Path) -> ChatSession | None:
        """Return the session of this file if it is open, under whatever spelling."""

    def unsaved(self) -> list[ChatSession]:
        """Return the sessions whose changes are not in their file."""

    def flush_all(self, timeout: float) -> list[str]:
        """Save everything, waiting at most `timeout` seconds; return the titles of what is still not saved.

        For the end of a program: nothing but saving goes on meanwhile.
        """
