"""Several datacenters in one simulation, each under its own scheduler, with changes while running."""

import json

import pytest
from msgspec.structs import replace
from tests.vocabulary.spy import Spy

from environments import machine
from windtunnel import api
from windtunnel.diagnostics import ComponentError, UsageError
from windtunnel.formats.registry import read_platform
from windtunnel.model import HostSet, JobList, Platform, Request
from windtunnel.schedulers.datacenters import Datacenters
from windtunnel.testing import InvariantChecker, job
from windtunnel.vocabulary import (
    CallMeLater,
    DecisionRefused,
    ExecuteJob,
    ExternalEventOccurred,
    HostsBecameAvailable,
    HostsBecameUnavailable,
    JobCompleted,
    JobSubmitted,
    KillJobs,
    OneShot,
    RejectJob,
    SimulationBegins,
)


def datacenter(number, *machines, scheduler="stage-scheduler", **options):
    rooms = [{"type": "SERVER", "objects": [{"type": "RACK", "units": list(machines)}]}]
    operational = {"scheduler": {"name": scheduler, "options": options}} if scheduler else {}
    return {"id": number, "rooms": rooms, "operational": operational}


def cores(number, count, state="ACTIVE"):
    return machine(number, cpus=[{"clock-rate": 1e9, "cores": count}], state=state)


def task(name, count, run=10.0, at=0.0):
    made = job(name, run=run, at=at)
    return replace(made, request=Request(hosts=1, processors=count))


def change(time, number, name, **options):
    scheduler = {"name": name, "options": options}
    return {"type": "DATACENTER_SCHEDULER_CHANGE", "time": time, "datacenter": number, "scheduler": scheduler}


def state(time, number, new):
    return {"type": "MACHINE_STATE_CHANGE", "time": time, "machine": number, "state": new}


@pytest.fixture
def run(tmp_path):
    def simulate(centers, *jobs, events=(), **options):
        path = tmp_path / "e.json"
        path.write_text(json.dumps({"environment": {"datacenters": centers}, "events": list(events)}))
        checker = InvariantChecker(sharing=True)
        work = JobList("w0", jobs, {j.profile.id: j.profile for j in jobs})
        api.simulate(path, work, "datacenters", scheduler_options=options, observers=[checker])
        return {row[0][3:]: (row[2], row[4]) for row in checker.rows}

    return simulate


def test_each_datacenter_has_its_own_policy(run):
    """first: FIFO on hosts 0-1; second: worst fit on hosts 2-3. Loads decide where a job goes."""
    centers = [
        datacenter("a", cores(1, 4), cores(2, 4)),
        datacenter("b", cores(3, 6), cores(4, 8), placement="WORST-FIT"),
    ]
    rows = run(centers, task("1", 2), task("2", 2), task("3", 4), task("4", 12))
    # 1 goes to a (loads 0, 0), 2 to b (1/4, 0), 3 to b again (1/4, 1/7), 4 is too large for a.
    assert rows["1"] == (0.0, "0")
    assert rows["2"] == (0.0, "3")
    assert rows["3"] == (0.0, "2")  # both have 6 cores free
    assert rows["4"] == (10.0, "2-3")


@pytest.mark.parametrize(
    ("dispatch", "hosts"),
    [("first", ["0", "0", "0"]), ("round-robin", ["0", "1", "0"]), ("least-loaded", ["0", "1", "1"])],
)
def test_dispatch_rules(run, dispatch, hosts):
    centers = [datacenter(1, cores(1, 4)), datacenter(2, cores(2, 16))]
    rows = run(centers, task("1", 1), task("2", 1), task("3", 1), dispatch=dispatch)
    assert [rows[name][1] for name in "123"] == hosts


def test_jobs_that_fit_nowhere_are_rejected(run):
    assert run([datacenter(1, cores(1, 4))], task("1", 5)) == {"1": (-1.0, "")}


