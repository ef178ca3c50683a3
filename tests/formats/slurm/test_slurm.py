"""Slurm: accounting data as a workload, slurm.conf as a platform, lists of hosts."""

import json
from math import inf, nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared import shared
from windtunnel.diagnostics import InputError, Severity, UsageError
from windtunnel.formats.recognition import find_format
from windtunnel.formats.registry import read_platform, read_workload
from windtunnel.formats.slurm.conf import read_slurm_conf
from windtunnel.formats.slurm.sacct import read_sacct
from windtunnel.formats.slurm.values import date, duration, expand_hosts, fold_hosts


@pytest.fixture
def file(tmp_path):
    def write(content, name="input"):
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write


HEAD = (
    "JobID|User|Account|Partition|Submit|Start|End|State|TimelimitRaw|ElapsedRaw|NCPUS|SubmitLine|Comment|WorkDir\n"
)


def row(
    job="7", submit="2024-01-01T00:00:10", state="COMPLETED", limit="10", run="60", cpus="4", line="sbatch x", **more
):
    start, end = more.get("start", "Unknown"), more.get("end", "Unknown")
    return f"{job}|ann|physics|long|{submit}|{start}|{end}|{state}|{limit}|{run}|{cpus}|{line}|{more.get('comment', '')}|/home\n"


def test_rows_become_jobs(file):
    text = HEAD + row() + row("7.batch") + row("8_3", "2024-01-01T00:00:00", "TIMEOUT", "1", "61")
    path = file(
        text + row("9+1", "2024-01-01T00:01:00", "CANCELLED by 75200", run="0") + row("10", limit="UNLIMITED")
    )
    assert find_format(path, "workload").name == "sacct"
    read = read_workload(path)
    eight, seven, ten = read
    assert [job.id for job in read] == ["w0!8_3", "w0!7", "w0!10"]
    assert (seven.submission_time, seven.profile.delay, seven.walltime) == (10, 60, 600)
    assert (seven.request.processors, seven.user, seven.group, seven.queue) == (4, "ann", "physics", "long")
    assert (eight.walltime, ten.walltime) == (nextafter(61, 62), inf)
    assert read.start_date == 1704067200
    assert read.report.dropped == {"cancelled before it ran": 1}
    assert read.report.noted == {"row of a step, left out": 1}
    assert read.report.statuses == {"cancelled": 1, "completed": 2, "timeout": 1}
    assert read_workload(path, walltime="kill")[0].walltime == 60
    assert read.with_cores(3)[0].request.hosts == 2


def test_other_columns_serve_as_well(file):
    head = "JobID|Submit|Start|End|Timelimit|AllocTRES|ReqCPUS|Elapsed\n"
    first = "1|2024-01-01T00:00:00|2024-01-01T00:01:00|2024-01-01T00:01:30|1-00:00:00|billing=2,cpu=6,mem=4G|2|\n"
    second = "2|2024-01-01T00:00:00|Unknown|Unknown|Partition_Limit||3|00:00:07\n"
    one, two = read_sacct(file(head + first + second))
    assert (one.profile.delay, one.walltime, one.request.processors) == (30, 86400, 6)
    assert (two.profile.delay, two.walltime, two.request.processors) == (7, nextafter(7, 8), 3)


@pytest.mark.parametrize(
    "texts",
    [
        {"line": "sbatch --wrap=env | grep X | sed s/a/b/"},
        {"line": "bash -c 'if x\nthen\n  y\nfi'"},
        {"line": "a|b\n|c\n\nd|", "comment": "p|q"},
        {"comment": "|\n|"},
    ],
)
def test_separators_and_lines_in_the_texts_of_users(file, texts):
    read = read_sacct(file(HEAD + row("1") + row("2", **texts) + row("3")))
    assert [job.name for job in read] == ["1", "2", "3"]
    assert {job.queue for job in read} == {"long"}


def test_rows_that_end_with_a_separator(file):
    text = (HEAD + row("1") + row("2", line="a|b")).replace("\n", "|\n")
    assert [job.name for job in read_sacct(file(text))] == ["1", "2"]


def sacct_job(**members):
    return {
        "job_id": 5,
        "user": "ann",
        "account": "physics",
        "partition": "long",
        "state": {"current": ["COMPLETED"]},
        "time": {"submission": 1704067200, "elapsed": 60, "limit": {"set": True, "infinite": False, "number": 10}},
        "tres": {"allocated": [{"type": "mem", "count": 9}, {"type": "cpu", "count": 4}]},
        **members,
    }


