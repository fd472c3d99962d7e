"""From one state of a chat to the next one, or back, as its journal has it."""

from __future__ import annotations

import contextlib

from tavern_desktop.chat.deltas import Delta, DeltaMismatch, Head, apply_to_messages
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message


def go(delta: Delta, header: Header, messages: list[Message], *, back: bool = False) -> Header:
    """Change `messages` as the delta says and return the other header: the same where it does not fit.

    Another program may have written the header alone, which is no reason to give up the messages. Raises DeltaMismatch.
    """
    heads = [op for op in delta.ops if isinstance(op, Head)]
    others = tuple(op for op in delta.ops if not isinstance(op, Head))
    apply_to_messages(Delta(delta.count, others), header, messages, back=back)
    for op in reversed(heads) if back else heads:
        with contextlib.suppress(DeltaMismatch):
            header = Header(op.edited(header.raw, back=back))
    return header
