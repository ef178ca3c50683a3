"""Runs the campaign: ``python -m tests.campaign.run --budget 600 --seed 1``, or ``--rounds 400`` for the same cases.

Every case is a generator and a number: the same number makes the same case. A case fails when anything but an error
of ours is raised, or when it takes longer than :data:`LONGEST` seconds of the process's own time.
"""

import argparse
import faulthandler
import hashlib
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from random import Random

from tests.campaign.mutations import mutated, smaller
from tests.campaign.readers import READERS
from tests.campaign.systems import SYSTEMS

KEPT = Path(__file__).with_name("kept")
LONGEST = 20.0
"""Seconds of CPU of one case."""
MEMORY = 6 << 30


class HangError(BaseException):
    """A case takes too long."""


def _hangs(number: int, frame: object) -> None:
    raise HangError


def names() -> list[str]:
    """All generators."""
    return [*READERS, *SYSTEMS]


def case(name: str, seed: int) -> bytes:
    """The bytes of a case of a reader; those of other generators have none."""
    return mutated(READERS[name][0], Random(f"{name} {seed}")) if name in READERS else b""


def fault(name: str, data: bytes, seed: int = 0) -> str:
    """What is wrong with how a case is met; "" when nothing is."""
    folder = Path(tempfile.mkdtemp(prefix="campaign-"))
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
    try:
        if name in READERS:
            READERS[name][1](data, folder)
        else:
            SYSTEMS[name](data, folder, Random(f"{name} {seed}"))
    except HangError:
        return f"took more than {LONGEST:g} s: " + traceback.format_exc()[-1500:]
    except BaseException:  # noqa: BLE001 -- that is what is looked for
        return traceback.format_exc()[-3000:]
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        shutil.rmtree(folder, ignore_errors=True)
    return ""


def keep(name: str, data: bytes, seed: int) -> Path:
    """Keep a failing case, made smaller, for the tests."""
    KEPT.mkdir(exist_ok=True)
    if name not in READERS:
        path = KEPT / f"{name}-{seed}"
        path.write_bytes(str(seed).encode())
        return path
    data = smaller(data, lambda shorter: bool(fault(name, shorter)))
    path = KEPT / f"{name}-{hashlib.sha256(data).hexdigest()[:12]}"
    path.write_bytes(data)
    return path


def main() -> int:
    """Run until the budget or the rounds are used up; 1 if anything was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--budget", type=float, default=60.0, help="seconds of the wall clock")
    parser.add_argument("--rounds", type=int, help="so many cases of each generator, instead of a budget")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="generators whose names begin so")
    parser.add_argument("--keep", action="store_true", help="keep failing cases for the tests")
    options = parser.parse_args()
    faulthandler.enable()
    signal.signal(signal.SIGVTALRM, _hangs)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    chosen = [name for name in names() if name.startswith(options.only)]
    found: dict[str, int] = {}
    counts = dict.fromkeys(chosen, 0)
    end = time.monotonic() + options.budget
    number = options.seed * 1_000_000
    last = None if options.rounds is None else number + options.rounds
    while time.monotonic() < end if last is None else number < last:
        for name in chosen:
            data = case(name, number)
            said = fault(name, data, number)
            counts[name] += 1
            if said:
                where = said.strip().splitlines()
                line = next((text for text in reversed(where) if "windtunnel/" in text), "")
                key = f"{name}: {line.strip()}: {where[-1][:200]}"
                if key not in found:
                    print(f"--- {name} {number}\n{said}", flush=True)
                    if options.keep:
                        print(f"kept: {keep(name, data, number)}", flush=True)
                found[key] = found.get(key, 0) + 1
        number += 1
    print(
        f"{sum(counts.values())} cases of {len(chosen)} generators, seeds {options.seed * 1_000_000} to {number - 1}"
    )
    for key, count in sorted(found.items(), key=lambda item: -item[1]):
        print(f"{count:6} {key}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
