"""Replies of executions and rejections in JSON, read straight into decisions.

Whatever is not plainly in order, or asks for anything else, is left to the general reader, which says what is wrong:
here nothing is refused, and nothing is read that it would refuse.
"""

from typing import Any, Final

import msgspec

from windtunnel import vocabulary as v
from windtunnel.model import PlacementStrategy
from windtunnel.vocabulary.reply import Reply, new_reply
from windtunnel.wires.host_texts import hosts_of
from windtunnel.wires.repeated import repeated_member

__all__ = ["plain_reply"]

# Bound once: compiled code looks up what comes from other modules each time.
_decode: Final = msgspec.json.Decoder().decode
_repeated: Final = repeated_member
_ExecuteJob: Final = v.ExecuteJob
_RejectJob: Final = v.RejectJob
_INF: Final = float("inf")
_NONE: Final[tuple[Any, ...]] = ([], None)
"""No placements apart."""
_PLACEMENTS: Final = {strategy.name: strategy for strategy in PlacementStrategy}
_FIRST: Final = PlacementStrategy.SpreadOverHostsFirst


def plain_reply(text: bytes, now: float) -> Reply | None:
    """The reply in a JSON text, to a message of a date (s); None for what the general reader is to look at."""
    try:
        message: dict[str, Any] = _decode(text.rstrip(b"\0"))
        done = _date(message["now"])
        events: Any = message["events"]
        if type(events) is not list or len(message) != 2 or not -_INF < done < _INF:
            return None
        decisions: list[Any] = []
        previous = -_INF
        names = 2  # that stand in the text, each once
        for event in events:
            when = _date(event["timestamp"])
            if len(event) != 3 or not previous <= when <= done:
                return None
            previous = when
            decision = _decision(event["event_type"], event["event"])
            if decision is None:
                return None
            names += 4
            if type(decision) is _ExecuteJob:
                data: dict[str, Any] = event["event"]
                names += 2 + len(data) + len(data["allocation"]["executor_placement"])
            if when > now:
                decision.timestamp = when
            decisions.append(decision)
        if _repeated(text, message, names):
            return None
    except (KeyError, TypeError, ValueError, RecursionError, OverflowError, AttributeError):
        return None
    return new_reply(max(now, done), decisions)


def _date(value: Any) -> float:
    if type(value) is float:
        return value
    if type(value) is int:
        return float(value)
    raise TypeError


def _decision(kind: Any, data: dict[str, Any]) -> Any:
    job_id = data["job_id"]
    if type(job_id) is not str:
        return None
    if kind == "RejectJobEvent":
        return _RejectJob(job_id=job_id) if len(data) == 1 else None
    if kind != "ExecuteJobEvent":
        return None
    known = 2
    for apart in ("profile_allocation_override", "storage_placement"):
        if apart in data:
            if data[apart] not in _NONE:
                return None
            known += 1
    allocation: dict[str, Any] = data["allocation"]
    hosts = allocation["host_allocation"]
    placement: dict[str, Any] = allocation["executor_placement"]
    if (
        len(data) != known
        or len(allocation) != 3
        or type(hosts) is not str
        or allocation["executor_placement_type"] != "PredefinedExecutorPlacementStrategyWrapper"
        or type(placement) is not dict
    ):
        return None
    strategy = _FIRST
    if placement:
        if len(placement) != 1:
            return None
        strategy = _PLACEMENTS[placement["strategy"]]
    return _ExecuteJob(job_id=job_id, hosts=hosts_of(hosts), placement=strategy)
