"""Settings that take effect at once: colours, text size, how many messages, keys, memory, data folder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QMenu,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from tavern_desktop.session.preferences import Settings
from tavern_desktop.ui.widgets import ElidedLabel, inset, label, push_button

TEXT_SIZES = (50, 300)
MOUNTED = (20, 10_000)
AS_SILLYTAVERN = MOUNTED[0] - 10
"""The spin box's lowest value, shown as words: take SillyTavern's own setting."""


class SettingsDialog(QDialog):
    """Shows the settings as they are and says what is changed."""

    setting_changed = Signal(str, object)
    """(name in Settings, value)"""
    folder_requested = Signal()
    """Another data folder is wanted."""

    def __init__(self, parent: QWidget, settings: Settings, data_root: str) -> None:
        super().__init__(parent)
        self.setObjectName("settingsDialog")
        self.setWindowTitle(self.tr("Settings"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.theme = QComboBox()
        for value, text in (
            ("system", self.tr("As the system")),
            ("light", self.tr("Light")),
            ("dark", self.tr("Dark")),
        ):
            self.theme.addItem(text, value)
        self.text_size = inset(QSpinBox())
        self.text_size.setRange(*TEXT_SIZES)
        self.text_size.setSingleStep(10)
        self.text_size.setSuffix(" %")
        self.mounted_count = inset(QSpinBox())
        self.mounted_count.setRange(AS_SILLYTAVERN, MOUNTED[1])
        self.mounted_count.setSingleStep(10)
        self.mounted_count.setSpecialValueText(self.tr("As SillyTavern has it"))
        self.enter_sends = QCheckBox(self.tr("Enter sends, Shift+Enter makes a new line"))
        self.writes_past_last = QCheckBox(self.tr("Past the last swipe, write another"))
        self.shows_speed = QCheckBox(self.tr("Show tokens per second"))
        self.notices = QComboBox()
        for value, text in (
            ("off", self.tr("None")),
            ("names", self.tr("Say who has replied")),
            ("text", self.tr("Show how the reply begins")),
        ):
            self.notices.addItem(text, value)
        self.spelling = QCheckBox(self.tr("Check what I write"))
        self.languages = push_button(self.tr("As the system"))
        self.languages.setAccessibleName(self.tr("Languages of the spelling check"))
        self.languages.setMenu(QMenu(self.languages))
        self._chosen_languages: tuple[str, ...] = ()
        self.unseen_on_disk = QCheckBox(self.tr("Keep unseen alternatives on disk in long chats"))
        self.folder = ElidedLabel(data_root)
        self.show_settings(settings)
        self._lay_out()
        self.theme.currentIndexChanged.connect(lambda: self._say("theme", self.theme.currentData()))
        self.text_size.valueChanged.connect(lambda value: self._say("text_size", value))
        self.mounted_count.valueChanged.connect(self._mounted_changed)
        self.enter_sends.toggled.connect(lambda on: self._say("enter_sends", on))
        self.writes_past_last.toggled.connect(lambda on: self._say("writes_past_last", on))
        self.shows_speed.toggled.connect(lambda on: self._say("shows_speed", on))
        self.notices.currentIndexChanged.connect(lambda: self._say("notices", self.notices.currentData()))
        self.spelling.toggled.connect(lambda on: self._say("spelling", on))
        self.spelling.toggled.connect(self.languages.setEnabled)
        self.unseen_on_disk.toggled.connect(lambda on: self._say("unseen_on_disk", on))

    def show_settings(self, settings: Settings) -> None:
        """Show these values."""
        self.theme.setCurrentIndex(self.theme.findData(settings.theme))
        self.text_size.setValue(settings.text_size)
        count = settings.mounted_count
        self.mounted_count.setValue(AS_SILLYTAVERN if count is None else count)
        self.enter_sends.setChecked(settings.enter_sends)
        self.writes_past_last.setChecked(settings.writes_past_last)
        self.shows_speed.setChecked(settings.shows_speed)
        self.notices.setCurrentIndex(self.notices.findData(settings.notices))
        self.spelling.setChecked(settings.spelling)
        self.languages.setEnabled(settings.spelling)
        self._chosen_languages = settings.spelling_languages
        self._name_languages()
        self.unseen_on_disk.setChecked(settings.unseen_on_disk)

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(18)
        form.setVerticalSpacing(12)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        folder = QHBoxLayout()
        folder.addWidget(self.folder, 1)
        change = push_button(self.tr("Change…"), "plain", self.folder_requested.emit)
        change.setAccessibleName(self.tr("Choose another data folder"))
        folder.addWidget(change)
        spelling = QHBoxLayout()
        spelling.addWidget(self.spelling, 1)
        spelling.addWidget(self.languages)
        rows: tuple[tuple[str, QWidget | QHBoxLayout, str], ...] = (
            (self.tr("Colours"), self.theme, self.tr("Light, dark, or what the system says")),
            (self.tr("Text size"), self.text_size, self.tr("Size of the text in the chat (Ctrl++, Ctrl+-, Ctrl+0)")),
            (self.tr("Messages shown at first"), self.mounted_count, self.tr("Show More adds as many again")),
            (self.tr("Keys"), self.enter_sends, self.tr("Otherwise Enter makes a new line and Shift+Enter sends")),
            (self.tr("Swipes"), self.writes_past_last, self.tr("Otherwise the first one comes after the last")),
            (self.tr("Replies"), self.shows_speed, self.tr("While a reply is written and beside its time")),
            (self.tr("Notices"), self.notices, self.tr("On the desktop, while no window of this program is in front")),
            (self.tr("Spelling"), spelling, ""),
            (
                self.tr("Memory"),
                self.unseen_on_disk,
                self.tr("Takes less memory; looking at another alternative takes a moment longer"),
            ),
            (self.tr("Data folder"), folder, ""),
        )
        for text, field, tip in rows:
            form.addRow(label(text), field)
            if isinstance(field, QWidget):
                field.setToolTip(tip)
                field.setAccessibleName(text)
        foot = QHBoxLayout()
        note = self.tr("Changes take effect at once; that of memory when a chat is next opened.")
        foot.addWidget(label(note, "muted", wrap=True), 1)
        close = push_button(self.tr("Close"), "primary", self.accept)
        close.setDefault(True)
        foot.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 16)
        column.setSpacing(22)
        column.addLayout(form)
        column.addLayout(foot)
        self.setMinimumWidth(620)

    def show_languages(self, languages: Sequence[str]) -> None:
        """Offer the languages whose dictionaries are there."""
        menu = self.languages.menu()
        menu.clear()
        for language in languages:
            act = menu.addAction(_language_name(language))
            act.setCheckable(True)
            act.setChecked(language in self._chosen_languages)
            act.toggled.connect(partial(self._choose_language, language))

    def _choose_language(self, language: str, on: bool) -> None:
        others = tuple(one for one in self._chosen_languages if one != language)
        self._chosen_languages = (*others, language) if on else others
        self._name_languages()
        self._say("spelling_languages", self._chosen_languages)

    def _name_languages(self) -> None:
        names = ", ".join(map(_language_name, self._chosen_languages))
        self.languages.setText(names or self.tr("As the system"))

    def _mounted_changed(self, value: int) -> None:
        self._say("mounted_count", None if value < MOUNTED[0] else value)

    def _say(self, name: str, value: Any) -> None:
        self.setting_changed.emit(name, value)


def _language_name(dictionary: str) -> str:
    """Return how speakers of a dictionary's language call it; the dictionary's own name where that is no language."""
    locale = QLocale(dictionary)
    if locale.language() == QLocale.Language.C:
        return dictionary
    return f"{locale.nativeLanguageName()} ({dictionary})"
