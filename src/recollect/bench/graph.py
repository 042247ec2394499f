"""Is the graph fast enough? Its budgets, each beside a baseline of the same run."""

import random
from collections import deque
from collections.abc import Callable, Iterator, Sequence

from recollect.app.finder import Finder
from recollect.app.opening import open_corpus
from recollect.bench import bare_sqlite
from recollect.bench.generated_memories import documents
from recollect.bench.speed import QUERIES
from recollect.bench.timing import compared, timed
from recollect.errors import StoreError
from recollect.graph.algorithms import Network, Pair
from recollect.graph.unified import GraphQuery
from recollect.ids import UnifiedId
from recollect.records.record import Link, LinkType
from recollect.retrieval.index import Document
from recollect.retrieval.request import Request
from recollect.values import replaced
from recollect.views.benches import SpeedRow

_WARM = 5  # rounds that do not count
_NODES = 1_000  # of the network that rank and path are measured on
_EACH = 5  # links of each of its nodes
_CAUSAL = [type for type in LinkType if type is not LinkType.IMPLEMENTS]


def measure(count: int = 10_000, links: int = 50_000, rounds: int = 60) -> Iterator[SpeedRow]:
    """Each budget in turn, over memories and links made up for it."""
    linked = linked_documents(count, links)
    finder = open_corpus(linked, graph=True)
    yield channel(finder, count, links, rounds)
    yield hub(count, rounds)
    pairs = _pairs(_NODES, _EACH)
    yield ranking(pairs, rounds)
    yield finding_ways(pairs, rounds)


def linked_documents(count: int, links: int, seed: int = 7) -> list[Document]:
    """Memories made up, each with its share of links to others at random."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    plain = list(documents(count))
    each = max(links // count, 1)
    return [
        replaced(
            document,
            links=tuple(
                Link(chance.choice(_CAUSAL), other.id, "made up")
                for other in chance.sample(plain, each)
            ),
        )
        for document in plain
    ]


def channel(finder: Finder, count: int, links: int, rounds: int) -> SpeedRow:
    """The graph channel from the hits of a search, against a bare walk of two hops in SQL."""
    questions = [GraphQuery(query, _seeds(finder, query)) for query in QUERIES]
    ends = [(edge.source, edge.target) for edge in finder.graphs.edges()]
    times = _times(lambda turn: _answered(finder, questions[turn % len(questions)]), rounds)
    warm_up = min(rounds, _WARM)
    seeds = [
        [id for id, _ in questions[turn % len(questions)].seeds] for turn in range(warm_up + rounds)
    ]
    base = bare_sqlite.walks(ends, seeds, warm_up)
    name = f"graph channel, {count:,} memories, {links:,} links"
    return compared(name, times, 30.0, "bare SQL walk", base)


def _answered(finder: Finder, question: GraphQuery) -> object:
    """The hits of the channel. Raises if it fails, because a failure is quick and not a measurement."""
    answer = finder.walk(question)
    if answer.warnings:
        raise StoreError(f"the graph channel did not answer: {'; '.join(answer.warnings)}")
    return answer


def _seeds(finder: Finder, query: str) -> list[tuple[UnifiedId, float]]:
    hits = finder.ask(Request(query, strategy="fts5_bm25")).answer.hits
    return [(hit.document.id, hit.score) for hit in hits]


def hub(count: int, rounds: int) -> SpeedRow:
    """The graph channel from a memory that all others link to, against listing its links."""
    plain = list(documents(count))
    centre = plain[0]
    edge = (Link(LinkType.DERIVED_FROM, centre.id, "made up"),)
    finder = open_corpus(
        [centre, *(replaced(document, links=edge) for document in plain[1:])], graph=True
    )
    question = GraphQuery("", ((centre.id, 1.0),))
    times = _times(lambda _: _answered(finder, question), rounds)
    base = _times(lambda _: finder.graphs.edges(), max(rounds // 10, 3))
    return compared(
        f"graph channel, a hub of {count - 1:,} links", times, 30.0, "reading all links", base
    )


def _pairs(count: int, each: int, seed: int = 7) -> list[Pair]:
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    ids = [UnifiedId(f"mem:{number}") for number in range(count)]
    return [
        (source, target, 1.0)
        for source in ids
        for target in chance.sample(ids, each)
        if source != target
    ]


def ranking(pairs: Sequence[Pair], rounds: int) -> SpeedRow:
    """PageRank, against power iteration in plain Python to a similar precision."""
    network = Network.of(pairs)
    times = _times(lambda _: network.pagerank(), rounds)
    base = _times(lambda _: _plain_rank(pairs), 3)
    return compared(f"PageRank, {len(network.ids):,} nodes", times, 100.0, "20 rounds in Python", base)


def _plain_rank(pairs: Sequence[Pair], rounds: int = 20) -> dict[UnifiedId, float]:
    leads: dict[UnifiedId, list[UnifiedId]] = {}
    for source, target, _ in pairs:
        leads.setdefault(source, []).append(target)
        leads.setdefault(target, [])
    rank = dict.fromkeys(leads, 1 / len(leads))
    for _ in range(rounds):
        fresh = dict.fromkeys(leads, 0.15 / len(leads))
        for source, targets in leads.items():
            for target in targets:
                fresh[target] += 0.85 * rank[source] / len(targets)
        rank = fresh
    return rank


def finding_ways(pairs: Sequence[Pair], rounds: int) -> SpeedRow:
    """Shortest paths between nodes at random, against a breadth-first search in plain Python."""
    network = Network.of(pairs)
    neighbours: dict[UnifiedId, list[UnifiedId]] = {}
    for source, target, _ in pairs:
        neighbours.setdefault(source, []).append(target)
        neighbours.setdefault(target, []).append(source)
    chance = random.Random(7)  # noqa: S311 - repeatable, not secret
    ends = [chance.sample(network.ids, 2) for _ in range(rounds)]
    times = _times(lambda turn: network.path(*ends[turn % rounds]), rounds)
    base = _times(lambda turn: _plain_path(neighbours, *ends[turn % rounds]), rounds)
    return compared(f"shortest path, {len(network.ids):,} nodes", times, 1.0, "plain Python", base)


def _plain_path(
    near: dict[UnifiedId, list[UnifiedId]], start: UnifiedId, end: UnifiedId
) -> list[UnifiedId]:
    came: dict[UnifiedId, UnifiedId | None] = {start: None}
    queue = deque([start])
    while queue and end not in came:
        here = queue.popleft()
        for there in near[here]:
            if there not in came:
                came[there] = here
                queue.append(there)
    way: list[UnifiedId] = []
    at: UnifiedId | None = end if end in came else None
    while at is not None:
        way.append(at)
        at = came[at]
    return way[::-1]


def _times(work: Callable[[int], object], rounds: int) -> list[float]:
    for turn in range(min(rounds, _WARM)):
        work(turn)
    return [timed(lambda turn=turn: work(turn)) for turn in range(rounds)]  # type: ignore[misc]
