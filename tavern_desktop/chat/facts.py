"""What a message record says, read tolerantly: whatever stands in a field, an answer and never an error.

Records come from several programs and versions; fields are missing or of another type (chat files §4). Reading
falls back quietly, and nothing here changes a record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from tavern_desktop.chat.dates import parse_date

Record = dict[str, Any]
Role = Literal["user", "assistant", "system", "tool"]
Kind = Literal["user", "character", "narrator", "comment", "tool", "notice", "hidden", "special"]
MediaType = Literal["image", "video", "audio"]

TEXT_FIELD = "mes"
OWN_FIELD = "tavern_desktop"
"""Of what is ours in `extra` (decision D1)."""

NOTICE_TYPES = frozenset(
    [
        "help",
        "welcome",
        "group",
        "empty",
        "generic",
        "slash_commands",
        "formatting",
        "hotkeys",
        "macros",
        "welcome_prompt",
        "assistant_note",
    ]
)
"""Values of `extra.type` by which SillyTavern's interface marks its own notices."""


@dataclass(frozen=True, slots=True)
class Swipes:
    """The alternatives of a message: at least one text, and which of them is shown."""

    texts: tuple[str, ...]
    current: int
    is_recorded: bool = True
    """Whether `swipe_id` points at this one; if not, a change of the swipes has to settle it first."""

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True, slots=True)
class Media:
    """A picture, video or sound that goes with a message."""

    type: MediaType
    url: str
    title: str = ""


def extra(data: Record) -> Record:
    """Return `extra` where it is an object, else an empty one."""
    value = data.get("extra")
    return value if isinstance(value, dict) else {}


def role(data: Record) -> Role:
    """Return whose message it is (storage contract 14.2)."""
    if data.get("is_user"):
        return "user"
    if data.get("role") == "tool":
        return "tool"
    return "system" if data.get("is_system") else "assistant"


def envelope(data: Record) -> Record | None:
    """Return what makes a message a special one (structured cards §3), None for any other; it is read by `cards`."""
    own = extra(data).get(OWN_FIELD)
    found = own.get("card") if isinstance(own, dict) else None
    return found if isinstance(found, dict) else None


def kind(data: Record) -> Kind:
    """Return what sort of message it is. `is_hidden` is asked apart: a user's message may be hidden too."""
    more = extra(data)
    if envelope(data) is not None:
        return "special"
    if data.get("is_user"):
        return "user"
    if data.get("role") == "tool" or isinstance(more.get("tool_invocations"), list):
        return "tool"
    mark = more.get("type")
    if mark == "narrator":
        return "narrator"
    if mark == "comment":
        return "comment"
    if not data.get("is_system"):
        return "character"
    return "notice" if more.get("uses_system_ui") or _among(mark, NOTICE_TYPES) else "hidden"


def is_hidden(data: Record) -> bool:
    """Say whether the message is kept out of prompts."""
    return bool(data.get("is_system"))


def may_hide(data: Record) -> bool:
    """Say whether hiding and unhiding make sense: not where the flag means something else (chat files §11)."""
    return kind(data) not in ("comment", "notice", "tool", "special")


def may_swipe(data: Record) -> bool:
    """Say whether the message can have alternatives."""
    more = extra(data)
    return (
        kind(data) not in ("user", "tool", "special")
        and not more.get("isSmallSys")
        and more.get("swipeable") is not False
    )


def name(data: Record) -> str:
    """Return the speaker's name, "" if there is none."""
    return _string(data.get("name"))


def text(data: Record) -> str:
    """Return the text of the message: `mes`; where there is none, as in a swipe broken off, the alternative shown."""
    own = _string(data.get(TEXT_FIELD))
    if own:
        return own
    alternatives = swipes(data)
    return alternatives.texts[alternatives.current]


def shown_text(data: Record) -> str:
    """Return the text to show: a translation where there is one, else the text."""
    return _string(extra(data).get("display_text")) or text(data)


def reasoning(data: Record) -> str:
    """Return the thinking that led to the text, "" if there is none."""
    return _string(extra(data).get("reasoning"))


def send_date_ms(data: Record) -> int | None:
    """Return when the message was sent, in milliseconds since 1970, None where that cannot be told."""
    return parse_date(data.get("send_date"))


def swipes(data: Record) -> Swipes:
    """Return the alternatives as a person should see them (known failures B-24, B-26).

    The current one is always the text of the message. Where the recorded index points nowhere it is the alternative
    that says the same; a text found in none of them is one more alternative, so that nothing is lost.
    """
    own = data.get(TEXT_FIELD)
    slots = data.get("swipes")
    if not isinstance(slots, list) or not slots:
        return Swipes((_string(own),), 0, is_recorded=False)
    texts = [slot_text(slot) for slot in slots]
    recorded = index_of(data.get("swipe_id"))
    if recorded is not None and 0 <= recorded < len(texts):
        if isinstance(own, str):
            texts[recorded] = own
        return Swipes(tuple(texts), recorded)
    nearest = 0 if recorded is None or recorded < 0 else len(texts) - 1
    if not isinstance(own, str) or not own or own == texts[nearest]:
        return Swipes(tuple(texts), nearest, is_recorded=False)
    if own in texts:
        return Swipes(tuple(texts), texts.index(own), is_recorded=False)
    return Swipes((*texts, own), len(texts), is_recorded=False)


def slot_text(slot: object) -> str:
    """Return the text of an entry of `swipes`; some importers leave an object there."""
    return _string(slot.get("message") if isinstance(slot, dict) else slot)


def index_of(value: object) -> int | None:
    """Read an index that may be written as a string or a float; None if it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and len(value) < 10 and value.strip().lstrip("-").isdecimal():
        return int(value) if value.strip().count("-") < 2 else None
    return None


def media(data: Record) -> list[Media]:
    """Return the attached media, in today's form and the forms before 1.14, each URL once."""
    more = extra(data)
    found = [_media_item(item) for item in _items(more.get("media"))]
    found += [_media("image", url) for url in _items(more.get("image_swipes"))]
    found += [_media("image", more.get("image"), more.get("title")), _media("video", more.get("video"))]
    by_url: dict[str, Media] = {}
    for item in found:
        if item is not None:
            by_url.setdefault(item.url, item)
    return list(by_url.values())


def _media_item(item: object) -> Media | None:
    if not isinstance(item, dict):
        return None
    return _media(item.get("type"), item.get("url"), item.get("title"))


def _media(media_type: object, url: object, title: object = "") -> Media | None:
    if not isinstance(url, str) or not url:
        return None
    if media_type == "video" or media_type == "audio":
        return Media(media_type, url, _string(title))
    return Media("image", url, _string(title))


def _items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _among(value: object, names: frozenset[str]) -> bool:
    return isinstance(value, str) and value in names
