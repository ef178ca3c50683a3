"""The page of a calibration: the verdict, and figures that are those of the comparison, for people and for sorting."""

import re

import pytest

from pages import rows_of
from windtunnel.diagnostics import UsageError
from windtunnel.twin.calibrate import Calibration, Compared
from windtunnel.twin.calibration_page import page, write_page
from windtunnel.twin.drains import Drain
from windtunnel.twin.odd_waits import OddWaits
from windtunnel.twin.replay import Outcome


def outcome(name, waited):
    return Outcome(
        id=name, user="u", account="a", partition="p<1>", processors=1, submitted=0.0, waited=waited, ran=60.0
    )


PAIRS = [(outcome(str(k), 100.0 * k), outcome(str(k), 100.0 * k + 30 * (k % 2))) for k in range(8)]
FOUND = Calibration(
    jobs=8,
    missing=2,
    drains=(Drain("n4", 3600.0, 10800.0), Drain("n5", 0.0, 7200.0)),
    groups=(
        Compared("all", "all jobs", 8, 350.0, 365.0, 350.0, 365.0, 0.5, 0.25, 0.26),
        Compared("partition", "p<1>", 5, 300.0, 330.5, 200.0, 230.0, 0.8, 0.125, 0.13),
        Compared("partition", "q", 3, 0.0, 0.0, 0.0, 0.0),
        Compared("user", "ann", 8, 350.0, 365.0, 350.0, 365.0, 0.5, 0.25, 0.26),
    ),
    recorded_use=0.5,
    simulated_use=0.525,
    same_start=1.0,
    error=15.0,
    odd=OddWaits(held=2, raised=1, overtaken=3, unseen=1),
    verdict="The agreement is close & good.",
)


def test_the_figures_are_those_of_the_comparison():
    text = page(FOUND, PAIRS, title="small <site>")
    assert "<h1>small &lt;site&gt;</h1><p>The agreement is close &amp; good.</p>" in text
    partitions = rows_of(text, "Waits, starts and use by partition")
    assert [[cell[0] for cell in row] for row in partitions] == [
        ["p<1>", "5", "5 min", "5 min 30 s", "+30 s", "3 min 20 s", "3 min 50 s", "80.0%", "12.5%", "13.0%"],
        ["q", "3", "0 s", "0 s", "0 s", "0 s", "0 s", "0.0%", "0.0%", "0.0%"],
    ]
    assert [cell[1] for cell in partitions[0]] == [
        "",
        "5",
        "300.0",
        "330.5",
        "30.5",
        "200.0",
        "230.0",
        "0.8",
        "0.125",
        "0.13",
    ]
    assert [row[0][0] for row in rows_of(text, "Waits, starts and use by user")] == ["ann"]
    assert [[cell[1] for cell in row[1:]] for row in rows_of(text, "Removed from the replay")] == [
        ["3600.0", "10800.0", "7200.0"],
        ["0.0", "7200.0", "7200.0"],
    ]
    assert '<data value="0.525">52.5%</data>' in text
    assert "<dd>4.0</dd>" in text  # node-hours
    assert "Waits, starts and use by hour" not in text
    assert "<h2>Hours" not in text


def test_charts_hold_all_jobs_and_groups():
    text = page(FOUND, PAIRS)
    assert "Waiting time: 16 jobs" in text  # eight as they were, eight as they became
    assert "Absolute difference of waits: 8 jobs, 0 s to 30 s" in text
    widths = [float(width) for width in re.findall(r'<rect class="run[01]"[^>]*? width="([0-9.]+)"', text)]
    assert widths[:4] == [pytest.approx(250 * 300 / 330.5, abs=0.1), 250.0, 0.0, 0.0]
    assert "http" not in text.replace("http://www.w3.org", "")


def test_without_jobs_there_is_a_page_too():
    empty = Calibration(
        jobs=0, missing=3, drains=(), groups=(), recorded_use=0, simulated_use=0, same_start=0, error=0,
        odd=OddWaits(), verdict="Nothing can be said.",
    )  # fmt: skip
    assert "Nothing can be said." in page(empty, [])


def test_it_is_written_whole_or_not_at_all(tmp_path):
    assert write_page(FOUND, PAIRS, tmp_path / "page.html").read_text().endswith("</html>\n")
    with pytest.raises(UsageError):
        write_page(FOUND, PAIRS, tmp_path / "no" / "page.html")
