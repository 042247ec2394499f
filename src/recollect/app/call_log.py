"""What is recorded of calls to upstream tools: large results, receipts, and what is called after what."""

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import mcp_types as types
from anyio import to_thread

from recollect import clock
from recollect.app.gateway import Gateway
from recollect.app.next_tools import NextTools
from recollect.app.observing import result_value
from recollect.app.result_vault import ResultVault, StoredExcerpt
from recollect.app.settings import config_of_folder
from recollect.app.state_source import StateSource
from recollect.app.stores import StateStores
from recollect.app.thresholds import LearnedThresholds
from recollect.app.tool_experience import recent_day, records_state, tool_reliability
from recollect.app.tool_traces import ToolTraces
from recollect.errors import RecollectError, StoreError
from recollect.gateway.digest import digest
from recollect.gateway.discovery import Experience
from recollect.gateway.observed_schema import Observed, observed
from recollect.gateway.ports import Receipts
from recollect.gateway.receipts import Outcome, Receipt
from recollect.gateway.speculation_use import SpeculationUse
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.tool_graph import ToolEdge, graph_of
from recollect.gateway.vault.reading import ReadRequest
from recollect.gateway.vault.reply import META_PROJECTION, RESULT_TOKENS, cost, cut_reply
from recollect.learning.call_order import CallOrder
from recollect.learning.capabilities import Capability
from recollect.learning.replay import WITHOUT_GRAPH, compare
from recollect.learning.trace import CandidateTrace
from recollect.records.json_format import JsonObject
from recollect.redaction.user_patterns import gate_of
from recollect.text.token_estimate import tokens_of, tokens_of_text
from recollect.workflow.events import OutputSource
from recollect.workflow.speculation import ExpectedTime

_TRACES_READ = 2_000
_FRESH_SECONDS = 5.0  # for which the reliability of tools counts as known

_Note = TypeVar("_Note")


@dataclass(frozen=True, slots=True)
class Delivery:
    """An upstream's result and what the agent gets of it, each with its tokens, and where it comes from."""

    result: types.CallToolResult
    reply: types.CallToolResult
    result_tokens: int
    reply_tokens: int
    is_projected: bool = False
    source: OutputSource = "call"


