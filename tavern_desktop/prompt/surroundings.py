"""What is put around and into the conversation besides the card: lore, the author's note, notes at a depth."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tavern_desktop.prompt import lore
from tavern_desktop.prompt.history import turns_from_end
from tavern_desktop.prompt.injections import (
    AFTER_MAIN,
    BEFORE_MAIN,
    IN_CHAT,
    ROLES,
    Injection,
    Note,
    joins_of,
    sorted_at,
)
from tavern_desktop.prompt.lore_activation import Active, Occasion, activate
from tavern_desktop.prompt.messages import LeftOut, Part, PromptMessage
from tavern_desktop.prompt.scene import Scene
from tavern_desktop.prompt.scripts import LORE, scripted
from tavern_desktop.prompt.tokens import TokenCounter, usable

MakePart = Callable[[str, PromptMessage, str], Part]
"""Makes a part of a source, a message and a reason, with its tokens counted."""

WIDEST = 1000
"""Messages that are searched at most, whatever an entry asks for."""

TRIGGERS = {"reply": "normal", "swipe": "swipe", "continue": "continue", "impersonate": "impersonate"}


@dataclass
class Surroundings:
    """Parts by their places."""

    at_start: list[Part] = field(default_factory=list)
    """Before the main instruction."""
    after_main: list[Part] = field(default_factory=list)
    before_card: list[Part] = field(default_factory=list)
    after_card: list[Part] = field(default_factory=list)
    before_examples: list[Part] = field(default_factory=list)
    """The last of them stands first."""
    after_examples: list[Part] = field(default_factory=list)
    at_depth: dict[int, list[Part]] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    outlets: dict[str, str] = field(default_factory=dict)
    """Lore that stands where a macro asks for it."""
    metadata: dict[str, Any] = field(default_factory=dict)
    """What the chat's metadata says otherwise once this is sent."""

    def all_parts(self) -> list[Part]:
        """Return everything, for counting."""
        lists = (self.at_start, self.after_main, self.before_card, self.after_card, self.before_examples)
        found = [part for each in (*lists, self.after_examples) for part in each]
        return found + [part for parts in self.at_depth.values() for part in parts]


def surroundings_of(
    scene: Scene, counter: TokenCounter, make: MakePart, absolute: Sequence[Injection] = ()
) -> Surroundings:
    """Return what surrounds the conversation of a scene. `absolute`: what a preset has at a depth."""
    around = Surroundings()
    active = _lore(scene, counter, around)
    injections = [*absolute, *scene.injections]
    note = scene.note
    if note is not None:
        note = _with_lore(scene, note, active)
        _place_note(note, around, injections, make)
    around.outlets = _outlets(scene, active)
    for entry in sorted(active, key=lambda each: each.entry.order):
        _place(scene, entry, around, injections, make)
    _place_injections(injections, around, make)
    return around


def _lore(scene: Scene, counter: TokenCounter, around: Surroundings) -> list[Active]:
    books = scene.lore
    if books is None or not books.candidates:
        return []
    deepest = max([books.settings.depth, books.settings.widest, *(entry.scan_depth or 0 for entry in books.candidates)])
    deepest = WIDEST if books.settings.min_activations and not books.settings.widest else min(deepest, WIDEST)
    numbers, texts = _texts(scene, deepest)
    occasion = Occasion(
        texts=texts,
        numbers=numbers,
        macros=scene.macros,
        room=usable(scene.context, scene.reply, is_estimate=counter.is_estimate),
        trigger=TRIGGERS[scene.action],
        character=books.character,
        tags=books.tags,
        timed=books.timed,
        extra={"persona": scene.persona}
        | {name: scene.field_text(name) for name in ("description", "personality", "scenario")}
        | dict(books.texts),
    )
    active, passed = activate(books.candidates, occasion, books.settings, counter, random.Random(books.seed))
    around.left_out += [LeftOut(f"lore: {_title(each.entry)}", each.reason) for each in passed]
    around.metadata = books.timed.changes(books.metadata, [each.entry for each in active])
    return active


