"""What is left for a person to do, before a harness runs what we wrote into its configuration?

Every harness asks in its own way whether a project may run programs, and none may be answered for its user.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping

from recollect.agents.foreign import inside, json_of, toml_of
from recollect.agents.ownership import is_our_hook

_STEPS: dict[str, str] = {
    "claude-code": "start `claude` here once, trust the folder and accept the MCP server recollect",
    "codex": "start `codex` here once, trust the folder, then trust the hooks",
    "cursor": "open the folder in Cursor, trust it, and switch the MCP server recollect on in its settings",
    "gemini": (
        "start `gemini` here once and trust the folder, or set GEMINI_CLI_TRUST_WORKSPACE=true where there is"
        ' no terminal; with `-p` its MCP tools need --allowed-tools, or "trust": true at the server'
    ),
    "opencode": (
        "start `opencode`: there is nothing to approve, but its first start waits while it installs its own"
        " plugin support from npm"
    ),
}
_PLUGIN_STEPS: dict[str, str] = {"codex": "start `codex` once and trust the hooks of the plugin"}
_CODEX_AGAIN = "start `codex` here once and trust the hooks again: Codex skips those that changed"
_CODEX_SECONDS = 600  # what Codex takes for a timeout when none is written


def next_step(harness: str) -> str:
    """What a person does after connecting `harness`."""
    return _STEPS[harness]


def plugin_step(harness: str) -> str:
    """What a person does after installing our plugin in `harness`; '' for nothing."""
    return _PLUGIN_STEPS.get(harness, "")


def codex_step(config: str | None, hooks: str | None, path: str, folder: str) -> str:
    """What is left to do for Codex, by its user's configuration; '' when our hooks are trusted.

    `hooks` is the text of the file at `path`. A fingerprint that Codex makes otherwise in a version to come
    looks like a change: the step is then told in vain.
    """
    known = toml_of(config)
    if inside(known, "projects", folder, "trust_level") == "untrusted":
        return next_step("codex")
    wanted = dict(_fingerprints(hooks, path))
    found = {key: inside(known, "hooks", "state", key) for key in wanted}
    if wanted and all(_is_trusted(found[key], fingerprint) for key, fingerprint in wanted.items()):
        return ""
    return _CODEX_AGAIN if wanted and all(found.values()) else next_step("codex")


def _is_trusted(entry: object, fingerprint: str) -> bool:
    return inside(entry, "trusted_hash") == fingerprint and inside(entry, "enabled") is not False


def _fingerprints(hooks: str | None, path: str) -> Iterator[tuple[str, str]]:
    """Codex's name for each hook of ours, and its fingerprint: the event, the matcher and the hook itself."""
    events = inside(json_of(hooks), "hooks")
    for event, groups in events.items() if isinstance(events, dict) else ():
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
        for place, group in enumerate(groups if isinstance(groups, list) else ()):
            inner = inside(group, "hooks")
            for number, hook in enumerate(inner if isinstance(inner, list) else ()):
                if isinstance(hook, dict) and is_our_hook(hook.get("command")):
                    said = _fingerprint(name, inside(group, "matcher"), hook)
                    yield f"{path}:{name}:{place}:{number}", said


def _fingerprint(event: str, matcher: object, hook: Mapping[str, object]) -> str:
    normal = {"timeout": _CODEX_SECONDS, "async": False, **hook}
    identity: dict[str, object] = {"event_name": event, "hooks": [normal]}
    if matcher is not None:
        identity["matcher"] = matcher
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
