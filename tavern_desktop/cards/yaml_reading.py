"""Payloads as values: YAML read event by event, within hard limits, with YAML 1.2's few types (contract cards §7).

A general loader is not enough: it expands aliases, runs tags, and takes `no` for false and `12:30` for a number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import yaml

from tavern_desktop.cards.errors import Detail, PayloadError

MOST_BYTES = 256 * 1024
MOST_SCALAR = 64 * 1024
MOST_NODES = 20_000
DEEPEST = 16
LONGEST_KEY = 128

Payload = dict[str, Any]

_NODES = frozenset({yaml.ScalarEvent, yaml.SequenceStartEvent, yaml.MappingStartEvent, yaml.AliasEvent})
_ENDS = frozenset({yaml.SequenceEndEvent, yaml.MappingEndEvent})

_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORDS: dict[str, Any] = {"": None, "~": None}
_WORDS |= dict.fromkeys(("null", "Null", "NULL"))
_WORDS |= dict.fromkeys(("true", "True", "TRUE"), True)
_WORDS |= dict.fromkeys(("false", "False", "FALSE"), False)


def read_payload(text: str) -> Payload:
    """Return the mapping that a payload is. Raises PayloadError."""
    value = read_value(text)
    if not isinstance(value, dict):
        raise PayloadError("not_mapping")
    return value


def read_value(text: str) -> Any:
    """Return what a text says: mappings keep the order of their keys. Raises PayloadError."""
    if len(text) > MOST_BYTES or len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        raise PayloadError("too_large")
    nodes = iter(_nodes(text))
    first = next(nodes, None)
    return None if first is None else Tree(nodes).value(first, 0)


def plain_value(text: str) -> Any:
    """Return what a plain scalar means; whatever is no null, boolean or number is a text."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-0123456789":  # most texts: much quicker than two regular expressions
        return text
    if _INTEGER.fullmatch(text):
        return _integer(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else text
    return text


def _integer(text: str) -> int | str:
    try:
        return int(text)
    except ValueError:  # Python refuses thousands of digits; nobody reckons with them either
        return text


def _nodes(text: str) -> list[Any]:
    """Parse all of it, but stop where there are too many nodes: a payload of nothing but commas is somebody's joke.

    Refuses documents after the first, then anchors and aliases, then tags and directives; in this order.
    """
    nodes: list[Any] = []
    starts: list[Any] = []
    marked: list[Any] = []  # those with an anchor or a tag: judged once all of it is known to be YAML
    count = 0
    try:
        next_event = yaml.CLoader(text).get_event
        while (kind := type(event := next_event())) is not yaml.StreamEndEvent:
            if kind in _NODES:
                count += 1
                if count > MOST_NODES:
                    raise PayloadError("too_many_nodes")
                if event.anchor is not None or (kind is not yaml.AliasEvent and event.tag is not None):
                    marked.append(event)
            elif kind not in _ENDS:
                if kind is yaml.DocumentStartEvent:
                    starts.append(event)
                continue
            nodes.append(event)
    except yaml.MarkedYAMLError as error:
        raise _at("yaml", error.problem_mark) from None
    except (yaml.YAMLError, UnicodeEncodeError):
        raise PayloadError("yaml") from None
    if len(starts) > 1:
        raise _at("multi_document", starts[1].start_mark)
    for event in marked:
        refuse_alias(event)
    for event in [*starts, *marked]:
        refuse_tag(event)
    return nodes


def refuse_alias(event: Any) -> None:
    """Raise PayloadError for an anchor or an alias."""
    if event.anchor is not None:
        raise _at("alias", event.start_mark)


def refuse_tag(event: Any) -> None:
    """Raise PayloadError for a tag, or for the start of a document that has directives."""
    if isinstance(event, yaml.DocumentStartEvent):
        has_some = event.version is not None or event.tags
    else:
        has_some = getattr(event, "tag", None) is not None
    if has_some:
        raise _at("tag", event.start_mark)


class Tree:
    """Builds values from node events: scalars, and starts and ends of collections."""

    def __init__(self, events: Iterator[Any], most_scalar: int = MOST_SCALAR) -> None:
        """`most_scalar`: how many bytes a scalar may have."""
        self._events = events
        self._most_scalar = most_scalar

    def value(self, event: Any, depth: int) -> Any:
        if type(event) is yaml.ScalarEvent:
            return self._scalar(event)
        if depth >= DEEPEST:
            raise _at("too_deep", event.start_mark)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(depth + 1)
        return self._mapping(depth)

    def _sequence(self, depth: int) -> list[Any]:
        """Return a list whose items stand at `depth`; nearly all are scalars, which are taken without a detour."""
        items: list[Any] = []
        for event in self._events:
            kind = type(event)
            if kind is yaml.ScalarEvent:
                items.append(self._scalar(event))
            elif kind in _ENDS:
                break
            else:
                items.append(self.value(event, depth))
        return items

    def _next(self) -> Any:
        """Return the next event, None at the end of the collection."""
        event = next(self._events)
        return None if type(event) in _ENDS else event

    def _mapping(self, depth: int) -> Payload:
        mapping: Payload = {}
        for event in iter(self._next, None):
            key = self._key(event)
            if key in mapping:
                raise _at("duplicate_key", event.start_mark)
            mapping[key] = self.value(next(self._events), depth + 1)
        return mapping

    def _key(self, event: Any) -> str:
        key = self._scalar(event) if isinstance(event, yaml.ScalarEvent) else None
        is_merge = isinstance(event, yaml.ScalarEvent) and event.value == "<<" and event.implicit[0]
        if not isinstance(key, str) or len(key) > LONGEST_KEY or is_merge:
            raise _at("bad_key", event.start_mark)
        return key

    def _scalar(self, event: Any) -> Any:
        text: str = event.value
        # A letter has at most four bytes: only long texts need to be counted.
        if 4 * len(text) > self._most_scalar and len(text.encode("utf-8", "surrogatepass")) > self._most_scalar:
            raise _at("too_large", event.start_mark)
        return plain_value(text) if event.implicit[0] else text


def _at(detail: Detail, mark: Any) -> PayloadError:
    return PayloadError(detail) if mark is None else PayloadError(detail, mark.line + 1, mark.column + 1)
