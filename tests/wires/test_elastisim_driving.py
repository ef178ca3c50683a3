"""A scheduler of ours drives an ElastiSim: ours, the recorded messages of the real one, and mutated ones."""

import gzip
import json
import random
import threading
from pathlib import Path

import pytest

from elastic_cases import inside, replay
from elastisim_files import FILES
from shared import cases
from windtunnel.cli.main import main
from windtunnel.diagnostics import ProtocolError, WindtunnelError
from windtunnel.schedulers.base import Scheduler
from windtunnel.schedulers.elastic import policies
from windtunnel.schedulers.fcfs import Fcfs
from windtunnel.vocabulary import Execute, JobCompleted, JobReconfigured, Kill, Resize, TurnOnOffHosts
from windtunnel.wires.elastisim.driving import ElastisimScheduler, serve

CASES = [path.parent for path in cases("golden/elastisim", "*/*/case.json")]
GOOD = [case for case in CASES if json.loads((case / "case.json").read_text())["exit"] == 0]


class Over:
    """An algorithm behind the wire that is a scheduler of ours, without a socket between."""

    def __init__(self, scheduler) -> None:
        self.wire = ElastisimScheduler(scheduler)

    def start(self) -> None:
        pass

    def ask(self, message: bytes, now: float) -> bytes:
        answer = self.wire.answer(message)
        assert answer is not None
        return answer

    def tell(self, message: bytes) -> None:
        assert self.wire.answer(message) is None

    def stop(self) -> None:
        pass


def named(part: str) -> list[Path]:
    return [case for case in GOOD if part in case.name]


@pytest.mark.parametrize(
    "policy", [policies.ExpandIntoIdle, policies.ShrinkToStart, policies.Equipartition, policies.StealAndAgree]
)
@pytest.mark.parametrize("case", named("shrink-crossbar") + named("adaptive-crossbar16"), ids=lambda case: case.name)
def test_policies_play_a_recorded_site_to_its_end(case, policy):
    peer, simulation, error = replay(case, peer=Over(policy()))
    assert error is None
    assert simulation.outcome == "complete"
    assert all(known.over for known in peer.wire.jobs)


class Script(Scheduler):
    """Starts jobs as small as they can be; says what it is told to at the first stop."""

    def __init__(self, *said) -> None:
        super().__init__()
        self.said = said
        self.heard = []

    def schedule(self, view):
        self.heard += view.notices
        free = view.free
        for job in view.queue:
            hosts = free.take(job.request.hosts)
            if hosts is None:
                break
            yield Execute(job, hosts)
        if view.stopped and self.said:
            said, self.said = self.said, ()
            yield from said


def job(number: int, state: int, nodes: list[int], **more) -> dict[str, object]:
    told = {"id": number, "state": state, "type": 2, "walltime": 0.0, "submit_time": 0.0, "assigned_nodes": nodes}
    return {**told, "num_nodes_min": 1, "num_nodes_max": 4, **more}


def invoke(time: float, kind: int, number: int, *jobs, nodes: int = 0) -> bytes:
    told = [{"id": node, "state": 0} for node in range(nodes)]
    message = {"code": 0xFFEC4400, "time": time, "invocation_type": kind, "job_id": number, "jobs": jobs}
    return json.dumps({**message, "nodes": told}).encode()


