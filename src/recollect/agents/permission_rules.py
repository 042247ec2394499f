"""Rules about MCP tools, read from the settings of harnesses. What is of a wrong shape is no rule."""

from collections.abc import Iterator

from recollect.agents.lenient import inside

Rule = tuple[str, str, tuple[str, ...]]  # effect, pattern, and what the pattern leaves out
_EFFECTS = ("allow", "ask", "deny")


def effect_lists(permissions: object, prefix: str, suffix: str = "") -> Iterator[tuple[str, str]]:
    """(effect, name) of the entries in `allow`, `ask` and `deny` between `prefix` and `suffix`."""
    for effect in _EFFECTS:
        for entry in _texts(inside(permissions, effect)):
            if entry.startswith(prefix) and entry.endswith(suffix):
                yield effect, entry.removeprefix(prefix).removesuffix(suffix)


def server_lists(servers: object, included: str, excluded: str) -> list[Rule]:
    """Rules of servers that name the tools which may be used, or may not, under these keys."""
    rules: list[Rule] = []
    for server, entry in servers.items() if isinstance(servers, dict) else ():
        only = inside(entry, included)
        if isinstance(only, list):
            rules.append(("deny", f"{server}:*", tuple(f"{server}:{name}" for name in _texts(only))))
        rules += [("deny", f"{server}:{name}", ()) for name in _texts(inside(entry, excluded))]
    return rules


def effect_of_patterns(table: object) -> list[Rule]:
    """Rules of a table from pattern to effect; a table of finer patterns counts by its strictest effect."""
    rules: list[Rule] = []
    for pattern, value in table.items() if isinstance(table, dict) else ():
        effects = list(value.values()) if isinstance(value, dict) else [value]
        strictest = next((effect for effect in reversed(_EFFECTS) if effect in effects), None)
        if strictest:
            rules.append((strictest, str(pattern), ()))
    return rules


def _texts(value: object) -> list[str]:
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list) else []
