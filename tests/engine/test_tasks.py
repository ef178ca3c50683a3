"""Every kind of profile in the engine, with durations computed by hand (100 MB/s links, cores of 1 Gf)."""

from copy import deepcopy
from math import inf

import pytest
from tests.engine.runs import simulate
from tests.engine.star import star

from windtunnel.diagnostics import DecisionError
from windtunnel.engine import Simulation
from windtunnel.model import (
    DelayProfile,
    ForkJoinCompositionProfile,
    HostSet,
    JobState,
    ParallelTaskDataStagingBetweenStoragesProfile,
    ParallelTaskHomogeneousProfile,
    ParallelTaskMergeCompositionProfile,
    ParallelTaskOnStorageHomogeneousProfile,
    ParallelTaskProfile,
    PlacementStrategy,
    ReceiveProfile,
    SendProfile,
    TraceReplayProfile,
    TraceType,
)
from windtunnel.model.profiles import GenerationStrategy
from windtunnel.testing import InvariantChecker, Scripted, job, sequence, workload
from windtunnel.vocabulary import (
    AdditionalIo,
    AtomicProgress,
    CallMeLater,
    DecisionRefused,
    Execute,
    ForkJoinProgress,
    JobsKilled,
    JobSubmitted,
    JobSuspended,
    KillJobs,
    MessageToJob,
    Observer,
    OneShot,
    ProfilePlacement,
    RequestedCall,
    ResumeJob,
    SequentialProgress,
    SuspendJob,
)

EACH = GenerationStrategy.DefinedAmountsUsedForEachValue
SPREAD = GenerationStrategy.DefinedAmountsSpreadUniformly
TOTAL = GenerationStrategy.Batsim4Total


def task(*flops, com=None, name="p", **fields):
    return ParallelTaskProfile(id=f"w0!{name}", computation_vector=flops or None, communication_matrix=com, **fields)


def alike(cpu=0.0, com=0.0, strategy=EACH, name="h"):
    return ParallelTaskHomogeneousProfile(
        id=f"w0!{name}", computation_amount=cpu, communication_amount=com, generation_strategy=strategy
    )


def on_storage(read=0.0, write=0.0, strategy=EACH, label="pfs"):
    return ParallelTaskOnStorageHomogeneousProfile(
        id="w0!s", bytes_to_read=read, bytes_to_write=write, generation_strategy=strategy, storage_name=label
    )


def staging(amount=3e8, source="pfs", target="nvme"):
    return ParallelTaskDataStagingBetweenStoragesProfile(
        id="w0!d", bytes_to_transfer=amount, emitter_storage_name=source, receiver_storage_name=target
    )


def fork(*parts, name="f", **fields):
    return ForkJoinCompositionProfile(id=f"w0!{name}", profile_ids=tuple(p.id for p in parts), **fields)


def merge(*parts, name="m", **fields):
    return ParallelTaskMergeCompositionProfile(id=f"w0!{name}", profile_ids=tuple(p.id for p in parts), **fields)


def delay(seconds, name="", code=0):
    return DelayProfile(id=f"w0!{name or f'delay{seconds:g}'}", delay=seconds, return_code=code)


def replay(kind, *traces):
    lines = tuple(tuple(tuple(line.split()) for line in trace) for trace in traces)
    return TraceReplayProfile(id="w0!t", trace_type=kind, filename="t", traces=lines)


def starting(hosts, **how):
    """A script that starts every job on these hosts as it comes."""

    def script(now, notices):
        return [Execute(n.job, HostSet.parse(hosts), **how) for n in notices if isinstance(n, JobSubmitted)]

    return script


def run(profile, hosts="0-1", *, parts=(), res=None, site=None, walltime=inf, options=None, **how):
    """One job: its row (state, finish) and what the component saw."""
    one = job(0, len(HostSet.parse(hosts)) if res is None else res, run=profile, walltime=walltime)
    component, checker, _ = simulate(
        starting(hosts, **how), workload(one, profiles=[*parts, profile]), site=site or star(), **(options or {})
    )
    return checker.rows[0], component


def lasts(profile, hosts="0-1", **how):
    row, _ = run(profile, hosts, **how)
    assert row[1] is JobState.COMPLETED_SUCCESSFULLY
    return row[3]


