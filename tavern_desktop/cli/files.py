"""Commands on whole chat files: repair, branch, rename, remove, merge, metadata, export."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.jsontext import JsonTextError
from tavern_desktop.cli import output
from tavern_desktop.cli.changes import change_chat
from tavern_desktop.cli.context import Context
from tavern_desktop.cli.owner import Report, ask_owner, open_chats, own_folder, owning
from tavern_desktop.library.data_root import DataRoot, root_of
from tavern_desktop.session import file_jobs
from tavern_desktop.session.changes import SetMetadata
from tavern_desktop.session.export import export_chat
from tavern_desktop.session.file_acts import FileActs
from tavern_desktop.session.file_jobs import FileAct, FileJob, file_request
from tavern_desktop.session.repair_copy import repair_to
from tavern_desktop.session.runner import PlainRunner
from tavern_desktop.storage.directory import kind_of
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.metadata import read_metadata


def repair(context: Context) -> int:
    """Write everything readable of a damaged chat into a new file, and the rest beside that."""
    path = context.chat_file(context.args.file)
    out = Path(context.args.out).absolute()
    repaired = repair_to(path, out)
    if context.json:
        rest = None if repaired.rest is None else str(repaired.rest)
        facts = {"file": str(path), "out": str(out), "messages": repaired.messages, "damaged": repaired.damaged}
        output.say_json({**facts, "rest": rest})
    else:
        output.say(f"{out}: {repaired.messages} messages")
        if repaired.rest is not None:
            output.say(f"{repaired.rest}: {repaired.damaged} lines that cannot be read")
    return 0


def branch(context: Context) -> int:
    """Print the file of a new branch."""
    report = act(context, file_jobs.Branch(context.args.message))
    return tell(context, report, report["file"])


def rename(context: Context) -> int:
    """Give a chat another name."""
    report = act(context, file_jobs.Rename(context.args.name))
    return tell(context, report, f"renamed to {report['file']}")


def remove(context: Context) -> int:
    """Put a chat into the bin."""
    report = act(context, file_jobs.Remove(context.args.anyway))
    where = report["kept_at"]
    sentence = f"there is no bin for this disk, the chat lies in {where}" if where else "moved to the bin"
    return tell(context, report, f"{report['file']}: {sentence}")


def merge(context: Context) -> int:
    """Merge a conflict copy into its chat."""
    copy = context.chat_file(context.args.copy)
    report = act(context, file_jobs.MergeCopy(str(copy), context.args.keep_copy))
    came = "1 message came" if report["added"] == 1 else f"{report['added']} messages came"
    where = f"lies in {report['kept_at']}" if report["kept_at"] else "is in the bin"
    went = f"the copy {where}" if report["removed"] else "the copy stays"
    differ = f", {report['differing']} differ and stay as they were here" if report["differing"] else ""
    return tell(context, report, f"{report['file']}: {came} from the copy{differ}; {went}")


def metadata(context: Context) -> int:
    """Print a chat's metadata, after replacing it if that is asked for."""
    path = context.chat_file(context.args.file)
    if context.args.set is not None:
        change_chat(context, path, SetMetadata(_object(context.args.set)))
    found = read_metadata(path, kind=kind_of(path))
    if context.json:
        output.say_json({"file": str(path), "metadata": found})
    else:
        output.say_lines(json.dumps(found, ensure_ascii=False, indent=2))
    return 0


def export(context: Context) -> int:
    """Write a chat for other programs or for people."""
    path = context.chat_file(context.args.file)
    out = Path(context.args.out).absolute()
    export_chat(path, out, context.args.format)
    if context.json:
        output.say_json({"file": str(path), "format": context.args.format, "out": str(out)})
    else:
        output.say(str(out))
    return 0


def act(context: Context, what: FileAct) -> Report:
    """Do something to the chat FILE, wherever that is to be done. Raises StorageError, CommandRefused."""
    return act_on(context, context.chat_file(context.args.file), what)


def act_on(context: Context, path: Path, what: FileAct) -> Report:
    """Do something to a chat file or a character's card, wherever that is to be done."""
    root = root_of(path)
    folder = context.folders.for_root((root or context.root).path).data
    report = ask_owner(folder, file_request(path, what))
    if report is not None:
        return report
    with owning(folder):
        return _act_here(context, root, path, what)


def _act_here(context: Context, root: DataRoot | None, path: Path, act: FileAct) -> Report:
    runner = PlainRunner()
    folder = own_folder(context, root)
    job = FileJob(FileActs(runner, open_chats(runner, context, root), folder), path, act)
    runner.run_until_idle()
    if job.error is not None:
        raise job.error
    return job.outcome()


def tell(context: Context, report: Report, sentence: str) -> int:
    """Print what became of it: the report for machines, the sentence and the warnings for people."""
    if context.json:
        output.say_json({name: value for name, value in report.items() if name != "state"})
        return 0
    output.say(sentence)
    for warning in report["warnings"]:
        output.complain(warning)
    return 0


def _object(text: str) -> dict[str, Any]:
    try:
        return jsontext.decode(text.encode("utf-8"))
    except JsonTextError as error:
        raise StorageError("validation", "argument", f"--set takes a JSON object: {error}") from None
