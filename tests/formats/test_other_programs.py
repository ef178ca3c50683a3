"""Documents of other programs are called what they are, where something else was expected."""

import json
import tarfile

import pytest

import windtunnel as wt
from windtunnel.cli.main import main
from windtunnel.formats.other_programs import members_of, of_other_programs, what_it_is

TOPOLOGY = {"clusters": [{"name": "C", "hosts": []}]}
DOCUMENTS = [
    (TOPOLOGY, "this looks like a topology of OpenDC, which is not read"),
    ({"phases": []}, "this is an application model of ElastiSim: give the file of jobs that names it"),
    ({"jobs_file": "j", "platform_file": "p"}, "this is a configuration of ElastiSim: windtunnel elastisim FILE"),
]


@pytest.mark.parametrize(("document", "hint"), DOCUMENTS)
def test_as_workloads_platforms_and_files_to_be_checked(document, hint, tmp_path, capsys, monkeypatch):
    file = tmp_path / "file.json"
    file.write_text(json.dumps(document))
    with pytest.raises(wt.InputError) as caught:
        wt.read_workload(file)
    assert [(one.message, one.hint) for one in caught.value.findings] == [("this is not a workload of Batsim", hint)]
    with pytest.raises(wt.InputError) as caught:
        wt.read_platform(file)
    assert caught.value.findings[0].hint.startswith(f"{hint}; formats: ")
    monkeypatch.setattr("sys.argv", ["windtunnel", "validate", str(file)])
    assert main() == 1
    assert f"'environment' is missing\n  hint: {hint}" in capsys.readouterr().out


def test_what_is_not_known_is_nothing():
    assert what_it_is({"a": 1}) == ""
    assert list(members_of(b'{"a": 1, "b": [2]}')) == ["a", "b"]
    for no_object in (b"[1]", b'{"a": ', b"\xff"):
        assert list(members_of(no_object)) == []


HAIZEA = "this is a configuration of Haizea: windtunnel lease run --config FILE"


@pytest.mark.parametrize("name", ["haizea.conf", "day.lwf", "plain"])
@pytest.mark.parametrize("text", ["# of mine\n\n[general]\nmode: simulated\n", "[multi]\ntracedir: .\n[common:general]\n"])
def test_configurations_of_haizea(name, text, tmp_path, capsys, monkeypatch):
    """"Not XML" was said of it, or that an environment is not JSON."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    for line in (["run", name], ["run", "hosts:4", name], ["lease", "run", name], ["validate", name], ["inspect", name]):
        assert main(line) == 1 + (line[0] != "validate")
        said = "".join(capsys.readouterr())
        assert f"hint: {HAIZEA}" in said, said
        assert "JSON" not in said


def test_other_configurations_are_not_known():
    for text in (b"[mysqld]\nport=1\n", b"[1]", b'["general"]', b"# [general]\n", b"[general]x"):
        assert of_other_programs(text) == ""


def test_archives(tmp_path, capsys):
    with tarfile.open(tmp_path / "logs.tgz", "w:gz") as archive:
        archive.add(__file__, "log.swf")
    assert main(["run", "hosts:4", str(tmp_path / "logs.tgz")]) == 2
    assert "hint: this is a tar archive: unpack it, and name the file in it" in capsys.readouterr().err
