"""Every recorded priority of the real Slurm, recomputed from its inputs: integers equal, factors as printed."""

import math
import re
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from shared import cases
from slurm_recorded import log_of, read_ask, read_json, read_site, tres
from slurm_replay import stamp
from windtunnel.schedulers.slurm.jobs.demand import Demand, time_limit
from windtunnel.schedulers.slurm.jobs.priority import Ranking
from windtunnel.schedulers.slurm.shares.fair_share import FairTree
from windtunnel.schedulers.slurm.shares.resets import Resets
from windtunnel.schedulers.slurm.shares.tree import AccountTree
from windtunnel.schedulers.slurm.shares.usage import Spending, UsageLedger, billing

pytestmark = pytest.mark.golden
SSHARE, SPRIO = 5.1e-7, 5.1e-8
"""Half of the last printed digit (sshare prints 6 digits after the point, sprio -n 7)."""


class Recorded:
    """One case, with the ledger of usage brought from instant to instant."""

    def __init__(self, folder):
        self.site = read_site(folder)
        self.outcome = read_json(folder, "outcome.json")
        self.asks = {
            str(job["jobid"]): (read_ask(job), job) for job in read_json(folder, "jobs.json") if job["jobid"]
        }
        flags = self.site.priority.flags
        self.tree = AccountTree(self.site.associations, not {"NO_FAIR_TREE", "DEPTH_OBLIVIOUS"} & set(flags))
        loaded = read_json(folder, "usage.json")
        for account, user, value in loaded["raw_usage"]:
            self.tree.find(account, user).usage = float(value)
        self.tree.sum_usage()
        self.loaded_at = loaded["loaded_at"]
        zone = loaded.get("tz", "UTC")  # of the daemon, and of its log
        shift = datetime.fromtimestamp(self.loaded_at, ZoneInfo(zone)).utcoffset().total_seconds()
        self.ticks = []
        for when, text in self.outcome["decay_ticks"]:
            match = re.search(r"over ([\d.e+-]+) seconds", str(text))
            self.ticks.append((when - shift, float(match[1]) if match else float(text)))
        first = int(self.ticks[0][0] - self.ticks[0][1]) if self.ticks else self.loaded_at
        self.ledger = UsageLedger(self.tree, self.site.priority, first)
        if self.ledger.resets.period:
            last = loaded.get("last_reset") or self.loaded_at
            self.ledger.resets = Resets(self.ledger.resets.period, zone, last)
        self.ledger.no_decay = frozenset(one.name for one in self.site.qos if one.has("NoDecay"))
        totals = {
            part.name: {
                "cpu": sum(node.cpus for node in self.site.nodes if part.holds(node)),
                "mem": sum(node.memory for node in self.site.nodes if part.holds(node)),
                "node": sum(part.holds(node) for node in self.site.nodes),
                "gres/gpu": sum(item.count for node in self.site.nodes if part.holds(node) for item in node.gres),
            }
            for part in self.site.partitions
        }
        self.ranking = Ranking(self.site, self.tree, totals)
        completed = re.compile(r"_job_complete: JobId=(\d+) done")
        lines = log_of(folder) if (folder / "raw" / "ctld.log.gz").exists() else ()
        self.completed = {found[1]: stamp(line) - shift for line in lines if (found := completed.search(line))}
        """When jobs ended, to parts of a second: a round of the decay thread may come in the same one."""
        self.running = [self.spending(job) for job in self.outcome["instants"][-1]["jobs"] if self.ran(job)]
        self.done = 0

    @staticmethod
    def ran(job):
        return job["JobName"].startswith("live") and isinstance(job["StartTime"], int)

    def spending(self, job):
        weights = self.site.partition(job["Partition"]).billing_weights
        qos = next(one for one in self.site.qos if one.name == job["QOS"])
        rate = billing(tres(job["TRES"]), weights, "MAX_TRES" in self.site.priority.flags)
        member = self.tree.find(job["Account"], job["UserId"])
        when = self.completed.get(job["JobId"], job["EndTime"])
        spending = Spending(member, (job["QOS"],), job["StartTime"], rate, qos.usage_factor, {})
        return when, job["EndTime"], spending, job["JobId"]

    def advance(self, instant):
        """All ticks and ends of jobs up to an instant."""
        while self.done < len(self.ticks) and self.ticks[self.done][0] <= instant["t_sshare"] + 0.2:
            when, over = self.ticks[self.done]
            self.ends(when)
            if when <= self.loaded_at + 20:  # the daemon has just been started
                if self.ledger.resets.over(int(when)):
                    self.ledger.reset()
                    self.ledger.shares.tick()
                self.ledger.restart(over)
                self.ledger.last = int(when)
            else:
                self.round(instant, when)
            self.done += 1
        self.ends(instant["t_sshare"])

    def round(self, instant, when):
        """A round of the decay thread.

        Jobs that run are charged, and those that wait ranked: in one pass over all of them, or (fair tree) all of the
        first before any of the others.
        """
        ledger = self.ledger
        running = {key: job for *_, job, key in self.running if job.start < when}
        waiting = [job for job in instant["jobs"] if job["JobId"] in self.asks and job["SubmitTime"] <= when]
        ledger.open_round(int(when))
        if not ledger.one_pass:
            for job in running.values():
                ledger.charge(job, int(when))
            ledger.close_round(int(when))
        for job in sorted(waiting, key=lambda one: int(one["JobId"])):
            if job["JobId"] in running and ledger.one_pass:
                ledger.charge(running[job["JobId"]], int(when))
            elif job["JobState"] == "PENDING":
                ledger.fair_share(self.tree.find(job["Account"], job["UserId"]))
        if ledger.one_pass:
            ledger.close_round(int(when))

    def ends(self, now):
        for _, end, job, _ in [one for one in self.running if one[0] <= now]:
            self.ledger.end(job, end)
        self.running = [one for one in self.running if one[0] > now]

    def seen(self, instant):
        """The instant at which the daemon last computed a priority, of a job submitted then."""
        last = [int(when) for when, _ in self.ticks if when <= instant["t_sprio"]]
        return lambda submitted: max(last[-1], submitted) if last else submitted


