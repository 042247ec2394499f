"""Progress, and what an interruption says."""

import io
import sys
import time

import pytest
from tests.cli.running import Cli
from tests.cli.terminal import terminal
from tests.requirements import requirement

from recollect.cli import progress as reporting
from recollect.cli.exits import Exit
from recollect.importing import plan as importing
from recollect.importing.report import ImportReport
from recollect.records.memories import Memories
from recollect.records.store import Progress

ADR = (
    "# {0}. Use {0}\n\n## Status\n\nAccepted\n\n## Context\n\nWe need {0}.\n\n## Decision\n\nUse {0}.\n"
)


@pytest.fixture
def records(cli: Cli) -> Cli:
    """A project with a folder of five decision records."""
    folder = cli.folder / "adr"
    folder.mkdir()
    for number in range(1, 6):
        (folder / f"000{number}-tool.md").write_text(ADR.format(number))
    return cli


@requirement("cli:progress:said")
def test_ctrl_c_during_an_import_says_how_far_it_came_and_the_next_one_goes_on(
    records: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply = importing.apply

    def interrupted(plan: ImportReport, memories: Memories, report: Progress) -> object:
        def stop(done: int, total: int) -> None:
            report(done, total)
            if done == 2:
                raise KeyboardInterrupt

        return apply(plan, memories, stop)

    with monkeypatch.context() as patch:
        patch.setattr(importing, "apply", interrupted)
        done = records("import", "adr", "--yes")

    assert done.exit_code == 130
    assert "interrupted while importing, 2 of 5 done; run it again to continue" in done.err
    assert records.ok("doctor", "--json").json()["healthy"]
    assert records.ok("list", "--json").json()["total"] == 2
    assert records.ok("import", "adr", "--yes", "--json").json()["created"] == 3


@requirement("cli:progress:said")
def test_ctrl_c_while_reading_says_that_nothing_was_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    def read() -> None:
        with reporting.progress("Reading memories") as report:
            report(53, 2000)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read()

    text = reporting.interruption.text
    assert text == "interrupted while reading memories, 53 of 2,000 done; nothing was changed"
    monkeypatch.setattr(reporting.interruption, "text", "")


class _Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@requirement("cli:progress:said")
@pytest.mark.parametrize(("seconds", "is_shown"), [(0.5, False), (1.5, True)])
def test_a_terminal_shows_progress_after_a_second(
    seconds: float, is_shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen, now = _Screen(), [0.0]
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setenv("TERM", "xterm")

    with reporting.progress("Reading memories") as report:
        now[0] = seconds
        report(53, 2000)

    assert ("Reading memories" in screen.getvalue()) == is_shown


@requirement("cli:progress:said")
@pytest.mark.parametrize(
    ("shown", "screen"), [(reporting._Bar, _Screen()), (reporting._Lines, io.StringIO())]
)
def test_work_that_blocks_without_a_report_still_says_what_it_is(
    shown: type, screen: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(reporting, "_PIPE_PATIENCE", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(reporting, shown.__name__, lambda *work: _impatient(shown, *work))
    deadline = time.monotonic() + 20

    with reporting.progress("Starting servers"):
        while "Starting servers" not in screen.getvalue():
            assert time.monotonic() < deadline


def _impatient(shown: type, what: str, unit: str) -> object:
    made = shown(what, unit)
    made.patience = 0.01
    return made


@requirement("cli:progress:said")
def test_a_download_is_counted_in_megabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    log, now = io.StringIO(), [0.0]
    monkeypatch.setattr(sys, "stderr", log)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    with reporting.progress("Installing the model", unit="bytes") as report:
        now[0] = 11.0
        report(1_250_000, 35_000_000)

    assert log.getvalue() == "recollect: Installing the model: 1.2 of 35.0 MB\n"


@requirement("cli:progress:said")
def test_a_server_that_is_slow_to_start_is_not_waited_for_in_silence(cli: Cli) -> None:
    cli.ok("gateway", "add", "slow", "--", "sh", "-c", "sleep 3")

    with terminal(cli, "gateway", "test", "slow") as shown:
        shown.wait_for("Starting servers")
        assert shown.finish() == Exit.UPSTREAM


@requirement("cli:progress:said")
def test_a_log_gets_a_line_every_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    log, now = io.StringIO(), [0.0]
    monkeypatch.setattr(sys, "stderr", log)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    with reporting.progress("Importing") as report:
        for second in range(1, 22):
            now[0] = float(second)
            report(second, 2000)

    assert log.getvalue() == "recollect: Importing: 10 of 2,000\nrecollect: Importing: 20 of 2,000\n"
