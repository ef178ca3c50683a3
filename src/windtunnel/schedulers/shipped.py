"""The schedulers shipped with the project: name, one-line description, and where they are."""

from typing import Final

import msgspec

__all__ = ["ALIASES", "BATSCHED", "PYBATSIM", "SHIPPED", "Shipped"]


class Shipped(msgspec.Struct, frozen=True):
    """One shipped scheduler; ``source`` says whose rules it follows."""

    module: str
    attribute: str
    description: str
    source: str


def _ours(module: str, attribute: str, description: str, source: str = "windtunnel") -> Shipped:
    return Shipped(f"windtunnel.schedulers.{module}", attribute, description, source)


_LITERATURE = "literature"
_BATSCHED = "batsched 1.4.0"
_BATSIM5 = "Batsim 5.0.0-rc2"
_PYBATSIM = "pybatsim 3.2.1"

SHIPPED: Final[dict[str, Shipped]] = {
    # ours
    "conservative": _ours(
        "conservative", "Conservative", "conservative backfilling: nobody's reservation is ever delayed", _LITERATURE
    ),
    "easy": _ours("easy", "Easy", "EASY backfilling: the first waiting job is never delayed", _LITERATURE),
    "energy-idle-sleeper": _ours(
        "energy_idle_sleeper", "EnergyIdleSleeper", "EASY; idle hosts are switched off, and on again for waiting jobs"
    ),
    "fcfs": _ours("fcfs", "Fcfs", "first come, first served; nothing overtakes", _LITERATURE),
    "filler": _ours("filler", "Filler", "first fit: whatever fits starts, in the order of the queue", _LITERATURE),
    "leases": Shipped(
        "windtunnel.leases.component",
        "LeaseManager",
        "Haizea's lease manager: best-effort, reserved, immediate and deadline leases, with suspension and images",
        "Haizea 1.1",
    ),
    # of environments
    "stage-scheduler": _ours(
        "stage", "Stage", "selection x placement: in which order jobs are tried, and on which machine", "OpenDC 1.x"
    ),
    "datacenters": _ours(
        "datacenters", "Datacenters", "the schedulers that an environment names, one per datacenter, with changes"
    ),
    # batsched's, decision by decision
    "batsched/conservative_bf": _ours(
        "batsched.conservative_bf",
        "ConservativeBatsched",
        "batsched's conservative_bf: reservations of particular hosts, compressed at ends",
        _BATSCHED,
    ),
    "batsched/easy_bf": _ours(
        "batsched.easy_bf",
        "EasyBatsched",
        "batsched's easy_bf: EASY with a reservation of particular hosts",
        _BATSCHED,
    ),
    "batsched/easy_bf_plot_liquid_load_horizon": _ours(
        "batsched.easy_bf_plot",
        "EasyPlotBatsched",
        "batsched/easy_bf that writes the load of the queue to a file",
        _BATSCHED,
    ),
    "batsched/easy_bf_fast": _ours(
        "batsched.easy_bf_fast", "EasyFastBatsched", "batsched's easy_bf_fast: EASY without extra hosts", _BATSCHED
    ),
    "batsched/energy_bf": _ours(
        "batsched.energy_bf", "EnergyBf", "conservative backfilling that puts idle hosts to sleep", _BATSCHED
    ),
    "batsched/energy_bf_dicho": _ours(
        "batsched.energy_bf",
        "EnergyDicho",
        "puts hosts to sleep as far as a bound on the mean slowdown allows",
        _BATSCHED,
    ),
    "batsched/energy_bf_monitoring": _ours(
        "batsched.energy_bf",
        "EnergyMonitoring",
        "batsched/energy_bf that is called periodically, for ever",
        _BATSCHED,
    ),
    "batsched/energy_bf_idle_sleeper": _ours(
        "batsched.energy_sleepers", "EnergyIdleSleeper", "EASY; hosts that are idle for long sleep", _BATSCHED
    ),
    "batsched/energy_bf_monitoring_inertial": _ours(
        "batsched.energy_inertial",
        "EnergyInertial",
        "EASY; how many hosts sleep follows the load",
        _BATSCHED,
    ),
    "batsched/energy_bf_subpart_sleeper": _ours(
        "batsched.energy_sleepers", "EnergySubpartSleeper", "EASY; only a part of the machine stays awake", _BATSCHED
    ),
    "batsched/energy_watcher": _ours(
        "batsched.energy_watcher", "EnergyWatcher", "one job at a time; asks for energy and checks it", _BATSCHED
    ),
    "batsched/fcfs": _ours("batsched.fcfs", "FcfsBatsched", "batsched's fcfs", _BATSCHED),
    "batsched/fcfs_fast": _ours("batsched.fcfs", "FcfsFastBatsched", "batsched's fcfs_fast", _BATSCHED),
    "batsched/filler": _ours(
        "batsched.filler", "FillerBatsched", "batsched's filler: first fit, with executors by number", _BATSCHED
    ),
    "batsched/killer": _ours(
        "batsched.killer", "Killer", "starts one job per message, and has each killed", _BATSCHED
    ),
    "batsched/killer2": _ours("batsched.killer", "Killer2", "each arrival kills the running job", _BATSCHED),
    "batsched/rejecter": _ours("batsched.rejecter", "Rejecter", "rejects every job", _BATSCHED),
    "batsched/sequencer": _ours(
        "batsched.sequencer", "Sequencer", "one job at a time, on the lowest hosts", _BATSCHED
    ),
    "batsched/sleeper": _ours(
        "batsched.sleeper", "Sleeper", "one job at a time; hosts without work sleep", _BATSCHED
    ),
    "batsched/submitter": _ours("batsched.submitter", "Submitter", "registers jobs of its own", _BATSCHED),
    "batsched/waiting_time_estimator": _ours(
        "batsched.rejecter", "WaitingTimeEstimator", "answers every question for a waiting time with -1", _BATSCHED
    ),
    # Batsim 5's
    "batsim5/easy": _ours("batsim5.easy", "EasyBatsim5", "Batsim 5's easy, with its 32-bit comparisons", _BATSIM5),
    "batsim5/fcfs": _ours("batsim5.fcfs", "FcfsBatsim5", "Batsim 5's fcfs", _BATSIM5),
    # pybatsim's
    "pybatsim/easyBackfill": _ours(
        "pybatsim.easy_backfill",
        "EasyBackfillPybatsim",
        "pybatsim's easyBackfill: EASY on consecutive hosts",
        _PYBATSIM,
    ),
    "pybatsim/schedEasySjfBackfill": _ours(
        "pybatsim.runs", "EasySjfPybatsim", "pybatsim's schedEasySjfBackfill: EASY, shortest job first", _PYBATSIM
    ),
    "pybatsim/schedFcfs": _ours(
        "pybatsim.runs", "FcfsPybatsim", "pybatsim's schedFcfs: on consecutive hosts", _PYBATSIM
    ),
    "pybatsim/schedFiller": _ours(
        "pybatsim.runs", "FillerPybatsim", "pybatsim's schedFiller: first fit on consecutive hosts", _PYBATSIM
    ),
}
"""By the name given to ``--scheduler``."""

BATSCHED: Final[dict[str, str]] = {
    name.removeprefix("batsched/"): name for name in SHIPPED if name.startswith("batsched/")
}
"""batsched's own names of variants (``-v``) -> ours."""

PYBATSIM: Final[dict[str, str]] = {
    name.removeprefix("pybatsim/"): name for name in SHIPPED if name.startswith("pybatsim/")
}
"""pybatsim's own names of schedulers -> ours."""

ALIASES: Final[dict[str, str]] = {
    **{name: ours for name, ours in (BATSCHED | PYBATSIM).items() if name not in SHIPPED},
    "conservative-batsched": "batsched/conservative_bf",
    "easy-batsched": "batsched/easy_bf",
    "easy_fast-batsched": "batsched/easy_bf_fast",
    "fcfs-batsched": "batsched/fcfs",
    "fcfs_fast-batsched": "batsched/fcfs_fast",
    "filler-batsched": "batsched/filler",
    "easy-batsim5": "batsim5/easy",
    "fcfs-batsim5": "batsim5/fcfs",
    **{f"{name}-pybatsim": ours for name, ours in PYBATSIM.items()},
}
"""Names that schedulers had before they were named by origin -> their present ones; understood through 0.2."""
