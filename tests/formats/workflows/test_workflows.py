"""Workflows: Pegasus DAX and WfCommons."""

import csv
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import windtunnel as wt
from shared import shared
from windtunnel.diagnostics import InputError
from windtunnel.formats.recognition import find_format
from windtunnel.formats.registry import read_workload
from windtunnel.formats.workflows.dax import read_dax
from windtunnel.formats.workflows.wfcommons import read_wfcommons
from windtunnel.model import DelayProfile, Request

DAX = """<?xml version="1.0" encoding="UTF-8"?>
<!-- a remark -->
<adag xmlns="http://pegasus.isi.edu/schema/DAX" name="x">
  <job id="B" runtime="2.5" name="b"><uses file="f"/></job>
  <job id="A" runtime="10" num_procs="4"/>
  <job id="C" runtime="1" num_procs="0"/>
  <child ref="C"><parent ref="A"/><parent ref="B"/><parent ref="A"/></child>
</adag>
"""


@pytest.fixture
def file(tmp_path):
    def write(content, name="input"):
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write


def test_dax(file):
    read = read_dax(file(DAX), start=5.0)
    a, b, c = read
    assert [job.id for job in read] == ["wf0!A", "wf0!B", "wf0!C"]
    assert (a.request, b.request, c.request) == (Request(4), Request(1), Request(1))
    assert a.profile == DelayProfile(id="wf0!wf0_A", delay=10)
    assert (a.walltime, b.walltime, a.submission_time) == (20, 12.5, 5)
    assert (a.dependencies, c.dependencies) == ((), ("wf0!A", "wf0!B"))
    assert read.has_dependencies
    assert list(read.profiles) == ["wf0!wf0_B", "wf0!wf0_A", "wf0!wf0_C"]
    assert find_format(file(DAX), "workload").name == "dax"


def dax(body):
    return f"<adag>\n{body}\n</adag>"


JOB = '<job id="A" runtime="1"/>'
DAX_FAULTS = [
    ("nothing", "", [(1, "xml", None)]),
    ("not XML", "<adag>\n<job></adag>", [(2, "xml", None)]),
    ("entities", "<!DOCTYPE x [<!ENTITY e 'x'>]>\n<adag/>", [(1, "xml", "document types and entities are refused")]),
    ("another root", "<workflow/>", [(1, "root", "the root is <workflow>, <adag> is expected")]),
    ("no job", dax(""), [(1, "empty", "there is no job")]),
    ("no id", dax('<job runtime="1"/>'), [(2, "missing", "a job has no id")]),
    ("an id with a !", dax('<job id="a!b" runtime="1"/>'), [(2, "id", "the id 'a!b' has a '!'")]),
    ("twice", dax(JOB + "\n" + JOB), [(3, "duplicate", "job 'A' is given more than once")]),
    ("no run time", dax('<job id="A"/>'), [(2, "missing", "job 'A': 'runtime' is missing")]),
    (
        "run time",
        dax('<job id="A" runtime="x"/>'),
        [(2, "number", "job 'A': 'runtime' is 'x', which is not a number")],
    ),
    (
        "not finite",
        dax('<job id="A" runtime="inf"/>'),
        [(2, "number", "job 'A': 'runtime' is 'inf', which is not a number")],
    ),
    (
        "half a processor",
        dax('<job id="A" runtime="1" num_procs="1.5"/>'),
        [(2, "value", "job 'A': 'num_procs' is 1.5, an integer is expected")],
    ),
    (
        "two faults of a job",
        dax('<job id="A" runtime="x" num_procs="1.5"/>'),
        [
            (2, "number", "job 'A': 'runtime' is 'x', which is not a number"),
            (2, "value", "job 'A': 'num_procs' is 1.5, an integer is expected"),
        ],
    ),
    (
        "unknown child and parent",
        dax(JOB + '\n<child ref="X">\n<parent ref="A"/></child>\n<child ref="A"><parent ref="Y"/></child>\n<child/>'),
        [
            (3, "reference", "<child> refers to 'X', which does not exist"),
            (5, "reference", "<parent> refers to 'Y', which does not exist"),
            (6, "reference", "<child> refers to '', which does not exist"),
        ],
    ),
    (
        "a circle",
        dax(
            JOB
            + '\n<job id="B" runtime="1"/>\n<child ref="A"><parent ref="B"/></child><child ref="B"><parent ref="A"/></child>'
        ),
        [(2, "cycle", "tasks wait for each other: 'A' -> 'B' -> 'A'")],
    ),
]


