"""Mappers and policies of leases, added by a package from outside the tree: chosen by name, with options of their own."""

import json
import os
import subprocess
import sys

import pytest

from packages import install
from windtunnel.cli.main import main
from windtunnel.formats.haizea.lwf_write import write_lwf
from windtunnel.leases.component import LeaseManager
from windtunnel.leases.haizea.workload import site_from_text
from windtunnel.model.lease import CPU, MEMORY, Lease, LeaseWorkload, NodeSet
from windtunnel.model.lease_options import LeaseOptions
from windtunnel.services.lease_run import simulate_leases

PACKAGE = '''
"""Hosts from the top, leases no longer than so much, prices that double, and a mapper that keeps nodes free."""

from windtunnel.leases.planner.mapper import GreedyMapper
from windtunnel.leases.planner.policies import (
    AdmissionPolicy, HostSelectionPolicy, PricingPolicy, ReservationsPreempt,
)


class FromTheTop(HostSelectionPolicy):
    by_node = True

    def __init__(self, *, above: int = 0):
        self.above = above

    def score(self, lease, host, leases, quiet):
        return host if host > self.above else -host


class ShortOnes(AdmissionPolicy):
    def __init__(self, *, longest: float):
        self.longest = longest

    def accept(self, lease):
        return lease.requested <= self.longest * 100


class Doubled(PricingPolicy):
    def __init__(self, plan, *, times: float = 2.0):
        super().__init__(plan)
        self.rate *= times


class NobodyNamed(ReservationsPreempt):
    def __init__(self, plan, *, spared: int = 0):
        super().__init__(plan)
        self.spared = spared

    def score(self, preemptor, preemptee, time):
        return None if preemptee.id == self.spared else super().score(preemptor, preemptee, time)


class Sparing(GreedyMapper):
    def __init__(self, plan, host_selection, preemption, *, keep: int = 1):
        super().__init__(plan, host_selection, preemption)
        self.keep = keep

    def map(self, lease, start, end, *, strict, preempt=False, nodes=None):
        allowed = self.plan.table.all_nodes if nodes is None else nodes
        return super().map(lease, start, end, strict=strict, preempt=preempt, nodes=allowed & ~((1 << self.keep) - 1))


class Grasping(ReservationsPreempt):
    """Its option has the name of a setting of all."""

    def __init__(self, plan, *, suspension: str = ""):
        super().__init__(plan)


class NoPolicy:
    pass
'''
ENTRIES = {
    "windtunnel.lease_mapper": {"sparing": "lease_parts:Sparing"},
    "windtunnel.lease_policy_admission": {"short-ones": "lease_parts:ShortOnes", "broken": "lease_parts:Nothing"},
    "windtunnel.lease_policy_preemption": {
        "nobody-named": "lease_parts:NobodyNamed",
        "grasping": "lease_parts:Grasping",
    },
    "windtunnel.lease_policy_host_selection": {
        "from-the-top": "lease_parts:FromTheTop",
        "none": "lease_parts:NoPolicy",
    },
    "windtunnel.lease_policy_pricing": {"doubled": "lease_parts:Doubled"},
}
CONFIG = """[general]
mode: simulated
[scheduling]
backfilling: aggressive
suspension: none
policy-host-selection: from-the-top
policy-admission: {admission}
[simulation]
clock: simulated
resources: in-tracefile
[tracefile]
tracefile: day.lwf
"""


def lease(number, count=1, duration=3600.0, **more):
    return Lease(id=number, nodes=(NodeSet(count, {CPU: (100,), MEMORY: (1024,)}),), duration=duration, **more)


WORK = LeaseWorkload(site=site_from_text("4 CPU:100,Memory:1024"), leases=(lease(1), lease(2, 2, 600.0)))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("outside")
    write_lwf(WORK, folder / "day.lwf")
    return install(folder / "site", "lease_parts", PACKAGE, ENTRIES)


@pytest.fixture
def outside(site, monkeypatch):
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.chdir(site.parent)
    yield site.parent
    sys.modules.pop("lease_parts", None)


def hosts(run):
    return {row.lease_id: (row.state, row.hosts) for row in run.leases}


