"""What a shell command writes to, as far as it says so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.hook.shell_writes import written_paths

WRITES = {
    "echo {} > a.json": ["a.json"],
    "echo x >>a.json 2>&1": ["a.json", "1"],
    "echo x &> 'a b.json'": ["a b.json"],
    'echo x >| "a \\" b"': ['a " b'],
    "cat <<'EOF' > a.json\nit's > not.json\nEOF\nrm b": ["a.json", "b"],
    "cat <<-EOF | tee -a a.json\n\trm x\n\tEOF\ntouch b": ["a.json", "b"],
    "cat <<< text > a": ["a"],
    "rm -rf a b": ["a", "b"],
    "sudo LANG=C rm a": ["a"],
    "/bin/rm a;mv b c": ["a", "b", "c"],
    "cp a b c/": ["c/"],
    "cp -t d a": ["d"],
    "install --target-directory=d a": ["d"],
    "sed -i s/a/b/ f": ["s/a/b/", "f"],
    "sed -Ei.bak s/a/b/ f": ["s/a/b/", "f"],
    "perl -pi -e 1 f": ["1", "f"],
    "dd if=a of=b": ["b"],
    "find d -name x -delete": ["d", "x"],
    "cd d && rm a": ["d/a"],
    'cd d; rm $PWD/a "$(pwd)/b"': ["d/./a", "d/./b"],
    "bash -lc 'cd d && rm a'": ["d/a"],
    "cd e && sh -c \"bash -c 'rm a'\"": ["e/a"],
    "eval rm a": ["a"],
    "if true; then rm a; fi": ["a"],
    "rm a \\\n  b # c": ["a", "b"],
    "echo $(rm a) `x`": ["a"],
}
READS = (
    "cat a.json",
    "cat < a.json | jq . 2>&-",
    "grep -ri x a.json",
    "sed -n -e's/i/x/p' a.json",
    "sed --silent p a.json",
    "perl -Mstrict -ne print a.json",
    "find a -name rm",
    "ln -s a.json",
    "echo 'rm a' \"> b\" # > c",
    "git log -- a.json",
    "ls 'a",
    "",
    "> ",
    "cd",
)


@pytest.mark.parametrize(("command", "expected"), WRITES.items())
def test_what_a_command_says_that_it_writes_is_found(command: str, expected: list[str]) -> None:
    assert written_paths(command) == expected


@pytest.mark.parametrize("command", READS)
def test_a_command_that_reads_writes_nothing(command: str) -> None:
    assert [name for name in written_paths(command) if name != "-"] == []


PARTS = st.sampled_from(
    [*WRITES, *READS, "<<", "<<-E", "'", '"', "\\", "\n", "$(", ")", "bash -c ", "&>"]
)


@given(st.lists(PARTS | st.text(max_size=5), max_size=12).map("".join))
def test_any_text_is_read_without_an_error(command: str) -> None:
    assert all(isinstance(name, str) for name in written_paths(command))


def test_a_command_without_end_is_read_in_part() -> None:
    assert written_paths("rm a " + "b " * 200_000)[:2] == ["a", "b"]
    assert written_paths("bash -c " * 50 + "'rm a'") == []
