"""Every setting, read in one place: environment > project file > user file > default.

The files are JSON (`memory-config.json`); keys are nested objects, written here with dots. Keys that
this version does not know are left alone: other tools keep theirs in the same file.
"""

from __future__ import annotations

from recollect import quick_json
from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from recollect.errors import InvalidConfigError

DEFAULT_ROOT = ".claude/memory"
# Where Claude Code, opencode, Codex and those that follow them look: the project's, then the user's.
SKILL_FOLDERS = (
    ".claude/skills, .agents/skills, .opencode/skills, "
    "~/.claude/skills, ~/.agents/skills, ~/.config/opencode/skills"
)


class Setting(Frozen):
    """One setting: its key, its default, the environment variable that overrides it, what it does."""

    key: str
    default: str | int | float
    env: str
    help: str
    least: int | float = 0
    most: int | float | None = None
    choices: tuple[str, ...] = ()


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "memory_root",
        DEFAULT_ROOT,
        "RECOLLECT_ROOT",
        "the memory root, relative to the project; set by environment or user file only",
    ),
    Setting(
        "categories.session_summary.retention_days",
        90,
        "RECOLLECT_SESSION_RETENTION_DAYS",
        "days a session summary stays active; 0 keeps it",
    ),
    Setting(
        "categories.session_summary.max_retained",
        5,
        "RECOLLECT_SESSION_MAX_RETAINED",
        "how many session summaries stay active; 0 keeps all",
    ),
    *(
        Setting(
            f"categories.{category}.retention_days",
            0,
            f"RECOLLECT_{category.upper()}_RETENTION_DAYS",
            f"days a {category.replace('_', ' ')} stays active; 0 keeps it",
        )
        for category in ("decision", "constraint", "preference", "runbook", "tech_debt")
    ),
    Setting(
        "retrieval.match_strategy",
        "fts5_bm25",
        "RECOLLECT_MATCH_STRATEGY",
        "how memories are matched to a prompt: fts5_bm25, hybrid or title_tags",
        choices=("fts5_bm25", "hybrid", "title_tags"),
    ),
    Setting(
        "retrieval.max_inject",
        3,
        "RECOLLECT_MAX_INJECT",
        "how many memories a prompt is given at most; 0 gives none",
        most=20,
    ),
    Setting(
        "retrieval.fusion",
        "score",
        "RECOLLECT_FUSION",
        "how rankings are joined: by score or by rank",
        choices=("score", "rank"),
    ),
    Setting(
        "retrieval.model",
        "snowflake-arctic-embed-s",
        "RECOLLECT_MODEL",
        "the embedding model that hybrid search reads with; `recollect model list` shows them",
    ),
    Setting(
        "retrieval.diverse",
        0,
        "RECOLLECT_GRAPH_MMR",
        "1 puts hits in an order that repeats itself less; off, for it gained nothing when measured",
        most=1,
    ),
    Setting(
        "graph.unified",
        1,
        "RECOLLECT_GRAPH_UNIFIED",
        "1 lets a search follow links between memories and find skills; 0 leaves the graphs out; on, for "
        "it finds what words miss and costs no plain answer",
        most=1,
    ),
    Setting(
        "graph.authority",
        0,
        "RECOLLECT_GRAPH_AUTHORITY",
        "1 lifts, by at most 5%, memories that others rest on; off, for it gained nothing when measured",
        most=1,
    ),
    Setting(
        "graph.skill_folders",
        SKILL_FOLDERS,
        "RECOLLECT_SKILL_FOLDERS",
        "where skills are read, with commas between; a skill hides those of its name in later folders",
    ),
    Setting(
        "graph.skill_cache_ttl_ms",
        300_000,
        "RECOLLECT_SKILL_CACHE_TTL_MS",
        "how long the server keeps what it read of the skill folders; 0 reads them every time",
    ),
    Setting(
        "working.extraction",
        1,
        "RECOLLECT_EXTRACTION",
        "1 takes what matters out of tool outputs into working memory; 0 takes nothing",
        most=1,
    ),
    Setting(
        "working.keep_drafts",
        "review",
        "RECOLLECT_KEEP_DRAFTS",
        "what becomes of drafts: review leaves them for `recollect session keep`, auto keeps them as "
        "memories that are marked unconfirmed",
        choices=("review", "auto"),
    ),
    Setting(
        "working.session_boost",
        1,  # `bench working --data`: better for 10 questions, worse for none by words; 7 and 1 by meaning
        "RECOLLECT_SESSION_BOOST",
        "1 moves memories that the session pays attention to up by at most 15%; 0 leaves them",
        most=1,
    ),
    Setting(
        "working.causal_boost",
        0,  # not measured on real links so far
        "RECOLLECT_CAUSAL_BOOST",
        "1 moves memories that are linked to those up by 5%, or 2.5% at two hops; 0 leaves them",
        most=1,
    ),
    Setting(
        "delete.grace_period_days",
        30,
        "RECOLLECT_GRACE_PERIOD_DAYS",
        "days a retired memory can be restored before `recollect gc` deletes it",
    ),
    Setting(
        "lock_wait_seconds",
        20,
        "RECOLLECT_LOCK_WAIT_SECONDS",
        "how long a write waits for another writer",
        least=0,
        most=600,
    ),
)
LISTS: tuple[str, ...] = (
    "rules",
    "redaction.patterns",
    "redaction.allow",
)  # keys whose lists add up; whoever uses them looks at what is in them
_BY_KEY = {setting.key: setting for setting in SETTINGS}


