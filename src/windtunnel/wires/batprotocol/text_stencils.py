"""Messages of submissions and ends as JSON text, filled into stencils: what :mod:`stencils` is to the binary form.

There is one stencil of each kind, found by writing one event in the general way. What is less common goes that way.
"""

from collections.abc import Sequence
from math import inf
from typing import Any, Final

import msgspec
from msgspec.structs import astuple

from windtunnel import model as m
from windtunnel import vocabulary as v
from windtunnel.wires.batprotocol import schema as s
from windtunnel.wires.batprotocol import text

__all__ = ["filled_text"]

# Bound once: compiled code looks up what comes from other modules each time.
_astuple: Final = astuple
_encode: Final = msgspec.json.Encoder().encode
_JobSubmitted: Final = v.JobSubmitted
_JobCompleted: Final = v.JobCompleted
_INF: Final = inf

_FINAL: Final = tuple(
    _encode(state.name) if state.name in s.FinalJobState.__members__ else None for state in m.JobState
)
"""A final state as JSON, by its number."""


def filled_text(now: float, notices: Sequence[v.Notice]) -> bytes | None:
    """The JSON message of these notices, with its final NUL.

    None for what there is no stencil for, and for values that JSON has not.
    """
    events: list[bytes] = []
    try:
        for notice in notices:
            kind = type(notice)
            if kind is _JobSubmitted:
                event = _submission(notice)
            elif kind is _JobCompleted:
                event = _end(notice)
            else:
                return None
            if event is None:
                return None
            events.append(event)
        if not events or not -_INF < now < _INF:
            return None
        return b"".join([_MESSAGE[0], _encode(now), _MESSAGE[1], b",".join(events), _MESSAGE[2]])
    except Exception:  # noqa: BLE001 -- whatever is wrong is said by the general way
        return None


def _submission(notice: v.Notice) -> bytes | None:
    when, job, submitted, profile = _astuple(notice)
    walltime = job.walltime
    if profile is not None or job.extra_data is not None:
        return None
    if not (-_INF < when < _INF and -_INF < submitted < _INF and walltime >= 0.0):
        return None
    c = _SUBMISSION
    return b"".join(
        [
            c[0], _encode(when), c[1], _encode(job.id), c[2], _encode(job.request.hosts), c[3],
            _encode(None if walltime == _INF else walltime), c[4], _encode(job.profile.id or job.id), c[5],
            _encode(submitted), c[6],
        ]
    )  # fmt: skip


def _end(notice: v.Notice) -> bytes | None:
    when, job, state, code = _astuple(notice)[:4]
    name = _FINAL[state]
    if name is None or not -_INF < when < _INF:
        return None
    c = _END
    return b"".join([c[0], _encode(when), c[1], _encode(job.id), c[2], name, c[3], _encode(code), c[4]])


# ---- how the stencils are made -----------------------------------------------------------------------------------


def _pieces(text: bytes, *values: Any) -> tuple[bytes, ...]:
    """What stands around some values, which are in this order."""
    pieces = []
    for value in values:
        before, found, text = text.partition(_encode(value))
        assert found, "a value is written as it is alone"
        pieces.append(before)
    return (*pieces, text)


def _event(event: s.Event) -> tuple[bytes, bytes, bytes]:
    """A message of one event, dated 0.25 at 0.5: what comes before the event, it, and what follows."""
    message = text.encode(s.Message(now=0.5, events=(s.EventAndTimestamp(timestamp=0.25, event=event),)))
    start, end = message.index(b"[") + 1, message.rindex(b"]")
    return message[:start], message[start:end], message[end:]


_JOB: Final = s.Job(resource_request=17, walltime=0.125, extra_data=None, profile_id="profile")
_BEFORE, _WRITTEN, _AFTER = _event(s.JobSubmittedEvent(job_id="job", job=_JOB, submission_time=0.75, profile=None))
_MESSAGE: Final = (*_pieces(_BEFORE, 0.5), _AFTER + b"\0")
_SUBMISSION: Final = _pieces(_WRITTEN, 0.25, "job", 17, 0.125, "profile", 0.75)
_END: Final = _pieces(
    _event(s.JobCompletedEvent(job_id="job", state=s.FinalJobState.COMPLETED_FAILED, return_code=17))[1],
    0.25,
    "job",
    "COMPLETED_FAILED",
    17,
)
