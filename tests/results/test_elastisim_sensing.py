"""What is sensed: by hand, and links that are not there."""

import io

import pytest
from tests.engine.star import star

from elastic_cases import inside
from elastic_jobs import site
from elastisim_files import FILES
from windtunnel.cli.main import main
from windtunnel.diagnostics import UsageError
from windtunnel.results.elastisim_sensing import Levels, Sensing, links_named

NAMES = ("cpu_utilization", "network_activity", "pfs_utilization", "gpu_utilization")


def test_by_hand():
    platform = star(2, ())
    files = {name: io.StringIO() for name in NAMES}
    sensing = Sensing(platform, files, links_named(platform, ["l-n1"]), [])
    sensing.sample(1.5, Levels(lambda host: 2e9 * host, lambda link: 5e7, lambda host: 0))
    told = {name: file.getvalue().splitlines()[1] for name, file in files.items()}
    assert told["cpu_utilization"] == "1.5,0.000000,2.000000"
    assert told["gpu_utilization"] == "1.5,0,0"
    assert told["network_activity"] == "1.5,0.5"
    assert told["pfs_utilization"] == "1.5,5e+07,0,0.5,-nan"


def test_gpus_are_told_as_shares():
    files = {name: io.StringIO() for name in NAMES}
    sensing = Sensing(site(2, resources={"gpus": 4.0}), files, [], [])
    sensing.sample(0.0, Levels(lambda host: 0.0, lambda link: 0.0, lambda host: host))
    assert files["gpu_utilization"].getvalue().splitlines()[1] == "0,0.000000,0.250000"


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
