"""What metrics are computed from, read back from a run's files."""

from collections.abc import Iterator

from windtunnel.model import HostSet, JobState
from windtunnel.results.columns import STATES, Columns
from windtunnel.results.run import Run, Stretch

__all__ = ["columns_of"]


def columns_of(run: Run) -> Columns:
    """What metrics are computed from, with the digits that the files have."""
    jobs = run.jobs
    made = Columns(run.hosts)
    owners: dict[tuple[str, str], int] = {("", ""): 0}
    made.submitted.extend(jobs["submission_time"].cast(float))
    made.start.extend(jobs["starting_time"].fill_null(-1.0))
    made.finish.extend(jobs["finish_time"].fill_null(-1.0))
    sizes: dict[str | None, int] = {None: 0}
    for text in jobs["allocated_resources"]:
        if text not in sizes:
            sizes[text] = len(HostSet.parse(text))
        made.used.append(sizes[text])
    if "host_share" in jobs.columns:
        for rank, share in enumerate(jobs["host_share"]):
            if share is not None:
                made.used[rank] = share
    states = {state.name: int(state) for state in JobState}
    made.codes.extend(states[name] for name in jobs["final_state"])
    if {"user", "queue"} & set(jobs.columns):
        users, queues = (
            jobs[name].fill_null("") if name in jobs.columns else [""] * jobs.height for name in ("user", "queue")
        )
        for rank, pair in enumerate(zip(users, queues, strict=True)):
            made.codes[rank] += STATES * owners.setdefault(pair, len(owners))
        made.owners = list(owners)
    made.unavailable = [(date, len(away)) for date, away in run.unavailable()]
    made.pauses = list(_pauses(run))
    return made


def _pauses(run: Run) -> Iterator[tuple[float, float, float]]:
    """Gaps between the stretches of suspended jobs, and up to the end of those that ended while suspended."""
    if run.frame("suspensions.csv") is None:
        return
    ends = dict(run.jobs.select("id", "finish_time").iter_rows())
    starts = dict(run.jobs.select("id", "starting_time").iter_rows())
    last: dict[str, Stretch] = {}
    for stretch in run.stretches():
        before = last.get(stretch.job)
        if before is not None:
            yield (before.finish, stretch.start, before.held)
            if stretch.held != before.held:
                yield (starts[stretch.job], stretch.start, stretch.held - before.held)
        last[stretch.job] = stretch
    for job, stretch in last.items():
        if ends[job] is not None and ends[job] > stretch.finish:
            yield (stretch.finish, ends[job], stretch.held)
