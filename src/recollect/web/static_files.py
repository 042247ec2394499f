"""The built page: its files, and `index.html` for every address that the page itself routes."""

from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response

FOLDER = Path(__file__).parent / "static"
BUILD = "`make page` builds it from a checkout; a published package contains it"
_ASSETS = "/assets/"
_FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}  # their names have a digest
_NOT_BUILT = f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Recollect</title>
<h1>The page is not built</h1>
<p>{BUILD.replace("`make page`", "<code>make page</code>")}. The API below <code>/api/</code> works.</p>
</html>
"""


def is_built() -> bool:
    """Whether the page was built."""
    return (FOLDER / "index.html").is_file()


async def page_file(request: Request) -> Response:
    """A file of the page by its path; no path leads elsewhere, because only listed files are served."""
    path = request.url.path
    files = {f"/{file.relative_to(FOLDER).as_posix()}": file for file in FOLDER.rglob("*")}
    if (file := files.get(path)) is not None and file.is_file():
        return FileResponse(file, headers=_FOR_EVER if path.startswith(_ASSETS) else None)
    if path.startswith(_ASSETS):
        return PlainTextResponse("There is no such file.\n", 404)
    if "/index.html" not in files:
        return HTMLResponse(_NOT_BUILT, 503)
    return FileResponse(files["/index.html"])
