"""Byte copies of chat files under new names: backups, restored backups, duplicates. Whole or not at all."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tavern_desktop.storage import locks
from tavern_desktop.storage.errors import StorageError, from_os
from tavern_desktop.storage.publish import sync_folder
from tavern_desktop.storage.reader import BLOCK_SIZE, blocks, opened
from tavern_desktop.storage.signature import Signature
from tavern_desktop.storage.stages import Stage, sweep


def copy_new(source: Path, target: Path) -> Signature:
    """Make `target` a copy of `source` and return its signature; where the file system can, they share their blocks.

    Nothing is interpreted, so damaged chats are copied too. Raises StorageError already_exists/target,
    not_found (chat for the source, directory for the target's folder), truncated, io.
    """
    with opened(source, sys.maxsize) as (file, found), locks.writing(target):
        if os.path.lexists(target):
            raise StorageError("already_exists", "target", chat_ref=target)
        sweep(target.parent)
        stage = Stage(target)
        try:
            if not stage.clone(file.fileno()):
                stage.write(blocks(file, found.size, BLOCK_SIZE, source))
            signature = stage.sync()
            stage.take_free_name()
            sync_folder(target.parent)
        except FileExistsError:
            stage.discard()
            raise StorageError("already_exists", "target", chat_ref=target) from None
        except OSError as error:
            stage.discard()
            raise from_os(error, "replace", target) from None
        except BaseException:
            stage.discard()
            raise
    return signature
