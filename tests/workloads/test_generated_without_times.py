"""Generated jobs that request no time: it is told, as backfilling takes them to run without end."""

import pytest

import windtunnel as wt
from windtunnel.cli.main import main


def told(workload):
    return [(line.count, line.note) for line in wt.simulate("hosts:8", workload).account if line.kind == "no-walltimes"]


@pytest.mark.parametrize("model", ["lublin", "poisson"])
def test_it_is_told_unless_requests_are_made(model):
    text = f"{model}:20?hosts=8&seed=1"
    assert told(text) == told(text + "&load=0.5") == [(20, True)]
    assert told(text + "&estimates=exact") == told(text + "&estimates=f-model&load=0.5") == []
    assert told(wt.arrange(text).first(5)) == [(20, True)]
    assert told(wt.arrange(text).with_estimates("f-model", factor=2.0).first(5)) == []
    assert told(f"{model}:0") == []


def test_it_is_printed_with_what_to_do(capsys):
    assert main(["run", "hosts:8", "poisson:3?hosts=8"]) == 0
    told = capsys.readouterr().err
    assert "no-walltimes (3 times, first at poisson:3?hosts=8): jobs request no time" in told
    assert "estimates=exact, f-model or (from 200 jobs on) tsafrir" in told
