"""A real server of tools, by the official SDK: run as a program it speaks over its input and output, or over HTTP.

python -m tests.tool_server            over standard input and output
python -m tests.tool_server PORT       over HTTP at http://127.0.0.1:PORT/mcp
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from mcp.server.mcpserver import Image, MCPServer
from mcp_types import ToolAnnotations

SMALLEST_PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)

server = MCPServer("harbour", instructions="What a harbour master needs.")


@server.tool(title="Depth of water", annotations=ToolAnnotations(read_only_hint=True))
def depth(place: str, tide: float = 0.0) -> str:
    """How deep the water is at a place, in feet."""
    return f"{len(place) + tide:g} feet at {place}"


@server.tool(name="set.flag")
def set_flag(colour: str) -> str:
    """Set a flag; its name has a sign that models do not take."""
    return f"{colour} it is"


@server.tool()
def variable(name: str) -> str:
    """Tell an environment variable."""
    return os.environ.get(name, "")


@server.tool()
def process() -> str:
    """Tell the number of this process."""
    return str(os.getpid())


@server.tool()
def run_aground() -> str:
    """Raise an error."""
    raise ValueError("no water under the keel")


@server.tool()
def sink() -> str:
    """End the program in the middle of the call."""
    print("the hull is breached", file=sys.stderr, flush=True)
    os._exit(3)


@server.tool()
async def becalmed() -> str:
    """Never answer."""
    await asyncio.Event().wait()
    return ""


@server.tool()
def cargo(characters: int) -> str:
    """Return a long text."""
    return "x" * characters


@server.tool()
def chart() -> Image:
    """Return a picture."""
    return Image(data=SMALLEST_PNG, format="png")


@server.tool()
def manifest() -> dict[str, Any]:
    """Return something structured."""
    return {"bales": 3, "barrels": [1, 2]}


@server.tool()
async def ask_pilot(board: str) -> str:
    """Write on a board that the pilot is wanted. The first time nobody ever answers."""
    with open(board, "a+", encoding="utf-8") as file:
        file.write("wanted\n")
        file.seek(0)
        times = len(file.readlines())
    if times == 1:
        await asyncio.Event().wait()
    return f"The pilot comes, asked {times} times."


@server.tool()
def flood(megabytes: int) -> str:
    """Write one line without end where the protocol is spoken."""
    for _ in range(megabytes):
        os.write(_OUTPUT, b"x" * 1_000_000)
    return ""


_OUTPUT = os.dup(1)
"""Where the protocol is spoken; the SDK keeps what tools print out of it."""


def main() -> None:
    """Serve until the other side goes away."""
    if len(sys.argv) > 1:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        server.run("stdio")


if __name__ == "__main__":
    main()
