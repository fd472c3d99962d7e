"""Make the program known to this user's desktop: menu entry, chat file type, icon, software catalogue."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAME = "tavern-desktop"
METAINFO = "io.tavern_desktop.tavern_desktop.metainfo.xml"


def install(root: Path, python: Path, args: list[str]) -> int:
    """Register the program of the source tree `root`, or with `--remove` take every trace away.

    Touches only the user's own data folder. The entry starts `python` from this tree, so a tree that moves
    needs another call.
    """
    if not sys.platform.startswith("linux"):
        print("Only Linux desktops need this; elsewhere use the bundle.", file=sys.stderr)
        return 1
    if args not in ([], ["--remove"]):
        print(f"usage: install [--remove], not {' '.join(args)}", file=sys.stderr)
        return 2
    data = data_home()
    if args:
        for path in places(data).values():
            path.unlink(missing_ok=True)
    else:
        _copy(root, data, [os.fspath(python), "-P", "-m", "tavern_desktop", "%f"])
    _refresh(data)
    print(f"{'removed from' if args else 'installed for this user in'} {data}")
    return 0


def data_home() -> Path:
    """Return the folder where this user's applications are registered."""
    named = os.environ.get("XDG_DATA_HOME", "")
    return Path(named) if named.startswith("/") else Path.home() / ".local" / "share"


def places(data: Path) -> dict[str, Path]:
    """Return where each file goes, by its name in the source tree."""
    return {
        f"packaging/linux/{NAME}.desktop": data / "applications" / f"{NAME}.desktop",
        f"packaging/linux/{NAME}.xml": data / "mime" / "packages" / f"{NAME}.xml",
        f"packaging/linux/{METAINFO}": data / "metainfo" / METAINFO,
        f"resources/icons/app/{NAME}.svg": data / "icons" / "hicolor" / "scalable" / "apps" / f"{NAME}.svg",
    }


def exec_line(words: list[str]) -> str:
    """Return a command in the quoting of desktop entries; `%f` stays a field code."""
    return " ".join(word if word == "%f" else _quoted(word) for word in words)


def _quoted(word: str) -> str:
    for character in ("\\", '"', "`", "$"):
        word = word.replace(character, "\\" + character)
    word = word.replace("%", "%%").replace("\\", "\\\\")  # the file format takes one level of backslashes away
    return f'"{word}"'


def _copy(root: Path, data: Path, command: list[str]) -> None:
    for source, target in places(data).items():
        target.parent.mkdir(parents=True, exist_ok=True)
        text = (root / source).read_text(encoding="utf-8")
        if target.suffix == ".desktop":
            lines = [f"Exec={exec_line(command)}" if line.startswith("Exec=") else line for line in text.split("\n")]
            text = "\n".join(lines)
        target.write_text(text, encoding="utf-8")


def _refresh(data: Path) -> None:
    """Tell the desktop's caches; a system without such a cache has no such program."""
    for program, folder in (("update-mime-database", "mime"), ("update-desktop-database", "applications")):
        if shutil.which(program):
            subprocess.run([program, data / folder], check=False)
