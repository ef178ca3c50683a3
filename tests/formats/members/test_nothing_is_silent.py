"""Misspell or leave out any one member of a file: its reader says so, or what it delivers is another. Never nothing."""

import inspect
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.formats.members.mutants import mutants
from tests.formats.members.samples import SAMPLES, Sample

from windtunnel.diagnostics import InputError, UsageError
from windtunnel.entities.sss_node import NodeSite
from windtunnel.formats.recognition import function
from windtunnel.formats.shipped import FORMATS
from windtunnel.model import EventList, Platform, Workload
from windtunnel.model.abilities import report_of
from windtunnel.model.lease import LeaseSite, LeaseWorkload
from windtunnel.model.lease_jobs import LeaseJobs
from windtunnel.model.site import Rack, Site

REFUSED = {("workload", "slurm-listing"), ("platform", "slurm-listing")}
"""Files of these formats are never valid: what to read instead is said."""
READ = {(form.kind, form.name): form for form in FORMATS if form.reader and not form.word}


def test_every_format_has_a_sample():
    assert set(SAMPLES) == set(READ) - REFUSED


def delivered(kind: str, name: str, path: Path, options: dict[str, Any]) -> Any:
    """What reading a file comes to: what a simulation is made of, and what is said; not where anything stands."""
    reader = function(READ[kind, name].reader)
    arguments = {key: value for key, value in options.items() if key in inspect.signature(reader).parameters}
    try:
        read = reader(path, "w0", **arguments) if kind in ("workload", "events") else reader(path, **arguments)
        if isinstance(read, Platform):
            return plain_platform(read)
    except (InputError, UsageError) as error:
        return str(error)
    if isinstance(read, LeaseWorkload):
        return plain((read.leases, read.site, read.attributes, read.name, read.description)), said(read.warnings)
    if isinstance(read, EventList):
        return plain(read.events), said(read.warnings)
    if isinstance(read, LeaseJobs) and read.work is not None:  # it is written back, and its site may be run on
        own = msgspec.structs.replace(read.work, warnings=())
        return plain_workload(read), plain(own)
    return plain_workload(read)


def plain(value: Any) -> bytes:
    return msgspec.json.encode(value, enc_hook=repr)


def said(warnings: Any) -> list[tuple[str, str, int]]:
    return [(one.code, one.message, one.count) for one in warnings]


def plain_workload(read: Workload) -> Any:
    """Jobs without the text that they were read from, which is of no use to a simulation."""
    jobs = [msgspec.structs.replace(job, source=None) for job in read]
    about = (read.name, read.hosts, getattr(read, "start_date", None), list(read.profiles.values()))
    report = report_of(read)
    header = getattr(read, "header", None)
    return plain(jobs), plain(about), said(read.warnings), header, report and report.overview


def plain_platform(read: Platform) -> Any:
    network = read.network
    ends = [host.endpoint for host in (*read.hosts, *read.storages)]
    routes: list[Any] = []
    if network is not None:
        links = network.links
        for source in ends:
            for target in ends:
                path, latency = network.route(source, target)
                routes.append(([links[link] for link in path], latency))
    about = (
        read.name,
        read.hosts,
        read.storages,
        read.master,
        read.config,
        read.events and read.events.events,
        routes,
    )
    site = read.site
    if isinstance(site, LeaseSite):
        described: Any = site
    elif isinstance(site, NodeSite):  # they are written back
        described = site.nodes
    elif isinstance(site, Site):
        racks = [rack for center in site.datacenters for room in center.rooms for rack in room.objects]
        described = (
            [(one.name, one.scheduler) for one in site.datacenters],
            [rack.power_capacity for rack in racks if isinstance(rack, Rack)],
        )
    else:
        described = site
    return plain(about), plain(described), read.shares_nodes, said(read.warnings)


CASES = [
    pytest.param(kind, name, sample, id=f"{kind}-{name}-{rank}")
    for (kind, name), samples in SAMPLES.items()
    for rank, sample in enumerate(samples)
]


@pytest.mark.parametrize(("kind", "name", "sample"), CASES)
def test_no_member_is_silent(kind: str, name: str, sample: Sample, tmp_path: Path):
    path = tmp_path / "sample"
    options = dict(sample.options)
    for beside, text in sample.files.items():
        (tmp_path / beside).write_text(text)
        options = {key: str(tmp_path / beside) if value == beside else value for key, value in options.items()}
    path.write_text(sample.text)
    before = delivered(kind, name, path, options)
    assert not isinstance(before, str), f"the sample is not valid: {before}"
    silent = set()
    for what, where, text in mutants(sample):
        path.write_text(text)
        if delivered(kind, name, path, options) == before:
            silent.add(f"{where} {what}")
    assert silent == set(sample.quiet)
