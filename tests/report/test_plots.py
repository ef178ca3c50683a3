"""Static plots."""

import sys

import pytest
from tests.results.small_runs import record

from windtunnel.diagnostics import MissingExtraError, UsageError
from windtunnel.report.plots import PLOTS, write_plot
from windtunnel.results.run import Run


@pytest.fixture(scope="module")
def run():
    return Run.of(record())


@pytest.mark.parametrize("kind", list(PLOTS))
def test_plots_are_drawn_and_reproducible(run, kind, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    first = write_plot(run, kind, tmp_path / "a.svg").read_bytes()
    assert first == write_plot(run, kind, tmp_path / "b.svg").read_bytes()
    assert b"<svg" in first


def test_png(run, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    assert write_plot(run, "gantt", tmp_path / "a.png", size=(4.0, 3.0)).read_bytes().startswith(b"\x89PNG")


def test_faults(run, tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="did you mean 'gantt'"):
        write_plot(run, "gant", tmp_path / "a.png")
    with pytest.raises(UsageError, match="known formats"):
        write_plot(run, "gantt", tmp_path / "a.gif")
    with pytest.raises(UsageError, match="cannot write"):
        write_plot(run, "waits", tmp_path / "missing" / "a.png")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"windtunnel\[plot\]"):
        write_plot(run, "gantt", tmp_path / "a.png")
