"""Small Slurm sites and logs made at random: whatever a slurm.conf and a submit line may combine."""

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

__all__ = ["write_site"]

BEGIN = datetime(2026, 5, 4, 8)  # noqa: DTZ001 -- as in Slurm's files
COLUMNS = "JobID|User|Submit|Start|End|Elapsed|Timelimit|ReqCPUS|ReqNodes|ReqTRES|State|SubmitLine"
SCHEDULER = ["bf_continue", "bf_busy_nodes", "pack_serial_at_end", "assoc_limit_stop", "bf_window_linear=60", "bf_one_resv_per_job", "bf_max_job_user=3", "bf_max_job_part=10", "bf_window=60", "bf_resolution=600", "bf_licenses", "bf_running_job_reserve", "bf_min_age_reserve=60", "preempt_reorder_count=2", "preempt_youngest_first", "preempt_strict_order", "defer", "default_queue_depth=5", "partition_job_depth=5", "max_switch_wait=60", "bf_hetjob_prio=min", "kill_invalid_depend", "bf_max_job_array_resv=2", "bf_max_job_start=3", "bf_max_time=20"]
PARTITION = (
    ("OverSubscribe=EXCLUSIVE", 0.1),
    ("OverSubscribe=FORCE:2", 0.08),
    ("OverSubscribe=YES:2", 0.08),
    ("MaxCPUsPerNode=3", 0.08),
    ("MaxCPUsPerNode=6", 0.08),
    ("LLN=YES", 0.15),
    ("MaxNodes=2", 0.15),
    ("MinNodes=2", 0.07),
    ("MaxTime=60", 0.15),
    ("DefaultTime=30", 0.2),
    ("GraceTime=20", 0.15),
    ("PriorityJobFactor=5", 0.2),
    ("DefMemPerNode=3000", 0.08),
    ("ExclusiveUser=YES", 0.07),
    ("OverTimeLimit=2", 0.1),
)
OPTIONS = (
    ("--exclusive", 0.08),
    ("--exclusive=user", 0.03),
    ("-s", 0.06),
    ("--mem=8000", 0.08),
    ("--mem=0", 0.03),
    ("--mem-per-cpu=3000", 0.12),
    ("--threads-per-core=1", 0.06),
    ("-C fa", 0.06),
    ("-C fb", 0.04),
    ("-C 'fa|fb'", 0.03),
    ("-C '[fa*1&fb*1]'", 0.03),
    ("--prefer=fb", 0.03),
    ("--contiguous", 0.04),
    ("--switches=1@30", 0.04),
    ("--ntasks-per-core=1", 0.06),
    ("--spread-job", 0.03),
    ("--cores-per-socket=4", 0.03),
    ("--sockets-per-node=2", 0.03),
    ("-w a1", 0.03),
    ("-x a2,a3", 0.03),
    ("--nice=50", 0.05),
    ("-L lic:2", 0.08),
    ("-L other", 0.03),
    ("--time-min=5", 0.06),
    ("--mincpus=3", 0.04),
    ("--use-min-nodes", 0.03),
    ("-b now+20minutes", 0.04),
    ("--deadline=now+60minutes", 0.04),
)
DEVICES = (
    "--gres=gpu:1",
    "--gres=gpu:b:1",
    "--gpus=2",
    "--gpus-per-task=1",
    "--gpus-per-node=2",
    "--gpus-per-socket=1 --sockets-per-node=1",
    "--gpus=2 --cpus-per-gpu=2",
    "--gpus=2 --ntasks-per-gpu=1",
    "--mem-per-gpu=2000 --gpus=2",
)


def write_site(seed: int, folder: Path, jobs: int) -> tuple[Path, Path]:
    """A site and a log of so many submissions; where they are."""
    odd = random.Random(seed)
    preempt = odd.choice(("none", "qos", "partition_prio", "partition_prio"))
    mode = odd.choice(("REQUEUE", "CANCEL", "SUSPEND,GANG")) if preempt != "none" else odd.choice(("OFF", "GANG"))
    devices, accounts, tree = odd.random() < 0.5, preempt == "qos" or odd.random() < 0.5, odd.random() < 0.4
    lines = [*_cluster(odd, preempt, mode, accounts, tree), *_nodes(odd, devices), *_partitions(odd, preempt, mode)]
    (folder / "slurm.conf").write_text("\n".join(["GresTypes=gpu"] * devices + lines) + "\n")
    if tree:
        switches = ("s1 Nodes=a[1-3]", "s2 Nodes=a[4-6],c1", "s3 Nodes=b[1-4]", "t Switches=s[1-3]")
        (folder / "topology.conf").write_text("".join(f"SwitchName={one}\n" for one in switches))
    if accounts:
        _write_accounts(odd, folder, preempt)
    if odd.random() < 0.4:
        _write_reservations(odd, folder)
    (folder / "jobs.txt").write_text("\n".join([COLUMNS, *_log(odd, jobs, devices, accounts)]) + "\n")
    return folder / "slurm.conf", folder / "jobs.txt"


