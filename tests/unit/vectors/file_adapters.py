"""Adapters of the operations on files besides loading and full saves: metadata alone, and backups."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tavern_desktop.chat.header import Header
from tavern_desktop.storage import backups
from tavern_desktop.storage.metadata import save_metadata, set_extension
from tavern_desktop.storage.throttle import Throttle

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


def backup_name(path: Path, args: Args) -> dict[str, Any]:
    key = backups.key_of_name(args["name"])
    return {"file_name": backups.file_name(key, args["timestamp"], args.get("existing", []))}


def backup_prune(path: Path, args: Args) -> dict[str, Any]:
    """Ask both the rule and a real folder."""
    folder = path.parent / "backups"
    folder.mkdir()
    for file in args["files"]:
        (folder / file["file"]).write_bytes(b"")
        os.utime(folder / file["file"], (file["mtime"], file["mtime"]))
    files = [(file["file"], file["mtime"]) for file in args["files"]]
    doomed = backups.to_prune(files, args["name"], args["keep"])
    backups.BackupFolder(folder, args["keep"]).prune(args["name"])
    assert set(os.listdir(folder)) == {name for name, _ in files} - set(doomed)
    return {"delete": doomed}


def backup_throttle(path: Path, args: Args) -> dict[str, Any]:
    throttle = Throttle(args["window"])
    made: list[int] = []
    times = args["publishes"]
    last = args.get("exit", times[-1] + 10 * args["window"])
    for now in range(last + 1):
        if (throttle.due == now or now == args.get("exit")) and throttle.end(now):
            made.append(now)
        if now in times and throttle.publish(now):
            made.append(now)
    return {"backups": made}


FILE_ADAPTERS: dict[str, Callable[[Path, Args], dict[str, Any]]] = {
    "metadata_replace": metadata_replace,
    "set_extension": extension,
    "backup_name": backup_name,
    "backup_prune": backup_prune,
    "backup_throttle": backup_throttle,
}
