"""Cases of the campaign beyond readers: accepted inputs under all schedulers, both ends of the wires, services, saves."""

import contextlib
import io
import json
from pathlib import Path
from random import Random

from tests.campaign import seeds
from tests.campaign.damage import damaged_files
from tests.campaign.elastic import elastic_dialogues, elastic_files
from tests.campaign.mutations import mutated
from tests.campaign.readers import _quiet

from windtunnel import api
from windtunnel.diagnostics import UNFORESEEN, WindtunnelError
from windtunnel.engine import Options
from windtunnel.entities.sss_node import SssNode
from windtunnel.leases.haizea.workload import site_from_text
from windtunnel.model.lease_options import LeaseOptions
from windtunnel.schedulers import make_scheduler
from windtunnel.schedulers.registry import scheduler_names
from windtunnel.services.lease_live import LiveLeases
from windtunnel.services.lease_rpc import LeaseServer
from windtunnel.services.lease_store import LeaseStore
from windtunnel.services.nodes import respond
from windtunnel.testing import job, platform
from windtunnel.testing import workload as jobs
from windtunnel.wires.batprotocol.server import SchedulerSession
from windtunnel.wires.batprotocol.session import BatprotocolComponent
from windtunnel.wires.json.client import JsonComponent
from windtunnel.wires.json.server import Server

SCHEDULERS = sorted({*scheduler_names()})
_NEEDS = {"monitoring_period": "10", "trace_output_filename": "trace.csv", "inertial_alteration": "x2"}


def simulation(data: bytes, folder: Path, random: Random) -> None:
    """An input that was changed a little, under any scheduler, with any options: a result, or a refusal."""
    kind = random.choice(("workload", "platform", "events", "environment"))
    files = {"workload": "jobs.json", "platform": "site.xml", "events": "events.txt", "environment": "env.json"}
    contents = {"workload": seeds.WORKLOADS["batsim5"], "platform": seeds.SIMGRID_ZONES, "events": seeds.EVENTS}
    contents["environment"] = seeds.PLATFORMS["environment"]
    if kind == "workload":
        contents[kind] = seeds.WORKLOADS[random.choice(sorted(seeds.WORKLOADS))]
    if kind == "platform":
        contents[kind] = seeds.PLATFORMS[random.choice(("simgrid", "zones", "cluster", "slurm", "sss", "site"))]
    contents[kind] = mutated(contents[kind], random)
    for name, content in contents.items():
        (folder / files[name]).write_bytes(content)
    site = folder / files["environment" if kind == "environment" or random.random() < 0.3 else "platform"]
    name = "datacenters" if site.suffix == ".json" and random.random() < 0.5 else random.choice(SCHEDULERS)
    options = {
        "strict": random.random() < 0.5,
        "compute_sharing": random.random() < 0.3,
        "on_failure": random.choice(("kill", "requeue")),
        "on_maintenance": random.choice(("kill", "drain")),
        "sharing": random.choice(("simgrid", "maxmin")),
    }
    if random.random() < 0.3:
        options |= {
            "checkpoint_interval": random.choice((1.0, 1e-3, 1e300)),
            "checkpoint_cost": random.choice((0.0, 1.0)),
        }

    def run() -> None:
        from windtunnel.schedulers.registry import scheduler_options

        known = {option.name for option in scheduler_options(name) if option.required}
        with contextlib.chdir(folder):
            made = api.Simulation(
                site,
                folder / files["workload"],
                name,
                scheduler_options={key: value for key, value in _NEEDS.items() if key in known},
                events=[folder / files["events"]] if random.random() < 0.5 else (),
                options=Options(**options),
                out=folder / "out" if random.random() < 0.5 else None,
                share_hosts=random.random() < 0.2,
                energy=random.random() < 0.1,
            )
            try:
                for _ in range(3000):
                    if not made.step():
                        break
                assert made.result().outcome
            finally:
                made.close()

    del data
    _quiet(run)