def _some(odd: random.Random, choices: Sequence[tuple[str, float]]) -> list[str]:
    return [one for one, chance in choices if odd.random() < chance]


def _cluster(odd: random.Random, preempt: str, mode: str, accounts: bool, tree: bool) -> list[str]:
    linear = odd.random() < 0.1
    counts = odd.choice(("CR_Core", "CR_CPU", "CR_Socket", "CR_Core_Memory", "CR_CPU_Memory", "CR_Socket_Memory"))
    flags = _some(odd, [(one, 0.2) for one in ("CR_ONE_TASK_PER_CORE", "CR_CORE_DEFAULT_DIST_BLOCK", "CR_LLN")])
    settings = [f"bf_interval={odd.choice((30, 60))}", *_some(odd, [(one, 0.12) for one in SCHEDULER])]
    found = [
        "ClusterName=made",
        f"SelectType=select/{'linear' if linear else 'cons_tres'}",
        f"SelectTypeParameters={'CR_Memory' if linear else ','.join([counts, *flags])}",
        f"SchedulerType=sched/{'builtin' if odd.random() < 0.07 else 'backfill'}",
        f"SchedulerParameters={','.join(settings)}",
        f"DefMemPerCPU={odd.choice((500, 1000))}",
        "Licenses=lic:3,other:1",
        f"PreemptType=preempt/{preempt}",
        f"PreemptMode={mode}",
        *_some(odd, [("MaxMemPerCPU=2500", 0.2), ("OverTimeLimit=5", 0.2), ("EnforcePartLimits=ALL", 0.2)]),
    ]
    if odd.random() < 0.8:
        weights = ("Age", "Fairshare", "QOS", "JobSize", "Partition")
        found += ["PriorityType=priority/multifactor", "PriorityMaxAge=0-1"]
        found += [f"PriorityWeight{one}={odd.choice((0, 100, 1000))}" for one in weights]
    if tree:
        found.append("TopologyPlugin=topology/tree")
    if accounts:
        enforced = odd.choice(("associations", "associations,limits,qos", "associations,limits,qos,safe"))
        found += ["AccountingStorageType=accounting_storage/slurmdbd", f"AccountingStorageEnforce={enforced}"]
    return found


def _nodes(odd: random.Random, devices: bool) -> list[str]:
    threads = odd.choice((1, 2, 2))
    gpus = f" Gres={odd.choice(('gpu:2', 'gpu:a:1,gpu:b:2', 'gpu:4'))}" if devices else ""
    few = " Gres=gpu:2" if devices and odd.random() < 0.3 else ""
    return [
        (f"NodeName=a[1-6] Sockets=2 CoresPerSocket=4 ThreadsPerCore={threads} RealMemory=16000 "
        f"Weight={odd.choice((1, 5))} Feature=fa,fc{few}"),
        (f"NodeName=b[1-4] Sockets=1 CoresPerSocket=8 ThreadsPerCore={odd.choice((threads, 1))} RealMemory=32000 "
        f"Weight=5 Feature=fb{gpus}"),
        f"NodeName=c1 Sockets=4 CoresPerSocket=2 ThreadsPerCore={threads} RealMemory=8000 Weight=2 Feature=fc",
    ]


def _partitions(odd: random.Random, preempt: str, mode: str) -> list[str]:
    modes = ["OFF", "REQUEUE", "CANCEL", *(["SUSPEND"] if "SUSPEND" in mode else [])]
    found = []
    for name, nodes, tier in (
        ("p0", "ALL Default=YES", 1),
        ("p1", "a[1-6]", 2),
        ("p2", "a[3-6],b[1-4]", odd.choice((1, 2, 3))),
    ):
        options = _some(odd, PARTITION)
        if preempt == "partition_prio" and odd.random() < 0.3:
            options.append(f"PreemptMode={odd.choice(modes)}")
        found.append(" ".join([f"PartitionName={name} Nodes={nodes} PriorityTier={tier}", *_once(options)]))
    return found


def _once(options: list[str]) -> list[str]:
    """The last of each key."""
    return list({one.partition("=")[0]: one for one in options}.values())


def _write_accounts(odd: random.Random, folder: Path, preempt: str) -> None:
    lower = "normal,low" if preempt == "qos" else ""
    qos = [
        "normal|0|00:00:00|||cluster||",
        f"high|1000|00:00:00||{lower}|cluster||{odd.choice(('', 'cpu=16'))}",
        (f"low|0|{odd.choice(('00:00:00', '00:00:30'))}|{odd.choice(('', 'DenyOnLimit'))}||"
        f"{odd.choice(('cluster', 'requeue', 'cancel'))}|{odd.choice(('', 'node=3'))}|{odd.choice(('', 'cpu=8'))}"),
    ]
    head = "Name|Priority|GraceTime|Flags|Preempt|PreemptMode|GrpTRES|MaxTRESPU"
    (folder / "sacctmgr-qos.txt").write_text("\n".join([head, *qos]) + "\n")
    rows = ["made|root||||1|||normal,high,low|"]
    rows += [f"made|phys||root||{odd.choice((1, 4))}|{odd.choice(('', 'cpu=24'))}||normal,high,low|"]
    rows += [f"made|chem||root||1|{odd.choice(('', 'node=4'))}||normal,high,low|"]
    rows += [
        f"made|{odd.choice(('phys', 'chem'))}|{user}|||1||{odd.choice(('', '', '5'))}|normal,high,low|normal"
        for user in "uvwx"
    ]
    head = "Cluster|Account|User|ParentName|Partition|Share|GrpTRES|MaxJobs|QOS|Def QOS"
    (folder / "sacctmgr-assoc.txt").write_text("\n".join([head, *rows]) + "\n")


