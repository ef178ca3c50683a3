"""A scheduler that answers with the recorded decisions of a dialogue, and notes in what Windtunnel's messages differ.

Reply k is given when all events of the recorded messages up to k have come, its dates shifted to the present: Batsim
delays its messages by the simulated latency of one byte, Windtunnel does not (golden/README.md).
"""

import gzip
import json
from collections import Counter, defaultdict, deque

from windtunnel.model import HostSet

__all__ = ["Script", "dialogue"]

LATENCY = 0.010
"""s; what one message of Batsim's may be late."""
ONE_MORE = 0.002
"""s; what each of several things that happen at one instant in Batsim, one after the other, delays the next."""
WATTS = 25e3
"""What a recorded platform uses at most: so many joules may differ for each second."""
LAST = ("SIMULATION_ENDS", "NOTIFY")
"""Events without a single cause."""


def dialogue(case):
    """The recorded messages: pairs of what Batsim said and what the scheduler answered, as text."""
    path = next(case.glob("dialogue.txt*"), None)
    if path is None:
        return []
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    lines = text.splitlines()
    said = [line[2:] for line in lines if line.startswith("B ")]
    answered = [line[2:] for line in lines if line.startswith("S ")]
    return list(zip(said, answered + [None] * (len(said) - len(answered)), strict=True))


def identity(event):
    """What an event is about, whatever its date and figures."""
    kind, data = event["type"], event["data"]
    if kind in ("JOB_SUBMITTED", "JOB_COMPLETED", "FROM_JOB_MSG"):
        return kind, data["job_id"]
    if kind == "JOB_KILLED":
        return kind, *sorted(data["job_ids"])
    if kind == "RESOURCE_STATE_CHANGED":
        return kind, data["resources"].replace(",", " "), data["state"]
    if kind == "NOTIFY":
        return kind, data["type"], data.get("resources", "")
    return (kind,)


def plain_progress(progress):
    """Kill progress as (name, steps done): members agree but for ``profile``, which only the document knows
    (decisions.md 7); the end of one step is the beginning of the next."""
    done = progress.get("progress", 0.0) + progress.get("current_task_index", 0)
    inner = progress.get("current_task")
    if inner is not None:
        done += plain_progress(inner)[1]
    return progress["profile_name"], float(done)


def normal(event):
    """The data of an event without what may differ (docs/reference/batsim4.md, exceptions)."""
    data = event["data"]
    if event["type"] == "SIMULATION_BEGINS":
        files = {name: path.rpartition("/")[2] for name, path in data["workloads"].items()}
        # The recordings hold relative paths; the order of profiles and zone properties is that of a C++ hash table.
        profiles = {name: dict(sorted(listed.items())) for name, listed in data["profiles"].items()}
        hosts = [
            h | {"zone_properties": dict(sorted(h["zone_properties"].items()))} for h in data["compute_resources"]
        ]
        return data | {"workloads": files, "profiles": profiles, "compute_resources": hosts}
    if event["type"] == "JOB_KILLED":
        return data | {"job_progress": {job: plain_progress(p) for job, p in data["job_progress"].items()}}
    return data


def near(ours, theirs, tolerance):
    """Whether two JSON values are equal, floating numbers but for a relative tolerance."""
    if isinstance(ours, float) or isinstance(theirs, float):
        return (
            isinstance(ours, (int, float))
            and isinstance(theirs, (int, float))
            and abs(ours - theirs) <= tolerance * max(1.0, abs(theirs))
        )
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return list(ours) == list(theirs) and all(near(ours[k], theirs[k], tolerance) for k in ours)
    if isinstance(ours, (list, tuple)) and isinstance(theirs, (list, tuple)):
        return len(ours) == len(theirs) and all(near(a, b, tolerance) for a, b in zip(ours, theirs, strict=True))
    return ours == theirs


def tie(ours, theirs):
    """Whether the difference is only that a job killed at the very date of its end had ended for us."""
    if ours["type"] == "JOB_KILLED":
        missing = set(theirs["data"]["job_progress"]) - set(ours["data"]["job_progress"])
        return all(theirs["data"]["job_progress"][job]["progress"] > 0.999 for job in missing)
    states = {ours["data"].get("job_state"), theirs["data"].get("job_state")}
    return "COMPLETED_SUCCESSFULLY" in states and states & {"COMPLETED_KILLED", "COMPLETED_WALLTIME_REACHED"}


