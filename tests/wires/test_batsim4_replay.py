"""Every recorded dialogue of Batsim 4, replayed: our Batsim says what Batsim said (issue "What must be shown" 1).

Each case runs with its own command line; a scripted scheduler answers with the recorded decisions. On platforms
without network dates are equal to the last digit, messages byte for byte, and so are the output files; elsewhere
events are the same, and at most as late as Batsim's own messages made them. Short dialogues go over ZeroMQ.

What is excepted, each by name: docs/reference/batsim4.md, "Differences".
"""

import json

import pytest
from tests.wires.batsim4_cases import arguments, in_process, over_zeromq
from tests.wires.recorded_batsim4 import Script, dialogue

from golden_outputs import assert_same_csv, assert_same_jobs, assert_same_schedule, assert_same_states
from shared import cases, missing
from some_cases import PARTS, part_of
from windtunnel.diagnostics import DecisionError, InputError, WindtunnelError

pytestmark = pytest.mark.golden

RECORDED = cases("golden/batsim4", "*--*")
LONG = 120
"""Dialogues of more messages do not go over the socket, which would only take longer."""

STENCIL = "--pfs512--stencil"
"""Four equal jobs that share one storage: a start some ms later moves whole phases. Their ends within 2 %."""
TIES = ("--small--delays--after10-", "walltimesmpi")
"""Jobs killed at the date of their end, or whose walltime is their run time: Batsim's latency decides which it is."""
ACCEPTED = ("-diffinline",)
"""Batsim refuses a profile inside REGISTER_JOB, which its document shows; we take it (decisions.md 5)."""
UNFINISHED = ("energy_bf_monitoring--e128cluster--hpc1--energy",)
"""The scheduler asks for calls indefinitely; the recording was stopped."""


TOGETHER = ("energy_bf_idle_sleeper", "energy_bf_monitoring_inertial")
"""Several groups of hosts have switched at one date; in what order they are counted is nobody's business."""


def exit_code(case):
    return json.loads((case / "case.json").read_text())["exit_code"]


def families(wanted):
    """One test for each scheduler: a few hundred cases would drown the others."""
    found = {}
    for case in RECORDED:
        if wanted(case):
            found.setdefault(case.name.split("--")[0], []).append(case)
    return found


FINISHED = families(lambda case: any(case.glob("dialogue.txt*")) and exit_code(case) == 0)
REFUSED = [case for case in RECORDED if exit_code(case) not in (0, None)]


def script_of(case):
    ties = any(part in case.name for part in TIES)
    slack = 0.02 if case.name.endswith(STENCIL) else 0.0
    return Script(dialogue(case), exact="nonet" in case.name, slack=slack, ties=ties)


@PARTS
@pytest.mark.parametrize("name", FINISHED or ["none"])
def test_batsim_says_the_same(name, part, tmp_path):
    if name == "none":
        missing("shared/golden/batsim4")
    for case in part_of(FINISHED[name], part):
        script = script_of(case)
        run = over_zeromq if len(script.recorded) <= LONG else in_process
        run(arguments(case, tmp_path / "out"), script)
        assert not script.wrong, f"{case.name}: {len(script.wrong)} differences; the first:\n{script.wrong[0]}"
        assert not script.left(), f"{case.name} was never told {script.left()[0]}"
        if script.exact:
            same_bytes(case, script)
            same_files(case, tmp_path)


def same_bytes(case, script):
    """Nearly all messages hold what Batsim's hold (the others are joined: one round, one message)."""
    counts = script.counts
    assert counts["grouped differently"] <= max(3, 0.02 * counts["messages"]), (case.name, counts)
    assert counts["equal bytes"] >= 0.9 * counts["messages"] - 3, (case.name, counts)


def same_files(case, tmp_path):
    """Batsim's output files, to the printed digits."""
    assert_same_jobs(tmp_path / "out_jobs.csv", case / "jobs.csv", tolerance=2e-6)
    assert_same_schedule(tmp_path / "out_schedule.csv", case / "schedule.csv", tolerance=2e-6)
    states = tmp_path / "out_machine_states.csv", case / "machine_states.csv"
    assert_same_states(*(map(settled, states) if case.name.startswith(TOGETHER) else states))
    if "--energy" in case.name:
        assert_same_csv(tmp_path / "out_pstate_changes.csv", case / "pstate_changes.csv")
        # Between two rows of one date, Batsim divides rounding errors of energy by those of the date.
        energies = tmp_path / "out_consumed_energy.csv", case / "consumed_energy.csv"
        assert_same_csv(*energies, ignore={"epower", "wattmin"}, tolerance=1e-5)
        if case.name.startswith(TOGETHER):
            assert_same_csv(*map(settled, energies), ignore={"epower"}, tolerance=1e-5)
        else:
            assert_same_csv(*energies, ignore={"epower"}, tolerance=1e-5)


def settled(path):
    """The last row of each date."""
    header, *rows = path.read_text().splitlines()
    return "\n".join([header, *{row.partition(",")[0]: row for row in rows}.values()])


@pytest.mark.parametrize("case", REFUSED or [None], ids=lambda case: case.name if case else "none")
def test_what_batsim_refuses(case, tmp_path):
    """Where Batsim aborts we say why; until then the dialogue is the same."""
    if case is None:
        missing("shared/golden/batsim4")
    script = script_of(case)
    with pytest.raises(WindtunnelError) as refusal:
        in_process(arguments(case, tmp_path / "out"), script)
    if case.name.endswith(ACCEPTED):
        assert "dynamic!0" in str(refusal.value) or script.counts["events"] > len(script.recorded)
        return
    assert isinstance(refusal.value, (DecisionError, InputError)) or not script.recorded, refusal.value
    assert not script.wrong, script.wrong[0]


@pytest.mark.parametrize("name", UNFINISHED)
def test_a_recording_that_was_stopped(name, tmp_path):
    found = [case for case in RECORDED if case.name == name]
    if not found:
        missing(f"shared/golden/batsim4/{name}")
    script = script_of(found[0])
    in_process(arguments(found[0], tmp_path / "out"), script)
    assert not script.left()
    assert [line.split("'type': ")[1].split(",")[0] for line in script.wrong] == [
        "'REQUESTED_CALL'",
        "'SIMULATION_ENDS'",
    ]
