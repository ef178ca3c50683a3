"""The site of an LWF file, a stand-alone ``<site>`` or a list of ``<nodes>`` as a platform."""

from pathlib import Path

from windtunnel.diagnostics import Findings
from windtunnel.formats.haizea.lwf import read_nodes, read_site
from windtunnel.formats.haizea.lwf_document import parse_xml
from windtunnel.model.lease import CPU, MEMORY, LeaseSite
from windtunnel.model.lease_platform import platform_of_site
from windtunnel.model.platform import Platform

__all__ = ["read_site_platform"]


def read_site_platform(path: str | Path) -> Platform:
    """The platform that an LWF file, a ``<site>`` or a list of ``<nodes>`` describes.

    Raises:
        InputError: the file is at fault, or is a workload without a site.
    """
    findings = Findings(str(path))
    if parse_xml(Path(path), Findings(str(path))).tag == "nodes":
        nodes = read_nodes(path, findings=findings)
        kinds = dict.fromkeys((CPU, MEMORY, *(kind for group in nodes for kind in group.amounts)))
        site = LeaseSite(tuple(kinds), nodes)
    else:
        site = read_site(path, findings=findings)
    made = platform_of_site(site, path=str(Path(path).absolute()))
    made.warnings = tuple(findings)
    return made
