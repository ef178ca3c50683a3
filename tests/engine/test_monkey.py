"""A scheduler that does whatever it likes, on sites with everything: refused or not, every run ends whole."""

import random

import pytest
from tests.engine.star import star
from tests.engine.test_tasks import alike, delay, fork, merge, on_storage, replay, sequence, staging, task

from windtunnel.engine import Options, Simulation
from windtunnel.formats.sites.simgrid_xml import parse_platform
from windtunnel.model import HostSet, JobState, PlacementStrategy, SendProfile, TraceType
from windtunnel.testing import InvariantChecker, Scripted, job, workload
from windtunnel.vocabulary import (
    AdditionalIo,
    CallMeLater,
    ChangeHostsPState,
    Execute,
    JobCompleted,
    JobSubmitted,
    JobSuspended,
    KillJobs,
    OneShot,
    ProfilePlacement,
    QueryEnergy,
    Reject,
    RequestedCall,
    ResumeJob,
    SuspendJob,
    TurnOnOffHosts,
)

PROPS = """<prop id="wattage_per_state" value="100:120:200, 80:90:120, 10:10, 50:50, 80:80"/>
<prop id="sleep_pstates" value="2:3:4"/>"""


def site(rng):
    text = star(
        4,
        ("pfs", "nvme"),
        latency=rng.choice(["0s", "1ms"]),
        props=PROPS,
        speed="1Gf,0.5Gf,1e-9f,0.5f,0.25f",
        text=True,
    )
    kinds = [("SPEED", "n0", "0 1\n3 0.5"), ("HOST_AVAIL", "n1", "4 0\n6 1"), ("BANDWIDTH", "l-n2", "2 5e7\n5 1e8")]
    kinds += [
        ("LATENCY", "l-n0", "3 0.01\n4 0"),
        ("LINK_AVAIL", "l-n3", "5 0\n7 1"),
        ("HOST_AVAIL", "pfs", "8 0\n9 1"),
    ]
    chosen = rng.sample(kinds, rng.randint(0, 3))
    traces = "".join(f'<trace id="{k}" periodicity="{rng.choice([-1, 13])}">{v}</trace>' for k, _, v in chosen)
    connects = "".join(f'<trace_connect kind="{k}" trace="{k}" element="{e}"/>' for k, e, _ in chosen)
    if len({k for k, _, _ in chosen}) < len(chosen):
        traces = connects = ""
    text = text.replace("<zone", traces + "<zone", 1).replace("</platform>", connects + "</platform>")
    return parse_platform(text.encode(), numbering="natural", master="", energy=True)


STEP, WAIT = task(1e9, 2e9, com=(0.0, 1e7, 1e7, 0.0), name="step"), delay(1.5, "wait")
NESTED = fork(STEP, WAIT, name="nested")
PROFILES = [
    task(2e9, 1e9),
    alike(1e9, 1e7),
    delay(2.0),
    on_storage(read=1e8, write=1e7),
    staging(1e8),
    sequence("q", [STEP, WAIT, NESTED], repeat=2),
    NESTED,
    merge(STEP, task(1e9, 1e9, name="other")),
    replay(TraceType.SMPI, ["compute 1e9", "send 1 0 10000000"], ["recv 0 0 10000000", "compute 1e9"]),
    replay(TraceType.FractionalComputation, ["m_usage 1 1e9"], ["m_usage 0.5 2e9"]),
    SendProfile(id="w0!send", message={"a": 1}, sleeptime=1.0),
]
PARTS = [STEP, WAIT, NESTED, task(1e9, 1e9, name="other")]