# -- parallel tasks -------------------------------------------------------------------------------------------------


def test_a_parallel_task_lasts_as_long_as_its_slowest_part():
    assert lasts(task(1e9, 3e9)) == pytest.approx(3.0)  # one core each, whatever the number of cores
    assert lasts(task(1e9, 0.0, com=(0.0, 2e8, 0.0, 0.0))) == pytest.approx(2.0)  # 2e8 B from 0 to 1
    assert lasts(task(com=(0.0, 2e8, 1e8, 0.0))) == pytest.approx(3.0)  # both directions share the links
    assert lasts(task(0.0, 0.0, com=(0.0,) * 4)) == 0.0
    assert lasts(task(com=(1e10, 0.0, 0.0, 0.0))) == pytest.approx(1.0)  # to itself: the loopback of 10 GB/s
    assert lasts(task(1e9, com=(1e12,)), "0") == pytest.approx(1.0)  # a single executor sends nothing


def test_a_latency_is_paid_once_and_bounds_the_rate():
    # 2 * 10 ms on the route; 1e7 B by the TCP window: at least 2 * 0.02 * 1e7 / 4194304 s.
    window = 2 * 0.02 * 1e7 / 4194304
    assert lasts(task(1e9, 1e9, com=(0.0, 1e7, 0.0, 0.0)), site=star(latency="10ms")) == pytest.approx(1.02)
    assert lasts(task(com=(0.0, 1e7, 0.0, 0.0)), site=star(latency="10ms")) == pytest.approx(0.02 + max(0.1, window))


@pytest.mark.parametrize(
    ("strategy", "cpu", "com", "hosts", "duration"),
    [
        (EACH, 1e9, 1e8, "0-1", 2.0),  # each link carries both directions
        (EACH, 3e9, 1e8, "0-1", 3.0),
        (EACH, 1e9, 1e8, "0-3", 6.0),  # 3 out and 3 in
        (EACH, 1e9, 1e8, "0", 1.0),
        (SPREAD, 2e9, 1e8, "0-1", 1.0),  # Batsim 5: 1e8 / 2 per pair
        (SPREAD, 8e9, 1.2e9, "0-3", 6.0),  # 1.2e9 / 12 per pair
        (SPREAD, 8e9, 0.0, "0-3", 2.0),
        (SPREAD, 2e9, 1e8, "0", 2.0),
        (TOTAL, 2e9, 1e8, "0-1", 1.0),  # Batsim 4: 1e8 / 2 per pair
        (TOTAL, 8e9, 1.2e9, "0-3", 18.0),  # 1.2e9 / 4 per pair
        (TOTAL, 8e9, 0.0, "0-3", 2.0),
    ],
)
def test_homogeneous_tasks_by_strategy(strategy, cpu, com, hosts, duration):
    assert lasts(alike(cpu, com, strategy), hosts) == pytest.approx(duration)


def test_amounts_for_all_make_a_job_moldable_and_others_do_not():
    assert lasts(alike(8e9, 0.0, TOTAL), "0-3", res=2) == pytest.approx(2.0)
    assert lasts(sequence("q", [alike(8e9, 0.0, SPREAD)]), "0-3", parts=[alike(8e9, 0.0, SPREAD)], res=2) == 2.0
    with pytest.raises(DecisionError, match="requests 2 hosts and is given 4"):
        run(alike(8e9), "0-3", res=2)


LOOSE = {"check_sizes": False, "compute_sharing": True}
"""As Batsim 5."""


# -- placement ------------------------------------------------------------------------------------------------------


