"""Recorded passes of the real Slurm, decided again by our core: each from the state that Slurm had (tests only)."""

import calendar
import re
import time
from collections import Counter
from itertools import combinations
from math import inf

import msgspec

from slurm_recorded import (
    log_of,
    memory,
    minutes,
    names,
    read_ask,
    read_json,
    read_reservations,
    read_site,
    read_usage,
)
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.together import HetJob
from windtunnel.schedulers.slurm.jobs.whole_nodes import share_cores, want_whole
from windtunnel.schedulers.slurm.loops.backfill import backfill_pass
from windtunnel.schedulers.slurm.loops.cancelling import may_be_dropped
from windtunnel.schedulers.slurm.loops.first_reasons import first_reason
from windtunnel.schedulers.slurm.loops.het_jobs import component_asks
from windtunnel.schedulers.slurm.loops.main_loop import main_pass
from windtunnel.schedulers.slurm.loops.order import rank_whole_jobs
from windtunnel.schedulers.slurm.loops.queue import job_queue, partition_refusal
from windtunnel.schedulers.slurm.loops.sharing import settle_sharing
from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.nodes.nodesets import bits, mask_of
from windtunnel.schedulers.slurm.select.counted_types import counted_apart
from windtunnel.schedulers.slurm.select.linear import oversubscribes
from windtunnel.schedulers.slurm.state import State

STAMP = re.compile(r"\[(\S+?)\.(\d+)\] ")
GONE = ("COMPLETED", "PREEMPTED", "CANCELLED", "FAILED", "TIMEOUT", "DEADLINE")


def stamp(line):
    match = STAMP.match(line)
    if not match:
        return None
    return calendar.timegm(time.strptime(match[1], "%Y-%m-%dT%H:%M:%S")) + int(match[2]) / 1000


def job_number(text):
    """The JobId proper of ``12_3(15)``."""
    match = re.match(r"\d+_\S*?\((\d+)\)", text) or re.match(r"\d+\+\d+\((\d+)\)", text)
    return match[1] if match else text


def ids(text):
    found = []
    for part in text.split(","):
        low, _, high = part.partition("-")
        found += range(int(low), int(high or low) + 1)
    return found


ENDING = 2.0
"""Seconds in which the daemons have ended a killed job."""
MOST_BUSY = 4
"""Nodes tried together."""


def starts_of(done):
    return Counter((job.pending.id, tuple(bits(job.holding.nodes))) for job in done.started)


def _hex(cores):
    return {node: hex(own) for node, own in cores.items()}


def as_before(rows, known):
    """The rows of jobs that share cores, as the last pass left them if no job has gone since."""
    for name, present in rows._rows.items():
        jobs = {held.job: held for row in present for held in row.jobs}
        last = known._rows.get(name, ()) if known is not None else ()
        if {held.job for row in last for held in row.jobs} != {*jobs}:
            continue
        for row, former in zip(present, last, strict=True):
            row.jobs, row.size = [jobs[held.job] for held in former.jobs], former.size
    return rows


FOR_A_YEAR = 365 * 24 * 60
"""Minutes of jobs without a limit."""


class RecordedPass:
    def __init__(self, kind, when):
        self.kind, self.when = kind, when
        self.started = []
        self.victims = []


def unseen(job):
    """Whether Slurm does not show which generic resources a job has: it asked for no type where types are counted."""
    shown = [one.get("gres") or "" for one in job.get("alloc", [])]
    return any(shown) and all(re.fullmatch(r"[\w:]+:0\(IDX:\)", one) for one in shown)


def comes_again(job):
    """Whether a job is a task of an array that was requeued: it waits by itself until it may start again."""
    return "ArrayJobId" in job and int(job.get("Restarts", 0)) > 0


def first_free(state, node, demand):
    """The first generic resources of a node that are free, as many as a job asks of each."""
    found = {}
    for ask in demand.gres:
        free = [k for k in bits(state.held.free_gres(node, ask.name)) if not found.get(ask.name, 0) >> k & 1]
        found[ask.name] = found.get(ask.name, 0) | mask_of(free[: ask.count])
    return found


