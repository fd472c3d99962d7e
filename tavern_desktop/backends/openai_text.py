"""OpenAI's text completions: one text in, its continuation out."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator

from tavern_desktop.backends.events import Event
from tavern_desktop.backends.openai_chat import OpenAi
from tavern_desktop.backends.request import Request


class OpenAiText(OpenAi):
    """Text completions."""

    protocol = "openai-text"
    path = "/completions"
    takes_messages = False
    takes_text = True

    async def _events(self, request: Request) -> AsyncGenerator[Event, None]:
        self._needs_prompt(request)
        body = {**self._common(request), "prompt": request.prompt}
        async with contextlib.aclosing(self._reply(body)) as events:
            async for event in events:
                yield event
