"""The face of each type of special message."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QDateTime, QLocale, QRect, Qt
from PySide6.QtGui import QFontMetrics

from tavern_desktop.cards.envelope import Card
from tavern_desktop.cards.forms import FormField, allowed_fields, field_of, fields_of, shown
from tavern_desktop.cards.payload import workflow_status
from tavern_desktop.cards.registry import FormDefinition
from tavern_desktop.ui.chat.cards.face import Face, Icon, Shape, Sheet, Spot, Tone
from tavern_desktop.ui.chat.cards.words import field_label, status_name, step_name, tr, what_is_wrong
from tavern_desktop.ui.chat.look import Look

LABEL_SHARE = 142
"""Pixels that the labels of fields have at the left, as far as there is room."""
PREVIEW_ROWS = 20
CELL = 26


Offers = list[tuple[str, str, bool]]
"""Buttons at the foot: the spot's name, the label, whether it is the main one."""


@dataclass(frozen=True, slots=True)
class Showing:
    """What a face depends on besides the payload."""

    look: Look
    width: int
    locale: QLocale
    editable: bool
    """Whether the chat can be changed now."""
    is_copy: bool = False
    form: FormDefinition | None = None
    """The form that is shown, where this program has it."""
    is_running: bool = False
    """Whether something works on it at this moment."""


def make_face(card: Card, showing: Showing) -> Face:
    """Return the face of a special message, whatever became of it."""
    sheet = Sheet(showing.look, showing.width)
    if card.state in ("error", "placeholder"):
        return _plain(sheet, card)
    badge = status_name(card, is_running=showing.is_running)
    if card.type == "Form" and card.status == "submitted":
        badge = _submitted(card, showing.locale)
    if showing.is_copy:
        badge = " · ".join(filter(None, (tr("Copy"), badge)))
    sheet.heading(card.title, badge, _tone_of(card))
    sheet.paragraph(text_of(card.payload, "description"))
    wrong = what_is_wrong(card)
    if wrong:
        sheet.paragraph(wrong, "danger")
    offers = _BODIES[card.type](sheet, card, showing)
    if wrong:
        offers.append(("source", tr("Show Source"), False))
    if card.caption and showing.editable:
        offers.append(("caption", tr("Make the Text Below a Message of Its Own"), False))
    indented = card.type in ("Form", "ParameterSet", "ColumnMatch") and not wrong
    sheet.buttons(offers, sheet.left + label_width(sheet.look, sheet.room) if indented else None)
    return sheet.done()


def _plain(sheet: Sheet, card: Card) -> Face:
    """Show that there is something: what it is called, and its source on request."""
    sheet.heading(card.title, card.type)
    sheet.paragraph(what_is_wrong(card), "danger" if card.state == "error" else "muted")
    sheet.buttons([("source", tr("Show Source"), False)])
    return sheet.done()


# Form


def _form(sheet: Sheet, card: Card, showing: Showing) -> Offers:
    fields = form_fields(card, showing.form)
    is_open = may_fill(card, showing.form)
    for each in fields:
        _field(sheet, each, is_open)
    if card.status == "draft" and showing.form is None and card.state == "full":
        sheet.paragraph(tr("This form is not available here."))
    if not (is_open and showing.editable):
        return []
    return [("submit", submit_label(card, showing.form), True), ("cancel", tr("Cancel"), False)]


def form_fields(card: Card, form: FormDefinition | None) -> tuple[FormField, ...]:
    """Return the fields of a form as they may be filled in here, else as its payload lists them."""
    return allowed_fields(card.payload, form.fields) if form is not None else fields_of(card.payload)


def may_fill(card: Card, form: FormDefinition | None) -> bool:
    """Say whether a form can be filled in and submitted."""
    return card.type == "Form" and card.state == "full" and card.status == "draft" and form is not None


def submit_label(card: Card, form: FormDefinition | None) -> str:
    """Return what the button that submits is called."""
    own = card.payload.get("submitLabel")
    return own if isinstance(own, str) and own else (form.submit_label if form is not None else "") or tr("Submit")


