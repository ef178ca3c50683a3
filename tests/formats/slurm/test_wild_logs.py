"""Accounting and listings as people keep them: other separators, no header, columns and keys of other releases."""

import json

import pytest

from windtunnel.diagnostics import Findings, InputError
from windtunnel.formats.recognition import guess_format
from windtunnel.formats.slurm.accounts import read_associations
from windtunnel.formats.slurm.accounts_dump import read_dump
from windtunnel.formats.slurm.json_jobs import read_squeue_json
from windtunnel.formats.slurm.reservations import read_reservations
from windtunnel.formats.slurm.rows import rows
from windtunnel.formats.slurm.sacct import read_sacct
from windtunnel.formats.slurm.scontrol import read_scontrol
from windtunnel.formats.slurm.site import zone_of
from windtunnel.formats.slurm.snapshot import read_scontrol_job

LOG = """JobID|State|Submit|Start|ElapsedRaw|NCPUS|NNodes|TimelimitRaw
1|COMPLETED|2024-01-01T10:00:00|2024-01-01T10:00:05|60|4|2|5
2|FAILED|2024-01-01T10:00:01|2024-01-01T10:00:06|200|8|2|5
"""


@pytest.fixture
def file(tmp_path):
    def write(text, name="input"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def codes(found):
    return [one.code for one in found.warnings if one.code not in ("history", "trace")]


@pytest.mark.parametrize("mark", [",", ";", "\t", "^", "~"])
@pytest.mark.parametrize("name", ["jobs.txt", "jobs.csv"])
def test_the_head_tells_what_stands_between_the_columns(file, mark, name):
    path = file(LOG.replace("|", mark), name)
    assert guess_format(path).name == "sacct"
    jobs = list(read_sacct(path))
    assert [(job.id, job.request.processors) for job in jobs] == [("w0!1", 4), ("w0!2", 8)]
    assert [job.walltime for job in jobs] == [300, 300]


def test_a_separator_in_the_head_alone_makes_no_log_of_sacct(file):
    with pytest.raises(InputError, match="none of the known formats"):
        guess_format(file("JobID,colour\n1,red\n"))


def test_a_log_without_a_head_is_named_as_one(file):
    path = file(LOG.split("\n", 1)[1])
    assert guess_format(path).name == "sacct"
    with pytest.raises(InputError) as caught:
        read_sacct(path)
    (one,) = caught.value.findings
    assert one.message == "the names of the columns are missing: sacct -n and squeue -h leave them out"
    assert "columns=JobID,Submit" in one.hint
    assert len(list(read_sacct(path, columns=LOG.split("\n", 1)[0].replace("|", ",")))) == 2


@pytest.mark.parametrize(
    ("written", "per_node", "per_job"),
    [
        ("gpu:2", [("gpu", "", 2)], []),
        ("PER_NODE:gpu:tesla:1", [("gpu", "tesla", 1)], []),
        ("PER_JOB:gpu:3", [], [("gpu", "", 3)]),
        ("PER_JOB:gpu:4", [("gpu", "", 2)], []),
        ("", [], []),
    ],
)
def test_devices_of_old_releases(file, written, per_node, per_job):
    head, *rows = LOG.splitlines()
    text = "\n".join([f"{head}|ReqGRES|ReqTRES", *(f"{row}|{written}|cpu=4,node=2" for row in rows)])
    asks = [job.ask for job in read_sacct(file(text))]
    for ask in asks:
        assert [(one.name, one.type, one.count) for one in ask.gres_per_node] == per_node
        assert [(one.name, one.type, one.count) for one in ask.gres_per_job] == per_job


JOB = """JobId=7 Name=old
   UserId=ann(1000) GroupId=x(1)
   Priority=1 Account=(null) QOS=(null)
   JobState=PENDING Reason=Resources Dependency=(null)
   RunTime=00:00:00 TimeLimit=00:10:00 TimeMin=N/A
   SubmitTime=2024-01-01T10:00:00 EligibleTime=2024-01-01T10:00:00
   StartTime=Unknown EndTime=Unknown
   Partition=p NumNodes=2 NumCPUs=4 CPUs/Task=1
"""


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Shared=0", (False, False, False)),
        ("Shared=OK", (False, False, False)),
        ("Shared=NO", (True, False, False)),
        ("OverSubscribe=OK Exclusive=NODE", (True, False, False)),
        ("OverSubscribe=OK Exclusive=USER", (False, True, False)),
        ("OverSubscribe=OK SpreadJob=Yes", (False, False, True)),
    ],
)
def test_jobs_as_other_releases_print_them(file, written, expected):
    path = file(f"{JOB}   {written} Contiguous=0\n")
    assert guess_format(path).name == "scontrol-job"
    workload = read_scontrol_job(path)
    (ask,) = [job.ask for job in workload]
    assert (ask.name, (ask.exclusive, ask.exclusive_user, ask.spread)) == ("old", expected)
    assert "unknown-member" not in codes(workload)


