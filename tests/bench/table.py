"""The measured budgets as a table for people and as JSON for everything else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.bench.budgets import CHATS_PER_SIZE, SILLYTAVERN, SIZES, Budget
from tests.bench.measure import Row


def text(rows: Sequence[Row], sizes: Sequence[int]) -> str:
    """Return the table: each size, limit, verdict, growth, and SillyTavern's figures where there are some."""
    lines = [
        f"Sizes are messages of a chat; P14 and P15 have a library of one chat for every {CHATS_PER_SIZE} of them.",
        _line("", "", [f"{size:,}" for size in sizes], "at most", "", "growth"),
    ]
    for row in rows:
        results = [_result(row.budget, result) for result in row.results()]
        lines.append(_line(row.budget.name, row.budget.what, results, _limit(row.budget), _verdict(row), _growth(row)))
        if row.budget.against:
            pairs = [_pair(row, number) for number in range(len(results))]
            lines.append(_line("", f"  itself, against {row.budget.against}", pairs))
        if row.budget.tail_limit is not None:
            tails = [_amount(sample.tail or 0, "s") for sample in row.samples]
            lines.append(_line("", "  99th percentile", tails, _amount(row.budget.tail_limit, "s")))
        theirs = SILLYTAVERN.get(row.budget.probe)
        if theirs is not None and row.sizes == SIZES[: len(row.sizes)]:
            figures = [_amount(figure, row.budget.unit) for figure in theirs[: len(row.sizes)]]
            lines.append(_line("", "  SillyTavern 1.19.0, elsewhere", figures))
    over = [f"{row.budget.name} ({row.budget.what})" for row in rows if row.is_over()]
    lines += ["", f"over budget: {', '.join(over)}" if over else "nothing is over budget"]
    return "\n".join(lines)


def as_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the same figures, unrounded."""
    return [
        {
            "budget": row.budget.name,
            "what": row.budget.what,
            "unit": row.budget.unit,
            "sizes": row.sizes,
            "samples": [sample._asdict() for sample in row.samples],
            "results": row.results(),
            "limit": row.budget.limit,
            "tail_limit": row.budget.tail_limit,
            "slope": row.slope(),
            "over": row.is_over(),
        }
        for row in rows
    ]


def _line(name: str, what: str, cells: Sequence[str], limit: str = "", verdict: str = "", growth: str = "") -> str:
    padded = [*cells, "", "", ""][:3]
    columns = "".join(f"{cell:>20}" for cell in padded)
    return f"{name:<4} {what:<38}{columns}{limit:>11} {verdict:<5} {growth}".rstrip()


def _result(budget: Budget, result: float) -> str:
    return f"{result:.2f}×" if budget.against else _amount(result, budget.unit)


def _limit(budget: Budget) -> str:
    return f"{budget.limit:g}×" if budget.against else _amount(budget.limit, budget.unit)


def _pair(row: Row, number: int) -> str:
    sample, unit = row.samples[number], row.budget.unit
    return f"{_amount(sample.value, unit)} / {_amount(sample.against or 0, unit)}"


def _verdict(row: Row) -> str:
    return "OVER" if row.is_over() else "ok"


def _growth(row: Row) -> str:
    slope = row.slope()
    if slope is None or row.budget.growth is None:
        return ""
    return f"n^{slope:.2f}, wanted {'linear' if row.budget.growth else 'flat'}"


def _amount(value: float, unit: str) -> str:
    if unit == "MB":
        return f"{value / 1e6:.1f} MB"
    if unit == "B":
        return f"{value:.0f} bytes"
    if unit == "share":
        return f"{value:.2%}"
    return f"{value * 1000:.1f} ms" if value < 1 else f"{value:.2f} s"
