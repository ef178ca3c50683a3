"""Playing Batsim 4 for a scheduler at the other end of a socket (batsim-cli.md 2)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.vocabulary import Component, Features, Hello, Notice, Reply, SimulationEnds
from windtunnel.wires.json.incoming import Reader
from windtunnel.wires.json.outgoing import Writer
from windtunnel.wires.zmq_peer import Requester

__all__ = ["JsonComponent", "JsonOptions"]


class JsonOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Batsim 4's options that its scheduler is told of."""

    redis: bool = False
    redis_hostname: str = "127.0.0.1"
    redis_port: int = 6379
    redis_prefix: str = "default"
    forward_profiles: bool = False
    dynamic_jobs: bool = False
    acknowledge_dynamic_jobs: bool = False
    profile_reuse: bool = False
    scheduler_config: str = ""
    forward_unknown_events: bool = False

    def config(self) -> dict[str, Any]:
        """The ``config`` object of SIMULATION_BEGINS, in Batsim's order."""
        return {
            "redis-enabled": self.redis,
            "redis-hostname": self.redis_hostname,
            "redis-port": self.redis_port,
            "redis-prefix": self.redis_prefix,
            "profiles-forwarded-on-submission": self.forward_profiles,
            "dynamic-jobs-enabled": self.dynamic_jobs,
            "dynamic-jobs-acknowledged": self.acknowledge_dynamic_jobs,
            "profile-reuse-enabled": self.profile_reuse,
            "sched-config": self.scheduler_config,
            "forward-unknown-events": self.forward_unknown_events,
        }


DEFAULTS: Final = JsonOptions()


class JsonComponent(Component):
    """A scheduler that speaks the JSON protocol over ZeroMQ: we connect as REQ, it has bound as REP.

    ``log`` is called with ``Sending`` or ``Received`` and the text of every message.
    """

    Options = JsonOptions

    def __init__(
        self,
        endpoint: str,
        *,
        timeout: float = 300.0,
        options: JsonOptions = DEFAULTS,
        log: Callable[[str, str], None] | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.options = options
        self.log = log
        self._peer = Requester(endpoint, timeout)
        self._store: Any = None
        self._writer = Writer(options.config())
        self._reader = Reader()

    def hello(self) -> Hello:
        """There is no handshake in this protocol: the features are those of the command line."""
        options = self.options
        if options.acknowledge_dynamic_jobs and not options.dynamic_jobs:
            raise UsageError("acknowledging dynamic jobs needs dynamic jobs to be enabled")
        if options.profile_reuse and not options.dynamic_jobs:
            raise UsageError("reusing profiles needs dynamic jobs to be enabled")
        if options.redis:
            from windtunnel.wires.redis_store import RedisStore

            self._store = RedisStore(options.redis_hostname, options.redis_port, options.redis_prefix)
            self._writer = Writer(options.config(), self._store.put)
            self._reader = Reader(self._store.get)
        self._peer.open()
        return Hello(
            name=self.endpoint,
            features=Features(
                dynamic_registration=options.dynamic_jobs,
                profile_reuse=options.profile_reuse,
                acknowledge_dynamic_jobs=options.acknowledge_dynamic_jobs,
                forward_profiles_on_job_submission=options.forward_profiles,
            ),
        )

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """One message, one reply; what this protocol cannot say is not said.

        Raises:
            ComponentTimeoutError, ComponentError, ProtocolError: the peer hangs, is gone, or talks nonsense.
        """
        if len(notices) > 1 and isinstance(notices[-1], SimulationEnds):
            before = self.decide(now, notices[:-1])  # the end travels alone
            after = self.decide(now, notices[-1:])
            return Reply(max(before.now, after.now), before.decisions + after.decisions)
        text = self._writer.message(now, notices)
        if text is None:
            return Reply(now, [])
        if self.log is not None:
            self.log("Sending", text)
        data = self._peer.ask(text.encode(), now)
        if self.log is not None:
            self.log("Received", data.decode(errors="replace"))
        return self._reader.reply(data, now)

    def stop(self) -> None:
        """Close the connection."""
        self._peer.close()
        if self._store is not None:
            self._store.close()

    def __reduce__(self) -> Any:
        raise TypeError("a scheduler behind a socket cannot be copied")


def config_of(data: Mapping[str, Any]) -> JsonOptions:
    """The options that a ``config`` object tells of (Batsim 3 has fewer of them)."""
    return JsonOptions(
        redis=bool(data.get("redis-enabled", False)),
        redis_hostname=str(data.get("redis-hostname", "127.0.0.1")),
        redis_port=int(data.get("redis-port", 6379)),
        redis_prefix=str(data.get("redis-prefix", "default")),
        forward_profiles=bool(data.get("profiles-forwarded-on-submission", False)),
        dynamic_jobs=bool(data.get("dynamic-jobs-enabled", False)),
        acknowledge_dynamic_jobs=bool(data.get("dynamic-jobs-acknowledged", False)),
        profile_reuse=bool(data.get("profile-reuse-enabled", False)),
        scheduler_config=str(data.get("sched-config", "")),
        forward_unknown_events=bool(data.get("forward-unknown-events", False)),
    )