def label_width(look: Look, room: int) -> int:
    """Return how much of the room the labels of fields have."""
    return min(look.px(LABEL_SHARE), room * 2 // 5)


def field_width(look: Look, kind: str, room: int) -> int:
    """Return how wide the field of a kind is."""
    widths = {"integer": 90, "number": 110, "boolean": 90, "select": 220, "date": 150, "datetime": 200}
    return min(room, look.px(widths.get(kind, 10_000)))


def _field(sheet: Sheet, each: FormField, is_open: bool) -> None:
    look = sheet.look
    left = label_width(look, sheet.room)
    height = look.px(28) if each.kind != "multiline" or not is_open else look.px(64)
    label = field_label(each) if is_open else each.label
    sheet.line_of(label, QRect(sheet.left, sheet.y, left - look.px(8), look.px(28)))
    area = QRect(sheet.left + left, sheet.y, sheet.room - left, height)
    value = _shown_value(each)
    if is_open and each.kind == "boolean" and not each.read_only:
        _check_box(sheet, each, area)
    elif is_open and not each.read_only:
        area.setWidth(field_width(look, each.kind, area.width()))
        sheet.shapes.append(Shape(area, "field"))
        sheet.spots.append(Spot(f"use:{each.name}", area, each.label))
        inside = area.adjusted(look.px(9), 0, -look.px(9), 0)
        if each.kind == "select":
            side = look.px(13)
            spot = QRect(area.right() - look.px(9) - side, area.center().y() - side // 2, side, side)
            sheet.icons.append(Icon(spot, "chevron-down", "muted"))
            inside.setRight(spot.left() - 2)
        sheet.line_of(
            value or (tr("Choose…") if each.kind == "select" else ""),
            inside.adjusted(0, 0, 0, look.px(28) - inside.height()),
            "text" if value else "muted",
        )
        sheet.y += height + look.px(6)
        _help(sheet, each)
    else:
        lines = max(look.px(21), min(sheet.measured(value, look.label_font, area.width()), look.px(240)))
        top = sheet.y
        sheet.y += look.px(5)
        sheet.paragraph(value or "—", "text" if value else "muted", indent=left)
        sheet.y = max(sheet.y, top + lines + look.px(7))


def _check_box(sheet: Sheet, each: FormField, area: QRect) -> None:
    """Put what looks like the check box that a click makes of it."""
    look = sheet.look
    side = look.px(16)
    box = QRect(area.left(), area.center().y() - side // 2, side, side)
    sheet.shapes.append(Shape(box, "box"))
    if each.value is True:
        sheet.icons.append(Icon(box.adjusted(2, 2, -2, -2), "check", "accent"))
    said = tr("Yes")
    width = side + look.px(8) + QFontMetrics(look.label_font).horizontalAdvance(said)
    sheet.line_of(said, QRect(box.right() + look.px(8), area.top(), area.width(), area.height()))
    sheet.spots.append(Spot(f"use:{each.name}", QRect(area.left(), area.top(), width, area.height()), each.label))
    sheet.y += area.height() + look.px(6)
    _help(sheet, each)


def _help(sheet: Sheet, each: FormField) -> None:
    """Put a field's help right below it."""
    if each.help:
        sheet.y -= sheet.look.px(4)
        sheet.paragraph(each.help, font=sheet.small, indent=label_width(sheet.look, sheet.room))


def _shown_value(each: FormField) -> str:
    if each.kind == "secret":
        return "••••••" if each.filled else ""
    if each.kind == "boolean":
        return "" if each.value is None else tr("Yes") if each.value is True else tr("No")
    labels = {shown(option.value): option.label for option in each.options}
    items = each.value if isinstance(each.value, list) else [each.value]
    return ", ".join(labels.get(shown(item), shown(item)) for item in items)


def _submitted(card: Card, locale: QLocale) -> str:
    moment = QDateTime.fromString(str(card.payload.get("submittedAt")), Qt.DateFormat.ISODate)
    if not moment.isValid():
        return tr("Submitted")
    when = locale.toString(moment.toLocalTime(), QLocale.FormatType.ShortFormat)
    return tr("Submitted {when}").format(when=when)


# ParameterSet


def _parameters(sheet: Sheet, card: Card, showing: Showing) -> Offers:
    look, items = sheet.look, entries_of(card, "items")
    left = label_width(look, sheet.room)
    is_open = showing.editable and card.state == "full"
    for item in items:
        each = field_of(item)
        sheet.line_of(each.label, QRect(sheet.left, sheet.y, left - look.px(8), look.px(28)))
        unit = text_of(item, "unit")
        unit_width = QFontMetrics(look.label_font).horizontalAdvance(unit) + look.px(10) if unit else 0
        width = min(sheet.room - left - unit_width, look.px(300))
        area = QRect(sheet.left + left, sheet.y, width, look.px(28))
        if is_open:
            sheet.shapes.append(Shape(area, "field"))
            sheet.spots.append(Spot(f"use:{each.name}", area, each.label))
        sheet.line_of(text_of(item, "valueText"), area.adjusted(look.px(9) if is_open else 0, 0, -look.px(9), 0))
        sheet.line_of(unit, QRect(area.right() + look.px(8), area.top(), unit_width, area.height()), "muted")
        sheet.y += look.px(34)
        if description := text_of(item, "description"):
            sheet.y -= look.px(4)
            sheet.paragraph(description, font=sheet.small, indent=left)
    return [("values", tr("Use These Values"), False)] if is_open and items else []


# Table


def _table(sheet: Sheet, card: Card, showing: Showing) -> Offers:
    names, rows = table_of(card)
    preview = card.payload.get("maxPreviewRows")
    most = min(preview if isinstance(preview, int) else PREVIEW_ROWS, PREVIEW_ROWS)
    look, height = sheet.look, sheet.look.px(CELL)
    widths = _column_widths(sheet, names, rows[:most])
    top = sheet.y
    sheet.shapes.append(Shape(QRect(sheet.left, top, sheet.room, height), "head"))
    for number, row in enumerate([names, *rows[:most]]):
        x = sheet.left
        for cell, width in zip(row, widths, strict=False):
            area = QRect(x + look.px(8), sheet.y, width - look.px(12), height)
            is_number = number > 0 and isinstance(cell, int | float) and not isinstance(cell, bool)
            font = sheet.strong if number == 0 else look.label_font
            sheet.line_of(shown(cell), area, "text" if number else "muted", font, right=is_number)
            x += width
        sheet.y += height
        sheet.shapes.append(Shape(QRect(sheet.left, sheet.y - 1, sheet.room, 1), "line"))
    sheet.spots.append(Spot("use:", QRect(sheet.left, top, sheet.room, sheet.y - top), tr("Show All Rows")))
    sheet.y += look.px(6)
    sheet.paragraph(count_words(card, len(rows), min(most, len(rows)), len(widths), len(names), showing.locale))
    offers = [("use:", tr("Scroll and Sort"), False)] if showing.editable and rows and card.state == "full" else []
    return [*offers, ("csv", tr("Copy as CSV"), False)]


def table_of(card: Card) -> tuple[list[str], list[list[Any]]]:
    """Return the names of the columns and the rows, as far as they are sound."""
    names = [name for name in list_of(card, "columnNames") if isinstance(name, str)]
    return names, [row for row in list_of(card, "rows") if isinstance(row, list) and len(row) == len(names)]


def count_words(card: Card, stored: int, seen: int, columns: int, all_columns: int, locale: QLocale) -> str:
    """Say how much there is besides what is seen."""
    total = card.payload.get("totalRowCount")
    total = total if isinstance(total, int) and total >= stored else stored
    said = tr("1 row") if total == 1 else tr("{count} rows").format(count=locale.toString(total))
    parts = [said]
    if seen < total:
        parts.append(tr("the first {count} shown").format(count=locale.toString(seen)))
    if stored < total:
        parts.append(tr("{count} kept here").format(count=locale.toString(stored)))
    if columns < all_columns:
        parts.append(tr("{count} more columns").format(count=locale.toString(all_columns - columns)))
    return " · ".join(parts)


def _column_widths(sheet: Sheet, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[int]:
    """Return the widths of as many columns as fit, by what stands in them."""
    look = sheet.look
    metrics, bold = QFontMetrics(look.label_font), QFontMetrics(sheet.strong)
    widths: list[int] = []
    left = sheet.room
    for at, name in enumerate(names):
        texts = [metrics.horizontalAdvance(shown(row[at])[:60]) for row in rows]
        wanted = max([bold.horizontalAdvance(name[:60]), *texts]) + look.px(20)
        width = min(max(wanted, look.px(56)), look.px(260))
        if width > left and widths:
            break
        widths.append(min(width, left))
        left -= width
    if widths and len(widths) == len(names) and left > 0:
        widths[-1] += 0 if rows and isinstance(rows[0][-1], int | float) else left
    return widths


# ColumnMatch


def _match(sheet: Sheet, card: Card, showing: Showing) -> Offers:
    look = sheet.look
    is_open = showing.editable and card.state == "full" and card.status == "draft"
    left = label_width(look, sheet.room)
    chosen = {entry.get("required"): entry.get("column") for entry in entries_of(card, "mappings")}
    for each in required_columns(card):
        name = f"{each.name} *" if each.required else each.name
        sheet.line_of(name, QRect(sheet.left, sheet.y, left - look.px(8), look.px(28)))
        area = QRect(sheet.left + left, sheet.y, min(sheet.room - left, look.px(260)), look.px(28))
        column = chosen.get(each.name)
        text = column if isinstance(column, str) else tr("None")
        if is_open:
            sheet.shapes.append(Shape(area, "field"))
            sheet.spots.append(Spot(f"use:{each.name}", area, each.name))
            side = look.px(13)
            arrow = QRect(area.right() - look.px(9) - side, area.center().y() - side // 2, side, side)
            sheet.icons.append(Icon(arrow, "chevron-down", "muted"))
        tone: Tone = "text" if isinstance(column, str) else "muted"
        sheet.line_of(text, area.adjusted(look.px(9) if is_open else 0, 0, -look.px(26), 0), tone)
        sheet.y += look.px(34)
        if each.help:
            sheet.y -= look.px(4)
            sheet.paragraph(each.help, font=sheet.small, indent=left)
    return [("submit", tr("Confirm"), True), ("cancel", tr("Cancel"), False)] if is_open else []


def required_columns(card: Card) -> list[FormField]:
    """Return the columns that are wanted; those that are given as names alone must be there."""
    found = []
    for entry in list_of(card, "requiredColumns"):
        if isinstance(entry, str):
            found.append(FormField(entry, entry, required=True))
        elif isinstance(entry, dict) and isinstance(entry.get("name"), str):
            needed, told = entry.get("required") is not False, text_of(entry, "description")
            found.append(FormField(entry["name"], entry["name"], required=needed, help=told))
    return found


# WorkflowStatus

_STEP_ICONS: dict[str, tuple[str, Tone]] = {
    "done": ("check", "ok"),
    "failed": ("warning", "danger"),
    "running": ("refresh", "accent"),
    "skipped": ("minus", "muted"),
    "pending": ("more", "muted"),
}
MOST_STEPS = 60


def _workflow(sheet: Sheet, card: Card, showing: Showing) -> Offers:
    look, steps = sheet.look, entries_of(card, "steps")
    for step in steps[:MOST_STEPS]:
        status = text_of(step, "status") or "pending"
        interrupted = status == "running" and not showing.is_running
        name, tone = ("warning", "warn") if interrupted else _STEP_ICONS.get(status, _STEP_ICONS["pending"])
        side = look.px(16)
        sheet.icons.append(Icon(QRect(sheet.left, sheet.y + look.px(3), side, side), name, tone))  # type: ignore[arg-type]
        said = step_name(status, interrupted=True) if interrupted else step_name(status)
        width = QFontMetrics(sheet.small).horizontalAdvance(said) + look.px(6)
        right = sheet.left + sheet.room - width
        sheet.line_of(said, QRect(right, sheet.y, width, look.px(22)), "warn" if interrupted else "muted", sheet.small,
                      right=True)  # fmt: skip
        area = QRect(sheet.left + look.px(26), sheet.y, right - sheet.left - look.px(34), look.px(22))
        sheet.line_of(text_of(step, "title"), area, "muted" if status == "skipped" else "text")
        sheet.y += look.px(25)
        if detail := text_of(step, "detail"):
            sheet.paragraph(detail, font=sheet.small, indent=look.px(26))
    if len(steps) > MOST_STEPS:
        sheet.paragraph(tr("{count} more steps").format(count=showing.locale.toString(len(steps) - MOST_STEPS)))
    return []


def entries_of(card: Card, name: str) -> list[dict[str, Any]]:
    """Return the mappings of a list of the payload that can be shown."""
    wanted = {"items": "name", "steps": "title"}.get(name)
    entries = [entry for entry in list_of(card, name) if isinstance(entry, dict)]
    return [entry for entry in entries if wanted is None or isinstance(entry.get(wanted), str)]


def list_of(card: Card, name: str) -> list[Any]:
    """Return a list of the payload, an empty one where there is none."""
    found = card.payload.get(name)
    return found if isinstance(found, list) else []


def text_of(mapping: Mapping[str, Any], name: str) -> str:
    """Return a text of a mapping, "" where there is none."""
    found = mapping.get(name)
    return found if isinstance(found, str) else ""


def _tone_of(card: Card) -> Tone:
    status = workflow_status(card.payload) if card.type == "WorkflowStatus" else card.status
    tones: dict[str, Tone] = {"submitted": "ok", "confirmed": "ok", "done": "ok", "failed": "danger", "running": "warn"}
    return tones.get(status, "muted")


_BODIES: dict[str, Callable[[Sheet, Card, Showing], Offers]] = {
    "Form": _form,
    "ParameterSet": _parameters,
    "Table": _table,
    "ColumnMatch": _match,
    "WorkflowStatus": _workflow,
}
