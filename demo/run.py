"""The main job, end to end, on a small sample project: real commands, real files, nothing simulated."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RECOLLECT = str(Path(sys.executable).parent / "recollect")
COLOUR = sys.stdout.isatty()

JWT = {
    "category": "decision",
    "title": "Chose JWT over session cookies",
    "tags": ["auth", "jwt"],
    "content": {
        "status": "accepted",
        "context": "The shop's API is called by the web page, the phone app and two partners.",
        "decision": "Sign a short-lived JWT at login and send it as a bearer token.",
        "rationale": ["The API keeps no sessions.", "Partners can verify a token without calling us."],
        "alternatives": [{"option": "Session cookies", "rejected_reason": "Partners have no browser."}],
    },
}
JWT_AGAIN = JWT | {
    "title": "JWT chosen over session cookies",
    "content": JWT["content"]  # type: ignore[operator]
    | {"context": "The API of the shop is called by the web page, the phone app and two partners."},
}
OPAQUE = {
    "category": "decision",
    "title": "Opaque session tokens replace JWT",
    "tags": ["auth", "session"],
    "content": {
        "status": "accepted",
        "context": "A leaked JWT stayed good for an hour, and we could do nothing about it.",
        "decision": "Give out an opaque token and look it up on every call.",
        "rationale": ["A token can be revoked at once."],
        "consequences": ["One more query per call, 0.4 ms at the 95th percentile."],
    },
}

LEAKY = {
    "category": "runbook",
    "title": "Partner feed stops",
    "tags": ["partners", "feed"],
    "content": {
        "trigger": "The partner feed has no new rows for an hour.",
        "steps": ["curl -H 'Authorization: Bearer c2VjcmV0LXRva2VuLWZvci1kZW1v' https://feed.example"],
        "verification": "Rows arrive in the feed.",
    },
}
FAILED_TESTS = f"""
=========================== short test summary info ============================
FAILED tests/test_auth.py::test_a_token_is_revoked - AssertionError: still valid
token was ghp_{"x7Qp2Lm9Rt4Vw8Zk" * 2}Ab3D
========================= 1 failed, 7 passed in 0.31s ==========================
"""
MASKED = {
    "category": "constraint",
    "title": "Mask customer exports",
    "tags": ["privacy", "export", "customers"],
    "content": {
        "kind": "policy",
        "rule": "Exports of customers must have names and addresses masked.",
        "impact": ["Every export job of customers."],
        "severity": "high",
        "active": True,
    },
}

NEXT = """
What to do next, in a project of your own:

  cd ~/your/project
  recollect init                    creates .claude/memory and offers to connect your agents
  recollect import docs/adr         shows what your decision records would become; --yes imports them
  recollect import CLAUDE.md        the same for rules
  recollect save                    asks for your first memory
  recollect doctor                  says whether all of it works

