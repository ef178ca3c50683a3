"""Running the recorded Haizea cases: reading their configuration and inputs, and our outcome in their form."""

import gzip
import json
from functools import lru_cache
from pathlib import Path

from windtunnel.diagnostics import Findings
from windtunnel.engine.simulation import Simulation
from windtunnel.formats.haizea.ini import config_from_sections
from windtunnel.formats.haizea.lwf import read_annotations, read_lwf
from windtunnel.formats.haizea.lwf_text import read_lwf_text
from windtunnel.leases.component import LeaseManager
from windtunnel.leases.haizea.workload import annotate, inject, site_from_text
from windtunnel.leases.planner.plan import What
from windtunnel.leases.planner.record import VirtualMachines
from windtunnel.leases.planner.reservations import DiskMigration, Migration, Transfer
from windtunnel.leases.planner.ticks import TICKS
from windtunnel.leases.registry import rules_of
from windtunnel.model.lease import CPU, MEMORY, DiskImage, Lease, NodeSet, When
from windtunnel.model.lease_jobs import LeaseJobs
from windtunnel.model.lease_platform import platform_of_site
from windtunnel.results.lease_accounting import LeaseAccounting
from windtunnel.vocabulary import Observer

NAMES = {What.BEGAN: "rr-start", What.ENDED: "rr-end", What.ENDED_EARLY: "premature-end"}
PROBES = ("ar", "best-effort", "immediate", "lease-extras", "deadline", "price")


def seconds(ticks):
    return None if ticks is None else ticks / TICKS


@lru_cache(maxsize=8)
def workload(path: Path):
    return read_lwf_text(path) if path.read_bytes()[:1].isdigit() else read_lwf(path)


def load(case_path: Path, tmp: Path):
    case = json.loads(gzip.decompress(case_path.read_bytes()))
    inputs = case_path.parent / "lwf"
    trace = inputs / case["trace"]
    if not trace.exists():
        packed = inputs / (case["trace"] + ".gz")
        trace = tmp / case["trace"]
        if not trace.exists():
            trace.write_bytes(gzip.decompress(packed.read_bytes()))
    if case["trace"] == "sample.lwf":  # its leases are commented out as delivered, and were not when it was run
        trace = tmp / "sample.lwf"
        before, mark, after = (inputs / "sample.lwf").read_text().partition("<!-- First lease request -->")
        trace.write_text(before + mark + after.replace("<!--\n", "").replace("-->\n\n", "\n"))
    sections: dict[str, dict[str, str]] = {}
    for key, value in case["config"].items():
        section, option = key.split(".", 1)
        sections.setdefault(section, {})[option] = value
    config = config_from_sections(sections, Findings("case"))
    work = workload(trace)
    leases = list(work.leases)
    if config.injection_file:
        leases = inject(leases, injected(case))
    if config.annotation_file:
        leases = annotate(leases, read_annotations(inputs / Path(config.annotation_file).name))
    site = work.site if config.resources == "in-tracefile" else site_from_text(config.resources)
    return case, config, site, leases


def injected(case):
    """The injected leases, as the outcome tells what they asked for (the file itself was not recorded)."""
    return [
        Lease(
            id=lease["id"] - 1_000_000,
            submit=lease["submit"],
            nodes=(NodeSet(lease["numnodes"], {CPU: (100,), MEMORY: (1024,)}),),
            start=When.UNSPECIFIED if lease["requested_start"] == "Unspecified" else lease["requested_start"],
            duration=lease["requested_duration"],
            real_duration=lease["known_duration"],
            preemptible=lease["preemptible"],
            software=DiskImage("foobar.img", 1024),
        )
        for lease in case["leases"]
        if lease["id"] > 1_000_000
    ]


