"""The schedulers shipped with the project: name, one-line description, and where they are."""

from typing import Final

import msgspec

__all__ = ["BATSCHED", "PYBATSIM", "SHIPPED", "Shipped"]


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
    "conservative-batsched": _ours(
        "batsched.conservative_bf",
        "ConservativeBatsched",
        "batsched's conservative_bf: reservations of particular hosts, compressed at ends",
        _BATSCHED,
    ),
    "easy-batsched": _ours(
        "batsched.easy_bf",
        "EasyBatsched",
        "batsched's easy_bf: EASY with a reservation of particular hosts",
        _BATSCHED,
    ),
    "easy_bf_plot_liquid_load_horizon": _ours(
        "batsched.easy_bf_plot", "EasyPlotBatsched", "easy_bf that writes the load of the queue to a file", _BATSCHED
    ),
    "easy_fast-batsched": _ours(
        "batsched.easy_bf_fast", "EasyFastBatsched", "batsched's easy_bf_fast: EASY without extra hosts", _BATSCHED
    ),
    "energy_bf": _ours(
        "batsched.energy_bf", "EnergyBf", "conservative backfilling that puts idle hosts to sleep", _BATSCHED
    ),
    "energy_bf_dicho": _ours(
        "batsched.energy_bf",
        "EnergyDicho",
        "puts hosts to sleep as far as a bound on the mean slowdown allows",
        _BATSCHED,
    ),
    "energy_bf_monitoring": _ours(
        "batsched.energy_bf", "EnergyMonitoring", "energy_bf that is called periodically, for ever", _BATSCHED
    ),
    "energy_bf_idle_sleeper": _ours(
        "batsched.energy_sleepers", "EnergyIdleSleeper", "EASY; hosts that are idle for long sleep", _BATSCHED
    ),
    "energy_bf_monitoring_inertial": _ours(
        "batsched.energy_inertial",
        "EnergyInertial",
        "EASY; how many hosts sleep follows the load",
        _BATSCHED,
    ),
    "energy_bf_subpart_sleeper": _ours(
        "batsched.energy_sleepers", "EnergySubpartSleeper", "EASY; only a part of the machine stays awake", _BATSCHED
    ),
    "energy_watcher": _ours(
        "batsched.energy_watcher", "EnergyWatcher", "one job at a time; asks for energy and checks it", _BATSCHED
    ),
    "fcfs-batsched": _ours("batsched.fcfs", "FcfsBatsched", "batsched's fcfs", _BATSCHED),
    "fcfs_fast-batsched": _ours("batsched.fcfs", "FcfsFastBatsched", "batsched's fcfs_fast", _BATSCHED),
    "filler-batsched": _ours(
        "batsched.filler", "FillerBatsched", "batsched's filler: first fit, with executors by number", _BATSCHED
    ),
    "killer": _ours("batsched.killer", "Killer", "starts one job per message, and has each killed", _BATSCHED),
    "killer2": _ours("batsched.killer", "Killer2", "each arrival kills the running job", _BATSCHED),
    "rejecter": _ours("batsched.rejecter", "Rejecter", "rejects every job", _BATSCHED),
    "sequencer": _ours("batsched.sequencer", "Sequencer", "one job at a time, on the lowest hosts", _BATSCHED),
    "sleeper": _ours("batsched.sleeper", "Sleeper", "one job at a time; hosts without work sleep", _BATSCHED),
    "submitter": _ours("batsched.submitter", "Submitter", "registers jobs of its own", _BATSCHED),
    "waiting_time_estimator": _ours(
        "batsched.rejecter", "WaitingTimeEstimator", "answers every question for a waiting time with -1", _BATSCHED
    ),
    # Batsim 5's
    "easy-batsim5": _ours("batsim5.easy", "EasyBatsim5", "Batsim 5's easy, with its 32-bit comparisons", _BATSIM5),
    "fcfs-batsim5": _ours("batsim5.fcfs", "FcfsBatsim5", "Batsim 5's fcfs", _BATSIM5),
    # pybatsim's
    "easyBackfill-pybatsim": _ours(
        "pybatsim.easy_backfill",
        "EasyBackfillPybatsim",
        "pybatsim's easyBackfill: EASY on consecutive hosts",
        _PYBATSIM,
    ),
    "schedEasySjfBackfill-pybatsim": _ours(
        "pybatsim.runs", "EasySjfPybatsim", "pybatsim's schedEasySjfBackfill: EASY, shortest job first", _PYBATSIM
    ),
    "schedFcfs-pybatsim": _ours(
        "pybatsim.runs", "FcfsPybatsim", "pybatsim's schedFcfs: on consecutive hosts", _PYBATSIM
    ),
    "schedFiller-pybatsim": _ours(
        "pybatsim.runs", "FillerPybatsim", "pybatsim's schedFiller: first fit on consecutive hosts", _PYBATSIM
    ),
}
"""By the name given to ``--scheduler``."""

BATSCHED: Final[dict[str, str]] = {
    "conservative_bf": "conservative-batsched",
    "easy_bf": "easy-batsched",
    "easy_bf_fast": "easy_fast-batsched",
    "easy_bf_plot_liquid_load_horizon": "easy_bf_plot_liquid_load_horizon",
    "energy_bf": "energy_bf",
    "energy_bf_dicho": "energy_bf_dicho",
    "energy_bf_monitoring": "energy_bf_monitoring",
    "energy_bf_idle_sleeper": "energy_bf_idle_sleeper",
    "energy_bf_monitoring_inertial": "energy_bf_monitoring_inertial",
    "energy_bf_subpart_sleeper": "energy_bf_subpart_sleeper",
    "energy_watcher": "energy_watcher",
    "fcfs": "fcfs-batsched",
    "fcfs_fast": "fcfs_fast-batsched",
    "filler": "filler-batsched",
    "killer": "killer",
    "killer2": "killer2",
    "rejecter": "rejecter",
    "sequencer": "sequencer",
    "sleeper": "sleeper",
    "submitter": "submitter",
    "waiting_time_estimator": "waiting_time_estimator",
}
"""batsched's own names of variants (``-v``) -> ours."""

PYBATSIM: Final[dict[str, str]] = {
    name: f"{name}-pybatsim" for name in ("easyBackfill", "schedEasySjfBackfill", "schedFcfs", "schedFiller")
}
"""pybatsim's own names of schedulers -> ours."""
