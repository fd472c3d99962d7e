"""Keeping journals small: old versions become fewer, recent ones stay, and no chat pays for another.

Of the last two days every version stays; of the last two weeks one an hour, of the last year one a day, and one a month
of what is older: always the last of each. The version before a shrink (ten messages or half of the chat gone at once)
stays too. A journal may have as many bytes as twice its chat, at least 64 MiB; where that is not enough, all of it
counts as four and sixteen times as old, and then the oldest versions go, but none since the last shrink.

Neighbouring changes are joined into what they come to. Only closed files of a journal are rewritten, one step at a
time, so that a crash leaves a journal that is whole.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tavern_desktop.chat.delta_net import composed
from tavern_desktop.chat.deltas import DeltaMismatch
from tavern_desktop.storage import gcpause
from tavern_desktop.storage.errors import StorageError, from_os
from tavern_desktop.storage.journal import FULL_BYTES, Journal
from tavern_desktop.storage.journal_folders import REMOVED, folder_size, remove_journal
from tavern_desktop.storage.journal_format import Meta, entry_frame, framed
from tavern_desktop.storage.journal_segments import Segment
from tavern_desktop.storage.journal_state import kept_state

_HOUR = 3_600_000
_DAY = 24 * _HOUR

KEPT_WHOLE = 2 * _DAY
"""Milliseconds for which every version stays."""
STEPS = ((14 * _DAY, _HOUR), (365 * _DAY, _DAY))
"""Up to which age one version in which time stays, both in milliseconds; one a month of what is older."""
_MONTH = 30 * _DAY

LEAST_LIMIT = 64 * 1024 * 1024
"""Bytes that every journal may have."""
HASTE = (1, 4, 16)
"""By how much older everything counts, one after another, while a journal is too large."""
_JOINED_BYTES = 2 * 1024 * 1024
"""Files are joined while they have at most so many bytes together."""
MOST_IN_ALL = 2 * 1024 * 1024 * 1024
"""Bytes of the journals of a data root together."""
LEAST_KEPT = 1024 * 1024
"""Bytes that a journal may have however many others there are."""
_GONE_FOR = 180 * _DAY
WORK = 16 * 1024 * 1024
"""Bytes that are rewritten in one go; what is more waits for the next time."""


def thin(journal: Journal, chat_bytes: int, now_ms: int, *, limit: int | None = None, work: int = WORK) -> bool:
    """Thin a journal; return whether there is more to do. Runs on the chat's lane. Raises StorageError.

    `chat_bytes` is the size of the chat's file; `limit` replaces what a journal may have.
    """
    most = max(LEAST_LIMIT, 2 * chat_bytes) if limit is None else limit
    for haste in HASTE:
        if haste > 1 and journal.size <= most:
            break
        work = _thin_by_age(journal, now_ms, haste, work)
        if work <= 0:
            return True
    _drop_oldest(journal, most)
    return False


def groups(metas: Iterable[Meta], now_ms: int, haste: int = 1, kept: Collection[int] = ()) -> list[list[Meta]]:
    """Return changes, the oldest first, in groups that become one each. `kept` are states that stay in any case."""
    found: list[list[Meta]] = []
    bucket = None
    for meta in metas:
        its_bucket = _bucket(meta, now_ms, haste)
        if found and bucket == its_bucket is not None and not meta.is_shrink and meta.before not in kept:
            found[-1].append(meta)
        else:
            found.append([meta])
        bucket = its_bucket
    return found


def _bucket(meta: Meta, now_ms: int, haste: int) -> tuple[int, int] | None:
    """Return what changes have in common of which one stays; None for one that stays by itself."""
    age = (now_ms - meta.at_ms) * haste
    if age < KEPT_WHOLE:
        return None
    span = next((span for until, span in STEPS if age < until), _MONTH)
    return span, meta.at_ms // span


@dataclass(frozen=True, slots=True)
class _Cluster:
    """Neighbouring files that become one, and the changes that it will have."""

    segments: list[Segment]
    groups: list[list[Meta]]

    @property
    def size(self) -> int:
        return sum(segment.end for segment in self.segments)

    @property
    def is_worth_it(self) -> bool:
        """Say whether something is joined: changes, or files that have become small."""
        are_small = len(self.segments) > 1 and self.size < FULL_BYTES
        return are_small or any(len(group) > 1 for group in self.groups)


def _thin_by_age(journal: Journal, now_ms: int, haste: int, work: int) -> int:
    """Join what is to be joined; return how many bytes of work are left."""
    state = kept_state(journal.folder)
    published = journal.published
    kept = {state[0] if state else 0, published.number if published else 0}
    for cluster in list(_clusters(journal.segments[:-1], now_ms, haste, kept)):
        if not cluster.is_worth_it:
            continue
        if work <= 0:
            return 0
        work -= cluster.size
        with gcpause.paused():
            journal.rewrite(cluster.segments, list(_frames(journal, cluster)))
    return work


def _clusters(segments: Sequence[Segment], now_ms: int, haste: int, kept: Collection[int]) -> Iterator[_Cluster]:
    waiting: list[Segment] = []
    for segment in segments:
        if waiting and sum(one.end for one in waiting) + segment.end > _JOINED_BYTES:
            yield _cluster(waiting, now_ms, haste, kept)
            waiting = []
        waiting.append(segment)
    if waiting:
        yield _cluster(waiting, now_ms, haste, kept)


def _cluster(segments: list[Segment], now_ms: int, haste: int, kept: Collection[int]) -> _Cluster:
    metas = [meta for segment in segments for meta in segment.metas]
    return _Cluster(segments, groups(metas, now_ms, haste, kept))


def _frames(journal: Journal, cluster: _Cluster) -> Iterator[bytes]:
    for group in cluster.groups:
        try:
            yield _joined(journal, group)
        except (StorageError, DeltaMismatch):  # one of them is damaged: they stay as they are
            yield from (framed(meta, journal.payload(meta.number)) for meta in group)
    note = next((segment.published for segment in reversed(cluster.segments) if segment.published), None)
    if note is not None:
        yield framed(note)


def thin_all(journals: Path, root: Path | None, now_ms: int, busy: Collection[str], *, most: int = MOST_IN_ALL) -> None:
    """See to it that the journals of a data root have no more than `most` bytes together. Raises StorageError.

    First those go whose chats have been gone for half a year, the longest unused first; then the largest are thinned
    to half their size, one after another, but none below a megabyte. `busy` are the names of the folders of chats that
    are open: these are left alone.
    """
    size = folder_size(journals)
    if size <= most:
        return
    found = [one for folder in (journals, journals / REMOVED) for one in _unused(folder, busy)]
    for one in sorted(found, key=lambda one: one.used_ms):
        if size > most and now_ms - one.used_ms > _GONE_FOR and not one.has_chat(root):
            remove_journal(one.folder)
            size -= one.size
    by_size = sorted((one for one in found if one.folder.is_dir()), key=lambda one: -one.size)
    for one in by_size:
        if size <= most or one.size <= LEAST_KEPT:
            break
        journal = Journal(one.folder, one.chat)
        thin(journal, 0, now_ms, limit=max(one.size // 2, LEAST_KEPT))
        size -= one.size - journal.size


@dataclass(frozen=True, slots=True)
class _Unused:
    """The journal of a chat that is not open. `chat` is its name as of `chat_name`, "" where that is not known."""

    folder: Path
    chat: str
    used_ms: int
    size: int

    def has_chat(self, root: Path | None) -> bool:
        """Say whether the chat may still be there; while the data root is not, all of them may."""
        if not self.chat or self.folder.parent.name == REMOVED:
            return not self.chat
        return (root is not None and not root.is_dir()) or os.path.lexists(Path(root or "/", self.chat))


def _unused(journals: Path, busy: Collection[str]) -> Iterator[_Unused]:
    try:
        folders = [Path(entry.path) for entry in os.scandir(journals) if entry.is_dir() and entry.name not in busy]
    except FileNotFoundError:
        return
    except OSError as error:
        raise from_os(error, "list", journals) from None
    for folder in folders:
        segments = Journal(folder).segments
        if segments:
            used_ms = max((segment.metas[-1].at_ms for segment in segments if segment.metas), default=0)
            yield _Unused(folder, segments[-1].chat, used_ms, folder_size(folder))


def _joined(journal: Journal, group: Sequence[Meta]) -> bytes:
    """Return what becomes of a group of changes."""
    last = group[-1]
    if len(group) == 1:
        return framed(last, journal.payload(last.number))
    delta = composed(journal.delta(meta.number) for meta in group)
    joined = sum(meta.joined for meta in group)
    first = group[0]
    return entry_frame(
        last.number, first.before, last.at_ms, last.kind, last.label, delta, None, joined, first.is_shrink
    )


def _drop_oldest(journal: Journal, most: int) -> None:
    """Remove the oldest files of a journal that is too large, but none that leads back before the last shrink."""
    count, size = 0, journal.size
    droppable = journal.segments[:-1]
    last_shrink = max((i for i, segment in enumerate(droppable) if _has_shrink(segment)), default=len(droppable))
    while count < last_shrink and size > most:
        size -= droppable[count].end
        count += 1
    if count:
        journal.drop_oldest(count)


def _has_shrink(segment: Segment) -> bool:
    return any(meta.is_shrink for meta in segment.metas)
