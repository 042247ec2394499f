"""A checkout that was unpacked from an archive brings its `.git/config`. Nothing that it names runs."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.requirements import requirement

HOOKS = ("post-index-change", "reference-transaction", "fsmonitor-watchman", "post-checkout")
MISSING = "0123456789abcdef0123456789abcdef01234567"
SIGNED = """\
tree {tree}
parent {parent}
author Eve <eve@localhost> 1700000000 +0000
committer Eve <eve@localhost> 1700000000 +0000
gpgsig -----BEGIN {kind} SIGNATURE-----
{space}
 iQ==
 -----END {kind} SIGNATURE-----

Signed by nobody
"""


@dataclass(frozen=True, slots=True)
class Hostile:
    """A checkout, and the program that its configuration names, which notes that it ran."""

    cli: Cli
    program: Path
    ran: Path

    def configure(self, **values: str) -> None:
        for name, value in values.items():
            self.cli.git("config", name.replace("__", "."), value)

    def signed_commit(self, kind: str = "PGP") -> str:
        """A commit with a signature that git hands to a program to verify."""
        tree, parent = (self.cli.git("rev-parse", name).out.strip() for name in ("HEAD^{tree}", "HEAD"))
        path = self.ran.parent / "commit"
        path.write_text(SIGNED.format(tree=tree, parent=parent, kind=kind, space=" "))
        return self.cli.git("hash-object", "-t", "commit", "-w", str(path)).out.strip()

    def runs(self, *git: str) -> bool:
        """Whether git itself, asked by anybody else, runs the program."""
        self.cli.git(*git, check=False)
        ran = self.ran.exists()
        self.ran.unlink(missing_ok=True)
        return ran


@pytest.fixture
def hostile(repository: Cli, tmp_path: Path) -> Hostile:
    program, ran = tmp_path / "program", tmp_path / "ran"
    program.write_text(f'#!/bin/sh\necho "$0 $@" >> {ran}\nexit 1\n')
    program.chmod(0o755)
    repository.save()
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "Add a memory")
    return Hostile(repository, program, ran)


@requirement("trust:repository:git-configuration")
def test_no_program_that_watches_files_and_no_hook_runs(hostile: Hostile) -> None:
    hooks = hostile.ran.parent / "hooks"
    hooks.mkdir()
    for name in HOOKS:
        (hooks / name).symlink_to(hostile.program)
    hostile.configure(core__fsmonitor=str(hostile.program), core__hooksPath=str(hooks))
    assert hostile.runs("status")

    for words in (["doctor"], ["init", "--no-harness"], ["status"], ["save", "--file", "-"]):
        hostile.cli(*words)
        assert not hostile.ran.exists(), words


@requirement("trust:repository:git-configuration")
@pytest.mark.parametrize("kind", ["PGP", "SSH"])
def test_no_program_checks_the_signature_of_a_commit(hostile: Hostile, kind: str) -> None:
    commit = hostile.signed_commit(kind)
    hostile.configure(
        log__showSignature="true",
        gpg__program=str(hostile.program),
        gpg__ssh__program=str(hostile.program),
        gpg__ssh__allowedSignersFile="/dev/null",
    )
    assert hostile.runs("show", "-s", commit)

    assert hostile.cli.ok("search", "--as-of", commit, "login").exit_code == 0
    hostile.cli.put(id="why-we-sign", title="Why we sign", links=[_evidence(commit)])
    assert "Signed by nobody" in hostile.cli.ok("why", "why-we-sign").out
    assert not hostile.ran.exists()


def _evidence(commit: str) -> dict[str, str]:
    return {"type": "derived_from", "target": "mem:sign-a-jwt-at-login", "evidence": f"commit {commit}"}


@requirement("trust:repository:git-configuration")
@pytest.mark.parametrize("address", ["ext::{program} %S", "ssh://localhost/x"])
def test_nothing_is_fetched_for_a_commit_that_is_missing(hostile: Hostile, address: str) -> None:
    hostile.configure(
        core__repositoryformatversion="1",
        extensions__partialClone="origin",
        remote__origin__promisor="true",
        remote__origin__url=address.format(program=hostile.program),
        protocol__ext__allow="always",
        core__sshCommand=str(hostile.program),
    )
    assert hostile.runs("show", "-s", MISSING)

    assert "nor a commit" in hostile.cli("search", "--as-of", MISSING, "login").err
    hostile.cli.put(id="why-we-sign", title="Why we sign", links=[_evidence(MISSING)])
    hostile.cli("why", "why-we-sign")
    hostile.cli("doctor")
    assert not hostile.ran.exists()


@requirement("trust:repository:git-configuration")
def test_no_filter_and_no_pager_runs(hostile: Hostile) -> None:
    run = str(hostile.program)
    hostile.configure(
        filter__x__clean=run,
        filter__x__smudge=run,
        filter__x__process=run,
        diff__x__textconv=run,
        diff__external=run,
        core__pager=run,
        core__editor=run,
        credential__helper=run,
        merge__recollect__driver=run,
    )
    (hostile.cli.folder / ".gitattributes").write_text("* filter=x diff=x\n")
    assert hostile.runs("add", "-A")

    for words in (["doctor"], ["search", "--as-of", "HEAD", "login"], ["list"], ["export", "--json"]):
        hostile.cli(*words)
        assert not hostile.ran.exists(), words


@requirement("trust:repository:git-configuration")
def test_the_name_of_a_file_that_is_merged_is_no_command(repository: Cli) -> None:
    """git writes the name into the line of the merge driver."""
    name = "$(touch ran)`touch ran`';touch ran;'.json"
    path = repository.root / "decisions" / name
    repository.save()
    good = (repository.root / "decisions" / "sign-a-jwt-at-login.json").read_text()

    def commit(title: str) -> None:
        path.write_text(good.replace("JWT", title))
        repository.git("add", "-A")
        repository.git("commit", "-q", "-m", title)

    commit("JWT")
    repository.git("checkout", "-q", "-b", "theirs")
    commit("PASETO")
    repository.git("checkout", "-q", "main")
    commit("cookie")
    repository.git("merge", "-q", "--no-edit", "theirs", check=False)

    assert "cookie" in path.read_text()
    assert "PASETO" in path.read_text()
    assert not list(repository.folder.rglob("ran"))
