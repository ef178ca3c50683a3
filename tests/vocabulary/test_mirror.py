"""The mirror of the site: by hand, and against what the words mean, on random messages and decisions."""

import pickle

from hypothesis import given
from hypothesis import strategies as st

from windtunnel.model import Host, HostSet, JobState, Platform, PowerState
from windtunnel.testing import job, platform
from windtunnel.vocabulary import (
    DecisionRefused,
    Execute,
    HostsBecameAvailable,
    HostsBecameUnavailable,
    HostsPStateChanged,
    HostsTurnedOnOff,
    JobCompleted,
    JobReconfigured,
    JobResumed,
    JobSubmitted,
    JobSuspended,
    Mirror,
    SchedulingPointReached,
    SimulationBegins,
    TurnOnOffHosts,
    View,
)

HOSTS = 6
AWAKE, ASLEEP = 0, 1


def sleepers(count=HOSTS, pstate=AWAKE):
    """Hosts that sleep in power state 1, through 2 and 3."""
    speeds = (1e9, 1e-9, 0.1, 0.2)
    hosts = tuple(
        Host(
            id=k,
            name=f"h{k}",
            cores=4,
            pstates=tuple(PowerState(speed) for speed in speeds),
            pstate=pstate,
            sleep_pstates={ASLEEP: (2, 3)},
        )
        for k in range(count)
    )
    return Platform(name="sleepers", hosts=hosts)


def begun(site=None, **options):
    mirror = Mirror(**options)
    mirror.apply(0.0, [SimulationBegins(0.0, site or sleepers())])
    return mirror


def submitted(mirror, made, now=0.0):
    mirror.apply(now, [JobSubmitted(now, made, now)])
    return made


def completed(made, now, hosts=HostSet()):
    return JobCompleted(now, made, JobState.COMPLETED_SUCCESSFULLY, 0, hosts)


def test_a_job_takes_its_hosts_and_gives_them_back():
    mirror = begun()
    made = submitted(mirror, job("a", 2, walltime=10.0), 1.0)
    assert mirror.arrived == [made]
    mirror.start(made, HostSet([0, 1]))
    assert str(mirror.free.frozen()) == "2-5"
    assert [(end, freed) for end, _, freed, _ in mirror.ends] == [(11.0, 2)]
    mirror.apply(5.0, [completed(made, 5.0)])
    assert str(mirror.free.frozen()) == "0-5"
    assert [held.job for _, _, _, held in mirror.left] == [made]
    assert mirror.changed
    assert not mirror.ends


def test_unavailable_hosts_are_free_for_nobody_and_are_freed_by_no_end():
    mirror = begun()
    made = submitted(mirror, job("a", 2, walltime=10.0))
    mirror.start(made, HostSet([0, 1]))
    mirror.apply(1.0, [HostsBecameUnavailable(1.0, HostSet([1, 2]))])
    assert str(mirror.free.frozen()) == "3-5"
    assert mirror.ends[0][2] == 1
    assert mirror.shifted
    mirror.apply(2.0, [completed(made, 2.0)])
    assert str(mirror.free.frozen()) == "0 3-5"
    mirror.apply(3.0, [HostsBecameAvailable(3.0, HostSet([1, 2]))])
    assert str(mirror.free.frozen()) == "0-5"


def test_hosts_that_are_switched_are_not_free_until_they_are_awake():
    mirror = begun()
    mirror.switch(HostSet([4, 5]), ASLEEP)
    assert (str(mirror.dozing), str(mirror.free.frozen())) == ("4-5", "0-3")
    mirror.apply(1.0, [HostsTurnedOnOff(1.0, HostSet([4, 5]), ASLEEP)])
    assert (str(mirror.dozing), str(mirror.asleep)) == ("", "4-5")
    mirror.switch(HostSet([5]), AWAKE)
    assert (str(mirror.waking), str(mirror.asleep), str(mirror.free.frozen())) == ("5", "4", "0-3")
    mirror.apply(2.0, [HostsTurnedOnOff(2.0, HostSet([5]), AWAKE)])
    assert str(mirror.free.frozen()) == "0-3 5"


def test_hosts_may_sleep_from_the_start_and_lose_a_power_state_while_they_compute():
    mirror = begun(sleepers(pstate=ASLEEP))
    assert str(mirror.asleep) == "0-5"
    assert not mirror.free
    mirror = begun()
    made = submitted(mirror, job("a", 2))
    mirror.start(made, HostSet([0, 1]))
    mirror.apply(1.0, [HostsPStateChanged(1.0, HostSet([1]), ASLEEP)])
    mirror.apply(2.0, [completed(made, 2.0)])
    assert str(mirror.free.frozen()) == "0 2-5"


