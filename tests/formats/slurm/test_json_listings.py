"""``squeue --json`` and ``sinfo --json``: recorded samples, the shapes of newer releases, faults, mutations."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared import shared
from windtunnel.diagnostics import InputError
from windtunnel.formats.recognition import find_format
from windtunnel.formats.registry import read_platform, read_workload
from windtunnel.model.slurm import GresItem, OverSubscribe

MOMENTS = ["clean/during", "clean/after", "during", "after"]
COUNTS = [
    "accrue_time",
    "eligible_time",
    "submit_time",
    "start_time",
    "end_time",
    "deadline",
    "array_job_id",
    "array_task_id",
    "array_max_tasks",
    "het_job_id",
    "het_job_offset",
    "cpus",
    "tasks",
    "cpus_per_task",
    "node_count",
    "memory_per_cpu",
    "memory_per_node",
    "time_limit",
    "time_minimum",
    "priority",
    "suspend_time",
    "pre_sus_time",
]


def folder(moment):
    return shared(f"golden/slurm/formats/{moment}")


def newer(job):
    """The job as 23.11 and later write it: numbers are objects, states and flags are lists."""
    made = dict(job)
    for key in COUNTS:
        value = job[key]
        made[key] = {"set": value is not None, "infinite": False, "number": value or 0}
    made["job_state"] = [job["job_state"]]
    made["shared"] = [] if job["shared"] is None else [job["shared"]]
    made["exclusive"] = ["true"] if job["shared"] == "none" else []
    made["nice"] = job["nice"] or 0
    made |= {"submit_line": "sbatch x", "scheduled_nodes": "", "cron": "", "step_id": {}}
    return made


@pytest.mark.parametrize("shape", ["as recorded", "newer"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_jobs_are_those_of_scontrol(moment, shape, tmp_path):
    path = folder(moment) / "squeue-json.json.gz"
    if shape == "newer":
        document = json.loads(gzip.decompress(path.read_bytes()))
        path = tmp_path / "queue"
        path.write_text(json.dumps(document | {"jobs": [newer(job) for job in document["jobs"]]}))
    assert find_format(path, "workload").name == "squeue-json"
    read = read_workload(path)
    jobs = {job.name: job for job in read}
    others = {job.name: job for job in read_workload(folder(moment) / "scontrol-job.txt")}
    assert jobs.keys() == others.keys()
    for name, job in jobs.items():
        other = others[name]
        assert (job.profile.delay, job.walltime, job.submission_time, job.user, job.group) == (
            other.profile.delay, other.walltime, other.submission_time, other.user, other.group,
        )  # fmt: skip
        same = "time_limit nice nodes exclude features licences reservation qos dependencies exclusive array_limit"
        for field in (*same.split(), "partitions", "gres_per_node", "name", "begin", "tasks"):
            if field == "gres_per_node" and name in {"31", "15", "130", "114"}:
                continue  # scontrol shows of running jobs what they have, not what they asked for
            if field == "tasks" and job.ask.name == "deadline":
                continue  # scontrol shows all CPUs of the nodes that it would have had
            assert getattr(job.ask, field) == getattr(other.ask, field), (name, field)
    assert {fault.message for fault in read.warnings if "not known" in fault.message} == set()


def test_what_the_request_was_is_told_better_than_by_scontrol():
    jobs = {job.ask.name: job for job in read_workload(folder("clean/during") / "squeue-json.json.gz")}
    assert jobs["highpre"].ask.exclusive
    assert jobs["highpre"].ask.gres_per_node == ()  # it has all of its node's, and asked for none
    assert (jobs["feat"].ask.tasks, jobs["feat"].ask.cpus_per_task) == (2, 2)
    assert len(jobs["het"].ask.components) == 1
    assert [name for name in jobs if name == "held"] == []


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_site_is_that_of_scontrol(moment):
    path = folder(moment) / "sinfo-json.json"
    assert find_format(path, "platform").name == "sinfo-json"
    one, other = read_platform(path), read_platform(folder(moment) / "scontrol-node.txt")
    assert one.site.nodes == other.site.nodes
    assert one.site.partitions == other.site.partitions  # of scontrol-partition.txt beside
    assert one.hosts == other.hosts


def test_nodes_alone_say_in_which_partitions_they_are(tmp_path):
    path = tmp_path / "nodes.json"
    path.write_bytes((folder("clean/during") / "sinfo-json.json").read_bytes())
    site = read_platform(path).site
    parts = {one.name: one.nodes for one in site.partitions}
    assert list(parts) == ["main", "all", "ex", "gpu"]
    assert parts["gpu"] == ("n7", "n8")


def endless(number=None):
    return {"set": number is not None, "infinite": number is None, "number": number or 0}


def group(names, partition, cpus=64, state=("IDLE",), gres=""):
    def span(value):
        return {"minimum": value, "maximum": value}

    return {
        "port": 6818,
        "node": {"state": list(state)},
        "nodes": {
            "allocated": 0,
            "idle": 1,
            "other": 0,
            "total": 1,
            "hostnames": [],
            "addresses": [],
            "nodes": names,
        },
        "cpus": {"allocated": 0, "idle": cpus, "other": 0, "total": cpus} | span(cpus),
        "sockets": span(2),
        "cores": span(cpus // 4),
        "threads": span(2),
        "disk": span(0),
        "memory": {"free": span(1), "allocated": 0} | span(256000),
        "weight": span(3),
        "features": {"total": "amd,rome", "active": "amd"},
        "gres": {"total": gres, "used": ""},
        "cluster": "big",
        "comment": "",
        "extra": "",
        "reason": {"description": "", "time": 0, "user": ""},
        "reservation": "",
        "partition": partition,
    }


def part(name, nodes, **more):
    made = {
        "name": name,
        "nodes": {"allowed_allocation": "", "configured": nodes, "total": 2},
        "accounts": {"allowed": "", "deny": "guests"},
        "groups": {"allowed": ""},
        "qos": {"allowed": "normal,long", "deny": "", "assigned": "part"},
        "alternate": "",
        "tres": {"billing_weights": "CPU=1.0,GRES/gpu=8", "configured": "cpu=1"},
        "cluster": "",
        "cpus": {"task_binding": 0, "total": 128},
        "defaults": {"memory_per_cpu": (1 << 63) + 2000, "time": endless(30), "job": ""},
        "grace_time": 60,
        "maximums": {
            "cpus_per_node": endless(48), "cpus_per_socket": endless(), "memory_per_cpu": 0, "nodes": endless(4),
            "shares": 1, "time": endless(2880), "over_time_limit": {"set": False, "infinite": False, "number": 0},
        },
        "minimums": {"nodes": 1},
        "node_sets": "",
        "priority": {"job_factor": 10, "tier": 5},
        "timeouts": {"resume": endless(), "suspend": endless()},
        "partition": {"state": ["UP"]},
        "suspend_time": endless(),
    }  # fmt: skip
    return made | more


def written(tmp_path, *groups):
    path = tmp_path / "sinfo"
    path.write_text(
        json.dumps({"sinfo": list(groups), "meta": {"slurm": {"release": "24.11.1"}}, "errors": []}, indent=1)
    )
    return path


def test_newer_releases_list_groups_of_nodes_with_their_partitions(tmp_path):
    cpu = part("cpu", "c[1-2],g1", maximums={**part("x", "")["maximums"], "shares": 0})
    gpu = part("gpu", "g1", partition={"state": ["DOWN"]}, maximums={**part("x", "")["maximums"], "shares": 32772})
    path = written(
        tmp_path,
        group(["c1", "c2"], cpu),
        group(["g1"], cpu, gres="gpu:a100:4(S:0-1)", state=("MIXED",)),
        group(["g1"], gpu, gres="gpu:a100:4(S:0-1)", state=("MIXED",)),
    )
    assert find_format(path, "platform").name == "sinfo-json"
    site = read_platform(path).site
    first, second, third = site.nodes
    assert (first.name, first.cpus, first.sockets, first.cores_per_socket, first.threads_per_core) == (
        "c1",
        64,
        2,
        16,
        2,
    )
    assert (second.name, third.name, first.memory, first.weight, first.features) == (
        "c2", "g1", 256000, 3, ("amd", "rome"),
    )  # fmt: skip
    assert third.gres == (GresItem(name="gpu", type="a100", count=4),)
    one, two = site.partitions
    assert (one.name, one.nodes, one.max_time, one.default_time, one.max_nodes) == (
        "cpu",
        ("c1", "c2", "g1"),
        2880,
        30,
        4,
    )
    assert (one.priority_tier, one.priority_job_factor, one.deny_accounts, one.allow_qos, one.qos) == (
        5, 10, ("guests",), ("normal", "long"), "part",
    )  # fmt: skip
    assert (one.max_cpus_per_node, one.default_memory_per_cpu, one.grace_time) == (48, 2000, 60)
    assert one.billing_weights == {"cpu": 1.0, "gres/gpu": 8.0}
    assert (one.over_subscribe, two.over_subscribe, two.share_count) == (
        OverSubscribe.EXCLUSIVE,
        OverSubscribe.FORCE,
        4,
    )
    assert (one.state, two.state) == ("UP", "DOWN")


def test_partitions_in_a_file_beside(tmp_path):
    path = tmp_path / "nodes.json"
    path.write_bytes((folder("clean/during") / "sinfo-json.json").read_bytes())
    (tmp_path / "scontrol-partition.json").write_text(json.dumps({"partitions": [part("main", "n[1-6]")]}))
    parts = {one.name: one for one in read_platform(path).site.partitions}
    assert parts["main"].max_nodes == 4
    assert parts["gpu"].max_nodes is None  # that file does not tell it, the nodes do


FAULTS = [
    ('{"jobs": [{"job_state": "X",]}', "workload", "not valid JSON", 1),
    ('{"jobs": {"job_state": 1}}', "workload", "'jobs' is an object, an array is expected", 0),
    ('{"jobs": [\n 3, {"job_state": ["PENDING"]}]}', "workload", "it is an integer, an object is expected", 2),
    ('{"jobs": [\n {"job_state": ["RUNNING"], "job_id": 4}]}', "workload", "SubmitTime of the job is missing", 2),
    (
        '{"jobs": [\n {"job_state": "RUNNING", "job_id": "four"}]}',
        "workload",
        "the job is not as squeue writes it",
        2,
    ),
    ('{"jobs": [\n {"job_state": "RUNNING", "time_limit": {"set": true}}]}', "workload", "'number' is missing", 2),
    ('{"nodes": [\n {"real_memory": 5}]}', "platform", "it is not as Slurm writes it: 'name' is missing", 2),
    ('{"nodes": [\n\n 7, {"real_memory": 5, "name": "n1"}]}', "platform", "it is an integer, an object", 3),
    ('{"nodes": [\n {"name": "n[1", "real_memory": 5}]}', "platform", "'n[1': brackets do not match", 2),
    ('{"nodes": [\n {"name": "n1", "real_memory": "much"}]}', "platform", "RealMemory is 'much', an integer", 2),
    ('{"sinfo": [\n {"threads": {}}]}', "platform", "it is not as Slurm writes it", 2),
    ('{"sinfo": [\n {"threads": {}, "partition": {"name": {}}}]}', "platform", "an object stands where a text is expected", 2),
    ('{"nodes": [\n {"name": "n1", "partitions": {"a": 1}, "real_memory": 5}]}', "platform", "an object stands where", 2),
    (
        '{"sinfo": [\n {"threads": {}, "partition": {"name": "p", "defaults": {"memory_per_cpu": "much"}}}]}',
        "platform",
        "an amount of memory is 'much', MB are expected",
        2,
    ),
    (
        '{"jobs": [\n {"job_state": "RUNNING", "submit_time": 9, "memory_per_cpu": 1e30}]}',
        "workload",
        "an amount of memory such as 4000 or 4G is expected",
        2,
    ),
]


@pytest.mark.parametrize(("text", "kind", "message", "line"), FAULTS, ids=[str(k) for k in range(len(FAULTS))])
def test_faults_have_their_line(tmp_path, text, kind, message, line):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        (read_workload if kind == "workload" else read_platform)(path)
    found = [one for one in caught.value.findings if message in one.message]
    assert found, [one.message for one in caught.value.findings]
    assert found[0].line == line


def test_nodes_of_a_group_that_differ_are_refused_with_the_command_to_run(tmp_path):
    odd = group(["a", "b"], part("cpu", "a,b"))
    odd["cpus"]["minimum"] = 32
    with pytest.raises(InputError, match="cpus of its nodes are 32 to 64: sinfo -N --json tells them one by one"):
        read_platform(written(tmp_path, odd))


TEXTS = {
    "workload": json.dumps({"jobs": [{
        "job_id": 5, "name": "x", "user_name": "ann", "job_state": ["RUNNING"], "submit_time": {"set": True, "number": 9},
        "time_limit": {"set": True, "infinite": False, "number": 5}, "cpus": {"set": True, "number": 4},
        "tres_req_str": "cpu=4,node=1", "array_job_id": {"set": True, "number": 5}, "array_task_string": "1-3%2",
        "shared": ["none"], "nice": 3,
    }]}),
    "platform": json.dumps({"nodes": [{
        "name": "n[1-2]", "cpus": 4, "sockets": 1, "cores": 4, "threads": 1, "real_memory": 4000, "state": ["IDLE"],
        "partitions": ["a"], "features": "x", "gres": "gpu:2", "weight": 1,
    }]}),
}  # fmt: skip


@pytest.mark.parametrize("kind", TEXTS)
@given(st.integers(0, 400), st.integers(0, 9), st.text(alphabet='{}[]",:0-9.eé\\ntrue', max_size=5))
def test_mutated_listings(tmp_path_factory, kind, place, gone, instead):
    """A damaged listing is read, or refused with what is wrong."""
    text = TEXTS[kind]
    path = tmp_path_factory.mktemp("json") / "x.json"
    path.write_text(text[:place] + instead + text[place + gone :], encoding="utf-8")
    name = "squeue-json" if kind == "workload" else "sinfo-json"
    try:
        read = (read_workload if kind == "workload" else read_platform)(path, format=name)
    except InputError as fault:
        assert all(found.message for found in fault.findings)  # noqa: PT017 -- either may be
    else:
        assert all(job.request.processors > 0 for job in read) if kind == "workload" else read.hosts
