"""Chats, cards and presets whose requests the real SillyTavern 1.19.0 was asked for: ours have to be the same.

All texts are our own; what it sent stands in `tests/vectors/sillytavern-1.19.0/prompts.json` (see `capture_prompts`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.unit.prompt.scenarios import CONTEXT, MARKED, MIRA, ORDER, PERSONA, PROMPTS, TALK, WRAPPED, data, said
from tests.unit.prompt.scenarios import prompt_entry as entry

Record = dict[str, Any]

NOTE = {"note_prompt": "the note", "note_interval": 1, "note_position": 1, "note_depth": 1, "note_role": 0}
SYSTEM = {"name": "Own", "content": "Speak as {{char}} to {{user}}.", "post_history": ""}


@dataclass(frozen=True)
class Scenario:
    """`settings` are laid over SillyTavern's own; `lore` are (position, text, order, depth, role)."""

    settings: Record
    records: tuple[Record, ...] = TALK
    metadata: Record = field(default_factory=dict)
    action: str = "reply"
    card: Record = field(default_factory=dict)
    lore: tuple[tuple[int, str, int, int, int], ...] = ()

    @property
    def takes_messages(self) -> bool:
        """Whether it is about a server that takes messages."""
        return bool(self.settings["main_api"] == "openai")

    def card_data(self) -> Record:
        """Return the card's data."""
        note = {"prompt": "card note", "depth": 1, "role": "system"}
        return {
            "name": MIRA.name,
            "description": MIRA.description,
            "personality": MIRA.personality,
            "scenario": MIRA.scenario,
            "first_mes": "Hello.",
            "mes_example": MIRA.examples,
            "system_prompt": "",
            "post_history_instructions": MIRA.post_history,
            "extensions": {"depth_prompt": note, "talkativeness": "0.5", "fav": False, "world": ""},
            **self.card,
        }

    def world(self) -> Record:
        """Return the lorebook, constant entries all of them."""
        names = ("position", "content", "order", "depth", "role")
        usual = {"key": ["lamp"], "keysecondary": [], "constant": True, "selective": True, "disable": False}
        usual |= {"probability": 100, "useProbability": True, "addMemo": True}
        return {
            "entries": {
                str(uid): {"uid": uid, "comment": f"entry {uid}", **usual, **dict(zip(names, values, strict=True))}
                for uid, values in enumerate(self.lore)
            }
        }

    def over(self, base: Record) -> Record:
        """Return the whole settings."""
        persona = {"description": PERSONA, "position": 0, "depth": 2, "role": 0, "lorebook": ""}
        person = {
            "personas": {"ana.png": "Ana"},
            "default_persona": "ana.png",
            "persona_descriptions": {"ana.png": persona},
            "persona_description": PERSONA,
            "persona_description_position": 0,
            "auto_connect": True,
        }
        found = laid_over(base, {"firstRun": False, "username": "Ana", "user_avatar": "ana.png", "power_user": person})
        if self.lore:
            own = {"world_info": {"globalSelect": ["Sea"]}, "world_info_depth": 2, "world_info_budget": 50}
            found = laid_over(found, {"world_info_settings": own})
        return laid_over(found, self.settings)


def laid_over(base: Record, over: Record) -> Record:
    """Return settings with others in their places."""
    both = {
        name: laid_over(base[name], value) if isinstance(value, dict) and isinstance(base.get(name), dict) else value
        for name, value in over.items()
    }
    return base | both


def chat(*order: str, person: Record | None = None, **more: Any) -> Record:
    """Return settings for a server that takes messages, with a preset of our own."""
    return {"main_api": "openai", "oai_settings": data(*order, **more), "power_user": person or {}}


