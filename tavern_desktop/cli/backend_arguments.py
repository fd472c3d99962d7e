"""What may be said to `backends`."""

from __future__ import annotations

import argparse
from typing import Any, Protocol

from tavern_desktop.backends.connection import PROTOCOLS


class AddCommand(Protocol):
    """Adds a command with the options that go with every one; `run` is the name of its function."""

    def __call__(
        self, commands: Any, common: argparse.ArgumentParser, name: str, run: str, help_text: str, /
    ) -> argparse.ArgumentParser: ...


def add_backends(commands: Any, common: argparse.ArgumentParser, add: AddCommand) -> None:
    """Add `backends` and its commands."""
    text = "connections to model servers"
    parser = commands.add_parser("backends", help=text, description=text, parents=[common], allow_abbrev=False)
    inner = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    add(inner, common, "list", "list_backends", "the connections, and where their keys are")
    for name, run, help_text in (
        ("test", "test_backend", "ask a server what it is, and whether it takes the key and has the model"),
        ("models", "list_models", "the models a server offers"),
        ("use", "use_backend", "use this connection from now on"),
        ("remove", "remove_backend", "forget a connection and its key"),
    ):
        add(inner, common, name, run, help_text).add_argument("name", metavar="NAME")
    add(inner, common, "import", "import_backends", "add the connections SillyTavern has, with its keys")
    find = add(inner, common, "find", "find_backends", "look for model servers on this computer")
    find.add_argument("--port", type=int, action="append", metavar="N", help="look there instead of the usual ports")
    _add(add(inner, common, "add", "add_backend", "add a connection, or change the one of this name"))


def _add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--protocol", choices=PROTOCOLS, required=True)
    parser.add_argument(
        "--url", metavar="URL", help="http://host:port, with /v1 where it belongs to it; none for local"
    )
    parser.add_argument(
        "--model", metavar="M", help="the model, as `backends models` names it; for local its GGUF file"
    )
    parser.add_argument(
        "--provider", metavar="ID", help="whose ways it has, if its address does not say it: vllm, tabby …"
    )
    key = parser.add_mutually_exclusive_group()
    key.add_argument("--key-stdin", action="store_true", help="read the key, one line, from the standard input")
    key.add_argument(
        "--key-from-sillytavern", action="store_true", help="take the key over from SillyTavern's secrets.json"
    )
