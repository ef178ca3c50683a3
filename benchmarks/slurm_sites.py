"""Sites and logs for the benchmarks of ``slurm``, seeded: CEA-Curie as one partition, a month of a site of ours."""

import random
from datetime import UTC, datetime
from pathlib import Path

__all__ = ["curie_site", "month_log", "month_site", "packed_log"]

_PRIORITY = """\
PriorityType=priority/multifactor
PriorityDecayHalfLife=7-0
PriorityMaxAge=7-0
PriorityWeightAge=1000
PriorityWeightFairshare=10000
PriorityWeightJobSize=1000
"""
_MONTH = 30 * 86400
_BEGINNING = datetime(2024, 3, 1, tzinfo=UTC).timestamp()
NODES, GPU_NODES, CORES = 1500, 100, 32
"""Of the site of ours; each of the nodes with GPUs, which are among the 1,500, has four."""
ACCOUNTS, USERS = 20, 300
_LIMITS = (30, 60, 120, 240, 480, 720, 1440, 2880)
"""The time limits people ask for (minutes)."""
_HEAD = "JobID|User|Account|Partition|QOS|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|ReqNodes|ReqTRES"


def curie_site(folder: Path, users: int = 700, interval: int = 30) -> Path:
    """``slurm.conf`` of 5,832 nodes with 16 CPUs each, and one share for each user of a log."""
    folder.mkdir(parents=True, exist_ok=True)
    conf = folder / "slurm.conf"
    conf.write_text(
        "ClusterName=curie\nSelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\nSchedulerType=sched/backfill\n"
        f"SchedulerParameters=bf_interval={interval}\n{_PRIORITY}AccountingStorageEnforce=associations\n"
        "NodeName=c[0001-5832] CPUs=16 RealMemory=64000\n"
        "PartitionName=all Nodes=ALL Default=YES MaxTime=UNLIMITED\n"
    )
    rows = ["Cluster|Account|ParentName|User|Partition|Share|QOS|Def QOS", "curie|root||||1|normal|"]
    rows += ["curie|root||root||1|normal|", "curie|all|root|||1|normal|"]
    rows += [f"curie|all||{user}||1|normal|normal" for user in range(1, users + 1)]
    (folder / "sacctmgr-assoc.txt").write_text("\n".join(rows) + "\n")
    return conf


def month_site(folder: Path) -> Path:
    """``slurm.conf`` of 1,500 nodes that jobs share, with memory, GPUs, two partitions, accounts and QOS."""
    folder.mkdir(parents=True, exist_ok=True)
    conf = folder / "slurm.conf"
    conf.write_text(
        "ClusterName=month\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
        "SchedulerType=sched/backfill\nSchedulerParameters=bf_interval=30,bf_window=2880\n"
        f"{_PRIORITY}PriorityWeightQOS=2000\nAccountingStorageEnforce=associations,limits,qos\n"
        "AccountingStorageTRES=gres/gpu\nGresTypes=gpu\nDefMemPerCPU=4000\n"
        f"NodeName=n[0001-{NODES - GPU_NODES:04d}] Sockets=2 CoresPerSocket=16 RealMemory=128000\n"
        f"NodeName=g[001-{GPU_NODES:03d}] Sockets=2 CoresPerSocket=16 RealMemory=256000 Gres=gpu:4 Weight=10\n"
        f"PartitionName=batch Nodes=n[0001-{NODES - GPU_NODES:04d}] Default=YES DefaultTime=1:00:00 MaxTime=2-0\n"
        f"PartitionName=gpu Nodes=g[001-{GPU_NODES:03d}] DefaultTime=1:00:00 MaxTime=2-0 PriorityTier=2\n"
    )
    (folder / "gres.conf").write_text("Name=gpu Count=4\n")
    rows = ["Cluster|Account|ParentName|User|Partition|Share|QOS|Def QOS", "month|root||||1|normal|"]
    rows += ["month|root||root||1|normal|"]
    for account in range(ACCOUNTS):
        rows.append(f"month|a{account}|root|||{1 + account % 7}|normal|")
        rows += [
            f"month|a{account}||u{user}||1|normal,high|normal" for user in range(USERS) if user % ACCOUNTS == account
        ]
    (folder / "sacctmgr-assoc.txt").write_text("\n".join(rows) + "\n")
    (folder / "sacctmgr-qos.txt").write_text(
        "Name|Priority|Flags|UsageFactor|GrpTRES|MaxWall|MaxTRESPU|MaxJobsPU\n"
        "normal|0||1.000000|||cpu=6400|\nhigh|100||2.000000||12:00:00|cpu=1024|20\n"
    )
    return conf


