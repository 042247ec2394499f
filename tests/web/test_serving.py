"""`recollect web` as a process of its own: what it prints and logs, many clients, and how it ends."""

import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.requirements import requirement
from tests.server.conftest import save
from tests.server.running import WAIT
from tests.web.running import Served, serving

from recollect.app.opening import open_project
from recollect.cli.exits import Exit
from recollect.web.keys import Keys
from recollect.web.page import MOST_STREAMS


@requirement("page:local:traversal")
@pytest.mark.parametrize(
    "target",
    [
        "/../../../../../../etc/passwd",
        "/assets/../../page.py",
        "/assets/..%2f..%2fpage.py",
        "/assets/%2e%2e/%2e%2e/page.py",
        "/..%5c..%5cpage.py",
        "//etc/passwd",
        "/assets//etc/passwd",
        "/page.py%00.js",
        "/api/results/..%2f..%2f..%2fetc%2fpasswd",
        "/api/runs/..%2f..%2fx",
    ],
)
def test_no_path_leads_to_a_file_that_is_not_the_page_s(served: Served, target: str) -> None:
    answer = served.ask(target)

    assert answer.split()[1] in ("200", "404", "503")  # 200: the page itself, if it is built
    assert "root:" not in answer
    assert "endpoints of the page ask" not in answer
    assert "location:" not in answer.lower()


@requirement("page:live:many")
def test_hundreds_of_open_pages_hear_of_a_change_and_one_too_many_is_refused(
    served: Served, place: tuple[Path, dict[str, str]]
) -> None:
    folder, env = place
    with ExitStack() as clients:
        streams = [clients.enter_context(served.listen()) for _ in range(MOST_STREAMS)]
        refused = served.ask("/api/events")
        save(open_project(folder, env=env), "Sign a token at login")
        heard = [stream.read_until("event: memories") for stream in streams]
        answer = served.ask("/api/overview")
    assert refused.startswith("HTTP/1.1 503")
    assert len(heard) == MOST_STREAMS
    assert '"memories":1' in answer


@requirement("page:live:missed")
def test_a_page_that_was_away_hears_what_changed_meanwhile(
    served: Served, place: tuple[Path, dict[str, str]]
) -> None:
    folder, env = place
    with served.listen() as stream, served.listen() as other:
        save(open_project(folder, env=env), "Keep uploads small")
        first = stream.read_until("event: review")
        other.read_until("event: review")
        last = first.split("id: ")[-1].split("\n")[0]
    with served.listen() as watching:
        save(open_project(folder, env=env), "Rotate the signing key")
        watching.read_until("event: review")
    with served.listen(f"Last-Event-ID: {last}") as back:
        missed = back.read_until("event: review")
    with served.listen("Last-Event-ID: of-another-process") as stranger:
        everything = stranger.read_until("event: memories", "event: review")
    assert "event: memories" in missed
    assert "event: session" not in missed
    assert everything


@requirement("page:local:logs")
def test_it_ends_with_a_signal_and_its_log_has_no_token(
    place: tuple[Path, dict[str, str]],
) -> None:
    with serving(*place) as served:
        token = served.out["token"]
        served.ask(f"/?token={token}")
        served.ask(f"/api/nothing?token={token}")
        served.ask("/api/runs?after=x", f"Cookie: recollect={token}")
        with served.connect() as client:
            client.sendall(f"BROKEN {token}\r\n\r\n".encode())
            client.recv(1_000)
        with served.listen() as stream:
            served.process.send_signal(signal.SIGTERM)
            ending = b"".join(iter(lambda: stream.client.recv(65_536), b""))
        _, log = served.process.communicate(timeout=WAIT)

    assert served.process.returncode == 0
    assert ending.endswith(b"0\r\n\r\n")  # the stream ends as HTTP says, not by a broken connection
    assert token not in log
    assert "Traceback" not in log


def test_without_a_project_it_says_what_to_do_and_serves_nothing(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}

    done = subprocess.run(
        [sys.executable, "-m", "recollect", "web", "--port", "0"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == Exit.NOT_FOUND
    assert "`recollect init` creates one" in done.stderr


def test_a_token_for_one_use_opens_the_page_once() -> None:
    keys = Keys(1)
    token = keys.for_one_use()

    assert [keys.redeem(each) for each in (token, token, keys.token, keys.token, "")] == [
        True,
        False,
        True,
        True,
        False,
    ]
