"""Redis as Batsim 3 and 4 use it: descriptions of jobs and profiles under a prefix (batsim-protocol.md 14)."""

from collections.abc import Callable
from typing import Any, Final

from windtunnel.diagnostics import ComponentError, ComponentTimeoutError, MissingExtraError, ProtocolError

__all__ = ["RedisStore"]

_PATIENCE: Final = 30.0
"""Seconds to wait for an answer at most; Redis answers in a thousandth of one."""
_TO_CONNECT: Final = 5.0
_UNREADABLE: Final = (ValueError, TypeError, AttributeError, LookupError, RecursionError, MemoryError, OverflowError)
"""What the client ends with at answers of no Redis: it reads numbers and lists without a look at them first."""


class RedisStore:
    """Keys ``<prefix>:nb_res``, ``<prefix>:job_<id>``, ``<prefix>:profile_<id>``; values are JSON texts.

    Every method raises ComponentError where the server is gone, ComponentTimeoutError where it hangs, and
    ProtocolError where it answers what a Redis server does not.
    """

    def __init__(self, hostname: str, port: int, prefix: str, timeout: float = _PATIENCE) -> None:
        try:
            import redis
            from redis.backoff import NoBackoff
            from redis.retry import Retry
        except ImportError:
            raise MissingExtraError("redis", "redis") from None
        self.now: float | None = None
        """The simulated time, for errors."""
        self._server = f"the Redis server at {hostname}:{port}"
        self._prefix = prefix
        self._redis: Any = redis
        self._timeout = min(timeout, _PATIENCE)
        self._client: Any = redis.Redis(
            hostname,
            port,
            protocol=2,  # newer ones begin with a command that servers before Redis 6 do not know
            socket_timeout=self._timeout,
            socket_connect_timeout=min(timeout, _TO_CONNECT),
            # Servers close connections that were idle for long; one that hangs is not asked again.
            retry=Retry(NoBackoff(), 1, supported_errors=(redis.ConnectionError,)),
        )
        try:
            self._asked(self._client.ping, lambda answer: answer is True)
        except ComponentError:
            self.close()
            raise

    def put(self, key: str, text: str) -> None:
        """Store a text."""
        self._asked(lambda: self._client.set(f"{self._prefix}:{key}", text), lambda answer: answer is True)

    def get(self, key: str) -> str | None:
        """A stored text, or None."""
        value = self._asked(
            lambda: self._client.get(f"{self._prefix}:{key}"),
            lambda answer: answer is None or isinstance(answer, bytes),
        )
        try:
            return None if value is None else bytes(value).decode()
        except UnicodeDecodeError:
            raise ProtocolError(f"what {self._server} has under {key} is not UTF-8", now=self.now) from None

    def close(self) -> None:
        """Leave."""
        self._client.close()

    def _asked(self, ask: Callable[[], Any], fits: Callable[[Any], bool]) -> Any:
        """What the server answers, if it is of the kind that it must be."""
        try:
            answer = ask()
        except self._redis.TimeoutError as fault:
            what = f"{self._server} has not answered within {self._timeout:g} s"
            raise ComponentTimeoutError(what, now=self.now) from fault
        except self._redis.ConnectionError as fault:
            raise ComponentError(f"{self._server} is not there: {fault}", now=self.now) from fault
        except self._redis.RedisError as fault:
            raise ComponentError(f"{self._server} failed: {fault}", now=self.now) from fault
        except UnicodeError as fault:  # such as a name of a host that can be none
            raise ComponentError(f"{self._server} cannot be talked to: {fault}", now=self.now) from fault
        except _UNREADABLE as fault:
            what = f"{self._server} answers nonsense: {type(fault).__name__}: {fault}"
            raise ProtocolError(what, now=self.now) from fault
        if not fits(answer):
            raise ProtocolError(f"{self._server} answers nonsense: {answer!r:.60}", now=self.now)
        return answer
