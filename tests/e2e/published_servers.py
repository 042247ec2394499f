"""Published MCP servers, as `make test` installs them: four from npm, two from PyPI."""

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

_BIN = Path(sys.prefix) / "npm" / "node_modules" / ".bin"
_NPM = ("everything", "filesystem", "memory", "sequential-thinking")


def have_node() -> bool:
    return bool(shutil.which("node")) and all((_BIN / f"mcp-server-{name}").exists() for name in _NPM)


needs_npm = pytest.mark.skipif(
    not have_node(), reason="the MCP servers of npm are not installed; `make servers` installs them"
)


def entries(folder: Path) -> dict[str, dict[str, Any]]:
    """The `mcpServers` entries of all six, for a project folder."""
    path = {"PATH": os.environ["PATH"]}
    npm = {name: {"command": str(_BIN / f"mcp-server-{name}"), "env": path} for name in _NPM}
    npm["filesystem"]["args"] = [str(folder)]
    npm["memory"]["env"] = path | {"MEMORY_FILE_PATH": str(folder / "memory.jsonl")}
    git = {"command": sys.executable, "args": ["-m", "mcp_server_git"], "env": path}
    time = {"command": sys.executable, "args": ["-m", "mcp_server_time"]}
    return {**npm, "git": git, "time": time}
