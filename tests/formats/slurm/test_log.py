"""Slurm's accounting: recorded samples by rule, what jobs asked for, what belongs together, and odd texts."""

import gzip
import json
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from shared import shared
from windtunnel.diagnostics import InputError, UsageError
from windtunnel.formats.recognition import find_format
from windtunnel.formats.registry import read_workload
from windtunnel.formats.slurm.sacct import read_sacct
from windtunnel.formats.slurm.submit_line import not_followed, options_in
from windtunnel.formats.slurm.submitted_values import dependencies_in
from windtunnel.model.slurm import Dependency, GresAsk, JobAsk

MOMENTS = ["clean/during", "clean/after", "during", "after"]
TABLES = ["sacct-x-parsable.txt", "sacct-all-parsable.txt", "sacct-dup-all-parsable.txt"]


def sample(moment, name):
    folder = shared(f"golden/slurm/formats/{moment}")
    return next(path for path in (folder / name, folder / f"{name}.gz") if path.is_file())


def by_name(moment, name):
    return {job.ask.name: job for job in read_workload(sample(moment, name))}


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("name", TABLES)
def test_recorded_tables(moment, name):
    jobs = by_name(moment, name)
    done, gpu, lic, het = jobs["done"], jobs["gpu"], jobs["lic"], jobs["het"]
    assert (done.request.processors, done.walltime, done.user, done.group) == (4, 300, "u1", "phys")
    assert (done.ask.tasks, done.ask.memory_per_cpu, done.ask.qos, done.ask.time_limit) == (4, 500, "normal", 5)
    assert gpu.ask.gres_per_node == (GresAsk(name="gpu", count=2),)
    assert gpu.ask.partitions == ("gpu",)
    assert lic.ask.licences == {"matlab": 3}
    assert jobs["inresv"].ask.reservation == "class"
    assert jobs["feat"].ask.features == "intel|amd"
    assert (het.request.processors, [one.tasks for one in het.ask.components]) == (6, [4])
    assert (jobs["bigpend"].ask.min_nodes, jobs["bigpend"].ask.memory_per_cpu) == (4, None if "all" in name else 1875)
    tasks = [job for job in read_workload(sample(moment, name)) if job.ask.name == "arr"]
    assert {job.name.partition("_")[2][:1] for job in tasks} >= {"0", "1", "2", "3"}
    if "all" in name:
        assert {job.ask.array_limit for job in tasks} == {3}  # of its submit line
        assert jobs["bigpend"].ask.nice == 50
        assert jobs["excl"].ask.exclusive is False  # its partition is
        assert jobs["lowpre"].ask.exclusive
        assert jobs["bigpend"].ask.memory_per_node == 15000


def test_every_run_of_a_requeued_job():
    read = read_workload(sample("clean/after", "sacct-dup-all-parsable.txt"))
    runs = [job for job in read if job.ask.name == "requeue"]
    assert [(job.name, job.profile.delay) for job in runs] == [("13", 7), ("13.2", 25)]
    assert runs[1].submission_time - runs[0].submission_time == 12
    assert runs[1].ask.begin == 1795341828
    assert read.report.noted["run of a job after a requeue: a job of its own"] >= 3
    assert read.report.noted["running when the log ends: lasts as long as it has"] == 1
    depend = next(job for job in read if job.ask.name == "depend")
    assert depend.ask.dependencies == (Dependency(kind="afternotok", job="5"),)


def test_what_runs_or_waits_at_the_end_is_told(tmp_path):
    report = read_workload(sample("clean/during", "sacct-x-parsable.txt")).report
    assert report.noted["running when the log ends: lasts as long as it has"] == 3
    text = TEXT.replace("00:01:00|4|cpu=4,mem=2G,node=1|2G|COMPLETED", "00:00:00|4|cpu=4|2G|PENDING", 1)
    (tmp_path / "jobs").write_text(text)
    report = read_workload(tmp_path / "jobs").report
    assert report.noted == {"pending when the log ends": 1}
    assert report.dropped == {"cancelled before it ran": 1}


