"""What Batsim says: notices as events of the JSON protocol (batsim-protocol.md 18), member for member."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import astuple
from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import SimulationError
from windtunnel.entities.batsim_jobs import job_to_json
from windtunnel.entities.batsim_profiles import profile_to_json
from windtunnel.model import Host, Job, JobState, Profile, Workload
from windtunnel.model.abilities import unused_profiles
from windtunnel.vocabulary import notices as n
from windtunnel.vocabulary.coverage import Wire, unsaid
from windtunnel.vocabulary.decisions import Decision
from windtunnel.vocabulary.progress import AtomicProgress, KillProgress, SequentialProgress
from windtunnel.vocabulary.site_notices import (
    ExternalEventOccurred,
    HostsBecameAvailable,
    HostsBecameUnavailable,
    HostsPStateChanged,
    HostsTurnedOnOff,
    ResourceStateChanged,
)
from windtunnel.wires.json.speaking import event_of
from windtunnel.wires.json.text import date_text, quoted, to_text

__all__ = ["Writer"]

# Bound once: compiled code looks up what comes from other modules each time.
_astuple: Final = astuple
_JobSubmitted: Final = n.JobSubmitted
_JobCompleted: Final = n.JobCompleted

_STATES: Final = tuple(state.name for state in JobState)
"""The name of a state by its number."""

_LATEST: Final = 1e100
"""s; no simulation is as long, but sums of absurd durations are."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Writer:
    """Writes messages; ``config`` is the object of SIMULATION_BEGINS, with Batsim's own keys and order.

    With Redis, descriptions of jobs and profiles are not sent: ``push(key, text)`` gets them instead.
    """

    def __init__(self, config: Mapping[str, Any], push: Callable[[str, str], None] | None = None) -> None:
        self.config = dict(config)
        self.push = push
        self._writers: dict[type[n.Notice], Callable[[Any], str | None]] = {
            n.SimulationBegins: self._begins,
            n.SimulationEnds: lambda _: '"SIMULATION_ENDS","data":{}',
            n.JobSubmitted: self._submitted,
            n.JobCompleted: _completed,
            n.JobsKilled: _killed,
            ResourceStateChanged: _resource_state,
            HostsPStateChanged: _pstate,
            HostsTurnedOnOff: _on_off,
            n.RequestedCall: lambda _: '"REQUESTED_CALL","data":{}',
            n.EnergyAnswered: lambda x: f'"ANSWER","data":{{"consumed_energy":{x.consumed_energy:.6f}}}',
            n.WaitingTimeQueried: _query,
            n.AllStaticJobsHaveBeenSubmitted: lambda _: _notify("no_more_static_job_to_submit"),
            n.AllStaticExternalEventsHaveBeenInjected: lambda _: _notify("no_more_external_event_to_occur"),
            HostsBecameAvailable: lambda x: _notify("event_machine_available", str(x.hosts)),
            HostsBecameUnavailable: lambda x: _notify("event_machine_unavailable", str(x.hosts)),
            ExternalEventOccurred: _external,
            n.MessageFromJob: _from_job,
            n.DecisionRefused: _refused,
        }

    def message(self, now: float, notices: Sequence[n.Notice]) -> str | None:
        """One message; None when there is nothing to say in it.

        Raises:
            SimulationError: the date cannot be said.
            UsageError: a notice cannot be said in this protocol.
        """
        if not now < _LATEST:
            raise SimulationError(f"the time {now!r} s cannot be expressed in this protocol", now=now)
        events: list[str] = []
        text: str | None
        date = date_text(now)
        writers = self._writers
        for notice in notices:
            kind = type(notice)
            if kind is _JobCompleted:  # the most frequent two are called directly
                text = _completed(notice)
            elif kind is _JobSubmitted:
                text = self._submitted(notice)
            else:
                writer = writers.get(kind)
                if writer is None:
                    unsaid(notice, Wire.JSON)
                    continue
                text = writer(notice)
            if text is not None:
                when = date if notice.timestamp == now else date_text(notice.timestamp)
                events.append(f'{{"timestamp":{when},"type":{text}}}')
        if not events:
            return None
        return f'{{"now":{date},"events":[{",".join(events)}]}}'

    def _begins(self, notice: n.SimulationBegins) -> str:
        platform = notice.platform
        hosts, storages = len(platform.hosts), len(platform.storages)
        workloads = {w.name: w.path for w in notice.workloads}
        profiles = {
            w.name: {name.partition("!")[2]: profile_to_json(p, 4) for name, p in _listed(w).items()}
            for w in notice.workloads
        }
        data = {
            "nb_resources": hosts + storages,
            "nb_compute_resources": hosts,
            "nb_storage_resources": storages,
            "allow_compute_sharing": notice.allow_compute_sharing,
            "allow_storage_sharing": notice.allow_storage_sharing,
            "config": self.config,
            "compute_resources": [_host(h) for h in platform.hosts],
            "storage_resources": [_host(h) for h in platform.storages],
            "workloads": workloads,
            "profiles": profiles,
        }
        if self.push is not None:
            self.push("nb_res", str(hosts + storages))
        return f'"SIMULATION_BEGINS","data":{to_text(data)}'

    def _submitted(self, notice: Any) -> str:
        job: Job = notice.job
        profile: Profile | None = notice.profile
        if self.push is not None:
            self.push(f"job_{job.id}", to_text(job_to_json(job, 4)))
            if profile is not None:
                self.push(f"profile_{profile.id}", to_text(profile_to_json(profile, 4)))
            return f'"JOB_SUBMITTED","data":{{"job_id":{quoted(job.id)}}}'
        forwarded = "" if profile is None else f',"profile":{to_text(profile_to_json(profile, 4))}'
        return f'"JOB_SUBMITTED","data":{{"job_id":{quoted(job.id)},"job":{_job(job)}{forwarded}}}'


