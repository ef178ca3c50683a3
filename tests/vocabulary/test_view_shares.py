"""What a scheduler sees of hosts that jobs share."""

import pytest
from msgspec.structs import replace

from windtunnel import api
from windtunnel.diagnostics import UsageError
from windtunnel.model import Host, HostSet, JobList, Platform, Request
from windtunnel.schedulers.base import Scheduler
from windtunnel.testing import InvariantChecker, job
from windtunnel.vocabulary import Execute, HostsBecameUnavailable, JobSubmitted, SimulationBegins, View


class Packer(Scheduler):
    """A user's scheduler: first fit by amounts, through the view alone."""

    def schedule(self, view):
        for waiting in list(view.queue):
            amounts = dict(waiting.request.amounts)
            for host in range(len(view.hosts)):
                left = view.left(host)
                if all(left.get(name, 0.0) >= amount for name, amount in amounts.items()):
                    decision = Execute(waiting, HostSet([host]), amounts={host: amounts})
                    view.decided([decision])
                    yield decision
                    break


def asking(name, at=0.0, run=10.0, **amounts):
    made = job(name, run=run, at=at)
    return replace(made, request=Request(hosts=1, amounts=tuple(amounts.items())))


def test_packing_through_the_view():
    site = Platform(
        name="s", hosts=(Host(id=0, name="a", cores=4, resources={"gpus": 1.0}), Host(id=1, name="b", cores=4))
    )
    jobs = [
        asking("1", cores=3.0),
        asking("2", cores=2.0, run=5.0),
        asking("3", cores=1.0, gpus=1.0, run=4.0),
        asking("4", cores=1.0, gpus=1.0, at=1.0),
        asking("5", cores=4.0, at=2.0),
    ]
    checker = InvariantChecker(sharing=True)
    api.simulate(site, JobList("w0", jobs), Packer(), observers=[checker])
    rows = {row[0]: (row[2], row[4]) for row in checker.rows}
    assert rows == {
        "w0!1": (0, "0"),
        "w0!2": (0, "1"),
        "w0!3": (0, "0"),
        "w0!4": (4, "0"),
        "w0!5": (5, "1"),
    }


def test_whole_and_unavailable_hosts_have_nothing_left():
    view = View()
    site = Platform.uniform(3, cores=4)
    view.apply(0.0, [SimulationBegins(0.0, site), JobSubmitted(0.0, job("a"), 0.0)])
    view.decided([Execute(job("a"), HostSet([2]))])
    view.apply(1.0, [HostsBecameUnavailable(1.0, HostSet([1]))])
    assert [view.left(host)["cores"] for host in range(3)] == [4.0, 0.0, 0.0]
    view.missing = {"cores": "Batsim 4 does not tell them"}
    with pytest.raises(UsageError, match="Batsim 4"):
        view.left(0)