OWN = sorted(one for one in (Path(__file__).parent / "priorities").iterdir() if one.is_dir())
FOLDERS = [*cases("golden/slurm/priority"), *OWN]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_priorities_and_shares_are_those_recorded(folder):
    case = Recorded(folder)
    compared = 0
    for instant in case.outcome["instants"]:
        case.advance(instant)
        for row in instant["sshare"]:
            compare_share(case, row)
        jobs = {job["JobId"]: job for job in instant["jobs"]}
        for row, normal in zip(instant["sprio"], instant["sprio_norm"], strict=True):
            if row["JOBID"] == normal["JOBID"] and row["JOBID"] in case.asks:
                compared += compare_priority(case, row, normal, jobs[row["JOBID"]], case.seen(instant))
    assert compared


def compare_share(case, row):
    member = case.tree.find(row["Account"], row["User"]) if row["User"] else case.tree.accounts[row["Account"]]
    if member is case.tree.root:
        return
    factor = case.ledger.fair_share(member)  # users are computed when asked for
    if isinstance(case.ledger.shares, FairTree):
        case.ledger.shares.rank()
        assert not member.user or factor == member.fair_share
        case.tree.sum_usage()  # with what has ended since the tick
    assert int(float(row["RawUsage"])) == int(member.usage)
    if row["NormShares"]:
        assert float(row["NormShares"]) == pytest.approx(member.norm_shares, abs=SSHARE)
    if row["NormUsage"]:
        assert float(row["NormUsage"]) == pytest.approx(member.norm_usage, abs=SSHARE)
    if row["EffectvUsage"]:
        assert float(row["EffectvUsage"]) == pytest.approx(member.effective, abs=SSHARE)
    fair_tree = isinstance(case.ledger.shares, FairTree)
    if not fair_tree and member.user and member.follows_parent and member.norm_shares:
        # sshare shows what his own usage would give, where that of his account counts (which is that of the root)
        factor = 2.0 ** (-member.effective / member.norm_shares / case.site.priority.dampening)
    if row["FairShare"] and (member.user or not fair_tree):
        assert float(row["FairShare"]) == pytest.approx(factor, abs=SSHARE)
    if row.get("LevelFS") and member.level_fair_share < 4e9:
        assert float(row["LevelFS"]) == pytest.approx(member.level_fair_share, abs=SSHARE)
    elif row.get("LevelFS"):
        assert math.isinf(float(row["LevelFS"])) == math.isinf(member.level_fair_share)


def compare_priority(case, row, normal, job, seen):
    ask, submission = case.asks[row["JOBID"]]
    if submission.get("direct"):
        return 0
    partition = case.site.partition(row["PARTITION"])
    qos = next(one for one in case.site.qos if one.name == job["QOS"])
    member = case.tree.find(job["Account"], job["UserId"])
    demand = Demand(ask, partition, case.site)
    age = seen(job["SubmitTime"]) - job["AccrueTime"] if isinstance(job["AccrueTime"], int) else 0
    first = case.site.partition(job["Partition"].split(",")[0])
    found = case.ranking.factors(
        demand, partition, qos, member, case.ledger.fair_share(member), age, time_limit(ask, first)
    )
    for column, value in (
        ("AGE", found.age),
        ("JOBSIZE", found.size),
        ("PARTITION_FACTOR", found.partition),
        ("QOS", found.qos),
        ("ASSOC", found.assoc),
        ("FAIRSHARE", found.fair_share),
    ):
        assert float(normal[column]) == pytest.approx(value, abs=SPRIO), column
    site = int(row["SITE"] or 0)
    assert int(row["PRIORITY"]) == case.ranking.total(found, site, int(row["NICE"])), row
    return 1