def lease_runs(data: bytes, folder: Path, random: Random) -> None:
    """Leases, sites and configurations that were changed a little, through the command line."""
    from windtunnel.cli.main import main

    del data
    contents = {"w.lwf": seeds.LWF, "site.xml": seeds.LWF, "haizea.conf": seeds.HAIZEA, "old.lwf": seeds.OLD_LWF}
    name = random.choice(sorted(contents))
    contents[name] = mutated(contents[name], random)
    for each, content in contents.items():
        (folder / each).write_bytes(content)
    words = random.choice((["w.lwf"], ["w.lwf", "--site", "site.xml"], ["-c", "haizea.conf"]))
    if name == "old.lwf":
        words = ["old.lwf", "--site", "4 CPU:100,Memory:1024"]
    elif name == "site.xml":
        words = ["w.lwf", "--site", "site.xml"]
    elif name == "haizea.conf":
        words = ["-c", "haizea.conf"]
    said = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = main(["lease", "run", *words, "--out", "out"])
    text = said.getvalue()
    assert code in (0, 1, 2)
    assert "an internal error of windtunnel" not in text, text
    assert f"[{UNFORESEEN}]" not in text, text


class _Peer:
    """A transport that answers with what it is given."""

    name = "peer"

    def __init__(self, answers: list[bytes]) -> None:
        self._answers = answers

    def open(self) -> None:
        """Nothing to do."""

    def close(self) -> None:
        """Nothing to do."""

    def stop(self) -> None:
        """Nothing to do."""

    def start(self, init_data: bytes) -> tuple[int, bytes]:
        return 2, self.ask(init_data)

    def ask(self, message: bytes, within: object = None) -> bytes:
        del message, within
        return self._answers.pop(0) if self._answers else b""


JSON_ANSWERS = [
    (
        b'{"now": 0.0, "events": [{"timestamp": 0.0, "type": "REGISTER_PROFILE", "data": {"workload_name": "dyn",'
        b' "profile_name": "p", "profile": {"type": "delay", "delay": 3}}}]}'
    ),
    (
        b'{"now": 0.0, "events": [{"timestamp": 0.0, "type": "EXECUTE_JOB", "data": {"job_id": "w0!1", "alloc": "0-1"}},'
        b' {"timestamp": 0.0, "type": "CALL_ME_LATER", "data": {"timestamp": 4.0}}]}'
    ),
    (
        b'{"now": 1.0, "events": [{"timestamp": 1.0, "type": "REJECT_JOB", "data": {"job_id": "w0!2"}},'
        b' {"timestamp": 1.0, "type": "NOTIFY", "data": {"type": "registration_finished"}}]}'
    ),
    b'{"now": 9.0, "events": []}',
]
HELLO = (
    b'{"now": 0, "events": [{"timestamp": 0, "event_type": "EDCHelloEvent", "event": {"batprotocol_version": "1.0.0",'
    b' "batprotocol_commit": "", "decision_component_name": "x", "decision_component_version": "1",'
    b' "decision_component_commit": "", "requested_simulation_features": {"dynamic_registration": true}}}]}\0'
)
BATPROTOCOL_ANSWERS = [
    HELLO,
    b'{"now": 0, "events": []}\0',
    (
        b'{"now": 0, "events": [{"timestamp": 0, "event_type": "ExecuteJobEvent", "event": {"job_id": "w0!1", "allocation":'
        b' {"host_allocation": "0-1", "executor_placement_type": "PredefinedExecutorPlacementStrategyWrapper",'
        b' "executor_placement": {"strategy": "SpreadOverHostsFirst"}}, "profile_allocation_override": [],'
        b' "storage_placement": []}}]}\0'
    ),
    b'{"now": 1, "events": [{"timestamp": 1, "event_type": "RejectJobEvent", "event": {"job_id": "w0!2"}}]}\0',
]


