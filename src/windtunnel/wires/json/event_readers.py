"""Events of the JSON protocol as decisions, kind by kind; those that register jobs are read by the reader itself."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from windtunnel.diagnostics import Findings, did_you_mean
from windtunnel.entities.batsim_profiles import profile_from_json
from windtunnel.entities.trace_files import load_traces
from windtunnel.model import JobState, Profile, TraceReplayProfile
from windtunnel.vocabulary import decisions as d
from windtunnel.vocabulary import probes
from windtunnel.wires.json.event import Event, is_number, is_too_far, shown

__all__ = ["READERS", "profile_of"]

SHORTEST: Final = 1e-5
"""s; as upstream, nobody is called sooner, so that a date told rounded down is not asked for again and again."""


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
            event.fail(f"additional_io_job.profile_name is {shown(name)}, a string is expected")
        profile_id = name if "!" in name else f"{decision.job_id.partition('!')[0]}!{name}"
        given = io.get("profile")
        profile = None if given is None else profile_of(event, profile_id, given)
        decision.additional_io = d.AdditionalIo(event.hosts("alloc", io), profile_id, profile)
    return decision


def _mapping(event: Event) -> tuple[int, ...]:
    mapping = event.get("mapping", dict, "an object executor -> rank of a host")
    pairs = {
        _whole(event, key, f"mapping key {key!r}"): _whole(event, value, f"mapping.{key}")
        for key, value in mapping.items()
    }
    if sorted(pairs) != list(range(len(mapping))):  # "0" and "00" are one executor
        event.fail(f"the keys of data.mapping are not 0 to {len(mapping) - 1}")
    return tuple(pairs[k] for k in range(len(pairs)))


def _whole(event: Event, value: Any, what: str) -> int:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 18:
        return int(value)
    if type(value) is int and 0 <= value < 1 << 63:
        return value
    return event.fail(f"{what} is {shown(value)}, a whole number is expected")


def profile_of(event: Event, profile_id: str, value: Any) -> Profile:
    """The profile that an event describes."""
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
        event.fail(f"data.job_ids is {shown(ids)}, a non-empty array of job ids is expected")
    return d.KillJobs(job_ids=tuple(ids))


def _call(event: Event) -> d.Decision:
    event.only("timestamp")
    when = event.data.get("timestamp")
    if is_too_far(when):
        event.fail(f"data.timestamp is {shown(when)}, later than any date that can be simulated (1e100 s)")
    if not is_number(when):
        event.fail(f"data.timestamp is {shown(when)}, a number is expected")
    if when <= event.now:
        event.fail(f"it asks to be awaken in the past: at {when!r}, and it is {event.now!r}")
    return d.CallMeLater(call_me_later_id="", when=probes.OneShot(max(float(when), event.now + SHORTEST)))


def _register_profile(event: Event) -> d.Decision:
    event.only("workload_name", "profile_name", "profile")
    profile_id = f"{event.text('workload_name')}!{event.text('profile_name')}"
    return d.RegisterProfile(profile=profile_of(event, profile_id, event.get("profile", dict, "an object")))


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
        event.fail(f"data.kill_reason is {shown(reason)}, a string is expected")
    return d.ChangeJobState(job_id=event.text("job_id"), job_state=state, kill_reason=reason)


def _to_job(event: Event) -> d.Decision:
    event.only("job_id", "msg")
    return d.MessageToJob(job_id=event.text("job_id"), message=event.text("msg"))


def _query(event: Event) -> d.Decision:
    event.only("requests")
    requests = event.get("requests", dict, "an object with one request")
    if list(requests) != ["consumed_energy"]:
        event.fail(f"data.requests is {shown(requests)}; the one request that is answered is consumed_energy")
    if requests["consumed_energy"] not in ({}, None):
        event.fail(f"consumed_energy has no arguments, such as {shown(requests['consumed_energy'])}")
    return d.QueryEnergy()


def _answer(event: Event) -> d.Decision:
    event.only("estimate_waiting_time")
    answer = event.get("estimate_waiting_time", dict, "an object")
    event.only("job_id", "estimated_waiting_time", of=answer, where="estimate_waiting_time.")
    wait = answer.get("estimated_waiting_time")
    if not is_number(wait) or not isinstance(answer.get("job_id"), str):
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


READERS: Final[dict[str, Callable[[Event], d.Decision]]] = {
    "EXECUTE_JOB": _execute,
    "REJECT_JOB": _reject,
    "KILL_JOB": _kill,
    "CALL_ME_LATER": _call,
    "REGISTER_PROFILE": _register_profile,
    "SET_RESOURCE_STATE": _set_state,
    "SET_JOB_METADATA": _metadata,
    "CHANGE_JOB_STATE": _job_state,
    "TO_JOB_MSG": _to_job,
    "QUERY": _query,
    "ANSWER": _answer,
    "NOTIFY": _notify,
}
"""What reads each type of event."""
