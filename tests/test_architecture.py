"""The house rules that a machine can hold: what may import what, and what things are called."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.requirements import requirement

import recollect

SOURCE = Path(recollect.__file__).parent
PROJECT = SOURCE.parent.parent
PACKAGES = sorted(path.parent for path in SOURCE.rglob("__init__.py"))
MODULES = sorted(SOURCE.rglob("*.py"))
NO_NAMES = {
    "utils",
    "util",
    "helpers",
    "helper",
    "manager",
    "managers",
    "base",
    "common",
    "misc",
    "service",
}


def shown(path: Path) -> str:
    return path.relative_to(SOURCE.parent).as_posix()


@requirement("house:imports:point-down")
def test_imports_keep_the_contracts() -> None:
    lint = Path(sys.executable).with_name("lint-imports")

    done = subprocess.run(
        [lint, "--no-cache"], cwd=PROJECT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr


ADAPTERS = {"finder", "store", "space", "user_space", "library", "connection"}


@pytest.mark.parametrize("door", ["cli", "server", "bench", "loopback", "web"])
@requirement("house:doors:ask-for-use-cases")
def test_doors_never_reach_through_the_application_to_an_adapter(door: str) -> None:
    """`recollect.space.store.root` in a door would tie it to how memories are stored."""
    reached = [
        f"{shown(module)}:{node.lineno} {ast.unparse(node)}"
        for module in sorted((SOURCE / door).rglob("*.py"))
        for node in ast.walk(ast.parse(module.read_text("utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr in ADAPTERS
    ]

    assert reached == []


@pytest.mark.parametrize("package", PACKAGES, ids=shown)
@requirement("house:packages:docstrings")
def test_a_package_opens_with_its_question_or_its_role(package: Path) -> None:
    docstring = ast.get_docstring(ast.parse((package / "__init__.py").read_text("utf-8"))) or ""
    first = docstring.split("\n\n")[0]

    assert len(first.split()) >= 3, f"{shown(package)} does not say what it is for"
    assert first.endswith((".", "?")), first


@pytest.mark.parametrize("module", MODULES, ids=shown)
def test_a_module_has_a_docstring_and_a_name_that_says_something(module: Path) -> None:
    assert ast.get_docstring(ast.parse(module.read_text("utf-8")))
    assert module.stem.lower() not in NO_NAMES
    assert NO_NAMES.isdisjoint(module.relative_to(SOURCE).parts)


@pytest.mark.parametrize("module", MODULES, ids=shown)
def test_a_module_is_one_idea_long(module: Path) -> None:
    assert len(module.read_text("utf-8").splitlines()) <= 400


def test_a_class_name_has_one_meaning_across_the_package() -> None:
    homes: dict[str, list[str]] = {}
    for module in MODULES:
        for node in ast.parse(module.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(shown(module))

    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


CATCH_ALL_NAMES = {"told", "found", "held", "kept", "given", "asked", "stood", "said"}


def bound_names(node: ast.AST) -> list[tuple[str, int]]:
    """The names that a node binds, each with its line."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            return [(name, node.lineno)]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return [(name, node.lineno)]
        case _:
            return []


@pytest.mark.parametrize("module", MODULES, ids=shown)
def test_a_name_says_what_the_thing_is(module: Path) -> None:
    """Participles that fit everything tell a reader nothing. Keys of `--json` are a format and may stay."""
    tree = ast.parse(module.read_text("utf-8"))
    keys = {
        id(field)
        for kind in ast.walk(tree)
        if isinstance(kind, ast.ClassDef)
        and any(ast.unparse(base) == "TypedDict" for base in kind.bases)
        for field in ast.walk(kind)
    }
    bound = [name for node in ast.walk(tree) if id(node) not in keys for name in bound_names(node)]

    assert [(name, line) for name, line in bound if name.strip("_") in CATCH_ALL_NAMES] == []


@requirement("house:errors:one-tree")
def test_the_tree_of_errors_is_drawn_as_it_is() -> None:
    from recollect import errors

    def drawn(kind: type[Exception]) -> set[str]:
        return {kind.__name__}.union(*(drawn(below) for below in kind.__subclasses__()))

    declared = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, Exception)
    }
    assert declared <= drawn(errors.RecollectError)
    for name in declared:
        assert f" {name}" in f" {errors.__doc__}".replace("\n", " "), name


@requirement("house:start:help-is-light")
def test_help_starts_without_the_terminal_library_and_the_application() -> None:
    script = (
        "import sys, json, io\n"
        "sys.argv = ['recollect', '--help']\n"
        "shown, sys.stdout = sys.stdout, io.StringIO()\n"
        "from recollect.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(json.dumps(sorted(sys.modules)), file=shown)\n"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    loaded = set(json.loads(done.stdout))
    assert "recollect.cli.main" in loaded
    heavy = {"rich", "recollect.app", "recollect.storage", "recollect.health"}
    assert loaded.isdisjoint(heavy | {"sqlite3", "asyncio", "jsonschema", "recollect.workflow"})
