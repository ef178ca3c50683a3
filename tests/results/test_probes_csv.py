"""``probes.csv``."""

from windtunnel import api
from windtunnel.model import HostSet
from windtunnel.testing import Scripted, platform
from windtunnel.vocabulary import (
    CreateProbe,
    Metric,
    OneShot,
    ProbeResources,
    ResourcesAggregation,
    SimulationBegins,
)


def recorded(mode, *names):
    def script(now, notices):
        if not isinstance(notices[0], SimulationBegins):
            return []
        made = [
            CreateProbe(
                probe_id=name,
                metrics=Metric.ComputationLoad,
                resources=ProbeResources(HostSet([0, 2])),
                when=OneShot(1),
            )
            for name in names
        ]
        if made:
            made[-1].resources_aggregation = ResourcesAggregation("sum")
        return made

    run = api.simulate(platform(4), [], Scripted(script), record=api.RecordingOptions(probes=mode))
    data = run.read("probes.csv")
    return None if data is None else data.decode().splitlines()


HEADER = "time,probe_id,metric,resources,value,manually_triggered,nb_emitted,nb_triggered"


def test_one_row_per_value_and_one_for_an_aggregate():
    assert recorded("auto", 'a,"b"', "sum") == [
        HEADER,
        '1.000000,"a,""b""",ComputationLoad,0,0,0,1,1',
        '1.000000,"a,""b""",ComputationLoad,2,0,0,1,1',
        "1.000000,sum,ComputationLoad,0 2,0,0,1,1",
    ]


def test_the_file_is_there_when_it_is_wanted():
    assert recorded("auto") is None
    assert recorded("never", "a") is None
    assert recorded("always") == [HEADER]
