"""From a chat to a request: fixed parts first, then as much of the history as fits, newest first (B-45).

Deterministic: the same scene and counter give the same prompt. Only messages that may fit are decoded, so a prompt
costs the same in a chat of a hundred messages and of a hundred thousand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tavern_desktop.prompt.examples import example_blocks
from tavern_desktop.prompt.history import Turn, turns_from_end
from tavern_desktop.prompt.injections import inserted
from tavern_desktop.prompt.messages import LeftOut, Part, Prompt, PromptError, PromptMessage
from tavern_desktop.prompt.scene import Scene
from tavern_desktop.prompt.surroundings import Surroundings, surroundings_of
from tavern_desktop.prompt.tokens import FRAMING, IMAGE, TokenCounter, usable


def build_prompt(scene: Scene, counter: TokenCounter) -> Prompt:
    """Return the request for a scene. Raises PromptError where the fixed parts alone do not fit."""
    return _Builder(scene, counter).prompt()


@dataclass
class _Builder:
    """One prompt under way."""

    scene: Scene
    counter: TokenCounter
    left_out: list[LeftOut] = field(default_factory=list)

    def prompt(self) -> Prompt:
        around = surroundings_of(self.scene, self.counter, self._of)
        # What stands around the history may ask for lore by its outlet.
        scene = self.scene = replace(self.scene, outlets=around.outlets)
        self.left_out += around.left_out
        head, tail = self._head(around), self._tail()
        turns = turns_from_end(scene)
        last = self._continued(turns) if scene.action == "continue" else []
        budget = usable(scene.context, scene.reply, is_estimate=self.counter.is_estimate)
        injected = [part for parts in around.at_depth.values() for part in parts]
        lore_examples = [*around.before_examples, *around.after_examples]
        budget -= self._require(budget, [*head, *last, *tail, *injected, *lore_examples])
        nudge = self._nudge()
        history = self._history(turns, budget - sum(part.tokens for part in nudge))
        if not tail and history and history[-1].message.role == "assistant":
            # Many servers would go on with a last message of the model's own instead of writing another.
            tail = nudge
        budget -= sum(part.tokens for part in (*history, *(tail if tail is nudge else ())))
        examples = [*around.before_examples, *self._examples(budget), *around.after_examples]
        heading = self._heading(bool(history or last))
        # What is continued stays last.
        conversation = inserted([*history, *last], around.at_depth, least_depth=1 if last else 0)
        parts = (*head, *examples, *heading, *conversation, *tail)
        return Prompt(
            parts,
            tuple(self.left_out),
            self._stop(),
            scene.context,
            scene.reply,
            is_estimate=self.counter.is_estimate,
            metadata=around.metadata,
        )

    # -- fixed parts --------------------------------------------------------------------------------------

    def _head(self, around: Surroundings) -> list[Part]:
        scene = self.scene
        macros = scene.macros
        main = macros.fill(scene.wording.main)
        system = scene.field_text("system_prompt")
        if system:
            main = macros.fill(system, original=main)
        parts: list[Part | None] = [
            *around.at_start,
            self._part("main", main, "the card's own system prompt" if system else "always"),
            *around.after_main,
            *around.before_card,
            self._part("persona", macros.fill(scene.persona), "who you are in this chat"),
        ]
        for name in ("description", "personality", "scenario"):
            own = scene.overrides is not None and getattr(scene.overrides, name)
            reason = "set for this chat" if own else "from the character card"
            parts.append(self._part(name, macros.fill(scene.field_text(name)), reason))
        parts += around.after_card
        return [part for part in parts if part is not None]

    def _tail(self) -> list[Part]:
        scene = self.scene
        macros = scene.macros
        wanted = macros.fill(scene.wording.post_history)
        own = scene.field_text("post_history")
        if own:
            wanted = macros.fill(own, original=wanted)
        parts = [self._part("post_history", wanted, "comes after the history")]
        if scene.is_group and scene.action != "impersonate":
            parts.append(self._part("group_nudge", macros.fill(scene.wording.group_nudge), "several may speak here"))
        if scene.action == "impersonate":
            parts.append(self._part("impersonate", macros.fill(scene.wording.impersonate), "you asked for your part"))
        if scene.action == "continue" and not scene.can_prefill:
            parts.append(self._part("continue", macros.fill(scene.wording.continue_nudge), "the reply goes on"))
        return [part for part in parts if part is not None]

    def _nudge(self) -> list[Part]:
        text = self.scene.macros.fill(self.scene.wording.reply_nudge)
        part = self._part("nudge", text, "the character spoke last") if self.scene.action != "continue" else None
        return [part] if part is not None else []

    def _heading(self, has_history: bool) -> list[Part]:
        if not has_history:
            return []
        part = self._part("heading", self.scene.macros.fill(self.scene.wording.chat_heading), "before the history")
        return [part] if part is not None else []

    def _part(self, source: str, text: str, reason: str) -> Part | None:
        return self._of(source, PromptMessage("system", text), reason) if text.strip() else None

    def _of(self, source: str, message: PromptMessage, reason: str, index: int | None = None) -> Part:
        tokens = self.counter.count(message.text) + FRAMING + IMAGE * len(message.images)
        tokens += sum(self.counter.count(call.name + call.arguments) + FRAMING for call in message.tool_calls)
        return Part(source, message, tokens, reason, index)

    def _require(self, budget: int, parts: Sequence[Part]) -> int:
        """Return the tokens of what must be there. Raises PromptError naming the largest of it."""
        needed = sum(part.tokens for part in parts) + self._heading_tokens()
        if needed <= budget:
            return needed
        largest = max(parts, key=lambda part: part.tokens)
        raise PromptError(
            "too_large",
            f"The fixed parts of the prompt need {needed:,} tokens, but only {max(budget, 0):,} are free beside the "
            f"reply; the largest is the {_TITLES.get(largest.source, largest.source)} with {largest.tokens:,}.",
            largest.source,
            {"needed": needed, "free": budget, "tokens": largest.tokens},
        )

    def _heading_tokens(self) -> int:
        return sum(part.tokens for part in self._heading(True))

    # -- history ------------------------------------------------------------------------------------------

    def _continued(self, turns: Iterator[Turn]) -> list[Part]:
        """Take the message that is continued from the newest end of the history."""
        for turn in turns:
            if turn.message is not None:
                message = replace(turn.message, is_prefill=self.scene.can_prefill)
                return [self._of("history", message, "the message that goes on", turn.index)]
            self._leave_out(turn)
        raise PromptError("empty", "There is no message to continue.")

    def _history(self, turns: Iterator[Turn], budget: int) -> list[Part]:
        """Return the newest messages that fit, oldest first; the first that does not ends it."""
        parts: list[Part] = []
        for turn in turns:
            if turn.message is None:
                self._leave_out(turn)
                continue
            group = [self._of("history", turn.message, "fits the context", turn.index)]
            group += [self._of("history", result, "answers a call", index) for index, result in turn.results]
            needed = sum(part.tokens for part in group)
            if needed > budget:
                self.left_out.append(LeftOut("history", "no room left in the context", None, 0, turn.index))
                break
            budget -= needed
            parts += reversed(group)
        return parts[::-1]

    def _leave_out(self, turn: Turn) -> None:
        """Note a message that is not sent, in one line with its neighbours of the same reason."""
        if self.left_out and self.left_out[-1].reason == turn.reason and self.left_out[-1].first == turn.index + 1:
            self.left_out[-1] = replace(self.left_out[-1], first=turn.index)
        else:
            self.left_out.append(LeftOut("history", turn.reason, None, turn.index, turn.index))

    def _examples(self, budget: int) -> list[Part]:
        """Return as many blocks of the example dialogue as fit beside the history."""
        parts: list[Part] = []
        for block in example_blocks(self.scene):
            found = [self._of("examples", message, "from the character card") for message in block]
            needed = sum(part.tokens for part in found)
            if needed > budget:
                self.left_out.append(LeftOut("examples", "no room left in the context", needed))
                break
            budget -= needed
            parts += found
        return parts

    def _stop(self) -> tuple[str, ...]:
        """Return where the model must stop: what the person set, and the user's turn."""
        return tuple(dict.fromkeys(filter(None, map(self.scene.macros.fill, self.scene.stop))))


_TITLES = {
    "main": "main instruction",
    "persona": "persona",
    "description": "character description",
    "personality": "character personality",
    "scenario": "scenario",
    "history": "message to continue",
    "post_history": "instruction after the history",
}