def test_on_the_command_line(site):
    """In a process of its own, under both commands."""
    environment = {**os.environ, "PYTHONPATH": str(site)}
    chosen = ("-o", "policy-host-selection=from-the-top", "-o", "above=3", "-o", "mapper=sparing", "-o", "keep=2")
    for words in (("lease", "run", "day.lwf"), ("run", "day.lwf", "-s", "leases")):
        command = [sys.executable, "-m", "windtunnel", *words, *chosen, "--out", words[0]]
        done = subprocess.run(command, cwd=site.parent, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        rows = (site.parent / words[0] / "leases.csv").read_text().splitlines()
        assert [row.split(",")[13] for row in rows] == ["hosts", "4", "3-4"]
        assert "above" in str(json.loads((site.parent / words[0] / "run.json").read_text()))


def test_in_python(outside):
    options = LeaseOptions(policy_host_selection="from-the-top", part_options={"above": 2})
    assert hosts(simulate_leases(WORK, options=options)) == {1: ("Done", "4"), 2: ("Done", "1 3")}
    manager = LeaseManager(policy_admission="short-ones", longest="1000")
    assert manager.options.part_options == {"longest": 1000.0}


def test_each_kind(outside):
    short = LeaseOptions(policy_admission="short-ones", part_options={"longest": 1000.0})
    assert hosts(simulate_leases(WORK, options=short)) == {1: ("Rejected", ""), 2: ("Done", "1-2")}
    priced = LeaseOptions(policy_pricing="doubled", pricing_rate=3.0, part_options={"times": 10.0})
    assert [row.price for row in simulate_leases(WORK, options=priced).leases] == [10.0, 30.0]
    ahead = LeaseWorkload(site=WORK.site, leases=(lease(1, 4), lease(2, 4, start=600.0, submit=10.0)))
    for spared, state in ((0, "Done"), (1, "Rejected")):
        giving = LeaseOptions(policy_preemption="nobody-named", part_options={"spared": spared})
        assert hosts(simulate_leases(ahead, options=giving))[2][0] == state


def test_in_a_configuration_file(outside, capsys):
    """Names of installed packages are registered names: no code is named by the file."""
    path = outside / "haizea.conf"
    path.write_text(CONFIG.format(admission="accept-all"))
    assert main(["lease", "run", "--config", str(path), "--out", "conf"]) == 0
    assert [row.split(",")[13] for row in (outside / "conf" / "leases.csv").read_text().splitlines()[1:]] == [
        "2-3",
        "4",
    ]
    path.write_text(CONFIG.format(admission="lease_parts:ShortOnes"))
    capsys.readouterr()
    assert main(["lease", "run", "--config", str(path)]) == 2
    assert "is code, which a file may not load" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("policy-host-selection=from-the-topp", "no policy 'from-the-topp'\n  hint: did you mean 'from-the-top'?"),
        ("policy-host-selection=none", "'none' is not a subclass of windtunnel.leases.planner.policies."),
        ("policy-admission=broken", "policy-admission: 'broken' of lease_parts:Nothing cannot be imported"),
        ("policy-admission=short-ones", "settings of leases: longest must be given"),
        (
            "policy-admission=short-ones longest=x suspensoin=all",
            "longest must be a number, not 'x'; no option 'suspensoin'",
        ),
        ("policy-host-selection=from-the-top abov=1", "no option 'abov' (did you mean 'above'?)"),
        ("above=1", "no option 'above'"),
        ("policy-preemption=grasping", "Grasping has options that are settings of the lease manager: suspension"),
        ("mapper=lease_parts:NoPolicy", "is not a subclass of windtunnel.leases.planner.mapping.Mapper"),
        ("mapper=spare", "mapper: no mapper 'spare'"),
    ],
)
def test_what_is_wrong_is_said(outside, capsys, options, said):
    words = [word for one in options.split() for word in ("-o", one)]
    assert main(["lease", "run", "day.lwf", *words]) == 2
    assert said in capsys.readouterr().err
    assert main(["run", "day.lwf", "-s", "leases", *words]) == 2
    assert said in capsys.readouterr().err


def test_in_lists(outside, capsys):
    assert main(["schedulers", "leases"]) == 0
    printed = capsys.readouterr().out
    assert "mapper: one of greedy, deadline, sparing, module:Class (default 'greedy')" in printed
    assert "policy-admission: one of accept-all, no-ARs, broken, short-ones, module:Class" in printed
