"""A change of a site tried out on its log: who waits longer and who shorter, with intervals over weeks."""

import random
from collections.abc import Mapping, Sequence
from datetime import tzinfo
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.formats.slurm.conf import read_as, read_slurm_conf
from windtunnel.formats.slurm.site import zone_of
from windtunnel.model import Job, Platform, Workload
from windtunnel.model.slurm import SlurmSite
from windtunnel.options import checked_options, options_of
from windtunnel.studies.results import StudyResults
from windtunnel.studies.study import study
from windtunnel.twin.accounting_changes import ACCOUNTING, changed_accounting, without_effect
from windtunnel.twin.change import Change, Shift
from windtunnel.twin.changes import Pairs, changed, pairs_of
from windtunnel.twin.conf_files import ConfFiles
from windtunnel.twin.node_changes import with_nodes
from windtunnel.twin.replay import COLUMNS, GROUPS, Outcome, check_jobs, groups_of, mean_wait, outcomes_in
from windtunnel.twin.reservation_changes import RESERVATION, changed_reservation

__all__ = ["try_out", "what_if"]

_WEEK = 7 * 86400
_APART = {*ACCOUNTING, RESERVATION}
"""What is changed by commands, and not in files."""


def what_if(
    conf: str | Path,
    workload: Workload,
    *,
    sets: Sequence[str] = (),
    nodes: Sequence[str] = (),
    scheduler: str = "",
    jobs: int = 1,
    out: str | Path = "",
    **options: Any,
) -> Change:
    """Run a log on a site before and after changes of its slurm.conf, as a study of two points.

    Args:
        conf: the slurm.conf.
        workload: the log.
        sets: changes of keys, as ``SchedulerParameters=bf_window=2880`` or ``PartitionName=gpu MaxTime=2-0``, or of
            accounting, as ``QOS=high Priority=1000``, ``Account=physics Fairshare=20``, ``User=ann MaxJobs=4``; or a
            reservation, as ``ReservationName=repair StartTime=2024-03-05T08:00:00 Duration=8:00:00 Nodes=ALL``.
        nodes: nodes to add, as ``gpu:+20``, or to take away, as ``gpu:-4``.
        scheduler: another than the site's own.
        jobs: how many processes of this machine work on it.
        out: a directory where the study is kept: what has been simulated there is not simulated again.
        options: of the reader of slurm.conf.

    Raises:
        InputError, UsageError: the files or changes are at fault.
        SimulationError: a run could not go on.
    """
    return try_out(conf, workload, sets=sets, nodes=nodes, scheduler=scheduler, jobs=jobs, out=out, **options)[0]


def try_out(
    conf: str | Path,
    workload: Workload,
    *,
    sets: Sequence[str],
    nodes: Sequence[str],
    scheduler: str,
    jobs: int,
    out: str | Path,
    **options: Any,
) -> tuple[Change, list[tuple[Outcome, Outcome]]]:
    """What :func:`what_if` says, and what becomes of every job before and after.

    Raises:
        InputError, UsageError, SimulationError: as there.
    """
    options = checked_options("the format slurm", options_of(read_slurm_conf, skip=1), options)
    files = ConfFiles.read(conf)
    before = read_as(files.path, files.texts, **options)
    asked = [pairs_of(change) for change in sets]
    after = _changed_files(files, asked, nodes, before.site or SlurmSite())
    if options.get("all_states") and any(":-" in change for change in nodes):
        raise UsageError("all_states takes nodes that are down: none can be taken away", "leave out all_states=true")
    site, commands, idle = _changed_apart(
        read_as(files.path, after.texts, **options), asked, zone_of(options.get("tz", "UTC"))
    )
    if after.texts == files.texts and site.site == before.site:
        raise UsageError("nothing changes", "say what, as --set PriorityWeightAge=5000 or --nodes gpu:+20")
    check_jobs(workload)
    sites = {"before": before, "after": site}
    with TemporaryDirectory(prefix="windtunnel-") as aside:
        results = _studied(sites, workload, scheduler or "slurm", out or Path(aside) / "study", jobs)
        known = {job.id: job for job in workload}
        old, new = (_outcomes(results, name, known) for name in sites)
        told = (*idle, *results.accounts)
    pairs = [(one, new[one.id]) for one in old.values() if one.id in new]
    both = [one for one, _ in pairs]
    parts = {"all": {"all jobs": both}} | {by: groups_of(both, by) for by in GROUPS}
    shifts = tuple(_shift(by, name, some, new) for by, groups in parts.items() for name, some in groups.items())
    found = Change(
        shifts=shifts,
        never_before=len(workload) - len(old),
        never_after=len(workload) - len(new),
        diff=files.difference(after),
        commands=tuple(commands),
        told=told,
    )
    return found, pairs


