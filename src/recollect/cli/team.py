"""`team`: who belongs to a project in a database, what they may do, and what they did."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.bench_output import table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, Start
from recollect.cli.output import draw, print_json, safe, say
from recollect.views.team import (
    AuditOutput,
    TeamChangeOutput,
    TeamLimitsOutput,
    TeamProjectsOutput,
    audit_output,
    limits_output,
    projects_output,
)

if TYPE_CHECKING:
    from recollect.app.team import Team
    from recollect.team.principal import Principal

app = typer.Typer(
    name="team",
    help="Manage members, roles, tokens and the audit log of a team's project.",
    no_args_is_help=True,
)
project = typer.Typer(name="project", help="The projects of the database.", no_args_is_help=True)
app.add_typer(project)

ProjectOption = Annotated[
    str,
    typer.Option(
        "--of", metavar="PROJECT", show_default=False, help="This project. [the one of the folder]"
    ),
]


def team_of(context: typer.Context, name: str) -> "Team":
    """The team of the folder's project, or of the project of that name. Raises RefusedError, StoreError."""
    from recollect.app.team_access import open_team_of

    start: Start = context.obj
    return open_team_of(start.folder, name)


def operator(team: "Team") -> "Principal":
    """Whoever gives the command. Raises NotPermittedError when an agent does."""
    from recollect.app.person import require_person
    from recollect.app.team_access import operator_of

    require_person("changing a team")
    return operator_of(team)


def changed(text: str, *, as_json: bool) -> None:
    """Say what was changed."""
    if as_json:
        out: TeamChangeOutput = {"changed": text}
        print_json(out)
    else:
        say(f"{safe(text)}.")


@command(
    project,
    "list",
    "recollect team project list",
    "recollect team project list --json",
    output=TeamProjectsOutput,
)
def list_projects(as_json: JsonFlag = False) -> None:
    """List the projects of the database, and the servers that store them."""
    from recollect.app.team_access import projects

    out = projects_output(projects())
    if as_json:
        print_json(out)
        return
    rows = table("projects", "project", "name", "server", "since")
    for row in out["projects"]:
        rows.add_row(
            safe(row["project"]), safe(row["name"]), safe(row["server"]) or "-", row["created_at"][:10]
        )
    draw(rows)


@command(
    project,
    "create",
    "recollect team project create github.com/acme/shop --admin anna@example.org",
    "recollect team project create shop --admin anna --server postgresql://db2/recollect",
    output=TeamChangeOutput,
)
def create_project(
    name: Annotated[str, typer.Argument(help="The project's name, as `recollect status` shows it.")],
    admin: Annotated[str, typer.Option(help="The member who administers the project.")],
    server: Annotated[
        str, typer.Option(metavar="URL", show_default=False, help="Another server to store it on.")
    ] = "",
    as_json: JsonFlag = False,
) -> None:
    """Create a project with its first member, who administers it.

    With --server it is stored on another PostgreSQL server, which the directory of the configured one
    records. The address must not contain a password: put one for each server into PGPASSFILE.
    """
    from recollect.app.team_access import create_project as create
    from recollect.team.roles import MemberRole

    team = create(name, server)
    team.add_member(admin, MemberRole.ADMIN, operator(team))
    changed(f"created the project {name}, administered by {admin}", as_json=as_json)


@command(
    app,
    "audit",
    "recollect team audit",
    "recollect team audit --member anna@example.org --limit 200 --json",
    output=AuditOutput,
)
def audit(
    context: typer.Context,
    member: Annotated[str, typer.Option(show_default=False, help="Only what this member did.")] = "",
    before: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Entries with numbers below this one.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many entries to show.")] = 50,
    of: ProjectOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Show writes and decisions: who, when, what, and how it ended. Nothing in the log is ever changed."""
    team = team_of(context, of)
    out = audit_output(team.project, team.audit.latest(limit, before=before, member=member))
    if as_json:
        print_json(out)
        return
    rows = table("audit", "number", "at", "member", "by", "permission", "target", "outcome")
    for row in out["entries"]:
        at = row["at"].replace("T", " ")[:19]
        by = f"{row['kind']} {row['token']}".strip()
        rows.add_row(
            str(row["number"]),
            at,
            safe(row["member"]),
            safe(by),
            row["permission"],
            safe(row["target"]),
            row["outcome"],
        )
    draw(rows)


@command(
    app,
    "limits",
    "recollect team limits",
    "recollect team limits --requests-per-minute 600 --burst 100 --memories 20000",
    output=TeamLimitsOutput,
)
def limits(
    context: typer.Context,
    requests_per_minute: Annotated[
        int | None, typer.Option(min=0, help="Requests to servers per minute; 0: no limit.")
    ] = None,
    burst: Annotated[
        int | None,
        typer.Option(min=0, help="Requests that may arrive at once; 0: as many as per minute."),
    ] = None,
    memories: Annotated[int | None, typer.Option(min=0, help="Memories; 0: no limit.")] = None,
    of: ProjectOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Show or set the limits of a project, across all its servers."""
    from dataclasses import replace

    team = team_of(context, of)
    wishes = {
        "requests_per_minute": requests_per_minute,
        "burst": burst,
        "memories": memories,
    }
    changes = {name: value for name, value in wishes.items() if value is not None}
    if changes:
        team.set_limits(replace(team.limits.get(), **changes), operator(team))
    out = limits_output(team.project, team.limits.get())
    if as_json:
        print_json(out)
        return
    say(f"Requests per minute: {out['requests_per_minute'] or 'no limit'}")
    say(f"Burst:               {out['burst'] or 'as many as per minute'}")
    say(f"Memories:            {out['memories'] or 'no limit'}")
