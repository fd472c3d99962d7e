"""Commands about model servers: list, test, models, add, import, remove, use, find. Keys never come from arguments."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from tavern_desktop.backends.connection import Connection, Secrets, check
from tavern_desktop.backends.discovery import discover
from tavern_desktop.backends.opening import open_backend
from tavern_desktop.backends.protocol import Backend
from tavern_desktop.backends.providers import secret_name
from tavern_desktop.backends.transport import Http
from tavern_desktop.backends.trying import try_out
from tavern_desktop.cli import output
from tavern_desktop.cli.context import Context
from tavern_desktop.library.secrets_file import active_key, read_keys
from tavern_desktop.session.connections import Connections, new_id
from tavern_desktop.session.gguf import read_model_file
from tavern_desktop.session.key_store import KeyStore
from tavern_desktop.session.local_model import LocalModel, installed_models
from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.taken_over import sillytavern_connections

T = TypeVar("T")

_PLACES = {
    "system": "in the system's key store",
    "file": "in a file that only this account can read",
    "environment": "in the environment",
    "session": "for this session",
}


def list_backends(context: Context) -> int:
    """Print the connections, without their keys."""
    connections, keys = Connections(context.folders), KeyStore(context.folders)
    chosen = connections.chosen()
    for connection in connections.all():
        is_chosen = chosen is not None and chosen.id == connection.id
        place = keys.place_of(connection)
        if context.json:
            entry = msgspec.to_builtins(connection)
            output.say_json({**entry, "chosen": is_chosen, "key": place})
        else:
            parts = [connection.name, connection.protocol, connection.url, connection.model or "(no model chosen)"]
            mark = "  (in use)" if is_chosen else ""
            output.say("  ".join(filter(None, parts)) + (f"  key {_PLACES[place]}" if place else "") + mark)
    for problem in connections.problems:
        output.complain(problem)
    if not connections.all() and not context.json:
        output.complain("There is no connection yet: `backends find` looks for servers, `backends add` adds one.")
    return 0


def test_backend(context: Context) -> int:
    """Ask a server what it is. Raises BackendError with what is wrong."""
    status = _ask(context, try_out)
    if context.json:
        output.say_json({"ok": True, **msgspec.to_builtins(status)})
        return 0
    facts = [status.model and f"model {status.model}", status.context and f"context {status.context:,} tokens"]
    facts.append(status.version and f"version {status.version}")
    output.say(f"{status.server} answers: " + (", ".join(fact for fact in facts if fact) or "no model is loaded"))
    return 0


def list_models(context: Context) -> int:
    """Print the models a server offers."""
    for model in _ask(context, lambda backend: backend.models()):
        if context.json:
            output.say_json(msgspec.to_builtins(model))
        else:
            size = f"  {model.context:,} tokens" if model.context else ""
            output.say(model.id + (f"  {model.name}" if model.name and model.name != model.id else "") + size)
    return 0


def add_backend(context: Context) -> int:
    """Add a connection, or change the one of this name, and keep its key."""
    args, connections, keys = context.args, Connections(context.folders), KeyStore(context.folders)
    same = [connection for connection in connections.all() if connection.name.casefold() == args.name.casefold()]
    known = same[0] if same else Connection(id=new_id(), name=args.name, protocol=args.protocol)
    model = _file_of(args.model) if args.protocol == "local" else args.model or known.model
    connection = msgspec.structs.replace(
        known, protocol=args.protocol, url=args.url or "", model=model, provider=args.provider or ""
    )
    check(connection)
    key = _key(context, connection)
    connections.put(connection)
    place = keys.put(connection.id, key) if key else keys.place_of(connection)
    if context.json:
        output.say_json({"id": connection.id, "name": connection.name, "key": place})
        return 0
    if key and place == "file":
        output.say(keys.describe())
    output.say(f"{'Changed' if same else 'Added'} {connection.name}." + (f" Key {_PLACES[place]}." if place else ""))
    return 0


def import_backends(context: Context) -> int:
    """Add the connections that SillyTavern has, with its keys; those of a name that is taken are left alone."""
    connections, keys = Connections(context.folders), KeyStore(context.folders)
    taken = {connection.name.casefold() for connection in connections.all()}
    for offer in sillytavern_connections(context.root):
        connection = offer.connection
        if connection.name.casefold() in taken:
            output.complain(f"{connection.name} is there already.")
            continue
        connections.put(connection)
        place = keys.put(connection.id, offer.key) if offer.key else None
        if context.json:
            output.say_json({"id": connection.id, "name": connection.name, "key": place})
        else:
            output.say(f"Added {connection.name}." + (f" Key {_PLACES[place]}." if place else ""))
    return 0


def remove_backend(context: Context) -> int:
    """Forget a connection and its key."""
    connections = Connections(context.folders)
    connection = connections.find(context.args.name)
    KeyStore(context.folders).remove(connection.id)
    connections.remove(connection.id)
    output.say(f"Removed {connection.name}.")
    return 0


def use_backend(context: Context) -> int:
    """Use a connection from now on."""
    connections = Connections(context.folders)
    connection = connections.find(context.args.name)
    connections.choose(connection.id)
    output.say(f"{connection.name} is in use.")
    return 0


def find_backends(context: Context) -> int:
    """Print the servers that answer on this computer."""

    async def look() -> int:
        http = Http()
        try:
            found = await discover(http, context.args.port or None)
        finally:
            await http.aclose()
        for server in found:
            if context.json:
                output.say_json(msgspec.to_builtins(server))
            else:
                key = "  wants a key" if server.needs_key else ""
                output.say(
                    f"{server.name}  --protocol {server.protocol}  --url {server.url}  {server.model}{key}".rstrip()
                )
        if not found and not context.json:
            output.complain("No model server answers on the usual ports of this computer.")
        return 0

    for path in installed_models():
        if context.json:
            output.say_json({"name": path.stem, "protocol": "local", "model": str(path)})
        else:
            output.say(f"{path.stem}  --protocol local  --model {path}")
    return asyncio.run(look())


def _ask(context: Context, question: Callable[[Backend], Awaitable[T]]) -> T:
    """Ask the server of the connection that is named."""
    connection = Connections(context.folders).find(context.args.name)
    secrets = KeyStore(context.folders).secrets_for(connection)

    async def ask(connection: Connection, secrets: Secrets) -> T:
        http = Http()
        try:
            return await question(open_backend(connection, secrets, http))
        finally:
            await http.aclose()

    local = LocalModel(context.folders)
    try:
        return asyncio.run(ask(*local.reached(connection, secrets)))
    finally:
        local.close()


def _file_of(word: str | None) -> str:
    """Return the model file that is meant: the one named, else the one that came with a package. Raises Refused."""
    if word:
        return str(read_model_file(Path(word).absolute()).path)
    installed = installed_models()
    if len(installed) != 1:
        raise Refused("Name the model's file with --model FILE.gguf.")
    return str(installed[0])


def _key(context: Context, connection: Connection) -> str:
    """Return the key that is given with the command, "" if none is."""
    if context.args.key_stdin:
        key = sys.stdin.readline().strip()
        if not key:
            raise Refused("No key came on the standard input.")
        return key
    if not context.args.key_from_sillytavern:
        return ""
    name = secret_name(connection)
    key = active_key(read_keys(context.root), name) if name else ""
    if not key:
        raise Refused(f"SillyTavern has no key for {connection.name} ({name or 'this kind has none'}).")
    return key
