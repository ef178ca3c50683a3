"""Makes the log of the bundled site ``example:slurm``: python examples/make_slurm_site.py

5,000 jobs of four weeks, drawn with a fixed seed; when and where they ran was found by simulating each partition
under EASY backfilling. The log is written over src/windtunnel/examples/slurm_site/jobs.txt.gz, the same each time.
"""

import gzip
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec.structs import replace

from windtunnel.api import simulate
from windtunnel.formats.registry import read_platform, read_workload

SITE = Path(__file__).parents[1] / "src/windtunnel/examples/slurm_site"
START = 1709510400  # Monday, 4 March 2024, UTC
JOBS = 5000
GROUPS = {"physics": ("ada", "bo", "cleo"), "biology": ("dan", "eve", "finn"),
          "chemistry": ("gus", "hana", "ines"), "teaching": ("jo", "kim", "lena")}  # fmt: skip
HEAD = (
    "JobID|User|Account|Partition|QOS|State|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|ReqNodes|"
    "ReqMem|ReqTRES|NodeList|Constraints"
)


def iso(seconds: int) -> str:
    """A date as sacct prints it."""
    return datetime.fromtimestamp(START + seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def draw() -> Iterator[dict[str, Any]]:
    """Jobs as they are submitted: busy days, calm nights and weekends."""
    chance = random.Random(2024)
    moments = []
    while len(moments) < JOBS:
        moment = chance.uniform(0, 28 * 86400)
        hour, day = moment // 3600 % 24, moment // 86400 % 7
        if chance.random() < (1.0 if 8 <= hour < 18 else 0.35) * (1.0 if day < 5 else 0.4):
            moments.append(int(moment))
    for number, moment in enumerate(sorted(moments), 1001):
        account = chance.choices(list(GROUPS), (40, 30, 20, 10))[0]
        gpus = chance.choice((1, 1, 2, 4)) if chance.random() < 0.15 else 0
        nodes = 1 if gpus else chance.choices((1, 2, 4, 8), (80, 10, 7, 3))[0]
        cpus = gpus * 4 or (nodes * 16 if nodes > 1 else chance.choice((1, 1, 2, 4, 8, 16)))
        long = nodes == 1 and not gpus and chance.random() < 0.05
        run = min(170000 if long else 80000, int(chance.lognormvariate(9.6 if long else 8.2, 1.3)) + 20)
        limit = next(
            one for one in (60, 240, 720, 1440, 2880) if one * 60 > run * chance.uniform(1.0, 2.0) or one == 2880
        )
        limit = min(limit, 1440) if gpus else limit
        user = chance.choice(GROUPS[account])
        urgent = not long and limit <= 240 and chance.random() < 0.04 and cpus <= 64
        yield {
            "id": number, "user": user, "account": account, "submit": moment, "run": run,
            "partition": "gpu" if gpus else "batch", "cpus": cpus, "nodes": nodes, "gpus": gpus, "limit": limit,
            "qos": "long" if long else "urgent" if urgent else "normal",
        }  # fmt: skip


def row(job: dict[str, Any], waited: int = 0, nodes: str = "") -> str:
    """A line of the log."""
    start = job["submit"] + waited
    tres = f"billing={job['cpus']},cpu={job['cpus']},mem={job['cpus'] * 3000}M,node={job['nodes']}"
    tres += f",gres/gpu={job['gpus']}" if job["gpus"] else ""
    fields = [job["id"], job["user"], job["account"], job["partition"], job["qos"], "COMPLETED", iso(job["submit"])]
    fields += [iso(job["submit"]), iso(start), iso(start + job["run"]), job["run"], job["limit"], job["cpus"]]
    fields += [job["nodes"], f"{job['cpus'] * 3000}M", tres, nodes, "gpu" if job["gpus"] else ""]
    return "|".join(map(str, fields))


def placed(site: Path, jobs: list[dict[str, Any]], partition: str) -> Iterator[tuple[dict[str, Any], int, str]]:
    """When the jobs of a partition start, and on which nodes."""
    platform = replace(read_platform(site / "slurm.conf", partition=partition), site=None)  # without Slurm's limits
    with TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        log.write_text("\n".join([HEAD, *map(row, jobs)]) + "\n")
        run = simulate(platform, read_workload(log), "easy")
    first = min(job["submit"] for job in jobs)
    known = {str(job["id"]): job for job in jobs}
    for name, submitted, waited, hosts in run.jobs.select(
        "job_id", "submission_time", "waiting_time", "allocated_resources"
    ).iter_rows():
        job = known[name]
        assert submitted + first == job["submit"]
        spans = [part.partition("-") for part in str(hosts).split()]
        numbers = [number for low, _, high in spans for number in range(int(low), int(high or low) + 1)]
        yield job, int(waited), ",".join(platform.hosts[number].name for number in numbers)


def main(site: Path = SITE) -> None:
    """Write the log beside the configuration of the site."""
    jobs = list(draw())
    made = [
        one for part in ("batch", "gpu") for one in placed(site, [j for j in jobs if j["partition"] == part], part)
    ]
    made.sort(key=lambda one: one[0]["id"])
    text = "\n".join([HEAD, *(row(*one) for one in made)]) + "\n"
    (site / "jobs.txt.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{len(made)} jobs")


if __name__ == "__main__":
    main()
