"""Run one probe in a process of its own, so that no measurement inherits another's memory, and print its sample.

python -m tests.bench.child probe_storage:whole_load FOLDER_WITH_THE_INPUT
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path


def main(probe: str, root: str) -> None:
    module, function = probe.split(":")
    sample = getattr(importlib.import_module(f"tests.bench.{module}"), function)(Path(root))
    print(json.dumps(sample._asdict()), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
