"""What a Haizea configuration says: where the work comes from, on which site, and how it is scheduled. Plain data."""

from collections.abc import Mapping
from datetime import datetime

import msgspec

from windtunnel.diagnostics import Finding
from windtunnel.model.lease_options import LeaseOptions, Stop

__all__ = ["HaizeaConfig"]


class HaizeaConfig(msgspec.Struct, frozen=True, kw_only=True):
    """One run of Haizea. Paths are as written in the file."""

    options: LeaseOptions
    clock: str = "real"
    start_time: datetime | None = None
    resources: str = "in-tracefile"
    """``in-tracefile``, ``file:PATH`` of a site, or a text such as ``4 CPU:100,Memory:1024``."""
    tracefile: str | None = None
    annotation_file: str | None = None
    injection_file: str | None = None
    image_file: str | None = None
    stop: Stop = Stop()
    probes: tuple[str, ...] = ()
    attributes: Mapping[str, str] = {}
    sanity_check: bool = False
    unused: Mapping[str, str] = {}
    """Options that are understood but mean nothing here (logging, where Haizea keeps data, OpenNebula)."""
    warnings: tuple[Finding, ...] = ()
    """What nothing comes of."""