def test_json(file):
    jobs = [
        sacct_job(),
        sacct_job(job_id=6, array={"job_id": 3, "task_id": {"set": True, "number": 2}}, state={"current": "FAILED"}),
        sacct_job(job_id=7, het={"job_id": 4, "job_offset": {"set": True, "number": 1}}),
        sacct_job(
            job_id=8,
            tres={},
            required={"CPUs": 3},
            time={"submission": 1704067201, "elapsed": 5, "limit": {"infinite": True}},
        ),
        sacct_job(job_id=9, time={"submission": 1704067202, "elapsed": 5, "limit": {"set": False, "number": 0}}),
    ]
    path = file({"jobs": jobs})
    assert find_format(path, "workload").name == "sacct"
    read = {job.name: job for job in read_workload(path)}
    assert set(read) == {"5", "3_2", "4+1", "8", "9"}
    assert (read["5"].walltime, read["5"].request.processors, read["5"].queue) == (600, 4, "long")
    assert (read["8"].walltime, read["8"].request.processors, read["8"].submission_time) == (inf, 3, 1)
    assert read["9"].walltime == nextafter(5, 6)


SACCT_FAULTS = [
    ("nothing", "", [(0, "empty")], "no job in this file"),
    ("no submit", "JobID|ElapsedRaw|NCPUS\n1|2|3\n", [(1, "column")], "no column for Submit"),
    ("no run time", "JobID|Submit|NCPUS\n1||3\n", [(1, "column")], "no column for a run time"),
    ("no processors", "JobID|Submit|Elapsed\n1|Unknown|\n", [(1, "column")], "no column for processors"),
    ("head only", HEAD, [(0, "empty")], "no job in this file"),
    ("too few fields", HEAD + "1|2|3\n", [(2, "fields")], "3 fields, which do not fit the 14 columns"),
    ("a date", HEAD + row(submit="yesterday"), [(2, "fields")], "Submit is 'yesterday', which is not how sacct"),
    ("no such day", HEAD + row(submit="2024-13-01T00:00:00"), [(2, "value")], "month must be in 1..12"),
    ("a job id", HEAD + row(job="x"), [(2, "fields")], "JobID is 'x', which is not how sacct"),
    ("processors as text", HEAD + row(cpus="four"), [(2, "fields")], "NCPUS is 'four', which is not how sacct"),
    ("run time as text", HEAD + row(run="1:2:3"), [(2, "fields")], "ElapsedRaw is '1:2:3', which is not how sacct"),
    ("a duration", "JobID|Submit|Elapsed|NCPUS\n1|2024-01-01T00:00:00|::|3\n", [(2, "value")], "is not a duration"),
    ("all at once", HEAD + row(job="x") + row() + row(submit="2024-01-32T00:00:00") + "1\n", [(2, "fields"), (4, "value"), (5, "fields")], ""),
    ("not JSON", "{", [(1, "json")], "not valid JSON"),
    ("no jobs", "{}", [(0, "listing")], "there is no 'jobs' in it: it has nothing"),
    ("jobs are null", '{"jobs": null}', [(0, "type")], "'jobs' is null"),
    ("job is a number", '{"jobs": [1]}', [(0, "type")], "a job is an integer"),
    ("job without times", '{"jobs": [{"job_id": 1}]}', [(0, "value")], "'time' is missing"),
    ("state is a number", {"jobs": [sacct_job(state=3)]}, [(0, "value")], "not as sacct writes it"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "places", "message"), [f[1:] for f in SACCT_FAULTS], ids=[f[0] for f in SACCT_FAULTS]
)
def test_faulty_accounting(file, text, places, message):
    with pytest.raises(InputError) as caught:
        read_sacct(file(text))
    assert [(f.line, f.code) for f in caught.value.findings if f.severity is Severity.ERROR] == places
    assert message in str(caught.value)


def test_real_dumps():
    read = read_sacct(shared("traces/slurm/ubccr_sacct_submitline_multiline.log"))
    assert read.report.rows == 6
    assert read.report.noted == {"row of a step, left out": 7}
    assert {job.queue for job in read} == {"partition001", "general-compute"}
    last = read[5]
    assert (last.name, last.request.processors, last.profile.delay, last.walltime) == ("9067954", 576, 9600, 18000)
    assert read_sacct(shared("traces/slurm/ubccr_sacct_dump2110.log")).report.kept == 5


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("a", ["a"]),
        ("a,b1", ["a", "b1"]),
        ("n[08-10]", ["n08", "n09", "n10"]),
        ("n[1,3-4]x", ["n1x", "n3x", "n4x"]),
        ("r[1-2]n[1-2]", ["r1n1", "r1n2", "r2n1", "r2n2"]),
        ("a[1-2],b[3]", ["a1", "a2", "b3"]),
        ("n[9-11]", ["n9", "n10", "n11"]),
    ],
)
def test_lists_of_hosts(text, hosts):
    assert expand_hosts(text) == hosts


