"""The script that extracts from a Slurm site what its twin needs: to be read before it is run."""

import shlex
from typing import Final

from windtunnel.diagnostics import UsageError
from windtunnel.formats.slurm.submit_line import LONE_OPTIONS, SHORT_OPTIONS
from windtunnel.twin.sacct_dates import check_period

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
for command in scontrol sacctmgr sacct{python}; do
    command -v "$command" > /dev/null || {{ echo "$command is not here: run this where it works" >&2; exit 1; }}
done
folder={folder}
mkdir -p "$folder"
export SLURM_TIME_FORMAT=%Y-%m-%dT%H:%M:%S%z

config=$(scontrol show config)
conf=$(printf '%s\\n' "$config" | sed -n 's/^SLURM_CONF *= *//p')
cluster=$(printf '%s\\n' "$config" | sed -n 's/^ClusterName *= *//p')
etc=$(dirname "$conf")
if [ "$(cd "$folder" && pwd -P)" = "$(cd "$etc" && pwd -P)" ]; then
    echo "$folder is where Slurm's own configuration is: choose another --folder" >&2
    exit 1
fi
bring() {{ # a file, afresh
    cat "$1" > "$2.new"
    mv -f "$2.new" "$2"
}}
brought=$folder/.brought # which copies are of which files
: > "$brought"
include='^[[:space:]]*[Ii][Nn][Cc][Ll][Uu][Dd][Ee][[:space:]][[:space:]]*'
included() {{ # what a file includes comes along, beside it; so does what that includes
    sed -n "s/$include//p" "$1" | sed "s/[[:space:]]*#.*//; s/%c/$cluster/g" | while read -r name; do
        case $name in /*) from=$name ;; *) from=$etc/$name ;; esac
        copy=$folder/$(basename "$name")
        if grep -F "$copy=" "$brought" | grep -qvxF "$copy=$from"; then
            echo "$from is included, and so is another file of that name: it is left out" >&2
        elif [ -r "$from" ] && [ "$2" -lt 9 ]; then
            bring "$from" "$copy"
            printf '%s\\n' "$copy=$from" >> "$brought"
            included "$copy" $(($2 + 1))
        else
            echo "$from is included, and cannot be read: it is left out" >&2
        fi
    done
    sed "/$include/s/%c/$cluster/g; s|\\($include\\)[^#]*/|\\1|" "$1" > "$1.new"
    mv -f "$1.new" "$1"
}}
for name in slurm.conf gres.conf topology.conf topology.yaml; do
    if [ -r "$etc/$name" ]; then bring "$etc/$name" "$folder/$name"; fi
done
if [ -r "$folder/slurm.conf" ]; then
    included "$folder/slurm.conf" 0
    site=slurm.conf
else # the daemon tells most of it, too
    scontrol -o show partition > "$folder/scontrol-partition.txt"
    printf '%s\\n' "$config" > "$folder/scontrol-config.txt"
    rm -f "$folder/slurm.conf"
    site=scontrol-node.txt
fi
rm -f "$brought"
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


def read(path):  # whatever the locale
    return path.read_bytes().decode("utf-8", "surrogateescape")


def write(path, text):
    path.write_bytes(text.encode("utf-8", "surrogateescape"))


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
    if kind == "state":  # CANCELLED by a user, of whom it gives the number
        return name.partition(" by ")[0]
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
        if name in KEPT and not (name in ("nodelist", "exclude") and "/" in value):  # a file, of somebody
            found.append(shlex.quote("--" + name + equals + value))
    return " ".join(found)


LOOKS = dict.fromkeys(("Submit", "Eligible", "Start", "End"), r"(?:\\d{4}-[^|]*|\\d+|Unknown|None|N/A|)")
LOOKS.update(JobID=r"\\d[^|]*", State=r"[A-Z_]+[+]?(?: by [^|]*)?", JobName=".*?", Constraints=".*?")


def parted(line, head):
    # names, constraints and submit lines may hold what stands between fields
    for last in (r"(?:(?:[^\\s|]*/)?(?:sbatch|srun|salloc)(?:\\s.*)?|)", ".*"):
        looks = dict(LOOKS, SubmitLine=last)
        found = re.fullmatch("[|]".join("(" + looks.get(name, "[^|]*") + ")" for name in head), line)
        if found:
            return found.groups()
    return None


