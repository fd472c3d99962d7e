"""A generation from its first piece to the message in the chat, on the thread of the model servers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tavern_desktop.backends.errors import BackendError
from tavern_desktop.backends.events import Event, Failed, Finished, Reasoning, Text, Usage
from tavern_desktop.backends.loop_thread import LoopThread
from tavern_desktop.prompt.messages import Prompt, PromptError
from tavern_desktop.session import commands
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.generating.reply import Speaker
from tavern_desktop.session.generating.task import GenerationTask, Kind, Means, Put, Target
from tavern_desktop.session.loading import Setup
from tavern_desktop.session.runner import PlainRunner
from tavern_desktop.storage.reply_stream import interrupted_replies
from tests.unit.session.chats import raw, reply, user, write
from tests.unit.session.generating.scripted import SECONDS, Scripted


class Stage:
    """A chat with a runner, a loop and our folder."""

    def __init__(self, folder: Path) -> None:
        self.runner = PlainRunner()
        self.loop = LoopThread()
        self.streams = folder / "own" / "streams"
        self.path = folder / "chats" / "Mira" / "talk.jsonl"
        write(self.path, [user("u0"), reply("a1", "b1"), user("u2")])
        self.session = ChatSession(
            self.path, "character", Setup(self.runner, folder / "own", lambda _path: ({}, False))
        )
        self.session.load()
        self.runner.run_until_idle()

    def until(self, condition: Callable[[], bool]) -> None:
        assert self.runner.run_until(condition, SECONDS)

    def task(self, kind: Kind = "reply", index: int | None = None) -> GenerationTask:
        chat = self.session.chat
        assert chat is not None
        end = len(chat) if index is None else index
        key = None if index is None else chat.messages[index].key
        target = Target(kind, tuple(chat.messages[:end]), key)
        means = Means(self.runner, self.loop, self.streams, frame=0)
        return GenerationTask(self.session, target, Speaker("Mira"), "Ana", means)

    def run(self, model: Scripted, *events: Event, kind: Kind = "reply", index: int | None = None) -> GenerationTask:
        task = self.task(kind, index)
        task.start(model.produce)
        self.until(lambda: model.is_there)
        model.send(*events)
        return task

    def finish(self, model: Scripted, task: GenerationTask) -> None:
        model.send(None)
        self.until(lambda: not task.is_running)

    def records(self) -> list[dict[str, object]]:
        assert self.session.chat is not None
        return [message.data() for message in self.session.chat.messages]


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(tmp_path)
    yield stage
    stage.loop.close()


def test_a_reply_becomes_one_message_with_its_facts(stage: Stage) -> None:
    model = Scripted()
    task = stage.run(
        model, Reasoning("hm"), Text("Good "), Text("morning."), Usage(prompt=9, reply=3), Finished("stop")
    )
    stage.finish(model, task)
    assert task.state == "done"
    assert stage.session.chat is not None
    assert stage.session.chat.messages[-1].key == task.key
    record = stage.records()[-1]
    assert (record["name"], record["mes"], record["swipes"]) == ("Mira", "Good morning.", ["Good morning."])
    extra = record["extra"]
    assert isinstance(extra, dict)
    assert (extra["api"], extra["model"], extra["reasoning"], extra["token_count"]) == ("openai", "tiny", "hm", 3)
    assert record["gen_started"] <= record["gen_finished"]  # type: ignore[operator]
    assert [event.type for event in task.log.since(0) or []][-2:] == ["message_end", "done"]
    stage.session.undo()
    assert len(stage.records()) == 3


@pytest.mark.parametrize(("kind", "index"), [("reply", None), ("swipe", 1), ("continue", 1)])
def test_what_the_prompt_leaves_in_the_chat_s_settings_comes_and_goes_with_the_reply(
    stage: Stage, kind: Kind, index: int | None
) -> None:
    assert stage.session.chat is not None
    before = stage.session.chat.header.metadata()
    left = {"timedWorldInfo": {"sticky": {"Tea.0": {"start": 3, "end": 5, "protected": False}}, "cooldown": {}}}
    model = Scripted(Prompt((), metadata=left))
    stage.finish(model, stage.run(model, Text("Good morning."), kind=kind, index=index))
    after = stage.session.chat.header.metadata()
    assert {name: value for name, value in after.items() if name != "tainted"} == before | left
    stage.session.undo()
    assert stage.session.chat.header.metadata() == before
    stage.session.redo()
    assert stage.session.chat.header.metadata() == after


def test_a_stopped_reply_keeps_what_had_come_and_says_so(stage: Stage) -> None:
    model = Scripted()
    task = stage.run(model, Text("Good mor"))
    stage.until(lambda: task.log.so_far().text == "Good mor")
    task.stop()
    stage.until(lambda: not task.is_running)
    assert (task.state, model.was_stopped) == ("stopped", True)
    record = stage.records()[-1]
    assert record["mes"] == "Good mor"
    assert record["extra"]["tavern_desktop"] == {"stopped": "user"}  # type: ignore[index]


def test_stopped_before_the_first_piece_nothing_is_added(stage: Stage) -> None:
    model = Scripted()
    task = stage.run(model, kind="swipe", index=1)
    task.stop()
    stage.until(lambda: not task.is_running)
    assert stage.records()[1] == reply("a1", "b1")
    assert not stage.session.is_dirty


def test_a_broken_connection_keeps_the_part_and_names_the_reason(stage: Stage) -> None:
    model = Scripted()
    task = stage.run(model, Text("Good"), Failed("disconnected", "The connection ended."))
    stage.finish(model, task)
    assert task.state == "failed"
    assert task.failure is not None
    assert (task.failure.kind, task.failure.sentence) == ("disconnected", "The connection ended.")
    assert stage.records()[-1]["extra"]["tavern_desktop"] == {"stopped": "error"}  # type: ignore[index]


@pytest.mark.parametrize(
    "error", [BackendError("unreachable", "Nobody answers."), PromptError("too_large", "Too large.")]
)
def test_what_fails_before_anything_came_changes_nothing(stage: Stage, error: Exception) -> None:
    async def produce(put: Put) -> None:
        raise error

    task = stage.task()
    task.start(produce)
    stage.until(lambda: not task.is_running)
    assert task.failure is not None
    assert task.failure.sentence == str(error)
    assert len(stage.records()) == 3


def test_a_fault_of_ours_keeps_the_part_and_is_seen(stage: Stage) -> None:
    async def produce(put: Put) -> None:
        put(Text("part"))
        raise ZeroDivisionError

    task = stage.task()
    task.start(produce)
    with pytest.raises(ZeroDivisionError):
        stage.until(lambda: not task.is_running)
    assert stage.records()[-1]["mes"] == "part"
    assert task.state == "failed"


def test_an_empty_reply_is_no_message(stage: Stage) -> None:
    model = Scripted()
    task = stage.run(model, Text("  \n"), Finished("stop"))
    stage.finish(model, task)
    assert (task.state, len(stage.records())) == ("failed", 3)


def test_another_alternative_is_added_to_any_message_and_shown(stage: Stage) -> None:
    model = Scripted()
    task = stage.run(model, Text("c1"), Text("d1", 1), kind="swipe", index=1)
    stage.finish(model, task)
    record = stage.records()[1]
    assert (record["mes"], record["swipes"], record["swipe_id"]) == ("c1", ["a1", "b1", "c1", "d1"], 2)
    info = record["swipe_info"]
    assert isinstance(info, list)
    assert info[2]["extra"]["model"] == "tiny"
    stage.session.undo()
    assert stage.records()[1] == reply("a1", "b1")


def test_a_message_goes_on(stage: Stage) -> None:
    model = Scripted()
    task = stage.run(model, Text(" and more."), kind="continue", index=1)
    stage.finish(model, task)
    record = stage.records()[1]
    assert (record["mes"], record["swipes"]) == ("a1 and more.", ["a1 and more.", "b1"])


def test_the_user_s_part_is_for_the_composer_only(stage: Stage) -> None:
    model = Scripted()
    task = stage.run(model, Text("Ana: I would."), kind="impersonate")
    stage.finish(model, task)
    assert (task.text, len(stage.records())) == ("I would.", 3)


def test_what_it_answers_may_be_deleted_meanwhile(stage: Stage) -> None:
    model = Scripted()
    task = stage.run(model, Text("late"))
    chat = stage.session.chat
    assert chat is not None
    stage.session.do(commands.DeleteMessages([chat.messages[2].key]))
    stage.session.do(commands.AppendMessage(user("u3")))
    stage.finish(model, task)
    assert [record["mes"] for record in stage.records()] == ["u0", "a1", "late", "u3"]


def test_a_message_that_was_to_get_an_alternative_may_be_deleted_meanwhile(stage: Stage) -> None:
    model = Scripted()
    task = stage.run(model, Text("late"), kind="swipe", index=1)
    chat = stage.session.chat
    assert chat is not None
    stage.session.do(commands.DeleteMessages([chat.messages[1].key]))
    stage.finish(model, task)
    assert [record["mes"] for record in stage.records()] == ["u0", "late", "u2"]


def test_a_reload_meanwhile_is_waited_for(stage: Stage) -> None:
    model = Scripted()
    task = stage.run(model, Text("late"))
    stage.session.reload()
    stage.finish(model, task)
    assert [record["mes"] for record in stage.records()] == ["u0", "a1", "u2", "late"]


def test_a_chat_that_is_removed_meanwhile_leaves_the_reply_to_be_offered(stage: Stage) -> None:
    model = Scripted()
    task = stage.run(model, Text("late"))
    stage.until(lambda: task.log.so_far().text == "late")
    stage.session.end_removed()
    stage.finish(model, task)
    stage.runner.run_until_idle()
    assert task.state == "failed"
    (kept,) = interrupted_replies(stage.streams)
    assert (kept.head.api, kept.head.model) == ("openai", "asked-for")
    assert (kept.text, kept.head.speaker, kept.head.action) == ("late", "Mira", "reply")


def test_what_others_would_say_is_cut_off_and_kept_at_hand(stage: Stage) -> None:
    model = Scripted()
    task = stage.run(model, Text("Hello.\nAna: Hi!"))
    stage.finish(model, task)
    assert (stage.records()[-1]["mes"], task.cut_off) == ("Hello.", "Ana: Hi!")


def test_two_chats_at_once_stay_apart(stage: Stage, tmp_path: Path) -> None:
    other = Stage(tmp_path / "other")
    first, second = Scripted(), Scripted()
    one, two = stage.run(first, Text("for one")), other.run(second, Text("for two"))
    other.finish(second, two)
    stage.finish(first, one)
    assert (stage.records()[-1]["mes"], other.records()[-1]["mes"]) == ("for one", "for two")
    other.loop.close()


def test_the_file_has_the_reply_and_our_folder_nothing_more(stage: Stage) -> None:
    model = Scripted()
    task = stage.run(model, Text("Good morning."))
    stage.finish(model, task)
    stage.session.save_now()
    stage.runner.run_until_idle()
    assert b"Good morning." in stage.path.read_bytes()
    assert raw(user("u2")) in stage.path.read_bytes()
    assert interrupted_replies(stage.streams) == []


def test_a_reply_that_is_left_to_be_offered_has_all_its_alternatives(stage: Stage) -> None:
    model = Scripted()
    task = stage.run(model, Text("One "), Text("Two", choice=1), Text("hand."), Reasoning("hm", choice=2))
    stage.until(lambda: task.log.so_far().text == "One hand.")
    stage.session.end_removed()
    stage.finish(model, task)
    stage.runner.run_until_idle()
    (kept,) = interrupted_replies(stage.streams)
    assert (kept.text, kept.others) == ("One hand.", (("Two", ""), ("", "hm")))
