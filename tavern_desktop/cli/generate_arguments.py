"""What may be said to `send` and `prompt`."""

from __future__ import annotations

import argparse
from typing import Any

from tavern_desktop.backends.settings import IN_USE, OWN_WAY, PresetNames
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


def presets_of(args: argparse.Namespace) -> PresetNames:
    """Return the presets that are named; what SillyTavern has in use means its templates too."""
    names = PresetNames(
        chat=args.preset, text=args.preset, instruct=args.instruct, context=args.context, sysprompt=args.sysprompt
    )
    whole = PresetNames(chat=IN_USE, text=IN_USE, instruct=IN_USE, context=IN_USE, sysprompt=IN_USE)
    return names.over(whole) if args.preset == IN_USE else names


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--backend", metavar="NAME", default="", help="a connection by name; else the chosen one")
    parser.add_argument("--speaker", metavar="NAME", default="", help="who speaks, in a group; else whose turn it is")
    parser.add_argument(
        "--preset",
        metavar="NAME",
        default="",
        help=f"a preset of the data folder; “{IN_USE}” for what SillyTavern has in use, “{OWN_WAY}” for none",
    )
    for name in ("instruct", "context", "sysprompt"):
        parser.add_argument(
            f"--{name}", metavar="NAME", default="", help=f"a template of the data folder’s {name}, for one text"
        )
