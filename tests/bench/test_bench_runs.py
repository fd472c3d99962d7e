"""The benchmark runs, on tiny inputs; what it measures then means nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench.__main__ import main
from tests.bench.budgets import BUDGETS, QUICK_SIZES
from tests.bench.measure import Row
from tests.bench.sample import Sample


@pytest.mark.timeout(600)
def test_every_budget_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick", "--json", str(tmp_path / "figures.json")]) == 0
    figures = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))
    assert [figure["what"] for figure in figures] == [budget.what for budget in BUDGETS]
    assert all(result >= 0 for figure in figures for result in figure["results"])
    table = capsys.readouterr().out
    assert all(budget.what in table for budget in BUDGETS)


def test_an_unknown_budget_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "P99"]) == 2
    assert "P99" in capsys.readouterr().err


def test_a_row_is_judged_by_its_largest_size_and_its_tail() -> None:
    ratio = next(budget for budget in BUDGETS if budget.name == "P1")
    assert not Row(ratio, QUICK_SIZES, (Sample(9.0, 1.0), Sample(1.2, 1.0))).is_over()
    assert Row(ratio, QUICK_SIZES, (Sample(1.0, 1.0), Sample(1.4, 1.0))).is_over()
    stall = next(budget for budget in BUDGETS if budget.name == "P3")
    assert not Row(stall, QUICK_SIZES, (Sample(0.04, tail=0.01),)).is_over()
    assert Row(stall, QUICK_SIZES, (Sample(0.04, tail=0.03),)).is_over()


def test_growth_is_the_power_of_the_size() -> None:
    load = next(budget for budget in BUDGETS if budget.name == "P1")
    linear = Row(load, (10, 100, 1000), (Sample(1.0), Sample(10.0), Sample(100.0)))
    flat = Row(load, (10, 100, 1000), (Sample(5.0), Sample(5.0), Sample(5.0)))
    assert linear.slope() == pytest.approx(1)
    assert flat.slope() == pytest.approx(0)
