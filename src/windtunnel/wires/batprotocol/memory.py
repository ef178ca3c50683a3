"""What a scheduler behind this wire remembers: batprotocol names by its id what the vocabulary carries whole."""

from windtunnel import model as m
from windtunnel import vocabulary as v
from windtunnel.diagnostics import ProtocolError
from windtunnel.wires.batprotocol import schema as s
from windtunnel.wires.batprotocol.forms import profile_in

__all__ = ["Memory"]


class Memory:
    """What a scheduler behind this wire has been told, and where it has put its jobs."""

    def __init__(self) -> None:
        self.jobs: dict[str, m.Job] = {}
        self.profiles: dict[str, m.Profile] = {}
        self._placed: dict[str, tuple[m.HostSet, float]] = {}

    def decided(self, decision: v.Decision, now: float) -> None:
        """Take note of a decision of its own, to be applied at a date (s)."""
        if isinstance(decision, v.ExecuteJob):
            self._placed[decision.job_id] = (decision.hosts, now)
        elif isinstance(decision, v.RejectJob):
            self.jobs.pop(decision.job_id, None)
        elif isinstance(decision, v.RegisterProfile):
            self.profiles[decision.profile.id] = decision.profile
        elif isinstance(decision, v.RegisterJob):
            self.jobs[decision.job.id] = decision.job

    def ended(self, job_id: str) -> tuple[m.Job, m.HostSet, float]:
        """A job that has ended, its hosts and its start; it is forgotten.

        Raises:
            ProtocolError: no such job was ever submitted.
        """
        job = self.jobs.pop(job_id, None)
        if job is None:
            raise ProtocolError(f"JobCompletedEvent: job {job_id!r} was never submitted, or has ended before")
        return (job, *self._placed.pop(job_id, (m.HostSet(), 0.0)))

    def profile(self, found: s.ProfileAndId | None, profile_id: str) -> m.Profile | None:
        """A profile that came with an event, or was told before; None when it is not known."""
        if found is None:
            return self.profiles.get(profile_id)
        profile = self.profiles[found.id] = profile_in(found)
        return profile
