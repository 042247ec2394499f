"""The published package contains the built page, and serves it where there is no Node.js."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
import requests
from tests.requirements import requirement
from tests.web.running import serving

from recollect.web.static_files import is_built

TOP = Path(__file__).parents[2]
needs_page = pytest.mark.skipif(not is_built(), reason="the page is not built; `make page` builds it")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the wheel in it, and with the packages of this one."""
    place = tmp_path_factory.mktemp("wheel")
    build = ["pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "--wheel-dir", str(place)]
    subprocess.run([sys.executable, "-m", *build, str(TOP)], check=True, cwd=place)
    [wheel] = place.glob("*.whl")
    venv.create(place / "env", symlinks=True)
    [packages] = (place / "env" / "lib").glob("*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    (packages / "others.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return place / "env" / "bin" / "python"


@pytest.fixture
def without_node(tmp_path: Path) -> dict[str, str]:
    """An environment in which no Node.js is found."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("git", "ps"):
        (programs / name).symlink_to(str(shutil.which(name)))
    return {"HOME": str(tmp_path / "home"), "PATH": str(programs)}


@needs_page
@requirement("page:package:wheel")
def test_the_page_comes_with_the_wheel_and_needs_no_node(
    installed: Path, folder: Path, without_node: dict[str, str]
) -> None:
    where = [str(installed), "-c", "import recollect; print(recollect.__file__)"]
    loaded = subprocess.run(where, cwd=folder, capture_output=True, text=True, check=True).stdout
    with serving(folder, without_node, str(installed)) as served:
        session, address = requests.Session(), f"http://127.0.0.1:{served.out['port']}"
        page = session.get(served.out["address"])
        files = re.findall(r'(?:src|href)="(/[^"]+)"', page.text)
        answers = [session.get(address + file) for file in files]
        reloaded = session.get(f"{address}/memories/some-id")
        missing = session.get(f"{address}/assets/none.js")

    assert Path(loaded.strip()).is_relative_to(installed.parents[1])
    assert served.out["built"]
    assert (page.status_code, page.url) == (200, f"{address}/")
    assert any(file.startswith("/assets/") for file in files)
    assert [answer.status_code for answer in answers] == [200] * len(files)
    assert all(
        "immutable" in answer.headers["cache-control"]
        for file, answer in zip(files, answers, strict=True)
        if file.startswith("/assets/")
    )
    assert reloaded.text == page.text
    assert missing.status_code == 404
    assert shutil.which("node", path=without_node["PATH"]) is None


def test_without_the_packages_of_the_page_the_command_says_what_to_install(folder: Path) -> None:
    hide = "import sys; sys.modules['starlette'] = None; "
    run = "from recollect.cli.main import main; sys.argv = ['recollect', 'web', '--port', '0']; main()"
    env = {"HOME": str(folder / "home"), "PATH": os.environ["PATH"]}

    done = subprocess.run(
        [sys.executable, "-c", hide + run],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode != 0
    assert "the page needs the package 'starlette'" in done.stderr
    assert "[web]" in done.stderr
