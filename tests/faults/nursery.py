"""A process that has everything imported and forks others that write once and are killed.

    python -m tests.faults.nursery

It reads a line of JSON for each: `name` of the write path, `folder`, and `seconds` after which it is killed, null for
never. It answers with a line: whether it was `killed`, else after how many `seconds` it was done.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from tests.faults.writing.all_paths import WRITE_PATHS


def write_once(name: str, folder: Path, seconds: float | None) -> dict[str, Any]:
    """Let a child write, and kill it so many seconds after it began."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _be_the_child(name, folder, writing)
    os.close(writing)
    begins = os.read(reading, 1)
    if seconds is not None and begins:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    with open(reading, "rb") as pipe:
        took = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return {"killed": os.WTERMSIG(status) == signal.SIGKILL}
    return {"killed": False, "failed": os.WEXITSTATUS(status) != 0, "seconds": float(took or 0)}


def _be_the_child(name: str, folder: Path, pipe: int) -> None:
    """Make ready, say so, write, say how long that took, and end."""
    code = 1
    try:
        path = WRITE_PATHS[name](folder)
        path.make_ready()
        os.write(pipe, b".")
        began = time.perf_counter()
        path.try_it()
        os.write(pipe, str(time.perf_counter() - began).encode())
        code = 0 if path.is_done() else 1
    except BaseException:  # a child of a fork must not go on as its parent; what went wrong is printed
        traceback.print_exc()
    finally:
        os._exit(code)


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(write_once(**(json.loads(line) | {"folder": Path(json.loads(line)["folder"])}))), flush=True)
