"""Where the files of Tavern Desktop itself live: never inside a SillyTavern folder (decision D11).

Settings go to the platform's folder for configuration; journals, drafts and whatever else must not be lost
go to its folder for data; the index and everything that can be made again goes to its cache. What belongs to
one data root lies in a folder named by a hash of that root's real path. `--portable`, or a file
`portable.flag` beside the program, puts all of it beside the program.
"""

from __future__ import annotations

import hashlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from tavern_desktop.storage.errors import StorageError, from_os

APP = "tavern-desktop"
HOME_VARIABLE = "TAVERN_DESKTOP_HOME"
"""Names one folder that holds everything of ours: for tests, and for several separate setups."""
PORTABLE_FLAG = "portable.flag"
PORTABLE_FOLDER = "tavern-desktop-files"


@dataclass(frozen=True)
class RootFolders:
    """Our folders for one data root. They may not exist yet."""

    data: Path
    cache: Path


@dataclass(frozen=True)
class OwnFolders:
    """Our folders on this computer. They may not exist yet."""

    config: Path
    data: Path
    cache: Path

    @property
    def library(self) -> Path:
        """The data root used when no other is chosen, with the sample in it."""
        return self.data / "library"

    def for_root(self, root: Path) -> RootFolders:
        """Return our folders for the data root `root`.

        Raises StorageError validation/argument if they would lie inside it.
        """
        real = Path(os.path.realpath(root))
        for folder in (self.config, self.data, self.cache):
            if Path(os.path.realpath(folder)).is_relative_to(real):
                raise StorageError(
                    "validation",
                    "argument",
                    message=f"Tavern Desktop's own files ({folder}) would lie inside the data folder {root}; "
                    f"choose another data folder, or another folder with {HOME_VARIABLE}.",
                )
        key = root_key(root)
        return RootFolders(self.data / "roots" / key, self.cache / "roots" / key)


def own_folders(*, portable: bool = False) -> OwnFolders:
    """Return our folders: those of `TAVERN_DESKTOP_HOME`, those beside the program, or the platform's."""
    home = os.environ.get(HOME_VARIABLE)
    if home:
        return _below(Path(home))
    if portable or (program_folder() / PORTABLE_FLAG).is_file():
        return _below(program_folder() / PORTABLE_FOLDER)
    import platformdirs  # where it is not asked it need not be there

    return OwnFolders(
        Path(platformdirs.user_config_path(APP, appauthor=False)),
        Path(platformdirs.user_data_path(APP, appauthor=False)),
        Path(platformdirs.user_cache_path(APP, appauthor=False)),
    )


def root_key(root: Path) -> str:
    """Return the name under which a data root is known to us: a hash of its real path (decision D28)."""
    real = os.path.normcase(os.path.realpath(root))
    return hashlib.sha256(os.fsencode(real)).hexdigest()[:24]


def make_folder(folder: Path) -> None:
    """Make one of our folders if it is not there yet. Raises StorageError io/write."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise from_os(error, "write", folder) from error


def program_folder() -> Path:
    """Return the folder the program stands in: that of the built program, else the one that holds the package."""
    if getattr(sys, "frozen", False):
        return Path(sys.executable).resolve().parent
    return Path(__file__).resolve().parents[2]


def _below(home: Path) -> OwnFolders:
    home = home.absolute()
    return OwnFolders(home / "config", home / "data", home / "cache")
