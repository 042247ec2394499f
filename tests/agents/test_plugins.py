"""The plugins: no logic, nothing that has gone stale, no command that is not there."""

import json
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.requirements import requirement

from recollect import __version__, agents
from recollect.agents.harnesses import get_harness
from recollect.agents.install import plan
from recollect.agents.launch import SHARED

PACKAGE = Path(agents.__file__).parent
SHIM = PACKAGE / "opencode_shim.ts"
TEMPLATES = {
    path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8")
    for path in (SHIM, *(PACKAGE / "skills").iterdir())
}
PLUGIN, EXTENSION = "memory@recollect", "recollect"
PLUGINS = Path(__file__).parent.parent.parent / "plugins"
CLAUDE = PLUGINS / "claude-code"
SKILLS = sorted(PLUGINS.glob("*/skills/*/SKILL.md"))
SPOKEN = [
    *SKILLS,
    PLUGINS / "gemini" / "GEMINI.md",
    *sorted(PLUGINS.glob("cursor/commands/*.md")),
    *sorted(PLUGINS.glob("gemini/commands/*/*.toml")),
]

SKILL_FILES = (
    (
        "claude-code",
        ".claude/skills/memory-{}/SKILL.md",
        "claude-code/skills/memory-{}/SKILL.md",
    ),
    ("claude-code", ".claude/commands/memory/{}.md", "claude-code/commands/{}.md"),
    ("codex", ".agents/skills/memory-{}/SKILL.md", "codex/skills/memory-{}/SKILL.md"),
    ("cursor", ".cursor/commands/memory-{}.md", "cursor/commands/memory-{}.md"),
    ("gemini", ".gemini/commands/memory/{}.toml", "gemini/commands/memory/{}.toml"),
    ("opencode", ".opencode/skills/memory-{}/SKILL.md", "opencode/skills/memory-{}/SKILL.md"),
    ("opencode", ".opencode/commands/memory-{}.md", "opencode/commands/memory-{}.md"),
)


