"""The script that extracts from a Slurm site what its twin needs: to be read before it is run."""

import shlex
from typing import Final

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
for name in slurm.conf gres.conf topology.conf; do
    if [ -r "$(dirname "$conf")/$name" ]; then cp "$(dirname "$conf")/$name" "$folder/$name"; fi
done
cluster=$(scontrol show config | sed -n 's/^ClusterName *= *//p')
sacctmgr -P show assoc where cluster="$cluster" \\
    format=Cluster,Account,ParentName,User,Partition,Share,Priority,GrpJobs,GrpTRES,GrpSubmit,GrpWall,GrpTRESMins,\\
GrpTRESRunMins,MaxJobs,MaxTRES,MaxTRESPerNode,MaxSubmit,MaxWall,MaxTRESMins,QOS,DefaultQOS \\
    > "$folder/sacctmgr-assoc.txt"
sacctmgr -P show qos > "$folder/sacctmgr-qos.txt"
scontrol show reservation > "$folder/scontrol-reservation.txt"
scontrol -o show node > "$folder/scontrol-node.txt"
sacct -a -X -D -P -S {start} -E {end} --format={fields} > "$folder/jobs.txt"
"""
_ANONYMOUS: Final = """
# Names of users, accounts and jobs become letters and numbers. The key stays in $folder/key.txt: do not give it away.
python3 - "$folder" <<'END'
import hashlib, pathlib, re, secrets, sys

folder = pathlib.Path(sys.argv[1])
kept = folder / "key.txt"
if not kept.exists():
    kept.write_text(secrets.token_hex(16))
key = kept.read_text().strip()


def other(kind, name):
    if name in ("", "root", "normal"):
        return name
    return kind + hashlib.sha256((key + kind + name).encode()).hexdigest()[:8]


def table(file, columns):
    path = folder / file
    lines = path.read_text().splitlines()
    head = lines[0].split("|")
    rows = [lines[0]]
    for line in lines[1:]:
        fields = line.split("|")
        if len(fields) == len(head):
            fields = [other(columns[name], text) if name in columns else text for name, text in zip(head, fields)]
            rows.append("|".join(fields))
    path.write_text("\\n".join(rows) + "\\n")


table("jobs.txt", {"User": "u", "Account": "a", "JobName": "j"})
table("sacctmgr-assoc.txt", {"User": "u", "Account": "a", "ParentName": "a"})


def listed(kind):
    return lambda found: found[1] + ",".join(
        name if name in ("ALL", "(null)") else other(kind, name) for name in found[2].split(",")
    )


conf = folder / "slurm.conf"
if conf.exists():
    conf.write_text(re.sub(r"(?i)((?:Allow|Deny)Accounts=)([^\\s#]+)", listed("a"), conf.read_text()))
path = folder / "scontrol-reservation.txt"
text = re.sub(r"(Users=)(\\S+)", listed("u"), path.read_text())
path.write_text(re.sub(r"(Accounts=)(\\S+)", listed("a"), text))
(folder / "scontrol-node.txt").unlink()  # reasons of drains may name people
END
"""
_TAIL: Final = """
echo "windtunnel calibrate $folder/slurm.conf $folder/jobs.txt"
"""


def script(*, start: str, end: str, folder: str = "site", anonymous: bool = False) -> str:
    """The text of the script.

    Args:
        start: from when on jobs are extracted, as sacct understands it (2024-01-01, now-30days).
        end: until when.
        folder: where it writes.
        anonymous: whether users, accounts and names of jobs are replaced, under a key that stays with the site.
    """
    head = _HEAD.format(folder=shlex.quote(folder), start=shlex.quote(start), end=shlex.quote(end), fields=_FIELDS)
    return head + (_ANONYMOUS if anonymous else "") + _TAIL
