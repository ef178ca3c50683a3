"""All samples of Slurm's outputs: read, or refused by name with the command that prints what can be read."""

import gzip
import json

import pytest

from shared import shared
from windtunnel.diagnostics import InputError
from windtunnel.formats.recognition import find_format
from windtunnel.formats.registry import read_platform, read_workload
from windtunnel.formats.slurm.listings import command_of

MOMENTS = ["clean/during", "clean/after", "during", "after"]
READ = {"sacct": ("workload", "sacct"), "scontrol show node": ("platform", "scontrol")}
READ |= {"scontrol show job": ("workload", "scontrol-job")}
JSON = {"squeue": ("workload", "squeue-json"), "sinfo": ("platform", "sinfo-json")}


def plain(command):
    """``scontrol show job`` of ``scontrol -o show job -d``."""
    words = [word for word in command.split() if not word.startswith("-")]
    kept = {"scontrol": 3, "sacctmgr": 2}.get(words[0], 1)
    return " ".join(words[:kept])


@pytest.mark.parametrize("moment", MOMENTS)
def test_every_sample_is_known(moment):
    folder = shared(f"golden/slurm/formats/{moment}")
    commands = {
        name.removesuffix(".gz"): text for name, text in json.loads((folder / "commands.json").read_text()).items()
    }
    files = [path for path in sorted(folder.iterdir()) if path.name != "commands.json" and path.stat().st_size > 40]
    assert len(files) >= 50
    for path in files:
        command = commands.get(path.name.removesuffix(".gz"), "sacct -P")
        head = (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes())[: 1 << 16]
        if plain(command) in READ and command != "sacct -e":
            kind, name = READ[plain(command)]
            if "-n " not in command:  # without a head: its columns are named
                assert find_format(path, kind).name == name, path
                assert not command_of(head), path
            continue
        told = command_of(head)
        if "--json" in command:
            kind, name = JSON[plain(command)]
            assert find_format(path, kind).name == name
            assert not told
            continue
        assert told in {plain(command), "sacct -e"}, path
        if "sacctmgr" in command and b"User|" in head:
            continue  # some are read beside a site
        for read in (read_platform, read_workload):
            with pytest.raises(InputError) as caught:
                read(path)
            (one,) = caught.value.findings
            assert (one.code, one.line) == ("listing", 1)
            assert one.message == f"this is what {told} prints: neither a site nor jobs can be read from it"
            assert one.hint


def test_sums_of_sreport():
    folder = shared("golden/slurm/formats")
    files = sorted(folder.glob("sreport-*.txt"))
    assert len(files) >= 10
    for path in files:
        with pytest.raises(InputError, match="this is what sreport prints"):
            read_workload(path)


@pytest.mark.parametrize(
    "text", ["", "JOBID", "{", "Name|Priority", "JobID|Submit", "# To edit", "PartitionName=x\n"]
)
def test_other_texts_are_none(text):
    assert command_of(text.encode()) == ""
