"""Batsim 4.2.1's own tests (spec of them: part B), with our schedulers served over its protocol to our Batsim.

What they assert is asserted here, and nothing is left out; rows that need other people's programs are elsewhere:
pybatsim's in test_pybatsim.py and the replay, Redis in test_redis.py, ``random`` below (a scheduler of the test).
"""

import csv
import json
import random

import pytest
from tests.wires.batsim4_cases import simulation
from tests.wires.faulty import Direct

from windtunnel.diagnostics import DecisionError
from windtunnel.model import HostSet
from windtunnel.schedulers import make_scheduler
from windtunnel.schedulers.base import Scheduler
from windtunnel.schedulers.registry import variants_of
from windtunnel.vocabulary import Execute
from windtunnel.wires.json.server import Server

pytestmark = pytest.mark.golden

PLATFORMS = {
    "small": "small_platform",
    "smallusage": "small_platform_usage_replay",
    "cluster512": "cluster512",
    "pfs": "cluster512_pfs",
    "energy_no_net": "energy_platform_homogeneous_no_net_128",
    "energy_cluster": "cluster_energy_128",
    "properties": "properties_example",
}
SMALL = ("test_delays", "test_sequence_delay", "test_various_profile_types")
ONE_JOB = {
    "delay1": "test_one_delay_job",
    "compute1": "test_one_computation_job",
    "tot1": "test_one_computation_job_tot",
}
SIMPLE = ("fcfs_fast", "easy_bf_fast", "filler")
ENERGY = {
    "power_sleep": 9.75,
    "power_idle": 95.0,
    "power_compute": 190.738,
    "energy_switch_on": 19030.0,
    "energy_switch_off": 620.0,
    "time_switch_on": 152.0,
    "time_switch_off": 6.1,
    "pstate_sleep": 13,
    "pstate_compute": 0,
}


class Outcome:
    """Files and messages of a run."""

    def __init__(self, prefix, messages):
        self.prefix = prefix
        self.events = [event for message in messages for event in message["events"]]
        with open(f"{prefix}_jobs.csv", newline="") as lines:
            self.rows = list(csv.DictReader(lines))

    def times(self):
        """Execution time of each job."""
        return {row["job_id"].strip(): float(row["execution_time"]) for row in self.rows}

    def told(self, kind):
        """The data of all events of a kind."""
        return [event["data"] for event in self.events if event["type"] == kind]


@pytest.fixture
def play(tmp_path):
    """Run ``windtunnel batsim4``: play(platform, workload, scheduler, options, *words)."""

    def run(platform, workload, scheduler, options=(), *words):
        component = scheduler
        if isinstance(scheduler, str):
            component = make_scheduler(variants_of("batsched").get(scheduler, scheduler), **dict(options))
        server, messages = Server(component), []

        def answer(request):
            messages.append(json.loads(request))
            return server.answer(request)

        made = simulation([*inputs(platform, workload), "-e", tmp_path / "out", "-q", *words])
        made.engine.components[0]._peer = Direct(answer)
        made.run()
        return Outcome(tmp_path / "out", messages)

    return run


def inputs(platform, workload):
    path = f"platforms/{PLATFORMS[platform]}.xml"
    return ["-p", path, "-w", f"workloads/{workload}.json"] if workload else ["-p", path]


# -- test_simple, test_nosched ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheduler", SIMPLE)
def test_basic1(play, scheduler):
    for workload in SMALL:
        done = play("small", workload, scheduler)
        assert len(done.rows) == len(done.told("JOB_SUBMITTED")) == len(done.told("JOB_COMPLETED"))


@pytest.mark.parametrize("platform", PLATFORMS)
def test_basic2(play, platform):
    for scheduler in SIMPLE:
        for workload in ONE_JOB.values():
            assert len(play(platform, workload, scheduler).rows) == 1


@pytest.mark.parametrize("platform", PLATFORMS)
def test_nosched(platform, tmp_path):
    for workload in SMALL:
        made = simulation([*inputs(platform, workload), "-e", tmp_path / "out", "--no-sched"])
        made.run()
        with (tmp_path / "out_jobs.csv").open() as lines:
            rows = list(csv.DictReader(lines))
        assert {row["starting_time"] for row in rows} <= {"0.000000", ""}
        assert all(HostSet.parse(row["allocated_resources"]).runs[0][0] == 0 for row in rows if row["starting_time"])


# -- test_dynsubmit, test_set_job_metadata ----------------------------------------------------------------------------


