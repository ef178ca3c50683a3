"""What is shipped and can be named on the command line, in Python and in data: the schedulers.

Nothing of it is imported before it is asked for.
"""

from windtunnel.listings import Listed

TYPE_CHECKING = False  # as in listings
if TYPE_CHECKING:
    from typing import Final

__all__ = ["SCHEDULERS"]

_HERE: "Final" = "windtunnel.schedulers"
_LITERATURE: "Final" = "literature"
_BATSCHED: "Final" = "batsched 1.4.0"
_BATSIM5: "Final" = "Batsim 5.0.0-rc2"
_PYBATSIM: "Final" = "pybatsim 3.2.1"

SCHEDULERS: "Final[dict[str, Listed]]" = {
    # ours
    "conservative": Listed(
        f"{_HERE}.conservative:Conservative",
        "conservative backfilling: nobody's reservation is ever delayed",
        _LITERATURE,
    ),
    "capped-easy": Listed(
        f"{_HERE}.capped_easy:CappedEasy", "EASY under a power cap that may change over time", "windtunnel"
    ),
    "carbon-easy": Listed(
        f"{_HERE}.carbon_easy:CarbonEasy",
        "EASY; jobs are held back until the hours of least carbon (or price) within a delay",
        "windtunnel",
    ),
    "easy": Listed(f"{_HERE}.easy:Easy", "EASY backfilling: the first waiting job is never delayed", _LITERATURE),
    "energy-idle-sleeper": Listed(
        f"{_HERE}.energy_idle_sleeper:EnergyIdleSleeper",
        "EASY; idle hosts are switched off, and on again for waiting jobs",
        "windtunnel",
    ),
    "fcfs": Listed(f"{_HERE}.fcfs:Fcfs", "first come, first served; nothing overtakes", _LITERATURE),
    "filler": Listed(
        f"{_HERE}.filler:Filler", "first fit: whatever fits starts, in the order of the queue", _LITERATURE
    ),
    "leases": Listed(
        "windtunnel.leases.component:LeaseManager",
        "Haizea's lease manager: best-effort, reserved, immediate and deadline leases, with suspension and images",
        "Haizea 1.1",
    ),
    "slurm": Listed(
        f"{_HERE}.slurm.component:Slurm",
        "Slurm's main and backfill loops with its partitions, priorities, limits and preemption, on its own site",
        "Slurm 22.05.8",
    ),
    # of environments
    "stage-scheduler": Listed(
        f"{_HERE}.stage:Stage",
        "selection x placement: in which order jobs are tried, and on which machine",
        "OpenDC 1.x",
    ),
    "datacenters": Listed(
        f"{_HERE}.datacenters:Datacenters",
        "the schedulers that an environment names, one per datacenter, with changes",
        "windtunnel",
    ),
    # for jobs that may change size
    "elastic/average-steal": Listed(
        f"{_HERE}.elastic.policies:AverageSteal",
        "elastic: jobs above the average size shrink to it when others wait",
        "windtunnel",
    ),
    "elastic/equipartition": Listed(
        f"{_HERE}.elastic.policies:Equipartition",
        "elastic: every job has an equal part of the hosts",
        "McCann, Vaswani & Zahorjan, TOCS 1993",
    ),
    "elastic/expand-into-idle": Listed(
        f"{_HERE}.elastic.policies:ExpandIntoIdle",
        "elastic: jobs grow into hosts that nobody waits for",
        "windtunnel",
    ),
    "elastic/keep-preferred": Listed(
        f"{_HERE}.elastic.policies:KeepPreferred",
        "elastic: preferred sizes; hosts beyond them are lent",
        "windtunnel, after arXiv 2602.17318",
    ),
    "elastic/moldable-easy": Listed(
        f"{_HERE}.elastic.moldable_easy:MoldableEasy",
        "elastic: EASY that chooses sizes by estimated response",
        "Cirne & Berman, JPDC 2002",
    ),
    "elastic/shrink-to-start": Listed(
        f"{_HERE}.elastic.policies:ShrinkToStart",
        "elastic: running jobs shrink so that the first of the queue starts",
        "Buisson et al., CLUSTER 2007",
    ),
    "elastic/steal-and-agree": Listed(
        f"{_HERE}.elastic.policies:StealAndAgree",
        "elastic: idle hosts are lent and stolen back, requests agreed to",
        "Prabhakaran et al., IPDPS 2015",
    ),
    # learned
    "learned/linear": Listed(
        f"{_HERE}.learned.linear:LinearPolicy",
        "a policy that was learned: the job with the largest weighted sum of its features is chosen",
        "windtunnel",
    ),
    # of the literature, by name
    "literature/easy++": Listed(
        f"{_HERE}.literature.policies:EasyPlusPlus",
        "EASY++: planned by the last two run times of each user, the shortest overtake first",
        "Tsafrir, Etsion & Feitelson, TPDS 2007",
    ),
    "literature/easy-relaxed": Listed(
        f"{_HERE}.literature.policies:RelaxedEasy",
        "EASY in which the first job may be delayed by a part of its wait",
        "Ward, Mahood & West, JSSPP 2002",
    ),
    "literature/easy-sjbf": Listed(
        f"{_HERE}.literature.policies:EasySJBF", "EASY in which the shortest jobs overtake first", _LITERATURE
    ),
    "literature/f1": Listed(
        f"{_HERE}.literature.policies:F1",
        "F1 of SC 2017: log10(r) n + 870 log10(s)",
        "Carastan-Santos & de Camargo, SC 2017",
    ),
    "literature/f2": Listed(
        f"{_HERE}.literature.policies:F2",
        "F2 of SC 2017: sqrt(r) n + 25600 log10(s)",
        "Carastan-Santos & de Camargo, SC 2017",
    ),
    "literature/f3": Listed(
        f"{_HERE}.literature.policies:F3",
        "F3 of SC 2017: r n + 6860000 log10(s)",
        "Carastan-Santos & de Camargo, SC 2017",
    ),
    "literature/f4": Listed(
        f"{_HERE}.literature.policies:F4",
        "F4 of SC 2017: r sqrt(n) + 530000 log10(s)",
        "Carastan-Santos & de Camargo, SC 2017",
    ),
    "literature/fair-share": Listed(
        f"{_HERE}.literature.fair_share:FairShareEasy",
        "EASY in the order of what users (or groups) have used lately, the least first",
        _LITERATURE,
    ),
    "literature/kept-reservations": Listed(
        f"{_HERE}.literature.kept_reservations:KeptReservations",
        "conservative backfilling, decided event by event",
        "Feitelson & Weil, IPPS 1998",
    ),
    "literature/laf": Listed(
        f"{_HERE}.literature.policies:LAF", "largest area (processors times requested time) first", _LITERATURE
    ),
    "literature/ljf": Listed(f"{_HERE}.literature.policies:LJF", "longest job first", _LITERATURE),
    "literature/lookahead": Listed(
        f"{_HERE}.literature.lookahead:LookAhead",
        "EASY whose overtaking jobs are chosen together to use most hosts (LOS)",
        "Shmueli & Feitelson, JPDC 2005",
    ),
    "literature/lxf": Listed(f"{_HERE}.literature.policies:LXF", "largest expansion factor first", _LITERATURE),
    "literature/priority": Listed(
        f"{_HERE}.literature.priority:PriorityBackfilling",
        "any order, backfilling, prediction and correction of these, by options",
        _LITERATURE,
    ),
    "literature/probabilistic": Listed(
        f"{_HERE}.literature.probabilistic:Probabilistic",
        "a job overtakes if it is unlikely to delay the first of the queue",
        "Nissimov & Feitelson, JSSPP 2007",
    ),
    "literature/rlscheduler": Listed(
        f"{_HERE}.literature.rlscheduler:RLScheduler",
        "the rules of RLScheduler's simulator: a chosen job stays chosen",
        "RLScheduler, SC 2020",
    ),
    "literature/saf": Listed(
        f"{_HERE}.literature.policies:SAF", "smallest area (processors times requested time) first", _LITERATURE
    ),
    "literature/sc17": Listed(
        f"{_HERE}.literature.sc17:SC17",
        "the rules of the simulator of SC 2017: a window of the oldest jobs, F1 to F4 unrounded",
        "Carastan-Santos & de Camargo, SC 2017",
    ),
    "literature/sjf": Listed(f"{_HERE}.literature.policies:SJF", "shortest job first", _LITERATURE),
    "literature/slack": Listed(
        f"{_HERE}.literature.slack:SlackBased",
        "reservations that later jobs may push back by a bounded slack",
        "after Talby & Feitelson, IPPS 1999",
    ),
    "literature/unicep": Listed(
        f"{_HERE}.literature.policies:Unicep",
        "UNICEP: w / (log2(n) r), most first",
        "Tang, Lan, Desai & Buettner, CLUSTER 2009",
    ),
    "literature/wfp3": Listed(
        f"{_HERE}.literature.policies:WFP3",
        "WFP3: (w / r)^3 n, most first",
        "Tang, Lan, Desai & Buettner, CLUSTER 2009",
    ),
    # batsched's, decision by decision
    "batsched/conservative_bf": Listed(
        f"{_HERE}.batsched.conservative_bf:ConservativeBatsched",
        "batsched's conservative_bf: reservations of particular hosts, compressed at ends",
        _BATSCHED,
        ("conservative-batsched", "conservative_bf"),
    ),
    "batsched/easy_bf": Listed(
        f"{_HERE}.batsched.easy_bf:EasyBatsched",
        "batsched's easy_bf: EASY with a reservation of particular hosts",
        _BATSCHED,
        ("easy-batsched", "easy_bf"),
    ),
    "batsched/easy_bf_plot_liquid_load_horizon": Listed(
        f"{_HERE}.batsched.easy_bf_plot:EasyPlotBatsched",
        "batsched/easy_bf that writes the load of the queue to a file",
        _BATSCHED,
        ("easy_bf_plot_liquid_load_horizon",),
    ),
    "batsched/easy_bf_fast": Listed(
        f"{_HERE}.batsched.easy_bf_fast:EasyFastBatsched",
        "batsched's easy_bf_fast: EASY without extra hosts",
        _BATSCHED,
        ("easy_bf_fast", "easy_fast-batsched"),
    ),
    "batsched/energy_bf": Listed(
        f"{_HERE}.batsched.energy_bf:EnergyBf",
        "conservative backfilling that puts idle hosts to sleep",
        _BATSCHED,
        ("energy_bf",),
    ),
    "batsched/energy_bf_dicho": Listed(
        f"{_HERE}.batsched.energy_bf:EnergyDicho",
        "puts hosts to sleep as far as a bound on the mean slowdown allows",
        _BATSCHED,
        ("energy_bf_dicho",),
    ),
    "batsched/energy_bf_monitoring": Listed(
        f"{_HERE}.batsched.energy_bf:EnergyMonitoring",
        "batsched/energy_bf that is called periodically, indefinitely",
        _BATSCHED,
        ("energy_bf_monitoring",),
    ),
    "batsched/energy_bf_idle_sleeper": Listed(
        f"{_HERE}.batsched.energy_sleepers:EnergyIdleSleeper",
        "EASY; hosts that are idle for long sleep",
        _BATSCHED,
        ("energy_bf_idle_sleeper",),
    ),
    "batsched/energy_bf_monitoring_inertial": Listed(
        f"{_HERE}.batsched.energy_inertial:EnergyInertial",
        "EASY; how many hosts sleep follows the load",
        _BATSCHED,
        ("energy_bf_monitoring_inertial",),
    ),
    "batsched/energy_bf_subpart_sleeper": Listed(
        f"{_HERE}.batsched.energy_sleepers:EnergySubpartSleeper",
        "EASY; only a part of the machine stays awake",
        _BATSCHED,
        ("energy_bf_subpart_sleeper",),
    ),
    "batsched/energy_watcher": Listed(
        f"{_HERE}.batsched.energy_watcher:EnergyWatcher",
        "one job at a time; asks for energy and checks it",
        _BATSCHED,
        ("energy_watcher",),
    ),
    "batsched/fcfs": Listed(f"{_HERE}.batsched.fcfs:FcfsBatsched", "batsched's fcfs", _BATSCHED, ("fcfs-batsched",)),
    "batsched/fcfs_fast": Listed(
        f"{_HERE}.batsched.fcfs:FcfsFastBatsched",
        "batsched's fcfs_fast",
        _BATSCHED,
        ("fcfs_fast", "fcfs_fast-batsched"),
    ),
    "batsched/filler": Listed(
        f"{_HERE}.batsched.filler:FillerBatsched",
        "batsched's filler: first fit, with executors by number",
        _BATSCHED,
        ("filler-batsched",),
    ),
    "batsched/killer": Listed(
        f"{_HERE}.batsched.killer:Killer", "starts one job per message, and has each killed", _BATSCHED, ("killer",)
    ),
    "batsched/killer2": Listed(
        f"{_HERE}.batsched.killer:Killer2", "each arrival kills the running job", _BATSCHED, ("killer2",)
    ),
    "batsched/rejecter": Listed(f"{_HERE}.batsched.rejecter:Rejecter", "rejects every job", _BATSCHED, ("rejecter",)),
    "batsched/sequencer": Listed(
        f"{_HERE}.batsched.sequencer:Sequencer", "one job at a time, on the lowest hosts", _BATSCHED, ("sequencer",)
    ),
    "batsched/sleeper": Listed(
        f"{_HERE}.batsched.sleeper:Sleeper", "one job at a time; hosts without work sleep", _BATSCHED, ("sleeper",)
    ),
    "batsched/submitter": Listed(
        f"{_HERE}.batsched.submitter:Submitter", "registers jobs of its own", _BATSCHED, ("submitter",)
    ),
    "batsched/waiting_time_estimator": Listed(
        f"{_HERE}.batsched.rejecter:WaitingTimeEstimator",
        "answers every question for a waiting time with -1",
        _BATSCHED,
        ("waiting_time_estimator",),
    ),
    # Batsim 5's
    "batsim5/easy": Listed(
        f"{_HERE}.batsim5.easy:EasyBatsim5",
        "Batsim 5's easy, with its 32-bit comparisons",
        _BATSIM5,
        ("easy-batsim5",),
    ),
    "batsim5/fcfs": Listed(f"{_HERE}.batsim5.fcfs:FcfsBatsim5", "Batsim 5's fcfs", _BATSIM5, ("fcfs-batsim5",)),
    # pybatsim's
    "pybatsim/easyBackfill": Listed(
        f"{_HERE}.pybatsim.easy_backfill:EasyBackfillPybatsim",
        "pybatsim's easyBackfill: EASY on consecutive hosts",
        _PYBATSIM,
        ("easyBackfill", "easyBackfill-pybatsim"),
    ),
    "pybatsim/schedEasySjfBackfill": Listed(
        f"{_HERE}.pybatsim.runs:EasySjfPybatsim",
        "pybatsim's schedEasySjfBackfill: EASY, shortest job first",
        _PYBATSIM,
        ("schedEasySjfBackfill", "schedEasySjfBackfill-pybatsim"),
    ),
    "pybatsim/schedFcfs": Listed(
        f"{_HERE}.pybatsim.runs:FcfsPybatsim",
        "pybatsim's schedFcfs: on consecutive hosts",
        _PYBATSIM,
        ("schedFcfs", "schedFcfs-pybatsim"),
    ),
    "pybatsim/schedFiller": Listed(
        f"{_HERE}.pybatsim.runs:FillerPybatsim",
        "pybatsim's schedFiller: first fit on consecutive hosts",
        _PYBATSIM,
        ("schedFiller", "schedFiller-pybatsim"),
    ),
}
"""By the name given to ``--scheduler``; others' by whose they are and what they are called there."""
