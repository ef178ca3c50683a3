"""Formats are told by content; readers get checked options."""

import ast
import gzip
import inspect
import sys

import pytest

from packages import install
from shared import shared
from windtunnel.diagnostics import InputError, UsageError
from windtunnel.formats import convert, registry
from windtunnel.formats.format import KINDS
from windtunnel.formats.recognition import find_format, function, guess_format, list_formats
from windtunnel.formats.registry import read_events, read_platform, read_workload
from windtunnel.formats.shipped import FORMATS

ROW = "1 0 -1 10 2 -1 -1 2 20 -1 1 3 4 -1 1 -1 -1 -1\n"
JSON = '{"nb_res": 1, "jobs": [], "profiles": {}}'


@pytest.fixture
def file(tmp_path):
    def write(text, name="input"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        (ROW, "workload", "swf"),
        ("\n ; Version: 2\n", "workload", "swf"),
        ("1;0;-1;10;2;-1\n", "workload", "swf"),
        (gzip.compress(ROW.encode(), mtime=0), "workload", "swf"),
        (JSON, "workload", "batsim"),
        ("\ufeff " + JSON, "workload", "batsim"),
        (gzip.compress(JSON.encode(), mtime=0), "workload", "batsim"),
        ("{}", "events", "events"),
        ("<?xml version='1.0'?><platform version='4.1'/>", "platform", "simgrid"),
        ("<lease-workload/>", "leases", "lwf"),
    ],
)
def test_formats_are_told_by_content(file, text, kind, name):
    assert find_format(file(text, "misleading.swf.json"), kind).name == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (ROW, "swf"),
        (JSON, "batsim"),
        ('{"type": "generic", "timestamp": 1, "data": ""}\n', "events"),
        ("<platform/>", "simgrid"),
        ("<!-- x --><adag/>", "dax"),
        ("<lease-workload/>", "lwf"),
        ("# x\nNodeName=a\n", "slurm"),
        ("JobID|Submit\n", "sacct"),
        ('{"jobs": [{"job_id": 1}]}', "sacct"),
        ('{"schemaVersion": "1.5", "workflow": {}}', "wfcommons"),
        ('{"workflows": []}', "jsspp-osp"),
    ],
)
def test_formats_of_any_kind_are_told_by_content(file, text, name):
    assert guess_format(file(text)).name == name


def test_what_is_in_no_format_at_all_is_said(file):
    with pytest.raises(InputError, match=r"is in none of the known formats\n  hint: formats: .*swf"):
        guess_format(file("hello"))
    with pytest.raises(InputError, match="is empty"):
        guess_format(file(""))


def test_what_is_in_no_format_is_said(file):
    with pytest.raises(InputError, match=r"is in none of the workload formats\n  hint: formats: .*swf"):
        find_format(file("hello"), "workload")
    with pytest.raises(InputError, match="is empty"):
        find_format(file(" \n"), "platform")
    with pytest.raises(InputError, match="cannot be read"):
        read_workload("/does/not/exist")
    with pytest.raises(InputError, match="cannot be read"):
        read_workload(file(b"\x1f\x8bxx"))


def test_a_file_that_is_called_like_a_format_is_read_as_one_to_say_what_is_wrong(file):
    with pytest.raises(InputError) as fault:
        read_workload(file("1 0 -1 a 2 -1 -1 2 60 -1 1 1 1 1 1 1 -1 -1\n2 0 -1 5\n", "bad.swf"))
    assert [(one.line, one.code) for one in fault.value.findings] == [(1, "number"), (2, "fields")]
    with pytest.raises(InputError, match="it looks like the format simgrid"):
        read_workload(file("<platform version='4.1'/>", "site.swf"))


def test_options_are_those_of_the_reader(file):
    path = file(ROW)
    assert read_workload(path, "w7", walltime="kill")[0].id == "w7!1"
    with pytest.raises(UsageError, match=r"the format swf: no option 'waltime' \(did you mean 'walltime'\?\)"):
        read_workload(path, waltime="kill")
    with pytest.raises(UsageError, match="the format batsim: no option 'walltime'"):
        read_workload(file(JSON), walltime="kill")
    with pytest.raises(UsageError, match=r"the format hosts: no option 'mmax' \(it takes no options\)"):
        read_platform("hosts:3", mmax=1)


