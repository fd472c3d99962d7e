"""How the versions of a chat and what changed in them are said."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QDate, QDateTime, QLocale

from tavern_desktop.chat.differences import Kind
from tavern_desktop.chat.field_differences import FieldChange
from tavern_desktop.session.history import Past

KIND_ICONS: dict[Kind, str] = {
    Kind.ADDED: "plus",
    Kind.REMOVED: "minus",
    Kind.EDITED: "pencil",
    Kind.MOVED: "move",
}
KIND_TONES: dict[Kind, str] = {
    Kind.ADDED: "ok",
    Kind.REMOVED: "danger",
    Kind.EDITED: "accent",
    Kind.MOVED: "muted",
}
"""The meaning in the theme that belongs to a kind; it never stands alone for it."""

_PAST_ICONS = {
    "undo": "undo",
    "redo": "redo",
    "outside": "refresh",
    "found": "file",
    "merge": "merge",
    "restore": "history",
    "recovered": "warning",
    "reload": "refresh",
    "start": "star",
    "backup": "save",
}


def title_of(past: Past) -> str:
    """Return what made a version, as its title."""
    known = _PAST_TITLES.get(past.kind)
    text = known() if known is not None else past.label or _tr("Changed")
    if past.kind in ("undo", "redo") and past.label:
        text = f"{text}: {past.label}"
    if past.joined > 1:
        return _tr("{count} changes, the last: {text}").format(count=QLocale().toString(past.joined), text=text)
    return text


_PAST_TITLES: dict[str, Callable[[], str]] = {
    "undo": lambda: _tr("Undo"),
    "redo": lambda: _tr("Redo"),
    "outside": lambda: _tr("Changed by another program"),
    "found": lambda: _tr("Found on disk, from another program"),
    "merge": lambda: _tr("Merged with the version on disk"),
    "recovered": lambda: _tr("Recovered after a crash"),
    "reload": lambda: _tr("Reloaded from disk"),
    "start": lambda: _tr("Oldest known version"),
    "backup": lambda: _tr("Backup"),
}


def icon_of(past: Past) -> str:
    """Return the name of the icon for a version."""
    if past.kind in _PAST_ICONS:
        return _PAST_ICONS[past.kind]
    if past.removed and not past.added:
        return "trash"
    if past.added and not past.removed:
        return "plus"
    return "move" if past.moved and not past.edited else "pencil"


def counts_of(past: Past) -> list[tuple[str, Kind]]:
    """Return the counts of a version, each with the kind it is of: +3 −1 ~2."""
    locale = QLocale()
    counts = ((past.added, "+", Kind.ADDED), (past.removed, "−", Kind.REMOVED), (past.edited, "~", Kind.EDITED),
              (past.moved, "↕", Kind.MOVED))  # fmt: skip
    return [(f"{sign}{locale.toString(count)}", kind) for count, sign, kind in counts if count]


def size_of(past: Past) -> str:
    """Return how large a version is: its messages, or the bytes of a backup."""
    if past.size is not None:
        return QLocale().formattedDataSize(past.size)
    if past.messages is None:
        return ""
    return messages_text(past.messages)


def messages_text(count: int) -> str:
    """Return a number of messages in words."""
    return _tr("1 message") if count == 1 else _tr("{count} messages").format(count=QLocale().toString(count))


def kind_text(kind: Kind) -> str:
    """Return what became of a message."""
    return {
        Kind.ADDED: _tr("Added"),
        Kind.REMOVED: _tr("Removed"),
        Kind.EDITED: _tr("Edited"),
        Kind.MOVED: _tr("Moved"),
    }[kind]


def spoken(past: Past) -> str:
    """Return a version in one sentence, for who cannot see it."""
    locale = QLocale()
    kinds = ((Kind.ADDED, past.added), (Kind.REMOVED, past.removed), (Kind.EDITED, past.edited),
             (Kind.MOVED, past.moved))  # fmt: skip
    counts = [f"{locale.toString(count)} {kind_text(kind).lower()}" for kind, count in kinds if count]
    return ", ".join(filter(None, (title_of(past), moment_text(past.at_ms), size_of(past), *counts)))


def time_text(at_ms: int) -> str:
    """Return the time of day."""
    return QLocale().toString(QDateTime.fromMSecsSinceEpoch(at_ms).time(), QLocale.FormatType.ShortFormat)


def day_text(at_ms: int, today: QDate | None = None) -> str:
    """Return the day: Today, Yesterday, else with its weekday."""
    day = QDateTime.fromMSecsSinceEpoch(at_ms).date()
    ago = day.daysTo(today or QDate.currentDate())
    if ago == 0:
        return _tr("Today")
    return _tr("Yesterday") if ago == 1 else QLocale().toString(day, QLocale.FormatType.LongFormat)


def moment_text(at_ms: int) -> str:
    """Return day and time."""
    return f"{day_text(at_ms)}, {time_text(at_ms)}"


def change_text(change: FieldChange) -> str:
    """Return what else changed in a message, as a short sentence without its end."""
    locale = QLocale()
    was, became = change.before, change.after
    match change.what:
        case "speaker":
            return _tr("Speaker: {was} → {became}").format(was=was or "–", became=became or "–")
        case "hidden":
            return _tr("Hidden from the prompt") if became else _tr("No longer hidden from the prompt")
        case "swipes_added":
            return _count(became, _tr("1 alternative added"), _tr("{count} alternatives added"), locale)
        case "swipes_removed":
            return _count(was, _tr("1 alternative removed"), _tr("{count} alternatives removed"), locale)
        case "swipes_edited":
            return _count(was, _tr("1 alternative changed"), _tr("{count} alternatives changed"), locale)
        case "swipe_chosen":
            return _tr("Alternative {was} → {became}").format(was=was, became=became)
        case "other":
            return _tr("Other data: {names}").format(names=became)
    return _OTHERS[change.what]()


_OTHERS: dict[str, Callable[[], str]] = {
    "role": lambda: _tr("Another role"),
    "date": lambda: _tr("Another date"),
    "reasoning": lambda: _tr("Thinking changed"),
    "translation": lambda: _tr("Translation changed"),
    "attachments": lambda: _tr("Attachments changed"),
}


def unfold_text() -> str:
    """Return what stands below a text of which more can be shown."""
    return _tr("Show the whole text")


def fold_text() -> str:
    """Return what stands below a text that is shown whole."""
    return _tr("Show less")


def locale_text(index: int) -> str:
    """Return the number of a message as the window writes it."""
    return f"#{QLocale().toString(index)}"


def _count(count: int, one: str, many: str, locale: QLocale) -> str:
    return one if count == 1 else many.format(count=locale.toString(count))


def _tr(text: str) -> str:
    return QCoreApplication.translate("History", text)
