"""What must come from the system itself: libraries that Qt's wheels do not carry, fonts, Debian's venv.

As root on Debian or Ubuntu they are installed; otherwise the one line to run is printed.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

QT_NEEDS = {
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
}
"""Without these PySide6 cannot even be imported."""

SCREEN_NEEDS = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
    "libbrotlidec.so.1": "libbrotli1",
    "libwayland-cursor.so.0": "libwayland-cursor0",
}
"""Without these there is no window on an X11 or Wayland screen."""

FONTS = {
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc": "fonts-noto-cjk",
    "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf": "fonts-noto-color-emoji",
}
"""Chats are written in every script: installed where we may, never asked for."""

TOOLS = {
    "desktop-file-validate": "desktop-file-utils",
    "appstreamcli": "appstream",
    "objdump": "binutils",
}
"""Programs that tests and bundling use."""

FOR_A_WINDOW = frozenset([*QT_NEEDS.values(), *SCREEN_NEEDS.values(), *FONTS.values()])
FOR_TESTS = FOR_A_WINDOW | {"desktop-file-utils", "appstream"}
FOR_BUNDLING = frozenset({"binutils"})


class MissingPackages(Exception):
    """Something indispensable is missing and may not be installed by us; the text says what to run."""


def venv_package() -> str:
    """Return Debian's package that lets this Python make environments."""
    return f"python{sys.version_info.major}.{sys.version_info.minor}-venv"


def ensure(packages: Iterable[str]) -> bool:
    """See to it that the system has `packages`, named as on Debian; return whether all that is needed is there.

    Raises MissingPackages when one is missing without which nothing works; one that only some systems need
    (a window on X11) is asked for and the program tries its luck.
    """
    missing = sorted(set(packages) & _absent())
    if not missing:
        return True
    if os.name == "posix" and os.geteuid() == 0 and shutil.which("apt-get"):
        missing = _apt_install(missing)
    asked_for = [package for package in missing if package not in FONTS.values()]
    if not asked_for:
        return True
    advice = f"Please run once:  sudo apt-get install {' '.join(asked_for)}"
    if not shutil.which("apt-get"):
        advice = f"Please install what your system calls: {' '.join(asked_for)} (these are Debian's names)"
    if any(package not in SCREEN_NEEDS.values() for package in asked_for):
        raise MissingPackages(advice)
    print(advice, file=sys.stderr)
    return False


def _absent() -> set[str]:
    """Return which of all packages that we ever want are not here."""
    if not sys.platform.startswith("linux"):
        return set()
    libraries = QT_NEEDS | SCREEN_NEEDS
    absent = {package for soname, package in libraries.items() if not _loads(soname)}
    absent |= {package for path, package in FONTS.items() if not Path(path).exists()}
    absent |= {package for program, package in TOOLS.items() if not shutil.which(program)}
    return absent | {venv_package()}


def _loads(soname: str) -> bool:
    """Ask the loader itself: right on every distribution, whatever the package is called there."""
    try:
        ctypes.CDLL(soname)
    except OSError:
        return False
    return True


def _apt_install(packages: list[str]) -> list[str]:
    """Install what can be installed and return what is still missing."""
    print(f"installing with apt: {' '.join(packages)}", flush=True)
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update", "-qq"], ["install", "-qq", "-y", "--no-install-recommends", *packages]):
        done = subprocess.run(["apt-get", *words], env=quiet, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return []
    print(done.stderr.strip(), file=sys.stderr)
    return packages
