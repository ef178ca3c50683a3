"""What an environment says takes effect, or is told: merging, dates, machines that can hold no work, schedulers."""

import json

import pytest

import windtunnel as wt
from windtunnel.diagnostics import DeadlockError
from windtunnel.formats.sites.environment import check
from windtunnel.model import Host, Job, JobList, Platform, PowerState, Request
from windtunnel.model.profiles import DelayProfile
from windtunnel.testing import job, workload


def machine(number, cores=4, **more):
    cpus = [{"clock-rate": 1e9, "cores": cores}] if cores else []
    return {"id": number, "type": "MACHINE", "cpus": cpus, **more}


def document(*datacenters, events=()):
    return {
        "environment": {
            "datacenters": [
                {
                    "id": rank,
                    "rooms": [{"type": "SERVER", "objects": [{"type": "RACK", "units": list(units)}]}],
                    **({"operational": {"scheduler": scheduler}} if scheduler else {}),
                }
                for rank, (scheduler, *units) in enumerate(datacenters)
            ]
        },
        "events": list(events),
    }


@pytest.fixture
def environment(tmp_path):
    def write(*datacenters, events=()):
        path = tmp_path / "site.json"
        path.write_text(json.dumps(document(*datacenters, events=events)))
        return path

    return write


def starts(run):
    return {row["id"]: row["starting_time"] for row in run.jobs.iter_rows(named=True)}


@pytest.mark.parametrize(("own", "base"), [(1, 2), ("a", "b"), ([1], {"a": 1}), ({"a": 1}, 5), (None, [1])])
def test_merging_what_cannot_be_joined_is_said(own, base):
    text = json.dumps(
        {
            "environment": {"datacenters": [], "x": {"k": own, "$base": "#/definitions/d", "$merge": ["k"]}},
            "definitions": {"d": {"k": base}},
        }
    )
    found = [finding for finding in check(text).findings if finding.code == "ENV046"]
    assert len(found) == 1
    assert "$merge of 'k' has no effect" in found[0].message


def test_a_negative_date_is_one_fault():
    change = {"type": "MACHINE_STATE_CHANGE", "time": -5, "machine": 1, "state": "HALT"}
    codes = [one.code for one in check(json.dumps(document((None, machine(1)), events=[change]))).findings]
    assert "ENV023" in codes
    assert "ENV033" not in codes


def test_a_machine_without_processors_gets_no_work(environment):
    back = {"type": "MACHINE_STATE_CHANGE", "time": 1, "machine": 1, "state": "ACTIVE"}
    path = environment((None, machine(1, cores=0), machine(2)), events=[back])
    run = wt.simulate(path, workload(job(1, hosts=1, run=5), job(2, hosts=1, run=5)), "easy")
    assert starts(run) == {"w0!1": 0.0, "w0!2": 5.0}
    assert {row["allocated_resources"] for row in run.jobs.iter_rows(named=True)} == {"1"}
    assert "a machine without CPUs is off: it can run no jobs" in {line.reason for line in run.account}


def test_a_deadlock_names_the_hosts_that_are_away(environment):
    path = environment((None, machine(1), machine(2, state="FAILURE", name="broken")))
    with pytest.raises(DeadlockError, match=r"Unavailable \(failed, halted or maintained\): 1 host: broken"):
        wt.simulate(path, workload(job(1, hosts=2)), "fcfs")


SJF = {"name": "stage-scheduler", "options": {"selection": "SJF"}}
JOBS = workload(
    job(1, hosts=1, run=9, walltime=20), job(2, hosts=1, run=9, walltime=15), job(3, hosts=1, run=5, walltime=9)
)


def test_described_schedulers_are_followed_without_a_word(environment):
    run = wt.simulate(environment((SJF, machine(1))), JOBS)
    assert run.state.facts["schedulers"] == ["datacenters"]
    assert starts(run)["w0!3"] < starts(run)["w0!2"]
    assert "not-honoured" not in {line.kind for line in run.account}


def test_another_scheduler_says_what_is_not_followed(environment):
    change = {"type": "DATACENTER_SCHEDULER_CHANGE", "time": 3, "datacenter": 0, "scheduler": SJF}
    run = wt.simulate(environment((SJF, machine(1)), events=[change]), JOBS, "easy")
    told = {line.reason.partition(":")[0]: line.count for line in run.account if line.kind == "not-honoured"}
    assert told["datacenters describe their scheduler"] == 1
    assert told["events change the scheduler of a datacenter"] == 1


def test_a_change_for_a_datacenter_is_not_for_a_stage_scheduler_that_was_asked_for(environment):
    change = {"type": "DATACENTER_SCHEDULER_CHANGE", "time": 1, "datacenter": 0, "scheduler": SJF}
    path = environment((None, machine(1)), events=[change])
    run = wt.simulate(path, JOBS, "stage-scheduler", scheduler_options={"selection": "FIFO"})
    assert starts(run) == {"w0!1": 0.0, "w0!2": 9.0, "w0!3": 18.0}
    rows = run.frame("events.csv").to_dicts()
    assert '"name":"datacenter 0"' in rows[0]["data"]
    assert '"scheduler":"stage-scheduler"' in rows[0]["data"]


def test_leases_and_described_schedulers_together_name_both(environment, tmp_path):
    lwf = tmp_path / "w.lwf"
    lwf.write_text(
        """<lease-workload name="w"><lease-requests><lease-request arrival="00:00:00"><lease preemptible="no"><nodes>
<node-set numnodes="1"><res type="CPU" amount="100"/></node-set></nodes><start/><duration time="00:01:00"/><software><none/>
</software></lease></lease-request></lease-requests></lease-workload>"""
    )
    path = environment((SJF, machine(1)))
    with pytest.raises(wt.UsageError, match="--scheduler datacenters or --scheduler leases"):
        wt.simulate(path, lwf)
    assert wt.simulate(path, lwf, "datacenters").metrics.jobs == 1


def test_a_job_takes_smaller_machines_when_the_larger_are_taken():
    """8 machines of 32 cores and 3 of 48: two jobs of 128 cores run side by side."""
    speed = (PowerState(1e9),)
    hosts = tuple(Host(id=n, name=f"h{n}", cores=32 if n < 8 else 48, pstates=speed) for n in range(11))
    jobs = [
        Job(
            id=f"w0!{n}",
            request=Request(4, processors=128),
            profile=DelayProfile(id="w0!p", delay=10.0),
            walltime=20.0,
        )
        for n in (1, 2, 3)
    ]
    run = wt.simulate(Platform(name="mixed", hosts=hosts), JobList("w0", jobs), "stage-scheduler")
    assert starts(run) == {"w0!1": 0.0, "w0!2": 0.0, "w0!3": 0.0}


def test_watts_that_are_missing_are_hinted_at_in_the_words_of_the_format(environment):
    with pytest.raises(wt.UsageError, match="gives no watts for") as caught:
        wt.simulate(environment((None, machine(1))), workload(job(1)), energy=True)
    assert "energy-consumption (environments, JSON)" in caught.value.hint
