"""The stage scheduler: each selection, placement and blocking rule by hand (spec/opendc.md section 4)."""

import itertools
import random

import pytest
from msgspec.structs import replace

from windtunnel.diagnostics import UsageError
from windtunnel.engine import Options, Simulation
from windtunnel.model import EventList, ExternalEvent, Host, HostSet, Job, Platform, PowerState, Request
from windtunnel.model.stage import PlacementPolicy, Selection
from windtunnel.schedulers import Scheduler
from windtunnel.schedulers.registry import make_scheduler
from windtunnel.testing import InvariantChecker, job, workload
from windtunnel.vocabulary import CallMeLater, Execute, OneShot, TurnOnOffHosts


def site(*cores, **resources):
    return Platform(
        name="s", hosts=tuple(Host(id=i, name=f"h{i}", cores=c, resources=resources) for i, c in enumerate(cores))
    )


def task(name, cores, run=10.0, at=0.0, **more) -> Job:
    """A task of OpenDC: so many cores of one machine."""
    made = job(name, run=run, at=at, **more)
    return replace(made, request=Request(hosts=1, amounts=(("cores", float(cores)),)))


def run(platform, *jobs, events=(), options=None, **scheduler):
    checker = InvariantChecker(sharing=True)
    lists = [EventList(name="e", events=tuple(events))] if events else []
    simulation = Simulation(
        platform,
        [workload(*jobs)],
        [make_scheduler("stage-scheduler", **scheduler)],
        events=lists,
        options=options or Options(),
        observers=[checker],
    )
    simulation.run()
    return {row[0][3:]: (row[2], row[4]) for row in checker.rows}


def starts(rows):
    return {name: start for name, (start, _) in rows.items()}


@pytest.mark.parametrize(
    ("placement", "expected"),
    [
        ("FIRST-FIT", {"a": (0, "0"), "b": (0, "1")}),
        ("BEST-FIT", {"a": (0, "0"), "b": (0, "1")}),
        ("WORST-FIT", {"a": (0, "1"), "b": (10, "1")}),
    ],
)
def test_the_example_of_the_spec(placement, expected):
    """Hosts of 4 and 8 cores; a (4 cores) and b (8 cores) arrive together."""
    assert run(site(4, 8), task("a", 4), task("b", 8), placement=placement) == expected


@pytest.mark.parametrize(
    ("placement", "hosts"),
    [
        ("first-fit", ["0", "0", "1"]),  # 8 free: a on 0; 6 left: b on 0; 2 left: c on 1
        ("BestFit", ["2", "2", "0"]),  # the 6-core machine is the smallest that fits; c fits 0 best (8 < 16)
        ("WORST_FIT", ["1", "1", "1"]),  # the 16-core machine stays the emptiest throughout
        ("NEXT-FIT", ["0", "1", "2"]),  # round about
    ],
)
def test_placements(placement, hosts):
    jobs = [task("a", 2), task("b", 4), task("c", 4)]
    assert [host for _, host in run(site(8, 16, 6), *jobs, placement=placement).values()] == hosts


def test_next_fit_goes_round():
    jobs = [task(str(i), 2) for i in range(7)]
    rows = run(site(4, 4, 4), *jobs, placement="NEXT-FIT")
    assert [rows[str(i)] for i in range(7)] == [
        (0, "0"),
        (0, "1"),
        (0, "2"),
        (0, "0"),
        (0, "1"),
        (0, "2"),
        (10, "0"),
    ]


def test_random_placement_is_fair_and_the_same_for_a_seed():
    jobs = [task(str(i), 1, run=1.0, at=2.0 * i) for i in range(300)]
    first = run(site(1, 2, 4), *jobs, placement="RANDOM", seed=5)
    assert first == run(site(1, 2, 4), *jobs, placement="RANDOM", seed=5)
    assert first != run(site(1, 2, 4), *jobs, placement="RANDOM", seed=6)
    counts = [sum(host == str(h) for _, host in first.values()) for h in range(3)]
    assert all(70 < count < 130 for count in counts), counts


@pytest.mark.parametrize(
    ("selection", "order"),
    [
        ("FIFO", "abcd"),
        ("SJF", "bdca"),  # walltimes 9, 2, 5, 4
        ("LJF", "acdb"),
        ("SRTF", "cbda"),  # run times 8, 2, 1, 3
        ("SMALLEST", "dabc"),  # cores 2, 3, 4, 1
        ("LARGEST", "cbad"),
    ],
)
def test_selections(selection, order):
    """One machine of 4 cores, held by a first job; then one at a time."""
    waiting = [
        task("a", 2, run=8.0, walltime=9.0, at=1.0),
        task("b", 3, run=2.0, walltime=2.5, at=1.0),
        task("c", 4, run=1.0, walltime=5.0, at=1.0),
        task("d", 1, run=3.0, walltime=4.0, at=1.0),
    ]
    whole = [task("0", 4, run=5.0)]
    rows = run(site(4), *whole, *waiting, selection=selection, blocking="HEAD")
    begun = sorted((start, order.index(name)) for name, (start, _) in rows.items() if name != "0")
    assert [rank for _, rank in begun] == [0, 1, 2, 3]


