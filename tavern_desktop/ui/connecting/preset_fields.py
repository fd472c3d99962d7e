"""Which presets and templates of the data folder a prompt is put together by, as fields of the generation settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QObject, Signal
from PySide6.QtWidgets import QComboBox

from tavern_desktop.backends.settings import BY_MODEL, IN_USE, OWN_WAY, PresetNames

_N = QT_TRANSLATE_NOOP

FOR_MESSAGES = ("chat",)
FOR_TEXT = ("text", "instruct", "context", "sysprompt")
"""The kinds that count where a server takes messages, and where it takes one text."""

NAMES = {
    "chat": (_N("Presets", "Preset"), _N("Presets", "prompts, their order, and what samplers begin with")),
    "text": (_N("Presets", "Sampler preset"), _N("Presets", "what samplers begin with")),
    "instruct": (
        _N("Presets", "Instruct template"),
        _N("Presets", "the marks around what is said, in place of a template"),
    ),
    "context": (_N("Presets", "Context template"), _N("Presets", "how the story is told")),
    "sysprompt": (_N("Presets", "System prompt preset"), _N("Presets", "and the words behind the history")),
}
"""What each is called, and what it does."""


def tr(text: object) -> str:
    """Return a text of these fields in the person's language."""
    return QCoreApplication.translate("Presets", str(text))


def shown_name(name: str) -> str:
    """Return what a choice is called."""
    special = {
        "": _N("Presets", "None"),
        OWN_WAY: _N("Presets", "None"),
        IN_USE: _N("Presets", "What SillyTavern has in use"),
        BY_MODEL: _N("Presets", "By the model’s name"),
    }
    return tr(special[name]) if name in special else name


class PresetFields(QObject):
    """A combo box for each kind. `base`: what counts where nothing is chosen here, None where that is nothing."""

    changed = Signal()
    """Another preset is chosen."""

    def __init__(self, kinds: Sequence[str], base: PresetNames | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._names = PresetNames()
        self._base = base
        self.boxes: dict[str, QComboBox] = {}
        for kind in kinds:
            box = self.boxes[kind] = QComboBox()
            box.setAccessibleName(tr(NAMES[kind][0]))
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(12)
            self._fill(kind, ())
            box.activated.connect(self._chosen)

    @property
    def names(self) -> PresetNames:
        """What is chosen; kinds without a field here stay as they were shown."""
        from msgspec.structs import replace

        return replace(self._names, **{kind: str(box.currentData()) for kind, box in self.boxes.items()})

    def show_names(self, names: PresetNames) -> None:
        """Show what is chosen."""
        self._names = names
        for kind, box in self.boxes.items():
            self._select(box, getattr(names, kind))
        self.changed.emit()

    def take_listed(self, listed: Mapping[str, Sequence[str]]) -> None:
        """Take which presets there are."""
        names = self.names
        for kind in self.boxes:
            self._fill(kind, listed.get(kind, ()))
        self.show_names(names)

    def _fill(self, kind: str, listed: Sequence[str]) -> None:
        box = self.boxes[kind]
        box.clear()
        if self._base is None:
            box.addItem(shown_name(""), "")
        else:
            usual = tr(_N("Presets", "As the connection: {value}"))
            box.addItem(usual.format(value=shown_name(getattr(self._base, kind))), "")
            box.addItem(shown_name(OWN_WAY), OWN_WAY)
        box.addItem(shown_name(IN_USE), IN_USE)
        if kind == "instruct":
            box.addItem(shown_name(BY_MODEL), BY_MODEL)
        if listed:
            box.insertSeparator(box.count())
        for name in listed:
            box.addItem(name, name)

    def _select(self, box: QComboBox, name: str) -> None:
        at = box.findData(name)
        if at < 0:
            box.addItem(tr(_N("Presets", "{name} (not in this data folder)")).format(name=name), name)
            at = box.count() - 1
        box.setCurrentIndex(at)

    def _chosen(self) -> None:
        self._names = self.names
        self.changed.emit()
