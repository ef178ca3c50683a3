"""Components that follow rules, in Python (binary and JSON) and in C (JSON), run by Batsim 5's command line.

A rule says: at an event (of an id; only the n-th time), after a delay, make a decision. ``@id``, ``@res`` and
``@last`` (res - 1) in its body are those of the event. ``Turn`` is an event of the component's own: the next job of
its queue, when none is running; jobs that are too large are rejected.
"""

import contextlib
import io
import json
from types import SimpleNamespace

from windtunnel.cli import batsim5
from windtunnel.wires.batprotocol import binary, text
from windtunnel.wires.batprotocol import schema as s
from windtunnel.wires.library import LibraryTransport
from windtunnel.wires.transport import FORMAT_BINARY, FORMAT_JSON

__all__ = ["EXECUTE", "RuleComponent", "execution", "initial", "play", "rule"]

KEYS = ("job_id", "call_me_later_id", "host_ids", "probe_id", "id")


def rule(event, decision, body=None, *, id="*", nth=0, delay=0.0):  # noqa: A002 -- the word of the protocol
    """One rule; ``event`` and ``decision`` without their ``Event``."""
    return "\t".join([event, id, str(nth), repr(delay), f"{decision}Event", json.dumps(body or {})])


def execution(job="@id", hosts="0-@last", *, mapping=None, overrides=None, storages=None):
    """The body of an ExecuteJob; a mapping is custom, else executors are spread over hosts first."""
    made = {"job_id": job, "allocation": placed(hosts, mapping)}
    if overrides:
        made["profile_allocation_override"] = [
            {"profile_id": profile, **placed(at, custom)} for profile, at, custom in overrides
        ]
    if storages:
        made["storage_placement"] = [{"storage_name": name, "host_id": host} for name, host in storages.items()]
    return made


def placed(hosts, mapping):
    kind = "PredefinedExecutorPlacementStrategyWrapper" if mapping is None else "CustomExecutorToHostMapping"
    placement = {"strategy": "SpreadOverHostsFirst"} if mapping is None else {"mapping": list(mapping)}
    return {"host_allocation": hosts, "executor_placement_type": kind, "executor_placement": placement}


EXECUTE = rule("Turn", "ExecuteJob", execution())


def initial(*rules, **features):
    """Initialisation data."""
    return "\n".join([json.dumps(features), *rules, ""])


class RuleComponent:
    """The twin of listed.c; a transport, so that it is asked as a library is."""

    name = "listed"

    def __init__(self, *, json_form):
        self.json = json_form

    def start(self, init_data):
        """Read the rules and say hello."""
        features, *lines = init_data.decode().splitlines()
        self.rules = [line.split("\t") for line in lines]
        self.seen = [0] * len(self.rules)
        self.turns = any(found[0] == "Turn" for found in self.rules)
        self.queue, self.running, self.hosts, self.stopped = [], False, 0, False
        hello = s.EDCHelloEvent(
            batprotocol_version="1.0.0",
            decision_component_name="listed",
            decision_component_version="1",
            decision_component_commit="",
            requested_simulation_features=s.EDCRequestedSimulationFeatures(
                **({} if features == "silent" else json.loads(features))
            ),
        )
        events = () if features == "silent" else (s.EventAndTimestamp(timestamp=0.0, event=hello),)
        return (FORMAT_JSON if self.json else FORMAT_BINARY), self.encode(s.Message(now=0.0, events=events))

    def stop(self):
        """The end."""
        self.stopped = True

    def encode(self, message):
        return text.encode(message) + b"\0" if self.json else binary.encode(message)

    def ask(self, message, within=None):
        """What the rules say."""
        asked = text.decode(message) if self.json else binary.decode(message)
        self.made = []
        for stamped in asked.events:
            self.hear(stamped.event)
        while self.turns and not self.running and self.queue:
            job, res = self.queue.pop(0)
            self.running = res <= self.hosts
            if self.running:
                self.fire("Turn", job, res)
            else:
                self.made.append((0.0, "RejectJobEvent", {"job_id": job}))
        events = [
            {"timestamp": asked.now + delay, "event_type": kind, "event": body}
            for delay, kind, body in sorted(self.made, key=lambda made: made[0])
        ]
        reply = {"now": max([asked.now, *(event["timestamp"] for event in events)]), "events": events}
        return self.encode(text.decode(json.dumps(reply).encode()))

    def hear(self, event):
        who, res = "", 0
        for key in KEYS:
            who = getattr(event, key, "") or who
        if isinstance(event, s.SimulationBeginsEvent):
            self.hosts = event.computation_host_number
        elif isinstance(event, s.JobCompletedEvent):
            self.running = False
        elif isinstance(event, s.JobSubmittedEvent):
            res = event.job.resource_request
            if self.turns:
                self.queue.append((who, res))
        self.fire(type(event).__name__.removesuffix("Event"), who, res)

    def fire(self, event, who, res):
        for rank, (kind, wanted, nth, delay, decision, body) in enumerate(self.rules):
            if kind != event or wanted not in ("*", who):
                continue
            self.seen[rank] += 1
            if int(nth) in (0, self.seen[rank]):
                filled = body.replace("@id", who).replace("@res", str(res)).replace("@last", str(res - 1))
                self.made.append((float(delay), decision, json.loads(filled)))


class Overheard:
    """Any transport, with the messages that went over it."""

    def __init__(self, inner):
        self.inner, self.name, self.said, self.answered = inner, inner.name, [], []

    def start(self, init_data):
        flags, hello = self.inner.start(init_data)
        self.decode = text.decode if flags & FORMAT_JSON else binary.decode
        return flags, hello

    def ask(self, message, within=None):
        self.said.append(self.decode(message))
        answer = self.inner.ask(message, within)
        self.answered.append(self.decode(answer))
        return answer

    def stop(self):
        self.inner.stop()


def play(monkeypatch, transport, init, arguments):
    """Run Batsim 5's command line with a component; exit code, messages, errors."""
    from windtunnel.cli.main import main

    line = Overheard(transport)
    monkeypatch.setattr(batsim5, "_transport", lambda *_: line)
    errors, output = io.StringIO(), io.StringIO()
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(output):
        code = main(["batsim5", "-q", "--edc-library-str", "listed", init, *map(str, arguments)])
    events = [(stamped.timestamp, stamped.event) for message in line.said for stamped in message.events]
    return SimpleNamespace(code=code, said=line.said, events=events, errors=errors.getvalue())


def transports(library):
    """Names of the components and how to make them."""
    return {
        "python-binary": lambda: RuleComponent(json_form=False),
        "python-json": lambda: RuleComponent(json_form=True),
        "c": lambda: LibraryTransport(library),
    }
