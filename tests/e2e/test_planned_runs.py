"""Plans over real servers: what earlier runs taught, what is done already, and the order of tools."""

from pathlib import Path

import anyio
import pytest
from tests.requirements import requirement
from tests.upstreams.servers import light_entry

from recollect.app.gateway import Gateway
from recollect.app.local_runs import local_runs
from recollect.app.planner import Wish
from recollect.app.run_store import RunStore, open_run_store
from recollect.app.runs import LiveRun
from recollect.clock import utc_now
from recollect.gateway.upstream import entry_of
from recollect.records.json_format import JsonObject
from recollect.workflow.document import workflow_document
from recollect.workflow.plan import OnTheWay, Plan

# Tools in the order of the arguments after the first, which names the file that has a line for each call.
SHOP = """
from light_server import _TOOLS

def called(name):
    with open(sys.argv[1], "a") as file:
        file.write(name + "\\n")

def given(**content):
    return {"content": [], "structuredContent": content}

def git_clone(url: str) -> str:
    "Clone a git repository to this machine."
    called("git_clone")
    return "cloned"

def npm_install(production: bool = False) -> str:
    "Install the packages of a JavaScript project."
    called("npm_install")
    return "installed"

def deploy(target: str) -> str:
    "Deploy the application to a target."
    called("deploy")
    return "deployed"

def find_invoice(customer: str):
    "Find the invoice of a customer."
    called("find_invoice")
    return given(invoice_id=7)

def fetch_invoice(invoice_id: int):
    "Fetch the text of an invoice."
    called("fetch_invoice")
    raise ValueError("the archive is closed")

def download_invoice(invoice_id: int):
    "Download the text of an invoice from the archive of invoices."
    called("download_invoice")
    return given(invoice_text=f"invoice {invoice_id}")

def mail_invoice(invoice_text: str) -> str:
    "Mail the text of an invoice to its customer."
    called("mail_invoice")
    return invoice_text

gives = {
    "find_invoice": {"invoice_id": {"type": "integer"}},
    "fetch_invoice": {"invoice_text": {"type": "string"}},
    "download_invoice": {"invoice_text": {"type": "string"}},
}
for name in sys.argv[2:]:
    tool(globals()[name], read_only=name.startswith(("find", "fetch", "download")))
    if name in gives:
        _TOOLS[-1]["outputSchema"] = {"type": "object", "properties": gives[name]}
"""
TOOLS = (
    "git_clone",
    "npm_install",
    "deploy",
    "find_invoice",
    "fetch_invoice",
    "download_invoice",
    "mail_invoice",
)


class Shop:
    """A folder with the server, and what was called."""

    def __init__(self, folder: Path, tools: tuple[str, ...]) -> None:
        self.folder = folder
        self.gateway = Gateway(folder / "data", {"HOME": str(folder)}, utc_now)
        self.store: RunStore = open_run_store(self.gateway, folder)
        self.gateway.add("shop", light_entry(SHOP, str(folder / "calls"), *tools))
        self.gateway.refresh("shop")
        self.gateway.policy.put("allow", "shop:*")

    def calls(self) -> list[str]:
        return (self.folder / "calls").read_text().split()

    async def plan(self, request: str) -> Plan:
        async with local_runs(self.gateway, self.folder, self.store) as runs:
            return await runs.plan(Wish(request))

    async def run(self, *tasks: JsonObject, intent: str = "", replans: bool = False) -> LiveRun:
        """Run to where it waits, or with a new plan for what failed."""
        async with local_runs(self.gateway, self.folder, self.store) as runs:
            live = await runs.start({"tasks": list(tasks), "intent": intent})
            await live.driver.rest()
            if replans:
                await runs.command(live.run, "replan", {}, "test")
                await live.driver.rest()
            return live


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return Shop(tmp_path_factory.mktemp("shop"), TOOLS)


def task(name: str, needs: str = "", **arguments: object) -> JsonObject:
    required = [needs] if needs else []
    return {"id": name, "tool": f"shop:{name}", "arguments": arguments, "needs": required}  # type: ignore[dict-item]


@requirement("workflow:plan:dependencies")
def test_a_declared_need_counts_more_than_the_order_in_a_request(tmp_path: Path) -> None:
    shop = Shop(tmp_path, ("deploy", "git_clone"))
    request = "deploy the application, clone a git repository"
    before = anyio.run(shop.plan, request)
    declared = entry_of(shop.gateway.upstream("shop")) | {"needs": {"deploy": ["git_clone"]}}
    shop.gateway.add("shop", declared, replace=True)
    shop.gateway.refresh("shop")

    after = anyio.run(shop.plan, request)

    assert [each.id for each in before.workflow.tasks] == ["deploy", "git_clone"]
    assert [each.id for each in after.workflow.tasks] == ["git_clone", "deploy"]
    assert list(after.workflow.tasks[1].inputs()) == ["git_clone"]


@requirement("workflow:plan:unnamed-step")
def test_earlier_runs_teach_the_step_that_nobody_names(shop: Shop) -> None:
    request = "clone a git repository and deploy the application"
    before = anyio.run(shop.plan, request)
    for _ in range(3):
        done = anyio.run(
            shop.run,
            task("git_clone", url="https://example.org/shop.git"),
            task("npm_install", "git_clone"),
            task("deploy", "npm_install", target="test"),
        )
        assert done.state.status == "succeeded"

    after = anyio.run(shop.plan, request)

    assert sorted(before.workflow.tasks, key=lambda each: each.id) != []
    assert {each.tool for each in before.workflow.tasks} == {"shop:git_clone", "shop:deploy"}
    assert [each.tool for each in after.workflow.tasks] == [
        "shop:git_clone",
        "shop:npm_install",
        "shop:deploy",
    ]
    assert isinstance(after.choices["npm_install"].reason, OnTheWay)


@requirement("workflow:replan:uses-what-is-done")
def test_a_run_that_is_planned_again_uses_what_was_done(shop: Shop) -> None:
    before = len(shop.calls()) if (shop.folder / "calls").exists() else 0

    async def run() -> LiveRun:
        return await shop.run(
            task("find_invoice", customer="Ada"),
            task("fetch_invoice", invoice_id="${find_invoice.invoice_id}"),
            task("mail_invoice", invoice_text="${fetch_invoice.invoice_text}"),
            intent="find the invoice of a customer, get the text of the invoice, mail the invoice",
            replans=True,
        )

    state = anyio.run(run).state

    assert {run.task.tool: run.status for run in state.tasks.values()} == {
        "shop:find_invoice": "succeeded",
        "shop:fetch_invoice": "failed",
        "shop:download_invoice": "succeeded",
        "shop:mail_invoice": "succeeded",
    }
    assert shop.calls()[before:] == [
        "find_invoice",
        "fetch_invoice",
        "download_invoice",
        "mail_invoice",
    ]
    mailed = [run.output for run in state.tasks.values() if run.task.tool == "shop:mail_invoice"]
    assert {"result": "invoice 7"} in mailed


@requirement("workflow:plan:shuffled")
def test_the_order_in_which_a_server_lists_its_tools_changes_no_plan(tmp_path: Path) -> None:
    request = "find the invoice of a customer, download the text of the invoice, mail the invoice"
    plans = []
    for number, tools in enumerate((TOOLS, TOOLS[::-1])):
        folder = tmp_path / str(number)
        folder.mkdir()
        planned = anyio.run(Shop(folder, tools).plan, request)
        plans.append((workflow_document(planned.workflow), planned.confidence))

    assert plans[0] == plans[1]
    assert len(plans[0][0]["tasks"]) >= 3  # type: ignore[arg-type]
