"""Which paths does a shell command write? Read from its text, without running it.

What a program does by itself is unknown: an interpreter, a loop variable, a list from a pipe or a
substitution may write anywhere. Nothing here raises, for any text.
"""

from __future__ import annotations

import os
from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_CHARACTERS = 100_000
MAX_DEPTH = 3  # commands within commands: bash -c "..."
_OPERATORS = (
    frozenset("<<< <<- &>> << <& <> >> >| >& &> && || ;; |& < > | & ; ( )".split())  # noqa: SIM905
    | {"\n"}
)
_SPACES = " \t\r"
_SPECIAL = frozenset(_SPACES + "\n<>|&;()\\'\"")
_PREFIXES = frozenset("sudo env command nohup time exec builtin nice then do else if ! {".split())  # noqa: SIM905
SHELLS = frozenset("sh bash zsh dash ksh".split())  # noqa: SIM905
_WRITE_ALL = frozenset("rm unlink rmdir shred tee touch truncate mv".split())  # noqa: SIM905
_WRITE_LAST = frozenset("cp install ln rsync scp".split())  # noqa: SIM905
_EDIT_IN_PLACE = frozenset("sed gsed perl ruby yq".split())  # noqa: SIM905


def written_paths(command: str, depth: int = 0) -> list[str]:
    """The paths that a command writes, moves or removes, relative to the folder it starts in."""
    paths: list[str] = []
    folder = ""
    text = command[:MAX_CHARACTERS].replace("$(pwd)", ".").replace("${PWD}", ".").replace("$PWD", ".")
    for words, targets in simple_commands(text):
        program, arguments = program_of(words)
        if program in ("cd", "pushd") and arguments:
            folder = os.path.join(folder, arguments[-1])
        written = [*targets, *_written_arguments(program, arguments)]
        if depth < MAX_DEPTH and (script := nested_script(program, arguments)):
            written += written_paths(script, depth + 1)
        paths += [os.path.join(folder, name) for name in written]
    return paths


def program_of(words: Sequence[str]) -> tuple[str, list[str]]:
    """The program that runs and its arguments, without variables and prefixes such as `sudo`."""
    rest = list(words)
    while rest and (
        rest[0] in _PREFIXES or (rest[0].partition("=")[0].isidentifier() and "=" in rest[0])
    ):
        rest.pop(0)
    return (rest[0].rsplit("/", 1)[-1], rest[1:]) if rest else ("", [])


def _written_arguments(program: str, arguments: list[str]) -> list[str]:
    """The arguments that a program writes to."""
    operands = [word for word in arguments if not word.startswith("-")]
    if program in _WRITE_ALL or (program in _EDIT_IN_PLACE and any(map(_is_in_place, arguments))):
        return operands
    if program in _WRITE_LAST:
        return _target_folder(arguments) or operands[1:][-1:]
    if program == "find" and "-delete" in arguments:
        return operands
    return [word[3:] for word in arguments if word.startswith("of=")] if program == "dd" else []


def _target_folder(arguments: list[str]) -> list[str]:
    after = [value for word, value in pairwise(arguments) if word == "-t"]
    mark = "--target-directory="
    return after + [word.removeprefix(mark) for word in arguments if word.startswith(mark)]


def _is_in_place(word: str) -> bool:
    """Whether an option edits in place: -i, -i.bak, -pi, --in-place."""
    letters = word[1:].partition(".")[0]
    is_short = word.startswith("-") and letters.isalpha() and letters[0] not in "MI"
    return word.startswith(("--in-place", "--inplace")) or (is_short and "i" in letters)


def nested_script(program: str, arguments: list[str]) -> str:
    """The script in the arguments of a shell or of `eval`; '' if there is none."""
    if program == "eval":
        return " ".join(arguments)
    if program in SHELLS:
        for option, script in pairwise(arguments):
            if option.startswith("-") and option.endswith("c"):
                return script
    return ""


def simple_commands(text: str) -> Iterator[tuple[list[str], list[str]]]:
    """Each simple command: its words, and the files that its output is redirected to."""
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
    """Words without their quotes, and operators (True). Comments and here-documents are skipped."""
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
            at = _end_of_documents(documents, text, at)
            documents = []
    if word:
        yield word, False


def _operator(text: str, at: int) -> str:
    return next((text[at : at + size] for size in (3, 2, 1) if text[at : at + size] in _OPERATORS), "")


def _piece(text: str, at: int) -> tuple[str, int]:
    """The next part of a word (quoted, escaped or plain), and where it ends."""
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


def _end_of_documents(documents: list[str], text: str, at: int) -> int:
    """Where the last of these here-documents ends."""
    for name in documents:
        while at < len(text):
            end = _end(text, "\n", at)
            line, at = text[at:end], end + 1
            if line.strip("\t") == name:
                break
    return at


def _end(text: str, mark: str, at: int) -> int:
    position = text.find(mark, at)
    return len(text) if position < 0 else position
