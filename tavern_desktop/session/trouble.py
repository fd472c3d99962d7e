"""Why a chat is not saved until somebody decides."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal

from tavern_desktop.storage.errors import ChangedOnDisk, StorageError


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong with the file: it can be neither followed nor merged.

    gone: there is none; shrunk: so much is gone from it that somebody has to look first (decision D5); other: it is
    another chat now; unreadable: `error` says why.
    """

    kind: Literal["gone", "shrunk", "other", "unreadable"]
    messages: int = 0
    """How many messages the file has, where it shrunk."""
    error: StorageError | None = None


class NeedsAnswer(ChangedOnDisk):
    """A save found a version that must not be merged before somebody answered. Nothing was written."""

    def __init__(self, path: str | os.PathLike[str], trouble: Trouble) -> None:
        super().__init__(path, None)
        self.trouble = trouble
