"""The head of a model file."""

from __future__ import annotations

import contextlib
import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tavern_desktop.backends.errors import BackendError
from tavern_desktop.session.gguf import read_model_file
from tests.tiny_model import make_tiny_model


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return make_tiny_model(tmp_path_factory.mktemp("model") / "tiny.gguf").read_bytes()[:4096]


def test_the_context_it_was_made_for_is_read(tmp_path: Path, whole: bytes) -> None:
    file = tmp_path / "My model.Q4.gguf"
    file.write_bytes(whole)
    model = read_model_file(file)
    assert (model.name, model.context) == ("My model.Q4", 131072)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_head_is_one_sentence(tmp_path: Path, whole: bytes, data: st.DataObject) -> None:
    place = data.draw(st.integers(4, 600))
    file = tmp_path / "m.gguf"
    file.write_bytes(whole[:place] + data.draw(st.binary(max_size=40)))
    with contextlib.suppress(BackendError):
        read_model_file(file)


@pytest.mark.parametrize("kind", [4, 8, 99])
def test_lengths_beyond_all_files_are_damage(tmp_path: Path, kind: int) -> None:
    file = tmp_path / "m.gguf"
    endless = struct.pack("<Q1sIIQQ", 1, b"a", 9, kind, 2**63, 2**63)
    file.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + endless)
    with pytest.raises(BackendError, match="its head cannot be read"):
        read_model_file(file)
