"""How far a replay of a log agrees with what was: waits, utilisation and starts, and what the log itself explains."""

from collections.abc import Sequence
from statistics import median
from typing import Final

import msgspec

from windtunnel.model import Platform, Workload
from windtunnel.twin.drains import Drain, as_events, drains_in
from windtunnel.twin.odd_waits import OddWaits, told_apart
from windtunnel.twin.replay import GROUPS, REJECTED, Outcome, groups_of, log_of, mean_wait, median_wait, replay

__all__ = ["Calibration", "Compared", "calibrate", "compare"]

_MOST_REASONS: Final = 3
"""Why jobs never start: so many reasons stand in a verdict."""


class Compared(msgspec.Struct, frozen=True):
    """Recorded and simulated waits (s) of some jobs."""

    by: str
    name: str
    jobs: int
    recorded_mean: float
    simulated_mean: float
    recorded_median: float
    simulated_median: float
    same_start: float = 0.0
    """The share of them that start within a minute of when they did."""
    recorded_use: float = 0.0
    simulated_use: float = 0.0
    """What they use of all processors, from the first submission to the last end of all jobs."""


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """What came out of a comparison."""

    jobs: int
    missing: int
    """Jobs of the log that never start in the replay."""
    drains: tuple[Drain, ...]
    groups: tuple[Compared, ...]
    """All jobs first, then by partition, account, size, user and hour of submission."""
    recorded_use: float
    simulated_use: float
    """Shares of all processor-seconds from the first submission to the last end."""
    same_start: float
    """The share of jobs that start within a minute of when they did."""
    error: float
    """The median of the differences of waits (s), without sign."""
    odd: OddWaits
    """Jobs that waited much longer, or shorter, than in the replay."""
    verdict: str
    told: tuple[str, ...] = ()
    """What did not take effect as written in the replay."""


def calibrate(platform: Platform, workload: Workload, scheduler: str = "", *, fit_drains: bool = True) -> Calibration:
    """Replay a log and compare; nodes that the log shows were not there are taken away first.

    Raises:
        UsageError: the log does not tell when jobs started.
        SimulationError: the replay could not go on.
    """
    return compare(platform, workload, scheduler, fit_drains=fit_drains)[0]


def compare(
    platform: Platform, workload: Workload, scheduler: str = "", *, fit_drains: bool = True
) -> tuple[Calibration, list[tuple[Outcome, Outcome]]]:
    """What :func:`calibrate` says, and every job as it was and as it became.

    Raises:
        UsageError, SimulationError: as there.
    """
    was = log_of(workload)
    drains = drains_in(was, platform) if fit_drains else []
    options = {"events": as_events(drains, platform)} if drains else {}
    jobs, told = replay(platform, workload, scheduler, **options)
    became = {one.id: one for one in jobs}
    pairs = [(one, became[one.id]) for one in was if one.id in became]
    differences = [abs(new.waited - old.waited) for old, new in pairs]
    cores = sum(host.cores for host in platform.hosts)
    olds, news = [old for old, _ in pairs], [new for _, new in pairs]
    groups = _groups(pairs, _processor_seconds(olds, cores), _processor_seconds(news, cores))
    found = Calibration(
        jobs=len(pairs),
        missing=len(was) - len(pairs),
        drains=tuple(drains),
        groups=tuple(groups),
        recorded_use=groups[0].recorded_use,
        simulated_use=groups[0].simulated_use,
        same_start=groups[0].same_start,
        error=median(differences) if differences else 0.0,
        odd=told_apart(pairs),
        verdict="",
        told=told,
    )
    return msgspec.structs.replace(found, verdict=_verdict(found)), pairs


def _groups(pairs: Sequence[tuple[Outcome, Outcome]], recorded: float, simulated: float) -> list[Compared]:
    """``recorded``, ``simulated``: the processor-seconds that there were."""
    new = {old.id: after for old, after in pairs}
    whole = {"all": {"all jobs": [old for old, _ in pairs]}}
    parts = whole | {by: groups_of((old for old, _ in pairs), by) for by in GROUPS}
    return [
        _compared(by, name, jobs, [new[one.id] for one in jobs], recorded, simulated)
        for by, groups in parts.items()
        for name, jobs in groups.items()
    ]


