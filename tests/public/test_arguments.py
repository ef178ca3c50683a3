"""Arguments of the wrong kind, and workloads made in Python that make no sense: said at once, by name."""

from math import inf, nan

import numpy as np
import pytest
from msgspec.structs import replace

import windtunnel as wt
from windtunnel.model import ExternalEvent, HostSet, JobList, ParallelTaskHomogeneousProfile, ParallelTaskProfile
from windtunnel.model.failures import parse_failures
from windtunnel.results.layout import Layout
from windtunnel.results.recorders import RecordingOptions
from windtunnel.testing import delays, job, platform, sequence, workload

JOBS = workload(job(1))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        *[({"platform": value}, "platform is a file, a name .*, not ") for value in (None, 5, ["hosts:4"])],
        *[({"workload": value}, "a workload must be a file or a Workload, not a ") for value in (None, 5, [5])],
        *[({"scheduler_options": value}, "scheduler_options is a mapping, not a ") for value in (5, ["a"])],
        *[({"platform_options": value}, "platform_options is a mapping, not a ") for value in (5, ["a"])],
        *[({"workload_options": value}, "workload_options is a mapping, not a ") for value in (5, ["a"])],
        ({"facts": 5}, "facts is a mapping, not a int"),
        ({"workload_options": {"walltime": "kill"}}, r"a Workload takes no options \(walltime\)"),
        ({"platform": platform(4), "platform_options": {"x": 1}}, r"a Platform takes no options \(x\)"),
        ({"events": 5}, "events is a file, an EventList, or several, not a int"),
        ({"events": [5]}, r"events\[0\] is a file or an EventList, not a int"),
        ({"observers": [wt.Observer(), 5]}, r"observers\[1\] is an Observer, not a int"),
        ({"failures": "between=exponential:5;until=9"}, "failures is a FailureModel, not a str"),
        ({"scheduler": "edc.so"}, r"'edc.so' is a library\n  hint: name it as one: lib:./edc.so"),
        ({"scheduler": "tcp:/127.0.0.1:28000"}, "is not an endpoint\n  hint: such as tcp://"),
        ({"out": 5}, "out is a directory, not a int"),
        ({"out": ""}, "an empty string is not an output directory"),
        *[({"timeout": value}, "a timeout must be more than 0 s") for value in (0, -1.0, nan)],
        *[({"timeout": value}, "timeout is a number of seconds, not ") for value in ("5", None)],
        ({"observers": 5}, "observers is a list of observers, not a int"),
        *[({"operations": value}, "operations is a list of strings such as") for value in ("first(3)", 5)],
        ({"operations": [5]}, "an operation is written as a string, not as a int"),
        *[({"until": value}, f"{value!r} is before the simulation begins") for value in (-1, -0.5)],
    ],
)
def test_arguments_of_a_simulation(given, said):
    with pytest.raises(wt.UsageError, match=said):
        wt.simulate(**{"platform": "hosts:4", "workload": JOBS} | given)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        *[({"at": value}, "is submitted at ") for value in (nan, inf, -inf)],
        *[({"walltime": value}, "has a walltime of ") for value in (nan, 0.0, -1.0)],
        *[({"hosts": value}, "requests .* hosts") for value in (-1, "2", 1.5)],
        ({"hosts": np.float64(2.0)}, "requests .*2.* hosts: an int is expected, 0 or more"),
        *[({"run": value}, "lasts ") for value in (nan, inf, -5.0)],
    ],
)
def test_jobs_made_in_python(wrong, said):
    with pytest.raises(wt.UsageError, match=f"workload 'w0': job 'w0!7' {said}"):
        wt.simulate("hosts:4", workload(job(1), job(7, **wrong)))


def test_whole_numbers_of_numpy_are_whole_numbers():
    run = wt.simulate("hosts:4", workload(job(1), job(7, hosts=np.int64(2))))
    assert run.jobs.filter(job_id="7")["requested_number_of_resources"].item() == 2


