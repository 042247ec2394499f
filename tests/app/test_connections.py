"""Connecting a project's harnesses: planned, backed up, made, and taken back byte for byte."""

import stat
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conftest import Wall
from tests.requirements import requirement

from recollect.agents.harnesses import NAMES, get_harness
from recollect.agents.install import FileChange
from recollect.agents.launch import Launch
from recollect.app.connections import SERVE, Connections
from recollect.app.opening import hook_command
from recollect.errors import RefusedError, StoreError

SETTINGS = '\ufeff{\r\n\t"model": "größe",\r\n\t"hooks": {"Stop": []}\r\n}'
harnesses = pytest.mark.parametrize("harness", NAMES)


@pytest.fixture
def connections(tmp_path: Path, wall: Wall) -> Connections:
    folder = tmp_path / "my shop — größe 店"
    folder.mkdir()
    return Connections(
        folder, tmp_path / "home", {}, tmp_path / "backups", Launch(hook_command, SERVE), wall
    )


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def put(connections: Connections, name: str, text: str) -> Path:
    path = connections.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


@harnesses
def test_connecting_a_bare_project_and_taking_it_back_leaves_nothing(
    connections: Connections, harness: str
) -> None:
    connections.apply(connections.connecting(harness))

    assert set(tree(connections.folder)) == set(get_harness(harness).files.paths)
    assert connections.connected() == [harness]
    assert connections.connecting(harness) == []
    connections.apply(connections.disconnecting(harness))
    assert list(connections.folder.iterdir()) == []
    assert connections.connected() == []


@harnesses
def test_files_that_were_there_are_restored_byte_for_byte(
    connections: Connections, harness: str
) -> None:
    for name in get_harness(harness).files.paths:
        if name.endswith(".json"):
            text = (
                SETTINGS if "cursor" not in name else SETTINGS.replace("{\r\n", '{"version": 1,\r\n', 1)
            )
            put(connections, name, text)
        elif name.endswith(".toml"):
            put(connections, name, '# mine\nmodel = "größe"\n')
    before = tree(connections.folder)

    connections.apply(connections.connecting(harness))
    assert tree(connections.folder) != before
    connections.apply(connections.disconnecting(harness))

    assert tree(connections.folder) == before


def test_connecting_twice_writes_nothing_the_second_time(connections: Connections) -> None:
    connections.apply(connections.connecting("claude-code"))
    before = tree(connections.folder), tree(connections.backups)

    connections.apply(connections.connecting("claude-code"))

    assert (tree(connections.folder), tree(connections.backups)) == before


def test_planning_writes_nothing(connections: Connections) -> None:
    put(connections, ".claude/settings.json", SETTINGS)
    before = tree(connections.folder)

    changes = connections.connecting("claude-code")

    skills = [own.path for own in get_harness("claude-code").files.skills]
    assert [(change.path, change.before) for change in changes] == [
        (".claude/settings.json", SETTINGS),
        (".mcp.json", None),
        *((path, None) for path in skills),
    ]
    assert tree(connections.folder) == before
    assert not connections.backups.exists()


@requirement("connections:backups:kept")
def test_every_changed_file_is_backed_up_and_no_backup_is_written_over(
    connections: Connections,
) -> None:
    put(connections, ".claude/settings.json", SETTINGS)

    connections.apply(connections.connecting("claude-code"))
    connected = tree(connections.folder)
    connections.apply(connections.disconnecting("claude-code"))

    assert tree(connections.backups) == {
        "20261115-100000/.claude/settings.json": SETTINGS.encode(),
        **{f"20261115-100000-2/{name}": data for name, data in connected.items()},
    }


