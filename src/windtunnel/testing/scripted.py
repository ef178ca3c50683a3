"""A scheduler that follows a script and records the notices it receives."""

from collections.abc import Callable, Iterable, Sequence

from windtunnel.schedulers.base import Scheduler
from windtunnel.vocabulary import Decision, Features, Hello, Notice, Reply

__all__ = ["Scripted"]

Script = Callable[[float, Sequence[Notice]], "Reply | Iterable[Decision] | None"]


class Scripted(Scheduler):
    """Calls ``script(now, notices)`` at each message; ``log`` holds (now, notices) of all messages."""

    name = "scripted"

    def __init__(self, script: Script, features: Features = Features()) -> None:  # noqa: B008 -- immutable
        super().__init__()
        self.script = script
        self.wanted = features
        self.log: list[tuple[float, list[Notice]]] = []
        self.stopped = 0

    def hello(self) -> Hello:
        """Introduces itself with the given features."""
        return Hello(name=self.name, features=self.wanted)

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Call the script."""
        self.log.append((now, list(notices)))
        answer = self.script(now, notices)
        if isinstance(answer, Reply):
            return answer
        return Reply(now, list(answer or ()))

    def stop(self) -> None:
        """Count how often this is called."""
        self.stopped += 1

    def told(self, *kinds: type[Notice]) -> list[Notice]:
        """All notices of these kinds so far."""
        return [n for _, notices in self.log for n in notices if isinstance(n, kinds)]
