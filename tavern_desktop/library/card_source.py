"""The card in a file of any kind: a PNG, JSON, YAML, or an archive. Judged by what is in it, not by its name (B-35)."""

from __future__ import annotations

import codecs
import io
import re
import zipfile
from dataclasses import dataclass
from functools import partial
from typing import Any

from tavern_desktop.cards.errors import PayloadError
from tavern_desktop.cards.yaml_reading import read_value
from tavern_desktop.chat import jsontext
from tavern_desktop.chat.jsontext import JsonTextError
from tavern_desktop.library.byaf import card_from
from tavern_desktop.library.card_file import PNG, CardError, json_in_png, what_it_is

MOST_BYTES = 256 << 20
"""No card file is larger; more is not read into memory."""
MOST_JSON = 64 << 20
_MARKS = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_YAML = re.compile(rb"(?:(?:#[^\n]*|---)?\s*\n)*(?:spec|name|char_name|context|greeting)[ \t]*:")
_YAML_NAMES = {"context": "description", "greeting": "first_mes"}
EMBEDDED = ("embeded://", "embedded://", "__asset:")
"""How a CharX card names its own pictures; the misspelling is the format's."""


@dataclass(frozen=True, slots=True)
class FoundCard:
    """A card as its file says it.

    `picture` is the file itself where that is a PNG, a picture of any kind from an archive, None where there is none.
    `left_out` counts other things in the archive; `notes` are sentences on how the file had to be read.
    """

    card: dict[str, Any]
    picture: bytes | None = None
    left_out: int = 0
    notes: tuple[str, ...] = ()


def card_in(data: bytes) -> FoundCard:
    """Return the card in the bytes of a file. Raises CardError, with one sentence on what the file is."""
    if data.startswith(PNG):
        return FoundCard(_decoded(json_in_png(io.BytesIO(data)), "The picture's character card"), data)
    if zipfile.is_zipfile(io.BytesIO(data)):  # also behind a picture or a program that unpacks it
        return _in_archive(data)
    text, notes = in_utf8(data)
    if text[:1] in (b"{", b"["):
        return FoundCard(_in_json(text), notes=notes)
    if _YAML.match(text):
        return FoundCard(_in_yaml(text), notes=notes)
    raise CardError(what_it_is(data[:64], "a character card"))


def in_utf8(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Return a text file's bytes as UTF-8 without what marks its encoding, and a sentence where it was another one."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            text = data[len(mark) :].decode(encoding, "replace")
            return text.lstrip().encode("utf-8", "surrogatepass"), ("It was written in UTF-16.",)
    data = data.removeprefix(codecs.BOM_UTF8).lstrip()
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        if b"\0" in data[:64]:
            return data, ()
        return data.decode("cp1252", "replace").encode(), ("It was not written in UTF-8; Windows-1252 was assumed.",)
    return data, ()


def _in_yaml(text: bytes) -> dict[str, Any]:
    """Return the card that a YAML text holds: a whole one, or the few fields that Pygmalion's tools wrote (§A8)."""
    try:
        card = read_value(text.decode("utf-8", "replace"))
    except PayloadError as error:
        raise CardError(f"The file is YAML that cannot be read ({error.sentence.rstrip('.')}).") from None
    if not isinstance(card, dict) or not isinstance(card.get("name") or card.get("char_name"), str):
        raise CardError("The file is YAML, but no character card.")
    return {_YAML_NAMES.get(str(name), str(name)): value for name, value in card.items()}


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
            if "manifest.json" in names and "card.json" not in names:
                return _in_byaf(archive)
            if "card.json" not in names:
                raise CardError("The file is a ZIP archive without a character card in it.")
            card = _in_json(_member(archive, "card.json").lstrip())
            icon = _icon_name(card)
            picture = _member(archive, icon) if icon in names else None
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError):
        raise CardError("The file is a ZIP archive that is damaged or locked.") from None
    taken = 1 + (picture is not None)
    return FoundCard(card, picture, sum(not name.endswith("/") for name in names) - taken)


def _in_byaf(archive: zipfile.ZipFile) -> FoundCard:
    found = card_from(partial(_member, archive))
    names = archive.namelist()
    picture = _member(archive, found.picture) if found.picture in names else None
    notes = (f"{found.chats} chats in the archive were left out.",) if found.chats else ()
    others = sum(not name.endswith("/") for name in names) - found.used
    return FoundCard(found.card, picture, max(0, others), notes)


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
