"""The engine's side of each decision component: what it asked for, and what it has still to be told."""

from typing import Any

from mypy_extensions import mypyc_attr

from windtunnel.vocabulary import Features

__all__ = ["Session"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Session:
    """The engine's side of one decision component."""

    def __init__(self, rank: int, name: str) -> None:
        self.rank = rank
        self.name = name
        self.features = Features()
        self.forwards_profiles = False
        """Whether it is told of jobs with their profiles."""
        self.outbox: list[Any] = []
        """Notices; records of jobs where it is told in brief."""
        self.brief = False
        """Whether it is told in brief, for the time being, of jobs that have been submitted or are over."""
        self.apart: list[Any] = []
        """Notices of the present instant that are told in a message of their own, after the others."""
        self.ready_at = 0.0
        """When it has finished deciding (simulated s)."""
        self.follows_others = False
        """Whether it hears what other components start, reject and switch."""
        self.follows_phases = False
        """Whether it hears when jobs begin their phases or go on, and which GPUs are in use."""
        self.registering = False
        """Whether it may still register jobs, which keeps the run from ending."""
        self.calls: dict[str, Any] = {}
        """Its periodic calls, by id."""
        self.calls_once: dict[str, Any] = {}
        """Its calls that happen once, by id."""
        self.probes: dict[str, Any] = {}
        """Its probes, by id."""
        self.scheduling_time = 0.0
        """Wall-clock seconds spent waiting for it."""
