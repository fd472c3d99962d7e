"""Which file a picture's address means: only files of the user's own folder, never anything from a network."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from tavern_desktop.library.data_root import DataRoot

_THUMBNAILS = {"avatar": "characters", "persona": "User Avatars", "bg": "backgrounds"}


def resolve_picture(root: DataRoot, url: str) -> Path | None:
    """Return the file that `url` (`force_avatar`, `extra.media`, Markdown) means, None if there is none here.

    Known are the forms SillyTavern writes: `/thumbnail?type=avatar&file=…`, `User Avatars/x.png`,
    `/user/images/…`. Addresses of networks, other schemes and paths that lead out of the folder give None.
    """
    folder = os.path.realpath(root.user_folder)
    for relative in _candidates(url):
        if "\0" in relative:
            continue
        path = os.path.realpath(os.path.join(folder, relative))
        if os.path.commonpath([folder, path]) == folder and os.path.isfile(path):
            return Path(path)
    return None


def _candidates(url: str) -> Iterator[str]:
    """Yield the paths an address may mean; names may hold `%`, `#` and `?` and be encoded or not."""
    if url.startswith(("/thumbnail?", "thumbnail?")):
        yield from _thumbnail(url)
        return
    path = url.replace("\\", "/").lstrip("/")
    if ":" in path.split("/", 1)[0]:
        return
    if url.startswith("//"):
        return
    yield path
    yield unquote(path)
    yield unquote(path.split("#", 1)[0].split("?", 1)[0])


def _thumbnail(url: str) -> Iterator[str]:
    query = parse_qs(urlsplit(url).query)
    folder = _THUMBNAILS.get(query.get("type", [""])[0])
    for name in query.get("file", [])[:1]:
        if folder is not None:
            yield f"{folder}/{name}"
