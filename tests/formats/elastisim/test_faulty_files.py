"""ElastiSim's files: what is wrong with each is said at its place, all of it at once; what is odd is told."""

import json
from pathlib import Path

import pytest

from windtunnel.diagnostics import InputError, Severity
from windtunnel.formats.elastisim.configuration import read_configuration
from windtunnel.formats.elastisim.jobs import read_jobs
from windtunnel.formats.elastisim.platform import read_elastic_platform
from windtunnel.formats.registry import read_workload
from windtunnel.model.application import Elasticity, ElasticProfile

IDLE = {"type": "idle", "delay": 1, "pattern": "uniform"}
JOB = {"type": "malleable", "submit_time": 0, "num_nodes_min": 1, "num_nodes_max": 4, "application_model": "app.json"}
RIGID = {"type": "rigid", "submit_time": 0, "num_nodes": 2, "application_model": "app.json"}
CONFIG = {
    "jobs_file": "jobs.json",
    "platform_file": "platform.xml",
    "zmq_url": "ipc://elastisim.ipc",
    "job_statistics": "a.csv",
    "node_utilization": "b.csv",
    "schedule_on_job_submit": True,
    "schedule_on_job_finalize": True,
}


def app(*tasks, **phase):
    return {"phases": [{"tasks": list(tasks) or [IDLE], **phase}]}


def found_in(folder: Path, jobs, application) -> list[str]:
    text = jobs if isinstance(jobs, str) else json.dumps({"jobs": jobs} if isinstance(jobs, list) else jobs)
    (folder / "jobs.json").write_text(text)
    if application is not None:
        model = application if isinstance(application, str) else json.dumps(application)
        (folder / "app.json").write_text(model)
    try:
        found = read_jobs(folder / "jobs.json").warnings
    except InputError as error:
        found = error.findings
    signs = {Severity.ERROR: "", Severity.WARNING: "odd: ", Severity.NOTE: "note: "}
    return [f"{signs[one.severity]}{Path(one.file).name}#{one.pointer} {one.message}" for one in found]


def test_a_model_that_lies_beside_the_jobs_is_pointed_to(tmp_path):
    """Jobs name models by where they were written, such as a folder in a container."""
    (tmp_path / "app.json").write_text(json.dumps(app()))
    (tmp_path / "jobs.json").write_text(json.dumps({"jobs": [{**JOB, "application_model": "/not/here/app.json"}]}))
    with pytest.raises(InputError, match=r"'/not/here/app.json' cannot be read") as caught:
        read_jobs(tmp_path / "jobs.json")
    assert caught.value.findings[0].hint == f"there is one of that name beside the jobs: {tmp_path / 'app.json'}"


