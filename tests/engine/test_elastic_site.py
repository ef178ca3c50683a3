"""Jobs that change size on sites with everything: energy, failures, probes, suspension, devices, forks and files."""

import random

import pytest
from msgspec.structs import replace
from tests.engine.star import star

from elastic_jobs import Scripted, Watching, job, pause, site, work
from windtunnel.diagnostics import SimulationError
from windtunnel.engine import Options, Simulation
from windtunnel.model import ExternalEvent, HostSet, JobList, JobState
from windtunnel.model.application import ComputeTask, Elasticity, Load, Pattern, Phase, StorageTask
from windtunnel.results.layout import Layout
from windtunnel.results.recorders import RecordingOptions
from windtunnel.results.recording import Recording
from windtunnel.testing import InvariantChecker
from windtunnel.vocabulary import (
    CallMeLater,
    CreateProbe,
    DecisionRefused,
    Execute,
    ExecuteJob,
    Hello,
    HostsRequested,
    JobCompleted,
    JobSubmitted,
    JobSuspended,
    KillJobs,
    Metric,
    OneShot,
    Periodic,
    ProbeDataEmitted,
    ProbeResources,
    Reject,
    Reply,
    RequestedCall,
    Resize,
    ResumeJob,
    SchedulingPointReached,
    SuspendJob,
)

DONE = JobState.COMPLETED_SUCCESSFULLY


class Timed(Scripted):
    """Also says things at dates."""

    def __init__(self, sizes, resizes=(), dated=None, **more) -> None:
        super().__init__(sizes, resizes, **more)
        self.dated = dated or {}

    def decide(self, now, notices) -> Reply:
        said = [*super().decide(now, notices).decisions]
        if not self.told[: -len(notices)]:
            said += [CallMeLater(call_me_later_id=str(at), when=OneShot(at)) for at in self.dated]
        for one in notices:
            if isinstance(one, RequestedCall):
                said += self.dated[float(one.call_me_later_id)]
        return Reply(now, said)


def machine(date, state, hosts):
    return ExternalEvent(timestamp=date, kind="machine_state", hosts=hosts, attributes={"state": state})


def play(jobs, component, platform, events=(), **options):
    watching = Watching()
    simulation = Simulation(
        platform, (JobList("w0", jobs),), (component,), observers=(watching,), options=Options(**options)
    )
    for date, kind, hosts in events:
        simulation.inject(machine(date, kind, HostSet(hosts)), at=date)
    simulation.run()
    return watching, simulation


@pytest.mark.parametrize("rule", ["exact", "simgrid"])
def test_energy_follows_the_hosts(rule):
    """4 s on one of two hosts, then 2 s on both: hosts at work draw 200 W, the other one 100 W."""
    component = Scripted({"w0!a": [0]}, resizes=[[0, 1]])
    jobs = [job("a", Phase(tasks=(work(4.0),), iterations=2))]
    _, simulation = play(jobs, component, site(2), energy=True, energy_rule=rule)
    assert simulation.now == 6.0
    assert simulation.totals()["consumed_joules"] == pytest.approx(4 * 300 + 2 * 400)
    (ended,) = component.of(JobCompleted)
    assert ended.timestamp == 6.0


class Joules(Watching):
    def on_job_ended(self, now, record):
        super().on_job_ended(now, record)
        self.joules = record.consumed_energy


def test_a_job_consumes_what_the_hosts_that_it_had_do():
    seen = Joules()
    jobs = [job("a", Phase(tasks=(work(4.0),), iterations=3))]
    component = Scripted({"w0!a": [0]}, resizes=[[0, 1], [2]])
    options = Options(energy=True)
    Simulation(site(3), (JobList("w0", jobs),), (component,), observers=(seen,), options=options).run()
    assert seen.joules == pytest.approx(200 * (4 + 2 * 2 + 4))


def test_jobs_of_logs_that_merely_last_compute_where_delays_do():
    jobs = [job("a", Phase(tasks=(pause(4.0),), iterations=2))]
    for computes, joules in ((False, 4 * 200 + 4 * 200), (True, 4 * 300 + 4 * 400)):
        component = Scripted({"w0!a": [0]}, resizes=[[0, 1]])
        _, simulation = play(jobs, component, site(2), energy=True, delays_compute=computes)
        assert simulation.totals()["consumed_joules"] == pytest.approx(joules)


