"""The card in a file of any kind: a PNG, JSON, or a CharX archive. Judged by what is in it, not by its name (B-35)."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from typing import Any

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.jsontext import JsonTextError
from tavern_desktop.library.card_file import PNG, CardError, json_in_png, what_it_is

MOST_BYTES = 256 << 20
"""No card file is larger; more is not read into memory."""
MOST_JSON = 64 << 20
EMBEDDED = ("embeded://", "embedded://", "__asset:")
"""How a CharX card names its own pictures; the misspelling is the format's."""


@dataclass(frozen=True, slots=True)
class FoundCard:
    """A card as its file says it.

    `picture` is the file itself where that is a PNG, a picture of any kind from an archive, None where there is none.
    `left_out` counts other things in the archive.
    """

    card: dict[str, Any]
    picture: bytes | None = None
    left_out: int = 0


def card_in(data: bytes) -> FoundCard:
    """Return the card in the bytes of a file. Raises CardError, with one sentence on what the file is."""
    if data.startswith(PNG):
        return FoundCard(_decoded(json_in_png(io.BytesIO(data)), "The picture's character card"), data)
    if zipfile.is_zipfile(io.BytesIO(data)):  # also behind a picture or a program that unpacks it
        return _in_archive(data)
    text = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] in (b"{", b"["):
        return FoundCard(_in_json(text))
    raise CardError(what_it_is(data[:64], "a character card"))


def _in_json(text: bytes) -> dict[str, Any]:
    """Return the card a JSON text holds, also as the one thing in a list."""
    is_list = text.startswith(b"[")
    card = _decoded(b'{"list":' + text + b"}" if is_list else text, "The file")
    if is_list:
        cards = card["list"]
        if len(cards) != 1 or not isinstance(cards[0], dict):
            raise CardError(f"The file is a JSON list of {len(cards)} things, not one character card.")
        card = cards[0]
    if not _is_card(card):
        raise CardError("The file is JSON, but no character card.")
    return card


def _is_card(card: dict[str, Any]) -> bool:
    """Tell a card from other JSON, such as chats, which often have a name too."""
    if "spec" in card or "char_name" in card:
        return True
    has_fields = any(field in card for field in ("description", "personality", "first_mes", "mes_example"))
    return "name" in card and has_fields and not isinstance(card.get("messages"), list)


def _decoded(text: bytes, what: str) -> dict[str, Any]:
    try:
        return jsontext.decode(text)
    except JsonTextError:
        raise CardError(f"{what} is not readable (not JSON).") from None


def _in_archive(data: bytes) -> FoundCard:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            if "card.json" not in names:
                raise CardError("The file is a ZIP archive without a character card in it.")
            card = _in_json(_member(archive, "card.json").lstrip())
            icon = _icon_name(card)
            picture = _member(archive, icon) if icon in names else None
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError):
        raise CardError("The file is a ZIP archive that is damaged or locked.") from None
    taken = 1 + (picture is not None)
    return FoundCard(card, picture, sum(not name.endswith("/") for name in names) - taken)


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    with archive.open(name) as file:
        found = file.read(MOST_JSON + 1)
    if len(found) > MOST_JSON:
        raise CardError("The file is a ZIP archive whose content is too large.")
    return found


def _icon_name(card: dict[str, Any]) -> str:
    """Return where in the archive the character's picture is: the icon called main, else the first; "" for none."""
    data = card.get("data")
    assets = data.get("assets") if isinstance(data, dict) else None
    listed = assets if isinstance(assets, list) else []
    icons = [one for one in listed if isinstance(one, dict) and one.get("type") == "icon"]
    icons.sort(key=lambda one: one.get("name") != "main")
    for icon in icons:
        uri = icon.get("uri")
        start = next((start for start in EMBEDDED if isinstance(uri, str) and uri.startswith(start)), None)
        if start is not None:
            return str(uri)[len(start) :]
    return ""
