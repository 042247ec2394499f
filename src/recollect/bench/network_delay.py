"""A server as if it were far away: every call takes as long as one to a public API. A process of the bench.

`python -m recollect.bench.network_delay COMMAND ...` runs the server and passes its messages on. The delay of
a call depends on its tool and arguments alone, so that whoever makes it again waits as long.

The times are log-normal, with a median of 206 ms and four fifths between 96 and 445 ms: those of GitHub's API
in 10,000 requests (mbostock, "Gist API Latency", 2013: median 206 ms, four fifths from 114 to 527 ms).
"""

import json
import subprocess
import sys
import threading
from hashlib import sha256
from math import exp
from statistics import NormalDist
from typing import Any

from recollect.interpreter import python

MEDIAN_MS = 206.0
SPREAD = 0.6  # of the logarithm: ln(527 / 114) over the 2.56 deviations that four fifths span
_LONGEST_MS = 2_000.0  # one call in ten thousand takes longer


def delayed(command: str, *arguments: str) -> list[str]:
    """The command line of a server whose calls are delayed."""
    return python("-m", "recollect.bench.network_delay", command, *arguments)


def delay_ms(tool: str, arguments: object) -> float:
    """How long a call takes: the quantile that a digest of it falls on."""
    call = json.dumps([tool, arguments], sort_keys=True).encode()
    share = (int.from_bytes(sha256(call).digest()[:6], "big") + 0.5) / 2**48
    return min(MEDIAN_MS * exp(NormalDist(0.0, SPREAD).inv_cdf(share)), _LONGEST_MS)


class _Relay:
    """Passes messages between a client and a server; answers to calls wait."""

    def __init__(self, server: "subprocess.Popen[str]") -> None:
        self._server, self._writing = server, threading.Lock()
        self._delays: dict[object, float] = {}

    def requests(self) -> None:
        """Pass on what the client says, until it says no more."""
        assert self._server.stdin is not None
        for line in sys.stdin:
            message = _message(line)
            if message.get("method") == "tools/call" and "id" in message:
                params = message.get("params") or {}
                milliseconds = delay_ms(str(params.get("name")), params.get("arguments"))
                self._delays[message["id"]] = milliseconds / 1_000
            self._server.stdin.write(line)
            self._server.stdin.flush()
        self._server.stdin.close()

    def answers(self) -> None:
        """Pass on what the server says, until it ends."""
        assert self._server.stdout is not None
        for line in self._server.stdout:
            message = _message(line)
            delay = 0.0 if "method" in message else self._delays.pop(message.get("id"), 0.0)
            if delay:
                threading.Timer(delay, self._write, [line]).start()
            else:
                self._write(line)

    def _write(self, line: str) -> None:
        with self._writing:
            sys.stdout.write(line)
            sys.stdout.flush()


def _message(line: str) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def main() -> None:
    """Run a server and delay its calls until either side ends."""
    pipe = subprocess.PIPE
    with subprocess.Popen(sys.argv[1:], stdin=pipe, stdout=pipe, text=True) as server:
        relay = _Relay(server)
        threading.Thread(target=relay.requests, daemon=True).start()
        relay.answers()


if __name__ == "__main__":
    main()