def loaded(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def installed(harness: str) -> dict[str, str]:
    """What the installer writes when our programs are found on PATH."""
    changes = plan(get_harness(harness), {}, SHARED, TEMPLATES)
    return {change.path: change.after or "" for change in changes}


def shown(path: Path) -> str:
    return path.relative_to(PLUGINS).as_posix()


@pytest.mark.parametrize(
    ("harness", "path", "file"),
    [
        ("claude-code", ".claude/settings.json", "claude-code/hooks/hooks.json"),
        ("claude-code", ".mcp.json", "claude-code/.mcp.json"),
        ("claude-code", ".mcp.json", "codex/.mcp.json"),
        ("codex", ".codex/hooks.json", "codex/hooks/hooks.json"),
        ("cursor", ".cursor/hooks.json", "cursor/hooks.json"),
        ("cursor", ".cursor/mcp.json", "cursor/mcp.json"),
        ("cursor", ".cursor/rules/recollect.mdc", "cursor/rules/recollect.mdc"),
        ("opencode", ".opencode/plugins/recollect.ts", "opencode/recollect.ts"),
        *(
            (harness, path.format(name), file.format(name))
            for harness, path, file in SKILL_FILES
            for name in ("search", "save", "status")
        ),
    ],
)
@requirement("agents:plugins:as-installed")
def test_a_plugin_says_what_the_installer_writes(harness: str, path: str, file: str) -> None:
    assert (PLUGINS / file).read_text("utf-8") == installed(harness)[path]


def test_the_shim_of_the_plugin_is_the_one_in_the_package() -> None:
    assert (PLUGINS / "opencode" / "recollect.ts").read_bytes() == SHIM.read_bytes()


def test_the_gemini_extension_says_what_the_installer_writes() -> None:
    settings = json.loads(installed("gemini")[".gemini/settings.json"])
    extension = loaded(PLUGINS / "gemini" / "gemini-extension.json")

    assert loaded(PLUGINS / "gemini" / "hooks" / "hooks.json") == {"hooks": settings["hooks"]}
    assert extension["mcpServers"] == settings["mcpServers"]
    assert extension["name"] == EXTENSION
    assert (PLUGINS / "gemini" / extension["contextFileName"]).is_file()


def test_every_manifest_has_the_packages_version() -> None:
    marketplace = loaded(PLUGINS / ".claude-plugin" / "marketplace.json")
    manifests = [
        loaded(CLAUDE / ".claude-plugin" / "plugin.json"),
        loaded(PLUGINS / "codex" / ".codex-plugin" / "plugin.json"),
        loaded(PLUGINS / "gemini" / "gemini-extension.json"),
        *marketplace["plugins"],
    ]

    assert {manifest["version"] for manifest in manifests} == {__version__}


def test_the_marketplace_leads_to_the_plugin_and_the_plugin_to_its_parts() -> None:
    marketplace = loaded(PLUGINS / ".claude-plugin" / "marketplace.json")
    [entry] = marketplace["plugins"]
    manifest = loaded(PLUGINS / entry["source"] / ".claude-plugin" / "plugin.json")

    assert f"{entry['name']}@{marketplace['name']}" == PLUGIN
    assert marketplace["description"]
    assert entry["source"].startswith("./")
    assert entry["name"] == manifest["name"]
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", manifest["name"])
    for part in (
        "hooks/hooks.json",
        ".mcp.json",
        "commands/search.md",
        "commands/save.md",
        "commands/status.md",
    ):
        assert (PLUGINS / entry["source"] / part).is_file()


def test_codexs_marketplace_leads_to_its_plugin_and_that_to_its_parts_and_the_same_skills() -> None:
    """Codex looks into this marketplace first, and takes Claude Code's if there is no other."""
    marketplace = loaded(PLUGINS / ".agents" / "plugins" / "marketplace.json")
    [entry] = marketplace["plugins"]
    folder = PLUGINS / entry["source"]["path"]
    manifest = loaded(folder / ".codex-plugin" / "plugin.json")

    assert f"{entry['name']}@{marketplace['name']}" == PLUGIN
    assert (entry["source"]["source"], entry["name"]) == ("local", manifest["name"])
    for key in ("skills", "hooks", "mcpServers"):
        assert (folder / manifest[key]).exists(), key
    for skill in CLAUDE.glob("skills/*/SKILL.md"):
        assert (folder / skill.relative_to(CLAUDE)).read_text("utf-8") == skill.read_text("utf-8")


@pytest.mark.parametrize("path", SKILLS, ids=shown)
def test_a_skill_has_its_folders_name_and_says_when_to_use_it(path: Path) -> None:
    front = path.read_text("utf-8").split("---\n")[1]
    fields = dict(line.split(": ", 1) for line in front.splitlines())

    assert fields["name"] == path.parent.name
    assert " Use " in fields["description"]
    assert len(fields["description"]) <= 1024


def _commands(text: str) -> list[list[str]]:
    """Every `recollect ...` in code, inline or in a block, as words."""
    joined = text.replace("\\\n", " ")
    blocks = re.findall(r"^```\w*\n(.*?)^```", joined, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    lines += re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", joined, flags=re.M | re.S))
    return [shlex.split(line) for line in lines if line.startswith("recollect ")]


def _flags(text: str) -> set[str]:
    """Every option that is spoken of, with or without its command."""
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


@cache
def _help(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "recollect", *words, "--help"],
        capture_output=True,
        text=True,
        check=False,
        env={"COLUMNS": "200", "PATH": "/usr/bin:/bin"},
    )
    return done.stdout if done.returncode == 0 else ""


@pytest.mark.parametrize("path", SPOKEN, ids=shown)
def test_every_command_that_a_skill_names_exists_with_its_options(path: Path) -> None:
    text = path.read_text("utf-8")
    commands = _commands(text)

    assert commands
    for words in commands:
        help_text = _help(words[1])
        assert help_text, f"there is no command {shlex.join(words[:2])!r}"
        for word in words[2:]:
            if word.startswith("--"):
                assert re.search(rf"(?<![\w-]){word}(?![\w-])", help_text), shlex.join(words)
    known = "".join(_help(words[1]) for words in commands)
    assert {flag for flag in _flags(text) if not re.search(rf"{flag}(?![\w-])", known)} == set()


def test_the_skill_that_saves_names_the_required_fields_of_each_category() -> None:
    from recollect.records.categories import SHAPES

    text = (CLAUDE / "skills" / "memory-save" / "SKILL.md").read_text("utf-8")
    for category, shape in SHAPES.items():
        row = next(line for line in text.splitlines() if line.startswith(f"| {category.value} |"))
        for field in shape.fields:
            assert not field.required or re.search(rf"\b{field.name}\b", row), (category, field.name)


def test_the_skill_that_saves_names_every_type_of_link() -> None:
    from recollect.records.record import LinkType

    text = (CLAUDE / "skills" / "memory-save" / "SKILL.md").read_text("utf-8")
    assert all(f"`{type.value}`" in text for type in LinkType)