def test_options_may_be_texts_of_a_command_line(file):
    path = file("1 50 -1 30 2 -1 -1 2 20 -1 1 3 4 -1 1 -1 -1 -1\n")
    assert read_workload(path, keep_epoch="true", max_processors="2")[0].submission_time == 50
    assert read_workload(path, keep_epoch="false")[0].submission_time == 0
    assert len(read_workload(path, max_processors="1")) == 0
    assert read_workload(file(JSON, "other"), generation="5").generation == 5
    for option, value in {"keep_epoch": "maybe", "max_processors": "few", "walltime": "stop"}.items():
        with pytest.raises(UsageError, match=f"the format swf: {option} must be .*, not '{value}'"):
            read_workload(path, **{option: value})


def test_a_format_can_be_chosen_by_name(file):
    document = '{"nb_res": 1, "jobs": [], "profiles": {"d": {"type": "delay", "delay": 1}}}'
    assert read_workload(file(document), format="batsim4").generation == 4
    with pytest.raises(InputError, match="a workload of Batsim 4, the file is read as one of Batsim 5"):
        read_workload(file(document), format="batsim5")
    with pytest.raises(UsageError, match="there is no workload format 'swff'\n  hint: did you mean 'swf'"):
        read_workload(file(document), format="swff")


def test_platforms_in_a_word_and_in_a_file():
    assert len(read_platform("hosts:4x2").hosts) == 4
    assert len(read_platform(shared("golden/batsim4/inputs/platforms/small_platform.xml")).hosts) == 4


def test_events(file):
    assert read_events(file('{"type": "generic", "timestamp": 1, "data": ""}'), "we0").events[0].id == "we0!0"


def test_the_list_of_formats_prints():
    lines = [str(form) for form in list_formats()]
    assert any(line.split()[:4] == ["swf", "workload", "read,", "write"] for line in lines)
    for form in FORMATS:
        for declared in filter(None, (form.looks_like, form.reader, form.writer, form.word, form.copier)):
            assert callable(function(declared))


PACKAGE = """
from windtunnel.formats.format import Format
from windtunnel.model import DelayProfile, Job, JobList, Request


def read_words(path, name, *, size: int = 1):
    words = path.read_text().split()[1:]
    profile = DelayProfile(id=f"{name}!d", delay=1)
    return JobList(name, [Job(id=f"{name}!{word}", request=Request(size), profile=profile) for word in words])


WORDS = Format(
    name="words",
    kind="workload",
    description="a word for each job",
    looks_like=lambda head: head.startswith(b"words"),
    reader="package_of_words:read_words",
)
"""


def plug_in(tmp_path, monkeypatch, entry):
    entries = {"windtunnel.formats": {"words": entry}}
    monkeypatch.syspath_prepend(str(install(tmp_path / "site", "package_of_words", PACKAGE, entries)))
    monkeypatch.delitem(sys.modules, "package_of_words", raising=False)


def test_other_packages_bring_formats(file, tmp_path, monkeypatch):
    plug_in(tmp_path, monkeypatch, "package_of_words:WORDS")
    assert [job.id for job in read_workload(file("words b a"), "w0", size="3")] == ["w0!a", "w0!b"]
    assert "words" in {form.name for form in list_formats()}
    assert find_format(file(ROW), "workload").name == "swf"
    with pytest.raises(UsageError, match="the format words: size must be a whole number, not 'many'"):
        read_workload(file("words b a"), size="many")


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ("package_of_words:read_words", r"the format 'words' \(package_of_words:read_words\) is no"),
        ("package_of_words:NONE", "format 'words' of package_of_words:NONE cannot be imported: AttributeError"),
    ],
)
def test_an_entry_that_is_no_format_is_refused(file, tmp_path, monkeypatch, entry, says):
    plug_in(tmp_path, monkeypatch, entry)
    with pytest.raises(UsageError, match=says):
        read_workload(file("words a"))


@pytest.mark.parametrize("module", [registry, convert])
def test_what_looks_formats_up_knows_none_by_name(module):
    source = inspect.getsource(module)
    names = {form.name for form in FORMATS} - set(KINDS)
    assert [name for name in names if f'"{name}"' in source or f"'{name}'" in source or f".{name}" in source] == []


def test_the_registry_names_no_format():
    """A family declares its formats itself; the registry knows the kinds of formats only."""
    named = {
        node.value
        for node in ast.walk(ast.parse(inspect.getsource(registry)))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert named & ({form.name for form in FORMATS} - set(KINDS)) == set()
