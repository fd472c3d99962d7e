"""Bookmarks, and links between chats, as commands. They change nothing that a prompt or a reader sees."""

from __future__ import annotations

from tavern_desktop.chat import edits, links
from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.facts import Record
from tavern_desktop.chat.message import Message
from tavern_desktop.session.commands import EditFields
from tavern_desktop.session.header_commands import ReplaceHeader
from tavern_desktop.session.steps import Step
from tavern_desktop.session.wide_commands import RewriteEach


class SetBookmark(EditFields):
    """A message is marked with the checkpoint `link`, or its mark is taken away (None)."""

    taints = False

    def __init__(self, key: int, link: str | None) -> None:
        label = "Set bookmark" if link else "Remove bookmark"
        super().__init__(key, {}, {links.BOOKMARK: link or edits.ABSENT}, label)


class Relink(RewriteEach):
    """Everything that points to the chat `old` points to `new`: it was renamed."""

    label = "Follow a renamed chat"

    def __init__(self, old: str, new: str) -> None:
        super().__init__()
        self.old, self.new = old, new

    def _plan(self, chat: Chat) -> list[Step]:
        steps: list[Step] = []
        metadata = chat.header.metadata()
        if links.parent_of(metadata) == self.old:
            header = chat.header.with_metadata(metadata | {links.PARENT: self.new})
            steps.append(ReplaceHeader(chat.header, header))
        return steps + self._replacements(chat)

    def _changed(self, message: Message) -> Message:
        if not links.may_link(message.seen):
            return message
        data = message.data()
        changed: Record = links.relinked(data, self.old, self.new)
        return message if changed is data else edits.rewritten(message, changed)
