"""One server of the broker: started when a request needs it, stopped when idle, restarted with backoff."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from recollect.gateway.circuit import Circuit, CircuitState
from recollect.upstreams import jsonrpc
from recollect.upstreams.call_table import LeaseId
from recollect.upstreams.jsonrpc import Json
from recollect.upstreams.lease_request import LeaseRequest
from recollect.upstreams.multiplexer import Multiplexer
from recollect.upstreams.outputs import LogLine, Output, Refusal, ToLease, ToServer
from recollect.upstreams.server_log import append, last_words
from recollect.upstreams.server_process import ServerProcess, start_process

_MOST_NOTES = 20  # lines about dropped messages in the log, for one process
_MOST_NONSENSE = 1000  # lines in a row that are no messages: such a server only burns time


@dataclass(frozen=True, slots=True)
class HostedState:
    """A server as `gateway list` shows it."""

    name: str
    clients: int
    calls: int
    pid: int | None
    failures: int
    breaker: CircuitState
    wait: float


class HostedServer:
    """A server and its clients. `deliver` sends a message to a client, and never waits."""

    def __init__(self, request: LeaseRequest, deliver: Callable[[LeaseId, Json], None]) -> None:
        self._request, self._deliver = request, deliver
        self._loop = asyncio.get_running_loop()
        self._messages = Multiplexer(request.name, request.max_calls)
        self._circuit = Circuit()
        self._leases: set[LeaseId] = set()
        self._process: ServerProcess | None = None
        self._starting: asyncio.Task[None] | None = None
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._nonsense = self._notes = 0
        self._past: list[ServerProcess] = []

    # Clients.

    @property
    def is_leased(self) -> bool:
        """Whether it has a client."""
        return bool(self._leases)

    @property
    def is_forgettable(self) -> bool:
        """Whether nothing is lost with it: no client, no process, no failure to remember."""
        return not (self._leases or self._process or self._starting or self.ending) and (
            self._circuit.count(self._loop.time()) == 0
        )

    def join(self, lease: LeaseId) -> None:
        """Add a client. The process is started when it asks for something."""
        self._leases.add(lease)
        self._messages.join(lease)

    def leave(self, lease: LeaseId) -> None:
        """Remove a client."""
        self._leases.discard(lease)
        self._do(self._messages.leave(lease))

    def receive(self, lease: LeaseId, line: bytes) -> None:
        """A line of a client."""
        try:
            message = jsonrpc.parse(line)
        except ValueError as error:
            self._do([LogLine(f"dropped {error} from a client")])
            return
        self._do(self._messages.from_lease(lease, message))

    def state(self) -> HostedState:
        """What it does now."""
        now = self._loop.time()
        return HostedState(
            self._request.name,
            len(self._leases),
            self._messages.open_calls,
            self._process.pid if self._process else None,
            self._circuit.count(now),
            self._circuit.state(now),
            round(self._circuit.wait(now), 1),
        )

    def restart(self) -> None:
        """Stop the process and forget its failures; the next request starts it again."""
        self._circuit = Circuit()
        self._messages.forget_greeting()
        self.stop("was restarted", "call again")

    def stop(self, reason: str = "was stopped", advice: str = "call again") -> None:
        """Stop the process; what is open is refused."""
        self._cancel_timers()
        if self._starting is not None:
            self._starting.cancel()
            self._starting = None
        if self._process is not None:
            self._process.stop()
            self._let_go()
            self._do(self._messages.ended(Refusal(self._request.name, reason, advice)))

    @property
    def ending(self) -> list[ServerProcess]:
        """Processes that are stopped and not gone yet."""
        return [process for process in self._past if not process.gone.is_set()]

    def _let_go(self) -> None:
        if self._process is not None:
            self._past = [*self.ending, self._process]
            self._process = None

    # The process.

    def _start_soon(self) -> None:
        """Start the process after the pause that its failures demand, or refuse what waits for it."""
        now = self._loop.time()
        pause = self._circuit.wait(now)
        if self._circuit.state(now) == "open":
            self._do(self._messages.refuse_waiting(self._rests(pause)))
        else:
            self._timer("start", pause, self._start)

    def _start(self) -> None:
        self._nonsense = self._notes = 0
        self._starting = asyncio.create_task(self._run())

    async def _run(self) -> None:
        try:
            process = await start_process(self._request, self._hear, self._process_ended)
        except (OSError, ValueError) as error:
            self._starting = None
            self._failed(f"cannot be started ({error})")
            self._do(self._messages.refuse_waiting(self._refusal(f"cannot be started ({error})")))
            return
        self._starting, self._process = None, process
        self._do(self._messages.started())

    def _hear(self, line: bytes) -> None:
        """A line of the server."""
        try:
            message = jsonrpc.parse(line)
        except ValueError as error:
            self._nonsense += 1
            if self._nonsense >= _MOST_NONSENSE:
                self._give_up(f"wrote {self._nonsense} lines that are not messages")
            else:
                self._do([LogLine(f"dropped {error}: {line[:80]!r}")])
            return
        self._nonsense = 0
        self._do(self._messages.from_server(message))

    def _process_ended(self, outcome: int | str) -> None:
        """The process ended by itself. That is a failure if somebody waited for it."""
        reason = outcome if isinstance(outcome, str) else f"ended with exit code {outcome}"
        self._let_go()
        refusal = self._refusal(reason + last_words(self._request.log))
        if not self._messages.is_idle:
            self._failed(reason)
        self._do(self._messages.ended(refusal))

    def _give_up(self, reason: str) -> None:
        refusal = self._refusal(reason + last_words(self._request.log))
        self._failed(reason)
        self.stop(refusal.reason, refusal.advice)

    def _failed(self, reason: str) -> None:
        self._circuit = self._circuit.failed(self._loop.time())
        self._write_log(f"the server {reason}")

    # What follows from a message.

    def _do(self, outputs: Iterable[Output]) -> None:
        for output in outputs:
            match output:
                case ToServer(message):
                    if self._process is not None:
                        self._process.write(jsonrpc.written(message))
                case ToLease(lease, message):
                    self._deliver(lease, message)
                case LogLine(text):
                    self._note(text)
        self._set_timers()

    def _set_timers(self) -> None:
        if self._messages.wants_server and self._starting is None and "start" not in self._timers:
            self._start_soon()
        if not self._messages.is_silent:
            self._cancel_timer("silent")
        elif "silent" not in self._timers:
            self._timer("silent", self._request.start_seconds, self._stayed_silent)
        if self._process is None or not self._messages.is_idle or not self._request.idle_seconds:
            self._cancel_timer("idle")
        elif "idle" not in self._timers:
            self._timer("idle", self._request.idle_seconds, self.stop)

    def _stayed_silent(self) -> None:
        self._give_up(f"did not answer within {self._request.start_seconds:g} s")

    def _timer(self, name: str, seconds: float, act: Callable[[], None]) -> None:
        def due() -> None:
            del self._timers[name]
            act()

        self._timers[name] = self._loop.call_later(seconds, due)

    def _cancel_timer(self, name: str) -> None:
        if timer := self._timers.pop(name, None):
            timer.cancel()

    def _cancel_timers(self) -> None:
        for name in list(self._timers):
            self._cancel_timer(name)

    # Words.

    def _refusal(self, reason: str) -> Refusal:
        name = self._request.name
        return Refusal(name, reason, f"`recollect gateway logs {name}` shows what it wrote")

    def _rests(self, pause: float) -> Refusal:
        name, failures = self._request.name, self._circuit.count(self._loop.time())
        reason = f"failed {failures} times and is not retried for {pause:.0f} s"
        advice = f"`recollect gateway logs {name}` shows why, `recollect gateway restart {name}` tries it now"
        return Refusal(name, reason, advice)

    def _note(self, text: str) -> None:
        self._notes += 1
        if self._notes <= _MOST_NOTES:
            self._write_log(text + ("; no more such lines" if self._notes == _MOST_NOTES else ""))

    def _write_log(self, text: str) -> None:
        append(self._request.log, f"recollect: {text}\n")
