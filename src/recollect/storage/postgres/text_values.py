"""Any text as PostgreSQL can store it, and back."""

_ESCAPE = "\ue000"  # of the private use area
_CODES = {_ESCAPE: f"{_ESCAPE}0", "\0": f"{_ESCAPE}1"}


def storable(text: str) -> str:
    """`text` without NUL, which PostgreSQL refuses, and lone surrogates, which UTF-8 cannot encode."""
    if text.isascii() and "\0" not in text:
        return text
    text = text.encode("utf-8", "backslashreplace").decode()
    for character, code in _CODES.items():
        text = text.replace(character, code)
    return text


def restored(text: str) -> str:
    """The text that `storable` was called with."""
    if _ESCAPE in text:
        for character, code in reversed(_CODES.items()):
            text = text.replace(code, character)
    return text