def test_srtf_of_the_spec():
    """Remaining 10, 1, 5 on one core: order 1, 5, 10."""
    jobs = [task("x", 1, run=10.0), task("y", 1, run=1.0), task("z", 1, run=5.0)]
    assert starts(run(site(1), *jobs, selection="SRTF")) == {"y": 0, "z": 1, "x": 6}


def test_random_selection_is_the_same_for_a_seed():
    jobs = [task(str(i), 1) for i in range(10)]
    rows = run(site(1), *jobs, selection="RANDOM", seed=1)
    assert rows == run(site(1), *jobs, selection="RANDOM", seed=1)
    assert rows != run(site(1), *jobs, selection="RANDOM", seed=2)
    assert sorted(starts(rows).values()) == [10.0 * i for i in range(10)]


@pytest.mark.parametrize(("blocking", "start"), [("SKIP", 0), ("HEAD", 20)])
def test_blocking(blocking, start):
    """8 cores wanted, then 1, while 4 of 8 are free."""
    jobs = [task("a", 4), task("b", 8), task("c", 1)]
    assert starts(run(site(8), *jobs, blocking=blocking)) == {"a": 0, "b": 10, "c": start}


def test_a_quantum_delays_decisions():
    rows = run(site(2), task("a", 1, at=1.0, run=3.0), task("b", 2, at=2.0), quantum=5.0)
    assert starts(rows) == {"a": 5.0, "b": 10.0}


def test_jobs_that_no_machine_can_hold_are_rejected():
    rows = run(site(4, 8, memory=10.0), task("a", 9), task("b", 1))
    assert rows == {"a": (-1.0, ""), "b": (0.0, "0")}


def test_memory_and_gpus_count_too():
    one, two, three = task("a", 1), task("b", 1), task("c", 1)
    one = replace(one, request=Request(hosts=1, amounts=(("cores", 1.0), ("memory", 6.0))))
    two = replace(two, request=Request(hosts=1, amounts=(("cores", 1.0), ("memory", 6.0))))
    three = replace(three, request=Request(hosts=2, amounts=(("cores", 2.0), ("memory", 4.0))))
    rows = run(site(4, 4, memory=10.0), one, two, three)
    assert rows == {"a": (0.0, "0"), "b": (0.0, "1"), "c": (0.0, "0-1")}


def test_whole_hosts_and_shares_do_not_meet():
    rows = run(site(4, 4, 4), task("a", 1), job("b", hosts=2), task("c", 4))
    assert rows == {"a": (0.0, "0"), "b": (0.0, "1-2"), "c": (10.0, "0")}


def test_processors_that_go_in_other_parts_are_enough():
    """Nine and ten processors are 5 cores on each of two machines; on three it is 3 for the one, 4 for the other."""

    def processors(name, count, at):
        return replace(job(name, run=10.0, at=at), request=Request(hosts=2, processors=count))

    rows = run(site(8, 8, 4), task("first", 5, run=100.0), processors("nine", 9, 1.0), processors("ten", 10, 20.0))
    assert rows == {"first": (0, "0"), "nine": (1, "0-2"), "ten": (100, "0-1")}


def test_processors_share_machines_and_spread_over_several():
    small, large = job("a"), job("b")
    small = replace(small, request=Request(hosts=1, processors=3))
    large = replace(large, request=Request(hosts=3, processors=10))
    rows = run(site(4, 4, 4, 4), small, large)
    assert rows == {"a": (0.0, "0"), "b": (0.0, "1-3")}


def event(time, kind, hosts="", **facts):
    return ExternalEvent(timestamp=time, kind=kind, hosts=HostSet.parse(hosts), attributes=facts)


def test_a_change_of_policy_reorders_only_what_waits():
    change = event(3.0, "scheduler_change", scheduler="stage-scheduler", options={"selection": "SRTF"})
    jobs = [task("a", 1, run=5.0), task("b", 1, run=9.0), task("c", 1, run=1.0)]
    assert starts(run(site(1), *jobs, events=[change])) == {"a": 0, "c": 5, "b": 6}


def test_machines_that_fail_are_not_used():
    events = [event(1.0, "machine_state", "0", state="FAILURE"), event(20.0, "machine_state", "0", state="ACTIVE")]
    jobs = [task("a", 4), task("b", 4, at=2.0), task("c", 4, at=3.0), task("d", 4, at=4.0)]
    rows = run(site(4, 4), *jobs, events=events)
    assert rows == {"a": (0.0, "0"), "b": (2.0, "1"), "c": (12.0, "1"), "d": (20.0, "0")}


def test_requeued_jobs_run_elsewhere():
    events = [event(4.0, "machine_state", "0", state="FAILURE")]
    rows = run(site(4, 4), task("a", 4), events=events, options=Options(on_failure="requeue"))
    assert rows == {"a": (0.0, "0"), "a#1": (4.0, "1")}


@pytest.mark.parametrize(
    "options",
    [{"selection": "FILO"}, {"placement": "anywhere"}, {"blocking": "perhaps"}, {"quantum": -1}, {"colour": 1}],
)
def test_unknown_names_are_refused_with_the_valid_ones(options):
    with pytest.raises(UsageError, match=r"known|option|quantum"):
        make_scheduler("stage-scheduler", **options)


