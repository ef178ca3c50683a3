"""slurm.conf, gres.conf, topology.conf and sacctmgr as a site: recorded ones by rule, settings, and faulty ones."""

import re
from itertools import starmap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared import cases, shared
from windtunnel.diagnostics import InputError, Severity
from windtunnel.formats.registry import read_platform
from windtunnel.formats.slurm.conf import read_slurm_conf
from windtunnel.formats.slurm.keys import TABLES
from windtunnel.formats.slurm.keys_page import page
from windtunnel.formats.slurm.values import megabytes, time_span, tres_counts, tres_weights
from windtunnel.model.slurm import PARENT, GresItem, OverSubscribe, Switch
from windtunnel.model.slurm.cluster import FOR_EVER

FAMILIES = ("golden/slurm/snapshots", "golden/slurm/priority", "golden/slurm/timelines")


@pytest.fixture
def site(tmp_path):
    def read(text, **files):
        for name, content in files.items():
            (tmp_path / name.replace("__", "-").replace("_", ".")).write_text(content)
        path = tmp_path / "slurm.conf"
        path.write_text(text)
        return read_slurm_conf(path)

    return read


@pytest.mark.parametrize("family", FAMILIES)
def test_recorded_sites(family):
    """Every recorded slurm.conf: its nodes, partitions and settings as another reading of the lines has them."""
    for folder in cases(family):
        if not (folder / "slurm.conf").is_file():
            continue
        platform = read_platform(folder / "slurm.conf")
        made, text = platform.site, (folder / "slurm.conf").read_text()
        told = [f for f in platform.warnings if f.severity > Severity.NOTE and f.code != "no-slurmdbd"]
        assert not told, (folder.name, told)
        pairs = re.findall(r"^PartitionName=(\S+) .*?Nodes=(\S+)", text, re.MULTILINE)
        assert [part.name for part in made.partitions] == [name for name, _ in pairs], folder.name
        rows = re.findall(r"^NodeName=n\[?(\d+)(?:-(\d+))?\]? CPUs=(\d+).*RealMemory=(\d+)", text, re.MULTILINE)
        expected = [
            (f"n{number}", int(cpus), int(memory))
            for low, high, cpus, memory in rows
            for number in range(int(low), int(high or low) + 1)
        ]
        assert [(node.name, node.cpus, node.memory) for node in made.nodes] == expected, folder.name
        assert all(node.cpus == node.cores * node.threads_per_core or node.cpus == node.cores for node in made.nodes)
        for word in re.search(r"^SchedulerParameters=(.*)$", text, re.MULTILINE)[1].split(","):
            key, _, value = word.partition("=")
            holder = next(
                part
                for part in (made.backfill, made.main, made.preempt)
                if hasattr(part, key.removeprefix("preempt_")) or hasattr(part, key)
            )
            found = getattr(holder, key, getattr(holder, key.removeprefix("preempt_"), None))
            assert found == (int(value) if value else True), (folder.name, word)
        assert made.select.tree == (folder / "topology.conf").is_file() or not made.switches
        assert made.priority.multifactor == ("PriorityType=priority/multifactor" in text)


def test_the_sampled_site():
    platform = read_platform(shared("golden/slurm/formats/slurm.conf"))
    made = platform.site
    assert [node.name for node in made.nodes] == [f"n{number}" for number in range(1, 9)]
    assert made.nodes[6].gres == (GresItem(name="gpu", count=4, counted=True),)
    assert (made.nodes[4].features, made.nodes[4].weight, made.nodes[4].cores_per_socket) == (("big", "amd"), 10, 16)
    main, gpu, everything, alone = made.partitions
    assert (main.default, main.default_time, main.max_time, main.priority_job_factor) == (True, 10, 1440, 10)
    assert (gpu.priority_tier, gpu.max_time, gpu.max_nodes) == (5, 120, 2)
    assert gpu.billing_weights == {"cpu": 1.0, "mem": 0.25 / 1024, "gres/gpu": 8.0}
    assert (everything.nodes, everything.over_subscribe, everything.share_count) == (None, OverSubscribe.FORCE, 2)
    assert everything.allow_accounts == ("sci", "phys", "bio")
    assert alone.over_subscribe is OverSubscribe.EXCLUSIVE
    assert (made.priority.weight_fair_share, made.priority.max_age, made.priority.calc_period) == (10000, 86400, 60)
    assert made.priority.weight_tres == {"cpu": 100.0, "mem": 50.0, "gres/gpu": 300.0}
    assert (made.preempt.type, made.preempt.mode, made.licences) == ("qos", ("REQUEUE",), {"matlab": 5})
    assert (made.select.counts, made.select.memory, made.default_memory_per_cpu) == ("CORE", True, 500)
    assert (made.enforce, made.main.kill_wait) == (("associations", "limits", "qos"), 5)
    bio = next(one for one in made.associations if one.account == "bio" and not one.user)
    assert (bio.shares, bio.parent) == (PARENT, "sci")
    eng = next(one for one in made.associations if one.account == "eng" and not one.user)
    assert (eng.limits.grp_tres, eng.limits.grp_jobs, eng.limits.max_wall_per_job) == ({"cpu": 64}, 20, 1440)
    u3 = next(one for one in made.associations if one.user == "u3")
    assert (u3.account, u3.limits.max_jobs, u3.qos, u3.default) == ("bio", 8, ("normal", "high", "long", "low"), True)
    assert [one.partition for one in made.associations if one.user == "u5"] == ["gpu"]


