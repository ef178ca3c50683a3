"""A notebook, executed: what runs, platforms and plots show of themselves there."""

import re
from importlib.util import find_spec

import pytest

from shared import missing

pytestmark = pytest.mark.slow
RUN = """\
import windtunnel as wt
from windtunnel.examples import find
small = find("small")
run = wt.simulate(small.platform, small.workloads, "easy")
run
"""
SLOW = """\
import windtunnel.live.notebook as bar
bar.QUIET, bar._EVERY, bar._LOOK = 0.0, 0.0, 0
again = wt.simulate(small.platform, small.workloads, "fcfs")
"""
FAULTY = """\
class Mine(wt.Scheduler):
    def schedule(self, view):
        return [1 / 0]
wt.simulate(small.platform, small.workloads, Mine())
"""
CELLS = (
    RUN,
    "run.plot('utilisation')",
    "run.metrics",
    "wt.Platform.uniform(10_000)",
    "run.jobs.select('id', 'waiting_time').head(3)",
    SLOW,
    "run.compare(again)",
    FAULTY,
)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    for package in ("nbclient", "ipykernel", "matplotlib"):
        if find_spec(package) is None:
            missing(package)
    import nbformat
    from nbclient import NotebookClient

    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    client = NotebookClient(
        book,
        timeout=120,
        kernel_name="python3",
        allow_errors=True,
        resources={"metadata": {"path": str(tmp_path_factory.mktemp("book"))}},
    )
    client.execute()
    return [cell.outputs for cell in book.cells]


def shown(outputs) -> dict[str, str]:
    assert [one.output_type for one in outputs] == ["execute_result"]
    return outputs[0].data


def test_runs_metrics_and_platforms_show_themselves(outputs):
    assert "in memory: complete" in shown(outputs[0])["text/html"]
    assert "waiting time, mean" in shown(outputs[2])["text/html"]
    assert len(shown(outputs[3])["text/html"]) < 5_000
    assert len(shown(outputs[3])["text/plain"]) < 200
    assert "waiting_time" in shown(outputs[4])["text/html"]


def test_plots_are_inline_figures(outputs):
    kinds = [set(one.data) for one in outputs[1] if "data" in one]
    assert any("image/png" in kind for kind in kinds)


def test_a_progress_bar_is_updated_in_place(outputs):
    (bar,) = outputs[5]
    assert bar.output_type == "display_data"
    assert "<progress" in bar.data["text/html"]
    assert "complete" in bar.data["text/html"]


def test_comparisons_show_themselves(outputs):
    data = shown(outputs[6])
    assert "waiting time" in data.get("text/html", data["text/plain"])


def test_the_fault_of_a_user_s_scheduler_shows_their_own_line(outputs):
    fault = outputs[7][-1]
    assert fault.output_type == "error"
    assert "return [1 / 0]" in re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(fault.traceback))
