"""A component that answers with the recorded decisions of a dialogue, and notes in what our notices differ.

Reply k is given when all events of the recorded messages up to k have come, its dates shifted to the present: Batsim
delays its messages by the simulated latency of one byte, Windtunnel does not (golden/README.md).
"""

import gzip
import struct
from collections import Counter, defaultdict, deque

from msgspec.structs import asdict, replace

from windtunnel.wires.batprotocol import binary, text
from windtunnel.wires.batprotocol import schema as s
from windtunnel.wires.transport import FORMAT_BINARY, FORMAT_JSON

__all__ = ["RecordedComponent", "raw_dialogue"]

LATENCY = 0.010
"""s; what one message of Batsim's may be late."""
ONE_MORE = 0.005
"""s; what each of several things that happen at one instant in Batsim, one after the other, delays the next."""
WATTS = 30e3
"""What a recorded platform uses at most: so many joules may differ for each second."""
STALE = (s.ExternalEventOccurredEvent, s.HostsPStateChangedEvent, s.HostsTurnedOnOffEvent, s.JobsKilledEvent)
"""[BUG] Batsim stamps them with the date of its last message; the date of the message is right."""


def raw_dialogue(case):
    """The recorded frames: (who, bytes), in order."""
    path = next(case.glob("dialogue0.bin*"), None)
    raw = b"" if path is None else gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    found, at = [], 0
    while at < len(raw):
        size = struct.unpack_from("<I", raw, at + 1)[0]
        found.append((chr(raw[at]), raw[at + 5 : at + 5 + size]))
        at += 5 + size
    if not found:  # Batsim aborted before it had written the binary record
        (path,) = case.glob("dialogue0.txt*")
        lines = (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).splitlines()
        found = [(chr(line[0]), line[2:]) for line in lines if line[:2] in {b"I ", b"B ", b"S "}]
        found = [(who, raw) for who, raw in found if raw.endswith(b"]}")]
    return found


def decoded(raw):
    return text.decode(raw) if raw[:1] == b"{" else binary.decode(raw)


def identity(event):
    """What an event is about, whatever its date and figures."""
    kind = type(event).__name__
    if isinstance(event, s.JobsKilledEvent | s.KillJobsEvent):
        return "JobsKilledEvent", *sorted(event.job_ids)
    for key in ("job_id", "call_me_later_id", "probe_id", "id"):
        if hasattr(event, key):
            return kind, getattr(event, key)
    if hasattr(event, "host_ids"):
        return kind, event.host_ids, getattr(event, "pstate", None), getattr(event, "state", None)
    return (kind,)


def normal(event):
    """An event without what may differ: docs/reference/batsim5.md, "Differences"."""
    if isinstance(event, s.SimulationBeginsEvent):
        made = replace(
            event,
            batprotocol_version="",
            batsim_version="",
            batsim_arguments=(),
            batsim_execution_context_json="",
            workloads=tuple(replace(w, filename=w.filename.rpartition("/")[2]) for w in event.workloads),
            external_event_lists=tuple(
                replace(e, filename=e.filename.rpartition("/")[2]) for e in event.external_event_lists
            ),
        )
        hosts = [(replace(h, properties=(), zone_properties=()), pairs(h)) for h in event.computation_hosts]
        return (replace(made, computation_hosts=()), hosts)
    if isinstance(event, s.ProbeDataEmittedEvent):
        return replace(event, nb_emitted=0, nb_triggered=0)  # [BUG] always 0 in Batsim
    if isinstance(event, s.JobsKilledEvent):
        return sorted(event.job_ids), {p.job_id: flat(p.wrapper.kill_progress) for p in event.progresses}
    return event


def pairs(host):
    """The order of properties is that of a C++ hash table."""
    return [sorted((p.key, p.value) for p in found or ()) for found in (host.properties, host.zone_properties)]


def flat(progress):
    """Kill progress as (profile, steps done): the end of one step is the beginning of the next."""
    if isinstance(progress, s.KillProgressSequentialProfile):
        inner = flat(progress.current_task_progress.kill_progress)[1]
        return progress.profile_id, progress.current_repetition * 1000.0 + progress.current_task_index + inner
    return progress.profile_id, progress.progress


def near(ours, theirs, tolerance):
    """Whether two values are equal, floating numbers but for a tolerance (relative above 1)."""
    if isinstance(ours, float) and isinstance(theirs, float):
        return abs(ours - theirs) <= tolerance * max(1.0, abs(theirs))
    if isinstance(ours, s.Table):
        return type(ours) is type(theirs) and near(asdict(ours), asdict(theirs), tolerance)
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(near(ours[k], theirs[k], tolerance) for k in ours)
    if isinstance(ours, list | tuple):
        return len(ours) == len(theirs) and all(near(a, b, tolerance) for a, b in zip(ours, theirs, strict=True))
    return ours == theirs


