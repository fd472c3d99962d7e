"""What is there for actions to act on."""

from __future__ import annotations

from tavern_desktop.chat import facts, links
from tavern_desktop.chat.chat import Chat
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.ui.actions import Need


def available(session: ChatSession | None, current: int | None) -> Need:
    """Return what the chat in view offers; `current` is the key of the current message."""
    if session is None:
        return Need.NOTHING
    there = Need.FILE
    if session.chat is not None and links.parent_of(session.chat.header.metadata()):
        there |= Need.BRANCHED
    if session.chat is None:
        return there
    there |= Need.READ | _of_message(session.chat, current)
    if not session.can_change:
        return there
    there |= Need.CHAT
    if session.undo_label is not None:
        there |= Need.UNDO
    if session.redo_label is not None:
        there |= Need.REDO
    return there


def _of_message(chat: Chat, key: int | None) -> Need:
    index = chat.find(key) if key is not None else None
    if index is None:
        return Need.NOTHING
    data = chat.messages[index].seen_data()
    there = Need.CURRENT
    if len(facts.swipes(data)) > 1 and facts.may_swipe(data):
        there |= Need.SWIPES
    if facts.reasoning(data):
        there |= Need.REASONING
    if facts.envelope(data) is not None:
        there |= Need.SPECIAL
    if links.bookmark_of(data):
        there |= Need.BOOKMARKED
    if facts.may_hide(data):
        there |= Need.HIDDEN if facts.is_hidden(data) else Need.VISIBLE
    return there