@pytest.mark.parametrize("moment", MOMENTS)
def test_recorded_json(moment):
    path = sample(moment, "sacct-json.json")
    assert find_format(path, "workload").name == "sacct"
    jobs = by_name(moment, "sacct-json.json")
    table = by_name(moment, "sacct-dup-all-parsable.txt")
    raw = json.loads(gzip.decompress(path.read_bytes()))["jobs"]
    assert {name for name in jobs} == {name for name in table if name in {one["name"] for one in raw}}
    for name in ("done", "gpu", "lic", "inresv", "feat", "het", "mem"):
        one, other = jobs[name], table[name]
        assert (one.request.processors, one.walltime) == (other.request.processors, other.walltime)
        assert abs(one.profile.delay - other.profile.delay) <= 1  # the clock went on between the two commands
        assert (one.ask.partitions, one.ask.gres_per_node) == (other.ask.partitions, other.ask.gres_per_node)
        assert (one.ask.licences, one.ask.features) == (other.ask.licences, other.ask.features)
    assert {job.ask.array_limit for job in read_workload(path) if job.ask.name == "arr"} == {3}


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("name", ["sacct.txt", "sacct-x.txt", "sacct-brief.txt", "sacct-duplicates.txt"])
def test_tables_for_people_are_recognised(moment, name):
    path = sample(moment, name)
    assert find_format(path, "workload").name == "sacct"
    with pytest.raises(InputError) as caught:
        read_workload(path)
    (one,) = caught.value.findings
    assert (one.code, one.line) == ("plain", 1)
    assert "sacct -a -X -P" in one.hint


@pytest.mark.parametrize("moment", MOMENTS)
def test_tables_without_a_head(moment):
    path = sample(moment, "sacct-noheader-delim.txt")
    with pytest.raises(InputError) as caught:
        read_sacct(path, delimiter=";", columns="JobID,User,State,Start,End")
    assert [(f.code, f.message) for f in caught.value.findings] == [
        ("column", "there is no column for Submit (Submit)"),
        ("column", "there is no column for processors (NCPUS or AllocCPUS or AllocTRES or ReqCPUS)"),
    ]


def test_other_separators_and_zones(tmp_path):
    path = tmp_path / "jobs"
    path.write_text("ReqCPUS;Elapsed;Submit;JobID\n3;00:01:00;2024-07-01T12:00:00;7\n")
    (job,) = read_sacct(path, delimiter=";", tz="Europe/Berlin", keep_epoch=True)
    assert (job.submission_time, job.request.processors) == (1719828000, 3)
    path.write_text("3;00:01:00;2024-07-01T12:00:00+0530;7\n")
    (job,) = read_sacct(path, delimiter=";", columns="ReqCPUS,Elapsed,Submit,JobID", keep_epoch=True)
    assert job.submission_time == 1719815400
    with pytest.raises(UsageError, match="there is no time zone 'Mars'"):
        read_sacct(path, tz="Mars")


def test_what_tells_how_it_was_is_told(tmp_path):
    path = tmp_path / "log.txt"
    head = "JobID|Submit|Start|ElapsedRaw|NCPUS|AllocTRES|NodeList|State"
    path.write_text(f"{head}\n1|10|20|5|4|cpu=4,mem=2G,gres/gpu=2|n[1-2]|COMPLETED\n2|11|Unknown|5|4|||FAILED\n")
    report = read_sacct(path).report
    assert report.history == {"when it started": 1, "the nodes it ran on": 1, "allocated gres/gpu": 1}
    told = [one.message for one in report.findings() if one.code == "history"]
    assert told == ["recorded history is not simulated: allocated gres/gpu, the nodes it ran on, when it started"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("-N 2 --mem=1G --exclusive -o out.txt --mail-type=END", {}),
        ("--reboot --deadline=noon -N 2 --switches=1@20", {"--reboot": 1, "--deadline": 1}),
        ("--deadline=2024-01-01", {}),
        ("--gpus=2", {}),
        ("--threads-per-core=1 --hint=nomultithread", {}),
        ("--hint=memory_bound --hint=multithread", {}),
        ("--threads-per-core=2", {"--threads-per-core": 1}),
        ("-B 2:4:1", {}),
        ("-B 2:4:2", {"--extra-node-info": 1}),
        ("--extra-node-info=2-3:4", {"--extra-node-info": 1}),
        ("--gpus-per-task=1 --no-such-thing=3", {"--no-such-thing": 1}),
        ("--gpus=some --gpus-per-task=some --gpus-per-socket=a:b", {"--gpus-per-task": 1, "--gpus-per-socket": 1}),
        ("--prefer=a --mem-per-gpu=1G --ntasks-per-gpu=2 --cpus-per-gpu=3", {}),
        ("--mem=much --mem-per-gpu=x -n many", {"--mem": 1, "--mem-per-gpu": 1, "--ntasks": 1}),
        ("-c -1 --ntasks-per-gpu=x --mincpus=1.5", {"--cpus-per-task": 1, "--ntasks-per-gpu": 1, "--mincpus": 1}),
        ("-N 1,5,9 --nice=low --time-min=soon", {"--nodes": 1, "--nice": 1, "--time-min": 1}),
        ("-w n[1 --exclude=./hosts", {"--nodelist": 1, "--exclude": 1}),
        ("--array=1-9%x --prefer=", {"--array": 1, "--prefer": 1}),
        ("--switches=few --exclusive=mcs", {"--switches": 1, "--exclusive": 1}),
        ("--switches=1@soon --dependency=afterok:x", {"--switches": 1, "--dependency": 1}),
        ("-d after:4+5?singleton,afterany:6:7_2 -w n[1-2],n4 --nice --nice=-5 -c0", {}),
    ],
)
def test_options_of_submit_lines_that_nothing_comes_of_are_told(options, told, tmp_path):
    path = tmp_path / "log.txt"
    head = "JobID|Submit|ElapsedRaw|NCPUS|ReqTRES|SubmitLine\n"
    path.write_text(f"{head}1|10|5|4|cpu=4,gres/gpu=2|sbatch {options} job.sh --switches=9\n")
    report = read_sacct(path).report
    assert report.ignored == told
    assert {one.message for one in report.findings() if one.code == "ignored"} == {
        f"{name} is not simulated" for name in told
    }


