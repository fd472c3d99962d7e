"""Where SillyTavern and TauriTavern keep their data on this computer, as far as it can be guessed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tavern_desktop.library.data_root import DataRoot, recognise

TAURITAVERN = "com.tauritavern.client"


@dataclass(frozen=True)
class FoundRoot:
    """A data root found on this computer, and the program it belongs to."""

    root: DataRoot
    program: str


def found_roots(
    environ: Mapping[str, str] | None = None, home: Path | None = None, platform: str = sys.platform
) -> list[FoundRoot]:
    """Look in the usual places and return what is there, the likeliest first, none twice."""
    environ = os.environ if environ is None else environ
    home = Path.home() if home is None else home
    found: dict[str, FoundRoot] = {}
    for program, place in _places(environ, home, platform):
        root = recognise(place)
        if root is not None:
            found.setdefault(os.path.realpath(root.path), FoundRoot(root, program))
    return list(found.values())


def _places(environ: Mapping[str, str], home: Path, platform: str) -> Iterator[tuple[str, Path]]:
    named = environ.get("SILLYTAVERN_DATAROOT")
    if named:
        yield "SillyTavern", Path(named)
    for folder in (home, home / "Documents", home / "Desktop", home / "Downloads"):
        yield "SillyTavern", folder / "SillyTavern"
        yield "SillyTavern", folder / "SillyTavern-Launcher"
    local, roaming = _application_folders(environ, home, platform)
    yield "SillyTavern", local / "SillyTavern" / ("Data" if platform == "win32" else "")
    if platform == "win32":
        drive = Path(environ.get("SYSTEMDRIVE", "C:") + "\\")
        yield "SillyTavern", drive / "SillyTavern"
        yield "SillyTavern", drive / "SillyTavern-Launcher"
    yield "TauriTavern", roaming / TAURITAVERN
    if platform.startswith("linux"):
        yield "TauriTavern", home / ".var" / "app" / TAURITAVERN / "data" / TAURITAVERN


def _application_folders(environ: Mapping[str, str], home: Path, platform: str) -> tuple[Path, Path]:
    """Return the folders for a program's local and roaming data; only Windows tells them apart."""
    if platform == "win32":
        local = Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
        return local, Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
    if platform == "darwin":
        support = home / "Library" / "Application Support"
        return support, support
    data = Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    return data, data
