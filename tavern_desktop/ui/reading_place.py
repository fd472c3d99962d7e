"""Where a person is in a chat, kept as a distance from its end, and found again."""

from __future__ import annotations

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.message import ID_FIELD
from tavern_desktop.session.preferences import Position
from tavern_desktop.ui.chat.view import Anchor, ChatView


def place_in(view: ChatView, chat: Chat) -> Position:
    """Return where the view stands; at the end that is what is kept, however long the chat becomes."""
    anchor = None if view.at_end else view.anchor()
    index = chat.find(anchor.key) if anchor is not None else None
    if anchor is None or index is None:
        return Position(0)
    message_id = chat.messages[index].seen_data().get(ID_FIELD)
    count = len(chat)
    return Position(count - index, anchor.pixels, message_id if isinstance(message_id, str) else "", count)


def go_back_to(view: ChatView, chat: Chat, position: Position) -> None:
    """Bring the view to where it was left; the end stays the end."""
    index = index_of(chat, position)
    if index is not None:
        view.restore_anchor(Anchor(chat.messages[index].key, position.pixels))


def index_of(chat: Chat, position: Position) -> int | None:
    """Return the message a position means, None for the end of the chat.

    Chats grow at their end, so the index it had is looked at first and its id, if it has one, decides.
    """
    if position.from_end <= 0 or not len(chat):
        return None
    index = min(max(position.count - position.from_end, 0), len(chat) - 1)
    wanted = position.message_id
    if not wanted or chat.messages[index].seen_data().get(ID_FIELD) == wanted:
        return index
    needle = wanted.encode()
    found = (at for at, message in enumerate(chat.messages) if needle in message.seen)
    return next((at for at in found if chat.messages[at].seen_data().get(ID_FIELD) == wanted), index)
