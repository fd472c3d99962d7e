"""Adapters for entering a chat while a reply is generated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tavern_desktop.session.generating.event_log import Replay
from tavern_desktop.session.generating.events import Event, Openness
from tavern_desktop.session.generating.events import needs_rebuild as rebuilds

Args = dict[str, Any]


def needs_rebuild(path: Path, args: Args) -> dict[str, Any]:
    events = [Event("t1", event["idx"], event["type"]) for event in args["events"]]
    rebuild = rebuilds(args["last_message"], Openness(events))
    return {"needs_rebuild": rebuild, "replay_from": 0 if rebuild else len(events)}


def replay(path: Path, args: Args) -> dict[str, Any]:
    state = Replay(args["state"]["task_id"], args["state"]["next_idx"])
    events = [Event(event["task_id"], event["idx"], "status") for event in args["events"]]
    applied, state, _ = state.apply(events)
    return {
        "applied": [event.idx for event in applied],
        "state": {"task_id": state.task_id, "next_idx": state.next_idx},
    }


ENTRY_ADAPTERS = {"needs_rebuild": needs_rebuild, "replay": replay}