CASES = [
    (
        [{**JOB, "type": "malleble"}],
        app(),
        ["jobs.json#/jobs/0/type type: 'malleble' is not one of rigid, moldable, malleable, evolving, adaptive"],
    ),
    (
        [{**JOB, "num_nodes_min": 5}],
        app(),
        ["jobs.json#/jobs/0/num_nodes_min num_nodes_min: 5 nodes at least are more than 4 at most"],
    ),
    (
        [{**JOB, "num_nodes_max": 2.5, "nodes": 3}],
        app(),
        [
            "jobs.json#/jobs/0/num_nodes_max num_nodes_max: a whole number is expected, not 2.5",
            "odd: jobs.json#/jobs/0/nodes nodes: unknown member: it has no effect",
        ],
    ),
    (
        [{**JOB, "walltime": 10.5}],
        app(),
        ["jobs.json#/jobs/0/walltime walltime: a whole number of seconds is expected, not 10.5"],
    ),
    (
        [{**JOB, "submit_time": -1}, {**JOB, "submit_time": "0"}],
        app(),
        [
            "jobs.json#/jobs/0/submit_time submit_time: -1 is less than 0",
            "jobs.json#/jobs/1/submit_time submit_time: a number is expected, not '0'",
        ],
    ),
    ([{**RIGID, "num_nodes": 0}], app(), ["jobs.json#/jobs/0/num_nodes num_nodes: 0 is less than 1"]),
    (
        [{"type": "rigid"}],
        app(),
        [
            "jobs.json#/jobs/0 'submit_time' is missing: a number is expected",
            "jobs.json#/jobs/0 'application_model' is missing: a string is expected",
            "jobs.json#/jobs/0 'num_nodes' is missing: a whole number of at least 1 is expected",
        ],
    ),
    (
        [JOB],
        None,
        [
            "jobs.json#/jobs/0/application_model application_model: the application model 'app.json' cannot be read: No such file or directory"
        ],
    ),
    ([JOB], "{", ["app.json# not valid JSON: Input data was truncated"]),
    ("[]", app(), ["jobs.json# the file is not a JSON object"]),
    (
        {"job": [JOB]},
        app(),
        [
            "jobs.json# 'jobs' is missing: a list is expected",
            "odd: jobs.json#/job job: unknown member: it has no effect",
        ],
    ),
    (
        [JOB],
        {"phases": []},
        ["app.json#/phases phases: there is no phase: a job that does nothing crashes ElastiSim"],
    ),
    (
        [JOB],
        {"on_init": {"tasks": []}, "phasen": []},
        [
            "app.json# 'phases' is missing: a list is expected",
            "odd: app.json#/phasen phasen: unknown member: it has no effect",
        ],
    ),
    (
        [JOB],
        app(iterations=0),
        ["app.json#/phases/0/iterations iterations: a phase of no iterations never ends in ElastiSim"],
    ),
    (
        [JOB],
        app(iterations="num_nodes"),
        ["app.json#/phases/0/iterations iterations: names in 'num_nodes' are not known: num_nodes"],
    ),
    ([JOB], app(iterations=-1), ["app.json#/phases/0/iterations iterations: -1 is less than 0"]),
    (
        [JOB],
        app({"type": "idel", "delay": 1, "pattern": "uniform"}),
        [
            "app.json#/phases/0/tasks/0/type type: 'idel' is not one of idle, busy_wait, cpu, gpu, pfs_read, pfs_write, bb_read, bb_write, sequence"
        ],
    ),
    (
        [JOB],
        app({"type": "idle", "delay": 1}),
        ["app.json#/phases/0/tasks/0 'pattern' is missing: a string is expected"],
    ),
    (
        [JOB],
        app({"type": "idle", "pattern": "uniform"}),
        ["app.json#/phases/0/tasks/0 'delay' is missing: an amount in seconds is expected"],
    ),
    (
        [JOB],
        app({**IDLE, "pattern": "ring"}),
        [
            "app.json#/phases/0/tasks/0/pattern pattern: 'ring' is not one of all_ranks, even_ranks, odd_ranks, root_only, uniform, vector, total"
        ],
    ),
    (
        [JOB],
        app({**IDLE, "delay": [1, 2], "pattern": "vector"}),
        [
            "app.json#/phases/0/tasks/0/delay delay: the pattern vector is for rigid jobs: others have no fixed number of ranks"
        ],
    ),
    (
        [RIGID],
        app({**IDLE, "delay": [1], "pattern": "vector"}),
        ["app.json#/phases/0/tasks/0/delay delay: 1 numbers are too few for 2 nodes: 2 are expected"],
    ),
    (
        [RIGID],
        app({**IDLE, "delay": [1, -2], "pattern": "vector"}),
        ["app.json#/phases/0/tasks/0/delay delay: a list of numbers that are not negative is expected, not [1, -2]"],
    ),
    ([JOB], app({"type": "cpu"}), ["app.json#/phases/0/tasks/0 a task has neither 'flops' nor 'bytes'"]),
    (
        [JOB],
        app({"type": "cpu", "flops": -5, "computation_pattern": "uniform"}),
        ["app.json#/phases/0/tasks/0/flops flops: there are no -5 flops"],
    ),
    (
        [JOB],
        app({"type": "cpu", "bytes": "10 **", "communication_pattern": "ring"}),
        ["app.json#/phases/0/tasks/0/bytes bytes: '*' at character 5 of '10 **', where a number is expected"],
    ),
    (
        [RIGID],
        app({**IDLE, "delay": "beta * 2"}),
        ["app.json#/phases/0/tasks/0/delay delay: names in 'beta * 2' are not known: beta"],
    ),
    (
        [RIGID],
        app({**IDLE, "delay": "1 || 0"}),
        ["app.json#/phases/0/tasks/0/delay delay: '|' at character 4 of '1 || 0', where a number is expected"],
    ),
    (
        [{**RIGID, "num_gpus_per_node": 2}],
        app({"type": "gpu", "bytes": 5, "communication_pattern": "gather"}),
        [
            "app.json#/phases/0/tasks/0/communication_pattern communication_pattern: several GPUs of a node exchange by all_to_all, ring, ring_clockwise, ring_counter_clockwise only"
        ],
    ),
    (
        [{**JOB, "num_gpus_per_node_min": 3}],
        app(),
        ["jobs.json#/jobs/0/num_gpus_per_node_min num_gpus_per_node_min: 3 GPUs at least are more than 0 at most"],
    ),
    (
        [{**JOB, "arguments": {"a": [1], "b": 0.1234567}}, {**JOB, "arguments": {"b": 0.2345678}}],
        app(),
        [
            "jobs.json#/jobs/0/arguments/a a: a string or a number is expected, not [1]",
            "odd: jobs.json#/jobs/0/arguments/b the argument 'b' is kept with six decimals, as by ElastiSim",
        ],
    ),
    (
        [{**JOB, "arguments": {"x": 2}}],
        app({**IDLE, "delay": "max(x, 1)"}),
        ["app.json#/phases/0/tasks/0/delay delay: ',' at character 6 of 'ma2(2, 1)', where ')' is expected"],
    ),
    (
        [JOB],
        app(evolving_request=4),
        [
            "odd: app.json#/phases/0/evolving_request evolving_request: a request must be a string, not 4: it has no effect"
        ],
    ),
    (
        [JOB],
        app({**IDLE, "iterations": 2.5, "pattren": 1}, schedulingpoint=True),
        [
            "odd: app.json#/phases/0/tasks/0/iterations iterations: 2.5 is not a whole number: it counts as 1, as in ElastiSim",
            "odd: app.json#/phases/0/tasks/0/pattren pattren: unknown member: it has no effect",
            "odd: app.json#/phases/0/schedulingpoint schedulingpoint: unknown member: it has no effect",
        ],
    ),
    (
        [JOB],
        app({"type": "sequence", "tasks": [{"type": "pfs_write", "bytes": "x y", "pattern": "uniform"}]}),
        [
            "app.json#/phases/0/tasks/0/tasks/0/bytes bytes: 'y' at character 3 of 'x y', where an operator is expected"
        ],
    ),
]