def test_a_change_of_policy_keeps_queue_and_allocations(run):
    centers = [datacenter(1, cores(1, 1))]
    jobs = [task("1", 1, run=5.0), task("2", 1, run=9.0), task("3", 1, run=1.0)]
    rows = run(centers, *jobs, events=[change(3, 1, "stage-scheduler", selection="SRTF")])
    assert {name: start for name, (start, _) in rows.items()} == {"1": 0, "3": 5, "2": 6}


def test_quite_another_scheduler_takes_over(run):
    """From first fit to fcfs at 3 s: what runs goes on, its host is not given twice, the queue is kept in order."""
    centers = [datacenter(1, cores(1, 1), cores(2, 1))]
    jobs = [job("1", run=8.0), job("2", run=4.0), job("3", hosts=2, run=5.0), job("4", run=1.0)]
    rows = run(centers, *jobs, events=[change(3, 1, "fcfs")])
    # job 3 wants both hosts: under fcfs nothing overtakes it, so it starts when job 1 has gone.
    assert rows == {"1": (0.0, "0"), "2": (0.0, "1"), "3": (8.0, "0-1"), "4": (13.0, "0")}


def test_failures_and_states_at_the_start(run):
    centers = [datacenter(1, cores(1, 4, state="HALT"), cores(2, 4)), datacenter(2, cores(3, 4), scheduler="fcfs")]
    events = [state(5, 2, "FAILURE"), state(6, 1, "ACTIVE"), state(2, 3, "MAINTENANCE")]
    rows = run(
        centers, task("1", 4, run=8.0), task("2", 4, run=9.0, at=1.0), task("3", 4, at=3.0, run=2.0), events=events
    )
    assert rows["1"] == (0.0, "1")  # a tie goes to the first datacenter, and machine 1 is off
    assert rows["2"] == (1.0, "2")  # lost at 2 s, when its machine goes into maintenance
    assert rows["3"] == (6.0, "0")  # the second datacenter has nothing left, so it waits for machine 1


def test_it_needs_an_environment_and_known_schedulers(run, tmp_path):
    with pytest.raises(UsageError, match="needs an environment"):
        api.simulate(Platform.uniform(2), JobList("w0", [job(1)]), "datacenters")
    with pytest.raises(UsageError, match="'magic' is not the name of a registered scheduler"):
        run([datacenter(1, cores(1, 4), scheduler="magic")], task("1", 1))
    with pytest.raises(UsageError, match="'magic' is not the name of a registered scheduler"):
        run([datacenter(1, cores(1, 4))], task("1", 1), events=[change(9, 1, "magic")])


def test_another_default(run):
    assert run([datacenter(1, cores(1, 1), scheduler="")], task("1", 1), default="fcfs") == {"1": (0.0, "0")}


def test_jobs_go_where_their_parts_fit(run):
    """Twelve cores: 4 + 8 are no equal parts, so the first datacenter cannot hold them, whatever it has in all."""
    centers = [datacenter(1, cores(1, 4), cores(2, 8)), datacenter(2, cores(3, 6), cores(4, 6))]
    assert run(centers, task("1", 12), dispatch="first") == {"1": (0.0, "2-3")}


def test_a_fork_goes_on_by_itself(tmp_path):
    path = tmp_path / "e.json"
    centers = [datacenter(1, cores(1, 4)), datacenter(2, cores(2, 4), scheduler="fcfs")]
    path.write_text(json.dumps({"environment": {"datacenters": centers}}))
    jobs = [task(str(number), 3, at=float(number)) for number in range(8)]
    work = JobList("w0", jobs, {j.profile.id: j.profile for j in jobs})
    simulation = api.Simulation(path, work, "datacenters")
    simulation.run_until(3.5)
    fork = simulation.fork()
    ends = []
    for one in (simulation, fork):
        found = one.run()
        ends.append(sorted(found.jobs.select("job_id", "starting_time", "allocated_resources").rows()))
    assert ends[0] == ends[1]
    assert len(ends[0]) == 8