@pytest.mark.parametrize(("text", "expected"), [f[1:] for f in DAX_FAULTS], ids=[f[0] for f in DAX_FAULTS])
def test_faulty_dax(file, text, expected):
    with pytest.raises(InputError) as caught:
        read_dax(file(text))
    found = [(f.line, f.code, f.message if expected[0][2] else None) for f in caught.value.findings]
    assert found == expected


def test_a_run_time_below_0_counts_as_0(file):
    """Published workflows have some."""
    read = read_dax(file(dax('<job id="A" runtime="-1.5"/>\n<job id="B" runtime="-3"/>\n<job id="C" runtime="2"/>')))
    assert [job.profile.delay for job in read] == [0, 0, 2]
    told = [(one.line, one.code, one.message, one.count) for one in read.warnings]
    assert told == [(2, "repaired", "'runtime' of a job is less than 0: it counts as 0", 2)]


def test_what_a_dax_says_in_vain_is_told(file):
    read = read_dax(file(dax('<job id="A" runtime="1" num_procs="0">4</job>\n<job id="B" runtime="1"/>,')))
    assert [job.request for job in read] == [Request(1), Request(1)]
    assert [(f.line, f.code, f.message) for f in read.warnings] == [
        (1, "text", "<adag> holds no text, this one holds ','"),
        (2, "text", "<job> holds no text, this one holds '4'"),
        (2, "repaired", "'num_procs' of a job is less than 1: it gets one"),
    ]


def test_the_genome_workflow_runs_as_in_batsim():
    """Batsim's messages take time on this platform: dates agree within what they add along the chain."""
    case = shared("golden/batsim4/fcfs_fast--cluster512--genome--workflow")
    path = shared("golden/batsim4/inputs/workloads/GENOME.d.351024866.5.dax")
    run = wt.simulate(shared("golden/batsim4/inputs/platforms/cluster512.xml"), read_dax(path, "wf0"), "fcfs")
    recorded = {row["profile"]: row for row in csv.DictReader((case / "jobs.csv").read_text().splitlines())}
    ours = {row["profile"]: row for row in csv.DictReader(run.read("jobs.csv").decode().splitlines())}
    assert len(ours) == 36
    assert set(ours) == set(recorded)
    for profile, row in ours.items():
        theirs = recorded[profile]
        assert row["requested_time"] == theirs["requested_time"]
        for column in ("submission_time", "starting_time", "finish_time"):
            assert abs(float(row[column]) - float(theirs[column])) < 0.05, (profile, column)


OLD = {
    "name": "x",
    "schemaVersion": "1.3",
    "workflow": {
        "makespan": 5,
        "tasks": [
            {"name": "split_1", "type": "compute", "parents": [], "runtime": 4.5, "cores": 1.5},
            {"name": "join_2", "parents": ["split_1"], "runtime": 1},
        ],
    },
}
NEW = {
    "name": "x",
    "schemaVersion": "1.5",
    "workflow": {
        "specification": {
            "tasks": [
                {"name": "split", "id": "t1", "parents": [], "children": ["t2"]},
                {"name": "join", "id": "t2", "parents": ["t1"], "children": []},
            ]
        },
        "execution": {
            "makespanInSeconds": 5,
            "tasks": [{"id": "t2", "runtimeInSeconds": 1}, {"id": "t1", "runtimeInSeconds": 4.5, "coreCount": 2}],
        },
    },
}


@pytest.mark.parametrize(("document", "first", "second"), [(OLD, "split_1", "join_2"), (NEW, "t1", "t2")])
def test_wfcommons(file, document, first, second):
    path = file(document)
    assert find_format(path, "workload").name == "wfcommons"
    jobs = {job.name: job for job in read_workload(path, "w0")}
    assert set(jobs) == {first, second}
    assert jobs[first].request == Request(2, 2)
    assert (jobs[first].profile.delay, jobs[first].walltime) == (4.5, 14.5)
    assert (jobs[second].profile.delay, jobs[second].request.processors) == (1, 1)
    assert jobs[second].dependencies == (f"w0!{first}",)
    assert read_workload(path).with_cores(2)[0].request.hosts == 1


