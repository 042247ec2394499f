"""A pattern as the automaton that a backtracking matcher walks: which leaf may follow which, in what order.

A leaf is one place of the pattern that consumes a character. Ways that lead from one leaf to the next are
kept one by one, in the order a matcher tries them and as often as there are: two ways over the same text
are what makes a pattern slow. Where it cannot be exact it says too much, never too little: a look-around or
a word boundary may hold or not, a long counted repeat has no end, a backreference is its group once more.
"""

from __future__ import annotations

from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Final

ACCEPT: Final = -1  # a match, whatever follows
ACCEPT_END: Final = -2  # a match where the text ends
ACCEPT_MAYBE: Final = -3  # a match if a boundary or a look-around agrees
BEGIN: Final = 0  # the state before anything was consumed

MOST_LEAVES = 400
MOST_WAYS = 600
_EXPANDED = 64  # leaves that a counted repeat may become
_FEW = 4  # choices of a counted repeat that are counted out; more count as any number
_NEWLINE = 1 << 10
_ASCII = (1 << 128) - 1
_UPPER = sum(1 << code for code in range(65, 91))
_LOWER = _UPPER << 32
_FOREIGN = ("\xe9", "\u2014", "\u2003", "\u0661")  # a letter, a sign, a space and a digit beyond ASCII

_CHAR, _SPLIT, _AT, _MAYBE, _DONE = range(5)


class TooComplexError(Exception):
    """A pattern with more leaves or more ways than are looked at; the message says which."""


class Automaton(Frozen):
    """Leaves numbered from 1 with the symbols they consume, and for each state what may follow it.

    State 0 has consumed nothing; `searching` are the last states, those of the search itself, which skips any
    character before it tries the pattern. `bounds` has how often a leaf can follow itself where that has a
    limit; `asides` are the bodies of look-arounds, automata of their own.
    """

    symbols: str
    masks: list[int]
    follow: list[tuple[int, ...]]
    bounds: dict[int, int]
    searching: frozenset[int]
    asides: tuple[Automaton, ...]


def build(parsed: Any) -> Automaton:
    """The automaton of a pattern that the standard library has parsed."""
    symbols = _alphabet(parsed)
    program = _Program(symbols, parsed.state.flags)
    return program.finish(parsed)


def _alphabet(parsed: Any) -> str:
    """ASCII, a few characters for all others, and those that the pattern names."""
    foreign = (chr(code) for code in _codes(parsed) if 127 < code <= 0x10FFFF)
    named = dict.fromkeys((*_FOREIGN, *foreign))
    return "".join(map(chr, range(128))) + "".join(named)


def _codes(tree: Any) -> Iterable[int]:
    """Every character code in a parsed pattern; a range is named by its ends."""
    for node in tree:
        if isinstance(node, int):
            yield node
        elif isinstance(node, tuple | list) or hasattr(node, "state"):
            yield from _codes(node)


