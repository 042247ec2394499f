"""A server as it is started: its variables and secrets looked up, however long that takes."""

from functools import partial

import anyio
from anyio import to_thread

from recollect.app.gateway import Gateway
from recollect.errors import RecollectError, UpstreamError
from recollect.gateway.upstream import Upstream


async def resolved_upstream(gateway: Gateway, upstream: Upstream) -> Upstream:
    """The server as it is started. In a thread: a keyring may wait for a person to unlock it.

    Raises UpstreamError.
    """
    resolve = partial(gateway.started, upstream)
    try:
        with anyio.fail_after(upstream.start_seconds):
            return await to_thread.run_sync(resolve, abandon_on_cancel=True)
    except TimeoutError:
        reason = f"needs a secret, but the keyring did not answer within {upstream.start_seconds:g} s"
        raise UpstreamError(upstream.name, reason, "unlock the keyring and call again") from None
    except RecollectError as error:
        advice = f"`recollect gateway test {upstream.name}` tries it again"
        raise UpstreamError(upstream.name, f"cannot be started ({error})", advice) from None
