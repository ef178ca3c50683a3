"""What the recordings of the real Slurm hold, as data of ours: sites, requests and jobs (tests only).

The recordings' own dialect is read here, so that the core is tested without the readers of a user's files.
"""

import gzip
import json
import re
import shlex
from pathlib import Path

from windtunnel.model.slurm import (
    PARENT,
    Association,
    BackfillSettings,
    Dependency,
    GresAsk,
    GresItem,
    JobAsk,
    Limits,
    MainLoopSettings,
    OverSubscribe,
    Partition,
    PreemptSettings,
    PrioritySettings,
    Qos,
    Reservation,
    SelectSettings,
    SlurmNode,
    SlurmSite,
    Switch,
)

TIMEOUTS = {"kill_wait": 5, "message_timeout": 60}
"""Seconds, set where all was recorded (recorder/lab.py)."""
UNITS = {"": 1, "K": 1 / 1024, "M": 1, "G": 1024, "T": 1024 * 1024}


def names(text):
    """A host list, spelled out."""
    found = []
    for part in re.findall(r"[^,\[]+(?:\[[^\]]*\])?", text or ""):
        match = re.fullmatch(r"(.*)\[(.*)\]", part)
        if not match:
            found.append(part)
            continue
        for piece in match[2].split(","):
            low, _, high = piece.partition("-")
            found += [f"{match[1]}{k}" for k in range(int(low), int(high or low) + 1)]
    return tuple(found)


def seconds(text):
    """``D-H:M:S`` and its shorter forms; minutes alone."""
    days, dash, rest = text.rpartition("-")
    parts = [int(x) for x in rest.split(":")]
    if dash:
        parts += [0] * (3 - len(parts))
        return int(days) * 86400 + parts[0] * 3600 + parts[1] * 60 + parts[2]
    return parts[0] * 60 if len(parts) == 1 else sum(x * y for x, y in zip(parts[::-1], (1, 60, 3600), strict=False))


def minutes(text):
    """Minutes of a time limit; None: unlimited."""
    return None if text in ("INFINITE", "UNLIMITED") else seconds(text) // 60


def memory(text):
    """Megabytes."""
    match = re.fullmatch(r"([\d.]+)([KMGT]?)", text)
    return int(float(match[1]) * UNITS[match[2]])


def pairs(line):
    return {key.lower(): value.strip('"') for key, value in re.findall(r'(\w+)=("[^"]*"|\S+)', line)}


def weights(text):
    """TRES -> weight; of memory for each MB."""
    found = {}
    for one in filter(None, (text or "").split(",")):
        name, _, value = one.lower().partition("=")
        match = re.fullmatch(r"([\d.]+)([kmgt]?)", value)
        found[name] = float(match[1]) / (UNITS[match[2].upper()] if name == "mem" else 1)
    return found


def tres(text):
    """TRES -> count, memory in MB."""
    found = {}
    for one in filter(None, (text or "").split(",")):
        name, _, value = one.partition("=")
        found[name.lower()] = memory(value) if name == "mem" else float(value)
    return found


def read_lines(folder):
    conf, nodes, parts = {}, [], []
    for line in (folder / "slurm.conf").read_text().splitlines():
        if line.startswith("NodeName="):
            nodes.append(pairs(line))
        elif line.startswith("PartitionName="):
            parts.append(pairs(line))
        elif "=" in line:
            key, _, value = line.strip().partition("=")
            conf[key.lower()] = value
    return conf, nodes, parts