class Script:
    """Answers messages with recorded decisions.

    ``exact`` (platforms without latency) demands the recorded dates to the printed digit, and the recorded bytes of
    every message that holds the recorded events. Elsewhere an event may be as late as the messages that led to it;
    ``slack`` (relative) is more for the run times of jobs, ``ties`` lets jobs end as what they nearly were.
    """

    def __init__(self, recorded, *, exact, slack=0.0, ties=False):
        self.recorded = recorded
        self.exact = exact
        self.slack = slack
        self.ties = ties
        self.expected = defaultdict(deque)
        self.asked_at = []
        self.missing = []
        self.late = []
        """By recorded message: how late (s) it may be."""
        self.caused = {}
        """By identity of an event: how late its cause may be."""
        self.next = 0
        self.wrong = []
        self.counts = Counter()
        for rank, (said, _) in enumerate(recorded):
            message = json.loads(said)
            self.asked_at.append(message["now"])
            self.missing.append(len(message["events"]))
            self.late.append(0.0)
            for event in message["events"]:
                self.expected[identity(event)].append((rank, event))

    def ask(self, request, now):
        """What a socket would do."""
        return self.answer(request)

    def open(self):
        """Nothing: there is no socket."""

    def close(self):
        """Nothing."""

    def answer(self, request):
        """One message of ours; the recorded replies that are due."""
        text = request.decode()
        message = json.loads(text)
        now = message["now"]
        ranks = [self.see(event, place) for place, event in enumerate(message["events"])]
        self.counts["messages"] += 1
        if self.exact:
            self.compare_text(ranks, message, text)
        done, events = now, []
        while self.next < len(self.recorded) and self.missing[self.next] == 0:
            if self.recorded[self.next][1] is not None:
                done = max(done, self.shifted(self.next, now, events))
            self.next += 1
        events.sort(key=lambda event: event["timestamp"])
        return json.dumps({"now": done, "events": events}).encode()

    def see(self, event, place):
        """Look one event up; the rank of the recorded message that holds it."""
        self.counts["events"] += 1
        who = identity(event)
        waiting = self.expected.get(who)
        if not waiting:
            self.wrong.append(f"not recorded: {event}")
            return None
        rank, theirs = waiting.popleft()
        self.missing[rank] -= 1
        date = event["timestamp"]
        if self.exact:
            allowed = 1.5e-6
        else:
            causeless = event["type"] in LAST or str(who[1:]).startswith("('wf")  # a task follows some other task
            allowed = LATENCY + self.caused.get(who, max(self.late) if causeless else 0.0) + ONE_MORE * place
            self.late[rank] = max(self.late[rank], allowed)
        late = theirs["timestamp"] - date
        if abs(late) > max(allowed, date * max(4e-16, self.slack)):
            self.wrong.append(f"{late:+.6f} s late (allowed: {allowed:.6f}): {event}")
        if not self.same(event, theirs, allowed) and not (self.ties and tie(event, theirs)):
            self.wrong.append(f"data differ: {event['data']} is not {theirs['data']}")
        return rank

    def same(self, ours, theirs, allowed):
        """Whether the data agree."""
        if ours["type"] == "ANSWER":
            tolerance = 1.5e-6 if self.exact else WATTS * allowed
            return abs(ours["data"]["consumed_energy"] - theirs["data"]["consumed_energy"]) <= tolerance
        return near(normal(ours), normal(theirs), 1.5e-6 if self.exact else max(LATENCY, self.slack))

    def compare_text(self, ranks, message, text):
        """Bytes are equal where the events are."""
        rank = ranks[0]
        said = None if rank is None else self.recorded[rank][0]
        if said is None or set(ranks) != {rank} or len(json.loads(said)["events"]) != len(ranks):
            self.counts["grouped differently"] += 1
        elif text == said:
            self.counts["equal bytes"] += 1
        else:
            kinds = {event["type"] for event in message["events"]}
            until = text.find('"workloads"') if "SIMULATION_BEGINS" in kinds else 0
            if "JOB_KILLED" not in kinds and (until <= 0 or text[:until] != said[:until]):
                self.wrong.append(f"bytes differ:\n  {text}\n  {said}")

    def shifted(self, rank, now, events):
        """The decisions of a recorded reply, at the present."""
        reply = json.loads(self.recorded[rank][1])
        shift = now - self.asked_at[rank]
        handled = len(reply["events"])
        late = self.late[rank]
        for event in reply["events"]:
            data, kind = event["data"], event["type"]
            if kind == "CALL_ME_LATER":
                data = {"timestamp": data["timestamp"] + shift}
                self.caused["REQUESTED_CALL",] = max(late, self.caused.get(("REQUESTED_CALL",), 0.0))
            elif kind == "EXECUTE_JOB":
                self.caused["JOB_COMPLETED", data["job_id"]] = late + ONE_MORE * handled
            elif kind == "SET_RESOURCE_STATE":
                count = len(HostSet.parse(data["resources"]))
                who = "RESOURCE_STATE_CHANGED", data["resources"].replace(",", " "), data["state"]
                self.caused[who] = late + ONE_MORE * count
            elif kind == "KILL_JOB":
                self.caused["JOB_KILLED", *sorted(data["job_ids"])] = late + ONE_MORE * handled
            elif kind == "REGISTER_JOB":
                self.caused["JOB_SUBMITTED", data["job_id"]] = late + ONE_MORE * handled
            elif kind == "QUERY":
                self.caused["ANSWER",] = late
            events.append({"timestamp": max(now, event["timestamp"] + shift), "type": kind, "data": data})
        return reply["now"] + shift

    def left(self):
        """Recorded events that never came."""
        return [event for waiting in self.expected.values() for _, event in waiting]