@given(st.lists(st.from_regex(r"[a-c]{0,2}[0-9]{0,3}[a-c]?", fullmatch=True).filter(bool), max_size=8))
def test_folded_names_are_those_names(names):
    assert (expand_hosts(fold_hosts(names)) if names else []) == names


def test_names_that_follow_each_other_are_ranges():
    assert fold_hosts(["n08", "n09", "n10", "gpu1", "gpu3", "login"]) == "n[08-10],gpu1,gpu3,login"


@pytest.mark.parametrize(
    "text",
    ["", "a,", "n[3-1]", "n[1", "n1]", "n[[1]]", "n[]", "n[a]", "n[1-3/2]", "n[0-9999999]", "n[0-999]x[0-9999]"],
)
def test_faulty_lists_of_hosts(text):
    with pytest.raises(ValueError, match=r"empty|down|match|range|more than"):
        expand_hosts(text)


@given(
    st.lists(
        st.tuples(st.text("abn", min_size=1, max_size=3), st.integers(0, 50), st.integers(0, 5)),
        min_size=1,
        max_size=4,
    )
)
def test_ranges_of_hosts(groups):
    text = ",".join(f"{name}[{low:03}-{low + more:03}]" for name, low, more in groups)
    assert expand_hosts(text) == [f"{name}{n:03}" for name, low, more in groups for n in range(low, low + more + 1)]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1-00:00:01", 86401),
        ("02:00:00", 7200),
        ("00:01.5", 1.5),
        ("UNLIMITED", inf),
        ("Partition_Limit", None),
        ("", None),
    ],
)
def test_durations(text, seconds):
    assert duration(text) == seconds


def test_dates():
    assert date("2021-10-05T11:26:12") == 1633433172
    assert date("2021-10-05T11:26:12+02:00") == 1633433172 - 7200
    assert date("1633433172") == 1633433172
    assert date("Unknown") is None


CONF = """# a cluster
ClusterName=test
nodename=DEFAULT RealMemory=2000 Sockets=2 CoresPerSocket=8 \\
   ThreadsPerCore=2
NodeName=n[1-3] Weight=5 Feature="a,b"   # three of them
NodeName=g[1-2] CPUs=4 Gres=gpu:tesla:2,gpu:1,mps:100 State=UNKNOWN
NodeName=old State=DOWN*
NodeName=soon Boards=2 SocketsPerBoard=2 State=FUTURE
PartitionName=DEFAULT MaxTime=1
PartitionName=all Nodes=ALL Default=YES
PartitionName=gpu Nodes=g[1-2]
"""


def test_slurm_conf(file):
    path = file(CONF)
    assert find_format(path, "platform").name == "slurm"
    platform = read_platform(path)
    assert platform.name == "test"
    assert [host.name for host in platform.hosts] == ["n1", "n2", "n3", "g1", "g2"]
    assert [host.id for host in platform.hosts] == [0, 1, 2, 3, 4]
    n1, g1 = platform.hosts[0], platform.hosts[3]
    assert (n1.cores, dict(n1.resources)) == (32, {"memory": 2000 * 1048576})
    assert n1.properties == {"partition": "all", "feature": "a,b", "weight": "5"}
    assert (g1.cores, g1.resources["gpus"], g1.properties["partition"]) == (4, 3, "all,gpu")
    assert [h.name for h in read_platform(path, partition="gpu", speed="2e9").hosts] == ["g1", "g2"]
    for speed in ("0", "-1", "nan", "inf"):
        with pytest.raises(UsageError, match="speed must be a number greater than 0"):
            read_platform(path, speed=speed)
    everything = read_slurm_conf(path, all_states=True, speed=5.0).hosts
    assert [(h.name, h.cores, h.speed) for h in everything[5:]] == [("old", 32, 5), ("soon", 32, 5)]
    with pytest.raises(UsageError, match="there is no partition 'gpus'\n  hint: did you mean 'gpu'"):
        read_slurm_conf(path, partition="gpus")


def test_partitions_of_unknown_nodes_are_a_warning(file):
    platform = read_slurm_conf(file("NodeName=a\nPartitionName=p Nodes=a,b\n"))
    assert [f.message for f in platform.warnings] == ["partition 'p': there is no node 'b'"]


def test_columns_of_one_name_are_told(file):
    text = "JobID|Submit|ElapsedRaw|NCPUS|State|NCPUS\n1|2020-01-01T00:00:00|100|8|COMPLETED|2\n"
    read = read_workload(file(text), format="sacct")
    assert [job.request.processors for job in read] == [2]
    assert "several columns are called 'NCPUS': the last one counts" in {found.message for found in read.warnings}


