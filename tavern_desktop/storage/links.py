"""Reading the links of a chat file without loading it: a pass over its lines that decodes only those with links."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tavern_desktop.chat import jsontext, links
from tavern_desktop.chat.jsontext import JsonTextError
from tavern_desktop.chat.links import Link
from tavern_desktop.storage import format as chat_format
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.format import ChatKind
from tavern_desktop.storage.reader import BLOCK_SIZE, Cancelled, blocks, opened


@dataclass(frozen=True, slots=True)
class FileLinks:
    """What a chat file points to: the chat it comes from ("" for none), and those made from its messages.

    `messages` is how many it has, damaged ones too.
    """

    parent: str
    links: tuple[Link, ...]
    messages: int

    def leads_to(self, stem: str) -> bool:
        """Tell whether it points to the chat `stem`."""
        return self.parent == stem or any(link.target == stem for link in self.links)


def read_links(path: Path, *, kind: ChatKind = "character", cancelled: Cancelled | None = None) -> FileLinks:
    """Read the links of a chat; messages that cannot be read have none.

    Raises StorageError: not_found, bad_header, bad_encoding for the first line, cancelled, io.
    """
    parent = ""
    found: list[Link] = []
    try:
        with opened(path) as (file, signature):
            stream = chat_format.records(blocks(file, signature.size, BLOCK_SIZE, path, cancelled))
            index = -1
            for line, offset, raw in stream:
                if index < 0:
                    first = chat_format.decode_record(raw, record=0, line=line, offset=offset, is_first=True)
                    index = 0
                    if chat_format.is_header_first(kind, first):
                        chat_format.validate_header(first, record=0, line=line, offset=offset)
                        parent = links.parent_of(first.get("chat_metadata") or {})
                        continue
                found += _links_in(index, raw)
                index += 1
    except StorageError as error:
        raise error.with_facts(chat_ref=path) from None
    return FileLinks(parent, tuple(found), max(index, 0))


def _links_in(index: int, raw: bytes) -> list[Link]:
    if not links.may_link(raw):
        return []
    try:
        return links.links_of(index, jsontext.decode(raw))
    except JsonTextError:
        return []
