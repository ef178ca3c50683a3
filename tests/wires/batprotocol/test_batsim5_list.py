"""Batsim 5's own list of tests, with components of ours in Python and in C (issue 5, "What must be shown" 2).

Each test is a row of that list: same platform, workload and options, the behaviour written as rules (listed.py). What
upstream's components assert themselves is asserted here, on the messages.
"""

import json
import os
import random
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from tests.golden_outputs import table
from tests.shared import ROOT, missing, shared
from tests.wires.batprotocol.listed import EXECUTE, execution, initial, play, rule, transports
from tests.wires.peers import EXAMPLES, build

import windtunnel
from windtunnel.schedulers import make_scheduler
from windtunnel.wires.batprotocol import schema as s
from windtunnel.wires.batprotocol.idl import SCHEMA_FILE
from windtunnel.wires.batprotocol.server import SchedulerSession
from windtunnel.wires.library import LibraryTransport

pytestmark = pytest.mark.golden

COMPONENTS = ("python-binary", "python-json", "c")
INPUTS = ROOT / "golden" / "batsim5" / "inputs"
HELLO_MISSING = "Please fix your EDC so that it sends an EDCHello back to Batsim"
DEADLOCK = "The simulation could NOT finish because a deadlock was detected in SimGrid"


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    from pathlib import Path

    return build(Path(__file__).with_name("listed.c"), tmp_path_factory.mktemp("listed"))


@pytest.fixture
def run(library, monkeypatch, tmp_path):
    """Run one row: component, rules (or the name of a scheduler), platform, workload, more options."""
    shared("golden/batsim5/inputs")
    kinds = transports(library)

    def row(component, init, platform, workload=None, *more):
        transport = kinds[component]() if isinstance(component, str) else component
        words = ["-p", INPUTS / "platforms" / f"{platform}.xml", "-e", f"{tmp_path}/out/", *more]
        if workload is not None:
            words += ["-w", INPUTS / "workloads" / f"{workload}.json"]
        made = play(monkeypatch, transport, init, words)
        made.jobs = {row["job_id"]: row for row in table(tmp_path / "out" / "jobs.csv")} if made.code != 2 else {}
        return made

    return row


every = pytest.mark.parametrize("component", COMPONENTS)


def told(made, kind):
    return [(date, event) for date, event in made.events if isinstance(event, kind)]


def profiles_of(workload):
    return json.loads((INPUTS / "workloads" / f"{workload}.json").read_text())


class Served:
    """One of our schedulers as Batsim would reach it, without the socket."""

    name = "served"

    def __init__(self, name, *, json_form):
        self.session = SchedulerSession(make_scheduler(name), json=json_form)

    def start(self, init_data):
        return self.session.greet()

    def ask(self, message, within=None):
        return self.session.answer(message)

    def stop(self):
        pass


# -- command line -------------------------------------------------------------------------------------------------


SUBPROCESS = os.environ | {"PYTHONPATH": str(Path(windtunnel.__file__).parents[1])}


