"""How the chats of one folder came out of each other: a tree, put together from what each of them says."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tavern_desktop.chat.links import Link
from tavern_desktop.storage.conflict_copies import is_named_copy
from tavern_desktop.storage.directory import FileFailure, is_chat_name, kind_of
from tavern_desktop.storage.errors import StorageError, from_os
from tavern_desktop.storage.links import FileLinks, read_links
from tavern_desktop.storage.names import SUFFIX

Kind = Literal["chat", "branch", "checkpoint"]
CHECKPOINT_WORD = "Checkpoint #"
"""In the names of checkpoints that nobody gave another name."""


@dataclass(frozen=True, slots=True)
class Node:
    """A chat in the tree. `path` is None for one that others point to and that is not there.

    `index` is the message of its parent that it was made from, None where nothing says so.
    """

    stem: str
    path: Path | None
    kind: Kind
    index: int | None
    messages: int | None
    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Tree:
    """`root` is where everything began. `failures` are the files that could not be read."""

    root: Node
    failures: tuple[FileFailure, ...]


def tree_around(
    chat: Path, *, cancelled: Callable[[], bool] | None = None, progress: Callable[[int, int], object] | None = None
) -> Tree:
    """Return the tree that `chat` stands in. Every chat of its folder is read; `progress` is told (files, in all).

    Raises StorageError io/list, cancelled.
    """
    found: dict[str, FileLinks] = {}
    failures: list[FileFailure] = []
    paths = _chats_beside(chat)
    for number, path in enumerate(paths, 1):
        try:
            found[_stem(path)] = read_links(path, kind=kind_of(path), cancelled=cancelled)
        except StorageError as error:
            if error.kind == "cancelled":
                raise
            failures.append(FileFailure.of(str(path), error))
        if progress is not None:
            progress(number, len(paths))
    return Tree(_Forest(found, chat.parent).root_of(_stem(chat)), tuple(failures))


class _Forest:
    """All chats of a folder by stem, with who comes from whom."""

    def __init__(self, found: Mapping[str, FileLinks], folder: Path) -> None:
        self._found = found
        self._folder = folder
        self._links: dict[str, Link] = {}
        """How its parent names a chat, by the chat's stem."""
        self._parents = {stem: links.parent for stem, links in found.items() if links.parent and links.parent != stem}
        # A branch has its parent's marks too: what several chats point to was made from the oldest of them.
        for stem in sorted(found, key=lambda stem: (self._depth(stem), stem)):
            for link in found[stem].links:
                if link.target != stem and self._parents.setdefault(link.target, stem) == stem:
                    self._links.setdefault(link.target, link)
        self._children: dict[str, list[str]] = {}
        for child, parent in self._parents.items():
            self._children.setdefault(parent, []).append(child)

    def _depth(self, stem: str) -> int:
        """Return how many chats lie above this one."""
        seen = {stem}
        while (parent := self._parents.get(stem)) is not None and parent not in seen:
            stem = parent
            seen.add(stem)
        return len(seen)

    def root_of(self, stem: str) -> Node:
        """Return the tree that a chat is in, from its beginning."""
        seen = {stem}
        while (parent := self._parents.get(stem)) is not None and parent not in seen:
            stem = parent
            seen.add(stem)
        return self._node(stem, frozenset(), is_root=True)

    def _node(self, stem: str, above: frozenset[str], *, is_root: bool = False) -> Node:
        above |= {stem}
        children = [self._node(child, above) for child in self._children.get(stem, ()) if child not in above]
        children.sort(key=lambda node: (node.index is None, node.index or 0, node.stem))
        links, link = self._found.get(stem), self._links.get(stem)
        return Node(
            stem,
            self._folder / f"{stem}{SUFFIX}" if links is not None else None,
            "chat" if is_root else _kind(stem, link),
            link.index if link is not None and not is_root else None,
            links.messages if links is not None else None,
            tuple(children),
        )


def _kind(stem: str, link: Link | None) -> Kind:
    if link is not None:
        return link.kind
    return "checkpoint" if CHECKPOINT_WORD in stem else "branch"


def _chats_beside(chat: Path) -> list[Path]:
    try:
        with os.scandir(chat.parent) as entries:
            found = [entry for entry in entries if is_chat_name(entry.name) and entry.is_file()]
    except OSError as error:
        raise from_os(error, "list", chat.parent) from None
    # A conflict copy says what the chat says: it is no branch of its own.
    return sorted(Path(entry.path) for entry in found if entry.path == str(chat) or not is_named_copy(entry.name))


def _stem(path: Path) -> str:
    return path.name.removesuffix(SUFFIX)