def test_parts_of_heterogeneous_jobs_of_old_releases(file):
    parts = [
        JOB.replace("JobId=7", f"JobId={7 + part} PackJobId=7 PackJobOffset={part} PackJobIdSet=7-8")
        for part in range(2)
    ]
    (job,) = read_scontrol_job(file("\n".join(parts)))
    assert len(job.ask.components) == 1


def test_nodes_as_new_releases_print_them(file):
    text = "NodeName=n1 Arch=x86_64 CoresPerSocket=4 CPUAlloc=0 CPUTot=8 CPULoad=0.1 Sockets=2 ThreadsPerCore=1"
    more = "RealMemory=100 State=IDLE NextState=RESUME ReservationName=a SuspendTime=INFINITE TLSCertTokenSet=No"
    found = read_scontrol(file(f"{text} {more}\n"))
    assert [host.cores for host in found.hosts] == [8]
    assert found.warnings == ()


def test_who_else_may_use_a_reservation_is_told(file):
    path = file(
        "ReservationName=r StartTime=2024-01-01T10:00:00 EndTime=2024-01-01T12:00:00 Duration=02:00:00\n"
        "   Nodes=n1 NodeCnt=1 QOS=high AllowedPartitions=p State=INACTIVE\n"
    )
    findings = Findings(str(path))
    assert [one.name for one in read_reservations(path, findings, zone_of("UTC"))] == ["r"]
    assert [one.message for one in findings] == [
        "QOS of reservations is not simulated",
        "AllowedPartitions of reservations is not simulated",
    ]


def gres(asks):
    return [(one.name, one.type, one.count) for one in asks]


@pytest.mark.parametrize(
    ("written", "field", "expected"),
    [
        ("TresPerJob=gres/gpu:4", "gres_per_job", [("gpu", "", 4)]),
        ("TresPerJob=gres:gpu:tesla:4", "gres_per_job", [("gpu", "tesla", 4)]),
        ("TresPerNode=gpu:2", "gres_per_node", [("gpu", "", 2)]),
        ("TresPerTask=cpu=4,gres/gpu=1", "gres_per_task", [("gpu", "", 1)]),
        ("TresPerSocket=gres/gpu:1", "gres_per_socket", [("gpu", "", 1)]),
    ],
)
def test_devices_of_jobs_are_asked_for_as_they_were(file, written, field, expected):
    workload = read_scontrol_job(file(f"{JOB}   ReqTRES=cpu=4,node=2,gres/gpu=4 {written}\n"))
    (ask,) = [job.ask for job in workload]
    fields = ("gres_per_job", "gres_per_node", "gres_per_task", "gres_per_socket")
    assert {name: gres(getattr(ask, name)) for name in fields} == {name: [] for name in fields} | {field: expected}
    assert "ignored" not in codes(workload)


def test_what_goes_with_each_gpu_is_followed(file):
    workload = read_scontrol_job(file(f"{JOB}   TresPerJob=gres/gpu:4 CpusPerTres=gres/gpu:3 MemPerTres=gpu:10000\n"))
    (ask,) = [job.ask for job in workload]
    assert (ask.cpus_per_gpu, ask.memory_per_gpu, ask.memory_per_cpu, ask.memory_per_node) == (3, 10000, None, None)
    assert "ignored" not in codes(workload)


@pytest.mark.parametrize("written", ["TresPerTask=license/x:2", "TresPerTask=mem:4G", "CpusPerTres=mic:3"])
def test_what_cannot_be_followed_is_told(file, written):
    workload = read_scontrol_job(file(f"{JOB}   {written}\n"))
    assert [one.message for one in workload.warnings if one.code == "ignored"] == [
        f"{written} of a job is not simulated"
    ]


QUEUE = {
    "job_id": 7, "name": "a", "user_name": "ann", "job_state": ["PENDING"], "partition": "p", "account": "x",
    "submit_time": {"set": True, "infinite": False, "number": 1704103200}, "cpus_per_task": 8, "cpus": 8, "tasks": 1,
    "time_limit": {"set": True, "infinite": False, "number": 10}, "node_count": 1,
}  # fmt: skip
NO_LIMIT = {"set": False, "infinite": True, "number": 0}


@pytest.mark.parametrize(
    ("member", "value", "is_told"),
    [
        ("thread_spec", 32766, False),
        ("thread_spec", 2, True),
        ("tasks_per_core", NO_LIMIT, False),
        ("tasks_per_core", {"set": True, "infinite": False, "number": 1}, True),
        ("minimum_cpus_per_node", 8, False),
        ("minimum_cpus_per_node", 9, True),
        ("hold", False, False),
        ("oversubscribe", True, False),
    ],
)
def test_members_of_squeue_that_say_nothing_are_not_told(file, member, value, is_told):
    workload = read_squeue_json(file(json.dumps({"jobs": [QUEUE | {member: value}]})))
    assert ("ignored" in codes(workload)) == is_told
    assert "unknown-member" not in codes(workload)


