"""P14, P16, P17: starting, and doing nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import perf_counter

import psutil

from tests.bench.program import settled_in_chat
from tests.bench.sample import Sample
from tests.bench.waiting import live

IDLE_SECONDS = 5.0
STARTS = 3


def start(root: Path) -> Sample:
    """P14: from the start of the process to a window with its recent chats painted, the index warm."""
    _process("program", str(root))  # makes the index
    pairs = [(_process("program", str(root))[0], _process("bare")[0]) for _ in range(STARTS)]
    ours, bare = zip(*pairs, strict=True)
    return Sample(min(ours), min(bare))


def memory(root: Path) -> Sample:
    """P16: resident memory with a small chat open and nothing going on."""
    return Sample(_process("program", str(root))[1], _process("bare")[1])


def idle(root: Path) -> Sample:
    """P17: the share of a core used with a chat open and nothing going on."""
    window = settled_in_chat(root)
    process = psutil.Process()
    before, began = process.cpu_times(), perf_counter()
    live(IDLE_SECONDS)
    after, took = process.cpu_times(), perf_counter() - began
    window.desk.leave()
    return Sample(((after.user + after.system) - (before.user + before.system)) / took)


def _process(module: str, *args: str) -> tuple[float, float]:
    """Run one of the two programs; return the seconds until it is usable and the bytes it then holds at rest."""
    command = [sys.executable, "-P", "-m", f"tests.bench.{module}", *args]
    began = perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        took = perf_counter() - began
        rest = process.stdout.read()
    if process.returncode != 0 or line.strip() != "usable":
        raise RuntimeError(f"{module} ended with {process.returncode}")
    return took, float(rest or 0)
