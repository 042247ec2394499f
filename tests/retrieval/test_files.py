"""Files that a text names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.retrieval.files import MOST_NAMES, agreement, base_name, named_files

TRACE = """Traceback (most recent call last):
  File "/home/ada/shop/src/auth/login.py", line 12, in sign
    token = jwt.encode(claims)
  File "src/auth/keys.py", line 7, in encode
ValueError: no key
"""
JS_TRACE = """TypeError: x is not a function
    at sign (src/auth/token.ts:10:5)
    at Object.<anonymous> (file:///app/test/token.test.ts:3:1)
"""


@requirement("retrieval:files:named")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("look at src/auth.py please", ["src/auth.py"]),
        ("look at src/auth.py:12 and src/auth.py:14-20.", ["src/auth.py"]),
        ("in ./src/a.ts, ../b/c.go; and `Makefile`", ["src/a.ts", "../b/c.go"]),
        ("auth.py and test_auth.py", ["auth.py", "test_auth.py"]),
        ("the file docker-compose.prod.yml.", ["docker-compose.prod.yml"]),
        ("@scope/ui/src/button.tsx", ["@scope/ui/src/button.tsx"]),
        ("файлы/план.md", ["файлы/план.md"]),
        (r"C:\src\auth.py", ["auth.py"]),
        ("e.g. this, i.e. that, version 1.2.3, etc.", []),
        ("nothing here. Or here", []),
        ("write to ada@example.com", []),
        ("", []),
    ],
)
def test_paths_and_names_with_an_ending_are_files(text: str, found: list[str]) -> None:
    assert named_files(text) == found


def test_a_stack_trace_names_its_files() -> None:
    assert {"/home/ada/shop/src/auth/login.py", "src/auth/keys.py"} <= set(named_files(TRACE))
    assert {"src/auth/token.ts", "/app/test/token.test.ts"} <= set(named_files(JS_TRACE))


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/src/auth.py",
        "http://localhost:8080/src/auth.py?file=login.py",
        "see (https://example.com/a/b.html#c.d)",
        "ssh://git@host/team/app.git",
    ],
)
def test_an_address_on_the_network_is_no_file(url: str) -> None:
    assert named_files(url) == []


def test_few_names_are_taken_in_the_order_of_the_text() -> None:
    names = [f"m{number}.py" for number in range(50)]

    assert named_files(" ".join(names)) == names[:MOST_NAMES]


def test_the_base_name_is_the_last_part() -> None:
    assert (base_name("src/auth.py"), base_name("auth.py")) == ("auth.py", "auth.py")


@given(st.text(alphabet="ab@./-_: \n", max_size=400))
def test_any_text_gives_names_that_stand_in_it(text: str) -> None:
    for name in named_files(text):
        assert name in text


@pytest.mark.parametrize("piece", ["@", "a@", "a/", "a.", "./", "../", "a-", "://"])
def test_a_text_made_to_be_slow_is_read_to_its_end(piece: str) -> None:
    assert len(named_files(piece * 20_000 + " last.py")) <= MOST_NAMES


@pytest.mark.parametrize(
    ("named", "path", "sure"),
    [
        ("src/auth.py", "src/auth.py", 2.0),
        ("/home/ada/shop/src/auth.py", "src/auth.py", 2.0),
        ("/venv/lib/shop/auth.py", "src/shop/auth.py", 2.0),
        ("../shop/auth.py", "src/shop/auth.py", 2.0),
        ("auth.py", "src/auth.py", 1.0),
        ("./auth.py", "src/auth.py", 1.0),
        ("lib/auth.py", "auth.py", 1.0),
        ("lib/auth.py", "src/auth.py", 0.0),
        ("/venv/lib/pay/__init__.py", "src/auth/__init__.py", 0.0),
    ],
)
def test_files_of_one_name_are_one_file_unless_their_folders_differ(
    named: str, path: str, sure: float
) -> None:
    assert agreement(named, path) == agreement(path, named) == sure