def batsim5(*words):
    return subprocess.run(
        [sys.executable, "-m", "windtunnel", "batsim5", *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=SUBPROCESS,
    )


@pytest.mark.parametrize("flag", ["--help", "--version"])
def test_cli_information(flag):
    done = batsim5(flag)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_cli_no_arg():
    done = batsim5()
    assert done.returncode != 0
    assert done.stdout == ""
    assert done.stderr


# -- simple -------------------------------------------------------------------------------------------------------


@every
def test_rejecter(run, component):
    made = run(
        component, initial(rule("JobSubmitted", "RejectJob", {"job_id": "@id"})), "small_platform", "test_delays"
    )
    assert made.code == 0
    assert {row["final_state"] for row in made.jobs.values()} == {"REJECTED"}
    assert len(made.jobs) == 10


SPEEDS = (
    *(100e6, 88.95899053627761e6, 83.67952522255192e6, 80.57142857142857e6, 76.21621621621621e6, 72.49357326478149e6),
    *(68.78048780487805e6, 64.6788990825688e6, 60.775862068965516e6, 58.62785862785863e6, 50.088809946714036e6),
    *(49.21465968586388e6, 44.97607655502392e6, 1e-3, 0.1639344262295082, 0.006599788806758183),
)


@every
def test_platform_checker(run, component):
    init = initial(rule("JobSubmitted", "RejectJob", {"job_id": "@id"}))
    made = run(component, init, "cluster_energy_128", "test_delays", "--energy-host")
    assert made.code == 0
    begins = made.events[0][1]
    (workload,) = begins.workloads
    assert (workload.name, workload.filename.rpartition("/")[2]) == ("w0", "test_delays.json")
    assert any(word.endswith("/cluster_energy_128.xml") for word in begins.batsim_arguments)
    assert (begins.computation_host_number, begins.host_number) == (128, 128)
    for number, host in enumerate(begins.computation_hosts):
        assert (host.id, host.name) == (number, f"host{number}")
        assert (host.pstate, host.pstate_count, host.core_count, host.state) == (0, 16, 1, s.HostState.IDLE)
        assert host.computation_speed == pytest.approx(SPEEDS, abs=1e-6)


RECORDED = {"test_smpi_collectives": 1.000065}
"""What SimGrid 4.0 really does (golden/batsim5), where the file holds the figure of an older version."""


def durations_agree(made, workload):
    """Jobs last as the file says, or until their walltime."""
    data = profiles_of(workload)
    compared = 0
    for job in data["jobs"]:
        expected = RECORDED.get(workload, data["profiles"][job["profile"]].get("expected_execution_time"))
        row = made.jobs[str(job["id"])]
        assert row["final_state"] in ("COMPLETED_SUCCESSFULLY", "COMPLETED_WALLTIME_REACHED")
        if expected is not None:
            walltime = job.get("walltime", float("inf"))
            reached = walltime < expected
            assert row["final_state"] == ("COMPLETED_WALLTIME_REACHED" if reached else "COMPLETED_SUCCESSFULLY"), job
            assert float(row["execution_time"]) == pytest.approx(min(expected, walltime), abs=1.1e-6), job
            compared += 1
    return compared


@every
def test_1by1(run, component):
    made = run(component, initial(EXECUTE), "small_platform", "test_delays")
    assert made.code == 0
    assert [float(row["finish_time"]) for row in made.jobs.values()] == [10.0 * k for k in range(1, 11)]


@pytest.mark.parametrize(
    ("workload", "compared"),
    [
        ("test_various_profile_types", 0),
        ("test_delays", 0),
        ("test_ptasks", 18),
        ("test_homo_ptasks", 6),
        ("test_compo_sequence_delay", 20),
        ("test_compo_sequence_ptaskcomp", 20),
        ("test_smpi_compute_only", 2),
        ("test_smpi_mixed_comp_comm", 2),
        ("test_smpi_collectives", 2),
    ],
)
@every
def test_profiles(run, component, workload, compared):
    made = run(component, initial(EXECUTE), "cluster512", workload)
    assert made.code == 0
    assert durations_agree(made, workload) >= compared


@pytest.mark.parametrize("json_form", [False, True], ids=["binary", "json"])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("fcfs", ("small_platform", "test_delays")),
        ("easy", ("cluster512", "example_workload_hpc_seed3_jobs250", "--mmax-workload")),
    ],
)
def test_fcfs_and_easy(run, name, arguments, json_form):
    made = run(Served(name, json_form=json_form), "", *arguments)
    assert made.code == 0
    assert {row["final_state"] for row in made.jobs.values()} <= {
        "COMPLETED_SUCCESSFULLY",
        "COMPLETED_WALLTIME_REACHED",
        "REJECTED",
    }


def test_fcfs_in_cpp(run, tmp_path):
    """The example with flatbuffers' own library decides as ours does."""
    flatc, compiler = shutil.which("flatc"), shutil.which("g++")
    if flatc is None or compiler is None:
        missing("flatc and g++")
    subprocess.run([flatc, "--cpp", "-o", tmp_path, SCHEMA_FILE], check=True)
    options = ["-O1", "-shared", "-fPIC", f"-I{tmp_path}", f"-I{EXAMPLES}"]
    subprocess.run([compiler, *options, EXAMPLES / "fcfs.cpp", "-o", tmp_path / "libfcfs.so"], check=True)
    theirs = run(LibraryTransport(str(tmp_path / "libfcfs.so")), "", "small_platform", "test_delays")
    ours = run(Served("fcfs", json_form=False), "", "small_platform", "test_delays")
    assert theirs.code == ours.code == 0
    assert theirs.jobs == ours.jobs


