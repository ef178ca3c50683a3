"""Redis as Batsim 3 and 4 use it: descriptions of jobs and profiles under a prefix (batsim-protocol.md 14)."""

from typing import Any

from windtunnel.diagnostics import ComponentError, MissingExtraError

__all__ = ["RedisStore"]


class RedisStore:
    """Keys ``<prefix>:nb_res``, ``<prefix>:job_<id>``, ``<prefix>:profile_<id>``; values are JSON texts."""

    def __init__(self, hostname: str, port: int, prefix: str) -> None:
        try:
            import redis
            from redis.backoff import NoBackoff
            from redis.retry import Retry
        except ImportError:
            raise MissingExtraError("redis", "redis") from None
        self._where = f"{hostname}:{port}"
        self._prefix = prefix
        self._errors = redis.RedisError
        once = Retry(NoBackoff(), 1)
        self._client: Any = redis.Redis(hostname, port, socket_timeout=30, socket_connect_timeout=5, retry=once)
        try:
            self._client.ping()
        except self._errors as fault:
            raise ComponentError(f"there is no Redis server at {self._where}: {fault}") from fault

    def put(self, key: str, text: str) -> None:
        """Store a text."""
        try:
            self._client.set(f"{self._prefix}:{key}", text)
        except self._errors as fault:
            raise ComponentError(f"the Redis server at {self._where} failed: {fault}") from fault

    def get(self, key: str) -> str | None:
        """A stored text, or None."""
        try:
            value = self._client.get(f"{self._prefix}:{key}")
        except self._errors as fault:
            raise ComponentError(f"the Redis server at {self._where} failed: {fault}") from fault
        return None if value is None else value.decode(errors="replace")

    def close(self) -> None:
        """Leave."""
        self._client.close()