def _is_apart(change: Pairs) -> bool:
    """Whether a command makes the change, and no file."""
    return change[0][0].lower() in _APART


def _changed_files(files: ConfFiles, asked: Sequence[Pairs], nodes: Sequence[str], site: SlurmSite) -> ConfFiles:
    """The configuration of a site with the changes that are made in its files."""
    for change in asked:
        files = files if _is_apart(change) else changed(files, change)
    for more in nodes:
        files = with_nodes(files, more, site)
    return files


def _changed_apart(
    platform: Platform, asked: Sequence[Pairs], zone: tzinfo
) -> tuple[Platform, list[str], list[str]]:
    """A site with changes of what is not in its files, the commands that make them, and which make no difference."""
    commands, idle = [], []
    for pairs in filter(_is_apart, asked):
        if platform.site is None:
            raise UsageError("this describes no Slurm site")
        if pairs[0][0].lower() == RESERVATION:
            site, command = changed_reservation(platform.site, pairs, zone)
        else:
            site, command = changed_accounting(platform.site, pairs)
        commands.append(command)
        if reason := without_effect(site, pairs):
            idle.append(f"{command}: {reason}")
        platform = msgspec.structs.replace(platform, site=site)
    return platform, commands, idle


def _studied(
    sites: Mapping[str, Platform], workload: Workload, scheduler: str, out: str | Path, jobs: int
) -> StudyResults:
    platforms = [{"platform": site, "label": name} for name, site in sites.items()]
    log = {"workload": workload, "label": "log"}
    planned = study("what-if", schedulers=scheduler, workloads=[log], platforms=platforms, job_tables=True)
    results = planned.run(out, jobs=jobs)
    if results.errors:
        raise SimulationError("; ".join(results.errors))
    return results


def _outcomes(results: StudyResults, label: str, known: Mapping[str, Job]) -> dict[str, Outcome]:
    """What became of the jobs on one of the sites."""
    import polars as pl

    (number,) = results.points.filter(pl.col("platform") == label)["point"]
    rows = results.jobs().filter(pl.col("point") == number).select(COLUMNS).collect()
    return {one.id: one for one in outcomes_in(rows.iter_rows(), known)}


def _shift(by: str, name: str, jobs: Sequence[Outcome], new: dict[str, Outcome]) -> Shift:
    after = [new[one.id] for one in jobs]
    weeks: dict[int, list[float]] = {}
    for one in jobs:
        weeks.setdefault(int(one.submitted // _WEEK), []).append(new[one.id].waited - one.waited)
    low, high = _interval(list(weeks.values()), f"{by}:{name}") if len(weeks) > 2 else (None, None)
    return Shift(by, name, len(jobs), mean_wait(jobs), mean_wait(after), low, high)


def _interval(weeks: list[list[float]], seed: str) -> tuple[float, float]:
    """Of the mean difference, over weeks drawn again and again: what happens within a week hangs together."""
    draw = random.Random(seed)
    sums = [(sum(week), len(week)) for week in weeks]
    means = []
    for _ in range(400):
        chosen = draw.choices(sums, k=len(sums))
        means.append(sum(total for total, _ in chosen) / sum(count for _, count in chosen))
    means.sort()
    return means[10], means[389]
