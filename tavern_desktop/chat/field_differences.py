"""What else than its text changed in a message, and which parts of a chat's metadata did."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal, NamedTuple

from tavern_desktop.chat import facts, jsontext
from tavern_desktop.chat.facts import Record
from tavern_desktop.chat.header import NOT_SAVED, Header
from tavern_desktop.chat.message import ID_FIELD

What = Literal[
    "speaker",
    "role",
    "hidden",
    "date",
    "swipes_added",
    "swipes_removed",
    "swipes_edited",
    "swipe_chosen",
    "reasoning",
    "translation",
    "attachments",
    "other",
]


class FieldChange(NamedTuple):
    """A part of a message that changed, as it was and as it is.

    Values are texts; numbers for swipes (how many; `swipe_chosen` counts from 1); booleans for `hidden`; None for
    what a sentence would not tell. Of `other`, `after` names the fields.
    """

    what: What
    before: Any = None
    after: Any = None


_READ = frozenset(
    (facts.TEXT_FIELD, "name", "is_user", "is_system", "send_date", "swipes", "swipe_id", "swipe_info", "extra", "role")
)
"""Fields that are looked at one by one."""
_READ_EXTRA = frozenset(("reasoning", "display_text", "media", "image", "image_swipes", "video", "title"))
_UNTOLD = frozenset((ID_FIELD, "gen_started", "gen_finished", "gen_id"))
"""Fields that come along with other changes, and mean nothing to a person."""
_UNTOLD_METADATA = frozenset(("tainted", NOT_SAVED))


def field_changes(before: Record, after: Record) -> tuple[FieldChange, ...]:
    """Return what a later version of a message changed besides its text."""
    found = [
        *_plain(before, after, "speaker", facts.name),
        *_plain(before, after, "hidden", facts.is_hidden),
        *_swipes(before, after),
        *_silent(before, after, "date", lambda data: data.get("send_date")),
        *_silent(before, after, "reasoning", facts.reasoning),
        *_silent(before, after, "translation", lambda data: facts.extra(data).get("display_text")),
        *_silent(before, after, "attachments", facts.media),
    ]
    if facts.role({**before, "is_system": False}) != facts.role({**after, "is_system": False}):
        found.append(FieldChange("role"))
    names = [*_names(before, after, _READ), *_names(facts.extra(before), facts.extra(after), _READ_EXTRA)]
    if names:
        found.append(FieldChange("other", None, ", ".join(names)))
    return tuple(found)


def metadata_changes(before: Header, after: Header) -> tuple[str, ...]:
    """Return the names of the parts of the metadata that differ, but for the mark that a chat was changed."""
    if before == after:
        return ()
    return tuple(_names(before.metadata(), after.metadata(), _UNTOLD_METADATA))


def _plain(before: Record, after: Record, what: What, read: Any) -> list[FieldChange]:
    was, became = read(before), read(after)
    return [] if was == became else [FieldChange(what, was, became)]


def _silent(before: Record, after: Record, what: What, read: Any) -> list[FieldChange]:
    return [] if read(before) == read(after) else [FieldChange(what)]


def _swipes(before: Record, after: Record) -> list[FieldChange]:
    """Compare the alternatives. The shown one that was edited is no other alternative: its words are marked."""
    old, new = facts.swipes(before), facts.swipes(after)
    went, came = Counter(old.texts) - Counter(new.texts), Counter(new.texts) - Counter(old.texts)
    shown_before, shown_after = facts.text(before), facts.text(after)
    was_edited = bool(went[shown_before] and came[shown_after])
    gone, arrived = went.total() - was_edited, came.total() - was_edited
    found = []
    if gone and gone == arrived:
        found.append(FieldChange("swipes_edited", gone, arrived))
    else:
        found += [FieldChange("swipes_added", 0, arrived)] if arrived else []
        found += [FieldChange("swipes_removed", gone, 0)] if gone else []
    if shown_before != shown_after and not was_edited and len(new) > 1:
        found.append(FieldChange("swipe_chosen", old.current + 1, new.current + 1))
    return found


def _names(before: Record, after: Record, known: frozenset[str]) -> list[str]:
    """Return the names of other fields that differ, in the order of the later version."""
    names = dict.fromkeys([*after, *before])
    return [
        name
        for name in names
        if name not in known
        and name not in _UNTOLD
        and not ((name in before) == (name in after) and jsontext.same(before.get(name), after.get(name)))
    ]