def test_other_values():
    with pytest.raises(wt.UsageError, match="what is recorded: probes must be one of always, never, auto, not 'foo'"):
        RecordingOptions(probes="foo")
    for path in (None, 5, ""):
        with pytest.raises(wt.UsageError, match="a run is named by its directory"):
            wt.load_run(path)
    run = wt.simulate("hosts:4", JOBS)
    for path in ("", "."):
        with pytest.raises(wt.UsageError, match="it names no file"):
            run.report(path)
        with pytest.raises(wt.UsageError, match="it names no file"):
            wt.Simulation("hosts:4", JOBS).save(path)
    with pytest.raises(wt.UsageError, match="only runs can be compared, not a NoneType"):
        run.compare(None)
    simulation = wt.Simulation("hosts:4", JOBS)
    for date in ("x", None, nan):
        with pytest.raises(wt.UsageError, match="is not a valid time"):
            simulation.run_until(date)
    for date in ("x", nan):
        with pytest.raises(wt.UsageError, match="is not a valid time"):
            simulation.inject(job(9), at=date)


def test_what_was_chosen_is_noted(tmp_path):
    """So that two runs can be compared: nothing of it shows in their other files by name."""
    log, events = tmp_path / "log.swf", tmp_path / "events.json"
    log.write_text("1 0 -1 100 4 -1 -1 4 200 -1 1 7 1 -1 1 -1 -1 -1\n")
    events.write_text('{"type": "machine_unavailable", "timestamp": 5, "resources": "0"}\n')
    failures = parse_failures("between=exponential:50;repair=constant:9;until=60;seed=3")
    plain = wt.simulate("hosts:8", log)
    other = wt.simulate(
        "hosts:8",
        log,
        workload_options={"walltime": "kill"},
        events=(one for one in [events]),
        failures=failures,
        options=wt.Options(on_failure="requeue", strict=False),
        share_hosts=True,
        warm_up="1%",
        out=tmp_path / "out",
    )
    assert plain.state.facts == {"schedulers": ["easy"], "scheduler_options": {}, "packing": "whole hosts"}
    facts = wt.load_run(tmp_path / "out").state.facts
    assert facts == {
        **plain.state.facts,
        "packing": "cores",
        "workload_options": {"walltime": "kill"},
        "events": [str(events)],
        "failures": str(failures),
        "options": {"on_failure": "requeue", "strict": False},
        "share_hosts": True,
        "trims": {"warm_up": "1%"},
    }
    assert parse_failures(facts["failures"]) == failures
    assert other.frame("events.csv").filter(time=5)["event"].to_list() == ["unavailable"]
    assert "input options: - / strict=False, on_failure=requeue" in str(plain.compare(other))


def test_jobs_are_there_once():
    with pytest.raises(wt.UsageError, match="workload 'w0': job 'w0!1' is there twice"):
        wt.simulate("hosts:4", workload(job(1), job(2), job(1, at=5.0)))
    with pytest.raises(wt.UsageError, match="workload 'w0': job 'w0!1' is there twice"):
        wt.simulate("hosts:4", [workload(job(1)), workload(job(2), job(1))])


def test_arguments_of_operations():
    for given in (5, None, ["log.swf"]):
        with pytest.raises(wt.UsageError, match="workload is a file or a Workload, not "):
            wt.arrange(given)
    with pytest.raises(wt.UsageError, match="an operation is written as a string, not as a int"):
        wt.arrange(JOBS, 5)
    with pytest.raises(wt.UsageError, match=r"merge takes a Workload, not a str\n  hint: wt\.read_workload"):
        wt.arrange(JOBS).merge("log.swf")
    with pytest.raises(wt.UsageError, match="merge takes a Workload, not a int"):
        wt.arrange(JOBS).merge(5)


def test_times_to_run_to():
    simulation = wt.Simulation("hosts:4", JOBS)
    for time in (-1, -0.5, -inf):
        with pytest.raises(wt.UsageError, match="is before the simulation begins"):
            simulation.run_until(time)
    with pytest.raises(wt.UsageError, match="a time of 401 digits is not a valid time"):
        simulation.run_until(10**400)
    assert not simulation.run_until(inf)


def test_arguments_of_a_report(tmp_path):
    run = wt.simulate("hosts:4", JOBS)
    with pytest.raises(wt.UsageError, match="cannot write 5: it names no file"):
        run.report(5)
    for wrong in (5, "out", ["out"], run):
        with pytest.raises(wt.UsageError, match="beside is a list of runs, not "):
            run.report(tmp_path / "page.html", beside=wrong)
    for wrong in (5, ["a.png"]):
        with pytest.raises(wt.UsageError, match="a plot is saved in a file, not in a "):
            run.plot("waits", wrong)
    with pytest.raises(wt.UsageError, match="columns is a number, not 'x'"):
        run.plot("waits", columns="x")


