"""The ends of the ranks of a replay, where telling of them takes time (Batsim 4): links of 1 ms, two to each host."""

import pytest
from tests.engine.runs import simulate, start_all
from tests.engine.star import star

from windtunnel.engine import Options, Simulation
from windtunnel.model import JobState, TraceReplayProfile, TraceType
from windtunnel.testing import InvariantChecker, Scripted, job, workload
from windtunnel.vocabulary import CallMeLater, JobsKilled, JobSubmitted, KillJobs, OneShot, RequestedCall, TimeUnit


def replay(*seconds, kind=TraceType.SMPI):
    """One rank for each number of seconds, on hosts of 1 Gf."""
    word = "compute" if kind is TraceType.SMPI else "m_usage"
    lines = [(((word, f"{s * 1e9:g}") if word == "compute" else (word, "1.0", f"{s * 1e9:g}")),) for s in seconds]
    return TraceReplayProfile(id="w0!t", trace_type=kind, filename="t", traces=tuple(lines))


def ended(profile, *, tell=True, walltime=None, script=start_all):
    more = {} if walltime is None else {"walltime": walltime}
    jobs = workload(job(1, len(profile.traces), run=profile, **more))
    component, checker, _ = simulate(script, jobs, site=star(cores=1, latency="1ms"), ranks_tell_their_end=tell)
    return component, checker.rows[0]


@pytest.mark.parametrize("kind", TraceType)
@pytest.mark.parametrize(
    ("seconds", "later"),
    [
        ((1.0,), 0.0),  # within the host
        ((1.0, 1.0), 0.002),
        ((1.0, 1.0, 1.0), 0.004),  # one after the other
        ((1.0, 0.5, 0.5), 0.0),  # those at the other hosts have been heard
        ((0.5, 1.0, 0.5), 0.002),
    ],
)
def test_each_is_told_to_the_first_host_one_after_the_other(kind, seconds, later):
    _, row = ended(replay(*seconds, kind=kind))
    assert row[3] == pytest.approx(max(seconds) + later, abs=1e-6)
    assert ended(replay(*seconds, kind=kind), tell=False)[1][3] == pytest.approx(max(seconds), abs=1e-9)


def test_a_walltime_may_come_between():
    _, row = ended(replay(1.0, 1.0, 1.0), walltime=1.001)
    assert row[1:4] == (JobState.COMPLETED_WALLTIME_REACHED, 0.0, 1.001)


def test_a_kill_may_come_between():
    def script(now, notices):
        if any(isinstance(n, JobSubmitted) for n in notices):
            call = CallMeLater(call_me_later_id="k", when=OneShot(1003, TimeUnit.Millisecond))
            return [*start_all(now, notices), call]
        return [KillJobs(job_ids=("w0!1",)) for n in notices if isinstance(n, RequestedCall)]

    component, row = ended(replay(1.0, 1.0, 1.0), script=script)
    assert row[1:4] == (JobState.COMPLETED_KILLED, 0.0, 1.003)
    (killed,) = component.told(JobsKilled)
    assert killed.progresses["w0!1"].progress == 1.0


class Plain(Scripted):
    """Can be copied."""

    def __init__(self):
        super().__init__(start_all)


def test_a_fork_ends_as_its_origin_does():
    jobs = workload(job(1, 3, run=replay(1.0, 1.0, 1.0)))
    checker = InvariantChecker()
    options = Options(ranks_tell_their_end=True)
    whole = Simulation(star(cores=1, latency="1ms"), [jobs], [Plain()], options=options, observers=[checker])
    whole.run_until(1.001)
    branch = whole.fork()
    whole.run()
    branch.run()
    assert whole.now == branch.now == pytest.approx(1.004, abs=1e-6)