class Monkey(Scripted):
    def __init__(self, rng):
        super().__init__(self.act)
        self.rng = rng
        self.waiting, self.started, self.suspended = [], [], []
        self.pending = False

    def hosts(self):
        return HostSet(self.rng.sample(range(4), self.rng.choice([1, 2, 2, 2, 3])))

    def act(self, now, notices):
        rng = self.rng
        for n in notices:
            if isinstance(n, JobSubmitted):
                self.waiting.append(n.job.id)
            elif isinstance(n, RequestedCall):
                self.pending = False
            elif isinstance(n, JobSuspended):
                self.suspended.append(n.job.id)
            elif isinstance(n, JobCompleted):
                for known in (self.waiting, self.started, self.suspended):
                    if n.job.id in known:
                        known.remove(n.job.id)
        if now > 60:  # enough: clear up
            done = [*self.waiting, *self.started, *self.suspended]
            asked = [Reject(j) for j in self.waiting] + [
                KillJobs(job_ids=(j,)) for j in self.started + self.suspended
            ]
            self.waiting, self.started, self.suspended = [], [], []
            return asked if done else []
        asked = [self.whim() for _ in range(rng.randint(0, 3))]
        if not self.pending:
            self.pending = True
            asked.append(CallMeLater(call_me_later_id="c", when=OneShot(now + rng.uniform(0.2, 2.0))))
        return [a for a in asked if a is not None]

    def whim(self):
        rng = self.rng
        what = rng.random()
        if what < 0.5 and self.waiting:
            name = rng.choice(self.waiting)
            self.started.append(name)
            how = rng.choice(
                [
                    {},
                    {},
                    {"placement": rng.choice([(0, 1), (1, 0), (0, 0), (0, 5)])},
                    {"placement": rng.choice(list(PlacementStrategy))},
                    {"storages": {"pfs": rng.choice([4, 5, 0])}},
                    {"profile_placements": {"w0!step": ProfilePlacement(self.hosts())}},
                    {"additional_io": AdditionalIo(HostSet.parse("0-1"), "w0!step")},
                ]
            )
            return Execute(name, self.hosts(), **how)
        if what < 0.6 and self.started:
            return SuspendJob(job_id=rng.choice(self.started))
        if what < 0.75 and self.suspended:
            name = self.suspended.pop(rng.randrange(len(self.suspended)))
            return ResumeJob(job_id=name, hosts=self.hosts())
        if what < 0.8 and self.started:
            return KillJobs(job_ids=(rng.choice(self.started),))
        if what < 0.88:
            return TurnOnOffHosts(hosts=self.hosts(), state=rng.choice([0, 2, 2, 3]))
        if what < 0.94:
            return ChangeHostsPState(hosts=self.hosts(), pstate=rng.choice([0, 0, 1]))
        return QueryEnergy()


@pytest.mark.parametrize("block", range(4))
def test_every_run_ends_whole(block):
    ended = set()
    for seed in range(block * 17, block * 17 + 17):
        rng = random.Random(seed)
        sharing = rng.random() < 0.5
        jobs = [
            job(k, 2, run=rng.choice(PROFILES), at=rng.uniform(0, 10), walltime=rng.choice([3.0, 20.0, 1e3]))
            for k in range(8)
        ]
        checker = InvariantChecker(sharing=sharing)
        options = Options(
            strict=False,
            energy=True,
            compute_sharing=sharing,
            energy_rule=rng.choice(["exact", "simgrid"]),
            sharing=rng.choice(["simgrid", "maxmin"]),
            on_failure=rng.choice(["kill", "requeue"]),
        )
        simulation = Simulation(
            site(rng), [workload(*jobs, profiles=PARTS)], [Monkey(rng)], options=options, observers=[checker]
        )
        simulation.run()
        assert checker.outcome == "complete", seed
        assert checker.submitted == checker.ended, seed
        assert not simulation.world.sharing.system.actions, seed
        assert not simulation.world.nb_alive
        table = simulation.world.hosts
        assert len(table.free) == sum(table.state(h).name == "IDLE" for h in range(4)) + (
            sum(table.state(h).name == "COMPUTING" for h in range(4)) if sharing else 0
        ), seed
        ended |= {row[1] for row in checker.rows}
    assert {JobState.COMPLETED_SUCCESSFULLY, JobState.COMPLETED_KILLED} <= ended
