"""Replies that a dead program left unfinished: which chats they belong to, and how they get in there (entry §4)."""

from __future__ import annotations

from pathlib import Path

from tavern_desktop.chat import facts
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
from tavern_desktop.storage.locks import same_file
from tavern_desktop.storage.reply_stream import InterruptedReply


def belongs_to(reply: InterruptedReply, path: Path) -> bool:
    """Say whether a reply was written for the chat of a file."""
    return same_file(reply.head.chat, path)


def command_for(reply: InterruptedReply, chat: Chat) -> Command:
    """Return what puts the reply where it was going to be; behind the newest message where that is gone."""
    extra: dict[str, object] = {"model": reply.head.model, NAMESPACE: {STOPPED: "closing"}}
    if reply.reasoning:
        extra["reasoning"] = reply.reasoning
    found = Reply(reply.text, reply.reasoning, extra=extra)
    after = reply.head.after
    if reply.head.action == "continue" and 0 <= after < len(chat):
        return ContinueMessage(chat.messages[after].key, found)
    place = after + 1
    if reply.head.action == "swipe" and place < len(chat) and facts.may_swipe(chat.messages[place].seen_data()):
        return AddAlternative(chat.messages[place].key, found)
    behind = min(after, len(chat) - 1)
    key = chat.messages[behind].key if behind >= 0 else None
    return AddReply(key, found, Speaker(reply.head.speaker), Message.new({}).key)
