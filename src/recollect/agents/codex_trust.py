"""Which of our hooks does a user of Codex trust? Codex records a fingerprint of each trusted hook."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping

from recollect.agents.lenient import inside, json_of, toml_of
from recollect.agents.ownership import is_our_hook

_AGAIN = "start `codex` here once and trust the hooks again: Codex skips those that changed"
_DEFAULT_SECONDS = 600  # Codex's timeout for a hook that names none


def remaining_step(config: str | None, hooks: str | None, path: str, folder: str, step: str) -> str:
    """What a person still has to do, by the user's configuration; '' if our hooks are trusted.

    `hooks` is the text of the file at `path`, and `step` what to do where nothing is trusted yet. If a later
    version of Codex makes fingerprints differently, trusted hooks look changed and the step is shown in vain.
    """
    records = toml_of(config)
    if inside(records, "projects", folder, "trust_level") == "untrusted":
        return step
    fingerprints = dict(_fingerprints(hooks, path))
    entries = {key: inside(records, "hooks", "state", key) for key in fingerprints}
    if fingerprints and all(_is_trusted(entries[key], mark) for key, mark in fingerprints.items()):
        return ""
    return _AGAIN if fingerprints and all(entries.values()) else step


def _is_trusted(entry: object, fingerprint: str) -> bool:
    return inside(entry, "trusted_hash") == fingerprint and inside(entry, "enabled") is not False


def _fingerprints(hooks: str | None, path: str) -> Iterator[tuple[str, str]]:
    """Codex's key for each hook of ours, and its fingerprint."""
    events = inside(json_of(hooks), "hooks")
    for event, groups in events.items() if isinstance(events, dict) else ():
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
        for group_number, group in enumerate(groups if isinstance(groups, list) else ()):
            inner = inside(group, "hooks")
            for hook_number, hook in enumerate(inner if isinstance(inner, list) else ()):
                if isinstance(hook, dict) and is_our_hook(hook.get("command")):
                    fingerprint = _fingerprint(name, inside(group, "matcher"), hook)
                    yield f"{path}:{name}:{group_number}:{hook_number}", fingerprint


def _fingerprint(event: str, matcher: object, hook: Mapping[str, object]) -> str:
    """The hash of the event, the matcher and the hook with its defaults."""
    complete = {"timeout": _DEFAULT_SECONDS, "async": False, **hook}
    identity: dict[str, object] = {"event_name": event, "hooks": [complete]}
    if matcher is not None:
        identity["matcher"] = matcher
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
