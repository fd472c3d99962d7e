"""Chats with lore, notes, personas, macros and scripts from which SillyTavern and this program make prompts.

Every text is ours. What SillyTavern made of each is in `tests/unit/prompt/as_sillytavern/`, written by
`python -m tests.interop.capture_lore`; the ordinary tests compare ours with that, without SillyTavern.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tavern_desktop.library.card_picture import plain_picture
from tavern_desktop.library.card_repair import in_present_form
from tavern_desktop.library.card_text import V2, with_card

Record = dict[str, Any]
CHAT = "talk"
WHO, OTHER = "Ada", "Ben"
PERSONA = "wren.png"

ORDER = (
    "main", "worldInfoBefore", "personaDescription", "charDescription", "charPersonality", "scenario",
    "nsfw", "worldInfoAfter", "dialogueExamples", "chatHistory", "jailbreak",
)  # fmt: skip
MARKERS = frozenset({"worldInfoBefore", "personaDescription", "charDescription", "charPersonality", "scenario",
                     "worldInfoAfter", "dialogueExamples", "chatHistory"})  # fmt: skip
CARD: Record = {
    "name": WHO,
    "description": "{{char}} mends clocks.",
    "personality": "Patient and dry.",
    "scenario": "A workshop above the harbour. {{user}} has come in.",
    "first_mes": "What is broken?",
}
TALK = (
    ("char", "What is broken?"),
    ("user", "My father's watch. It stopped at noon."),
    ("char", "Noon is a good time to stop."),
    ("user", "Can you mend it, {{char}}?"),
)


@dataclass(frozen=True)
class Scenario:
    """What differs from the usual: `chat` are (who, text, more fields), `oai` and `power` settings of SillyTavern's.

    `prompts` are definitions by their identifiers, in place of or beside the usual ones; `order` the arrangement.
    """

    card: Record = field(default_factory=dict)
    chat: tuple[tuple[Any, ...], ...] = TALK
    metadata: Record = field(default_factory=dict)
    lore: tuple[Record, ...] = ()
    oai: Record = field(default_factory=dict)
    power: Record = field(default_factory=dict)
    world_settings: Record = field(default_factory=dict)
    extensions: Record = field(default_factory=dict)
    persona: Record = field(default_factory=dict)
    prompts: Mapping[str, Record] = field(default_factory=dict)
    order: tuple[tuple[str, bool], ...] = tuple((name, True) for name in ORDER)
    action: Literal["reply", "swipe", "continue"] = "reply"


def entry(content: str, *keys: str, **fields: Any) -> Record:
    return {"key": list(keys), "content": content, **fields}


def note(text: str, **fields: Any) -> Record:
    return {"note_prompt": text, "note_interval": 1, "note_position": 1, "note_depth": 4, "note_role": 0} | {
        f"note_{name}": value for name, value in fields.items()
    }


def persona(position: int, **fields: Any) -> Record:
    return {"description": "{{user}} is a retired pilot.", "position": position, "depth": 2, "role": 0} | fields


EXAMPLES = (
    "<START>\n{{user}}: Is it late?\n{{char}}: It is always late.\n<START>\n{{user}}: Tea?\n{{char}}: Two sugars."
)
WATCH = entry("The watch is cursed.", "watch", comment="Watch")
LONG = (*TALK[:2], ("char", "One."), ("user", "Two."), ("char", "Three."), ("user", "Four, he said."))

SCENARIOS: dict[str, Scenario] = {
    "plain": Scenario(),
    "nothing but a name": Scenario(card={"description": "", "personality": "", "scenario": ""}),
    "names in groups only, another voice": Scenario(
        chat=(*TALK[:3], ("char", "I am Ben.", {"name": OTHER, "force_avatar": "x"}), TALK[3])
    ),
    "hidden messages": Scenario(chat=(*TALK[:2], ("char", "Not this.", {"is_system": True}), *TALK[2:])),
    "a narrator": Scenario(
        chat=(*TALK[:3], ("char", "Rain sets in.", {"name": "System", "extra": {"type": "narrator"}}), TALK[3])
    ),
    "names in the text, a narrator": Scenario(
        oai={"names_behavior": 2},
        chat=(*TALK[:3], ("char", "Rain sets in.", {"name": "System", "extra": {"type": "narrator"}}), TALK[3]),
    ),
    "an example without a start": Scenario(card={"mes_example": "{{user}}: Is it late?\n{{char}}: It is."}),
    "the card's instruction": Scenario(card={"system_prompt": "Speak as {{char}}. {{original}} Be kind."}),
    "the card's instruction, not preferred": Scenario(
        card={"system_prompt": "Speak as {{char}}."}, power={"prefer_character_prompt": False}
    ),
    "the card's word at the end": Scenario(card={"post_history_instructions": "{{original}} And stop there."}),
    "a persona with the card": Scenario(persona=persona(0)),
    "a persona above the note": Scenario(persona=persona(2), metadata=note("Be brief.")),
    "a persona below the note": Scenario(persona=persona(3), metadata=note("Be brief.")),
    "a persona in the chat": Scenario(persona=persona(4, depth=1, role=1)),
    "a persona nowhere": Scenario(persona=persona(9)),
    "a note in the chat": Scenario(metadata=note("Be brief.")),
    "a note at the end, as the user": Scenario(metadata=note("Be brief.", depth=0, role=1)),
    "a note as the assistant": Scenario(metadata=note("Be brief.", depth=1, role=2)),
    "a note that is due": Scenario(metadata=note("Be brief.", interval=2)),
    "a note that is not due": Scenario(metadata=note("Be brief.", interval=3)),
    "a note deeper than the chat": Scenario(metadata=note("Be brief.", depth=50)),
    "the character's note": Scenario(
        card={"extensions": {"depth_prompt": {"prompt": "{{char}} is tired.", "depth": 2, "role": "system"}}}
    ),
    "both notes at one depth": Scenario(
        card={"extensions": {"depth_prompt": {"prompt": "{{char}} is tired.", "depth": 2, "role": "system"}}},
        metadata=note("Be brief.", depth=2),
    ),
    "lore by a key": Scenario(lore=(WATCH,)),
    "lore that is always in": Scenario(lore=(entry("The sea is near.", constant=True),)),
    "lore after the character": Scenario(lore=(WATCH | {"position": 1},)),
    "lore in order": Scenario(
        lore=(
            entry("First.", "watch", order=10),
            entry("Third.", "watch", order=300),
            entry("Second.", "watch", order=20),
        )
    ),
    "lore around the note": Scenario(
        metadata=note("Be brief."),
        lore=(WATCH | {"position": 2}, entry("It ticks.", "watch", position=3)),
    ),
    "lore at depths and by roles": Scenario(
        lore=(
            entry("By the system.", "watch", position=4, depth=1, role=0),
            entry("By the user.", "watch", position=4, depth=1, role=1),
            entry("By the assistant.", "watch", position=4, depth=1, role=2),
            entry("Deeper.", "watch", position=4, depth=3, role=0),
        )
    ),
    "lore around the examples": Scenario(
        card={"mes_example": EXAMPLES},
        lore=(
            entry("{{user}}: Before.\n{{char}}: Yes.", "watch", position=5),
            entry("{{user}}: After.\n{{char}}: No.", "watch", position=6),
        ),
    ),
    "lore in an outlet": Scenario(
        lore=(WATCH | {"position": 7, "outletName": "things"},),
        prompts={"nsfw": {"content": "Known: {{outlet::things}}"}},
    ),
    "further keys: one of them": Scenario(
        lore=(
            entry("In.", "watch", keysecondary=["noon", "midnight"], selectiveLogic=0),
            entry("Out.", "watch", keysecondary=["midnight"], selectiveLogic=0),
        )
    ),
    "further keys: not all": Scenario(
        lore=(
            entry("In.", "watch", keysecondary=["noon", "midnight"], selectiveLogic=1),
            entry("Out.", "watch", keysecondary=["noon", "father"], selectiveLogic=1),
        )
    ),
    "further keys: none": Scenario(
        lore=(
            entry("In.", "watch", keysecondary=["midnight"], selectiveLogic=2),
            entry("Out.", "watch", keysecondary=["midnight", "noon"], selectiveLogic=2),
        )
    ),
    "further keys: all": Scenario(
        lore=(
            entry("In.", "watch", keysecondary=["noon", "father"], selectiveLogic=3),
            entry("Out.", "watch", keysecondary=["noon", "midnight"], selectiveLogic=3),
        )
    ),
    "keys as regular expressions": Scenario(
        lore=(entry("In.", "/fa(ther|mily)/"), entry("Out.", "/FATHER/"), entry("In too.", "/FATHER/i"))
    ),
    "whole words": Scenario(
        lore=(
            entry("Out.", "wat", matchWholeWords=True),
            entry("In.", "wat", matchWholeWords=False),
            entry("In too.", "father's watch", matchWholeWords=True),
        )
    ),
    "capitals": Scenario(
        lore=(entry("Out.", "WATCH", caseSensitive=True), entry("In.", "WATCH", caseSensitive=False))
    ),
    "how far back": Scenario(
        chat=LONG,
        lore=(entry("Out.", "watch", scanDepth=2), entry("In.", "watch", scanDepth=20), entry("Usual.", "watch")),
    ),
    "lore that finds lore": Scenario(
        world_settings={"world_info_recursive": True},
        lore=(
            entry("The watch has a spring.", "watch"),
            entry("The spring is steel.", "spring"),
            entry("Not found by others.", "spring", excludeRecursion=True),
            entry("Only by others.", "spring", delayUntilRecursion=1),
        ),
    ),
    "lore that finds no lore": Scenario(
        world_settings={"world_info_recursive": True},
        lore=(entry("The watch has a spring.", "watch", preventRecursion=True), entry("Out.", "spring")),
    ),
    "lore by no chance": Scenario(lore=(entry("Out.", "watch", probability=0), WATCH)),
    "lore that is off": Scenario(lore=(WATCH | {"disable": True},)),
    "one of a group": Scenario(
        lore=(
            entry("Out.", "watch", group="g", order=10, groupOverride=True),
            entry("In.", "watch", group="g", order=200, groupOverride=True),
            entry("Alone.", "watch"),
        )
    ),
    "lore for another character": Scenario(
        lore=(
            WATCH | {"characterFilter": {"isExclude": False, "names": [OTHER], "tags": []}},
            entry("In.", "watch", characterFilter={"isExclude": False, "names": [WHO], "tags": []}),
        )
    ),
    "lore found in the description": Scenario(
        lore=(entry("In.", "mends", matchCharacterDescription=True), entry("Out.", "mends"))
    ),
    "lore that waits": Scenario(lore=(entry("Out.", "watch", delay=20), entry("In.", "watch", delay=2))),
    "lore with a format": Scenario(lore=(WATCH,), oai={"wi_format": "[Known: {0}]"}),
    "the instruction in the chat": Scenario(
        prompts={"main": {"injection_position": 1, "injection_depth": 2, "injection_order": 100}},
        metadata=note("Be brief.", position=0),
    ),
    "going on, with a note at the end": Scenario(
        action="continue", chat=TALK[:3], metadata=note("Be brief.", depth=0)
    ),
    "another alternative": Scenario(action="swipe", chat=TALK[:3]),
    "another scenario for this chat": Scenario(metadata={"scenario": "On a bridge at night."}),
    "variables": Scenario(
        card={"description": "{{setvar::mood::calm}}{{char}} is {{getvar::mood}}."},
        prompts={"jailbreak": {"content": "Stay {{getvar::mood}}."}},
    ),
    "macros in macros": Scenario(prompts={"jailbreak": {"content": "{{lower::{{char}} AND {{user}}}} {{// gone}}end"}}),
    "older macros": Scenario(card={"description": "<BOT> knows <USER>. {{charIfNotGroup}}"}),
    "a script for what the character said": Scenario(
        extensions={
            "regex": [
                {"id": "1", "scriptName": "Noon", "findRegex": "/noon/gi", "replaceString": "midday", "trimStrings": [],
                 "placement": [2], "disabled": False, "markdownOnly": False, "promptOnly": True, "runOnEdit": True,
                 "substituteRegex": 0, "minDepth": None, "maxDepth": None},
            ]
        }
    ),
    "a script for what I said, near the end": Scenario(
        chat=LONG,
        extensions={
            "regex": [
                {"id": "1", "scriptName": "Said", "findRegex": "/ he (said)/", "replaceString": " [$1]",
                 "trimStrings": [], "placement": [1], "disabled": False, "markdownOnly": False, "promptOnly": True,
                 "runOnEdit": True, "substituteRegex": 0, "minDepth": None, "maxDepth": 1},
            ]
        },
    ),
}  # fmt: skip


def write(user_folder: Path, scenario: Scenario, url: str = "http://127.0.0.1:9/v1") -> Path:
    """Write a scenario into a user's folder, over settings that are there; return its chat."""
    for folder in ("characters", "chats", "worlds", "User Avatars"):
        (user_folder / folder).mkdir(parents=True, exist_ok=True)
    for old in (user_folder / "worlds").iterdir():
        old.unlink()
    extensions = {"world": "House"} if scenario.lore else {}
    data = CARD | scenario.card
    data = data | {"extensions": data.get("extensions", {}) | extensions}
    card = with_card(plain_picture(WHO), in_present_form({"data": data, **V2} | {"chat": CHAT}))
    (user_folder / "characters" / f"{WHO}.png").write_bytes(card)
    if scenario.lore:
        book = {"entries": {str(uid): _entry(uid, one) for uid, one in enumerate(scenario.lore)}}
        (user_folder / "worlds" / "House.json").write_text(json.dumps(book))
    (user_folder / "User Avatars" / PERSONA).write_bytes(plain_picture("Wren"))
    _write_settings(user_folder / "settings.json", scenario, url)
    chat = user_folder / "chats" / WHO / f"{CHAT}.jsonl"
    chat.parent.mkdir(exist_ok=True)
    lines = [{"user_name": "Wren", "character_name": WHO, "chat_metadata": {"integrity": "k"} | scenario.metadata}]
    lines += [_message(number, *said) for number, said in enumerate(scenario.chat)]
    chat.write_text("\n".join(map(json.dumps, lines)))
    return chat


