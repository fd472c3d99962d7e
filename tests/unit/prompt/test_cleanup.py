"""The reply without what does not belong to it."""

from __future__ import annotations

import pytest

from tavern_desktop.prompt.cleanup import cleaned


@pytest.mark.parametrize(
    ("text", "reply", "cut"),
    [
        (" Hello. ", "Hello.", ""),
        ("Mira: Hello.", "Hello.", ""),
        ("Hello.\nAna: Hi!\nMira: Tea?", "Hello.", "Ana: Hi!\nMira: Tea?"),
        ("hello\nTomas: hi there\nAna: ok", "hello", "Tomas: hi there\nAna: ok"),
        ("Ana: I am you", "", "Ana: I am you"),
        ("Done.<|im_end|>\n<|im_start|>user", "Done.", ""),
        ("Done.\n### Instr", "Done.", ""),
        ("Anabel: fine", "Anabel: fine", ""),
        ("She said: no.", "She said: no.", ""),
        ("", "", ""),
    ],
)
def test_cleaned(text: str, reply: str, cut: str) -> None:
    assert cleaned(text, speaker="Mira", others=("Ana", "Tomas"), stop=("\n### Instruction:",)) == (reply, cut)
