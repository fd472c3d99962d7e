"""The versions of a chat: listed, brought back, or copied into a file of their own."""

from __future__ import annotations

from pathlib import Path

from tavern_desktop.cli import output
from tavern_desktop.cli.context import Context
from tavern_desktop.cli.owner import Report, ask_owner, open_chats, owning
from tavern_desktop.library.data_root import DataRoot, root_of
from tavern_desktop.session import history_jobs
from tavern_desktop.session.history_jobs import Wish, history_job, history_request
from tavern_desktop.session.runner import PlainRunner

_SIGNS = {"added": "+", "removed": "-", "edited": "~", "moved": "^"}


def history(context: Context) -> int:
    """List the versions of a chat, newest first; with --restore make one of them the chat, or a new file."""
    args = context.args
    path = context.chat_file(args.file)
    if args.restore is None:
        return _list(context, path)
    if args.out is not None:
        out = Path(args.out).absolute()
        report = _ask(context, path, history_jobs.Copy(args.restore, str(out)))
        return _tell(context, report, f"{out}: {report['messages']} messages")
    report = _ask(context, path, history_jobs.Restore(args.restore))
    what = f"restored version {args.restore}" if report["changed"] else "nothing to change"
    return _tell(context, report | {"file": str(path)}, f"{path}: {what}, {report['messages']} messages")


def _list(context: Context, path: Path) -> int:
    for version in _ask(context, path, history_jobs.List())["versions"]:
        if context.json:
            at = output.iso_date(version.pop("at_ms"))
            output.say_json({"id": version.pop("id"), "at": at, **version})
        else:
            output.say(_line(version))
    return 0


def _line(version: Report) -> str:
    if version["size"] is not None:
        what = f"Backup, {output.size_text(version['size'])}"
    else:
        counts = [f"{sign}{version[name]}" for name, sign in _SIGNS.items() if version[name]]
        name = "Oldest known version" if version["kind"] == "start" else version["label"] or version["kind"]
        name = f"{version['kind'].capitalize()}: {name}" if version["kind"] in ("undo", "redo") else name
        what = ", ".join([name, f"{version['messages']} messages", " ".join(counts)]).removesuffix(", ")
    return f"{version['id']}  {output.local_date(version['at_ms'])}  {what}"


def _ask(context: Context, path: Path, wish: Wish) -> Report:
    root = root_of(path)
    folder = context.folders.for_root((root or context.root).path).data
    report = ask_owner(folder, history_request(path, wish))
    if report is not None:
        return report
    with owning(folder):
        return _do_here(context, root, path, wish)


def _do_here(context: Context, root: DataRoot | None, path: Path, wish: Wish) -> Report:
    runner = PlainRunner()
    job = history_job(open_chats(runner, context, root), path, wish)
    runner.run_until_idle()
    if job.error is not None:
        raise job.error
    return job.outcome()


def _tell(context: Context, report: Report, sentence: str) -> int:
    if context.json:
        output.say_json({name: value for name, value in report.items() if name != "state"})
    else:
        output.say(sentence)
    return 0
