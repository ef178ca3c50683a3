"""Histograms: every value counted, axes that say what they are."""

import re

from windtunnel.diagnostics import show_duration
from windtunnel.report.charts import histogram


def counts(svg: str) -> list[int]:
    return [int(n.replace(",", "")) for n in re.findall(r": ([\d,]+) jobs</title>", svg)]


def test_histograms_count_everything():
    for values in ([0.0], [1.0, 2.0, 2.0], [0.0, 1e-3, 5.0, 1e6], [5.0] * 7, [float(i) for i in range(500)]):
        assert sum(counts(histogram("x", [("", values)]))) == len(values)
    assert histogram("x", [("", [])]) == ""


def test_axes_say_whether_they_are_logarithmic():
    assert "hosts, linear axis" in histogram("x", [("", [1.0, 5.0])], "hosts")
    long = histogram("x", [("", [1.0, 86400.0 * 3])], show=show_duration)
    assert ">logarithmic axis<" in long
    assert all(f">{mark}<" in long for mark in ("1 min", "1 h", "1 d"))


def test_several_runs_lie_over_each_other():
    svg = histogram("x", [("a", [1.0, 2.0, 2.0]), ("<b>", [2.0])])
    paths = re.findall(r'<path class="run(\d)".*?<title>(.*?): (.*?) jobs</title>', svg)
    assert [(rank, name) for rank, name, _ in paths] == [("0", "a"), ("1", "&lt;b&gt;")]
    assert [sum(int(n.replace(",", "")) for n in told.split("; ")) for _, _, told in paths] == [3, 1]
