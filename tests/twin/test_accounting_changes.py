"""What-if changes of QOS, accounts and users."""

import pytest

from windtunnel.cli.main import main
from windtunnel.diagnostics import UsageError
from windtunnel.formats.registry import read_workload
from windtunnel.model.slurm import PARENT, Association, Limits, Qos, SlurmSite
from windtunnel.model.slurm.settings import PrioritySettings
from windtunnel.twin.accounting_changes import changed_accounting, without_effect
from windtunnel.twin.changes import pairs_of
from windtunnel.twin.what_if import what_if

SITE = SlurmSite(
    qos=(Qos(name="normal"), Qos(name="long", priority=5, limits=Limits(grp_tres={"cpu": 8, "node": 2}, grp_jobs=3))),
    associations=(
        Association(account="root"),
        Association(account="physics", parent="root", shares=40),
        Association(account="physics", user="ann", qos=("normal",)),
        Association(account="arts", parent="root"),
        Association(account="arts", user="ann"),
    ),
)


def after(change, site=SITE):
    return changed_accounting(site, pairs_of(change))


def test_fields_of_a_qos():
    change = "QOS=long Priority=0 Flags+=NoReserve,DenyOnLimit UsageFactor=2 GraceTime=60 PreemptMode=requeue"
    site, command = after(change)
    found = site.qos[1]
    assert (found.priority, found.flags, found.usage_factor) == (0, ("NoReserve", "DenyOnLimit"), 2.0)
    assert (found.grace_time, found.preempt_mode, found.limits) == (60, ("REQUEUE",), SITE.qos[1].limits)
    assert site.qos[0] == SITE.qos[0]
    assert command == (
        "sacctmgr modify qos long set Priority=0 Flags+=NoReserve,DenyOnLimit UsageFactor=2 GraceTime=60 "
        "PreemptMode=requeue"
    )


LIMITS = [
    ("GrpTRES=cpu=4", Limits(grp_tres={"cpu": 4, "node": 2}, grp_jobs=3)),
    ("GrpTRES=cpu=-1,gres/gpu=1", Limits(grp_tres={"node": 2, "gres/gpu": 1}, grp_jobs=3)),
    ("GrpTRES=-1", Limits(grp_jobs=3)),
    ("GrpJobs=-1 MaxWall=1-0", Limits(grp_tres={"cpu": 8, "node": 2}, max_wall_per_job=1440)),
    ("GrpNodes=5", Limits(grp_tres={"cpu": 8, "node": 5}, grp_jobs=3)),
]


@pytest.mark.parametrize(("change", "limits"), LIMITS)
def test_limits_are_set_one_by_one(change, limits):
    site, _ = after(f"QOS=long {change}")
    assert site.qos[1].limits == limits


def test_shares_of_an_account():
    site, command = after("Account=physics Fairshare=parent DefaultQOS=long")
    assert [one.shares for one in site.associations] == [1, PARENT, 1, 1, 1]
    assert site.associations[1].default_qos == "long"
    assert command == "sacctmgr modify account physics set Fairshare=parent DefaultQOS=long"


def test_a_user_in_one_account_or_in_all():
    site, command = after("User=ann Account=arts MaxJobs=2")
    assert [one.limits.max_jobs for one in site.associations] == [None, None, None, None, 2]
    assert command == "sacctmgr modify user ann where account=arts set MaxJobs=2"
    site, command = after("User=ann QOS+=long")
    assert [one.qos for one in site.associations] == [None, None, ("normal", "long"), None, ("long",)]
    assert command == "sacctmgr modify user ann set QOS+=long"
    assert after("User=ann QOS-=normal")[0].associations[2].qos == ()