def _entry(uid: int, fields: Record) -> Record:
    usual = {"selective": True, "useProbability": True, "probability": 100, "order": 100, "position": 0, "depth": 4}
    return {"uid": uid, "keysecondary": [], "comment": "", "addMemo": True, **usual, **fields}


def _message(number: int, who: str, text: str, more: Record | None = None) -> Record:
    is_user = who == "user"
    said = {"name": "Wren" if is_user else WHO, "is_user": is_user, "is_system": False, "mes": text, "extra": {}}
    return said | {"send_date": f"2026-01-05T10:{number:02}:00.000Z"} | (more or {})


def _write_settings(path: Path, scenario: Scenario, url: str) -> None:
    settings = json.loads(path.read_bytes()) if path.exists() else {}
    user = settings.get("power_user", {})
    user |= {
        "personas": {PERSONA: "Wren"},
        "persona_descriptions": {PERSONA: scenario.persona} if scenario.persona else {},
        "default_persona": PERSONA,
        "persona_description": scenario.persona.get("description", ""),
        "persona_description_position": scenario.persona.get("position", 0),
        "persona_description_depth": scenario.persona.get("depth", 2),
        "persona_description_role": scenario.persona.get("role", 0),
        "persona_show_notifications": False,
        "prefer_character_prompt": True,
        "prefer_character_jailbreak": True,
        "pin_examples": False,
        "strip_examples": False,
    } | scenario.power  # fmt: skip
    world = {"world_info": {"globalSelect": [], "charLore": []}, "world_info_depth": 2, "world_info_recursive": False,
             "world_info_match_whole_words": False, "world_info_case_sensitive": False, "world_info_budget": 50,
             "world_info_include_names": True, "world_info_character_strategy": 1}  # fmt: skip
    settings |= {
        "firstRun": False,
        "main_api": "openai",
        "username": "Wren",
        "user_avatar": PERSONA,
        "power_user": user,
        "world_info_settings": settings.get("world_info_settings", {}) | world | scenario.world_settings,
        "extension_settings": settings.get("extension_settings", {}) | {"regex": []} | scenario.extensions,
        "oai_settings": settings.get("oai_settings", {}) | _chat_settings(scenario, url),
    }
    path.write_text(json.dumps(settings))