@pytest.mark.parametrize("acknowledged", [True, False])
@pytest.mark.parametrize("reuse", [True, False])
@pytest.mark.parametrize("count", [0, 1, 10])
def test_dynsubmit(play, acknowledged, reuse, count):
    options = {"nb_jobs_to_submit": count, "increase_jobs_duration": not reuse}
    flags = ["--acknowledge-dynamic-jobs"] * acknowledged + ["--enable-profile-reuse"] * reuse
    for workload in ("test_one_delay_job", "test_various_profile_types"):
        done = play("small", workload, "submitter", options, "--enable-dynamic-jobs", *flags)
        static = {data["job_id"] for data in done.told("JOB_SUBMITTED") if data["job_id"].startswith("w0!")}
        dynamic = [row for row in done.rows if row["workload_name"] == "dynamic"]
        assert len(dynamic) == count
        assert len(done.rows) == count + len(static)


@pytest.mark.parametrize("scheduler", ["filler", "submitter"])
@pytest.mark.parametrize("wanted", [True, False])
def test_set_job_metadata(play, scheduler, wanted):
    flags = ["--enable-dynamic-jobs", "--acknowledge-dynamic-jobs"] if scheduler == "submitter" else []
    for workload in SMALL:
        for row in play("small", workload, scheduler, {"set_job_metadata": wanted}, *flags).rows:
            assert bool(row["metadata"]) == wanted


# -- test_energy, test_energy_forgot_cli_flag, test_energy_minimal ----------------------------------------------------


@pytest.mark.parametrize("scheduler", ["sleeper", "energy_watcher"])
@pytest.mark.parametrize("platform", ["energy_no_net", "energy_cluster"])
def test_energy(play, scheduler, platform):
    for workload in SMALL:
        done = play(platform, workload, scheduler, known(scheduler, ENERGY), "--energy")
        assert float(schedule(done)["consumed_joules"]) > 0
    with pytest.raises(DecisionError, match="energy is"):
        play(platform, workload, scheduler, known(scheduler, ENERGY))


@pytest.mark.parametrize("load", [0, 50, 100])
def test_energy_minimal(play, load, tmp_path):
    more = {"monitoring_period": 30.0, "idle_time_to_sedate": 0.0, "sedate_idle_on_classical_events": False}
    more |= {
        "ensured_sleep_time_lower_bound": 0.0,
        "ensured_sleep_time_upper_bound": 0.0,
        "output_dir": str(tmp_path),
    }
    options = known("energy_bf_idle_sleeper", ENERGY | more | {"trace_output_filename": str(tmp_path / "trace")})
    for platform in ("energy_no_net", "energy_cluster"):
        done = play(platform, f"test_energy_minimal_load{load}", "energy_bf_idle_sleeper", options, "--energy")
        assert all(row["success"] == "1" for row in done.rows)


def known(scheduler, options):
    """Those of the options that the scheduler has (batsched's files hold those of all)."""
    from windtunnel.schedulers import scheduler_options

    names = {option.name for option in scheduler_options(variants_of("batsched")[scheduler])}
    return {name: value for name, value in options.items() if name in names}


def schedule(done):
    with open(f"{done.prefix}_schedule.csv") as lines:
        return next(csv.DictReader(lines))


# -- test_externalevents ----------------------------------------------------------------------------------------------


def test_external_events(play):
    events = "events/test_events_4hosts.txt"
    done = play("small", "test_various_profile_types", "filler", (), "--events", events)
    told = [(d["type"], d.get("resources")) for d in done.told("NOTIFY")]
    assert [t for t in told if t[0] != "no_more_static_job_to_submit"] == [
        ("event_machine_unavailable", "0"),
        ("event_machine_available", "0"),
        ("event_machine_unavailable", "0-1 3"),
        ("event_machine_available", "0-1"),
        ("event_machine_available", "3"),
        ("no_more_external_event_to_occur", None),
    ]
    assert all(row["success"] == "1" or row["job_id"] == "reach_walltime" for row in done.rows)


# -- test_kill_* ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delay", [0.0, 1.0, 5.0, 10.0, 15.0])
@pytest.mark.parametrize("kills", [1, 2])
def test_kill_after_delay(play, delay, kills):
    options = {"delay_before_kill": delay, "nb_kills_per_job": kills}
    for workload in (*SMALL, "test_smpi_compute_only"):
        assert all(time <= delay + 0.1 for time in play("small", workload, "killer", options).times().values())


def test_kill_on_new_submit(play):
    for workload in SMALL:
        assert play("small", workload, "killer2").rows


@pytest.mark.parametrize("workload", [*ONE_JOB.values(), "test_smpi_collectives", "test_smpi_mixed_comp_comm"])
def test_kill_progress(play, workload):
    done = play("small", workload, "killer", {"delay_before_kill": 5.0})
    assert done.told("JOB_KILLED")
    for data in done.told("JOB_KILLED"):
        assert "job_progress" in data
        for progress in data["job_progress"].values():
            assert progress["profile"] == progress["profile_name"]  # the document's word, and that of the programs