def test_executors_are_placed_by_mapping():
    assert lasts(task(1e9, 1e9), "0", res=2, placement=(0, 0)) == pytest.approx(1.0)  # two cores
    assert lasts(task(*[1e9] * 6), "0", res=6, placement=(0,) * 6) == pytest.approx(3.0)  # six executors on two cores
    with pytest.raises(DecisionError, match="no executor of 'w0!h' is placed"):
        run(alike(1e9), "0-1", placement=(), options=LOOSE)
    with pytest.raises(DecisionError, match="requests 2 hosts and is given none"):
        run(alike(1e9), "", res=2, options=LOOSE)
    with pytest.raises(DecisionError, match="requests 1 hosts and is given none"):
        run(DelayProfile(id="w0!d", delay=9.0), "", res=1, options=LOOSE)
    swapped = task(1e9, 5e9, com=(0.0, 1e8, 0.0, 0.0))
    assert lasts(swapped, "0-1", placement=(1, 0)) == pytest.approx(5.0)
    with pytest.raises(DecisionError, match="places 3 executors"):
        run(task(1e9, 1e9), "0-1", placement=(0, 1, 0))
    with pytest.raises(DecisionError, match=r"names ranks \[2\]"):
        run(task(1e9, 1e9), "0-1", placement=(0, 2))


@pytest.mark.parametrize(
    ("placement", "duration"),
    [
        (PlacementStrategy.SpreadOverHostsFirst, 1.0),  # 0 1 0 1: from 0 to 1 over the network
        (PlacementStrategy.FillOneHostCoresFirst, 0.01),  # 0 0 1 1: the loopback
    ],
)
def test_executors_are_placed_by_strategy(placement, duration):
    com = [0.0] * 16
    com[1] = 1e8
    how = {"placement": placement, "options": {"check_sizes": False}}
    assert lasts(task(com=tuple(com)), "0-1", res=4, **how) == pytest.approx(duration)
    assert lasts(alike(1e9), "0-1", res=4, **how) == pytest.approx(1.0)  # 4 executors on 4 cores
    assert lasts(alike(1e9), "0-1", res=8, **how) == pytest.approx(2.0)


def test_a_part_of_a_sequence_may_be_placed_elsewhere():
    one = task(1e9, 1e9)
    whole = sequence("q", [one])
    override = {"w0!p": ProfilePlacement(HostSet.parse("3"), PlacementStrategy.FillOneHostCoresFirst)}
    assert lasts(whole, "0-1", parts=[one], profile_placements=override) == pytest.approx(1.0)
    for wrong, message in (
        (ProfilePlacement(HostSet.parse("7")), "no compute hosts 7"),
        (ProfilePlacement(HostSet.parse("3"), (0, 1)), r"no ranks \[1\] on 3"),
    ):
        with pytest.raises(DecisionError, match=message):
            run(whole, "0-1", parts=[one], profile_placements={"w0!p": wrong})


def test_a_composition_may_be_placed_elsewhere_as_a_whole():
    one, other = task(1e9, 1e9), task(1e9, 1e9, name="q")
    whole = sequence("all", [sequence("inner", [one, other])])
    parts = [one, other, sequence("inner", [one, other])]
    filled = ProfilePlacement(HostSet.parse("3"), PlacementStrategy.FillOneHostCoresFirst)
    assert lasts(whole, "0-1", parts=parts, site=star(cores=1), profile_placements={"w0!inner": filled}) == 4.0
    nearer = {"w0!inner": filled, "w0!q": ProfilePlacement(HostSet.parse("2-3"))}
    assert lasts(whole, "0-1", parts=parts, site=star(cores=1), profile_placements=nearer) == 3.0


def test_placements_of_what_a_job_is_not_made_of_are_refused():
    one, other = task(1e9, 1e9), task(1e9, 1e9, name="q")
    merged = ParallelTaskMergeCompositionProfile(id="w0!m", profile_ids=("w0!p", "w0!q"))
    parts, elsewhere = [one, other], ProfilePlacement(HostSet.parse("2-3"))
    for name, message in (
        ("w0!pp", "the placement of 'w0!pp' is invalid: the job does not contain it; did you mean 'w0!p'"),
        ("w0!q", "the job does not contain it"),
    ):
        with pytest.raises(DecisionError, match=message):
            run(sequence("s", [one]), "0-1", parts=parts, profile_placements={name: elsewhere})
    with pytest.raises(DecisionError, match="part of a merged task"):
        run(merged, "0-1", parts=parts, profile_placements={"w0!q": elsewhere})


