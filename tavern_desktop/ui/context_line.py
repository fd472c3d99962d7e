"""The line in the surface from which on the model knows the chat, as far as the last prompt says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from tavern_desktop.prompt.messages import Prompt
    from tavern_desktop.ui.chat_pane import ChatPane
    from tavern_desktop.ui.desk import ChatDesk


class ContextLine(QObject):
    """Owner: the chat's part of the window. A chat that comes into view has no line before a prompt is built for it."""

    def __init__(self, desk: ChatDesk, pane: ChatPane, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._view = desk, pane.view
        desk.chat_changed.connect(lambda: self._view.mark_context_begin(None))

    def show_prompt(self, prompt: Prompt | None) -> None:
        """Take the newest prompt that was built for the chat in view, None for none."""
        session = self._desk.session
        chat = session.chat if session is not None else None
        begin = prompt.context_begin if prompt is not None else None
        key = None
        if chat is not None and begin is not None and begin < len(chat):
            key = chat.messages[begin].key
        if key != self._view.context_begin:
            self._view.mark_context_begin(key)