class Replay:
    """A snapshot, and what our core makes of each of its passes."""

    def __init__(self, folder):
        self.folder = folder
        self.name = folder.name
        self.site = read_site(folder)
        self.outcome = read_json(folder, "outcome.json")
        self.final = {job["JobId"]: job for job in self.outcome["jobs"]}
        self.before = {job["JobId"]: job for job in self.outcome.get("running_before", [])}
        self.submitted = {str(job["jobid"]): job for job in read_json(folder, "jobs.json") if job["jobid"]}
        self.asks = {key: read_ask(job) for key, job in self.submitted.items()}
        self.leaders = {}
        """The heterogeneous jobs of components, these by their JobIds."""
        for key, job in self.final.items():
            if "HetJobId" in job and job["HetJobId"] in self.submitted:
                self.leaders[key] = job["HetJobId"]
        parts = {leader: component_asks(self.asks[leader]) for leader in self.leaders.values()}
        for key, leader in self.leaders.items():
            self.asks[key] = parts[leader][int(self.final[key]["HetJobOffset"])]
            self.submitted[key] = self.submitted[leader]
        self.reservations = read_reservations(folder)
        self.usage = read_usage(folder)
        self.rows = {
            (row["JOBID"], row["PARTITION"]): int(row["PRIORITY"])
            for row in self.outcome.get("sprio", [])
            if row.get("PRIORITY", "").isdigit()
        }
        down = {node["NodeName"] for node in self.outcome["nodes"] if re.search("DRAIN|DOWN|FAIL", node["State"])}
        self.down = mask_of(i for i, node in enumerate(self.site.nodes) if node.name in down)
        self.index = {node.name: i for i, node in enumerate(self.site.nodes)}
        self.passes = self.read_passes()
        self.reasons = {
            key: job["Reason"] for key, job in self.before.items() if not job["Reason"].startswith("Partition")
        }
        if self.looked > self.outcome["t_up"] - 1:
            self.reasons = {key: "None" for key in self.reasons}
        self.reasons.update({key: "None" for key in self.reasons if self.logged.get(key) == "None"})
        self.weights = self.shared = None
        self.last_cpus = self.placed_before()
        self.last_nodes = {}
        self.last_gpus = {}
        self.foreseen = {}
        self.sharing = {}
        self.whole = set()
        """Jobs that want whole nodes since a partition with OverSubscribe=EXCLUSIVE has looked at them."""
        self.place = {}
        """In which partition a job with one was when a pass had looked at it."""
        self.gone = set()
        """Jobs that can never run, from when on that is known."""
        self.unseen = {key: reason for key, reason in self.reasons.items() if key not in self.logged}
        """Jobs submitted before the log begins: whether a loop looked at them since is not recorded."""
        self.differences = []
        self.compared = Counter()

    def placed_before(self):
        """The CPUs that whole jobs were given by selections before the log begins, after which limits refused them."""
        most = max(node.cpus for node in self.site.nodes)
        refused = {key for key, job in self.before.items() if re.match(r"(Assoc|QOS)\w*Cpu", job.get("Reason", ""))}
        asks = {key: self.asks[key] for key in refused & {*self.asks}}
        return {key: most * (ask.min_nodes or 1) for key, ask in asks.items() if ask.exclusive}

    def read_passes(self):
        found, ups = [], []
        self.accepted, self.first_priorities = {}, {}
        self.cycles = []
        """When backfill looked at what waits."""
        self.logged = {}
        """The Reason that jobs had when the log first names one."""
        self.early = []
        """Jobs started in one partition while another was still down."""
        self.killed = {}
        self.unnamed = set()
        """Victims of which the log does not say for whom they were killed: they were beneath, or may not come again."""
        self.graces = {}
        """When victims were signalled, and the seconds they had left."""
        self.looked = 0.0
        """When a loop last looked at jobs whose partitions were down: it forgets their first Reason."""
        for line in log_of(self.folder):
            when = stamp(line)
            if when is None:
                continue
            if match := re.search(r"_slurm_rpc_submit_batch_job: JobId=(\d+) InitPrio=(\d+)", line):
                self.accepted[match[1]] = when
                self.first_priorities[match[1]] = int(match[2])
            if match := re.search(r" JobId=(\d+)\S* unable to schedule .* Previous-Reason=(\w+)\.", line):
                self.logged.setdefault(match[1], match[2])
            if "setting state_up to 1" in line and not ups:
                found = []  # before partitions were set DOWN
            if "setting state_up to 3" in line:
                self.looked = max([self.looked, *(one.when for one in found)])
                self.early += [key for one in found if ups and one.when >= ups[0] for key, _ in one.started]
                found = []
                ups.append(when)
            elif "sched: Running job scheduler" in line:
                found.append(RecordedPass("main", when))
            elif "_attempt_backfill: beginning" in line:
                self.cycles.append(when)
                found.append(RecordedPass("backfill", when))
            elif found and (match := re.search(r"sched: Allocate JobId=(\S+) NodeList=(\S+)", line)):
                found[-1].started.append((job_number(match[1]), names(match[2])))
            elif found and (match := re.search(r"_start_job: Started JobId=(\S+) in (\S+) on (\S+)", line)):
                found[-1].started.append((job_number(match[1]), names(match[3])))
            elif found and (
                match := re.search(r"preempted JobId=(\S+) has been (\S+) to reclaim .*JobId=(\S+)", line)
            ):
                if match[3] != "Invalid":  # its grace is over
                    found[-1].victims.append((job_number(match[1]), job_number(match[3])))
                self.killed.setdefault(job_number(match[1]), found[-1].when)
            elif found and (
                match := re.search(r"preempted JobId=(\S+) (?:had to be killed|has been (?:requeued|killed)$)", line)
            ):
                key = job_number(match[1])
                found[-1].victims.append((key, None))
                self.unnamed.add(key)
                self.killed.setdefault(key, found[-1].when)
            elif found and (
                match := re.search(
                    r"setting (\d+) sec preemption grace time for JobId=(\S+) to reclaim .*JobId=(\S+)", line
                )
            ):
                found[-1].victims.append((job_number(match[2]), job_number(match[3])))
                self.graces.setdefault(job_number(match[2]), (found[-1].when, int(match[1])))
        first, last = max([self.outcome["t_up"], *ups]), self.outcome["t_record"]  # the log goes on while all is read
        return [one for one in found if first <= one.when <= last]

    # What Slurm had

    def array_of(self, key):
        job = self.final.get(key, {})
        return job.get("ArrayJobId", key)

    def state_at(self, when, started, ending=0):
        """The cluster as it was just before a pass; ``started``: JobIds started since the gate.

        ``ending``: nodes of killed victims that were not yet free.
        """
        now = int(when)
        state = State(self.site, now, self.reservations)
        state.unusable |= self.down
        state.completing |= ending
        self.load_usage(state)
        if self.weights is not None:
            state.selector.fit.weights.restore(self.weights)
        jobs = {}
        tasks_gone = Counter()
        for key in [*[i for i, job in self.before.items() if job["JobState"] in ("RUNNING", "SUSPENDED")], *started]:
            job = self.final.get(key)
            if key in self.killed:
                job = self.before.get(key, job)
                if when <= self.killed[key] and "alloc" in job:
                    self.enter(state, jobs, key, job)
            elif job is not None and self.runs(job, when):
                self.enter(state, jobs, key, job)
        state.occupancy.settle()
        self.shared = state.occupancy.rows = as_before(state.occupancy.rows, self.shared)
        for key in [*self.before, *started]:
            if "ArrayJobId" in self.final.get(key, {}) and (
                key in started or self.before[key]["JobState"] in ("RUNNING", "SUSPENDED", *GONE) or comes_again(self.before[key])
            ):
                tasks_gone[self.array_of(key)] += 1
        for key in self.asks:
            gone = key in started or self.before.get(key, {}).get("JobState") in ("RUNNING", "SUSPENDED", *GONE)
            if key in self.gone or (self.asks[key].array is None and gone and not self.requeued(key, when)):
                continue
            pending = self.pending(state, jobs, key)
            if pending is None:
                continue
            if pending.tasks is not None:
                pending.tasks = pending.tasks[tasks_gone[key] :]
                if not pending.tasks:
                    continue
            if pending.submitted <= when:
                state.pending[key] = pending
                if may_be_dropped(state, pending):
                    state.watched.add(key)
        together = {}
        for key, pending in state.pending.items():
            if key in self.leaders:
                leader = self.leaders[key]
                together.setdefault(leader, HetJob(leader)).add(pending)
        way = self.site.backfill.bf_hetjob_prio
        ranked = [het for het in together.values() if way and self.seen_by_backfill(het.leader, when)]
        rank_whole_jobs([record for het in ranked for record in het.components[0].records], way)
        for key, pending in state.pending.items():
            if key not in self.reasons:
                late = self.accepted.get(key, self.submitted[key]["submit_wall"]) > self.looked
                up = state.closed_partitions
                if self.submitted[key].get("phase", "j") == "j":
                    state.closed_partitions = {one.name for one in self.site.partitions}  # until the queue was there
                first = first_reason(state, pending)
                state.closed_partitions = up
                self.reasons[key] = self.logged.get(key) or (first if late else "None")
                several = len(pending.records) > 1
                if several and self.reasons[key] == "Resources":
                    self.reasons[key] = "None"  # of partitions that were down: PartitionDown, until they were up
                queued = self.submitted[key].get("phase", "j") == "j" and self.reasons[key] == "None"
                if self.site.fifo and (several or queued):
                    self.reasons[key] = "PartitionDown"  # nothing is said of partitions that are up again
                if key not in self.accepted and key not in self.logged:
                    self.unseen[key] = self.reasons[key]
            pending.reason = self.reasons[key].replace("_", " ")
            pending.preempted_at = next(
                (int(one.when) for one in self.passes for _, job in one.victims if job == key and one.when < when),
                None,
            )
        return state

    def seen_by_backfill(self, key, when):
        """Whether a cycle of backfill came between a job's submission and a pass."""
        submitted = self.submitted[key]["submit_wall"] + 0.1
        early = submitted < self.outcome["t_up"] - self.site.backfill.bf_interval - 1  # some cycle before the log begins
        return early or any(submitted < one < when for one in self.cycles)

    def load_usage(self, state):
        """What accounts and QOS had used: at the end of the recording, and hardly less before."""
        ledger = state.ledger
        for key, figures in self.usage.items():
            if isinstance(key, str):
                ledger.qos_wall[key], ledger.qos_tres[key] = figures.get("wall", 0), figures.get("tres", {})
                continue
            account, user = key
            member = state.tree.find(account, user) if user else state.tree.accounts.get(account)
            if member is not None:
                member.usage, member.wall_usage = figures.get("raw", 0.0), figures.get("wall", 0.0)
                member.tres_usage = dict(figures.get("tres", {}))
        if self.usage:
            ledger.shares.tick()

    def runs(self, job, when):
        if job["JobState"] in ("RUNNING", "SUSPENDED"):
            return True
        return job["JobState"] in GONE and isinstance(job["EndTime"], int) and job["EndTime"] > when

    def requeued(self, key, when):
        return int(self.final.get(key, {}).get("Restarts", 0)) > 0 and self.final[key]["JobState"] == "PENDING"

    def pending(self, state, jobs, key):
        """A job as it waits (made once for all its tasks)."""
        if key in jobs:
            return jobs[key]
        head = self.final.get(key) or next(
            (job for job in self.outcome["jobs"] if job.get("ArrayJobId") == key), None
        )
        if head is None:
            return None
        ask = msgspec.structs.replace(self.asks[key], partitions=tuple(head["Partition"].split(",")))
        if (key in self.submitted and not self.asks[key].partitions) or self.asks[key].partitions:
            ask = self.asks[key]
        member = state.tree.find(head.get("Account", ""), head["UserId"]) if "Account" in head else None
        qos = state.cluster.qos.get(head.get("QOS", ""))
        job = PendingJob(key, int(key), ask, head["SubmitTime"], state.cluster, member, qos)
        for record in job.records:
            state.limits.submission(record, state.tracked.submitted(record), [], [])  # it may give a time limit
        waiting = next(
            (
                one
                for one in self.outcome["jobs"]
                if one.get("ArrayJobId", one["JobId"]) == key and one["JobState"] == "PENDING" and not comes_again(one)
            ),
            head,
        )
        eligible = waiting["EligibleTime"]
        if waiting["Reason"] == "JobArrayTaskLimit":
            eligible = job.submitted
        job.eligible = eligible if isinstance(eligible, int) else None
        if waiting["Reason"] in ("JobHeldUser", "JobHeldAdmin") or (
            waiting["Priority"] == "0" and waiting["JobState"] == "PENDING" and waiting["Reason"] != "BadConstraints"
        ):
            job.held = True
        job.begin = eligible if isinstance(eligible, int) and eligible > job.submitted else job.begin
        shown = int(waiting["Priority"]) or self.first_priorities.get(key, 0)  # 0: found out never to run
        computed = {record.table.name: self.computed(state, record) for record in job.records}
        nearest = min(computed.values(), key=lambda one: abs(one - shown))
        for record in job.records:
            guess = shown + computed[record.table.name] - nearest
            record.priority = self.rows.get((waiting["JobId"], record.table.name), guess)
        if len(job.records) == 1 and self.place.get(key, job.records[0].table.name) != job.records[0].table.name:
            job.move_to(state.cluster.partitions[self.place[key]], state.cluster)
        job.reason = self.reasons.get(key, "None").replace("_", " ")
        job.last_cpus = self.last_cpus.get(key, 0)
        job.last_gpus = self.last_gpus.get(key)
        job.last_nodes = self.last_nodes.get(key, job.last_nodes)
        if key in self.whole:
            want_whole(job)
        if key in self.sharing:
            share_cores(job, self.sharing[key])
        elif self.site.enforce_partition_limits != "ANY" or partition_refusal(job.records[0]) is None:
            settle_sharing(state, job.records[0])  # where it was looked at when it was submitted
        jobs[key] = job
        return job

    def computed(self, state, record):
        """What the priority in a partition was at submission (for jobs whose own is not recorded there)."""
        if not self.site.priority.multifactor:
            return 0
        job = record.job
        share = state.ledger.fair_share(job.member)
        found = state.ranking.factors(
            record.demand, record.table.partition, job.qos, job.member, share, 0, job.minutes_for_size
        )
        return state.ranking.total(found, 0, job.nice)

    def enter(self, state, jobs, key, job):
        """A running job with what it really holds."""
        array = self.array_of(key)
        pending = self.pending(state, jobs, array)
        if pending is None:
            return
        record = next((one for one in pending.records if one.table.name == job["Partition"]), pending.records[0])
        limit = minutes(job["TimeLimit"]) or FOR_A_YEAR
        end = job["StartTime"] + limit * 60
        signalled, grace = self.graces.get(key, (inf, 0))
        if state.now > signalled:
            end = min(end, int(signalled) + grace)
        early = self.before.get(key, {})
        if "PreemptTime" in early and isinstance(early["EndTime"], int):
            end = min(end, early["EndTime"])  # signalled before the log begins
        cpus, held_memory = {}, {}
        cores, gres = self.taken_of(state, job) if "alloc" in job else ({}, {})
        if unseen(job):
            gres = {node: first_free(state, node, record.demand) for node in cores}
            left = record.demand.gpus_per_job
            for place, node in enumerate(cores if left else ()):
                free = [*bits(state.held.free_gres(node, "gpu", record.demand.gpu_type))]
                count = min(len(free), left - (len(cores) - place - 1))
                gres[node], left = {"gpu": mask_of(free[:count])}, left - count
        for one in job.get("alloc", []):
            for name in names(one["nodes"]):
                cpus[self.index[name]] = len(ids(one["cpu_ids"]))
                held_memory[self.index[name]] = one["mem"]
        nodes = mask_of(cpus)
        if self.site.select.type == "linear":
            cores = {node: state.cluster.core_masks[node] for node in cpus}
            cpus = {node: state.cluster.cpus[node] for node in cpus}
        demand = record.demand
        asked = oversubscribes(record, state.selector.linear)
        shares = state.shares_cores(record, asked)
        holding = Holding(
            key,
            nodes,
            end,
            cpus=cpus,
            cores=cores,
            memory=held_memory if self.site.select.memory else {},
            gres=gres,
            exclusive=demand.alone or (state.selector.linear and not asked),
            shares=shares,
            oversubscribes=asked,
            partition=record.table.name,
            user=pending.user,
            typed=counted_apart(state.cluster, demand, gres),
        )
        task = int(job["ArrayTaskId"]) if job.get("ArrayTaskId", "").isdigit() else None
        state.enter(key, record, holding, Picked(nodes, cpus, total=int(job["NumCPUs"])), job["StartTime"], limit, task)
        pending.order = int(key)  # of an array: what is left of it was listed anew when this task got a number
        state.pending.pop(pending.id, None)

    def nodes_of(self, job):
        return mask_of(self.index[name] for one in job.get("alloc", []) for name in names(one["nodes"]))

    # What our core does

    def run(self):
        started = [*self.early]
        state = None
        for one in self.passes:
            state, done = self.decided(one, started)
            self.weights = state.selector.fit.weights.kept()
            if done is not None:
                self.compare(one, done, state)
            waiting_or_not = [*state.pending.values(), *(one.pending for one in state.running.values())]
            self.last_gpus |= {job.id: job.last_gpus for job in waiting_or_not if job.last_gpus is not None}
            for key in state.pending:
                limit = state.pending[key].ask.time_limit  # it may be that of another job now
                self.asks[key] = msgspec.structs.replace(self.asks[key], time_limit=limit)
                self.reasons[key] = state.pending[key].reason
                self.last_cpus[key] = state.pending[key].last_cpus
                self.last_nodes[key] = state.pending[key].last_nodes
                self.sharing[key] = state.pending[key].shares
                if all(record.demand.exclusive for record in state.pending[key].records):
                    self.whole.add(key)
                if len(names := [record.table.name for record in state.pending[key].records]) == 1:
                    self.place[key] = names[0]
            for job in done.failed if done else ():
                self.reasons[job.id] = job.reason
                self.gone.add(job.id)
            started += [key for key, _ in one.started]
            last = (one, state)
            if one.kind == "backfill":
                self.last_backfill = last
        if state is not None and self.site.main.builtin:
            ahead = msgspec.structs.replace(self.site.main, builtin=False)  # by priority, whatever the list is
            state.site = msgspec.structs.replace(self.site, main=ahead)
            job_queue(state)  # each half minute sched/builtin looks ahead, and makes a queue for that
            self.foreseen = {key: job.reason for key, job in state.pending.items()}
        return self

    def decided(self, one, started):
        """The state before a pass, and what our core decides in it.

        A node of a killed victim is free when its daemon says so, within a second or two, which no log tells: if starts
        and victims are not those recorded, passes soon after try which nodes that nobody got were not yet free.
        """
        recent = [key for key, when in self.killed.items() if when < one.when < when + ENDING]
        given = {self.index[name] for _, nodes in one.started for name in nodes}
        busy = {node for key in recent for node in bits(self.nodes_of(self.before.get(key, {})))} - given
        before = dict(self.reasons)
        found = None
        for count in range(min(len(busy), MOST_BUSY) + 1):
            for ending in combinations(sorted(busy), count):
                self.reasons = dict(before)
                state = self.state_at(one.when, started, mask_of(ending))
                if one.kind == "main":
                    done = main_pass(state) if self.site.main.sched_interval >= 0 else None
                else:
                    done = backfill_pass(state)
                same = done is None or self.starts_recorded(one) == starts_of(done)
                if same and (not one.victims or self.victims_of(done) == set(one.victims)):
                    return state, done
                found = found or (state, done)
        return found

    def starts_recorded(self, one):
        return Counter(
            (self.array_of(key), tuple(sorted(self.index[n] for n in nodes))) for key, nodes in one.started
        )

    def victims_of(self, done):
        first = {}
        for victim, job in done.victims if done is not None else ():
            if victim.id not in first or victim.id not in self.graces:  # signalled once, whoever else comes
                first.setdefault(victim.id, set()).add(job.id)
        return {(key, None if key in self.unnamed else job) for key, jobs in first.items() for job in jobs}

    def compare(self, recorded, done, state):
        def cpus_of(key):
            job = self.final.get(key)
            return int(job["NumCPUs"]) if job and job["JobState"] == "RUNNING" else None

        want, got = self.starts_recorded(recorded), starts_of(done)
        self.compared["passes"] += 1
        self.compared["starts"] += len(recorded.started)
        self.compared["starts_same"] += sum((want & got).values())
        if want != got:
            self.differences.append(
                (
                    recorded.kind,
                    round(recorded.when - self.outcome["t_up"], 1),
                    "only Slurm",
                    dict(want - got),
                    "only ours",
                    dict(got - want),
                )
            )
            return
        self.compared["passes_same"] += 1
        want_cpus = Counter(
            (self.array_of(key), cpus_of(key)) for key, _ in recorded.started if cpus_of(key) is not None
        )
        known = {key for key, _ in want_cpus}
        got_cpus = Counter(
            (job.pending.id, sum(job.holding.cpus.values())) for job in done.started if job.pending.id in known
        )
        self.compared["cpus"] += sum(want_cpus.values())
        self.compared["cpus_same"] += sum((want_cpus & got_cpus).values())
        if want_cpus - got_cpus:
            self.differences.append(("cpus", recorded.kind, dict(want_cpus - got_cpus), dict(got_cpus - want_cpus)))
        self.compare_cores(recorded, done, state)
        if recorded.victims:
            got_victims = self.victims_of(done)
            self.compared["victims"] += 1
            if got_victims != set(recorded.victims):
                self.differences.append(("victims", recorded.victims, sorted(got_victims, key=str)))

    def compare_cores(self, recorded, done, state):
        """Which cores and generic resources each job got of its nodes."""
        if self.site.select.type == "linear":
            return
        state.occupancy.settle()  # cores may not have been told apart so far
        ours = {job.pending.id: job.holding for job in done.started if job.task is None}
        for key, _ in recorded.started:
            job = self.final.get(key)
            if key not in ours or job is None or job["JobState"] != "RUNNING" or not job.get("alloc"):
                continue
            want_cores, want_gres = self.taken_of(state, job)
            self.compared["cores"] += 1
            got = {node: ours[key].cores.get(node, 0) for node in want_cores}
            if got != want_cores:
                self.differences.append(("cores", key, _hex(want_cores), _hex(got)))
            elif not unseen(job) and want_gres != (own := {node: own for node, own in ours[key].gres.items() if any(own.values())}):
                self.differences.append(("gres", key, want_gres, own))
            else:
                self.compared["cores_same"] += 1

    def taken_of(self, state, job):
        """The cores, and the generic resources, of each node of a recorded job."""
        cores, gres = {}, {}
        for one in job["alloc"]:
            for name in names(one["nodes"]):
                node = self.index[name]
                cores[node] = mask_of({k // state.cluster.threads[node] for k in ids(one["cpu_ids"])})
                for kind, indices in re.findall(r"(\w+)(?::\w+)?:\d+\(IDX:([\d,-]+)\)", one.get("gres") or ""):
                    held = gres.setdefault(node, {})
                    held[kind] = held.get(kind, 0) | mask_of(ids(indices))
        return cores, gres

    def plans(self):
        """Expected starts and planned nodes after the last cycle: (key, wanted, ours) where they differ."""
        last = max(
            [event[0] for event in self.outcome["events"] if event[1] in ("main_start", "backfill_start")], default=0
        )
        if not hasattr(self, "last_backfill") or self.last_backfill[0].when <= last:
            return []
        if self.last_backfill[0].started:
            return []
        state = self.last_backfill[1]
        shown = int(self.outcome["t_record"])  # what should have started already is shown as starting when one asks
        found = []
        for key, job in state.pending.items():
            head = next(
                (
                    one
                    for one in self.outcome["jobs"]
                    if one.get("ArrayJobId", one["JobId"]) == key and one["JobState"] == "PENDING" and not comes_again(one)
                ),
                None,
            )
            if head is None:
                continue
            want = head["StartTime"] if isinstance(head["StartTime"], int) else None
            want_nodes = (
                tuple(sorted(self.index[n] for n in names(head.get("SchedNodeList", ""))))
                if head.get("SchedNodeList")
                else ()
            )
            if want is not None and job.begin > state.now and want == job.begin:
                continue
            self.compared["plans"] += 1
            same = want == job.expected or (
                want is not None
                and job.expected is not None
                and min(abs(want - job.expected), abs(want - max(job.expected, shown))) <= 1
            )
            nodes = tuple(bits(job.planned))
            if not same or nodes != want_nodes:
                now = state.now
                found.append(
                    (
                        key,
                        " ".join(self.submitted[key]["sbatch"]),
                        "want",
                        want and want - now,
                        want_nodes,
                        "got",
                        job.expected and job.expected - now,
                        nodes,
                    )
                )
            else:
                self.compared["plans_same"] += 1
        return found

    def reason_differences(self):
        found = []
        for job in self.outcome["jobs"]:
            key = job.get("ArrayJobId", job["JobId"])
            if job["JobState"] not in ("PENDING", "FAILED") or key not in self.asks or comes_again(job):
                continue
            if job["JobState"] == "FAILED" and job["Reason"] != "BadConstraints":
                continue
            want = job["Reason"].replace("_", " ")
            got = self.reasons.get(key, "None").replace("_", " ")
            if want == "None" != got == self.unseen.get(key):
                continue
            if want == "None" and got == "BadConstraints" and job["Priority"] != "0":
                continue  # half a minute after its start the daemon forgets once what cannot run
            self.compared["reasons"] += 1
            if want in (got, self.foreseen.get(key, got).replace("_", " ")):
                self.compared["reasons_same"] += 1
            else:
                found.append((key, " ".join(self.submitted[key]["sbatch"]), want, got))
        return found


def snapshot(folder):
    return Replay(folder).run()


__all__ = ["Replay", "memory", "snapshot"]
