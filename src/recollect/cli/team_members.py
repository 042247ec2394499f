"""`team member`: who belongs to a project, and what they may do."""

from typing import Annotated

import typer

from recollect.cli.bench_output import table
from recollect.cli.choices import choice_argument
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import draw, print_json, safe
from recollect.cli.team import ProjectOption, app, changed, operator, team_of
from recollect.team.roles import MemberRole, parse_role
from recollect.views.team import MembersOutput, TeamChangeOutput, members_output

member = typer.Typer(name="member", help="The members of a project.", no_args_is_help=True)
app.add_typer(member)

NameArgument = Annotated[str, typer.Argument(help="Their name, such as an e-mail address.")]
RoleArgument = Annotated[
    str,
    choice_argument(MemberRole, metavar="ROLE", help="Each role includes those before it."),
]


@command(
    member,
    "list",
    "recollect team member list",
    "recollect team member list --json",
    output=MembersOutput,
)
def list_members(context: typer.Context, of: ProjectOption = "", as_json: JsonFlag = False) -> None:
    """List the members of a project with their roles."""
    team = team_of(context, of)
    out = members_output(team.project, team.members.all())
    if as_json:
        print_json(out)
        return
    rows = table(f"members of {safe(team.project)}", "name", "role", "since")
    for row in out["members"]:
        rows.add_row(safe(row["name"]), row["role"], row["added_at"][:10])
    draw(rows)


@command(
    member,
    "add",
    "recollect team member add anna@example.org admin",
    "recollect team member add ben@example.org write",
    output=TeamChangeOutput,
)
def add_member(
    context: typer.Context,
    name: NameArgument,
    role: RoleArgument,
    of: ProjectOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Add a member to a project. The first member administers it."""
    team = team_of(context, of)
    added = team.add_member(name, parse_role(role), operator(team))
    changed(f"{added.name} may {added.role.value} in {team.project} now", as_json=as_json)


@command(member, "role", "recollect team member role ben@example.org approve", output=TeamChangeOutput)
def set_role(
    context: typer.Context,
    name: NameArgument,
    role: RoleArgument,
    of: ProjectOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Change a member's role. Their tokens never allow more than the role."""
    team = team_of(context, of)
    team.set_role(name, parse_role(role), operator(team))
    changed(f"{name} now has the role {role} in {team.project}", as_json=as_json)


@command(member, "remove", "recollect team member remove ben@example.org", output=TeamChangeOutput)
def remove_member(
    context: typer.Context, name: NameArgument, of: ProjectOption = "", as_json: JsonFlag = False
) -> None:
    """Remove a member from a project. Their tokens are revoked at once."""
    team = team_of(context, of)
    team.remove_member(name, operator(team))
    changed(f"{name} is no longer a member of {team.project}", as_json=as_json)