def _job(job: Job) -> str:
    return to_text(job_to_json(job, 4))


def _listed(workload: Workload) -> Mapping[str, Profile]:
    """The profiles of a workload that some job uses: upstream forgets the others before it begins."""
    unused, listed = unused_profiles(workload), workload.profiles
    return {name: p for name, p in listed.items() if name not in unused} if unused else listed


def _host(host: Host) -> dict[str, Any]:
    return {
        "id": host.id,
        "name": host.name,
        "state": "sleeping" if host.pstate in host.sleep_pstates else "idle",
        "properties": {
            "role": host.properties.get("role", ""),
            **{k: v for k, v in host.properties.items() if k != "role"},
        }
        if "role" not in host.properties
        else dict(host.properties),
        "zone_properties": dict(host.zone_properties),
    }


def _completed(notice: Any) -> str:
    job: Any
    _, job, state, return_code, hosts, _ = _astuple(notice)
    name = _STATES[state]
    return (
        f'"JOB_COMPLETED","data":{{"job_id":{quoted(job.id)},"job_state":"{name}",'
        f'"return_code":{return_code},"alloc":"{hosts}"}}'
    )


def _killed(notice: n.JobsKilled) -> str | None:
    if not notice.job_ids:
        return None  # upstream acknowledges nothing when all jobs had been asked for already
    progresses = {job: _progress(p) for job, p in notice.progresses.items()}
    return f'"JOB_KILLED","data":{to_text({"job_ids": list(notice.job_ids), "job_progress": progresses})}'


def _progress(progress: KillProgress) -> dict[str, Any]:
    """Both the member name of the document (``profile``) and that of the programs (decisions.md 7)."""
    name = progress.profile_id.rpartition("!")[2]
    made: dict[str, Any] = {"profile_name": name, "profile": name}
    if isinstance(progress, AtomicProgress):
        if progress.progress < 0 or progress.mpi:  # cannot be told: this is how upstream says so
            made["current_task_index"] = -1
        else:
            made["progress"] = float(progress.progress)
    elif isinstance(progress, SequentialProgress):
        made["current_task_index"] = progress.current_repetition * progress.length + progress.current_task_index
        made["current_task"] = _progress(progress.current_task_progress)
    else:
        made["tasks"] = [_progress(task) for task in progress.tasks_progress]
    return made


def _resource_state(notice: ResourceStateChanged) -> str:
    return f'"RESOURCE_STATE_CHANGED","data":{{"resources":"{notice.hosts}","state":"{notice.state}"}}'


def _pstate(notice: HostsPStateChanged) -> str:
    return f'"RESOURCE_STATE_CHANGED","data":{{"resources":"{notice.hosts}","state":"{notice.pstate}"}}'


def _on_off(notice: HostsTurnedOnOff) -> str:
    return f'"RESOURCE_STATE_CHANGED","data":{{"resources":"{notice.hosts}","state":"{notice.state}"}}'


def _query(notice: n.WaitingTimeQueried) -> str:
    job = job_to_json(notice.job, 4)
    asked = {"requests": {"estimate_waiting_time": {"job_id": notice.job.id, "job": job}}}
    return f'"QUERY","data":{to_text(asked)}'


def _notify(kind: str, resources: str | None = None) -> str:
    more = "" if resources is None else f',"resources":"{resources}"'
    return f'"NOTIFY","data":{{"type":"{kind}"{more}}}'


def _external(notice: ExternalEventOccurred) -> str:
    whole = dict(notice.attributes) or {"data": notice.data}
    if "type" not in whole:
        whole = {"type": notice.kind, "timestamp": notice.timestamp, **whole}
    return f'"NOTIFY","data":{to_text(whole)}'


def _from_job(notice: n.MessageFromJob) -> str:
    return f'"FROM_JOB_MSG","data":{to_text({"job_id": notice.job_id, "msg": dict(notice.message)})}'


def _refused(notice: n.DecisionRefused) -> str:
    """Not upstream's: the refused event comes back, so that the other end knows what is not going to happen."""
    told: dict[str, Any] = {"type": "decision_refused", "rule": notice.rule, "reason": notice.reason}
    if isinstance(notice.decision, Decision):
        kind, data = event_of(notice.decision)
        when = notice.timestamp if notice.decision.timestamp is None else notice.decision.timestamp
        told["event"] = {"timestamp": when, "type": kind, "data": data}
    return f'"NOTIFY","data":{to_text(told)}'
