"""A metric and a kind of event from a package outside the tree: one file each, and they take effect everywhere."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import windtunnel

PRICE = '''
"""Kinds of events of one's own."""

import msgspec
import windtunnel as wt


@wt.external_event("electricity_price")
class ElectricityPrice(msgspec.Struct):
    """What a kilowatt hour costs from now on, for some hosts."""

    price: float
    resources: wt.HostSet = wt.HostSet()
'''

DEAREST = '''
"""Metrics of one's own."""

import json

import windtunnel as wt


@wt.metric("dearest_wait", unit="EUR", label="dearest wait")
def dearest_wait(record):
    """The longest wait, at the highest price."""
    prices = [json.loads(row["data"])["price"] for row in record.rows("events.csv") if row["event"] == "electricity_price"]
    return max(job.start - job.submitted for job in record.ran()) * max(prices, default=0.0)
'''

ENTRY_POINTS = """
[windtunnel.external_events]
electricity_price = own_price:ElectricityPrice

[windtunnel.metrics]
dearest_wait = own_metric:dearest_wait
"""

EVENTS = """
{"type": "electricity_price", "timestamp": 5, "price": 0.25, "resources": "0-1 3"}
{"type": "electricity_price", "timestamp": 7.5, "price": 4}
"""

JOBS = "\n".join(f"{n} {n} -1 10 4 -1 -1 4 100 -1 1 1 1 1 1 1 -1 -1" for n in (1, 2, 3)) + "\n"

PROGRAM = """
import json, sys, threading
import windtunnel as wt

heard = {}

class Listens(wt.Scheduler):
    def __init__(self, where="process"):
        super().__init__()
        self.where = where

    def schedule(self, view):
        for notice in view.notices:
            if isinstance(notice, wt.ExternalEventOccurred):
                event = notice.value
                told = [view.now, notice.kind, type(event).__name__, event.price, str(event.resources)]
                heard.setdefault(self.where, []).append(told)
        free = view.free
        for job in view.queue:
            if hosts := free.pick(job.request.hosts):
                free -= hosts
                yield wt.Execute(job, hosts)

def run(scheduler, **more):
    return wt.simulate("hosts:4", "jobs.swf", scheduler, events="events.txt", **more)

def served(where, serve, name):
    bound, ready = [], threading.Event()
    def tell(endpoint):
        bound.append(endpoint)
        ready.set()
    thread = threading.Thread(target=serve, args=(Listens(where), tell))
    thread.start()
    ready.wait(30)
    run(name.format(bound[0]))
    thread.join()

def json_wire(scheduler, ready):
    from windtunnel.wires.json.server import serve
    serve(scheduler, "ipc://json.sock", timeout=60, ready=ready)

def batprotocol(as_text):
    def go(scheduler, ready):
        from windtunnel.wires.batprotocol.server import serve
        serve(lambda _: scheduler, f"ipc://bat{as_text}.sock", json=as_text, timeout=60, ready=ready)
    return go

done = run(Listens(), out="out")
again = wt.load_run("out")
served("json", json_wire, "{}")
served("binary", batprotocol(False), "batprotocol+{}")
served("text", batprotocol(True), "batprotocol+{}")
figure = done.metrics.own["dearest_wait"]
compared = done.compare(again).figures[-1]
again.report("report.html") if hasattr(again, "report") else done.report("report.html")
print(json.dumps({
    "heard": heard,
    "figure": [figure.value, figure.unit, again.metrics.own["dearest_wait"].value],
    "table": done.metrics.table()[-1],
    "compared": [compared.name, compared.unit, compared.a, compared.b],
}))
"""


@pytest.fixture
def package(tmp_path):
    """A folder as pip would have filled it, and what runs with it."""
    site = tmp_path / "site"
    info = site / "own-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    (site / "own_price.py").write_text(PRICE)
    (site / "own_metric.py").write_text(DEAREST)
    (tmp_path / "jobs.swf").write_text(JOBS)
    (tmp_path / "events.txt").write_text(EVENTS)

    def run(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        here = Path(windtunnel.__file__).parents[1]
        env = {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{here}"}
        done = subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        return done

    return run


HEARD = [
    [5.0, "electricity_price", "ElectricityPrice", 0.25, "0-1 3"],
    [7.5, "electricity_price", "ElectricityPrice", 4.0, ""],
]


def test_they_take_effect_in_process_over_both_wires_and_in_all_that_is_made_of_a_run(package, tmp_path):
    told = json.loads(package("-c", PROGRAM).stdout)
    assert told["heard"] == {"process": HEARD, "json": HEARD, "binary": HEARD, "text": HEARD}
    # Three jobs of four hosts, one after the other: the last is submitted at 2 s (after the first), starts at 20 s.
    assert told["figure"] == [72.0, "EUR", 72.0]
    assert told["table"] == ["dearest wait", "72.00 EUR"]
    assert told["compared"] == ["dearest wait", "EUR", 72.0, 72.0]
    assert '<h3>dearest wait</h3><p><data value="72.0">72.00 EUR</data>' in (tmp_path / "report.html").read_text()
    assert json.loads((tmp_path / "out" / "metrics.json").read_text())["own"]["dearest_wait"]["value"] == 72.0
    rows = (tmp_path / "out" / "events.csv").read_text().splitlines()
    assert rows[1:] == [
        '5.000000,electricity_price,0-1 3,we0!0,"{""price"":0.25,""resources"":""0-1 3""}"',
        '7.500000,electricity_price,,we0!1,"{""price"":4}"',
    ]


def test_the_command_line_knows_them_too(package, tmp_path):
    arguments = ["hosts:4", "jobs.swf", "--events", "events.txt"]
    shown = package("-m", "windtunnel", "run", *arguments, "--out", "out").stdout
    assert "dearest wait" in shown
    assert "72.00 EUR" in shown
    assert "72.00 EUR" in package("-m", "windtunnel", "metrics", "out").stdout
    package("-m", "windtunnel", "run", *arguments, "--scheduler", "fcfs", "--out", "other")
    assert "dearest wait" in package("-m", "windtunnel", "metrics", "other").stdout
    (tmp_path / "events.txt").write_text(EVENTS.replace("0.25", '"low"').replace("4}", '4, "colour": 1}'))
    said = package("-m", "windtunnel", "run", *arguments, code=2).stderr
    assert "events.txt:2" in said
    assert "Expected `float`, got `str`" in said
    assert "events.txt:3" in said
    assert "unknown member 'colour'" in said
