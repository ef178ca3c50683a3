"""How far each rank of a replay is, and the messages between ranks."""

import math
from collections import deque
from dataclasses import dataclass, field

from mypy_extensions import mypyc_attr

from windtunnel.engine.replay.operations import Operation

__all__ = ["Mailbox", "Message", "Rank"]


@dataclass(slots=True, eq=False)
class Message:
    """Posted by one side or by both; it travels once both have. ``waiting`` ranks go on when it has arrived."""

    source: int
    target: int
    tag: int
    size: float = 0.0
    arrived: bool = False
    posted: bool = False
    """By the sender."""
    expected: bool = False
    """By the receiver."""
    waiting: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Rank:
    """Where a rank is in its trace: ``line`` is the next one, ``todo`` what is left of those before."""

    line: int = 0
    default: int = 1
    todo: deque[Operation] = field(default_factory=deque)
    blocked: int = 0
    """Messages (or 1: an action of its own) that it waits for."""
    kept: dict[tuple[int, int, int], deque[Message]] = field(default_factory=dict)
    """Posted without waiting, by source, target and tag."""
    finish: float = math.nan


@mypyc_attr(allow_interpreted_subclasses=True)
class Mailbox:
    """The messages that one side alone has posted, by source, target and tag."""

    def __init__(self) -> None:
        self.unmatched: dict[tuple[int, int, int], deque[Message]] = {}

    def match(self, source: int, target: int, tag: int, *, posted: bool) -> Message:
        """The oldest message of which the other side alone knows, or a new one."""
        unmatched = self.unmatched.setdefault((source, target, tag), deque())
        if unmatched and unmatched[0].posted != posted:
            message = unmatched.popleft()
            if not unmatched:
                del self.unmatched[source, target, tag]
        else:
            message = Message(source, target, tag)
            unmatched.append(message)
        message.posted |= posted
        message.expected |= not posted
        return message
