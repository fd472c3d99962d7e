"""Typed text whose chat is gone: another program renamed it, or it was deleted. It becomes a text file among what was
put aside, so that there is a way to it. Runs off the owner."""

from __future__ import annotations

import time
from pathlib import Path, PurePath

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.storage.drafts import Draft, DraftFolder, DraftsRead
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.own_folders import make_folder

TEXT_SUFFIX = ".txt"


def put_orphans_aside(drafts: DraftFolder, root: DataRoot, recovery: Path) -> DraftsRead:
    """Read drafts; those without a chat are written to `recovery` and left out. Where that fails they stay."""
    read = drafts.read()
    kept = [draft for draft in read.drafts if not (_is_orphan(draft, root) and _put_aside(draft, drafts, recovery))]
    return DraftsRead(kept, read.damaged)


def _is_orphan(draft: Draft, root: DataRoot) -> bool:
    """Say whether the chat is gone while its place is there: a disk that is not plugged in proves nothing."""
    chat = root.user_folder / draft.chat
    place = chat.parent if PurePath(draft.chat).is_absolute() else root.chats
    return place.is_dir() and not chat.exists()


def _put_aside(draft: Draft, drafts: DraftFolder, recovery: Path) -> bool:
    from tavern_desktop.storage.publish import write_small_file

    stem, moment = PurePath(draft.chat).stem[:50], time.localtime(draft.at_ms / 1000)
    file = recovery / f"{stem} - {time.strftime('%Y-%m-%d %Hh%Mm%Ss', moment)} {draft.at_ms % 0x10000:04x}{TEXT_SUFFIX}"
    texts = filter(None, (draft.composer, *(edit.text for edit in draft.edits)))
    try:
        make_folder(recovery)
        write_small_file(file, "\n\n".join(texts).encode("utf-8", "replace"))
        drafts.put(Draft(draft.chat))
    except StorageError:
        return False
    return True
