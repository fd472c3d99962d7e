"""Runs one command and turns whatever stops it into one clear sentence and an exit code."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

from tavern_desktop.backends.errors import BackendError
from tavern_desktop.cli import output
from tavern_desktop.cli.arguments import parse
from tavern_desktop.cli.context import Context
from tavern_desktop.session.refusals import Refused
from tavern_desktop.storage.errors import StorageError, sentence

DONE, FAILED = 0, 1

_MODULES = {
    "roots": "report",
    "doctor": "report",
    "list_chats": "reading",
    "show": "reading",
    "check": "reading",
    "append": "changes",
    "edit": "changes",
    "swipe": "changes",
    "delete": "changes",
    "hide": "changes",
    "repair": "files",
    "branch": "files",
    "rename": "files",
    "remove": "files",
    "merge": "files",
    "metadata": "files",
    "export": "files",
    "history": "history",
    "import_": "importing",
    "deleted": "deleted",
    "restore": "deleted",
    "list_characters": "characters",
    "show_character": "characters",
    "edit_character": "characters",
    "duplicate_character": "characters",
    "import_character": "characters",
    "export_character": "characters",
    "rename_character": "characters",
    "remove_character": "characters",
    "bookmark": "branches",
    "bookmarks": "branches",
    "tree": "branches",
    "search": "searching",
    "check_card": "cards",
    "insert_card": "cards",
    "list_tools": "tools",
    "run_tool": "tools",
    "prompt": "generating",
    "send": "generating",
    "list_backends": "backends",
    "test_backend": "backends",
    "list_models": "backends",
    "add_backend": "backends",
    "import_backends": "backends",
    "remove_backend": "backends",
    "use_backend": "backends",
    "find_backends": "backends",
}
"""Which module has the function of a command: only that one is imported."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command in `argv` (without the program's name). Returns 0 done, 1 failed, 2 wrong usage."""
    output.prepare_streams()
    try:
        args = parse(argv)
    except SystemExit as stop:  # argparse has said why
        return int(stop.code or 0)
    try:
        module = importlib.import_module(f"tavern_desktop.cli.{_MODULES[args.run]}")
        code: int = getattr(module, args.run)(Context(args))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _stop_printing()
        return FAILED
    except KeyboardInterrupt:
        return _failed({"kind": "cancelled", "detail": "user"}, "Stopped.", args.json)
    except StorageError as error:
        return _failed(error_facts(error), sentence(error), args.json)
    except BackendError as error:
        return _failed({"kind": "backend", "detail": error.kind, "status": error.status}, error.sentence, args.json)
    except Refused as refusal:
        return _failed({"kind": "validation", "detail": "argument"}, refusal.sentence, args.json)
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        message = f"The operating system refused{where}: {error.strerror or error}."
        return _failed({"kind": "io", "detail": "open", "errno": error.errno}, message, args.json)


def error_facts(error: StorageError) -> dict[str, Any]:
    """Return an error as machines want it, without what does not apply."""
    return {"kind": error.kind, "detail": error.detail, **error.facts()}


def _failed(facts: dict[str, Any], message: str, as_json: bool) -> int:
    if as_json:
        output.complain_json({"error": facts | {"message": message}})
    else:
        output.complain(message)
    return FAILED


def _stop_printing() -> None:
    """The reader of our output has gone (`| head`): say nothing more, not even at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
