"""Run the probes and judge what they say."""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.budgets import CHATS_PER_SIZE, Budget
from tests.bench.inputs import chat_root, library_root
from tests.bench.sample import Sample

ROOT = Path(__file__).resolve().parents[2]
REPEATS = 3


@dataclass(frozen=True, slots=True)
class Row:
    """A budget as measured: one sample for each size, the median of the repeats."""

    budget: Budget
    sizes: tuple[int, ...]
    samples: tuple[Sample, ...]

    def results(self) -> list[float]:
        """Return what is held against the limit, for each size."""
        return [sample.value / sample.against if sample.against else sample.value for sample in self.samples]

    def is_over(self) -> bool:
        """Say whether the largest size misses its limit."""
        tail, tail_limit = self.samples[-1].tail, self.budget.tail_limit
        return self.results()[-1] > self.budget.limit or (tail_limit is not None and (tail or 0) > tail_limit)

    def slope(self) -> float | None:
        """Return the power of the size by which the value grows, None for a single size or a value of nothing."""
        values = [sample.value for sample in self.samples]
        if len(values) < 2 or min(values) <= 0:
            return None
        logs = [math.log(size) for size in self.sizes]
        return statistics.linear_regression(logs, [math.log(value) for value in values]).slope


def measure(budget: Budget, sizes: Sequence[int], data: Path, repeats: int = REPEATS) -> Row:
    """Measure one budget at each size; at the largest alone where growth has no meaning."""
    wanted = tuple(sizes) if budget.growth is not None else (sizes[0],)
    return Row(budget, wanted, tuple(_median(budget, size, data, repeats) for size in wanted))


def _median(budget: Budget, size: int, data: Path, repeats: int) -> Sample:
    in_library = budget.input == "library"
    root = library_root(data, max(size // CHATS_PER_SIZE, 1)) if in_library else chat_root(data, size)
    samples = [_probe(budget, root) for _ in range(repeats)]
    ranked = sorted(samples, key=lambda sample: sample.value / (sample.against or 1.0))
    return ranked[len(ranked) // 2]


def _probe(budget: Budget, root: Path) -> Sample:
    command = [sys.executable, "-P", "-m", "tests.bench.child", budget.probe, str(root)]
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen"),
        "TAVERN_DESKTOP_HOME": str(root.with_name(f"{root.name} own files")),
    }
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{budget.name} {budget.probe} failed:\n{done.stderr}")
    return Sample(**json.loads(done.stdout.splitlines()[-1]))
