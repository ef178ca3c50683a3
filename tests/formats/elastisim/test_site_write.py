"""Configurations and platforms written for ElastiSim: read again they are what they were, and a run is the same."""

import json

import pytest
from msgspec.structs import replace

import windtunnel as wt
from shared import cases
from windtunnel.cli.elastisim import prepare
from windtunnel.cli.main import main
from windtunnel.diagnostics import InputError, UsageError
from windtunnel.formats.elastisim.configuration import Configuration, read_configuration
from windtunnel.formats.elastisim.platform import read_elastic_platform
from windtunnel.formats.elastisim.site_write import configuration_for, write_configuration, write_platform
from windtunnel.model import Host, Platform, PowerState
from windtunnel.model.network.network import ZonedNetwork

CASES = [path.parent for path in cases("golden/elastisim", "*/*/config.json")]


@pytest.mark.parametrize("folder", CASES[::10], ids=lambda path: path.name)
def test_what_was_read_comes_out_as_it_was(folder, tmp_path):
    try:
        config, site = read_configuration(folder / "config.json"), read_elastic_platform(folder / "platform.xml")
    except InputError:
        assert folder.name.startswith("refuse")
        return
    write_configuration(config, tmp_path / "again.json")
    assert read_configuration(tmp_path / "again.json") == replace(config, warnings=())
    assert write_platform(site, tmp_path / "again.xml") == []
    again = read_elastic_platform(tmp_path / "again.xml")
    assert (again.hosts, again.storages) == (site.hosts, site.storages)


def test_every_member_of_a_configuration_is_written(tmp_path):
    config = Configuration(
        jobs_file="j.json",
        platform_file="p.xml",
        zmq_url="tcp://*:1",
        job_statistics="s.csv",
        node_utilization="n.csv",
        task_times="t.csv",
        schedule_on_job_submit=True,
        schedule_on_reconfiguration=True,
        allow_oversubscription=True,
        sensing=True,
        log_task_times=True,
        scheduling_interval=5.0,
        min_scheduling_interval=0.5,
        job_kill_grace_period=2.0,
        clip_evolving_requests=False,
        pfs_read_links=("a", "b"),
        sensing_interval=10.0,
        cpu_utilization="c.csv",
        network_activity="w.csv",
        pfs_utilization="f.csv",
        gpu_utilization="g.csv",
    )
    write_configuration(config, tmp_path / "c.json")
    assert read_configuration(tmp_path / "c.json") == config


def uneven() -> Platform:
    """Hosts whose names are in another order than their numbers, with GPUs, and with what ElastiSim does not know."""
    gpus = {"num_gpus": "2", "flops_per_gpu": "5Gf", "gpu_to_gpu_bw": "1GBps"}
    made = {"gpus": 2.0, "flops_per_gpu": 5e9, "gpu_to_gpu_bw": 1e9}
    states = (PowerState(2.5e9, 90.0, 95.0, 200.0), PowerState(1e9, 80.0, 85.0, 120.0))
    return Platform(
        name="uneven",
        hosts=(
            Host(id=0, name="b", cores=4, pstates=(PowerState(1e9 / 3),)),
            Host(id=1, name="a", cores=2, pstates=states, pstate=1, resources={"memory": 1e9}),
            Host(id=2, name="c", properties=gpus, resources=made),
        ),
    )


def test_hosts_keep_their_numbers_speeds_cores_and_gpus(tmp_path):
    site = uneven()
    lost = write_platform(site, tmp_path / "p.xml")
    again = read_elastic_platform(tmp_path / "p.xml")
    assert [(host.id, host.speed, host.cores) for host in again.hosts] == [(0, 1e9 / 3, 4), (1, 1e9, 2), (2, 1e9, 1)]
    assert again.hosts[2].resources == site.hosts[2].resources
    assert [line.split(":")[0] for line in lost] == ["ElastiSim numbers hosts by their names", "1 host", "1 host"]
    assert write_platform(Platform.uniform(10), tmp_path / "q.xml") == []


def test_a_run_of_what_was_written_is_the_same(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = [
        "convert",
        "lublin:60?hosts=16&load=1&seed=3",
        "jobs.json",
        "--to",
        "elastisim",
        "--platform",
        "hosts:16",
    ]
    assert main(words) == 0
    assert "lost: ElastiSim numbers hosts by their names" in capsys.readouterr().out
    config = read_configuration(tmp_path / "configuration.json")
    assert config.warnings == ()
    site, jobs = prepare(config)
    before = wt.simulate("hosts:16", "lublin:60?hosts=16&load=1&seed=3", "fcfs").jobs
    after = wt.simulate(site, jobs, "fcfs").jobs
    for column in ("starting_time", "finish_time"):
        assert after[column].to_list() == pytest.approx(before[column].to_list(), abs=1e-5)
    assert after["allocated_resources"].to_list() == before["allocated_resources"].to_list()


def test_exchanges_take_no_time_where_communication_is_free(tmp_path):
    write_platform(Platform.uniform(4), tmp_path / "p.xml")
    work = {"type": "parallel_homogeneous", "cpu": 5e9, "com": 1e10}
    jobs = {"nb_res": 4, "jobs": [{"id": "0", "subtime": 0, "res": 4, "profile": "p"}], "profiles": {"p": work}}
    (tmp_path / "w.json").write_text(json.dumps(jobs))
    run = wt.simulate(read_elastic_platform(tmp_path / "p.xml"), tmp_path / "w.json", "fcfs")
    assert run.jobs["execution_time"].to_list() == [pytest.approx(5.0, abs=1e-6)]


def test_requests_are_clipped_for_all_jobs_or_for_none(tmp_path):
    elastic = wt.arrange("lublin:10?hosts=16&seed=1").with_elasticity(1.0)
    made, lost = configuration_for(elastic, tmp_path / "jobs.json", tmp_path / "p.xml")
    assert made.clip_evolving_requests
    assert lost == []


def test_networks_that_have_no_form_and_formats_without_a_platform_are_refused(tmp_path, capsys):
    site = Platform(name="s", hosts=uneven().hosts, network=ZonedNetwork.__new__(ZonedNetwork), path="site.json")
    with pytest.raises(UsageError, match="cannot be written for ElastiSim"):
        write_platform(site, tmp_path / "p.xml")
    assert list(tmp_path.iterdir()) == []
    assert main(["convert", "lublin:10", str(tmp_path / "a.swf"), "--platform", "hosts:4"]) == 2
    assert "--platform requires --to elastisim" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
