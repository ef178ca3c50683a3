"""The script of ``windtunnel slurm extract``, run with commands that print what a small site's Slurm would."""

import os
import subprocess

import pytest

from windtunnel.cli.main import main
from windtunnel.formats.registry import read_platform, read_workload
from windtunnel.formats.slurm.submit_line import not_followed, options_in
from windtunnel.model.slurm import Dependency, JobAsk
from windtunnel.twin.extract import _FIELDS, script

CONF = """ClusterName=small
JobCompPass=secret # ask ann
Include nodes.conf
Include {etc}/sub/%c.parts # of bob: see /etc/secret
"""
PARTS = "Include parts/main\n"
MAIN = "PartitionName=main Nodes=n[1-2] Default=YES AllowAccounts=physics,root AllowGroups=chemistry\n"
JOBS = (
    "{head}\n"
    "1|one|ann|physics|2024-01-01T00:00:00+0000|2024-01-01T00:00:00+0000|60|5|2|cpu=2,node=1|n1|"
    "/usr/bin/sbatch -A physics -J secret --exclusive -d afterok:7 -c2 --mail-user=ann@x.org run.sh -n 99 | tee secret\n"
    "2|two|bob|chemistry|2024-01-01T00:00:10+0000|2024-01-01T00:01:00+0000|60|5|1|cpu=1,node=1|n2|"
    "sbatch -n1 : -n2 --nodelist n1 --wrap secret\nsecret of bob\n"
    "3|one|ann|physics|2024-01-01T00:00:20+0000|2024-01-01T00:01:00+0000|60|5|1|cpu=1,node=1|n2|vim secret\n"
)
HEAD = "JobID|JobName|User|Account|Submit|Start|ElapsedRaw|TimelimitRaw|ReqCPUS|ReqTRES|NodeList|SubmitLine"
NODES = (
    "NodeName=n1 CPUTot=4 CPUs=4 Sockets=1 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=100 State=IDLE+DRAIN "
    "Partitions=main Reason=secret of ann [root@2024]\nNodeName=n2 CPUTot=4 CPUs=4 Sockets=1 CoresPerSocket=4 "
    "ThreadsPerCore=1 RealMemory=100 State=IDLE Partitions=main\n"
)
PARTITION = "PartitionName=main AllowAccounts=physics,root Nodes=n[1-2] Default=YES MaxTime=1-00:00:00 State=UP\n"
CONFIG = "Configuration data as of now\nClusterName = small\nSlurmUser = ann(5)\nSLURM_CONF = {etc}/slurm.conf\n"
ASSOC = "Cluster|Account|ParentName|User|Share\nsmall|root||||\nsmall|physics|root||2\nsmall|physics||ann|1\n"


@pytest.fixture
def extracted(tmp_path):
    etc, commands, files = tmp_path / "etc", tmp_path / "bin", tmp_path / "files"
    for folder in (etc, commands, files):
        folder.mkdir()
    (etc / "slurm.conf").write_text(CONF.format(etc=etc))
    for path, text in {"sub/small.parts": PARTS, "parts/main": MAIN}.items():
        (etc / path).parent.mkdir()
        (etc / path).write_text(text)
        (etc / path).chmod(0o444)
    (etc / "nodes.conf").write_text("NodeName=n[1-2] CPUs=4 RealMemory=100\n")
    (etc / "topology.yaml").write_text("- topology: f\n  flat: true\n")
    shown = {
        "config": CONFIG.format(etc=etc), "node": NODES, "partition": PARTITION, "assoc": ASSOC,
        "reservation": "ReservationName=ann_1 StartTime=2024-01-01T00:00:00 EndTime=2024-01-02T00:00:00 Users=ann Nodes=n1\n",
        "qos": "Name|Priority\nnormal|0\n", "jobs": JOBS.format(head=HEAD),
    }  # fmt: skip
    for name, text in shown.items():
        (files / name).write_text(text)
    (commands / "scontrol").write_text(f'#!/bin/sh\nfor last; do :; done\ncat "{files}/$last"\n')
    (commands / "sacctmgr").write_text(f'#!/bin/sh\ncat "{files}/$3"\n')
    (commands / "sacct").write_text(
        f'#!/bin/sh\nif [ "$1" = --helpformat ]; then echo "JobID SubmitLine"; else cat "{files}/jobs"; fi\n'
    )
    for path in commands.iterdir():
        path.chmod(0o755)

    def run(*, anonymous, conf=True, folder="site", code=0, said=""):
        if not conf:
            (etc / "slurm.conf").unlink()
        text = script(start="2024-01-01", end="now", folder=str(tmp_path / folder), anonymous=anonymous)
        told = os.environ | {"PATH": f"{commands}:{os.environ['PATH']}", "LC_ALL": "C"}
        done = subprocess.run(["sh"], input=text, text=True, capture_output=True, check=False, env=told)
        assert (done.returncode, said in done.stderr) == (code, True), done.stderr
        return tmp_path / folder, done.stdout.strip()

    return run