@pytest.mark.parametrize("version", ["2.0", "1", "", "1.5-beta", None, 15, {}])
def test_versions_that_are_none_are_refused(file, version):
    with pytest.raises(InputError, match=r"\[version\]: 'schemaVersion' is .*, which is not known") as caught:
        read_wfcommons(file(NEW | {"schemaVersion": version}))
    assert "versions 1.0 to 1.6 are read" in str(caught.value)


@pytest.mark.parametrize("version", ["1.0", "1.6", 1.4, "1.5.0"])
def test_versions_that_are_known(file, version):
    assert "version" not in {one.code for one in read_wfcommons(file(NEW | {"schemaVersion": version})).warnings}


def test_a_later_version_is_told(file):
    (told,) = [one for one in read_wfcommons(file(NEW | {"schemaVersion": "1.7"})).warnings if one.code == "version"]
    assert told.message == "version 1.7 of WfFormat is not known: it is read as version 1.6"


def test_older_names(file):
    jobs = [
        {"name": "a", "id": "1", "runtimeInSeconds": 2, "coreCount": 3},
        {"name": "b", "id": "2", "runtime": 1, "parents": ["a"]},
    ]
    read = read_wfcommons(file({"workflow": {"jobs": jobs}}))
    assert [(job.id, job.dependencies, job.request.processors) for job in read] == [
        ("wf0!1", (), 3),
        ("wf0!2", ("wf0!1",), 1),
    ]


def old(*tasks):
    return {"workflow": {"tasks": list(tasks)}}


def new(tasks, runs):
    return {"workflow": {"specification": {"tasks": tasks}, "execution": {"tasks": runs}}}


T = {"id": "t", "runtime": 1}
WF_FAULTS = [
    ("not JSON", "{", [("", "json", "not valid JSON: Input data was truncated")]),
    ("an array", [], [("", "type", "the document is an array, an object is expected")]),
    ("no workflow", {}, [("", "type", "'workflow' is missing, an object is expected")]),
    ("workflow is not an object", {"workflow": []}, [("/workflow", "type", "'workflow' is an array, an object is expected")]),
    ("no tasks", {"workflow": {}}, [("/workflow", "type", "'jobs' is missing, an array of tasks is expected")]),
    ("empty", old(), [("/workflow/tasks", "type", "'tasks' is empty, an array of tasks is expected")]),
    ("tasks is an object", {"workflow": {"tasks": {}}}, [
        ("/workflow/tasks", "type", "'tasks' is an object, an array of tasks is expected")]),
    ("task is a text", old("t"), [("/workflow/tasks/0", "type", "a task is a string, an object is expected")]),
    ("no name", old({"runtime": 1}), [("/workflow/tasks/0", "missing", "task ?: 'name' is missing, a string is expected")]),
    ("id is a number", old({"id": 1, "runtime": 1}), [
        ("/workflow/tasks/0/id", "type", "task 1: 'id' is an integer, a string is expected")]),
    ("id with a !", old({"id": "a!", "runtime": 1}), [
        ("/workflow/tasks/0/id", "id", "task a!: 'id' is 'a!', a string without '!' is expected")]),
    ("no run time", old({"id": "t"}), [
        ("/workflow/tasks/0", "missing", "task t: 'runtimeInSeconds' is missing, a number >= 0 is expected")]),
    ("negative", old({"id": "t", "runtime": -1, "cores": -2}), [
        ("/workflow/tasks/0/cores", "value", "task t: 'cores' is -2, a number >= 0 is expected"),
        ("/workflow/tasks/0/runtime", "value", "task t: 'runtime' is -1, a number >= 0 is expected")]),
    ("twice", old(T, T), [("/workflow/tasks/1", "duplicate", "task 't' is given more than once")]),
    ("unknown parent", old({**T, "parents": ["u"]}), [
        ("/workflow/tasks/0", "reference", "task 't': its parent 'u' does not exist")]),
    ("parent is a number", old({**T, "parents": [3]}), [
        ("/workflow/tasks/0/parents/0", "type", "task t: 'parents'[0] is an integer, a string is expected")]),
    ("its own parent", old({**T, "parents": ["t"]}), [
        ("/workflow/tasks/0", "cycle", "tasks wait for each other: 't' -> 't'")]),
    ("no execution", {"workflow": {"specification": {"tasks": [{"id": "t"}]}}}, [
        ("/workflow", "type", "'execution' is missing, an object is expected")]),
    ("run times do not match", new([{"id": "t"}, {"id": "u"}], [{"id": "v", "runtimeInSeconds": 1}, {"id": "u"}]), [
        ("/workflow/execution/tasks/0/id", "reference", "task v: it is not in the specification"),
        ("/workflow/execution/tasks/1", "missing", "task u: 'runtimeInSeconds' is missing, a number >= 0 is expected"),
        ("/workflow/specification/tasks/0", "missing", "task 't' has no run time in the execution")]),
]  # fmt: skip