class Recorder:
    """Keeps what the journal of a planner tells in the recorded form, and all leases."""

    def __init__(self, real):
        self.events = []
        self.leases = {}
        self.plan = None
        self.real = real
        """How long each lease really runs, by id (ticks)."""

    def nodes(self, reservation):
        return self.plan.table.node_ids(reservation.mask)

    def read(self, plan):
        self.plan = plan
        now = seconds(plan.now)
        for what, lease, r, old in plan.journal:
            if what is What.REQUESTED:
                self.leases[lease.id] = lease
            elif what is What.CHANGED:
                old, new = old
                self.events.append([now, lease.id, "state", old.label, new.label])
            elif r is not None and not isinstance(r, DiskMigration) and what in NAMES:  # those were not recorded
                self.events.append([now, lease.id, NAMES[what], r.name, self.nodes(r)])

    def reservation(self, r):
        state = r.state.name.lower()
        shown = {
            "start": seconds(r.start),
            "end": seconds(r.end),
            "pnodes": self.nodes(r),
            "state": state,
            "type": r.name.lower(),
        }
        if isinstance(r, VirtualMachines):
            shown["nodes"] = {str(v + 1): node + 1 for v, node in enumerate(r.hosts)}
            shown["pre"] = [self.reservation(p) for p in r.pre]
            shown["post"] = [self.reservation(p) for p in r.post]
        elif isinstance(r, Migration | DiskMigration):
            shown["transfers"] = {str(v + 1): [a + 1, b + 1] for v, (a, b) in r.moves.items()}
        elif isinstance(r, Transfer):
            shown["to"] = {
                str(node + 1): sorted([lease.id, v + 1] for lease, v in receivers)
                for node, receivers in r.receivers.items()
            }
            shown["deadline"] = seconds(r.deadline)
            shown["file"] = r.image
        elif hasattr(r, "vnodes") and shown["type"] != "shutdown":
            shown["vnodes"] = [v + 1 for v in r.vnodes]
        return shown

    def outcome(self, lease):
        shown = {
            "accumulated": seconds(lease.accumulated),
            "deadline": seconds(lease.deadline),
            "end": seconds(lease.end),
            "id": lease.id,
            "known_duration": seconds(self.real[lease.id]),
            "numnodes": lease.numnodes,
            "preemptible": lease.lease.preemptible,
            "preparation": [self.reservation(r) for r in lease.preparation],
            "price": lease.price,
            "requested_duration": seconds(lease.requested),
            "requested_start": {When.UNSPECIFIED: "Unspecified", When.NOW: "Now"}.get(
                lease.lease.start, seconds(lease.start)
            ),
            "start": seconds(lease.started),
            "state": lease.state.label,
            "submit": seconds(lease.submit),
            "suspensions": sum(
                r.name == "Suspension" and r.state.name == "DONE" for vm in lease.vms for r in vm.post
            ),
            "type": str(lease.kind),
            "vm_ends_done": [[seconds(a), seconds(b)] for a, b in lease.ran],
            "vms": [self.reservation(vm) for vm in lease.vms],
        }
        if lease.extras:
            shown["extras"] = lease.extras
        return shown


class Accounts(Observer):
    """Haizea's probes over what the lease manager reports."""

    def __init__(self):
        self.accounts = LeaseAccounting(PROBES)

    def on_leases(self, now, facts):
        self.accounts.hear(now, facts)


def run(case_path: Path, tmp: Path):
    """The recorded case, and our outcome in the same form: on the common engine."""
    case, config, site, leases = load(case_path, tmp)
    rules = rules_of(config.options)
    durations = {lease.id: rules.durations(lease.kind, lease.duration, lease.real_duration) for lease in leases}
    recorder, accounting = Recorder({key: real for key, (_, real) in durations.items()}), Accounts()
    manager = LeaseManager(config.options, stop=config.stop)
    manager.journal_readers.append(recorder.read)

    def lasts(lease):
        asked, real = durations[lease.id]
        return asked / TICKS, None if real is None else real / TICKS

    work = LeaseJobs(leases, lasts=lasts)
    Simulation(platform_of_site(site), [work], [manager], observers=[accounting]).run()
    accounting.accounts.close()
    return case, {
        "end_time": seconds(manager.planner.now),
        "leases": [recorder.outcome(lease) for lease in recorder.leases.values()],
        "stats": accounting.accounts.stats,
        "lease_stats": {str(key): value for key, value in accounting.accounts.lease_stats.items()},
        "events": recorder.events,
    }


def hosts(text):
    """Node numbers from a column of hosts such as ``0-2 5``."""
    found = []
    for part in text.split():
        first, _, last = part.partition("-")
        found += range(int(first) + 1, int(last or first) + 2)
    return found
