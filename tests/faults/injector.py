"""File operations that fail: the k-th one below some folders, with whatever error a system gives.

Every way in which this program reaches the file system is replaced: the functions of `os`, `open`, what files written
through it do, and the one system call that is made by hand. Operations elsewhere go on as always.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from tavern_desktop.storage import moves

BY_PATH = ("replace", "rename", "unlink", "remove", "rmdir", "link", "mkdir", "truncate", "listdir", "scandir")
BY_DESCRIPTOR = ("write", "fsync", "ftruncate", "fstat")
NEEDS_ROOM = ("create", "write", "fsync", "mkdir", "link", "rename", "replace", "truncate", "ftruncate")
"""What fails on a disk that is full; on one that is broken everything does."""


class Faults:
    """Counts the file operations below `folder` while it is entered, and lets some of them fail.

    The operation `number` (from 1) fails with `error`, once, or with `stays` all that come later too: a full disk stays
    full. `number` 0: none fails. `operations` are the names of those that were asked for, in order.
    """

    def __init__(self, folder: Path, number: int = 0, error: int = 0, *, stays: bool = False) -> None:
        self.operations: list[str] = []
        self._folder = os.path.realpath(folder)
        self._number, self._error, self._stays = number, error, stays
        self._descriptors: set[int] = set()
        self._patches = pytest.MonkeyPatch()

    @property
    def has_failed(self) -> bool:
        """Whether an operation was there to fail."""
        return 0 < self._number <= len(self.operations)

    def __enter__(self) -> Faults:
        for name in BY_PATH:
            self._patches.setattr(os, name, self._by_path(name, getattr(os, name)))
        for name in BY_DESCRIPTOR:
            self._patches.setattr(os, name, self._by_descriptor(name, getattr(os, name)))
        self._patches.setattr(os, "open", self._os_open(os.open))
        self._patches.setattr(os, "close", self._os_close(os.close))
        opened = self._open(builtins.open)
        self._patches.setattr(builtins, "open", opened)
        self._patches.setattr(io, "open", opened)
        step = moves._rename_in_one_step
        self._patches.setattr(moves, "_rename_in_one_step", self._by_path("rename", step))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._patches.undo()

    def count(self, name: str, path: object) -> None:
        """Take notice of an operation. Raises the OSError that it fails with."""
        self.operations.append(name)
        number = len(self.operations)
        is_later = self._stays and 0 < self._number < number and (self._error != errno.ENOSPC or name in NEEDS_ROOM)
        if number == self._number or is_later:
            raise OSError(self._error, os.strerror(self._error), path)

    def is_ours(self, path: Any) -> bool:
        """Say whether a path leads into the folder."""
        if not isinstance(path, str | bytes | os.PathLike):
            return path in self._descriptors
        place = os.path.abspath(os.fsdecode(path))
        return place == self._folder or place.startswith(self._folder + os.sep)

    def _by_path(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def do(path: Any = ".", *more: Any, **options: Any) -> Any:
            if self.is_ours(path):
                self.count(name, path)
            return work(path, *more, **options)

        return do

    def _by_descriptor(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def do(descriptor: int, *more: Any) -> Any:
            if descriptor in self._descriptors:
                try:
                    self.count(name, None)
                except OSError:
                    if name == "write":  # a disk that gets full takes the beginning
                        work(descriptor, more[0][: len(more[0]) // 2])
                    raise
            return work(descriptor, *more)

        return do

    def _os_open(self, work: Callable[..., int]) -> Callable[..., int]:
        def do(path: Any, *more: Any, **options: Any) -> int:
            if not self.is_ours(path):
                return work(path, *more, **options)
            is_reading = not (more and more[0] & (os.O_WRONLY | os.O_RDWR))
            self.count("open" if is_reading else "create", path)
            descriptor = work(path, *more, **options)
            self._descriptors.add(descriptor)
            return descriptor

        return do

    def _os_close(self, work: Callable[[int], None]) -> Callable[[int], None]:
        def do(descriptor: int) -> None:
            self._descriptors.discard(descriptor)
            work(descriptor)

        return do

    def _open(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def do(path: Any, mode: str = "r", buffering: int = -1, *more: Any, **options: Any) -> Any:
            if not self.is_ours(path):
                return work(path, mode, buffering, *more, **options)
            if not isinstance(path, int):
                self.count("create" if set(mode) & set("wax+") else "open", path)
            raw = _File(self, path, mode.replace("b", ""))
            buffered: Any = raw
            if buffering:
                buffered = io.BufferedWriter(raw) if set(mode) & set("wax") else io.BufferedReader(raw)
            return buffered if "b" in mode else io.TextIOWrapper(buffered, *more, **options)

        return do


class _File(io.FileIO):
    """A file whose operations count."""

    def __init__(self, faults: Faults, path: Any, mode: str) -> None:
        self._faults = faults
        super().__init__(path, mode)
        faults._descriptors.add(self.fileno())

    def read(self, size: int | None = -1) -> Any:
        self._faults.count("read", self.name)
        return super().read(-1 if size is None else size)

    def readall(self) -> Any:
        self._faults.count("read", self.name)
        return super().readall()

    def readinto(self, buffer: Any) -> Any:
        self._faults.count("read", self.name)
        return super().readinto(buffer)

    def write(self, data: Any) -> int:
        try:
            self._faults.count("write", self.name)
        except OSError:
            super().write(data[: len(data) // 2])
            raise
        return super().write(data)

    def truncate(self, size: int | None = None) -> int:
        self._faults.count("truncate", self.name)
        return super().truncate(size)

    def close(self) -> None:
        if not self.closed:
            self._faults._descriptors.discard(self.fileno())
        super().close()
