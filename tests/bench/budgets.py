"""What the program may cost: one line a budget, with the probe that measures it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SIZES = (1_000, 10_000, 100_000)
QUICK_SIZES = (20, 60)
CHATS_PER_SIZE = 100
"""A library has a hundredth as many chats as a chat has messages: 10, 100 and 1,000."""


@dataclass(frozen=True, slots=True)
class Budget:
    """A cost and its limit.

    `probe` is `module:function` below `tests.bench`. With `against`, the measured value is divided by a baseline
    from the same run and `limit` is a factor; without, `limit` is in `unit`. `tail_limit` holds the sample's tail.
    `growth` is how the value may grow with the size: 1 linear, 0 not at all, None where only one size makes sense.
    """

    name: str
    what: str
    probe: str
    limit: float
    unit: Literal["s", "MB", "B", "share"]
    against: str | None = None
    tail_limit: float | None = None
    growth: int | None = 0
    input: Literal["chat", "library"] = "chat"


BUDGETS = (
    Budget("P1", "whole load, off the GUI thread", "probe_storage:whole_load", 1.3, "s", "bare decode", growth=1),
    Budget("P2", "click to newest messages painted", "probe_window:newest_painted", 1.5, "s", "100 messages"),
    Budget("P3", "longest stall while loading", "probe_window:stall_while_loading", 0.050, "s", tail_limit=0.016),
    Budget("P3", "longest stall while saving", "probe_window:stall_while_saving", 0.050, "s", tail_limit=0.016),
    Budget("P3", "longest stall while merging", "probe_merge:stall_while_merging", 0.050, "s", tail_limit=0.016),
    Budget("P3", "longest stall while following", "probe_follow:stall_while_following", 0.050, "s", tail_limit=0.016),
    Budget("P4", "memory growth by loading", "probe_storage:memory_of_load", 1.15, "MB", "file size", growth=1),
    Budget(
        "P4", "the same, alternatives on disk", "probe_storage:memory_of_cold_load", 0.6, "MB", "file size", growth=1
    ),
    Budget(
        "P4", "the same, mostly alternatives", "probe_storage:memory_of_many_swipes", 0.6, "MB", "file size", growth=1
    ),
    Budget("P5", "edit, full save, durable", "probe_storage:edit_and_save", 1.5, "s", "copy + fsync", growth=1),
    Budget(
        "P5", "the same by the program, journal too", "probe_session:edit_and_save", 1.5, "s", "copy + fsync", growth=1
    ),
    Budget(
        "P6", "metadata saved by the program", "probe_session:metadata_and_save", 1.3, "s", "copy + fsync", growth=1
    ),
    Budget("P7", "snapshot for a save", "probe_storage:snapshot", 0.005, "s"),
    Budget("P8", "frame while scrolling, all mounted", "probe_surface:frame", 0.008, "s", tail_limit=0.016),
    Budget("P9", "jump to any message, painted", "probe_surface:jump", 0.030, "s"),
    Budget("P10", "streaming update of the last row", "probe_surface:streaming", 1.2, "s", "100 rows"),
    Budget("P10", "the same while it is not in the chat", "probe_streaming:live_row", 1.2, "s", "100 rows"),
    Budget("P11", "2,000 chunks a second: behind by", "probe_streaming:behind", 0.1, "s"),
    Budget("P11", "the same: CPU", "probe_streaming:cpu", 0.5, "share"),
    Budget("R1", "Send to the request leaving, 8k tokens", "probe_replies:request_leaves", 0.100, "s"),
    Budget("P12", "search all chats, any case", "probe_search:any_case", 2.0, "s", "grep -rliF", growth=1),
    Budget("P12", "search all chats, exact case", "probe_search:exact_case", 2.0, "s", "grep -rlF", growth=1),
    Budget("P14", "start to usable window, index warm", "probe_start:start", 2.0, "s", "empty window", input="library"),
    Budget("P15", "recents without index: first rows", "probe_library:first_rows", 0.1, "s", input="library"),
    Budget("P15", "recents without index: all", "probe_library:all_rows", 2.0, "s", growth=1, input="library"),
    Budget("P16", "memory, idle, small chat open", "probe_start:memory", 1.5, "MB", "empty window", growth=None),
    Budget("J1", "journal growth by a word edited", "probe_journal:bytes_of_an_edit", 250, "B"),
    Budget("J2", "list of 1,000 versions", "probe_journal:list_of_versions", 0.05, "s"),
    Budget("J3", "chat as it was 1,000 versions ago", "probe_journal:oldest_version", 0.3, "s"),
    Budget("M1", "read and merge, 100 changed on each side", "probe_merge:merge", 3.0, "s", "read", growth=1),
    Budget("M2", "open with 100 changes that were not saved", "probe_merge:reopening", 1.5, "s", "open", growth=1),
    Budget("H1", "1,000 versions listed, painted", "probe_history:versions_listed", 0.3, "s"),
    Budget("H2", "one of them compared, painted", "probe_history:version_compared", 0.3, "s"),
    Budget("C1", "1,000 payloads of 4 KB read", "probe_cards:parse", 1.0, "s", growth=None),
    Budget("C2", "1,000 special messages loaded", "probe_cards:whole_load", 1.3, "s", "bare decode", growth=None),
    Budget("C3", "newest of 1,000 of them painted", "probe_cards:newest_painted", 1.5, "s", "100 of them", growth=None),
    Budget("C4", "frame, table of 100,000 rows", "probe_cards:table_frame", 0.008, "s", tail_limit=0.016, growth=None),
    Budget("C5", "frame, 1,000 special messages", "probe_cards:frame", 0.008, "s", tail_limit=0.016, growth=None),
    Budget("P17", "CPU while idle", "probe_start:idle", 0.005, "share", growth=None),
)

SILLYTAVERN = {
    "probe_window:newest_painted": (1.15, 3.1, 15.1),
    "probe_window:stall_while_loading": (0.55, 0.75, 2.4),
    "probe_window:stall_while_saving": (0.19, 0.96, 11.2),
    "probe_storage:edit_and_save": (0.31, 1.55, 16.7),
    "probe_start:start": (7.2, 7.2, 7.2),
    "probe_start:memory": (1668e6, 1604e6, 2553e6),
}
"""SillyTavern 1.19.0 with Chromium, medians of three runs, at SIZES: click to last message painted, longest gap between
frames meanwhile, page frozen by a save, one edit and save, page open to ready (any library), memory of browser and
server together. Taken on another 2-core machine: for the order of magnitude."""
