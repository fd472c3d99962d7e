"""Commands about bookmarks and branches: chats bookmark, bookmarks and tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tavern_desktop.chat import facts
from tavern_desktop.cli import output
from tavern_desktop.cli.changes import change_chat
from tavern_desktop.cli.context import Context
from tavern_desktop.cli.files import act, tell
from tavern_desktop.library.branch_tree import Node, tree_around
from tavern_desktop.session import file_jobs
from tavern_desktop.session.changes import Bookmark
from tavern_desktop.storage.directory import kind_of
from tavern_desktop.storage.links import read_links
from tavern_desktop.storage.names import SUFFIX
from tavern_desktop.storage.reader import load

WORDS = 60
"""Characters of a bookmarked message that are printed."""


def bookmark(context: Context) -> int:
    """Make a checkpoint of the chat up to a message and mark the message with it; or take the mark away."""
    args = context.args
    path = context.chat_file(args.file)
    if args.remove:
        change_chat(context, path, Bookmark(args.message))
        return tell(context, {"file": str(path), "warnings": []}, f"{path}: message {args.message} has no bookmark")
    report = act(context, file_jobs.Branch(args.message, checkpoint=args.name or ""))
    stem = report["file"].replace("\\", "/").rpartition("/")[2].removesuffix(SUFFIX)
    change_chat(context, path, Bookmark(args.message, stem))
    return tell(context, report, report["file"])


def bookmarks(context: Context) -> int:
    """Print the bookmarked messages with their checkpoints."""
    path = context.chat_file(context.args.file)
    marked = [link for link in read_links(path, kind=kind_of(path)).links if link.kind == "checkpoint"]
    messages = load(path, kind=kind_of(path)).messages if marked else []
    for link in marked:
        checkpoint = path.with_name(link.target + SUFFIX)
        data = messages[link.index].data()
        if context.json:
            known = {"index": link.index, "name": facts.name(data), "text": facts.text(data)}
            output.say_json(known | {"file": str(checkpoint), "missing": not checkpoint.exists()})
        else:
            gone = "" if checkpoint.exists() else " [missing]"
            words = output.shortened(facts.text(data), WORDS)
            output.say(f"#{link.index}  {link.target}{gone}  {facts.name(data)}: {words}")
    return 0


def tree(context: Context) -> int:
    """Print the chats that came out of each other, each behind the one it comes from."""
    path = context.chat_file(context.args.file)
    found = tree_around(path)
    for node, depth, parent in _walk(found.root, 0, ""):
        if context.json:
            output.say_json(_facts(node, depth, parent))
        else:
            output.say(_line(node, depth, is_asked=node.path == path))
    for failure in found.failures:
        if context.json:
            output.complain_json({"error": {"kind": failure.kind, "file": failure.file, "message": failure.message}})
        else:
            output.complain(f"{failure.file}: {failure.message}")
    return 0


def _walk(node: Node, depth: int, parent: str) -> Iterator[tuple[Node, int, str]]:
    yield node, depth, parent
    for child in node.children:
        yield from _walk(child, depth + 1, node.stem)


def _facts(node: Node, depth: int, parent: str) -> dict[str, Any]:
    return {
        "title": node.stem,
        "file": None if node.path is None else str(node.path),
        "kind": node.kind,
        "index": node.index,
        "messages": node.messages,
        "depth": depth,
        "parent": parent or None,
    }


def _line(node: Node, depth: int, *, is_asked: bool) -> str:
    where = "" if node.index is None else f" from #{node.index}"
    kind = "" if node.kind == "chat" else f" [{node.kind}{where}]"
    count = "missing" if node.messages is None else f"{node.messages} messages"
    return f"{'  ' * depth}{'* ' if is_asked else '- '}{node.stem}{kind}  {count}"
