"""An open chat whose file got another name from another program: found again beside it, by what is in it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

from tavern_desktop.library.records import follow
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.integrity import identity_on_disk
from tavern_desktop.storage.names import SUFFIX
from tavern_desktop.storage.signature import Signature


def follow_rename(
    runner: Runner, chats: OpenChats, session: ChatSession, done: Callable[[Path | None], object]
) -> None:
    """Look for the chat of a session whose file is gone, and go on in what is found.

    `done` is told the new file, None where there is none; then the session is as it was.
    """
    path, known, chat = session.path, session.signature, session.chat
    identity = None if chat is None else chat.header.integrity()
    if known is None or identity is None:
        done(None)
        return

    def work() -> tuple[Path, Signature] | None:
        found = same_chat_beside(path, identity, known.size)
        if found is not None:
            if chats.journals is not None:
                chats.journals.moved(path, found[0])
            with contextlib.suppress(StorageError, OSError):  # nothing depends on it
                follow(path, found[0])
        return found

    def finished(outcome: Outcome[tuple[Path, Signature] | None]) -> None:
        found = None if isinstance(outcome.error, StorageError) else outcome.result()
        done(found[0] if found is not None and _go_over(chats, session, path, *found) else None)

    runner.submit(work, finished, lane=session.lane)


def same_chat_beside(path: Path, identity: str, size: int) -> tuple[Path, Signature] | None:
    """Return the one other file in the folder that has this identity and size; None for none, or for several.

    Runs off the owner. Raises StorageError.
    """
    found: list[tuple[Path, Signature]] = []
    try:
        with os.scandir(path.parent) as entries:
            alike = [Path(entry.path) for entry in entries if _may_be(entry, path.name, size)]
    except OSError:
        return None
    for candidate in alike:
        try:
            signature, its_identity = identity_on_disk(candidate)
        except StorageError:
            continue
        if its_identity == identity and signature.size == size:
            found.append((candidate, signature))
    return found[0] if len(found) == 1 else None


def _may_be(entry: os.DirEntry[str], name: str, size: int) -> bool:
    try:
        return entry.name.endswith(SUFFIX) and entry.name != name and entry.is_file() and entry.stat().st_size == size
    except OSError:  # it went while we looked
        return False


def _go_over(chats: OpenChats, session: ChatSession, path: Path, target: Path, signature: Signature) -> bool:
    """Let the session go on in `target`, unless it found its file again meanwhile or somebody has that one open."""
    is_gone = session.path == path and session.trouble is not None and session.trouble.kind == "gone"
    if not is_gone or chats.session_for(target) is not None:
        return False
    try:
        session.begin_move(saving=False)
    except CommandRefused:
        return False
    chats.backups.moved(path, target)
    session.end_move(target, signature)
    session.look_at_file()
    return True
