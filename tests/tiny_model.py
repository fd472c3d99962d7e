"""A model of two megabytes that babbles: a table of which word follows which, dressed as a one-layer llama.

Its embedding is the identity, its layer adds nothing, and its output matrix holds the logarithm of how often one word
follows another. It writes thousands of words a second and stops by itself, which is what tests of streams want.
"""

from __future__ import annotations

import array
import itertools
import math
import re
import struct
from pathlib import Path

CORPUS = """\
*She smiles and lifts the lantern.* "Come in, the night is cold," she says. "The kettle is on."
"I was **not** lost," he answers. *He shakes the rain from his coat.* "The road was longer than the story."
*The old clock ticks, and the rain taps on the glass.* "Then sit, and tell me the story slowly."
「你好，」她说，「今晚的雨很大。」 *她微笑着。* 🌧️
"The ferry is late again," the keeper says, and the lamp turns, and the sea is quiet. 😀
"""

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

CALLING = (
    "{% if tools %}<|im_start|>system\nCall functions within <tool_call></tool_call>:\n"
    "{% for tool in tools %}{{ tool | tojson }}\n{% endfor %}<|im_end|>\n{% endif %}"
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content or '' }}"
    "{% for c in m.tool_calls or [] %}<tool_call>\n"
    '{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}\n</tool_call>{% endfor %}'
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""A template that tells of tools in a form that llama.cpp knows, so that its grammar holds calls to their schemas."""

SPECIAL = ["<|im_start|>", "<|im_end|>", "<|endoftext|>"]
MARKS = ["<tool_call>", "</tool_call>"]
BLOCK = 64

_U32, _F32, _BOOL, _STRING, _ARRAY, _I32 = 4, 6, 7, 8, 9, 5
_FLOAT_TENSOR = 0


def make_tiny_model(path: Path, *, calls: bool = False) -> Path:
    """Write the model as a GGUF file. One that `calls` uses tools where a request offers some."""
    tokens, following = _table(calls=calls)
    vocabulary = len(tokens)
    width = math.ceil(vocabulary / BLOCK) * BLOCK
    template = CALLING if calls else TEMPLATE
    path.write_bytes(_gguf(_facts(tokens, width, template), _tensors(following, vocabulary, width)))
    return path


def _table(*, calls: bool) -> tuple[list[str], list[list[float]]]:
    """Return the tokens, and for each the weights of what may follow."""
    letters = _printable_bytes()
    words = re.findall(r" ?[A-Za-z]+|[\u4e00-\u9fff]| ?[^\sA-Za-z\u4e00-\u9fff]+|\s+", CORPUS)
    written = ["".join(letters[byte] for byte in word.encode()) for word in words]
    tokens = list(dict.fromkeys([*SPECIAL, *(MARKS if calls else ()), *letters.values(), *written]))
    place = {token: index for index, token in enumerate(tokens)}
    following = [[1e-5] * len(tokens) for _ in tokens]
    for one, next_one in itertools.pairwise(written):
        following[place[one]][place[next_one]] += 1
    line_end, end = place[letters[10]], place["<|im_end|>"]
    # A reply ends with a line, one time in four, and begins like one: the template ends in a line break.
    for token in {token for token in written if token.endswith(letters[10])}:
        following[place[token]][end] += 0.33 * sum(following[place[token]])
    following[line_end][line_end] = following[line_end][end] = 1e-5
    if calls:
        _let_call(following, *(place[word] for word in MARKS), line_end, [place[letters[ord(sign)]] for sign in '"}'])
    return tokens, following


def _let_call(following: list[list[float]], begin: int, end: int, line_end: int, closing: list[int]) -> None:
    """Have replies begin with a call, and calls end before long; their form is the grammar's matter."""
    for weights in following:
        total = sum(weights)
        for sign in closing:
            weights[sign] += 0.3 * total
    following[begin] = [1e-5] * len(following)
    following[begin][line_end] = 1.0
    following[end] = list(following[line_end])
    following[line_end][begin] += 3 * sum(following[line_end])


