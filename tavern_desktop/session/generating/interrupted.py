"""Replies that a dead program left unfinished: which chats they belong to, and how they get in there (entry §4)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tavern_desktop.chat import edits, facts
from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.message import Message
from tavern_desktop.session.commands import Command
from tavern_desktop.session.generating.reply import (
    NAMESPACE,
    STOPPED,
    AddAlternative,
    AddReply,
    ContinueMessage,
    Reply,
    Speaker,
)
from tavern_desktop.session.generating.task import joint_before
from tavern_desktop.storage.locks import same_file
from tavern_desktop.storage.reply_stream import InterruptedReply


def belongs_to(reply: InterruptedReply, path: Path) -> bool:
    """Say whether a reply was written for the chat of a file."""
    return same_file(reply.head.chat, path)


def command_for(reply: InterruptedReply, chat: Chat) -> Command:
    """Return what puts the reply where it was going to be; behind the newest message where that is gone."""
    head = reply.head
    others = tuple(_part(reply, *other) for other in reply.others)
    found = replace(_part(reply, reply.text, reply.reasoning), others=others)
    after = head.after
    if head.action == "continue" and 0 <= after < len(chat):
        message = chat.messages[after]
        return ContinueMessage(message.key, found, joint_before(reply.text, message))
    place = after + 1
    if head.action == "swipe" and place < len(chat) and facts.may_swipe(chat.messages[place].seen_data()):
        return AddAlternative(chat.messages[place].key, found)
    behind = min(after, len(chat) - 1)
    key = chat.messages[behind].key if behind >= 0 else None
    speaker = Speaker(head.speaker, head.card, in_group=bool(head.card))
    return AddReply(key, found, speaker, Message.new({}).key)


def _part(reply: InterruptedReply, text: str, reasoning: str) -> Reply:
    """Return what had come of one alternative, marked as not whole."""
    head = reply.head
    extra: dict[str, object] = {"api": head.api, "model": head.model, NAMESPACE: {STOPPED: "closing"}}
    if reasoning:
        extra["reasoning"] = reasoning
    return Reply(text, reasoning, edits.at(head.started_ms), edits.at(reply.last_ms), extra)
