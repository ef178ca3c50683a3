"""Our decisions as events for a Batsim 3 or 4: the other side of ``incoming``, for serving our schedulers."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.entities.batsim_jobs import job_to_json
from windtunnel.entities.batsim_profiles import profile_to_json
from windtunnel.model import PlacementStrategy
from windtunnel.vocabulary import decisions as d
from windtunnel.vocabulary import probes
from windtunnel.vocabulary.coverage import Wire, unsaid
from windtunnel.vocabulary.reply import Reply

__all__ = ["Speaking", "event_of"]

Event = tuple[str, dict[str, Any]]


class Speaking:
    """Writes replies. Remembers which profiles Batsim knows: it takes none inside REGISTER_JOB, and each only once.

    With Redis, descriptions of jobs are not sent: ``push(key, text)`` gets them instead.
    """

    def __init__(self) -> None:
        self.push: Callable[[str, str], None] | None = None
        self.known: set[str] = set()
        """Full ids of the profiles that Batsim has."""

    def reply(self, reply: Reply, now: float) -> bytes:
        """A reply as a message.

        Raises:
            UsageError: a decision cannot be said in this protocol.
        """
        events = []
        for decision in reply.decisions:
            when = now if decision.timestamp is None else decision.timestamp
            for kind, data in self._events(decision):
                events.append({"timestamp": when, "type": kind, "data": data})
        return msgspec.json.encode({"now": reply.now, "events": events})

    def _events(self, decision: d.Decision) -> list[Event]:
        if isinstance(decision, d.RegisterJob):
            return self._register_job(decision)
        if isinstance(decision, d.RegisterProfile):
            self.known.add(decision.profile.id)
        if isinstance(decision, d.ReportLeases):
            unsaid(decision, Wire.JSON)  # on purpose
            return []
        return [event_of(decision)]

    def _register_job(self, decision: d.RegisterJob) -> list[Event]:
        job = decision.job
        events = []
        profile = job.profile
        if not decision.profile_id and profile.id not in self.known:
            self.known.add(profile.id)
            events.append(_register_profile(d.RegisterProfile(profile=profile)))
        kind, data = _register_job(decision)
        if self.push is not None:
            self.push(f"job_{job.id}", msgspec.json.encode(data.pop("job")).decode())
        return [*events, (kind, data)]


def event_of(decision: d.Decision) -> Event:
    """The event of a decision: its type and its data.

    Raises:
        UsageError: it cannot be said in this protocol.
    """
    writer = _WRITERS.get(type(decision))
    if writer is None:
        unsaid(decision, Wire.JSON)
        raise UsageError(f"{type(decision).__name__} has no form in Batsim's JSON protocol")
    return writer(decision)


def _register_job(decision: d.RegisterJob) -> Event:
    job = decision.job
    named = (decision.profile_id or job.profile.id).partition("!")[2]
    return "REGISTER_JOB", {"job_id": job.id, "job": job_to_json(job, 4) | {"profile": named}}


def _execute(decision: d.ExecuteJob) -> Event:
    data: dict[str, Any] = {"job_id": decision.job_id, "alloc": str(decision.hosts)}
    if decision.amounts is not None:
        raise UsageError("parts of hosts cannot be given to a job in Batsim's JSON protocol: it knows whole hosts")
    if decision.profile_placements:
        raise UsageError(
            "profile_placements cannot be expressed in Batsim's JSON protocol: all profiles run on alloc"
        )
    if isinstance(decision.placement, tuple):
        data["mapping"] = {str(executor): str(rank) for executor, rank in enumerate(decision.placement)}
    elif decision.placement is PlacementStrategy.FillOneHostCoresFirst:
        raise UsageError(
            "FillOneHostCoresFirst cannot be expressed in Batsim's JSON protocol: it does not know cores"
        )
    if decision.storages:
        data["storage_mapping"] = dict(decision.storages)
    if decision.additional_io is not None:
        io = decision.additional_io
        data["additional_io_job"] = {"alloc": str(io.hosts), "profile_name": io.profile_id.partition("!")[2]}
        if io.profile is not None:
            data["additional_io_job"]["profile"] = profile_to_json(io.profile, 4)
    return "EXECUTE_JOB", data


def _call(decision: d.CallMeLater) -> Event:
    when = decision.when
    if not isinstance(when, probes.OneShot):
        raise UsageError("periodic calls cannot be expressed in Batsim's JSON protocol: ask again at each call")
    unit = 1000.0 if when.time_unit is probes.TimeUnit.Millisecond else 1.0
    return "CALL_ME_LATER", {"timestamp": when.time / unit}


def _register_profile(decision: d.RegisterProfile) -> Event:
    workload, _, name = decision.profile.id.partition("!")
    return "REGISTER_PROFILE", {
        "workload_name": workload,
        "profile_name": name,
        "profile": profile_to_json(decision.profile, 4),
    }


def _states(hosts: object, state: int) -> Event:
    return "SET_RESOURCE_STATE", {"resources": str(hosts), "state": str(state)}


def _answer(decision: d.AnswerWaitingTime) -> Event:
    answer = {"job_id": decision.job_id, "estimated_waiting_time": decision.estimated_waiting_time}
    return "ANSWER", {"estimate_waiting_time": answer}


_WRITERS: Final[dict[type[d.Decision], Callable[[Any], Event]]] = {
    d.ExecuteJob: _execute,
    d.RejectJob: lambda x: ("REJECT_JOB", {"job_id": x.job_id}),
    d.KillJobs: lambda x: ("KILL_JOB", {"job_ids": list(x.job_ids)}),
    d.CallMeLater: _call,
    d.RegisterProfile: _register_profile,
    d.RegisterJob: _register_job,
    d.SetResourceState: lambda x: _states(x.hosts, x.state),
    d.ChangeHostsPState: lambda x: _states(x.hosts, x.pstate),
    d.TurnOnOffHosts: lambda x: _states(x.hosts, x.state),
    d.SetJobMetadata: lambda x: ("SET_JOB_METADATA", {"job_id": x.job_id, "metadata": x.metadata}),
    d.ChangeJobState: lambda x: (
        "CHANGE_JOB_STATE",
        {"job_id": x.job_id, "job_state": x.job_state.name, "kill_reason": x.kill_reason},
    ),
    d.MessageToJob: lambda x: ("TO_JOB_MSG", {"job_id": x.job_id, "msg": x.message}),
    d.QueryEnergy: lambda _: ("QUERY", {"requests": {"consumed_energy": {}}}),
    d.AnswerWaitingTime: _answer,
    d.FinishRegistration: lambda _: ("NOTIFY", {"type": "registration_finished"}),
    d.ContinueRegistration: lambda _: ("NOTIFY", {"type": "continue_registration"}),
}