def text(instruct: Record | None, context: Record, system: Record = SYSTEM, **person: Any) -> Record:
    """Return settings for a server that takes one text, with templates of our own."""
    bare = {"input_suffix": "", "output_suffix": "", "system_suffix": ""}
    form = {"instruct": {"enabled": False} if instruct is None else {"enabled": True, **bare, **instruct}}
    templates = {"context": context, "sysprompt": {"enabled": True, **system}}
    return {"main_api": "textgenerationwebui", "power_user": {**form, **templates, **person}}


PLACES = (
    entry("low", "order 50", injection_position=1, injection_depth=1, injection_order=50),
    entry("high", "order 200", injection_position=1, injection_depth=1, injection_order=200),
    entry("voice", "aside", role="user", injection_position=1, injection_depth=1),
)
LORE = (
    (0, "before a", 100, 4, 0),
    (0, "before b", 200, 4, 0),
    (1, "after", 100, 4, 0),
    (4, "deep system", 100, 1, 0),
    (4, "deep user", 100, 1, 1),
    (4, "deep character", 100, 0, 2),
    (5, "{{user}}: example above\n{{char}}: yes", 100, 4, 0),
    (5, "{{char}}: second above", 200, 4, 0),
    (6, "{{char}}: example below", 100, 4, 0),
)
MANY_LINES = "Words first.\n{{char}}: One\ntwo lines\n{{user}}: Two\n<start>\n{{user}}: Three\n\n{{char}}: Four"
IN_PLACES = {
    "first_input_sequence": "<FI>",
    "last_input_sequence": "<LI>",
    "first_output_sequence": "<FO>",
    "last_output_sequence": "<LO {{name}}>",
}
NARRATED = (
    said("Mira", "Ho."),
    {**said("Mira", "It rains."), "extra": {"type": "narrator"}},
    said("Ana", "Hi."),
    {**said("Ana", "hidden"), "is_system": True},
)

