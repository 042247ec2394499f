"""What every store of episodes does."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conformance.engines import OpenState
from tests.requirements import requirement

from recollect.learning import retention
from recollect.learning.episodes import Episode
from recollect.learning.ports import EpisodeStore

MakeEpisodes = Callable[[Path], EpisodeStore]
FIRST = Episode("c1", "2026-01-01T00:00:00Z", "add é", ("s:a", "s:b"), "failed", "s:b", "no luck")
SECOND = replace(FIRST, at="2026-01-02T00:00:00Z", outcome="succeeded", failed_at="", error="")
OTHER = replace(FIRST, context="c2", at="2026-01-03T00:00:00Z")


@pytest.fixture
def make(open_state: OpenState) -> MakeEpisodes:
    return lambda folder: open_state(folder).episodes


@requirement("learning:episodes:found")
def test_the_newest_episode_of_a_context_is_read_back(make: MakeEpisodes, tmp_path: Path) -> None:
    for episode in (FIRST, SECOND, OTHER):
        make(tmp_path).add(episode)

    assert make(tmp_path).of_context("c1") == SECOND
    assert make(tmp_path).of_context("c3") is None
    assert make(tmp_path).latest(10) == [OTHER, SECOND, FIRST]
    assert make(tmp_path).latest(1) == [OTHER]


@requirement("learning:episodes:bounded")
def test_the_oldest_episodes_make_room(
    make: MakeEpisodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "MAX_EPISODES", 2)
    store = make(tmp_path)
    for episode in (FIRST, SECOND, OTHER):
        store.add(episode)

    assert store.latest(10) == [OTHER, SECOND]


@requirement("learning:episodes:bounded")
def test_episodes_before_a_moment_are_deleted(make: MakeEpisodes, tmp_path: Path) -> None:
    store = make(tmp_path)
    for episode in (FIRST, SECOND, OTHER):
        store.add(episode)

    assert store.prune("2026-01-03T00:00:00Z") == 2
    assert store.latest(10) == [OTHER]
