"""Advance reservations of a Slurm site: noted in run.json where the scheduler keeps them."""

from windtunnel.model import JobList, Platform
from windtunnel.model.slurm import Reservation, SlurmSite
from windtunnel.results.recording import Recording
from windtunnel.results.reserved import reserved
from windtunnel.results.state import ReservedHosts
from windtunnel.vocabulary.component import Hello

LESSON = Reservation(name="lesson", start=100, end=160, nodes=("3", "1", "elsewhere"), users=("ann",))
NIGHTLY = Reservation(name="nightly", start=200, end=260, nodes=("0",), flags=("MAINT", "DAILY"))
LICENCES = Reservation(name="licences", start=0, end=10, licences={"fluent": 1})


def platform() -> Platform:
    made = Platform.uniform(4)
    hosts = tuple(host.__class__(id=host.id, name=str(host.id), pstates=host.pstates) for host in made.hosts)
    return Platform(name="site", hosts=hosts, site=SlurmSite(reservations=(LESSON, NIGHTLY, LICENCES)))


def test_hosts_by_number_and_repetitions_by_their_period():
    assert reserved(platform(), []) == [
        ReservedHosts(name="lesson", start=100.0, end=160.0, hosts="1 3"),
        ReservedHosts(name="nightly", start=200.0, end=260.0, hosts="0", every=86400.0),
    ]


def test_times_are_those_of_the_log():
    class Dated(JobList):
        start_date = 90.5

    assert [one.start for one in reserved(platform(), [Dated("w0", []), JobList("w1", [])])] == [10.0, 110.0]


def test_other_sites_have_none():
    assert reserved(Platform.uniform(4), []) == []


def test_only_a_scheduler_that_keeps_them_has_them_noted():
    for name, expected in (("slurm", ["lesson", "nightly"]), ("easy", [])):
        recording = Recording()
        for observer in recording.observers:
            observer.on_hello(0.0, name, Hello(name=name))
        for observer in recording.observers:
            observer.on_begin(0.0, platform(), [])
        assert [one.name for one in recording.state.platform.reservations] == expected