@every
def test_do_nothing(run, component):
    made = run(component, initial(), "small_platform", "test_delays")
    assert made.code == 1
    assert DEADLOCK in made.errors
    assert isinstance(made.events[-1][1], s.SimulationErrorEvent)
    assert run(component, initial(), "small_platform").code == 0


@every
def test_no_hello(run, component):
    made = run(component, "silent\n", "small_platform")
    assert made.code != 0
    assert HELLO_MISSING in made.errors


@every
def test_force_simu_stop(run, component):
    call = {"call_me_later_id": "stop", **when(10)}
    init = initial(
        rule("SimulationBegins", "CallMeLater", call),
        *(rule("JobSubmitted", "ExecuteJob", execution(hosts=str(k)), id=f"w0!{k}") for k in range(4)),
        rule("RequestedCall", "KillJobs", {"job_ids": ["w0!3"]}),
        rule("RequestedCall", "ForceSimulationStop", delay=1.0),
    )
    made = run(component, init, "small_platform", "test_delays")
    assert made.code == 0
    assert isinstance(made.events[-1][1], s.SimulationEndsEvent)
    assert made.events[-1][0] == 11.0
    assert {job: row["final_state"] for job, row in made.jobs.items()} == {
        "0": "COMPLETED_SUCCESSFULLY",
        "3": "COMPLETED_KILLED",
    }


@pytest.mark.parametrize("suffix", ["", "_object"])
@every
def test_extra_data(run, component, suffix):
    workload = f"test_extra_data_desired_allocation{suffix}"
    jobs = profiles_of(workload)["jobs"]
    wanted = {}
    for job in jobs:
        extra = job["extra_data"]
        extra = json.loads(extra) if isinstance(extra, str) else extra
        wanted[str(job["id"])] = extra["desired_allocation"]
    rules = [rule("Turn", "ExecuteJob", execution(hosts=at), id=f"w0!{job}") for job, at in wanted.items()]
    made = run(component, initial(*rules), "small_platform", workload, "--mmax-workload")
    assert made.code == 0
    assert {job: row["allocated_resources"] for job, row in made.jobs.items()} == wanted
    for _, event in told(made, s.JobSubmittedEvent):
        assert json.loads(event.job.extra_data)["desired_allocation"] == wanted[event.job_id[3:]]


def mapping_rules(*, fail):
    chosen = {
        "w0!simple": execution(mapping=[0, 1] if fail else [2, 1, 3, 0]),
        "w0!2_resources": execution(mapping=[0, 0, 1]),
        "w0!4_resources": execution(mapping=[3, 0, 1]),
        "w0!seq": execution(overrides=[("w0!simple", "0-3", None), ("w0!homogeneous", "0-3", [3, 0, 2, 1])]),
    }
    jobs = [f"w0!{job['id']}" for job in profiles_of("test_various_profile_types")["jobs"]]
    return [rule("Turn", "ExecuteJob", chosen.get(job, execution()), id=job) for job in jobs]


@every
def test_custom_mapping(run, component):
    made = run(component, initial(*mapping_rules(fail=False)), "small_platform", "test_various_profile_types")
    assert made.code == 0
    assert len(made.jobs) == 11


@every
def test_custom_mapping_fail(run, component):
    made = run(component, initial(*mapping_rules(fail=True)), "small_platform", "test_various_profile_types")
    assert made.code != 0
    assert (
        "inconsistent placement for job='w0!simple': profile 'w0!simple' is rigid (profile_type='PTASK') but "
        "user-given custom mapping has size=2, which is not equal to nb_res=4 requested by the job"
    ) in made.errors