def test_a_switch_that_is_refused_changes_nothing():
    mirror = begun()
    wanted = TurnOnOffHosts(hosts=HostSet([3]), state=ASLEEP)
    View(mirror).decided([wanted])
    assert str(mirror.free.frozen()) == "0-2 4-5"
    mirror.apply(0.0, [DecisionRefused(0.0, wanted, "host-busy", "")])
    assert str(mirror.free.frozen()) == "0-5"


def test_a_job_whose_start_is_refused_waits_again():
    mirror = begun()
    made = submitted(mirror, job("a", 2))
    mirror.start(made, HostSet([0, 1]))
    mirror.apply(0.0, [DecisionRefused(0.0, Execute(made, HostSet([0, 1])), "host-busy", "")])
    assert [running.job.id for running in mirror.refused] == ["w0!a"]
    assert str(mirror.free.frozen()) == "0-5"


def test_a_mirror_that_follows_no_hosts_still_knows_what_runs_until_when():
    mirror = begun(follow_hosts=False)
    whole, part, refused = (submitted(mirror, job(name, 1, walltime=10.0)) for name in "abc")
    mirror.start(whole, HostSet([1]))
    mirror.start(part, HostSet([2]), {2: {"cores": 1.0}})
    mirror.start(refused, HostSet([2]), {2: {"cores": 4.0}})
    mirror.apply(0.0, [DecisionRefused(0.0, Execute(refused, HostSet([2])), "amounts", "")])
    assert [running.job for running in mirror.refused] == [refused]
    assert list(mirror.running) == [whole.id, part.id]
    assert [end for end, *_ in mirror.ends] == [10.0, 10.0]
    assert (str(mirror.free.frozen()), mirror.shares.unused) == ("0-5", True)
    for now, made in ((1.0, whole), (2.0, part)):
        mirror.apply(now, [completed(made, now)])
        assert (mirror.changed, [held.job for *_, held in mirror.left]) == (True, [made])
    assert not mirror.running
    mirror.apply(3.0, [HostsBecameUnavailable(3.0, HostSet([0]))])
    assert str(mirror.absent) == "0"


def test_copies_of_others_see_all_hosts_whatever_is_told():
    mirror = begun(sleepers(pstate=ASLEEP), availability=False, power=False)
    mirror.apply(1.0, [HostsBecameUnavailable(1.0, HostSet([1]))])
    assert str(mirror.free.frozen()) == "0-5"


def test_a_host_that_is_shared_is_free_again_when_nobody_has_a_part_of_it():
    mirror = begun()
    first, second = submitted(mirror, job("a", 1)), submitted(mirror, job("b", 1))
    mirror.start(first, HostSet([2]), {2: {"cores": 1.0}})
    mirror.start(second, HostSet([2]), {2: {"cores": 0.1}})
    assert mirror.left_of(2) == {"cores": 2.9}
    mirror.apply(1.0, [completed(first, 1.0)])
    assert mirror.left_of(2) == {"cores": 3.9}
    assert str(mirror.free.frozen()) == "0-1 3-5"
    mirror.apply(2.0, [completed(second, 2.0)])
    assert mirror.left_of(2) == {"cores": 4.0}
    assert str(mirror.free.frozen()) == "0-5"


def test_a_suspended_job_holds_nothing_and_ends_later_by_what_it_lost():
    mirror = begun(platform(HOSTS))
    made = submitted(mirror, job("a", 2, walltime=10.0))
    mirror.start(made, HostSet([0, 1]))
    mirror.apply(2.0, [JobSuspended(2.0, made, HostSet([0, 1]))])
    assert str(mirror.free.frozen()) == "0-5"
    mirror.apply(5.0, [JobResumed(5.0, made, HostSet([3, 4]))])
    assert str(mirror.free.frozen()) == "0-2 5"
    assert [end for end, _, _, _ in mirror.ends] == [13.0]


@st.composite
def happenings(draw):
    """What happens next: (kind, job number, hosts)."""
    kinds = ["submit", "start", "end", "down", "up", "off", "on", "arrive", "suspend", "resume", "refuse"]
    hosts = draw(st.frozensets(st.integers(0, HOSTS - 1), min_size=1, max_size=3))
    return draw(st.sampled_from(kinds)), draw(st.integers(0, 5)), HostSet(hosts)


class Plain:
    """The same site in plain sets, by the meaning of the words."""

    def __init__(self):
        self.held = {}
        self.down, self.asleep, self.switching = set(), set(), {}

    @property
    def free(self):
        busy = {host for hosts in self.held.values() for host in hosts}
        return set(range(HOSTS)) - busy - self.down - self.asleep - set(self.switching)


