"""Recorded dialogues of Batsim 4, message by message: our reply is the recorded one.

Kinds, order, dates, hosts and the reply's own date are compared. Where dates are of 1e10 s and more, batsched echoes
them wrong in the last digit (spec: schedulers.md 1.4): there they are compared to that digit.
"""

import pytest

from batsim4_dialogues import command, replay
from shared import cases
from some_cases import PARTS, part_of
from windtunnel.schedulers import make_scheduler, scheduler_options
from windtunnel.schedulers.registry import variants_of

pytestmark = pytest.mark.golden

BATSCHED, PYBATSIM = variants_of("batsched"), variants_of("pybatsim")
ECHO = ("--small--long", "--small--smpimapping")


def scheduler_of(case):
    variant, options = command(case)
    name = (PYBATSIM if case.name.startswith("py-") else BATSCHED).get(variant)
    if name is None:
        return None
    known = {option.name for option in scheduler_options(name)}  # their files hold options of other variants too
    return make_scheduler(name, **{key: value for key, value in options.items() if key in known})


def recorded():
    names = {*BATSCHED, *(f"py-{name}" for name in PYBATSIM)}
    return [case for case in cases("golden/batsim4", "*--*") if case.name.split("--")[0] in names]


def refused(case):
    """Batsim refused the input, so that nobody talked."""
    return (case / "error.txt").exists()


def families():
    """One test for each scheduler: a few hundred cases would drown the others."""
    found = {}
    for case in recorded():
        if any(case.glob("dialogue.txt*")):
            found.setdefault(case.name.split("--")[0], []).append(case)
    return found


FAMILIES = families()


@PARTS
@pytest.mark.parametrize("name", FAMILIES or ["none"])
def test_replies_are_the_recorded_ones(name, part):
    if name == "none":
        from shared import missing

        missing("shared/golden/batsim4")
    for case in part_of(FAMILIES[name], part):
        scheduler = scheduler_of(case)
        wrong, count = replay(scheduler, case, digits=11 if case.name.endswith(ECHO) else None)
        assert count > 1 or refused(case), case.name
        assert not wrong, f"{case.name}: {len(wrong)} of {count} replies differ; the first:\n{wrong[0]}"
