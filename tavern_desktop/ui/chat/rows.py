"""Rows ready to be painted: the record, its documents and its layout, made when first seen and kept for a while."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QDate, QDateTime, QLocale, QTime

from tavern_desktop.ui.chat.blocks import Block, Parsed, Picture, Run
from tavern_desktop.ui.chat.context import ChatContext
from tavern_desktop.ui.chat.document import FOLD_SCHEME, MessageDocument
from tavern_desktop.ui.chat.growing import GrowingText
from tavern_desktop.ui.chat.look import Look
from tavern_desktop.ui.chat.markdown import parse
from tavern_desktop.ui.chat.pictures import PictureShelf
from tavern_desktop.ui.chat.record import RowRecord, ToolCall, day_of, tokens_per_second
from tavern_desktop.ui.chat.roles import RowModel
from tavern_desktop.ui.chat.row_layout import FoldContent, RowContent, RowLayout, lay_out, text_width

if TYPE_CHECKING:
    from tavern_desktop.ui.chat.cards.face import Face

KEPT_ROWS = 48
"""Rows kept laid out: some screens around what is visible, at 18 KB a document."""
MAX_SHOWN = 60_000
"""Characters of a text shown at once; a click shows the rest."""
REST = -1
"""The number of the fold that holds what MAX_SHOWN cuts off."""


@dataclass(slots=True)
class RowView:
    """One row as it stands on screen."""

    record: RowRecord
    layout: RowLayout
    parsed: Parsed
    document: MessageDocument | None
    fold_documents: dict[str, MessageDocument]
    width: int
    previous_raw: bytes | None
    editor_height: int
    is_last: bool
    is_live: bool
    coloured: bool = False
    """Whether its code has its colours."""
    face: Face | None = None
    """What a special message looks like; None also while it is in use, when real widgets stand there."""

    def stands_for(
        self, record: RowRecord, width: int, previous: bytes | None, editor_height: int, is_last: bool, is_live: bool
    ) -> bool:
        """Say whether it still shows what it would be made of now."""
        same_content = self.record is record and self.previous_raw is previous
        mine = (self.width, self.editor_height, self.is_last, self.is_live)
        return same_content and mine == (width, editor_height, is_last, is_live)


@dataclass(slots=True)
class Unfolded:
    """What the person opened, by message key. Outlives the rows."""

    folds: set[tuple[int, str]] = field(default_factory=set)
    details: dict[int, frozenset[int]] = field(default_factory=dict)

    def toggle(self, key: int, name: str) -> None:
        self.folds ^= {(key, name)}

    def toggle_details(self, key: int, number: int) -> None:
        self.details[key] = self.details.get(key, frozenset()) ^ {number}


class RowShelf:
    """Makes RowViews for a model, and keeps the newest used ones."""

    def __init__(self, look: Look, context: ChatContext, shelf: PictureShelf) -> None:
        self.look = look
        self.quiet_look = _quiet(look)
        self.context = context
        self.unfolded = Unfolded()
        self.editor_heights: dict[int, int] = {}
        """The row being edited, or the special message in use, and the height of its widget; empty when none is."""
        self.max_picture_height = 480
        self._pictures = shelf
        self._rows: OrderedDict[int, RowView] = OrderedDict()
        self._growing: tuple[int, GrowingText] | None = None
        """The key of the message that is being written, and its text."""

    def set_look(self, look: Look, context: ChatContext, shelf: PictureShelf) -> None:
        """Take other colours, names or sizes: every row is made anew."""
        self.look, self.context, self._pictures = look, context, shelf
        self.quiet_look = _quiet(look)
        self._rows.clear()

    def forget(self, key: int) -> None:
        self._rows.pop(key, None)

    def clear(self) -> None:
        self._rows.clear()

    def specials(self, kind: str) -> list[int]:
        """Return the keys of the special messages of a type among the rows that are kept."""
        return [key for key, row in self._rows.items() if row.record.special and row.record.special.type == kind]

    def kept(self, key: int) -> RowView | None:
        """Return a row only if it is there already."""
        return self._rows.get(key)

    def get(self, model: RowModel, row: int, width: int) -> RowView:
        """Return a row of the model, `width` pixels wide."""
        record = model.record(row)
        previous = model.raw_before(row)
        is_last = row == model.rowCount() - 1
        editor_height = self.editor_heights.get(record.key, 0)
        found = self._rows.get(record.key)
        is_live = model.is_live(row)
        stands = (record, width, previous, editor_height, is_last, is_live)
        if found is not None and found.stands_for(*stands):
            self._rows.move_to_end(record.key)
            return found
        same_text = found is not None and found.record.text == record.text and found.record.media == record.media
        grown = None if found is None or same_text else self._grown(found, record, is_live)
        if found is not None and same_text:
            parsed = found.parsed
        else:
            parsed = grown if grown is not None else self._parse(record, is_live)
        before = found if same_text or (grown is not None and found is not None and self._grow(found, grown)) else None
        made = self._make(model, parsed, stands, before)
        self._rows[record.key] = made
        self._rows.move_to_end(record.key)
        while len(self._rows) > KEPT_ROWS:
            self._rows.popitem(last=False)
        return made

    def _grown(self, found: RowView, record: RowRecord, is_live: bool) -> Parsed | None:
        """Return the blocks of a text that has become longer, as while it is written; None for any other change."""
        is_plain = record.shows_text and not (record.is_compact or record.media or record.files)
        is_long = len(record.text) > MAX_SHOWN and not is_live
        if not is_plain or is_long or not record.text.startswith(found.record.text):
            return None
        if self._growing is None or self._growing[0] != record.key:
            self._growing = (record.key, GrowingText())
        parsed = self._growing[1].parse(record.text)
        if parsed is None:
            self._growing = None
        return parsed

    def _grow(self, found: RowView, parsed: Parsed) -> bool:
        """Let the row's document go on where it differs; False if it needs a new one."""
        document = found.document
        return document is not None and document.look is self.look and document.grow(parsed)

    def _make(
        self,
        model: RowModel,
        parsed: Parsed,
        stands: tuple[RowRecord, int, bytes | None, int, bool, bool],
        before: RowView | None,
    ) -> RowView:
        record, width, previous, editor_height, is_last, is_live = stands
        inner = text_width(width, self.look)
        document = self._document(record, parsed, inner, before)
        fold_documents = {}
        folds = []
        for name, label in self._fold_labels(record, is_live):
            height = 0
            if (record.key, name) in self.unfolded.folds:
                fold_documents[name] = self._fold_document(record, name, inner - self.look.px(12))
                height = fold_documents[name].height()
            folds.append(FoldContent(name, label, height))
        face = self._face(record, inner, editable=model.editable) if not editor_height else None
        in_use = editor_height if record.special is not None else 0
        content = RowContent(
            name=self._speaker(record),
            time=self._time(record),
            hidden=record.hidden and record.kind not in ("tool", "notice", "comment"),
            day=self._day_text(record, previous),
            text_height=document.height() if document is not None else 0,
            folds=folds,
            swipe=record.swipe,
            swipe_count=record.swipe_count if not is_live and self._has_swipes(record, is_last) else 0,
            has_strip=model.editable and not is_live,
            compact=record.is_compact,
            bookmarked=bool(record.bookmark),
            editor_height=editor_height - in_use,
            special_height=face.height if face is not None else in_use,
            note=stopped_note(record.stopped) if not is_live else "",
            note_button=tr("Continue") if is_last and model.editable and self.context.can_generate else "",
        )
        layout = lay_out(content, width, self.look)
        return RowView(record, layout, parsed, document, fold_documents, *stands[1:], face=face)

    def _face(self, record: RowRecord, width: int, *, editable: bool) -> Face | None:
        if record.special is None:
            return None
        from tavern_desktop.ui.chat.cards.faces import Showing, make_face

        context, card = self.context, record.special
        form = context.form_of(card.payload) if card.type == "Form" else None
        is_copy = context.is_copy(record.key, card.id)
        is_running = context.is_working(record.key)
        return make_face(card, Showing(self.look, width, context.locale, editable, is_copy, form, is_running))

    def _document(
        self, record: RowRecord, parsed: Parsed, width: int, before: RowView | None
    ) -> MessageDocument | None:
        if not parsed.blocks:
            return None
        old = before.document if before is not None else None
        if old is not None and old.look is self.look and not old.has_pictures:
            old.set_width(width)
            return old
        toggled = self.unfolded.details.get(record.key, frozenset())
        return MessageDocument(parsed, self.look, width, self._pictures, toggled, self.max_picture_height)

    def _parse(self, record: RowRecord, is_live: bool) -> Parsed:
        if record.is_compact:
            return Parsed()
        parsed = Parsed()
        if record.shows_text:
            text, rest = record.text, 0
            # What is being written is shown to its end, however long it becomes.
            is_open = is_live or REST in self.unfolded.details.get(record.key, frozenset())
            if len(text) > MAX_SHOWN and not is_open:
                rest = len(text) - MAX_SHOWN
                text = text[:MAX_SHOWN]
            parsed = parse(text)
            if rest:
                label = tr("Show the rest ({0} characters)").format(self.context.locale.toString(rest))
                parsed.blocks.append(Block("text", (Run(label, href=f"{FOLD_SCHEME}{REST}"),)))
        parsed.blocks.extend(_attachments(record))
        return parsed

    def _fold_labels(self, record: RowRecord, is_live: bool) -> list[tuple[str, str]]:
        labels = []
        if record.reasoning.strip():
            thinks = is_live and not record.text.strip()
            labels.append(("reasoning", (thinking_label if thinks else thought_label)(record.reasoning_ms)))
        if record.calls:
            labels.append(("calls", _calls_label(record)))
        return labels

    def _fold_document(self, record: RowRecord, name: str, width: int) -> MessageDocument:
        parsed = parse(record.reasoning) if name == "reasoning" else Parsed(list(_call_blocks(record.calls)))
        return MessageDocument(parsed, self.quiet_look, width, self._pictures)

    def _has_swipes(self, record: RowRecord, is_last: bool) -> bool:
        may_grow = is_last and self.context.can_generate and self.context.writes_past_last
        return record.swipe_count > 1 or (may_grow and record.may_swipe and record.kind == "character")

    def _time(self, record: RowRecord) -> str:
        """Return when a message was written, and how fast where that is wanted."""
        time = clock_time(record, self.context.locale)
        speed = tokens_per_second(record.data) if self.context.shows_speed else None
        return time if speed is None else f"{time} · {speed_words(speed, self.context.locale)}"

    def _speaker(self, record: RowRecord) -> str:
        if record.special is not None:
            from tavern_desktop.ui.chat.cards.words import type_name

            return type_name(record.special.type)
        if record.kind == "narrator" and record.name in ("", "System"):
            return tr("Narrator")
        return record.name or (self.context.user_name if record.kind == "user" else self.context.char_name)

    def _day_text(self, record: RowRecord, previous: bytes | None) -> str:
        day = record.day
        if day is None or (previous is not None and day_of(previous) == day):
            return ""
        return long_date(day, self.context.locale)


