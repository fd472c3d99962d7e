"""From a chat to one text, by the templates that are chosen: story, examples, history, whose turn it is (prompt §5).

The parts of the prompt, one behind the other, are the text to the letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tavern_desktop.chat import facts
from tavern_desktop.prompt.examples import example_texts, example_turns
from tavern_desktop.prompt.history import Turn, turns_from_end
from tavern_desktop.prompt.injections import inserted
from tavern_desktop.prompt.instruct import Place, TurnWriter, Voice, stop_strings
from tavern_desktop.prompt.messages import NO_ROOM, LeftOut, Part, Prompt, PromptError, PromptMessage, PromptRole
from tavern_desktop.prompt.room import fitting, free_beside, note_turn, tokens_of
from tavern_desktop.prompt.scene import Scene
from tavern_desktop.prompt.story_string import Piece, rendered, trimmed
from tavern_desktop.prompt.surroundings import Surroundings, surroundings_of
from tavern_desktop.prompt.text_form import TextForm
from tavern_desktop.prompt.tokens import IMAGE, TokenCounter

FIRST_SEARCHED = 100
"""Messages at the beginning among which the first of the conversation is looked for."""

SOURCES = {
    "system": "main",
    "wiBefore": "lore before",
    "loreBefore": "lore before",
    "wiAfter": "lore after",
    "loreAfter": "lore after",
    "anchorBefore": "note",
    "anchorAfter": "note",
    "mesExamples": "examples",
    "mesExamplesRaw": "examples",
}
"""What a field of the story is called among the parts, where it is not its own name."""


def build_text_prompt(scene: Scene, form: TextForm, counter: TokenCounter) -> Prompt:
    """Return the request for a scene as one text. Raises PromptError where the fixed parts alone do not fit."""
    return _Builder(scene, form, counter).prompt()


@dataclass
class _Builder:
    """One prompt under way."""

    scene: Scene
    form: TextForm
    counter: TokenCounter
    _writer: TurnWriter = field(init=False)
    left_out: list[LeftOut] = field(default_factory=list)

    def prompt(self) -> Prompt:
        around = surroundings_of(self.scene, self.counter, self._of)
        scene = self.scene = replace(self.scene, outlets=around.outlets)
        self.left_out += [*scene.preset_notes, *around.left_out]
        self._writer = self._new_writer()
        story = self._story(around)
        if self.form.context.in_chat and story:
            around = self._with_story(around, story)
            story = []
        # How long the opening is depends a little on what it stands behind: the longest is reckoned with.
        opening = self._opening("")
        start = self._line("heading", self.form.context.chat_start, "before the conversation")
        at_depth = {depth: self._written(parts) for depth, parts in around.at_depth.items()}
        injected = [part for parts in at_depth.values() for part in parts]
        end = self._post_history()
        budget = free_beside([*story, *start, *opening, *injected, *end], scene, self.counter)
        blocks = [[block] for block in self._example_blocks(around)]
        examples = fitting(blocks, budget, self.left_out) if self.form.pins_examples else []
        history = self._conversation(at_depth, end, budget - tokens_of(examples))
        if not self.form.pins_examples:
            fixed = {id(part) for part in (*injected, *end)}
            said = [part for part in history if id(part) not in fixed]
            examples = fitting(blocks, budget - tokens_of(said), self.left_out)
        before = [*story, *examples, *start, *history]
        opening = self._opening(before[-1].message.text if before else "")
        parts = self._whole([*before, *opening])
        text = "".join(part.message.text for part in parts)
        return Prompt(
            tuple(parts),
            tuple(self.left_out),
            tuple(dict.fromkeys((*map(scene.macros.fill, scene.stop), *self._stops(history)))),
            scene.context,
            scene.reply,
            is_estimate=self.counter.is_estimate,
            metadata=around.metadata,
            text=text,
            preset=self.form.name,
        )

    # -- the story ----------------------------------------------------------------------------------------

    def _story(self, around: Surroundings) -> list[Part]:
        """Return the pieces of the story, each by what it comes from."""
        form, macros = self.form, self.scene.macros
        fields = self._fields(around)
        pieces = [
            piece if piece.field else Piece("", macros.fill(piece.text))
            for piece in rendered(form.context.story, fields)
        ]
        pieces = trimmed(pieces)
        text = "".join(piece.text for piece in pieces)
        before, after = self._writer.story(text) if not form.context.in_chat else ("", "")
        ends_itself = form.instruct is not None and (not form.instruct.wraps or bool(after))
        if text and not text.endswith("\n") and not ends_itself and not form.context.in_chat:
            pieces.append(Piece("", "\n"))
        self._tell_unused(fields, {piece.field for piece in pieces})
        return self._pieces(before, pieces, after)

    def _fields(self, around: Surroundings) -> dict[str, str]:
        scene, form, macros = self.scene, self.form, self.scene.macros
        lore_before = "\n".join(part.message.text for part in around.before_card)
        lore_after = "\n".join(part.message.text for part in around.after_card)
        examples = scene.field_text("examples")
        blocks = [] if form.strips_examples else example_texts(examples)
        return {
            "system": self._system(),
            "description": macros.fill(scene.field_text("description")),
            "personality": macros.fill(scene.field_text("personality")),
            "scenario": macros.fill(scene.field_text("scenario")),
            "persona": macros.fill(scene.persona),
            "char": scene.character.name,
            "user": scene.user,
            "wiBefore": lore_before,
            "loreBefore": lore_before,
            "wiAfter": lore_after,
            "loreAfter": lore_after,
            "anchorBefore": "\n".join(part.message.text for part in around.at_start),
            "anchorAfter": "\n".join(part.message.text for part in around.after_main),
            "mesExamples": "".join(self._block_text(block) for block in blocks),
            "mesExamplesRaw": macros.fill(examples),
        }

    def _system(self) -> str:
        form, scene, macros = self.form, self.scene, self.scene.macros
        text = macros.fill(scene.wording.main if form.system is None else form.system)
        own = scene.field_text("system_prompt") if form.prefers_card_main and form.system != "" else ""
        return macros.fill(own, original=text) if own else text

    def _tell_unused(self, fields: dict[str, str], used: set[str]) -> None:
        """Note what there is and the story has no place for."""
        for name in ("system", "description", "personality", "scenario", "persona"):
            if fields[name].strip() and name not in used:
                self.left_out.append(LeftOut(SOURCES.get(name, name), "the story of the template has no place for it"))
        for names in (("wiBefore", "loreBefore"), ("wiAfter", "loreAfter")):
            if fields[names[0]].strip() and not used & set(names):
                self.left_out.append(LeftOut(SOURCES[names[0]], "the story of the template has no place for it"))

    def _pieces(self, before: str, pieces: Sequence[Piece], after: str) -> list[Part]:
        """Return the parts: of the template's own words the whole lines go with what stands before them, the beginning
        of a line with what it leads to."""
        found: list[Piece] = []
        leading = before
        for name, text in pieces:
            if name in ("", "char", "user"):
                leading += text
                continue
            if found:
                head, newline, leading = leading.rpartition("\n")
                found[-1] = Piece(found[-1].field, found[-1].text + head + newline)
            found.append(Piece(name, leading + text))
            leading = ""
        rest = leading + after
        found = [*found[:-1], Piece(found[-1].field, found[-1].text + rest)] if found else [Piece("story", rest)]
        reason = "by the template’s story"
        return [
            self._of(SOURCES.get(name, name), PromptMessage("system", text), reason) for name, text in found if text
        ]

    def _with_story(self, around: Surroundings, story: Sequence[Part]) -> Surroundings:
        """Put the story into the chat, at the depth and by the role of the template."""
        context = self.form.context
        text = "".join(part.message.text for part in story)
        part = self._of("story", PromptMessage(context.role, text), "stands in the chat")
        at_depth = {depth: list(parts) for depth, parts in around.at_depth.items()}
        at_depth.setdefault(context.depth, []).append(part)
        return replace(around, at_depth=at_depth)

    # -- examples -----------------------------------------------------------------------------------------

    def _example_blocks(self, around: Surroundings) -> list[Part]:
        form, scene = self.form, self.scene
        in_story = "mesexamples" in form.context.story.lower()
        lore_before = [(part.message.text, part.source, part.reason) for part in reversed(around.before_examples)]
        lore_after = [(part.message.text, part.source, part.reason) for part in around.after_examples]
        own = "" if form.strips_examples or in_story else scene.field_text("examples")
        texts = [*lore_before, (own, "examples", "from the character card"), *lore_after]
        return [
            self._of(source, PromptMessage("system", self._block_text(block)), reason)
            for text, source, reason in texts
            for block in example_texts(text)
        ]

    def _block_text(self, block: str) -> str:
        """Return a block of the example dialogue, with its separator."""
        form, scene, macros = self.form, self.scene, self.scene.macros
        separator = macros.fill(form.context.example_separator)
        heading = f"{separator}\n" if separator else ""
        if form.instruct is None or form.instruct.skips_examples:
            return f"{heading}{macros.fill(block)}\n"
        keeps_names = scene.is_group and form.instruct.names != "none"
        turns = example_turns(block, scene, macros, keeps_names=keeps_names)
        return heading + "".join(self._writer.example(turn.name == "example_user", turn.text) for turn in turns)

    # -- the conversation ---------------------------------------------------------------------------------

    def _conversation(self, at_depth: dict[int, list[Part]], end: list[Part], budget: int) -> list[Part]:
        """Return the history, newest first as far as there is room, with what stands in it and behind it."""
        goes_on = self.scene.action == "continue"
        history: list[Part] = []
        last: list[Part] = []
        for part in self._turns(user_is_last=not end and self.scene.action != "impersonate"):
            if goes_on and not last:
                budget = self._room_for(part, budget)
                last = [part]
            elif part.tokens > budget:
                self.left_out.append(LeftOut("history", NO_ROOM, None, 0, part.index))
                break
            else:
                budget -= part.tokens
                history.append(part)
        if goes_on and not last:
            raise PromptError("empty", "There is no message to continue.")
        talk = inserted([*self._aligned(history[::-1]), *last], at_depth, least_depth=1 if goes_on else 0)
        # What comes after the history counts for no depth, and a message that goes on stays last.
        return [*talk[:-1], *end, *last] if goes_on else [*talk, *end]

    def _room_for(self, part: Part, budget: int) -> int:
        """Return what is left beside the message that goes on. Raises PromptError where it does not fit."""
        if part.tokens > budget:
            sentence = f"The message to continue needs {part.tokens:,} tokens, but only {budget:,} are free."
            raise PromptError("too_large", sentence, "history", {"needed": part.tokens, "free": budget})
        return budget - part.tokens

    def _turns(self, *, user_is_last: bool) -> Iterator[Part]:
        """Yield the written turns from the newest on. `user_is_last`: no other turn of the user stands behind them."""
        scene = self.scene
        first = self._first_index()
        is_newest, user_seen = True, not user_is_last
        for turn in turns_from_end(scene):
            if turn.message is None:
                note_turn(turn, self.left_out)
                continue
            role = turn.message.role
            goes_on = is_newest and scene.action == "continue"
            place: Place = ""
            if goes_on or (role == "user" and not user_seen):
                place = "last"
            elif turn.index == first:
                place = "first"
            user_seen = user_seen or role == "user"
            is_newest = False
            text = self._writer.turn(self._voice(turn, role), turn.message.text, place, ends=not goes_on)
            reason = "the message that goes on" if goes_on else "fits the context"
            message = PromptMessage(role, text, images=turn.message.images, is_prefill=goes_on)
            yield self._of("history", message, reason, turn.index)

    def _voice(self, turn: Turn, role: PromptRole) -> Voice:
        data = self.scene.messages[turn.index].seen_data()
        return Voice(role, turn.name if role != "system" else "", bool(data.get("force_avatar")))

    def _first_index(self) -> int | None:
        """Return the number of the conversation's first message, None if it is further on than is looked for."""
        for index in range(min(self.scene.end, FIRST_SEARCHED)):
            if not facts.is_hidden(self.scene.messages[index].seen_data()):
                return index
        return None

    def _post_history(self) -> list[Part]:
        scene, form, macros = self.scene, self.form, self.scene.macros
        text = macros.fill(form.post_history)
        own = scene.field_text("post_history") if form.prefers_card_end else ""
        text = macros.fill(own, original=text) if own else text
        if not text.strip():
            return []
        # Where the user's own part is wanted, that is their last turn.
        written = self._writer.turn(Voice("user"), text, "" if scene.action == "impersonate" else "last")
        return [self._of("post_history", PromptMessage("user", written), "comes after the history")]

    def _aligned(self, history: list[Part]) -> list[Part]:
        """Begin with a turn of the user where the template wants that; it is short, and fits into the margin."""
        instruct = self.form.instruct
        if instruct is None or not instruct.alignment or not history or history[0].message.role == "user":
            return history
        said = self.scene.macros.fill(instruct.alignment)
        text = self._writer.turn(Voice("user", self.scene.user), said, "first")
        return [self._of("alignment", PromptMessage("user", text), "the template begins with the user"), *history]

    def _written(self, parts: Sequence[Part]) -> list[Part]:
        """Return injected texts as turns; those of one role at one depth are one turn."""
        groups: list[list[Part]] = []
        for part in parts:
            if groups and part.joins and groups[-1][-1].joins == part.joins:
                groups[-1].append(part)
            else:
                groups.append([part])
        found = []
        for group in groups:
            role = group[0].message.role
            name = {"user": self.scene.user, "assistant": self.scene.character.name}.get(role, "")
            mark = "\n".join(part.message.text for part in group)
            written = self._writer.turn(Voice(role, name), mark)
            before, _, after = written.partition(mark)
            for at, part in enumerate(group):
                is_last = at == len(group) - 1
                text = (before if not at else "") + part.message.text + (after if is_last else "\n")
                found.append(self._of(part.source, PromptMessage(role, text), part.reason))
        return found

    # -- the end ------------------------------------------------------------------------------------------

    def _opening(self, before: str) -> list[Part]:
        scene = self.scene
        if scene.action == "continue":
            return []
        text = self._writer.opening(before, is_user=scene.action == "impersonate")
        reason = "your part is wanted" if scene.action == "impersonate" else "the character speaks next"
        return [self._of("turn", PromptMessage("assistant", text), reason)] if text else []

    def _stops(self, history: Sequence[Part]) -> tuple[str, ...]:
        """Return where the reply ends; whoever is to speak may say their own name."""
        scene = self.scene
        char, user = scene.character.name, scene.user
        names = [char, user] if scene.action == "impersonate" else [user]
        if scene.is_group:
            said = (facts.name(scene.messages[part.index].seen_data()) for part in history if part.index is not None)
            names += [name for name in said if name and name != char]
        return stop_strings(self.form, scene.macros, user, char, list(dict.fromkeys(names)))

    # -- helpers ------------------------------------------------------------------------------------------

    def _new_writer(self) -> TurnWriter:
        scene = self.scene
        return TurnWriter(self.form, scene.macros, scene.user, scene.character.name, is_group=scene.is_group)

    def _line(self, source: str, text: str, reason: str) -> list[Part]:
        filled = self.scene.macros.fill(text)
        return [self._of(source, PromptMessage("system", f"{filled}\n"), reason)] if filled else []

    def _of(self, source: str, message: PromptMessage, reason: str, index: int | None = None) -> Part:
        message = replace(message, text=message.text.replace("\r", ""))
        tokens = self.counter.count(message.text) + IMAGE * len(message.images)
        return Part(source, message, tokens, reason, index)

    def _whole(self, parts: Sequence[Part]) -> list[Part]:
        """Return the parts as they are sent; blank lines go where the person wants none."""
        if not self.form.collapses_lines:
            return list(parts)
        found: list[Part] = []
        ended = False
        for part in parts:
            text = _BLANK_LINES.sub("\n", part.message.text)
            text = text.lstrip("\n") if ended else text
            ended = text.endswith("\n") if text else ended
            found.append(replace(part, message=replace(part.message, text=text)))
        return found


_BLANK_LINES = re.compile(r"\n{2,}")
