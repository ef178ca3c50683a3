"""A small run in which a scheduler uses every event of the JSON protocol, and what can go wrong with its replies."""

import json

from windtunnel import api
from windtunnel.engine import Options
from windtunnel.model import Host, Platform, PowerState
from windtunnel.testing import job, sequence, workload
from windtunnel.testing.builders import delays
from windtunnel.wires.json.client import JsonComponent, JsonOptions

__all__ = ["Direct", "Talker", "build"]

ON, SLEEP, VIRTUAL = PowerState(1e9, 95, 95, 190), PowerState(1e-3, 10, 10, 10), PowerState(1e9, 50, 50, 50)


def site():
    """Four hosts that can sleep."""
    pstates = (ON, SLEEP, VIRTUAL, VIRTUAL)
    hosts = [Host(id=k, name=f"h{k}", pstates=pstates, sleep_pstates={1: (2, 3)}) for k in range(4)]
    return Platform(name="site", hosts=tuple(hosts))


def work():
    """Delays and a sequence."""
    ten, two = delays(10.0, 2.0)
    steps = sequence("steps", [ten, two], repeat=2)
    jobs = [job(k, hosts=1 + k % 2, run=10.0, at=3.0 * k, walltime=30.0) for k in range(10)]
    jobs.append(job("long", run=steps, at=4.0, walltime=100.0))
    return workload(*jobs, profiles=[ten, two, steps])


class Talker:
    """The scheduler: first fit; now and then it says everything else that can be said."""

    def __init__(self):
        self.messages = 0
        self.free = set(range(4))
        self.queue = []
        self.hosts = {}
        self.said = set()

    def once(self, what):
        new = what not in self.said
        self.said.add(what)
        return new

    def events(self, message):
        for event in message["events"]:
            kind, data = event["type"], event["data"]
            if kind == "SIMULATION_BEGINS":
                yield from self.begin(message["now"])
            elif kind == "JOB_SUBMITTED":
                self.queue.append((data["job_id"], data["job"]["res"]))
                yield "SET_JOB_METADATA", {"job_id": data["job_id"], "metadata": "seen, noted"}
            elif kind == "JOB_COMPLETED":
                self.free |= self.hosts.pop(data["job_id"], set())
            elif kind == "REQUESTED_CALL" and self.hosts and self.once("kill"):
                yield "KILL_JOB", {"job_ids": [next(iter(self.hosts))]}
            elif kind == "QUERY":
                asked = data["requests"]["estimate_waiting_time"]["job_id"]
                yield "ANSWER", {"estimate_waiting_time": {"job_id": asked, "estimated_waiting_time": 1.5}}
        yield from self.start(message["now"])

    def begin(self, now):
        yield "CALL_ME_LATER", {"timestamp": now + 7.5}
        yield "QUERY", {"requests": {"consumed_energy": {}}}
        yield (
            "REGISTER_PROFILE",
            {
                "workload_name": "dyn",
                "profile_name": "p",
                "profile": {"type": "delay", "delay": 4},
            },
        )
        yield "REGISTER_JOB", {"job_id": "dyn!a", "job": {"id": "dyn!a", "res": 1, "profile": "p", "walltime": 9}}
        self.queue.append(("dyn!a", 1))
        inline = {"type": "delay", "delay": 3.5}
        described = {"id": "b", "subtime": 0, "res": 1, "profile": "r"}
        yield "REGISTER_JOB", {"job_id": "dyn!b", "job": described, "profile": inline}
        yield "CHANGE_JOB_STATE", {"job_id": "dyn!b", "job_state": "RUNNING"}
        yield "CHANGE_JOB_STATE", {"job_id": "dyn!b", "job_state": "COMPLETED_KILLED", "kill_reason": "no need"}
        yield "SET_RESOURCE_STATE", {"resources": "3", "state": "1"}
        self.free.discard(3)
        yield "NOTIFY", {"type": "registration_finished"}
        yield "NOTIFY", {"type": "continue_registration"}
        yield "NOTIFY", {"type": "registration_finished"}

    def start(self, now):
        waiting = []
        for job_id, wanted in self.queue:
            if job_id == "w0!5" and self.once("reject"):
                yield "REJECT_JOB", {"job_id": job_id}
            elif wanted <= len(self.free):
                hosts = set(sorted(self.free)[:wanted])
                self.free -= hosts
                self.hosts[job_id] = hosts
                data = {"job_id": job_id, "alloc": " ".join(map(str, sorted(hosts)))}
                if wanted == 2:
                    data["mapping"] = {"0": "1", "1": "0"}
                yield "EXECUTE_JOB", data
            else:
                waiting.append((job_id, wanted))
        self.queue = waiting

    def answer(self, request):
        """A legal reply, as text."""
        message = json.loads(request)
        now = message["now"]
        self.messages += 1
        events = [{"timestamp": now, "type": kind, "data": data} for kind, data in self.events(message)]
        return json.dumps({"now": now, "events": events}).encode()


class Direct:
    """Stands for a socket: ``answer(request)`` gives the reply."""

    def __init__(self, answer):
        self.answer = answer

    def open(self):
        """Nothing."""

    def ask(self, request, now):
        """What a socket would do."""
        return self.answer(request)

    def close(self):
        """Nothing."""


def build(answer=None, *, dynamic=True, endpoint="tcp://127.0.0.1:1", timeout=5.0, layout=None):
    """The run; ``answer`` stands for the socket when given."""
    options = JsonOptions(dynamic_jobs=dynamic, forward_profiles=True)
    component = JsonComponent(endpoint, timeout=timeout, options=options)
    if answer is not None:
        component._peer = Direct(answer)
    return api.Simulation(
        site(),
        work(),
        component,
        layout=layout or api.Layout(None, api.Dialect.BATSIM4),
        record=api.RecordingOptions(paje=True),
        options=Options(energy=True, ask_waiting_times=True, max_rounds=1000),
    )