def read_site(folder):
    """The site of a recorded case."""
    conf, nodes, parts = read_lines(folder)
    given = dict(
        (one.partition("=")[0], one.partition("=")[2] or "1")
        for one in reversed(conf.get("schedulerparameters", "").split(","))  # of two that are the same the first
        if one
    )
    associations, qos = read_accounts(folder)
    preempt = conf.get("preempttype", "").removeprefix("preempt/").replace("none", "")
    kind = conf.get("selecttype", "select/cons_tres").removeprefix("select/")
    marks = [one.upper() for one in (conf.get("selecttypeparameters") or "").split(",") if one]
    counts = next(
        (
            x
            for mark in marks
            for x in ("CPU", "CORE", "SOCKET")
            if mark.startswith(f"CR_{x}") and "_DEFAULT" not in mark
        ),
        "CPU",
    )
    settings = dict(
        name=conf.get("clustername", ""),
        nodes=tuple(node for one in nodes for node in read_nodes(one, counted_types(folder), read_devices(folder))),
        partitions=tuple(read_partition(one) for one in parts),
        switches=read_switches(folder / "topology.conf"),
        associations=associations,
        qos=qos,
        tracked=tuple(one for one in conf.get("accountingstoragetres", "").lower().split(",") if one),
        licences={
            x.partition(":")[0]: int(x.partition(":")[2] or 1) for x in conf.get("licenses", "").split(",") if x
        },
        main=settings_of(
            MainLoopSettings, given, builtin=conf.get("schedulertype") == "sched/builtin", **TIMEOUTS
        ),
        backfill=settings_of(BackfillSettings, given),
        select=SelectSettings(
            type=kind,
            counts=counts,
            memory=any("MEMORY" in mark for mark in marks),
            flags=tuple(
                mark
                for mark in marks
                if mark in ("CR_LLN", "CR_PACK_NODES", "CR_ONE_TASK_PER_CORE", "CR_CORE_DEFAULT_DIST_BLOCK")
            ),
            tree=conf.get("topologyplugin") == "topology/tree",
            tree_optional=conf.get("topologyparam") == "TopoOptional",
        ),
        preempt=PreemptSettings(
            type=preempt,
            mode=tuple(conf.get("preemptmode", "OFF").split(",")),
            exempt_time=seconds(conf.get("preemptexempttime", "0")),
            youngest_first="preempt_youngest_first" in given,
            strict_order="preempt_strict_order" in given,
            reorder_count=int(given.get("preempt_reorder_count", 1)),
        ),
        priority=read_priority(conf),
        enforce_partition_limits=conf.get("enforcepartlimits", "NO"),
        reservation_over_run=int(conf.get("resvoverrun", 0)),
        over_time_limit=int(conf.get("overtimelimit", 0)),
        enforce=tuple(conf.get("accountingstorageenforce", "").split(",")),
        job_defaults=job_defaults(conf),
    )
    for key in ("default_memory_per_cpu", "default_memory_per_node", "max_memory_per_cpu", "max_memory_per_node"):
        value = conf.get(key.replace("default", "def").replace("memory", "mem").replace("_", ""))
        settings[key] = None if value is None else int(value)
    return SlurmSite(**settings)


def settings_of(kind, given, **more):
    fields = {}
    for name in kind.__struct_fields__:
        if name in given:
            usual = getattr(kind(), name)
            fields[name] = given[name] if isinstance(usual, str) else type(usual)(int(given[name]))
    return kind(**(fields | more))


def counted_types(folder):
    """The types of generic resources for which gres.conf has a count, but no files."""
    text = (folder / "gres.conf").read_text() if (folder / "gres.conf").exists() else ""
    return {found[1] for line in text.splitlines() if "File=" not in line for found in re.finditer(r"Type=(\w+)", line)}


def read_devices(folder):
    """The generic resources of which gres.conf names files: name, type, number and cores of each line."""
    text = (folder / "gres.conf").read_text() if (folder / "gres.conf").exists() else ""
    found = []
    for line in (pairs(line) for line in text.splitlines() if "File=" in line):
        low, _, high = re.search(r"(\d+)(-?)(\d*)\]?$", line["file"]).groups()
        first, last = re.fullmatch(r"(\d+)-(\d+)", line["cores"]).groups() if "cores" in line else (1, 0)
        cores = tuple(range(int(first), int(last) + 1))
        found.append(
            GresItem(
                name=line["name"], type=line.get("type", ""), count=int(high or low) - int(low) + 1, cores=cores
            )
        )
    return found


