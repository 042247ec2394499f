"""The MCP inspector's command line in front of `recollect serve`: results are those of a direct call.

It cannot be asked anything, and shows neither progress nor logs. Each of its requests takes two processes of
their own: by default each pair of eras is tried with one tool, with RECOLLECT_SOAK=2 everything.
"""

import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.published_servers import needs_npm
from tests.e2e.third_party import (
    EVERYTHING,
    INSPECTOR_TRIALS,
    NEWER,
    UPSTREAM_ERAS,
    Trial,
    User,
    user_in,
)
from tests.requirements import requirement
from tests.server.running import NEW, OLD, SERVE
from tests.soak import SOAK

INSPECTOR = Path(sys.prefix) / "npm" / "node_modules" / ".bin" / "mcp-inspector"
pytestmark = [
    needs_npm,
    pytest.mark.skipif(
        not INSPECTOR.exists(), reason="the MCP inspector is not installed; `make servers` installs it"
    ),
]

ERAS = {OLD: "legacy", NEW: "modern"}
VARIES = re.compile(r"\d+:\d+:\d+ [AP]M|\d{4}-\d\d-\d\dT[\d:.]+Z")
# A server offers no tool that asks to a client that cannot be asked; roots are each client's own.
UNASKED = [tool for tool in EVERYTHING if "elicitation" not in tool and "sampling" not in tool]
CALLED = {
    "everything": [
        tool for tool in UNASKED if tool != "get-roots-list" and not tool.startswith("toggle")
    ]
    if SOAK > 1
    else ["get-structured-content"],
    "newer": ["work"],
}
# Each era of the client with each era of the server, half of them in each exposure.
CHOSEN = INSPECTOR_TRIALS if SOAK > 1 else [INSPECTOR_TRIALS[number] for number in (0, 3, 5, 6)]
ANSWER = ("content", "structuredContent", "isError", "contents", "messages")
RESOURCE = "demo://resource/static/document/features.md"


@dataclass(frozen=True, slots=True)
class Inspector:
    """Runs the inspector against one command, in one era."""

    command: list[str]
    user: User
    era: str
    settings: dict[str, str] = field(default_factory=dict)  # it hands a server few variables of its own

    def ask(self, method: str, *options: str) -> dict[str, Any]:
        """The result of one request."""
        words = [str(INSPECTOR), "--cli", "--protocol-era", ERAS.get(self.era, "modern")]
        words += [word for pair in self.settings.items() for word in ("-e", "=".join(pair))]
        words += ["--format", "json", "--quiet", "--method", method, *options, "--", *self.command]
        run = subprocess.run(
            words,
            env=self.user.env,
            cwd=self.user.folder,
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert run.returncode == 0, run.stderr.decode()
        result: dict[str, Any] = json.loads(VARIES.sub("varies", run.stdout.decode()))["result"]
        return {key: value for key, value in result.items() if key in ANSWER and value is not False}

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return self.ask("tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments))


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> User:
    return user_in(tmp_path_factory.mktemp("user"))


def serve(user: User, exposure: str, era: str) -> Inspector:
    return Inspector(SERVE, user, era, {"RECOLLECT_GATEWAY_EXPOSURE": exposure})


def direct(user: User, upstream: str) -> Inspector:
    server = user.servers[upstream]
    return Inspector([server["command"], *server.get("args", [])], user, UPSTREAM_ERAS[upstream])


@pytest.fixture(scope="module")
def expected(user: User) -> dict[tuple[str, str], dict[str, Any]]:
    """What the same client gets without Recollect, by server and tool."""
    return {
        (upstream, tool): direct(user, upstream).call(tool, (EVERYTHING | NEWER)[tool])
        for upstream, tools in CALLED.items()
        for tool in tools
    }


@requirement("gateway:meta-tools:pass-through")
@pytest.mark.parametrize("trial", CHOSEN, ids=Trial.row)
def test_tools_behave_as_when_called_directly(
    user: User, expected: dict[tuple[str, str], dict[str, Any]], trial: Trial
) -> None:
    inspector = serve(user, trial.exposure, trial.client_era)
    for tool in CALLED[trial.upstream]:
        arguments = (EVERYTHING | NEWER)[tool]
        if trial.exposure == "proxy":
            result = inspector.call(f"{trial.upstream}__{tool}", arguments)
        else:
            sent = {"tool": f"{trial.upstream}:{tool}", "arguments": arguments}
            result = inspector.call("call", sent)

        assert result == expected[trial.upstream, tool]


@requirement("gateway:offers:pass-through")
def test_a_prompt_is_the_servers(user: User) -> None:
    arguments = ("--prompt-args", "city=Berlin", "state=BE")

    ours = serve(user, "meta", NEW).ask(
        "prompts/get", "--prompt-name", "everything__args-prompt", *arguments
    )

    theirs = direct(user, "everything").ask("prompts/get", "--prompt-name", "args-prompt", *arguments)
    assert ours == theirs != {}


@requirement("gateway:offers:pass-through")
@pytest.mark.skipif(SOAK <= 1, reason="RECOLLECT_SOAK=2 tries resources with the inspector too")
def test_a_resource_is_the_servers(user: User) -> None:
    ours = serve(user, "meta", OLD).ask("resources/read", "--uri", RESOURCE)

    assert ours == direct(user, "everything").ask("resources/read", "--uri", RESOURCE) != {}
