"""`rules`: list, check and try the rules that extract items from tool outputs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.agents.harnesses import all_harnesses, all_tools
from recollect.cli.command import command
from recollect.cli.command_group import CommandGroup
from recollect.cli.context import JsonFlag, opened
from recollect.cli.exits import Exit
from recollect.cli.output import counted, print_json, safe, say, warn
from recollect.errors import NotFoundError, RefusedError
from recollect.views.rules import (
    ExtractedRow,
    OverlapRow,
    RulesCheckOutput,
    RulesListOutput,
    RulesTestOutput,
    rule_row,
)

if TYPE_CHECKING:
    from recollect.agents.event import Event
    from recollect.working.extraction import Extracted
    from recollect.working.rules import Rule

app = typer.Typer(
    name="rules",
    cls=CommandGroup,
    help="The rules that extract items from tool outputs.",
    no_args_is_help=True,
)


@command(app, "list", "recollect rules list", "recollect rules list --json", output=RulesListOutput)
def list_rules(context: typer.Context, as_json: JsonFlag = False) -> None:
    """List the rules in the order in which they are tried.

    Shows how often each matched.
    """
    rules = _rules(context)
    matches = {count.rule: count.matched for count in opened(context).sessions.counts()}
    overlaps = _overlaps(rules)
    if as_json:
        out: RulesListOutput = {
            "rules": [rule_row(rule, matches.get(rule.id, 0)) for rule in rules],
            "overlaps": overlaps,
        }
        print_json(out)
        return
    for rule in rules:
        whose = "" if rule.origin == "default" else f"  [dim]{safe(rule.origin)}[/]"
        times = f"  [dim]matched {matches[rule.id]}x[/]" if rule.id in matches else ""
        say(f"[bold]{safe(rule.id)}[/]  {rule.attention:.2f} {rule.summarizer}{whose}{times}")
        say(f"    [dim]tools[/] {safe(rule.tool_pattern)}")
        if rule.content_pattern:
            say(f"    [dim]{_where(rule)}[/] {safe(rule.content_pattern)}")
        if rule.outcome != "any":
            say(f"    [dim]only when it[/] {rule.outcome}")
    _warn_of(overlaps)


@command(
    app,
    "check",
    "recollect rules check",
    "recollect rules check --pattern '(a+)+b'",
    output=RulesCheckOutput,
)
def check(
    context: typer.Context,
    pattern: Annotated[
        str | None, typer.Option("--pattern", "-p", metavar="PATTERN", help="Check only this pattern.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Check the patterns of your rules, or one pattern. Exit code 5 when one is refused.

    Patterns run on RE2, in time linear in the text. A pattern that RE2 does not accept (look-around,
    backreferences) is refused with the reason. Rules are also checked whenever Recollect starts; this
    command also warns about rules that hide a later rule.
    """
    if pattern is not None:
        _check_one(pattern, as_json=as_json)
        return
    rules = _rules(context)
    overlaps = _overlaps(rules)
    if as_json:
        out: RulesCheckOutput = {"safe": True, "checked": len(rules), "overlaps": overlaps}
        print_json(out)
        return
    say(f"[green]{counted(len(rules), 'rule')} in force[/], every pattern is safe.")
    _warn_of(overlaps)


def _check_one(pattern: str, *, as_json: bool) -> None:
    from recollect.patterns import refusal

    reason = refusal(pattern)
    if as_json:
        out: RulesCheckOutput = {
            "safe": not reason,
            "checked": 1,
            "overlaps": [],
            "pattern": pattern,
            "degree": 1,
        }
        if reason:
            out["reason"] = reason
        print_json(out)
    elif reason:
        say(f"[red]refused[/]: {safe(reason)}")
    else:
        say("[green]safe[/]: it runs in time linear in the text.")
    if reason:
        raise typer.Exit(Exit.INVALID)


