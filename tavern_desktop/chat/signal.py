"""Signals without Qt, so that chats can be observed from any front end.

Bound methods are held weakly: an observer that goes away needs no farewell. Everything runs on the thread
that emits, which for a chat is its owner's.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import MethodType
from typing import Any, Generic, ParamSpec

P = ParamSpec("P")


class Signal(Generic[P]):
    """A typed list of callbacks, called in the order they were connected."""

    def __init__(self) -> None:
        self._slots: list[Callable[[], Callable[..., Any] | None]] = []

    def connect(self, slot: Callable[P, object]) -> None:
        """Call `slot` at each emit, until it is disconnected or its object is gone."""
        if isinstance(slot, MethodType):
            self._slots.append(weakref.WeakMethod(slot))
        else:
            self._slots.append(lambda: slot)

    def disconnect(self, slot: Callable[P, object]) -> None:
        """Forget `slot`; one that is not connected is ignored."""
        self._slots = [held for held in self._slots if held() not in (None, slot)]

    def emit(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Call every slot that is connected now and still alive; one disconnected meanwhile is not called."""
        for held in tuple(self._slots):
            slot = held()
            if held in self._slots and slot is not None:
                slot(*args, **kwargs)
        self._slots = [held for held in self._slots if held() is not None]
