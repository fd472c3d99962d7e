"""A real llama.cpp server in a process of its own: `python -m tests.real_model_server FILE`.

It serves a model to everybody on this computer, as one that a person started, and ends with its standard input.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


class RealServer:
    """The process, from the side of a test."""

    def __init__(self, file: Path) -> None:
        command = [sys.executable, "-P", "-m", "tests.real_model_server", str(file)]
        root = Path(__file__).resolve().parent.parent
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=root,
            env=os.environ | {"PYTHONPATH": str(root)},
        )  # fmt: skip
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        if not self.url:
            raise RuntimeError("the model server did not start")
        self.port = int(self.url.rpartition(":")[2])

    def unplug(self) -> None:
        """End it, in the middle of whatever it does."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        self.unplug()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()


def main(file: str) -> None:
    llamacpp: Any = importlib.import_module("xllamacpp")
    params = llamacpp.CommonParams()
    params.model.path = file
    params.model_alias = {Path(file).stem}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 4096
    params.n_parallel = 2
    params.kv_unified = True
    params.cpuparams.n_threads = 1
    params.endpoint_props = True
    params.use_jinja = True
    server = llamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