def test_states_that_slurm_does_not_have_are_told(file):
    platform = read_slurm_conf(file("NodeName=a[1-3] State=DWON\nNodeName=b State=IDLE+DRIAN*\nNodeName=c State=idle\n"))
    assert len(platform.hosts) == 5
    assert [(f.line, f.message, f.hint) for f in platform.warnings] == [
        (1, "State 'DWON' is not known: it has no effect", "did you mean 'DOWN'?"),
        (2, "State 'DRIAN' is not known: it has no effect", "did you mean 'DRAIN'?"),
    ]


def test_included_files(file, tmp_path):
    (tmp_path / "nodes.conf").write_text("NodeName=a\nNodeName=b CPUs=x\n")
    with pytest.raises(InputError) as caught:
        read_slurm_conf(file("ClusterName=c\nInclude nodes.conf\ninclude none.conf\n"))
    found = [(f.file.removeprefix(str(tmp_path)), f.line, f.code) for f in caught.value.findings]
    assert sorted(found) == [("/input", 3, "unreadable"), ("/nodes.conf", 2, "number")]
    loop = file("Include input\nNodeName=a\n")
    with pytest.raises(InputError, match="more than 50 files are included"):
        read_slurm_conf(loop)


CONF_FAULTS = [
    ("nothing", "", [(0, "empty", "there is no node")]),
    ("no node", "ClusterName=x\n", [(0, "empty", "there is no node")]),
    ("only defaults", "NodeName=DEFAULT CPUs=2\n", [(0, "empty", "there is no node")]),
    ("all gone", "NodeName=a State=DRAIN\n", [(0, "empty", "there is no node")]),
    ("brackets", "NodeName=a[1-2\n", [(1, "hosts", "'a[1-2': brackets do not match")]),
    ("a falling range", "NodeName=a[2-1]\n", [(1, "hosts", "'a[2-1]': the range '2-1' is descending")]),
    ("an empty part", "NodeName=a,,b\n", [(1, "hosts", "'a,,b' has an empty part")]),
    ("no name", 'NodeName="" CPUs=2\n', [(1, "hosts", "'' has an empty part")]),
    ("twice", "NodeName=a\nNodeName=a\n", [(2, "duplicate", "node 'a' is given more than once")]),
    ("CPUs", "NodeName=a CPUs=two\n", [(1, "number", "CPUs is 'two', an integer >= 1 is expected")]),
    ("no CPU", "NodeName=a CPUs=0\n", [(1, "number", "CPUs is '0', an integer >= 1 is expected")]),
    ("too many", "NodeName=a CPUs=65534\nNodeName=b CPUs=65533\n", [
        (1, "number", "a node has 65,534 CPUs, and Slurm counts at most 65,533")]),
    ("too many cores", "NodeName=a[1-9] Sockets=999999 CoresPerSocket=999999\n", [
        (1, "number", "a node has 999,998,000,001 CPUs, and Slurm counts at most 65,533")]),
    ("sockets", "NodeName=a Sockets=-1\n", [(1, "number", "Sockets is '-1', an integer >= 1 is expected")]),
    ("cores", "NodeName=a CoresPerSocket=1.5\n", [(1, "number", "CoresPerSocket is '1.5', an integer >= 1 is expected")]),
    ("threads", "NodeName=a ThreadsPerCore=\n", [(1, "number", "ThreadsPerCore is '', an integer >= 1 is expected")]),
    ("memory", "NodeName=a RealMemory=4G\n", [(1, "number", "RealMemory is '4G', an integer >= 0 is expected")]),
    ("GPUs", "NodeName=a Gres=gpu:x:many\n", [(1, "number", "gres is 'gpu:x:many': 'many' is not a number of gpu")]),
    ("partition", "NodeName=a\nPartitionName=p Nodes=a[\n", [(2, "hosts", "'a[': brackets do not match")]),
    ("all at once", "NodeName=a CPUs=x\n\nNodeName=b] \nNodeName=c TmpDisk=-\n", [
        (1, "number", "CPUs is 'x', an integer >= 1 is expected"),
        (3, "hosts", "'b]': brackets do not match"),
        (4, "number", "TmpDisk is '-', an integer >= 0 is expected")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [f[1:] for f in CONF_FAULTS], ids=[f[0] for f in CONF_FAULTS])
def test_faulty_slurm_conf(file, text, expected):
    with pytest.raises(InputError) as caught:
        read_slurm_conf(file(text))
    errors = [f for f in caught.value.findings if f.severity is Severity.ERROR]
    assert [(f.line, f.code, f.message) for f in errors] == expected


def test_a_real_slurm_conf():
    platform = read_slurm_conf(shared("traces/slurm/ubccr_medium_cluster_slurm.conf"))
    assert len(platform.hosts) == 217
    assert sum(host.cores for host in platform.hosts) == 89 * 32 + 128 * 40
    assert sum(host.resources.get("gpus", 0) for host in platform.hosts) == 20
