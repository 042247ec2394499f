"""Is a harness connected by its own plugin? Told from the files in which it keeps account of its plugins.

Cursor and opencode have no plugin of ours that they keep account of: there it is files in the project.
"""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from recollect.agents.foreign import inside, json_of, toml_of

PLUGIN = "memory@recollect"
EXTENSION = "recollect"


def account_files(harness: str, own: Path) -> tuple[Path, ...]:
    """The files to read for `has_plugin`, in its order; a relative one is in the project.

    `own` is where the harness keeps its user's settings. Of Claude Code's files a later one outranks an
    earlier one. Codex keeps account of what it trusts in the same file.
    """
    match harness:
        case "claude-code":
            return (
                own / "settings.json",
                Path(".claude/settings.json"),
                Path(".claude/settings.local.json"),
            )
        case "codex":
            return (own / "config.toml",)
        case "gemini":
            extensions = own / "extensions"
            return (
                extensions / EXTENSION / "gemini-extension.json",
                extensions / "extension-enablement.json",
            )
        case _:
            return ()


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