def test_placements_of_sub_profiles_on_busy_hosts_are_refused_where_hosts_are_not_shared():
    one = task(1e9, 1e9)
    parts, elsewhere = [one], {"w0!p": ProfilePlacement(HostSet.parse("2-3"))}
    jobs = workload(job(0, 2, run=9.0), job(1, 2, run=sequence("s", parts)), profiles=parts)

    def script(now, notices):
        if not any(isinstance(n, JobSubmitted) for n in notices):
            return []
        first = Execute("w0!0", HostSet.parse("2-3"))
        return [first, Execute("w0!1", HostSet.parse("0-1"), profile_placements=elsewhere)]

    with pytest.raises(DecisionError, match="names hosts that cannot compute jobs now: 2-3"):
        simulate(script, jobs, site=star())
    _, checker, _ = simulate(script, jobs, site=star(), compute_sharing=True)
    assert len(checker.rows) == 2


# -- storages -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("profile", "duration"),
    [
        (on_storage(read=1e8), 2.0),  # both hosts read 1e8 B over the storage's link
        (on_storage(write=1e8), 2.0),
        (on_storage(read=1e8, write=5e7), 3.0),
        (on_storage(read=1e8, write=5e7, strategy=SPREAD), 1.5),  # half of it each
    ],
)
def test_storages_are_read_and_written(profile, duration):
    assert lasts(profile) == pytest.approx(duration)


def test_a_label_is_given_or_a_name_or_the_only_storage():
    site = star()
    nvme = next(s.id for s in site.storages if s.name == "nvme")
    assert lasts(on_storage(read=1e8, label="scratch"), storages={"scratch": nvme}) == pytest.approx(2.0)
    assert lasts(on_storage(read=1e8, label="nvme")) == pytest.approx(2.0)
    assert lasts(on_storage(read=1e8, label="scratch"), site=star(storages=("only",))) == pytest.approx(2.0)
    with pytest.raises(DecisionError, match="no storage is given for the label 'scratch'"):
        run(on_storage(read=1e8, label="scratch"))
    with pytest.raises(DecisionError, match="host 0, given for the storage 'pfs', is not a storage"):
        run(on_storage(read=1e8), storages={"pfs": 0})


def test_storages_that_a_job_does_not_have_are_told():
    told = []

    class Told(Observer):
        def on_ignored(self, now, kind, reason, place):
            told.append((kind, place))

    site = star()
    nvme = next(s.id for s in site.storages if s.name == "nvme")
    decisions = {
        "0": {"storages": {"nvem": nvme}},
        "1": {"storages": {"scratch": nvme, "tape": nvme}},
        "2": {"placement": (0,)},
        "3": {"placement": (0,)},
    }
    jobs = [job(0, 1, run=3.0), job(1, 1, run=on_storage(read=1e8, label="scratch")), job(2, 1, run=3.0)]
    jobs.append(job(3, 1, run=alike(1e9)))

    def script(now, notices):
        new = [n.job for n in notices if isinstance(n, JobSubmitted)]
        return [Execute(one, HostSet([rank]), **decisions[one.name]) for rank, one in enumerate(new)]

    Simulation(site, [workload(*jobs)], [Scripted(script)], observers=[Told()]).run()
    assert told == [("unused-storage", "w0!0: nvem"), ("unused-storage", "w0!1: tape")]


def test_data_are_staged_between_storages_without_the_hosts():
    assert lasts(staging()) == pytest.approx(3.0)
    with pytest.raises(DecisionError, match="no storage is given for the label 'tape'"):
        run(staging(target="tape"))
    both = workload(job(0, 1, run=staging()), job(1, 1, run=staging(), at=1.0))
    hosts = iter("01")

    def script(now, notices):
        return [Execute(n.job, HostSet.parse(next(hosts))) for n in notices if isinstance(n, JobSubmitted)]

    _, checker, _ = simulate(script, both, site=star())
    assert [row[3] for row in checker.rows] == pytest.approx([5.0, 6.0])  # 1 alone, then shared until 5, then alone


# -- additional I/O -------------------------------------------------------------------------------------------------


def io_on(site, *bytes_read):
    """A task that reads from the first storage to hosts 0, 1...: matrix over these hosts and the storage."""
    n = len(bytes_read) + 1
    com = [0.0] * (n * n)
    for i, amount in enumerate(bytes_read):
        com[(n - 1) * n + i] = amount
    hosts = HostSet([*range(n - 1), site.storages[0].id])
    return hosts, tuple(com)


