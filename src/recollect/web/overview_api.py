"""The overview: the project, its memories and their use, what was saved, what waits, and what is wrong."""

from datetime import timedelta

from anyio import to_thread

from recollect import __version__, paths
from recollect.app.gateway import Gateway
from recollect.app.models import configured_model
from recollect.app.project import Recollect
from recollect.app.settings import config_of_folder
from recollect.hook.latency import read_latencies
from recollect.loopback.endpoint import ApiCall, Endpoint
from recollect.retrieval.index import Filters
from recollect.team.roles import Permission
from recollect.views.health import DoctorOutput, finding_row
from recollect.views.overview import (
    DAYS,
    AttentionOutput,
    AttentionRow,
    OverviewOutput,
    ProjectOutput,
    SavingsOutput,
    needs_review,
    overview_output,
    savings_output,
)
from recollect.views.speculation import speculation_output
from recollect.web.page import WebPage, in_project

_INJECTIONS = 20_000  # the last ones, more than a month has
_RUNS = 100


def _project(recollect: Recollect, call: ApiCall[WebPage]) -> ProjectOutput:
    model = configured_model(
        recollect.models, recollect.config, paths.user_config(call.door.gateway.env)
    )
    return {
        "name": recollect.identity.name,
        "folder": str(recollect.folder),
        "root": str(recollect.root),
        "version": __version__,
        "model": model.name if model else None,
        "approval_refusal": call.door.refusal_to(call.principal),
        "member": call.principal.name if call.principal.project else "",
        "may": [action.value for action in Permission if call.principal.may(action)],
    }


def _overview(recollect: Recollect, _: ApiCall[WebPage]) -> OverviewOutput:
    every = Filters(statuses=frozenset())
    created, in_force = recollect.search.created(every, recollect.in_force)
    return overview_output(
        created,
        in_force,
        recollect.sessions.injections(_INJECTIONS),
        read_latencies(str(recollect.state_folder)),
        recollect.now.date(),
    )


async def _savings(call: ApiCall[WebPage]) -> SavingsOutput:
    return await to_thread.run_sync(_saved, call.door)


def _saved(page: WebPage) -> SavingsOutput:
    gateway = page.gateway
    since = (gateway.now() - timedelta(days=DAYS)).date().isoformat()
    enabled = config_of_folder(page.folder, env=gateway.env).gateway.speculation
    trusted = [name for name, upstream in gateway.upstreams().items() if upstream.speculate]
    uses = gateway.database.speculations.uses(since)
    speculation = speculation_output(uses, since, enabled=enabled, trusted=trusted)
    return savings_output(gateway.receipts(since), speculation, since)


async def _attention(call: ApiCall[WebPage]) -> AttentionOutput:
    page = call.door
    rows = await page.ask(_waiting_in_project)
    records = await (await page.runs()).records(_RUNS)
    paused = sum(record.status == "paused" for record in records)
    rows.append(
        _waiting("runs", paused, "run is waiting for a decision", "runs are waiting for a decision")
    )
    blocked = await to_thread.run_sync(_blocked_tools, page.gateway)
    rows.append(
        _waiting("tools", blocked, "tool changed and is blocked", "tools changed and are blocked")
    )
    return {"items": [row for row in rows if row["count"]]}


def _waiting_in_project(recollect: Recollect) -> list[AttentionRow]:
    drafts = len(recollect.sessions.drafts.all())
    unused = sum(needs_review(impact) for impact in recollect.sessions.impact())
    problems = len(recollect.config.problems)
    return [
        _waiting("drafts", drafts, "draft is waiting for review", "drafts are waiting for review"),
        _waiting(
            "unused",
            unused,
            "memory is injected often and never used",
            "memories are injected often and never used",
        ),
        _waiting("settings", problems, "setting is not valid", "settings are not valid"),
    ]


def _waiting(kind: str, count: int, singular: str, plural: str) -> AttentionRow:
    return {"kind": kind, "count": count, "text": singular if count == 1 else plural}


def _blocked_tools(gateway: Gateway) -> int:
    return sum(bool(tool.quarantine) for tool in gateway.tools())


def _health(recollect: Recollect, _: ApiCall[WebPage]) -> DoctorOutput:
    examinations = recollect.upkeep.examine()
    rows = [
        finding_row(finding, fixed=False)
        for examination in examinations
        for finding in examination.findings
    ]
    return {
        "healthy": not any(row["level"] == "error" for row in rows),
        "memories": sum(examination.count for examination in examinations),
        "project": recollect.identity.name,
        "findings": rows,
    }


ENDPOINTS: tuple[Endpoint[WebPage], ...] = (
    Endpoint(
        "GET",
        "project",
        Permission.READ_MEMORIES,
        "The project that is shown.",
        ProjectOutput,
        in_project(_project),
    ),
    Endpoint(
        "GET",
        "overview",
        Permission.READ_MEMORIES,
        "Memories and their use.",
        OverviewOutput,
        in_project(_overview),
    ),
    Endpoint(
        "GET",
        "savings",
        Permission.READ_TOOLS,
        "What the gateway saved in a month.",
        SavingsOutput,
        _savings,
    ),
    Endpoint(
        "GET",
        "attention",
        Permission.READ_MEMORIES,
        "What is waiting for a person.",
        AttentionOutput,
        _attention,
    ),
    Endpoint(
        "GET",
        "health",
        Permission.READ_MEMORIES,
        "What `recollect doctor` finds; with many memories it takes seconds.",
        DoctorOutput,
        in_project(_health, slow=True),
    ),
)
