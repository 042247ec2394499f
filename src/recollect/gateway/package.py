"""Which package a command line runs: `npx -y pkg@1.2`, `uvx pkg==1.2`, `python -m module`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Literal

from recollect.gateway.upstream import HttpServer, StdioServer

Source = Literal["npm", "pypi", "module"]
_NPM_PROGRAMS = {"npx", "bunx", "pnpx"}
_NPM_SUBCOMMANDS = {("npm", "exec"), ("npm", "x"), ("pnpm", "dlx"), ("yarn", "dlx"), ("bun", "x")}
_PYPI_PROGRAMS = {"uvx"}
_PYPI_SUBCOMMANDS = {("uv", "tool", "run"), ("pipx", "run")}
# Options that take a value as the next argument, and those whose value is the package.
_WITH_VALUE = frozenset(
    {
        *("-c", "--call", "-w", "--workspace", "--python", "--with", "--with-requirements", "--index"),
        *("--index-url", "--default-index", "--extra-index-url", "-i", "-f", "--find-links"),
        *("--directory", "--project", "--constraints", "--pip-args"),
    }
)
_PACKAGE_OPTIONS = frozenset({"-p", "--package", "--from", "--spec"})
_NPM_SPEC = re.compile(r"((?:@[\w.~-]+/)?[\w.~-]+)(?:@([\w.+^~<>=*-]+))?")
_PYPI_SPEC = re.compile(r"([A-Za-z0-9][\w.-]*)(?:\[[\w,.-]+\])?(?:(?:==|@)([\w.!+]+))?")
_EXACT_NPM = re.compile(r"\d+\.\d+\.\d+[\w.+-]*")


@dataclass(frozen=True, slots=True)
class Package:
    """A package on a command line. `version` is empty when the command takes the newest one.

    `position` is the argument that names it, `prefix` what comes before the package in that argument.
    """

    source: Source
    name: str
    version: str
    position: int
    prefix: str = ""


def package_of(server: StdioServer | HttpServer) -> Package | None:
    """The package that a command runs; None for addresses, paths, repositories and other programs."""
    if not isinstance(server, StdioServer):
        return None
    program = PurePath(server.command).name.removesuffix(".cmd").removesuffix(".exe").lower()
    arguments = server.arguments
    if re.fullmatch(r"(?:python|pypy)[\d.]*", program):
        return _module(arguments)
    source, skipped = _runner(program, arguments)
    return _spec(source, arguments, skipped) if source else None


def pinned_to(server: StdioServer, package: Package, version: str) -> StdioServer:
    """The command with this version of the package."""
    at = "@" if package.source == "npm" else "=="
    old = server.arguments[package.position]
    extras = re.search(r"\[[\w,.-]+\]", old) if package.source == "pypi" else None
    spec = f"{package.prefix}{package.name}{extras[0] if extras else ''}{at}{version}"
    arguments = list(server.arguments)
    arguments[package.position] = spec
    return replace(server, arguments=tuple(arguments))


def _runner(program: str, arguments: Sequence[str]) -> tuple[Source | None, int]:
    """Where the package comes from, and how many arguments belong to the runner."""
    if program in _NPM_PROGRAMS:
        return "npm", 0
    if program in _PYPI_PROGRAMS:
        return "pypi", 0
    for source, commands in (("npm", _NPM_SUBCOMMANDS), ("pypi", _PYPI_SUBCOMMANDS)):
        for command in commands:
            if (program, *arguments[: len(command) - 1]) == command:
                return ("npm" if source == "npm" else "pypi"), len(command) - 1
    return None, 0


def _spec(source: Source, arguments: Sequence[str], start: int) -> Package | None:
    """The package among the arguments: what an option names, else the first that is no option."""
    first: Package | None = None
    position = start
    while position < len(arguments):
        argument = arguments[position]
        option, equals, value = argument.partition("=")
        if option in _PACKAGE_OPTIONS and (source == "npm" or option != "-p"):
            if equals:
                return _parsed(source, value, position, f"{option}=")
            position += 1
            return _parsed(source, arguments[position], position) if position < len(arguments) else None
        if argument == "--" or not argument.startswith("-"):
            position += argument == "--"
            first = (
                _parsed(source, arguments[position], position) if position < len(arguments) else None
            )
            break
        position += 2 if argument in _WITH_VALUE or (argument == "-p" and source == "pypi") else 1
    return first


def _parsed(source: Source, spec: str, position: int, prefix: str = "") -> Package | None:
    pattern = _NPM_SPEC if source == "npm" else _PYPI_SPEC
    match = pattern.fullmatch(spec)
    if match is None:
        return None
    version = match[2] or ""
    is_exact = _EXACT_NPM.fullmatch(version) if source == "npm" else version != "latest"
    return Package(source, match[1], version if is_exact else "", position, prefix)


def _module(arguments: Sequence[str]) -> Package | None:
    for position, argument in enumerate(arguments):
        if argument == "-m" and position + 1 < len(arguments):
            return Package("module", arguments[position + 1].partition(".")[0], "", position + 1)
        if not argument.startswith("-"):
            return None
    return None