# -- power states -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [81, 169, 361])
@every
def test_dvfs(run, component, seed):
    """Registered jobs, each after a change of the power state of every host; no feature is asked for."""
    chance = random.Random(seed)
    speeds = {0: (100.0, 50.0), 1: (100.0, 50.0), 2: (50.0, 25.0), 3: (50.0, 25.0)}
    rules, expected = [], {}
    for k in range(10):
        event, who = ("SimulationBegins", "*") if k == 0 else ("JobCompleted", f"dvfs!{k - 1}")
        flops = [25.0 * chance.randint(1, 10) for _ in speeds]
        pstates = [chance.randint(0, 1) for _ in speeds]
        profile = {
            "id": f"dvfs!p{k}",
            "profile_type": "ParallelTaskProfile",
            "profile": {"computation_vector": flops},
        }
        rules.append(rule(event, "RegisterProfile", {"profile": profile}, id=who))
        job = {"resource_request": 4, "profile_id": f"dvfs!p{k}"}
        rules.append(rule(event, "RegisterJob", {"job_id": f"dvfs!{k}", "job": job}, id=who))
        for host, pstate in enumerate(pstates):
            rules.append(rule(event, "ChangeHostsPState", {"host_ids": str(host), "pstate": pstate}, id=who))
        rules.append(rule("HostsPStateChanged", "ExecuteJob", execution(f"dvfs!{k}", "0-3"), id="3", nth=k + 1))
        expected[str(k)] = max(f / speeds[h][pstates[h]] for h, f in enumerate(flops))
    made = run(component, initial(*rules), "small_platform_dvfs")
    assert made.code == 0
    assert {(h.pstate_count, h.core_count) for h in made.events[0][1].computation_hosts} == {(2, 1)}
    assert {job: float(row["execution_time"]) for job, row in made.jobs.items()} == pytest.approx(expected, abs=1e-6)


@every
def test_machine_switcher(run, component):
    everything = {"host_ids": "0-3", "state": 1}
    init = initial(
        rule("SimulationBegins", "CallMeLater", {"call_me_later_id": "on", **when(500)}),
        EXECUTE,
        rule("JobCompleted", "TurnOnOffHosts", everything),
        rule("RequestedCall", "TurnOnOffHosts", everything | {"state": 0}),
    )
    made = run(component, init, "energy_platform_homogeneous", "test_one_delay_job")
    assert made.code == 0
    assert [event.state for _, event in told(made, s.HostsTurnedOnOffEvent)] == [1, 0]


OFF, ON = ("TurnOnOffHosts", {"host_ids": "0-3", "state": 1}), ("TurnOnOffHosts", {"host_ids": "0-3", "state": 0})
SWITCH_FAULTS = {
    "turn_off_fail": ([(OFF, 0.0), (OFF, 400.0)], "Asked to turn OFF a host already in a sleep pstate"),
    "turn_on_fail": ([(ON, 0.0)], "Asked to turn ON a host already in a computing pstate"),
    "job_running_fail": ([(("ExecuteJob", execution()), 0.0), (OFF, 1.0)], "jobs are running on machine"),
    "job_execute_fail": (
        [(OFF, 0.0), (("ExecuteJob", execution()), 1.0)],
        "cannot compute jobs now (the machine is not computing nor idle",
    ),
}


@pytest.mark.parametrize("fault", SWITCH_FAULTS)
@every
def test_machine_switcher_faults(run, component, fault):
    steps, message = SWITCH_FAULTS[fault]
    rules = [rule("Turn", decision, body, delay=delay) for (decision, body), delay in steps]
    made = run(component, initial(*rules), "energy_platform_homogeneous", "test_one_delay_job")
    assert made.code == 1
    assert message in made.errors


# -- registration -------------------------------------------------------------------------------------------------