@pytest.mark.parametrize(("document", "expected"), [f[1:] for f in WF_FAULTS], ids=[f[0] for f in WF_FAULTS])
def test_faulty_wfcommons(file, document, expected):
    with pytest.raises(InputError) as caught:
        read_wfcommons(file(document))
    assert sorted((f.pointer, f.code, f.message) for f in caught.value.findings) == sorted(expected)
    assert all(f.line for f in caught.value.findings)


def test_a_run_that_is_given_twice_is_a_fault(file):
    runs = [{"id": "t", "runtimeInSeconds": 1}, {"id": "t", "runtimeInSeconds": 2}]
    with pytest.raises(InputError, match="its run is given more than once"):
        read_wfcommons(file(new([{"id": "t", "name": "t"}], runs)))


def test_what_wfcommons_says_twice_or_in_parts_of_cores_is_told(file):
    tasks = [{"id": "t", "runtime": 1, "runtimeInSeconds": 2, "coreCount": 0}, {"id": "u", "runtime": 1, "cores": 1.5}]
    read = read_wfcommons(file({"workflow": {"tasks": tasks, "jobs": []}}))
    assert [(job.profile.delay, job.request.processors) for job in read] == [(2, 1), (1, 2)]
    assert sorted((one.code, one.pointer.rpartition("/")[2]) for one in read.warnings) == [
        ("ignored", "jobs"),
        ("ignored", "runtime"),
        ("repaired", "coreCount"),
        ("repaired", "cores"),
    ]


def test_numbers_of_cores_end_somewhere(file):
    tasks = [{"id": "t", "runtime": 1, "cores": 1e18}]
    with pytest.raises(InputError, match="less than 1e\\+18 is expected"):
        read_wfcommons(file({"workflow": {"tasks": tasks}}))
    with pytest.raises(InputError, match="less than 1e\\+18 is expected"):
        read_dax(file('<adag><job id="a" runtime="5" num_procs="1e18"/></adag>'))


@given(st.dictionaries(st.sampled_from("abcdef"), st.sets(st.sampled_from("abcdef")), min_size=1))
def test_circles_are_found_and_no_others(tmp_path_factory, parents):
    """What Kahn's order cannot finish is a circle; compared with a search of all paths."""

    def reaches(start, seen):
        return any(
            p == start or (p not in seen and reaches_from(start, p, seen | {p})) for p in parents.get(start, ())
        )

    def reaches_from(target, node, seen):
        return any(
            p == target or (p not in seen and reaches_from(target, p, seen | {p})) for p in parents.get(node, ())
        )

    known = {task: sorted(found & set(parents)) for task, found in parents.items()}
    parents = {task: set(found) for task, found in known.items()}
    circular = any(reaches(task, {task}) for task in parents)
    tasks = [{"id": task, "runtime": 1, "parents": found} for task, found in known.items()]
    path = tmp_path_factory.mktemp("wf") / "w.json"
    path.write_text(json.dumps(old(*tasks)))
    try:
        read = read_wfcommons(path)
    except InputError as error:
        assert circular
        assert [f.code for f in error.findings] == ["cycle"]  # noqa: PT017
    else:
        assert not circular
        assert len(read) == len(parents)