def test_a_job_loses_what_it_has_with_a_host_that_it_grew_into():
    jobs = [job("a", Phase(tasks=(pause(4.0),), iterations=3)), job("b", Phase(tasks=(pause(20.0),)))]
    component = Scripted({"w0!a": [0], "w0!b": [2]}, resizes=[[0, 1]])
    seen, simulation = play(jobs, component, site(3), [(6.0, "FAILURE", [1])])
    assert seen.ends == {"w0!a": (6.0, JobState.COMPLETED_FAILED), "w0!b": (20.0, DONE)}
    assert HostSet(simulation.world.hosts.free) == HostSet((0, 2))


def test_a_lost_job_comes_back_at_any_of_its_sizes():
    jobs = [job("a", Phase(tasks=(work(4.0),), iterations=3))]
    component = Scripted({"w0!a": [0], "w0!a#1": [0, 2]}, resizes=[[0, 1]])
    seen, _ = play(jobs, component, site(3), [(5.0, "FAILURE", [1])], on_failure="requeue")
    assert seen.ends["w0!a#1"] == (5.0 + 6.0, DONE)
    assert seen.resizes == [(4.0, "w0!a", [0], [0, 1])]


def test_a_job_stays_as_it_is_when_a_host_that_was_kept_for_it_fails():
    grow = {"w0!b": [Resize("w0!a", [0, 1])]}
    jobs = [job("a", Phase(tasks=(pause(4.0),), iterations=2)), job("b", Phase(tasks=(pause(1.0),)), at=1.0)]
    component = Scripted({"w0!a": [0], "w0!b": [2]}, at_submission=grow)
    events = [(3.0, "FAILURE", [1]), (6.0, "ACTIVE", [1])]
    seen, simulation = play(jobs, component, site(3), events)
    assert seen.ends["w0!a"] == (8.0, DONE)
    assert not seen.resizes
    table = simulation.world.hosts
    assert (HostSet(table.free), table.reserved, table.unavailable) == (HostSet.span(3), HostSet(), HostSet())


@pytest.mark.parametrize("sharing", [False, True])
@pytest.mark.parametrize(("hosts", "computing"), [([0, 2], 8 + 3 + 4), ([1, 2], 4 + 3 + 4), ([0, 1, 2], 8 + 3 + 4)])
def test_a_job_that_goes_on_where_machines_are_drained_may_keep_them(hosts, computing, sharing):
    """It has host 1, which is drained, and changes: it ended the run, as nobody could get that host now."""
    jobs = [job("a", Phase(tasks=(pause(4.0),), iterations=2)), job("b", Phase(tasks=(pause(1.0),)), at=20.0)]
    component = Scripted({"w0!a": [0, 1], "w0!b": [3]}, resizes=[hosts])
    options = {"on_maintenance": "drain", "compute_sharing": sharing}
    events = [(3.0, "MAINTENANCE", [1]), (10.0, "ACTIVE", [1])]
    seen, simulation = play(jobs, component, site(4), events, **options)
    assert (seen.ends["w0!a"], seen.resizes) == ((8.0, DONE), [(4.0, "w0!a", [0, 1], hosts)])
    table = simulation.world.hosts
    assert (HostSet(table.free), table.unavailable) == (HostSet.span(4), HostSet())
    assert simulation.totals()["time_computing"] == computing + 1.0


def test_probes_see_the_hosts_of_each_time():
    probe = CreateProbe(
        probe_id="p",
        metrics=Metric.ComputationLoad,
        resources=ProbeResources(HostSet.span(2)),
        when=Periodic(1, nb_periods=7),
    )

    component = Timed({"w0!a": [0]}, resizes=[[0, 1]], dated={0.5: [probe]})
    jobs = [job("a", Phase(tasks=(work(3.0),), iterations=3))]
    play(jobs, component, site(2))
    told = {one.timestamp: one.data for one in component.of(ProbeDataEmitted)}
    assert {date for date, data in told.items() if data == (1e9, 0.0)} == {date for date in told if date < 3}
    assert {date for date, data in told.items() if data == (1e9, 1e9)} == {date for date in told if 3 < date < 6}
    assert len(told) > 4


