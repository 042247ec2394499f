"""The main job, end to end, on a small sample project: real commands, real files, nothing simulated."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

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


def main() -> None:
    """Run the tour in a folder of its own, and take it away again."""
    with tempfile.TemporaryDirectory(prefix="recollect-demo-") as home:
        project = Path(home) / "shop"
        prepare(project)
        environment = os.environ | {"HOME": home, "RECOLLECT_HOME": f"{home}/data"}
        tour(Tour(project, environment))


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

    def run(self, *arguments: str, given: object = None, expect: int = 0) -> str:
        """Run one command; an exit code that was not expected ends the tour."""
        fed = "echo '{...}' | " if given is not None else ""
        shown = " ".join(f"'{word}'" if " " in word else word for word in arguments)
        print(f"\033[2m$ {fed}recollect {shown}\033[0m" if COLOUR else f"$ {fed}recollect {shown}")
        done = subprocess.run(
            [RECOLLECT, *arguments],
            input=None if given is None else json.dumps(given),
            cwd=self.project,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        print(done.stdout.rstrip())
        if done.returncode != expect:
            sys.exit(f"expected exit code {expect}, got {done.returncode}: {done.stderr}")
        return done.stdout


def tour(tour: Tour) -> None:
    tour.say("A project gets a memory: plain files, beside the code, in git.")
    tour.run("init")

    tour.say("A decision, anchored to the code it speaks of.")
    tour.run("save", "--file", "-", "--anchor", "src/auth.py", given=JWT)
    tour.say("A preference and a constraint, from options.")
    tour.run(
        *("save", "-c", "preference", "-t", "Money is integers of cents", "--tag", "money"),
        *("-s", "topic=money", "-s", "value=Count cents in integers, never floats."),
        *("-s", "reason=0.1 + 0.2 cost us a refund.", "-s", "strength=strong"),
    )
    tour.run(
        *("save", "-c", "constraint", "-t", "Partners allow 100 calls a minute", "--tag", "partners"),
        *("-s", "kind=limitation", "-s", "rule=No more than 100 calls a minute per partner."),
        *("-s", "impact=Batch the nightly sync.", "-s", "severity=high", "-s", "active=true"),
    )

    tour.say("The same decision in other words is caught: exit code 6, nothing written.")
    tour.run("save", "--file", "-", given=JWT_AGAIN, expect=6)

    tour.say("A secret never reaches the disk.")
    leaky = {
        "category": "runbook",
        "title": "Partner feed stops",
        "tags": ["partners"],
        "content": {
            "trigger": "The feed has no new rows for an hour.",
            "steps": [
                "curl -H 'Authorization: Bearer "
                + "c2VjcmV0LXRva2VuLWZvci1kZW1v"
                + "' https://feed.example"
            ],
            "verification": "Rows arrive.",
        },
    }
    tour.run("save", "--file", "-", given=leaky)

    tour.say("Minds change: the new decision supersedes the old one, which stays readable.")
    old = "chose-jwt-over-session-cookies"
    tour.run("save", "--file", "-", "--supersedes", old, given=OPAQUE)
    tour.run("show", old)

    tour.say("A folder of decision records comes in; a dry run first.")
    tour.run("import", "docs/adr")
    tour.run("import", "docs/adr", "--yes")

    tour.say("What there is now.")
    tour.run("list")
    tour.say("The code changes; the memory that spoke of it is noticed.")
    (tour.project / "src" / "auth.py").write_text("def login(user):\n    return token(user)\n")
    tour.run("edit", "opaque-session-tokens-replace-jwt", "--anchor", "src/auth.py")
    (tour.project / "src" / "auth.py").write_text("def login(user):\n    raise NotImplementedError\n")
    tour.run("doctor")
    tour.say("And a person can simply read it.")
    print("$ cat .claude/memory/index.md")
    print((tour.project / ".claude" / "memory" / "index.md").read_text())


if __name__ == "__main__":
    main()
