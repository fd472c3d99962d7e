"""Character formats for the styles of runs, made once each."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QColor, QFont, QTextCharFormat, QTextLayout

from tavern_desktop.ui.chat.blocks import Run, Style
from tavern_desktop.ui.chat.highlight import CodeSpan, CodeTone
from tavern_desktop.ui.chat.look import Look


class CharFormats:
    """The formats of one look."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._made: dict[tuple[int, str, str, int, bool], QTextCharFormat] = {}
        self.code_block = QTextCharFormat()
        self.code_block.setFont(look.code_font)
        self.tiny = QTextCharFormat()
        tiny_font = QFont(look.text_font)
        tiny_font.setPixelSize(1)
        self.tiny.setFont(tiny_font)
        self.invisible = QTextCharFormat(self.tiny)
        self.invisible.setForeground(QColor(0, 0, 0, 0))

    def of(self, run: Run, heading: int = 0) -> QTextCharFormat:
        """Return the format of a run, in a heading of this level or in a paragraph (0)."""
        return self._get(run, heading, False)

    def of_cell(self, run: Run, header: bool) -> QTextCharFormat:
        """Return the format of a run in a table."""
        return self._get(run, 0, header)

    def of_code(self, spans: Iterable[CodeSpan]) -> list[QTextLayout.FormatRange]:
        """Return the colours of a piece of code as Qt's layouts take them."""
        ranges = []
        for start, length, tone in spans:
            made = QTextLayout.FormatRange()
            made.start, made.length, made.format = start, length, self._tone(tone)
            ranges.append(made)
        return ranges

    def note(self, href: str) -> QTextCharFormat:
        """Return the format of a line of ours among the author's text."""
        made = QTextCharFormat()
        made.setFont(self._look.label_font)
        made.setForeground(self._look.theme.muted)
        if href:
            made.setAnchor(True)
            made.setAnchorHref(href)
        return made

    def _tone(self, tone: CodeTone) -> QTextCharFormat:
        theme = self._look.theme
        colours = {
            "keyword": theme.accent,
            "string": theme.ok,
            "comment": theme.muted,
            "number": theme.speech,
            "name": theme.narration,
        }
        made = QTextCharFormat()
        made.setForeground(colours[tone])
        made.setFontItalic(tone == "comment")
        return made

    def _get(self, run: Run, heading: int, bold: bool) -> QTextCharFormat:
        key = (run.style, run.href, run.colour, heading, bold)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = self._make(run, heading, bold)
        return found

    def _make(self, run: Run, heading: int, bold: bool) -> QTextCharFormat:
        look, style = self._look, run.style
        made = QTextCharFormat()
        if style & Style.CODE:
            made.setFont(look.code_font)
            made.setBackground(look.theme.code)
        elif heading:
            font = QFont(look.text_font)
            factor = look.heading_font_factor(heading)
            if font.pixelSize() > 0:
                font.setPixelSize(round(font.pixelSize() * factor))
            else:
                font.setPointSizeF(font.pointSizeF() * factor)
            made.setFont(font)
        if bold or heading or style & Style.BOLD:
            made.setFontWeight(QFont.Weight.DemiBold if heading else QFont.Weight.Bold)
        made.setFontItalic(bool(style & Style.ITALIC))
        made.setFontUnderline(bool(style & Style.UNDERLINE))
        made.setFontStrikeOut(bool(style & Style.STRIKE))
        if style & (Style.SUB | Style.SUP):
            vertical = QTextCharFormat.VerticalAlignment
            made.setVerticalAlignment(vertical.AlignSubScript if style & Style.SUB else vertical.AlignSuperScript)
        made.setForeground(self._colour(run))
        if run.href:
            made.setAnchor(True)
            made.setAnchorHref(run.href)
        return made

    def _colour(self, run: Run) -> QColor:
        theme = self._look.theme
        if run.href.startswith("fold:"):
            return theme.muted
        if run.href:
            return theme.accent
        if wished := self._look.colour(run.colour):
            return wished
        if run.style & Style.SPEECH:
            return theme.speech
        return theme.narration if run.style & Style.ITALIC else theme.text
