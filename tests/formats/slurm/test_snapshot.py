"""``scontrol show job`` as the jobs of an instant: the recorded samples, tasks of arrays, odd texts, mutations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared import shared
from windtunnel.diagnostics import InputError
from windtunnel.formats.recognition import find_format
from windtunnel.formats.registry import read_workload
from windtunnel.formats.slurm.snapshot import read_scontrol_job
from windtunnel.model.slurm import Dependency, GresAsk

MOMENTS = ["clean/during", "clean/after", "during", "after"]


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("name", ["scontrol-job.txt", "scontrol-job-oneline.txt"])
def test_recorded_samples_say_what_accounting_says(moment, name):
    path = shared(f"golden/slurm/formats/{moment}") / name
    assert find_format(path, "workload").name == "scontrol-job"
    jobs = {job.ask.name: job for job in read_workload(path)}
    told = next(one for one in (path.parent / f"sacct-all-parsable.txt{end}" for end in ("", ".gz")) if one.is_file())
    logged = {job.ask.name: job for job in read_workload(told)}
    for known in ("done", "gpu", "mem", "feat", "inresv", "lic", "excl"):
        one, other = jobs[known], logged[known]
        assert (one.request.processors, one.user, one.group, one.queue) == (
            other.request.processors, other.user, other.group, other.queue,
        )  # fmt: skip
        assert (one.ask.time_limit, one.ask.gres_per_node, one.ask.licences) == (
            other.ask.time_limit, other.ask.gres_per_node, other.ask.licences,
        )  # fmt: skip
        assert (one.ask.features, one.ask.reservation, one.ask.qos) == (
            other.ask.features, other.ask.reservation, other.ask.qos,
        )  # fmt: skip
        memory = (one.ask.memory_per_cpu, one.ask.memory_per_node)
        assert memory == (other.ask.memory_per_cpu, other.ask.memory_per_node) or known == "gpu"
    assert jobs["gpu"].ask.gres_per_node == (GresAsk(name="gpu", count=2),)
    assert "held" not in jobs
    if moment == "clean/during":
        assert jobs["excl"].profile.delay == 120  # it runs: as long as its limit
    if moment == "clean/during":
        assert len(jobs["het"].ask.components) == 1
        assert jobs["depend"].ask.dependencies == (Dependency(kind="afternotok", job="5"),)


def test_what_is_made_of_states_is_told():
    read = read_workload(shared("golden/slurm/formats/clean/during") / "scontrol-job.txt")
    assert read.report.noted == {
        "held: left out": 1,
        "pending: lasts as long as its time limit": 8,
        "running: lasts as long as its time limit": 3,
        "suspended: lasts as long as its time limit": 1,
    }
    assert read.recorded["w0!1"].waited == 0.0
    assert read.recorded["w0!1"].nodes == "n1"


HEAD = "JobId=7 JobName=a b\n   UserId=ann(5) Account=phys QOS=normal JobState={state} Reason=None\n"
REST = (
    "   SubmitTime=2024-01-01T00:00:10 StartTime=Unknown RunTime=00:00:30 TimeLimit={limit}\n   Partition=p "
    "NumNodes=2-4 NumCPUs=8 NumTasks=4 CPUs/Task=2 TRES=cpu=8,mem=4G,node=2 MinMemoryNode=2G Nice=-3{more}\n"
)


@pytest.fixture
def jobs(tmp_path):
    def read(state="PENDING", limit="01:00:00", more=""):
        (tmp_path / "jobs").write_text((HEAD + REST).format(state=state, limit=limit, more=more))
        return list(read_scontrol_job(tmp_path / "jobs"))

    return read


def test_a_job(jobs):
    (job,) = jobs()
    assert (job.name, job.ask.time_limit, job.profile.delay, job.request.processors) == ("7", 60, 3600, 8)
    ask = job.ask
    assert (ask.name, ask.tasks, ask.cpus_per_task, ask.nice, ask.min_nodes) == ("a b", 4, 2, -3, 2)
    assert (ask.memory_per_node, ask.exclusive) == (2048, False)
    assert jobs(state="COMPLETED")[0].profile.delay == 30
    (job,) = jobs(more=" Deadline=2024-01-02T00:00:00 TimeMin=00:10:00 Prefer=fast Contiguous=1")
    assert (job.ask.deadline, job.ask.time_min, job.ask.prefer, job.ask.contiguous) == (1704153600, 10, "fast", True)


@pytest.mark.parametrize(
    ("said", "ways"),
    [
        ("OK", (False, False, False)),
        ("NO", (True, False, False)),
        ("USER", (False, True, False)),
        ("YES", (False, False, True)),
    ],
)
def test_whether_a_job_shares(jobs, said, ways):
    (job,) = jobs(more=f" OverSubscribe={said}")
    assert (job.ask.exclusive, job.ask.exclusive_user, job.ask.over_subscribe) == ways


@pytest.mark.parametrize(
    ("tasks", "names"),
    [("3", ["5_3"]), ("1-7:3,9", ["5_1", "5_4", "5_7", "5_9"]), ("0-2%2", ["5_0", "5_1", "5_2"])],
)
def test_tasks_of_arrays(jobs, tasks, names):
    found = jobs(more=f" ArrayJobId=5 ArrayTaskId={tasks} ArrayTaskThrottle=2")
    assert [job.name for job in found] == names
    assert {job.ask.array_limit for job in found} == {2}


def test_what_nothing_comes_of_is_told(tmp_path):
    (tmp_path / "jobs").write_text(
        (HEAD + REST)
        .format(state="PENDING", limit="5", more=" TresPerTask=license/x:1 Colour=red OverSubscribe=MCS")
        .replace("TimeLimit=5", "TimeLimit=00:05:00")
    )
    told = " ".join(one.message for one in read_scontrol_job(tmp_path / "jobs").warnings)
    assert "Colour" in told
    assert "TresPerTask" in told
    assert "OverSubscribe 'MCS' of a job is not simulated" in told


FAULTS = [
    ("tasks", {"more": " ArrayJobId=5 ArrayTaskId=x"}, "ArrayTaskId is 'x', numbers such as 0-9:2 are expected"),
    ("too many tasks", {"more": " ArrayJobId=5 ArrayTaskId=0-99999999"}, "ArrayTaskId is '0-99999999', numbers"),
    ("a limit", {"limit": "soon"}, "TimeLimit is 'soon', 'soon' is not a duration"),
    ("nodes", {"more": " ReqNodeList=n[1"}, "'n[1': brackets do not match"),
    ("TRES", {"more": " ReqTRES=cpu"}, "ReqTRES is 'cpu', 'cpu': a resource"),
    ("memory", {"more": " MinMemoryCPU=lots"}, "MinMemoryCPU is 'lots', an amount of memory such as 4000 or 4G"),
    ("too much memory", {"more": f" MinMemoryCPU={10**20}"}, "MinMemoryCPU is '100000000000000000000', an amount"),
    ("niceness", {"more": " Nice=very"}, "Nice is 'very', a whole number is expected"),
    ("tasks of a job", {"more": " NumTasks=two"}, "NumTasks is 'two', a whole number, or a range such as 4-8"),
    ("CPUs", {"more": " NumCPUs=4-many"}, "NumCPUs is '4-many', a whole number, or a range"),
    ("nodes of a job", {"more": " NumNodes=1.5"}, "NumNodes is '1.5', a whole number, or a range"),
    ("a throttle", {"more": " ArrayTaskThrottle=x"}, "ArrayTaskThrottle is 'x', a whole number"),
]


@pytest.mark.parametrize(("given", "message"), [one[1:] for one in FAULTS], ids=[one[0] for one in FAULTS])
def test_faults(jobs, given, message):
    with pytest.raises(InputError) as caught:
        jobs(**given)
    assert message in str(caught.value)
    assert {found.line for found in caught.value.findings} == {1}


def test_no_date(tmp_path):
    (tmp_path / "jobs").write_text("JobId=1 JobName=x\n   JobState=PENDING TimeLimit=00:05:00 NumCPUs=1\n")
    with pytest.raises(InputError, match="SubmitTime of the job is missing"):
        read_scontrol_job(tmp_path / "jobs")


TEXT = (HEAD + REST).format(state="RUNNING", limit="01:00:00", more=" ArrayJobId=5 ArrayTaskId=1-3") * 2


@given(st.integers(0, len(TEXT)), st.integers(0, 12), st.text(alphabet="=\n0-9:,Tabc.[]()é", max_size=6))
def test_mutated_records(tmp_path_factory, place, gone, instead):
    """A damaged listing is read, or refused with the line."""
    path = tmp_path_factory.mktemp("jobs") / "jobs"
    path.write_text(TEXT[:place] + instead + TEXT[place + gone :], encoding="utf-8")
    try:
        read = read_scontrol_job(path)
    except InputError as fault:
        assert all(found.message for found in fault.findings)  # noqa: PT017 -- either may be
    else:
        assert all(job.request.processors > 0 for job in read)