@pytest.mark.parametrize(("selection", "placement"), list(itertools.product(Selection, PlacementPolicy)))
def test_all_combinations_agree_with_a_plain_restatement(selection, placement):
    """Skip, one machine per task: an independent simulation with lists and no cleverness."""
    rng = random.Random(f"{selection} {placement}")
    cores = [4, 8, 2, 8]
    jobs = [
        task(
            f"{i:02}",
            rng.randint(1, 8),
            run=float(rng.randint(1, 9)),
            at=float(rng.randint(0, 20)),
            walltime=50.0 + rng.randint(0, 9),
        )
        for i in range(40)
    ]
    rows = run(site(*cores), *jobs, selection=selection, placement=placement, seed=3)
    if "RANDOM" in (selection, placement):
        assert len(rows) == 40
        return
    assert rows == restated(cores, jobs, selection, placement)


def restated(cores, jobs, selection, placement):
    keys = {
        "FIFO": lambda j: 0,
        "SJF": lambda j: j.walltime,
        "LJF": lambda j: -j.walltime,
        "SRTF": lambda j: j.profile.delay,
        "SMALLEST": lambda j: dict(j.request.amounts)["cores"],
        "LARGEST": lambda j: -dict(j.request.amounts)["cores"],
    }
    todo = sorted(jobs, key=lambda j: (j.submission_time, j.id))
    free, queue, ends, rows, last, now = list(cores), [], [], {}, -1, 0.0
    while todo or queue:
        now = min([j.submission_time for j in todo[:1]] + [e[0] for e in ends])
        for end in [e for e in ends if e[0] == now]:
            free[end[1]] += end[2]
            ends.remove(end)
        while todo and todo[0].submission_time == now:
            queue.append(todo.pop(0))
        for j in sorted(queue, key=keys[selection]):
            need = dict(j.request.amounts)["cores"]
            fits = [h for h in range(len(cores)) if free[h] >= need]
            if not fits:
                continue
            if placement == "BEST-FIT":
                host = min(fits, key=lambda h: (free[h], h))
            elif placement == "WORST-FIT":
                host = min(fits, key=lambda h: (-free[h], h))
            elif placement == "NEXT-FIT":
                host = next((h for h in fits if h > last), fits[0])
            else:
                host = fits[0]
            last = host
            free[host] -= need
            ends.append((now + j.profile.delay, host, need))
            queue.remove(j)
            rows[j.name] = (now, str(host))
    return rows


class Beside(Scheduler):
    """Decides at fixed dates what it is given."""

    def __init__(self, *plan):
        super().__init__()
        self.plan = dict(plan)

    def schedule(self, view):
        due = [date for date in self.plan if date <= view.now]
        for date in due:
            yield from self.plan.pop(date)(view)
        if view.begins.timestamp == view.now:
            yield from (CallMeLater(call_me_later_id=f"{date}", when=OneShot(date)) for date in self.plan)


def beside(platform, jobs, *plan, **scheduler):
    checker = InvariantChecker(sharing=True)
    components = [make_scheduler("stage-scheduler", **scheduler), Beside(*plan)]
    Simulation(platform, [workload(*jobs)], components, options=Options(strict=False), observers=[checker]).run()
    return {row[0][3:]: (row[2], row[4]) for row in checker.rows}


def sleepers(*cores):
    states = tuple(PowerState(speed, 1.0, 1.0, 1.0) for speed in (1e9, 1e-9, 0.5, 0.25))
    hosts = (
        Host(id=i, name=f"h{i}", cores=c, pstates=states, sleep_pstates={1: (2, 3)}) for i, c in enumerate(cores)
    )
    return Platform(name="s", hosts=tuple(hosts))


def test_machines_that_another_component_lets_sleep_get_no_work():
    """Host 0 goes to sleep at 1 s (2 s to switch off), host 1 is awake; at 30 s host 0 is woken (4 s)."""
    off, on = (TurnOnOffHosts(hosts=HostSet([0]), state=state) for state in (1, 0))
    jobs = [task("a", 4, at=2.0), task("b", 4, at=5.0, run=100.0), task("c", 4, at=13.0)]
    rows = beside(sleepers(4, 4), jobs, (1.0, lambda _: [off]), (30.0, lambda _: [on]))
    assert rows == {"a": (2.0, "1"), "b": (12.0, "1"), "c": (34.0, "0")}


def test_what_other_components_start_is_known():
    """It decides at 10 s, 20 s...; at 5 s another one starts a waiting job on a part of host 1."""

    def take(view):
        return [Execute(view.waiting["w0!b"], HostSet([1]), amounts={1: {"cores": 2.0}})]

    jobs = [task("b", 2, at=3.0, run=30.0), task("c", 8, at=6.0), task("d", 8, at=6.0)]
    rows = beside(site(8, 8), jobs, (5.0, take), quantum=10.0)
    assert rows == {"b": (5.0, "1"), "c": (10.0, "0"), "d": (20.0, "0")}
