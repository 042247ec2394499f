"""Traces over HTTP: one decision, all of them, thresholds and replays."""

import pytest
from starlette.testclient import TestClient
from tests.requirements import requirement
from tests.server.conftest import save

from recollect.app.project import Recollect
from recollect.retrieval.request import Request


@pytest.fixture
def searched(project: Recollect) -> str:
    """A search whose best hit was read; its id."""
    for title in ("Keep uploads small", "Keep uploads private", "Sign a token"):
        save(project, title)
    best = project.find(Request("uploads small")).answer.hits[0].document.id
    project.traces.read(best)
    project.traces.write()
    return best


@requirement("page:traces:signals")
def test_a_decision_has_the_signals_of_each_candidate(browser: TestClient, searched: str) -> None:
    rows = browser.get("/api/traces", params={"kind": "retrieval"}).json()["traces"]
    shown = browser.get(f"/api/traces/{rows[0]['scoring']}").json()

    [best, *_] = shown["candidates"]
    assert (best["candidate"], best["outcome"]) == (searched, "selected")
    assert any(value for value in best["signals"].values())
    assert "boost_cap" in shown["params"]
    assert browser.get("/api/traces", params={"kind": "gate"}).json() == {"traces": []}
    assert browser.get("/api/traces", params={"kind": "other"}).status_code == 400
    assert browser.get("/api/traces/zz").status_code == 404


@requirement("page:traces:stats")
def test_statistics_and_thresholds_are_those_of_the_commands(
    browser: TestClient, searched: str
) -> None:
    [kind] = browser.get("/api/trace-stats").json()["kinds"]
    thresholds = browser.get("/api/thresholds").json()["thresholds"]

    assert (kind["kind"], kind["scorings"], kind["outcomes"]["selected"]) == ("retrieval", 1, 1)
    assert {row["kind"] for row in thresholds} == {"speculation", "capability"}
    assert all(row["lowest"] <= row["value"] <= row["highest"] for row in thresholds)


@requirement("page:traces:replay")
def test_a_replay_compares_other_parameters_and_refuses_what_is_none(
    browser: TestClient, searched: str
) -> None:
    query = {"kind": "retrieval", "param": "boost_cap=0"}
    out = browser.get("/api/replay", params=query).json()

    assert (out["scorings"], out["inexact"], out["verdict"]) == (1, 0, "too few outcomes")
    assert out["changes"] == {"boost_cap": 0.0}
    for text in ("boost_cap", "boost_cap=x", "boost_cap=nan", "boost_cap=1e999", "other=1"):
        answer = browser.get("/api/replay", params=query | {"param": text})
        assert answer.status_code == 409, text
    assert browser.get("/api/replay", params=query | {"param": "boost_cap=-1e308"}).status_code < 500