def read_nodes(one, counted, devices=()):
    sockets, cores, threads = (int(one.get(x, 1)) for x in ("sockets", "corespersocket", "threadspercore"))
    gres = []
    for item in filter(None, one.get("gres", "").split(",")):
        parts = item.split(":")
        kind = parts[1] if len(parts) > 2 else ""
        own = [item for item in devices if item.name == parts[0] and item.type == (kind or item.type)]
        if any(item.type or item.cores for item in own):
            gres += own
            continue
        gres.append(GresItem(name=parts[0], type=kind, count=int(parts[-1]), counted=not kind or kind in counted))
    for name in names(one["nodename"]):
        yield SlurmNode(
            name=name,
            cpus=int(one["cpus"]),
            sockets=sockets,
            cores_per_socket=cores,
            threads_per_core=threads,
            memory=int(one["realmemory"]),
            weight=int(one.get("weight", 1)),
            gres=tuple(gres),
            features=tuple(filter(None, one.get("feature", "").split(","))),
            state="IDLE",
        )


def job_defaults(line):
    return {key: int(line[key.lower()]) for key in ("DefCpuPerGPU", "DefMemPerGPU") if key.lower() in line}


def read_partition(one):
    def number(key, default):
        return int(one[key]) if key in one and one[key].isdigit() else default

    sharing, _, count = one.get("oversubscribe", "NO").partition(":")
    return Partition(
        name=one["partitionname"],
        nodes=None if one["nodes"] == "ALL" else names(one["nodes"]),
        default=one.get("default") == "YES",
        default_time=minutes(one["defaulttime"]) if "defaulttime" in one else None,
        max_time=minutes(one["maxtime"]) if "maxtime" in one else None,
        min_nodes=number("minnodes", 0),
        max_nodes=number("maxnodes", None),
        max_cpus_per_node=number("maxcpuspernode", None),
        priority_tier=number("prioritytier", 1),
        priority_job_factor=number("priorityjobfactor", 1),
        over_subscribe=OverSubscribe(sharing),
        share_count=int(count or 4),
        lln=one.get("lln") == "YES",
        exclusive_user=one.get("exclusiveuser") == "YES",
        qos=one.get("qos", ""),
        grace_time=number("gracetime", 0),
        preempt_mode=tuple(one["preemptmode"].split(",")) if "preemptmode" in one else None,
        allow_accounts=tuple(one["allowaccounts"].split(",")) if "allowaccounts" in one else None,
        deny_accounts=tuple(one["denyaccounts"].split(",")) if "denyaccounts" in one else (),
        deny_qos=tuple(one["denyqos"].split(",")) if "denyqos" in one else (),
        allow_qos=tuple(one["allowqos"].split(",")) if "allowqos" in one else None,
        billing_weights=weights(one.get("tresbillingweights")),
        default_memory_per_cpu=number("defmempercpu", None),
        default_memory_per_node=number("defmempernode", None),
        max_memory_per_cpu=number("maxmempercpu", None),
        max_memory_per_node=number("maxmempernode", None),
        job_defaults=job_defaults(one),
    )


def read_switches(path):
    if not path.exists():
        return ()
    return tuple(
        Switch(name=one["switchname"], nodes=names(one.get("nodes")), switches=names(one.get("switches")))
        for one in map(pairs, path.read_text().splitlines())
        if one
    )


def read_priority(conf):
    if conf.get("prioritytype", "priority/basic") != "priority/multifactor":
        return PrioritySettings(multifactor=False)
    fields = dict(
        age="age", assoc="assoc", fairshare="fair_share", jobsize="job_size", partition="partition", qos="qos"
    )
    half_life = conf.get("prioritydecayhalflife", "7-0")
    return PrioritySettings(
        **{f"weight_{name}": int(conf.get(f"priorityweight{key}", 0)) for key, name in fields.items()},
        weight_tres=weights(conf.get("priorityweighttres")),
        max_age=seconds(conf.get("prioritymaxage", "7-0")),
        decay_half_life=0 if half_life == "0" else seconds(half_life),
        calc_period=seconds(conf.get("prioritycalcperiod", "5")),
        favor_small=conf.get("priorityfavorsmall") == "YES",
        usage_reset_period=conf.get("priorityusageresetperiod", "NONE"),
        flags=tuple(filter(None, conf.get("priorityflags", "").split(","))),
        dampening=float(conf.get("fairsharedampeningfactor", 1)),
    )