class RecordedComponent:
    """A transport whose other end knows its lines. ``ties``: jobs may have ended where Batsim killed them."""

    name = "recorded"

    def __init__(self, case, *, ties=False):
        frames = raw_dialogue(case)
        self.hello = next((raw for who, raw in frames if who == "I"), b"")
        self.json = self.hello[:1] == b"{"
        said = [decoded(raw) for who, raw in frames if who == "B"]
        answered = [decoded(raw) for who, raw in frames if who == "S"]
        self.recorded = list(zip(said, answered + [None] * (len(said) - len(answered)), strict=True))
        self.ties = ties
        self.expected = defaultdict(deque)
        self.missing = [len(message.events) for message, _ in self.recorded]
        self.late = [0.0] * len(self.recorded)
        """By recorded message: how late (s) it may be."""
        self.caused = {}
        """By identity of an event: how late its cause may be."""
        self.next = 0
        self.wrong = []
        self.counts = Counter()
        self.stopped = False
        for rank, (message, _) in enumerate(self.recorded):
            for stamped in message.events:
                date = message.now if isinstance(stamped.event, STALE) else stamped.timestamp
                self.expected[identity(stamped.event)].append((rank, date, stamped.event))

    def start(self, init_data):
        """Say hello."""
        self.init_data = init_data
        return (FORMAT_JSON if self.json else FORMAT_BINARY), self.hello

    def stop(self):
        """Nothing is left to do."""
        self.stopped = True

    def ask(self, message, within=None):
        """One message of ours; the recorded replies that are due."""
        del within
        asked = decoded(message)
        now = asked.now
        for place, stamped in enumerate(asked.events):
            self.see(stamped.timestamp, stamped.event, place)
        self.counts["messages"] += 1
        done, events = now, []
        while self.next < len(self.recorded) and self.missing[self.next] == 0:
            if self.recorded[self.next][1] is not None:
                done = max(done, self.shifted(self.next, now, events))
            self.next += 1
        events.sort(key=lambda stamped: stamped.timestamp)
        reply = s.Message(now=done, events=tuple(events))
        return text.encode(reply) if self.json else binary.encode(reply)

    def see(self, date, event, place):
        """Look one event up."""
        self.counts["events"] += 1
        who = identity(event)
        waiting = self.expected.get(who)
        if isinstance(event, s.SimulationErrorEvent):
            return
        if not waiting:
            self.wrong.append(f"at {date:.6f}, not recorded: {event}")
            return
        rank, recorded, theirs = waiting.popleft()
        self.missing[rank] -= 1
        causeless = isinstance(event, s.SimulationEndsEvent | s.AllStaticJobsHaveBeenSubmittedEvent)
        allowed = LATENCY + self.caused.get(who, max(self.late) if causeless else 0.0) + ONE_MORE * place
        self.late[rank] = max(self.late[rank], allowed)
        late = recorded - date
        if abs(late) > max(allowed, 4e-16 * date):
            self.wrong.append(f"{late:+.6f} s late (allowed: {allowed:.6f}): {event}")
        if not near(normal(event), normal(theirs), self.tolerance(event, allowed)) and not self.tie(event, theirs):
            self.wrong.append(f"at {date:.6f}, data differ: {normal(event)} is not {normal(theirs)}")

    @staticmethod
    def tolerance(event, allowed):
        """Joules may differ by what was consumed meanwhile, progress by what was done."""
        if isinstance(event, s.ProbeDataEmittedEvent):
            values = event.data.data if isinstance(event.data.data, tuple) else (event.data.data,)
            return WATTS * allowed / max(1.0, *values)
        if isinstance(event, s.JobSubmittedEvent) and not event.job_id.startswith("w0!"):
            return allowed  # registered at the present, which Batsim's messages delay
        return 1e-9 if isinstance(event, s.SimulationBeginsEvent | s.JobSubmittedEvent) else allowed

    def tie(self, ours, theirs):
        """Whether a job ended for us at the date of its kill, or the other way round."""
        if not self.ties:
            return False
        if isinstance(ours, s.JobsKilledEvent):
            return not ours.progresses
        states = {getattr(ours, "state", None), getattr(theirs, "state", None)}
        return s.FinalJobState.COMPLETED_KILLED in states

    def shifted(self, rank, now, events):
        """The decisions of a recorded reply, at the present."""
        asked, reply = self.recorded[rank]
        shift = now - asked.now
        late = self.late[rank] + ONE_MORE * len(reply.events)
        for stamped in reply.events:
            event = stamped.event
            if isinstance(event, s.ExecuteJobEvent):
                self.caused["JobCompletedEvent", event.job_id] = late
            elif isinstance(event, s.RegisterJobEvent):
                self.caused["JobSubmittedEvent", event.job_id] = late
            elif isinstance(event, s.KillJobsEvent):
                self.caused[identity(event)] = late
            elif isinstance(event, s.ChangeHostsPStateEvent):
                self.caused["HostsPStateChangedEvent", event.host_ids, event.pstate, None] = late
            elif isinstance(event, s.TurnOnOffHostsEvent):
                self.caused["HostsTurnedOnOffEvent", event.host_ids, None, event.state] = late
            elif isinstance(event, s.CallMeLaterEvent):
                self.caused["RequestedCallEvent", event.call_me_later_id] = late
            events.append(s.EventAndTimestamp(timestamp=max(now, stamped.timestamp + shift), event=event))
        return max(now, reply.now + shift)

    def left(self):
        """Recorded events that never came."""
        return [event for waiting in self.expected.values() for _, _, event in waiting]
