"""Uses of the public face that must type-check (mypy --strict runs over this file)."""

from collections.abc import Iterator

import windtunnel as wt


class Shortest(wt.Scheduler):
    """A user's scheduler."""

    def schedule(self, view: wt.View) -> Iterator[wt.Decision]:
        """Shortest walltime first."""
        free = view.free
        for job in sorted(view.queue, key=lambda job: job.walltime):
            hosts = free.pick(job.request.hosts)
            if hosts is not None:
                free -= hosts
                yield wt.Execute(job, hosts)


def everything() -> float:
    """A run, its metrics, its jobs."""
    run: wt.Run = wt.simulate(platform="hosts:4", workload="w.swf", scheduler=Shortest(), warm_up=10.0)
    simulation = wt.Simulation("hosts:4", "w.swf", "easy")
    fork: wt.Simulation = simulation.fork()
    fork.inject(wt.Job(id="w0!x", request=wt.Request(1), profile=wt.DelayProfile(id="d", delay=1.0)), at=5.0)
    return run.metrics.makespan + float(len(run.jobs)) + float(fork.run().complete)