def test_arguments_of_comparisons():
    run = wt.simulate("hosts:4", JOBS)
    for wrong in (("a", "b"), (run, "b"), (5,)):
        with pytest.raises(wt.UsageError, match="only runs can be compared, not a "):
            wt.compare_runs(*wrong)
    with pytest.raises(wt.UsageError, match="at least two runs"):
        wt.compare_runs(run)
    with pytest.raises(TypeError, match="tolerence"):  # not said to be a damaged file
        run.compare(run, tolerence=5)


ODD_JOBS = [
    ({"id": ""}, "has no id such as 'w0!1'"),
    ({"id": "nine"}, "has no id such as 'w0!1'"),
    ({"walltime": nan}, "has a walltime of nan s"),
    ({"walltime": -1.0}, "has a walltime of -1.0 s"),
    ({"walltime": "10"}, "has a walltime of '10': an int or a float is expected"),
    ({"submission_time": nan}, "is submitted at nan s"),
    ({"profile": wt.DelayProfile(id="w0!odd", delay=nan)}, "lasts nan s"),
    ({"profile": wt.DelayProfile(id="w0!odd", delay=-5.0)}, "lasts -5.0 s"),
    ({"request": wt.Request(-1)}, "requests -1 hosts"),
    ({"request": wt.Request(0, processors=-4)}, "requests -4 processors"),
    ({"request": wt.Request(1, amounts=(("core", -1.0),))}, "requests -1.0 of 'core'"),
    ({"request": wt.Request(10**18)}, "requests hosts in a number of 19 digits"),
    ({"walltime": 10**400}, "has a walltime of a number of 401 digits"),
    ({"submission_time": 10**400}, "is submitted at a number of 401 digits"),
    ({"think_time": "5"}, "has a think time of '5': an int or a float is expected"),
    ({"think_time": -5.0}, "has a think time of -5.0 s"),
    ({"user": 5}, "has the user 5: a string is expected"),
    ({"queue": None}, "has the queue None: a string is expected"),
    ({"dependencies": "w0!1"}, "waits for 'w0!1': a tuple of ids of jobs is expected"),
]


@pytest.mark.parametrize(("members", "said"), ODD_JOBS)
def test_jobs_that_make_no_sense_are_refused(members, said):
    odd = replace(job(9), **members)
    with pytest.raises(wt.UsageError, match=said):
        wt.simulate("hosts:4", JobList("w0", [odd]))
    simulation = wt.Simulation("hosts:4", JOBS)
    with pytest.raises(wt.UsageError, match=f"the injected job '{odd.id}' {said}"):
        simulation.inject(odd)


ODD_PROFILES = [
    (sequence("odd", []), "it contains no profile"),
    (sequence("odd", delays(1.0), repeat=0), "it is repeated 0 times"),
    (sequence("odd", delays(1.0), repeat=1.5), "it is repeated 1.5 times"),
    (ParallelTaskHomogeneousProfile(id="w0!odd", computation_amount=nan), "the amount nan is not"),
    (ParallelTaskHomogeneousProfile(id="w0!odd", computation_amount="1"), "one of its amounts is not a number"),
]


@pytest.mark.parametrize(("profile", "said"), ODD_PROFILES)
def test_jobs_with_profiles_that_make_no_sense_are_refused(profile, said):
    with pytest.raises(wt.UsageError, match=f"job 'w0!1' cannot have the profile 'w0!odd': {said}"):
        wt.simulate("hosts:4", workload(job(1, run=profile), profiles=delays(1.0)))


def test_parts_of_parts_may_come_later():
    """Schedulers may register profiles: what is missing is told when it is needed."""
    inner = sequence("inner", delays(1.0))
    with pytest.raises(wt.SimulationError, match="profile 'w0!inner' uses 'w0!delay1', which does not exist"):
        wt.simulate("hosts:4", workload(job(1, run=sequence("outer", [inner])), profiles=[inner]))


def test_jobs_fit_their_profiles():
    task = ParallelTaskProfile(id="w0!task", computation_vector=(1.0, 2.0))
    with pytest.raises(wt.UsageError, match=r"job 'w0!1' is not valid: the requested number of resources \(1\)"):
        wt.simulate("hosts:4", workload(job(1, run=task)))


def test_amounts_are_pairs():
    odd = replace(job(1), request=wt.Request(1, amounts={"core": 4}))
    with pytest.raises(wt.UsageError, match=r"amounts that jobs request cannot be read[^$]*\(\('core', 4\)"):
        workload(odd)