@command(
    app,
    "test",
    "recollect rules test event.json",
    "recollect rules test pytest.txt --tool Bash --command 'pytest -q' --failed",
    output=RulesTestOutput,
)
def try_out(
    context: typer.Context,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The event of a hook as JSON, or plain text.")
    ],
    tool: Annotated[
        str | None, typer.Option("--tool", metavar="NAME", help="The tool whose output the text is.")
    ] = None,
    ran: Annotated[
        str,
        typer.Option("--command", metavar="TEXT", help="The command, path or search text of the call."),
    ] = "",
    failed: Annotated[bool, typer.Option("--failed", help="The call failed.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Apply the rules to a recorded tool output.

    Prints which rules match, and what they extract.

    FILE is the JSON that any supported harness passes to its hooks, or with --tool the output itself. The
    result is redacted, as it would be before it is written.
    """
    from recollect.redaction.user_patterns import redactor
    from recollect.working.extraction import matching
    from recollect.working.tool_result import read_tool_result

    event = _event(file, tool, ran, failed=failed)
    had_failed = event.kind == "tool_failed"
    call = read_tool_result(event.tool, event.tool_input, event.tool_output, failed=had_failed)
    items = matching(call, _rules(context), redactor(opened(context).config.redaction))
    rows = [_row_of(item) for item in items]
    if as_json:
        out: RulesTestOutput = {
            "tool": event.tool,
            "failed": had_failed,
            "kept": rows[0] if rows else None,
            "also": rows[1:],
        }
        print_json(out)
        return
    _show(event.tool, rows)


def _show(tool: str, rows: list[ExtractedRow]) -> None:
    if not rows:
        say(f"No rule matches this output of {safe(tool)}.")
        return
    first, *others = rows
    say(f"[bold]{safe(first['rule'])}[/] extracts, with attention {first['attention']:.2f}:")
    for line in first["content"].splitlines():
        say(f"  {safe(line)}")
    if first["fingerprint"]:
        say(f"[dim]fingerprint[/] {first['fingerprint']}")
    for other in others:
        say(f"[dim]also matches:[/] {safe(other['rule'])}")


def _event(file: Path, tool: str | None, ran: str, *, failed: bool) -> "Event":
    from recollect.agents.event import Event

    try:
        text = file.read_text("utf-8", "replace")
    except OSError as error:
        raise NotFoundError(f"{str(file)!r} cannot be read: {error.strerror}.") from None
    if tool is None:
        return _recorded(text, str(file))
    tool_input = {"command": ran, "pattern": ran, "file_path": ran} if ran else {}
    return Event(
        "tool_failed" if failed else "tool_after",
        "",
        tool=tool,
        tool_input=tool_input,
        tool_output=text,
    )


def _recorded(text: str, where: str) -> "Event":
    """The event of whichever harness uses such names."""
    import json

    try:
        payload: Any = json.loads(text)
    except ValueError:
        raise RefusedError(
            f"{where!r} is not valid JSON; for plain text, name its tool with --tool."
        ) from None
    name = payload.get("hook_event_name", "") if isinstance(payload, dict) else ""
    for harness in all_harnesses():
        if harness.kinds.get(name) in ("tool_after", "tool_failed"):
            return harness.event(name, payload)
    raise RefusedError(
        f"{where!r} is not the event of a finished tool call; its hook_event_name is {name!r}."
    )


def _row_of(item: "Extracted") -> ExtractedRow:
    return {
        "rule": item.rule,
        "kind": item.kind,
        "attention": item.attention,
        "content": item.content,
        "fingerprint": item.fingerprint,
        "paths": list(item.paths),
        "command": item.command,
        "redacted": list(item.redacted),
    }


def _rules(context: typer.Context) -> "tuple[Rule, ...]":
    from recollect.working.default_rules import rules_of

    return rules_of(opened(context).config.rules, all_tools())


def _overlaps(rules: "tuple[Rule, ...]") -> list[OverlapRow]:
    from recollect.working.rules import overlaps

    return [{"first": first.id, "second": second.id} for first, second in overlaps(rules)]


def _warn_of(overlaps: list[OverlapRow]) -> None:
    for pair in overlaps:
        first, second = safe(pair["first"]), safe(pair["second"])
        warn(f"[yellow]overlap[/]: {first} comes before {second} and hides it")


def _where(rule: "Rule") -> str:
    match rule.looks_at:
        case "given":
            return "given"
        case "output":
            return "returned"
        case _:
            return "given or returned"
