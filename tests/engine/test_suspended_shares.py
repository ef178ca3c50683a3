"""Jobs with shares of hosts are suspended and resumed. All figures by hand; host 0 has 8 cores, host 1 has 4."""

import pytest
from msgspec.structs import replace

from windtunnel import api, load_run
from windtunnel.diagnostics import DecisionError
from windtunnel.model import Host, HostSet, Platform, Request
from windtunnel.results.run_nodes import RunNodes
from windtunnel.testing import Scripted, job, workload
from windtunnel.vocabulary import (
    CallMeLater,
    Execute,
    JobResumed,
    JobSubmitted,
    KillJobs,
    OneShot,
    RequestedCall,
    ResumeJob,
    SimulationBegins,
    SuspendJob,
    View,
)

SITE = Platform(
    name="s", hosts=(Host(id=0, name="h0", cores=8, resources={"memory": 100.0}), Host(id=1, name="h1", cores=4))
)


def cores(host, number, **more):
    return {host: {"cores": float(number), **more}}


def script(plan, at):
    """Start jobs with the amounts of ``plan`` as they come, and decide what ``at`` says at its dates (s)."""

    def decide(now, notices):
        begins = any(isinstance(n, SimulationBegins) for n in notices)
        made = [CallMeLater(call_me_later_id=str(date), when=OneShot(date)) for date in at if begins]
        for n in notices:
            if isinstance(n, JobSubmitted):
                amounts = plan[n.job.name]
                made.append(Execute(n.job, HostSet(amounts or [0]), amounts=amounts))
            elif isinstance(n, RequestedCall):
                made += at[float(n.call_me_later_id)]
        return made

    return Scripted(decide)


def simulation(plan, at, *jobs, **options):
    return api.Simulation(SITE, workload(*jobs), script(plan, at), **options)


SUSPEND = SuspendJob(job_id="w0!a")


def resume(hosts, amounts=None):
    return ResumeJob(job_id="w0!a", hosts=HostSet.parse(hosts), amounts=amounts)


def test_a_share_is_given_back_and_taken_again_elsewhere(tmp_path):
    """a has half of host 0 for 2 s and, from 4 s on, all of host 1 for the other 8; b has all of host 0 meanwhile."""
    plan = {"a": cores(0, 4, memory=60.0), "b": cores(0, 8, memory=90.0)}
    at = {2.0: [SUSPEND], 4.0: [resume("1", cores(1, 4))]}
    made = simulation(plan, at, job("a", run=10.0), job("b", at=2.5, run=3.0), out=tmp_path / "out")
    run = made.run()
    rows = {row["job_id"]: (row["starting_time"], row["finish_time"]) for row in run.jobs.iter_rows(named=True)}
    assert rows == {"b": (2.5, 5.5), "a": (0, 12)}
    table = made.engine.world.hosts
    assert str(table.free.frozen()) == "0-1"
    assert table.totals()["time_computing"] == 2 + 3 + 8
    # Host-seconds: half of host 0 for 2 s, all of it for 3 s, all of host 1 for 8 s.
    assert run.metrics.allocated_host_seconds == 1 + 3 + 8
    assert load_run(tmp_path / "out").measure().allocated_host_seconds == 1 + 3 + 8
    assert run.read("suspensions.csv").decode().splitlines()[1:] == [
        "a,w0,0.000000,2.000000,0,0.500000,0:cores=4;memory=60",
        "a,w0,4.000000,12.000000,1,1.000000,1:cores=4",
    ]
    nodes = RunNodes(SITE.hosts, run.file)
    in_use = {
        time: [next((int(a.value) for a in node.utilized if a.element == "Processors"), 0) for node in nodes.at(time)]
        for time in (1, 2.2, 3, 5, 6)
    }
    assert in_use == {1: [4, 0], 2.2: [0, 0], 3: [8, 0], 5: [8, 4], 6: [0, 4]}


