"""Leases under a planner and checkpoints: they last as long as they ask for."""

from windtunnel.cli.main import main

LWF = """<lease-workload name="t"><site><resource-types names="CPU Memory"/><nodes><node-set numnodes="2">
<res type="CPU" amount="100"/><res type="Memory" amount="1024"/></node-set></nodes></site><lease-requests>
<lease-request arrival="00:00:00"><lease id="7" preemptible="true"><nodes><node-set numnodes="1">
<res type="CPU" amount="100"/><res type="Memory" amount="1024"/></node-set></nodes><start/>
<duration time="01:00:00"/><software><none/></software></lease></lease-request></lease-requests></lease-workload>"""


def test_checkpoints_do_not_lengthen_leases(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "day.lwf").write_text(LWF)
    assert main(["run", "day.lwf", "--checkpoint", "600,60", "--scheduler", "leases", "--out", "planned"]) == 0
    shown = capsys.readouterr()
    assert "checkpoints do not lengthen leases" in shown.out + shown.err
    row = (tmp_path / "planned" / "jobs.csv").read_text().splitlines()[1]
    assert "COMPLETED_SUCCESSFULLY,0.000000,3600.000000" in row
    assert main(["run", "day.lwf", "--checkpoint", "600,60", "--scheduler", "easy", "--out", "batch"]) == 0
    row = (tmp_path / "batch" / "jobs.csv").read_text().splitlines()[1]
    assert "COMPLETED_SUCCESSFULLY,0.000000,3900.000000" in row
    shown = capsys.readouterr()
    assert "checkpoints do not lengthen leases" not in shown.out + shown.err