def exchange(count):
    """Between two hosts behind links of 100 MB/s each, ``count`` s."""
    return ComputeTask(bytes=Load(count * 2e8, Pattern.RING_CLOCKWISE), name="exchange")


def test_a_suspended_job_exchanges_between_the_hosts_on_which_it_goes_on():
    """Both what was under way, and what begins later; others on its first hosts do not slow it down."""
    away = [SuspendJob(job_id="w0!a")]
    back = [ResumeJob(job_id="w0!a", hosts=HostSet((2, 3))), Execute("w0!b", [0, 1])]
    component = Timed({"w0!a": [0, 1], "w0!b": None}, dated={1.0: away, 3.0: back})
    jobs = [
        job("a", Phase(tasks=(exchange(2.0), exchange(2.0))), kind=Elasticity.RIGID, least=2, most=2),
        job("b", Phase(tasks=(exchange(9.0),)), kind=Elasticity.RIGID, least=2, most=2),
    ]
    alone, _ = play(jobs[:1], Scripted({"w0!a": [0, 1]}), star(4))
    whole = alone.ends["w0!a"][0]
    seen, _ = play(jobs, component, star(4))
    assert seen.ends["w0!a"][0] == pytest.approx(whole + 2.0)
    assert seen.ends["w0!b"][0] == pytest.approx(3.0 + 9.0 * whole / 4.0)


def test_ranks_keep_their_order_on_other_hosts():
    """The last rank computes, on the slower host; it is moved to a faster one."""
    slow = site(4)
    text = ComputeTask(flops=Load(4e9, Pattern.ODD_RANKS), name="work")
    start = Execute("w0!a", [0, 1], placement=(1, 0))
    away, back = [SuspendJob(job_id="w0!a")], [ResumeJob(job_id="w0!a", hosts=HostSet((2, 3)))]
    component = Timed({"w0!a": None}, dated={0.0: [start], 1.0: away, 2.0: back})
    jobs = [job("a", Phase(tasks=(text, text)), kind=Elasticity.RIGID, least=2, most=2)]
    _, simulation = play(jobs, component, slow)
    assert simulation.now == 9.0
    moved = [one for one in component.told if type(one).__name__ == "JobResumed"]
    assert [one.hosts for one in moved] == [HostSet((2, 3))]


GPUS = {"resources": {"gpus": 1.0, "flops_per_gpu": 1e9}}


def test_the_gpus_of_a_suspended_job_serve_others():
    kernel = ComputeTask(flops=Load(4e9, Pattern.UNIFORM), gpu=True, name="kernel")
    away, back = [SuspendJob(job_id="w0!a"), Execute("w0!b", [0])], [ResumeJob(job_id="w0!a", hosts=HostSet((1,)))]
    component = Timed({"w0!a": [0], "w0!b": None}, dated={1.0: away, 2.0: back})
    jobs = [job(name, Phase(tasks=(kernel,)), kind=Elasticity.RIGID, most=1) for name in "ab"]
    jobs = [with_gpu(one) for one in jobs]
    seen, _ = play(jobs, component, site(2, **GPUS))
    assert seen.ends == {"w0!b": (5.0, DONE), "w0!a": (5.0, DONE)}


def with_gpu(one):
    return replace(one, profile=replace(one.profile, gpus_least=1, gpus_most=1))


def test_devices_that_are_not_there_where_it_goes_on_are_named():
    kernel = ComputeTask(flops=Load(4e9, Pattern.UNIFORM), gpu=True, name="kernel")
    read = StorageTask(load=Load(4e9, Pattern.UNIFORM), write=False, buffer=True, name="read")
    some = site(2, resources={"gpus": 1.0, "flops_per_gpu": 1e9, "bb_read_bw": 1e9, "bb_write_bw": 1e9})
    hosts = (some.hosts[0], replace(some.hosts[1], resources={}))
    dated = {1.0: [SuspendJob(job_id="w0!a")], 2.0: [ResumeJob(job_id="w0!a", hosts=HostSet((1,)))]}
    for task, said in ((kernel, "has no GPUs"), (read, "has no burst buffer")):
        jobs = [with_gpu(job("a", Phase(tasks=(task,)), kind=Elasticity.RIGID, most=1))]
        with pytest.raises(SimulationError, match=f"'w0!a': it continues on host 1, which {said}"):
            play(jobs, Timed({"w0!a": [0]}, dated=dated), replace(some, hosts=hosts))


