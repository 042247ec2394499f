"""Commands that read a user's file with a limit refuse what is longer: a part may mean something else."""

import pytest
from tests.cli.running import Cli

from recollect.cli.exits import Exit

# The first lines are complete, so that a part of each would run or be imported.
WORKFLOW = "tasks: []\n" + "# more\n" * 600_000 + "intent: delete\n"
CODE = "1 + 1\n" + "# more\n" * 150_000 + "raise ValueError\n"
CAPABILITY = "code: 1\n" + "# more\n" * 3_000


@pytest.mark.parametrize(
    ("command", "text", "limit"),
    [
        (("run", "start"), WORKFLOW, "4,000,000"),
        (("run", "inject", "run-1a2b3c4d"), WORKFLOW, "4,000,000"),
        (("run", "code"), CODE, "1,000,000"),
        (("capability", "import"), CAPABILITY, "20,000"),
    ],
)
@pytest.mark.parametrize("door", ["file", "-"])
def test_a_text_beyond_the_limit_is_refused_and_not_cut(
    cli: Cli, command: tuple[str, ...], text: str, limit: str, door: str
) -> None:
    file = cli.folder / "input"
    file.write_text(text, encoding="utf-8")

    refused = cli(*command, "-" if door == "-" else str(file), stdin=text)

    assert refused.exit_code == Exit.INVALID, refused
    assert f"has more than {limit} characters; nothing was done" in " ".join(refused.err.split())
