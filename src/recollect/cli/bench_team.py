"""`bench team`: agents on projects of one database, and how that compares with the embedded default."""

from typing import Annotated

import typer

from recollect.cli.bench_output import table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import draw, print_json, say
from recollect.errors import RefusedError
from recollect.views.bench_team import BenchTeamOutput

app = typer.Typer()


@command(
    app,
    "team",
    "recollect bench team --database postgresql://recollect@localhost/bench",
    "recollect bench team --projects 50 --seconds 60 --json",
    output=BenchTeamOutput,
)
def team(
    database: Annotated[
        str,
        typer.Option(
            metavar="URL",
            envvar="RECOLLECT_DATABASE",
            show_default=False,
            help="A database for the load test, not one in use.",
        ),
    ] = "",
    projects: Annotated[
        int, typer.Option(min=1, max=500, help="Agents, each with a project of its own.")
    ] = 50,
    seconds: Annotated[float, typer.Option(min=1, help="How long each load lasts.")] = 10.0,
    rate: Annotated[float, typer.Option(min=0.01, help="Operations per second of each agent.")] = 0.5,
    as_json: JsonFlag = False,
) -> None:
    """Measure agents on projects of a team's database.

    Each has a project of its own, and saves, searches, records calls and runs. Then twice as many
    agents at the same rate, and the first load again on files with SQLite. Checks that nothing saved is
    lost and that no project sees another. Lower --rate if the machine is busy throughout.
    """
    if not database:
        raise RefusedError(
            "--database names a PostgreSQL database for the load, as RECOLLECT_DATABASE does."
        )
    from recollect.bench.team import TeamLoad, measure

    out = measure(database, TeamLoad(projects, seconds, rate))
    if as_json:
        print_json(out)
        return
    rows = table(
        f"{seconds:g} s, {rate:g} operations a second each",
        "load",
        "projects",
        "per second",
        "p50 ms",
        "p95 ms",
        "errors",
        "lost",
        "foreign",
    )
    for name, row in (
        ("database", out["team"]),
        ("twice", out["twice"]),
        ("embedded", out["embedded"]),
    ):
        rows.add_row(
            name,
            str(row["projects"]),
            f"{row['per_second']:.1f}",
            f"{row['p50_ms']:.1f}",
            f"{row['p95_ms']:.1f}",
            str(row["errors"]),
            str(row["lost"]),
            str(row["foreign"]),
        )
    draw(rows)
    say(f"Twice the projects: {out['twice_over_team_p95']:.2f}x in p95.")
    say(f"The database against files: {out['team_over_embedded_p95']:.2f}x in p95.")
