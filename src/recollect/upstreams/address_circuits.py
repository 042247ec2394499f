"""Backoff and a circuit breaker for servers that somebody else runs, by their addresses.

Failures are those of one `serve`: its clients share them, because they share the address. A login that is
missing is no failure: after it a person expects the next call to work.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import anyio

from recollect.errors import LoginNeededError, UpstreamError
from recollect.gateway.circuit import Circuit
from recollect.gateway.upstream import HttpServer, Upstream
from recollect.upstreams.connection import UpstreamConnection


class AddressCircuits:
    """Decides when an address that failed is tried again. Time is passed in: `now` and `sleep`."""

    def __init__(
        self,
        now: Callable[[], float] = anyio.current_time,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._now, self._sleep = now, sleep
        self._circuits: dict[str, Circuit] = {}
        self._probed: set[str] = set()  # addresses with an open breaker that one attempt tries

    @asynccontextmanager
    async def guarded(
        self, upstream: Upstream, opening: AbstractAsyncContextManager[UpstreamConnection]
    ) -> AsyncIterator[UpstreamConnection]:
        """The connection, after the pause that earlier failures demand; a process is the broker's business.

        Raises UpstreamError at once while the breaker is open.
        """
        if not isinstance(upstream.server, HttpServer):
            async with opening as connection:
                yield connection
            return
        address = upstream.server.url
        await self._admit(upstream.name, address)
        is_open = False
        try:
            async with opening as connection:
                is_open = True
                self._probed.discard(address)
                yield connection
                if connection.ended.is_set():
                    self._fail(address)
        except LoginNeededError:
            raise
        except UpstreamError:
            if not is_open:
                self._fail(address)
            raise
        finally:
            self._probed.discard(address)

    async def _admit(self, name: str, address: str) -> None:
        circuit, now = self._circuits.get(address, Circuit()), self._now()
        state, pause = circuit.state(now), circuit.wait(now)
        if state == "open" or (state == "half-open" and address in self._probed):
            rest = f"not retried for {pause:.0f} s" if pause else "being tried"
            raise UpstreamError(
                name,
                f"failed {circuit.count(now)} times and is {rest}",
                f"`recollect gateway test {name}` says what is wrong",
            )
        if state == "half-open":
            self._probed.add(address)
        if pause:
            await self._sleep(pause)

    def _fail(self, address: str) -> None:
        self._circuits[address] = self._circuits.get(address, Circuit()).failed(self._now())
