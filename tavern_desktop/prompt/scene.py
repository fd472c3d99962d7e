"""Everything a prompt is built from, as plain values: nothing here is read while building."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tavern_desktop.chat import facts
from tavern_desktop.chat.message import Message
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.prompt.chat_preset import ChatPreset
from tavern_desktop.prompt.injections import Injection, Note
from tavern_desktop.prompt.lore import LoreEntry
from tavern_desktop.prompt.lore_activation import LoreSettings
from tavern_desktop.prompt.lore_timed import Timed
from tavern_desktop.prompt.macro_text import Call
from tavern_desktop.prompt.macros import Evaluate, Macros, Value
from tavern_desktop.prompt.messages import LeftOut
from tavern_desktop.prompt.reasoning import ReasoningForm
from tavern_desktop.prompt.scripts import Script
from tavern_desktop.prompt.text_form import TextForm

SEARCHED = 500
"""Messages from the end among which macros look for the last one of somebody."""

Action = Literal["reply", "swipe", "continue", "impersonate"]
"""reply: a new message; swipe: another alternative for the message at `end`; continue: more of the last message;
impersonate: the user's next message."""


@dataclass(frozen=True, slots=True)
class Character:
    """The fields of a character card that a prompt uses, as the card has them."""

    name: str
    description: str = ""
    personality: str = ""
    scenario: str = ""
    examples: str = ""
    system_prompt: str = ""
    post_history: str = ""

    @classmethod
    def of_card(cls, data: dict[str, Any], name: str) -> Character:
        """Return the fields of a card's `data` (V1: of the card itself); other things than texts count as empty."""

        def text(key: str) -> str:
            value = data.get(key)
            return value.replace("\r", "").strip() if isinstance(value, str) else ""

        return cls(
            text("name") or name,
            text("description"),
            text("personality"),
            text("scenario"),
            text("mes_example"),
            text("system_prompt"),
            text("post_history_instructions"),
        )


@dataclass(frozen=True, slots=True)
class Wording:
    """The instructions around what the card says. Macros may stand in them."""

    main: str = (
        "You play {{char}} in a story that you and {{user}} tell each other. "
        "Answer with what {{char}} says and does next, and leave {{user}}'s part to {{user}}."
    )
    post_history: str = ""
    impersonate: str = (
        "Write {{user}}'s next message in this conversation, in {{user}}'s own voice. Do not write for {{char}}."
    )
    continue_nudge: str = "Go on with your last message exactly where it ends. Do not repeat what it already says."
    reply_nudge: str = "Now write {{char}}'s next message."
    group_nudge: str = "Write the next message as {{char}}, and only as {{char}}."
    example_heading: str = "[Example conversation]"
    chat_heading: str = "[The conversation begins]"


@dataclass(frozen=True, slots=True)
class Lore:
    """The lorebooks in force. `character` is the speaker's card without ending; `seed` makes chance repeatable."""

    candidates: Sequence[LoreEntry]
    settings: LoreSettings = field(default_factory=LoreSettings)
    includes_names: bool = True
    character: str = ""
    seed: int = 0
    timed: Timed = field(default_factory=Timed)
    """Which entries stay or rest."""
    tags: frozenset[str] = frozenset()
    """Ids of the speaker's tags."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Texts of the card that only lore looks at, by the names in `lore.EXTRA_TEXTS`."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """The chat's, to see whether anything in it changes."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One request to build.

    `messages` is the whole chat; those before `end` (exclusive) are its history. For "continue" the last of them is
    what is continued. `can_prefill`: the protocol lets a model go on from its own unfinished message.
    """

    character: Character
    user: str
    messages: Sequence[Message]
    end: int
    action: Action = "reply"
    persona: str = ""
    wording: Wording = field(default_factory=Wording)
    overrides: Character | None = None
    """Texts of the chat's own metadata that replace the card's where they are not empty."""
    lore: Lore | None = None
    note: Note | None = None
    """The author's note, if it is due."""
    injections: Sequence[Injection] = ()
    """Other texts at a depth: the character's note, a persona that stands in the chat."""
    scripts: Sequence[Script] = ()
    """Regex scripts that work on what is sent."""
    values: Evaluate | None = None
    """Macros that depend on the clock, chance and variables."""
    outlets: Mapping[str, str] = field(default_factory=dict)
    """Lore that stands where `{{outlet::name}}` asks for it, by that name."""
    is_group: bool = False
    can_prefill: bool = False
    root: DataRoot | None = None
    """Where the pictures of the messages are; None sends none, as for a model that cannot see."""
    context: int = 8192
    reply: int = 512
    stop: tuple[str, ...] = ()
    tells_cards: bool = True
    """Whether the model is told by a phrase that there was a special message; else nothing of it is sent."""
    preset: ChatPreset | None = None
    """What the prompt is put together by; None for the program's own way, with `wording`."""
    text_form: TextForm | None = None
    """The templates that make one text of the prompt; None for messages."""
    preset_notes: Sequence[LeftOut] = ()
    """What of the chosen presets could not be used, and why."""
    reasoning: ReasoningForm | None = None
    """How the reasoning of earlier replies is sent; None sends none."""
    takes_prefill: bool = False
    """Whether a preset's beginning of the reply is sent."""
    tools: Literal["none", "all", "newest"] = "none"
    """Which calls of tools are sent with their results: "newest" those since the person spoke last."""

    @property
    def macros(self) -> Macros:
        """What macros stand for in this chat."""
        return Macros(self.user, self.character.name, self.persona, self._chat_macros(), self._evaluate)

    def _evaluate(self, call: Call) -> str | None:
        if call.name == "outlet" and call.arguments:
            return self.outlets.get(call.arguments[0].strip(), "")
        return self.values(call) if self.values is not None else None

    def _chat_macros(self) -> dict[str, Value]:
        """Return what is worked out only where a text asks for it."""
        character = self.character
        return {
            "group": character.name,
            "charifnotgroup": character.name,
            "description": character.description,
            "personality": character.personality,
            "scenario": lambda: self.field_text("scenario"),
            "mesexamplesraw": lambda: self.field_text("examples"),
            "charprompt": character.system_prompt,
            "charinstruction": character.post_history,
            "chardescription": character.description,
            "charpersonality": character.personality,
            "charscenario": character.scenario,
            "maxcontext": str(self.context),
            "maxresponse": str(self.reply),
            "maxprompt": str(self.context - self.reply),
            "lastgenerationtype": self.action,
            "lastmessageid": lambda: str(self.end - 1) if self.end else "",
            "lastmessage": lambda: self._newest(lambda role: True),
            "lastusermessage": lambda: self._newest(lambda role: role == "user"),
            "lastcharmessage": lambda: self._newest(lambda role: role == "assistant"),
        }

    def _newest(self, wanted: Callable[[str], bool]) -> str:
        for message in reversed(self.messages[max(0, self.end - SEARCHED) : self.end]):
            data = message.seen_data()
            if not facts.is_hidden(data) and wanted(facts.role(data)):
                return facts.text(data)
        return ""

    def field_text(self, name: str) -> str:
        """Return a text of the card, or what the chat has in its place."""
        own = getattr(self.overrides, name) if self.overrides is not None else ""
        return str(own or getattr(self.character, name))
