"""The machines of a simulation that is going on: looked at and changed through queries."""

from windtunnel import api
from windtunnel.formats.sites.sss import check
from windtunnel.model import JobList, Platform
from windtunnel.services.live_nodes import LiveNodes
from windtunnel.services.nodes import respond
from windtunnel.testing import job


def states(live):
    return {node.id: node.state for node in live.nodes()}


def test_looking_and_changing():
    live = LiveNodes()
    work = JobList("w0", [job(1, run=10.0), job(2, run=10.0, at=20.0)])
    simulation = api.Simulation(Platform.uniform(2), work, "fcfs", observers=[live])
    live.attach(simulation)
    simulation.run_until(5.0)
    assert states(live) == {"host0": "Busy", "host1": "Idle"}
    query = b"<Request action='Query'><Object>Node</Object><Where name='State'>Busy</Where></Request>"
    assert [node.id for node in check(respond(query, live.nodes)).nodes] == ["host0"]

    change = (
        b"<Request action='Modify'><Object>Node</Object><Set name='State'>Offline</Set>"
        b"<Where name='Id'>host0</Where></Request>"
    )
    assert b"<Code>740</Code>" in respond(change, live.nodes)
    assert b"<Code>000</Code>" in respond(change, live.nodes, control=live.control)
    wrong = change.replace(b"Offline", b"Asleep")
    assert b"<Code>318</Code>" in respond(wrong, live.nodes, control=live.control)
    simulation.run_until(6.0)
    assert states(live) == {"host0": "Offline", "host1": "Idle"}
    run = simulation.run()
    rows = {r["job_id"]: (r["final_state"], r["allocated_resources"]) for r in run.jobs.iter_rows(named=True)}
    assert rows == {"1": ("COMPLETED_KILLED", "0"), "2": ("COMPLETED_SUCCESSFULLY", "1")}
    assert b"<Code>318</Code>" in respond(change, live.nodes, control=live.control), "it is over"
