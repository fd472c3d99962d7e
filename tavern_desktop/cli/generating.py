"""Commands that build requests and get replies."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from tavern_desktop.backends.settings import PresetNames
from tavern_desktop.chat.header import Header
from tavern_desktop.cli import output
from tavern_desktop.cli.context import Context
from tavern_desktop.cli.generate_arguments import presets_of
from tavern_desktop.cli.owner import ask_owner, open_chats, own_folder, owning
from tavern_desktop.library.data_root import DataRoot, root_of
from tavern_desktop.prompt.messages import Part, Prompt, PromptError
from tavern_desktop.session.connections import Connections
from tavern_desktop.session.generating.generations import Generations
from tavern_desktop.session.generating.jobs import GenerateJob, SoFar, ToldCall, Wanted, generate_request
from tavern_desktop.session.generating.model_servers import ModelServers
from tavern_desktop.session.generating.scenes import Asked
from tavern_desktop.session.generating.speaking import voices_of
from tavern_desktop.session.generating.task import Kind
from tavern_desktop.session.generating.told_prompt import told_prompt
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.runner import PlainRunner
from tavern_desktop.storage.directory import kind_of
from tavern_desktop.storage.reader import load

LONGEST = 24 * 3600.0
"""Seconds that a reply may take; models on slow computers are silent for long."""

SHOWN = 400
"""Characters of a part that are shown to people; --json has all of it."""


def prompt(context: Context) -> int:
    """Print what would be sent."""
    args = context.args
    path = context.chat_file(args.file)
    kind: Kind = "swipe" if args.swipe else "continue" if args.goes_on else "reply"
    servers = ModelServers(PlainRunner(), context.folders, None, connection=args.backend, frame=0)
    try:
        asked = _asked(path, kind, args.speaker, presets_of(args))
        built, request = servers.submit(servers.requests.prompt(asked)).result()
    except PromptError as error:
        raise CommandRefused(error.sentence) from None
    finally:
        servers.close()
    if context.json:
        output.say_json(told_prompt(built, request.prompt))
    else:
        _show(built, request.prompt)
    return 0


def send(context: Context) -> int:
    """Send a message and print the reply as it comes; tools that it calls are told of on the error stream."""
    args = context.args
    if args.tools and (args.swipe or args.goes_on):
        raise CommandRefused("Only a new reply calls tools: --allow-tool goes with --text or --reply.")
    path = context.chat_file(args.file)
    kind: Any = "swipe" if args.swipe else "continue" if args.goes_on else "reply"
    backend = Connections(context.folders).find(args.backend).id if args.backend else ""
    tools = tuple(args.tools)
    wanted = Wanted(str(path), kind, args.text or "", args.speaker, backend, tools, presets_of(args))
    root = root_of(path)
    folder = context.folders.for_root((root or context.root).path).data
    printer = _Printer(quiet=context.json)
    report = ask_owner(folder, generate_request(wanted), printer.show_report)
    if report is None:
        with owning(folder):
            report = _send_here(context, root, wanted, printer)
    printer.show_report(report)
    printer.end()
    reply = report["reply"]
    if context.json:
        output.say_json({"file": str(path), **reply})
    failure = reply["failure"]
    if failure:
        there = " The message is in the chat; `send --reply` asks for the reply again." if wanted.text else ""
        raise CommandRefused(failure["message"] + there)
    return 0


def _send_here(context: Context, root: DataRoot | None, wanted: Wanted, printer: _Printer) -> dict[str, Any]:
    runner = PlainRunner()
    folder = own_folder(context, root)
    chats = open_chats(runner, context, root)
    servers = ModelServers(runner, context.folders, folder, frame=0)
    generations = Generations(chats, lambda: servers)
    try:
        job = GenerateJob(runner, chats, generations, wanted)
        show = partial(_show_so_far, job, printer)
        generations.started.connect(lambda task: task.log.added.connect(lambda _: show()))
        try:
            runner.run_until(lambda: job.is_finished, LONGEST)
        except KeyboardInterrupt:  # what has come is kept, as by Stop in the window
            generations.stop_all(LONGEST)
            runner.run_until(lambda: job.is_finished, LONGEST)
    finally:
        servers.close()
    if job.error is not None:
        raise job.error
    return {"so_far": job.so_far, **job.outcome()}


def _show_so_far(job: GenerateJob, printer: _Printer) -> None:
    printer.show_report({"so_far": job.so_far})


class _Printer:
    """Prints a reply that grows, each part of it once; what became of calls goes to the error stream."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._shown = self._told = 0

    def show_report(self, report: dict[str, Any]) -> None:
        """Print what is new of what a report says under `so_far`."""
        if self._quiet or "so_far" not in report:
            return
        so_far = msgspec.convert(report["so_far"], SoFar)
        for call in so_far.calls[self._told :]:
            _tell_call(call)
        self._told = len(so_far.calls)
        sys.stdout.write(output.visible_lines(so_far.text[self._shown :]))
        sys.stdout.flush()
        self._shown = max(self._shown, len(so_far.text))

    def end(self) -> None:
        """End the line."""
        if self._shown:
            sys.stdout.write("\n")


def _tell_call(call: ToldCall) -> None:
    if call.is_refused:
        output.complain(f"[{call.name}: not allowed; --allow-tool {call.name} lets it run]")
        return
    sign = "failed" if call.is_error else "answered"
    arguments = output.shortened(call.arguments, SHOWN)
    output.complain(f"[{call.name}({arguments}) {sign}: {output.shortened(call.text, SHOWN)}]")


def _asked(path: Path, kind: Kind, speaker: str, presets: PresetNames) -> Asked:
    chat = load(path, kind=kind_of(path))
    metadata = (chat.header or Header.new()).metadata()
    messages = tuple(chat.messages)
    voices = voices_of(path, metadata, messages)
    end = len(messages) - 1 if kind == "swipe" else len(messages)
    named = voices.named(speaker)
    return Asked(path, metadata, messages, max(end, 0), kind, named, voices.persona, presets=presets)


def _show(built: Prompt, text: str) -> None:
    about = "about " if built.is_estimate else ""
    output.say(f"{about}{built.tokens:,} tokens of {built.context:,}, {built.reply:,} kept free for the reply")
    if built.preset:
        output.say(f"put together by {built.preset}")
    for part in built.parts:
        output.say(_heading(part))
        output.say_lines(output.shortened(part.message.text, SHOWN))
        output.say("")
    for left in built.left_out:
        where = (
            ""
            if left.first is None
            else f" #{left.first}"
            if left.first == left.last
            else f" #{left.first}–{left.last}"
        )
        output.say(f"left out: {left.source}{where}: {left.reason}")
    if text:
        output.say(f"sent as one text of {len(text):,} characters; --json shows it")


def _heading(part: Part) -> str:
    number = f" #{part.index}" if part.index is not None else ""
    return f"── {part.source}{number} · {part.message.role} · {part.tokens:,} tokens · {part.reason}"