def _write_reservations(odd: random.Random, folder: Path) -> None:
    found = []
    for number in range(odd.randint(1, 2)):
        begin = BEGIN + timedelta(minutes=odd.randint(5, 60))
        end = begin + timedelta(minutes=odd.randint(10, 60))
        nodes = odd.choice(("a[1-2]", "b[1-2]", "a[1-6],b[1-4],c1", "c1"))
        flags = odd.choice(("", "MAINT", "FLEX", "DAILY", "IGNORE_JOBS"))
        found.append(
            f"ReservationName=r{number} StartTime={begin.isoformat()} EndTime={end.isoformat()}\n"
            f"   Nodes={nodes} PartitionName=p0 Flags={flags}\n   Users=u,v State=INACTIVE\n"
        )
    (folder / "scontrol-reservation.txt").write_text("\n".join(found))


def _log(odd: random.Random, jobs: int, devices: bool, accounts: bool) -> list[str]:
    submitted, rows, mean = BEGIN, [], odd.choice((20, 40))
    for number in range(jobs):
        submitted += timedelta(seconds=int(odd.expovariate(1 / mean)))
        request, cpus, nodes = _request(odd, devices)
        if number > 3 and odd.random() < 0.08:
            request += f" -d {odd.choice(('afterok', 'afterany', 'after', 'afternotok'))}:{1000 + odd.randrange(number)}"
        if accounts and odd.random() < 0.5:
            request += f" --qos={odd.choice(('normal', 'high', 'low'))}"
        if odd.random() < 0.05:
            request += f" --reservation=r{odd.randint(0, 2)}"
        names = [str(1000 + number)]
        kind = odd.random()
        if kind < 0.05:
            count = odd.choice((2, 4))
            names = [f"{1000 + number}_{task}" for task in range(count)]
            request += f" --array=0-{count - 1}{odd.choice(('', '%2'))}"
        elif kind < 0.08:
            names = [f"{1000 + number}+{part}" for part in range(2)]
            request += f" : {_request(odd, devices)[0]}"
        rows += _rows(odd, names, submitted, request, cpus, nodes)
    return rows


def _request(odd: random.Random, devices: bool) -> tuple[str, int, int]:
    """The options of one component; CPUs and nodes as accounting would have them."""
    cpus, nodes = odd.choice((1, 2, 4, 8, 16)), odd.choice((1, 1, 1, 2, 3))
    size = odd.choice(
        (
            f"-n {cpus}",
            f"-n {cpus}",
            f"-N {nodes} --ntasks-per-node={odd.choice((1, 2, 4))}",
            f"-N {nodes}-{nodes + odd.choice((0, 1, 3))} -n {cpus}",
            f"-n {odd.choice((1, 2, 3, 4))} -c {odd.choice((2, 3, 4, 5))}",
            f"-n {odd.choice((2, 4, 6))} --ntasks-per-socket={odd.choice((1, 2))}",
        )
    )
    words = [f"-p {odd.choice(('p0', 'p1', 'p2', 'p0,p1', 'p2,p0'))}", size, *_some(odd, OPTIONS)]
    if devices and odd.random() < 0.2:
        words.append(odd.choice(DEVICES))
    return " ".join(words), cpus, nodes


def _rows(
    odd: random.Random, names: list[str], submitted: datetime, request: str, cpus: int, nodes: int
) -> list[str]:
    limit = odd.choice((5, 10, 20, 60))
    run = max(1, min(limit * 60, int(odd.expovariate(1 / (limit * 30)))))
    begin = submitted + timedelta(seconds=5)
    end = begin + timedelta(seconds=run)
    user, state = odd.choice("uvwx"), odd.choice(("COMPLETED", "COMPLETED", "COMPLETED", "TIMEOUT", "FAILED"))
    dates = "|".join(one.isoformat() for one in (submitted, begin, end))
    tres = f"cpu={cpus},mem={cpus * 1000}M,node={nodes}"
    return [
        f"{name}|{user}|{dates}|{timedelta(seconds=run)}|{timedelta(minutes=limit)}|{cpus}|{nodes}|{tres}|{state}|"
        f"sbatch {request} x.sh"
        for name in names
    ]