def words_in(folder):
    return "".join(path.read_text() for path in folder.iterdir() if path.name != "key.txt")


def test_a_site_and_its_jobs(extracted):
    folder, told = extracted(anonymous=False)
    assert told == f"windtunnel calibrate {folder}/slurm.conf {folder}/jobs.txt"
    assert (folder / "topology.yaml").is_file()
    platform = read_platform(folder / "slurm.conf")
    assert [host.name for host in platform.hosts] == ["n1", "n2"]  # of the file that it includes
    assert [one.name for one in platform.site.partitions] == ["main"]  # of one that an included one includes
    assert [one.account for one in platform.site.associations] == ["root", "physics", "physics"]
    jobs = {job.name: job for job in read_workload(folder / "jobs.txt")}
    assert jobs["1"].ask.exclusive
    assert jobs["1"].ask.dependencies == (Dependency(kind="afterok", job="7"),)


def test_names_are_replaced_under_a_key_that_is_kept(extracted):
    folder, _ = extracted(anonymous=True)
    said = words_in(folder)
    for name in ("ann", "bob", "physics", "chemistry", "secret", "one", "two"):
        assert name not in said.replace("None", ""), name
    jobs = {job.name: job for job in read_workload(folder / "jobs.txt")}
    assert jobs["1"].user == jobs["3"].user != jobs["2"].user
    assert jobs["1"].ask.name == jobs["3"].ask.name != jobs["2"].ask.name
    platform = read_platform(folder / "slurm.conf")
    (part,) = platform.site.partitions
    assert part.allow_accounts == (jobs["1"].group, "root")
    assert {one.user for one in platform.site.associations} == {"", jobs["1"].user}
    (reservation,) = platform.site.reservations
    assert reservation.users == (jobs["1"].user,)
    assert jobs["1"].ask.exclusive
    assert jobs["1"].ask.dependencies == (Dependency(kind="afterok", job="7"),)
    assert jobs["1"].ask.cpus_per_task == 2
    assert "sbatch --ntasks=1 : --ntasks=2 --nodelist=n1" in (folder / "jobs.txt").read_text()
    key = (folder / "key.txt").read_text()
    again, _ = extracted(anonymous=True)
    assert (again / "key.txt").read_text() == key
    assert words_in(again) == said


def test_what_could_not_come_along_is_told_and_what_is_there_is_not_touched(extracted, tmp_path):
    (tmp_path / "etc/nodes.conf").unlink()
    folder, _ = extracted(anonymous=False, said=f"{tmp_path}/etc/nodes.conf is included, and cannot be read")
    assert not (folder / "nodes.conf").exists()
    before = words_in(tmp_path / "etc/parts")
    extracted(anonymous=False, said="is where Slurm's own configuration is", folder="etc", code=1)
    assert words_in(tmp_path / "etc/parts") == before
    assert (tmp_path / "etc/slurm.conf").read_text().startswith("ClusterName=small\nJobCompPass=secret")


def test_included_files_of_the_same_name_are_told(extracted, tmp_path):
    """The copy of the second one replaced that of the first."""
    (tmp_path / "etc/more").mkdir()
    (tmp_path / "etc/more/nodes.conf").write_text("NodeName=m[1-2] CPUs=4 RealMemory=100\n")
    with (tmp_path / "etc/slurm.conf").open("a") as conf:
        conf.write("Include more/nodes.conf\n")
    folder, _ = extracted(anonymous=False, said="etc/more/nodes.conf is included, and so is another file of that name")
    assert (folder / "nodes.conf").read_text().startswith("NodeName=n[1-2]")
    assert not (folder / ".brought").exists()


