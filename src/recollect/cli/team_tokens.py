"""`team token`: what members and their agents show to servers."""

from typing import Annotated

import typer

from recollect.cli.bench_output import table
from recollect.cli.choices import choice_option
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import draw, print_json, safe, say
from recollect.cli.team import ProjectOption, app, changed, operator, team_of
from recollect.team.roles import MOST_OF_AN_AGENT, MemberRole, parse_role
from recollect.views.team import NewTokenOutput, TeamChangeOutput, TokensOutput, token_row

token = typer.Typer(name="token", help="The tokens of a project.", no_args_is_help=True)
app.add_typer(token)


@command(
    token,
    "create",
    "recollect team token create anna@example.org --label laptop",
    "recollect team token create anna@example.org --agent --role write --days 90",
    output=NewTokenOutput,
)
def create_token(
    context: typer.Context,
    member: Annotated[str, typer.Argument(help="The member it belongs to.")],
    role: Annotated[
        str,
        choice_option(
            MemberRole,
            "--role",
            metavar="ROLE",
            show_default=False,
            help="The most it may do. Default: the member's role.",
        ),
    ] = "",
    agent: Annotated[bool, typer.Option("--agent", help="For an agent, which never approves.")] = False,
    label: Annotated[str, typer.Option(help="What it is for.")] = "",
    days: Annotated[int | None, typer.Option(min=1, help="How long it lasts. [no limit]")] = None,
    of: ProjectOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Create a token for a member, or for an agent that works for them. It is shown only once.

    Only its hash is stored. The page and the runs API take a person's token, MCP takes an agent's.
    """
    from recollect.app.team import TokenWish
    from recollect.errors import NotFoundError
    from recollect.team.members import member_name

    team = team_of(context, of)
    holder = team.members.get(member_name(member))
    if holder is None:
        raise NotFoundError(
            f"{member!r} is not a member of {team.project!r}; `team member add` adds them."
        )
    most = min(holder.role, MOST_OF_AN_AGENT, key=lambda role: role.rank) if agent else holder.role
    wish = TokenWish(
        holder.name, parse_role(role) if role else most, "agent" if agent else "person", label, days
    )
    text, stored = team.create_token(wish, operator(team))
    out: NewTokenOutput = {"token": str(text), "about": token_row(stored)}
    if as_json:
        print_json(out)
        return
    say(f"[bold]{text}[/]")
    say(f"[dim]It is shown only once. `recollect team token revoke {text.id}` revokes it.[/]")


@command(
    token, "list", "recollect team token list", "recollect team token list --json", output=TokensOutput
)
def list_tokens(context: typer.Context, of: ProjectOption = "", as_json: JsonFlag = False) -> None:
    """List the tokens of a project: whose they are, what they may do, and when they were last used."""
    team = team_of(context, of)
    out: TokensOutput = {
        "project": team.project,
        "tokens": [token_row(stored) for stored in team.tokens.all()],
    }
    if as_json:
        print_json(out)
        return
    rows = table(
        f"tokens of {safe(team.project)}", "id", "member", "kind", "role", "label", "last use", "ended"
    )
    for row in out["tokens"]:
        used, ended = row["last_used_at"] or "never", row["revoked_at"] or row["expires_at"]
        rows.add_row(
            row["id"],
            safe(row["member"]),
            row["kind"],
            row["role"],
            safe(row["label"]),
            used.replace("T", " ")[:16],
            ended[:10] or "-",
        )
    draw(rows)


@command(token, "revoke", "recollect team token revoke 3f9c02a1b4d7", output=TeamChangeOutput)
def revoke_token(
    context: typer.Context,
    id: Annotated[str, typer.Argument(help="The token's id, as `team token list` shows it.")],
    of: ProjectOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Revoke a token at once, and end the page sessions that it opened."""
    team = team_of(context, of)
    ended = team.revoke_token(id, operator(team))
    changed(f"{id} is revoked" if ended else f"{id} had already ended", as_json=as_json)
