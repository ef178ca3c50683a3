"""An empty string is a mistake: where a file or folder is expected never the current directory, elsewhere no default."""

import pytest

from windtunnel.cli.main import main
from windtunnel.diagnostics import UsageError
from windtunnel.results.layout import Layout

LINES = [
    ["run", "", "x.swf"],
    ["run", "hosts:4", ""],
    ["run", "example:small", "--out", ""],
    ["run", "example:small", "--report", ""],
    ["run", "example:small", "--events", ""],
    ["report", ""],
    ["report", "x", "--to", ""],
    ["metrics", ""],
    ["compare", "", "x"],
    ["why", "", "1"],
    ["plot", "", "gantt", "x.svg"],
    ["plot", "x", "gantt", ""],
    ["validate", ""],
    ["validate", "x", "--allow-files", ""],
    ["resolve", ""],
    ["resolve", "x", "--allow-files", ""],
    ["convert", "", "x.json"],
    ["convert", "x.swf", ""],
    ["nodes", ""],
    ["nodes", "x", "--query", ""],
    ["serve", "nodes", ""],
    ["serve", "nodes", "x", "--key-file", ""],
    ["serve", "leases", "--site", ""],
    ["serve", "leases", "--site", "1 CPU:1,Memory:1", "--state", ""],
    ["serve", "leases", "--site", "1 CPU:1,Memory:1", "--token-file", ""],
    ["serve", "leases", "--site", "1 CPU:1,Memory:1", "--config", ""],
    ["lease", "run", ""],
    ["lease", "run", "--config", ""],
    ["lease", "run", "x", "--out", ""],
    ["lease", "run", "x", "--annotations", ""],
    ["lease", "run", "x", "--inject", ""],
    ["lease", "gantt", ""],
    ["lease", "gantt", "x", "--to", ""],
    ["lease", "request", "--file", ""],
    ["lease", "list", "--token-file", ""],
    ["inspect", ""],
    ["run", "hosts:4", "--failures", ""],
    ["run", "hosts:4", "--checkpoint", ""],
    ["lease", "run", "x", "--site", ""],
    ["lease", "run", "x", "--failures", ""],
    ["nodes", "x", "--platform", ""],
    ["validate", "x", "--kind", ""],
    ["convert", "x.swf", "x.json", "--to", ""],
    ["why", "x", ""],
    ["study", "report", "x", "--against", ""],
    ["batsim4", "-p", "", "-w", "x"],
    ["batsim4", "-p", "x", "-w", ""],
    ["batsim5", "-p", "", "-w", "x", "-s", "x", ""],
    ["batsim5", "-p", "x", "-w", "", "-s", "x", ""],
]


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_an_empty_path(line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(line) == 2
    assert "an empty string " in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_library_says_so_too():
    with pytest.raises(
        UsageError, match=r"an empty string is not an output directory\n  hint: the current one is '.'"
    ):
        Layout.directory("")


@pytest.mark.parametrize(
    ("prefix", "stem"), [("", "_"), ("out", "out_"), ("sub/", "sub/_"), ("sub/run1", "sub/run1_"), ("./x", "x_")]
)
def test_prefixes_of_batsim_4(prefix, stem, tmp_path, monkeypatch):
    """As Batsim has them: an empty prefix is one, and one that ends with a slash is a folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    assert Layout.batsim4(prefix).path("jobs.csv") == tmp_path / f"{stem}jobs.csv"
