"""The command search: every chat of the data folder, or one, hits as they are found."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tavern_desktop.chat.searched import SWIPE, TEXT
from tavern_desktop.cli import output
from tavern_desktop.cli.context import Context
from tavern_desktop.library.search import search_chats
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.storage.directory import FileFailure, key_of, kind_of
from tavern_desktop.storage.inside_chat import search_messages
from tavern_desktop.storage.names import SUFFIX
from tavern_desktop.storage.reader import load
from tavern_desktop.storage.search import Hit, Query, search_file


def search(context: Context) -> int:
    """Print each place, newest chats first. Failed if a file could not be read: then the answer may lack something."""
    args = context.args
    if args.best is not None:
        return _best(context)
    query = Query(" ".join(args.query), exact_case=args.exact_case, raw=args.raw)
    if not query.fragments:
        raise CommandRefused("There is nothing to search for.")
    printed = failures = 0
    for found in _found(context, query):
        if isinstance(found, FileFailure):
            failures += 1
            _complain(found, context)
            continue
        if context.json:
            output.say_json(_facts(found))
        else:
            output.say(_line(found, context))
        sys.stdout.flush()
        printed += 1
        if printed == args.limit:
            break
    if not printed and not context.json:
        output.complain("Nothing found.")
    return 1 if failures else 0


def _found(context: Context, query: Query) -> Iterator[Hit | FileFailure]:
    if context.args.chat is None:
        return search_chats(context.root, query)
    path = context.chat_file(context.args.chat)
    return search_file(path, query, kind=kind_of(path))


def _best(context: Context) -> int:
    """Print the messages of one chat that hold most of the words, the best first."""
    args = context.args
    path = context.chat_file(args.chat)
    matches = search_messages(load(path, kind=kind_of(path)).messages, " ".join(args.query), args.best)
    for match in matches:
        if context.json:
            output.say_json({"file": str(path), **dataclasses.asdict(match)})
        else:
            output.say(f"#{match.index}  {round(match.score * 100):>3} %  {match.name}: {match.snippet}")
    if not matches and not context.json:
        output.complain("Nothing found.")
    return 0


def _facts(hit: Hit) -> dict[str, Any]:
    return {
        "file": hit.file,
        "index": hit.index,
        "swipe": hit.swipe or None,
        "swipes": hit.swipes or None,
        "field": hit.field,
        "hidden": hit.hidden,
        "snippet": hit.snippet,
    }


def _line(hit: Hit, context: Context) -> str:
    marks = [f"swipe {hit.swipe}/{hit.swipes}"] if hit.field == SWIPE else [] if hit.field == TEXT else [hit.field]
    marks += ["hidden"] if hit.hidden else []
    bracket = f" [{', '.join(marks)}]" if marks else ""
    where = [] if context.args.chat is not None else [_chat_name(Path(hit.file), context)]
    where += [f"#{hit.index}"] if hit.index is not None else []
    return "  ".join((*where, f"{hit.name}{bracket}: {hit.snippet}"))


def _chat_name(path: Path, context: Context) -> str:
    owner = context.root.character_of(path) if key_of(path) else ""
    return "/".join(filter(None, (owner, path.name.removesuffix(SUFFIX))))


def _complain(failure: FileFailure, context: Context) -> None:
    if context.json:
        facts = {"kind": failure.kind, "detail": failure.detail, "file": failure.file, "message": failure.message}
        output.complain_json({"error": facts})
    else:
        output.complain(f"{failure.file}: {failure.message}")
