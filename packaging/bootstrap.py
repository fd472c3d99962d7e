#!/usr/bin/env python3
"""Set up Tavern Desktop on this computer and do one thing with it.

    python3 packaging/bootstrap.py run [FILE|FOLDER] [options]    start the program
    python3 packaging/bootstrap.py run --with-model               the same, with a small model to chat with (130 MB)
    python3 packaging/bootstrap.py test [--full] [pytest options]  run every test
    python3 packaging/bootstrap.py check                           lint, format, types, layers
    python3 packaging/bootstrap.py bench [--quick] [--json F]      measure against the budgets
    python3 packaging/bootstrap.py install                         add it to this user's desktop
    python3 packaging/bootstrap.py bundle                          build a folder that needs no Python

Needs Python 3.11 or newer and nothing else. The first call makes `.venv` and puts the locked dependencies in
it; later calls notice that nothing changed and go straight to work. Everything after the first word goes on
to the program, pytest or the benchmark. Works from any folder.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

if sys.version_info < (3, 11):
    sys.exit(f"Tavern Desktop needs Python 3.11 or newer; this is {sys.version.split()[0]} ({sys.executable}).")

import environment
import system_packages

ROOT = Path(__file__).resolve().parent.parent
WITH_MODEL = "--with-model"


def main(argv: list[str]) -> int:
    """Run one command and return its exit code; does not return where the command takes the process over."""
    commands: dict[str, Callable[[list[str]], int]] = {
        "run": run,
        "test": test,
        "check": check,
        "bench": bench,
        "install": install,
        "bundle": bundle,
    }
    command = commands.get(argv[0]) if argv else None
    if command is None:
        asked_for_help = argv and argv[0] in ("help", "-h", "--help")
        print(__doc__, file=sys.stdout if asked_for_help else sys.stderr)
        return 0 if asked_for_help else 2
    try:
        return command(argv[1:])
    except (environment.SetupError, system_packages.MissingPackages) as error:
        print(error, file=sys.stderr)
        return 1


def run(args: list[str]) -> int:
    """Start the program; the folder we were called from stays the current one, so that FILE is found."""
    python = environment.ready("run", system_packages.FOR_A_WINDOW)
    program: list[str | Path] = [python, "-P", "-m", "tavern_desktop"]
    if WITH_MODEL in args:
        args = [word for word in args if word != WITH_MODEL]
        environment.ready("model")
        portable = ["--portable"] if "--portable" in args else []
        subprocess.run([*program, *portable, "backends", "add", "SmolLM2", "--protocol", "local"], check=False)
    take_over([*program, *args])


def test(args: list[str]) -> int:
    """Run all tests, windows included, without a screen."""
    python = environment.ready("dev", system_packages.FOR_TESTS)
    os.chdir(ROOT)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    take_over([python, "-m", "pytest", *args])


def check(args: list[str]) -> int:
    """Run every check and name those that failed."""
    python = environment.ready("dev")
    checks: dict[str, list[str | Path]] = {
        "lint": [python, "-m", "ruff", "check", *args],
        "format": [python, "-m", "ruff", "format", "--check"],
        "types": [python, "-m", "mypy"],
        "layers": [python.with_name("lint-imports"), "--no-logo"],
    }
    failed = []
    for name, command in checks.items():
        print(f"== {name}", flush=True)
        if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
            failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else "all checks passed")
    return 1 if failed else 0


def bench(args: list[str]) -> int:
    """Measure what the program costs; see docs/testing.md."""
    python = environment.ready("dev", system_packages.FOR_A_WINDOW)
    os.chdir(ROOT)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    take_over([python, "-m", "tests.bench", *args])


def install(args: list[str]) -> int:
    """Put the program into this user's menus and make it known for chat files."""
    import desktop_entry  # only this command needs it

    python = environment.ready("run", system_packages.FOR_A_WINDOW)
    return desktop_entry.install(ROOT, python, args)


def bundle(args: list[str]) -> int:
    """Build `dist/tavern-desktop/` and start what was built, open a chat in it and close it."""
    python = environment.ready("dev", system_packages.FOR_A_WINDOW | system_packages.FOR_BUNDLING)
    spec = ROOT / "packaging" / "tavern-desktop.spec"
    build: list[str | Path] = [python, "-m", "PyInstaller", "--noconfirm", "--log-level=WARN", *args, spec]
    smoke_test: list[str | Path] = [python, ROOT / "packaging" / "smoke_test.py", ROOT / "dist" / "tavern-desktop"]
    for step in (build, smoke_test):
        code = subprocess.run(step, cwd=ROOT, check=False).returncode
        if code != 0:
            return code
    print(f"built {ROOT / 'dist' / 'tavern-desktop'}")
    return 0


def take_over(command: list[str | Path]) -> NoReturn:
    """Become `command`: its exit code, its signals and its start time are ours."""
    words = [os.fspath(word) for word in command]
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "nt":  # exec there returns to the shell before the program ends
        sys.exit(subprocess.run(words, check=False).returncode)
    os.execv(words[0], words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
