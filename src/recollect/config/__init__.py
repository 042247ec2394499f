"""Every setting, read in one place: environment > project file > user file > default.

The files are JSON (`memory-config.json`); a key such as `retrieval.max_inject` is nested objects there.
Unknown keys are ignored, because other tools may have theirs in the same file; `misspelt` finds those that
look like one of ours. A value that a setting does not accept is a problem, and the setting has its default.
"""

from __future__ import annotations

import json

from recollect.config.retrieval import RetrievalConfig
from recollect.config.section import (
    ConfigProblem,
    ConfigSection,
    FileList,
    Setting,
    declared,
    file_lists,
    filled,
    invalid,
    setting,
)
from recollect.paths import read_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Literal

    from recollect.config.section import FileLists

MOST_BYTES = 1024 * 1024  # of a configuration file
DEFAULT_ROOT = ".claude/memory"
# Where Claude Code, opencode, Codex and harnesses like them look: in the project, then in the home folder.
SKILL_FOLDERS = (
    ".claude/skills, .agents/skills, .opencode/skills, "
    "~/.claude/skills, ~/.agents/skills, ~/.config/opencode/skills"
)


def _retention(category: str) -> int:
    return setting(
        0,
        f"RECOLLECT_{category.upper()}_RETENTION_DAYS",
        f"days a {category.replace('_', ' ')} stays active; 0: no limit",
    )


class CategoryConfig(ConfigSection):
    """How long memories of a category stay active."""

    retention_days: int


class SessionSummaryConfig(CategoryConfig):
    retention_days: int = setting(
        90, "RECOLLECT_SESSION_RETENTION_DAYS", "days a session summary stays active; 0: no limit"
    )
    max_retained: int = setting(
        5, "RECOLLECT_SESSION_MAX_RETAINED", "how many session summaries stay active; 0: no limit"
    )


class DecisionConfig(CategoryConfig):
    retention_days: int = _retention("decision")


class ConstraintConfig(CategoryConfig):
    retention_days: int = _retention("constraint")


class PreferenceConfig(CategoryConfig):
    retention_days: int = _retention("preference")


class RunbookConfig(CategoryConfig):
    retention_days: int = _retention("runbook")


class TechDebtConfig(CategoryConfig):
    retention_days: int = _retention("tech_debt")


class CategoriesConfig(ConfigSection):
    session_summary = SessionSummaryConfig()
    decision = DecisionConfig()
    constraint = ConstraintConfig()
    preference = PreferenceConfig()
    runbook = RunbookConfig()
    tech_debt = TechDebtConfig()

    def retention_days(self, category: str) -> int:
        """The retention of a category by its name."""
        section: CategoryConfig = getattr(self, category)
        return section.retention_days

    def retained_since(self, days_ago: Callable[[int], str]) -> tuple[tuple[str, str], ...]:
        """The categories with a retention, and the moment that a memory of each must not be older than."""
        names = [
            name
            for name, section in vars(CategoriesConfig).items()
            if isinstance(section, CategoryConfig)
        ]
        days = [(name, self.retention_days(name)) for name in names]
        return tuple([(name, days_ago(count)) for name, count in days if count])


class GraphConfig(ConfigSection):
    unified: bool = setting(
        True,
        "RECOLLECT_GRAPH_UNIFIED",
        "1 lets a search follow links between memories and find skills; 0 does not use the "
        "graphs; on by default, because it finds what words miss and changes no other result",
    )
    authority: bool = setting(
        False,
        "RECOLLECT_GRAPH_AUTHORITY",
        "1 raises memories that others depend on by at most 5%; off by default, because "
        "measurements showed no gain",
    )
    skill_folders: str = setting(
        SKILL_FOLDERS,
        "RECOLLECT_SKILL_FOLDERS",
        "folders to read skills from, separated by commas; a skill hides skills of the same name "
        "in later folders",
    )
    skill_cache_ttl_ms: int = setting(
        300_000,
        "RECOLLECT_SKILL_CACHE_TTL_MS",
        "how long the server caches the skill folders; 0 reads them every time",
    )