def read_usage(folder):
    """What was used at the end, as ``show assoc_mgr`` prints it: of (account, user) or a QOS its figures by name."""
    path = folder / "raw" / "assoc_mgr.txt.gz"
    found, figures = {}, {}
    for line in gzip.decompress(path.read_bytes()).decode().splitlines() if path.exists() else ():
        given = pairs(line.replace("UserName= ", "UserName=- "))
        if line.startswith("ClusterName="):
            figures = found[given["account"], given["username"].partition("(")[0].strip("-")] = {}
        elif line.startswith("QOS="):
            figures = found[given["qos"].partition("(")[0]] = {}
        elif line.startswith(("UserName=", "    Account Limits", "    User Limits")):
            figures = {}
        elif "usageraw" in given or "usageraw/norm/efctv" in given or line.strip().startswith("UsageRaw"):
            figures.setdefault("raw", float(line.partition("=")[2].partition("/")[0]))
        if "grpwall" in given:
            figures.setdefault("wall", 60 * float(given["grpwall"].partition("(")[2].strip(")")))
        if "grptresmins" in given:
            counts = re.findall(r"([^,=]+)=[^,(]*\((\d+)\)", given["grptresmins"])
            figures.setdefault("tres", {name: 60 * int(count) for name, count in counts if int(count)})
    return found


LIMITS = {
    "minpriothreshold": "min_priority",
    "grptres": "grp_tres",
    "grptresmins": "grp_tres_mins",
    "grptresrunmins": "grp_tres_run_mins",
    "grpjobs": "grp_jobs",
    "grpjobsaccrue": "grp_jobs_accrue",
    "grpsubmitjobs": "grp_submit_jobs",
    "grpwall": "grp_wall",
    "maxtresperjob": "max_tres_per_job",
    "maxtrespernode": "max_tres_per_node",
    "maxtresmins": "max_tres_mins_per_job",
    "maxtresminsperjob": "max_tres_mins_per_job",
    "maxwall": "max_wall_per_job",
    "maxwalldurationperjob": "max_wall_per_job",
    "maxjobs": "max_jobs",
    "maxjobsaccrue": "max_jobs_accrue",
    "maxsubmitjobs": "max_submit_jobs",
    "maxtresperuser": "max_tres_per_user",
    "maxtresperaccount": "max_tres_per_account",
    "maxjobsperuser": "max_jobs_per_user",
    "maxjobsperaccount": "max_jobs_per_account",
    "maxsubmitjobsperuser": "max_submit_jobs_per_user",
    "maxsubmitjobsperaccount": "max_submit_jobs_per_account",
    "maxjobsaccrueperuser": "max_jobs_accrue_per_user",
    "maxjobsaccrueperaccount": "max_jobs_accrue_per_account",
    "mintresperjob": "min_tres_per_job",
}


QOS_SET = re.compile(r"\bqos([+-]?)=([\w,-]+)")


def with_changes(names, changes):
    """The QOS that may be used, after all that was set (``qos=a,b``), added (``qos+=c``) or taken away (``qos-=d``)."""
    found = list(names)
    for how, text in changes:
        given = text.split(",")
        if how == "":
            found = given
        elif how == "+":
            found += [name for name in given if name not in found]
        else:
            found = [name for name in found if name not in given]
    return tuple(found)


def commands_of(folder):
    """What was done to the cluster, and whether it could be done (``rc``); none where nothing is said."""
    path = folder / "timeline.json"
    return json.loads(path.read_text()) if path.exists() else []


