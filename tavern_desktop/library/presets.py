"""SillyTavern's presets and templates: which there are, what is in one, and writing one back (prompt §4, §6).

A preset is a file of JSON in a folder of its kind. Whatever is in it stays in it: what this program knows nothing of is
for another one.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.jsontext import JsonTextError
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.preset_migration import migrated
from tavern_desktop.storage.errors import StorageError, from_os
from tavern_desktop.storage.names import sanitize
from tavern_desktop.storage.publish import change_small_file, publish

PresetKind = Literal["chat", "text", "kobold", "novel", "instruct", "context", "sysprompt", "reasoning"]
"""chat: chat completion, with its prompts; text, kobold and novel: samplers; the others are templates."""

KINDS: tuple[PresetKind, ...] = get_args(PresetKind)

FOLDERS: Mapping[PresetKind, str] = {
    "chat": "OpenAI Settings",
    "text": "TextGen Settings",
    "kobold": "KoboldAI Settings",
    "novel": "NovelAI Settings",
    "instruct": "instruct",
    "context": "context",
    "sysprompt": "sysprompt",
    "reasoning": "reasoning",
}
"""The folder of each kind in a user's folder."""

TITLES: Mapping[PresetKind, str] = {
    "chat": "chat preset",
    "text": "sampler preset",
    "kobold": "KoboldAI preset",
    "novel": "NovelAI preset",
    "instruct": "instruct template",
    "context": "context template",
    "sysprompt": "system prompt",
    "reasoning": "reasoning template",
}
"""What people call one of each."""

SUFFIX = ".json"
LARGEST = 32 * 1024 * 1024
"""Bytes; a preset has a few thousand, and one with pictures in a regex script a few million."""

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Preset:
    """One preset as the current SillyTavern would have it. `notes` say what was read in an older form.

    `path` is None for what is in use but in no file.
    """

    kind: PresetKind
    name: str
    data: Data
    path: Path | None = None
    notes: tuple[str, ...] = field(default=())


class PresetError(Exception):
    """A preset that cannot be read or kept; no file was changed. `sentence` is for people."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def folder_of(root: DataRoot, kind: PresetKind) -> Path:
    """Return the folder of a kind, which may not exist yet."""
    return root.user_folder / FOLDERS[kind]


def preset_names(root: DataRoot, kind: PresetKind) -> list[str]:
    """Return the names of the presets of a kind, in the order of the alphabet; [] where there are none."""
    try:
        found = [entry.name for entry in os.scandir(folder_of(root, kind)) if entry.is_file()]
    except OSError:
        return []
    names = [name.removesuffix(SUFFIX) for name in found if name.endswith(SUFFIX) and not name.startswith(".")]
    return sorted(names, key=lambda name: (name.casefold(), name))


def read_preset(root: DataRoot, kind: PresetKind, name: str) -> Preset:
    """Return the preset of this name. Raises PresetError where there is none that can be read."""
    path = _path(root, kind, name)
    if path is None or not path.is_file():
        raise PresetError(f"There is no {TITLES[kind]} “{name}” in this data folder.")
    return read_preset_file(path, kind)


def read_preset_file(path: Path, kind: PresetKind) -> Preset:
    """Return the preset in a file, wherever it lies. Raises PresetError."""
    try:
        if path.stat().st_size > LARGEST:
            raise PresetError(f"{path.name} is far too large for a preset.")
        raw = path.read_bytes()
    except OSError as error:
        raise PresetError(f"{path.name} cannot be read: {error.strerror or error}.") from None
    data, notes = migrated(kind, decoded(raw, path.name))
    return Preset(kind, path.name.removesuffix(SUFFIX), data, path, notes)


def change_preset(root: DataRoot, kind: PresetKind, name: str, change: Callable[[Data], Data | None]) -> bool:
    """Write a preset as `change` wants it, None for as it is; return whether it was written.

    Old forms become current ones with it. Raises PresetError, StorageError.
    """
    path = _path(root, kind, name)
    if path is None:
        raise PresetError(f"There is no {TITLES[kind]} “{name}” in this data folder.")

    def anew(raw: bytes) -> bytes | None:
        wanted = change(migrated(kind, decoded(raw, path.name))[0])
        return None if wanted is None else encoded(wanted)

    try:
        return change_small_file(path, anew)
    except FileNotFoundError:
        raise PresetError(f"The {TITLES[kind]} “{name}” is gone from the data folder.") from None
    except OSError as error:
        raise from_os(error, "write", path) from None


def new_preset(root: DataRoot, kind: PresetKind, wanted: str, data: Mapping[str, Any]) -> str:
    """Write a new preset and return its name: the wanted one, with a number where that is taken.

    Raises PresetError for a name of which nothing can stay, StorageError.
    """
    stem = sanitize(wanted.strip())
    if not stem:
        raise PresetError("A preset needs a name that a file can have.")
    folder = folder_of(root, kind)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise from_os(error, "write", folder) from None
    number = 1
    while True:
        name = stem if number == 1 else f"{stem} {number}"
        own = {**data, "name": name} if kind in _NAMED_WITHIN else dict(data)
        path = folder / f"{name}{SUFFIX}"
        if not os.path.lexists(path):
            with contextlib.suppress(FileExistsError):
                publish(path, [encoded(own)], expected=None, integrity=None)
                return name
        number += 1


def decoded(raw: bytes, name: str) -> Data:
    """Return the object a preset's file holds. Raises PresetError."""
    try:
        return jsontext.decode(raw.removeprefix(b"\xef\xbb\xbf").strip())
    except JsonTextError as error:
        raise PresetError(f"{name} is no preset: {error}.") from None


def encoded(data: Mapping[str, Any]) -> bytes:
    """Return a preset as SillyTavern writes it."""
    # A lone surrogate can only stand in a string, where its escape means the same.
    return json.dumps(data, indent=4, ensure_ascii=False).encode("utf-8", "backslashreplace")


_NAMED_WITHIN = frozenset({"instruct", "context", "sysprompt", "reasoning"})
"""Kinds whose files hold their own name too."""


def _path(root: DataRoot, kind: PresetKind, name: str) -> Path | None:
    """Return the file of a preset by its name: the file's, or the one within (templates are chosen by that)."""
    folder = folder_of(root, kind)
    path = folder / f"{name}{SUFFIX}"
    if not name or path.parent != folder or "\x00" in name:
        return None
    if kind not in _NAMED_WITHIN or path.is_file():
        return path
    for other in preset_names(root, kind):
        with contextlib.suppress(OSError, PresetError):
            if decoded((folder / f"{other}{SUFFIX}").read_bytes(), other).get("name") == name:
                return folder / f"{other}{SUFFIX}"
    return path


def require(kind: str) -> PresetKind:
    """Return a kind by its name. Raises StorageError validation/argument."""
    for known in KINDS:
        if known == kind:
            return known
    raise StorageError("validation", "argument", f"{kind} is no kind of preset")
