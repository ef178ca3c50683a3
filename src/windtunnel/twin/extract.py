"""The script that extracts from a Slurm site what its twin needs: to be read before it is run."""

import shlex
from typing import Final

from windtunnel.formats.slurm.submit_line import LONE_OPTIONS, SHORT_OPTIONS

__all__ = ["script"]

_FIELDS: Final = (
    "JobID,JobIDRaw,JobName,User,Account,Partition,QOS,State,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,"
    "ReqCPUS,AllocCPUS,ReqNodes,NNodes,ReqMem,ReqTRES,AllocTRES,NodeList,Priority,Reservation,Constraints,Reason,Flags"
)
_HEAD: Final = """\
#!/bin/sh
# Reads from Slurm what a simulation of this site needs, and writes it below {folder}/. Nothing is changed, and
# nothing is sent anywhere. Read it, then run it where sacct and scontrol work, as a user who may see all jobs.
set -eu
umask 077
folder={folder}
mkdir -p "$folder"
export SLURM_TIME_FORMAT=%Y-%m-%dT%H:%M:%S%z

conf=$(scontrol show config | sed -n 's/^SLURM_CONF *= *//p')
etc=$(dirname "$conf")
for name in slurm.conf gres.conf topology.conf topology.yaml; do
    if [ -r "$etc/$name" ]; then cp "$etc/$name" "$folder/$name"; fi
done
if [ -r "$folder/slurm.conf" ]; then # what it includes comes along, beside it
    include='^[[:space:]]*[Ii][Nn][Cc][Ll][Uu][Dd][Ee][[:space:]][[:space:]]*'
    sed -n "s/$include//p" "$folder/slurm.conf" | while read -r name; do
        case $name in /*) from=$name ;; *) from=$etc/$name ;; esac
        if [ -r "$from" ]; then cp "$from" "$folder/$(basename "$name")"; fi
    done
    sed "s|\\($include\\).*/|\\1|" "$folder/slurm.conf" > "$folder/slurm.conf.new"
    mv "$folder/slurm.conf.new" "$folder/slurm.conf"
    site=slurm.conf
else # the daemon tells most of it, too
    scontrol -o show partition > "$folder/scontrol-partition.txt"
    scontrol show config > "$folder/scontrol-config.txt"
    site=scontrol-node.txt
fi
cluster=$(scontrol show config | sed -n 's/^ClusterName *= *//p')
sacctmgr -P show assoc where cluster="$cluster" \\
    format=Cluster,Account,ParentName,User,Partition,Share,Priority,GrpJobs,GrpTRES,GrpSubmit,GrpWall,GrpTRESMins,\\
GrpTRESRunMins,MaxJobs,MaxTRES,MaxTRESPerNode,MaxSubmit,MaxWall,MaxTRESMins,QOS,DefaultQOS \\
    > "$folder/sacctmgr-assoc.txt"
sacctmgr -P show qos > "$folder/sacctmgr-qos.txt"
scontrol show reservation > "$folder/scontrol-reservation.txt"
scontrol -o show node > "$folder/scontrol-node.txt"
fields={fields}
# Dependencies, --exclusive and the like stand in submit lines only.
if sacct --helpformat | grep -qw SubmitLine; then fields=$fields,SubmitLine; fi
sacct -a -X -D -P -S {start} -E {end} --format="$fields" > "$folder/jobs.txt"
"""
_ANONYMOUS: Final = """
# Names of users, accounts and jobs become letters and numbers. The key stays in $folder/key.txt: do not give it away.
python3 - "$folder" <<'END'
import hashlib, pathlib, re, secrets, shlex, sys

folder = pathlib.Path(sys.argv[1])
kept = folder / "key.txt"
if not kept.exists():
    kept.write_text(secrets.token_hex(16))
key = kept.read_text().strip()


KEPT = {kept}
ALONE = {alone}
SHORT = {short}
SETTINGS = (
    "AccountingStorageE", "AccountingStorageT", "Cluster", "Def", "EnforcePart", "FairShare", "Gres", "JobRequeue",
    "Licenses", "Max", "OverTime", "Preempt", "Priority", "Sched", "Select", "Topology",
)


def other(kind, name):
    if name in ("", "root", "normal"):
        return name
    return kind + hashlib.sha256((key + kind + name).encode()).hexdigest()[:8]


def changed(kind, name):
    return options(name) if kind == "line" else other(kind, name)


def options(line):
    # of a submit line only the options that say where and when a job may run
    try:
        words = shlex.split(line)
    except ValueError:
        return ""
    if not words or words[0].rpartition("/")[2] not in ("sbatch", "salloc", "srun"):
        return ""
    found, rest = [words[0].rpartition("/")[2]], iter(words[1:])
    for word in rest:
        if word == ":":
            found.append(word)
            continue
        if not word.startswith("-") or word in ("-", "--") or word.split("=")[0] == "--wrap":
            break
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
        else:
            name, equals, value = SHORT.get(word[1], word[1]), "=" if word[2:] else "", word[2:].lstrip("=")
        if not equals and name not in ALONE:
            equals, value = "=", next(rest, "")
        if name in KEPT:
            found.append(shlex.quote("--" + name + equals + value))
    return " ".join(found)


def table(file, columns):
    path = folder / file
    lines = path.read_text().splitlines()
    head = lines[0].split("|")
    rows = [lines[0]]
    for line in lines[1:]:
        fields = line.split("|", len(head) - 1) if head[-1] == "SubmitLine" else line.split("|")
        if len(fields) == len(head):  # a line with fewer is the rest of a submit line
            fields = [changed(columns[name], text) if name in columns else text for name, text in zip(head, fields)]
            rows.append("|".join(fields))
    path.write_text("\\n".join(rows) + "\\n")


table("jobs.txt", {"User": "u", "Account": "a", "JobName": "j", "SubmitLine": "line"})
table("sacctmgr-assoc.txt", {"User": "u", "Account": "a", "ParentName": "a"})


def listed(kind):
    return lambda found: found[1] + ",".join(
        name if name in ("ALL", "(null)") else other(kind, name) for name in found[2].split(",")
    )


for conf in (*folder.glob("*.conf"), folder / "scontrol-partition.txt"):
    if conf.exists():
        conf.write_text(re.sub(r"(?i)((?:Allow|Deny)Accounts=)([^\\s#]+)", listed("a"), conf.read_text()))
path = folder / "scontrol-reservation.txt"
text = re.sub(r"(Users=)(\\S+)", listed("u"), path.read_text())
path.write_text(re.sub(r"(Accounts=)(\\S+)", listed("a"), text))
# Reasons of drains, comments and the names of daemons may name people.
nodes = folder / "scontrol-node.txt"
if (folder / "slurm.conf").exists():
    nodes.unlink()
else:
    told = r"(?m) (?:Reason|Comment|Extra|Owner|OS)=.*?(?= [A-Z]\\w*=|$)"
    nodes.write_text(re.sub(told, "", nodes.read_text()))
    config = folder / "scontrol-config.txt"
    lines = [line for line in config.read_text().splitlines() if line.startswith(SETTINGS)]
    config.write_text("\\n".join(lines) + "\\n")
END
"""
_TAIL: Final = """
echo "windtunnel calibrate $folder/$site $folder/jobs.txt"
"""
_KEPT: Final = [
    "array",
    "contiguous",
    "cores-per-socket",
    "cpus-per-gpu",
    "cpus-per-task",
    "deadline",
    "dependency",
    "distribution",
    "exclude",
    "exclusive",
    "extra-node-info",
    "gpus",
    "gpus-per-node",
    "gpus-per-socket",
    "gpus-per-task",
    "gres",
    "hint",
    "hold",
    "mem",
    "mem-per-cpu",
    "mem-per-gpu",
    "mincpus",
    "nice",
    "no-requeue",
    "nodelist",
    "nodes",
    "ntasks",
    "ntasks-per-core",
    "ntasks-per-gpu",
    "ntasks-per-node",
    "ntasks-per-socket",
    "oversubscribe",
    "prefer",
    "requeue",
    "sockets-per-node",
    "spread-job",
    "switches",
    "threads-per-core",
    "time-min",
    "use-min-nodes",
]
"""Options of submit lines that name nobody."""


def script(*, start: str, end: str, folder: str = "site", anonymous: bool = False) -> str:
    """The text of the script.

    Args:
        start: from when on jobs are extracted, as sacct understands it (2024-01-01, now-30days).
        end: until when.
        folder: where it writes.
        anonymous: whether users, accounts and names of jobs are replaced, under a key that stays with the site.
    """
    head = _HEAD.format(folder=shlex.quote(folder), start=shlex.quote(start), end=shlex.quote(end), fields=_FIELDS)
    if not anonymous:
        return head + _TAIL
    words = {"{kept}": str(_KEPT), "{alone}": str(sorted(LONE_OPTIONS)), "{short}": str(SHORT_OPTIONS)}
    changing = _ANONYMOUS
    for word, text in words.items():
        changing = changing.replace(word, text)
    return head + changing + _TAIL
