"""What all jobs of a run that was stopped had of the hosts, against the schedule of the run that was not."""

from itertools import pairwise

import msgspec
import pytest

import windtunnel as wt
from windtunnel.model.failures import parse_failures
from windtunnel.results import UpToStop
from windtunnel.testing import job, platform, workload

FAILURES = "between=exponential:400000;repair=constant:3600;until=604800;seed=1"
CASES = {
    "rigid": ("easy", {}),
    "failures": ("easy", {"failures": parse_failures(FAILURES)}),
    "elastic": ("elastic/shrink-to-start", {"operations": ["with_elasticity(0.8)"]}),
}


def held(run, since, until):
    """Host-seconds of all jobs of a whole run within a time."""
    return sum(s.held * max(0.0, min(s.finish, until) - max(s.start, since)) for s in run.stretches())


def away(run, since, until):
    """Host-seconds of hosts that were not available."""
    steps = [*run.unavailable(), (until, ())]
    spans = [(max(a, since), min(b, until), len(hosts)) for (a, hosts), (b, _) in pairwise(steps)]
    return sum(count * max(0.0, b - a) for a, b, count in spans)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("share", [0.1, 0.6])
def test_all_jobs_count_up_to_the_stop(case, share, tmp_path):
    scheduler, more = CASES[case]
    given = ("hosts:64", "lublin:200?hosts=64&seed=3&estimates=tsafrir", scheduler)
    whole = wt.simulate(*given, **more)
    first, last = whole.metrics.window
    until = first + share * (last - first)
    run = wt.simulate(*given, until=until, out=tmp_path, **more)
    found = run.metrics.up_to_stop
    assert found.allocated_host_seconds == pytest.approx(held(whole, first, until), rel=1e-6)
    left = whole.hosts * (until - first) - away(whole, first, until)
    assert found.available_host_seconds == pytest.approx(left, rel=1e-6)
    assert found.utilisation == found.allocated_host_seconds / found.available_host_seconds
    rows = [*whole.jobs.select("submission_time", "starting_time", "finish_time").iter_rows()]
    assert found.running == sum(s is not None and s <= until < f for _, s, f in rows)
    assert found.waiting == sum(q <= until and s is not None and s > until for q, s, _ in rows)
    loaded = wt.load_run(tmp_path)
    assert loaded.metrics.up_to_stop == loaded.measure("10%").up_to_stop == found
    measured = loaded.measure()  # only jobs that have ended
    assert run.metrics.allocated_host_seconds == pytest.approx(measured.allocated_host_seconds, rel=1e-6)


LWF = """<lease-workload name="w"><site><resource-types names="CPU Memory"/><nodes><node-set numnodes="2">
<res type="CPU" amount="100"/><res type="Memory" amount="1024"/></node-set></nodes></site><lease-requests>
<lease-request arrival="00:00:00"><lease preemptible="true">{nodes}<start/><duration time="01:00:00"/>{no}</lease>
</lease-request><lease-request arrival="00:00:10"><lease preemptible="false">{nodes}<start><exact time="00:20:00"/>
</start><duration time="00:10:00"/>{no}</lease></lease-request></lease-requests></lease-workload>"""
NODES = """<nodes><node-set numnodes="2"><res type="CPU" amount="100"/><res type="Memory" amount="512"/></node-set>
</nodes>"""


@pytest.mark.parametrize("until", [600, 1500, 2400, 4000])
def test_what_is_suspended_has_no_hosts(tmp_path, until):
    path = tmp_path / "w.lwf"
    path.write_text(LWF.format(nodes=NODES, no="<software><none/></software>"))
    options = {"suspension": "all", "policy-preemption": "ar-preempts-everything"}
    whole = wt.simulate(path, scheduler_options=options)
    assert (whole.read("suspensions.csv") or b"").count(b"\n") >= 3
    run = wt.simulate(path, scheduler_options=options, until=until, out=tmp_path / "out")
    assert run.metrics.up_to_stop.allocated_host_seconds == pytest.approx(held(whole, 0.0, until))
    measured = wt.load_run(tmp_path / "out").measure()
    assert run.metrics.allocated_host_seconds == pytest.approx(measured.allocated_host_seconds)
    assert run.metrics.allocated_host_seconds >= 0.0


def test_shares_of_hosts_count_as_what_they_are():
    jobs = [
        wt.Job(
            id=f"w0!{number}",
            request=wt.Request(1, amounts=(("cores", cores),)),
            profile=wt.DelayProfile(id=f"w0!{run}", delay=run),
        )
        for number, cores, run in ((1, 2.0, 10.0), (2, 3.0, 100.0))
    ]
    run = wt.simulate(platform(1, 8), workload(*jobs), "easy", share_hosts=True, until=50)
    assert run.metrics.up_to_stop == UpToStop(
        running=1,
        waiting=0,
        allocated_host_seconds=10 * 2 / 8 + 50 * 3 / 8,
        available_host_seconds=50.0,
        utilisation=(10 * 2 / 8 + 50 * 3 / 8) / 50,
    )
    assert "  of all jobs, up to the stop  " in str(run.metrics)


def test_runs_that_come_to_their_end_say_nothing_of_it(tmp_path):
    run = wt.simulate("hosts:4", workload(job(1)), "fcfs", out=tmp_path)
    assert run.metrics.up_to_stop is None
    assert "up_to_stop" not in msgspec.json.decode((tmp_path / "metrics.json").read_bytes())
    assert "stop" not in str(run.metrics)


def test_nothing_was_there_before_the_first_submission():
    found = wt.simulate("hosts:4", workload(job(1, at=100.0)), "fcfs", until=10).metrics.up_to_stop
    assert found == UpToStop(
        running=0, waiting=0, allocated_host_seconds=0.0, available_host_seconds=0.0, utilisation=0.0
    )


def test_nothing_is_said_of_runs_that_are_given_up():
    """Nobody knows then what their jobs hold."""
    simulation = wt.Simulation("hosts:4", workload(job(1, run=100.0)), "fcfs")
    simulation.run_until(50.0)
    simulation.recording.close()
    assert simulation.recording.metrics().up_to_stop is None