@pytest.mark.parametrize("moment", ["clean/during", "clean/after", "during", "after"])
def test_tables_of_accounts_and_qos(moment):
    folder = shared(f"golden/slurm/formats/{moment}")
    made = read_slurm_conf(
        shared("golden/slurm/formats/slurm.conf"),
        accounts=str(folder / "sacctmgr-assoc.txt"),
        qos=str(folder / "sacctmgr-qos.txt"),
        reservations=str(folder / "scontrol-reservation.txt"),
    ).site
    high = next(one for one in made.qos if one.name == "high")
    assert (high.priority, high.preempt, high.grace_time, high.has("denyonlimit")) == (100, ("low",), 5, True)
    assert high.limits.max_tres_per_user == {"cpu": 64, "gres/gpu": 4}
    assert high.limits.max_wall_per_job == 2880
    assert next(one for one in made.qos if one.name == "low").usage_factor == 0.5
    long = next(one for one in made.qos if one.name == "long").limits
    assert (long.grp_tres, long.grp_tres_mins, long.max_jobs_per_user) == ({"node": 4}, {"cpu": 100000}, 3)
    assert (long.max_submit_jobs_per_user, long.min_tres_per_job) == (10, {"cpu": 1})
    assert {(one.account, one.user) for one in made.associations} >= {("phys", "u1"), ("phys", "u2"), ("bio", "u3")}
    maintenance, lesson, licences = made.reservations
    assert (maintenance.name, maintenance.nodes, maintenance.end - maintenance.start) == (
        "maint1",
        ("n1", "n2"),
        3600,
    )
    assert maintenance.flags == ("MAINT", "IGNORE_JOBS", "SPEC_NODES")
    assert (lesson.accounts, lesson.flags) == (("bio",), ("FLEX", "SPEC_NODES"))
    assert (licences.users, licences.licences, licences.nodes) == (("u1", "u2"), {"matlab": 2}, ())


def test_switches(site):
    made = site(
        "TopologyPlugin=topology/tree\nNodeName=n[1-4]\nPartitionName=p Nodes=ALL\n",
        topology_conf="SwitchName=s1 Nodes=n[1-2]\nSwitchName=s2 Nodes=n[3-4]\nSwitchName=top Switches=s[1-2]\n",
    ).site
    assert made.switches[0] == Switch(name="s1", nodes=("n1", "n2"))
    assert made.switches[2].switches == ("s1", "s2")


def test_devices_of_gres_conf(site):
    conf = "NodeName=a Gres=gpu:4\nNodeName=b Gres=gpu:v100:2\nNodeName=c Gres=gpu:2\nNodeName=d Gres=gpu:2\n"
    gres = (
        "NodeName=a Name=gpu Type=a100 File=/dev/nvidia[0-1] Cores=0-3\n"
        "NodeName=a Name=gpu Type=a100 File=/dev/nvidia[2-3] Cores=4-7\n"
        "NodeName=d Name=gpu Count=2\nNodeName=c Name=gpu Type=h100 Count=3\nName=gpu AutoDetect=nvml Count=2 NodeName=b\n"
    )
    platform = site(conf, gres_conf=gres)
    a, b, c, d = platform.site.nodes
    assert a.gres == (
        GresItem(name="gpu", type="a100", count=2, cores=(0, 1, 2, 3)),
        GresItem(name="gpu", type="a100", count=2, cores=(4, 5, 6, 7)),
    )
    assert b.gres == (GresItem(name="gpu", type="v100", count=2),)
    assert c.gres == (GresItem(name="gpu", count=2),)
    assert d.gres == (GresItem(name="gpu", count=2, counted=True),)
    assert [f.message for f in platform.warnings] == [
        "node 'c' has 2 gpu in slurm.conf and 3 here: the former is used",
        "AutoDetect is not simulated",
    ]


