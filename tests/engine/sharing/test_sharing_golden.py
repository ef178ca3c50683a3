"""What SimGrid measured, scenario by scenario: dates, order, status, loads and remaining parts."""

import pytest
from tests.engine.sharing.stage import Stage
from tests.simgrid_cases import names, scenario

pytestmark = pytest.mark.golden


@pytest.mark.parametrize("name", names())
def test_dates_order_and_status_are_simgrids(name):
    case = scenario(name)
    stage = Stage(case)
    stage.play()
    told = case["results"]["4.0.0"]
    tasks = dict(sorted(told["tasks"].items(), key=lambda item: item[1]["order"]))
    assert {t: o.status for t, o in stage.outcomes.items()} == {t: o["status"] for t, o in tasks.items()}
    assert {t: o.finish for t, o in stage.outcomes.items()} == pytest.approx(
        {t: o["finish"] for t, o in tasks.items()}, rel=1e-9, abs=1e-300
    )
    assert list(stage.outcomes) == list(tasks)
    looked = [o for o in told["observations"] if o["type"] in {"load", "remaining"}]
    assert sum(kind != "energy" for kind, *_ in stage.seen) == len(looked)
    for observation in looked:
        about = observation.get("host") or observation["task"]
        (value,) = [v for kind, _, name, v in stage.seen if (kind, name) == (observation["type"], about)]
        assert value == pytest.approx(observation["value"], rel=1e-9)
