"""The page of a what-if: who gains and loses, and figures that are those of the comparison."""

import re

import pytest
from msgspec.structs import replace

from pages import rows_of
from windtunnel.cli.main import main
from windtunnel.diagnostics import UsageError
from windtunnel.twin.change import Change, Shift, in_whole_seconds
from windtunnel.twin.change_page import page, write_page
from windtunnel.twin.replay import Outcome, groups_of


def outcome(name, waited):
    return Outcome(
        id=name, user="u", account="a", partition="p<1>", processors=1, submitted=0.0, waited=waited, ran=60.0
    )


PAIRS = [(outcome(str(k), 100.0 * k), outcome(str(k), 100.0 * k + 30 * (k % 3 - 1))) for k in range(1, 10)]
FOUND = Change(
    shifts=(
        Shift("all", "all jobs", 9, 500.0, 485.5, -30.0, -5.0),
        Shift("partition", "p<1>", 6, 300.0, 330.5, 10.0, 60.0),
        Shift("partition", "q", 3, 900.0, 795.5),
        Shift("user", "ann", 9, 500.0, 485.5, -30.0, 5.0),
    ),
    never_before=1,
    never_after=2,
    diff="--- slurm.conf\n-PriorityWeightAge=1\n+PriorityWeightAge=<2>",
    commands=("sacctmgr modify qos long set Priority=1",),
    told=("jobs ask for memory: it is not honoured",),
)


def test_the_figures_are_those_of_the_comparison():
    text = page(FOUND, PAIRS, title="What if: <x>")
    assert "<h1>What if: &lt;x&gt;</h1><p>gain: partition q (-104 s)</p><p>lose: partition p&lt;1&gt; (+30 s)</p>" in text
    partitions = rows_of(text, "Waits by partition")
    assert [[cell[0] for cell in row] for row in partitions] == [
        ["p<1>", "6", "5 min", "5 min 30 s", "+30 s", "+10 to +60 s"],
        ["q", "3", "15 min", "13 min 16 s", "-104 s", ""],
    ]
    assert [cell[1] for cell in partitions[0]] == ["", "6", "300.0", "330.5", "30.5", "10.0"]
    assert rows_of(text, "Waits by user")[0][5] == ("-30 to +5 s", "0.0")
    assert '<data value="-14.5">-14 s</data>' in text
    assert "+PriorityWeightAge=&lt;2&gt;\n\nsacctmgr modify qos long set Priority=1</pre>" in text
    assert "<li>jobs ask for memory: it is not honoured</li>" in text
    assert "Waits by hour" not in text


def test_charts_hold_all_jobs_and_groups():
    text = page(FOUND, PAIRS)
    assert "Waiting time: 18 jobs" in text  # nine before, nine after
    assert "Longer waits, by how much: 3 jobs, 30 s to 30 s" in text
    assert "Shorter waits, by how much: 3 jobs" in text
    widths = [float(width) for width in re.findall(r'<rect class="run[01]"[^>]*? width="([0-9.]+)"', text)]
    assert widths[:2] == [250.0, pytest.approx(250 * 795.5 / 900, abs=0.1)]  # that which changes most comes first
    assert "http" not in text.replace("http://www.w3.org", "")


def test_without_jobs_there_is_a_page_too():
    none = Change(shifts=(Shift("all", "all jobs", 0, 0.0, 0.0),), never_before=3, never_after=3, diff="+a")
    text = page(none, [])
    assert "gain: nobody significantly" in text
    assert "Distributions" not in text


def test_it_is_written_whole_or_not_at_all(tmp_path):
    assert write_page(FOUND, PAIRS, tmp_path / "page.html").read_text().endswith("</html>\n")
    with pytest.raises(UsageError):
        write_page(FOUND, PAIRS, tmp_path / "no" / "page.html")


def test_the_command_writes_it(tmp_path, capsys):
    (tmp_path / "slurm.conf").write_text("ClusterName=x\nNodeName=n[1-2] CPUs=1\nPartitionName=p Nodes=n[1-2]\n")
    head = "JobID|User|Account|Partition|Submit|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|ReqNodes|State\n"
    row = "{0}|u|a|p|2024-01-01T00:00:0{0}|2024-01-01T00:01:00|2024-01-01T00:31:00|1800|60|1|1|COMPLETED\n"
    (tmp_path / "jobs.txt").write_text(head + "".join(row.format(k) for k in range(1, 7)))
    words = [str(tmp_path / "slurm.conf"), str(tmp_path / "jobs.txt"), "--nodes", "p:+2", "-s", "easy"]
    assert main(["what-if", *words, "--report", str(tmp_path / "page.html")]) == 0
    assert "gain: " in capsys.readouterr().out
    assert rows_of((tmp_path / "page.html").read_text(), "Waits by partition")[0][0] == ("p", "")
    assert main(["what-if", *words, "--report", str(tmp_path / "slurm.conf")]) == 2
    assert "is an input of this run" in capsys.readouterr().err


def test_no_change_has_no_sign():
    """It was -0 s."""
    assert [in_whole_seconds(value) for value in (-0.4, 0.0, 0.4, -0.6, 1234.0)] == ["0", "0", "0", "-1", "+1,234"]
    found = replace(FOUND, shifts=(*FOUND.shifts[:2], Shift("partition", "q", 3, 900.0, 899.8, -0.3, 0.2)))
    assert [cell[0] for cell in rows_of(page(found, PAIRS), "Waits by partition")[1][4:]] == ["0 s", "0 to 0 s"]


def test_bars_keep_a_size_that_can_be_read():
    """On a narrow screen they shrank with their labels; now they are moved under it."""
    assert page(FOUND, PAIRS).count('<div class="wide" tabindex="0" role="region"') == 2
    assert ".wide svg { min-width: 400px; }" in page(FOUND, PAIRS)


def test_groups_stand_in_the_order_of_their_numbers():
    """Sizes were sorted as texts: 16-63 before 4-15."""
    sizes = (1, 4, 20, 100, 300)
    jobs = [replace(outcome(str(size), 1.0), processors=size, user=f"u{size}") for size in reversed(sizes)]
    assert [*groups_of(jobs, "user")] == ["u1", "u4", "u20", "u100", "u300"]
    assert [len(some) for some in groups_of(jobs, "size").values()] == [1, 1, 1, 1, 1]
    assert [some[0].processors for some in groups_of(jobs, "size").values()] == [*sizes]