def test_additional_io_is_added_to_a_task():
    site = star()
    hosts, com = io_on(site, 1e8, 1e8)
    io = task(com=com, name="io")
    given = AdditionalIo(hosts, "w0!io", io)
    assert lasts(task(1e9, 1e9), additional_io=given) == pytest.approx(2.0)
    assert lasts(task(3e9, 1e9), additional_io=given) == pytest.approx(3.0)
    assert lasts(alike(1e9, 1e8), additional_io=given) == pytest.approx(3.0)  # 2e8 + 1e8 B on the links of the hosts
    assert lasts(task(1e9, 1e9), parts=[io], additional_io=AdditionalIo(hosts, "w0!io")) == pytest.approx(2.0)


def test_additional_io_of_a_sequence_goes_step_by_step():
    site = star()
    hosts, com = io_on(site, 1e8, 1e8)
    io, none = task(com=com, name="io"), task(com=(0.0,) * 9, name="none")
    steps = [task(1e9, 1e9, name="a"), task(1e9, 1e9, name="b")]
    parts = [*steps, io, none]
    given = AdditionalIo(hosts, "w0!ios", sequence("ios", [io, none]))
    assert lasts(sequence("q", steps), parts=parts, additional_io=given) == pytest.approx(3.0)
    assert lasts(sequence("q", steps, repeat=2), parts=parts, additional_io=given) == pytest.approx(6.0)
    short = AdditionalIo(hosts, "w0!ios", sequence("ios", [io]))
    with pytest.raises(DecisionError, match="must be a sequence of 2 tasks"):
        run(sequence("q", steps), parts=parts, additional_io=short)


def test_additional_io_of_nothing_changes_nothing():
    """Two executors on one host of two cores still take one core each."""
    none = AdditionalIo(HostSet.parse("0-1"), "w0!io", task(0.0, 0.0, com=(0.0,) * 4, name="io"))
    assert lasts(task(1e9, 1e9), "0-1", placement=(0, 0), additional_io=none) == pytest.approx(1.0)
    assert lasts(task(1e9, 1e9), "0-1", placement=(0, 0)) == pytest.approx(1.0)


def test_additional_io_computes_on_hosts_of_its_job_only_where_hosts_are_not_shared():
    given = AdditionalIo(HostSet.parse("0-1"), "w0!io", task(1e9, 1e9, name="io"))
    assert lasts(task(1e9), "0", additional_io=given, options=LOOSE) == pytest.approx(1.0)
    with pytest.raises(DecisionError, match="would compute on host 1, which is not one of its own"):
        run(task(1e9), "0", additional_io=given)


def test_additional_io_must_be_on_hosts_that_exist():
    given = AdditionalIo(HostSet.parse("0-1 99"), "w0!io", task(com=(0.0,) * 9, name="io"))
    with pytest.raises(DecisionError, match="hosts that do not exist: 99"):
        run(task(1e9, 1e9), additional_io=given)
    with pytest.raises(DecisionError, match="is rigid"):
        run(
            task(1e9, 1e9), additional_io=AdditionalIo(HostSet.parse("0-1"), "w0!io", task(com=(0.0,) * 9, name="io"))
        )


@pytest.mark.parametrize("profile", [delay(5.0), on_storage(read=1.0), staging(), fork(delay(1.0))])
def test_additional_io_is_refused_where_it_cannot_be_added(profile):
    hosts, com = io_on(star(), 1e8, 1e8)
    given = AdditionalIo(hosts, "w0!io", task(com=com, name="io"))
    with pytest.raises(DecisionError, match="cannot be added to"):
        run(profile, parts=[delay(1.0)], additional_io=given)
    # In a run that survives refusals the job has not begun, and its hosts are free.
    one = workload(job(0, 2, run=profile), profiles=[delay(1.0)])

    def script(now, notices):
        if any(isinstance(n, DecisionRefused) for n in notices):
            return [Execute("w0!0", HostSet.parse("0-1"))]
        return starting("0-1", additional_io=given)(now, notices)

    _, checker, _ = simulate(script, one, site=star(), strict=False)
    assert checker.rows[0][1] is JobState.COMPLETED_SUCCESSFULLY