def read_accounts(folder):
    """Associations and QOS of the commands that made them."""
    path = folder / "sacctmgr.txt"
    if not path.exists():
        return (), ()
    accounts, users, qos = {}, {}, {"normal": {"name": "normal"}}
    may_use = {}
    failed = {one["do"].removeprefix("sacctmgr ") for one in commands_of(folder) if one.get("err")}
    for line in path.read_text().splitlines():
        if line in failed:
            continue
        words, given = line.split(), pairs(line)
        if not words:
            continue
        whom = words[2].split(",")
        if words[1] == "qos":
            for name in whom:
                qos.setdefault(name, {"name": name}).update(qos_fields(given, qos.get(name, {})))
        elif words[1] == "account":
            for name in whom:
                one = accounts.setdefault(name, {"account": name, "parent": given.get("parent", "root")})
                one.update(association_fields(given, one))
                may_use.setdefault((name, ""), []).extend(QOS_SET.findall(line))
        elif words[:2] == ["add", "user"]:
            for name in whom:
                for account in sorted(given["account"].split(",")):  # the first of which is the default
                    one = {"account": account, "user": name, "default": name not in {user for _, user in users}}
                    users[account, name] = one | association_fields(given, one)
                    may_use.setdefault((account, name), []).extend(QOS_SET.findall(line))
        else:
            for key, one in users.items():
                if key[1] in whom:
                    one.update(association_fields(given, one))
                    may_use.setdefault(key, []).extend(QOS_SET.findall(line))
    order = read_order(folder / "raw" / "r0-assoc_mgr.txt.gz")
    if not order:
        order = read_order(folder / "raw" / "assoc_mgr.txt.gz")
    top = accounts.pop("root", {}) | {"account": "root", "parent": "", "qos": ("normal",)}
    for name, one in accounts.items():
        one["qos"] = with_changes(("normal",), may_use[name, ""])
    for key, one in users.items():
        one["qos"] = with_changes(accounts[key[0]]["qos"] if key[0] in accounts else ("normal",), may_use[key])
    found = [top, {"account": "root", "user": "root"}, *accounts.values(), *users.values()]
    return (
        tuple(Association(**one, order=order.get((one["account"], one.get("user", "")), 0)) for one in found),
        tuple(Qos(**one) for one in qos.values()),
    )


def unpacked(path):
    with gzip.open(path, "rt") as file:
        return file.read()


def read_order(path):
    if not path.exists():
        return {}
    text = unpacked(path)
    pattern = r"Account=(\S+) UserName=(\S*?)(?:\(\d+\))? Partition=.*\n.*\n.*\n.*Lft=(\d+)"
    return {(m[1], m[2]): int(m[3]) for m in re.finditer(pattern, text)}


def limit_fields(given):
    found = {}
    for key, name in LIMITS.items():
        if key in given:
            value = given[key]
            found[name] = {k: int(v) for k, v in tres(value).items()} if "=" in value else int(value)
            if name == "max_wall_per_job":
                found[name] = minutes(value)
    return found


def merged(limits, given):
    old = {name: getattr(limits, name) for name in Limits.__struct_fields__} if limits else {}
    new = limit_fields(given)
    for name, value in new.items():
        if isinstance(value, dict):  # what else is limited stays
            new[name] = {**old.get(name, {}), **value}
    return Limits(**(old | new))


def association_fields(given, one):
    found = {"limits": merged(one.get("limits"), given)}
    if "fairshare" in given:
        found["shares"] = PARENT if given["fairshare"] == "parent" else int(given["fairshare"])
    if "priority" in given:
        found["priority"] = int(given["priority"])
    if "defaultqos" in given:
        found["default_qos"] = given["defaultqos"]
    return found


def qos_fields(given, one):
    found = {"limits": merged(one.get("limits"), given)}
    for key, name, kind in (
        ("priority", "priority", int),
        ("usagefactor", "usage_factor", float),
        ("gracetime", "grace_time", int),
        ("preempt", "preempt", lambda x: tuple(x.split(","))),
        ("flags", "flags", lambda x: tuple(x.split(","))),
        ("preemptmode", "preempt_mode", lambda x: (x.upper(),)),
        ("preemptexempttime", "preempt_exempt_time", seconds),
        ("usagethreshold", "usage_threshold", float),
        ("limitfactor", "limit_factor", float),
    ):
        if key in given:
            found[name] = kind(given[key])
    return found


