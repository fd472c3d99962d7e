"""Adapters of the operations on files besides loading and full saves: metadata alone, and backups."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tavern_desktop.chat.header import Header
from tavern_desktop.storage.metadata import save_metadata, set_extension

Args = dict[str, Any]


def metadata_replace(path: Path, args: Args) -> dict[str, Any]:
    save_metadata(path, args["metadata"], force=args["force"])
    return _header_and_body(path)


def extension(path: Path, args: Args) -> dict[str, Any]:
    set_extension(path, args["namespace"], args["value"])
    return _header_and_body(path)


def _header_and_body(path: Path) -> dict[str, Any]:
    """Check what holds for every such file, and take it apart."""
    data = path.read_bytes()
    assert data.startswith(b"{")
    line, line_end, body = data.partition(b"\n")
    assert line_end == b"\n"
    assert b"\r" not in line
    return {"header": Header(line).data(), "body": body}


FILE_ADAPTERS: dict[str, Callable[[Path, Args], dict[str, Any]]] = {
    "metadata_replace": metadata_replace,
    "set_extension": extension,
}
