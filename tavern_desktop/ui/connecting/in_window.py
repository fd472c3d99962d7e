"""Models in one window: which answers in the chat in view, whether it does, and what is offered where none is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QTimer

from tavern_desktop.session.runner import Outcome
from tavern_desktop.ui.banner import Button, Notice
from tavern_desktop.ui.replying import NOTICE

if TYPE_CHECKING:
    from tavern_desktop.backends.connection import Connection
    from tavern_desktop.chat.header import Header
    from tavern_desktop.session.generating.scenes import ChatChoices
    from tavern_desktop.session.generating.task import GenerationTask
    from tavern_desktop.ui.chat_part import ChatPart
    from tavern_desktop.ui.connecting.data import ConnectData
    from tavern_desktop.ui.main_window import MainWindow

CONNECTIONS = "connections.json"
"""What `session.connections` keeps them in; it is not imported before there is something in it."""
IDLE = 1200
"""Milliseconds after a chat came into view before anything about models is imported and asked."""
MOST_OFFERED = 2
"""Offers that stand in the banner; the dialog has all."""


class ModelsInWindow(QObject):
    """Owner: the chat's part of the window."""

    def __init__(self, window: MainWindow, part: ChatPart) -> None:
        super().__init__(part)
        self._window = window
        self._part = part
        self._services = window.services
        self._data: ConnectData | None = None
        self._warmed = ""
        """The id of the connection that was prepared for a first reply."""
        self._reply: GenerationTask | None = None
        """The last reply in the chat in view."""
        self._heard: GenerationTask | None = None
        """The reply that is listened to: the one being written in the chat in view."""
        self._read: tuple[Header | None, ChatChoices | None] = (None, None)
        """A header, and the choices in it."""
        self._is_ending = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(IDLE)
        self._timer.timeout.connect(self._begin)
        desk, header = part.desk, part.pane.header
        desk.chat_changed.connect(self._chat_changed)
        desk.state_changed.connect(self._show)
        desk.replying.connect_requested.connect(self.show_connections)
        desk.replying.model_missed.connect(self._offer)
        desk.replying.setting_refused.connect(self._leave_out)
        desk.replying.changed.connect(self._follow_reply)
        header.model_requested.connect(self._pop_up)
        window.status.connection_requested.connect(self.show_connections)
        self._services.ending.connect(self._end)

    # -- dialogs ----------------------------------------------------------------------------------------------

    def show_connections(self) -> None:
        """Open the dialog with all connections."""
        from tavern_desktop.ui.connecting.dialog import ConnectDialog

        ConnectDialog(self._window, self._attend()).open()

    def show_tools(self) -> None:
        """Open the dialog with all servers of tools."""
        from tavern_desktop.ui.tools.dialog import ToolsDialog

        ToolsDialog(self._window, self._services.tools, self._part.desk.session).open()

    def show_generation(self) -> None:
        """Open the settings by which replies in the chat in view are written."""
        from tavern_desktop.ui.connecting.generation_dialog import ChatGeneration

        session = self._part.desk.session
        if session is not None and session.chat is not None:
            ChatGeneration(self._window, self._attend(), session).open()

    def show_prompts(self) -> None:
        """Open the prompts by which requests of the chat in view are put together."""
        from tavern_desktop.backends.settings import NO_PRESETS

        session, choices, data = self._part.desk.session, self._choices(), self._attend()
        if session is None or choices is None:
            return
        connection = self._connection()
        names = choices.presets.over(connection.presets if connection is not None else NO_PRESETS)
        data.edit_prompts(self._window, session.path, names.chat, self._choose_preset)

    def _choose_preset(self, name: str) -> None:
        """Have a preset that was just made put together the requests of the chat in view."""
        from msgspec.structs import replace

        choices = self._choices()
        if choices is not None:
            self._set_choices(replace(choices, presets=replace(choices.presets, chat=name)))

    # -- which model ------------------------------------------------------------------------------------------

    def choose_for_chat(self, id: str) -> None:
        """Have a connection answer in the chat in view whatever is in use elsewhere; "" for the one in use."""
        from msgspec.structs import replace

        choices = self._choices()
        if choices is not None:
            self._set_choices(replace(choices, connection=id))

    def _set_choices(self, choices: ChatChoices) -> None:
        """Write what the chat in view has chosen into it, as a change that can be undone."""
        from tavern_desktop.session.generating.scenes import with_choices
        from tavern_desktop.session.header_commands import SetMetadata

        session = self._part.desk.session
        if session is not None and session.chat is not None:
            metadata = with_choices(session.chat.header.metadata(), choices)
            self._part.desk.commands.run(SetMetadata(metadata))
            self._show()

    def _leave_out(self, setting: str, then: Callable[[], object]) -> None:
        """Send a setting no more to the server of the chat in view, which does not take it."""
        from msgspec.structs import replace

        from tavern_desktop.backends.connection import Secrets

        data, connection = self._attend(), self._connection()
        if connection is not None:
            data.keep(replace(connection, off=(*connection.off, setting)), Secrets(), then)

    def _choices(self) -> ChatChoices | None:
        from tavern_desktop.session.generating.scenes import chat_choices

        session = self._part.desk.session
        if session is None or session.chat is None:
            return None
        header = session.chat.header
        if header is not self._read[0]:
            self._read = header, chat_choices(header.metadata())
        return self._read[1]

    def _connection(self) -> Connection | None:
        """Return the connection that answers in the chat in view."""
        from tavern_desktop.session.generating.scenes import ChatChoices

        data = self._data
        return data.servers.connection_for(self._choices() or ChatChoices()) if data is not None else None

    def _pop_up(self, place: QPoint) -> None:
        from tavern_desktop.ui.connecting.model_menu import model_menu

        data = self._attend()
        choices = self._choices()
        data.refresh()
        menu = model_menu(
            self._window,
            data,
            self._connection(),
            choices.connection if choices is not None else "",
            self.choose_for_chat,
            self._part.actions,
        )
        menu.popup(place)

    # -- where none is connected ------------------------------------------------------------------------------

    def _offer(self) -> None:
        """Look for models that could be had at once, and offer them in the banner."""
        data = self._attend()
        data.refresh(partial(data.look_around, self._show_offers))

    def _show_offers(self) -> None:
        data = self._attend()
        offers = data.new_offers()[:MOST_OFFERED]
        if not offers or data.known.connections:
            return
        first = offers[0]
        here = self.tr("The model {name} can run on this computer.")
        there = self.tr("A model server runs on this computer: {name}.")
        names = " · ".join(dict.fromkeys(filter(None, (first.name, first.model if first.protocol != "local" else ""))))
        sentence = self.tr("Your message is in the chat.") + " "
        sentence += (here if first.protocol == "local" else there).format(name=names)
        use = self.tr("Use It") if len(offers) == 1 else self.tr("Use {name}")
        buttons: list[Button] = [(use.format(name=offer.name), partial(self._use, offer)) for offer in offers]
        buttons.append((self.tr("Other…"), self.show_connections))
        self._part.pane.banner.show_behind(Notice(sentence, buttons, key=NOTICE))

    def _use(self, offer: Connection) -> None:
        """Connect, and have the message answered that was sent into the void."""
        if self._attend().lacks(offer):
            self.show_connections()
            return
        session = self._part.desk.session

        def used(_: Connection) -> None:
            if session is not None and self._part.desk.session is session:
                self._part.desk.replying.answer()

        self._attend().use(offer, used)

    # -- what is shown ----------------------------------------------------------------------------------------

    def _chat_changed(self) -> None:
        self._reply = None
        self._follow_reply()
        self._show()
        if self._part.desk.session is not None:
            self._timer.start()

    def _begin(self) -> None:
        """Import, away from the window, what talks to models; then see which model is connected."""
        session = self._part.desk.session
        if session is not None and session.state == "loading":
            self._timer.start()
        elif self._data is None:
            file = self._services.folders.config / CONNECTIONS
            self._services.runner.submit(lambda: _import_all_for(file), self._imported)
        else:
            self._show()

    def _imported(self, outcome: Outcome[bool]) -> None:
        if outcome.result() and self._part.desk.session is not None and not self._is_ending:
            self._attend().refresh()

    def _attend(self) -> ConnectData:
        """Return what is known of models, and follow it from now on."""
        if self._data is None:
            self._data = self._services.connecting
            self._data.changed.connect(self._show)
        return self._data

    def _show(self) -> None:
        data = self._data
        if data is None or not data.is_known:
            return
        from tavern_desktop.session.generating.reach import UNKNOWN
        from tavern_desktop.ui.connecting import words

        connection = self._connection()
        reach = data.reach_of(connection) if connection is not None else UNKNOWN
        line = words.status_line(connection, reach)
        self._window.status.show_connection(line, is_wrong=reach.state == "failed")
        name = words.model_words(connection, reach) or connection.name if connection is not None else ""
        self._part.pane.header.show_model(name, line)
        if connection is not None and self._warmed != connection.id:
            self._warmed = connection.id
            data.servers.ask(data.servers.warm_up(connection), Outcome.result)

    def _follow_reply(self) -> None:
        task = self._part.desk.replying.task
        if task is not self._heard:
            if self._heard is not None:  # it goes on after the chat has left this window, or the window is closed
                self._heard.prompted.disconnect(self._show_tokens)
            self._heard = task
            if task is not None:
                self._reply = task
                task.prompted.connect(self._show_tokens)
        self._show_tokens()

    def _show_tokens(self) -> None:
        """Say how large the last request of the chat in view was: as counted by the server, where it said."""
        prompt = self._reply.prompt if self._reply is not None else None
        if self._reply is None or prompt is None:
            self._window.status.show_tokens("")
            return
        self._part.context_line.show_prompt(prompt)
        number = self._window.locale().toString
        used = self._reply.usage_prompt_tokens or prompt.tokens
        text = self.tr("last request {used} / {room} tokens")
        self._window.status.show_tokens(text.format(used=number(used), room=number(prompt.context)))

    def _end(self) -> None:
        self._is_ending = True
        self._timer.stop()


def _import_all_for(file: Path) -> bool:
    """Import what the first reply and the status line need; not where nobody has connected a model (budget P16)."""
    if not file.exists():
        return False
    import tavern_desktop.session.generating.model_servers
    import tavern_desktop.ui.connecting.data  # noqa: F401

    return True
