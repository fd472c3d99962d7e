"""How a model is to write: the settings of a connection, and those of a chat, which come before them."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from tavern_desktop.backends.connection import Connection, Secrets
from tavern_desktop.backends.settings import NO_PRESETS, Generation
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.generating.scenes import chat_choices, with_choices
from tavern_desktop.session.generating.text_templates import template_of
from tavern_desktop.session.header_commands import SetMetadata
from tavern_desktop.session.refusals import Refused
from tavern_desktop.ui.connecting.data import ConnectData
from tavern_desktop.ui.connecting.generation_panel import GenerationPanel, usual_words
from tavern_desktop.ui.widgets import label, push_button, set_tone

FIRST_SIZE = (800, 760)


class _GenerationDialog(QDialog):
    """A panel with its buttons."""

    def __init__(self, parent: QWidget, title: str, note: str, panel: GenerationPanel) -> None:
        super().__init__(parent)
        self.setObjectName("generationDialog")
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.panel = panel
        self._is_closed = False
        self.finished.connect(self._closed)
        self.said = label(note, "muted", wrap=True)
        self.save_button = push_button(self.tr("Save"), "primary", self.save)
        self.reset_button = push_button(self.tr("Reset All"), "plain", panel.reset)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(panel)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        self.reset_button.setAutoDefault(False)
        foot.addWidget(self.reset_button)
        foot.addStretch(1)
        cancel = push_button(self.tr("Cancel"), "plain", self.reject)
        cancel.setAutoDefault(False)
        foot.addWidget(cancel)
        self.save_button.setDefault(True)
        foot.addWidget(self.save_button)
        below = QVBoxLayout()
        below.setContentsMargins(22, 8, 22, 16)
        below.setSpacing(10)
        below.addWidget(self.said)
        below.addLayout(foot)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(scroll, 1)
        column.addLayout(below)
        self.resize(*FIRST_SIZE)

    def save(self) -> None:
        """Keep what is set, and close."""
        raise NotImplementedError

    def _attend_presets(self, data: ConnectData, path: Path | None, base: Connection | None) -> None:
        """Show which presets there are, and what the chosen ones say. `base`: the connection below a chat."""
        self._data, self._path, self._base = data, path, base
        self.panel.presets.changed.connect(self._preset_chosen)
        self.panel.edit_prompts.clicked.connect(self._edit_prompts)
        self._preset_chosen()
        data.list_presets(path, self._take_listed)

    def _preset_chosen(self) -> None:
        panel, base = self.panel, self._base
        names = panel.presets.names.over(base.presets if base is not None else NO_PRESETS)
        self._data.preset_says(self._path, names, panel.takes_messages, self._take_usual)

    def _edit_prompts(self) -> None:
        """Open the prompts of the preset that counts."""
        base = self._base.presets if self._base is not None else NO_PRESETS
        name = self.panel.presets.names.over(base).chat
        dialog = self._data.edit_prompts(self, self._path, name, self._choose_preset)
        if dialog is not None:
            dialog.accepted.connect(self._preset_chosen)

    def _choose_preset(self, name: str) -> None:
        """Choose a preset that was just made."""
        panel = self.panel
        panel.presets.show_names(replace(panel.presets.names, chat=name))
        self._data.list_presets(self._path, self._take_listed)

    def _take_listed(self, listed: dict[str, list[str]]) -> None:
        if not self._is_closed:
            self.panel.presets.take_listed(listed)

    def _take_usual(self, preset: Generation) -> None:
        """Take what the preset says, where the connection does not say otherwise."""
        if self._is_closed:
            return
        said = self._base.generation.said() if self._base is not None else {}
        self.panel.show_usual(replace(preset, **dict.fromkeys(said)))

    def _closed(self) -> None:
        self._is_closed = True

    def _say_problem(self, text: str) -> None:
        self.said.setText(text)
        set_tone(self.said, "danger")


class ConnectionGeneration(_GenerationDialog):
    """The settings of a connection, for all chats."""

    def __init__(self, parent: QWidget, data: ConnectData, connection: Connection) -> None:
        takes_messages = data.takes_messages(connection)
        panel = GenerationPanel(
            usual_words, lambda setting: data.refusal_of(connection, setting), takes_messages=takes_messages
        )
        title = self.tr("Generation Settings of {name}").format(name=connection.name)
        super().__init__(parent, title, self.tr("For all chats, where a chat has none of its own."), panel)
        self._connection = connection
        panel.show_settings(connection.generation, connection.template, connection.presets)
        self._attend_presets(data, None, None)
        self.reset_button.clicked.connect(self._switch_on)

    def _switch_on(self) -> None:
        """Send again what was switched off because the server did not take it."""
        self._connection = replace(self._connection, off=())

    def save(self) -> None:
        panel = self.panel
        changed = replace(
            self._connection,
            generation=panel.generation(),
            template=panel.template.template,
            presets=panel.presets.names,
        )
        self._data.keep(changed, Secrets())
        self.accept()


class ChatGeneration(_GenerationDialog):
    """The settings of one chat. They are written into it, as a change that can be undone."""

    def __init__(self, parent: QWidget, data: ConnectData, session: ChatSession) -> None:
        chat = session.chat
        assert chat is not None
        self._session = session
        choices = chat_choices(chat.header.metadata())
        connection = data.servers.connection_for(choices)
        base = connection.generation.said() if connection is not None else {}
        template = connection.template if connection is not None else ""

        def words(setting: str) -> str:
            if setting == "template" and template:
                return self.tr("As the connection: {value}").format(value=template_of(template).name)
            if setting not in base:
                return usual_words(setting)
            value = base[setting]
            if isinstance(value, bool):
                value = self.tr("Leave out") if value else self.tr("Send")
            shown = value if isinstance(value, str) else " ".join(value) if isinstance(value, tuple) else f"{value:,}"
            return self.tr("As the connection: {value}").format(value=shown)

        def refusal(setting: str) -> str:
            return data.refusal_of(connection, setting) if connection is not None else ""

        name = connection.name if connection is not None else ""
        note = self.tr("Only for this chat; what is not set here is as {name} has it.").format(name=name)
        if not name:
            note = self.tr("Only for this chat. No model is connected yet.")
        takes_messages = data.takes_messages(connection)
        presets = connection.presets if connection is not None else None
        panel = GenerationPanel(words, refusal, takes_messages=takes_messages, base=presets)
        super().__init__(parent, self.tr("Generation Settings of This Chat"), note, panel)
        self._choices = choices
        panel.show_settings(choices.generation, choices.template, choices.presets)
        self._attend_presets(data, session.path, connection)

    def save(self) -> None:
        chat = self._session.chat
        if chat is None:
            self._say_problem(self.tr("The chat is no longer open."))
            return
        metadata = chat.header.metadata()
        wanted = replace(
            chat_choices(metadata),
            generation=self.panel.generation(),
            template=self.panel.template.template,
            presets=self.panel.presets.names,
        )
        try:
            if wanted != chat_choices(metadata):
                self._session.do(SetMetadata(with_choices(metadata, wanted)))
        except Refused as refusal:
            self._say_problem(refusal.sentence)
        else:
            self.accept()
