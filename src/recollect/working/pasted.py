"""Is this line typed, or pasted from a terminal, a log, a program or a page?

Signs are those of the forms themselves (a time stamp, a prompt, a frame of a trace, a brace at the end), not
of any one tool. A line of prose that names a file or a command is typed.
"""

from __future__ import annotations

# What a harness puts where a person's words would be: commands, results of helpers, notes about itself.
_HARNESS_STARTS = (
    "<",
    "/",
    "!",
    "[Request interrupted",
    "[Image",
    "Caveat: The messages below",
    "This session is being continued from",
    "This is a continuation of",
    "Stop hook feedback",
    "Base directory for this skill",
    "Your task is to create a detailed summary",
    "Implement the plan as specified",
    "Implement the following plan",
    "Tool loaded.",
    "API Error",
    "Another Claude session",
    "PreToolUse:",
    "PostToolUse:",
    "System:",
    "[SYSTEM",
    "# Scheduled task",
)
_PROMPTS = ("$ ", "% ", "\u276f", "➜", "PS ", ">>> ", "... ", "C:\\", "root@", "λ ")
_LEVELS = ("INFO", "DEBUG", "WARN", "WARNING", "ERROR", "TRACE", "FATAL", "CRITICAL", "NOTICE")
_LINE_STARTS = (
    *(
        "Traceback (most",
        'File "',
        "at ",
        "Caused by:",
        "diff --git",
        "@@ ",
        "+++ ",
        "--- ",
        "Exit code",
    ),
    *(
        "npm ERR",
        "npm WARN",
        "npm warn",
        "npm error",
        "FAIL ",
        "PASS ",
        "E   ",
        "error[",
        "error:",
        "Error:",
    ),
    *("warning:", "\u2713", "\u2717", "\u00d7", "\u23bf", "\u25cf", "\u23fa"),
    *(
        "import ",
        "from ",
        "def ",
        "class ",
        "const ",
        "let ",
        "var ",
        "function ",
        "return ",
        "public ",
    ),
    *("private ", "#include", "<?", "<!--", "//", "/*", "* @", "SELECT ", "INSERT ", "CREATE "),
    *("[![", "![", "$env:", "export ", "sudo "),
)
_BOXES = frozenset("│┃┏┓┗┛━─╭╮╰╯├┤┬┴┼╞╡═║▶█░▒")
_CODE_ENDS = ("{", "}", ";", "};", ");", "},", "[", "],", "->", "=>", "\\")
_SYMBOLS = frozenset("{}[]()<>=;|&$\\/_*#@+~^%:")
_MOST_SYMBOLS = 0.16  # share of a line's characters; prose with two paths stays below
_RULER = 4  # equals signs
_TERMINAL_WORDS = ("Error", "Exception")


def is_harness_text(message: str) -> bool:
    """Whether a harness wrote the message: a command, a result of a helper, or a note of its own."""
    text = message.lstrip()
    return text.startswith(_HARNESS_STARTS) and not text.startswith(("/*", "//"))


def is_heading(line: str) -> bool:
    """Whether a line is a heading of a document: `## Usage`, `**Usage**`, or a ruler of equals signs."""
    text = line.strip()
    marks = len(text) - len(text.lstrip("#"))
    if 1 <= marks <= 6 and text[marks : marks + 1] == " ":
        return True
    if text.startswith("**") and text.rstrip(":").endswith("**"):
        return len(text) > 4
    return len(text) >= _RULER and not text.strip("=")


def opened_tag(line: str, rest: str) -> str:
    """The tag that a line opens and the rest closes: harnesses put what is not typed in it; '' if none."""
    if not line.startswith("<") or ">" not in line:
        return ""
    name = line[1 : line.index(">")].split(" ", 1)[0]
    is_name = name[:1].isalpha() and name.replace("-", "").replace("_", "").replace(":", "").isalnum()
    closing = f"</{name}>"
    return name if is_name and closing not in line and closing in rest else ""


def is_command_line(line: str) -> bool:
    """Whether a line is a command after a shell's prompt: what follows it is output."""
    return line.lstrip().startswith(_PROMPTS)


def is_pasted(line: str) -> bool:
    """Whether a line looks like output or code."""
    text = line.strip()
    if not text:
        return False
    return (
        text.startswith((*_PROMPTS, "|"))
        or _begins_like_output(text)
        or text.endswith(_CODE_ENDS)
        or not _BOXES.isdisjoint(text)
        or _has_time(text)
        or _is_frame(text)
        or _is_dense(text)
    )


def _begins_like_output(text: str) -> bool:
    first = text.split(None, 1)[0].strip("[]:|()")
    if first in _LEVELS or (
        first.endswith(_TERMINAL_WORDS) and text.find(":") in range(len(first) + 2)
    ):
        return True
    if not text.startswith(_LINE_STARTS):
        return False
    # `from now on` and `let us` are prose, `from x import y` and `let x = 1` are not.
    is_word = text.startswith(
        ("from ", "let ", "return ", "import ", "at ", "class ", "function ", "public ")
    )
    return not is_word or any(mark in text for mark in "=(){};") or " import " in text


def _has_time(text: str) -> bool:
    """Whether a line begins with a time or a date, as logs do."""
    start = text[:24].lstrip("[(")
    digits = sum(mark.isdigit() for mark in start[:10])
    return (
        digits >= 5
        and start[:1].isdigit()
        and start[:12].count(":") + start[:10].count("-") + start[:10].count("/") >= 2
    )


def _is_frame(text: str) -> bool:
    """Whether a line begins with a place in a file: `src/app.py:66:30: ...`."""
    first = text.split(None, 1)[0]
    parts = first.rstrip(":").rsplit(":", 2)
    return len(parts) >= 2 and parts[-1].isdigit() and ("." in parts[0] or "/" in parts[0])


def _is_dense(text: str) -> bool:
    """Whether a line has more signs than prose has."""
    without_code = _without_code(text)
    if len(without_code) < 12:
        return len(text) >= 12 and " " not in text.strip("`") and sum(m in _SYMBOLS for m in text) > 3
    signs = sum(mark in _SYMBOLS for mark in without_code)
    return signs > _MOST_SYMBOLS * len(without_code)


def _without_code(text: str) -> str:
    """A line without its inline code and without mentions of files, which people type."""
    parts = text.split("`")
    outside = "".join(parts[::2]) if len(parts) % 2 else text
    words = [word for word in outside.split() if not word.startswith(("@", "#", "http", "./", "~/"))]
    return " ".join(words)
