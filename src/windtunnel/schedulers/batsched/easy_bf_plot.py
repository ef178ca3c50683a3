"""batsched's easy_bf_plot_liquid_load_horizon (spec: schedulers.md section 4.6)."""

from windtunnel.model import Job
from windtunnel.schedulers.batsched.easy_bf import EasyBatsched
from windtunnel.schedulers.batsched.liquid import Trace, horizon, load
from windtunnel.schedulers.batsched.rationals import exact
from windtunnel.schedulers.orders import Policy, QueueOrder

__all__ = ["EasyPlotBatsched"]


class EasyPlotBatsched(EasyBatsched):
    """easy_bf that writes the load of the queue over time to ``trace_output_filename`` (CSV); every job must have a
    walltime.
    """

    name = "batsched/easy_bf_plot_liquid_load_horizon"
    file_options = frozenset({"trace_output_filename"})

    def __init__(
        self,
        *,
        trace_output_filename: str,
        queue_order: QueueOrder = "fcfs",
        policy: Policy = "basic",
        rjms_delay: float = 5.0,
    ) -> None:
        self.trace_output_filename = trace_output_filename
        super().__init__(queue_order=queue_order, policy=policy, rjms_delay=rjms_delay)

    def _reset(self) -> None:
        super()._reset()
        self._trace = Trace(self.trace_output_filename)

    def _refuses(self, job: Job) -> bool:
        if self._duration(job) is None:
            raise self._fault(f"job {job.id} has no walltime")
        return super()._refuses(job)

    def _decide(self, now: float) -> None:
        super()._decide(now)
        waiting = load(item for _, _, item in self._queue)
        liquid = horizon(self._profile, waiting, exact(now))
        self._trace.add(now, len(self._queue), waiting=waiting, liquid=liquid)

    def stop(self) -> None:
        """Write the rest of the trace."""
        self._trace.flush()