class Whim:
    """Does whatever comes to its mind, with jobs of all kinds; plain data, so that it can be forked."""

    def __init__(self, seed: int, hosts: int) -> None:
        self.random = random.Random(seed)
        self.size = hosts
        self.waiting, self.running, self.suspended = [], [], []
        self.jobs = {}
        self.calling = False

    def hello(self) -> Hello:
        return Hello(name="whim")

    def stop(self) -> None:
        pass

    def some(self, least=1, most=None):
        count = self.random.randint(least, min(self.size, most or self.size))
        return HostSet(self.random.sample(range(self.size), count))

    def near(self, stop):
        """Often some of the hosts that it has, or these and others."""
        profile = stop.job.profile
        others = [host for host in range(self.size) if host not in stop.hosts]
        self.random.shuffle(others)
        count = self.random.randint(profile.least, min(profile.most, self.size))
        return HostSet([*stop.hosts, *others][:count])

    def decide(self, now, notices) -> Reply:
        said = []
        for one in notices:
            if isinstance(one, JobSubmitted):
                self.waiting.append(one.job.id)
                self.jobs[one.job.id] = one.job
            elif isinstance(one, JobSuspended):
                self.suspended.append(one.job.id)
            elif isinstance(one, JobCompleted):
                for known in (self.waiting, self.running, self.suspended):
                    if one.job.id in known:
                        known.remove(one.job.id)
            elif isinstance(one, RequestedCall):
                self.calling = False
            elif isinstance(one, SchedulingPointReached | HostsRequested) and self.random.random() < 0.6:
                said.append(Resize(one.job, self.near(one)))
            elif isinstance(one, DecisionRefused) and isinstance(one.decision, ExecuteJob):
                self.running.remove(one.decision.job_id)
                self.waiting.append(one.decision.job_id)
            elif isinstance(one, DecisionRefused) and isinstance(one.decision, ResumeJob):
                self.suspended.append(one.decision.job_id)
        if now > 200.0:
            said = [*map(Reject, self.waiting), *(KillJobs(job_ids=(name,)) for name in self.running)]
            self.waiting, self.running, self.suspended = [], [], []
            return Reply(now, said)
        said += filter(None, [self.whim() for _ in range(self.random.randint(0, 3))])
        if not self.calling:
            self.calling = True
            at = round(now + self.random.uniform(0.5, 4.0), 3)
            said.append(CallMeLater(call_me_later_id="c", when=OneShot(at)))
        return Reply(now, said)

    def whim(self):
        what, pick = self.random.random(), self.random.choice
        if what < 0.5 and self.waiting:
            name = self.waiting.pop(0)
            self.running.append(name)
            profile = self.jobs[name].profile
            return Execute(name, self.some(profile.least, profile.most))
        if what < 0.7 and self.running:
            return Resize(pick(self.running), self.some())
        if what < 0.76 and self.running:
            return SuspendJob(job_id=pick(self.running))
        if what < 0.9 and self.suspended:
            name = pick(self.suspended)
            self.suspended.remove(name)
            return ResumeJob(job_id=name, hosts=self.some())
        return KillJobs(job_ids=(pick(self.running),)) if what < 0.92 and self.running else None


class Laws(InvariantChecker):
    """Also: hosts that are kept for a job are nobody else's, and no job leaves its limits."""

    simulation = None
    changes = 0

    def on_job_started(self, now, record):
        super().on_job_started(now, record)
        assert record.hosts.isdisjoint(self.simulation.world.hosts.reserved)
        profile = record.job.profile
        assert profile.least <= len(record.hosts) <= profile.most

    def on_job_resumed(self, now, record):
        super().on_job_resumed(now, record)
        assert record.hosts.isdisjoint(self.simulation.world.hosts.reserved)

    def on_job_resized(self, now, record, before, after):
        super().on_job_resized(now, record, before, after)
        self.changes += 1
        profile = record.job.profile
        assert profile.resizable
        assert profile.least <= len(after) <= profile.most
        assert record.hosts.isdisjoint(self.simulation.world.hosts.reserved)


