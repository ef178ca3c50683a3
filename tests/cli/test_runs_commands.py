"""``windtunnel report``, ``plot``, ``metrics``, ``compare`` and ``why``."""

import json

import pytest
from tests.results.small_runs import record

from windtunnel.api import load_run
from windtunnel.cli.main import main
from windtunnel.results.layout import Layout


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs: out/easy and out/fcfs."""
    out = tmp_path_factory.mktemp("out")
    for scheduler in ("easy", "fcfs"):
        record(Layout.directory(out / scheduler), scheduler=scheduler)
    return out


def test_report(runs, tmp_path, capsys):
    assert main(["report", str(runs / "easy")]) == 0
    assert capsys.readouterr().out.strip() == str(runs / "easy" / "report.html")
    assert main(["report", str(runs / "easy"), "--to", str(tmp_path / "x.html"), "--warm-up", "10%"]) == 0
    assert (tmp_path / "x.html").read_text().startswith("<!doctype html>")


def test_a_report_replaces_reports_only(runs, tmp_path, capsys):
    page, notes = tmp_path / "x.html", tmp_path / "notes.html"
    for _ in range(2):
        assert main(["report", str(runs / "easy"), "--to", str(page)]) == 0
    notes.write_text("<!doctype html>\n<title>my thesis</title>\n")
    capsys.readouterr()
    assert main(["report", str(runs / "easy"), "--to", str(notes)]) == 2
    said = capsys.readouterr().err
    assert f"{notes} holds something else, which would be overwritten\n  hint: name another file, or remove it" in said
    assert "my thesis" in notes.read_text()
    notes.write_text("")  # as mktemp leaves it
    assert main(["report", str(runs / "easy"), "--to", str(notes)]) == 0


def test_a_run_knows_before_that_its_report_would_replace_something(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line = ["run", "poisson:3?hosts=4", "-q", "--report", "page.html"]
    (tmp_path / "page.html").write_text("my thesis")
    assert main([*line, "--out", "out"]) == 2
    assert "page.html holds something else" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    (tmp_path / "page.html").unlink()
    assert main(line) == main(line) == 0


def test_metrics(runs, capsys):
    assert main(["metrics", str(runs / "easy")]) == 0
    assert "utilisation" in capsys.readouterr().out
    assert main(["metrics", str(runs / "easy"), "--json", "--cool-down", "5%"]) == 0
    assert json.loads(capsys.readouterr().out)["jobs"] == 60
    assert main(["metrics", str(runs / "easy"), "--warm-up", "soon"]) == 2
    assert "neither a duration nor a percentage" in capsys.readouterr().err


def test_compare(runs, capsys):
    a, b = str(runs / "fcfs"), str(runs / "easy")
    assert main(["compare", a, b, "--jobs", "3"]) == 0
    text = capsys.readouterr().out
    assert "started earlier in b" in text
    assert text.count("\n  w0!") == 3
    assert main(["compare", a, b, "--jobs", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["jobs"]) == 2
    assert found["comparison"]["jobs_a"] == 60
    assert main(["compare", a, a]) == 0
    assert "are identical" in capsys.readouterr().out


def test_why(runs, capsys):
    assert main(["why", str(runs / "easy"), "w0!20"]) == 0
    assert capsys.readouterr().out.startswith("w0!20 (")
    assert main(["why", str(runs / "easy"), "20", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["job"] == "w0!20"
    assert main(["why", str(runs / "easy"), "nobody"]) == 2
    assert "has no row for job 'nobody'" in capsys.readouterr().err


def test_why_without_a_job_names_those_that_waited_longest(runs, capsys):
    table = load_run(runs / "easy").jobs.sort("waiting_time", descending=True)
    assert main(["why", str(runs / "easy"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [row["waiting_time"] for row in told] == table["waiting_time"].head(10).to_list()
    assert main(["why", str(runs / "easy")]) == 0
    first, *lines, last = capsys.readouterr().out.splitlines()
    assert first == f"{table.filter(table['waiting_time'] > 0).height} of 60 jobs waited, longest:"
    assert [line.split()[0] for line in lines] == [row["id"] for row in told]
    assert last.startswith("next:  windtunnel why ")
    assert told[0]["id"] in last


def test_why_without_a_job_where_none_waited(tmp_path, capsys):
    assert main(["run", "hosts:4", "poisson:3?hosts=4&mean_gap=1e7", "--out", str(tmp_path / "out"), "-q"]) == 0
    capsys.readouterr()
    assert main(["why", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out == "0 of 3 jobs waited\n"


def test_plot(runs, tmp_path, capsys):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    assert main(["plot", str(runs / "easy"), "gantt", str(tmp_path / "g.svg")]) == 0
    assert (tmp_path / "g.svg").exists()


def test_no_run(tmp_path, capsys):
    for command in (["report"], ["metrics"], ["why"], ["compare"]):
        more = {"why": ["1"], "compare": [str(tmp_path)]}.get(command[0], [])
        assert main([*command, str(tmp_path), *more]) == 2
        assert "there is no run" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line",
    ["compare no1 no2 no3", "compare no1 no2 --groups", "report no1 no2", "plot no1 waits x.svg --beside no2"],
)
def test_all_runs_that_are_not_there_are_named(tmp_path, monkeypatch, capsys, line):
    monkeypatch.chdir(tmp_path)
    assert main(line.split()) == 2
    said = capsys.readouterr().err
    for name in set(line.split()) & {"no1", "no2", "no3"}:
        assert f"windtunnel {line.split()[0]}: there is no run in '{name}'" in said
    assert not [*tmp_path.iterdir()]


def test_figures_of_a_run_that_was_stopped_say_so(tmp_path, capsys):
    for name, more in (("part", ["--until", "1h"]), ("whole", [])):
        assert main(["run", "example:small", "--out", str(tmp_path / name), "-q", *more]) == 0
    part, whole = str(tmp_path / "part"), str(tmp_path / "whole")
    capsys.readouterr()
    note = f"note: {part} is not complete (stopped): only jobs that were over count\n"
    for words in (
        ["metrics", part, "--json"],
        ["metrics", part, "--fairness"],
        ["compare", whole, part],
        ["compare", whole, whole, part, "--json"],
        ["why", part],
    ):
        assert main(words) == 0
        assert capsys.readouterr().err == note
    assert main(["metrics", part]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("not complete: stopped\n")
    assert not said.err
    assert main(["compare", whole, whole]) == 0
    assert not capsys.readouterr().err
