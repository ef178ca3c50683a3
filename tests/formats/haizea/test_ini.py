"""Haizea's configuration files."""

from datetime import datetime

import pytest

from windtunnel.diagnostics import Findings, InputError
from windtunnel.formats.haizea.ini import OPTIONS, read_haizea_config
from windtunnel.formats.haizea.multi import read_haizea_multi
from windtunnel.model.lease_options import Backfilling, StopWhen, SuspensionMode, settings_of_all

GOOD = """[general]
loglevel: INFO
mode: simulated
lease-preparation: unmanaged
# a comment
[scheduling]
mapper = greedy
backfilling: intermediate
backfilling-reservations: 3
suspension: all
suspend-rate: 32
resume-rate: 16.5
override-memory-is-not-here; a comment: 1
[simulation]
clock: simulated
starttime: 2006-11-25 13:00:00
resources: 4  CPU:100 Memory:1024
imagetransfer-bandwidth: 100
stop-when: exact
stop-when-time: 01:00:00:00
[accounting]
datafile: none
probes: ar best-effort
attributes: a=1, b=2
[tracefile]
tracefile: a.lwf
override-memory: -1
"""


def write(tmp_path, text):
    path = tmp_path / "haizea.conf"
    path.write_text(text)
    return path


CODE = GOOD.replace("mapper = greedy\n", "").replace(
    "override-memory-is-not-here; a comment: 1\n", "mapper: evil:Mapper\npolicy-pricing: evil:Price\n"
)


def test_a_file_loads_no_code_unless_it_is_trusted(tmp_path):
    with pytest.raises(InputError) as caught:
        read_haizea_config(write(tmp_path, CODE))
    refused = [finding for finding in caught.value.findings if finding.code != "history"]
    assert [(finding.code, finding.line) for finding in refused] == [("code", 12), ("code", 13)]
    assert "--trust-code" in refused[0].hint
    options = read_haizea_config(write(tmp_path, CODE), trust_code=True).options
    assert (options.mapper, options.policy_pricing) == ("evil:Mapper", "evil:Price")


def test_options_given_twice_are_told(tmp_path):
    notes = Findings("haizea.conf")
    twice = GOOD.replace("override-memory-is-not-here; a comment: 1\n", "Mapper: deadline\n") + "[scheduling]\nsuspension: none\n"
    config = read_haizea_config(write(tmp_path, twice), findings=notes)
    assert (config.options.mapper, config.options.suspension) == ("deadline", SuspensionMode.NONE)
    told = [(found.code, found.line) for found in notes if found.code == "repeated-option"]
    assert told == [("repeated-option", 13), ("repeated-option", 29)]
    assert config.warnings == tuple(notes)
    assert "[scheduling] mapper is given twice, first at line 7: the last one counts" in {f.message for f in notes}


def test_nor_does_one_of_several_runs(tmp_path):
    text = MULTI.replace("[common:scheduling]\n", "[common:scheduling]\npolicy-admission: evil:Admission\n")
    with pytest.raises(InputError, match="is code"):
        read_haizea_multi(write(tmp_path, text))
    runs = read_haizea_multi(write(tmp_path, text), trust_code=True)
    assert {config.options.policy_admission for config in runs.values()} == {"evil:Admission"}


def test_options_are_read(tmp_path):
    config = read_haizea_config(write(tmp_path, GOOD.replace("override-memory-is-not-here; a comment: 1\n", "")))
    options = config.options
    assert options.haizea_compat
    assert (options.backfilling, options.backfilling_reservations) == (Backfilling.INTERMEDIATE, 3)
    assert (options.suspension, options.resume_rate, options.override_memory) == (SuspensionMode.ALL, 16.5, None)
    assert config.start_time == datetime.fromisoformat("2006-11-25T13:00")
    assert (config.stop.when, config.stop.time) == (StopWhen.EXACT, 86400)
    assert (config.probes, config.attributes) == (("ar", "best-effort"), {"a": "1", "b": "2"})
    assert config.tracefile == "a.lwf"
    assert config.unused == {"general.loglevel": "INFO", "accounting.datafile": "none"}
    assert [(found.line, found.message) for found in config.warnings] == [
        (2, "[general] loglevel has no effect here"),
        (21, "[accounting] datafile has no effect here"),
    ]
    assert options.non_schedulable_interval == 10


