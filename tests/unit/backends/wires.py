"""How each protocol puts a reply on the wire: what the tests let a fake server say."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Wire:
    """One protocol: where replies are asked for, and the bytes of their records.

    `template` is a record with `$` for the JSON literal of a text, `end` what closes a reply, `error` a record that
    tells of a failure, with `$` for its words.
    """

    protocol: str
    path: str
    template: str
    end: tuple[str, ...]
    error: str
    base: str = ""
    content_type: str = "text/event-stream"
    is_lines: bool = False
    says_done: bool = False

    def record(self, text: str) -> bytes:
        return self.literal(json.dumps(text))

    def literal(self, literal: str) -> bytes:
        """Return a record for the JSON text of a string, escapes and all."""
        return self.framed(self.template.replace("$", literal))

    def failure(self, words: str) -> bytes:
        return self.framed(self.error.replace("$", json.dumps(words)))

    def ending(self) -> bytes:
        done = b"data: [DONE]\n\n" if self.says_done else b""
        return b"".join(self.framed(record) for record in self.end) + done

    def framed(self, record: str) -> bytes:
        return f"{record}\n".encode() if self.is_lines else f"data: {record}\n\n".encode()

    def reply(self, *texts: str) -> bytes:
        return b"".join(map(self.record, texts)) + self.ending()


OPENAI = Wire(
    "openai",
    "/v1/chat/completions",
    '{"choices":[{"index":0,"delta":{"content":$}}]}',
    (
        '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
        '{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3}}',
    ),
    '{"error":{"message":$,"type":"server_error","code":500}}',
    base="/v1",
    says_done=True,
)
OPENAI_TEXT = Wire(
    "openai-text",
    "/v1/completions",
    '{"choices":[{"index":0,"text":$,"finish_reason":null}]}',
    ('{"choices":[{"index":0,"text":"","finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":3}}',),
    '{"error":{"message":$}}',
    base="/v1",
    says_done=True,
)
LLAMACPP = Wire(
    "llamacpp",
    "/completion",
    '{"index":0,"content":$,"stop":false}',
    ('{"index":0,"content":"","stop":true,"stop_type":"eos","tokens_evaluated":9,"tokens_predicted":3}',),
    '{"error":{"message":$,"type":"server_error","code":500}}',
)
KOBOLDCPP = Wire(
    "koboldcpp",
    "/api/extra/generate/stream",
    '{"token":$,"finish_reason":"null"}',
    ('{"token":"","finish_reason":"stop"}',),
    '{"error":{"message":$}}',
)
OLLAMA = Wire(
    "ollama",
    "/api/chat",
    '{"model":"m","message":{"role":"assistant","content":$},"done":false}',
    (
        '{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":9,"eval_count":3}',
    ),
    '{"error":$}',
    content_type="application/x-ndjson",
    is_lines=True,
)
ANTHROPIC = Wire(
    "anthropic",
    "/v1/messages",
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":$}}',
    (
        '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":9,"output_tokens":3}}',
        '{"type":"message_stop"}',
    ),
    '{"type":"error","error":{"type":"api_error","message":$}}',
    base="/v1",
)
GEMINI = Wire(
    "gemini",
    "/v1beta/models/m:streamGenerateContent",
    '{"candidates":[{"content":{"role":"model","parts":[{"text":$}]}}]}',
    ('{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3}}',),
    '{"error":{"code":500,"message":$,"status":"INTERNAL"}}',
)

WIRES = (OPENAI, OPENAI_TEXT, LLAMACPP, KOBOLDCPP, OLLAMA, ANTHROPIC, GEMINI)


def record_of(value: Any) -> bytes:
    """Return any value as one server-sent event."""
    return f"data: {json.dumps(value)}\n\n".encode()