def tr(text: str) -> str:
    return QCoreApplication.translate("ChatView", text)


def long_date(day: date, locale: QLocale) -> str:
    return locale.toString(QDate(day.year, day.month, day.day), QLocale.FormatType.LongFormat)


def clock_time(record: RowRecord, locale: QLocale) -> str:
    if record.time is None:
        return ""
    return locale.toString(QTime(record.time.hour, record.time.minute), QLocale.FormatType.ShortFormat)


def full_time(record: RowRecord, locale: QLocale) -> str:
    """Return date and time in full, and the message's number as SillyTavern counts (decision D20)."""
    parts = []
    if record.time is not None:
        moment = QDateTime.fromSecsSinceEpoch(int(record.time.timestamp()))
        parts.append(locale.toString(moment, QLocale.FormatType.LongFormat))
    if record.index is not None:
        parts.append(f"#{record.index}")
    return " · ".join(parts)


def speed_words(speed: float, locale: QLocale) -> str:
    """Return how fast a model writes, in words."""
    return tr("{0} tokens/s").format(locale.toString(speed, "f", 1))


def stopped_note(who: str) -> str:
    """Return why a reply is only a part, "" for a whole one."""
    notes = {"user": tr("Stopped"), "error": tr("Broke off"), "closing": tr("Cut off when the program closed")}
    return notes.get(who, tr("Not whole") if who else "")


