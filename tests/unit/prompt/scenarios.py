"""Prompts whose whole text is kept in `golden/`: one for each feature of presets and templates.

After a wanted change: `TAVERN_GOLDEN=write … pytest tests/unit/prompt/test_golden.py`, and read the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tavern_desktop.chat.message import Message
from tavern_desktop.prompt.chat_preset import ChatPreset
from tavern_desktop.prompt.injections import Injection, Note
from tavern_desktop.prompt.lore import LoreEntry
from tavern_desktop.prompt.messages import Prompt
from tavern_desktop.prompt.scene import Character, Lore, Scene
from tavern_desktop.prompt.text_form import Context, Instruct, TextForm

MIRA = Character(
    "Mira",
    "{{char}} keeps the lighthouse of Skerry.",
    "dry, patient",
    "A storm is coming.",
    "<START>\n{{user}}: Who are you?\n{{char}}: The keeper.\n<START>\n{{char}}: Mind the step.",
    post_history="{{original}} Short sentences.",
)
PERSONA = "{{user}} is a sailor."


def said(name: str, text: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "is_user": name == "Ana", "is_system": False, "mes": text, "extra": {}, **more}


TALK = (
    said("Mira", "Good evening, {{user}}."),
    said("Ana", "Is the lamp lit?"),
    said("Mira", "It always is."),
    said("Ana", "Then I shall sleep."),
)


def chat(*records: dict[str, Any]) -> list[Message]:
    return [Message.new(record) for record in records or TALK]


def scene(*records: dict[str, Any], **more: Any) -> Scene:
    messages = chat(*records)
    values: dict[str, Any] = {
        "character": MIRA,
        "user": "Ana",
        "persona": PERSONA,
        "messages": messages,
        "end": len(messages),
    }
    return Scene(**(values | more))


MARKERS = ("worldInfoBefore", "personaDescription", "charDescription", "charPersonality", "scenario")
PLACES = (*MARKERS, "worldInfoAfter", "dialogueExamples", "chatHistory")


def prompt_entry(identifier: str, content: str = "", **more: Any) -> dict[str, Any]:
    entry = {"identifier": identifier, "name": identifier.capitalize(), "role": "system", "content": content}
    return {**entry, "system_prompt": identifier in ("main", "nsfw", "jailbreak", *PLACES), **more}


ORDER = ("main", *MARKERS, "nsfw", "worldInfoAfter", "dialogueExamples", "chatHistory", "jailbreak")
PROMPTS = (
    prompt_entry("main", "You are {{char}}."),
    prompt_entry("nsfw", "Weather matters."),
    prompt_entry("jailbreak", "Stay calm."),
    *(prompt_entry(name, marker=True) for name in PLACES),
)
WORDS = {
    "new_chat_prompt": "[talk]",
    "new_group_chat_prompt": "[talk of {{group}}]",
    "new_example_chat_prompt": "[example]",
    "group_nudge_prompt": "[only {{char}}]",
    "continue_nudge_prompt": "[on from: {{lastChatMessage}}]",
    "impersonation_prompt": "[as {{user}}]",
}


def data(*order: str, off: tuple[str, ...] = (), more: tuple[dict[str, Any], ...] = (), **keys: Any) -> dict[str, Any]:
    listed = [{"identifier": name, "enabled": name not in off} for name in order or ORDER]
    prompts = [*PROMPTS, *more]
    return {**WORDS, "prompts": prompts, "prompt_order": [{"character_id": 100001, "order": listed}], **keys}


def preset(*order: str, person: dict[str, Any] | None = None, **more: Any) -> ChatPreset:
    return ChatPreset.of("Test", data(*order, **more), person)


def lore(position: int, content: str, **more: Any) -> LoreEntry:
    return LoreEntry("Sea", position, "global", content, content, is_constant=True, position=position, **more)


CHAT: dict[str, Callable[[], Scene]] = {
    "without_a_preset": lambda: scene(),
    "usual_order": lambda: scene(preset=preset()),
    "own_order_and_roles": lambda: scene(
        preset=preset(
            "chatHistory",
            "scenario",
            "main",
            "late",
            "charDescription",
            more=(prompt_entry("late", "A late word.", role="assistant"),),
        )
    ),
    "switched_off": lambda: scene(preset=preset(off=("charDescription", "nsfw", "main"))),
    "main_is_off_but_its_notes_stay": lambda: scene(
        preset=preset(off=("main",)), note=Note("the note", position=2), injections=()
    ),
    "forms": lambda: scene(
        preset=preset(
            wi_format="[Lore: {0}]",
            scenario_format="[Where: {{scenario}}]",
            personality_format="[{{char}} is {{personality}}]",
        ),
        lore=Lore([lore(0, "The sea is cold."), lore(1, "Gulls scream."), lore(0, "Ice drifts.", order=200)]),
    ),
    "card_overrides": lambda: scene(
        character=Character("Mira", system_prompt="Before. {{original}} After.", post_history="Only this."),
        preset=preset(),
    ),
    "overrides_forbidden": lambda: scene(
        character=Character("Mira", system_prompt="Never.", post_history="Never."),
        preset=preset(
            person={"prefer_character_jailbreak": False},
            prompts=[prompt_entry("main", "Mine.", forbid_overrides=True), *PROMPTS[1:]],
        ),
    ),
    "at_depth": lambda: scene(
        preset=preset(
            *ORDER,
            "low",
            "high",
            "voice",
            "deep",
            more=(
                prompt_entry("low", "order 50", injection_position=1, injection_depth=1, injection_order=50),
                prompt_entry("high", "order 200", injection_position=1, injection_depth=1, injection_order=200),
                prompt_entry("voice", "aside", role="user", injection_position=1, injection_depth=1),
                prompt_entry("deep", "deeper than the chat", injection_position=1, injection_depth=99),
            ),
        ),
        note=Note("the note", depth=1),
        injections=[Injection(1, "system", "card note", "character note", "")],
        lore=Lore([lore(4, "lore at depth", depth=1)]),
    ),
    "triggers": lambda: scene(
        preset=preset(
            "main",
            "chatHistory",
            "a",
            "b",
            "c",
            more=(
                prompt_entry("a", "for replies", injection_trigger=["normal"]),
                prompt_entry("b", "for going on", injection_trigger=["continue"]),
                prompt_entry("c", "for all", injection_trigger=[]),
            ),
        )
    ),
    "names_never": lambda: scene(said("Tomas", "Ho."), *TALK[1:], preset=preset(names_behavior=-1), is_group=True),
    "names_in_field": lambda: scene(said("To más", "Ho."), *TALK[1:], preset=preset(names_behavior=1)),
    "names_in_text": lambda: scene(*TALK, preset=preset(names_behavior=2)),
    "group": lambda: scene(said("Tomas", "Ho."), *TALK[1:], preset=preset(), is_group=True),
    "impersonate": lambda: scene(*TALK[:3], preset=preset(), action="impersonate"),
    "continue_by_nudge": lambda: scene(*TALK[:3], preset=preset(), action="continue", can_prefill=True),
    "continue_by_prefill": lambda: scene(
        *TALK[:3], preset=preset(continue_prefill=True), action="continue", can_prefill=True
    ),
    "send_if_empty": lambda: scene(*TALK[:3], preset=preset(send_if_empty="(go on, {{char}})")),
    "prefill": lambda: scene(preset=preset(assistant_prefill="{{char}} says: "), takes_prefill=True),
    "squashed": lambda: scene(preset=preset(squash_system_messages=True), note=Note("the note", depth=0)),
    **{
        f"processed_{how}": lambda how=how: scene(  # type: ignore[misc]  # the default binds it
            said("Mira", "Ho."),
            said("Mira", "Ho again."),
            said("Ana", "Hi."),
            preset=preset(custom_prompt_post_processing=how),
        )
        for how in ("merge", "semi", "strict", "single")
    },
    "examples_pinned": lambda: scene(
        *(said("Ana", f"message {n} " + "x" * 90) for n in range(20)),
        preset=preset(person={"pin_examples": True}),
        context=340,
        reply=100,
    ),
    "examples_give_way": lambda: scene(
        *(said("Ana", f"message {n} " + "x" * 90) for n in range(20)), preset=preset(), context=340, reply=100
    ),
    "lore_examples": lambda: scene(
        preset=preset(),
        lore=Lore(
            [
                lore(5, "{{char}}: From lore."),
                lore(5, "{{char}}: Of a higher order.", order=200),
                lore(6, "<START>\n{{user}}: Also lore."),
            ]
        ),
    ),
    "examples_of_many_lines": lambda: scene(
        character=Character(
            "Mira", examples="First words.\n{{char}}: One\ntwo\n{{user}}: Three\n<start>\nNobody speaks."
        ),
        preset=preset("dialogueExamples", "chatHistory"),
    ),
}


STORY = (
    "{{#if system}}{{system}}\n{{/if}}{{#if wiBefore}}{{wiBefore}}\n{{/if}}{{#if description}}{{description}}\n{{/if}}"
    "{{#if scenario}}Now: {{scenario}}{{else}}Now is any time.{{/if}}\n{{#unless persona}}Nobody is here.\n{{/unless}}"
    "{{#if anchorAfter}}{{anchorAfter}}\n{{/if}}{{trim}}"
)
CONTEXT = {"name": "Plain", "story_string": STORY, "example_separator": "***", "chat_start": "--- {{char}}"}
MARKED = {
    "name": "Marked",
    "input_sequence": "<|user|>",
    "input_suffix": "<|end|>\n",
    "output_sequence": "<|{{name}}|>",
    "output_suffix": "<|end|>\n",
    "system_sequence": "<|system|>",
    "system_suffix": "<|end|>\n",
    "stop_sequence": "<|end|>",
    "wrap": False,
}
WRAPPED = {
    "name": "Wrapped",
    "input_sequence": "### In:",
    "output_sequence": "### Out:",
    "system_sequence": "### Note:",
    "last_output_sequence": "### Out (brief):",
    "first_output_sequence": "### First:",
    "last_input_sequence": "### Last in:",
    "wrap": True,
}


def text_form(instruct: dict[str, Any] | None = None, context: dict[str, Any] | None = None, **more: Any) -> TextForm:
    return TextForm(
        Instruct.of(instruct["name"], instruct) if instruct is not None else None,
        Context.of("Plain", CONTEXT | (context or {})),
        **({"system": "You are {{char}}."} | more),
    )


def text_scene(*records: dict[str, Any], form: TextForm, **more: Any) -> Scene:
    return scene(*records, text_form=form, **more)


BOTH_NOTES = Note("the note", depth=1)

TEXT: dict[str, Callable[[], Scene]] = {
    "plain": lambda: text_scene(form=text_form()),
    "plain_own_story": lambda: text_scene(form=TextForm()),
    "plain_impersonate": lambda: text_scene(*TALK[:3], form=text_form(), action="impersonate"),
    "plain_continue": lambda: text_scene(*TALK[:3], form=text_form(), action="continue"),
    "plain_unnamed": lambda: text_scene(form=text_form(context={"always_force_name2": False, "chat_start": ""})),
    "marked": lambda: text_scene(form=text_form(MARKED), note=BOTH_NOTES),
    "marked_continue": lambda: text_scene(*TALK[:3], form=text_form(MARKED), action="continue", note=BOTH_NOTES),
    "marked_impersonate": lambda: text_scene(*TALK[:3], form=text_form(MARKED), action="impersonate"),
    "marked_always_named": lambda: text_scene(form=text_form(MARKED | {"names_behavior": "always"})),
    "marked_group": lambda: text_scene(said("Tomas", "Ho."), *TALK[1:], form=text_form(MARKED), is_group=True),
    "marked_never_named": lambda: text_scene(
        said("Tomas", "Ho."), *TALK[1:], form=text_form(MARKED | {"names_behavior": "none"}), is_group=True
    ),
    "marked_system_as_user": lambda: text_scene(
        form=text_form(MARKED | {"system_same_as_user": True}), note=BOTH_NOTES
    ),
    "marked_examples_as_they_are": lambda: text_scene(form=text_form(MARKED | {"skip_examples": True})),
    "marked_story_wrapped": lambda: text_scene(
        form=text_form(MARKED | {"story_string_prefix": "<story>", "story_string_suffix": "</story>\n"})
    ),
    "marked_story_in_chat": lambda: text_scene(
        form=text_form(MARKED, {"story_string_position": 1, "story_string_depth": 2, "story_string_role": 1})
    ),
    "marked_alignment": lambda: text_scene(form=text_form(MARKED | {"user_alignment_message": "Begin, {{char}}."})),
    "marked_post_history": lambda: text_scene(
        form=text_form(MARKED, post_history="Be brief."), character=Character("Mira", post_history="{{original}} Dry.")
    ),
    "wrapped": lambda: text_scene(form=text_form(WRAPPED), note=BOTH_NOTES),
    "wrapped_group": lambda: text_scene(said("Tomas", "Ho."), *TALK[1:], form=text_form(WRAPPED), is_group=True),
    "stops": lambda: text_scene(
        form=text_form(WRAPPED, {"use_stop_strings": True, "single_line": True}, custom_stops=("[end of {{char}}]",))
    ),
    "examples_in_the_story": lambda: text_scene(form=text_form(MARKED, {"story_string": "{{mesExamples}}{{system}}"})),
    "examples_stripped": lambda: text_scene(form=text_form(MARKED, strips_examples=True)),
    "lines_collapsed": lambda: text_scene(
        said("Mira", "One.\n\n\nTwo."), form=text_form(MARKED, collapses_lines=True, system="\n\nYou.\n\n")
    ),
    "no_place_in_the_story": lambda: text_scene(form=text_form(context={"story_string": "{{description}}"})),
    "full": lambda: text_scene(
        *(said("Ana", f"message {n} " + "x" * 90) for n in range(20)), form=text_form(MARKED), context=340, reply=100
    ),
    "lore": lambda: text_scene(
        form=text_form(MARKED),
        lore=Lore([lore(0, "The sea is cold."), lore(4, "At depth.", depth=0), lore(5, "{{char}}: Lore speaks.")]),
    ),
}


def shown(prompt: Prompt) -> str:
    """Return a prompt as a golden file has it."""
    lines = [prompt.text, "──"] if prompt.text else []
    if prompt.text:
        lines += [f"{part.source}: {part.message.text!r}" for part in prompt.parts]
        return "\n".join([*lines, *_ends(prompt)]) + "\n"
    for message in prompt.messages:
        name = f" ({message.name})" if message.name else ""
        prefill = " goes on" if message.is_prefill else ""
        lines += [f"── {message.role}{name}{prefill}", message.text]
    return "\n".join([*lines, *_ends(prompt)]) + "\n"


def _ends(prompt: Prompt) -> list[str]:
    lines = []
    for left in prompt.left_out:
        where = "" if left.last is None else f" #{left.first}–{left.last}"
        lines.append(f"left out: {left.source}{where}: {left.reason}")
    return lines + [f"stop: {stop!r}" for stop in prompt.stop]