def test_keys_that_nothing_comes_of(site):
    platform = site(
        "ClusterName=x\nBurstBufferType=burst_buffer/lua\nSlurmctldPort=1\nSchedulerParameters=bf_windw=5,bf_window=7\n"
        "NodeName=a CPUBind=core\nPartitonName=p Nodes=a\nPartitionName=q Nodes=a Alternate=p MaxTme=5\n"
    )
    found = [(f.line, f.code, f.hint) for f in platform.warnings]
    assert found == [
        (2, "ignored", ""),
        (4, "unknown-key", "did you mean 'bf_window'?"),
        (5, "ignored", ""),
        (6, "unknown-key", "did you mean 'PartitionName'?"),
        (7, "ignored", ""),
        (7, "unknown-key", "did you mean 'MaxTime'?"),
    ]
    assert platform.site.backfill.bf_window == 7


def test_of_a_parameter_that_stands_twice_the_first_counts(site):
    found = site("ClusterName=x\nSchedulerParameters=bf_resolution=1,bf_window=9,bf_resolution=45\nNodeName=a\n")
    assert (found.site.backfill.bf_resolution, found.site.backfill.bf_window) == (1, 9)


def test_settings_that_are_not_followed_are_told_where_they_are_no_defaults(site):
    """A slurm.conf may name all defaults without a word from us."""
    plain = "CompleteWait=0\nSchedulerTimeSlice=30\nPreemptMode=SUSPEND,GANG\nOverTimeLimit=0\nSchedulerParameters=max_switch_wait=300,defer\nNodeName=a\n"
    assert not site(f"{plain}PartitionName=p Nodes=a AllowGroups=ALL\n").warnings
    platform = site(
        "SchedulerParameters=kill_invalid_depend,max_switch_wait=5\nNodeName=a\n"
        "PartitionName=p Nodes=a AllowGroups=staff\nPartitionName=q Nodes=a AllowGroups=x\n",
    )
    assert {(f.message, f.count) for f in platform.warnings if f.code == "ignored"} == {
        ("AllowGroups of partitions is not simulated", 2),
    }


def test_a_weight_of_what_is_not_tracked_counts_nothing(site):
    found = site(
        "PriorityType=priority/multifactor\nAccountingStorageTRES=license/x\nNodeName=a\n"
        "PriorityWeightTRES=cpu=5,license/x=7,license/y=9\n"
    )
    assert found.site.priority.weight_tres == {"cpu": 5.0, "license/x": 7.0}
    (told,) = [one for one in found.warnings if one.code == "ignored"]
    assert "license/y" in told.message
    assert told.hint == "AccountingStorageTRES=license/y"


def test_flags_of_qos_that_are_not_followed_are_told(tmp_path):
    (tmp_path / "slurm.conf").write_text("ClusterName=x\nNodeName=a\nPartitionName=p Nodes=a\n")
    (tmp_path / "sacctmgr-assoc.txt").write_text("Cluster|Account|User\nx|root|\n")
    listing = tmp_path / "sacctmgr-qos.txt"
    listing.write_text("Name|Priority|Flags\nnormal|0|DenyOnLimit,NoDecay\nnew|0|Relative,partitiontimelimit\n")
    found = read_slurm_conf(tmp_path / "slurm.conf", qos=str(listing)).warnings
    assert [one.message for one in found if one.code == "ignored"] == ["Flags=Relative of QOS is not simulated"]


@pytest.mark.parametrize("word", ["SOMETIMES", "Daily2"])
def test_a_period_that_is_none_is_a_fault(site, word):
    with pytest.raises(InputError, match=r"PriorityUsageResetPeriod is .* are possible"):
        site(f"PriorityType=priority/multifactor\nPriorityUsageResetPeriod={word}\nNodeName=a\n")