SCENARIOS: dict[str, Scenario] = {
    "chat usual order": Scenario(chat(), metadata=NOTE),
    "chat own order": Scenario(
        chat(
            *("chatHistory", "scenario", "main", "late", "dialogueExamples", "charDescription", "jailbreak"),
            more=(entry("late", "A late word for {{user}}.", role="assistant"),),
        ),
        metadata=NOTE,
    ),
    "chat switched off": Scenario(chat(off=("main", "charDescription")), metadata={**NOTE, "note_position": 0}),
    "chat at depth": Scenario(chat(*ORDER, "low", "high", "voice", more=PLACES), metadata=NOTE),
    "chat triggers": Scenario(
        chat(
            *("main", "chatHistory", "a", "b"),
            more=(
                entry("a", "for replies", injection_trigger=["normal"]),
                entry("b", "for going on", injection_trigger=["continue"]),
            ),
        )
    ),
    "chat forms": Scenario(
        chat(scenario_format="[At: {{scenario}}]", personality_format="[{{char}} is {{personality}}]")
    ),
    "chat lore": Scenario(chat(wi_format="[Lore: {0}]"), metadata=NOTE, lore=LORE),
    "chat card overrides": Scenario(
        chat(), card={"system_prompt": "Before. {{original}} After.", "post_history_instructions": "Only this."}
    ),
    "chat overrides forbidden": Scenario(
        chat(prompts=[entry("main", "Mine.", forbid_overrides=True), *PROMPTS[1:]]), card={"system_prompt": "Never."}
    ),
    "chat note before main": Scenario(chat(), metadata={**NOTE, "note_position": 2}),
    "chat note after main": Scenario(chat(), metadata={**NOTE, "note_position": 0}),
    "chat note of the user": Scenario(chat(), metadata={**NOTE, "note_role": 1, "note_depth": 0}),
    "chat note far above": Scenario(chat(), metadata={**NOTE, "note_role": 2, "note_depth": 90}),
    "chat names never": Scenario(chat(names_behavior=-1), (said("Tomas", "Ho."), said("Ana", "Hi."))),
    "chat names in field": Scenario(chat(names_behavior=1), (said("Mira", "Ho."), said("Ana", "Hi."))),
    "chat names in text": Scenario(chat(names_behavior=2), NARRATED),
    "chat squashed": Scenario(
        chat(
            *ORDER,
            "deep",
            squash_system_messages=True,
            more=(entry("deep", "deep", injection_position=1, injection_depth=50),),
        ),
        metadata={**NOTE, "note_depth": 2},
    ),
    "chat merged": Scenario(chat(custom_prompt_post_processing="merge", names_behavior=1), metadata=NOTE),
    "chat semi": Scenario(chat(custom_prompt_post_processing="semi"), metadata=NOTE),
    "chat single": Scenario(chat(custom_prompt_post_processing="single"), metadata=NOTE),
    "chat examples of many lines": Scenario(chat(), card={"mes_example": MANY_LINES}),
    "chat examples without heading": Scenario(chat(new_example_chat_prompt="")),
    "chat continue": Scenario(chat(), TALK[:3], NOTE, "continue"),
    "chat continue by prefill": Scenario(chat(continue_prefill=True), TALK[:3], NOTE, "continue"),
    "chat impersonate": Scenario(chat(), TALK[:3], NOTE, "impersonate"),
    "chat send if empty": Scenario(chat(send_if_empty="(go on)"), TALK[:3], NOTE),
    "text marked": Scenario(text(MARKED, CONTEXT), metadata=NOTE),
    "text wrapped": Scenario(text(WRAPPED, CONTEXT), metadata=NOTE),
    "text plain": Scenario(text(None, CONTEXT, always_force_name2=True), metadata=NOTE),
    "text always named": Scenario(text({**MARKED, "names_behavior": "always"}, CONTEXT), metadata=NOTE),
    "text never named": Scenario(text({**MARKED, "names_behavior": "none"}, CONTEXT), metadata=NOTE),
    "text note at the end": Scenario(text(MARKED, CONTEXT), metadata={**NOTE, "note_depth": 0}),
    "text note in the story": Scenario(text(MARKED, CONTEXT), metadata={**NOTE, "note_position": 0}),
    "text sequences in their places": Scenario(
        text(
            {**MARKED, **IN_PLACES, "system_same_as_user": True, "user_alignment_message": "Begin."}
            | {"skip_examples": True},
            CONTEXT,
        ),
        metadata=NOTE,
    ),
    "text continue": Scenario(text({**MARKED, **IN_PLACES}, CONTEXT), TALK[:3], NOTE, "continue"),
    "text impersonate": Scenario(text(WRAPPED, CONTEXT), TALK[:3], NOTE, "impersonate"),
    "text story wrapped": Scenario(
        text(
            {**MARKED, "story_string_prefix": "<S>", "story_string_suffix": "</S>"},
            CONTEXT,
            {**SYSTEM, "post_history": "Be brief."},
        ),
        metadata=NOTE,
    ),
    "text story in the chat": Scenario(
        text(MARKED, {**CONTEXT, "story_string_position": 1, "story_string_depth": 2, "story_string_role": 1}),
        metadata=NOTE,
    ),
    "text overrides": Scenario(
        text(MARKED, CONTEXT, {**SYSTEM, "post_history": "Be brief."}),
        card={"system_prompt": "Before. {{original}} After.", "post_history_instructions": "x {{original}} y"},
    ),
    "text lore": Scenario(text(MARKED, CONTEXT), metadata=NOTE, lore=LORE),
    "text examples of many lines": Scenario(text(MARKED, CONTEXT), card={"mes_example": MANY_LINES}),
    "text lines collapsed": Scenario(
        text(
            WRAPPED,
            {**CONTEXT, "story_string": "{{system}}\n\n\n{{description}}\n{{#if scenario}}\nAt: {{scenario}}\n{{/if}}"},
            collapse_newlines=True,
        ),
        metadata=NOTE,
    ),
}