SHORT = {
    "-n": "--ntasks",
    "-N": "--nodes",
    "-c": "--cpus-per-task",
    "-d": "--dependency",
    "-t": "--time",
    "-p": "--partition",
    "-C": "--constraint",
    "-L": "--licenses",
    "-w": "--nodelist",
    "-x": "--exclude",
    "-A": "--account",
    "-B": "--extra-node-info",
    "-H": "--hold",
    "-J": "--job-name",
    "-q": "--qos",
}
FLAGS = (
    "--hold",
    "--exclusive",
    "--contiguous",
    "--spread-job",
    "--use-min-nodes",
    "--oversubscribe",
    "--requeue",
    "--no-requeue",
)


def options(args):
    """Options of sbatch by their long names; components of a heterogeneous job apart."""
    found, left = [{}], list(args)
    while left:
        one = left.pop(0)
        if one == ":":
            found.append({})
            continue
        if one.startswith("--"):
            name, _, value = one.partition("=")
        else:
            name, value = SHORT[one[:2]], one[2:]
        if not value and name not in FLAGS:
            value = "100" if name == "--nice" else left.pop(0)
        found[-1][name] = value
    return found


def span(text):
    low, _, high = text.partition("-")
    return int(low), int(high or low)


def gpus_of(text):
    """``2`` or ``tesla:2``."""
    return gres_of(",".join(f"gpu:{one}" for one in filter(None, (text or "").split(","))))


def gres_of(text):
    found = []
    for one in filter(None, (text or "").split(",")):
        parts = one.removeprefix("gres:").split(":")
        count = int(parts.pop()) if parts[-1].isdigit() else 1
        name = parts.pop(0)
        found.append(GresAsk(name=name, count=count, type=parts[0] if parts else ""))
    return tuple(found)


def dependencies(text):
    found = []
    for one in filter(None, re.split(r"[,?]", text or "")):
        kind, *jobs = one.split(":")
        if kind == "singleton":
            found.append(Dependency(kind=kind))
        for job in jobs:
            number, _, wait = job.partition("+")
            found.append(Dependency(kind=kind, job=number, minutes=int(wait or 0)))
    return tuple(found)


def indices(text):
    """Array indices and the limit of tasks at once."""
    listed, _, limit = text.partition("%")
    found = []
    for one in listed.split(","):
        bounds, _, step = one.partition(":")
        low, high = span(bounds)
        found += range(low, high + 1, int(step or 1))
    return tuple(found), int(limit) if limit else None