def test_periods_end_at_midnight_of_the_sites_time_zone(tmp_path):
    path = tmp_path / "slurm.conf"
    path.write_text("PriorityType=priority/multifactor\nPriorityUsageResetPeriod=weekly\nNodeName=a\n")
    settings = read_slurm_conf(path, tz="Europe/Berlin").site.priority
    assert (settings.usage_reset_period, settings.time_zone) == ("WEEKLY", "Europe/Berlin")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Nodes=a CoreCnt=4 Flags=MAINT,SPEC_NODES", []),
        ("Nodes=a CoreCnt=4 Flags=MAGNETIC,WEEKDAY,TIME_FLOAT", ["Flags=TIME_FLOAT"]),
        ("Nodes=a CoreCnt=1", ["CoreCnt (some cores of nodes)"]),
        ("Nodes=(null) CoreCnt=3 Licenses=matlab:2", ["CoreCnt without nodes", "Licenses"]),
        ("Nodes=a CoreCnt=4 Groups=staff MaxStartDelay=00:10:00", ["MaxStartDelay", "Groups"]),
    ],
)
def test_what_reservations_say_that_is_not_followed_is_told(tmp_path, said, told):
    listing, conf = tmp_path / "resv.txt", tmp_path / "slurm.conf"
    conf.write_text("NodeName=a CPUs=4\nPartitionName=p Nodes=a\n")
    times = "StartTime=2026-11-22T11:23:06 EndTime=2026-11-22T12:23:06"
    listing.write_text(f"ReservationName=r {times} Users=u1 {said}\n")
    found = read_slurm_conf(conf, reservations=str(listing))
    ignored = [f.message for f in found.warnings if f.code == "ignored"]
    assert ignored == [f"{key} of reservations is not simulated" for key in told]


@pytest.mark.parametrize(
    ("written", "cluster", "own"),
    [("", 0, None), ("OverTimeLimit=5", 5, 5), ("OverTimeLimit=UNLIMITED", FOR_EVER, FOR_EVER)],
)
def test_how_long_jobs_may_run_beyond_their_limit(site, written, cluster, own):
    found = site(f"{written}\nNodeName=a\nPartitionName=p Nodes=a {written}\n")
    assert (found.site.over_time_limit, found.site.partitions[0].over_time_limit) == (cluster, own)
    assert not found.warnings
    assert site("NodeName=a\nPartitionName=p Nodes=a OverTimeLimit=NONE\n").site.partitions[0].over_time_limit is None


@pytest.mark.parametrize(
    ("said", "age"),
    [
        ("AccountingStorageType=accounting_storage/slurmdbd", 5),
        ("AccountingStorageEnforce=limits", 5),
        ("AccountingStorageEnforce=limits\nAccountingStorageType=accounting_storage/none", 0),
        ("", 0),
    ],
)
def test_weights_that_need_slurmdbd_are_ignored_and_told_without_it(site, said, age):
    found = site(f"NodeName=a\nPriorityType=priority/multifactor\nPriorityWeightAge=5\n{said}\n")
    assert (found.site.priority.weight_age, found.site.priority.accounted) == (age, bool(age))
    assert [one.code for one in found.warnings] == ([] if age else ["no-slurmdbd"])


def test_the_reference_is_drawn_up_from_the_tables():
    """Made by ``python -m windtunnel.formats.slurm.keys_page > docs/reference/slurm-keys.md``."""
    written = Path(__file__).parents[3] / "docs/reference/slurm-keys.md"
    assert written.read_text() == page()
    assert {written.replace("`", "") for written in re.findall(r"`\w+`", page())} >= {"MaxTime", "SlurmUser"}


def test_no_key_has_two_fates():
    for table in TABLES.values():
        names = [name.lower() for name in table.known()]
        assert len(names) == len(set(names)), table.what


def test_includes_are_ordinary_files_of_a_bounded_number(tmp_path):
    import os

    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "slurm.conf").write_text("NodeName=a\nInclude pipe\nInclude .\n")
    with pytest.raises(InputError) as caught:
        read_slurm_conf(tmp_path / "slurm.conf")
    assert [f.code for f in caught.value.findings] == ["unreadable", "unreadable"]
    assert "is a pipe" in str(caught.value)