def registration_rules(*, acknowledged):
    first = "w0!1"

    def at_first(decision, body=None):
        return rule("JobSubmitted", decision, body, id=first)

    def job(name, res, profile, **more):
        return {"job_id": name, "job": {"resource_request": res, "profile_id": profile, **more}}

    def profile(name, kind, **members):
        return {"profile": {"id": name, "profile_type": kind, "profile": members}}

    task = "ParallelTaskProfile"
    rules = [
        at_first("RegisterJob", job("dyn!j1", 2, "w0!delay10", walltime=5.0)),
        at_first(
            "RegisterProfile",
            profile(
                "dyn!profile2", "ParallelTaskHomogeneousProfile", computation_amount=1e9, communication_amount=5e4
            ),
        ),
        at_first("RegisterJob", job("w0!j2", 4, "dyn!profile2")),
        at_first("RegisterProfile", profile("dyn!delay10", "DelayProfile", delay=5.0)),
        at_first("RejectJob", {"job_id": first}),
        at_first(
            "RegisterProfile",
            profile("dyn!both", task, computation_vector=[1.0] * 4, communication_matrix=[1.0] * 16),
        ),
        at_first("RegisterProfile", profile("dyn!com", task, communication_matrix=[1.0] * 16)),
        at_first("RegisterProfile", profile("dyn!cpu", task, computation_vector=[1.0] * 4)),
        at_first("FinishRegistration"),
    ]
    if acknowledged:
        rules.append(rule("JobSubmitted", "ExecuteJob", execution(hosts="0-1"), id="dyn!j1"))
        rules.append(rule("JobCompleted", "ExecuteJob", execution("w0!j2", "0-3"), id="dyn!j1"))
    else:
        rules.append(at_first("ExecuteJob", execution("dyn!j1", "0-1")))
        rules.append(rule("JobCompleted", "ExecuteJob", execution("w0!j2", "0-3"), id="dyn!j1"))
    return rules


@pytest.mark.parametrize("acknowledged", [True, False])
@every
def test_dyn_register(run, component, acknowledged):
    init = initial(
        *registration_rules(acknowledged=acknowledged),
        dynamic_registration=True,
        acknowledge_dynamic_jobs=acknowledged,
    )
    made = run(component, init, "small_platform", "test_one_delay_job")
    assert made.code == 0, made.errors
    assert made.jobs["j1"]["final_state"] == "COMPLETED_WALLTIME_REACHED"
    assert made.jobs["j1"]["execution_time"] == "5.000000"
    assert made.jobs["j2"]["final_state"] == "COMPLETED_SUCCESSFULLY"
    assert made.jobs["1"]["final_state"] == "REJECTED"
    submitted = [event.job_id for _, event in told(made, s.JobSubmittedEvent)]
    assert submitted == ["w0!1", *(["dyn!j1", "w0!j2"] if acknowledged else [])]


@every
def test_dyn_register_identical_names_fail(run, component):
    job = {"job_id": "w0!1", "job": {"resource_request": 1, "profile_id": "w0!delay10"}}
    delay = {"id": "w0!delay10", "profile_type": "DelayProfile", "profile": {"delay": 10.0}}
    for decision, body in (("RegisterJob", job), ("RegisterProfile", {"profile": delay})):
        init = initial(rule("JobSubmitted", decision, body, id="w0!1"), dynamic_registration=True)
        made = run(component, init, "small_platform", "test_one_delay_job")
        assert made.code == 1
        assert "already exists in the workload" in made.errors


@pytest.mark.parametrize("reuse", [True, False])
@every
def test_dyn_register_profile_reuse(run, component, reuse):
    job = {"job_id": "dyn!j1", "job": {"resource_request": 2, "profile_id": "w0!delay10"}}
    init = initial(
        rule("SimulationBegins", "CallMeLater", {"call_me_later_id": "later", **when(15)}),
        rule("JobSubmitted", "RejectJob", {"job_id": "@id"}),
        rule("RequestedCall", "RegisterJob", job),
        rule("RequestedCall", "ExecuteJob", execution("dyn!j1", "0-1")),
        rule("RequestedCall", "FinishRegistration"),
        dynamic_registration=True,
        profile_reuse=reuse,
    )
    made = run(component, init, "small_platform", "test_one_delay_job")
    assert made.code == (0 if reuse else 1)
    assert ("existed some time ago but is no longer accessible" in made.errors) is not reuse


# -- processes, events, kills -------------------------------------------------------------------------------------