def _chat_settings(scenario: Scenario, url: str) -> Record:
    texts = {"main": "Speak for {{char}} and answer {{user}}.", "nsfw": "", "jailbreak": "Stay in the story."}
    prompts: dict[str, Record] = {}
    for name in dict.fromkeys([*ORDER, *scenario.prompts]):
        made: Record = {"identifier": name, "name": name, "system_prompt": name in ORDER}
        made |= {"marker": True} if name in MARKERS else {"role": "system", "content": texts.get(name, "")}
        prompts[name] = made | scenario.prompts.get(name, {})
    order = [{"identifier": name, "enabled": on} for name, on in scenario.order]
    return {
        "chat_completion_source": "custom", "custom_url": url, "custom_model": "lab-model", "stream_openai": False,
        "openai_max_context": 4096, "openai_max_tokens": 300, "names_behavior": 0, "send_if_empty": "",
        "impersonation_prompt": "[Write as {{user}}.]", "new_chat_prompt": "[The talk begins.]",
        "new_group_chat_prompt": "[The talk of {{group}} begins.]", "new_example_chat_prompt": "[An example.]",
        "continue_nudge_prompt": "[Go on.]", "group_nudge_prompt": "[Only {{char}} speaks.]", "wi_format": "{0}",
        "scenario_format": "{{scenario}}", "personality_format": "{{personality}}", "squash_system_messages": False,
        "assistant_prefill": "", "continue_prefill": False, "continue_postfix": " ", "function_calling": False,
        "custom_prompt_post_processing": "", "show_thoughts": False, "prompts": list(prompts.values()),
        "prompt_order": [{"character_id": 100001, "order": order}],
    } | scenario.oai  # fmt: skip
