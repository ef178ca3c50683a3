"""What clients of Haizea's lease API may call."""

from windtunnel.diagnostics import UsageError
from windtunnel.formats.haizea.lwf import read_lease_text
from windtunnel.formats.haizea.lwf_write import lease_text
from windtunnel.services.lease_live import HostFacts, LiveLeases

__all__ = ["LeaseMethods"]


class LeaseMethods:
    """What clients may call; the docstrings are the API."""

    def __init__(self, live: LiveLeases) -> None:
        self._live = live

    def create_lease(self, text: str) -> int:
        """Submit a lease (LWF ``<lease>``, dates as timestamps); answers its id once it is on disk."""
        if not isinstance(text, str):
            raise UsageError("create_lease takes the text of a <lease> element")
        return self._live.create(read_lease_text(text.encode(), epoch=self._live.epoch))

    def cancel_lease(self, number: int) -> int:
        """Cancel a lease; answers 0."""
        self._live.cancel(_number(number))
        return 0

    def get_leases(self) -> list[str]:
        """Leases that are not over, each as LWF."""
        return [lease_text(lease, epoch=self._live.epoch) for lease in self._live.leases()]

    def get_queue(self) -> list[str]:
        """Leases that wait, in order, each as LWF."""
        return [lease_text(lease, epoch=self._live.epoch) for lease in self._live.queue()]

    def get_lease(self, number: int) -> str:
        """One lease, over or not, as LWF (Haizea always answers 0)."""
        return lease_text(self._live.lease(_number(number))[0], epoch=self._live.epoch)

    def get_reason(self, number: int) -> str:
        """Why a lease was rejected, failed, or waits; "" when there is nothing to say (not in Haizea)."""
        return self._live.lease(_number(number))[1]

    def get_hosts(self) -> list[HostFacts]:
        """The nodes of the site: id, hostname, cpu, mem."""
        return self._live.hosts()

    def get_time(self) -> str:
        """The service's date (not in Haizea; needed where its clock is accelerated)."""
        return self._live.date().isoformat(sep=" ", timespec="seconds")

    def notify_event(self, number: int, enactment_id: object, event: object) -> None:
        """The machines of a running lease have ended by themselves: the only event Haizea knows (number 1)."""
        del enactment_id
        if event not in {1, "1", "end"}:
            raise UsageError(f"there is no event {event!r}; the machines' end is event 1")
        self._live.end(_number(number))

    def test_func(self) -> int:
        """Answers 0."""
        return 0


def _number(value: object) -> int:
    known = isinstance(value, int | str) and not isinstance(value, bool)
    if not known or not str(value).isdecimal() or len(str(value)) > 15:
        raise UsageError(f"not the id of a lease: {value!r:.80}")
    return int(str(value))
