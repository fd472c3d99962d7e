"""From what a server answered instead of a reply to one sentence: JSON errors of every shape, pages, plain text."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

from tavern_desktop.backends.errors import BackendError, Kind
from tavern_desktop.backends.parsing import BadJson, parse

LONGEST = 300
"""Characters of a server's own words that are shown."""

_KEYLIKE = re.compile(r"\b(?:sk|pk|xai|gsk|rk)-[A-Za-z0-9_*.\-]{6,}|\bAIza[A-Za-z0-9_\-]{10,}|(?i:\bbearer\s+\S+)")
_TITLE = re.compile(rb"<title[^>]*>(.*?)</title>|<h1[^>]*>(.*?)</h1>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_SPACES = re.compile(r"\s+")
_TOO_LONG = re.compile(
    r"context.{0,30}(length|size|window)|maximum context|exceeds? the (available )?context|too many (input )?tokens"
    r"|prompt is too long|token limit|input is too long",
    re.IGNORECASE,
)
_CREDIT = re.compile(r"insufficient.(quota|balance|credit|funds)|billing|out of credit|credit balance", re.IGNORECASE)
_FILTER = re.compile(r"content.?(policy|filter|management)|moderation|flagged|safety system", re.IGNORECASE)
_BUSY = re.compile(r"overloaded|server is busy|loading model|no slot", re.IGNORECASE)
_SETTINGS = (
    "temperature|top_p|top_k|min_p|top_a|seed|random_seed|stop|stop_sequences|frequency_penalty|presence_penalty"
    "|repetition_penalty|repeat_penalty|rep_pen|max_tokens|max_completion_tokens|reasoning_effort|logit_bias|n|tools"
    "|tool_choice|stream_options|thinking|think"
)
_SETTING = re.compile(rf"(?<![\w.]){_SETTINGS.join(('(?:', ')'))}(?!\w)")
_NOT_TAKEN = re.compile(
    r"unsupported|not supported|unrecogni[sz]ed|unknown|not permitted|not allowed|extra inputs|does not support"
    r"|unexpected|deprecated|only the default",
    re.IGNORECASE,
)


class Words:
    """What a server said: its message, and the kind and the parameter it named."""

    def __init__(self, message: str = "", code: str = "", parameter: str = "", status: int | None = None) -> None:
        self.message = message
        self.code = code
        self.parameter = parameter
        self.status = status


def words_of(record: Mapping[str, Any]) -> Words | None:
    """Return what a JSON object says of a failure, None if it tells of none."""
    found = record.get("error")
    if not found and (record.get("object") == "error" or record.get("type") == "error"):
        found = record
    if not found:
        found = record.get("detail")
    if not found and "choices" not in record and isinstance(record.get("message"), str):
        found = record
    if not found:
        return None
    if isinstance(found, Mapping):
        return _in_object(found)
    if isinstance(found, list):  # pydantic's list of complaints
        first = found[0] if found and isinstance(found[0], Mapping) else {}
        place = first.get("loc")
        parameter = str(place[-1]) if isinstance(place, list) and place else ""
        return Words(str(first.get("msg", "")), parameter=parameter)
    return Words(str(found))


def error_in(record: Mapping[str, Any], server: str, secrets: list[str]) -> BackendError | None:
    """Return the failure that a record in the middle of a stream tells of, None for an ordinary record."""
    if not record.get("error") and record.get("object") != "error" and record.get("type") != "error":
        return None
    words = words_of(record)
    return None if words is None else _error(words.status, words, server, secrets)


def error_for(
    status: int, headers: Mapping[str, str], body: bytes, server: str, secrets: list[str], *, has_key: bool
) -> BackendError:
    """Return the error for an HTTP status that is none of success."""
    words = _in_body(body)
    error = _error(status, words, server, secrets, has_key=has_key)
    error.retry_after = _seconds(headers.get("retry-after", ""))
    if error.kind == "rate_limit" and error.retry_after:
        error.sentence += f" It asks to wait {error.retry_after:.0f} s."
    return error


def clean(text: str, secrets: list[str]) -> str:
    """Return a server's words as one short line without anything that is, or looks like, a key."""
    for secret in secrets:
        text = text.replace(secret, "…")
    line = "".join(letter for letter in _SPACES.sub(" ", _KEYLIKE.sub("…", text)) if letter.isprintable()).strip()
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


def _in_object(found: Mapping[str, Any]) -> Words:
    nested = found.get("error")
    if isinstance(nested, Mapping):
        return _in_object(nested)
    message = found.get("message") or found.get("msg") or found.get("error_msg") or found.get("detail") or nested or ""
    detail = found.get("metadata")
    if isinstance(detail, Mapping) and isinstance(detail.get("raw"), str):  # OpenRouter: the provider's own words
        message = f"{message}: {detail['raw']}"
    code = found.get("code")
    names = [str(found[name]) for name in ("type", "status") if isinstance(found.get(name), str)]
    names += [code] if isinstance(code, str) else []
    status = code if isinstance(code, int) and 400 <= code < 600 else None
    parameter = found.get("param")
    return Words(str(message), " ".join(names), parameter if isinstance(parameter, str) else "", status)


def _in_body(body: bytes) -> Words:
    try:
        value = parse(body)
    except BadJson:
        return Words(_in_page(body))
    if isinstance(value, list) and value:  # Gemini wraps errors of a stream in an array
        value = value[0]
    return (words_of(value) if isinstance(value, Mapping) else None) or Words()


def _in_page(body: bytes) -> str:
    """Return what a page or a plain text says: the title, else the first line."""
    title = _TITLE.search(body)
    if title:
        body = title[1] or title[2] or b""
    elif b"<" in body[:200] and b">" in body:
        body = re.sub(rb"(?is)<(script|style|head)\b.*?</\1>", b" ", body)
    text = _SPACES.sub(" ", html.unescape(_TAG.sub(" ", body.decode("utf-8", "replace")))).strip()
    return text[: LONGEST * 2]


def _error(status: int | None, words: Words, server: str, secrets: list[str], *, has_key: bool = True) -> BackendError:
    said = clean(words.message, secrets)
    setting = words.parameter or _setting_in(said)
    kind = _kind(status, f"{words.code} {words.message}", setting)
    template = _SENTENCES[kind] if has_key or kind != "key" else "{server} wants a key."
    sentence = template.format(server=server, setting=setting, status=_status_text(status))
    if said:
        sentence = (
            f"{sentence[:-1]}: {said}" if kind not in ("credit", "busy", "rate_limit") else f"{sentence} ({said})"
        )
    if not sentence.endswith((".", "!", "?", "…", ")")):
        sentence += "."
    return BackendError(kind, sentence, status=status, setting=setting if kind == "setting" else "")


def _kind(status: int | None, words: str, setting: str) -> Kind:
    if status == 402 or _CREDIT.search(words):
        return "credit"
    if status == 413 or (status in (None, 400, 422, 500) and _TOO_LONG.search(words)):
        return "too_long"
    by_status: dict[int, Kind] = {401: "key", 403: "forbidden", 404: "not_found", 405: "not_found", 408: "silent"}
    by_status |= {409: "busy", 429: "rate_limit", 501: "unsupported", 502: "busy", 503: "busy", 504: "silent"}
    by_status[529] = "busy"
    if status in by_status:
        return by_status[status]
    return _kind_by_words(status, words, setting)


def _kind_by_words(status: int | None, words: str, setting: str) -> Kind:
    if re.search(r"authentication|invalid.{0,10}key|api key not valid|unauthorized", words, re.IGNORECASE):
        return "key"
    if re.search(r"rate.?limit|resource_exhausted", words, re.IGNORECASE):
        return "rate_limit"
    if _BUSY.search(words):
        return "busy"
    if status is not None and status < 500 and setting and _NOT_TAKEN.search(words):
        return "setting"
    if _FILTER.search(words):
        return "filtered"
    if status is not None and 300 <= status < 400:
        return "not_found"
    return "rejected" if status is not None and status < 500 else "server"


def _setting_in(words: str) -> str:
    found = _SETTING.search(words) if _NOT_TAKEN.search(words) else None
    return found[0] if found else ""


def _status_text(status: int | None) -> str:
    if status is None:
        return "an error"
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _seconds(value: str) -> float | None:
    """Return what Retry-After says, a number of seconds or a date; None for neither."""
    if re.fullmatch(r"\d{1,6}(\.\d+)?", value.strip()):
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


_SENTENCES: Mapping[Kind, str] = {
    "key": "{server} does not accept the key.",
    "forbidden": "{server} does not allow this.",
    "not_found": "{server} does not know this address or this model ({status}).",
    "rate_limit": "{server} gets too many requests.",
    "credit": "{server} wants to be paid: the account has no credit left.",
    "busy": "{server} is busy or not ready.",
    "too_long": "The prompt is too long for {server}.",
    "setting": "{server} does not take the setting {setting}.",
    "rejected": "{server} did not accept the request ({status}).",
    "filtered": "{server} refused the prompt for what it says.",
    "server": "{server} failed ({status}).",
    "silent": "{server} gave up waiting ({status}).",
    "unsupported": "{server} cannot do this ({status}).",
}