class WorkingConfig(ConfigSection):
    extraction: bool = setting(
        True,
        "RECOLLECT_EXTRACTION",
        "1 extracts what matters from tool outputs into working memory; 0 extracts nothing",
    )
    statements: bool = setting(
        True,
        "RECOLLECT_STATEMENTS",
        "1 drafts what you say that will still apply next week, for `recollect review`; 0 does not",
    )
    keep_drafts: Literal["review", "auto"] = setting(
        "review",
        "RECOLLECT_KEEP_DRAFTS",
        "what happens to drafts: review leaves them for `recollect session keep`, auto saves them as "
        "memories marked unconfirmed",
        choices=("review", "auto"),
    )
    session_boost: bool = setting(
        True,  # `bench working --data`: better for 10 questions, worse for none by words; 7 and 1 by meaning
        "RECOLLECT_SESSION_BOOST",
        "1 raises memories that the session pays attention to by at most 15%; 0 does not",
    )
    causal_boost: bool = setting(
        False,  # not measured on real links so far
        "RECOLLECT_CAUSAL_BOOST",
        "1 raises memories linked to those by 5%, or by 2.5% at two hops; 0 does not",
    )


class RedactionConfig(ConfigSection):
    patterns: FileLists = file_lists(
        '`{"id": ..., "pattern": ...}`: what else the redaction gate removes'
    )
    allow: FileLists = file_lists(
        "SHA-256 digests of values that may stay, as `recollect redact --digests` prints them"
    )


class DeleteConfig(ConfigSection):
    grace_period_days: int = setting(
        30,
        "RECOLLECT_GRACE_PERIOD_DAYS",
        "days a retired memory can be restored before `recollect gc` deletes it",
    )


class ServerConfig(ConfigSection):
    tool_timeout_seconds: int = setting(
        300,
        "RECOLLECT_TOOL_TIMEOUT_SECONDS",
        "how long a tool call of the MCP server may take before it is cancelled",
        bounds=(1, 86_400),
    )
    public_url: str = setting(
        "",
        "RECOLLECT_PUBLIC_URL",
        "where a proxy on this machine offers a team's server or page to others, https://HOST; set by "
        "environment or user file only",
        in_project_file=False,
    )


class GatewayConfig(ConfigSection):
    exposure: Literal["meta", "proxy", "hybrid"] = setting(
        "meta",
        "RECOLLECT_GATEWAY_EXPOSURE",
        "how tools of upstream servers are listed: meta (a few tools that find and call them), "
        "proxy (every tool), hybrid (the meta-tools plus pinned and most used tools)",
        choices=("meta", "proxy", "hybrid"),
    )
    servers: str = setting(
        "all",
        "RECOLLECT_GATEWAY_SERVERS",
        "the upstream servers that clients see, separated by commas, or all",
    )
    pinned: str = setting(
        "none",
        "RECOLLECT_GATEWAY_PINNED",
        "tools that hybrid always lists: ids (server:tool) separated by commas, or none",
    )
    listed_tokens: int = setting(
        4_000,
        "RECOLLECT_GATEWAY_LISTED_TOKENS",
        "how many tokens the tools that hybrid lists besides the meta-tools may cost",
        bounds=(0, 100_000),
    )
    min_release_age_days: int = setting(
        7,
        "RECOLLECT_GATEWAY_MIN_RELEASE_AGE_DAYS",
        "how many days after its release `gateway update` takes a version of a server's package",
        bounds=(0, 3_650),
        in_project_file=False,
    )
    client_asks_person: bool = setting(
        False,
        "RECOLLECT_GATEWAY_CLIENT_ASKS_PERSON",
        "whether the client passes questions (MCP elicitation) on to a person, so that it may "
        "ask before a call when a rule requires it; set by environment or user file only",
        in_project_file=False,
    )
    speculation: bool = setting(
        True,
        "RECOLLECT_SPECULATION",
        "whether read-only calls run ahead of the agent, on servers that `gateway trust` names",
    )


class LearningConfig(ConfigSection):
    traces: bool = setting(
        True,
        "RECOLLECT_TRACES",
        "1 records how searches, prompts and tools were scored, without their text, for `recollect trace`; "
        "0 records nothing",
    )