FAULTS = [
    ("a time", "PartitionName=p MaxTime=soon", "MaxTime is 'soon', a time such as 90, 1:30:00 or 2-12:00:00"),
    ("a default time", "PartitionName=p DefaultTime=1:2:3:4", "DefaultTime is '1:2:3:4', a time"),
    ("a state", "PartitionName=p State=OFF", "State is 'OFF', one of UP, DOWN, DRAIN, INACTIVE"),
    ("a flag", "PartitionName=p Default=maybe", "Default is 'maybe', YES or NO"),
    ("sharing", "PartitionName=p OverSubscribe=SOME", "OverSubscribe is 'SOME', NO, YES"),
    ("a share count", "PartitionName=p OverSubscribe=FORCE:x", "OverSubscribe is 'FORCE:x'"),
    ("nodes", "PartitionName=p MaxNodes=many", "MaxNodes is 'many', an integer >= 0"),
    ("a tier", "PartitionName=p PriorityTier=-1", "PriorityTier is '-1', an integer"),
    ("billing", "PartitionName=p TRESBillingWeights=CPU", "TRESBillingWeights is 'CPU', 'CPU': a resource"),
    ("job defaults", "PartitionName=p JobDefaults=DefCpu=1", "JobDefaults holds 'DefCpu=1'"),
    ("twice", "PartitionName=p\nPartitionName=p", "partition 'p' is given more than once"),
    ("memory", "PartitionName=p DefMemPerCPU=lots", "DefMemPerCPU is 'lots', an amount of memory"),
    ("licences", "Licenses=matlab:x", "Licenses holds 'matlab:x'"),
    ("a weight", "PriorityType=priority/multifactor\nPriorityWeightAge=x", "PriorityWeightAge is 'x'"),
    ("TRES weights", "PriorityType=priority/multifactor\nPriorityWeightTRES=cpu=y", "PriorityWeightTRES is 'cpu=y'"),
    ("an age", "PriorityType=priority/multifactor\nPriorityMaxAge=7d", "PriorityMaxAge is '7d'"),
    ("dampening", "PriorityType=priority/multifactor\nFairShareDampeningFactor=x", "FairShareDampeningFactor is 'x'"),
    ("backfill", "SchedulerParameters=bf_window=day", "bf_window in SchedulerParameters is 'day'"),
    ("backfill below -1", "SchedulerParameters=bf_interval=-2", "bf_interval in SchedulerParameters is '-2'"),
    ("reorder", "SchedulerParameters=preempt_reorder_count=x", "preempt_reorder_count in SchedulerParameters is 'x'"),
    ("words", "this is not a configuration", "'this is not a configuration' is not a key=value"),
    ("array size", "MaxArraySize=big", "MaxArraySize is 'big'"),
]


@pytest.mark.parametrize(("text", "message"), [f[1:] for f in FAULTS], ids=[f[0] for f in FAULTS])
def test_faulty_settings(site, text, message):
    with pytest.raises(InputError) as caught:
        site(f"NodeName=a\n{text}\n")
    (one,) = (f for f in caught.value.findings if f.severity is Severity.ERROR)
    assert one.message.startswith(message)
    assert one.line == 2 + text.count("\n")


DUMPS = [
    ("no account", "Parent - 'x'", "there is no account 'x' before this line"),
    ("no line", "User u1", "'User u1' is not a line of a dump"),
    ("kind", "Grup - 'x'", "'Grup' is not one of Cluster, Parent, Account and User"),
    ("shares", "Account - 'x':Fairshare=many", "Fairshare is 'many', a number or parent"),
    ("limit", "Account - 'x':GrpTRES=cpu", "grptres is 'cpu', 'cpu': a resource"),
    ("jobs", "Account - 'x':MaxJobs=-5", "maxjobs is '-5', an integer"),
    ("wall", "Account - 'x':MaxWallDurationPerJob=long", "maxwalldurationperjob is 'long', a time"),
]


@pytest.mark.parametrize(("text", "message"), [f[1:] for f in DUMPS], ids=[f[0] for f in DUMPS])
def test_faulty_dumps(site, text, message):
    with pytest.raises(InputError) as caught:
        site("NodeName=a\n", sacctmgr__dump_cfg=f"Cluster - 'x':Fairshare=1\n{text}\n")
    (one,) = (f for f in caught.value.findings if f.severity is Severity.ERROR)
    assert one.message.startswith(message)
    assert one.line == 2


