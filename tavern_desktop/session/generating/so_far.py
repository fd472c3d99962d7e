"""A reply as a record while it is written: what views show in its place until it is in the chat."""

from __future__ import annotations

from tavern_desktop.chat import edits, facts, jsontext, swipes
from tavern_desktop.chat.facts import Record
from tavern_desktop.session.generating.events import Partial
from tavern_desktop.session.generating.reply import Reply, record_of
from tavern_desktop.session.generating.task import GenerationTask


def record_so_far(task: GenerationTask, partial: Partial) -> bytes:
    """Return the JSON text of the message that grows or is to come. On the owner, once a frame."""
    extra: dict[str, object] = {}
    if partial.reasoning:
        extra = {"reasoning": partial.reasoning, "reasoning_duration": task.reasoning_ms}
    reply = Reply(partial.text, partial.reasoning, finished=task.started, extra=extra)
    chat = task.session.chat
    index = chat.find(task.key) if chat is not None else None
    if chat is None or index is None:
        return jsontext.encode(record_of(reply, task.speaker))
    return jsontext.encode(_grown(chat.messages[index].data(), reply, task.target.kind))


def _grown(data: Record, reply: Reply, kind: str) -> Record:
    if kind == "continue":
        return edits.set_text(data, facts.text(data) + reply.text)
    return swipes.add(data, reply.text, reply.info(), send_date=reply.finished)


def stands_behind(task: GenerationTask) -> int | None:
    """Return the key of the message that a reply stands behind, None at the top."""
    return task.target.before[-1].key if task.target.before else None