@pytest.mark.parametrize("json_form", [False, True], ids=["binary", "json"])
def test_edc_process(tmp_path, json_form):
    inputs = shared("golden/batsim5/inputs")
    endpoint = f"ipc://{tmp_path}/socket"
    scheduler = subprocess.Popen(
        [
            *(sys.executable, "-m", "windtunnel", "scheduler", "fcfs", "--protocol", "batprotocol"),
            *("--endpoint", endpoint, "--timeout", "60", *(["--json"] if json_form else [])),
        ],
        stderr=subprocess.PIPE,
        text=True,
        env=SUBPROCESS,
    )
    try:
        (tmp_path / "init").write_text("{}")
        done = batsim5(
            *("-p", str(inputs / "platforms" / "small_platform.xml")),
            *("-w", str(inputs / "workloads" / "test_delays.json")),
            *("-S", endpoint, str(tmp_path / "init"), "-e", f"{tmp_path}/out/"),
        )
        assert done.returncode == 0, done.stderr
        assert ("Sending '" in done.stderr) is json_form
        assert scheduler.wait(30) == 0
        assert "fcfs listens at ipc://" in scheduler.communicate()[1]
    finally:
        scheduler.kill()
        scheduler.wait()
        scheduler.stderr.close()
    assert len(table(tmp_path / "out" / "jobs.csv")) == 10


@pytest.mark.parametrize("files", [("",), ("2",), ("", "2")], ids=["e1", "e2", "e1e2"])
@every
def test_external_events(run, component, files):
    paths = [INPUTS / "events" / f"test_generic_events{name}.txt" for name in files]
    words = [word for path in paths for word in ("--ee", path)]
    init = initial(rule("JobSubmitted", "RejectJob", {"job_id": "@id"}))
    made = run(component, init, "small_platform", "test_one_delay_job", *words)
    assert made.code == 0
    expected = sorted(
        (event["timestamp"], event["data"])
        for path in paths
        for event in map(json.loads, path.read_text().splitlines())
    )
    found = [(date, event.external_event.data) for date, event in told(made, s.ExternalEventOccurredEvent)]
    assert found == expected


@pytest.mark.parametrize("delay", [0.0, 1e-10, 1.0, 100.0])
@pytest.mark.parametrize(
    "workload",
    ["test_delays", "test_ptasks", "test_homo_ptasks", "test_compo_sequence_delay", "test_compo_sequence_ptaskcomp"],
)
@every
def test_kill(run, component, workload, delay):
    kill = rule("Turn", "KillJobs", {"job_ids": ["@id"]}, delay=delay)
    made = run(component, initial(EXECUTE, kill), "cluster512", workload)
    assert made.code == 0, made.errors
    states = {row["final_state"] for row in made.jobs.values()}
    if delay < 1:
        assert states == {"COMPLETED_KILLED"}
    for row in made.jobs.values():
        assert float(row["execution_time"]) <= max(delay, 1e-5) + 1e-6
    killed = [event.job_ids for _, event in told(made, s.JobsKilledEvent)]
    assert len(killed) == len(made.jobs)


# -- calls and probes ---------------------------------------------------------------------------------------------


def when(time, unit="Second"):
    return {"when_type": "OneShot", "when": {"time": time, "time_unit": unit}}


def periodic(period, nb, unit="Second"):
    mode = {"mode_type": "Infinite", "mode": {}}
    if nb is not None:
        mode = {"mode_type": "FinitePeriodNumber", "mode": {"nb_periods": nb}}
    return {"period": period, "offset": 0, "time_unit": unit, **mode}


def probe(name, trigger, *, hosts="0", aggregation="NoResourcesAggregation"):
    return {
        "probe_id": name,
        "metrics": "Power",
        "resources_type": "HostResources",
        "resources": {"host_ids": hosts},
        "data_accumulation_strategy_type": "ProbeDataAccumulation",
        "data_accumulation_strategy": {
            "reset_mode_type": "NoReset",
            "reset_mode": {},
            "cumulative_function": "Sum",
            "temporal_normalization": False,
        },
        "measurement_triggering_policy_type": "TemporalTriggerWrapper",
        "measurement_triggering_policy": {"temporal_trigger_type": "Periodic", "temporal_trigger": trigger},
        "resources_aggregation_function_type": aggregation,
        "resources_aggregation_function": {},
        "temporal_aggregation_function_type": "NoTemporalAggregation",
        "temporal_aggregation_function": {},
        "emission_filtering_policy_type": "NoFiltering",
        "emission_filtering_policy": {},
    }