KINDS = list(Elasticity)


def whimsical(rng):
    """Jobs of all kinds, with all sorts of tasks."""
    tasks = [
        work(6.0),
        pause("num_nodes"),
        exchange(0.5),
        ComputeTask(flops=Load(2e9, Pattern.ROOT_ONLY), name="root"),
    ]
    tasks.append(StorageTask(load=Load(1e8, Pattern.ALL_RANKS), write=True, detached=True, name="write"))
    made = []
    for number in range(rng.randint(2, 6)):
        kind = rng.choice(KINDS)
        least = rng.randint(1, 3)
        most = least if kind is Elasticity.RIGID else rng.randint(least, 6)
        request = f"{rng.randint(1, 6)} + phase_iteration % 2" if kind >= Elasticity.EVOLVING else None
        phases = [
            Phase(
                tasks=tuple(rng.sample(tasks, rng.randint(1, 3))),
                iterations=rng.randint(1, 4),
                evolving_request=request,
                barrier=rng.random() < 0.7,
            )
            for _ in range(rng.randint(1, 2))
        ]
        once = {
            name: Phase(tasks=(rng.choice(tasks),))
            for name in ("on_init", "on_reconfiguration", "on_expansion")
            if rng.random() < 0.5
        }
        at, limit = rng.uniform(0, 20), rng.choice([float("inf"), 15.0, 60.0])
        made.append(job(f"{number}", *phases, kind=kind, least=least, most=most, at=at, walltime=limit, **once))
    return sorted(made, key=lambda one: one.submission_time)


def everything(seed, recording):
    rng = random.Random(seed)
    jobs, laws = whimsical(rng), Laws()
    options = Options(strict=False, energy=True, on_failure=rng.choice(["kill", "requeue"]))
    watts = '<prop id="wattage_per_state" value="100:120:200"/>'
    simulation = Simulation(
        star(6, ("pfs",), props=watts, energy=True),
        (JobList("w0", jobs),),
        (Whim(seed, 6),),
        observers=[*recording.observers, laws],
        options=options,
    )
    laws.simulation = simulation
    for _ in range(rng.randint(0, 2)):
        date, host = rng.uniform(1.0, 40.0), HostSet((rng.randrange(6),))
        simulation.inject(machine(date, rng.choice(["FAILURE", "MAINTENANCE"]), host), at=date)
        back = date + rng.uniform(1.0, 10.0)
        simulation.inject(machine(back, "ACTIVE", host), at=back)
    return simulation, laws


def check_whole(seed):
    """Runs a whimsical simulation to its end; returns how often jobs changed their hosts."""
    simulation, laws = everything(seed, Recording(Layout(None)))
    simulation.run()
    assert laws.outcome == "complete", seed
    assert laws.submitted == laws.ended, seed
    table = simulation.world.hosts
    assert not table.reserved, seed
    assert HostSet(table.free) | table.unavailable == HostSet.span(6), seed
    assert not simulation.world.sharing.system.actions, seed
    return laws.changes


@pytest.mark.parametrize("seed", range(25))
def test_whatever_a_scheduler_does_every_run_ends_whole(seed):
    check_whole(seed)


@pytest.mark.slow
def test_many_whimsical_runs():
    assert sum(check_whole(seed) for seed in range(1000, 1600)) > 300


FILES = ("jobs.csv", "resizes.csv", "suspensions.csv", "consumed_energy.csv", "machine_states.csv", "metrics.json")


@pytest.mark.parametrize("seed", range(100, 112))
def test_a_fork_and_a_saved_run_end_with_the_same_bytes(tmp_path, seed):
    rounds = random.Random(seed).randint(0, 60)
    recording = Recording(Layout(None), RecordingOptions(energy=True))
    simulation, _ = everything(seed, recording)
    for _ in range(rounds):
        if not simulation.step():
            return
    forked = recording.fork()
    other = simulation.fork(forked.observers)
    simulation.save(tmp_path / "saved", attached=recording.fork())
    restored, kept = Simulation.restore_with(tmp_path / "saved")
    kept.resume()
    restored.observe(kept.observers)
    for one in (simulation, other, restored):
        one.run()
    for name in FILES:
        assert recording.read(name) == forked.read(name) == kept.read(name), name
