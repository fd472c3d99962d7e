"""From a chat to a request: fixed parts first, then as much of the history as fits, newest first (B-45).

Deterministic: the same scene and counter give the same prompt. Only messages that may fit are decoded, so a prompt
costs the same in a chat of a hundred messages and of a hundred thousand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tavern_desktop.prompt.chat_preset import ChatPreset
from tavern_desktop.prompt.chat_slots import EXAMPLES, HISTORY, SlotFiller, default_preset
from tavern_desktop.prompt.examples import example_texts, example_turns
from tavern_desktop.prompt.finishing import sent_messages
from tavern_desktop.prompt.history import Turn, turns_from_end
from tavern_desktop.prompt.injections import inserted
from tavern_desktop.prompt.messages import NO_ROOM, LeftOut, Part, Prompt, PromptError, PromptMessage
from tavern_desktop.prompt.room import fitting, free_beside, note_turn, tokens_of
from tavern_desktop.prompt.scene import Scene
from tavern_desktop.prompt.surroundings import Surroundings, surroundings_of
from tavern_desktop.prompt.text_build import build_text_prompt
from tavern_desktop.prompt.tokens import FRAMING, IMAGE, TokenCounter


def build_prompt(scene: Scene, counter: TokenCounter) -> Prompt:
    """Return the request for a scene. Raises PromptError where the fixed parts alone do not fit."""
    if scene.text_form is not None:
        return build_text_prompt(scene, scene.text_form, counter)
    return _Builder(scene, counter, scene.preset or default_preset(scene.wording)).prompt()


@dataclass
class _Builder:
    """One prompt under way."""

    scene: Scene
    counter: TokenCounter
    preset: ChatPreset
    left_out: list[LeftOut] = field(default_factory=list)

    def prompt(self) -> Prompt:
        preset = self.preset
        absolute = SlotFiller(self.scene, preset, self._of).absolute()
        around = surroundings_of(self.scene, self.counter, self._of, absolute)
        # What stands around the history may ask for lore by its outlet.
        scene = self.scene = replace(self.scene, outlets=around.outlets)
        filler = SlotFiller(scene, preset, self._of)
        slots = filler.slots(around)
        self.left_out += [*scene.preset_notes, *around.left_out, *filler.left_out]
        turns = turns_from_end(scene) if HISTORY in slots.order else iter(())
        last = self._continued(turns) if scene.action == "continue" else []
        heading, closing, at_end = self._heading(), self._closing(), self._at_end(last)
        injected = [part for parts in around.at_depth.values() for part in parts]
        budget = free_beside([*slots.all_parts(), *heading, *closing, *at_end, *injected], scene, self.counter)
        blocks = self._example_blocks(around) if EXAMPLES in slots.order else []
        examples = fitting(blocks, budget, self.left_out) if preset.pins_examples else []
        budget -= tokens_of(examples)
        nudge = self._nudge()
        history = self._history(turns, budget - tokens_of(nudge))
        # The program's own nudge stands in for whatever else would be last; a preset's is a message of the chat.
        if not _speaks_last(history) or (not preset.name and slots.has_after_history([*closing, *at_end])):
            nudge = []
        talk = [*history, *(nudge if preset.name else ()), *last]
        if last and last[0].message.is_prefill:
            in_chat = inserted(history, around.at_depth)  # what the model goes on from is no message of the chat then
        else:
            in_chat = inserted(talk, around.at_depth, least_depth=1 if last else 0)
        if not preset.pins_examples:
            examples = fitting(blocks, budget - tokens_of([*history, *nudge]), self.left_out)
        if not history and not last and not preset.name:
            heading = []
        said = [part for part in in_chat if not last or part is not last[0]]
        behind = [*(() if preset.name else nudge), *closing]
        filled = slots.parts | {HISTORY: [*heading, *said, *behind], EXAMPLES: examples}
        return self._whole([*(part for name in slots.order for part in filled.get(name, ())), *at_end], around)

    def _whole(self, parts: Sequence[Part], around: Surroundings) -> Prompt:
        scene, preset = self.scene, self.preset
        sent = sent_messages(
            parts,
            squashes=preset.squashes,
            post_processing=preset.post_processing,
            char=scene.character.name,
            user=scene.user,
        )
        return Prompt(
            tuple(parts),
            tuple(self.left_out),
            self._stop(),
            scene.context,
            scene.reply,
            is_estimate=self.counter.is_estimate,
            metadata=around.metadata,
            sent=sent,
            preset=preset.name,
        )

    # -- fixed parts --------------------------------------------------------------------------------------

    def _closing(self) -> list[Part]:
        """Return what stands at the end of the history: in groups, whose turn it is."""
        scene = self.scene
        if not scene.is_group or scene.action == "impersonate":
            return []
        return self._part("group_nudge", self.preset.group_nudge, "several may speak here", stands_alone=True)

    def _at_end(self, last: list[Part]) -> list[Part]:
        """Return what stands behind everything: what is asked for, and the message that goes on."""
        scene, preset = self.scene, self.preset
        if scene.action == "impersonate":
            return self._part("impersonate", preset.impersonation, "you asked for your part")
        if scene.action != "continue":
            return self._prefilled(preset.prefill)
        if last and last[0].message.is_prefill:
            return last
        text = last[0].message.text if last else ""
        return [*last, *self._part("continue", preset.continue_nudge, "the reply goes on", lastchatmessage=text)]

    def _prefilled(self, text: str) -> list[Part]:
        """Return what the reply begins with, where the protocol has models go on from their own text."""
        filled = self.scene.macros.fill(text).rstrip() if self.scene.takes_prefill else ""
        if not filled:
            return []
        message = PromptMessage("assistant", filled, is_prefill=True)
        return [self._of("prefill", message, "the reply begins with it")]

    def _nudge(self) -> list[Part]:
        """Return what is said where the character spoke last, so that it speaks again."""
        scene, preset = self.scene, self.preset
        if scene.action == "continue":
            return []
        if preset.if_empty.strip():
            message = PromptMessage("user", scene.macros.fill(preset.if_empty))
            return [self._of("nudge", message, "the character spoke last")]
        own = "" if preset.name else scene.wording.reply_nudge
        return self._part("nudge", own, "the character spoke last")

    def _heading(self) -> list[Part]:
        preset = self.preset
        text = preset.new_group_chat if self.scene.is_group else preset.new_chat
        return self._part("heading", text, "before the history", stands_alone=True)

    def _part(self, source: str, text: str, reason: str, *, stands_alone: bool = False, **more: str) -> list[Part]:
        """Return a system message with this text, nothing for none. `more`: macros that are known here only."""
        macros = self.scene.macros
        filled = replace(macros, more={**macros.more, **more}).fill(text)
        if not filled.strip():
            return []
        part = self._of(source, PromptMessage("system", filled), reason)
        return [replace(part, stands_alone=stands_alone)]

    def _of(self, source: str, message: PromptMessage, reason: str, index: int | None = None) -> Part:
        tokens = self.counter.count(message.text) + FRAMING + IMAGE * len(message.images)
        tokens += sum(self.counter.count(call.name + call.arguments) + FRAMING for call in message.tool_calls)
        return Part(source, message, tokens, reason, index)

    # -- history ------------------------------------------------------------------------------------------

    def _continued(self, turns: Iterator[Turn]) -> list[Part]:
        """Take the message that is continued from the newest end of the history."""
        by_prefill = self.scene.can_prefill and self.preset.continues_by_prefill
        for turn in turns:
            if turn.message is not None:
                message = replace(turn.message, is_prefill=by_prefill)
                return [self._of("history", message, "the message that goes on", turn.index)]
            note_turn(turn, self.left_out)
        raise PromptError("empty", "There is no message to continue.")

    def _history(self, turns: Iterator[Turn], budget: int) -> list[Part]:
        """Return the newest messages that fit, oldest first; the first that does not ends it."""
        parts: list[Part] = []
        for turn in turns:
            if turn.message is None:
                note_turn(turn, self.left_out)
                continue
            group = [self._of("history", turn.message, "fits the context", turn.index)]
            group += [self._of("history", result, "answers a call", index) for index, result in turn.results]
            needed = sum(part.tokens for part in group)
            if needed > budget:
                self.left_out.append(LeftOut("history", NO_ROOM, None, 0, turn.index))
                break
            budget -= needed
            parts += reversed(group)
        return parts[::-1]

    def _example_blocks(self, around: Surroundings) -> list[list[Part]]:
        """Return the example dialogue block by block, that of lore around the card's, each with its heading."""
        scene, macros = self.scene, self.scene.macros
        card = (scene.field_text("examples"), "examples", "from the character card")
        before = [(part.message.text, part.source, part.reason) for part in reversed(around.before_examples)]
        after = [(part.message.text, part.source, part.reason) for part in around.after_examples]
        texts = [(block, *why) for text, *why in (*before, card, *after) for block in example_texts(text)]
        heading = macros.fill(self.preset.new_example)
        blocks = []
        for text, source, reason in texts:
            first = [replace(self._of(source, PromptMessage("system", heading), "a heading"), stands_alone=True)]
            turns = [
                self._of(source, message, reason)
                for message in example_turns(text, scene, macros, keeps_names=scene.is_group)
            ]
            blocks.append([*(first if heading.strip() else ()), *turns])
        return blocks

    def _stop(self) -> tuple[str, ...]:
        """Return where the model must stop: what the person set, and the user's turn."""
        return tuple(dict.fromkeys(filter(None, map(self.scene.macros.fill, self.scene.stop))))


def _speaks_last(conversation: list[Part]) -> bool:
    """Say whether the last message is the character's: many servers would go on with it instead of writing another."""
    return bool(conversation) and conversation[-1].message.role == "assistant"
