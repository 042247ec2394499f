"""The rules that everyone has. Each has earned its place on real work: docs/measurements/working.md.

A rule names tools as the harness calls them. All patterns are plain words, so a hook needs no regular
expression for them.
"""

from __future__ import annotations

from recollect.working.rules import Rule, in_force

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.working.tools import ToolNames

_SPECS = (
    r"spec\.md|specs/|specification|design\.md|architecture\.md|requirements\.md|prd\.md|rfcs/|adr/|adrs/|"
    r"/adr-|decisions/|decision-record|docs/plan|plans/|roadmap\.md"
)


def default_rules(tools: ToolNames) -> tuple[Rule, ...]:
    """The default rules for a harness with these `tools`; none about a tool that it has not."""
    shell, read = "|".join(tools.shells), "|".join(tools.reads)
    search, edit = "|".join(tools.searches), "|".join(tools.edits)
    rules = (
        Rule("failing-tests", shell, "", 0.85, "failing_tests", kind="failing_tests"),
        Rule("stack-trace", shell, "", 0.8, "stack_trace", kind="stack_trace"),
        Rule("git-commit", shell, "git commit|commit -", 0.7, "commit", "given", "succeeded", "commit"),
        Rule("patch-applied", shell, "Begin Patch", 0.5, "file_name", "given", "succeeded", "edit"),
        Rule("failed-command", shell, "", 0.6, "error_lines", outcome="failed", kind="error"),
        Rule("spec-read", read, f"(?i){_SPECS}", 0.9, "first_last_500", "given", "succeeded", "spec"),
        Rule(
            "errors-searched",
            search,
            "(?i)error|exception|traceback|panic|fail|fatal",
            0.8,
            "match_count",
            "given",
            "succeeded",
            "error",
        ),
        Rule("file-edited", edit, "", 0.5, "file_name", outcome="succeeded", kind="edit"),
    )
    return tuple(rule for rule in rules if rule.tool_pattern)


def rules_of(lists: Sequence[tuple[str, object]], tools: ToolNames) -> tuple[Rule, ...]:
    """The rules in force where these (origin, list) are configured, the defaults for `tools` last.

    Raises InvalidConfigError that names every rule that is refused, its pattern and the reason.
    """
    rules, problems = in_force(lists, default_rules(tools))
    if problems:
        from recollect.errors import InvalidConfigError

        raise InvalidConfigError(" ".join(problems))
    return rules
