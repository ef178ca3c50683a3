"""A site of two hosts, two jobs of an hour, an hour of much carbon between two of little, and a log with a date."""

import pytest

__all__ = ["CARBON", "JANUARY", "JOBS", "LEASE", "LOG", "SITE", "place"]

SITE = """<platform version="4.1"><zone id="site" routing="Full">
<host id="a" speed="1Gf"><prop id="wattage_per_state" value="100:200:200"/></host>
<host id="b" speed="1Gf"><prop id="wattage_per_state" value="100:200:200"/></host>
<host id="master_host" speed="1Gf"/>
</zone></platform>"""
JOBS = """{"nb_res": 2, "jobs": [{"id": "1", "subtime": 0, "res": 2, "profile": "work", "walltime": 9999},
 {"id": "2", "subtime": 5, "res": 1, "profile": "work", "walltime": 9999}],
 "profiles": {"work": {"type": "parallel_homogeneous", "cpu": 3600e9, "com": 0}}}"""
CARBON = "time,gCO2e/kWh\n2024-01-01T00:00Z,100\n2024-01-01T01:00Z,400\n2024-01-01T02:00Z,100\n"
JANUARY = 1704067200
LOG = "; UnixStartTime: 1704067200\n; MaxProcs: 2\n1 0 0 3600 2 -1 -1 2 3600 -1 1 1 1 1 1 1 -1 -1\n"
LEASE = """<lease-workload name="d"><lease-requests>
<lease-request arrival="00:00:00.00"><lease id="1" preemptible="true"><nodes><node-set numnodes="2"><res type="CPU" amount="100"/></node-set></nodes><start></start><duration time="01:00:00.00"/><software><none/></software></lease></lease-request>
</lease-requests></lease-workload>"""
"""A lease of an hour on both hosts."""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The folder of these files, which is the present one."""
    for name, text in {"site.xml": SITE, "jobs.json": JOBS, "c.csv": CARBON, "log.swf": LOG}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path
