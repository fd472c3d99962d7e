"""A data folder of SillyTavern or TauriTavern, what lies where in it, and how one is recognised."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import orjson

from tavern_desktop.storage.aliases import folder_name, stem_of_folder
from tavern_desktop.storage.directory import key_of
from tavern_desktop.storage.own_folders import OwnFolders

DEFAULT_USER = "default-user"

_DATA_ROOT_SETTING = re.compile(r"^dataRoot:\s*(?P<quote>['\"]?)(?P<path>.+?)(?P=quote)\s*(?:#.*)?$", re.MULTILINE)


@dataclass(frozen=True)
class DataRoot:
    """A data root and the user whose folder in it is worked with."""

    path: Path
    user: str = DEFAULT_USER

    @property
    def user_folder(self) -> Path:
        return self.path / self.user

    @property
    def chats(self) -> Path:
        return self.user_folder / "chats"

    def chat_folder(self, stem: str) -> Path:
        """Return the folder of one character's chats, which may not exist yet."""
        return self.chats / folder_name(self.user_folder, stem)

    def character_of(self, chat: Path) -> str:
        """Return the stem of the character whose chat this is, "" for a group's and for loose ones."""
        folder = key_of(chat)
        return stem_of_folder(self.user_folder, folder) if folder else ""

    @property
    def group_chats(self) -> Path:
        return self.user_folder / "group chats"

    @property
    def characters(self) -> Path:
        return self.user_folder / "characters"

    @property
    def groups(self) -> Path:
        return self.user_folder / "groups"

    @property
    def worlds(self) -> Path:
        """The folder of lorebooks."""
        return self.user_folder / "worlds"

    @property
    def personas(self) -> Path:
        """The pictures of the people who write; a file's name is the persona's id."""
        return self.user_folder / "User Avatars"

    @property
    def settings(self) -> Path:
        return self.user_folder / "settings.json"

    def holds(self, path: Path) -> bool:
        """Say whether `path` lies in this user's folder."""
        return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(self.user_folder))

    def relative(self, path: Path) -> str:
        """Return `path` as it is written in our own files: relative to the user folder where it lies in it."""
        try:
            return path.relative_to(self.user_folder).as_posix()
        except ValueError:
            return path.as_posix()


def users(path: Path) -> list[str]:
    """Return the handles of the users in the data root `path`, the default one first."""
    try:
        names = [entry.name for entry in os.scandir(path) if not entry.name.startswith((".", "_"))]
    except OSError:
        return []
    found = sorted(name for name in names if is_user_folder(path / name))
    return sorted(found, key=lambda name: name != DEFAULT_USER)


def is_user_folder(path: Path) -> bool:
    """Recognise one user's folder by what only that holds."""
    return (path / "characters").is_dir() or ((path / "chats").is_dir() and (path / "settings.json").is_file())


def recognise(path: Path, user: str | None = None) -> DataRoot | None:
    """Return the data root that `path` means, None if it means none.

    Accepted are a data root, the folder of one user in it, and the folder where SillyTavern or TauriTavern is
    installed or keeps its files. `user` chooses another user than the first.
    """
    path = path.expanduser().absolute()
    if is_user_folder(path) and not (path / "server.js").exists():
        return DataRoot(path.parent, user or path.name)
    for candidate in (path, _configured_root(path), path / "data", path / "SillyTavern" / "data"):
        handles = users(candidate) if candidate else []
        if candidate and handles:
            return DataRoot(candidate, user or handles[0])
    return None


def root_of(chat: Path) -> DataRoot | None:
    """Return the data root that a chat file lies in, None for a file that lies elsewhere."""
    for user_folder in chat.absolute().parents[1:3]:
        if is_user_folder(user_folder):
            return DataRoot(user_folder.parent, user_folder.name)
    return None


def ensure_own_root(folders: OwnFolders, sample: Path) -> DataRoot:
    """Return the data root of our own, made from the sample library `sample` the first time.

    It appears whole or not at all. Raises OSError where it cannot be made.
    """
    library = folders.library
    if not library.is_dir():
        library.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".library-", dir=library.parent) as stage:
            staged = Path(shutil.copytree(sample, Path(stage) / "library"))
            _date_by_words(staged)
            # Two programs may start at the same moment; the first one's library stays.
            with contextlib.suppress(FileExistsError):
                _rename_new(staged, library)
    handles = users(library)
    return DataRoot(library, handles[0] if handles else DEFAULT_USER)


def _date_by_words(library: Path) -> None:
    """Make each chat as old as its last message: copies are all of one age, and lists show the newest first."""
    from tavern_desktop.storage.summary import summarise  # only where our own folder is being made

    for chat in library.rglob("*.jsonl"):
        seconds = summarise(chat).date / 1000
        os.utime(chat, (seconds, seconds))


def _rename_new(staged: Path, library: Path) -> None:
    try:
        staged.rename(library)
    except OSError:
        if library.is_dir():
            raise FileExistsError(library) from None
        raise


def _configured_root(folder: Path) -> Path | None:
    """Read where an installation keeps its data if that is not beside it."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        return Path(orjson.loads((folder / "tauritavern-runtime.json").read_bytes())["data_root"])
    with contextlib.suppress(OSError, ValueError):
        setting = _DATA_ROOT_SETTING.search((folder / "config.yaml").read_text("utf-8"))
        if setting:
            return folder / Path(setting["path"]).expanduser()
    return None
