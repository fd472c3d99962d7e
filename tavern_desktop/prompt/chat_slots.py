"""What stands in each place of a prompt of messages: a preset's prompts in their order, filled in (prompt §3.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tavern_desktop.prompt.chat_preset import ChatPreset, PresetPrompt
from tavern_desktop.prompt.injections import DEEPEST, Injection
from tavern_desktop.prompt.messages import LeftOut, Part, PromptMessage
from tavern_desktop.prompt.scene import Scene, Wording
from tavern_desktop.prompt.surroundings import MakePart, Surroundings

HISTORY, EXAMPLES, MAIN, AT_END = "chatHistory", "dialogueExamples", "main", "jailbreak"

FIELDS = {"charDescription": "description", "charPersonality": "personality", "scenario": "scenario"}
"""Places that a text of the card fills."""
ALWAYS_SENT = ("worldInfoBefore", "worldInfoAfter", *FIELDS, "personaDescription")
"""Places that are filled unless they are switched off."""
SOURCES = FIELDS | {"personaDescription": "persona", EXAMPLES: "examples", HISTORY: "history"}
"""What the parts of a place come from."""

KINDS_OF = {
    "reply": frozenset({"normal"}),
    "swipe": frozenset({"swipe", "regenerate"}),
    "continue": frozenset({"continue"}),
    "impersonate": frozenset({"impersonate"}),
}
"""What a generation is called among a prompt's triggers; another alternative goes by both words."""


def default_preset(wording: Wording) -> ChatPreset:
    """Return what prompts are put together by where no preset is chosen: the program's own words, the usual order."""
    markers = ("worldInfoBefore", "personaDescription", "charDescription", "charPersonality", "scenario")
    places = (*markers, "worldInfoAfter", EXAMPLES, HISTORY)
    return ChatPreset(
        "",
        (
            PresetPrompt(MAIN, text=wording.main),
            *(PresetPrompt(name, is_marker=True) for name in places),
            PresetPrompt(AT_END, text=wording.post_history),
        ),
        new_chat=wording.chat_heading,
        new_group_chat=wording.chat_heading,
        new_example=wording.example_heading,
        group_nudge=wording.group_nudge,
        continue_nudge=wording.continue_nudge,
        impersonation=wording.impersonate,
        continues_by_prefill=True,
    )


@dataclass
class Slots:
    """The parts before, between and behind examples and history, in the order of the preset."""

    order: list[str] = field(default_factory=list)
    """Identifiers of the places that are filled, in their order; HISTORY and EXAMPLES among them."""
    parts: dict[str, list[Part]] = field(default_factory=dict)

    def has_after_history(self, behind: Sequence[Part] = ()) -> bool:
        """Say whether anything is sent behind the history."""
        after = self.order[self.order.index(HISTORY) + 1 :] if HISTORY in self.order else []
        return bool(behind) or any(self.parts.get(name) for name in after)

    def all_parts(self) -> list[Part]:
        """Return everything, for counting."""
        return [part for identifier in self.order for part in self.parts.get(identifier, ())]


