"""Our server in config.toml: added and removed, the rest untouched."""

import tomllib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.agents.toml_settings import with_server, without_server
from recollect.errors import RefusedError

SERVE = ["/opt/my tools/größe/bin/python", "-m", "recollect", "serve"]
PIECES = st.sampled_from(
    [
        'model = "gpt"\n',
        "# [mcp_servers.recollect] is not here\n",
        "\n",
        "\n\n",
        "[features]\nhooks = true\n",
        '[mcp_servers.time]\ncommand = "uvx"\nargs = [\n  "time",\n]\n',
        "[[rules]]\na = 1\n",
        "[[rules]]\na = 2",
    ]
)


@st.composite
def configs(draw: st.DrawFn) -> str:
    """A config.toml: top-level keys first, tables once, any line end."""
    pieces = list(dict.fromkeys(draw(st.lists(PIECES, max_size=6))))
    pieces.sort(key=lambda piece: piece != 'model = "gpt"\n')
    pieces.sort(key=lambda piece: piece == "[[rules]]\na = 2")  # has no line end, so it ends the file
    text = "".join(pieces)
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(configs())
def test_our_table_goes_in_and_comes_out_without_a_trace(text: str) -> None:
    after = with_server(text, SERVE)

    assert tomllib.loads(after)["mcp_servers"]["recollect"] == {"command": SERVE[0], "args": SERVE[1:]}
    assert after.startswith(text.rstrip("\r\n"))
    assert with_server(after, SERVE) == after
    assert without_server(after) == text


def test_a_file_that_we_made_goes_with_its_table() -> None:
    made = with_server(None, ["recollect", "serve"])

    assert made == '[mcp_servers.recollect]\ncommand = "recollect"\nargs = ["serve"]\n'
    assert without_server(made) is None
    assert without_server(None) is None


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    configs(),
    st.sampled_from(["\n", "\n[later]\nb = 1\n", "\n# a note\n", '\n[mcp_servers.z]\ncommand = "z"\n']),
)
def test_what_was_written_below_our_table_stays(text: str, below: str) -> None:
    after = with_server(text, SERVE) + below

    left = without_server(after)

    assert left is not None
    assert below.strip() in left
    assert "recollect" not in tomllib.loads(left).get("mcp_servers", {})


def test_a_stale_table_is_updated_and_keeps_what_a_user_added() -> None:
    text = (
        'model = "gpt"\n\n[mcp_servers.recollect]\ncommand = "/old/recollect"\nargs = ["serve"]\n'
        'startup_timeout_sec = 20\n\n[mcp_servers.recollect.env]\nA = "1"\n\n[features]\nx = true\n'
    )

    after = with_server(text, SERVE)

    assert after == text.replace('"/old/recollect"', f'"{SERVE[0]}"').replace(
        '["serve"]', '["-m", "recollect", "serve"]'
    )
    assert without_server(after) == 'model = "gpt"\n\n[features]\nx = true\n'


@pytest.mark.parametrize(
    "text",
    [
        "this is not toml",
        'mcp_servers = { time = { command = "uvx" } }\n',
        '[mcp_servers]\nrecollect = { command = "/old/recollect", args = ["serve"] }\n',
        '[mcp_servers.recollect]\ncommand = "/somebody/elses"\n',
        "a = 1\na = 2\n",
        "[a]\n[a]\n",
        "a = 1\rb = 2\r",
        "a = " + "[" * 2000,
        "mcp_servers = 3\n",
    ],
)
def test_what_cannot_be_changed_safely_is_refused(text: str) -> None:
    with pytest.raises(RefusedError):
        with_server(text, SERVE)


def test_an_inline_server_of_ours_is_refused() -> None:
    with pytest.raises(RefusedError):
        without_server('mcp_servers.recollect = { command = "recollect", args = ["serve"] }\n')


ODD = [
    "",
    "\n",
    "model = 1",
    "model = 1\r\n\r\n\r\n[features]\r\nx = true # note\r\n",
    'mcp_servers.time.command = "uvx"\n',
    '[mcp_servers]\ntime = { command = "uvx", args = ["time"] }\n',
    '[mcp_servers.time]\ncommand = "uvx"\n[z]\ny = 1\n[mcp_servers.b]\ncommand = "b"\n',
    "a.b.c = 1\n'quoted key' = 2\n\"\" = {}\n",
    'text = """\n[mcp_servers.recollect]\n"""\n',
    "[[rules]]\na = 1\n[rules.sub]\nb = 0x1F\n[[rules]]\n# the end",
    "\t# indented\n  when = 2026-11-16T03:00:00Z\n\n\n",
]


@pytest.mark.parametrize("text", ODD)
def test_odd_files_are_restored_byte_for_byte(text: str) -> None:
    after = with_server(text, SERVE)

    assert tomllib.loads(after)["mcp_servers"]["recollect"]["command"] == SERVE[0]
    assert after.startswith(text.rstrip("\r\n"))
    assert with_server(after, SERVE) == after
    assert without_server(after) == text
    older = with_server(text, ["/old/recollect", "serve"])
    assert without_server(with_server(older, SERVE)) == text


def test_an_array_over_several_lines_is_updated_and_comments_stay() -> None:
    text = '[mcp_servers.recollect] # ours\ncommand = "/old/recollect" # old\nargs = [\n  "serve",\n]\n'

    after = with_server(text, ["recollect", "serve", "--x"])

    assert after == (
        '[mcp_servers.recollect] # ours\ncommand = "recollect" # old\nargs = ["serve", "--x"]\n'
    )
    assert without_server(after) is None


def test_somebody_elses_server_of_our_name_stays() -> None:
    text = '[mcp_servers.recollect]\ncommand = "/somebody/elses"\n'

    assert without_server(text) == text