FAULTS = [
    ("QOS=lon Priority=1", "there is no QOS 'lon'\n  hint: did you mean 'long'?"),
    ("Account=ann MaxJobs=1", "there is no account 'ann'"),
    ("User=physics MaxJobs=1", "there is no user 'physics'"),
    ("User=ann Account=root MaxJobs=1", "user ann is not in account root"),
    ("QOS=long", "the change sets nothing"),
    ("QOS=long Prioritee=1", "Prioritee changes nothing that is simulated\n  hint: did you mean 'priority'?"),
    ("QOS=long Priority=high", "priority is 'high', a number is expected"),
    ("QOS=long MaxWall=soon", "MaxWall is 'soon', a time"),
    ("QOS=long GrpTRES=cpu", "'cpu': a resource with its count such as cpu=4 is expected"),
    ("Account=physics Fairshare=much", "Share is 'much', a number or parent is expected"),
    ("Account=physics Priority=-5", "Priority is '-5', an integer >= 0 is expected"),
    ("Account=physics Fairshare+=2", "Fairshare+ does not name a list"),
]


@pytest.mark.parametrize(("change", "message"), FAULTS)
def test_faulty_changes(change, message):
    with pytest.raises(UsageError) as caught:
        after(change)
    assert message in str(caught.value)


def test_nobody_knows_the_accounts():
    with pytest.raises(UsageError, match="it is not known which QOSs there are"):
        after("QOS=long Priority=1", SlurmSite())


def test_changes_without_effect_are_told():
    limits, shares = pairs_of("QOS=long MaxJobsPU=1"), pairs_of("Account=physics Fairshare=2")
    assert "limits are not enforced" in without_effect(SITE, limits)
    assert not without_effect(SlurmSite(enforce=("associations", "limits")), limits)
    assert not without_effect(SITE, shares)
    assert "not priority/multifactor" in without_effect(SlurmSite(priority=PrioritySettings(multifactor=False)), shares)


@pytest.fixture
def site(tmp_path):
    conf = (
        "ClusterName=x\nSelectType=select/linear\nAccountingStorageEnforce=associations,limits,qos\n"
        "NodeName=n[1-4] CPUs=1\nPartitionName=p Nodes=ALL Default=YES MaxTime=1-0\n"
    )
    (tmp_path / "slurm.conf").write_text(conf)
    (tmp_path / "sacctmgr-qos.txt").write_text("Name|Priority\nnormal|0\n")
    users = "x|root|||normal\nx|a|root||normal\nx|a||ann|normal\nx|a||bo|normal\n"
    (tmp_path / "sacctmgr-assoc.txt").write_text(f"Cluster|Account|ParentName|User|QOS\n{users}")
    head = "JobID|User|Account|Partition|QOS|Submit|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|ReqNodes|State\n"
    rows = (
        f"{k}|{'ann' if k < 7 else 'bo'}|a|p|normal|2024-01-01T00:00:0{k}|2024-01-01T00:0{k}:00|2024-01-01T00:3{k}:00"
        "|1800|60|1|1|COMPLETED\n"
        for k in range(1, 9)
    )
    (tmp_path / "jobs.txt").write_text(head + "".join(rows))
    return tmp_path


@pytest.mark.parametrize("scheduler", ["slurm", "easy"])
def test_a_limit_of_a_qos_is_foreseen(site, scheduler):
    """With one job a user at a time, ann's six run one after another, and bo need not wait for them."""
    change = "QOS=normal MaxJobsPU=1"
    found = what_if(site / "slurm.conf", read_workload(site / "jobs.txt"), sets=[change], scheduler=scheduler)
    users = {one.name: one for one in found.shifts if one.by == "user"}
    assert users["ann"].after > users["ann"].before + 1800
    assert users["bo"].after < users["bo"].before
    assert (found.diff, found.commands) == ("", ("sacctmgr modify qos normal set MaxJobsPU=1",))


def test_the_command_is_printed(site, capsys):
    change = ["--set", "User=ann MaxJobs=1", "--set", "Account=a Fairshare=3"]
    assert main(["what-if", str(site / "slurm.conf"), str(site / "jobs.txt"), *change]) == 0
    printed = capsys.readouterr()
    assert printed.out.endswith(
        "\n\nsacctmgr modify user ann set MaxJobs=1\nsacctmgr modify account a set Fairshare=3\n"
    )
    assert "Fairshare=3: priorities are not reckoned from it here: PriorityType is not" in printed.err
