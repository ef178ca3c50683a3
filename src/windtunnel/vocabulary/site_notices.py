"""Notices of what happens to the site: its hosts, images on their disks, and external events."""

from collections.abc import Mapping
from typing import Any

from windtunnel.model import HostSet
from windtunnel.model.event_kinds import event_kind
from windtunnel.vocabulary.notices import Notice

__all__ = [
    "ExternalEventOccurred",
    "HostGpusChanged",
    "HostsBecameAvailable",
    "HostsBecameUnavailable",
    "HostsPStateChanged",
    "HostsSwitching",
    "HostsTurnedOnOff",
    "ImageTransferred",
    "ResourceStateChanged",
]


class HostGpusChanged(Notice):
    """A GPU of a host has become busy or idle (sent to components that follow phases)."""

    host: int
    busy: tuple[bool, ...]
    """For each GPU."""


class ImageTransferred(Notice):
    """A disk image is on the hosts it was sent to."""

    image_id: str
    hosts: HostSet


class HostsPStateChanged(Notice):
    """Acknowledges a change of power state."""

    hosts: HostSet
    pstate: int


class HostsSwitching(Notice):
    """Another component has begun to switch hosts on or off (sent to in-process components that follow others)."""

    hosts: HostSet
    state: int
    """The power state to reach."""


class HostsTurnedOnOff(Notice):
    """Acknowledges that a whole group of hosts has been switched on or off."""

    hosts: HostSet
    state: int
    """The power state reached."""


class ResourceStateChanged(Notice):
    """Acknowledges a ``SetResourceState`` (JSON protocol), which covers both kinds of change."""

    hosts: HostSet
    state: int


class HostsBecameAvailable(Notice):
    """Hosts are usable again (JSON protocol: NOTIFY event_machine_available)."""

    hosts: HostSet
    cause: str = ""


class HostsBecameUnavailable(Notice):
    """Hosts are not usable until further notice (JSON protocol: NOTIFY event_machine_unavailable)."""

    hosts: HostSet
    cause: str = ""


class ExternalEventOccurred(Notice):
    """An external event that the engine only forwards."""

    id: str
    data: str
    kind: str = "generic"
    attributes: Mapping[str, Any] = {}
    """The complete object of the event in a file or message."""

    @property
    def value(self) -> Any:
        """Its data, as the class registered for its kind (``windtunnel.external_event``); otherwise None."""
        kind = event_kind(self.kind)
        return None if kind is None else kind.read(self.attributes)
