"""Kills at random instants: ``python -m tests.campaign.kills --count 200 --seed 1``.

``run --out``, ``lease run --out`` and ``serve nodes``: after each SIGKILL a directory is the old run, the new one, or
marked incomplete, and never a mixture; ``serve leases``: every lease that was acknowledged is there afterwards. Each
life is a fork of this process, which has everything loaded, so that a kill can come at any point of the work.
"""

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from windtunnel.cli.main import main as windtunnel
from windtunnel.diagnostics import UsageError
from windtunnel.model.lease import CPU, MEMORY, Lease, LeaseState, NodeSet, When
from windtunnel.services.lease_client import LeaseClient

TIMES = {"real_exec_info.json", "schedule.csv"}
"""Files that hold times of the wall clock."""
MACHINES = '<node-set numnodes="4"><res type="CPU" amount="100"/><res type="Memory" amount="1024"/></node-set>'
SITE = f'<site><resource-types names="CPU Memory"/><nodes>{MACHINES}</nodes></site>'
LEASE = (
    '<lease-request arrival="{at}"><lease id="{number}" preemptible="true"><nodes><node-set numnodes="1">'
    '<res type="CPU" amount="100"/><res type="Memory" amount="512"/></node-set></nodes><start/>'
    '<duration time="00:10:00"/><software><none/></software></lease></lease-request>'
)


def log(jobs: int, user: int) -> str:
    """A log of so many jobs of a user."""
    rows = (f"{n} {n} -1 {5 + n % 7} 1 -1 -1 1 20 -1 1 {user} 1 -1 1 -1 -1 -1" for n in range(1, jobs + 1))
    return "\n".join(("; MaxProcs: 4", *rows)) + "\n"


def workload(leases: int, step: int) -> str:
    """A workload of leases, so many seconds apart."""
    seconds = ((number, number * step) for number in range(1, leases + 1))
    times = ((number, f"{at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}") for number, at in seconds)
    requests = "".join(LEASE.format(number=number, at=at) for number, at in times)
    return f'<lease-workload name="w">{SITE}<lease-requests>{requests}</lease-requests></lease-workload>'


def child(words: Sequence[str]) -> int:
    """A command in a process of its own; its number."""
    number = os.fork()
    if number:
        return number
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    code = 1
    try:
        code = windtunnel(list(words))
    finally:
        os._exit(code)