class Config(ConfigSection):
    """All values, where each came from, and values that were not accepted. `Config()` has the defaults."""

    memory_root: str = setting(
        DEFAULT_ROOT,
        "RECOLLECT_ROOT",
        "the memory root, relative to the project; set by environment or user file only",
        in_project_file=False,
    )
    database: str = setting(
        "",
        "RECOLLECT_DATABASE",
        "the database of a team, postgresql://USER@HOST/NAME; if not set, memories are files. "
        "Passwords are read from PGPASSFILE, PGPASSWORD or a service file; set by environment or "
        "user file only",
        in_project_file=False,
    )
    database_replica: str = setting(
        "",
        "RECOLLECT_DATABASE_REPLICA",
        "a replica of the database that answers searches while it is up to date; set by "
        "environment or user file only",
        in_project_file=False,
    )
    categories = CategoriesConfig()
    retrieval = RetrievalConfig()
    graph = GraphConfig()
    working = WorkingConfig()
    redaction = RedactionConfig()
    delete = DeleteConfig()
    server = ServerConfig()
    gateway = GatewayConfig()
    learning = LearningConfig()
    lock_wait_seconds: int = setting(
        20, "RECOLLECT_LOCK_WAIT_SECONDS", "how long a write waits for another writer", bounds=(0, 600)
    )
    rules: FileLists = file_lists("extraction rules, tried before the built-in ones")
    origins: Mapping[str, str] = {}
    problems: tuple[ConfigProblem, ...] = ()

    @property
    def chosen_strategy(self) -> Literal["fts5_bm25", "hybrid", "title_tags"] | None:
        """The strategy that a file or the environment names; None: the best that a door has."""
        is_set = "retrieval.match_strategy" in self.origins
        return self.retrieval.match_strategy if is_set else None

    def origin(self, key: str) -> str:
        """Where a value came from: `default`, a file's path or `$NAME`."""
        return self.origins.get(key, "default")


WHOLE_FILE = "the file"  # the key of a problem that is not about one setting
_DECLARED = dict(declared(Config))
SETTINGS = {key: entry for key, entry in _DECLARED.items() if isinstance(entry, Setting)}
LISTS = {key: entry for key, entry in _DECLARED.items() if isinstance(entry, FileList)}


def load(
    env: Mapping[str, str], user_file: str = "", project_file: str = "", *, lenient: bool = False
) -> Config:
    """Read the configuration. A value that is not accepted becomes a problem and leaves the default.

    Raises InvalidConfigError for a file that is not one JSON object; a `lenient` reader, which repairs it or
    reports on it, gets that as a problem too.
    """
    problems: list[ConfigProblem] = []
    unreadable = problems if lenient else None
    project, user = read_file(project_file, unreadable), read_file(user_file, unreadable)
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for key, entry in SETTINGS.items():
        origin, raw = f"${entry.env}", env.get(entry.env) or None
        if raw is None and project and entry.in_project_file:
            origin, raw = project_file, at_key(project, key)
        if raw is None and user:
            origin, raw = user_file, at_key(user, key)
        if raw is None:
            continue
        if (value := entry.value(raw)) is None:
            problems.append(entry.problem(key, raw, origin))
        else:
            values[key], origins[key] = value, origin
    for key in LISTS:
        lists = ((project_file, at_key(project, key)), (user_file, at_key(user, key)))
        if contents := [(origin, content) for origin, content in lists if content is not None]:
            values[key] = tuple(contents)
    return Config(**filled(Config, values), origins=origins, problems=tuple(problems))


def read_file(path: str, problems: list[ConfigProblem] | None = None) -> dict[str, Any]:
    """The content of a configuration file, {} for none.

    Where it is not one JSON object, that is added to `problems`; without them InvalidConfigError is raised.
    """
    if not path:
        return {}
    try:
        content = json.loads(read_plain(path, MOST_BYTES).decode("utf-8-sig"))
        if isinstance(content, dict):
            return content
        reason = "it has another value"
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, RecursionError) as error:
        reason = str(error)
    if problems is None:
        raise invalid(
            f"{path!r} is not a valid JSON object: {reason}. Correct it, or `recollect config KEY "
            "VALUE` moves it aside and writes a new one."
        )
    problems.append(ConfigProblem(WHOLE_FILE, f"unreadable text, {reason}", path, "one JSON object"))
    return {}


def at_key(content: Mapping[str, Any], key: str) -> Any:
    """What a file's content has under a dotted key; None where it has nothing."""
    value: Any = content
    for part in key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def plain(value: str | int) -> str | int:
    """A value as files and output have it: a flag is 1 or 0."""
    return int(value) if isinstance(value, bool) else value