class Value(Frozen):
    """A setting's value and where it came from: `default`, a file's path or `$NAME`."""

    setting: Setting
    value: str | int | float
    origin: str


class Config(Frozen):
    """All values. `number` and `text` read one by its key; `listed` a list that files may hold."""

    values: Mapping[str, Value]
    lists: tuple[tuple[str, str, Any], ...] = ()

    def number(self, key: str) -> int:
        return int(self.values[key].value)

    def text(self, key: str) -> str:
        return str(self.values[key].value)

    def listed(self, key: str) -> list[tuple[str, Any]]:
        """What each file says under this key, not looked at: (origin, value), the project's first."""
        return [(origin, found) for name, origin, found in self.lists if name == key]


def load(env: Mapping[str, str], user_file: str = "", project_file: str = "") -> Config:
    """Read the configuration. A value out of bounds is an error that names its origin."""
    project, user = _read(project_file), _read(user_file)
    values = {}
    for setting in SETTINGS:
        value = Value(setting, setting.default, "default")
        if user and (found := _dig(user, setting.key)) is not None:
            value = Value(setting, _checked(setting, found, user_file), user_file)
        if (
            project
            and (found := _dig(project, setting.key)) is not None
            and setting.key != "memory_root"
        ):
            value = Value(setting, _checked(setting, found, project_file), project_file)
        if told := env.get(setting.env):
            origin = f"${setting.env}"
            value = Value(setting, _checked(setting, told, origin), origin)
        values[setting.key] = value
    return Config(values, tuple(_lists((project_file, project), (user_file, user))))


def _lists(*files: tuple[str, dict[str, Any]]) -> Iterator[tuple[str, str, Any]]:
    for key in LISTS:
        for origin, found in files:
            if (held := _dig(found, key)) is not None:
                yield key, origin, held


def _read(path: str) -> dict[str, Any]:
    if not path:
        return {}
    try:
        with open(path, encoding="utf-8-sig") as file:
            found = quick_json.loads(file.read())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise _invalid(f"{path!r} cannot be read as JSON: {error}.") from None
    if not isinstance(found, dict):
        raise _invalid(f"{path!r} must hold one object, as in {{}}.")
    return found


def _dig(found: Mapping[str, Any], key: str) -> Any:
    value: Any = found
    for part in key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _checked(setting: Setting, value: Any, origin: str) -> str | int | float:
    if isinstance(setting.default, str):
        if isinstance(value, str) and value and (not setting.choices or value in setting.choices):
            return value
        if setting.choices:
            known = ", ".join(setting.choices)
            raise _invalid(f"{setting.key} must be one of {known}, not {value!r} (from {origin}).")
        raise _invalid(f"{setting.key} must be text, not {value!r} (from {origin}).")
    try:
        number = float(value) if not isinstance(value, bool) else float("nan")
    except (TypeError, ValueError):
        number = float("nan")
    if setting.least <= number and (setting.most is None or number <= setting.most):
        return int(number) if number == int(number) else number
    upper = "" if setting.most is None else f" to {setting.most}"
    raise _invalid(
        f"{setting.key} must be a number from {setting.least}{upper}, not {value!r} (from {origin})."
    )


def _invalid(message: str) -> InvalidConfigError:
    from recollect.errors import InvalidConfigError  # which a configuration that is right does without

    return InvalidConfigError(message)


def with_value(text: str, key: str, value: str) -> str:
    """The text of a configuration file with one key set, everything else as it was."""
    if key not in _BY_KEY:
        raise _invalid(
            f"there is no setting {key!r}; `recollect config` lists them: {', '.join(_BY_KEY)}."
        )
    import json

    found: Any = json.loads(text or "{}")
    place = found
    *parents, last = key.split(".")
    for part in parents:
        place = place.setdefault(part, {})
        if not isinstance(place, dict):
            raise _invalid(f"{part!r} in the configuration must be an object.")
    place[last] = _checked(_BY_KEY[key], value, "the command line")
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"