def test_what_is_said_and_heard():
    script = Script(Resize("w0!0", [0, 2]))
    wire = ElastisimScheduler(script)
    first = json.loads(wire.answer(invoke(0.0, 1, 0, job(0, 1, []), nodes=4)))
    assert first["jobs"][0]["assigned_node_ids"] == [0]
    point = json.loads(wire.answer(invoke(4.0, 4, 0, job(0, 4, [0], completed_phases=1))))
    assert [(one["id"], one["assigned_node_ids"]) for one in point["jobs"]] == [(0, [0, 2])]
    assert json.loads(wire.answer(invoke(9.0, 2, 0, job(0, 7, [0, 2]))))["jobs"] == []
    (changed,) = [one for one in script.heard if isinstance(one, JobReconfigured)]
    assert (changed.hosts, changed.awaited) == ((0, 2), False)
    assert isinstance(script.heard[-1], JobCompleted)
    assert wire.answer(json.dumps({"code": 0xFFEC44FF}).encode()) is None


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (Resize("w0!0", [0, 1, 2, 3, 4]), "takes 1 to 4"),
        (Resize("w0!0", [0, 9]), "no nodes"),
        (Resize("w0!7", [0]), "no job"),
        (Execute("w0!0", [1]), "not waiting"),
        (TurnOnOffHosts(hosts=[1], state=0), "ElastiSim has no TurnOnOffHosts"),
    ],
)
def test_what_would_end_elastisim_is_refused_before(said, reason):
    wire = ElastisimScheduler(Script(said))
    wire.answer(invoke(0.0, 1, 0, job(0, 1, []), nodes=5))
    with pytest.raises(WindtunnelError, match=reason):
        wire.answer(invoke(4.0, 4, 0, job(0, 4, [0])))


def test_kills_are_told_at_once():
    wire = ElastisimScheduler(Script(Kill("w0!0")))
    wire.answer(invoke(0.0, 1, 0, job(0, 1, []), nodes=4))
    answer = json.loads(wire.answer(invoke(4.0, 4, 0, job(0, 4, [0]))))
    assert answer["jobs"][0]["kill_flag"] is True
    assert wire.jobs[0].over


def heard(case: Path) -> list[bytes]:
    text = gzip.decompress((case / "dialogue.txt.gz").read_bytes())
    return [line[2:] for line in text.splitlines() if line.startswith(b"E ")]


def mutated(source: random.Random, data: bytes) -> bytes:
    """A message with something of it changed."""
    if source.random() < 0.3:
        at = source.randrange(len(data))
        return data[:at] + bytes([source.randrange(256)]) + data[at + source.randrange(3) :]
    message = json.loads(data)
    place = message
    while isinstance(place, (dict, list)) and place and source.random() < 0.8:
        key = source.choice([*place]) if isinstance(place, dict) else source.randrange(len(place))
        if isinstance(place[key], (dict, list)) and place[key]:
            place = place[key]
            continue
        place[key] = source.choice([None, -1, 10**30, 0.5, "x", [], {}, True, 3, [99], 1e400])
        break
    return json.dumps(message).encode()


def play_mutated(seeds: range) -> int:
    refused = 0
    for seed in seeds:
        source = random.Random(seed)
        case = GOOD[seed % len(GOOD)]
        policy = source.choice([policies.ExpandIntoIdle, policies.Equipartition, Fcfs])
        wire = ElastisimScheduler(policy())
        try:
            for message in heard(case)[:30]:
                wire.answer(mutated(source, message) if source.random() < 0.2 else message)
        except WindtunnelError:
            refused += 1
    return refused


def test_mutated_messages_are_refused_without_a_traceback():
    if not GOOD:
        pytest.skip("not run: no recorded dialogues are here")
    assert play_mutated(range(300)) > 50


@pytest.mark.slow
def test_many_mutated_messages():
    if not GOOD:
        pytest.skip("not run: no recorded dialogues are here")
    assert play_mutated(range(1000, 3500)) > 500


def test_what_comes_after_the_end_is_refused():
    wire = ElastisimScheduler(Fcfs())
    assert wire.answer(b'{"code": 4293674239}') is None
    with pytest.raises(ProtocolError, match="after the last"):
        wire.answer(b'{"code": 4293674239}')


def test_both_roles_over_a_socket(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    faults: list[BaseException] = []

    def drive() -> None:
        try:
            serve(policies.ExpandIntoIdle(), f"ipc://{tmp_path}/elastisim.ipc", timeout=20.0)
        except WindtunnelError as fault:
            faults.append(fault)

    peer = threading.Thread(target=drive, daemon=True)
    peer.start()
    with inside(tmp_path):
        assert main(["elastisim", "config.json", "--timeout", "20"]) == 0
    peer.join(20)
    assert faults == []
    rows = (tmp_path / "jobs.csv").read_text().splitlines()
    assert [row.rpartition(",")[2] for row in rows[1:]] == ["completed", "completed"]