def test_a_backup_is_its_owners_alone_and_a_changed_file_keeps_its_mode(
    connections: Connections,
) -> None:
    path = put(connections, ".mcp.json", '{"mcpServers": {}}')
    path.chmod(0o600)

    connections.apply(connections.connecting("claude-code"))

    [backup] = connections.backups.rglob(".mcp.json")
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("way", ["bytes", "folder", "parent"])
def test_a_settings_file_that_cannot_be_read_is_named(connections: Connections, way: str) -> None:
    path = connections.folder / ".claude" / "settings.json"
    match way:
        case "bytes":
            put(connections, ".claude/settings.json", "").write_bytes(b"\xff\xfe{}")
        case "folder":
            path.mkdir(parents=True)
        case "parent":
            path.parent.write_text("in the way")

    with pytest.raises(StoreError, match=r"cannot read '\.claude/settings\.json'.*leave this harness"):
        connections.connecting("claude-code")


def test_a_file_that_is_not_understood_is_left_alone_and_the_others_are_made(
    connections: Connections,
) -> None:
    put(connections, ".claude/settings.json", "{ not json")

    changes = connections.connecting("claude-code")
    connections.apply(changes)

    assert [change.path for change in changes if change.advice] == [".claude/settings.json"]
    assert {change.path for change in changes} == set(get_harness("claude-code").files.paths)
    assert (connections.folder / ".claude/settings.json").read_text() == "{ not json"
    assert "recollect" in (connections.folder / ".mcp.json").read_text()


def test_a_folder_that_holds_something_else_stays(connections: Connections) -> None:
    put(connections, ".codex/notes.md", "mine")

    connections.apply(connections.connecting("codex"))
    connections.apply(connections.disconnecting("codex"))

    assert tree(connections.folder) == {".codex/notes.md": b"mine"}


def test_a_folder_that_cannot_be_made_is_named(connections: Connections) -> None:
    put(connections, "in-the-way", "")

    with pytest.raises(StoreError, match="in-the-way"):
        connections.apply([FileChange("in-the-way/x/settings.json", None, "{}")])


def test_an_unknown_harness_is_refused(connections: Connections) -> None:
    with pytest.raises(RefusedError, match="'emacs'"):
        connections.connecting("emacs")


PLUGINS = {
    "claude-code": ("settings.json", '{"enabledPlugins": {"memory@recollect": true}}'),
    "codex": ("config.toml", '[plugins."memory@recollect"]\nenabled = true'),
    "gemini": (".gemini/extensions/recollect/gemini-extension.json", "{}"),
}


@pytest.mark.parametrize(
    ("harness", "variable"),
    [("claude-code", "CLAUDE_CONFIG_DIR"), ("codex", "CODEX_HOME"), ("gemini", "GEMINI_CLI_HOME")],
)
@pytest.mark.parametrize("value", ["{outside}", "kept here"])
def test_a_plugin_is_known_where_its_user_has_moved_the_harness(
    connections: Connections, harness: str, variable: str, value: str
) -> None:
    value = value.format(outside=connections.home / "moved")
    name, text = PLUGINS[harness]
    put(connections, f"{value}/{name}", text)

    assert replace(connections, env={variable: value}).plugged() == [harness]
    assert connections.plugged() == []


def test_what_a_harness_keeps_account_of_is_read_where_it_can_be(connections: Connections) -> None:
    assert connections.plugged() == []
    put(connections, ".claude/settings.json", '{"enabledPlugins": {"memory@recollect": true}}')
    (connections.home / ".codex").mkdir(parents=True)
    (connections.home / ".codex/config.toml").write_text('[plugins."memory@recollect"]\nenabled = true')
    extension = connections.home / ".gemini/extensions/recollect"
    extension.mkdir(parents=True)
    (extension / "gemini-extension.json").write_text("{}")

    assert connections.plugged() == ["claude-code", "codex", "gemini"]
    assert "trust the hooks of the plugin" in connections.next_step("codex")
    (connections.home / ".codex/config.toml").write_bytes(b"\xff")
    assert connections.plugged() == ["claude-code", "gemini"]


def test_a_harness_is_present_by_what_it_leaves(connections: Connections) -> None:
    assert connections.present() == []
    put(connections, "GEMINI.md", "")
    (connections.home / ".codex").mkdir(parents=True)

    assert connections.present() == ["codex", "gemini"]