def test_where_slurm_is_not_nothing_is_begun(tmp_path):
    text = script(start="today", end="now", folder=str(tmp_path / "site"), anonymous=True)
    done = subprocess.run(["/bin/sh"], input=text, text=True, capture_output=True, check=False, env={"PATH": "/none"})
    assert (done.returncode, "scontrol is not here: run this where it works" in done.stderr) == (1, True)
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [
        ("30d", "now", "--start: '30d' is not a date as sacct reads them\n  hint: such as 2024-01-31"),
        ("now-30d", "now", "'now-30d' is not a date"),
        ("2024-13-01", "now", "--start: '2024-13-01' is not a valid date: month must be in 1..12"),
        ("2024-03", "now", "'2024-03' is not a date"),
        ("", "now", "'' is not a date"),
        ("2024-01-01; rm -r x", "now", "is not a date"),
        ("now", "yesterday", "--end: 'yesterday' is not a date"),
        ("2024-02-01", "2024-01-01", "--start 2024-02-01 is not before --end 2024-01-01"),
    ],
)
def test_dates_that_sacct_does_not_read_are_refused(start, end, said, capsys):
    assert main(["slurm", "extract", "--start", start, "--end", end]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("2024-01-01 08:00", "2024-01-01T08:00"),
        *[(word, word) for word in ("2024-01-01T08:00:30", "now-2weeks", "now", "Today", "noon", "0131", "08:00PM")],
        *[(word, word) for word in ("01/31/24", "01.31-08:00", "now-90", "now-3hours")],
    ],
)
def test_dates_that_sacct_reads(given, written):
    assert f" -S {written} -E now " in script(start=given, end="now")


@pytest.mark.parametrize("folder", ["", "-x", "a\nb"])
def test_what_cannot_be_a_folder_is_refused(folder, capsys):
    assert main(["slurm", "extract", f"--folder={folder}"]) == 2
    assert "cannot be the name of a folder" in capsys.readouterr().err


@pytest.mark.parametrize("anonymous", [False, True])
def test_a_site_whose_slurm_conf_cannot_be_read(extracted, anonymous):
    folder, told = extracted(anonymous=anonymous, conf=False)
    assert told == f"windtunnel calibrate {folder}/scontrol-node.txt {folder}/jobs.txt"
    platform = read_platform(folder / "scontrol-node.txt", all_states=True)
    assert [one.name for one in platform.site.partitions] == ["main"]
    assert platform.site.partitions[0].max_time == 1440
    assert len(platform.hosts) == 2
    assert ("ann" in words_in(folder)) != anonymous


def test_the_command_that_the_script_prints_works_without_slurm_conf(extracted, capsys):
    """The listings were read as a slurm.conf: nodes without partitions, on which no job could start."""
    _, told = extracted(anonymous=False, conf=False)
    assert main(told.split()[1:]) == 0
    said = capsys.readouterr()
    assert "No conclusion is possible" not in said.out
    assert "account physics" in said.out
    assert "unknown-key" not in said.err
    assert main(["what-if", *told.split()[2:], "--nodes", "main:+2"]) == 2
    assert "is in the format scontrol: what is changed is a slurm.conf" in capsys.readouterr().err


def test_the_options_that_are_kept_are_those_that_are_followed():
    line = (
        "sbatch -N2 -n4 -c2 --ntasks-per-node=2 --mem=1G --mem-per-cpu=1G -w n1 -x n2 --contiguous --spread-job "
        "--use-min-nodes -H --exclusive -a 1-9%2 -s -d singleton --time-min=5 --switches=1 --nice=3 --mincpus=2 "
        "--ntasks-per-core=1 --ntasks-per-socket=1 --hint=nomultithread --deadline=now+2hours "
        "--sockets-per-node=2 --cores-per-socket=4 --extra-node-info=2:4:1 x"
    )
    assert not_followed(line) == ()
    text = script(start="noon", end="now", anonymous=True)
    kept = text.partition("KEPT = [")[2].partition("]")[0]
    given = options_in(line, JobAsk(), 0, 0.0)
    assert given != JobAsk()
    for word in line.split():
        name = word.partition("=")[0].removeprefix("--")
        assert not word.startswith("--") or f"'{name}'" in kept, word


