"""The calls of the reply in view, from the panel to their batch and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.runner import Outcome
from tavern_desktop.session.tool_permissions import allow_in_chat
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.announcing import announce
from tavern_desktop.ui.banner import Notice
from tavern_desktop.ui.tools.panel import ToolPanel

if TYPE_CHECKING:
    from tavern_desktop.session.generating.task import GenerationTask
    from tavern_desktop.tools.definition import Tool
    from tavern_desktop.ui.chat_pane import ChatPane
    from tavern_desktop.ui.services import Services

NOTICE = "tools"


class ToolsInChat(QObject):
    """Owner: what shows replies in a window. Made with the first reply that calls a tool that has to ask."""

    def __init__(self, services: Services, pane: ChatPane, parent: QObject) -> None:
        super().__init__(parent)
        self._services, self._pane = services, pane
        self._task: GenerationTask | None = None
        self.panel = ToolPanel()
        pane.show_above_composer(self.panel)
        self.panel.allowed.connect(self._allow)
        self.panel.refused.connect(self._refuse)
        self.panel.cancelled.connect(self._cancel)
        self.panel.given_up.connect(self._give_up)

    def show_task(self, task: GenerationTask | None) -> None:
        """Show the calls of the reply in view, if it has any."""
        was_waiting = self.panel.isVisible()
        self._task = task
        batch = task.batch if task is not None else None
        focused = QApplication.focusWidget()
        had_keyboard = focused is not None and self.panel.isAncestorOf(focused)
        self.panel.show_batch(batch)
        if had_keyboard and not self.panel.isVisible():  # else it would go wherever Qt finds a field
            self._pane.composer.text.setFocus()
        if task is not None and batch is not None and batch.is_waiting and not was_waiting:
            names = ", ".join(each.title for each in batch.calls if each.state in ("asking", "unknown"))
            said = self.tr("{name} wants to use {tools}").format(name=task.speaker.name, tools=names)
            announce(self._pane.view, said)

    def _allow(self, number: int, scope: str) -> None:
        batch = self._task.batch if self._task is not None else None
        if self._task is None or batch is None:
            return
        tool = batch.calls[number].tool
        if tool is not None and scope == "chat":
            try:
                allow_in_chat(self._task.session, tool)
            except CommandRefused as refusal:
                self._say(refusal.sentence)
        if tool is not None and scope == "always":
            self._allow_always(tool)
        batch.allow(number)

    def _allow_always(self, tool: Tool) -> None:
        permissions = self._services.model_servers.permissions

        def kept(outcome: Outcome[None]) -> None:
            try:
                outcome.result()
            except StorageError as error:
                self._say(self.tr("It is allowed this once. {reason}").format(reason=sentence(error)))

        self._services.runner.submit(lambda: permissions.allow_always(tool), kept)

    def _refuse(self, number: int) -> None:
        if self._task is not None and self._task.batch is not None:
            self._task.batch.refuse(number)

    def _cancel(self, number: int) -> None:
        if self._task is not None and self._task.batch is not None:
            self._task.batch.cancel(number)

    def _give_up(self) -> None:
        if self._task is not None:
            self._task.stop()

    def _say(self, text: str) -> None:
        self._pane.banner.show_notice(Notice(text, key=NOTICE))