@pytest.mark.parametrize("unit", ["Second", "Millisecond"])
@pytest.mark.parametrize("at_start", [False, True])
@every
def test_cml_oneshot(run, component, at_start, unit):
    dates = [10, 100, 1000, 10000]
    rules = [rule("JobSubmitted", "RejectJob", {"job_id": "@id"})]
    for rank, date in enumerate(dates):
        previous = ("SimulationBegins", "*") if at_start or rank == 0 else ("RequestedCall", f"c{rank - 1}")
        rules.append(
            rule(previous[0], "CallMeLater", {"call_me_later_id": f"c{rank}", **when(date, unit)}, id=previous[1])
        )
    made = run(component, initial(*rules), "small_platform", "test_delays")
    assert made.code == 0
    calls = [
        (date, event.call_me_later_id, event.last_periodic_call) for date, event in told(made, s.RequestedCallEvent)
    ]
    scale = 1 if unit == "Second" else 1000
    assert calls == [(date / scale, f"c{rank}", False) for rank, date in enumerate(dates)]


def play_periodic(run, component, calls, *, infinite, unit):
    """(init, period, number, whether a probe) of each; what upstream's component checks is checked here."""
    rules = [rule("JobSubmitted", "RejectJob", {"job_id": "@id"})]
    for rank, (init, period, nb, is_probe) in enumerate(calls):
        name = f"{'p' if is_probe else 'c'}{rank}"
        event, who = ("SimulationBegins", "*") if init == 0 else ("RequestedCall", f"start{rank}")
        if init:
            body = {"call_me_later_id": who, **when(init, unit)}
            rules.append(rule("SimulationBegins", "CallMeLater", body))
        trigger = periodic(period, None if infinite else nb, unit)
        if is_probe:
            rules.append(rule(event, "CreateProbe", probe(name, trigger), id=who))
            if infinite:
                rules.append(rule("ProbeDataEmitted", "StopProbe", {"probe_id": name}, id=name, nth=nb))
        else:
            body = {"call_me_later_id": name, "when_type": "Periodic", "when": trigger}
            rules.append(rule(event, "CallMeLater", body, id=who))
            if infinite:
                rules.append(rule("RequestedCall", "StopCallMeLater", {"call_me_later_id": name}, id=name, nth=nb))
    made = run(component, initial(*rules), "small_platform_replay_usage", "test_delays", "--energy-host")
    assert made.code == 0, made.errors
    scale = 1 if unit == "Second" else 1000
    dates = {}
    for message in made.said:
        triggered = []
        for stamped in message.events:
            name = getattr(stamped.event, "call_me_later_id", "") or getattr(stamped.event, "probe_id", "")
            if name and not name.startswith("start"):
                triggered.append(name)
                dates.setdefault(name, []).append(stamped.timestamp)
                if name[0] == "c":
                    _, _, nb, _ = calls[int(name[1:])]
                    assert stamped.event.last_periodic_call is (not infinite and len(dates[name]) == nb)
        assert len(triggered) == len(set(triggered))
        assert triggered == sorted(triggered, key=lambda name: (name[0] == "p", name))
    for rank, (init, period, nb, is_probe) in enumerate(calls):
        found = dates[f"{'p' if is_probe else 'c'}{rank}"]
        assert len(found) == nb
        first = init // period + 1 + is_probe
        assert found == [(first + k) * period / scale for k in range(nb)]  # all aligned: dividing periods coincide


UNITS = {"s": "Second", "ms": "Millisecond"}