# -- fork-join and merge --------------------------------------------------------------------------------------------


def test_a_fork_join_ends_with_its_last_part():
    parts = [task(1e9, 1e9), delay(5.0)]
    assert lasts(fork(*parts), parts=parts) == pytest.approx(5.0)
    three = [task(1e9, 1e9, name=name) for name in "abc"]
    assert lasts(fork(*three), parts=three) == pytest.approx(1.5)  # three on two cores


def test_the_walltime_covers_all_of_a_fork_join():
    parts = [task(1e9, 1e9), delay(5.0)]
    row, _ = run(fork(*parts), parts=parts, walltime=3.0)
    assert row[1:4] == (JobState.COMPLETED_WALLTIME_REACHED, 0.0, 3.0)


def test_the_code_of_a_fork_join_is_the_first_failure_in_the_order_of_its_list():
    parts = [delay(1.0), delay(3.0, "late", 7), delay(2.0, "early", 5)]
    row, component = run(fork(*parts), parts=parts)
    assert row[1:4] == (JobState.COMPLETED_FAILED, 0.0, 3.0)
    assert component.log[-2][1][0].return_code == 7
    row, component = run(fork(delay(1.0), return_code=4), parts=[delay(1.0)])
    assert (row[1], component.log[-2][1][0].return_code) == (JobState.COMPLETED_FAILED, 4)


def test_fork_joins_and_sequences_nest():
    a, b, c = delay(1.0), delay(2.0), task(3e9, 3e9)
    inner = fork(a, b, name="inner")
    outer = sequence("q", [inner, c, inner])
    assert lasts(outer, parts=[a, b, c, inner]) == pytest.approx(2 + 3 + 2)
    steps = sequence("steps", [a, c], repeat=2)
    assert lasts(fork(steps, b, inner), parts=[a, b, c, inner, steps]) == pytest.approx(8.0)


def killing(date, hosts="0-1"):
    def script(now, notices):
        if any(isinstance(n, JobSubmitted) for n in notices):
            call = CallMeLater(call_me_later_id="k", when=OneShot(date))
            return [*starting(hosts)(now, notices), call]
        return [KillJobs(job_ids=("w0!0",))] if any(isinstance(n, RequestedCall) for n in notices) else []

    return script


def test_kill_progress_tells_of_every_part():
    a, b, c = task(4e9, 4e9, name="a"), delay(8.0), delay(1.0)
    steps = sequence("steps", [c, b])
    whole = fork(a, steps, c)
    jobs = workload(job(0, 2, run=whole), profiles=[a, b, c, steps])
    component, checker, _ = simulate(killing(3.0), jobs, site=star())
    (killed,) = component.told(JobsKilled)
    progress = killed.progresses["w0!0"]
    assert isinstance(progress, ForkJoinProgress)
    first, second, third = progress.tasks_progress
    assert first.progress == pytest.approx(0.75)
    assert isinstance(second, SequentialProgress)
    assert (second.current_repetition, second.current_task_index) == (0, 1)
    assert second.current_task_progress.progress == pytest.approx(0.25)
    assert third.progress == 1.0
    assert checker.rows[0][1:4] == (JobState.COMPLETED_KILLED, 0.0, 3.0)


def test_a_killed_task_leaves_its_part_to_others():
    def script(now, notices):
        started = [Execute(n.job, HostSet.parse("0")) for n in notices if isinstance(n, JobSubmitted)]
        if any(isinstance(n, RequestedCall) for n in notices):
            return [KillJobs(job_ids=("w0!0",))]
        return [*started, CallMeLater(call_me_later_id="k", when=OneShot(3.0))] if now == 0 else started

    jobs = workload(job(0, 1, run=task(6e9)), job(1, 1, run=task(6e9)))
    component, checker, _ = simulate(script, jobs, site=star(cores=1), compute_sharing=True)
    (killed,) = component.told(JobsKilled)
    assert killed.progresses["w0!0"].progress == pytest.approx(0.25)
    assert [row[3] for row in checker.rows] == pytest.approx([3.0, 3.0 + 4.5])