def test_devices_that_no_column_tells_are_told(tmp_path):
    path = tmp_path / "log.txt"
    path.write_text("JobID|Submit|ElapsedRaw|NCPUS|SubmitLine\n1|10|5|4|sbatch -G x job.sh\n2|11|5|4|sbatch -G1 a\n")
    assert read_sacct(path).report.ignored == {"--gpus": 1}


@pytest.mark.parametrize(
    ("memory", "per_cpu", "per_node"), [(100, None, 100), ((1 << 63) + 100, 100, None), (0, None, None)]
)
def test_required_memory_of_21_08(memory, per_cpu, per_node, tmp_path):
    path = tmp_path / "log.json"
    job = {
        "job_id": 1,
        "time": {"submission": 10, "elapsed": 5},
        "state": {"current": "COMPLETED"},
        "required": {"CPUs": 4, "memory": memory},
    }
    path.write_text(json.dumps({"jobs": [job]}))
    ask = next(iter(read_sacct(path))).ask
    assert (ask.memory_per_cpu, ask.memory_per_node) == (per_cpu, per_node)
    job["required"]["memory"] = "much"
    path.write_text(json.dumps({"jobs": [job]}))
    with pytest.raises(InputError, match="required memory is a string"):
        list(read_sacct(path))


def test_epoch_times():
    path = sample("clean/after", "sacct-epoch.txt")
    with pytest.raises(InputError, match="there is no column for processors"):
        read_workload(path)


LINES = {
    "sbatch -N2-4 -n 8 -c2 job.sh -n99": {"min_nodes": 2, "max_nodes": 4, "tasks": 8, "cpus_per_task": 2},
    "/usr/bin/sbatch --exclusive --nice=7 x": {"exclusive": True, "nice": 7},
    "srun --exclusive=user -w n[1-2] x": {"exclusive_user": True, "nodes": ("n1", "n2")},
    "sbatch -a 0-9%4 x": {"array_limit": 4},
    "sbatch --array=1-3 x": {"array_limit": None},
    "sbatch --mem=4G x": {"memory_per_node": 4096},
    "sbatch --mem-per-cpu 2G --hold x": {"memory_per_cpu": 2048, "held": True},
    "sbatch -d afterok:4:5+2?singleton x": {
        "dependencies": (
            Dependency(kind="afterok", job="4"),
            Dependency(kind="afterok", job="5", minutes=2),
            Dependency(kind="singleton"),
        ),
        "any_dependency": True,
    },
    "sbatch --hint=nomultithread x": {"threads_per_core": 1},
    "sbatch --threads-per-core 1 x": {"threads_per_core": 1},
    "sbatch --threads-per-core 2 x": {"threads_per_core": None},
    "sbatch --hint=compute_bound x": {"threads_per_core": 1},
    "sbatch -B 2:4:1 x": {"sockets_per_node": 2, "cores_per_socket": 4, "threads_per_core": 1},
    "sbatch --extra-node-info=2 x": {"sockets_per_node": 2, "cores_per_socket": None},
    "sbatch --hint=multithread --sockets-per-node=2 x": {"tasks_per_core": 0, "sockets_per_node": 2},
    "sbatch --gres=gpu:a100:2,shard:3 -G 4 x": {
        "gres_per_node": (GresAsk(name="gpu", type="a100", count=2), GresAsk(name="shard", count=3)),
        "gres_per_job": (GresAsk(name="gpu", count=4),),
    },
    "sbatch --gpus-per-task=a100:2 --gpus-per-node=v100:1,a100:4 x": {
        "gres_per_task": (GresAsk(name="gpu", type="a100", count=2),),
        "gres_per_node": (GresAsk(name="gpu", type="v100", count=1), GresAsk(name="gpu", type="a100", count=4)),
        "tasks": None,
    },
    "sbatch --gpus-per-socket=1 --sockets-per-node=2 --ntasks-per-gpu=3 x": {
        "gres_per_socket": (GresAsk(name="gpu", count=1),),
        "tasks_per_gpu": 3,
    },
    "sbatch --cpus-per-gpu=4 --mem-per-gpu=2G --prefer=a|b x": {
        "cpus_per_gpu": 4,
        "memory_per_gpu": 2048,
        "prefer": "a|b",
    },
    "sbatch --nice x": {"nice": 100},
    "sbatch --nice=-5 --switches=2@1:30 --time-min=2:00:00 x": {
        "nice": -5,
        "switches": 2,
        "switch_wait": 90,
        "time_min": 120,
    },
    "sbatch --gres=none --gpus=0 x": {"gres_per_node": (), "gres_per_job": ()},
    "sbatch -c0 --ntasks-per-gpu=-2 --cpus-per-gpu=--3 x": {"cpus_per_task": None, "tasks_per_gpu": None},
    "bash -n4": {},
    "sbatch 'open": {},
    "sbatch --mem=much x": {},
}