def test_jobs_without_a_workload_are_told_how_to_become_one():
    with pytest.raises(wt.UsageError, match=r"not a Job\n  hint: a list of jobs becomes one by windtunnel\.model"):
        wt.simulate("hosts:4", [job(1), job(2)])


def test_where_a_run_is_recorded_is_said_once(tmp_path):
    with pytest.raises(wt.UsageError, match="out and layout both say where"):
        wt.simulate("hosts:4", JOBS, out=tmp_path / "out", layout=Layout.directory(tmp_path))
    with pytest.raises(wt.UsageError, match="layout is a Layout, not a int"):
        wt.simulate("hosts:4", JOBS, layout=5)
    with pytest.raises(wt.UsageError, match="inputs is a list of files, not a str"):
        wt.simulate("hosts:4", JOBS, inputs="log.swf")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("read", [wt.read_workload, wt.read_platform])
def test_what_is_read_is_named(read):
    for wrong in (5, None, ["log.swf"]):
        with pytest.raises(wt.UsageError, match="is read from a file, named by a string or a Path, not from a "):
            read(wrong)


def test_events_of_hosts_that_are_not_there_are_refused_when_they_are_injected():
    simulation = wt.Simulation("hosts:4", JobList("w0", [job(1)]), "fcfs")
    event = ExternalEvent(timestamp=0.0, kind="machine_state", hosts=HostSet([2]), attributes={"state": "FAILURE"})
    simulation.inject(event, 1.0)
    said = r"there are no hosts 9 \(the platform has 4\)\n  hint: hosts are numbered from 0 to 3"
    with pytest.raises(wt.UsageError, match=said):
        simulation.inject(replace(event, hosts=HostSet([2, 9])), 1.0)


def test_events_of_a_misspelt_kind_are_refused_when_they_are_injected():
    simulation = wt.Simulation("hosts:4", JobList("w0", [job(1)]), "fcfs")
    said = "the injected event is of a kind 'machine_unavailible'.*\\n  hint: did you mean 'machine_unavailable'?"
    with pytest.raises(wt.UsageError, match=said):
        simulation.inject(ExternalEvent(timestamp=1.0, kind="machine_unavailible", hosts=HostSet([2])))
    simulation.inject(ExternalEvent(timestamp=1.0, kind="price"))  # what only schedulers know is told to them
    assert b",price," in (simulation.run().read("events.csv") or b"")


def test_methods_of_observers_that_nothing_calls_are_refused():
    class Ends(wt.Observer):
        def on_job_end(self, now, record):
            """Meant to be on_job_ended."""

    said = r"observers\[0\] has a method 'on_job_end', which nothing calls\n  hint: did you mean 'on_job_ended'?"
    with pytest.raises(wt.UsageError, match=said):
        wt.simulate("hosts:4", JOBS, observers=[Ends()])


def test_injected_jobs_wait_for_no_others():
    simulation = wt.Simulation("hosts:4", JOBS)
    with pytest.raises(wt.UsageError, match="the injected job 'w0!9' waits for 'w0!1'"):
        simulation.inject(replace(job(9), dependencies=("w0!1",)))


def test_nothing_happens_after_the_end():
    simulation = wt.Simulation("hosts:4", JOBS)
    simulation.run()
    with pytest.raises(wt.UsageError, match="the simulation is over"):
        simulation.inject(job(2))


def test_what_is_written_is_a_workload(tmp_path):
    with pytest.raises(wt.UsageError, match="a Workload can be written, not a int"):
        wt.write_workload(5, tmp_path / "x.swf")
    for wrong in (5, None, ""):
        with pytest.raises(wt.UsageError, match="it names no file"):
            wt.write_workload(JOBS, wrong, format="swf")


@pytest.mark.parametrize(
    "given",
    ["easy", ["easy"], wt.Scheduler, wt.Scheduler(), lambda view: ()],
    ids=["name", "list", "class", "object", "function"],
)
def test_a_scheduler_in_the_place_of_a_workload_is_refused_as_one(given):
    with pytest.raises(wt.UsageError, match=r"is a scheduler, and a workload is expected[^$]*name it: scheduler=\.\.\."):
        wt.simulate("example:small", given)


def test_a_workload_may_be_called_like_a_scheduler(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "easy").write_text("1 0 -1 100 2 -1 -1 2 600 -1 1 7 1 -1 1 -1 -1 -1\n")
    assert wt.simulate("hosts:4", "easy").metrics.jobs == 1
