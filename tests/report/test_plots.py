"""Static plots."""

import sys
from math import inf, nan
from types import SimpleNamespace

import pytest
from tests.results.small_runs import record

from windtunnel.diagnostics import MissingExtraError, UsageError
from windtunnel.report.axes import step_of
from windtunnel.report.plots import PLOTS, plot, write_plot
from windtunnel.results.run import Run


@pytest.fixture(scope="module")
def run():
    return Run.of(record())


@pytest.fixture
def dated(run):
    made = Run.of(record(start_date=843_480_000.0))  # 1996-09-23 12:00
    assert made.state.start_date
    return made


def drawn(axes) -> list[str]:
    """The labels of the ticks on the axis of time."""
    axes.figure.draw_without_rendering()
    return [label.get_text() for label in axes.get_xticklabels()]


@pytest.mark.parametrize("kind", [kind for kind in PLOTS if kind != "power"])
def test_plots_are_drawn_and_reproducible(run, kind, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    first = write_plot(run, kind, tmp_path / "a.svg").read_bytes()
    assert first == write_plot(run, kind, tmp_path / "b.svg").read_bytes()
    assert b"<svg" in first


def test_png(run, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    for name in ("a.png", "b.PNG"):
        assert write_plot(run, "gantt", tmp_path / name, size=(4.0, 3.0)).read_bytes().startswith(b"\x89PNG")


def test_faults(run, tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="did you mean 'gantt'"):
        write_plot(run, "gant", tmp_path / "a.png")
    with pytest.raises(UsageError, match="did you mean 'paper'"):
        write_plot(run, "gantt", tmp_path / "a.png", style="papr")
    with pytest.raises(UsageError, match="one run"):
        write_plot(run, "gantt", tmp_path / "a.png", beside=[run])
    with pytest.raises(UsageError, match="size or columns"):
        write_plot(run, "gantt", tmp_path / "a.png", size=(1.0, 1.0), columns=2)
    with pytest.raises(UsageError, match="no energy"):
        write_plot(run, "power", tmp_path / "a.png")
    assert not list(tmp_path.iterdir())
    with pytest.raises(UsageError, match="known formats"):
        write_plot(run, "gantt", tmp_path / "a.gif")
    with pytest.raises(UsageError, match="cannot write"):
        write_plot(run, "waits", tmp_path / "missing" / "a.png")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"windtunnel\[plot\]"):
        write_plot(run, "gantt", tmp_path / "a.png")


@pytest.mark.parametrize(
    ("span", "step"),
    [(0.0, 2e-10), (0.5, 0.1), (6.0, 1.0), (50.0, 10.0), (3000.0, 600.0), (48_356.0, 7200.0), (86400.0, 6 * 3600.0)]
    + [(86400.0 * days, 86400.0 * step) for days, step in ((6, 1), (14, 2), (45, 7), (60, 10), (1000, 200))],
)
def test_times_since_the_start_are_marked_at_round_durations(span, step):
    assert step_of(span) == pytest.approx(step)


def test_the_axis_of_time_has_round_durations(run):
    labels = drawn(plot(run, "queue"))
    assert labels[0] == "0 s"
    assert all(len(label.split()) == 2 for label in labels), labels


def test_axes_come_back_and_may_be_given(run):
    figure = pytest.importorskip("matplotlib.figure", reason="matplotlib is not installed").Figure()
    above, below = figure.subplots(2)
    assert plot(run, "queue", ax=above) is above
    assert plot(run, "waits", ax=below).get_title() == "easy: waiting times"
    assert below.get_xlim()[0] == 0.0  # nobody waits a negative time
    assert below.get_ylim() == (0.0, 1.0)
    assert above.get_ylim()[0] == 0.0
    above.set_title("mine")
    assert plot(run, "utilisation", ax=above).get_title() == "mine"


def test_several_runs_lie_over_each_other(run):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    axes = plot(run, "waits", beside=[Run.of(record(scheduler="fcfs"))])
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["easy", "fcfs"]
    assert len(axes.get_lines()) == 2
    assert axes.get_lines()[0].get_ydata()[-1] == 1.0


def test_time_runs_by_the_calendar_where_there_is_one(run, dated):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    axes = plot(dated, "queue")
    labels = drawn(axes)
    assert axes.get_xlabel() == "time (UTC)"
    assert any(label.startswith("12:") for label in labels)
    assert "1996-Sep-23" in axes.xaxis.get_major_formatter().get_offset()
    assert plot(run, "queue").get_xlabel() == "time since the start"
    assert any(label.endswith(("min", "s")) for label in drawn(plot(run, "queue")))


@pytest.mark.parametrize("columns", [0, -1.0, nan, inf, 5])
def test_no_paper_has_so_many_columns(run, columns):
    with pytest.raises(UsageError, match=f"a figure is more than 0 and at most 4 columns wide, not {columns:g}"):
        plot(run, "waits", columns=columns)


@pytest.mark.parametrize("columns, width", [(None, 3.35), (1, 3.35), (2, 7.0)])
def test_papers_have_columns(run, columns, width):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    axes = plot(run, "waits", style="paper", columns=columns)
    assert axes.figure.get_size_inches()[0] == pytest.approx(width)
    assert axes.get_title() == ""
    assert axes.xaxis.label.get_fontsize() == 8


def test_power(run):
    import polars as pl

    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    energy = pl.DataFrame({"time": [0.0, 10.0, 20.0], "energy": [0.0, 100.0, 400.0]})
    state = SimpleNamespace(facts={"schedulers": ["easy"]}, start_date=None)
    axes = plot(SimpleNamespace(name="a", state=state, frame={"consumed_energy.csv": energy}.get), "power")
    assert list(axes.get_lines()[0].get_ydata()) == [10.0, 30.0, 0.0]