def test_all_faults_come_together_with_their_lines(tmp_path):
    bad = GOOD.replace("override-memory-is-not-here; a comment: 1\n", "rate: 2\n")
    bad = bad.replace("suspend-rate: 32\n", "").replace("backfilling: intermediate", "backfilling: agressive")
    bad = bad.replace("starttime: 2006-11-25 13:00:00", "starttime: today") + "[tracefiles]\nx: 1\n"
    with pytest.raises(InputError) as caught:
        read_haizea_config(write(tmp_path, bad))
    text = str(caught.value)
    assert (
        "haizea.conf:8: error [bad-value]: [scheduling] backfilling: 'agressive' is not one of off, aggressive"
        in text
    )
    assert "[scheduling] has no option 'rate'" in text
    assert "it belongs to [pricing]" in text
    assert "[scheduling] suspend-rate is missing (leases are suspended)" in text
    assert "not a timestamp YYYY-MM-DD HH:MM:SS: 'today'" in text
    assert "no section [tracefiles]" in text
    assert "did you mean 'tracefile'?" in text


def test_a_start_with_a_time_zone_is_refused(tmp_path):
    bad = GOOD.replace("starttime: 2006-11-25 13:00:00", "starttime: 2006-11-25 13:00:00+01:00")
    with pytest.raises(InputError, match="a timestamp has no time zone, all dates are of one clock"):
        read_haizea_config(write(tmp_path, bad))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("mode: simulated", "before the first [section]"),
        ("[general]\nnonsense\n", "not an option"),
        (
            "[general]\nmode: opennebula\n[scheduling]\nsuspension: none\nbackfilling: off\n",
            "opennebula is not supported",
        ),
        ("", "suspension is missing"),
    ],
)
def test_files_that_are_not_configurations(tmp_path, text, says):
    with pytest.raises(InputError) as caught:
        read_haizea_config(write(tmp_path, text))
    assert says in str(caught.value)


def test_every_scheduling_option_has_its_field():
    fields = {option.field for known in OPTIONS.values() for option in known.values() if option and option.scheduling}
    assert fields == settings_of_all().keys() - {"haizea_compat"}


MULTI = """[multi]
tracedir: traces
tracefiles: a.lwf b.lwf
injectionfiles: more.lwf
annotationfiles: x.lwfa
skip-no-annotation: true
[common:general]
mode: simulated
[common:scheduling]
suspension: none
[common:simulation]
clock: simulated
resources: in-tracefile
[slow:scheduling]
backfilling: off
[fast:scheduling]
backfilling: aggressive
"""


def test_several_runs(tmp_path):
    runs = read_haizea_multi(write(tmp_path, MULTI))
    assert list(runs) == [
        f"{profile}_{trace}{injected}+x"
        for profile in ("slow", "fast")
        for trace in ("a", "b")
        for injected in ("", "+more")
    ]
    one = runs["slow_b+more+x"]
    assert one.options.backfilling is Backfilling.OFF
    assert one.tracefile == str(tmp_path / "traces" / "b.lwf")
    assert one.injection_file == str(tmp_path / "more.lwf")


def test_faults_of_several_runs_are_named(tmp_path):
    with pytest.raises(InputError) as caught:
        read_haizea_multi(write(tmp_path, "[multi]\ntracefile: a\n[general]\nmode: simulated\n"))
    text = str(caught.value)
    assert "[multi] has no option 'tracefile'" in text
    assert "[general] has no profile" in text
    assert "names no tracefiles" in text
    wrong = MULTI.replace("backfilling: off", "backfilling: of")
    with pytest.raises(InputError, match=r"haizea.conf \(slow_a\+x\): error \[bad-value\]"):
        read_haizea_multi(write(tmp_path, wrong))