@pytest.mark.parametrize(("jobs", "application", "expected"), CASES, ids=range(len(CASES)))
def test_what_is_wrong_is_said_with_its_place(tmp_path, jobs, application, expected):
    assert found_in(tmp_path, jobs, application) == expected


def test_what_is_wrong_with_a_model_is_said_once(tmp_path):
    """It was said for each job that runs it."""
    (tmp_path / "app.json").write_text(json.dumps({"phases": [{"tasks": 3}]}))
    jobs = [{**JOB, "application_model": "app.json", "arguments": {"n": rank}} for rank in range(3)]
    (tmp_path / "jobs.json").write_text(json.dumps({"jobs": jobs}))
    with pytest.raises(InputError) as caught:
        read_jobs(tmp_path / "jobs.json")
    assert [finding.message for finding in caught.value.findings] == ["tasks: a list is expected, not 3"]


CONFIGURATIONS = [
    (
        {"schedule_on_job_submit": False},
        ["# the scheduler would not be called for each submission and end, nor periodically"],
    ),
    (
        {"scheduling_interval": -1, "min_scheduling_interval": "2"},
        [
            "#/scheduling_interval scheduling_interval: -1 is less than 0",
            "#/min_scheduling_interval min_scheduling_interval: a number is expected, not '2'",
        ],
    ),
    (
        {"zmq_url": "", "jobs_file": 5},
        ["#/jobs_file jobs_file: a string is expected, not 5", "#/zmq_url zmq_url: a string is expected, not ''"],
    ),
    (
        {"sensing": True},
        [
            "# 'cpu_utilization' is missing: a string is expected",
            "# 'network_activity' is missing: a string is expected",
            "# 'pfs_utilization' is missing: a string is expected",
            "# 'gpu_utilization' is missing: a string is expected",
            "# 'sensing_interval' is missing: a number is expected",
        ],
    ),
    (
        {"scheduling_interval": 0.0004},
        [
            "#/scheduling_interval scheduling_interval: 0.0004 s is shorter than a millisecond, the shortest there is",
        ],
    ),
    (
        {"scheduling_interval": 1.2345},
        [
            "#/scheduling_interval scheduling_interval: 1.2345 s is not a whole number of milliseconds: calls are made every 1.234 s",
        ],
    ),
    (
        {"log_task_times": True, "schedule_on_scheduling_pont": True},
        [
            "# 'task_times' is missing: a string is expected",
            "#/schedule_on_scheduling_pont schedule_on_scheduling_pont: unknown member: it has no effect",
        ],
    ),
    (
        {"allow_oversubscription": 1, "pfs_read_links": ["a", 1], "forward_io_information": True},
        [
            "#/allow_oversubscription allow_oversubscription: true or false is expected, not 1",
            "#/forward_io_information forward_io_information: this has no effect, as in ElastiSim",
            "#/pfs_read_links/1 pfs_read_links: a string is expected, not 1",
        ],
    ),
]


def configured(folder, change):
    (folder / "config.json").write_text(json.dumps({**CONFIG, **change}))
    try:
        found = read_configuration(folder / "config.json").warnings
    except InputError as error:
        found = error.findings
    return [f"#{one.pointer} {one.message}" for one in found]


