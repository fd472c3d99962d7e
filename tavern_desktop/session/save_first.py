"""The save that comes before a file is moved: it is there, or the move does not happen."""

from __future__ import annotations

from tavern_desktop.session.save_queue import Save
from tavern_desktop.session.writing import Written
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError


def save_first(save: Save | None) -> Written | None:
    """Save what is not saved yet. Raises StorageError, also where another program wrote the file."""
    if save is None:
        return None
    try:
        return save.write()
    except ChangedOnDisk as change:
        raise StorageError("io", "replace", "another program changed it meanwhile", chat_ref=change.path) from None
