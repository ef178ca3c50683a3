"""Plays a scenario of golden/simgrid on the sharing room: actors that sleep, start tasks, wait, change hosts, look."""

import math
from dataclasses import dataclass
from typing import Any

from tests.simgrid_cases import platform_of

from windtunnel.engine.energy.meters import Meters
from windtunnel.engine.sharing import TCP_GAMMA, Action, Builder, System


@dataclass
class Outcome:
    finish: float
    status: str


class Stage:
    """One scenario; ``play`` fills ``outcomes`` (in the order of completion) and ``seen`` (observations)."""

    def __init__(self, case: dict[str, Any], meters: type[Meters] = Meters) -> None:
        platform, hosts = platform_of(case, energy=case["energy"])
        config = {**platform.config, **dict(item.split(":") for item in case["config"])}
        self.case = case
        self.hosts = hosts
        self.network = platform.network
        self.index = {host.name: i for i, host in enumerate(hosts)}
        self.gamma = float(config.get("network/TCP-gamma", TCP_GAMMA))
        self.build = Builder([host.endpoint for host in hosts], platform.network, gamma=self.gamma)
        links = platform.network.links
        self.system = System([h.speed for h in hosts], [h.cores for h in hosts], links, watch_loads=case["energy"])
        self.meters = meters(hosts) if case["energy"] else None
        self.outcomes: dict[str, Outcome] = {}
        self.seen: list[tuple[str, float, str, float]] = []
        self.running: dict[str, Action] = {}
        self.timers: list[tuple[float, int, str]] = []

    def play(self) -> None:
        self.now = 0.0
        tasks = list(self.case["tasks"])
        looks = [o for o in self.case["observe"] if "at" in o]
        # Every actor sleeps on its host: those that look and act on the first one.
        for look in (o for o in looks if o["type"] == "energy"):
            self._later(look["at"], self._act, look, 0)
        for task in tasks:
            self._later(task["start"], self._begin, task, self.index[self._place(task)])
        for move in [*self.case["actions"], *(o for o in looks if o["type"] != "energy")]:
            self._later(move["at"], self._act, move, 0)
        for i, host in enumerate(self.hosts):
            for date, factor in self._profile(host.speed_profile, host.speed_period):
                self.timers.append((date, i, factor))
        self.timers.sort()
        while len(self.outcomes) < len(tasks) or self.system.actions:
            if self.meters:
                self.meters.set_loads(self.now, self.system.changed_loads())
            self.now = min(self.system.next_event(), self.timers[0][0] if self.timers else math.inf)
            assert self.now < math.inf, "nothing moves any more"
            ended = self.system.advance(self.now)
            for action in ended:
                self._look(action)
            while self.timers and self.timers[0][0] <= self.now:
                _, host, factor = self.timers.pop(0)
                if isinstance(host, str):
                    if host in self.running and self.running[host] not in ended:
                        self._end(host, "timeout")
                else:
                    self.system.set_speed(self.now, [host], self.hosts[host].speed * factor)
            for action in ended:
                what, argument, _ = action.tag
                what(argument)

    def _look(self, action):
        if self.meters:
            self.meters.touch(self.now, [action.tag[2]] if action.task is None else action.task.hosts)

    def _place(self, task):
        return task["hosts"][0] if "hosts" in task else task.get("host") or task["src"]

    def _profile(self, lines, period):
        repeats = 50 if period else 1
        return [(date + k * period, factor) for k in range(repeats if lines else 0) for date, factor in lines]

    def _later(self, date, what, argument, host):
        if date > 0:
            self.system.sleep(0.0, date, (what, argument, host))
        else:
            what(argument)

    def _begin(self, task):
        tag = (self._done, task["name"], self.index[self._place(task)])
        if task["type"] == "sleep":
            action = self.system.sleep(self.now, task["duration"], tag)
        elif task["type"] == "message":
            pair = [self.index[task["src"]], self.index[task["dst"]]]
            action = self.system.start(self.now, self.build.flows(pair, [(*pair, task["bytes"])]), tag)
        else:
            made = self.build.matrices([self.index[h] for h in task["hosts"]], task["flops"], task["bytes"])
            action = self.system.start(self.now, made, tag)
        self.running[task["name"]] = action
        if action.task is not None and len(action.task.hosts) == 1:
            self._look(action)
        if task.get("walltime") is not None:
            self.timers.append((self.now + task["walltime"], task["name"], 0.0))
            self.timers.sort(key=lambda timer: timer[0])

    def _done(self, name):
        self._end(name, "done")

    def _end(self, name, status):
        action = self.running.pop(name)
        if action.number in self.system.actions:
            self.system.cancel(self.now, action)
            self._look(action)
        self.outcomes[name] = Outcome(self.now, status)

    def _act(self, move):
        match move["type"]:
            case "cancel":
                self._end(move["task"], "cancelled")
            case "pstate":
                host = self.index[move["host"]]
                self.system.set_speed(self.now, [host], self.hosts[host].pstates[move["value"]].speed)
                if self.meters:
                    self.meters.set_pstate(self.now, host, move["value"])
            case "off":
                host = self.index[move["host"]]
                if self.meters:
                    self.meters.set_off(self.now, host, True)
                for name in [n for n, a in self.running.items() if a.task is not None and host in a.task.hosts]:
                    self._end(name, "hostfailure")
            case "on":
                if self.meters:
                    self.meters.set_off(self.now, self.index[move["host"]], False)
            case "linkbw":
                link = [link.id for link in self.network.links].index(move["link"])
                self.system.set_bandwidth(self.now, link, move["value"])
            case "linklat":
                # The scenario has one flow of one task over one link.
                (task,) = self.case["tasks"]
                bound = self.gamma / (2 * move["value"] * task["bytes"][0][1])
                self.system.set_network_bound(self.now, self.running[task["name"]], bound)
            case "load":
                self._see("load", move["host"], self.system.load(self.index[move["host"]]))
            case "probe":
                self._see("remaining", move["task"], self.system.remaining(self.now, self.running[move["task"]]))
            case "energy":
                self._see("energy", move["host"], self.meters.read(self.now, self.index[move["host"]]))
            case other:
                raise AssertionError(other)

    def _see(self, kind, name, value):
        self.seen.append((kind, self.now, name, value))