@pytest.mark.parametrize("line", LINES)
def test_submit_lines(line):
    found = options_in(line, JobAsk())
    assert {name: getattr(found, name) for name in LINES[line]} == LINES[line]
    if not any(LINES[line].values()):
        assert found == JobAsk()


def test_devices_of_a_submit_line_stand_in_place_of_the_totals_of_accounting():
    gpus, shards = GresAsk(name="gpu", count=2), GresAsk(name="shard", count=1)
    ask = JobAsk(tasks=8, gres_per_node=(gpus, shards))
    found = options_in("sbatch --gpus-per-task=1 x", ask)
    assert (found.gres_per_node, found.gres_per_task) == ((shards,), (GresAsk(name="gpu", count=1),))
    assert found.tasks is None  # those of the record are CPUs
    assert options_in("sbatch -n3 --gpus-per-task=1 x", ask).tasks == 3
    assert options_in("sbatch -c2 --gres=none x", ask) == replace(ask, tasks=4, cpus_per_task=2)


@given(st.text(alphabet="gpus-er=tak:,0123n ", max_size=30))
def test_no_device_of_a_submit_line_is_too_odd(text):
    line = f"sbatch --gres={text} --gpus={text} --gpus-per-{text}"
    assert isinstance(options_in(line, JobAsk()), JobAsk)
    assert isinstance(not_followed(line), tuple)


@given(st.text(max_size=40))
def test_no_submit_line_is_too_odd(text):
    assert isinstance(options_in(f"sbatch {text}", JobAsk()), JobAsk)
    assert isinstance(dependencies_in(text), tuple)


TEXT = "JobID|Submit|Elapsed|ReqCPUS|ReqTRES|ReqMem|State|SubmitLine\n" + "".join(
    f"{job}|2024-01-01T00:00:0{job}|00:01:00|4|cpu=4,mem=2G,node=1|2G|COMPLETED|sbatch -n4 x\n" for job in range(1, 4)
)


@given(st.integers(0, len(TEXT)), st.integers(0, 12), st.text(alphabet="|\n0-9:=,Tabc.+_[é", max_size=6))
def test_mutated_tables(tmp_path_factory, place, gone, instead):
    """A damaged table is read, or refused with the line."""
    path = tmp_path_factory.mktemp("log") / "jobs"
    path.write_text(TEXT[:place] + instead + TEXT[place + gone :], encoding="utf-8")
    try:
        read = read_sacct(path)
    except InputError as fault:
        assert all(found.message for found in fault.findings)  # noqa: PT017 -- either may be
    else:
        assert all(job.request.processors > 0 for job in read)


@pytest.mark.parametrize("wrap", ["--wrap srun -n2 -c3 sleep : 2", "--wrap=kill -9 $$"])
def test_what_follows_wrap_is_the_command_accounting_keeps_no_quotes(wrap):
    found = options_in(f"sbatch -n4 {wrap}", JobAsk())
    assert (found.tasks, found.cpus_per_task) == (4, None)
    assert not_followed(f"sbatch -n4 {wrap}") == ()


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("now+70seconds", 170), ("now+2hours", 7300), ("now+1week", 604900), ("now+5", 105),
        ("2024-01-01", 1704067200 - 3600), ("2024-01-01T00:30", 1704067200 - 1800), ("noon", None), ("16:00", None),
    ],
)  # fmt: skip
def test_deadlines(text, when):
    assert options_in(f"sbatch --deadline={text} x", JobAsk(), 0, 100.0, ZoneInfo("Europe/Berlin")).deadline == when


def test_deadlines_of_the_recorded_log():
    told = {job.ask.name: job for job in read_workload(sample("clean/after", "sacct-all-parsable.txt.gz"))}
    assert told["deadline"].ask.deadline == 1795341695 + 70  # it says now+70seconds
    (shown,) = (
        job for job in read_workload(sample("clean/after", "squeue-json.json.gz")) if job.ask.name == "deadline"
    )
    assert shown.ask.deadline == 1795341765