@pytest.mark.parametrize(("change", "expected"), CONFIGURATIONS, ids=range(len(CONFIGURATIONS)))
def test_configurations(tmp_path, change, expected):
    assert configured(tmp_path, change) == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"job_statistics": "./jobs.json"}, ["#/job_statistics job_statistics: './jobs.json' is also the jobs_file"]),
        ({"node_utilization": "a.csv"}, ["#/node_utilization node_utilization: 'a.csv' is also the job_statistics"]),
        ({"log_task_times": True, "task_times": "b.csv"}, ["#/task_times task_times: 'b.csv' is also the node_ut"]),
        ({"task_times": "b.csv"}, []),  # it is not written
        ({"job_statistics": "/dev/null", "node_utilization": "/dev/null"}, []),
    ],
)
def test_no_file_is_written_twice_or_over_an_input(tmp_path, change, expected):
    found = configured(tmp_path, change)
    assert len(found) == len(expected)
    assert all(one.startswith(start) for one, start in zip(found, expected, strict=True))


PLATFORM = """<?xml version='1.0'?>
<platform version="4.1"><zone id="Site" routing="Full">
  <cluster id="C" prefix="n" radical="0-3" suffix="" speed="1Gf" bw="125MBps" lat="50us">{props}</cluster>
</zone></platform>
"""
PROPERTIES = [
    ({"node_local_bb": "true", "bb_read_bw": "10MBps"}, ["host 'n0': bb_write_bw is missing"]),
    (
        {"wide_striping": "yes", "num_gpus": "two"},
        [
            "host 'n0': wide_striping is 'yes', true or false is expected",
            "host 'n0': num_gpus is 'two', a whole number is expected",
        ],
    ),
    (
        {"num_gpus": "2", "flops_per_gpu": "10Gx", "gpu_to_gpu_bw": "0"},
        [
            "host 'n0': flops_per_gpu is '10Gx': 'Gx' is not a unit of speed",
            "host 'n0': gpu_to_gpu_bw is '0', a positive number is expected",
        ],
    ),
    (
        {"pfs_targets": "PFS0;PFS1"},
        ["host 'n0': pfs_targets names 'PFS0;PFS1', which is not a host of a file system"],
    ),
]


def properties(folder, given):
    props = "".join(f'<prop id="{name}" value="{value}"/>' for name, value in given.items())
    (folder / "platform.xml").write_text(PLATFORM.format(props=props))
    try:
        read_elastic_platform(folder / "platform.xml")
    except InputError as error:
        return [one.message for one in error.findings if "'n0'" in one.message]
    return []


@pytest.mark.parametrize(("given", "expected"), PROPERTIES, ids=range(len(PROPERTIES)))
def test_properties_of_platforms(tmp_path, given, expected):
    assert properties(tmp_path, given) == expected


def test_jobs_are_numbered_by_date_then_as_they_stand(tmp_path):
    jobs = [
        {**JOB, "submit_time": date, "attributes": {"at": rank}} for rank, date in enumerate([5, 1, 5, 1, *[9] * 9])
    ]
    assert found_in(tmp_path, jobs, app()) == []
    workload = read_workload(tmp_path / "jobs.json")
    assert [job.name for job in workload] == [str(number) for number in range(13)]
    assert [job.profile.attributes["at"] for job in workload] == ["1", "3", "0", "2", *map(str, range(4, 13))]
    profile = workload[0].profile
    assert isinstance(profile, ElasticProfile)
    assert (profile.elasticity, profile.least, profile.most) == (Elasticity.MALLEABLE, 1, 4)


def test_each_of_many_jobs_alike_is_looked_at(tmp_path):
    others = [{"submit_time": 5.5}, {"num_nodes": 2.0}, {"submit_time": -1}, {"submit_time": True}, {"more": 1}]
    found = found_in(tmp_path, [RIGID, *(RIGID | change for change in others), RIGID | {"num_nodes": True}], app())
    assert [one.split(" ")[0] for one in found if "odd" not in one] == [
        "jobs.json#/jobs/2/num_nodes",
        "jobs.json#/jobs/3/submit_time",
        "jobs.json#/jobs/4/submit_time",
        "jobs.json#/jobs/6/num_nodes",
    ]
    assert any("odd" in one and "/jobs/5" in one for one in found)


def test_jobs_alike_share_what_is_alike(tmp_path):
    assert not found_in(tmp_path, [RIGID, RIGID | {"submit_time": 7}, RIGID | {"num_nodes": 3}], app())
    alike, larger, later = read_jobs(tmp_path / "jobs.json")
    assert [one.submission_time for one in (alike, larger, later)] == [0.0, 0.0, 7.0]
    assert later.profile is alike.profile
    assert (larger.profile.least, alike.profile.least) == (3, 2)
