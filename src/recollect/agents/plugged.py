"""Is a harness connected by its own plugin? Told from the files in which it keeps account of its plugins.

Cursor and opencode have no plugin of ours that they keep account of: there it is files in the project.
"""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from recollect.agents.foreign import inside, json_of, toml_of

PLUGIN = "memory@recollect"
EXTENSION = "recollect"

# "~/" is the home folder, the rest is in the project. Of Claude Code's a later one outranks an earlier one.
_ACCOUNTS: dict[str, tuple[str, ...]] = {
    "claude-code": (
        "~/.claude/settings.json",
        ".claude/settings.json",
        ".claude/settings.local.json",
    ),
    "codex": ("~/.codex/config.toml",),
    "gemini": (
        f"~/.gemini/extensions/{EXTENSION}/gemini-extension.json",
        "~/.gemini/extensions/extension-enablement.json",
    ),
}


def account_files(harness: str) -> tuple[str, ...]:
    """The files to read for `has_plugin`, in its order."""
    return _ACCOUNTS.get(harness, ())


def has_plugin(harness: str, texts: Sequence[str | None], folder: str) -> bool:
    """Whether our plugin is on in `folder`, by the texts of `account_files`; None is no file."""
    match harness, texts:
        case "claude-code", _:
            said = [inside(json_of(text), "enabledPlugins", PLUGIN) for text in texts]
            return any([value for value in said if value is not None][-1:])
        case "codex", [config]:
            return inside(toml_of(config), "plugins", PLUGIN, "enabled") is True
        case "gemini", [manifest, enablement]:
            rules = inside(json_of(enablement), EXTENSION, "overrides")
            return manifest is not None and _is_enabled(rules, folder)
        case _:
            return False


def _is_enabled(rules: object, folder: str) -> bool:
    """Gemini's own way: on, unless the last rule that names the folder begins with an exclamation mark."""
    enabled = True
    for rule in rules if isinstance(rules, list) else ():
        pattern = str(rule).removeprefix("!").rstrip("/")
        if fnmatchcase(f"{folder}/", pattern if pattern.endswith("*") else f"{pattern}/"):
            enabled = not str(rule).startswith("!")
    return enabled
