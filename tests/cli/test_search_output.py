"""What was found, as a person reads it."""

import re
from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.cli.shop import JWT, QUEUE, content
from tests.requirements import requirement
from tests.storage.models.shared import installed_models, reranker_model

from recollect.records.categories import Category

_PART = re.compile(r"^   (\w+) +rank +\d+  (\S+) x (\S+) = (\S+)$", re.MULTILINE)
_SUM = re.compile(r"^   sum / (\S+)(.*) = (\S+)$", re.MULTILINE)
_FACTOR = re.compile(r"\(1 ([+-]) (\w+) (\S+?)\)")
_RERANKED = re.compile(
    r"^   reranker (\S+): (\S+) x (\S+) \+ (\S+) x \((\S+) \+ (\S+) x (\S+)\) = (\S+)$", re.MULTILINE
)
_HIT = re.compile(r"^\d+\. ", re.MULTILINE)


def recomputed(shown: str) -> tuple[list[float], list[float], set[str]]:
    """From the printed lines alone: each score as told, as it comes about, and what made it."""
    told, worked_out, used = [], [], set()
    for hit in _HIT.split(shown)[1:]:
        total = 0.0
        for channel, scaled, weight, share in _PART.findall(hit):
            assert float(scaled) * float(weight) == pytest.approx(float(share), rel=1e-3)
            total += float(scaled) * float(weight)
            used.add(channel)
        ((scale, factors, score),) = _SUM.findall(hit)
        total /= float(scale)
        for sign, name, value in _FACTOR.findall(factors):
            total *= 1 + float(value) if sign == "+" else 1 - float(value)
            used.add(name)
        told.append(float(score))
        worked_out.append(total)
    return told, worked_out, used


@pytest.fixture
def busy(shop: Cli) -> Cli:
    """Memories that rest on each other, and episodes of which the older fade."""
    leads = [{"type": "derived_from", "target": f"mem:{QUEUE}", "evidence": "it does what that says"}]
    shop.put(id="pools", title="Queue pools", links=leads)
    shop.put(id="letters", title="Dead letters", links=leads)
    for number in range(10):
        shop.put(id=f"other-{number}", title="Another matter", tags=["paint"])
    told = content(Category.SESSION_SUMMARY)
    for day in (1, 2, 3):
        at = f"2026-01-0{day}T00:00:00Z"
        title = f"Worked on the queue, day {day}"
        shop.save(title, category=Category.SESSION_SUMMARY, created_at=at, content=told)
    return shop


@requirement("retrieval:cli:explain")
@pytest.mark.parametrize("fusion", ["score", "rank"])
@pytest.mark.parametrize("authority", ["0", "1"])
def test_a_score_can_be_worked_out_from_what_is_printed(busy: Cli, fusion: str, authority: str) -> None:
    busy.env |= {"RECOLLECT_FUSION": fusion, "RECOLLECT_GRAPH_AUTHORITY": authority}

    shown = busy.ok("search", "drain the dead letter queue of src/worker.py", "--explain").out

    told, worked_out, used = recomputed(shown)
    assert len(told) >= 5
    assert worked_out == pytest.approx(told, rel=2e-3)
    assert {"lexical", "files", "faded"} <= used
    assert ("authority" in used) == (authority == "1")
    assert ("convergence" in used) == (fusion == "rank")


@requirement("retrieval:cli:labels")
def test_what_is_no_longer_active_is_labelled(shop: Cli) -> None:
    shop.ok("retire", QUEUE, "-r", "gone")
    shop.ok("retire", JWT, "-r", "gone")
    shop.ok("archive", JWT, "-r", "old")

    shown = shop.ok("search", "login queue uploads", "--status", "all").out

    assert "Drain the dead letter queue (retired)" in shown
    assert "Sign a JWT at login (archived)" in shown
    assert "(active)" not in shown


def test_a_page_past_the_last_says_how_many_hits_there_are(shop: Cli) -> None:
    shown = shop.ok("search", "login queue uploads", "--offset", "99").out

    assert shown == "3 hits in total; --offset 99 is past the last.\n"


@requirement("cli:search:hopeless")
def test_what_meaning_alone_has_led_to_is_told_to_be_a_guess(
    shop: Cli, request: pytest.FixtureRequest
) -> None:
    cache = Path(shop.env["HOME"]) / ".cache" / "recollect"
    cache.mkdir(parents=True)
    (cache / "models").symlink_to(installed_models(request.config))
    note = "no memory contains these words; showing the closest by meaning"

    told = shop.ok("search", "qwertyuiop", "--json").json()

    assert told["hits"]
    assert told["notes"] == [note]
    assert "No memory contains these words" in shop.ok("search", "qwertyuiop").out
    for known in ("qwertyuiop queue", "qwertyuiop worker.py"):
        assert shop.ok("search", known, "--limit", "1", "--json").json()["notes"] == []


@requirement("retrieval:rerank:explained")
def test_explain_prints_what_the_reranker_did_with_all_that_computes_it(
    shop: Cli, tmp_path: Path
) -> None:
    source = reranker_model(tmp_path / "pairs", ["queue", "jobs"])
    shop.ok("model", "install", "--role", "reranker", "--from", str(source))
    query = ("search", "jobs queue login token")

    plain = shop.ok(*query, "--explain").out
    shown = shop.ok(*query, "--explain", "--rerank").out

    befores, worked_out, _ = recomputed(shown)
    lines = [[float(number) for number in line] for line in _RERANKED.findall(shown)]
    assert befores == pytest.approx(worked_out, rel=1e-3)
    assert [line[2] for line in lines] == befores
    for _, own, before, weight, low, scaled, width, score in lines:
        assert own * before + weight * (low + scaled * width) == pytest.approx(score, rel=2e-3)
    scores = [line[-1] for line in lines]
    assert scores == sorted(scores, reverse=True)
    assert len(lines) > 1
    assert not _RERANKED.findall(plain)


@requirement("retrieval:rerank:off")
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--rerank",), 3, "`recollect model install --role reranker` gets one"),
        (("--rerank", "--mode", "auto"), 5, "cannot be combined with --mode auto"),
        (("--rerank", "--sessions"), 5, "--sessions can only be combined with"),
    ],
)
def test_a_search_that_asks_for_a_reranker_says_why_it_has_none(
    shop: Cli, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = shop("search", "queue", *arguments)

    assert done.exit_code == code
    assert said in done.err
