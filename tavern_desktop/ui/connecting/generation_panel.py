"""The settings of a generation as fields: what is said, what is left to others, and what a server does not take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication
from PySide6.QtWidgets import QComboBox, QGridLayout, QPlainTextEdit, QWidget

from tavern_desktop.backends.settings import NO_PRESETS, Generation, PresetNames
from tavern_desktop.prompt.scene import Wording
from tavern_desktop.ui.connecting.optional_number import OptionalNumber
from tavern_desktop.ui.connecting.preset_fields import FOR_MESSAGES, FOR_TEXT, NAMES, PresetFields
from tavern_desktop.ui.connecting.preset_fields import tr as preset_text
from tavern_desktop.ui.connecting.template_field import TemplateField
from tavern_desktop.ui.widgets import ElidedLabel, label, never_scroll_sideways, push_button

FIELD_WIDTH = 210

_N = QT_TRANSLATE_NOOP


@dataclass(frozen=True, slots=True)
class _Number:
    """A setting that is a number: its name, what it does, least, most, step, usual value, decimals."""

    setting: str
    name: object
    does: object
    box: tuple[float, float, float, float, int]


NUMBERS = (
    _Number("reply_tokens", _N("Generation", "Reply length"), _N("Generation", "tokens at most"), (1, 1e8, 1, 512, 0)),
    _Number(
        "context_tokens", _N("Generation", "Context size"), _N("Generation", "tokens of prompt and reply together"),
        (1, 1e8, 1, 8192, 0),
    ),
    _Number(
        "temperature", _N("Generation", "Temperature"), _N("Generation", "higher is more surprising"),
        (0, 10, 0.05, 1, 2),
    ),
    _Number(
        "top_p", _N("Generation", "Top-p"), _N("Generation", "only the likeliest words, up to this share"),
        (0, 1, 0.05, 0.95, 3),
    ),
    _Number(
        "top_k", _N("Generation", "Top-k"), _N("Generation", "only so many of the likeliest words"),
        (0, 1e6, 1, 40, 0),
    ),
    _Number(
        "min_p", _N("Generation", "Min-p"), _N("Generation", "no word less likely than this share of the likeliest"),
        (0, 1, 0.01, 0.05, 3),
    ),
    _Number(
        "repetition_penalty", _N("Generation", "Repetition penalty"), _N("Generation", "1 is none"),
        (0.01, 10, 0.01, 1.1, 2),
    ),
    _Number(
        "repetition_range", _N("Generation", "Repetition range"), _N("Generation", "newest tokens looked at; -1: all"),
        (-1, 1e8, 1, 64, 0),
    ),
    _Number(
        "frequency_penalty", _N("Generation", "Frequency penalty"), _N("Generation", "the more often, the less likely"),
        (-2, 2, 0.05, 0, 2),
    ),
    _Number(
        "presence_penalty", _N("Generation", "Presence penalty"), _N("Generation", "what was said is less likely"),
        (-2, 2, 0.05, 0, 2),
    ),
    _Number(
        "seed", _N("Generation", "Seed"), _N("Generation", "the same seed, the same reply (on some servers)"),
        (0, 2**53 - 1, 1, 0, 0),
    ),
)  # fmt: skip
EFFORTS = (
    ("min", _N("Generation", "Least")),
    ("low", _N("Generation", "Low")),
    ("medium", _N("Generation", "Medium")),
    ("high", _N("Generation", "High")),
    ("max", _N("Generation", "Most")),
)

Refusal = Callable[[str], str]
"""Returns why a setting is not taken, "" if it is; "template" is one too."""


def _tr(text: object) -> str:
    return QCoreApplication.translate("Generation", str(text))


class GenerationPanel(QWidget):
    """`words` says what it means to leave a setting to others, given its name: "Server decides", or a value."""

    def __init__(
        self,
        words: Callable[[str], str],
        refusal: Refusal,
        *,
        takes_messages: bool = True,
        base: PresetNames | None = None,
    ) -> None:
        """`takes_messages`: which presets count. `base`: see `PresetFields`."""
        super().__init__()
        self.setObjectName("scrolled")
        self.takes_messages = takes_messages
        self._words = words
        self._refusal = refusal
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(22, 18, 22, 12)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(2, 1)
        self.hints: dict[str, ElidedLabel] = {}
        self.numbers: dict[str, OptionalNumber] = {}
        self.presets = PresetFields(FOR_MESSAGES if takes_messages else FOR_TEXT, base, self)
        self.edit_prompts = push_button(self.tr("Edit Prompts…"), "plain")
        self.edit_prompts.setAutoDefault(False)
        self._add_presets()
        for number in NUMBERS:
            self._add_number(number)
        self.effort = QComboBox()
        self.effort.addItem(words("reasoning_effort"), None)
        for effort, text in EFFORTS:
            self.effort.addItem(_tr(text), effort)
        self._add("reasoning_effort", self.tr("Reasoning effort"), self.effort, self.tr("how long it thinks first"))
        self.old_tools = QComboBox()
        self.old_tools.addItem(words("leaves_out_old_tools"), None)
        self.old_tools.addItem(self.tr("Send"), False)
        self.old_tools.addItem(self.tr("Leave out"), True)
        hint = self.tr("calls and results from before you spoke last")
        self._add("leaves_out_old_tools", self.tr("Old tool calls"), self.old_tools, hint)
        self.stop = _text_field(2)
        stop_hint = self.tr("one a line; \\n is a line break")
        self._add("stop", self.tr("Stop strings"), self.stop, stop_hint, is_wide=True)
        self.system_prompt = _text_field(4)
        self._add("system_prompt", self.tr("System prompt"), self.system_prompt, "", is_wide=True)
        self.template = TemplateField()
        self.template.show_words(words("template"))
        self._add("template", self.tr("Template"), self.template, self.tr("for servers that take one text"))
        for field, setting in ((self.stop, "stop"), (self.system_prompt, "system_prompt")):
            field.setPlaceholderText(words(setting))

    def show_settings(self, generation: Generation, template: str, presets: PresetNames = NO_PRESETS) -> None:
        """Show what is said."""
        self.presets.show_names(presets)
        for setting, box in self.numbers.items():
            box.show_number(getattr(generation, setting))
        self.effort.setCurrentIndex(max(0, self.effort.findData(generation.reasoning_effort)))
        self.old_tools.setCurrentIndex(max(0, self.old_tools.findData(generation.leaves_out_old_tools)))
        self.stop.setPlainText("\n".join(text.replace("\n", "\\n") for text in generation.stop or ()))
        self.system_prompt.setPlainText(generation.system_prompt or "")
        self.template.show_template(template)

    def generation(self) -> Generation:
        """Return what is said."""
        stop = tuple(line.replace("\\n", "\n") for line in self.stop.toPlainText().split("\n") if line)
        numbers = {setting: box.number for setting, box in self.numbers.items()}
        return Generation(
            reasoning_effort=self.effort.currentData(),
            leaves_out_old_tools=self.old_tools.currentData(),
            stop=stop or None,
            system_prompt=self.system_prompt.toPlainText().strip() or None,
            **numbers,  # type: ignore[arg-type]  # whole where the box has no decimals
        )

    def reset(self) -> None:
        """Say nothing, everywhere."""
        self.show_settings(Generation(), "")

    def show_usual(self, preset: Generation) -> None:
        """Say what the numbers are where nothing is said here, by the preset that is chosen."""
        said = preset.said()
        usual = self.tr("As the preset: {value}")
        for setting, box in self.numbers.items():
            value = said.get(setting)
            told = self.locale().toString(value) if isinstance(value, int | float) else ""
            box.show_words(usual.format(value=told) if told else self._words(setting))

    def _add_presets(self) -> None:
        for kind, box in self.presets.boxes.items():
            name, does = NAMES[kind]
            self._add(f"preset {kind}", preset_text(name), box, preset_text(does), is_asked=False)
        if "chat" in self.presets.boxes:
            row = self._grid.rowCount()
            self._grid.addWidget(self.edit_prompts, row, 1)

    def _add_number(self, number: _Number) -> None:
        box = OptionalNumber(*number.box)
        box.show_words(self._words(number.setting))
        self.numbers[number.setting] = box
        self._add(number.setting, _tr(number.name), box, _tr(number.does))

    def _add(
        self, setting: str, name: str, field: QWidget, hint: str, *, is_wide: bool = False, is_asked: bool = True
    ) -> None:
        """Add a row: a field that is not taken is disabled, and the reason stands beside it."""
        refusal = self._refusal(setting) if is_asked else ""
        field.setEnabled(not refusal)
        field.setAccessibleName(name)
        field.setAccessibleDescription(refusal or hint)
        if refusal:
            field.setToolTip(refusal)
        row = self._grid.rowCount()
        heading = label(name)
        heading.setBuddy(field)
        self._grid.addWidget(heading, row, 0)
        shown = self.hints[setting] = ElidedLabel(refusal or hint, "muted")
        if is_wide:
            self._grid.addWidget(field, row, 1, 1, 2)
            if shown.text():
                self._grid.addWidget(shown, row + 1, 1, 1, 2)
        else:
            field.setFixedWidth(FIELD_WIDTH)
            self._grid.addWidget(field, row, 1)
            self._grid.addWidget(shown, row, 2)


def _text_field(lines: int) -> QPlainTextEdit:
    field = QPlainTextEdit()
    field.setTabChangesFocus(True)
    never_scroll_sideways(field)
    field.setFixedHeight(field.fontMetrics().lineSpacing() * lines + 16)
    return field


def usual_words(setting: str) -> str:
    """Return what happens where nothing is said of a setting."""
    if setting == "system_prompt":
        return Wording().main
    return {
        "reply_tokens": _tr(_N("Generation", "Up to 512")),
        "context_tokens": _tr(_N("Generation", "As the server says")),
        "stop": _tr(_N("Generation", "None")),
        "leaves_out_old_tools": _tr(_N("Generation", "Send")),
        "template": _tr(_N("Generation", "The server’s own, else ChatML")),
    }.get(setting, _tr(_N("Generation", "Server decides")))
