"""P3: what a person feels while an open chat follows what another program wrote."""

from __future__ import annotations

from pathlib import Path

from tests.bench.inputs import chat_in
from tests.bench.probe_merge import written_elsewhere
from tests.bench.probe_window import Heartbeat
from tests.bench.program import is_ready, started
from tests.bench.sample import Sample
from tests.bench.waiting import until


def stall_while_following(root: Path) -> Sample:
    """P3: the longest the event loop does not answer while 100 messages all over the chat become something else."""
    window = started(root)
    path = chat_in(root)
    copy, beside = path.with_name("to be followed.jsonl"), path.with_name("written beside.tmp")
    copy.write_bytes(path.read_bytes())
    window.open_path(copy)
    until(lambda: is_ready(window))
    session = window.desk.session
    assert session is not None
    told: list[object] = []
    session.followed.connect(told.append)
    beside.write_bytes(written_elsewhere(path))
    former = copy.open("rb")  # as long as it is open, replacing it does not have to free its blocks
    beside.replace(copy)
    heart = Heartbeat(window)
    session.look_at_file()
    until(lambda: bool(told))
    stalls = heart.stalls()
    former.close()
    window.desk.leave()
    copy.unlink()
    return stalls
