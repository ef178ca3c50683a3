"""What a Batsim 3 or 4 says, understood as notices: the other side of ``outgoing``, for serving our schedulers."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec.structs import replace

from windtunnel.diagnostics import Findings, ProtocolError, did_you_mean
from windtunnel.entities.batsim_jobs import job_from_json
from windtunnel.entities.batsim_profiles import profile_from_json
from windtunnel.model import Host, HostSet, Job, JobList, JobState, Platform, Profile
from windtunnel.model.event_kinds import event_kind
from windtunnel.vocabulary import decisions as d
from windtunnel.vocabulary import notices as n
from windtunnel.vocabulary.site_notices import (
    ExternalEventOccurred,
    HostsBecameAvailable,
    HostsBecameUnavailable,
    ResourceStateChanged,
)
from windtunnel.vocabulary.sleeping import sleep_states
from windtunnel.wires.json.incoming import Reader
from windtunnel.wires.json.options import JsonOptions, config_of
from windtunnel.wires.json.unheard import Unheard
from windtunnel.wires.repeated import repeated_member

if TYPE_CHECKING:
    from windtunnel.wires.redis_store import RedisStore

__all__ = ["Hearing"]


class Hearing:
    """Reads Batsim's messages; remembers jobs, which later events only name."""

    def __init__(self) -> None:
        self.options = JsonOptions()
        self.store: RedisStore | None = None
        """Where descriptions of jobs are, when this Batsim uses Redis."""
        self.jobs: dict[str, Job] = {}
        self.profiles: dict[str, Profile] = {}
        self._decode = msgspec.json.Decoder().decode
        self._unheard = Unheard()
        self._readers: dict[str, Callable[[float, Mapping[str, Any]], n.Notice]] = {
            "SIMULATION_BEGINS": self._begins,
            "SIMULATION_ENDS": lambda at, _: n.SimulationEnds(at),
            "JOB_SUBMITTED": self._submitted,
            "JOB_COMPLETED": self._completed,
            "JOB_KILLED": lambda at, data: n.JobsKilled(at, tuple(data["job_ids"]), {}),
            "RESOURCE_STATE_CHANGED": lambda at, data: ResourceStateChanged(
                at, HostSet.parse(data["resources"]), int(data["state"])
            ),
            "REQUESTED_CALL": lambda at, _: n.RequestedCall(at, ""),
            "ANSWER": lambda at, data: n.EnergyAnswered(at, float(data["consumed_energy"])),
            "QUERY": self._query,
            "NOTIFY": _notify,
            "FROM_JOB_MSG": lambda at, data: n.MessageFromJob(at, str(data["job_id"]), data["msg"]),
        }

    def message(self, data: bytes) -> tuple[float, list[n.Notice]]:
        """One message: its date and what it tells.

        Raises:
            ProtocolError: it is not one of this protocol.
        """
        try:
            return self._read(data)
        except ProtocolError:
            raise
        except (
            msgspec.DecodeError,
            KeyError,
            TypeError,
            ValueError,
            OverflowError,
            AttributeError,
            UnicodeDecodeError,
            RecursionError,
        ) as fault:
            raise ProtocolError(
                f"Batsim's message is not of its protocol: {type(fault).__name__}: {fault}"
            ) from fault

    def _read(self, data: bytes) -> tuple[float, list[n.Notice]]:
        message = self._decode(data)
        for key in ("now", "events") if isinstance(message, dict) else ():
            if key not in message:
                raise ProtocolError(f"Batsim's message has no {key!r}")
        if twice := repeated_member(data, message):
            raise ProtocolError(f"Batsim's message has the member {twice}")
        now = float(message["now"])
        notices = [self._notice(rank, event) for rank, event in enumerate(message["events"])]
        self._unheard.message(message)
        return now, notices

    def _notice(self, rank: int, event: Mapping[str, Any]) -> n.Notice:
        kind = event.get("type")
        reader = self._readers.get(kind) if isinstance(kind, str) else None
        if reader is None:
            raise ProtocolError(f"Batsim sent an event of unknown type {kind!r:.60}")
        try:
            return reader(float(event["timestamp"]), event["data"])
        except KeyError as fault:
            raise ProtocolError(f"event {rank} ({kind}) of Batsim's message has no {fault}") from fault

    def _begins(self, at: float, data: Mapping[str, Any]) -> n.Notice:
        self.options = config_of(data.get("config", {}))
        if self.options.redis:
            from windtunnel.wires.redis_store import RedisStore

            options = self.options
            self.store = RedisStore(options.redis_hostname, options.redis_port, options.redis_prefix)
        hosts = data.get("compute_resources") or data.get("resources_data") or []
        storages = data.get("storage_resources", ())
        platform = Platform(
            name="batsim",
            hosts=tuple(_host(h, storage=False) for h in hosts),
            storages=tuple(_host(h, storage=True) for h in storages),
        )
        self._unheard.beginning(data, [*hosts, *storages])
        for workload, profiles in data.get("profiles", {}).items():
            for name, value in profiles.items():
                self._keep(workload, name, value)
        return n.SimulationBegins(
            at,
            platform,
            [JobList(name, (), path=str(path)) for name, path in data.get("workloads", {}).items()],
            (),
            bool(data.get("allow_compute_sharing", False)),
            bool(data.get("allow_storage_sharing", True)),
            dict(data.get("config", {})),
        )

    def _keep(self, workload: str, name: str, value: Any) -> None:
        """Remember a profile; one that cannot be understood is not needed to schedule its jobs."""
        findings = Findings()
        profile = profile_from_json(name, value, 4, workload=workload, findings=findings)
        if len(findings):
            self._unheard.findings(findings)
        self.profiles[f"{workload}!{name}"] = profile or Profile(id=f"{workload}!{name}")

    def _submitted(self, at: float, data: Mapping[str, Any]) -> n.Notice:
        job_id = data["job_id"]
        described = data.get("job")
        if described is None and self.store is not None:
            described = self._stored(f"job_{job_id}")
            if described is None:
                raise ProtocolError(f"JOB_SUBMITTED: Redis has no key job_{job_id} under the prefix of this run")
            workload, _, profile = f"{job_id}!{described.get('profile', '')}".split("!", 2)
            if self.options.forward_profiles and (value := self._stored(f"profile_{workload}!{profile}")):
                self._keep(workload, profile, value)
        if not isinstance(described, dict):
            raise ProtocolError(f"JOB_SUBMITTED describes no job {job_id!r}")
        workload = job_id.partition("!")[0]
        if "profile" in data and isinstance(described.get("profile"), str):
            self._keep(workload, described["profile"].rpartition("!")[2], data["profile"])
        findings = Findings()
        described = {"subtime": at} | described | {"id": job_id}
        job = job_from_json(described, 4, workload=workload, findings=findings)
        if job is None or findings.has_errors:
            raise ProtocolError(f"JOB_SUBMITTED of {job_id!r}: {'; '.join(f.message for f in findings)}")
        if len(findings):
            self._unheard.findings(findings)
        job = replace(job, profile=self.profiles.get(job.profile.id, job.profile))
        self.jobs[job_id] = job
        return n.JobSubmitted(at, job, job.submission_time, job.profile if "profile" in data else None)

    def _stored(self, key: str) -> dict[str, Any] | None:
        """An object from Redis."""
        text = None if self.store is None else self.store.get(key)
        if text is None:
            return None
        try:
            value = msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError) as fault:
            raise ProtocolError(f"what Redis has under {key} is not JSON: {fault}") from fault
        if not isinstance(value, dict):
            raise ProtocolError(f"what Redis has under {key} is {value!r:.60}, an object is expected")
        return value

    def _completed(self, at: float, data: Mapping[str, Any]) -> n.Notice:
        job = self.jobs.pop(data["job_id"], None)
        if job is None:
            raise ProtocolError(f"JOB_COMPLETED names {data['job_id']!r}, which was never submitted")
        return n.JobCompleted(
            at, job, JobState[data["job_state"]], int(data.get("return_code", 0)), HostSet.parse(data["alloc"])
        )

    def _query(self, at: float, data: Mapping[str, Any]) -> n.Notice:
        asked = data["requests"]["estimate_waiting_time"]
        self._unheard.question(data["requests"])
        job_id = asked["job_id"]
        findings = Findings()
        described = {"subtime": at, "profile": "unknown"} | asked["job"] | {"id": job_id}
        job = job_from_json(described, 4, workload=job_id.partition("!")[0], findings=findings)
        if job is None or findings.has_errors:
            raise ProtocolError(f"QUERY of {job_id!r}: {'; '.join(f.message for f in findings)}")
        return n.WaitingTimeQueried(at, job)