def thinking_label(milliseconds: int | None) -> str:
    """Return how long a model has been thinking."""
    return tr("Thinking… {0} s").format(max(1, round((milliseconds or 0) / 1000)))


def thought_label(milliseconds: int | None) -> str:
    """Return how long a model thought, in the unit that fits."""
    if milliseconds is None:
        return tr("Thought for a while")
    seconds = max(1, round(milliseconds / 1000))
    if seconds < 60:
        return tr("Thought for {0} s").format(seconds)
    return tr("Thought for {0} min {1} s").format(seconds // 60, seconds % 60)


def _calls_label(record: RowRecord) -> str:
    titles = ", ".join(dict.fromkeys(call.title for call in record.calls))
    outcome = " ".join(record.calls[0].result.split())[:120] if len(record.calls) == 1 else ""
    if record.data.get("role") == "tool":
        return tr("Result of {0}").format(titles) + (f" · {outcome}" if outcome else "")
    return tr("Used {0}").format(titles) + (f" · {outcome}" if outcome else "")


def _call_blocks(calls: tuple[ToolCall, ...]) -> list[Block]:
    blocks = []
    for call in calls:
        if len(calls) > 1:
            blocks.append(Block("text", (Run(call.title),)))
        blocks += [Block("code", code=text, language="json") for text in (call.arguments, call.result) if text]
    return blocks or [Block("text", (Run("—"),))]


def _attachments(record: RowRecord) -> list[Block]:
    blocks = []
    for media in record.media:
        if media.type == "image":
            blocks.append(Block("picture", picture=Picture(media.url, media.title)))
        else:
            label = tr("Video: {0}") if media.type == "video" else tr("Sound: {0}")
            name = media.title or media.url.rsplit("/", 1)[-1][:80]
            blocks.append(Block("text", (Run("▶ " + label.format(name)),)))
    blocks += [Block("text", (Run("📎 " + name),)) for name in record.files]
    return blocks


def _quiet(look: Look) -> Look:
    """Return the look of what stands in the background: smaller, and all in the muted colour."""
    theme = look.theme
    muted = replace(theme, text=theme.muted, speech=theme.muted, narration=theme.muted, accent=theme.muted)
    return Look(muted, look.base_font, round(look.percent * 0.92))
