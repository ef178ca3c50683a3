"""A study for users: made in Python or read from a file, then run, on this machine or a cluster."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from windtunnel.diagnostics import UsageError
from windtunnel.studies.driver import Progress, drive
from windtunnel.studies.executors.choice import executor_for
from windtunnel.studies.faults import Faults
from windtunnel.studies.frame import RESERVED
from windtunnel.studies.plan import Plan, look_at_parts, plan_of
from windtunnel.studies.reading import read_words
from windtunnel.studies.results import StudyResults
from windtunnel.studies.toml_file import read_toml

__all__ = ["Study", "load_study", "read_study", "study"]


class Study:
    """Many runs: platforms x workloads x parameters x seeds x failures x engine options x schedulers."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def __len__(self) -> int:
        return len(self.plan.points)

    def __repr__(self) -> str:
        return f"<Study {self.plan.name or 'without a name'}: {len(self):,} points>"

    def run(
        self,
        out: str | Path,
        *,
        jobs: int = 1,
        on: str = "",
        again: bool = False,
        progress: Callable[[Progress], None] = lambda _: None,
    ) -> StudyResults:
        """Simulate all points without results in the directory ``out`` so far, and return all results.

        A study that was interrupted, for any reason, resumes where it stopped. Points that have changed since (a
        file, an option, the code) are simulated again.

        Args:
            out: the directory of the study.
            jobs: the number of processes to use on this machine; 1: only this one. With ``slurm``: the number of
                workers to request.
            on: run on a cluster instead: ``dask://HOST:PORT``, ``ray://HOST:PORT`` or ``slurm``.
            again: simulate failed points again.
            progress: called after each point with the progress of the study.

        Raises:
            UsageError: the directory or the cluster cannot be used.
            MissingExtraError: the client of the cluster is not installed.
            SimulationError: the disk is full.
        """
        make = executor_for(self.plan.context, jobs, on)
        drive(self.plan, Path(out), make, again=again, progress=progress)
        return StudyResults.load(out)


def study(name: str = "", /, *, schedulers: Any, workloads: Any, **words: Any) -> Study:
    """Make a study. Each argument is one value or a list; docs/guides/studies.md describes all of them.

    Args:
        name: the name of the study.
        schedulers: registered names, ``module:Class``, ``file.py:Class``, classes or functions; or tables such as
            ``{"scheduler": "easy", "label": "mine", "options": {...}}``.
        workloads: files, descriptions such as ``lublin:1000?seed={seed}`` or workloads; or tables with ``workload``,
            ``label``, ``options`` and ``operations``. A list instead of a workload: several that run together.
        words: ``platforms`` (default: the hosts that each workload says it needs), ``operations``, ``parameters``,
            ``seeds``, ``design``, ``samples``, ``design_seed``, ``points``, ``failures``, ``engine``, ``events``,
            ``energy``, ``carbon``, ``price``, ``generation``, ``export_price``, ``power_cap``, ``pue``,
            ``second_zero``, ``supply``, ``battery``, ``share_hosts``, ``warm_up``, ``cool_down``, ``until``,
            ``job_tables``.

    Raises:
        InputError: the study is invalid; every fault is reported.
    """
    given = {"schedulers": schedulers, "workloads": workloads, **words}
    if name:
        given["name"] = name
    return _study(given, Faults("the study"), Path.cwd(), {}, data=False)


def read_study(path: str | Path, schedulers: Mapping[str, Any] | None = None) -> Study:
    """Read a study from a TOML file. The files it names are relative to it.

    Args:
        path: the file.
        schedulers: what scheduler names in the file stand for: ``file.py:Class``, ``module:Class`` or a class.

    Raises:
        UsageError: the file cannot be read.
        InputError: the study is invalid; every fault is reported, with its place.
    """
    given, faults = read_toml(Path(path))
    return _study(given, faults, Path(path).absolute().parent, schedulers or {}, data=True)


def _study(given: Mapping[str, Any], faults: Faults, folder: Path, own: Mapping[str, Any], *, data: bool) -> Study:
    words = read_words(given, faults, data=data, reserved=RESERVED)
    if faults:
        look_at_parts(words, faults, folder, own)
    faults.raise_if_any()
    return Study(plan_of(words, faults, folder, own))


def load_study(path: str | Path) -> StudyResults:
    """The results of a study so far, from its directory.

    Raises:
        UsageError: there is no study, or it is damaged.
    """
    if not isinstance(path, str | os.PathLike) or not str(path):
        raise UsageError(f"a study is named by its directory, not by {path!r}")
    return StudyResults.load(path)