def test_merged_tasks_are_one():
    a, b = task(1e9, 0.0, name="a"), task(1e9, 3e9, com=(0.0, 1e8, 0.0, 0.0), name="b")
    assert lasts(merge(a, b), parts=[a, b]) == pytest.approx(3.0)
    h = alike(2e9, 1e8)
    assert lasts(merge(a, h), parts=[a, h]) == pytest.approx(3.0)
    nested = merge(merge(a, b), h, name="n")
    assert lasts(nested, parts=[a, b, h, merge(a, b)]) == pytest.approx(5.0)
    assert lasts(sequence("q", [merge(a, b)]), parts=[a, b, merge(a, b)]) == pytest.approx(3.0)
    row, component = run(merge(a, b, return_code=3), parts=[a, b])
    assert (row[1], component.log[-2][1][0].return_code) == (JobState.COMPLETED_FAILED, 3)


def test_merged_tasks_must_be_of_the_size_of_the_job():
    a, b = task(1e9, 0.0, name="a"), task(1e9, name="b")
    with pytest.raises(DecisionError, match="profile 'w0!b' is rigid"):
        run(merge(a, b), parts=[a, b])
    with pytest.raises(DecisionError, match="cannot be part of another task"):
        run(merge(a, delay(1.0)), parts=[a, delay(1.0)])


# -- traces ---------------------------------------------------------------------------------------------------------


def test_traces_of_usage_last_by_their_flops():
    usage = replay(TraceType.FractionalComputation, ["m_usage 0.5 1e9", "m_usage 1 2e9"], ["m_usage 0.1 1e9"])
    assert lasts(usage) == pytest.approx(3.0)
    with pytest.raises(DecisionError, match="as many hosts as there are traces"):
        run(usage, "0", res=1)


def test_traces_of_messages_wait_for_each_other():
    ping = ["init", "compute 1e9", "send 1 0 100000000", "finalize"]
    pong = ["init", "recv 0 0 100000000", "compute 1e9", "finalize"]
    assert lasts(replay(TraceType.SMPI, ping, pong)) == pytest.approx(1 + (1e8 + 16) / 1e8 + 1)
    # Both ranks on one host, as the job's own mapping says: the message takes the loopback.
    profile = replay(TraceType.SMPI, ping, pong)
    one = job(0, 1, run=profile, source={"smpi_ranks_to_hosts_mapping": [0, 0]})
    _, checker, _ = simulate(starting("0"), workload(one), site=star())
    assert checker.rows[0][3] == pytest.approx(2 + (1e8 + 16) / 1e10)


def test_a_replay_can_be_killed_and_has_a_walltime():
    line = ["compute 1e10"]
    row, _ = run(replay(TraceType.SMPI, line, line), walltime=4.0)
    assert row[1:4] == (JobState.COMPLETED_WALLTIME_REACHED, 0.0, 4.0)
    jobs = workload(job(0, 2, run=replay(TraceType.SMPI, line, line)), job(1, 2, run=task(1e9, 1e9), at=3.0))
    component, checker, _ = simulate(killing(3.0), jobs, site=star(cores=1), compute_sharing=True)
    assert component.told(JobsKilled)[0].progresses["w0!0"] == AtomicProgress("w0!t", pytest.approx(0.3), mpi=True)
    assert [row[3] for row in checker.rows] == pytest.approx([3.0, 4.0])  # its cores are free at once


# -- suspension -----------------------------------------------------------------------------------------------------

STEP = task(1e9, 1e9, name="step")
SUSPENDED = {
    "delay": (delay(4.0), []),
    "task": (task(4e9, 4e9), []),
    "exchange": (alike(0.0, 2e8), []),
    "sequence": (sequence("q", [delay(1.0), task(2e9, 2e9), delay(1.0)]), [delay(1.0), task(2e9, 2e9)]),
    "fork-join": (fork(delay(4.0), STEP, sequence("q", [STEP, delay(3.0)])), None),
    "merge": (merge(STEP, STEP), [STEP]),
    "storage": (on_storage(read=2e8), []),
    "staging": (staging(4e8), []),
    "usage": (replay(TraceType.FractionalComputation, ["m_usage 1 1e9", "m_usage 0.5 3e9"], ["m_usage 1 4e9"]), []),
    "smpi": (
        replay(TraceType.SMPI, ["compute 1e9", "send 1 0 200000000"], ["recv 0 0 200000000", "compute 1e9"]),
        [],
    ),
    "send": (SendProfile(id="w0!send", message={"a": 1}, sleeptime=4.0), []),
}