_STATES: Final = ("sleeping", "idle", "computing", "switching_on", "switching_off")


def _host(data: Mapping[str, Any], *, storage: bool) -> Host:
    state = data.get("state", "idle")
    if state not in _STATES:
        raise ProtocolError(f"resource {data['id']}: state is {state!r:.60}; {did_you_mean(str(state), _STATES)}")
    host = _described(data, storage=storage)
    if state in ("sleeping", "switching_off"):  # in which power state is told by a property at best
        states = sleep_states(host) or {1: (1, 1)}
        host = replace(host, pstate=next(iter(states)), sleep_pstates={} if sleep_states(host) else states)
    return host


def _described(data: Mapping[str, Any], *, storage: bool) -> Host:
    return Host(
        id=int(data["id"]),
        name=str(data.get("name", data["id"])),
        storage=storage,
        properties={k: str(v) for k, v in data.get("properties", {}).items()},
        zone_properties={k: str(v) for k, v in data.get("zone_properties", {}).items()},
    )


def _decision(event: Any, at: float) -> d.Decision | None:
    """What a scheduler said, if it can still be understood: a call for a date that is past by now cannot."""
    try:
        return None if event is None else Reader().decision(event, at)
    except ProtocolError:
        return None


def _notify(at: float, data: Mapping[str, Any]) -> n.Notice:
    kind = data["type"]
    if kind == "no_more_static_job_to_submit":
        return n.AllStaticJobsHaveBeenSubmitted(at)
    if kind == "no_more_external_event_to_occur":
        return n.AllStaticExternalEventsHaveBeenInjected(at)
    if kind == "event_machine_available":
        return HostsBecameAvailable(at, HostSet.parse(data["resources"]))
    if kind == "event_machine_unavailable":
        return HostsBecameUnavailable(at, HostSet.parse(data["resources"]))
    if kind == "decision_refused":
        return n.DecisionRefused(at, _decision(data.get("event"), at), str(data["rule"]), str(data["reason"]))
    registered = event_kind(kind)
    if registered is not None:
        registered.read(data)  # what it says is checked here, where it is known who said it
    opaque = data.get("data")
    text = opaque if isinstance(opaque, str) else ""
    return ExternalEventOccurred(at, "", text, kind, {} if kind == "generic" else dict(data))
