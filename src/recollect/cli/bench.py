"""`bench`: measurements that anyone can repeat, on their own machine and their own data."""

import typer

from recollect.cli import (
    bench_calibration,
    bench_capture,
    bench_embedding,
    bench_gate,
    bench_gateway,
    bench_graph,
    bench_hook,
    bench_learning,
    bench_next_step,
    bench_poison,
    bench_redaction,
    bench_regex,
    bench_retrieval,
    bench_sandbox,
    bench_shadow,
    bench_speculation,
    bench_speed,
    bench_store,
    bench_team,
    bench_tools,
    bench_tracing,
    bench_transcripts,
    bench_workflow,
    bench_working,
)

app = typer.Typer(name="bench", help="Measure Recollect on this machine.", no_args_is_help=True)
for module in (
    bench_retrieval,
    bench_tools,
    bench_gateway,
    bench_gate,
    bench_shadow,
    bench_hook,
    bench_speculation,
    bench_speed,
    bench_store,
    bench_embedding,
    bench_team,
    bench_poison,
    bench_regex,
    bench_redaction,
    bench_capture,
    bench_transcripts,
    bench_sandbox,
    bench_workflow,
    bench_working,
    bench_graph,
    bench_tracing,
    bench_calibration,
    bench_next_step,
    bench_learning,
):
    app.add_typer(module.app)