class CallLog:
    """The records of one project folder. In a folder without a project, large results go to the user's own.

    What is recorded waits in memory until `write`. `experience`, `calls` and `write` use databases, one at a
    time; `delivery`, `read` and `learn` do not, and may take long.
    """

    def __init__(self, gateway: Gateway, folder: Path) -> None:
        self._gateway, self._folder = gateway, folder
        self._order = CallOrder()  # of calls with success
        self._receipts: deque[Callable[[Receipts], None]] = deque()
        self._results: deque[tuple[UpstreamTool, types.CallToolResult]] = deque()
        self._shapes: deque[tuple[UpstreamTool, Observed]] = deque()
        self._edges: deque[tuple[str, str, str]] = deque()
        self._reads: deque[tuple[str, str, str, str]] = deque()
        self.next_tools = NextTools()
        self._rates: tuple[float, Mapping[str, float]] | None = None
        self._graph_earns = True  # until replay says that tools ranked better without it
        self._discoveries: Sequence[CandidateTrace] | None = None  # of earlier servers, for that
        self.thresholds = LearnedThresholds(gateway.now)
        self.traces = ToolTraces(gateway.now, _traces_enabled(gateway, folder))
        self._speculations: deque[tuple[SpeculationUse, str]] = deque()

    async def delivery(
        self, tool: UpstreamTool, result: types.CallToolResult, fields: Sequence[str] = ()
    ) -> Delivery:
        """The result as the agent gets it: a large one is stored, and a note with its handle replaces it.

        The preview in the note shows the `fields` of the tool's projection, if it has one.
        """
        document = _json(result)
        tokens = cost(document)
        if tokens <= RESULT_TOKENS:
            return Delivery(result, result, tokens, tokens)
        reply = await to_thread.run_sync(self._stored, tool, document, fields)
        meta = reply.get("_meta")
        is_projected = isinstance(meta, dict) and META_PROJECTION in meta
        shown = types.CallToolResult.model_validate(reply)
        return Delivery(result, shown, tokens, cost(reply), is_projected)

    def _stored(self, tool: UpstreamTool, document: JsonObject, fields: Sequence[str]) -> JsonObject:
        try:
            return self._vault.keep(tool.id, document, fields=fields)
        except RecollectError as error:
            return cut_reply(document, RESULT_TOKENS, f"it could not be stored: {error}")

    def read(self, handle: str, request: ReadRequest, part: int) -> StoredExcerpt:
        """A piece of a stored result. Raises NotFoundError and RefusedError."""
        return self._vault.read(handle, request, part)

    def record(
        self,
        tool: UpstreamTool,
        arguments: Mapping[str, Any],
        outcome: Outcome,
        milliseconds: float,
        delivery: Delivery | None = None,
    ) -> None:
        """Note the receipt of a call."""
        receipt = Receipt(
            tool.server,
            tool.name,
            outcome,
            milliseconds,
            tokens_of(dict(arguments)),
            delivery.result_tokens if delivery else 0,
            delivery.reply_tokens if delivery else 0,
            delivery is not None and delivery.is_projected,
        )
        day = self._day
        self._receipts.append(lambda receipts: receipts.record(receipt, day))

    def record_speculation(self, use: SpeculationUse) -> None:
        """Note what became of a call that was predicted."""
        self._speculations.append((use, self._day))

    def record_read(self, excerpt: StoredExcerpt) -> None:
        """Note what an agent read out of a stored result, for receipts and projections of its tool."""
        server, _, name = excerpt.tool.partition(":")
        tokens, day = tokens_of_text(excerpt.text), self._day
        self._receipts.append(lambda receipts: receipts.record_read(server, name, tokens, day))
        if excerpt.field:  # a handle opens a result: only its digest is written down
            self._reads.append((server, name, excerpt.field, digest(excerpt.handle)))

    def record_success(
        self, tool: UpstreamTool, result: types.CallToolResult, session: str | None, began: float
    ) -> None:
        """Note what a result looked like, and after which tool this one was called in the session.

        `began` is when, by the monotonic clock; the call has ended now.
        """
        if tool.output_schema is None:
            self._results.append((tool, result))
        if session is None:
            return
        place = self._order.add(session, tool.id, began, time.monotonic())
        self.next_tools.called(place.chain, tool.id)
        if place.before is not None:
            self._edges.append((place.before, tool.id, clock.to_text(self._gateway.now())))

    def learn(self) -> None:
        """Find the shapes of the results that were noted, and whether the tool graph helps."""
        if self._discoveries:
            verdict = compare("discovery", self._discoveries, WITHOUT_GRAPH).verdict
            self._graph_earns, self._discoveries = verdict != "helps", ()
        while self._results:
            tool, result = self._results.popleft()
            value = result_value(result)
            shape = None if value is None else observed(value)
            if shape is not None:
                self._shapes.append((tool, shape))

    def write(self) -> None:
        """Write down what was noted. A database that cannot be written loses it, and costs no call."""
        self._write_order()
        with suppress(StoreError):
            if self._state is not None:
                self.thresholds.write(self._state.thresholds)
                if self._discoveries is None:
                    traces = self._state.traces
                    self._discoveries = traces.latest(_TRACES_READ, "discovery", with_outcome=True)
        with suppress(StoreError):
            if self.traces.waiting and self._state is not None:
                self.traces.write(self._state.traces)
        if self._receipts or self._shapes or self._speculations:
            self._write_receipts()

    def _write_order(self) -> None:
        """Write down which tools were called after which: the very next discovery looks at that."""
        with suppress(StoreError):
            self._write_edges()
        with suppress(StoreError):
            if self._state is not None:
                self.next_tools.write(self._state.sequences)

    def _write_receipts(self) -> None:
        receipts, shapes = list(_taken(self._receipts)), list(_taken(self._shapes))
        reads, speculations = list(_taken(self._reads)), list(_taken(self._speculations))
        with suppress(StoreError), self._gateway.database.transaction(of_a_call=True):
            for record in receipts:
                record(self._gateway.database.receipts)
            for tool, shape in shapes:
                self._gateway.observed.refine(tool.server, tool.name, shape)
            for read in reads:
                self._gateway.projections.read(*read)
            for use, day in speculations:
                self._gateway.database.speculations.record(use, day)

    def _write_edges(self) -> None:
        for before, after, at in _taken(self._edges):
            if self._state is not None:
                self._state.tool_graph.observe(before, after, at)

    def close(self) -> None:
        """Write down what was noted, and that nothing more will be called."""
        self.write()
        with suppress(StoreError):
            if self._state is not None:
                self.traces.close(self._state.traces)

    def experience(self, session: str | None) -> Experience:
        """What is known from use: what the session called last is the context."""
        self._write_order()
        last = self._order.last(session or "") if self._graph_earns else None
        rates = self._reliability()
        if last is None:
            return Experience(reliability=rates)
        likely = {guess.tool: guess.probability for guess in self.next_tools.predict([last])}
        return Experience([last], graph_of(self._stored_edges()), rates, likely)

    def _reliability(self) -> Mapping[str, float]:
        """How reliable tools were in a month, read again after some seconds: it changes slowly."""
        now = time.monotonic()
        if self._rates is None or now >= self._rates[0] + _FRESH_SECONDS:
            self._rates = now, tool_reliability(self._gateway)
        return self._rates[1]

    def edges(self) -> Sequence[ToolEdge]:
        """Which tool was called after which; nothing where the database cannot be read."""
        self.write()
        return self._stored_edges()

    def _stored_edges(self) -> Sequence[ToolEdge]:
        try:
            return self._state.tool_graph.edges() if self._state is not None else ()
        except StoreError:
            return ()

    def capabilities(self) -> Sequence[Capability]:
        """The capabilities of the project; none where the database cannot be read."""
        try:
            return self._state.capabilities.all() if self._state is not None else ()
        except StoreError:
            return ()

    def calls(self) -> Mapping[str, int]:
        """How often each tool was called, by id; nothing where the database cannot be read."""
        self.write()
        try:
            return {use.id: use.calls for use in self._gateway.database.receipts.uses()}
        except StoreError:
            return {}

    def times(self) -> Mapping[str, ExpectedTime]:
        """How long calls of each tool took lately; nothing where the database cannot be read."""
        self.write()
        try:
            uses = self._gateway.database.receipts.uses(recent_day(self._gateway))
        except StoreError:
            return {}
        pairs = ((use.id, use.percentile(0.5), use.percentile(0.95)) for use in uses)
        return {
            id: ExpectedTime(typical, longest)
            for id, typical, longest in pairs
            if typical is not None and longest is not None
        }

    @property
    def _day(self) -> str:
        return clock.to_text(self._gateway.now())[:10]

    @cached_property
    def _state(self) -> StateStores | None:
        """Tool graph and traces; None where the state of the project cannot be used."""
        try:
            return self._source.open()
        except RecollectError:
            return None

    @cached_property
    def _vault(self) -> ResultVault:
        """The vault. Raises InvalidConfigError for a wrong gate."""
        config = config_of_folder(self._folder, env=self._gateway.env)
        return ResultVault(self._source.vault(), gate_of(config.redaction))

    @cached_property
    def _source(self) -> StateSource:
        """Where calls are recorded, made if it is missing."""
        source = records_state(self._gateway, self._folder)
        source.prepare()
        return source


def _traces_enabled(gateway: Gateway, folder: Path) -> bool:
    """The setting; off where the configuration cannot be read."""
    try:
        return config_of_folder(folder, env=gateway.env).learning.traces
    except RecollectError:
        return False


def _taken(notes: "deque[_Note]") -> Iterator[_Note]:
    """Take the notes out, also those that come meanwhile."""
    while notes:
        yield notes.popleft()


def _json(result: types.CallToolResult) -> JsonObject:
    document: JsonObject = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    return document
