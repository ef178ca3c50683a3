"""What is sensed: by hand, and links that are not there."""

import io
from types import SimpleNamespace

import pytest
from tests.engine.star import star

from elastic_cases import inside
from elastic_jobs import site
from elastisim_files import FILES
from windtunnel.cli.elastisim import play
from windtunnel.cli.main import main
from windtunnel.diagnostics import UsageError
from windtunnel.engine.sharing import Builder, System
from windtunnel.model.platform import Link
from windtunnel.results.elastisim_sensing import Levels, Sensing, links_named

NAMES = ("cpu_utilization", "network_activity", "pfs_utilization", "gpu_utilization")


def test_by_hand():
    platform = star(2, ())
    files = {name: io.StringIO() for name in NAMES}
    sensing = Sensing(platform, files, links_named(platform, ["l-n1"]), [])
    sensing.sample(1.5, Levels([0.0, 2e9], [5e7] * len(platform.network.links), {}))
    told = {name: file.getvalue().splitlines()[1] for name, file in files.items()}
    assert told["cpu_utilization"] == "1.5,0.000000,2.000000"
    assert told["gpu_utilization"] == "1.5,0,0"
    assert told["network_activity"] == "1.5,0.5"
    assert told["pfs_utilization"] == "1.5,5e+07,0,0.5,-nan"


def test_gpus_are_told_as_shares():
    files = {name: io.StringIO() for name in NAMES}
    sensing = Sensing(site(2, resources={"gpus": 4.0}), files, [], [])
    sensing.sample(0.0, Levels([0.0, 0.0], [], {1: [False, True, False, False]}))
    assert files["gpu_utilization"].getvalue().splitlines()[1] == "0,0.000000,0.250000"


def test_while_nothing_changes_rows_differ_in_the_date():
    files = {name: io.StringIO() for name in NAMES}
    sensing = Sensing(star(2, ()), files, [], [])
    asked = []
    sharing = SimpleNamespace(
        host_loads=lambda count: asked.append(simulation.world.now) or [1e9 * simulation.world.now] * count,
        link_loads=lambda count: [0.0] * count,
    )

    def run_until(date):
        simulation.world.now = max(then for then in (0.0, 2.0) if then <= date)
        return date < 6.0

    simulation = SimpleNamespace(run_until=run_until, world=SimpleNamespace(now=0.0, sharing=sharing, gpus=None))
    play(simulation, sensing, 1.0)
    told = files["cpu_utilization"].getvalue().splitlines()[1:]
    still, then = "0.000000,0.000000", "2.000000,2.000000"
    assert told == [f"0,{still}", f"1,{still}", f"2,{then}", f"3,{then}", f"4,{then}", f"5,{then}"]
    assert asked == [0.0, 0.0, 2.0]  # before anything happened, and once for each date of events


def test_loads_of_all_are_those_of_each():
    system = System(speeds=[1e9] * 4, cores=[2] * 4, links=[Link("a", 1e8, 0.0), Link("b", 1e8, 0.0)])
    build = Builder(endpoints=range(4), network=None)
    system.start(0.0, build.matrices([0, 1, 2], [3e9, 3e9, 1e9], None))
    system.start(0.0, build.matrices([1, 1], [1e9, 1e9], None))
    assert system.loads(0, 6) == [system.load(constraint) for constraint in range(6)]
    assert system.loads(1, 2) == [system.load(1), system.load(2)]
    assert system.load(1) > system.load(0) > system.load(2) > system.load(3) == 0.0


def test_links_that_are_not_there(tmp_path, capsys):
    with pytest.raises(UsageError, match="no link 'l-n7' to be sensed"):
        links_named(star(2, ()), ["l-n0", "l-n7"])
    sensed = ", ".join(f'"{name}": "{name}.csv"' for name in NAMES)
    more = f', "sensing": true, "sensing_interval": 1, "pfs_read_links": ["up"], {sensed}}}'
    for name, text in FILES.items():
        (tmp_path / name).write_text(text[:-1] + more if name == "config.json" else text)
    with inside(tmp_path):
        assert main(["elastisim", "config.json", "--timeout", "1"]) == 2
    assert "no link 'up' to be sensed" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.csv"))