def asking(data: bytes, folder: Path, random: Random) -> None:
    """Batsim's role: a scheduler that answers nonsense."""
    del data, folder
    work = jobs(job(1, 2, 5.0), job(2, 1, 5.0, at=1.0))
    if random.random() < 0.5:
        answers = list(JSON_ANSWERS)
        component = JsonComponent("tcp://127.0.0.1:1", timeout=1.0)
        rank = random.randrange(len(answers))
        answers[rank] = mutated(answers[rank], random)
        component._peer = _Peer(answers)
    else:
        answers = list(BATPROTOCOL_ANSWERS)
        rank = random.randrange(len(answers))
        answers[rank] = mutated(answers[rank], random)
        component = BatprotocolComponent(_Peer(answers))
    _quiet(lambda: api.simulate(platform(4), work, component, options=Options(strict=random.random() < 0.5)))


BEGIN = {
    "now": 0.0,
    "events": [
        {
            "timestamp": 0.0,
            "type": "SIMULATION_BEGINS",
            "data": {
                "nb_resources": 2,
                "nb_compute_resources": 2,
                "nb_storage_resources": 0,
                "allow_compute_sharing": False,
                "allow_storage_sharing": False,
                "config": {"redis-enabled": False, "redis": {"enabled": False}},
                "compute_resources": [
                    {"id": i, "name": f"h{i}", "state": "idle", "properties": {}} for i in range(2)
                ],
                "storage_resources": [],
                "workloads": {"w0": "w.json"},
                "profiles": {"w0": {"d": {"type": "delay", "delay": 3}}},
            },
        }
    ],
}
SUBMITTED = {
    "now": 1.0,
    "events": [
        {
            "timestamp": 1.0,
            "type": "JOB_SUBMITTED",
            "data": {"job_id": "w0!1", "job": {"id": "w0!1", "subtime": 1, "res": 1, "walltime": 9, "profile": "d"}},
        }
    ],
}
COMPLETED = {
    "now": 4.0,
    "events": [
        {
            "timestamp": 4.0,
            "type": "JOB_COMPLETED",
            "data": {
                "job_id": "w0!1",
                "job_state": "COMPLETED_SUCCESSFULLY",
                "return_code": 0,
                "alloc": "0",
                "kill_reason": "",
            },
        }
    ],
}
ENDS = {"now": 5.0, "events": [{"timestamp": 5.0, "type": "SIMULATION_ENDS", "data": {}}]}


def answering(data: bytes, folder: Path, random: Random) -> None:
    """A scheduler's role: a simulator that says nonsense."""
    del data
    messages = [json.dumps(message).encode() for message in (BEGIN, SUBMITTED, COMPLETED, ENDS)]
    rank = random.randrange(len(messages))
    messages[rank] = mutated(messages[rank], random)

    def talk() -> None:
        if random.random() < 0.7:
            server = Server(make_scheduler(random.choice(("easy", "fcfs", "conservative", "filler"))))
            for message in messages:
                server.answer(message)
            return
        session = SchedulerSession(make_scheduler("fcfs"), json=random.random() < 0.5)
        _, hello = session.greet()
        session.answer(mutated(hello, random))

    del folder
    _quiet(talk)


LEASE = """<lease preemptible="true"><nodes><node-set numnodes="2"><res type="CPU" amount="100"/>
<res type="Memory" amount="512"/></node-set></nodes><start/><duration time="01:00:00"/>
<software><none/></software></lease>"""


def lease_requests(data: bytes, folder: Path, random: Random) -> None:
    """Requests to the lease service: an answer in XML-RPC, and no Python class in it."""
    import xmlrpc.client

    del data, folder
    live = LiveLeases(site_from_text("4 CPU:100,Memory:1024"), LeaseOptions(), LeaseStore(None))
    server = LeaseServer(live, port=0)
    try:
        lease = mutated(LEASE.encode(), random).decode("utf-8", "replace")
        text = "".join(c if c.isprintable() or c in "\n\t" else "?" for c in lease)
        calls = [
            ("create_lease", (text,)),
            ("cancel_lease", (1,)),
            ("get_leases", ()),
            ("notify_event", (1, None, 1)),
        ]
        for name, arguments in random.sample(calls, len(calls)):
            body = xmlrpc.client.dumps(arguments, name, allow_none=True).encode()
            answer = server.answer(mutated(body, random) if random.random() < 0.5 else body)
            for leak in (b"&lt;class", b"Traceback", b"the service failed"):
                assert leak not in answer, (body[:500], answer[:500])
            with contextlib.suppress(xmlrpc.client.Fault):
                xmlrpc.client.loads(answer)
    finally:
        server.server_close()
        live.close()


