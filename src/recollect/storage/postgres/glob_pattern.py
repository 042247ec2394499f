"""A pattern of file names as a regular expression of PostgreSQL: `*`, `?` and `[...]` as in SQLite's GLOB."""

_NOTHING = "(?!.|$)"  # matches nowhere
_SPECIAL = r"\.^$|()[]{}*+?"


def as_regex(pattern: str) -> str:
    """The expression that matches what the pattern does. `*` matches `/` too, and an open `[` nothing."""
    expression, place = "", 0
    while place < len(pattern):
        character = pattern[place]
        place += 1
        if character == "*":
            expression += ".*"
        elif character == "?":
            expression += "."
        elif character == "[":
            end = pattern.find("]", place + (2 if pattern[place : place + 1] == "^" else 1))
            if end < 0:
                return _NOTHING
            expression += _set(pattern[place:end])
            place = end + 1
        else:
            expression += _literal(character)
    return f"(?s)^{expression}$"


def _set(inside: str) -> str:
    """A set of characters. A range that ends before it begins is empty."""
    negated, rest = ("^", inside[1:]) if inside.startswith("^") else ("", inside)
    members, place = "", 0
    while place < len(rest):
        first, last = rest[place], rest[place]
        if rest[place + 1 : place + 2] == "-" and place + 2 < len(rest):
            last = rest[place + 2]
            place += 2
        place += 1
        if first <= last:
            members += _member(first) if first == last else f"{_member(first)}-{_member(last)}"
    if not members:
        return "." if negated else _NOTHING
    return f"[{negated}{members}]"


def _member(character: str) -> str:
    return f"\\{character}" if character in "\\[]^-" else character


def _literal(character: str) -> str:
    return f"\\{character}" if character in _SPECIAL else character
