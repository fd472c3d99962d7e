"""What servers answer instead of a reply, as sentences."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tavern_desktop.backends.answers import error_for, error_in

CASES: list[tuple[int, Any, str, str]] = [
    (400, {"error": {"message": "Unsupported parameter: 'top_k'.", "param": "top_k", "code": "unsupported_parameter"}},
     "setting", "S does not take the setting top_k: Unsupported parameter: 'top_k'."),
    (400, {"type": "error", "error": {"type": "invalid", "message": "temperature is deprecated for this model"}},
     "setting", "S does not take the setting temperature: temperature is deprecated for this model."),
    (400, {"error": {"message": "This model's maximum context length is 8192 tokens.", "code": "too_long"}},
     "too_long", "The prompt is too long for S: This model's maximum context length is 8192 tokens."),
    (400, {"error": {"code": 400, "message": "the request exceeds the available context size", "type": "exceed"}},
     "too_long", "The prompt is too long for S: the request exceeds the available context size."),
    (429, {"error": {"message": "You exceeded your quota.", "type": "insufficient_quota"}},
     "credit", "S wants to be paid: the account has no credit left. (You exceeded your quota.)"),
    (402, {"error": {"message": "Insufficient Balance"}},
     "credit", "S wants to be paid: the account has no credit left. (Insufficient Balance)"),
    (404, {"error": "model 'nope' not found"}, "not_found",
     "S does not know this address or this model (404 Not Found): model 'nope' not found."),
    (500, {"detail": {"msg": "Error parsing input.", "type": "bad_input"}}, "server",
     "S failed (500 Internal Server Error): Error parsing input."),
    (422, {"detail": [{"loc": ["body", "messages"], "msg": "field required"}]}, "rejected",
     "S did not accept the request (422 Unprocessable Entity): field required."),
    (400, {"object": "error", "message": "bad", "code": 400}, "rejected",
     "S did not accept the request (400 Bad Request): bad."),
    (400, [{"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}}], "key",
     "S does not accept the key: API key not valid."),
    (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "busy",
     "S is busy or not ready. (Overloaded)"),
    (400, {"error": {"message": "Your prompt was flagged by our safety system"}}, "filtered",
     "S refused the prompt for what it says: Your prompt was flagged by our safety system."),
    (500, {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}, "busy",
     "S is busy or not ready. (Loading model)"),
    (502, {}, "busy", "S is busy or not ready."),
    (307, "moved", "not_found", "S does not know this address or this model (307 Temporary Redirect): moved."),
    (799, "", "server", "S failed (799)."),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "kind", "sentence"), CASES)
def test_an_answer_becomes_one_sentence(status: int, body: Any, kind: str, sentence: str) -> None:
    raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    error = error_for(status, {}, raw, "S", [], has_key=True)
    assert (error.kind, error.sentence) == (kind, sentence)


def test_without_a_key_one_is_wanted() -> None:
    assert error_for(401, {}, b"", "S", [], has_key=False).sentence == "S wants a key."


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7.0), ("0.5", 0.5), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0), ("soon", None), ("", None), ("1e9", None)],
)
def test_retry_after_is_read(header: str, seconds: float | None) -> None:
    assert error_for(429, {"retry-after": header}, b"", "S", [], has_key=True).retry_after == seconds


def test_nothing_that_looks_like_a_key_is_repeated() -> None:
    words = "bad key sk-live-1234567890, or AIzaSyA1234567890abc, or Bearer abc.def and mysecret"
    error = error_for(401, {}, words.encode(), "S", ["mysecret"], has_key=True)
    assert error.sentence == "S does not accept the key: bad key …, or …, or … and …"


def test_long_words_are_cut_and_control_characters_left_out() -> None:
    error = error_for(500, {}, b"\x1b[31mred\x00 " + b"long " * 1000, "S", [], has_key=True)
    assert len(error.sentence) < 400
    assert error.sentence.isprintable()


def test_an_ordinary_record_tells_of_no_error() -> None:
    assert error_in({"choices": [], "error": None}, "S", []) is None
    assert error_in({"message": "text", "done": False}, "S", []) is None


def test_an_error_in_a_stream_may_carry_its_status() -> None:
    error = error_in({"error": {"code": 429, "message": "slow down", "metadata": {"raw": "upstream"}}}, "S", [])
    assert error is not None
    assert (error.kind, error.sentence) == ("rate_limit", "S gets too many requests. (slow down: upstream)")