def table(file, columns):
    path = folder / file
    lines = read(path).rstrip("\\n").split("\\n")
    head = lines[0].split("|")
    rows, lost = [lines[0]], 0
    for line in lines[1:]:
        fields = parted(line, head) or line.endswith("|") and parted(line[:-1], head)
        if fields:
            fields = [changed(columns[name], text) if name in columns else text for name, text in zip(head, fields)]
            rows.append("|".join(fields))
        elif line.count("|") >= len(head) - 1:  # a line with fewer is the rest of a submit line
            lost += 1
    write(path, "\\n".join(rows) + "\\n")
    if lost:
        print(f"{path}: lines that are not as Slurm prints them, omitted: {lost}", file=sys.stderr)


JOBS = {"User": "u", "Account": "a", "JobName": "j", "Reservation": "r", "State": "state", "SubmitLine": "line"}
table("jobs.txt", JOBS)
table("sacctmgr-assoc.txt", {"User": "u", "Account": "a", "ParentName": "a"})


def listed(kind):
    return lambda found: found[1] + ",".join(one(kind, name.strip()) for name in found[2].strip('"').split(","))


def one(kind, name):
    if name in ("ALL", "(null)"):
        return name
    return "-" + other(kind, name[1:]) if name.startswith("-") else other(kind, name)  # -ann: all but her


VALUE = r"(\\"[^\\"\\n]*\\"|[^\\s#]+)"


def confs(path, left=9):
    # a file and those that it includes, which are beside it
    if path.exists() and left:
        yield path
        for name in re.findall(r"(?im)^\\s*include\\s+([^\\s#]+)", read(path)):
            yield from confs(folder / name, left - 1)


for conf in {*folder.glob("*.conf"), *confs(folder / "slurm.conf"), *confs(folder / "scontrol-partition.txt")}:
    text = re.sub(r"#.*", "", read(conf))  # comments may name anybody
    text = re.sub(r"(?i)\\b(\\w*Pass[ \\t]*=[ \\t]*)" + VALUE, r"\\1", text)
    text = re.sub(r"(?i)((?:Allow|Deny)Accounts[ \\t]*=[ \\t]*)" + VALUE, listed("a"), text)
    write(conf, re.sub(r"(?i)(AllowGroups[ \\t]*=[ \\t]*)" + VALUE, listed("g"), text))
path = folder / "scontrol-reservation.txt"
text = read(path)
for kind, key_of in (("r", "ReservationName"), ("u", "Users"), ("g", "Groups"), ("a", "Accounts")):
    text = re.sub(r"(\\b" + key_of + r"=)(\\S+)", listed(kind), text)
write(path, re.sub(r"(?m)[ \\t]*\\bComment=.*$", "", text))
# Reasons of drains, comments and the names of daemons may name people.
nodes = folder / "scontrol-node.txt"
if (folder / "slurm.conf").exists():
    nodes.unlink()
else:
    told = r"(?m) (?:Reason|Comment|Extra|Owner|OS)=.*?(?= [A-Z]\\w*=|$)"
    write(nodes, re.sub(told, "", read(nodes)))
    config = folder / "scontrol-config.txt"
    lines = [line for line in read(config).split("\\n") if line.startswith(SETTINGS)]
    write(config, "\\n".join(lines) + "\\n")
END
"""
_TAIL: Final = """
echo windtunnel calibrate {shown}"/$site" {shown}/jobs.txt
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

    Raises:
        UsageError: sacct does not read the dates, or the folder has no name for one.
    """
    start, end = check_period(start, end)
    if not folder or folder.startswith("-") or not folder.isprintable():
        raise UsageError(f"--folder: {folder!r} cannot be the name of a folder", "such as site")
    head = _HEAD.format(
        folder=shlex.quote(folder),
        start=shlex.quote(start),
        end=shlex.quote(end),
        fields=_FIELDS,
        python=" python3" * anonymous,
    )
    tail = _TAIL.format(shown=shlex.quote(shlex.quote(folder)))
    if not anonymous:
        return head + tail
    words = {"{kept}": str(_KEPT), "{alone}": str(sorted(LONE_OPTIONS)), "{short}": str(SHORT_OPTIONS)}
    changing = _ANONYMOUS
    for word, text in words.items():
        changing = changing.replace(word, text)
    return head + changing + tail
