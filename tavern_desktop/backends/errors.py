"""What can go wrong between us and a model server: one exception, a closed list of kinds, one sentence each."""

from __future__ import annotations

from typing import Literal, get_args

Kind = Literal[
    "connection",  # the connection itself is set up wrongly: address, header, proxy, missing key
    "unreachable",  # nobody answers there
    "certificate",  # the server's certificate cannot be trusted
    "proxy",  # the proxy does not let us through
    "key",  # the key is missing or refused
    "forbidden",  # the key is good, but this is not allowed
    "not_found",  # wrong address, or no such model
    "rate_limit",  # too many requests; wait
    "credit",  # nothing left to pay with
    "busy",  # the server has too much to do now
    "too_long",  # prompt and reply do not fit into the context
    "setting",  # the server does not take one of the settings; `setting` names it if it is known
    "rejected",  # the server does not take the request
    "filtered",  # the provider refused the prompt for what it says
    "server",  # the server failed
    "silent",  # nothing came within the time limit
    "disconnected",  # the connection ended in the middle of a reply
    "bad_reply",  # what came cannot be understood, or has no end
    "unsupported",  # the server has no such service
]

KINDS: frozenset[str] = frozenset(get_args(Kind))


class BackendError(Exception):
    """A model server did not do what was asked.

    `sentence` is for people: who, what, and where it is known what to do. `status` is the HTTP status, `retry_after`
    the seconds the server asks to wait, `setting` the setting it does not take (our name, else its own).
    """

    def __init__(
        self,
        kind: Kind,
        sentence: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        setting: str = "",
    ) -> None:
        if kind not in KINDS:
            raise ValueError(f"{kind} is not a kind of backend error")
        super().__init__(kind, sentence)
        self.kind: Kind = kind
        self.sentence = sentence
        self.status = status
        self.retry_after = retry_after
        self.setting = setting

    def __str__(self) -> str:
        return self.sentence

    def for_log(self) -> str:
        """Return what may stand in a log: no words of the server, which may quote the prompt."""
        return self.kind if self.status is None else f"{self.kind} ({self.status})"
