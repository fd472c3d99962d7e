"""The child process that runs a model: llama.cpp's own server, from the optional package xllamacpp.

It is told what to do by one line of JSON on its standard input, tells on its standard output how far it is, one JSON
object a line, and ends when its input ends: with the program that started it, however that ended.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
import threading
from typing import Any

BLOCK = 8 * 1024 * 1024


def main() -> None:
    """Read the file, load the model, serve until told to end."""
    wish = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_our_parent, daemon=True).start()
    _read_through(wish["file"])
    _tell(state="loading")
    server = _serve(wish)
    _tell(state="ready", url=server.listening_address)
    threading.Event().wait()


def _end_with_our_parent() -> None:
    with contextlib.suppress(OSError, ValueError):
        while sys.stdin.read(1):
            pass
    os._exit(0)


def _read_through(path: str) -> None:
    """Read the file once: what takes long with a cold disk is this, and so it can be seen how far it is."""
    size, done = os.path.getsize(path), 0
    with open(path, "rb", buffering=0) as file:
        while block := file.read(BLOCK):
            done += len(block)
            _tell(state="reading", done=done, total=size)


def _serve(wish: dict[str, Any]) -> Any:
    llamacpp: Any = importlib.import_module("xllamacpp")
    params = llamacpp.CommonParams()
    params.model.path = wish["file"]
    params.model_alias = {wish["name"]}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    # Other accounts of this computer, and pages in a browser, reach the port too.
    params.api_keys = [wish["key"]]
    params.n_ctx = wish["context"]
    params.n_parallel = 2
    params.kv_unified = True
    params.cpuparams.n_threads = wish["threads"]
    params.endpoint_props = True
    params.use_jinja = True
    return llamacpp.Server(params)


def _tell(**facts: Any) -> None:
    print(json.dumps(facts), flush=True)


if __name__ == "__main__":
    main()