NODES = [SssNode(id=f"n{number}", state="Idle") for number in range(8)]
QUERY = (
    b"<Envelope><Body><Request action='Query'><Object>Node</Object><Get name='Id' op='Sort'/><Get name='State'/>"
    b"<Where name='Id' op='GE' group='1'>n2</Where><Where name='State' conj='Or' op='Match' group='-1'>I*</Where>"
    b"<Option name='Limit'>3</Option></Request></Body></Envelope>"
)


def node_requests(data: bytes, folder: Path, random: Random) -> None:
    """Requests to the node service: always an answer."""
    del data, folder
    answer = respond(mutated(QUERY, random), lambda _: NODES)
    assert b"<Response" in answer


def saved_states(data: bytes, folder: Path, random: Random) -> None:
    """Saved simulations that were damaged: refused, and whole ones go on."""
    del data
    path = folder / "saved"
    simulation = api.Simulation(platform(4), jobs(job(1, 2, 5.0), job(2, 1, 5.0, at=1.0)), "easy")
    simulation.run_until(2.0)
    simulation.save(path)
    whole = path.read_bytes()
    changed = mutated(whole, random)
    path.write_bytes(changed)
    try:
        api.Simulation.restore(path).run()
    except WindtunnelError:
        return
    assert changed == whole


def damaged_runs(data: bytes, folder: Path, random: Random) -> None:
    """Directories of runs in which a file was damaged, under every command that reads runs."""
    from windtunnel.cli.main import main

    del data
    out = folder / "run"
    api.simulate(platform(4), jobs(job(1, 2, 5.0), job(2, 1, 5.0, at=1.0)), "easy", out=out)
    name = random.choice(sorted(path.name for path in out.iterdir()))
    (out / name).write_bytes(mutated((out / name).read_bytes(), random))
    said = io.StringIO()
    lines = (["metrics", str(out)], ["why", str(out), "w0!1"], ["report", str(out)], ["compare", str(out), str(out)])
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        for line in (*lines, ["nodes", str(out), "--platform", "hosts:4"]):
            assert main(line) in (0, 1, 2)
    assert "an internal error of windtunnel" not in said.getvalue(), [
        line for line in said.getvalue().splitlines() if "itself" in line
    ]


def damaged_stores(data: bytes, folder: Path, random: Random) -> None:
    """Stores of leases that were damaged: refused by name, or taken up."""
    del data
    path = folder / "leases.db"
    site = site_from_text("4 CPU:100,Memory:1024")
    from windtunnel.formats.haizea.lwf import read_lease_text

    store = LeaseStore(path)
    live = LiveLeases(site, LeaseOptions(), store, clock=lambda: 1e9)
    for _ in range(3):
        live.create(read_lease_text(LEASE.encode(), epoch=live.epoch))
    live.cancel(3)
    live.close()
    path.write_bytes(mutated(path.read_bytes(), random))

    def take_up() -> None:
        again = LeaseStore(path)
        try:
            LiveLeases(site, LeaseOptions(), again, clock=lambda: 1e9 + 10).leases()
        finally:
            again.close()

    _quiet(take_up)


SYSTEMS = {
    "simulations": simulation,
    "lease-runs": lease_runs,
    "asking": asking,
    "answering": answering,
    "lease-requests": lease_requests,
    "node-requests": node_requests,
    "saved-states": saved_states,
    "damaged-runs": damaged_runs,
    "damaged-files": damaged_files,
    "damaged-stores": damaged_stores,
    "elastic-files": elastic_files,
    "elastic-dialogues": elastic_dialogues,
}
"""Generators whose case is a number alone."""
