"""JSSPP-OSP workloads: the shipped example, and everything that can be wrong."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared import shared
from windtunnel.diagnostics import InputError, Severity
from windtunnel.entities.quantities import quantity
from windtunnel.formats.recognition import find_format
from windtunnel.formats.workflows.osp_workload import check, read_workload

DAY = "2018-12-11T"


def task(name="a", **more):
    return {"id": name, "ts_submit": DAY + "01:00:00", "runtime": 10, "core_count": 2, **more}


def codes(*tasks, **workflow):
    found = check(json.dumps({"workflows": [{"tasks": tasks, **workflow}]}).encode())
    return [
        f.code if f.severity is Severity.ERROR else f.code.lower() for f in found if f.severity is not Severity.NOTE
    ]


def test_the_shipped_example():
    path = shared("traces/jsspp-osp/workload.json")
    assert find_format(path, "workload").name == "jsspp-osp"
    first, second = read_workload(path)
    assert (first.id, first.submission_time, first.profile.delay) == ("w0!task-1", 0.0, 48 * 60 + 43)
    assert first.request.processors == 4
    assert first.request.amounts == (("memory", 200e6),)
    assert second.dependencies == ("w0!task-1",)
    assert second.profile.delay == 11 * 60 + 59
    assert {found.code for found in read_workload(path).warnings} <= {"history", "ignored"}
    assert [j.request.hosts for j in read_workload(path).with_cores(3)] == [2, 2]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"id": 3}, ["OSP005"]),
        ({"ts_submit": "yesterday"}, ["OSP011"]),
        ({"ts_submit": None}, ["OSP006"]),
        ({"runtime": -1}, ["OSP010"]),
        ({"core_count": 0}, ["OSP008"]),
        ({"core_count": 1.5}, ["OSP008"]),
        ({"memory_usage": "lots"}, ["OSP009"]),
        ({"memory_usage": 200}, ["OSP009"]),
        ({"memory_usage": "1GB", "memory_consumption": 3}, ["osp013"]),
        ({"memory_usage": "3MB", "memory_consumption": 3}, []),
        ({"core_count": 1e18}, ["OSP008"]),
        ({"id": "a!b"}, ["OSP005"]),
        ({"user_id": {}}, ["OSP004"]),
        ({"group_id": True}, ["OSP004"]),
        ({"user_id": None, "group_id": 7}, []),
        ({"resources_used": [{"ncpu": 4}]}, ["osp013"]),
        (
            {"resources_used": [{"time_assigned": DAY + "02:00:00", "time_released": DAY + "02:00:11", "ncpu": 2}]},
            ["osp013"],
        ),
        ({"depends_on": "b"}, ["OSP004"]),
        ({"depends_on": ["b"]}, ["OSP015"]),
        ({"depends_on": ["a"]}, ["OSP014"]),
        ({"resources_used": {}}, ["OSP004"]),
        (
            {"resources_used": [{"time_assigned": DAY + "02:00:00", "time_released": DAY + "01:30:00"}]},
            ["OSP007"],
        ),
    ],
)
def test_one_task(changes, expected):
    assert codes(task(**changes)) == expected


def test_tasks_without_figures():
    bare = {"id": "a", "ts_submit": DAY + "01:00:00"}
    assert codes(bare) == ["OSP006", "OSP008"]


def test_between_tasks():
    assert codes(task("a"), task("a")) == ["OSP014"]
    assert codes(task("a", depends_on=["b"]), task("b", depends_on=["a"])) == ["OSP014", "OSP014"]
    assert codes(task("a", enables=["b"]), task("b")) == []
    assert codes(task("a", enables=["b"]), task("b", depends_on=["c"]), task("c")) == ["osp016"]
    chain = (task("a"), task("b", depends_on=["a"]), task("c"))
    assert codes(*chain, task_count=3, critical_path_length=20, critical_path_task_count=2) == []
    assert codes(*chain, task_count=2, critical_path_length=30, critical_path_task_count=1) == ["osp013"] * 3


def test_lengths_of_paths_are_not_compared_to_the_last_digit():
    first, second = task("a", runtime=0.1), task("b", runtime=0.2, depends_on=["a"])
    assert codes(first, second, critical_path_length=0.3) == []


def read(tmp_path, *workflows, **document):
    path = tmp_path / "w.json"
    path.write_text(json.dumps({"workflows": [{"tasks": tasks} for tasks in workflows], **document}))
    return read_workload(path)


def test_names_that_begin_with_the_number_of_a_workflow_are_told_apart(tmp_path):
    names = [job.name for job in read(tmp_path, [task("a"), task("1.a")], [task("a")])]
    assert sorted(names) == ["0.1.a", "0.a", "1.a"]


def test_users_are_texts_numbers_or_nobody(tmp_path):
    made = read(tmp_path, [task("a", user_id=None, group_id=7), task("b", user_id="ann")])
    assert [(job.user, job.group) for job in made] == [("", "7"), ("ann", "")]


def test_a_task_of_1970_is_submitted_when_it_says(tmp_path):
    (job,) = read(tmp_path, [task(ts_submit="1970-01-01T00:00:00")], date_start="1969-12-31T23:00:00")
    assert job.submission_time == 3600


def test_documents():
    assert [f.code for f in check(b"{")] == ["OSP001"]
    assert [f.code for f in check(b"[]")] == ["OSP002"]
    assert [f.code for f in check(b"{}")] == ["OSP003"]
    outside = {"date_start": DAY + "02:00:00", "date_end": DAY + "03:00:00", "workflows": [{"tasks": [task()]}]}
    assert [f.code for f in check(json.dumps(outside).encode())] == ["OSP012"]


def test_places_and_all_faults_at_once(tmp_path):
    path = tmp_path / "w.json"
    path.write_text('{"workflows": [{"tasks": [\n {"id": "a"},\n {"runtime": "x", "core_count": 1}]}]}')
    with pytest.raises(InputError) as error:
        read_workload(path)
    assert {(f.code, f.line) for f in error.value.findings} == {
        ("OSP006", 2),
        ("OSP008", 2),
        ("OSP005", 3),
        ("OSP006", 3),
        ("OSP010", 3),
    }


def test_names_shared_by_workflows(tmp_path):
    path = tmp_path / "w.json"
    two = [{"tasks": [task("a"), task("b", depends_on=["a"])]}, {"tasks": [task("a")]}]
    path.write_text(json.dumps({"workflows": two}))
    jobs = {job.id: job.dependencies for job in read_workload(path)}
    assert jobs == {"w0!0.a": (), "w0!b": ("w0!0.a",), "w0!1.a": ()}


@pytest.mark.parametrize(
    ("text", "kind", "amount"),
    [
        ("10MB", "bytes", 1e7),
        ("1.5 GiB", "bytes", 1.5 * 2**30),
        ("7", "bytes", 7),
        ("55s", "seconds", 55),
        ("2 h", "seconds", 7200),
        ("10 parsecs", "seconds", None),
        ("", "bytes", None),
    ],
)
def test_quantities(text, kind, amount):
    assert quantity(text, kind) == amount


@settings(max_examples=150)
@given(
    st.recursive(
        st.none() | st.integers(-3, 3) | st.text("a2018-12T:", max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["workflows", "tasks", "id", "runtime", "depends_on"]), inner)
        ),
        max_leaves=15,
    )
)
def test_no_document_breaks_the_checker(document):
    check(json.dumps(document).encode())


def test_members_of_the_published_schema_are_known():
    """They were told to be unknown."""
    resource = {"type": "x", "proc_model": "x", "memory": "1GB", "network": "x", "bandwidth": 1, "details": {}}
    resource |= {"ncpu": 2, "time_assigned": DAY + "01:00:00", "time_released": DAY + "01:00:10", "events": {}}
    one = task(workflow_id="f", compute_count=1, compute_granularity="x", resources_used=[resource])
    document = {
        "schema_version": "1",
        "$schema": "x",
        "workflows": [{"id": "f", "total_energy_consumption": "1 J", "tasks": [one]}],
    }
    assert {finding.code for finding in check(json.dumps(document).encode())} == {"history"}