def _compared(
    by: str, name: str, jobs: Sequence[Outcome], after: Sequence[Outcome], recorded: float, simulated: float
) -> Compared:
    means, medians = (mean_wait(jobs), mean_wait(after)), (median_wait(jobs), median_wait(after))
    same = sum(abs(new.waited - old.waited) <= 60 for old, new in zip(jobs, after, strict=True)) / max(1, len(jobs))
    used = (sum(one.processors * one.ran for one in some) for some in (jobs, after))
    old_use, new_use = (amount / there for amount, there in zip(used, (recorded, simulated), strict=True))
    return Compared(by, name, len(jobs), *means, *medians, same, old_use, new_use)


def _processor_seconds(jobs: Sequence[Outcome], cores: int) -> float:
    """All that there were from the first submission to the last end."""
    start = min((one.submitted for one in jobs), default=0.0)
    end = max((one.submitted + one.waited + one.ran for one in jobs), default=0.0)
    return max(1.0, (end - start) * cores)


def _verdict(found: Calibration) -> str:
    """How far to trust it, and why."""
    if not found.jobs:
        return "No conclusion is possible: no job of the log starts in the replay."
    whole = found.groups[0]
    off = abs(whole.simulated_mean - whole.recorded_mean) / max(60.0, whole.recorded_mean)
    trust = "close" if off <= 0.1 and found.same_start >= 0.8 else "fair" if off <= 0.3 else "poor"
    agreement = (
        f"The agreement is {trust}: the mean wait is {whole.simulated_mean:,.0f} s in the replay and "
        f"{whole.recorded_mean:,.0f} s in the log; {found.same_start:.0%} of {found.jobs:,} jobs start within a "
        f"minute of when they did, and half of them within {found.error:,.0f} s."
    )
    parts = [agreement]
    if found.drains:
        hours = sum(one.end - one.start for one in found.drains) / 3600
        nodes = len({one.node for one in found.drains})
        parts.append(
            f"The log shows {nodes} node{'s' * (nodes > 1)} unused for {hours:,.1f} node-hours while jobs that would "
            "have fitted waited: drained or reserved, and removed from the replay."
        )
    parts += _of_odd_waits(found.odd)
    if found.missing:
        whys = [line.partition("): ")[2] for line in found.told if line.startswith(f"{REJECTED} (")]
        more = "; and more" if len(whys) > _MOST_REASONS else ""
        why = "; ".join(whys[:_MOST_REASONS]) or "the site has nothing they fit"
        start = "starts" if found.missing == 1 else "start"
        parts.append(f"{_jobs(found.missing)} of the log never {start} in the replay: {why}{more}.")
    return " ".join(parts)


def _of_odd_waits(odd: OddWaits) -> list[str]:
    """What the log shows of jobs that were held, of priorities changed by hand, and of what it does not show."""
    parts = []
    if odd.held:
        parts.append(
            f"{_jobs(odd.held)} could start only later than submitted (held, or with a begin time): the log says "
            "when, and the replay waits for it."
        )
    if odd.overtaken:
        raised = f" ({odd.raised:,} of those over an hour earlier than in the replay)" if odd.raised else ""
        parts.append(
            f"{_jobs(odd.overtaken)} waited over an hour longer than in the replay while later ones of their "
            f"partition and QOS, no smaller and no shorter, started before them{raised}: priorities were changed by "
            "hand, or fair share counts what was used before the log begins."
        )
    if odd.unseen:
        parts.append(
            f"{_jobs(odd.unseen)} waited over an hour longer than in the replay, and nobody overtook them: for "
            "limits or reservations that the files do not show, or held for some time after they could start."
        )
    return parts


def _jobs(count: int) -> str:
    return f"{count:,} job{'s' * (count != 1)}"