@pytest.mark.parametrize("is_probe", [False, True], ids=["call", "probe"])
@pytest.mark.parametrize("infinite", [False, True], ids=["finite", "infinite"])
@pytest.mark.parametrize("unit", UNITS)
@every
def test_start0(run, component, unit, infinite, is_probe):
    calls = [(0, 10, 1093, is_probe), (0, 100, 179, is_probe), (0, 1000, 13, is_probe), (0, 10000, 3, is_probe)]
    play_periodic(run, component, calls, infinite=infinite, unit=UNITS[unit])


@pytest.mark.parametrize("infinite", [False, True], ids=["finite", "infinite"])
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("seed", range(10))
def test_rand(run, seed, unit, infinite):
    chance = random.Random(seed)
    count, base = chance.randint(2, 5), chance.randint(5, 16)
    calls = []
    for _ in range(count):
        init, period, nb = chance.randint(0, 100), base ** chance.randint(1, 4), chance.randint(1, 1000)
        calls.append((init, period, nb, bool(chance.randint(0, 1))))
    component = COMPONENTS[(seed + infinite + (unit == "s")) % 3]
    play_periodic(run, component, calls, infinite=infinite, unit=UNITS[unit])


@pytest.mark.parametrize("delay", [0.0, 0.5])
@pytest.mark.parametrize("until", ["workload", "deadline"])
@every
def test_probe_energy(run, component, until, delay):
    event, who, nth = ("JobCompleted", "*", 6) if until == "workload" else ("RequestedCall", "end", 0)
    init = initial(
        rule("SimulationBegins", "CreateProbe", probe("vec", periodic(1, None), hosts="0-127")),
        rule("SimulationBegins", "CreateProbe", probe("agg", periodic(1, None), hosts="0-127", aggregation="Sum")),
        rule("SimulationBegins", "CallMeLater", {"call_me_later_id": "end", **when(500)}),
        EXECUTE,
        rule(event, "StopProbe", {"probe_id": "vec"}, id=who, nth=nth),
        rule(event, "StopProbe", {"probe_id": "agg"}, id=who, nth=nth, delay=delay),
    )
    made = run(component, init, "cluster_energy_128", "test_homo_ptasks", "--energy-host")
    assert made.code == 0, made.errors
    emitted = told(made, s.ProbeDataEmittedEvent)
    vectors = {date: event.data.data for date, event in emitted if event.probe_id == "vec"}
    sums = {date: event.data.data for date, event in emitted if event.probe_id == "agg"}
    # Jobs last 10 s each on hosts of 100 Mf: the last one ends long before 500 s.
    assert (500.0 in vectors) is (until == "deadline")
    assert list(vectors) == [float(k) for k in range(2, len(vectors) + 2)]
    for date, vector in vectors.items():
        assert sums[date] == pytest.approx(sum(vector), abs=1e-3)
    for before, after in pairwise(vectors.values()):
        assert all(95 - 1e-3 <= b - a <= 190.738 + 1e-3 for a, b in zip(before, after, strict=True))


# -- usage traces -------------------------------------------------------------------------------------------------

ENERGY = {
    "j0": (10, 2 * 50 * 10),
    "j10": (10, 2 * 200 * 10),
    "j11": (20, 2 * 150 * 20),
    "j20": (10, 2 * 150 * 10),
    "j21": (20, 2 * 120 * 20),
    "j30": (20, 2 * (200 * 10 + 110 * 10)),
    "j31": (40, 2 * (150 * 20 + 96 * 20)),
}


def test_check_energy_consumed(run):
    workload = "test_usage_trace"
    made = run(Served("fcfs", json_form=False), "", "small_platform_replay_usage", workload, "--energy-host")
    assert made.code == 0
    for job in profiles_of(workload)["jobs"]:
        row = made.jobs[str(job["id"])]
        assert row["final_state"] == job["expected_state"]
        assert float(row["execution_time"]) == pytest.approx(job["expected_execution_time"], abs=1e-2)
    for name, (seconds, joules) in ENERGY.items():
        row = made.jobs[f"{name}-ok"]
        assert int(float(row["execution_time"]) + 1e-6) == seconds, name
        assert int(float(row["consumed_energy"]) + 1e-3) == joules, name


def test_the_list_can_be_run():
    if not INPUTS.exists():
        missing("shared/golden/batsim5/inputs")
