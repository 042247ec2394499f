"""Who may use the page: this machine's own browser, once it was opened with the token.

The token stands in the address that `recollect web` prints, or a member of a team types theirs; a cookie
takes its place. A request of another site is refused by its host, its origin or what the browser says about
it, and it lacks our header.
"""

from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.loopback.answers import error_answer
from recollect.loopback.endpoint import API, MOST_BYTES
from recollect.loopback.health import OPEN_PATHS
from recollect.loopback.origins import LocalOrigins, RequestRefusal
from recollect.web.entrance import Entrance

HEADER = "x-recollect"  # only our own page and programs set it; a form of another site cannot
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_OWN_SITE = (
    None,
    "same-origin",
    "none",
)  # what a browser says about a request of our page or of the user
_LOCKED = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Recollect</title>
<h1>This page needs its token</h1>
<p>Open the address that <code>recollect web</code> printed when it started: it ends in
<code>?token=</code> and the token. If that process has ended, start it again.</p>
</html>
"""
SIGN_IN = "/sign-in"
_MOST_FORM = 2_000  # bytes
# With `no-referrer` a browser would send the form with the origin `null`, as another site's.
_SIGN_IN_HEADERS = {"Referrer-Policy": "same-origin"}
_REFUSED_TOKEN = """
<p role="alert">This token opens no page here. It is mistyped, revoked or expired, or it is an agent's.</p>"""
_SIGN_IN_PAGE = f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Recollect</title>
<h1>Sign in</h1>{{note}}
<form method="post" action="{SIGN_IN}">
<p><label>Your token <input name="token" type="password" autocomplete="current-password" autofocus></label>
<button>Sign in</button></p></form>
<p>An administrator of the project creates one for you: <code>recollect team token create</code>.</p>
</html>
"""


class Guard:
    """An application that only whoever comes in by the entrance reaches."""

    def __init__(self, app: ASGIApp, entrance: Entrance, origins: LocalOrigins) -> None:
        self.app, self.entrance, self.origins = app, entrance, origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        answer = await self._answer(scope, receive) or self.app
        await answer(scope, receive, _protected(send, is_api=scope["path"].startswith(API)))

    async def _answer(self, scope: Scope, receive: Receive) -> Response | None:
        """A refusal, or the step from the token to the cookie; None for a request that goes on."""
        headers, path = Headers(scope=scope), scope["path"]
        if path in OPEN_PATHS:
            return None
        if refusal := self.origins.refusal(headers):
            return error_answer(refusal.reason, refusal.code)
        if path == "/" and scope["method"] == "GET" and b"token=" in scope["query_string"]:
            return await self._exchanged(scope["query_string"])
        if self.entrance.is_team and path == SIGN_IN and scope["method"] == "POST":
            return await self._exchanged(await _form(Request(scope, receive)))
        who = await self.entrance.admit(scope)
        if who is None:
            return error_answer(self._wanted, 401) if path.startswith(API) else self._locked()
        if isinstance(who, Response):
            return who
        refusal = _foreign(headers, scope)
        return error_answer(refusal.reason, refusal.code) if refusal else None

    @property
    def _wanted(self) -> str:
        if self.entrance.is_team:
            return "a token is required: `recollect team token create` creates one for a member."
        return "a token is required; open the address that `recollect web` printed."

    def _locked(self, note: str = "") -> Response:
        if not self.entrance.is_team:
            return HTMLResponse(_LOCKED, 401)
        return HTMLResponse(_SIGN_IN_PAGE.format(note=note), 401, _SIGN_IN_HEADERS)

    async def _exchanged(self, query: bytes) -> Response:
        [token, *_] = parse_qs(query.decode("latin-1")).get("token", [""])
        cookie = await self.entrance.cookie(token.strip())
        if cookie is None:
            return self._locked(_REFUSED_TOKEN)
        if isinstance(cookie, Response):
            return cookie
        answer = RedirectResponse("/", 303)
        answer.set_cookie(
            self.entrance.cookie_name,
            cookie,
            path="/",
            httponly=True,
            samesite="strict",
            secure=bool(self.origins.public),
        )
        return answer


async def _form(request: Request) -> bytes:
    """What a form says, up to its limit."""
    data = bytearray()
    async for chunk in request.stream():
        data += chunk[:_MOST_FORM]
        if len(data) > _MOST_FORM:
            return b""
    return bytes(data)


def _foreign(headers: Headers, scope: Scope) -> RequestRefusal | None:
    """Why a request looks like another site's, or is more than we read."""
    is_reading = scope["method"] in ("GET", "HEAD")
    is_page = is_reading and not scope["path"].startswith(API)
    if headers.get("sec-fetch-site") not in _OWN_SITE and not is_page:
        return RequestRefusal(403, "requests from other sites are not accepted.")
    if is_reading:
        return None
    if headers.get(HEADER) != "1":
        return RequestRefusal(
            403, "a request that changes something must have the header X-Recollect: 1."
        )
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return RequestRefusal(400, "a body must be JSON, with the content type application/json.")
    length = headers.get("content-length", "")
    if length.isdecimal() and int(length) > MOST_BYTES:
        return RequestRefusal(413, f"a body has at most {MOST_BYTES:,} bytes.")
    return None


def _protected(send: Send, *, is_api: bool) -> Send:
    """Send every answer with the headers that protect it."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            if is_api or "cache-control" not in headers:
                headers["Cache-Control"] = "no-store"
        await send(message)

    return sending
