"""`bench transcripts`: what it measures is an import that happened, once."""

from recollect.bench.transcripts import measure


def test_the_import_that_is_measured_brings_every_session_in_once() -> None:
    out = measure(2, 1)

    assert (out["imported"], out["imported_again"]) == (2, 0)
    assert out["drafts"] >= 2
    assert out["megabytes"] >= 1
    assert out["peak_mb"] > out["baseline_peak_mb"] / 4
    assert out["ratio"] > 0
