"""What may be said to `send` and `prompt`."""

from __future__ import annotations

import argparse
from typing import Any

from tavern_desktop.cli.backend_arguments import AddCommand


def add_generating(commands: Any, common: argparse.ArgumentParser, add: AddCommand) -> None:
    """Add `prompt` and `send`."""
    prompt = add(commands, common, "prompt", "prompt", "exactly what would be sent, with tokens and what is left out")
    _common(prompt)
    what = prompt.add_mutually_exclusive_group()
    what.add_argument("--swipe", action="store_true", help="for another alternative of the newest message")
    what.add_argument("--continue", action="store_true", dest="goes_on", help="for more of the newest message")

    send = add(commands, common, "send", "send", "send a message, stream the reply to stdout, save both")
    _common(send)
    allowed = "a tool that is offered and runs without a question; may be given several times"
    send.add_argument("--allow-tool", metavar="NAME", action="append", default=[], dest="tools", help=allowed)
    which = send.add_mutually_exclusive_group(required=True)
    which.add_argument("--text", metavar="TEXT", help="the message")
    which.add_argument("--reply", action="store_true", help="send nothing, have the character speak next")
    which.add_argument("--swipe", action="store_true", help="another alternative of the newest message")
    which.add_argument("--continue", action="store_true", dest="goes_on", help="more of the newest message")


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--backend", metavar="NAME", default="", help="a connection by name; else the chosen one")
    parser.add_argument("--speaker", metavar="NAME", default="", help="who speaks, in a group; else whose turn it is")
