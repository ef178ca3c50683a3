"""Host selection: which hosts are tried first. Equal scores go by host number."""

from collections.abc import Callable

from windtunnel.leases.planner.record import LeaseRecord

__all__ = ["AnyHost", "GreedyHosts", "HostSelectionPolicy"]


class HostSelectionPolicy:
    """Base: a score per host, higher first.

    The score sees how many leases are on a host when the new one would start, and for how long nothing changes there.
    """

    by_node = False
    """Set it if the score depends on which host it is: then every host is scored by itself."""
    indifferent = False
    """Set it if all hosts score the same."""

    def score(self, lease: LeaseRecord, host: int | None, leases: int, quiet: int | None) -> float:
        """The score of a host.

        Args:
            lease: the lease to be placed.
            host: its number from 1 (only with ``by_node``).
            leases: how many leases are on it; 4 stands for 4 and more.
            quiet: ticks (1/100 s) until something changes on it; ``None`` if not before the lease would be over.
        """
        raise NotImplementedError

    def scorer(self, lease: LeaseRecord) -> Callable[[int | None, int, int | None], float]:
        """The score as a function of bit, number of leases and quiet time, for one lease."""
        return lambda bit, leases, quiet: self.score(lease, None if bit is None else bit + 1, leases, quiet)


class GreedyHosts(HostSelectionPolicy):
    """``greedy``: few leases on the host, and nothing that changes there for as long as the lease would run."""

    horizon = 4

    def score(self, lease: LeaseRecord, host: int | None, leases: int, quiet: int | None) -> float:  # noqa: ARG002
        emptiness = (self.horizon - min(leases, self.horizon)) / float(self.horizon)
        calm = 1.0 if quiet is None or quiet >= lease.requested else quiet / float(lease.requested)
        return 0.5 * emptiness + 0.25 * 1.0 + 0.25 * calm


class AnyHost(HostSelectionPolicy):
    """``no-policy``: hosts by number."""

    indifferent = True

    def score(self, lease: LeaseRecord, host: int | None, leases: int, quiet: int | None) -> float:  # noqa: ARG002
        return 1.0
