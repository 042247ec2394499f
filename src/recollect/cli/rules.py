"""`rules`: what is kept of tool outputs, and whether a pattern is safe to search with."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.cli.command import command
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


def register(app: typer.Typer) -> None:
    rules = typer.Typer(help="What is kept of tool outputs.", no_args_is_help=True)
    app.add_typer(rules, name="rules")
    command(
        rules,
        "list",
        "recollect rules list",
        "recollect rules list --json",
        output=RulesListOutput,
    )(list_rules)
    command(
        rules,
        "check",
        "recollect rules check",
        "recollect rules check --pattern '(a+)+b'",
        output=RulesCheckOutput,
    )(check)
    command(
        rules,
        "test",
        "recollect rules test event.json",
        "recollect rules test pytest.txt --tool Bash --command 'pytest -q' --failed",
        output=RulesTestOutput,
    )(try_out)


def list_rules(context: typer.Context, as_json: JsonFlag = False) -> None:
    """Show the rules in force, in the order in which they are tried."""
    rules = _rules(context)
    overlaps = _overlaps(rules)
    if as_json:
        out: RulesListOutput = {
            "rules": [rule_row(rule) for rule in rules],
            "overlaps": overlaps,
        }
        print_json(out)
        return
    for rule in rules:
        whose = "" if rule.origin == "default" else f"  [dim]{safe(rule.origin)}[/]"
        say(f"[bold]{safe(rule.id)}[/]  {rule.attention:.2f} {rule.summarizer}{whose}")
        say(f"    [dim]tools[/] {safe(rule.tool_pattern)}")
        if rule.content_pattern:
            say(f"    [dim]{_where(rule)}[/] {safe(rule.content_pattern)}")
        if rule.outcome != "any":
            say(f"    [dim]only when it[/] {rule.outcome}")
    _warn_of(overlaps)


def check(
    context: typer.Context,
    pattern: Annotated[
        str | None, typer.Option("--pattern", "-p", metavar="PATTERN", help="Check this one alone.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Check the patterns of your rules, or one pattern. Exit code 5 when one is refused.

    Patterns run on RE2, in time linear in the text. A pattern that RE2 does not accept (look-around,
    backreferences) is refused with the reason. Rules are also checked whenever Recollect starts; this command
    also warns about rules that take everything a later rule would match.
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


def try_out(
    context: typer.Context,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A hook's event as JSON, or plain text.")
    ],
    tool: Annotated[
        str | None, typer.Option("--tool", metavar="NAME", help="The tool whose output the text is.")
    ] = None,
    ran: Annotated[
        str, typer.Option("--command", metavar="TEXT", help="What the tool ran, read or searched for.")
    ] = "",
    failed: Annotated[bool, typer.Option("--failed", help="The tool had failed.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Run a recorded tool output through the rules: which match, and what would be kept.

    FILE is the JSON that any supported harness gives its hooks, or with --tool the output itself. What is
    shown has passed the redaction gate, as it would before it is written.
    """
    from recollect.redaction.user_patterns import redactor
    from recollect.working.extraction import matching
    from recollect.working.tool_result import observed

    event = _event(file, tool, ran, failed=failed)
    had_failed = event.kind == "tool_failed"
    call = observed(event.tool, event.tool_input, event.tool_output, failed=had_failed)
    found = matching(call, _rules(context), redactor(opened(context).config.redaction))
    kept = [_kept(one) for one in found]
    if as_json:
        out: RulesTestOutput = {
            "tool": event.tool,
            "failed": had_failed,
            "kept": kept[0] if kept else None,
            "also": kept[1:],
        }
        print_json(out)
        return
    _show(event.tool, kept)


def _show(tool: str, kept: list[ExtractedRow]) -> None:
    if not kept:
        say(f"No rule keeps anything of this output of {safe(tool)}.")
        return
    first, *others = kept
    say(f"[bold]{safe(first['rule'])}[/] keeps, with attention {first['attention']:.2f}:")
    for line in first["content"].splitlines():
        say(f"  {safe(line)}")
    if first["fingerprint"]:
        say(f"[dim]fingerprint[/] {first['fingerprint']}")
    for other in others:
        say(f"[dim]would have matched too:[/] {safe(other['rule'])}")


def _event(file: Path, tool: str | None, ran: str, *, failed: bool) -> "Event":
    from recollect.agents.event import Event

    try:
        text = file.read_text("utf-8", "replace")
    except OSError as error:
        raise NotFoundError(f"{str(file)!r} cannot be read: {error.strerror}.") from None
    if tool is None:
        return _recorded(text, str(file))
    given = {"command": ran, "pattern": ran, "file_path": ran} if ran else {}
    return Event(
        "tool_failed" if failed else "tool_after", "", tool=tool, tool_input=given, tool_output=text
    )


def _recorded(text: str, where: str) -> "Event":
    """The event of whichever harness uses such names."""
    import json

    from recollect.agents.harnesses import all_harnesses

    try:
        payload: Any = json.loads(text)
    except ValueError:
        raise RefusedError(
            f"{where!r} is not JSON; for plain text, name its tool with --tool."
        ) from None
    name = payload.get("hook_event_name", "") if isinstance(payload, dict) else ""
    for harness in all_harnesses():
        if harness.kinds.get(name) in ("tool_after", "tool_failed"):
            return harness.event(name, payload)
    raise RefusedError(f"{where!r} is no event of a tool that is done; hook_event_name is {name!r}.")


def _kept(found: "Extracted") -> ExtractedRow:
    return {
        "rule": found.rule,
        "kind": found.kind,
        "attention": found.attention,
        "content": found.content,
        "fingerprint": found.fingerprint,
        "paths": list(found.paths),
        "command": found.command,
        "redacted": list(found.redacted),
    }


def _rules(context: typer.Context) -> "tuple[Rule, ...]":
    from recollect.agents.harnesses import all_tools
    from recollect.working.default_rules import rules_of

    return rules_of(opened(context).config.rules, all_tools())


def _overlaps(rules: "tuple[Rule, ...]") -> list[OverlapRow]:
    from recollect.working.rules import overlaps

    return [{"first": first.id, "second": second.id} for first, second in overlaps(rules)]


def _warn_of(overlaps: list[OverlapRow]) -> None:
    for pair in overlaps:
        first, second = safe(pair["first"]), safe(pair["second"])
        warn(f"[yellow]overlap[/]: {first} goes before {second} and takes what it would match")


def _where(rule: "Rule") -> str:
    match rule.looks_at:
        case "given":
            return "given"
        case "output":
            return "returned"
        case _:
            return "given or returned"
