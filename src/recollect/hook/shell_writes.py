"""What does a shell command write to? As far as that can be told without running it.

What a program does by itself is not known: an interpreter, a loop's variable, a list from a pipe or a
substitution may write anywhere. Nothing here raises, whatever it is given.
"""

from __future__ import annotations

import os
from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MOST_CHARACTERS = 100_000
_DEEPEST = 3  # commands within commands: bash -c "..."
_OPERATORS = (
    frozenset("<<< <<- &>> << <& <> >> >| >& &> && || ;; |& < > | & ; ( )".split())  # noqa: SIM905
    | {"\n"}
)
_SPACES = " \t\r"
_SPECIAL = frozenset(_SPACES + "\n<>|&;()\\'\"")
_BEFORE = frozenset("sudo env command nohup time exec builtin nice then do else if ! {".split())  # noqa: SIM905
_SHELLS = frozenset("sh bash zsh dash ksh".split())  # noqa: SIM905
_TO_ALL = frozenset("rm unlink rmdir shred tee touch truncate mv".split())  # noqa: SIM905
_TO_LAST = frozenset("cp install ln rsync scp".split())  # noqa: SIM905
_IN_PLACE = frozenset("sed gsed perl ruby yq".split())  # noqa: SIM905


def written(command: str, depth: int = 0) -> list[str]:
    """What a command writes, moves or removes: paths as they are from where it starts."""
    found: list[str] = []
    folder = ""
    here = command[:_MOST_CHARACTERS].replace("$(pwd)", ".").replace("${PWD}", ".").replace("$PWD", ".")
    for words, targets in _commands(here):
        program, arguments = _program(words)
        if program in ("cd", "pushd") and arguments:
            folder = os.path.join(folder, arguments[-1])
        named = [*targets, *_operands(program, arguments)]
        if depth < _DEEPEST and (script := _script(program, arguments)):
            named += written(script, depth + 1)
        found += [os.path.join(folder, name) for name in named]
    return found


def _program(words: Sequence[str]) -> tuple[str, list[str]]:
    """The name of what is run, and what it is given; variables and such as `sudo` come before it."""
    rest = list(words)
    while rest and (
        rest[0] in _BEFORE or (rest[0].partition("=")[0].isidentifier() and "=" in rest[0])
    ):
        rest.pop(0)
    return (rest[0].rsplit("/", 1)[-1], rest[1:]) if rest else ("", [])


def _operands(program: str, arguments: list[str]) -> list[str]:
    """Those of a program's arguments that it writes to."""
    plain = [word for word in arguments if not word.startswith("-")]
    if program in _TO_ALL or (program in _IN_PLACE and any(map(_is_in_place, arguments))):
        return plain
    if program in _TO_LAST:
        return _target_folder(arguments) or plain[1:][-1:]
    if program == "find" and "-delete" in arguments:
        return plain
    return [word[3:] for word in arguments if word.startswith("of=")] if program == "dd" else []


def _target_folder(arguments: list[str]) -> list[str]:
    after = [value for word, value in pairwise(arguments) if word == "-t"]
    mark = "--target-directory="
    return after + [word.removeprefix(mark) for word in arguments if word.startswith(mark)]


def _is_in_place(word: str) -> bool:
    """Whether an option is -i, alone, with a suffix or among others: -i, -i.bak, -pi, --in-place."""
    letters = word[1:].partition(".")[0]
    is_short = word.startswith("-") and letters.isalpha() and letters[0] not in "MI"
    return word.startswith(("--in-place", "--inplace")) or (is_short and "i" in letters)


def _script(program: str, arguments: list[str]) -> str:
    """The command that a command is given to run."""
    if program == "eval":
        return " ".join(arguments)
    if program in _SHELLS:
        for option, script in pairwise(arguments):
            if option.startswith("-") and option.endswith("c"):
                return script
    return ""


def _commands(text: str) -> Iterator[tuple[list[str], list[str]]]:
    """Each simple command: its words, and the files that its output goes to."""
    words: list[str] = []
    targets: list[str] = []
    redirect = ""
    for token, is_operator in _tokens(text):
        if not is_operator:
            if not redirect:
                words.append(token)
            elif ">" in redirect:
                targets.append(token)
            redirect = ""
        elif "<" in token or ">" in token:
            redirect = token
        else:
            yield words, targets
            words, targets, redirect = [], [], ""
    yield words, targets


def _tokens(text: str) -> Iterator[tuple[str, bool]]:
    """Words without their quotes, and operators (True); no comments, no here-documents."""
    at, word, before = 0, "", ""
    documents: list[str] = []
    while at < len(text):
        if text[at] == "#" and not word:
            at = _end(text, "\n", at)
            continue
        operator = _operator(text, at)
        if not operator and text[at] not in _SPACES:
            piece, at = _piece(text, at)
            word += piece
            continue
        if word and not (operator[:1] in ("<", ">") and word.isdigit()):
            yield word, False
            documents += [word] if before in ("<<", "<<-") else []
            before = ""
        word = ""
        if operator:
            yield operator, True
            before = operator
        at += len(operator) or 1
        if operator == "\n":
            at = _after(documents, text, at)
            documents = []
    if word:
        yield word, False


def _operator(text: str, at: int) -> str:
    return next((text[at : at + size] for size in (3, 2, 1) if text[at : at + size] in _OPERATORS), "")


def _piece(text: str, at: int) -> tuple[str, int]:
    """The next part of a word, and where it ends: quoted, escaped, or plain."""
    match text[at]:
        case "'":
            end = _end(text, "'", at + 1)
            return text[at + 1 : end], end + 1
        case '"':
            end = at + 1
            while end < len(text) and text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            return text[at + 1 : end].replace('\\"', '"'), end + 1
        case "\\":
            return text[at + 1 : at + 2].strip("\n"), at + 2
    end = at + 1
    while end < len(text) and text[end] not in _SPECIAL:
        end += 1
    return text[at:end], end


def _after(documents: list[str], text: str, at: int) -> int:
    """Where a here-document ends, or each of several."""
    for name in documents:
        while at < len(text):
            end = _end(text, "\n", at)
            line, at = text[at:end], end + 1
            if line.strip("\t") == name:
                break
    return at


def _end(text: str, mark: str, at: int) -> int:
    found = text.find(mark, at)
    return len(text) if found < 0 else found
