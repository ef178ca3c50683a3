"""Whatever stands on the command line of what-if: it is understood, or said to be at fault."""

from contextlib import suppress
from datetime import UTC
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from windtunnel.diagnostics import InputError, UsageError
from windtunnel.formats.slurm.conf import read_as
from windtunnel.model.slurm import Association, Qos, Reservation, SlurmNode, SlurmSite
from windtunnel.twin.accounting_changes import ACCOUNTING, changed_accounting
from windtunnel.twin.changes import changed, pairs_of
from windtunnel.twin.conf_files import ConfFiles
from windtunnel.twin.node_changes import with_nodes
from windtunnel.twin.reservation_changes import RESERVATION, changed_reservation

PATH = Path("/no/such/slurm.conf")
CONF = (
    "ClusterName=x\nSchedulerParameters=defer\nNodeName=n[1-4] CPUs=4\nNodeSet=s Feature=f\n"
    "PartitionName=p Nodes=n[1-4] \\\n  Default=YES # one\nPartitionName=q Nodes=s\n"
)
SITE = SlurmSite(
    nodes=(SlurmNode(name="n1"), SlurmNode(name="n2")),
    qos=(Qos(name="long"),),
    associations=(Association(account="root"), Association(account="a", parent="root"), Association(account="a", user="u")),
    reservations=(Reservation(name="r", start=0, end=10, nodes=("n1",)),),
)
KEYS = st.sampled_from(
    ["SchedulerParameters", "PriorityWeightAge", "PartitionName", "NodeName", "MaxTime", "Nodes", "CPUs", "QOS", "Account", "User", "Fairshare", "Priority", "MaxJobs", "GrpTRES", "Flags", "Flags+", "QOS-", "GraceTime", "ReservationName", "StartTime", "EndTime", "Duration", "Users"]
)
VALUES = st.sampled_from(
    ["p", "q", "n[1-4]", "long", "a", "u", "r", "ALL", "-1", "0", "1-0", "cpu=4", "cpu=-1", "parent", "-defer", "bf_window=9", "2024-01-01T00:00:00", "n[1", '""', "x,y"]
) | st.text(min_size=1, max_size=6).filter(lambda text: not any(letter.isspace() for letter in text))
CHANGES = st.lists(st.tuples(KEYS, VALUES).map("=".join), min_size=1, max_size=4).map(" ".join) | st.text(max_size=20)


@given(CHANGES)
def test_changes_are_understood_or_at_fault(change):
    with suppress(UsageError):
        pairs = pairs_of(change)
        first = pairs[0][0].lower()
        if first in ACCOUNTING:
            site, command = changed_accounting(SITE, pairs)
            assert site.nodes == SITE.nodes
            assert command.startswith("sacctmgr modify ")
        elif first == RESERVATION:
            site, command = changed_reservation(SITE, pairs, UTC)
            assert all(one.end > one.start for one in site.reservations)
            assert command.startswith("scontrol ")
        else:
            after = changed(ConfFiles(PATH, {PATH: CONF}), pairs)
            with suppress(InputError):
                read_as(PATH, after.texts)


@given(st.text(max_size=12) | st.tuples(st.sampled_from("pqx"), st.sampled_from("+-"), st.integers(0, 9)).map(
    lambda one: f"{one[0]}:{one[1]}{one[2]}"
))  # fmt: skip
def test_numbers_of_nodes_are_understood_or_at_fault(change):
    files = ConfFiles(PATH, {PATH: CONF})
    site = read_as(PATH, files.texts).site
    with suppress(UsageError):
        after = read_as(PATH, with_nodes(files, change, site).texts).site
        assert len(after.nodes) != len(site.nodes)
