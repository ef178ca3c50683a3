"""What a scheduler says: events of the JSON protocol as decisions. Everything wrong is one clear ProtocolError."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn, TypeGuard

import msgspec
from msgspec.structs import replace

from windtunnel.diagnostics import Findings, ProtocolError, did_you_mean
from windtunnel.entities.batsim_jobs import job_from_json
from windtunnel.entities.batsim_profiles import profile_from_json
from windtunnel.entities.trace_files import load_traces
from windtunnel.model import HostSet, JobState, Profile, TraceReplayProfile
from windtunnel.vocabulary import decisions as d
from windtunnel.vocabulary import probes
from windtunnel.vocabulary.reply import Reply

__all__ = ["Reader"]

SNAP: Final = 1e-6
"""Dates travel with six decimals: one this near to the present is the present."""

_MESSAGE: Final = ("now", "events")
_EVENT: Final = ("timestamp", "type", "data")

SHORTEST: Final = 1e-5
"""s; as upstream, nobody is called sooner, so that a date told rounded down is not asked for again and again."""

Fetch = Callable[[str], "str | None"]


class Event:
    """One event being read: its place for messages, its data."""

    def __init__(self, rank: int, kind: str, data: Mapping[str, Any], now: float) -> None:
        self.rank = rank
        self.kind = kind
        self.data = data
        self.now = now

    def fail(self, what: str) -> NoReturn:
        """Say what is wrong with it."""
        raise ProtocolError(f"event {self.rank} ({self.kind}) of the scheduler's reply: {what}", now=self.now)

    def get(self, key: str, kind: type, what: str) -> Any:
        """A member of a type."""
        if key not in self.data:
            self.fail(f"data.{key} is missing, {what} is expected")
        value = self.data[key]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.fail(f"data.{key} is {_shown(value)}, {what} is expected")
        return value

    def text(self, key: str) -> str:
        """A string."""
        value: str = self.get(key, str, "a string")
        return value

    def hosts(self, key: str, data: Mapping[str, Any] | None = None) -> HostSet:
        """An interval set."""
        source = self.data if data is None else data
        value = source.get(key)
        if not isinstance(value, str):
            self.fail(f'data.{key} is {_shown(value)}, an interval set such as "0-3 5" is expected')
        try:
            return HostSet.parse(value)
        except ValueError as fault:
            self.fail(f"data.{key}: {fault}")

    def only(self, *known: str, of: Mapping[str, Any] | None = None, where: str = "data.") -> None:
        """Refuse unknown members, which would be ignored otherwise."""
        unknown = [key for key in (self.data if of is None else of) if key not in known]
        if unknown:
            self.fail(f"{where}{unknown[0]} is unknown; {did_you_mean(unknown[0], known)}")

    def no_faults(self, findings: Findings) -> None:
        """Turn findings about a job or profile into this event's error."""
        if findings.has_errors:
            self.fail("; ".join(f.message for f in findings))


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number of thousands of digits, or very deep nesting
        return f"a very large {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


def _is_number(value: object) -> TypeGuard[float]:
    """Whether it is a number that a date, a duration... can be; none of those upstream writes is near the limit."""
    return type(value) in (int, float) and -1e100 < value < 1e100  # type: ignore[operator]  # told by its type


