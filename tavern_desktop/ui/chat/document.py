"""Blocks laid out as a QTextDocument, with what Qt's text cannot draw kept beside it as decorations.

Code grounds, quote bars, list markers, rules and pictures are decorations: rectangles computed from the laid out text
and painted before it. So the document's characters are the message's own and nothing else, which is what selecting,
searching and copying count in. A document never loads a resource.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QFontMetricsF,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextLength,
    QTextLine,
    QTextOption,
    QTextTable,
    QTextTableFormat,
)
from typing_extensions import override

from tavern_desktop.ui.chat.blocks import Block, Cell, Parsed, Run
from tavern_desktop.ui.chat.char_formats import CharFormats
from tavern_desktop.ui.chat.find import find_in_text
from tavern_desktop.ui.chat.highlight import code_spans
from tavern_desktop.ui.chat.look import Look
from tavern_desktop.ui.chat.pictures import PictureShelf, Spot

LINE_BREAK = "\u2028"
OBJECT = "\ufffc"
FOLD_SCHEME = "fold:"
"""The address of a summary: clicking it folds or unfolds its details."""

GAP = 9
"""Between paragraphs."""
CODE_ABOVE, CODE_BELOW = 6, 11
"""How far the ground of code reaches beyond its lines, which have their own spacing above them."""

_ALIGNMENTS = {
    "left": Qt.AlignmentFlag.AlignLeft,
    "center": Qt.AlignmentFlag.AlignHCenter,
    "right": Qt.AlignmentFlag.AlignRight,
}

DecorationKind = Literal["code", "quote", "marker", "rule", "picture"]


@dataclass(frozen=True, slots=True)
class Decoration:
    """Something to paint before the text. Rectangles count from the document's top left corner."""

    kind: DecorationKind
    rect: QRectF
    block: Block
    text: str = ""
    spot: Spot | None = None
    baseline: float = 0.0