class SlotFiller:
    """Fills the places of one prompt."""

    def __init__(self, scene: Scene, preset: ChatPreset, make: MakePart) -> None:
        self.left_out: list[LeftOut] = []
        self._scene, self._preset, self._make = scene, preset, make
        self._macros = scene.macros

    def absolute(self) -> list[Injection]:
        """Return the prompts that stand in the chat at a depth."""
        found = []
        for prompt in self._in_use():
            if prompt.is_absolute and not prompt.is_marker:
                text, reason = self._text(prompt)
                depth = min(prompt.depth, DEEPEST)
                found.append(Injection(depth, prompt.role, text, _source(prompt), reason, prompt.order))
        return found

    def slots(self, around: Surroundings) -> Slots:
        """Return everything but examples and history."""
        slots = Slots()
        self.left_out.clear()
        for prompt in self._in_use(tells=True):
            name = prompt.identifier
            slots.order.append(name)
            if name == MAIN:
                slots.parts[name] = [*around.at_start, *self._own(prompt), *around.after_main]
            elif name in ("worldInfoBefore", "worldInfoAfter"):
                lore = around.before_card if name == "worldInfoBefore" else around.after_card
                slots.parts[name] = self._formed(lore)
            elif name not in (HISTORY, EXAMPLES):
                slots.parts[name] = self._marker(prompt) if prompt.is_marker else self._own(prompt)
        if MAIN not in slots.order:
            # Where the preset has no main prompt or it is off, what goes with it stands first.
            slots.order.insert(0, MAIN)
            slots.parts[MAIN] = [*around.at_start, *around.after_main]
        self.left_out += self._without_place(slots, around)
        return slots

    def _without_place(self, slots: Slots, around: Surroundings) -> Iterator[LeftOut]:
        """Yield what there is, and the preset has switched off or has no place for."""
        scene = self._scene
        texts = {name: scene.field_text(field) for name, field in FIELDS.items()} | {
            "personaDescription": scene.persona,
            EXAMPLES: scene.field_text("examples"),
            HISTORY: "history" if scene.end else "",
        }
        for name, text in texts.items():
            if text.strip() and name not in slots.order:
                yield LeftOut(SOURCES[name], "the preset leaves it out")
        for name, lore in (("worldInfoBefore", around.before_card), ("worldInfoAfter", around.after_card)):
            if name not in slots.order:
                yield from (LeftOut(part.source, "the preset leaves it out", part.tokens) for part in lore)

    def _in_use(self, *, tells: bool = False) -> Iterator[PresetPrompt]:
        """Yield the prompts that are on and for this kind of generation, in their order.

        What the order says nothing of, not even that it is off, stands behind the others where it is of the card, the
        persona or lore.
        """
        known = {prompt.identifier for prompt in self._preset.prompts}
        missing = (PresetPrompt(name, is_marker=True) for name in ALWAYS_SENT if name not in known)
        for prompt in (*self._preset.prompts, *missing):
            if not prompt.is_on:
                self._tell(prompt, "switched off in the preset", tells=tells and bool(prompt.text.strip()))
            elif not prompt.is_for(KINDS_OF[self._scene.action]):
                self._tell(prompt, "not for this kind of reply", tells=tells)
            else:
                yield prompt

    def _tell(self, prompt: PresetPrompt, why: str, *, tells: bool) -> None:
        if tells:
            self.left_out.append(LeftOut(_source(prompt), why))

    def _own(self, prompt: PresetPrompt) -> list[Part]:
        """Return a prompt with a text of its own, unless it stands in the chat."""
        if prompt.is_absolute:
            return []
        text, reason = self._text(prompt)
        return self._parts(_source(prompt), prompt, text, reason)

    def _text(self, prompt: PresetPrompt) -> tuple[str, str]:
        """Return the text of a prompt, or what the card has in its place, and why."""
        macros, preset = self._macros, self._preset
        text = macros.fill(prompt.text)
        why = f"from the preset {preset.name}" if preset.name else "always"
        field_name = ""
        if prompt.identifier == MAIN and preset.prefers_card_main:
            field_name, title = "system_prompt", "the card's own system prompt"
        elif prompt.identifier == AT_END:
            why = why if preset.name else "comes after the history"
            if preset.prefers_card_end:
                field_name, title = "post_history", "the card's own instruction after the history"
        own = self._scene.field_text(field_name) if field_name and not prompt.keeps_own else ""
        return (macros.fill(own, original=text), title) if own else (text, why)

    def _marker(self, prompt: PresetPrompt) -> list[Part]:
        """Return a place that a text of the card or the persona fills."""
        scene, macros, preset = self._scene, self._macros, self._preset
        if prompt.identifier == "personaDescription":
            return self._parts("persona", prompt, macros.fill(scene.persona), "who you are in this chat")
        name = FIELDS.get(prompt.identifier)
        if name is None:
            return []
        text = scene.field_text(name)
        forms = {"personality": preset.personality_form, "scenario": preset.scenario_form}
        own = scene.overrides is not None and getattr(scene.overrides, name)
        reason = "set for this chat" if own else "from the character card"
        filled = macros.fill(forms.get(name) or text) if text.strip() else ""
        return self._parts(name, prompt, filled, reason)

    def _formed(self, lore: Sequence[Part]) -> list[Part]:
        """Put the preset's words around the lore of one place, which is sent as one message."""
        before, mark, after = self._preset.lore_form.partition("{0}")
        if not lore or not mark or not (before or after):
            return list(lore)
        texts = [part.message.text for part in lore]
        texts[0] = before + texts[0]
        texts[-1] += after
        return [
            self._again(part, replace(part.message, text=text)) if text != part.message.text else part
            for part, text in zip(lore, texts, strict=True)
        ]

    def _again(self, part: Part, message: PromptMessage) -> Part:
        return replace(self._make(part.source, message, part.reason), joins=part.joins)

    def _parts(self, source: str, prompt: PresetPrompt, text: str, reason: str) -> list[Part]:
        return [self._make(source, PromptMessage(prompt.role, text), reason)] if text.strip() else []


def _source(prompt: PresetPrompt) -> str:
    """Return what a part of a prompt comes from: a word of ours for the known ones, else its name."""
    known = {MAIN: "main", AT_END: "post_history"}.get(prompt.identifier)
    return known or f"prompt: {prompt.name or prompt.identifier}"
