"""Playing Batsim 4 for a scheduler at the other end of a socket (batsim-cli.md 2)."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import UsageError
from windtunnel.vocabulary import Features, Hello, Notice, Reply, SimulationEnds
from windtunnel.wires.json.incoming import Reader
from windtunnel.wires.json.options import JsonOptions
from windtunnel.wires.json.outgoing import Writer
from windtunnel.wires.zmq_peer import Requester

__all__ = ["JsonComponent", "JsonOptions"]


DEFAULTS: Final = JsonOptions()


@mypyc_attr(allow_interpreted_subclasses=True)
class JsonComponent:
    """A scheduler that speaks the JSON protocol over ZeroMQ: we connect as REQ, it has bound as REP.

    ``log`` is called with ``Sending`` or ``Received`` and the text of every message.
    """

    Options: ClassVar[type[JsonOptions]] = JsonOptions

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
        self._peer: Any = Requester(endpoint, timeout)  # or whatever else asks
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

            self._store = RedisStore(
                options.redis_hostname, options.redis_port, options.redis_prefix, self._peer.timeout
            )
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
        if self._store is not None:
            self._store.now = now
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