class MessageDocument(QTextDocument):
    """The text of one message in one look at one width."""

    def __init__(
        self,
        parsed: Parsed,
        look: Look,
        width: int,
        shelf: PictureShelf,
        toggled_folds: frozenset[int] = frozenset(),
        max_picture_height: int = 480,
    ) -> None:
        super().__init__()
        self.look = look
        self.blocks: dict[int, Block] = {}
        """From the number of a Qt block to what it shows; table cells have none."""
        self.tables: list[tuple[Block, QTextTable]] = []
        self._filled: list[tuple[Block, int | QTextTable]] = []
        """All that is shown, in order, and where: the number of its Qt block, or its table."""
        self.has_pictures = False
        self._spots: dict[int, Spot] = {}
        self._hits: tuple[tuple[str, bool], tuple[tuple[int, int], ...]] = (("", False), ())
        self._decorated: dict[int, list[Decoration]] = {}
        """What belongs to each block, by its number; those not there yet are worked out when asked for."""
        self._shelf = shelf
        self._max_picture_height = max_picture_height
        self._width = width
        self._formats = CharFormats(look)
        self._open_folds = parsed.open_folds ^ toggled_folds
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)
        self.setIndentWidth(look.indent)
        self.setDefaultFont(look.text_font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setDefaultTextOption(option)
        self._fill(self._visible(parsed.blocks))
        self.setTextWidth(width)

    def set_width(self, width: int) -> None:
        """Lay out for another width. With pictures in it, make a new document instead: their sizes depend on it."""
        if width != self._width:
            self._width = width
            self._decorated.clear()
            self.setTextWidth(width)

    def grow(self, parsed: Parsed) -> bool:
        """Show `parsed` in place of what it begins like; False where that takes a new document."""
        new, shown = parsed.blocks, self._filled
        most = min(len(new), len(shown))
        same = next((at for at in range(most) if new[at] is not shown[at][0] and new[at] != shown[at][0]), most)
        is_plain = not (self.has_pictures or self._open_folds or parsed.open_folds)
        if not same or not is_plain or any(block.kind in ("picture", "summary") for block in new[same:]):
            return False
        self._cut_behind(same)
        self._hits = (("", False), ())
        self._fill(new[same:])
        return True

    def _cut_behind(self, same: int) -> None:
        """Take everything out behind the first `same` blocks."""
        place = self._filled[same - 1][1]
        cursor = QTextCursor(self)
        if isinstance(place, QTextTable):
            cursor.setPosition(place.lastPosition() + 1)
        else:
            last = self.findBlockByNumber(place)
            cursor.setPosition(last.position() + last.length() - 1)
        shape, letters = cursor.blockFormat(), cursor.blockCharFormat()
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        # A block without text, such as a rule, takes the shape of what was behind it.
        cursor.setBlockFormat(shape)
        cursor.setBlockCharFormat(letters)
        if isinstance(place, QTextTable):
            self._shrink(cursor)
        for _, gone in self._filled[same:]:
            if isinstance(gone, QTextTable):
                self.tables = [entry for entry in self.tables if entry[1] is not gone]
            else:
                del self.blocks[gone]
                self._decorated.pop(gone, None)
        del self._filled[same:]

    def height(self) -> int:
        return max(self.look.line_height, round(self.size().height()))

    def length(self) -> int:
        """Return the number of characters, which positions in it run up to."""
        return self.characterCount() - 1

    def text(self) -> str:
        """Return the characters as shown, one for each position."""
        return self.toRawText().replace(LINE_BREAK, "\n").replace("\u2029", "\n")

    def decorations(self) -> list[Decoration]:
        self._decorate()
        return list(chain.from_iterable(self._decorated.values()))

    @override
    def loadResource(self, kind: int, name: Any) -> Any:
        """Answer nothing, whatever a text manages to ask for."""
        return None

    def href_at(self, x: float, y: float) -> str:
        """Return where the text at a point leads, "" for nowhere."""
        return self.documentLayout().anchorAt(QPointF(x, y))

    def character_at(self, x: float, y: float) -> int:
        """Return the place between characters that is nearest to a point."""
        at = self.documentLayout().hitTest(QPointF(x, y), Qt.HitTestAccuracy.FuzzyHit)
        return min(max(at, 0), self.length())

    def line_top(self, character: int) -> float:
        """Return the upper edge of the line that holds a character."""
        block = self.findBlock(min(character, self.length()))
        line = block.layout().lineForTextPosition(character - block.position())
        return self.documentLayout().blockBoundingRect(block).top() + (line.y() if line.isValid() else 0)

    def hits(self, needle: str, exact_case: bool) -> tuple[tuple[int, int], ...]:
        """Return where `needle` stands in the shown text, worked out once for each needle."""
        if self._hits[0] != (needle, exact_case):
            self._hits = ((needle, exact_case), tuple(find_in_text(self.text(), needle, exact_case=exact_case)))
        return self._hits[1]

    def colour_code(self) -> None:
        """Give code its colours. Changes no character and no height, so it may come after the first painting."""
        for number, block in self.blocks.items():
            if block.kind == "code":
                shown = self.findBlockByNumber(number)
                shown.layout().setFormats(self._formats.of_code(code_spans(block.code, block.language)))
                self.markContentsDirty(shown.position(), shown.length())

    def cut(self, start: int, end: int) -> list[Block]:
        """Return what stands between two characters as blocks, for copying. Tables are taken whole."""
        pieces: list[tuple[int, Block]] = []
        for number, block in self.blocks.items():
            first = self.findBlockByNumber(number).position()
            length = self.findBlockByNumber(number).length() - 1
            if first <= end and start <= first + length and (start < first + length or not length):
                pieces.append((first, _cut(block, max(0, start - first), min(length, end - first))))
        for block, table in self.tables:
            if table.firstPosition() < end and start <= table.lastPosition():
                pieces.append((table.firstPosition(), block))
        return [block for _, block in sorted(pieces, key=lambda piece: piece[0])]

    # Filling

    def _visible(self, blocks: Iterable[Block]) -> Iterable[Block]:
        """Leave out what lies in a closed fold; a fold's summary lies in it and is always seen."""
        for block in blocks:
            around = block.folds[:-1] if block.kind == "summary" else block.folds
            if all(fold in self._open_folds for fold in around):
                yield block

    def _fill(self, blocks: Iterable[Block]) -> None:
        """Put blocks at the end."""
        previous = self._filled[-1][0] if self._filled else None
        cursor = QTextCursor(self)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        for block in blocks:
            if block.kind == "table":
                self._filled.append((block, self._add_table(cursor, block, self._gap(previous, block))))
            else:
                shape = self._block_format(block, previous)
                if cursor.block().blockNumber() in self.blocks:
                    cursor.insertBlock(shape, QTextCharFormat())
                else:
                    cursor.setBlockFormat(shape)  # the empty one that a document begins with, or that follows a table
                self.blocks[cursor.block().blockNumber()] = block
                self._filled.append((block, cursor.block().blockNumber()))
                self._add_content(cursor, block)
            previous = block
        cursor.endEditBlock()
        self._pad_ends(previous)

    def _pad_ends(self, last: Block | None) -> None:
        """Make room for the ground of code at either end: Qt drops the outer margins of the outer blocks."""
        shape = self.rootFrame().frameFormat()
        first = self.blocks.get(0)
        above = self.look.px(CODE_ABOVE) if first is not None and first.kind == "code" else 0
        below = self.look.px(CODE_BELOW) if last is not None and last.kind == "code" else 0
        if (above, below) != (shape.topMargin(), shape.bottomMargin()):  # it would lay everything out anew
            shape.setTopMargin(above)
            shape.setBottomMargin(below)
            self.rootFrame().setFrameFormat(shape)

    def _add_content(self, cursor: QTextCursor, block: Block) -> None:
        match block.kind:
            case "code":
                cursor.insertText(block.code.replace("\n", LINE_BREAK), self._formats.code_block)
            case "picture":
                self._add_picture(cursor, block)
            case "rule":
                cursor.setBlockCharFormat(self._formats.tiny)
            case "summary":
                runs = [run._replace(href=f"{FOLD_SCHEME}{block.folds[-1]}") for run in block.runs]
                self._add_runs(cursor, runs, block)
            case _:
                self._add_runs(cursor, block.runs, block)

    def _add_runs(self, cursor: QTextCursor, runs: Iterable[Run], block: Block | None = None) -> None:
        level = block.level if block is not None and block.kind == "heading" else 0
        for run in runs:
            cursor.insertText(run.text.replace("\n", LINE_BREAK), self._formats.of(run, level))

    def _add_picture(self, cursor: QTextCursor, block: Block) -> None:
        assert block.picture is not None
        room = self._width - self.look.indent * _depth(block)
        placed = self._shelf.place(block.picture, max(room, 40), self._max_picture_height)
        self.has_pictures = True
        if not isinstance(placed, Spot):
            cursor.insertText(placed.sentence, self._formats.note(placed.url))
            return
        shape = cursor.blockFormat()
        shape.setLineHeight(placed.size.height(), QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        cursor.setBlockFormat(shape)
        cursor.insertText(OBJECT, self._formats.invisible)
        self._spots[cursor.block().blockNumber()] = placed

    def _block_format(self, block: Block, previous: Block | None) -> QTextBlockFormat:
        look = self.look
        shape = QTextBlockFormat()
        shape.setIndent(_depth(block))
        shape.setTopMargin(self._gap(previous, block))
        if block.align:
            shape.setAlignment(_ALIGNMENTS[block.align])
        at_least = QTextBlockFormat.LineHeightTypes.MinimumHeight.value
        match block.kind:
            case "code":
                side = look.px(12)
                shape.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
                shape.setLineHeight(look.code_line_height, at_least)
                shape.setTopMargin(shape.topMargin() + look.px(CODE_ABOVE))
                shape.setLeftMargin(side)
                shape.setRightMargin(side)
            case "rule":
                shape.setLineHeight(look.px(9), QTextBlockFormat.LineHeightTypes.FixedHeight.value)
            case "heading":
                shape.setLineHeight(round(look.line_height * look.heading_font_factor(block.level)), at_least)
                shape.setHeadingLevel(block.level)
            case _:
                shape.setLineHeight(look.line_height, at_least)
        return shape

    def _gap(self, previous: Block | None, block: Block) -> int:
        """Return the space above a block: paragraphs 8, items close together, headings breathe."""
        if previous is None:
            return 0
        below = CODE_BELOW if previous.kind == "code" else 0
        if block.place is not None and block.tight and previous.place is not None:
            return self.look.px(2 + below)
        return self.look.px((14 if block.kind == "heading" else GAP) + below)

    def _add_table(self, cursor: QTextCursor, block: Block, gap: int) -> QTextTable:
        look = self.look
        if cursor.block().blockNumber() not in self.blocks:
            self._shrink(cursor)  # the empty block before a table that stands first
        shape = QTextTableFormat()
        shape.setBorder(1)
        shape.setBorderStyle(QTextTableFormat.BorderStyle.BorderStyle_Solid)
        shape.setBorderBrush(look.theme.line)
        shape.setBorderCollapse(True)
        shape.setCellSpacing(0)
        shape.setCellPadding(look.px(6))
        shape.setTopMargin(gap)
        shape.setBottomMargin(look.px(2))
        shape.setLeftMargin(look.indent * _depth(block))
        width = max(len(row) for row in block.rows)
        if width * look.px(90) > self._width:
            shape.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        table = cursor.insertTable(len(block.rows), width, shape)
        for row_number, row in enumerate(block.rows):
            for column, cell in enumerate(row):
                self._add_cell(table, row_number, column, cell)
        self.tables.append((block, table))
        cursor.setPosition(table.lastPosition() + 1)
        self._shrink(cursor)
        return table

    def _add_cell(self, table: QTextTable, row: int, column: int, cell: Cell) -> None:
        place = table.cellAt(row, column)
        cursor = place.firstCursorPosition()
        shape = QTextBlockFormat()
        shape.setLineHeight(self.look.code_line_height, QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
        if cell.align:
            shape.setAlignment(_ALIGNMENTS[cell.align])
        cursor.setBlockFormat(shape)
        if cell.header:
            ground = place.format()
            ground.setBackground(self.look.theme.code)
            place.setFormat(ground)
        for run in cell.runs:
            cursor.insertText(run.text.replace("\n", LINE_BREAK), self._formats.of_cell(run, cell.header))

    def _shrink(self, cursor: QTextCursor) -> None:
        """Take the height from an empty block that Qt needs around a table."""
        shape = QTextBlockFormat()
        shape.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        cursor.setBlockFormat(shape)
        cursor.setBlockCharFormat(self._formats.tiny)

    # Decorations, from the laid out text

    def _decorate(self) -> None:
        numbers = list(self.blocks)
        for at in range(len(self._decorated), len(numbers)):
            block = self.blocks[numbers[at]]
            qt_block = self.findBlockByNumber(numbers[at])
            rect = self.documentLayout().blockBoundingRect(qt_block)
            found = self._decorated[numbers[at]] = []
            before = self.blocks[numbers[at - 1]].quote if at and block.quote else 0
            for level in range(block.quote):
                # A quote that goes on from the block before has no gap in its bar.
                top = self._bottom(numbers[at - 1]) if level < before else rect.top()
                found.append(self._bar(block, qt_block, level, top, rect.bottom()))
            found += self._decorate_block(block, qt_block, rect)

    def _bottom(self, number: int) -> float:
        return self.documentLayout().blockBoundingRect(self.findBlockByNumber(number)).bottom()

    def _decorate_block(self, block: Block, qt_block: QTextBlock, rect: QRectF) -> Iterable[Decoration]:
        look = self.look
        left = float(look.indent * _depth(block))
        if block.place is not None and block.place.marker:
            yield self._marker(block, block.place.marker, qt_block, rect)
        elif block.kind == "summary":
            yield self._marker(block, "▾" if block.folds[-1] in self._open_folds else "▸", qt_block, rect)
        if block.kind == "code":
            above, below = look.px(CODE_ABOVE), look.px(CODE_BELOW)
            ground = QRectF(left, rect.top() - above, self._width - left, rect.height() + above + below)
            yield Decoration("code", ground, block)
        elif block.kind == "rule":
            yield Decoration("rule", QRectF(left, round(rect.center().y()), self._width - left, 1), block)
        elif (spot := self._spots.get(qt_block.blockNumber())) is not None:
            where = QRectF(left, rect.top(), spot.size.width(), spot.size.height())
            if block.align == "center":
                where.moveLeft((self._width - where.width()) / 2)
            yield Decoration("picture", where, block, spot=spot)

    def _marker(self, block: Block, text: str, qt_block: QTextBlock, rect: QRectF) -> Decoration:
        line: QTextLine = qt_block.layout().lineAt(0)
        width = QFontMetricsF(self.look.text_font).horizontalAdvance(text)
        edge = self.look.indent * _depth(block) - self.look.px(7)
        left = self._width - edge if is_right_to_left(qt_block) else edge - width
        where = QRectF(left, rect.top(), width, line.height())
        return Decoration("marker", where, block, text, baseline=rect.top() + line.y() + line.ascent())

    def _bar(self, block: Block, qt_block: QTextBlock, level: int, top: float, bottom: float) -> Decoration:
        x = float(level * self.look.indent + self.look.px(4))
        if is_right_to_left(qt_block):
            x = self._width - x - 2
        return Decoration("quote", QRectF(x, top, 2, bottom - top), block)


def _cut(block: Block, start: int, end: int) -> Block:
    """Return a block with only the characters start … end of its text."""
    if block.kind == "code":
        return replace(block, code=block.code[start:end])
    runs, offset = [], 0
    for run in block.runs:
        piece = run.text[max(0, start - offset) : max(0, end - offset)]
        if piece:
            runs.append(run._replace(text=piece))
        offset += len(run.text)
    return replace(block, runs=tuple(runs))


def _depth(block: Block) -> int:
    depth = block.quote + (block.place.depth if block.place else 0)
    return min(depth + (1 if block.kind == "summary" else 0), 12)


def is_right_to_left(block: QTextBlock) -> bool:
    """Say whether a paragraph runs from the right: its first strong letter decides."""
    return block.textDirection() == Qt.LayoutDirection.RightToLeft


def href_of(character_format: QTextCharFormat) -> str:
    """Return where a run of text leads, "" for nowhere."""
    return str(character_format.property(QTextFormat.Property.AnchorHref.value) or "")
