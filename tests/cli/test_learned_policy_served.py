"""A policy that was learned, from its file of numbers, decides for a Batsim 4 and a Batsim 5 as it does in process."""

import threading
from importlib.resources import files

import pytest

from windtunnel.api import load_run
from windtunnel.cli.main import main
from windtunnel.learning.evolution import save_policy

EXAMPLES = files("windtunnel") / "examples"
WEIGHTS = [0.5, -1.0, -0.7, 0.0, 0.0, 0.9, 0.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("form", ["batsim4", "batsim5"])
def test_a_learned_policy_decides_for_a_batsim(form, tmp_path):
    pytest.importorskip("numpy")
    policy = tmp_path / "policy.json"
    save_policy(policy, WEIGHTS, rules="chosen-anew", backfill=True, longest=1e6)
    option = ["-o", f"policy={policy}"]
    inputs = [str(EXAMPLES / "small.xml"), str(EXAMPLES / "small.json")]
    if form == "batsim5":
        assert main(["convert", inputs[1], f"{tmp_path}/five.json", "--to", "batsim5"]) == 0
        inputs[1] = f"{tmp_path}/five.json"
    assert main(["run", *inputs, "-s", "learned/linear", *option, "--out", str(tmp_path / "in"), "-q"]) == 0

    endpoint = f"ipc://{tmp_path}/policy"
    protocol = {"batsim4": "json", "batsim5": "batprotocol"}[form]
    codes = []
    words = ["scheduler", "learned/linear", *option, "--protocol", protocol, "--endpoint", endpoint]
    served = threading.Thread(target=lambda: codes.append(main([*words, "--timeout", "30", "-q"])), daemon=True)
    served.start()
    where = ["-s", endpoint] if form == "batsim4" else ["-s", endpoint, ""]
    prefix = f"{tmp_path}/{form}/" if form == "batsim5" else f"{tmp_path}/batsim4"
    code = main([form, "-p", inputs[0], "-w", inputs[1], *where, "-e", prefix, "-q"])
    served.join(30)
    assert (code, codes) == (0, [0])
    kept = ["workload_name", "job_id", "starting_time", "allocated_resources", "final_state"]
    found = load_run(prefix).jobs.select(kept).sort("job_id")
    assert found.equals(load_run(tmp_path / "in").jobs.select(kept).sort("job_id"))
    assert found["starting_time"].n_unique() > 3