def _texts(scene: Scene, deepest: int) -> tuple[list[int], list[str]]:
    """Return the numbers and texts of the newest messages as they are searched, newest first."""
    numbers: list[int] = []
    found: list[str] = []
    names = scene.lore is not None and scene.lore.includes_names
    for turn in turns_from_end(scene):
        if len(found) >= deepest:
            break
        if turn.message is not None:
            own = turn.message.text
            numbers.append(turn.index)
            found.append(f"{turn.name}: {own}" if names and turn.name else own)
    return numbers, found


def _with_lore(scene: Scene, note: Note, active: Sequence[Active]) -> Note:
    """Put lore above and below the author's note, where it asks for that."""
    by_order = sorted(active, key=lambda each: each.entry.order)

    def lines(position: int) -> list[str]:
        found = (_scripted(scene, each) for each in by_order if each.entry.position == position)
        return [text for text in found if text.strip()]

    top, bottom = lines(lore.NOTE_TOP), lines(lore.NOTE_BOTTOM)
    return Note("\n".join([*top, note.text, *bottom]), note.position, note.depth, note.role)


def _place_note(note: Note, around: Surroundings, injections: list[Injection], make: MakePart) -> None:
    if note.position == IN_CHAT:
        injections.append(Injection(note.depth, note.role, note.text, "note", "the author's note of this chat"))
        return
    main = next((at for at, injection in enumerate(injections) if injection.source == "main"), None)
    if main is not None and note.position in (BEFORE_MAIN, AFTER_MAIN):  # it goes where the instruction goes
        texts = [note.text, injections[main].text]
        ordered = texts if note.position == BEFORE_MAIN else texts[::-1]
        injections[main] = replace(injections[main], text="\n".join(ordered))
        return
    part = make("note", PromptMessage("system", note.text), "the author's note of this chat")
    if note.position == BEFORE_MAIN:
        around.at_start.append(part)
    elif note.position == AFTER_MAIN:
        around.after_main.append(part)


def _place(scene: Scene, active: Active, around: Surroundings, injections: list[Injection], make: MakePart) -> None:
    entry = active.entry
    text = _scripted(scene, active)
    if not text.strip() or entry.position in (lore.NOTE_TOP, lore.NOTE_BOTTOM, lore.OUTLET):
        return
    source = f"lore: {_title(entry)}"
    if entry.position == lore.AT_DEPTH:
        role = ROLES[entry.role] if 0 <= entry.role < len(ROLES) else "system"
        injections.append(Injection(entry.depth, role, text, source, active.reason))
        return
    part = make(source, PromptMessage("system", text), active.reason)
    if entry.position not in (lore.EXAMPLES_TOP, lore.EXAMPLES_BOTTOM):
        part = replace(part, joins=f"lore {entry.position}")
    place = {
        lore.BEFORE: around.before_card,
        lore.AFTER: around.after_card,
        lore.EXAMPLES_TOP: around.before_examples,
        lore.EXAMPLES_BOTTOM: around.after_examples,
    }
    place.get(entry.position, around.before_card).append(part)


def _place_injections(injections: Sequence[Injection], around: Surroundings, make: MakePart) -> None:
    for depth in sorted({injection.depth for injection in injections}):
        around.at_depth[depth] = list(_parts_at(depth, injections, make))


def _parts_at(depth: int, injections: Sequence[Injection], make: MakePart) -> Iterator[Part]:
    for injection in sorted_at(depth, injections):
        part = make(injection.source, PromptMessage(injection.role, injection.text), injection.reason)
        yield replace(part, joins=joins_of(injection))


def _outlets(scene: Scene, active: Sequence[Active]) -> dict[str, str]:
    """Return the lore of each outlet, the highest order first (cards and lore §B8)."""
    found: dict[str, list[str]] = {}
    for each in sorted(active, key=lambda each: -each.entry.order):
        if each.entry.position == lore.OUTLET and (text := _scripted(scene, each)).strip():
            found.setdefault(each.entry.outlet.strip(), []).append(text)
    return {name: "\n".join(texts) for name, texts in found.items()}


def _scripted(scene: Scene, active: Active) -> str:
    return scripted(active.text, scene.scripts, LORE, active.entry.depth, scene.macros)


def _title(entry: lore.LoreEntry) -> str:
    return entry.title or (entry.keys[0] if entry.keys else str(entry.uid))
