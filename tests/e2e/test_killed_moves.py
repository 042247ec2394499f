"""`migrate` killed again and again at random steps, in both directions: what arrives is the same bytes."""

import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.app.test_team_exchange import ODD, contents
from tests.e2e.kill_points import When, killed
from tests.postgres import Server
from tests.requirements import requirement
from tests.soak import times

from recollect.app import memory_sides
from recollect.app.moving import TO_FILES, migrate
from recollect.app.opening import open_project
from recollect.app.project import Recollect
from recollect.bench.generated_memories import fill
from recollect.storage.files.atomic import TEMP_SUFFIX

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked and killed")
ROUNDS = times(3)
KILLS = 4  # of one move, before it may end
STEPS = 300  # the points are among the first so many; a whole move has 490 there and 660 back
WHENS: tuple[When, ...] = ("before", "halfway", "after")


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """A move of 30 files has ten transactions, and so ten points at which it is resumed."""
    monkeypatch.setattr(memory_sides, "_STEP", 3)


@pytest.fixture
def root(folder: Path) -> Path:
    """A memory root with valid memories, and with files that are easy to lose something of."""
    root = folder / ".claude" / "memory"
    fill(root, 25)
    for path, data in ODD.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(data)
    return root


@pytest.fixture
def url(postgres_server: Server) -> str:
    return postgres_server.url("tests")


def opened(folder: Path, env: dict[str, str], url: str = "") -> Recollect:
    return open_project(folder, env=env | ({"RECOLLECT_DATABASE": url} if url else {}))


def kill_until_it_ends(move: Callable[[], object], chance: random.Random) -> int:
    """Start a move again after each death; how often it died."""
    deaths = 0
    for _ in range(KILLS):
        deaths += killed(chance.randint(1, STEPS), chance.choice(WHENS), move)
    assert not killed(0, "before", move), "a move that nobody kills comes to its end"
    return deaths


def written(recollect: Recollect) -> list[str]:
    """The paths of all revisions of memories in the database."""
    assert recollect.team is not None
    rows = recollect.team.rows
    with rows.reading() as connection:
        found = connection.execute("SELECT path FROM memory_revision WHERE project = %s", (rows.key,))
        return sorted(path for (path,) in found)


@requirement("team:postgres:lossless")
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_a_move_there_and_back_that_is_killed_at_random_steps_is_the_same_bytes(
    folder: Path, root: Path, url: str, tmp_path: Path, env: dict[str, str], seed: int
) -> None:
    chance = random.Random(seed)
    before = contents(root)

    there = kill_until_it_ends(lambda: migrate(opened(folder, env), url), chance)

    team = opened(folder, env, url)
    assert team.team is not None
    assert dict(team.team.memories.raw_files()) == before == contents(root)
    assert written(team) == sorted(before), "a file that had arrived was written again"

    other = tmp_path / "other"
    theirs = other / ".claude" / "memory"
    theirs.mkdir(parents=True)
    (theirs / "project-id").write_bytes((root / "project-id").read_bytes())
    back = kill_until_it_ends(lambda: migrate(opened(other, env, url), TO_FILES), chance)

    assert contents(theirs) == before
    assert dict(team.team.memories.raw_files()) == before
    assert list(theirs.rglob(f"*{TEMP_SUFFIX}")) == []
    assert opened(other, env).space.store.inventory_now() == opened(folder, env).space.store.inventory()
    assert there
    assert back