class _Program:
    """A parsed pattern being compiled to instructions, in the order a matcher tries them."""

    def __init__(self, symbols: str, flags: int) -> None:
        self.symbols, self.everything = symbols, (1 << len(symbols)) - 1
        self.flags = flags
        self.code: list[list[Any]] = []
        self.groups: dict[int, Any] = {}
        self.asides: list[Automaton] = []
        self.leaves = self.within = 0

    def finish(self, parsed: Any) -> Automaton:
        self.sequence(parsed, self.flags)
        self.code.append([_DONE])
        places = [place for place, told in enumerate(self.code) if told[0] == _CHAR]
        number = {place: leaf for leaf, place in enumerate(places, start=1)}
        masks = [0, *(self.code[place][1] for place in places)]
        follow = [self.ways(place + 1, number, self.code[place][1]) for place in places]
        skipped = self.skipped()
        searching = tuple(range(len(masks), len(masks) + len(skipped)))
        tries = [self.ways(0, number, before) for before in (None, *skipped)]
        follow = [tries[0] + searching, *follow, *(ways + searching for ways in tries[1:])]
        masks += skipped
        told = [self.code[place] for place in places]
        bounds = {leaf: one[2] for leaf, one in enumerate(told, start=1) if len(one) > 2}
        return Automaton(self.symbols, masks, follow, bounds, frozenset(searching), tuple(self.asides))

    def skipped(self) -> list[int]:
        """What a search skips: anything, with the ends of lines apart where beginnings of lines matter."""
        if [_AT, "line"] in self.code:
            return [self.everything & ~_NEWLINE, _NEWLINE]
        return [self.everything]

    def ways(self, start: int, number: dict[int, int], before: int | None) -> tuple[int, ...]:
        """What can come next from `start`, once for each way without a repeated step.

        `before` are the symbols that may stand before it; None at the beginning of the text.
        """
        found: list[int] = []
        waiting: list[tuple[int, int, frozenset[tuple[int, int]]]] = [(start, ACCEPT, frozenset())]
        while waiting:
            place, ending, taken = waiting.pop()
            told = self.code[place]
            match told[0]:
                case 0 if ending != ACCEPT_END or told[1] & _NEWLINE:
                    found.append(number[place])
                case 1:
                    steps = [(place, target) for target in told[1]]
                    waiting += [
                        (step[1], ending, taken | {step})
                        for step in reversed(steps)
                        if step not in taken
                    ]
                case 2 if self.holds(told[1], before):
                    waiting.append((place + 1, ACCEPT_END if told[1] == "end" else ending, taken))
                case 3:
                    waiting.append((place + 1, min(ending, ACCEPT_MAYBE), taken))
                case 4:
                    found.append(ending)
            if len(found) + len(waiting) > MOST_WAYS:
                raise TooComplexError("it can go on in too many ways from one place")
        return tuple(found)

    @staticmethod
    def holds(where: str, before: int | None) -> bool:
        """Whether an anchor may hold after these symbols."""
        match where:
            case "begin":
                return before is None
            case "line":
                return before is None or bool(before & _NEWLINE)
            case _:
                return True

    def sequence(self, tree: Any, flags: int) -> None:
        for op, given in tree:
            self.node(str(op), given, flags)

    def node(self, op: str, given: Any, flags: int) -> None:
        match op:
            case "LITERAL" | "NOT_LITERAL" | "IN" | "ANY":
                self.leaf(_mask(self, op, given, flags))
            case "BRANCH":
                self.branch([(way, flags) for way in given[1]])
            case "SUBPATTERN":
                number, added, dropped, body = given
                if number is not None:
                    self.groups[number] = (body, (flags | added) & ~dropped)
                self.sequence(body, (flags | added) & ~dropped)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                least, most, body = given
                self.repeat(least, most, body, flags, lazy=op == "MIN_REPEAT")
            case "ATOMIC_GROUP":
                self.sequence(given, flags)
            case "GROUPREF":
                if self.within:
                    raise TooComplexError("a backreference is repeated")
                self.sequence(*self.groups.get(given, ((), flags)))
            case "GROUPREF_EXISTS":
                self.branch([(way or (), flags) for way in given[1:]])
            case "ASSERT" | "ASSERT_NOT":
                self.aside(op, given, flags)
            case "AT":
                self.anchor(str(given), flags)

    def leaf(self, mask: int) -> None:
        self.leaves += 1
        if self.leaves > MOST_LEAVES:
            raise TooComplexError(f"it has more than {MOST_LEAVES} places that consume a character")
        self.code.append([_CHAR, mask])

    def branch(self, ways: list[tuple[Any, int]]) -> None:
        split: list[Any] = [_SPLIT, []]
        self.code.append(split)
        leaving: list[list[Any]] = []
        for body, flags in ways:
            split[1].append(len(self.code))
            self.sequence(body, flags)
            leaving.append([_SPLIT, []])
            self.code.append(leaving[-1])
        for jump in leaving:
            jump[1].append(len(self.code))

    def repeat(self, least: int, most: Any, body: Any, flags: int, *, lazy: bool) -> None:
        """`least` to `most` times: counted out when that is short, else any number of times."""
        self.within += most != 1
        size, endless = self.size(body, flags), str(most) == "MAXREPEAT"
        if size * (least if endless else most) > _EXPANDED and body.getwidth()[0] == 0:
            raise TooComplexError("it counts repeats of something that may be empty")
        bound = 0 if endless else int(most)
        endless = endless or most - least >= _FEW or most * size > _EXPANDED
        copies = least if least * size <= _EXPANDED else 1
        for _ in range(max(copies - 1, 0) if endless else copies):
            self.sequence(body, flags)
        if endless:
            self.loop(body, flags, bound, skippable=not least, lazy=lazy)
        else:
            self.optional(most - least, body, flags, lazy=lazy)
        self.within -= most != 1

    def size(self, body: Any, flags: int) -> int:
        """How many leaves a body becomes, at least 1."""
        leaves, place, asides = self.leaves, len(self.code), len(self.asides)
        self.sequence(body, flags)
        size = max(self.leaves - leaves, 1)
        self.leaves = leaves
        del self.code[place:], self.asides[asides:]
        return size

    def loop(self, body: Any, flags: int, bound: int, *, skippable: bool, lazy: bool) -> None:
        """A body any number of times, at least once unless `skippable`; `bound` of one leaf is kept."""
        start = len(self.code)
        split: list[Any] = [_SPLIT, []]
        if skippable:
            self.code.append(split)
        self.sequence(body, flags)
        again = len(self.code)
        self.code.append([_SPLIT, [start]] if skippable else split)
        split[1] = _ordered(start + skippable, len(self.code), lazy)
        if bound and again - start == 1 + skippable and self.code[again - 1][0] == _CHAR:
            self.code[again - 1] = [_CHAR, self.code[again - 1][1], bound]

    def optional(self, times: int, body: Any, flags: int, *, lazy: bool) -> None:
        splits = []
        for _ in range(times):
            splits.append((len(self.code), [_SPLIT, []]))
            self.code.append(splits[-1][1])
            self.sequence(body, flags)
        for place, split in splits:
            split[1] = _ordered(place + 1, len(self.code), lazy)

    def aside(self, op: str, given: Any, flags: int) -> None:
        """A look-around may hold or not; one that looks ahead for nothing in particular always holds."""
        direction, body = given
        within = _Program(self.symbols, flags)
        within.groups = self.groups
        looked = within.finish(body)
        self.asides.append(looked)
        if op == "ASSERT_NOT" or direction < 0 or ACCEPT not in looked.follow[BEGIN]:
            self.code.append([_MAYBE])

    def anchor(self, where: str, flags: int) -> None:
        many = flags & 8  # re.MULTILINE
        match where:
            case "AT_BEGINNING" if many:
                self.code.append([_AT, "line"])
            case "AT_BEGINNING" | "AT_BEGINNING_STRING":
                self.code.append([_AT, "begin"])
            case "AT_END" if many:
                self.code.append([_MAYBE])
            case "AT_END" | "AT_END_STRING":
                self.code.append([_AT, "end"])
            case _:
                self.code.append([_MAYBE])


