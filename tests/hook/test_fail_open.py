"""Whatever is wrong, a hook says nothing, leaves with 0, and in time."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.hook.conftest import Harness
from tests.hook.test_prompt import LOOP, keep
from tests.requirements import requirement

from recollect.app.project import Recollect
from recollect.paths import hook_log as log_file

PROMPT = "the oauth2 login is stuck in a redirect loop again"


def _index(folder: Path) -> Path:
    return folder / ".claude/memory/.recollect/index.db"


def _corrupt_index(folder: Path) -> None:
    _index(folder).write_bytes(b"this is no database" * 500)


def _corrupt_state(folder: Path) -> None:
    (_index(folder).parent / "state.db").write_bytes(b"\x00\xff" * 4096)


def _unreadable_memory(folder: Path) -> None:
    path = next((folder / ".claude/memory/runbooks").glob("*.json"))
    path.write_bytes(b"\xff\xfe not json")


def _no_root(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder / ".claude")


def _broken_config(folder: Path) -> None:
    (folder / ".claude/memory/memory-config.json").write_text("{ not json")


def _state_is_a_file(folder: Path) -> None:
    import shutil

    shutil.rmtree(_index(folder).parent)
    _index(folder).parent.write_text("in the way")


FAULTS: dict[str, Callable[[Path], None]] = {
    "corrupt index": _corrupt_index,
    "corrupt state": _corrupt_state,
    "unreadable memory": _unreadable_memory,
    "missing root": _no_root,
    "broken configuration": _broken_config,
    "state folder is a file": _state_is_a_file,
}


@requirement("hook:fail-open:faults")
@pytest.mark.parametrize("fault", FAULTS.values(), ids=list(FAULTS))
def test_a_fault_on_disk_never_reaches_the_prompt(
    fault: Callable[[Path], None], project: Recollect, harness: Harness
) -> None:
    keep(project)
    harness.prompt(PROMPT, session="before")
    fault(harness.folder)

    answer = harness.send("UserPromptSubmit", prompt=PROMPT)

    assert answer.exit_code == 0
    assert answer.err == ""
    assert answer.out == "" or answer.context


@requirement("hook:fail-open:input")
@pytest.mark.parametrize(
    "given",
    [
        b"",
        b"not json",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"prompt": 7}',
        b"[" * 100_000,
        b'{"session_id": null, "prompt": null, "cwd": 3}',
    ],
    ids=["empty", "text", "list", "null", "bytes", "number", "deep", "nulls"],
)
def test_any_input_is_answered_with_nothing_and_zero(
    given: bytes, project: Recollect, harness: Harness
) -> None:
    keep(project)

    answer = harness.raw("UserPromptSubmit", given)

    assert (answer.exit_code, answer.out, answer.err) == (0, "", "")


def test_a_prompt_of_ten_megabytes_is_answered(project: Recollect, harness: Harness) -> None:
    keep(project)

    answer = harness.send("UserPromptSubmit", prompt=PROMPT + "\n" + "lorem ipsum " * 900_000)

    assert answer.exit_code == 0
    assert answer.err == ""


@requirement("hook:fail-open:transcript")
def test_a_transcript_that_is_a_folder_huge_or_gone_is_left_out(
    project: Recollect, harness: Harness, tmp_path: Path
) -> None:
    keep(project)
    huge = tmp_path / "huge.jsonl"
    with huge.open("wb") as file:
        file.truncate(2 * 1024**3)  # two gigabytes, all holes

    for number, path in enumerate((tmp_path, huge, tmp_path / "gone.jsonl")):
        assert LOOP in harness.prompt(PROMPT, session=f"s{number}", transcript_path=str(path))


def test_without_a_home_and_with_a_wrong_clock_it_still_answers(
    project: Recollect, harness: Harness
) -> None:
    keep(project)
    told = json.dumps({"session_id": "s", "cwd": str(harness.folder), "prompt": PROMPT}).encode()
    import subprocess

    from recollect.app.opening import hook_command

    done = subprocess.run(
        hook_command("claude-code", "UserPromptSubmit"),
        input=told,
        capture_output=True,
        env={
            "PATH": "/usr/bin:/bin",
            "XDG_DATA_HOME": "/nonexistent/data",
            "RECOLLECT_HOOK_PATIENCE": "10",
        },
        timeout=30,
        check=False,
    )

    assert done.returncode == 0
    assert LOOP in done.stdout.decode()


@requirement("hook:log:noted")
def test_a_failure_is_noted_in_a_log_without_the_prompt(project: Recollect, harness: Harness) -> None:
    keep(project)
    _broken_config(harness.folder)

    harness.send("UserPromptSubmit", prompt="a very secret prompt about the oauth2 login")

    noted = Path(log_file(harness.env)).read_text()
    assert "InvalidConfigError" in noted
    assert "secret" not in noted


@requirement("hook:unknown:harmless")
def test_an_unknown_event_and_an_unknown_harness_are_harmless(harness: Harness) -> None:
    assert harness.send("SomethingNew", prompt=PROMPT).out == ""
    import subprocess

    from recollect.app.opening import hook_command

    done = subprocess.run(
        hook_command("no-such-harness", "Event"), input=b"{}", capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@requirement("hook:imports:standard-library")
def test_a_hook_loads_nothing_from_outside_the_standard_library(
    project: Recollect, harness: Harness
) -> None:
    """Run with -I -S it could not, but the console script could."""
    keep(project)
    import subprocess
    import sys

    program = (
        "import sys, io, os\n"
        "from recollect.hook.answer import answer\n"
        "answer('claude-code', 'UserPromptSubmit', sys.stdin.buffer.read(), os.environ)\n"
        "print('\\n'.join(sorted({name.split('.')[0] for name in sys.modules})))\n"
    )
    told = json.dumps({"session_id": "s", "cwd": str(harness.folder), "prompt": PROMPT}).encode()
    done = subprocess.run(
        [sys.executable, "-c", program], input=told, capture_output=True, check=True, env=harness.env
    )
    loaded = set(done.stdout.decode().split())
    strange = loaded - set(sys.stdlib_module_names) - {"recollect", "__main__", "_virtualenv"}
    assert {name for name in strange if not name.startswith(("_", "sitecustomize"))} == set()
