"""OpenAI's text completions: one text in, its continuation out."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator

from tavern_desktop.backends.connection import is_near
from tavern_desktop.backends.events import Event
from tavern_desktop.backends.openai_chat import OpenAi
from tavern_desktop.backends.request import Request
from tavern_desktop.backends.samplers import fields_for


class OpenAiText(OpenAi):
    """Text completions."""

    protocol = "openai-text"
    path = "/completions"
    takes_messages = False
    takes_text = True

    async def _events(self, request: Request) -> AsyncGenerator[Event, None]:
        self._needs_prompt(request)
        # Providers elsewhere refuse fields they do not know; servers at home leave them alone.
        samplers = request.settings.samplers if is_near(self.connection) else None
        more = fields_for(self.protocol, samplers, self.connection.off)
        body = {**more, **self._common(request), "prompt": request.prompt}
        async with contextlib.aclosing(self._reply(body)) as events:
            async for event in events:
                yield event