# -- test_moldable_perf_degradation -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("fraction", "slower"), [(0.25, 4), (0.5, 2), (0.75, 2), (1.0, 1)])
def test_moldable(play, fraction, slower):
    base = 20.621958
    options = {"fraction_of_machines_to_use": fraction, "custom_mapping": True}
    (time,) = play("small", ONE_JOB["compute1"], "filler", options).times().values()
    assert time == pytest.approx(base * slower, abs=1e-4)
    options["custom_mapping"] = False
    (time,) = play("small", ONE_JOB["tot1"], "filler", options).times().values()
    assert time == pytest.approx(base / fraction, abs=1e-4)


# -- test_platform_properties: the run itself is pybatsim's, in the replay ----------------------------------------------


def test_platform_properties(play):
    hosts = play("properties", SMALL[2], "filler").told("SIMULATION_BEGINS")[0]["compute_resources"]
    assert hosts[0]["properties"] == {"role": "", "Hdd": "180", "mem": "4"}
    assert hosts[0]["zone_properties"] == {"Foo": "bar", "bla": "bli"}


# -- test_resourcesharing ---------------------------------------------------------------------------------------------


class Anywhere(Scheduler):
    """Starts each job when it comes, on hosts drawn by lot, whatever runs there."""

    name = "anywhere"

    def __init__(self):
        super().__init__()
        self.dice = random.Random(1)

    def schedule(self, view):
        for job in view.queue:
            yield Execute(job, HostSet(self.dice.sample(range(len(view.hosts)), job.hosts)))


def test_resource_sharing(play):
    long = "test_batsim_paper_workload_seed1"
    done = play("cluster512", long, Anywhere(), (), "--enable-compute-sharing")
    assert all(row["success"] == "1" for row in done.rows)
    with pytest.raises(DecisionError, match=r"time-sharing on compute machines is disabled \(--share-compute\)"):
        play("small", "test_delays", Anywhere())


# -- test_smpi_mapping, test_submitorder, test_tuto_stencil, test_usage_trace -----------------------------------------


def test_smpi_mapping(play):
    for platform in ("small", "cluster512"):
        time = play(platform, "test_smpi_mapping", "fcfs_fast").times()
        assert abs(time["1"] - time["2"]) < 1
        assert abs(time["3"] - time["4"]) < 1
        assert abs(time["1"] - time["3"]) > (100 if platform == "small" else 5)  # cluster512 is that much faster


@pytest.mark.parametrize("workload", ["test_same_submit_time", *SMALL])
def test_submit_order(play, workload):
    told = [data["job"] for data in play("small", workload, "filler").told("JOB_SUBMITTED")]
    assert told == sorted(told, key=lambda job: (job["subtime"], job["id"]))


def test_tuto_stencil(play):
    time = play("pfs", "test_tuto_stencil", "fcfs").times()
    alone, together, shifted, four = (
        time["0"],
        [time["10"], time["11"]],
        [time["20"], time["21"]],
        ["30", "31", "32", "33"],
    )
    assert alone == min(time.values())
    assert min(together) > max(shifted)
    assert all(time[job] > max(shifted) for job in four)


def test_usage_trace(play):
    done = play("smallusage", "test_usage_trace", "fcfs", (), "--energy")
    rows = {row["job_id"]: row for row in done.rows}
    fast, slow = 200, 150  # W of a host that computes with all its cores
    expected = {
        "0": (10, 2 * 50 * 10),
        "10": (10, 2 * fast * 10),
        "11": (20, 2 * slow * 20),
        "20": (10, 2 * 150 * 10),
        "21": (20, 2 * 120 * 20),
        "30": (20, 2 * (fast * 10 + 110 * 10)),
        "31": (40, 2 * (slow * 20 + 96 * 20)),
        "60": (1455, 741715),
    }
    for name, (time, joules) in expected.items():
        assert int(float(rows[name]["execution_time"])) == time, name
        assert int(float(rows[name]["consumed_energy"])) == joules, name


# -- test_walltime, test_workflow -------------------------------------------------------------------------------------


@pytest.mark.parametrize("workload", [*SMALL, "test_walltime", "test_walltime_smpi"])
@pytest.mark.parametrize("scheduler", ["fcfs", "easy_bf", "filler"])
def test_walltime(play, workload, scheduler):
    for row in play("cluster512", workload, scheduler).rows:
        if row["final_state"] == "REJECTED":  # by EASY, which needs a walltime
            continue
        limit, time = float(row["requested_time"]), float(row["execution_time"])
        assert limit < 0 or time <= limit + 1e-9
        if row["success"] == "1":
            assert limit < 0 or time <= limit
        else:
            assert time >= limit - 1e-9


def test_workflow(play):
    done = play("cluster512", "", "fcfs_fast", (), "-W", "workloads/GENOME.d.351024866.5.dax")
    assert [row["job_id"] for row in sorted(done.rows, key=lambda row: int(row["job_id"]))] == [*map(str, range(36))]
    assert all(row["success"] == "1" for row in done.rows)
