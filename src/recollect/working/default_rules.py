"""The rules that everyone has. Each has earned its place on real work: docs/measurements/working.md.

Tools go by the names that Claude Code, Codex, Cursor, Gemini CLI and opencode give them. All patterns are
plain words, so that a hook needs no regular expression for them.
"""

from __future__ import annotations

from recollect.errors import InvalidConfigError
from recollect.working.rules import Rule, in_force

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_SHELL = (
    "Bash|bash|shell|Shell|local_shell|exec_command|run_shell_command|run_terminal_cmd|"
    "run_terminal_command"
)
_READ = "Read|read|read_file|ReadFile|read_many_files"
_GREP = "Grep|grep|search_file_content|grep_search|codebase_search"
_EDIT = (
    "Edit|Write|MultiEdit|NotebookEdit|edit|write|multiedit|patch|apply_patch|replace|write_file|edit_file|"
    "search_replace|StrReplace|edit_notebook"
)
_SPECS = (
    r"spec\.md|specs/|specification|design\.md|architecture\.md|requirements\.md|prd\.md|rfcs/|adr/|adrs/|"
    r"/adr-|decisions/|decision-record|docs/plan|plans/|roadmap\.md"
)

DEFAULT_RULES: tuple[Rule, ...] = (
    Rule("failing-tests", _SHELL, "", 0.85, "failing_tests", kind="failing_tests"),
    Rule("stack-trace", _SHELL, "", 0.8, "stack_trace", kind="stack_trace"),
    Rule(
        "git-commit",
        _SHELL,
        "git commit|commit -",
        0.7,
        "commit",
        looks_at="given",
        outcome="succeeded",
        kind="commit",
    ),
    Rule("patch-applied", _SHELL, "Begin Patch", 0.5, "file_name", "given", "succeeded", "edit"),
    Rule("failed-command", _SHELL, "", 0.6, "error_lines", outcome="failed", kind="error"),
    Rule("spec-read", _READ, f"(?i){_SPECS}", 0.9, "first_last_500", "given", "succeeded", "spec"),
    Rule(
        "errors-searched",
        _GREP,
        "(?i)error|exception|traceback|panic|fail|fatal",
        0.8,
        "match_count",
        "given",
        "succeeded",
        "error",
    ),
    Rule("file-edited", _EDIT, "", 0.5, "file_name", outcome="succeeded", kind="edit"),
)


def rules_of(lists: Sequence[tuple[str, object]]) -> tuple[Rule, ...]:
    """The rules in force where these (origin, list) are configured, the defaults last.

    Raises InvalidConfigError that names every rule that is refused, its pattern and the reason.
    """
    rules, problems = in_force(lists, DEFAULT_RULES)
    if problems:
        raise InvalidConfigError(" ".join(problems))
    return rules
