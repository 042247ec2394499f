"""The lines that a shell runs for a hook: quoted, harmless when Recollect is gone, always known as ours."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.agents.test_install import commands, hook, made, planned, serve
from tests.requirements import requirement

from recollect.agents.harnesses import all_harnesses, get_harness
from recollect.agents.install import plan, unplan
from recollect.agents.launch import Launch

with_hooks = pytest.mark.parametrize(
    "harness", [one.name for one in all_harnesses() if one.files.hooks_file]
)


@with_hooks
def test_a_command_survives_a_shell_whatever_is_in_its_path(harness: str) -> None:
    settings = made({}, planned(harness, {}))[get_harness(harness).files.hooks_file]

    for event, lines in commands(settings).items():
        assert [shlex.split(line) for line in lines] == [[*hook(harness)(event), "||", "true"]]
    assert "größe" in (settings or "")


@with_hooks
@pytest.mark.parametrize("python", [sys.executable, "/nowhere/bin/python3"])
@requirement("agents:install:gone")
def test_a_hook_that_is_gone_stops_nothing(harness: str, python: str, tmp_path: Path) -> None:
    """An interpreter without its file ends with 2, which would block; without itself, a shell with 127."""
    gone = str(tmp_path / "recollect" / "hook" / "main.py")
    launch = Launch(lambda _, event: [python, "-I", "-S", gone, harness, event], serve())
    changes = plan(get_harness(harness), {}, launch)
    text = made({}, changes)[get_harness(harness).files.hooks_file]

    for [line] in commands(text).values():
        done = subprocess.run(["sh", "-c", line], input=b"{}", capture_output=True, check=False)

        assert (done.returncode, done.stdout) == (0, b"")


@with_hooks
def test_a_line_of_an_earlier_version_is_replaced_and_not_doubled(harness: str) -> None:
    new = made({}, planned(harness, {}))
    file = get_harness(harness).files.hooks_file
    old = {**new, file: (new[file] or "").replace(" || true", "")}

    assert old[file] != new[file]
    assert made(old, planned(harness, old)) == new
    gone = made(old, unplan(get_harness(harness), old))
    assert set(gone.values()) == {None}