class Reader:
    """Reads replies. ``fetch(key)`` asks Redis for what was pushed there, when it is in use."""

    def __init__(self, fetch: Fetch | None = None) -> None:
        self.fetch = fetch
        self._decode = msgspec.json.Decoder().decode
        self._readers: dict[str, Callable[[Event], d.Decision]] = {
            "EXECUTE_JOB": _execute,
            "REJECT_JOB": _reject,
            "KILL_JOB": _kill,
            "CALL_ME_LATER": _call,
            "REGISTER_JOB": self._register_job,
            "REGISTER_PROFILE": _register_profile,
            "SET_RESOURCE_STATE": _set_state,
            "SET_JOB_METADATA": _metadata,
            "CHANGE_JOB_STATE": _job_state,
            "TO_JOB_MSG": _to_job,
            "QUERY": _query,
            "ANSWER": _answer,
            "NOTIFY": _notify,
        }

    def reply(self, data: bytes, now: float) -> Reply:
        """A whole reply to the message of date ``now``.

        Raises:
            ProtocolError: it is not JSON, not of the protocol's form, or an event is malformed.
        """
        try:
            message = self._decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
            raise ProtocolError(f"the scheduler's reply is not JSON: {fault}", now=now) from None
        if not isinstance(message, dict):
            raise ProtocolError(f"the scheduler's reply is {_shown(message)}, an object is expected", now=now)
        for key in message:
            if key not in _MESSAGE:
                hint = did_you_mean(key, _MESSAGE)
                raise ProtocolError(f"member {key!r} of the scheduler's reply is unknown; {hint}", now=now)
        done = _date(message.get("now"), "now", now)
        events = message.get("events")
        if not isinstance(events, list):
            raise ProtocolError(f"events of the scheduler's reply is {_shown(events)}, an array is expected", now=now)
        return Reply(done, [self._event(rank, event, now) for rank, event in enumerate(events)])

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
                    return d.ExecuteJob(job_id=job_id, hosts=HostSet.parse(alloc))
        except (KeyError, TypeError, ValueError):
            pass  # what is wrong is said below
        if not isinstance(event, dict):
            raise ProtocolError(f"event {rank} of the scheduler's reply is {_shown(event)}, not an object", now=now)
        kind = event.get("type")
        if not isinstance(kind, str):
            raise ProtocolError(
                f"event {rank} of the scheduler's reply has type {_shown(kind)}, not a string", now=now
            )
        reader = self._readers.get(kind)
        if reader is None:
            hint = did_you_mean(kind, self._readers)
            raise ProtocolError(f"event {rank} of the scheduler's reply has unknown type {kind!r}; {hint}", now=now)
        data = event.get("data")
        if not isinstance(data, dict):
            raise ProtocolError(f"event {rank} ({kind}): data is {_shown(data)}, an object is expected", now=now)
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
            given = None if pushed is None else _parsed(event, pushed, f"profile_{profile_id}")
        if given is None:
            return d.RegisterJob(job=job, profile_id=profile_id)
        return d.RegisterJob(job=replace(job, profile=_profile(event, profile_id, given)))

    def _description(self, event: Event, job_id: str) -> dict[str, Any]:
        """The job object, from the event or from Redis."""
        job = event.data.get("job")
        if job is None and self.fetch is not None:
            text = self.fetch(f"job_{job_id}")
            if text is None:
                event.fail(f"data.job is missing and Redis has no key job_{job_id} under the prefix of this run")
            job = _parsed(event, text, f"job_{job_id}")
        if not isinstance(job, dict):
            event.fail(f"data.job is {_shown(job)}, an object is expected")
        return job