TABLE_FAULTS = [
    ("no user", "Cluster|Account\nx|y\n", 1, "there is no column 'User'"),
    ("too few", "Account|User|Share\nroot|\n", 2, "2 fields, and 3 columns in the header"),
    ("share", "Account|User|Share\nroot||x\n", 2, "Share is 'x', a number or parent"),
    ("priority", "Account|User|Priority\nroot||-1\na||\nb||high\n", 4, "Priority is 'high', an integer >= 0"),
    ("limit", "Account|User|GrpJobs\nroot||many\n", 2, "grpjobs is 'many', an integer"),
    ("unit", "Account|User|GrpTRES\nroot||cpu=4k\n", 2, "grptres is 'cpu=4k', 'cpu=4k': a whole number"),
    ("parent", "Account|User|ParentName\nroot||\na||b\n", 0, "account 'a': there is no account 'b'"),
]


@pytest.mark.parametrize(("text", "line", "message"), [f[1:] for f in TABLE_FAULTS], ids=[f[0] for f in TABLE_FAULTS])
def test_faulty_tables(site, text, line, message):
    with pytest.raises(InputError) as caught:
        site("NodeName=a\n", sacctmgr__assoc_txt=text)
    (one,) = (f for f in caught.value.findings if f.severity is Severity.ERROR)
    assert (one.line, one.message[: len(message)]) == (line, message)


@pytest.mark.parametrize("column", ["UsageThres", "UsageThreshold"])
def test_thresholds_of_a_qos(site, column):
    found = site("NodeName=a\n", sacctmgr__qos_txt=f"Name|{column}\nnormal|\nx|0.5\n")
    assert [one.usage_threshold for one in found.site.qos] == [None, 0.5]
    assert not [one for one in found.warnings if one.code == "ignored"]


@pytest.mark.parametrize("value", ["inf", "nan", "1e400", "high", "-1e20"])
@pytest.mark.parametrize("column", ["Priority", "UsageFactor"])
def test_numbers_of_a_qos_are_numbers(site, column, value):
    with pytest.raises(InputError) as caught:
        site("NodeName=a\n", sacctmgr__qos_txt=f"Name|{column}\nnormal|1\nx|{value}\n")
    (one,) = (f for f in caught.value.findings if f.severity is Severity.ERROR)
    assert (one.line, one.message) == (3, f"{column.lower()} is {value!r}, a number is expected")


TIMES = {
    "90": 5400,
    "1:30": 90,
    "1:30:00": 5400,
    "2-12": 216000,
    "1-0:30": 88200,
    "2-0:0:1": 172801,
    "INFINITE": None,
}


def test_times():
    assert {text: time_span(text) for text in TIMES} == TIMES


def test_amounts():
    assert [megabytes(text) for text in ("4000", "4G", "312.50G", "1024K", "1T")] == [4000, 4096, 320000, 1, 1 << 20]
    assert tres_counts("cpu=4,mem=2G,gres/gpu:a100=2,node=-1") == {"cpu": 4, "mem": 2048, "gres/gpu:a100": 2}
    assert tres_weights("CPU=1,Mem=1G,GRES/gpu=.5") == {"cpu": 1.0, "mem": 1 / 1024, "gres/gpu": 0.5}


KEYS = sorted({key for table in TABLES.values() for key in table.known()})
WORDS = st.one_of(
    st.sampled_from(["n[1-3]", "ALL", "5", "-1", "1-0", "YES", "gpu:2", "cpu=4", "[", "", "é", '"']),
    st.text(max_size=6),
)
LINES = st.lists(st.tuples(st.sampled_from(KEYS), WORDS), max_size=4)


@given(st.lists(LINES, max_size=5))
def test_no_text_is_too_odd(tmp_path_factory, lines):
    """Whatever stands there, it is read, or refused with places."""
    path = tmp_path_factory.mktemp("conf") / "slurm.conf"
    text = "\n".join(" ".join(starmap("{}={}".format, line)) for line in lines)
    path.write_text(f"NodeName=a\n{text}\n", encoding="utf-8", errors="replace")
    try:
        read = read_slurm_conf(path)
    except InputError as fault:
        refused = fault.findings
        read = None
    assert read.hosts if read else all(found.message for found in refused)
