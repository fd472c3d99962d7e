"""The blocks of a text that is being written, worked out anew only where it can still change (known failure B-51)."""

from __future__ import annotations

from dataclasses import dataclass, field

from tavern_desktop.ui.chat.blocks import Block, Parsed
from tavern_desktop.ui.chat.markdown import begin_of_last, parse

SETTLED_EVERY = 400
"""Characters that must have come before it is looked again what can no longer change."""


@dataclass
class GrowingText:
    """A text that only ever gets longer. `parse` costs as much as its last block, however long it is by then."""

    text: str = ""
    _settled: int = 0
    """Characters that can no longer change, and …"""
    _blocks: list[Block] = field(default_factory=list)
    """… what they are."""
    _looked: int = 0

    def parse(self, text: str) -> Parsed | None:
        """Return the blocks of the text as it is now, None if it is not the earlier one with more behind it."""
        if not text.startswith(self.text):
            return None
        self.text = text
        if len(text) - self._looked >= SETTLED_EVERY:
            self._settle()
        rest = parse(text[self._settled :])
        return Parsed([*self._blocks, *rest.blocks], rest.open_folds)

    def _settle(self) -> None:
        self._looked = len(self.text)
        rest = self.text[self._settled :]
        at = begin_of_last(rest)
        if at:
            self._blocks += parse(rest[:at]).blocks
            self._settled += at
