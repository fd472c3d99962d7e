"""The lock files: everything pinned and hashed, the development lock a superset, no registry named."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ["requirements.txt", "requirements-dev.txt", "requirements-model.txt"]


def _pins(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", "").splitlines()
    pins = {}
    for line in lines:
        requirement, *hashes = line.split(" --hash=")
        found = re.match(r"([a-z0-9-]+)==([^\s;]+)", requirement)
        assert found, f"not pinned: {line}"
        assert hashes, f"no hash: {line}"
        pins[found[1]] = found[2]
    return pins


def test_the_development_lock_holds_the_program_s_versions() -> None:
    run, dev, model = map(_pins, LOCKS)
    assert run.items() <= dev.items()
    assert model["xllamacpp"] == dev["xllamacpp"]


def test_every_dependency_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {re.split(r"[\[<>=]", name)[0].lower() for name in project["dependencies"]}
    assert wanted <= _pins("requirements.txt").keys()


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_says_nothing_about_where_packages_come_from(name: str) -> None:
    assert not re.search(r"://|--(extra-)?index-url|--find-links", (ROOT / name).read_text(encoding="utf-8"))
