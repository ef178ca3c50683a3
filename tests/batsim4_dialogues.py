"""Recorded dialogues of Batsim 4: each message as notices, each reply as a comparable value.

A translation of its own, so that schedulers are tested without the wires.
"""

import gzip
import json
import shlex
from math import inf

from windtunnel.model import DelayProfile, Host, HostSet, Job, JobState, Platform, PowerState, Request
from windtunnel.vocabulary import (
    AllStaticJobsHaveBeenSubmitted,
    CallMeLater,
    EnergyAnswered,
    ExecuteJob,
    ExternalEventOccurred,
    FinishRegistration,
    HostsBecameAvailable,
    HostsBecameUnavailable,
    JobCompleted,
    JobsKilled,
    JobSubmitted,
    KillJobs,
    QueryEnergy,
    RegisterJob,
    RegisterProfile,
    RejectJob,
    RequestedCall,
    ResourceStateChanged,
    SetJobMetadata,
    SetResourceState,
    SimulationBegins,
    SimulationEnds,
)

PLATFORM = {}


def messages(case):
    """Pairs of request and reply, as JSON."""
    path = next(case.glob("dialogue.txt*"))
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt") as lines:
        request = None
        for line in lines:
            if line[0] == "B":
                request = json.loads(line[2:])
            else:
                yield request, json.loads(line[2:])


def command(case):
    """Variant, its command line options and its variant options."""
    words = shlex.split(json.loads((case / "case.json").read_text())["scheduler_command"])
    variant = words[words.index("-v") + 1] if "-v" in words else words[1]
    options = {}
    for flag, name, kind in (("-o", "queue_order", str), ("-p", "policy", str), ("-d", "rjms_delay", float)):
        if flag in words:
            options[name] = kind(words[words.index(flag) + 1])
    if (case / "sched_opts.json").exists():
        options |= json.loads((case / "sched_opts.json").read_text())
    return variant, options


def platform(data):
    n = data["nb_compute_resources"]
    if n not in PLATFORM:
        states = tuple(PowerState(1e9) for _ in range(14))
        PLATFORM[n] = Platform(name="p", hosts=tuple(Host(id=k, name=f"h{k:03}", pstates=states) for k in range(n)))
    return PLATFORM[n]


def notices(request, jobs):
    found = []
    for event in request["events"]:
        t, kind, data = event["timestamp"], event["type"], event["data"]
        if kind == "SIMULATION_BEGINS":
            found.append(SimulationBegins(t, platform(data), options=data["config"]))
        elif kind == "JOB_SUBMITTED":
            job = data["job"]
            walltime = job.get("walltime", -1)
            jobs[data["job_id"]] = job = Job(
                id=data["job_id"],
                request=Request(job["res"]),
                profile=DelayProfile(delay=1.0),
                submission_time=job["subtime"],
                walltime=inf if walltime == -1 else float(walltime),
            )
            found.append(JobSubmitted(t, job, job.submission_time))
        elif kind == "JOB_COMPLETED":
            hosts = HostSet.parse(data["alloc"].replace(",", " "))
            state = JobState[data["job_state"]]
            # pop would not do: a kill's acknowledgement may follow
            job = jobs.get(data["job_id"]) or dynamic(data["job_id"])
            found.append(JobCompleted(t, job, state, data["return_code"], hosts))
        elif kind == "JOB_KILLED":
            found.append(JobsKilled(t, tuple(data["job_ids"]), {}))
        elif kind == "REQUESTED_CALL":
            found.append(RequestedCall(t, ""))
        elif kind == "SIMULATION_ENDS":
            found.append(SimulationEnds(t))
        elif kind == "RESOURCE_STATE_CHANGED":
            found.append(ResourceStateChanged(t, HostSet.parse(data["resources"]), int(data["state"])))
        elif kind == "ANSWER":
            found.append(EnergyAnswered(t, data["consumed_energy"]))
        elif kind == "NOTIFY":
            found.append(notify(t, data))
        else:
            raise AssertionError(event)
    return found


def dynamic(job_id):
    return Job(id=job_id, request=Request(1), profile=DelayProfile(delay=1.0))


def notify(t, data):
    kind = data["type"]
    if kind == "no_more_static_job_to_submit":
        return AllStaticJobsHaveBeenSubmitted(t)
    if kind == "event_machine_available":
        return HostsBecameAvailable(t, HostSet.parse(data["resources"]))
    if kind == "event_machine_unavailable":
        return HostsBecameUnavailable(t, HostSet.parse(data["resources"]))
    return ExternalEventOccurred(t, "", "", kind)


def written(reply):
    """A reply of ours as (now, [(timestamp, type, data)]) in the JSON protocol's terms."""
    return reply.now, [written_decision(d, reply) for d in reply.decisions]


def written_decision(d, reply):
    t = d.timestamp
    kind = type(d)
    if kind is ExecuteJob:
        data = {"job_id": d.job_id, "alloc": str(d.hosts).replace(" ", ",")}
        if d.placement is not None:
            data["mapping"] = {str(k): str(h) for k, h in enumerate(d.placement)}
        return t, "EXECUTE_JOB", data
    if kind is RejectJob:
        return t, "REJECT_JOB", {"job_id": d.job_id}
    if kind is KillJobs:
        return t, "KILL_JOB", {"job_ids": list(d.job_ids)}
    if kind is SetResourceState:
        return t, "SET_RESOURCE_STATE", {"resources": str(d.hosts).replace(" ", ","), "state": str(d.state)}
    if kind is CallMeLater:
        return t, "CALL_ME_LATER", {"timestamp": d.when.time}
    if kind is QueryEnergy:
        return t, "QUERY", {"requests": {"consumed_energy": {}}}
    if kind is SetJobMetadata:
        return t, "SET_JOB_METADATA", {"job_id": d.job_id, "metadata": d.metadata}
    if kind is FinishRegistration:
        return t, "NOTIFY", {"type": "registration_finished"}
    if kind is RegisterProfile:
        workload, _, name = d.profile.id.partition("!")
        profile = {"type": "delay", "delay": d.profile.delay}
        return t, "REGISTER_PROFILE", {"workload_name": workload, "profile_name": name, "profile": profile}
    if kind is RegisterJob:
        job = d.job
        data = {
            "id": job.name,
            "subtime": job.submission_time,
            "walltime": job.walltime,
            "res": job.request.hosts,
            "profile": job.profile.name,
        }
        data = {"job_id": job.id, "job": data}
        if not d.profile_id:
            data["profile"] = {"type": "delay", "delay": job.profile.delay}
        return t, "REGISTER_JOB", data
    raise AssertionError(d)


def replay(scheduler, case, digits=None):
    """Play the messages of a case; the differences as (request, recorded, ours), and the number of replies.

    With ``digits``, dates are compared to so many significant digits.
    """

    def date(t):
        return t if digits is None else f"{t:.{digits}g}"

    scheduler.hello()
    jobs = {}
    count = 0
    wrong = []
    for request, reply in messages(case):
        count += 1
        ours = scheduler.decide(request["now"], notices(request, jobs))
        now, events = written(ours)
        events = [(date(request["now"] if t is None else t), kind, data) for t, kind, data in events]
        expected = [(date(e["timestamp"]), e["type"], normal(e["data"])) for e in reply["events"]]
        if date(now) != date(reply["now"]) or events != expected:
            wrong.append((request, (reply["now"], expected), (now, events)))
    return wrong, count


def normal(data):
    data = dict(data)
    for key in ("alloc", "resources"):
        if key in data:
            data[key] = str(HostSet.parse(data[key])).replace(" ", ",")
    return data
