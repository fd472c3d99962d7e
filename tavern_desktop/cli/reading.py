"""Commands that only read: chats list, show and check."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tavern_desktop.chat import facts
from tavern_desktop.chat.jsontext import decode
from tavern_desktop.cli import output
from tavern_desktop.cli.context import Context
from tavern_desktop.library.recents import ChatRow, recents
from tavern_desktop.session.changes import no_message
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.storage.directory import kind_of
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.format import HEADERLESS_SUSPECT
from tavern_desktop.storage.pages import span, tail
from tavern_desktop.storage.reader import load
from tavern_desktop.storage.recovery import CheckResult
from tavern_desktop.storage.recovery import check as check_file

PREVIEW_LENGTH = 60

_DAMAGES = {
    "utf16": "The file is UTF-16 text; `chats import` turns it into UTF-8.",
    "nul": "There are only NUL bytes, as after a power cut.",
    "nul_tail": "NUL bytes were added to the line, as by a power cut.",
    "glued": "Several records are on one line; `chats repair` separates them.",
}
_WARNINGS = {
    HEADERLESS_SUSPECT: "The header is missing, it seems: the first line is a message, and is not counted as one. "
    "`chats import` makes a chat of it that has a header, and all messages."
}


def list_chats(context: Context) -> int:
    """Print the chats, newest first, as soon as each batch is known."""
    args = context.args
    printed = 0
    for batch in recents(context.root, context.index(), limit=args.limit, character=args.character):
        for row in batch:
            if context.json:
                output.say_json(_row_facts(row))
            else:
                output.say(_row_line(row))
        printed += len(batch)
    if not printed and not context.json:
        whose = f" of {args.character}" if args.character else ""
        output.complain(f"There are no chats{whose} in {context.root.user_folder}.")
    return 0


def show(context: Context) -> int:
    """Print messages of a chat, one a line."""
    path = context.chat_file(context.args.file)
    for index, raw in _chosen(path, context):
        data = decode(raw)
        if context.json:
            output.say_json(_message_facts(index, data))
        else:
            output.say(_message_line(index, data))
    return 0


def check(context: Context) -> int:
    """Print every problem of every file; done if there is none."""
    code = 0
    for word in context.args.files:
        try:
            path = context.chat_file(word)
            result = check_file(path, kind=kind_of(path))
        except StorageError as error:
            path, result = Path(word), CheckResult((error,), 0, (), (None,))
        problems, messages = result.problems, result.messages
        code = 1 if problems else code
        if context.json:
            pairs = zip(problems, result.damages, strict=True)
            found = [_problem_facts(problem) | {"damage": damage} for problem, damage in pairs]
            told = {"ok": not problems, "messages": messages, "problems": found, "warnings": list(result.warnings)}
            output.say_json({"file": str(path), **told})
            continue
        output.say(
            f"{path}: " + (_counted(len(problems), "problem") if problems else f"ok, {_counted(messages, 'message')}")
        )
        for problem, damage in zip(problems, result.damages, strict=True):
            name = f" {_DAMAGES[damage]}" if damage else ""
            output.say(f"  {problem.kind}/{problem.detail}{_place(problem)}: {sentence(problem)}{name}")
        for warning in result.warnings:
            output.say(f"  {warning}: {_WARNINGS[warning]}")
    return code


def _chosen(path: Path, context: Context) -> Iterable[tuple[int, bytes]]:
    """Return (index, record) of the messages asked for.

    A part is read, and so checked, alone; the whole chat is checked before anything of it is shown.
    """
    args = context.args
    if args.tail is not None:
        page = tail(path, args.tail, kind=kind_of(path))
    elif args.first is None and args.count is None:
        return enumerate(message.raw for message in load(path, kind=kind_of(path)).messages)
    else:
        page = span(path, args.first or 0, args.count, kind=kind_of(path))
        if args.first is not None and not page.records:
            raise CommandRefused(no_message(args.first, page.total_count or 0))
    return enumerate(page.records, page.start_index or 0)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _row_facts(row: ChatRow) -> dict[str, Any]:
    whose = {"group": row.group or None} if row.kind == "group" else {"character": row.character or None}
    known: dict[str, Any] = {
        "file": row.file,
        **whose,
        "title": row.title,
        "messages": row.messages if row.messages >= 0 else None,
        "size": row.size,
        "date": output.iso_date(row.date_ms),
        "preview": row.preview,
        "preview_state": row.preview_state,
        "marks": list(row.marks),
    }
    if row.conflicts:
        known["copies"] = list(row.conflicts)
    if row.failure:
        known["error"] = {
            "kind": row.failure.kind,
            "detail": row.failure.detail,
            "message": row.failure.message,
        }
    return known


def _row_line(row: ChatRow) -> str:
    count = f"{row.messages:>6}" if row.messages >= 0 else "     ?"
    marks = f" [{', '.join(row.marks)}]" if row.marks else ""
    where = f"{row.character}/{row.title}" if row.character else row.title
    words = output.shortened(row.preview, PREVIEW_LENGTH)
    return f"{output.local_date(row.date_ms):16}  {count}  {where}{marks}  {words}"


def _message_facts(index: int, data: dict[str, Any]) -> dict[str, Any]:
    swipes = facts.swipes(data)
    return {
        "index": index,
        "name": facts.name(data),
        "role": facts.role(data),
        "hidden": facts.is_hidden(data),
        "date": output.iso_date(facts.send_date_ms(data)),
        "swipe": swipes.current + 1,
        "swipes": len(swipes),
        "text": facts.text(data),
    }


def _message_line(index: int, data: dict[str, Any]) -> str:
    swipes = facts.swipes(data)
    marks = [f"{swipes.current + 1}/{len(swipes)}"] if len(swipes) > 1 else []
    marks += ["hidden"] if facts.is_hidden(data) else []
    bracket = f" [{', '.join(marks)}]" if marks else ""
    date = output.local_date(facts.send_date_ms(data))
    return f"#{index}  {date:16}  {facts.name(data)}{bracket}: {output.one_line(facts.text(data))}"


def _problem_facts(problem: StorageError) -> dict[str, Any]:
    return {
        "kind": problem.kind,
        "detail": problem.detail,
        "record": problem.record,
        "line": problem.line,
        "offset": problem.offset,
        "message": sentence(problem),
    }


def _place(problem: StorageError) -> str:
    parts = (("record", problem.record), ("line", problem.line), ("offset", problem.offset))
    return "".join(f", {name} {value}" for name, value in parts if value is not None)