def test_rows_stand_in_the_order_of_time_however_often_they_are_written():
    """a ends before c is suspended, in one batch of jobs that are over."""
    plan = {"a": cores(0, 4), "c": cores(0, 4)}
    again = ResumeJob(job_id="w0!c", hosts=HostSet([0]))
    at = {2.0: [SUSPEND], 4.0: [resume("0")], 14.0: [SuspendJob(job_id="w0!c")], 15.0: [again]}
    run = simulation(plan, at, job("a", run=10.0), job("c", at=13.0, run=3.0)).run()
    rows = [row.split(",") for row in run.read("suspensions.csv").decode().splitlines()[1:]]
    assert [(name, float(since), float(until)) for name, _, since, until, *_ in rows] == [
        ("a", 0.0, 2.0),
        ("a", 4.0, 12.0),
        ("c", 13.0, 14.0),
        ("c", 15.0, 17.0),
    ]


def test_without_amounts_it_takes_what_it_had_host_by_host():
    plan = {"a": cores(0, 3)}
    made = simulation(plan, {2.0: [SUSPEND], 4.0: [resume("1")]}, job("a", run=10.0))
    component = made.engine.components[0]
    assert made.run().jobs["finish_time"].to_list() == [12]
    (resumed,) = component.told(JobResumed)
    assert resumed.amounts == cores(1, 3)


@pytest.mark.parametrize(
    ("again", "reason"),
    [
        (resume("1"), "4 of 4 'cores' left, 5 are asked for"),
        (resume("0", cores(0, 5)), "3 of 8 'cores' left"),
        (resume("1", cores(1, 3)), "requests 5 cores and is given 3"),
        (resume("0-1"), "had 1 hosts and is given 2"),
    ],
)
def test_what_is_not_there_is_not_taken_again(again, reason):
    plan = {"a": cores(0, 5), "b": cores(0, 5)}
    asked = replace(job("a", run=10.0), request=Request(hosts=1, processors=5))
    made = simulation(plan, {2.0: [SUSPEND], 4.0: [again]}, asked, job("b", at=3.0, run=9.0))
    with pytest.raises(DecisionError, match=reason):
        made.run()


def test_whole_hosts_stay_whole():
    made = simulation({"a": None}, {2.0: [SUSPEND], 4.0: [resume("0", cores(0, 5))]}, job("a", run=10.0))
    with pytest.raises(DecisionError, match="has whole hosts"):
        made.run()


def test_a_suspended_job_can_end_and_takes_nothing_with_it():
    at = {2.0: [SUSPEND], 3.0: [KillJobs(job_ids=("w0!a",))]}
    made = simulation({"a": cores(0, 5), "b": cores(0, 8)}, at, job("a", run=10.0), job("b", at=4.0, run=1.0))
    run = made.run()
    assert run.metrics.allocated_host_seconds == 2 * 5 / 8 + 1


@pytest.mark.parametrize("amounts", [None, cores(0, 4)])
def test_the_view_follows(amounts):
    """A view knows what is left while a job is suspended, and from the decision to resume it on."""
    seen = []

    class Watching(Scripted):
        def __init__(self, inner):
            super().__init__(inner.script)
            self.view = View()

        def decide(self, now, notices):
            self.view.apply(now, notices)
            reply = super().decide(now, notices)
            self.view.decided(reply.decisions)
            if self.view.hosts:
                seen.append((now, self.view.left(0)["cores"], str(self.view.free.frozen())))
            return reply

    inner = script({"a": amounts}, {2.0: [SUSPEND], 4.0: [resume("0")]})
    component = Watching(inner)
    api.Simulation(SITE, workload(job("a", run=10.0)), component).run()
    left = {now: (cores, free) for now, cores, free in seen}  # the last of each date
    busy = (4.0 if amounts else 0.0, "1")
    assert left == {0.0: busy, 2.0: (8.0, "0-1"), 4.0: busy, 12.0: (8.0, "0-1")}
