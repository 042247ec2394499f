"""The same error has the same name, wherever and whenever it comes up; another has another."""

import pytest
from tests.requirements import requirement

from recollect.working.fingerprint import fingerprint, normalised, of_trace, read_trace

PYTHON = """Traceback (most recent call last):
  File "{home}/shop/cli.py", line {line}, in main
    run()
  File "{home}/shop/orders.py", line 12, in total
    return prices[id]
  File "{home}/.venv/lib/python3.11/site-packages/box/box.py", line 5, in __getitem__
    raise KeyError(key)
KeyError: 'sku-{number}'
"""
JAVASCRIPT = """{home}/shop/src/orders.ts:{line}
    return prices[id].net;
                      ^

TypeError: Cannot read properties of undefined (reading 'net')
    at total (file://{home}/shop/src/orders.ts:{line}:{number})
    at async main ({home}/shop/src/cli.ts:3:1)
    at node:internal/main/run_main_module:36:49
"""
GO = """panic: runtime error: index out of range [{number}] with length 3

goroutine {number} [running]:
main.total({{0xc00001{number}000, 0x3, 0x3}})
\t{home}/shop/orders.go:{line} +0x1d
main.main()
\t{home}/shop/main.go:7 +0x{number}
exit status 2
"""
RUST = """thread 'main' ({number}) panicked at src/orders.rs:{line}:9:
index out of bounds: the len is 3 but the index is {number}
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
OLD_RUST = "thread 'main' panicked at 'index out of bounds: {number}', src/orders.rs:{line}:9\n"
JAVA = """Exception in thread "main" java.lang.IllegalStateException: no order {number}
\tat shop.Orders.total(Orders.java:{line})
\tat shop.Main.main(Main.java:7)
Caused by: java.io.IOException: {home}/prices.csv is gone
\tat java.base/java.io.FileInputStream.open(FileInputStream.java:{number})
\tat shop.Prices.read(Prices.java:{line})
\t... 1 more
"""
TRACES = {
    "python": PYTHON,
    "javascript": JAVASCRIPT,
    "go": GO,
    "rust": RUST,
    "rust before 1.73": OLD_RUST,
    "java": JAVA,
}


def _read(trace: str, *, home: str, line: int, number: int) -> str:
    found = read_trace(
        "collecting...\n" + trace.format(home=home, line=line, number=number) + "\nbye\n"
    )
    assert found
    return of_trace(found)


@requirement("rules:fingerprint:stable")
@pytest.mark.parametrize("language", TRACES)
def test_an_error_has_the_same_name_on_another_line_and_another_machine(language: str) -> None:
    here = _read(TRACES[language], home="/home/ana", line=12, number=4)
    there = _read(TRACES[language], home="/Users/bo/src", line=431, number=77)

    assert here == there


@pytest.mark.parametrize("language", TRACES)
def test_an_error_of_another_function_or_message_has_another_name(language: str) -> None:
    trace = TRACES[language]
    other = trace.replace("orders", "carts").replace("Orders", "Carts").replace("is gone", "is locked")
    other = other.replace("Prices", "Carts")

    names = {_read(text, home="/home/ana", line=12, number=4) for text in (trace, other)}

    assert len(names) == 2


@pytest.mark.parametrize("language", TRACES)
def test_a_trace_is_read_in_its_own_language(language: str) -> None:
    found = read_trace(TRACES[language].format(home="/home/ana", line=12, number=4))

    assert found
    assert found.language == language.split(maxsplit=1)[0]


def test_the_frames_are_the_users_own() -> None:
    python = read_trace(PYTHON.format(home="/home/ana", line=12, number=4))
    java = read_trace(JAVA.format(home="/home/ana", line=12, number=4))

    assert python
    assert python.frames == ("cli.py main", "orders.py total")
    assert java
    assert java.error == "java.io.IOException: /home/ana/prices.csv is gone"
    assert java.frames == ("Prices.java shop.Prices.read",)


def test_a_traceback_behind_the_marks_of_a_log_is_read() -> None:
    text = "".join(
        f"worker | {line}\n" for line in PYTHON.format(home="/a", line=1, number=1).splitlines()
    )

    found = read_trace(text)

    assert found
    assert found.error == "KeyError: 'sku-1'"


@pytest.mark.parametrize(
    "text", ["", "all good", "at last\nat home", "Traceback (most recent call last):"]
)
def test_a_text_without_a_trace_has_none(text: str) -> None:
    assert read_trace(text) is None


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("took 1532 ms", "took 0 ms"),
        ("open /tmp/pytest-of-ana/x.txt failed", "open x.txt failed"),
        ("<Order object at 0x7f3a2b>", "<Order object at #>"),
        ("run 5f0c1a52-6d0e-4a77-9e3b-0c2d6f6f7a10", "run #"),
        ("commit 1a2b3c4 is missing", "commit # is missing"),
        ("KeyError: 'user_id'", "KeyError: 'user_id'"),
        ("feedback is a word", "feedback is a word"),
    ],
)
def test_what_differs_from_run_to_run_is_taken_out(message: str, expected: str) -> None:
    assert normalised(message) == expected


def test_a_name_is_short_and_never_empty() -> None:
    assert len(fingerprint("", "")) == 16
