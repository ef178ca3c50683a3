"""Commands written in another way than they are meant: the words are right, and stand elsewhere."""

import pytest

from windtunnel.cli.main import main


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site").mkdir()
    (tmp_path / "site/slurm.conf").write_text("NodeName=n1\n")
    for name in ("log.swf", "my log.swf"):
        (tmp_path / name).write_text("1 0 -1 100 2 -1 -1 2 200 -1 1 7 1 -1 1 -1 -1 -1\n")


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        (["-s", "easy", "run", "example:small"], "options follow the command: windtunnel run ... -s"),
        (["version"], "windtunnel --version"),
        (["-V"], "windtunnel --version"),
        (["help", "rum"], "did you mean 'run'?"),
        (["run", "log.swf", "hosts:4"], "the platform comes first: windtunnel run hosts:4 log.swf"),
        (["run", "my log.swf", "hosts:4"], "the platform comes first: windtunnel run hosts:4 'my log.swf'"),
        (["lease", "run", "my log.swf"], "windtunnel run hosts:16 'my log.swf' --scheduler leases"),
        (["run", "site", "log.swf"], "name the file in it: site/slurm.conf"),
    ],
)
def test_words_in_another_order(line, hint, capsys):
    assert main(line) == 2
    assert hint in capsys.readouterr().err.partition("hint: ")[2]


@pytest.mark.parametrize("line", ["run -h", "help run", "lease run -h", "help lease run", "slurm -h"])
def test_help_of_a_command_by_other_words(line, capsys):
    """``-h`` was no option of most commands, and ``help`` forgot which command was asked about."""
    assert main(line.split()) == 0
    said = capsys.readouterr().out
    command = " ".join(word for word in line.split() if word not in ("-h", "help"))
    assert said.startswith(f"Usage: windtunnel {command} ")
    assert main([*command.split(), "--help"]) == 0
    assert capsys.readouterr().out == said