def _printable_bytes() -> dict[int, str]:
    """Return the signs that byte-level vocabularies write bytes with."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return {byte: chr(byte) for byte in plain} | {byte: chr(256 + place) for place, byte in enumerate(others)}


def _facts(tokens: list[str], width: int, template: str) -> list[tuple[str, int, object]]:
    kinds = [3 if token in SPECIAL else 4 if token in MARKS else 1 for token in tokens]
    space, letter = _printable_bytes()[32], "a"
    return [
        ("general.architecture", _STRING, "llama"),
        ("general.name", _STRING, "tiny"),
        ("llama.context_length", _U32, 131072),
        ("llama.embedding_length", _U32, width),
        ("llama.block_count", _U32, 1),
        ("llama.feed_forward_length", _U32, BLOCK),
        ("llama.attention.head_count", _U32, 1),
        ("llama.attention.head_count_kv", _U32, 1),
        ("llama.attention.layer_norm_rms_epsilon", _F32, 1e-5),
        ("llama.attention.key_length", _U32, BLOCK),
        ("llama.attention.value_length", _U32, BLOCK),
        ("llama.rope.dimension_count", _U32, BLOCK),
        ("llama.vocab_size", _U32, len(tokens)),
        ("tokenizer.ggml.model", _STRING, "gpt2"),
        ("tokenizer.ggml.pre", _STRING, "llama-bpe"),
        ("tokenizer.ggml.tokens", _ARRAY, (_STRING, tokens)),
        ("tokenizer.ggml.token_type", _ARRAY, (_I32, kinds)),
        ("tokenizer.ggml.merges", _ARRAY, (_STRING, [f"{space} {letter}"])),
        ("tokenizer.ggml.bos_token_id", _U32, tokens.index("<|endoftext|>")),
        ("tokenizer.ggml.eos_token_id", _U32, tokens.index("<|im_end|>")),
        ("tokenizer.ggml.add_bos_token", _BOOL, False),
        ("tokenizer.chat_template", _STRING, template),
    ]


def _tensors(following: list[list[float]], vocabulary: int, width: int) -> list[tuple[str, tuple[int, ...], bytes]]:
    """Return name, sizes (fastest first) and 32-bit values of every matrix."""
    identity = array.array("f", bytes(4 * vocabulary * width))
    output = array.array("f", bytes(4 * vocabulary * width))
    scale = math.sqrt(width)  # what the norm makes of a row of the identity
    for one, weights in enumerate(following):
        identity[one * width + one] = 1.0
        total = sum(weights)
        for next_one, weight in enumerate(weights):
            output[next_one * width + one] = math.log(weight / total) / scale
    ones = array.array("f", [1.0] * width).tobytes()
    nothing = bytes(4 * width * BLOCK)
    found = [
        ("token_embd.weight", (width, vocabulary), identity.tobytes()),
        ("output.weight", (width, vocabulary), output.tobytes()),
        ("output_norm.weight", (width,), ones),
        ("blk.0.attn_norm.weight", (width,), ones),
        ("blk.0.ffn_norm.weight", (width,), ones),
    ]
    narrow = ("attn_q", "attn_k", "attn_v", "ffn_gate", "ffn_up")
    found += [(f"blk.0.{name}.weight", (width, BLOCK), nothing) for name in narrow]
    return [*found, *((f"blk.0.{name}.weight", (BLOCK, width), nothing) for name in ("attn_output", "ffn_down"))]


def _gguf(facts: list[tuple[str, int, object]], tensors: list[tuple[str, tuple[int, ...], bytes]]) -> bytes:
    head = bytearray(b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(facts)))
    for name, kind, value in facts:
        head += _text(name) + struct.pack("<I", kind) + _value(kind, value)
    body = bytearray()
    for name, sizes, data in tensors:
        head += _text(name) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, _FLOAT_TENSOR, len(body))
        body += data + bytes(-len(data) % 32)
    return bytes(head) + bytes(-len(head) % 32) + bytes(body)


def _value(kind: int, value: object) -> bytes:
    if kind == _ARRAY:
        assert isinstance(value, tuple)
        inner, entries = value
        return struct.pack("<IQ", inner, len(entries)) + b"".join(_value(inner, entry) for entry in entries)
    if kind == _STRING:
        return _text(str(value))
    return struct.pack({_U32: "<I", _F32: "<f", _BOOL: "<?", _I32: "<i"}[kind], value)


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()
