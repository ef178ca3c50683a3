"""Runs with tasks, replays, energy, switching and profiles of the platform are values: they fork and are saved."""

import pytest
from tests.engine.star import star

from windtunnel.engine import Options, Simulation
from windtunnel.formats.sites.simgrid_xml import parse_platform
from windtunnel.model import (
    DelayProfile,
    ForkJoinCompositionProfile,
    HostSet,
    ParallelTaskHomogeneousProfile,
    ParallelTaskOnStorageHomogeneousProfile,
    ParallelTaskProfile,
    SequentialCompositionProfile,
    TraceReplayProfile,
    TraceType,
)
from windtunnel.testing import InvariantChecker, Scripted, job, workload
from windtunnel.vocabulary import Execute, JobSubmitted, QueryEnergy, TurnOnOffHosts

PROPS = """<prop id="wattage_per_state" value="100:120:200, 10:10, 50:50, 80:80"/>
<prop id="sleep_pstates" value="1:2:3"/>"""


class Spread(Scripted):
    """Every job on hosts 0 and 1, which it shares with others; host 3 is sent to sleep."""

    def __init__(self):
        super().__init__(self.answer)

    def answer(self, now, notices):
        asked = []
        for notice in notices:
            if isinstance(notice, JobSubmitted):
                if notice.job.id == "w0!0":
                    asked.append(TurnOnOffHosts(hosts=HostSet.parse("3"), state=1))
                asked.append(Execute(notice.job, HostSet.parse("0-1")))
        return [*asked, QueryEnergy()] if asked else []


def site():
    text = star(4, ("pfs",), latency="1ms", props=PROPS, speed="1Gf,1e-9f,0.2f,0.05f", text=True)
    trace = '<trace id="t" periodicity="5">0 1.0\n2 0.5</trace>'
    text = text.replace("<zone", trace + "<zone", 1).replace(
        "</platform>", '<trace_connect kind="SPEED" trace="t" element="n0"/></platform>'
    )
    return parse_platform(text.encode(), numbering="natural", master="", energy=True)


def jobs():
    part = ParallelTaskProfile(id="w0!part", computation_vector=(2e9, 1e9), communication_matrix=(0.0, 1e8, 0.0, 0.0))
    wait = DelayProfile(id="w0!wait", delay=2.5)
    ids = ("w0!part", "w0!wait")
    lines = tuple(
        tuple(tuple(line.split()) for line in rank)
        for rank in (["compute 1e9", "send 1 0 100000000", "compute 1e9"], ["recv 0 0 100000000"])
    )
    profiles = [
        part,
        ForkJoinCompositionProfile(id="w0!fork", profile_ids=ids),
        SequentialCompositionProfile(id="w0!sequence", profile_ids=ids, repetition_count=2),
        ParallelTaskHomogeneousProfile(id="w0!alike", computation_amount=3e9, communication_amount=1e8),
        ParallelTaskOnStorageHomogeneousProfile(id="w0!storage", bytes_to_read=1e8),
        TraceReplayProfile(id="w0!replay", trace_type=TraceType.SMPI, filename="x", traces=lines),
    ]
    made = [job(k, 2, run=profile, at=0.7 * k, walltime=30.0) for k, profile in enumerate(profiles)]
    return workload(*made, profiles=[*profiles, wait])


def make():
    checker = InvariantChecker(sharing=True)
    options = Options(energy=True, compute_sharing=True)
    return Simulation(site(), [jobs()], [Spread()], options=options, observers=[checker]), checker


def outcome(simulation, checker):
    simulation.run()
    totals = simulation.totals()
    kept = {key: totals[key] for key in totals if key not in ("scheduling_time", "simulation_time")}
    return checker.rows, simulation.world.energy.total(simulation.now), kept


@pytest.fixture(scope="module")
def whole():
    return outcome(*make())


@pytest.mark.parametrize("rounds", range(1, 14, 2))
def test_a_fork_goes_on_as_the_original_would(rounds, whole, tmp_path):
    simulation, checker = make()
    for _ in range(rounds):
        simulation.step()
    before = len(checker.rows)
    ours = InvariantChecker(sharing=True)
    ours.submitted, ours.size = set(checker.submitted), 4
    fork = simulation.fork([ours])
    path = tmp_path / "saved"
    simulation.save(path)
    rows, joules, totals = outcome(fork, ours)
    assert rows == whole[0][before:]
    assert (joules, totals) == whole[1:]
    theirs = InvariantChecker(sharing=True)
    theirs.submitted, theirs.size = set(checker.submitted), 4
    assert outcome(Simulation.restore(path, [theirs]), theirs)[1:] == whole[1:]
    assert outcome(simulation, checker) == whole