`recollect` is in this folder's .venv/bin. The README installs it for good: "The first five minutes".
"""


def main() -> None:
    """Run the tour in a folder of its own, and take it away again."""
    with tempfile.TemporaryDirectory(prefix="recollect-demo-") as home:
        project = Path(home) / "shop"
        print(f"The tour works in {project}, which is removed at the end. Nothing of yours is changed.")
        prepare(project)
        path = f"{Path(RECOLLECT).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        environment = os.environ | {"XDG_DATA_HOME": f"{home}/data", "PATH": path}
        tour(Tour(project, environment))
    print(NEXT)


def prepare(project: Path) -> None:
    """A small sample project: a bit of code, a folder of decision records, a git history."""
    (project / "src").mkdir(parents=True)
    (project / "src" / "auth.py").write_text("def login(user):\n    return sign(user, hours=1)\n")
    shutil.copytree(HERE / "adr", project / "docs" / "adr")
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "A small shop"]):
        who = ["-c", "user.name=demo", "-c", "user.email=demo@localhost"]
        subprocess.run(["git", *who, *arguments], cwd=project, check=True)


class Tour:
    """Says what comes, runs the command, shows what it printed."""

    def __init__(self, project: Path, environment: dict[str, str]) -> None:
        self.project, self.environment = project, environment
        if COLOUR:
            self.environment["FORCE_COLOR"] = "1"
        self.environment.setdefault("COLUMNS", "100")

    def say(self, text: str) -> None:
        print(f"\n\033[1;36m# {text}\033[0m" if COLOUR else f"\n# {text}")

    def expect(self, held: bool, what: str) -> None:
        """Say that something holds, or end the tour because it does not."""
        if not held:
            sys.exit(f"expected that {what}")
        print(f"\033[32m✓ {what}\033[0m" if COLOUR else f"ok: {what}")

    def prompt(self, text: str, session: str = "demo", **fields: str) -> str:
        """Send a prompt to the real hook, as a harness does; what it adds to the conversation."""
        print(f"> {text}")
        context = self.event("UserPromptSubmit", session, prompt=text, **fields)
        print(context or "(nothing)")
        return context

    def event(self, name: str, session: str = "demo", **fields: object) -> str:
        """Send any event to the real hook; what it adds to the conversation."""
        told = self.run_json("hook-command", name, "--json")
        done = subprocess.run(
            told["command"],
            input=json.dumps({"session_id": session, "cwd": str(self.project), **fields}),
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        output = json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else {}
        return str(output.get("additionalContext", ""))

    def show(self, file: str) -> None:
        """Print a file of the project."""
        print(f"\033[2m$ cat {file}\033[0m" if COLOUR else f"$ cat {file}")
        print((self.project / file).read_text("utf-8").rstrip())

    def run_json(self, *arguments: str) -> dict[str, Any]:
        """What a command prints for machines."""
        done = subprocess.run(
            [RECOLLECT, *arguments],
            cwd=self.project,
            env=self.environment,
            capture_output=True,
            check=True,
        )
        return dict(json.loads(done.stdout))

    def run(self, *arguments: str, given: object = None, expect: int = 0, shown: int = 0) -> str:
        """Run one command and show what it prints, or its last lines; a wrong exit code ends the tour."""
        fed = "echo '{...}' | " if given is not None else ""
        words = " ".join(f"'{word}'" if " " in word else word for word in arguments)
        print(f"\033[2m$ {fed}recollect {words}\033[0m" if COLOUR else f"$ {fed}recollect {words}")
        done = subprocess.run(
            [RECOLLECT, *arguments],
            input=None if given is None else json.dumps(given),
            cwd=self.project,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        lines = done.stdout.rstrip().splitlines()
        print("\n".join(["...", *lines[-shown:]] if shown else lines))
        if done.returncode != expect:
            sys.exit(f"expected exit code {expect}, got {done.returncode}: {done.stderr}")
        return done.stdout


def tour(tour: Tour) -> None:
    keeping(tour)
    finding(tour)
    conversation(tour)
    working(tour)
    why(tour)


def keeping(tour: Tour) -> None:
    """Memories are kept, repeated, replaced and brought in."""
    tour.say(
        "A project gets a memory: plain files, beside the code, in git. Claude Code gets its hooks."
    )
    tour.run("init", "--harness", "claude-code", "--yes", shown=12)

    tour.say("A decision, anchored to the code it speaks of.")
    tour.run("save", "--file", "-", "--anchor", "src/auth.py", given=JWT)
    tour.say("The record that it saved: one JSON file, to read in a pull request.")
    tour.show(".claude/memory/decisions/chose-jwt-over-session-cookies.json")
    tour.say("A preference, from options.")
    tour.run(
        *("save", "-c", "preference", "-t", "Money is integers of cents", "--tag", "money"),
        *("-s", "topic=money", "-s", "value=Count cents in integers, never floats."),
        *("-s", "reason=0.1 + 0.2 cost us a refund.", "-s", "strength=strong"),
    )
    tour.say("The same decision in other words is caught: exit code 6, nothing written.")
    tour.run("save", "--file", "-", given=JWT_AGAIN, expect=6)

    tour.say("A secret never reaches the disk.")
    tour.run("save", "--file", "-", given=LEAKY)

    tour.say("Minds change: the new decision supersedes the old one, which stays readable.")
    old = "chose-jwt-over-session-cookies"
    tour.run("save", "--file", "-", "--supersedes", old, given=OPAQUE)

    tour.say("A folder of decision records comes in; a dry run first.")
    tour.run("import", "docs/adr")
    tour.run("import", "docs/adr", "--yes", shown=1)
    tour.run("list")


def finding(tour: Tour) -> None:
    """What was kept is found, by words and by meaning, and by a person who simply reads."""
    tour.say("Found again, in other words (by meaning too, when the model is installed).")
    tour.run("search", "background work got lost when a server was restarted", "--limit", "2")
    tour.say("What held in March, before the queue moved.")
    tour.run("search", "where do jobs wait", "--as-of", "2026-03-01", "--limit", "1")
    tour.say("The code changes; the memory that spoke of it is noticed.")
    (tour.project / "src" / "auth.py").write_text("def login(user):\n    return token(user)\n")
    tour.run("edit", "opaque-session-tokens-replace-jwt", "--anchor", "src/auth.py")
    (tour.project / "src" / "auth.py").write_text("def login(user):\n    return None\n")
    tour.run("doctor")
    tour.run("edit", "opaque-session-tokens-replace-jwt", "--reanchor")


def conversation(tour: Tour) -> None:
    """A harness talks to the real hook processes, and an agent to the real MCP server."""
    transcript = tour.project.parent / "transcript.jsonl"
    tour.say("A developer types a prompt; the memory that matters is there.")
    asked = "the job queue lost invoices again, should we move it to redis?"
    told = tour.prompt(asked)
    tour.expect("keep-the-job-queue-in-postgresql" in told, "the queue decision is given")

    tour.say("An unrelated prompt is left alone.")
    tour.expect(
        "<memory-context" not in tour.prompt("what is a good name for a cat?"), "nothing is given"
    )

    tour.say("'fix that' finds its subject in the transcript.")
    said = {"type": "user", "message": {"role": "user", "content": "the partner feed has no new rows"}}
    transcript.write_text(json.dumps(said) + "\n")
    told = tour.prompt("please fix that", transcript_path=str(transcript))
    tour.expect("partner-feed-stops" in told, "the runbook is given")

    tour.say("The agent searches and saves over MCP; the next prompt finds what it saved.")
    asyncio.run(agent(tour))
    told = tour.prompt("do exports of customers need masking?", session="next")
    tour.expect("mask-customer-exports" in told, "what the agent saved is given")
    tour.run("status")


def working(tour: Tour) -> None:
    """What a session is doing is remembered from what its tools return, across a pause."""
    tour.say("A test fails. What matters of its output is kept in mind, without the secret in it.")
    tour.event(
        "PostToolUse",
        tool_name="Bash",
        tool_input={"command": "pytest tests/test_auth.py"},
        tool_response={"stdout": FAILED_TESTS, "stderr": "", "exit_code": 1},
    )
    tour.event(
        "PostToolUse", tool_name="Edit", tool_input={"file_path": "src/auth.py"}, tool_response="ok"
    )
    shown = tour.run("session")
    tour.expect("test_a_token_is_revoked" in shown, "the failing test is in mind")
    tour.expect("ghp_" not in shown, "the key is not")

    tour.say("The agent stops; a day later the session is resumed, and is told where it was.")
    tour.event("Stop", last_assistant_message="Stopping here.")
    told = tour.event("SessionStart", source="resume")
    print(told)
    tour.expect("test_a_token_is_revoked" in told, "working memory is given back")
    tour.say("Its summary waits as a draft, to be kept or dropped by a person.")
    tour.run("session", "drafts")


def why(tour: Tour) -> None:
    """How did it come about?"""
    tour.say("Why is it like this? The links between memories tell, with their evidence.")
    new = "opaque-session-tokens-replace-jwt"
    tour.run("link", "partner-feed-stops", "caused", new, "--evidence", "the incident of May")
    shown = tour.run("why", "why do we look up opaque tokens")
    tour.expect("the incident of May" in shown, "the reason is told, and what it rests on")


async def agent(tour: Tour) -> None:
    """What an agent does: ask for tools, search, save. Speaks newline-delimited JSON-RPC."""
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "recollect", "serve"),
        cwd=tour.project,
        env=tour.environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    client = Client(server)
    try:
        version = {"protocolVersion": "2025-11-25", "capabilities": {}}
        await client.ask("initialize", version | {"clientInfo": {"name": "demo", "version": "1"}})
        await client.tell("notifications/initialized")
        tools = await client.ask("tools/list", {})
        print("tools:", ", ".join(tool["name"] for tool in tools["tools"]))
        found = await client.call("memory_search", {"query": "who may see customer data"})
        print("memory_search:", found.splitlines()[0] if found else "nothing")
        saved = await client.call("memory_save", MASKED)
        print("memory_save:", saved.splitlines()[0])
    finally:
        assert server.stdin is not None
        server.stdin.close()
        await server.wait()


class Client:
    """A few lines of MCP."""

    def __init__(self, server: asyncio.subprocess.Process) -> None:
        self.server, self.number = server, 0

    async def tell(self, method: str, params: dict[str, Any] | None = None, **more: Any) -> None:
        assert self.server.stdin is not None
        message = {"jsonrpc": "2.0", "method": method, **more, **({"params": params} if params else {})}
        self.server.stdin.write(json.dumps(message).encode() + b"\n")
        await self.server.stdin.drain()

    async def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.number += 1
        await self.tell(method, params, id=self.number)
        assert self.server.stdout is not None
        while True:
            answer = json.loads(await asyncio.wait_for(self.server.stdout.readline(), 60))
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"{method} failed: {answer['error']}")
                return dict(answer["result"])

    async def call(self, tool: str, arguments: dict[str, Any]) -> str:
        result = await self.ask("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            sys.exit(f"{tool} failed: {result}")
        return "\n".join(part.get("text", "") for part in result["content"])


if __name__ == "__main__":
    main()