def ended(number: int) -> bool:
    """Whether a child has ended by itself before it could be killed."""
    return os.waitpid(number, os.WNOHANG)[0] == number


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a run that are the same in equal runs."""
    return {
        path.name: path.read_bytes() for path in folder.iterdir() if path.name not in TIMES and path.name[0] != "."
    }


def what_is(folder: Path, known: dict[str, dict[str, bytes]]) -> str:
    """Which of the known runs lies there, or ``incomplete``; anything else is a mixture."""
    try:
        state = json.loads((folder / "run.json").read_bytes())
    except FileNotFoundError:
        return "nothing" if not contents(folder) else f"no marker beside {sorted(contents(folder))}"
    if state["status"] != "complete":
        return "incomplete"
    found = contents(folder)
    for name, run in known.items():
        if found == run:
            return name
    differ = [sorted(name for name in {*run, *found} if run.get(name) != found.get(name)) for run in known.values()]
    return f"a mixture: {min(differ, key=len)}"


def kill_runs(
    count: int, random: Random, folder: Path, commands: dict[str, Callable[[Path], list[str]]]
) -> Counter[str]:
    """Kill writers of two different runs into one directory, again and again."""
    known, longest = {}, 0.0
    for name, command in commands.items():
        begun = time.monotonic()
        number = child(command(folder / name))
        assert os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]) == 0
        longest = max(longest, time.monotonic() - begun)
        known[name] = contents(folder / name)
    seen: Counter[str] = Counter()
    target = folder / "target"
    target.mkdir()
    for _ in range(count):
        number = child(commands[random.choice(sorted(commands))](target))
        time.sleep(random.uniform(0.0, longest * 1.1))
        if not ended(number):
            os.kill(number, signal.SIGKILL)
            os.waitpid(number, 0)
        seen[what_is(target, known)] += 1
    return seen


def runs(count: int, random: Random, folder: Path) -> Counter[str]:
    """``windtunnel run --out``."""
    for user in (1, 2):
        (folder / f"{user}.swf").write_text(log(1500, user))

    def command(user: int) -> Callable[[Path], list[str]]:
        return lambda out: ["run", "hosts:4", str(folder / f"{user}.swf"), "-q", "--out", str(out), "--parquet"]

    return kill_runs(count, random, folder, {"one": command(1), "two": command(2)})


def lease_runs(count: int, random: Random, folder: Path) -> Counter[str]:
    """``windtunnel lease run --out``."""
    for step in (100, 130):
        (folder / f"{step}.lwf").write_text(workload(150, step))

    def command(step: int) -> Callable[[Path], list[str]]:
        return lambda out: ["lease", "run", str(folder / f"{step}.lwf"), "--out", str(out)]

    return kill_runs(count, random, folder, {"one": command(100), "two": command(130)})


def node_services(count: int, random: Random, folder: Path) -> Counter[str]:
    """``windtunnel serve nodes``: the run that it serves stays as it is."""
    (folder / "log.swf").write_text(log(200, 1))
    run = folder / "run"
    assert windtunnel(["run", "hosts:4", str(folder / "log.swf"), "-q", "--out", str(run)]) == 0
    known = {"the run": contents(run)}
    seen: Counter[str] = Counter()
    for _ in range(count):
        number = child(["serve", "nodes", str(run), "--port", "0"])
        time.sleep(random.uniform(0.0, 0.2))
        if not ended(number):
            os.kill(number, signal.SIGKILL)
            os.waitpid(number, 0)
        seen[what_is(run, known)] += 1
    return seen


def lease() -> Lease:
    """What clients ask for."""
    return Lease(nodes=(NodeSet(1, {CPU: (100,), MEMORY: (256,)}),), duration=3600, start=When.UNSPECIFIED)


def lease_services(count: int, random: Random, folder: Path) -> Counter[str]:
    """``windtunnel serve leases``: nothing acknowledged is lost, nothing cancelled comes back."""
    state = folder / "leases.db"
    acknowledged: list[int] = []
    cancelled: set[int] = set()
    doubtful: set[int] = set()
    seen: Counter[str] = Counter()
    for life in range(count + 1):
        port = random.randrange(20_000, 32_000)  # below those of clients: one that asks for its own gets itself
        words = ["serve", "leases", "--site", "8 CPU:100,Memory:1024", "--port", str(port), "--state", str(state)]
        number = child(words)
        client = LeaseClient(f"http://127.0.0.1:{port}/RPC2")
        up = False
        deadline = time.monotonic() + 60
        while not up and time.monotonic() < deadline and not ended(number):
            try:
                client.leases()
                up = True
            except UsageError:
                time.sleep(0.01)
        if not up:
            seen["not started (its port was taken)"] += 1
            continue
        if life == count:
            break
        end = time.monotonic() + random.uniform(0.0, 0.15)
        try:
            while time.monotonic() < end:
                acknowledged.append(client.request(lease()))
                if random.random() < 0.5:
                    victim = random.choice(acknowledged)
                    if victim not in cancelled | doubtful:
                        doubtful.add(victim)
                        client.cancel(victim)
                        doubtful.discard(victim)
                        cancelled.add(victim)
        except UsageError as error:
            seen[f"refused: {error}"] += 1
        os.kill(number, signal.SIGKILL)
        os.waitpid(number, 0)
        seen["killed"] += 1
    for one in acknowledged:
        found, _ = client.lease(one)
        if (found.state is LeaseState.CANCELLED) != (one in cancelled) and one not in doubtful:
            seen["lost"] += 1
    seen["acknowledged"] = len(acknowledged)
    if not ended(number):
        os.kill(number, signal.SIGKILL)
        os.waitpid(number, 0)
    return seen


KINDS = {"runs": runs, "lease-runs": lease_runs, "node-services": node_services, "lease-services": lease_services}
RIGHT = frozenset({"one", "two", "incomplete", "nothing", "the run", "killed", "acknowledged"})
"""What may be seen after a kill."""


def main() -> int:
    """Kill; 1 when anything is seen that must not be."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    wrong = False
    for name, kills in KINDS.items():
        if not name.startswith(options.only):
            continue
        folder = Path(tempfile.mkdtemp(prefix="kills-"))
        try:
            seen = kills(options.count, Random(f"{name} {options.seed}"), folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        print(f"{name}: " + ", ".join(f"{what} {times}" for what, times in sorted(seen.items())), flush=True)
        wrong |= not {what for what in seen if not what.startswith("not started")} <= RIGHT
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