def month_log(path: Path, *, jobs: int, load: float = 0.85, seed: int = 1) -> Path:
    """``sacct -P`` of the site of :func:`month_site`; 200,000 jobs take 30 days, fewer the same part of them."""
    rng = random.Random(seed)
    shapes = [_shape(rng) for _ in range(jobs)]
    span = _MONTH * jobs / 200_000
    for on_gpus, nodes, cores in ((False, NODES - GPU_NODES, CORES), (True, GPU_NODES, CORES)):
        kind = [one for one in shapes if one["gpu"] == on_gpus]
        work = sum(one["cpus"] * one["seconds"] for one in kind)
        for one in kind:  # run times stretched to the load of the nodes that they use
            one["seconds"] = max(10, min(2 * 86400, int(one["seconds"] * load * nodes * cores * span / work)))
    dates = sorted(rng.random() * span for _ in shapes)
    with path.open("w") as file:
        file.write(_HEAD + "\n")
        for number, (date, one) in enumerate(zip(dates, shapes, strict=True), 1):
            file.write(_row(rng, number, int(_BEGINNING + date), one))
    return path


def _shape(rng):
    """One job: most are parts of a node, the others up to 64 nodes; a tenth ask for GPUs."""
    gpu = rng.random() < 0.1
    nodes = 1 if gpu or rng.random() < 0.6 else int(2 ** (6 * rng.random()))
    cpus = nodes * CORES if nodes > 1 else 2 ** rng.randint(0, 5)
    gpus = rng.randint(1, 4) if gpu else 0
    if gpu:
        cpus = 8 * gpus
    return {"gpu": gpu, "nodes": nodes, "cpus": cpus, "gpus": gpus, "seconds": rng.lognormvariate(8, 1.3)}


def _row(rng, number, submit, one):
    user = min(int(rng.expovariate(1 / 40)), USERS - 1)
    minutes = one["seconds"] / 60 / max(0.05, rng.random())
    limit = next((known for known in _LIMITS if known >= minutes), _LIMITS[-1])
    qos = "high" if limit <= 720 and one["cpus"] <= 256 and rng.random() < 0.05 else "normal"
    memory = one["cpus"] * rng.choice((1000, 2000, 3500, 4000))
    ends = submit + one["seconds"]
    tres = f"billing={one['cpus']},cpu={one['cpus']},mem={memory}M,node={one['nodes']}"
    if one["gpu"]:
        tres += f",gres/gpu={one['gpus']}"
    words = (number, f"u{user}", f"a{user % ACCOUNTS}", "gpu" if one["gpu"] else "batch", qos, "COMPLETED")
    times = (*map(_date, (submit, submit, ends)), one["seconds"], limit)
    return "|".join(map(str, (*words, *times, one["cpus"], one["nodes"], tres))) + "\n"


def _date(when):
    return datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def packed_log(path: Path, *, waiting: int) -> Path:
    """A log (SWF) of a machine that is full for a day while so many jobs wait, and some end each minute."""
    rng = random.Random(2)
    with path.open("w") as file:
        file.write(f"; Version: 2.2\n; UnixStartTime: 0\n; MaxJobs: {waiting}\n; MaxNodes: 5832\n; MaxProcs: 93312\n")
        for number in range(1, waiting + 1):
            size = 16 * rng.choice((1, 2, 4, 8, 16, 64, 128))
            seconds = rng.randint(600, 6 * 3600)
            date = number * 600 // waiting
            user = rng.randint(1, 200)
            limit = seconds * rng.randint(1, 4)
            file.write(f"{number} {date} -1 {seconds} {size} -1 -1 {size} {limit} -1 1 {user} 1 -1 1 -1 -1 -1\n")
    return path
