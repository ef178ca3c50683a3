"""Platforms of ElastiSim: SimGrid's files, with GPUs, burst buffers and file systems as properties of hosts."""

from pathlib import Path
from typing import Final

from windtunnel.diagnostics import Findings, did_you_mean
from windtunnel.formats.sites.simgrid_xml.reader import read_platform
from windtunnel.formats.sites.simgrid_xml.units import BANDWIDTH, SPEED, Quantity, parse_quantity
from windtunnel.model import Host, Platform

__all__ = ["PROPERTIES", "read_elastic_platform"]

_NUMBERS: Final[dict[str, Quantity]] = {
    "bb_read_bw": BANDWIDTH,
    "bb_write_bw": BANDWIDTH,
    "flops_per_byte": SPEED,
    "flops_per_gpu": SPEED,
    "gpu_to_gpu_bw": BANDWIDTH,
}
_FLAGS: Final = ("batch_system", "node_local_bb", "pfs_host", "wide_striping")

PROPERTIES: Final = frozenset({*_NUMBERS, *_FLAGS, "num_gpus", "pfs_targets"})
"""Of hosts."""


def read_elastic_platform(path: str | Path) -> Platform:
    """Read a platform; its hosts are numbered as in SimGrid, its parallel file systems are storages.

    Raises:
        InputError: With everything that is wrong in the file.
    """
    findings = Findings(str(path))
    platform = read_platform(path, numbering="lexicographic", findings=findings)
    files = {storage.name for storage in platform.storages}
    for host in platform.hosts:
        _Properties(findings, host).read(files)
    findings.raise_if_errors()
    return platform


class _Properties:
    """The properties of one host, as resources."""

    def __init__(self, findings: Findings, host: Host) -> None:
        self.findings = findings
        self.host = host
        self.found: dict[str, float] = {}

    def fault(self, message: str, hint: str = "") -> None:
        """One of them is wrong."""
        self.findings.add(f"host {self.host.name!r}: {message}", code="property", hint=hint)

    def read(self, files: set[str]) -> None:
        """All of them."""
        given = self.host.properties
        for name in _FLAGS:
            if given.get(name, "false").lower() not in ("true", "false"):
                self.fault(f"{name} is {given[name]!r}, true or false is expected")
        if self.flag("node_local_bb"):
            for name in ("bb_read_bw", "bb_write_bw"):
                self.number(name)
            if self.flag("wide_striping"):
                self.found["wide_striping"] = 1.0
                self.number("flops_per_byte", 0.0)
        elif self.flag("wide_striping"):
            self.fault("wide_striping without node_local_bb", "node_local_bb is to be true as well")
        self.gpus(given.get("num_gpus", "0"))
        targets = given.get("pfs_targets")
        for name in targets.split(",") if targets is not None else ():
            if name not in files:
                hint = did_you_mean(name, files) or "names of hosts with pfs_host, separated by commas"
                self.fault(f"pfs_targets names {name!r}, which is not a host of a file system", hint)
        if self.found:
            self.host.resources = {**self.host.resources, **self.found}

    def flag(self, name: str) -> bool:
        """Whether a property is true."""
        return self.host.properties.get(name, "").lower() == "true"

    def gpus(self, text: str) -> None:
        """How many GPUs there are, and what they can do."""
        if not text.isascii() or not text.isdigit() or len(text) > 6:
            self.fault(f"num_gpus is {text!r:.40}, a whole number is expected")
            return
        count = int(text)
        if count:
            self.found["gpus"] = float(count)
            self.number("flops_per_gpu")
            self.found["flops_per_gpu"] = float(int(self.found.get("flops_per_gpu", 0.0)))
            if count > 1:
                self.number("gpu_to_gpu_bw")

    def number(self, name: str, default: float | None = None) -> None:
        """A quantity with its unit."""
        text = self.host.properties.get(name)
        if text is None:
            if default is None:
                self.fault(f"{name} is missing")
            else:
                self.found[name] = default
            return
        try:
            value, _ = parse_quantity(text, _NUMBERS[name])
        except ValueError as error:
            self.fault(f"{name} is {text!r:.40}: {error}")
            return
        if value < 0 or (value == 0 and name != "flops_per_byte"):
            self.fault(f"{name} is {text!r:.40}, a positive number is expected")
            return
        self.found[name] = value
