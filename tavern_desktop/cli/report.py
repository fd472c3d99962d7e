"""Commands about this computer: roots and doctor."""

from __future__ import annotations

import os
import platform
import sys
from collections import Counter
from importlib import metadata
from typing import Any

from tavern_desktop import __version__
from tavern_desktop.cli import output
from tavern_desktop.cli.context import Context
from tavern_desktop.library.characters import card_stems
from tavern_desktop.library.data_root import DataRoot, users
from tavern_desktop.library.found_roots import FoundRoot, found_roots
from tavern_desktop.session import handover
from tavern_desktop.storage.directory import list_global
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.index import Index
from tavern_desktop.storage.journal_folders import journal_sizes, journals_folder
from tavern_desktop.storage.savelog import FOLDER as SAVE_LOG
from tavern_desktop.storage.savelog import read_save_log

_PACKAGES = (
    "PySide6-Essentials",
    "orjson",
    "msgspec",
    "platformdirs",
    "filelock",
    "markdown-it-py",
    "httpx2",
    "keyring",
)


def roots(context: Context) -> int:
    """Print the data folders found on this computer, our own among them."""
    own = context.folders.library
    found = found_roots()
    if users(own):
        found.append(FoundRoot(DataRoot(own, users(own)[0]), "Tavern Desktop"))
    remembered = context.preferences.settings.value.data_root
    for item in found:
        handles = users(item.root.path)
        is_chosen = remembered is not None and os.path.realpath(remembered) == os.path.realpath(item.root.path)
        if context.json:
            output.say_json(
                {"path": str(item.root.path), "program": item.program, "users": handles, "chosen": is_chosen}
            )
        else:
            mark = "  (chosen)" if is_chosen else ""
            output.say(f"{item.root.path}  {item.program}, users: {', '.join(handles)}{mark}")
    if not found and not context.json:
        output.complain("No SillyTavern or TauriTavern data folder was found; name one with --data-root DIR.")
    return 0


def doctor(context: Context) -> int:
    """Print what helps to understand a problem on this computer; never a word of any chat."""
    problems = context.preferences.problems()
    facts: dict[str, Any] = {"versions": _versions(), "folders": _folders(context), "problems": problems}
    try:
        facts |= _about_root(context)
    except (StorageError, OSError) as error:
        problems.append(sentence(error) if isinstance(error, StorageError) else str(error))
    if context.json:
        output.say_json(facts)
        return 0
    for section, content in facts.items():
        output.say(f"{section}:")
        lines = content.items() if isinstance(content, dict) else [("-", line) for line in content or ["none"]]
        for name, value in lines:
            value = ", ".join(value) or "none" if isinstance(value, list) else value
            output.say(f"  {name} {value}" if name == "-" else f"  {name}: {value}")
    return 0


def _versions() -> dict[str, Any]:
    found = {"tavern-desktop": __version__, "python": platform.python_version(), "system": platform.platform()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:  # a built program carries no metadata
            found[package] = "unknown"
    found["encoding"] = sys.getfilesystemencoding()
    return found


def _folders(context: Context) -> dict[str, Any]:
    folders = context.folders
    return {"config": str(folders.config), "data": str(folders.data), "cache": str(folders.cache)}


def _about_root(context: Context) -> dict[str, Any]:
    root = context.root
    cards = card_stems(root)
    listing = list_global(root.user_folder, cards)
    index = context.index()
    chats, indexed_cards = index.counts()
    return {
        "data_root": {
            "path": str(root.path),
            "user": root.user,
            "users": users(root.path),
            "writable": os.access(root.user_folder, os.W_OK),
            "characters": len(cards),
            "chats": len(listing.files),
            "bytes": sum(chat.size for chat in listing.files),
            "unusable_files": len(listing.failures),
            "conflict_copies": sum(len(chat.conflicts) for chat in listing.files),
        },
        "locks": _locks(context),
        "saves": _saves(context),
        "history": _history(context),
        "index": _index_facts(index, chats, indexed_cards),
    }


def _saves(context: Context) -> dict[str, Any]:
    """Say how the last saves went, by their log."""
    records = read_save_log(context.folders.for_root(context.root.path).data / SAVE_LOG)
    results = Counter(record.result for record in records)
    flags = Counter(flag for record in records for flag in record.flags)
    return {
        "recorded": len(records),
        "results": [f"{name}: {count}" for name, count in results.most_common()],
        "worth_a_look": [f"{name}: {count}" for name, count in flags.most_common()],
        "conflicts": sum(record.conflicts for record in records),
        "slowest_ms": max((record.duration_ms for record in records), default=0),
    }


def _history(context: Context) -> dict[str, Any]:
    """Say what the journals of the chats take."""
    journals = journals_folder(context.folders, context.root.path)
    sizes = sorted(journal_sizes(journals).values())
    return {"path": str(journals), "chats": len(sizes), "bytes": sum(sizes), "largest": sizes[-1] if sizes else 0}


def _locks(context: Context) -> dict[str, Any]:
    """Say whether a window has the data folder open, and what interrupted saves left there."""
    root = context.root
    folder = context.folders.for_root(root.path).data
    ownership = handover.take(folder, patience=0)
    if ownership is not None:
        ownership.release()
    stages = [*root.chats.glob("**/.td-*.tmp"), *root.group_chats.glob(".td-*.tmp")]
    return {"open_in_another_process": ownership is None, "unfinished_saves": len(stages)}


def _index_facts(index: Index, chats: int, cards: int) -> dict[str, Any]:
    size = index.file.stat().st_size if index.file.exists() else 0
    return {"file": str(index.file), "bytes": size, "chats": chats, "cards": cards, "warnings": index.warnings}
