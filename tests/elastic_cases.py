"""Recorded cases of ElastiSim: fed back answer by answer, and compared message by message."""

import gzip
import json
import os
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec
from msgspec.structs import replace

from windtunnel.cli.elastisim import play, prepare, sensing_of, simulation_of
from windtunnel.diagnostics import ComponentError, WindtunnelError
from windtunnel.formats.elastisim.configuration import read_configuration


class Differs(Exception):  # noqa: N818
    """What is said differs from what was recorded."""


def lines_of(case: Path) -> list[tuple[str, str]]:
    text = gzip.decompress((case / "dialogue.txt.gz").read_bytes()).decode("utf-8", "replace")
    return [(line[0], line[2:]) for line in text.splitlines() if line]


def differences(said, expected, tolerance, path=""):
    """The places where two messages differ."""
    if isinstance(expected, dict) and isinstance(said, dict):
        found = [f"{path}.{key}: only recorded" for key in expected.keys() - said.keys()]
        found += [f"{path}.{key}: only said" for key in said.keys() - expected.keys()]
        for key in expected.keys() & said.keys():
            a, b = said[key], expected[key]
            if key == "nodes":
                a, b = ({node["id"]: node for node in nodes} for nodes in (a, b))
            elif key == "jobs" and isinstance(a, list):
                told = [[job["id"] for job in jobs] for jobs in (a, b)]
                if told[0] != told[1]:
                    found.append(f"{path}.jobs: said {told[0]}, recorded {told[1]}")
                a, b = (
                    {str(job["id"]): job for job in jobs if job["id"] in told[1 - i]} for i, jobs in enumerate((a, b))
                )
            elif key == "assigned_jobs":
                a, b = sorted(a), sorted(b)
            found += differences(a, b, tolerance, f"{path}.{key}")
        return found
    if isinstance(expected, list) and isinstance(said, list):
        if len(expected) != len(said):
            return [f"{path}: said {said}, recorded {expected}"]
        return [
            one
            for rank, (a, b) in enumerate(zip(said, expected, strict=True))
            for one in differences(a, b, tolerance, f"{path}[{rank}]")
        ]
    numbers = (int, float)
    if isinstance(expected, numbers) and isinstance(said, numbers) and not isinstance(expected, bool):
        if abs(said - expected) <= tolerance * max(1.0, abs(expected)):
            return []
    elif said == expected:
        return []
    return [f"{path}: said {said}, recorded {expected}"]


def by_place(message):
    """A message in a form of which equal ones are equal in all that is compared."""
    nodes = {node["id"]: node | {"assigned_jobs": sorted(node["assigned_jobs"])} for node in message.get("nodes", ())}
    return message | {"nodes": nodes}


class Recorded:
    """The other side of a recorded dialogue: compares what is said, and answers what was answered."""

    def __init__(self, case: Path, tolerance: float) -> None:
        self.lines = lines_of(case)
        self.at = 0
        self.tolerance = tolerance
        self.finished = False

    def start(self) -> None:
        """Nothing to be done."""

    def _compare(self, message: bytes) -> None:
        said = msgspec.json.decode(message)
        if self.at >= len(self.lines):
            raise Differs(f"message {self.at}: nothing more was said, but {str(said)[:300]}")
        who, text = self.lines[self.at]
        assert who == "E", self.at
        expected = msgspec.json.decode(text)
        found = [] if by_place(said) == by_place(expected) else differences(said, expected, self.tolerance)
        if found:
            raise Differs(f"message {self.at} at {said.get('time')}: " + "\n   ".join(found[:12]))
        self.at += 1

    def ask(self, message: bytes, now: float) -> bytes:
        """The recorded answer."""
        self._compare(message)
        if self.at >= len(self.lines):
            raise Differs("no answer was recorded")
        _, text = self.lines[self.at]
        self.at += 1
        return text.encode()

    def tell(self, message: bytes) -> None:
        """The farewell."""
        if self.at < len(self.lines):
            self._compare(message)
        self.finished = True

    def stop(self) -> None:
        """Nothing to be done."""


@contextmanager
def inside(folder: Path):
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def replay(case: Path, out: Path | None = None, tolerance: float | None = None, peer=None):
    """Play a case; returns (recorded peer, simulation, error or None). With ``out``, files are written below it."""
    inputs = b"".join(path.read_bytes() for path in case.glob("*.xml"))
    if tolerance is None:
        tolerance = 1e-6 if b"node_local_bb" in inputs else 1e-9
    peer = peer or Recorded(case, tolerance)
    simulation = None
    try:
        with inside(case), ExitStack() as files:
            config = read_configuration(Path("config.json"))
            platform, jobs = prepare(config)
            if out is not None:
                os.chdir(out)
                (out / "out").mkdir(exist_ok=True)
            else:
                config = replace(
                    config, job_statistics=os.devnull, node_utilization=os.devnull, task_times=os.devnull
                )
            sensing = sensing_of(config, platform, files) if out is not None else None
            simulation = simulation_of(config, platform, jobs, peer, files, faithful=True)
            play(simulation, sensing, config.sensing_interval)
    except WindtunnelError as error:
        if isinstance(error, ComponentError) and isinstance(error.__cause__, Differs):
            raise error.__cause__ from None
        return peer, simulation, error
    return peer, simulation, None


def main() -> None:
    """Say of each case named how it went; without a name, of all."""
    root = Path(os.environ["WINDTUNNEL_SHARED"]) / "golden" / "elastisim"
    names = sys.argv[1:] or [str(path.parent.relative_to(root)) for path in sorted(root.glob("*/*/case.json"))]
    good = 0
    for name in names:
        case = root / name
        about = json.loads((case / "case.json").read_text())
        try:
            peer, _, error = replay(case)
        except Differs as fault:
            print(f"DIFFERS {name} ({about['exit']}): {fault}")
            continue
        except Exception as fault:
            if len(names) == 1:
                raise
            print(f"CRASHED {name} ({about['exit']}): {type(fault).__name__} {fault}")
            continue
        ended = peer.at == len(peer.lines)
        if error is None and ended and about["exit"] == 0:
            good += 1
        elif error is not None and about["exit"] != 0 and ended:
            good += 1
            if len(names) < 5:
                print(f"refused {name}: {error}")
        else:
            print(f"OTHER   {name} ({about['exit']}): at {peer.at}/{len(peer.lines)}: {str(error)[:400]}")
    print(good, "of", len(names))


if __name__ == "__main__":
    main()