def _parsed(event: Event, text: str, key: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        event.fail(f"what Redis has under {key} is not JSON: {fault}")


def _date(value: Any, what: str, now: float) -> float:
    if not _is_number(value):
        raise ProtocolError(f"{what} of the scheduler's reply is {_shown(value)}, a number is expected", now=now)
    date = float(value)
    # A date of six decimals, or one that lost digits on the way there and back, may miss the present by so much.
    return now if abs(date - now) <= max(SNAP, now * 4e-16) else date


def _execute(event: Event) -> d.Decision:
    data = event.data
    event.only("job_id", "alloc", "mapping", "storage_mapping", "additional_io_job")
    decision = d.ExecuteJob(job_id=event.text("job_id"), hosts=event.hosts("alloc"))
    if data.get("mapping") is not None:
        decision.placement = _mapping(event)
    if data.get("storage_mapping") is not None:
        labels = event.get("storage_mapping", dict, "an object label -> storage id")
        decision.storages = {str(k): _whole(event, v, f"storage_mapping.{k}") for k, v in labels.items()}
    if data.get("additional_io_job") is not None:
        io = event.get("additional_io_job", dict, "an object with alloc and profile_name")
        event.only("alloc", "profile_name", "profile", of=io, where="additional_io_job.")
        name = io.get("profile_name")
        if not isinstance(name, str):
            event.fail(f"additional_io_job.profile_name is {_shown(name)}, a string is expected")
        profile_id = name if "!" in name else f"{decision.job_id.partition('!')[0]}!{name}"
        given = io.get("profile")
        profile = None if given is None else _profile(event, profile_id, given)
        decision.additional_io = d.AdditionalIo(event.hosts("alloc", io), profile_id, profile)
    return decision


def _mapping(event: Event) -> tuple[int, ...]:
    mapping = event.get("mapping", dict, "an object executor -> rank of a host")
    pairs = {
        _whole(event, key, f"mapping key {key!r}"): _whole(event, value, f"mapping.{key}")
        for key, value in mapping.items()
    }
    if sorted(pairs) != list(range(len(pairs))):
        event.fail(f"the keys of data.mapping are not 0 to {len(pairs) - 1}")
    return tuple(pairs[k] for k in range(len(pairs)))


def _whole(event: Event, value: Any, what: str) -> int:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 18:
        return int(value)
    if type(value) is int and 0 <= value < 1 << 63:
        return value
    return event.fail(f"{what} is {_shown(value)}, a whole number is expected")


def _profile(event: Event, profile_id: str, value: Any) -> Profile:
    findings = Findings()
    workload, _, name = profile_id.partition("!")
    profile = profile_from_json(name, value, 4, workload=workload, findings=findings)
    event.no_faults(findings)
    if profile is None:
        event.fail("data.profile describes no profile")
    if isinstance(profile, TraceReplayProfile):  # its file is named as from the working directory
        profile = replace(profile, traces=load_traces(Path(profile.filename), profile.trace_type, findings))
        event.no_faults(findings)
    return profile


def _reject(event: Event) -> d.Decision:
    event.only("job_id")
    return d.RejectJob(job_id=event.text("job_id"))


def _kill(event: Event) -> d.Decision:
    event.only("job_ids")
    ids = event.get("job_ids", list, "an array of job ids")
    if not ids or not all(isinstance(job, str) for job in ids):
        event.fail(f"data.job_ids is {_shown(ids)}, a non-empty array of job ids is expected")
    return d.KillJobs(job_ids=tuple(ids))


def _call(event: Event) -> d.Decision:
    event.only("timestamp")
    when = event.data.get("timestamp")
    if not _is_number(when):
        event.fail(f"data.timestamp is {_shown(when)}, a number is expected")
    if when <= event.now:
        event.fail(f"it asks to be awaken in the past: at {when!r}, and it is {event.now!r}")
    return d.CallMeLater(call_me_later_id="", when=probes.OneShot(max(float(when), event.now + SHORTEST)))


def _register_profile(event: Event) -> d.Decision:
    event.only("workload_name", "profile_name", "profile")
    profile_id = f"{event.text('workload_name')}!{event.text('profile_name')}"
    return d.RegisterProfile(profile=_profile(event, profile_id, event.get("profile", dict, "an object")))


def _set_state(event: Event) -> d.Decision:
    event.only("resources", "state")
    return d.SetResourceState(
        hosts=event.hosts("resources"), state=_whole(event, event.data.get("state"), "data.state")
    )


def _metadata(event: Event) -> d.Decision:
    event.only("job_id", "metadata")
    return d.SetJobMetadata(job_id=event.text("job_id"), metadata=event.text("metadata"))


def _job_state(event: Event) -> d.Decision:
    event.only("job_id", "job_state", "kill_reason")
    name = event.text("job_state")
    state = JobState.__members__.get(name)
    if state is None or state is JobState.SUSPENDED:
        known = [s.name for s in JobState if s is not JobState.SUSPENDED]
        event.fail(f"data.job_state {name!r} is not a state; {did_you_mean(name, known)}")
    reason = event.data.get("kill_reason", "")
    if not isinstance(reason, str):
        event.fail(f"data.kill_reason is {_shown(reason)}, a string is expected")
    return d.ChangeJobState(job_id=event.text("job_id"), job_state=state, kill_reason=reason)


def _to_job(event: Event) -> d.Decision:
    event.only("job_id", "msg")
    return d.MessageToJob(job_id=event.text("job_id"), message=event.text("msg"))


def _query(event: Event) -> d.Decision:
    event.only("requests")
    requests = event.get("requests", dict, "an object with one request")
    if list(requests) != ["consumed_energy"]:
        event.fail(f"data.requests is {_shown(requests)}; the one request that is answered is consumed_energy")
    if requests["consumed_energy"] not in ({}, None):
        event.fail(f"consumed_energy has no arguments, such as {_shown(requests['consumed_energy'])}")
    return d.QueryEnergy()


def _answer(event: Event) -> d.Decision:
    event.only("estimate_waiting_time")
    answer = event.get("estimate_waiting_time", dict, "an object")
    event.only("job_id", "estimated_waiting_time", of=answer, where="estimate_waiting_time.")
    wait = answer.get("estimated_waiting_time")
    if not _is_number(wait) or not isinstance(answer.get("job_id"), str):
        event.fail("estimate_waiting_time needs job_id (a string) and estimated_waiting_time (a number)")
    return d.AnswerWaitingTime(job_id=answer["job_id"], estimated_waiting_time=float(wait))


def _notify(event: Event) -> d.Decision:
    event.only("type")
    kind = event.text("type")
    if kind in ("registration_finished", "submission_finished"):
        return d.FinishRegistration()
    if kind in ("continue_registration", "continue_submission"):
        return d.ContinueRegistration()
    return event.fail(
        f"data.type {kind!r} is unknown; {did_you_mean(kind, ('registration_finished', 'continue_registration'))}"
    )
