"""How is a value written? Alone on a line, by a machine's rules, after a flag, in a sentence."""

from __future__ import annotations

from recollect.redaction.assignment_check import PLAIN, PROSE
from recollect.redaction.secret_names import FOREIGN, PASSWORD
from recollect.redaction.value_check import word_set

# Before a name, these say that its value follows.
_COMMANDS = ("ENV ", "ARG ", "setenv ", "setx ", "-x ", "-gx ")
_BEFORE_PASSWORD = ("with ", "using ", "mit ", "avec ", "con ", "com ", "med ", "met ", "\u0441 ", "z ")
_IS = (" is ", " was ", " ist ", " lautet ", " war ", " est ", " es ", " era ", " é ", " è ")
_IS_TOO = (" это ", "是", "为", "為", "は", " 是", " は", "는", "은", " - ", " \u2013 ", " \u2014 ")


def is_machine_written(text: str, start: int, end: int, value: int, written: str) -> bool:
    """Whether nothing but a value can follow a sign: `DB_PASSWORD=x`, `spring.password=x`, `Password=x;`."""
    between = text[end:value]
    if (between not in ("=", "%3D") and not between.endswith("=")) or between != between.strip():
        return False
    if any(blank in between for blank in " \t\n"):
        return False
    name = text[start:end]
    if name == name.upper() and name.isascii():
        return True
    line = text[max(0, start - 200) : start].rpartition("\n")[2]
    in_call = line.count("(") > line.count(")") or written.endswith((")", "),"))
    return not in_call and not written.endswith(",")


def is_configuration(text: str, start: int, end: int, value: int, written: str) -> bool:
    """Whether a name and its value are a line of YAML, or of an INI file with a section above it."""
    line = text.rfind("\n", max(0, start - 200), start) + 1
    if text[line:start].strip(" \t-'\"") or text[value + len(written) : value + len(written) + 1] in (
        ",",
        ";",
    ):
        return False
    if written.endswith((",", ";", ")")) or not written.replace("_", "").isalnum() or written.isalpha():
        return False
    if "_" in written and any(word in written.lower() for word in ("pass", "secret", "token", "cred")):
        return False
    if text[end:value].strip() in (":", "\uff1a", '":'):
        return True
    return text.startswith("[") or text.rfind("\n[", max(0, start - 300), start) >= 0


def is_label(text: str, start: int) -> bool:
    """Whether no code is before a name on its line: `Root password:`, not `if password:`."""
    line = text[max(0, start - 200) : start].rpartition("\n")[2]
    if not line.strip(" \t-*#>"):
        return True
    return line.replace(" ", "").isalnum() and _CODE.isdisjoint(line.split())


_CODE = word_set(
    "if elif else while not for case with and or in is return when unless def class match try"
)


def is_alone(text: str, start: int, end: int) -> bool:
    """Whether nothing but a comment, a closing sign or a comma follows on the line.

    `start` is where the name begins: after a comma it is one of several (`user, password = parts`).
    """
    if text[max(0, start - 3) : start].rstrip().endswith(","):
        return "=" not in text[start:end]
    rest = text[end : end + 80].partition("\n")[0].strip(" \t\r,;}])`\"'|*_")
    return not rest or rest.startswith(("#", "//", "\\n"))


def is_followed(text: str, start: int, end: int, strength: str = PASSWORD) -> str:
    """PLAIN or PROSE if a value follows a name after a blank or a verb only, else nothing."""
    follows = text[end : end + 10]
    if text[start] == "-" and follows[:1] in (" ", "\t"):
        return PLAIN
    before = text[max(0, start - 10) : start]
    if before.endswith(_COMMANDS) and follows[:1] == " ":
        return PLAIN
    if follows.startswith(" to "):
        return PROSE if _is_changed(before, text, start) else ""
    if follows.startswith(_IS) or (strength == PASSWORD and follows.startswith(_IS_TOO)):
        return PROSE
    if follows[:1] not in (" ", "\t"):
        return ""
    if follows[1:2] in ("'", '"', "`"):
        named = text[start:end].lower() in ("password", *FOREIGN) and text[start - 1 : start] != "/"
        return PLAIN if named or text[max(0, start - 8) : start] == "#define " else ""
    line = text[max(0, start - 200) : start].rpartition("\n")[2]
    if strength == PASSWORD and "login " in line:
        return PLAIN
    return PROSE if _is_said_with(line.lower(), text[start:end].lower()) else ""


def _is_said_with(before: str, name: str) -> bool:
    """Whether words before a name lead to its value: `with password x`, `as root and password x`."""
    if name not in _SPOKEN and name not in FOREIGN:
        return False
    if before.endswith("and "):
        return before.split()[-2:-1] != [] and before.split()[-2] not in _LOGIN_WORDS
    return before.endswith(_BEFORE_PASSWORD)


_SPOKEN = word_set("password passwd passphrase passcode pw pwd")
_LOGIN_WORDS = word_set(
    "user username usernames email e-mail mail login name id account host port users"
)


def _is_changed(before: str, text: str, start: int) -> bool:
    """Whether a verb before a name gives it another value: `changed the root password to ...`."""
    words = text[max(0, start - 60) : start].rpartition("\n")[2].lower().split()[-5:]
    return bool(before) and not _CHANGES.isdisjoint(words)


_CHANGES = word_set(
    "set sets setting change changed changing reset update updated updating switch switched"
)


def is_setter(name: str) -> bool:
    """Whether it is a method that takes a secret: `setPassword`, `.password`."""
    last = name.rpartition(".")[2].lower()
    return last.startswith(("set", "with")) or (name[:1] == "." and last == "password")
