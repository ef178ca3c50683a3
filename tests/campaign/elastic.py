"""Cases of the campaign about jobs that change size: ElastiSim's files, and both ends of its wire."""

import contextlib
import json
import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from random import Random

from msgspec.structs import replace
from tests.campaign.mutations import mutated
from tests.campaign.readers import _quiet
from tests.elastisim_files import FILES

from windtunnel.cli.elastisim import play, prepare, simulation_of
from windtunnel.diagnostics import ComponentError, WindtunnelError
from windtunnel.formats.elastisim.configuration import read_configuration
from windtunnel.schedulers.elastic import policies
from windtunnel.schedulers.elastic.moldable_easy import MoldableEasy
from windtunnel.schedulers.fcfs import Fcfs
from windtunnel.wires.elastisim.codes import SCHEDULED
from windtunnel.wires.elastisim.driving import ElastisimScheduler

POLICIES = [
    policies.AverageSteal,
    policies.Equipartition,
    policies.ExpandIntoIdle,
    policies.KeepPreferred,
    policies.ShrinkToStart,
    policies.StealAndAgree,
    MoldableEasy,
    Fcfs,
]
MOST = 200
"""Messages of a case."""


class _Over:
    """An algorithm that is a scheduler of ours; what it is told, or what it says, is changed at one place."""

    def __init__(self, random: Random, where: str) -> None:
        self.random = random
        self.where = where
        self.rank = random.randrange(12)
        self.asked = 0
        self.wire = ElastisimScheduler(random.choice(POLICIES)())

    def start(self) -> None:
        """Nothing to do."""

    def stop(self) -> None:
        """Nothing to do."""

    def ask(self, message: bytes, now: float) -> bytes:
        """Its answer."""
        del now
        self.asked += 1
        if self.asked > MOST:
            return b"enough"
        changed = self.asked == self.rank
        answer = self.wire.answer(mutated(message, self.random) if changed and self.where == "told" else message)
        answer = answer or json.dumps({"code": SCHEDULED, "jobs": []}).encode()
        return mutated(answer, self.random) if changed and self.where == "said" else answer

    def tell(self, message: bytes) -> None:
        """The farewell."""
        self.wire.answer(message)


def _blamed(call: Callable[[], None]) -> None:
    """What a component of ours raised is a fault, however well it is told."""
    try:
        call()
    except ComponentError as error:
        cause = error.__cause__
        if cause is not None and not isinstance(cause, WindtunnelError):
            raise AssertionError(str(error)) from cause
        raise


def _played(folder: Path, random: Random, where: str) -> None:
    with contextlib.chdir(folder), ExitStack() as files:
        config = read_configuration(Path("config.json"))
        site, jobs = prepare(config)
        config = replace(config, job_statistics=os.devnull, node_utilization=os.devnull, task_times=os.devnull)
        play(simulation_of(config, site, jobs, _Over(random, where), files), None, 0.0)


def _written(folder: Path, change: str, random: Random) -> None:
    for name, text in FILES.items():
        data = text.encode()
        (folder / name).write_bytes(mutated(data, random) if name == change else data)


def elastic_files(data: bytes, folder: Path, random: Random) -> None:
    """ElastiSim's files with one of them changed: refused, or played to its end."""
    del data
    _written(folder, random.choice(sorted(FILES)), random)
    _quiet(lambda: _blamed(lambda: _played(folder, random, "")))


def elastic_dialogues(data: bytes, folder: Path, random: Random) -> None:
    """One message, or one answer, of a dialogue is changed."""
    del data
    _written(folder, "", random)
    _quiet(lambda: _blamed(lambda: _played(folder, random, random.choice(("told", "said")))))
