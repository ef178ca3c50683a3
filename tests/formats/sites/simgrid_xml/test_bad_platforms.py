"""Every kind of fault in a platform: all findings of each, word for word, in bad_platforms.txt."""

from pathlib import Path

import pytest
from tests.formats.sites.simgrid_xml.bad_platforms import TEXTS, TRAPS

from windtunnel.diagnostics import Findings, InputError, Severity
from windtunnel.formats.sites.simgrid_xml import parse_platform, read_platform


def expected(file):
    """name -> findings as text, from blocks that begin with ``== name``."""
    blocks = (Path(__file__).parent / file).read_text(encoding="utf-8").split("== ")[1:]
    return {name: text.strip() for name, text in (block.split("\n", 1) for block in blocks)}


BAD, TRAPPED = expected("bad_platforms.txt"), expected("traps.txt")


def findings_of(text, **options):
    findings = Findings("p.xml")
    raised = ()
    try:
        parse_platform(text.encode(), "p.xml", energy=True, findings=findings, **options)
    except InputError as error:
        raised = error.findings
    assert bool(raised) == findings.has_errors
    assert not raised or list(raised) == findings.sorted()
    return findings


def shown(findings):
    """As text; of a syntax error without the words of the XML library, which change between its versions."""
    return "\n".join(
        str(f) if f.code != "syntax" else f"{f.place.rsplit(':', 1)[0]}: error [syntax]" for f in findings
    )


def test_there_are_many_kinds_of_bad_platforms():
    assert len(TEXTS) >= 60
    assert TEXTS.keys() == BAD.keys()
    assert TRAPS.keys() == TRAPPED.keys()


@pytest.mark.parametrize("name", TEXTS)
def test_all_faults_of_a_platform_are_found(name):
    findings = findings_of(TEXTS[name])
    assert findings.has_errors
    assert shown(findings) == BAD[name]


@pytest.mark.parametrize("name", TRAPS)
def test_what_simgrid_accepts_in_silence_is_a_warning(name):
    findings = findings_of(TRAPS[name])
    assert {f.severity for f in findings} == {Severity.WARNING}
    assert shown(findings) == TRAPPED[name]


def test_faults_of_power_are_warnings_where_energy_is_not_asked_for():
    findings = Findings()
    platform = parse_platform(TEXTS["table of power too short"].encode(), findings=findings)
    assert [(f.code, f.severity) for f in findings] == [
        ("pstate-count", Severity.WARNING),
        ("bad-sleep", Severity.WARNING),
    ]
    assert platform.hosts[0].pstates[0].idle is None
    assert platform.hosts[0].sleep_pstates == {}


def test_a_missing_file_is_a_finding(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_platform(tmp_path / "nowhere.xml")


def test_a_file_that_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("windtunnel.formats.sites.simgrid_xml.reader.MAX_BYTES", 10)
    path = tmp_path / "large.xml"
    path.write_text("<platform version='4.1'/>")
    with pytest.raises(InputError, match="too-large"):
        read_platform(path)


def test_entities_are_neither_read_nor_resolved(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("1Gf")
    outside = f'<!DOCTYPE platform [<!ENTITY s SYSTEM "{secret}">]>\n<platform version="4.1">&s;</platform>'
    laughs = '<!DOCTYPE platform [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>\n<platform version="4.1">&b;</platform>'
    for text in (outside, laughs):
        findings = findings_of(text)
        assert [f.code for f in findings] == ["entity"]


def test_a_fault_of_a_cluster_is_said_once_and_where_it_begins():
    text = '<platform version="4.1">\n<cluster id="c" prefix="n" suffix=""\n radical="0-999" speed="0f" bw="1Bps" lat="0"/></platform>'
    (finding,) = findings_of(text)
    assert (finding.code, finding.line) == ("zero-speed", 2)


def test_the_platform_keeps_the_warnings():
    platform = parse_platform(TRAPS["zone without routing"].encode())
    assert [f.code for f in platform.warnings] == ["no-routing"]
