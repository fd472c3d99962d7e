"""A number that may be left to somebody else: the lowest place of its box is words, and means None."""

from __future__ import annotations

from PySide6.QtWidgets import QDoubleSpinBox

from tavern_desktop.ui.widgets import inset


class OptionalNumber(QDoubleSpinBox):
    """`usual` is where stepping up from the words begins. `decimals` 0 makes whole numbers."""

    def __init__(self, least: float, most: float, step: float, usual: float, decimals: int) -> None:
        super().__init__()
        self._least = least
        self._usual = usual
        self.setDecimals(decimals)
        self.setSingleStep(step)
        self.setRange(least - step, most)
        self.setValue(self.minimum())
        self.setGroupSeparatorShown(decimals == 0)
        self.setKeyboardTracking(False)
        inset(self)

    @property
    def number(self) -> float | int | None:
        """The number, None for the words."""
        value = self.value()
        if value < self._least:
            return None
        return round(value) if self.decimals() == 0 else round(value, self.decimals())

    def show_number(self, number: float | None) -> None:
        """Show a number, or the words for None."""
        self.setValue(self.minimum() if number is None else number)

    def show_words(self, words: str) -> None:
        """Say what None means."""
        self.setSpecialValueText(words)

    def stepBy(self, steps: int) -> None:
        if self.number is None and steps > 0:
            self.setValue(self._usual)
        else:
            super().stepBy(steps)
