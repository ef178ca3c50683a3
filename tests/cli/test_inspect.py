"""``windtunnel inspect``."""

import json

import pytest
from tests.formats.sites.simgrid_xml.bad_platforms import HEAD

from windtunnel.cli.main import main

TEXT = f"""{HEAD}<zone id="Z" routing="Full">
<cluster id="a" prefix="a" suffix="" radical="0-3" speed="1Gf" bw="125MBps" lat="50us" bb_bw="2GBps" bb_lat="1ms"/>
<cluster id="b" prefix="b" suffix="" radical="0-1" speed="2Gf,1Gf" core="4" bw="1" lat="50us"/>
<link id="wan" bandwidth="1Gbps" latency="20ms" sharing_policy="FATPIPE"/>
<zoneRoute src="a" dst="b" gw_src="aa_router" gw_dst="bb_router"><link_ctn id="wan"/></zoneRoute>
</zone></platform>
"""


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "platform.xml"
    file.write_text(TEXT.replace('bw="1"', 'bw="125MBps"'))
    return str(file)


def test_a_description(path, capsys):
    assert main(["inspect", path]) == 0
    assert (
        capsys.readouterr().out
        == """platform: 6 hosts, 12 cores, 20 Gflop/s

hosts
  4 x a0 ... a3: 1 core, 1 Gf
  2 x b0 ... b1: 4 cores, 2 Gf, 1 Gf

zones
  Z (Full): 2 zones
    a (Cluster): 4 hosts, 1 router
    b (Cluster): 2 hosts, 1 router

links
  a_backbone: 2 GBps, 1 ms
  12 x a_link_0_UP: 125 MBps, 50 us
  wan: 125 MBps, 20 ms, FATPIPE
  __loopback__: 10 GBps, 0 s, FATPIPE
"""
    )


def test_a_route(path, capsys):
    assert main(["inspect", path, "--route", "a1", "b0"]) == 0
    assert (
        capsys.readouterr().out
        == """a1 -> b0: 4 links, latency 21.1 ms
  a_link_1_UP: 125 MBps, 50 us
  a_backbone: 2 GBps, 1 ms
  wan: 125 MBps, 20 ms, FATPIPE
  b_link_0_DOWN: 125 MBps, 50 us
bottleneck: a_link_1_UP, 125 MBps
a single flow gets at most 99.39 MBps, limited by TCP's window at this latency
"""
    )


def test_json(path, capsys):
    assert main(["inspect", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cores"] == 12
    assert main(["inspect", path, "--route", "a1", "b0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bottleneck"] == "a_link_1_UP"


def test_one_word_platforms(capsys):
    assert main(["inspect", "hosts:3x2"]) == 0
    assert (
        capsys.readouterr().out
        == "hosts:3x2: 3 hosts, 6 cores, 6 Gflop/s\n\nhosts\n  3 x host0 ... host2: 2 cores, 1 Gf\n"
    )


def test_warnings_go_to_standard_error(tmp_path, capsys):
    file = tmp_path / "platform.xml"
    file.write_text(TEXT)
    assert main(["inspect", str(file)]) == 0
    assert capsys.readouterr().err.startswith(f"{file}:6: warning [no-unit]: bw of <cluster 'b'> has no unit")


@pytest.mark.parametrize("arguments", [["nowhere.xml"], ["hosts:0"], ["PATH", "--route", "a1", "nobody"]])
def test_mistakes_are_messages(path, arguments, capsys):
    assert main(["inspect", *(path if word == "PATH" else word for word in arguments)]) == 2
    captured = capsys.readouterr()
    assert not captured.out
    assert captured.err.startswith("windtunnel inspect: ")
    assert "Traceback" not in captured.err


def test_the_platform_of_a_bundled_example(capsys):
    assert main(["inspect", "example:small"]) == 0
    assert capsys.readouterr().out.startswith("small: 16 hosts")
    assert main(["inspect", "example:nowhere"]) == 2
    assert "known: datacenters, slurm, small" in capsys.readouterr().err
