"""Measure the program against its budgets: `python -m tests.bench [--quick] [--only P1,P5] [--json FILE]`."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from tests.bench import table
from tests.bench.budgets import BUDGETS, QUICK_SIZES, SIZES
from tests.bench.measure import REPEATS, measure


def main(argv: list[str] | None = None) -> int:
    """Measure, print the table, return 0 whatever it says: the numbers are for people to read."""
    args = _arguments().parse_args(argv)
    only = set(args.only.split(",")) if args.only else {budget.name for budget in BUDGETS}
    unknown = only - {budget.name for budget in BUDGETS}
    if unknown:
        print(f"no such budget: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    sizes, repeats = (QUICK_SIZES, 1) if args.quick else (SIZES, REPEATS)
    with tempfile.TemporaryDirectory(prefix="tavern-desktop-bench-") as temporary:
        data = args.data or Path(temporary)
        rows = []
        for budget in BUDGETS:
            if budget.name in only:
                print(f"measuring {budget.name}, {budget.what} …", file=sys.stderr, flush=True)
                rows.append(measure(budget, sizes, data, repeats))
    print(table.text(rows, sizes))
    if args.json:
        args.json.write_text(json.dumps(table.as_json(rows), indent=1), encoding="utf-8")
    return 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny inputs, once: to see that it runs")
    parser.add_argument("--only", metavar="P1,P5", help="measure these alone")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures there too")
    parser.add_argument("--data", metavar="FOLDER", type=Path, help="make the inputs there and keep them")
    return parser


if __name__ == "__main__":
    sys.exit(main())