@pytest.mark.parametrize(
    ("member", "hint"),
    [("partitions", "scontrol-partition.json"), ("associations", "sacctmgr-assoc.txt"), ("qos", "sacctmgr"), ("x", "")],
)
def test_other_listings_in_json_are_named_by_what_they_hold(file, member, hint):
    with pytest.raises(InputError) as caught:
        read_sacct(file(json.dumps({member: [], "meta": {}})))
    (one,) = caught.value.findings
    assert one.message == f"there is no 'jobs' in it: it has {member!r}, 'meta'"
    assert hint in one.hint


def test_dates_of_reservations_that_cannot_be_read_are_told_once(file):
    path = file("ReservationName=r StartTime=14:24:22 EndTime=2024-01-01T12:00:00 Nodes=n1\n")
    findings = Findings(str(path))
    read_reservations(path, findings, zone_of("UTC"))
    assert [one.message.partition(",")[0] for one in findings] == ["StartTime is '14:24:22'"]


DUMP = """QOS - 'normal':Description='x':Priority=5
Cluster - 'c':Fairshare=1:QOS='normal'
Parent - 'root'
Account - 'a':GrpCPUs=10:GrpNodes=4:GrpCPUMins=1000:MaxCPUsPerJob=8:QOS+='high,long':Comment='y'
Account - 'b':
Parent - 'a'
User - 'ann':DefaultAccount='a':MaxNodesPerJob=2:MaxWallDurationPerJob=60
"""


def test_dumps_of_old_and_new_releases(file):
    path = file(DUMP)
    findings = Findings(str(path))
    root, first, second, ann = read_dump(path, findings)
    assert (root.account, second.account) == ("root", "b")
    assert (first.limits.grp_tres, first.limits.grp_tres_mins) == ({"cpu": 10, "node": 4}, {"cpu": 1000})
    assert (first.limits.max_tres_per_job, first.qos) == ({"cpu": 8}, ("normal", "high", "long"))
    assert (ann.limits.max_tres_per_job, ann.limits.max_wall_per_job) == ({"node": 2}, 60)
    assert [one.message for one in findings] == [
        "QOS 'normal' is read from what sacctmgr -P show qos prints only"
    ]


def test_tables_whose_rows_end_with_a_separator(file):
    path = file("Cluster|Account|User|Share|GrpMem|QOS|\nx|root||1||normal|\nx|root|ann|2|4000|normal,high|\n")
    findings = Findings(str(path))
    _, ann = read_associations(path, findings)
    assert (ann.user, ann.shares, ann.qos, ann.limits.grp_tres) == ("ann", 2, ("normal", "high"), {"mem": 4000})
    assert list(findings) == []


@pytest.mark.parametrize(
    ("written", "per_node", "messages"),
    [
        ("ReqB:S:C:T=0:0:*:* Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*", None, []),
        ("NtasksPerN:B:S:C=2:0:*:*", 2, []),
        ("NtasksPerN:B:S:C=0:0:*:1", None, ["'NtasksPerN:B:S:C' of a job is not simulated"]),
        ("ReqB:S:C:T=0:0:*:1", None, ["'ReqB:S:C:T' of a job is not simulated"]),
        ("Socks/Node=2", None, ["'Socks/Node' of a job is not simulated"]),
        ("CoreSpec=1", None, ["'CoreSpec' of a job is not simulated"]),
    ],
)
def test_how_tasks_are_laid_out(file, written, per_node, messages):
    workload = read_scontrol_job(file(f"{JOB}   {written}\n"))
    (ask,) = [job.ask for job in workload]
    assert ask.tasks_per_node == per_node
    assert [one.message for one in workload.warnings if one.code == "ignored"] == messages


@pytest.mark.parametrize(
    "comment, constraints",
    [("some|words", ""), ("some words|and more|words", ""), ("", "intel|amd"), ("words", "intel|amd")],
)
def test_a_separator_in_a_comment_makes_no_constraint_of_what_is_behind_it(comment, constraints):
    """Columns of nothing stand beside both in what ``sacct --format=ALL`` prints."""
    head = "JobID|Comment|Constraints|ConsumedEnergy|Container|NCPUS|Submit"
    text = f"{head}\n1|{comment}|{constraints}|||4|2024-01-01T10:00:00\n"
    ((_, row),) = rows(text, Findings("log"))
    assert (row["Comment"], row["Constraints"], row["Container"]) == (comment, constraints, "")
