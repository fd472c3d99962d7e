"""Replies of a model in one window: asking for them, showing them as they come, stopping them, saying what failed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from tavern_desktop.chat import facts
from tavern_desktop.prompt.tokens import BYTES_PER_TOKEN
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.generating.entering import ConversationView
from tavern_desktop.session.generating.events import Event, Partial
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.announcing import announce
from tavern_desktop.ui.banner import Button, Notice
from tavern_desktop.ui.chat.list_model import ChatListModel
from tavern_desktop.ui.chat.rows import speed_words
from tavern_desktop.ui.chat_pane import ChatPane
from tavern_desktop.ui.services import Services
from tavern_desktop.ui.writing import Writing

if TYPE_CHECKING:
    from tavern_desktop.session.generating.reply import Speaker
    from tavern_desktop.session.generating.task import Failure, GenerationTask, Kind
    from tavern_desktop.ui.tools.in_chat import ToolsInChat

NOTICE = "reply"
FIRST_SPEED = 0.5
"""Seconds that a reply must have come before its speed means anything."""


AskDue = Callable[[Callable[[Sequence["Speaker"]], object]], object]
"""Finds out who answers what was just sent, and tells it, now or later; nobody where the person has to say who."""


class Replying(QObject):
    """Owner: the desk, which says what chat is in view and who speaks in it."""

    changed = Signal()
    """A reply began or ended in the chat in view."""
    connect_requested = Signal()
    """The person wants to connect a model."""
    setting_refused = Signal(str, object)
    """A setting is to be left out from now on, because the server does not take it; then this is to be called."""
    model_missed = Signal()
    """A reply was wanted and no model is connected; the banner says so in the notice NOTICE."""

    def __init__(
        self,
        services: Services,
        pane: ChatPane,
        writing: Writing,
        speaker: Callable[[], Speaker],
        parent: QObject,
        ask_due: AskDue | None = None,
    ) -> None:
        """`ask_due`: see `AskDue`; None lets the one that `speaker` names speak."""
        super().__init__(parent)
        self._ask_due = ask_due or (lambda then: then((speaker(),)))
        self._services = services
        self._pane = pane
        self._conversation: ConversationView | None = None
        self._writing = writing
        self._speaker = speaker
        self._partial = Partial()
        self._followed: GenerationTask | None = None
        self._tools: ToolsInChat | None = None
        self._unanswered: ChatSession | None = None
        """The chat whose reply was stopped though a message that was sent meanwhile waited for one."""
        self._acts: dict[Act, Callable[[], object]] = {
            Act.REPLY: self.answer,
            Act.CONTINUE: self.continue_last,
            Act.IMPERSONATE: self.impersonate,
            Act.STOP: self.stop,
        }
        pane.composer.stop_requested.connect(self.stop)

    def follow(self, conversation: ConversationView) -> None:
        """Show the replies of the chats that come into this view."""
        self._conversation = conversation
        conversation.rebuilt.connect(self._rebuild)
        conversation.advanced.connect(self._advance)
        conversation.state_changed.connect(self._view_changed)

    @property
    def task(self) -> GenerationTask | None:
        """The reply that is being written in the chat in view, None if none is."""
        session = self._session()
        return self._services.generations.of(session) if session is not None else None

    def handles(self, act: Act) -> bool:
        """Say whether `act` is about replies."""
        return act in self._acts

    def run(self, act: Act) -> None:
        """Do what an action stands for."""
        self._acts[act]()

    def _session(self) -> ChatSession | None:
        return self._conversation.session if self._conversation is not None else None

    # -- asking -----------------------------------------------------------------------------------------------

    def answer(self) -> None:
        """Have the message that was just sent answered, now or after the reply that is being written."""
        self._answer_by((self._speaker(),))

    def answer_when_durable(self) -> None:
        """Have the message that was just sent answered once it cannot get lost any more."""
        session = self._session()
        if session is not None:
            session.make_durable(lambda: self._ask_due(partial(self._answer_in, session)))

    def _answer_in(self, session: ChatSession, speakers: Sequence[Speaker]) -> None:
        if self._session() is session and speakers:
            self._answer_by(speakers)

    def _answer_by(self, speakers: Sequence[Speaker]) -> None:
        session = self._session()
        if session is not None:
            generations = self._services.generations
            self._try(lambda: generations.answer(session, speakers, self._writing.persona))
            self._pane.composer.show_next(generations.has_next(session))

    def continue_at(self, key: int) -> None:
        """Have a message go on that is only a part."""
        self._start("continue", key)

    def continue_last(self) -> None:
        """Have the newest message of the character go on."""
        session = self._session()
        chat = session.chat if session is not None else None
        if chat is not None and len(chat):
            self._start("continue", chat.messages[-1].key)

    def impersonate(self) -> None:
        """Have the model write the person's next message, into the composer."""
        self._start("impersonate", None)

    def regenerate(self, key: int, count: int = 1) -> None:
        """Have more alternatives of a reply written (D25); a message of the person's is answered anew instead."""
        session = self._session()
        chat = session.chat if session is not None else None
        index = chat.find(key) if chat is not None else None
        if chat is None or index is None:
            return
        data = chat.messages[index].seen_data()
        self._start("swipe", key, _speaker_of_record(data, self._speaker), count)

    def stop(self) -> None:
        """Stop the reply in view; what has come stays, and what was sent meanwhile waits for the person's word."""
        session = self._session()
        if session is not None and self._services.generations.stop(session):
            self._unanswered = session

    def _start(self, kind: Kind, key: int | None, speaker: Speaker | None = None, count: int = 1) -> None:
        session = self._session()
        if session is None:
            return
        generations = self._services.generations
        by = speaker or self._speaker()
        self._try(lambda: generations.start(session, kind, by, self._writing.persona, key, count))

    def _try(self, start: Callable[[], object]) -> None:
        self._pane.banner.take_away(NOTICE)
        try:
            start()
        except CommandRefused as refusal:
            self._say(refusal.sentence)

    # -- showing ----------------------------------------------------------------------------------------------

    def show_now(self) -> None:
        """Show the reply that is being written in the chat that has just come into view, as far as it has come."""
        if self._followed is not None:
            self._show()

    def _rebuild(self, partial: Partial) -> None:
        self._partial = partial.copy()
        task = self._task_in_view()
        if task is not None and task is not self._followed:
            self._followed = task
            announce(self._pane.view, self.tr("{name} is writing").format(name=task.speaker.name))
            task.landing.connect(self._land)
            task.batch_changed.connect(self._show_tools)
            task.ended.connect(self._end_of(task))
            self._say_running()
        self._show()
        self._show_tools()

    def _advance(self, events: Sequence[Event]) -> None:
        self._partial.add(events)
        if self._services.settings.shows_speed:
            self._show_speed()
        status = next((event for event in reversed(events) if event.type == "status"), None)
        if status is not None:
            self._pane.composer.show_progress(_status_words(self, status))
        if any(event.type in ("text_chunk", "thinking_chunk", "message_start") for event in events):
            self._show()

    def _show_speed(self) -> None:
        """Say how fast the reply comes, by our own estimate: servers count only at the end."""
        task = self._task_in_view()
        seconds = task.seconds_writing if task is not None else 0.0
        if seconds >= FIRST_SPEED:
            tokens = len((self._partial.text + self._partial.reasoning).encode("utf-8", "replace")) / BYTES_PER_TOKEN
            self._pane.composer.show_progress(speed_words(tokens / seconds, self._pane.locale()))

    def _show(self) -> None:
        from tavern_desktop.session.generating.so_far import record_so_far, stands_behind

        task, model = self._task_in_view(), self._pane.view.records
        if task is None or not isinstance(model, ChatListModel) or model.chat is not task.session.chat:
            return
        if task.target.kind == "impersonate":
            return
        if self._partial.text or self._partial.reasoning or task.target.key is None:
            model.show_live(task.key, record_so_far(task, self._partial), stands_behind(task))

    def _show_tools(self) -> None:
        """Show the tools that the reply in view calls."""
        task = self._task_in_view()
        if self._tools is None and task is not None and task.batch is not None:
            from tavern_desktop.ui.tools.in_chat import ToolsInChat

            self._tools = ToolsInChat(self._services, self._pane, self)
        if self._tools is not None:
            self._tools.show_task(task)

    def _land(self) -> None:
        model = self._pane.view.records
        if isinstance(model, ChatListModel):
            model.land_live()

    def _end_of(self, task: GenerationTask) -> Callable[[], None]:
        def end() -> None:
            if self._followed is task:
                self._followed = None
                model = self._pane.view.records
                if isinstance(model, ChatListModel):
                    model.end_live()
                self._tell(task)
                self._say_running()

        return end

    def _view_changed(self) -> None:
        """Another chat, or none, is in view: what was followed goes on without us."""
        if self._task_in_view() is not self._followed:
            self._followed = None
        self._show_tools()
        self._say_running()

    def _task_in_view(self) -> GenerationTask | None:
        return self._conversation.task if self._conversation is not None else None

    def _say_running(self) -> None:
        session = self._session()
        self._pane.composer.show_writing(self._followed is not None)
        self._pane.composer.show_next(session is not None and self._services.generations.has_next(session))
        self.changed.emit()

    # -- telling ----------------------------------------------------------------------------------------------

    def _tell(self, task: GenerationTask) -> None:
        said = {"done": self.tr("{name} has replied"), "stopped": self.tr("The reply of {name} was stopped")}
        if task.state in said and not task.goes_on:
            announce(self._pane.view, said[task.state].format(name=task.speaker.name))
        if task.target.kind == "impersonate" and task.text:
            self._writing.put_behind(task.text)
        unanswered, self._unanswered = self._unanswered, None
        if task.failure is not None:
            self._tell_failure(task, task.failure)
        elif unanswered is task.session:
            sentence = self.tr("Stopped. What you sent meanwhile is in the chat and has no reply yet.")
            self._pane.banner.show_notice(Notice(sentence, ((self.tr("Get a Reply"), self.answer),), key=NOTICE))
        elif task.cut_off:
            copy = (self.tr("Copy It"), partial(QGuiApplication.clipboard().setText, task.cut_off))
            sentence = self.tr("The model went on for somebody else; that part was cut off.")
            self._pane.banner.show_notice(Notice(sentence, (copy,), key=NOTICE))

    def _tell_failure(self, task: GenerationTask, failure: Failure) -> None:
        from tavern_desktop.backends.settings import LABELS

        if failure.kind == "no_model":
            connect = (self.tr("Connect a Model…"), self.connect_requested.emit)
            sentence = self.tr("Your message is in the chat. To get a reply, connect a model.")
            self._pane.banner.show_behind(Notice(sentence, (connect,), key=NOTICE))
            self.model_missed.emit()
            return
        buttons: list[Button] = [(self.tr("Retry"), partial(self._retry, task))]
        if failure.setting in LABELS:
            text = self.tr("Leave It Out")
            buttons.insert(0, (text, partial(self.setting_refused.emit, failure.setting, partial(self._retry, task))))
        if failure.kind in ("unreachable", "key", "connection", "not_found"):
            buttons.append((self.tr("Connections…"), self.connect_requested.emit))
        self._pane.banner.show_notice(Notice(failure.sentence, buttons, "warning", NOTICE))

    def _retry(self, task: GenerationTask) -> None:
        """Ask for the same again. A part that came stays; a reply that has a part gets another alternative."""
        session = self._session()
        if session is None or session is not task.session or session.chat is None:
            return
        kind, key = task.target.kind, task.target.key
        if kind == "reply" and session.chat.find(task.key) is not None:
            kind, key = "swipe", task.key
        self._start(kind, key, task.speaker)

    def _say(self, sentence: str) -> None:
        self._pane.banner.show_notice(Notice(sentence, key=NOTICE))


def _speaker_of_record(data: dict[str, object], fallback: Callable[[], Speaker]) -> Speaker:
    """Return who spoke a message of a group, so that its alternatives are spoken by the same."""
    from tavern_desktop.session.generating.reply import Speaker

    card, name = data.get("original_avatar"), facts.name(data)
    if isinstance(card, str) and card and name:
        return Speaker(name, card, in_group=True)
    return fallback()


def _status_words(owner: QObject, event: Event) -> str:
    if event.text:
        return event.text
    data = event.data or {}
    done, total = data.get("done"), data.get("total")
    if isinstance(done, int) and isinstance(total, int) and total > 0:
        return owner.tr("Reading the prompt: {percent} %").format(percent=done * 100 // total)
    return ""