@pytest.fixture
def spies(tmp_path):
    """Two datacenters of two machines, each under a spy: the component, and the spies."""
    path = tmp_path / "e.json"
    centers = [datacenter(k, cores(2 * k, 4), cores(2 * k + 1, 4), scheduler="") for k in (0, 1)]
    path.write_text(json.dumps({"environment": {"datacenters": centers}}))
    Spy.made.clear()
    component = Datacenters(default="tests.vocabulary.spy:Spy", dispatch="round-robin")
    component.hello()
    component.decide(0.0, [SimulationBegins(0.0, read_platform(path))])
    return component, Spy.made


def given(component, name):
    """A job that the component is told of."""
    made = job(name, run=10.0)
    component.decide(1.0, [JobSubmitted(1.0, made, 1.0)])
    return made


def test_a_scheduler_hears_that_its_decisions_were_refused_in_its_own_terms(spies):
    component, (first, second) = spies
    given(component, "a")
    b = given(component, "b")
    second.to_say = [
        ExecuteJob(job_id=b.id, hosts=HostSet([1]), amounts={1: {"cores": 2.0}}),
        CallMeLater(call_me_later_id="soon", when=OneShot(0.5)),
        RejectJob(job_id=b.id),
        KillJobs(job_ids=(b.id,)),
    ]
    meant = [*second.to_say]
    said = component.decide(
        2.0, [JobSubmitted(2.0, job("c", run=1.0), 2.0), JobSubmitted(2.0, job("d", run=1.0), 2.0)]
    )
    assert said.decisions[0].hosts == HostSet([3])
    assert said.decisions[0].amounts == {3: {"cores": 2.0}}
    first.told = []
    component.decide(3.0, [DecisionRefused(3.0, decision, "rule", "why") for decision in said.decisions])
    assert [notice.decision for notice in second.told] == meant
    assert first.told == []


def test_no_scheduler_gives_away_the_hosts_of_another_datacenter(spies):
    component, (first, _) = spies
    a = given(component, "a")
    first.to_say = [ExecuteJob(job_id=a.id, hosts=HostSet([1, 2]))]
    with pytest.raises(ComponentError, match="datacenter 0: its scheduler gives job 'w0!a' hosts 2, and has 0-1"):
        given(component, "b"), given(component, "c")


def test_whoever_takes_over_finds_the_queue_and_what_runs_as_unavailable(spies):
    component, (first, *_) = spies
    running, waiting = given(component, "a"), [given(component, name) for name in "bc"][1]
    first.to_say = [ExecuteJob(job_id=running.id, hosts=HostSet([0]))]
    component.decide(2.0, [HostsBecameUnavailable(2.0, HostSet([1]), "failure")])
    facts = {"datacenter": 0, "scheduler": "stage-scheduler", "options": {}}
    decided = component.decide(3.0, [ExternalEventOccurred(3.0, "we0!0", "", "scheduler_change", facts)]).decisions
    assert decided == [], "one host is in use, the other one down"
    ended = JobCompleted(4.0, running, 1, 0, HostSet([0]), 2.0)
    (started,) = component.decide(4.0, [ended]).decisions
    assert (started.job_id, started.hosts) == (waiting.id, HostSet([0]))
    assert component.decide(5.0, [HostsBecameAvailable(5.0, HostSet([1]), "repair")]).decisions == []


def test_a_start_that_is_refused_when_another_scheduler_has_taken_over_is_its_to_decide(spies):
    component, (first, *_) = spies
    a = given(component, "a")
    first.to_say = [ExecuteJob(job_id=a.id, hosts=HostSet([0, 1]))]
    given(component, "b")
    (said,) = component.decide(2.0, [JobSubmitted(2.0, job("c", run=1.0), 2.0)]).decisions
    assert said.job_id == a.id
    facts = {"datacenter": 0, "scheduler": "fcfs", "options": {}}
    told = [
        ExternalEventOccurred(3.0, "we0!0", "", "scheduler_change", facts),
        DecisionRefused(3.0, said, "busy", "host 0 is busy"),
    ]
    starts = {one.job_id: one.hosts for one in component.decide(3.0, told).decisions}
    assert set(starts) == {a.id, "w0!c"}