@given(st.lists(happenings(), max_size=40))
def test_the_mirror_says_what_the_words_mean(steps):
    mirror, plain = begun(), Plain()
    view = View(mirror)
    jobs = {number: job(str(number), 1, walltime=10.0) for number in range(6)}
    suspended = set()
    now = 0.0
    for kind, number, hosts in steps:
        now += 1.0
        made = jobs[number]
        if kind == "submit" and made.id not in view.waiting and number not in plain.held | dict.fromkeys(suspended):
            view.apply(now, [JobSubmitted(now, made, now)])
        elif kind == "start" and made.id in view.waiting and set(hosts) <= plain.free:
            view.decided([Execute(made, hosts)])
            plain.held[number] = set(hosts)
        elif kind == "end" and number in plain.held:
            view.apply(now, [completed(made, now)])
            del plain.held[number]
        elif kind == "suspend" and number in plain.held:
            view.apply(now, [JobSuspended(now, made, hosts)])
            del plain.held[number]
            suspended.add(number)
        elif kind == "resume" and number in suspended and set(hosts) <= plain.free:
            view.apply(now, [JobResumed(now, made, hosts)])
            plain.held[number] = set(hosts)
            suspended.remove(number)
        elif kind == "refuse" and number in plain.held:
            view.apply(now, [DecisionRefused(now, Execute(made, hosts), "state", "")])
            del plain.held[number]
        elif kind == "down":
            view.apply(now, [HostsBecameUnavailable(now, hosts)])
            plain.down |= set(hosts)
        elif kind == "up":
            view.apply(now, [HostsBecameAvailable(now, hosts)])
            plain.down -= set(hosts)
        elif kind == "off" and set(hosts) <= plain.free:
            view.decided([TurnOnOffHosts(hosts=hosts, state=ASLEEP)])
            plain.switching |= dict.fromkeys(hosts, ASLEEP)
        elif kind == "on" and set(hosts) <= plain.asleep:
            view.decided([TurnOnOffHosts(hosts=hosts, state=AWAKE)])
            plain.asleep -= set(hosts)
            plain.switching |= dict.fromkeys(hosts, AWAKE)
        elif kind == "arrive" and set(hosts) <= set(plain.switching):
            for host in hosts:
                state = plain.switching.pop(host)
                view.apply(now, [HostsTurnedOnOff(now, HostSet([host]), state)])
                if state == ASLEEP:
                    plain.asleep.add(host)
        assert set(mirror.free) == plain.free
        assert mirror.free.size == len(plain.free)
        assert {name: set(running.hosts) for name, running in mirror.running.items()} == {
            f"w0!{number}": held for number, held in plain.held.items()
        }
        assert [entry[3] for entry in mirror.ends] == sorted(mirror.running.values(), key=lambda r: (r.end, r.rank))
        for _, _, freed, held in mirror.ends:
            assert freed == len(set(held.hosts) - plain.down - plain.asleep - set(plain.switching))


def test_a_job_that_changes_its_hosts_may_keep_one_that_is_not_available():
    """When that was available again it was taken to be free."""
    mirror = begun()
    made = submitted(mirror, job("a", 2))
    mirror.start(made, HostSet.parse("0-1"), None, 0.0)
    mirror.apply(1.0, [HostsBecameUnavailable(1.0, HostSet.parse("1 3"))])
    mirror.apply(2.0, [JobReconfigured(2.0, made, (1, 2), HostSet.parse("0"), True)])
    mirror.apply(3.0, [HostsBecameAvailable(3.0, HostSet.parse("1 3"))])
    assert HostSet(mirror.free) == HostSet.parse("0 3-5")
    mirror.apply(4.0, [completed(made, 4.0)])
    assert HostSet(mirror.free) == HostSet.span(HOSTS)


def test_a_job_that_ends_where_it_stops_stands_still_no_more():
    """As where its machine fails at that instant: schedulers look for it among those that run."""
    mirror = begun()
    for name in "abc":
        mirror.start(submitted(mirror, job(name, 1)), HostSet([ord(name) - ord("a")]), None, 0.0)
    ended, slept, goes_on = (mirror.running[f"w0!{name}"].job for name in "abc")
    stops = [SchedulingPointReached(2.0, one, (0,), 1) for one in (ended, slept, goes_on)]
    mirror.apply(2.0, [*stops, completed(ended, 2.0), JobSuspended(2.0, slept, HostSet())])
    assert (list(mirror.stopped), list(mirror.running)) == ([goes_on.id], [goes_on.id])


def test_a_mirror_can_be_kept():
    mirror = begun()
    mirror.start(submitted(mirror, job("a", 2, walltime=10.0)), HostSet([0, 1]))
    kept = pickle.loads(pickle.dumps(mirror))
    assert kept.ends[0][3] is kept.running["w0!a"]
    kept.apply(5.0, [completed(job("a", 2), 5.0)])
    assert len(kept.free) == 6
    assert len(mirror.free) == 4