def rows_of(*given):
    """Rows of the columns that the script asks for."""
    head = [*_FIELDS.split(","), "SubmitLine"]
    usual = {
        "State": "COMPLETED", "QOS": "normal", "Partition": "main", "ElapsedRaw": "60", "TimelimitRaw": "5",
        "ReqCPUS": "1", "ReqTRES": "cpu=1,node=1", "NodeList": "n1", "Reason": "None", "Flags": "SchedBackfill",
    } | dict.fromkeys(("Submit", "Eligible", "Start", "End"), "2024-01-01T00:00:00+0000")  # fmt: skip
    rows = [usual | {"JobID": str(at), "JobIDRaw": str(at)} | row for at, row in enumerate(given, 1)]
    return "\n".join("|".join(row.get(name, "") for name in head) for row in ({n: n for n in head}, *rows)) + "\n"


def test_strokes_in_names_and_constraints(extracted, tmp_path):
    """Constraints such as ``a|b`` took the submit line with them; of names with strokes, columns were shifted."""
    line = {"User": "ann", "Account": "physics", "SubmitLine": "sbatch --exclusive run.sh"}
    odd = rows_of(
        line | {"Constraints": "new|fast"},
        line | {"JobName": "fit|plot", "Constraints": "[new|old|fast]&big"},
        line | {"Constraints": "new|fast", "SubmitLine": ""},
        line | {"JobName": "a", "SubmitLine": "sbatch --exclusive run.sh | tee x"},
        line | {"State": "CANCELLED by 4711"},
        line | {"SubmitLine": "sbatch --exclusive --exclude=/home/ann/bad -x n2 run.sh"},
    )
    for anonymous in (False, True):
        (tmp_path / "files/jobs").write_text(odd)
        folder, _ = extracted(anonymous=anonymous)
        jobs = list(read_workload(folder / "jobs.txt"))
        assert [job.ask.exclusive for job in jobs] == [True, True, False, True, True, True]
        assert [job.ask.partitions for job in jobs] == [("main",)] * 6
        features = [job.ask.features for job in jobs]
        assert features == ["new|fast", "[new|old|fast]&big", "new|fast", "", "", ""]
        assert len({(job.user, job.group) for job in jobs}) == 1
        said = (folder / "jobs.txt").read_text()
        for name in ("ann", "physics", "fit", "plot", "4711", "/home"):
            assert (name in said) != anonymous, name


def test_lines_that_are_none_of_sacct_are_told(extracted, tmp_path):
    (tmp_path / "files/jobs").write_text(rows_of({"User": "ann", "Start": "tomorrow"}, {"User": "bob"}))
    folder, _ = extracted(anonymous=True, said="jobs.txt: lines that are not as Slurm prints them, omitted: 1")
    assert len(list(read_workload(folder / "jobs.txt"))) == 1
    assert "small|root||||" not in (folder / "sacctmgr-assoc.txt").read_text()  # its last stroke ends the line
    assert "small|root|||" in (folder / "sacctmgr-assoc.txt").read_text()


def test_names_in_odd_places_are_replaced(extracted, tmp_path):
    (tmp_path / "etc/sub/small.parts").chmod(0o644)
    odd = 'PartitionName=main Nodes=n[1-2] AllowAccounts = "physics, root" DenyAccounts =chemistry\nJobCompPass = secret\n'
    (tmp_path / "etc/sub/small.parts").write_text(odd)
    odd = "ReservationName=r StartTime=2024-01-01T00:00:00 EndTime=2024-01-02T00:00:00 Users=-ann,-bob Nodes=n1\n   Comment=of ann\n"
    (tmp_path / "files/reservation").write_text(odd)
    folder, _ = extracted(anonymous=True)
    said = words_in(folder)
    for name in ("ann", "bob", "physics", "chemistry", "secret"):
        assert name not in said.replace("None", ""), name
    ann = next(job.user for job in read_workload(folder / "jobs.txt") if job.name == "1")
    assert f"Users=-{ann},-u" in said
    (part,) = read_platform(folder / "slurm.conf").site.partitions
    assert part.allow_accounts == (next(iter(read_workload(folder / "jobs.txt"))).group, "root")
