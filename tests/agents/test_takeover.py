"""Our server in place of others in a harness's file: taken back byte for byte, or without other changes."""

import json
import tomllib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.agents.settings_files import SETTINGS, texts
from tests.agents.test_toml_settings import configs
from tests.requirements import requirement

from recollect.agents.servers_files import ServersFile, project_files, user_files
from recollect.agents.takeover import parsed, pieces, planned, restored, written
from recollect.errors import RefusedError

FILE = ServersFile("/home/me/.cursor/mcp.json")
CODEX = ServersFile("/home/me/.codex/config.toml", ("mcp_servers",))
ENTRY = {"command": "recollect", "args": ["serve"], "env": {"PYTHONPATH": ""}}
WITH_SERVERS = SETTINGS.filter(lambda value: bool(value.get("mcpServers")))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(texts(WITH_SERVERS), st.data())
@requirement("gateway:takeover:restored")
def test_a_json_file_comes_back_byte_for_byte(text: str, data: st.DataObject) -> None:
    servers = json.loads(text.lstrip("\ufeff"))["mcpServers"]
    names = data.draw(st.lists(st.sampled_from(sorted(servers)), unique=True, min_size=1))

    record, after = planned(FILE, text, names, ENTRY)

    now = json.loads(after.lstrip("\ufeff"))["mcpServers"]
    assert now == {**{name: servers[name] for name in servers if name not in names}, "recollect": ENTRY}
    assert restored(parsed(json.loads(json.dumps(written(record)))), after) == (text, True)
    assert restored(record, text) == (text, True)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(configs().filter(lambda text: "[mcp_servers.time]" in text))
@requirement("gateway:takeover:restored")
def test_a_toml_file_comes_back_byte_for_byte(text: str) -> None:
    record, after = planned(CODEX, text, ["time"], ENTRY)

    assert tomllib.loads(after)["mcp_servers"] == {"recollect": ENTRY}
    assert restored(record, after) == (text, True)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(texts(WITH_SERVERS))
@requirement("gateway:takeover:restored")
def test_a_json_file_that_changed_since_loses_our_change_alone(text: str) -> None:
    servers = json.loads(text.lstrip("\ufeff"))["mcpServers"]
    record, after = planned(FILE, text, list(servers), ENTRY)
    edited = after.rstrip().removesuffix("}") + ', "mine": {"x": [1]}}'

    back, is_exact = restored(record, edited)

    assert not is_exact
    expected = {**json.loads(text.lstrip("\ufeff")), "mine": {"x": [1]}}
    assert json.loads(back.lstrip("\ufeff")) == expected


@requirement("gateway:takeover:restored")
def test_a_toml_file_that_changed_since_loses_our_change_alone() -> None:
    text = '# mine\n[mcp_servers.time]\ncommand = "uvx"\n\n[mcp_servers.time.env]\nTZ = "UTC"\n\n[a]\nb = 1\n'
    record, after = planned(CODEX, text, ["time"], ENTRY)

    back, is_exact = restored(record, after + "# a comment of mine\n[c]\nd = 2\n")

    assert not is_exact
    assert tomllib.loads(back) == {**tomllib.loads(text), "c": {"d": 2}}
    assert "# a comment of mine" in back
    assert "# mine" in back


@requirement("gateway:takeover:restored")
def test_tables_of_a_server_are_cut_out_wherever_they_stand() -> None:
    """Codex writes its own tables between those of servers, and people comment them."""
    text = (
        '[mcp_servers."a.b"]\ncommand = "x" # why\n# inside\nargs = [\n  "1",\n]\n'
        "\n# of rules\n[[rules]]\nc = 1\n"
        '[mcp_servers.other]\ncommand = "y"\n[[rules]]\nc = 2\n[mcp_servers."a.b".env]\nK = "v"\n'
    )
    record, after = planned(CODEX, text, ["a.b"], ENTRY)

    assert after.startswith("\n# of rules\n[[rules]]\nc = 1\n[mcp_servers.other]")
    assert "inside" not in after
    assert restored(record, after) == (text, True)


def test_a_server_that_the_user_put_back_meanwhile_is_the_users() -> None:
    record, _ = planned(FILE, '{"mcpServers": {"a": {"command": "x"}}}', ["a"], ENTRY)

    back, _ = restored(record, '{"mcpServers": {"a": {"command": "mine"}}}')

    assert json.loads(back) == {"mcpServers": {"a": {"command": "mine"}}}


def test_two_takeovers_of_one_file_are_taken_back_in_turn() -> None:
    text = '{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}\n'
    first, once = planned(FILE, text, ["a"], ENTRY)
    second, twice = planned(FILE, once, ["b"], ENTRY)

    assert (first.is_new, second.is_new) == (True, False)
    assert restored(second, twice) == (once, True)
    assert restored(first, once) == (text, True)


def test_the_record_repeats_nothing_of_the_servers_that_stay() -> None:
    servers = {"a": {"command": "x"}, "b": {"env": {"KEY": "swordfish"}}, "c": {"command": "z"}}
    record, after = planned(FILE, json.dumps({"mcpServers": servers}, indent=2), ["a", "c"], ENTRY)

    assert "swordfish" in after
    assert "swordfish" not in pieces(record) + json.dumps(written(record))


@pytest.mark.parametrize(
    ("file", "text", "reason"),
    [
        (
            FILE,
            '{"mcpServers": {"a": {"command": "x"}} /* mine\n}',
            "comment on line 1 is never closed",
        ),
        (FILE, '{"mcpServers": {"a": {"command": "x"},,}}', "not valid JSON"),
        (
            FILE,
            '{"mcpServers": {"a": 1, "recollect": {"command": "x"}}}',
            "another server named 'recollect'",
        ),
        (
            FILE,
            '{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}',
            "names a server twice",
        ),
        (
            CODEX,
            '[mcp_servers]\na = {command = "x"}\n',
            "cannot be changed without touching other entries",
        ),
    ],
)
@requirement("gateway:takeover:refused")
def test_a_file_that_cannot_be_changed_without_harm_is_refused(
    file: ServersFile, text: str, reason: str
) -> None:
    with pytest.raises(RefusedError, match=reason):
        planned(file, text, ["a"], ENTRY)


@pytest.mark.parametrize(
    "file", [*user_files("/home/me", {}, "/work/shop"), *project_files("/work/shop")]
)
def test_each_harness_reads_its_servers_and_our_entry_in_its_own_shape(file: ServersFile) -> None:
    if file.is_toml:
        text = '[mcp_servers.a]\ncommand = "x"\n'
    else:
        entry: object = (
            {"type": "local", "command": ["x"]} if file.keys == ("mcp",) else {"command": "x"}
        )
        table: object = {"a": entry}
        for key in reversed(file.keys):
            table = {key: table}
        text = json.dumps(table)

    record, after = planned(file, text, ["a"], file.entry(["recollect", "serve"], {"X": "1"}))

    [(name, read)] = file.servers(after, file.keys).items()
    assert (name, read.entry["command"], read.entry["args"]) == ("recollect", "recollect", ["serve"])
    assert read.entry["env"] == {"X": "1"}
    assert read.unsupported == ()
    assert restored(record, after) == (text, True)