def _ordered(again: int, onward: int, lazy: bool) -> list[int]:
    return [onward, again] if lazy else [again, onward]


def _mask(program: _Program, op: str, given: Any, flags: int) -> int:
    """The symbols that one leaf consumes, as bits."""
    match op:
        case "ANY":
            return program.everything if flags & 16 else program.everything & ~_NEWLINE  # re.DOTALL
        case "LITERAL":
            return _cased(1 << program.symbols.index(chr(given)), flags)
        case "NOT_LITERAL":
            return program.everything & ~_cased(1 << program.symbols.index(chr(given)), flags)
    mask, negated = 0, False
    for kind, told in given:
        match str(kind):
            case "NEGATE":
                negated = True
            case "LITERAL":
                mask |= 1 << program.symbols.index(chr(told))
            case "RANGE":
                mask |= _range(program.symbols, *told)
            case "CATEGORY":
                mask |= _category(program, str(told), flags)
    mask = _cased(mask, flags)
    return program.everything & ~mask if negated else mask


def _cased(mask: int, flags: int) -> int:
    if not flags & 2:  # re.IGNORECASE
        return mask
    return mask | (mask & _UPPER) << 32 | (mask & _LOWER) >> 32


def _range(symbols: str, low: int, high: int) -> int:
    ascii_part = (1 << min(high, 127) + 1) - (1 << low) if low < 128 else 0
    return ascii_part | sum(
        1 << place for place in range(128, len(symbols)) if low <= ord(symbols[place]) <= high
    )


def _category(program: _Program, name: str, flags: int) -> int:
    kind = name.rsplit("_", 1)[-1]
    tests = {"DIGIT": str.isdecimal, "SPACE": str.isspace, "WORD": _is_word}
    mask = sum(1 << place for place, symbol in enumerate(program.symbols) if tests[kind](symbol))
    if flags & 256:  # re.ASCII
        mask &= _ASCII
    return program.everything & ~mask if "NOT" in name else mask


def _is_word(symbol: str) -> bool:
    return symbol.isalnum() or symbol == "_"
