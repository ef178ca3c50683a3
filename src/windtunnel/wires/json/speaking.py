"""Our decisions as events for a Batsim 3 or 4: the other side of ``incoming``, for serving our schedulers."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.entities.batsim_jobs import job_to_json
from windtunnel.entities.batsim_profiles import profile_to_json
from windtunnel.model import Placement
from windtunnel.vocabulary import decisions as d
from windtunnel.vocabulary import probes
from windtunnel.vocabulary.component import Reply

__all__ = ["reply_text"]


def reply_text(reply: Reply, now: float) -> bytes:
    """A reply as a message.

    Raises:
        UsageError: a decision cannot be said in this protocol.
    """
    events = []
    for decision in reply.decisions:
        writer = _WRITERS.get(type(decision))
        if writer is None:
            raise UsageError(f"{type(decision).__name__} cannot be said in Batsim's JSON protocol")
        kind, data = writer(decision)
        when = now if decision.timestamp is None else decision.timestamp
        events.append({"timestamp": when, "type": kind, "data": data})
    return msgspec.json.encode({"now": reply.now, "events": events})


def _execute(decision: d.ExecuteJob) -> tuple[str, dict[str, Any]]:
    data: dict[str, Any] = {"job_id": decision.job_id, "alloc": str(decision.hosts)}
    if decision.amounts is not None:
        raise UsageError("parts of hosts cannot be given to a job in Batsim's JSON protocol: it knows whole hosts")
    if isinstance(decision.placement, tuple):
        data["mapping"] = {str(executor): str(rank) for executor, rank in enumerate(decision.placement)}
    elif decision.placement is Placement.FillOneHostCoresFirst:
        raise UsageError("FillOneHostCoresFirst cannot be said in Batsim's JSON protocol: it does not know cores")
    if decision.storages:
        data["storage_mapping"] = dict(decision.storages)
    if decision.additional_io is not None:
        io = decision.additional_io
        data["additional_io_job"] = {"alloc": str(io.hosts), "profile_name": io.profile_id.partition("!")[2]}
        if io.profile is not None:
            data["additional_io_job"]["profile"] = profile_to_json(io.profile, 4)
    return "EXECUTE_JOB", data


def _call(decision: d.CallMeLater) -> tuple[str, dict[str, Any]]:
    when = decision.when
    if not isinstance(when, probes.OneShot):
        raise UsageError("periodic calls cannot be said in Batsim's JSON protocol: ask again at each call")
    unit = 1000.0 if when.time_unit is probes.TimeUnit.Millisecond else 1.0
    return "CALL_ME_LATER", {"timestamp": when.time / unit}


def _register_job(decision: d.RegisterJob) -> tuple[str, dict[str, Any]]:
    job = decision.job
    described = job_to_json(job, 4)
    data: dict[str, Any] = {"job_id": job.id, "job": described}
    if decision.profile_id:
        described["profile"] = decision.profile_id.partition("!")[2]
    else:
        described["profile"] = job.profile.name
        data["profile"] = profile_to_json(job.profile, 4)
    return "REGISTER_JOB", data


def _register_profile(decision: d.RegisterProfile) -> tuple[str, dict[str, Any]]:
    workload, _, name = decision.profile.id.partition("!")
    return "REGISTER_PROFILE", {
        "workload_name": workload,
        "profile_name": name,
        "profile": profile_to_json(decision.profile, 4),
    }


def _states(hosts: object, state: int) -> tuple[str, dict[str, Any]]:
    return "SET_RESOURCE_STATE", {"resources": str(hosts), "state": str(state)}


def _answer(decision: d.AnswerWaitingTime) -> tuple[str, dict[str, Any]]:
    answer = {"job_id": decision.job_id, "estimated_waiting_time": decision.estimated_waiting_time}
    return "ANSWER", {"estimate_waiting_time": answer}


_WRITERS: Final[dict[type[d.Decision], Callable[[Any], tuple[str, dict[str, Any]]]]] = {
    d.ExecuteJob: _execute,
    d.RejectJob: lambda x: ("REJECT_JOB", {"job_id": x.job_id}),
    d.KillJobs: lambda x: ("KILL_JOB", {"job_ids": list(x.job_ids)}),
    d.CallMeLater: _call,
    d.RegisterJob: _register_job,
    d.RegisterProfile: _register_profile,
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
