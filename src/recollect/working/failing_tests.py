"""Which tests failed? Their names, as common test runners print them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MOST_NAMES = 20
_NAME = 160  # characters of one name
_WITHIN = " \u203a "  # between a suite and a test in it

# A line without any of these contains no name of a failing test.
_SIGNS = ("FAIL", "ERROR", "\u2715 ", "\u00d7 ", "\u2716 ", "\u25cf ", "not ok ", "rspec ./")


def failing_tests(output: str) -> list[str]:
    """The names of failing tests in a test run's output, in order, each once."""
    names: dict[str, None] = {}
    for line in _marked_lines(output):
        name = next((name for reader in _READERS if (name := reader(line))), "")
        if name:
            names[name[:_NAME]] = None
    return _most_specific(list(names) or _mocha(output))[:MOST_NAMES]


def _marked_lines(output: str) -> list[str]:
    """The lines with a sign of failure, in order. Most outputs have thousands without one."""
    lines: dict[int, str] = {}
    for sign in _SIGNS:
        at = output.find(sign)
        while at >= 0:
            start, end = output.rfind("\n", 0, at) + 1, output.find("\n", at)
            lines[start] = output[start : end if end >= 0 else None].rstrip("\r")
            at = output.find(sign, end) if end >= 0 else -1
    return [lines[start] for start in sorted(lines)]


def _most_specific(names: list[str]) -> list[str]:
    """The names without files and suites whose failing tests are listed themselves."""
    if any(_WITHIN in name for name in names):
        names = [name for name in names if " " in name or "." not in name]
    return [name for name in names if not any(_is_more_specific(other, name) for other in names)]


def _is_more_specific(other: str, name: str) -> bool:
    return other != name and (
        other.startswith((f"{name} ", f"{name}/")) or other.endswith(f"{_WITHIN}{name}")
    )


def _pytest(line: str) -> str:
    head = line.strip()
    if head.startswith(("FAILED ", "ERROR ")) and ("::" in head or ".py" in head):
        return head.split(" ", 1)[1].split(" - ", 1)[0].strip()
    if "::" in head and (" FAILED" in head or " ERROR" in head) and ".py" in head:
        return head.split(" FAILED", 1)[0].split(" ERROR", 1)[0].strip()
    return ""


def _unittest(line: str) -> str:
    for mark in ("FAIL: ", "ERROR: "):
        if line.startswith(mark) and " (" in line and line.endswith(")"):
            return line.removeprefix(mark)
    return ""


def _jest(line: str) -> str:
    """Jest and vitest: a bullet or a cross before the name, or FAIL before the file."""
    head = line.strip()
    if head.startswith("● ") and " \u203a " in head:
        return head.removeprefix("● ")
    if head.startswith(("✕ ", "\u00d7 ", "✖ ")) and "failing tests" not in head:
        return _untimed(head[2:])
    if head.startswith("FAIL "):
        name = head.removeprefix("FAIL ").strip()
        return name.split(" (", 1)[0] if "." in name.split(" ", 1)[0] else ""
    return ""


def _mocha(output: str) -> list[str]:
    """The numbered names after mocha's `2 failing`; numbered lines elsewhere are anything."""
    head, label, tail = output.rpartition(" failing\n")
    if not label or not head.rsplit("\n", 1)[-1].strip().isdigit():
        return []
    numbered = (line.strip().partition(") ") for line in tail.splitlines() if line.startswith("  "))
    return [name.removesuffix(":") for number, sign, name in numbered if sign and number.isdigit()]


def _tap(line: str) -> str:
    head = line.strip()
    if not head.startswith("not ok ") or "# TODO" in head or "# SKIP" in head:
        return ""
    return head.removeprefix("not ok ").lstrip("0123456789").removeprefix(" - ").strip()


def _go(line: str) -> str:
    """`go test` prints `--- FAIL: TestSum`, gotestsum `=== FAIL: shop/sum TestSum`."""
    head = line.strip()
    _, label, name = head.partition(" FAIL: ")
    return name.split(" (", 1)[0] if label and head.startswith(("--- ", "=== ")) else ""


def _cargo(line: str) -> str:
    if line.startswith("test ") and line.rstrip().endswith("... FAILED"):
        return line.removeprefix("test ").split(" ... ", 1)[0]
    return ""


def _junit(line: str) -> str:
    """Maven prints `Class.method:12 why` or `method  <<< FAILURE!`, Gradle `Class > method() FAILED`."""
    head = line.strip()
    if "<<< FAIL" in head or "<<< ERROR" in head:
        name = head.removeprefix("[ERROR] ").split("Time elapsed", 1)[0].split("<<<", 1)[0]
        return "" if name.startswith("Tests run") else name.strip(" -")
    if head.endswith(" FAILED") and " > " in head:
        return head.removesuffix(" FAILED")
    return ""


def _rspec(line: str) -> str:
    return line.split(" # ", 1)[0].removeprefix("rspec ") if line.startswith("rspec ./") else ""


def _untimed(name: str) -> str:
    """A name without how long the test took: `(5 ms)`, `12ms`."""
    head, bracket, last = name.strip().rpartition(" (")
    if bracket and last[0].isdigit() and last.endswith("s)"):
        return head
    head, _, last = name.strip().rpartition(" ")
    return head if last.endswith("ms") and last[0].isdigit() else name.strip()


_READERS: tuple[Callable[[str], str], ...] = (
    _pytest,
    _unittest,
    _go,
    _cargo,
    _jest,
    _tap,
    _junit,
    _rspec,
)
