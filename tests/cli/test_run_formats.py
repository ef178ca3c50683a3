"""`windtunnel run` with options of formats, and `windtunnel formats`."""

import json

from windtunnel.cli.main import main
from windtunnel.formats.signals import FORMATS

LOG = "; MaxProcs: 4\n1 0 -1 100 2 -1 -1 2 60 -1 1 7 1 -1 1 -1 -1 -1\n2 5 -1 50 4 -1 -1 4 90 -1 1 8 1 -1 1 -1 1 10\n"
CONF = "NodeName=a[1-4]\nNodeName=b[1-2] CPUs=2\nPartitionName=small Nodes=b[1-2]\n"


def metrics(capsys, *arguments):
    assert main(["run", *arguments, "--json", "--quiet"]) == 0
    return json.loads(capsys.readouterr().out)


def test_options_of_the_log(tmp_path, capsys):
    log = tmp_path / "log.swf"
    log.write_text(LOG)
    assert metrics(capsys, "hosts:4", str(log))["makespan"] == 150
    assert metrics(capsys, "hosts:4", str(log), "--walltime", "kill")["makespan"] == 110
    assert metrics(capsys, "hosts:4", str(log), "--dependencies")["makespan"] == 160
    assert metrics(capsys, "hosts:4", str(log), "--workload-option", "max_processors=2")["jobs"] == 1
    assert main(["run", "hosts:4", str(log), "--workload-option", "max_procesors=2"]) == 2
    assert "did you mean 'max_processors'" in capsys.readouterr().err


def test_options_of_the_platform(tmp_path, capsys):
    log, conf = tmp_path / "log.swf", tmp_path / "slurm.conf"
    log.write_text(LOG)
    conf.write_text(CONF)
    assert metrics(capsys, str(conf), str(log), "-s", "easy")["makespan"] == 100
    assert (
        metrics(capsys, str(conf), str(log), "-s", "easy", "--platform-option", "partition=small")["makespan"] == 150
    )
    assert main(["run", str(conf), str(log), "--platform-option", "partition=large"]) == 2
    assert "there is no partition 'large'" in capsys.readouterr().err


def test_faulty_logs_are_explained(tmp_path, capsys):
    log = tmp_path / "log.swf"
    log.write_text(LOG + "3 soon\n")
    assert main(["run", "hosts:4", str(log)]) == 2
    assert f"{log}:4: error [fields]: 2 fields instead of 18" in capsys.readouterr().err


def test_formats(capsys):
    assert main(["formats"]) == 0
    out = capsys.readouterr().out
    for name in (
        "swf",
        "batsim4",
        "batsim5",
        "dax",
        "wfcommons",
        "sacct",
        "csv",
        "gwf",
        "events",
        "simgrid",
        "slurm",
        "lwf",
    ):
        assert f"\n{name} " in f"\n{out}"
    signals = out.partition("\nOf --carbon, --price, --generation and --power-cap:\n")[2].splitlines()
    assert [line.split()[0] for line in signals] == [form.name for form in FORMATS]
    assert "entsoe                   price         ENTSO-E's day-ahead prices: CSV with MTU (UTC)" in out
    assert "plain                    carbon, price, power CSV of your own" in out


def test_validate_tells_the_format_by_content(tmp_path, capsys):
    files = {
        "a": ("<adag><job id='x'/></adag>", "job 'x': 'runtime' is missing"),
        "b": ("NodeName=a[2-1]\n", "the range '2-1' is descending"),
        "c": ('{"type": "storm", "timestamp": 1}\n', "unknown type 'storm'"),
        "d": ('{"nb_res": 0, "jobs": [], "profiles": {}}', "'nb_res' is 0"),
        "e": ("1 2 3 4\n", "4 fields instead of 18"),
        "f": ("<lease-workload/>", "lease-requests"),
    }
    for name, (text, _) in files.items():
        (tmp_path / name).write_text(text)
    assert main(["validate", *(str(tmp_path / name) for name in files)]) == 1
    out = capsys.readouterr().out
    for name, (_, message) in files.items():
        assert any(line.startswith(str(tmp_path / name)) and message in line for line in out.splitlines()), out
