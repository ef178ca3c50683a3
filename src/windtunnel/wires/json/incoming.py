"""What a scheduler says: messages of the JSON protocol as replies. Everything wrong is one clear ProtocolError."""

from collections.abc import Callable
from typing import Any, Final

import msgspec
from msgspec.structs import replace
from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import Findings, ProtocolError, did_you_mean
from windtunnel.entities.batsim_jobs import job_from_json
from windtunnel.vocabulary import decisions as d
from windtunnel.vocabulary.reply import Reply, new_reply
from windtunnel.wires.host_texts import hosts_of
from windtunnel.wires.json.event import Event, is_number, parsed, shown
from windtunnel.wires.json.event_readers import READERS, profile_of
from windtunnel.wires.repeated import repeated_member

__all__ = ["Reader"]

# Bound once: compiled code looks up what comes from other modules each time.
_ExecuteJob: Final = d.ExecuteJob

SNAP: Final = 1e-6
"""Dates travel with six decimals: one this near to the present is the present."""

_MESSAGE: Final = ("now", "events")
_EVENT: Final = ("timestamp", "type", "data")

Fetch = Callable[[str], "str | None"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Reader:
    """Reads replies. ``fetch(key)`` asks Redis for what was pushed there, when it is in use."""

    def __init__(self, fetch: Fetch | None = None) -> None:
        self.fetch = fetch
        self._decode = msgspec.json.Decoder().decode
        self._readers = READERS | {"REGISTER_JOB": self._register_job}

    def reply(self, data: bytes, now: float) -> Reply:
        """A whole reply to the message of date ``now``.

        Raises:
            ProtocolError: it is not JSON, not of the protocol's form, or an event is malformed.
        """
        try:
            message: Any = self._decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
            raise ProtocolError(f"the scheduler's reply is not JSON: {fault}", now=now) from None
        if not isinstance(message, dict):
            raise ProtocolError(f"the scheduler's reply is {shown(message)}, an object is expected", now=now)
        for key in message:
            if key not in _MESSAGE:
                hint = did_you_mean(key, _MESSAGE)
                raise ProtocolError(f"member {key!r} of the scheduler's reply is unknown; {hint}", now=now)
        events = message.get("events")
        names = len(message)
        for event in events if isinstance(events, list) else ():
            if isinstance(event, dict):
                names += len(event)
                if isinstance(of_event := event.get("data"), dict):
                    names += len(of_event)
        if data.count(b":") != names and (twice := repeated_member(data, message, names)):  # a call less
            raise ProtocolError(f"the scheduler's reply has the member {twice}", now=now)
        done = message.get("now")
        if done != now or type(done) is not float:  # usually it is the present
            done = _date(done, "now", now)
        if not isinstance(events, list):
            raise ProtocolError(f"events of the scheduler's reply is {shown(events)}, an array is expected", now=now)
        decisions = [self._event(rank, event, now) for rank, event in enumerate(events)] if events else []
        if done != now:  # only then something may be dated later
            _not_back_to_the_present(decisions, now)
        return new_reply(done, decisions)

    def decision(self, event: Any, now: float) -> d.Decision:
        """The decision in one event, as a scheduler would send it at a date.

        Raises:
            ProtocolError: it is none.
        """
        return self._event(0, event, now)

    def _event(self, rank: int, event: Any, now: float) -> d.Decision:
        try:  # the most frequent decision in its plainest form
            when, data = event["timestamp"], event["data"]
            if event["type"] == "EXECUTE_JOB" and when == now and type(when) is not bool and len(event) == 3:
                job_id, alloc = data["job_id"], data["alloc"]
                if len(data) == 2 and type(job_id) is str and type(alloc) is str:
                    return _ExecuteJob(job_id=job_id, hosts=hosts_of(alloc))
        except (KeyError, TypeError, ValueError):
            pass  # what is wrong is said below
        if not isinstance(event, dict):
            raise ProtocolError(f"event {rank} of the scheduler's reply is {shown(event)}, not an object", now=now)
        kind = event.get("type")
        if not isinstance(kind, str):
            raise ProtocolError(
                f"event {rank} of the scheduler's reply has type {shown(kind)}, not a string", now=now
            )
        reader = self._readers.get(kind)
        if reader is None:
            hint = did_you_mean(kind, self._readers)
            raise ProtocolError(f"event {rank} of the scheduler's reply has unknown type {kind!r}; {hint}", now=now)
        data = event.get("data")
        if not isinstance(data, dict):
            raise ProtocolError(f"event {rank} ({kind}): data is {shown(data)}, an object is expected", now=now)
        read = Event(rank, kind, data, now)
        if "additional_io_job" in event and kind == "EXECUTE_JOB":  # where the document shows it
            if "additional_io_job" in data:
                read.fail("additional_io_job is given twice, in data and beside it")
            read.data = data | {"additional_io_job": event["additional_io_job"]}
            read.only(*_EVENT, "additional_io_job", of=event, where="")
        elif len(event) > len(_EVENT):
            read.only(*_EVENT, of=event, where="")
        decision = reader(read)
        when = _date(event.get("timestamp"), f"timestamp of event {rank} ({kind})", now)
        if when != now:
            decision.timestamp = when
        return decision

    def _register_job(self, event: Event) -> d.Decision:
        event.only("job_id", "job", "profile")
        job_id = event.text("job_id")
        workload = job_id.partition("!")[0]
        if "!" not in job_id:
            event.fail(f"data.job_id is {job_id!r}, workload!name is expected")
        described = self._description(event, job_id)
        given = event.data.get("profile")
        if isinstance(described.get("profile"), dict):  # a profile written in the place of its name
            if given is not None:
                event.fail("a profile is given twice, as data.profile and in data.job")
            given = described["profile"]
            described = described | {"profile": f"profile_of_{job_id.partition('!')[2]}"}
        findings = Findings()
        described = described | {
            "id": described.get("id", job_id),
            "subtime": described.get("subtime", event.now),  # decisions.md 5
        }
        job = job_from_json(described, 4, workload=workload, findings=findings)
        event.no_faults(findings)
        if job is None:
            event.fail("data.job describes no job")
        if job.id != job_id:
            event.fail(f"data.job_id is {job_id!r} but data.job.id is {job.id!r}")
        profile_id = job.profile.id
        if given is None and self.fetch is not None:
            pushed = self.fetch(f"profile_{profile_id}")
            given = None if pushed is None else parsed(event, pushed, f"profile_{profile_id}")
        if given is None:
            return d.RegisterJob(job=job, profile_id=profile_id)
        return d.RegisterJob(job=replace(job, profile=profile_of(event, profile_id, given)))

    def _description(self, event: Event, job_id: str) -> dict[str, Any]:
        """The job object, from the event or from Redis."""
        job = event.data.get("job")
        if job is None and self.fetch is not None:
            text = self.fetch(f"job_{job_id}")
            if text is None:
                event.fail(f"data.job is missing and Redis has no key job_{job_id} under the prefix of this run")
            job = parsed(event, text, f"job_{job_id}")
        if not isinstance(job, dict):
            event.fail(f"data.job is {shown(job)}, an object is expected")
        return job


def _not_back_to_the_present(decisions: list[d.Decision], now: float) -> None:
    """Dates ascend; between later ones the engine sees to that, but what is done at once has none."""
    for rank in range(1, len(decisions)):
        before = decisions[rank - 1].timestamp
        if before is not None and before > now and decisions[rank].timestamp is None:
            raise ProtocolError(
                f"timestamp of event {rank} of the scheduler's reply is {now!r}, before {before!r}, that of the "
                "event before it: time cannot go backwards",
                now=now,
            )


def _date(value: Any, what: str, now: float) -> float:
    if not is_number(value):
        raise ProtocolError(f"{what} of the scheduler's reply is {shown(value)}, a number is expected", now=now)
    date = float(value)
    # A date of six decimals, or one that lost digits on the way there and back, may miss the present by so much.
    return now if abs(date - now) <= max(SNAP, now * 4e-16) else date