@pytest.mark.parametrize("elsewhere", ["0-1", "2-3"])
@pytest.mark.parametrize("kind", SUSPENDED)
def test_a_suspended_job_goes_on_where_it_stood(kind, elsewhere):
    """What is left of its work, and of its walltime, is left when it is resumed, on the same hosts or on others."""
    profile, parts = SUSPENDED[kind]
    parts = [STEP, delay(3.0), delay(4.0), sequence("q", [STEP, delay(3.0)])] if parts is None else parts
    alone, _ = run(profile, parts=parts)

    def script(now, notices):
        asked = []
        for n in notices:
            if isinstance(n, JobSubmitted):
                asked += starting("0-1")(now, [n])
                asked.append(CallMeLater(call_me_later_id="stop", when=OneShot(1.75)))
            elif isinstance(n, JobSuspended):
                asked.append(CallMeLater(call_me_later_id="go", when=OneShot(now + 10.0)))
            elif isinstance(n, RequestedCall):
                again = ResumeJob(job_id="w0!0", hosts=HostSet.parse(elsewhere))
                asked.append(SuspendJob(job_id="w0!0") if now < 5 else again)
        return asked

    jobs = workload(job(0, 2, run=profile, walltime=alone[3] + 1.0), profiles=[*parts, profile])
    _, checker, simulation = simulate(script, jobs, site=star())
    assert checker.rows[0][1] is JobState.COMPLETED_SUCCESSFULLY
    assert checker.rows[0][3] == pytest.approx(alone[3] + 10.0)
    assert simulation.totals()["time_computing"] == pytest.approx(2 * alone[3])


def start_first(now, notices):
    return [Execute(n.job, HostSet.parse("0-1")) for n in notices if isinstance(n, JobSubmitted)]


@pytest.mark.parametrize("kind", SUSPENDED)
def test_a_fork_ends_as_its_origin_does(kind):
    """While tasks of any kind are under way (law 5)."""
    profile, parts = SUSPENDED[kind]
    parts = [STEP, delay(3.0), delay(4.0), sequence("q", [STEP, delay(3.0)])] if parts is None else parts
    jobs = workload(job(0, 2, run=profile), profiles=[*parts, profile])
    first = InvariantChecker()
    simulation = Simulation(star(), [jobs], [Scripted(start_first)], observers=[first])
    assert simulation.run_until(1.75)
    second = deepcopy(first)
    forked = simulation.fork([second])
    (record,) = forked.world.jobs.values()
    if record.execution is not None:
        assert record.execution.record is record
    forked.run()
    simulation.run()
    assert second.rows == first.rows
    assert len(first.rows) == 1


def test_a_job_that_waits_for_a_message_can_be_suspended():
    receive = ReceiveProfile(id="w0!r", success="after", polltime=1.0)

    def script(now, notices):
        asked = []
        for n in notices:
            if isinstance(n, JobSubmitted):
                asked += starting("0")(now, [n])
                asked += [CallMeLater(call_me_later_id=str(d), when=OneShot(d)) for d in (1.5, 5.5, 6.2)]
            elif isinstance(n, RequestedCall):
                act = {
                    "1.5": SuspendJob(job_id="w0!0"),
                    "5.5": ResumeJob(job_id="w0!0", hosts=HostSet.parse("1")),
                    "6.2": MessageToJob(job_id="w0!0", message="go"),
                }
                asked.append(act[n.call_me_later_id])
        return asked

    after = delay(2.0, "after")
    _, checker, _ = simulate(script, workload(job(0, 1, run=receive), profiles=[after]), site=star())
    # Its polls have moved by the 4 s of its suspension: 4, 5, 6, 7.
    assert checker.rows[0][1:4] == (JobState.COMPLETED_SUCCESSFULLY, 0.0, 9.0)
