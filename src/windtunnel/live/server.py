"""Serves the live page: on loopback only, behind a random token, and started when somebody first opens it.

Until then only a socket listens, in a thread that sleeps: neither starlette nor uvicorn (extra ``web``) is loaded.
"""

import os
import socket
from importlib.util import find_spec
from select import select
from threading import Thread
from typing import TYPE_CHECKING, Any, Final

import msgspec

from windtunnel.diagnostics import MissingExtraError, UsageError, WindtunnelError
from windtunnel.live.driver import Driver

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["Server"]

_LOOPBACK: Final = "127.0.0.1"
_MOST: Final = 100_000
"""Bytes of a question."""
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Server:
    """Listens from the start; :attr:`url` is where.

    Raises:
        MissingExtraError: starlette or uvicorn is not installed.
        UsageError: the port is taken.
    """

    def __init__(self, driver: Driver, title: str, port: int = 0) -> None:
        for package in ("starlette", "uvicorn"):
            if find_spec(package) is None:
                raise MissingExtraError(package, "web")
        self._driver = driver
        self._title = title
        self._token = os.urandom(24).hex()
        self._socket = socket.socket()
        try:
            self._socket.bind((_LOOPBACK, port))
            self._socket.listen(64)
        except (OSError, OverflowError) as error:
            self._socket.close()
            why = f"cannot listen on {_LOOPBACK}:{port}: {error}"
            raise UsageError(why, "port 0 takes a free one") from error
        self._port = self._socket.getsockname()[1]
        self.url = f"http://{_LOOPBACK}:{self._port}/{self._token}/"
        """The page, token and all."""
        self._bell, self._ring = socket.socketpair()
        self._uvicorn: Any = None
        self._thread = Thread(target=self._serve, name="live view", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Answer no more."""
        self._ring.send(b".")
        if self._uvicorn is not None:
            self._uvicorn.should_exit = True
        self._thread.join(5.0)
        for one in (self._socket, self._bell, self._ring):
            one.close()

    def _serve(self) -> None:
        ready, _, _ = select([self._socket, self._bell], [], [])
        if self._bell in ready:
            return
        import uvicorn

        config = uvicorn.Config(
            self._app(), log_level="critical", access_log=False, lifespan="off", timeout_graceful_shutdown=1
        )
        self._uvicorn = uvicorn.Server(config)
        if not select([self._bell], [], [], 0.0)[0]:
            self._uvicorn.run(sockets=[self._socket])

    def _app(self) -> Any:
        from starlette.applications import Starlette
        from starlette.routing import Route

        return Starlette(
            routes=[
                Route("/{token}/", self._page),
                Route("/{token}/state", self._ask, methods=["POST"]),
                Route("/{token}/do", self._ask, methods=["POST"]),
            ]
        )

    def _is_ours(self, request: "Request") -> bool:
        """The token, and a browser that was not led here by another site's name or page."""
        from hmac import compare_digest

        names = (f"{_LOOPBACK}:{self._port}", f"localhost:{self._port}")
        origin = request.headers.get("origin")
        token = str(request.path_params["token"]).encode()
        return (
            compare_digest(token, self._token.encode())
            and request.headers.get("host") in names
            and (origin is None or origin in [f"http://{name}" for name in names])
        )

    async def _page(self, request: "Request") -> "Response":
        from starlette.responses import HTMLResponse, Response

        from windtunnel.live.page import page

        if not self._is_ours(request):
            return Response(status_code=404)
        return HTMLResponse(page(self._title), headers=_HEADERS)

    async def _ask(self, request: "Request") -> "Response":
        from asyncio import wrap_future

        from starlette.responses import Response

        from windtunnel.live.actions import Asked, act

        if not self._is_ours(request):
            return Response(status_code=404)
        status, told = 200, None
        try:
            if int(request.headers.get("content-length") or _MOST) >= _MOST:
                raise UsageError("the request is too long")
            asked = msgspec.json.decode(await request.body(), type=Asked)
            told = await wrap_future(self._driver.ask(lambda: act(self._driver, asked)))
        except (WindtunnelError, ValueError) as fault:
            status, told = 400, {"error": str(fault)}
        return Response(
            msgspec.json.encode(told), status_code=status, media_type="application/json", headers=_HEADERS
        )