def ask_of(given, user="", name="", submitted=0):
    """One component's request."""
    low, high = span(given["--nodes"]) if "--nodes" in given else (None, None)

    def number(key):
        return int(given[key]) if key in given else None

    def when(text):
        return relative(text, submitted)

    layout = given.get("--extra-node-info", "").split(":")
    array, limit = indices(given["--array"]) if "--array" in given else (None, None)
    switches, _, wait = given.get("--switches", "").partition("@")
    ways = [one for one in given if one in ("--exclusive", "--oversubscribe")]
    shares = ways[-1:] == ["--oversubscribe"]  # the last of the two counts
    exclusive = None if shares else given.get("--exclusive")
    return JobAsk(
        name=given.get("--job-name", name),
        user=user,
        account=given.get("--account", ""),
        qos=given.get("--qos", ""),
        partitions=tuple(filter(None, given.get("--partition", "").split(","))),
        reservation=given.get("--reservation", ""),
        min_nodes=low,
        max_nodes=high,
        tasks=number("--ntasks"),
        cpus_per_task=number("--cpus-per-task"),
        tasks_per_node=number("--ntasks-per-node"),
        tasks_per_socket=number("--ntasks-per-socket"),
        tasks_per_core=0 if given.get("--hint") == "multithread" else number("--ntasks-per-core"),
        tasks_per_gpu=number("--ntasks-per-gpu"),
        cores_per_socket=int(layout[1]) if layout[1:] and layout[1].isdigit() else number("--cores-per-socket"),
        sockets_per_node=int(layout[0]) if layout[0].isdigit() else number("--sockets-per-node"),
        threads_per_core=1
        if given.get("--hint") in ("nomultithread", "compute_bound", "memory_bound") or layout[2:] == ["1"]
        else number("--threads-per-core"),
        min_cpus_per_node=number("--mincpus"),
        memory_per_node=memory(given["--mem"]) if "--mem" in given else None,
        memory_per_cpu=memory(given["--mem-per-cpu"]) if "--mem-per-cpu" in given else None,
        memory_per_gpu=memory(given["--mem-per-gpu"]) if "--mem-per-gpu" in given else None,
        gres_per_node=gres_of(given.get("--gres")) + gpus_of(given.get("--gpus-per-node")),
        gres_per_job=gpus_of(given.get("--gpus")),
        gres_per_task=gpus_of(given.get("--gpus-per-task")),
        gres_per_socket=gpus_of(given.get("--gpus-per-socket")),
        cpus_per_gpu=number("--cpus-per-gpu"),
        licences={
            x.partition(":")[0]: int(x.partition(":")[2] or 1) for x in given.get("--licenses", "").split(",") if x
        },
        features=given.get("--constraint", "").strip('"'),
        prefer=given.get("--prefer", ""),
        nodes=names(given.get("--nodelist")),
        exclude=names(given.get("--exclude")),
        exclusive=exclusive == "",
        exclusive_user=exclusive == "user",
        over_subscribe=shares,
        contiguous="--contiguous" in given,
        spread="--spread-job" in given,
        use_min_nodes="--use-min-nodes" in given,
        switches=int(switches) if switches else None,
        switch_wait=seconds(wait) if wait else None,
        time_limit=minutes(given["--time"]) if "--time" in given else None,
        time_min=minutes(given["--time-min"]) if "--time-min" in given else None,
        begin=when(given["--begin"]) if "--begin" in given else None,
        deadline=when(given["--deadline"]) if "--deadline" in given else None,
        held="--hold" in given,
        requeue=False if "--no-requeue" in given else None,
        nice=int(given.get("--nice", 0)),
        priority=number("--priority"),
        dependencies=dependencies(given.get("--dependency")),
        any_dependency="?" in given.get("--dependency", ""),
        array=array,
        array_limit=limit,
    )


def relative(text, now):
    match = re.fullmatch(r"now\+(\d+)(minute|hour|day|)s?", text)
    return now + int(match[1]) * {"": 1, "minute": 60, "hour": 3600, "day": 86400}[match[2]]


def read_ask(job):
    """The request of a submission in jobs.json."""
    args = [part for arg in job["sbatch"] for part in shlex.split(arg)]
    first, *others = options(args)
    when = int(job["submit_wall"])
    ask = ask_of(first, job["user"], job["tag"], when)
    if others:
        import msgspec

        ask = msgspec.structs.replace(
            ask, components=tuple(ask_of(one, job["user"], job["tag"], when) for one in others)
        )
    return ask


def read_json(folder: Path, name):
    return json.loads((folder / name).read_text())


def log_of(folder):
    with gzip.open(folder / "raw" / "ctld.log.gz", "rt", errors="replace") as file:
        return file.read().splitlines()


def read_reservations(folder):
    """Reservations as scontrol showed them at the end."""
    path = folder / "raw" / "scontrol-reservation.txt.gz"
    if not path.exists():
        return ()
    found = []
    for block in re.split(r"\n\s*\n", unpacked(path)):
        given = pairs(block)
        if "reservationname" in given:
            found.append(
                Reservation(
                    name=given["reservationname"],
                    start=int(given["starttime"]),
                    end=int(given["endtime"]),
                    nodes=names(given["nodes"]),
                    users=tuple(given.get("users", "").replace("(null)", "").split(",")),
                    accounts=tuple(filter(None, given.get("accounts", "").replace("(null)", "").split(","))),
                    flags=tuple(given.get("flags", "").split(",")),
                    partition=given.get("partitionname", "").replace("(null)", ""),
                )
            )
    return tuple(found)
