"""pybatsim's schedFcfs, schedFiller and schedEasySjfBackfill: jobs on consecutive hosts (spec: section 8)."""

from operator import itemgetter
from typing import Annotated, Final

from msgspec import Meta

from windtunnel.model import HostPool, HostSet, Job
from windtunnel.schedulers.pybatsim.loop import Pybatsim, walltime

__all__ = ["EasySjfPybatsim", "FcfsPybatsim", "FillerPybatsim"]

_AFTER: Final = 1e-11
"""Something ends that much (s) before its hosts count as free in plans."""
Reservation = tuple[float, float, HostSet]
"""When it begins and ends, and its hosts."""


class FcfsPybatsim(Pybatsim):
    """In order of arrival, each job on the first run of consecutive free hosts; stops at the first that does not fit.
    A job larger than the machine is rejected when its turn comes.
    """

    name = "pybatsim/schedFcfs"

    def _pass(self) -> None:
        for job in list(self._open.values()):
            if job.request.hosts > self._n:
                self._reject(job)
                continue
            hosts = self.site.free.pick_contiguous(job.request.hosts)
            if hosts is not None:
                self._start(job, hosts)
            elif self._stops():
                return

    def _stops(self) -> bool:
        """Whether a job that does not fit holds up the others."""
        return True


class FillerPybatsim(FcfsPybatsim):
    """The same, going on after a job that does not fit."""

    name = "pybatsim/schedFiller"

    def _stops(self) -> bool:
        return False


class EasySjfPybatsim(FcfsPybatsim):
    """schedFcfs; then, shortest walltime first, jobs overtake if they find consecutive hosts that the reservations of
    the first ``backfilling_reservation_depth`` open jobs leave them.
    """

    name = "pybatsim/schedEasySjfBackfill"

    def __init__(self, *, backfilling_reservation_depth: Annotated[int, Meta(ge=1)] = 1) -> None:
        self.backfilling_reservation_depth = backfilling_reservation_depth
        super().__init__()

    def _pass(self) -> None:
        super()._pass()
        depth = self.backfilling_reservation_depth
        jobs = list(self._open.values())
        reserved = self._reservations(jobs[:depth]) if len(jobs) > depth else []
        for job in sorted(jobs[depth:], key=walltime):
            if job.request.hosts > self._n:
                continue
            usable = self.site.free.copy()
            stop = self._now + walltime(job) + _AFTER
            for begin, _, hosts in reserved:
                if begin < stop:
                    usable -= hosts
            found = usable.pick_contiguous(job.request.hosts)
            if found is not None:
                self._start(job, found)
                reserved = self._reservations(jobs[:depth])

    def _reservations(self, jobs: list[Job]) -> list[Reservation]:
        """Begin, end and hosts of each job, at the earliest date with a run of consecutive hosts."""
        held = sorted([(job.end + _AFTER, job.hosts) for job in self.site.running.values()], key=itemgetter(0))
        made: list[Reservation] = []
        for job in jobs:
            dates = sorted({self._now, *(end for end, _ in held if end > self._now), *(end for _, end, _ in made)})
            usable = HostPool(HostSet.span(self._n))
            for end, hosts in held:
                if end > self._now:
                    usable -= hosts
            gone = 0
            for begin in dates:
                while gone < len(held) and held[gone][0] <= begin:
                    usable |= held[gone][1]
                    gone += 1
                found = self._run_of_hosts(job, usable, begin, made)
                if found is not None:
                    made.append((begin, begin + walltime(job) + _AFTER, found))
                    break
        return made

    @staticmethod
    def _run_of_hosts(job: Job, usable: HostPool, begin: float, made: list[Reservation]) -> HostSet | None:
        """The first run of consecutive hosts that nobody else has reserved meanwhile, if there is one."""
        if made:
            usable = usable.copy()
            end = begin + walltime(job) + _AFTER
            for first, last, hosts in made:
                if first < end and last > begin:
                    usable -= hosts
        return usable.pick_contiguous(job.request.hosts)
