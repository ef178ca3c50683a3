"""Settings of the lease manager: what is invalid is refused by name, with what is expected."""

import pickle

import pytest

import windtunnel as wt
from windtunnel.cli.main import main
from windtunnel.diagnostics import UsageError
from windtunnel.leases.haizea.workload import site_from_text
from windtunnel.model.lease_options import LeaseOptions, SuspensionMode, lease_options
from windtunnel.services.lease_run import simulate_leases

ENUMERATIONS = {
    "lease-preparation": "unmanaged, imagetransfer",
    "lease-failure-handling": "cancel, exit, exit-raise",
    "backfilling": "off, aggressive, conservative, intermediate",
    "suspension": "none, serial-only, all",
    "suspendresume-exclusion": "local, global",
    "migration": "no, yes, yes-notransfer",
    "transfer-mechanism": "unicast, multicast",
    "diskimage-reuse": "none, image-caches",
    "add-overhead": "none, besteffort, all",
}
RATES = ("suspend-rate", "resume-rate", "imagetransfer-bandwidth")
SECONDS = (
    "override-suspend-time",
    "override-resume-time",
    "force-scheduling-threshold",
    "scheduling-threshold-factor",
    "shutdown-time",
    "enactment-overhead",
    "non-schedulable-interval",
    "force-imagetransfer-time",
    "runtime-overhead",
    "boot-overhead",
)
WHOLE = ("backfilling-reservations", "override-memory")

UNITS = {
    **dict.fromkeys(SECONDS, ", in seconds"),
    **dict.fromkeys(RATES, ", in MB/s"),
    "imagetransfer-bandwidth": ", in Mbps",
    "scheduling-threshold-factor": "",
    "runtime-overhead": ", in percent",
    "override-memory": ", in MB",
    "diskimage-cache-size": ", in MB",
}

WRONG = [
    *[(name, "foo", f"one of {choices}") for name, choices in ENUMERATIONS.items()],
    *[
        (name, value, "a number greater than 0")
        for name in RATES
        for value in ("0", "-1", "nan", "inf", "1e999", "fast")
    ],
    *[(name, value, "a number of at least 0") for name in SECONDS for value in ("-1", "nan", "inf", "", "soon")],
    *[(name, value, "a whole number of at least 0") for name in WHOLE for value in ("-1", "1.5", "some")],
    ("diskimage-cache-size", "-2", "a whole number of at least -1"),
    ("haizea-compat", "maybe", "true or false"),
    ("avoid-redundant-transfers", "2", "true or false"),
    ("pricing-rate", "nan", "a number"),
    ("pricing-seed", "x", "a whole number"),
]


@pytest.mark.parametrize(("name", "value", "expected"), WRONG)
def test_what_makes_no_sense(name, value, expected):
    with pytest.raises(UsageError) as caught:
        lease_options({name: value})
    assert str(caught.value) == f"settings of leases: {name} must be {expected}{UNITS.get(name, '')}, not {value!r}"
    with pytest.raises(UsageError, match=f"{name} must be"):
        LeaseOptions(**{name.replace("-", "_"): value})


def test_all_faults_at_once():
    with pytest.raises(UsageError, match=r"suspension must be .*; suspend-rate must be"):
        lease_options({"suspension": "foo", "suspend-rate": "0"})


def test_texts_mean_what_they_say():
    options = LeaseOptions(suspension="all", suspend_rate="16", haizea_compat="true")
    assert options.suspension is SuspensionMode.ALL
    assert (options.suspend_rate, options.haizea_compat) == (16.0, True)
    assert pickle.loads(pickle.dumps(options)) == options


def test_the_names_of_a_configuration_file_are_known():
    options = lease_options({"runtime-slowdown-overhead": "10", "bootshutdown-overhead": "3"})
    assert (options.runtime_overhead, options.boot_overhead) == (10.0, 3.0)
    with pytest.raises(UsageError, match=r"no option 'suspensoin' \(did you mean 'suspension'\?\)"):
        lease_options({"suspensoin": "all"})


@pytest.mark.parametrize("command", ["lease run day.lwf", "serve leases --site x", "run hosts:4 day.swf -s leases"])
def test_on_command_lines(command, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "day.lwf").write_text("<lease-workload name='x'><lease-requests/></lease-workload>")
    (tmp_path / "day.swf").write_text("1 0 0 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n")
    assert main([*command.split(), "-o", "suspension=foo"]) == 2
    assert "suspension must be one of none, serial-only, all, not 'foo'" in capsys.readouterr().err


def test_what_only_python_gives_is_no_option(capsys, tmp_path, monkeypatch):
    """A live run would never end; it is not a setting of who names a scheduler."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "day.swf").write_text("1 0 0 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n")
    for word in ("live=true", "stop=exact", "options=x"):
        assert main(["run", "hosts:4", "day.swf", "-s", "leases", "-o", word]) == 2
        assert "windtunnel run: " in capsys.readouterr().err
    assert main(["schedulers", "leases"]) == 0
    printed = capsys.readouterr().out
    assert "suspension: one of none, serial-only, all (default 'none')" in printed
    assert " live" not in printed
    assert "may abort" not in printed


def test_a_missing_rate_is_called_what_it_is_called():
    with pytest.raises(UsageError, match="policy-pricing constant needs pricing-rate"):
        simulate_leases(
            wt.model.lease.LeaseWorkload(leases=[]),
            site="1 CPU:100,Memory:100",
            options=LeaseOptions(policy_pricing="constant"),
        )


@pytest.mark.parametrize("text", ["99999999999 CPU:100,Memory:1024", "0 CPU:1,Memory:1", "4 CPU:-1,Memory:1024"])
def test_sites_of_nonsense(text):
    with pytest.raises(UsageError):
        site_from_text(text)


def test_a_site_file_of_too_many_nodes(tmp_path, capsys):
    (tmp_path / "site.xml").write_text(
        "<site><resource-types names='CPU Memory'/><nodes><node-set numnodes='99999999999'>"
        "<res type='CPU' amount='100'/><res type='Memory' amount='1024'/></node-set></nodes></site>"
    )
    (tmp_path / "day.lwf").write_text("<lease-workload name='x'><lease-requests/></lease-workload>")
    assert main(["lease", "run", str(tmp_path / "day.lwf"), "--site", str(tmp_path / "site.xml")]) == 2
    assert "99999999999 is above 1000000" in capsys.readouterr().err


def test_dates_of_a_picture(tmp_path, capsys):
    for option in ("--from", "--until"):
        assert main(["lease", "gantt", str(tmp_path), option, "nan"]) == 2
        assert "'nan' is not a time: expected seconds" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["-n", "0"], "Invalid value for '--numnodes'"),
        (["-m", "-1"], "Invalid value for '--memory'"),
        (["-z", "-1"], "Invalid value for '--vmimagesize'"),
        (["-c", "0.001"], "--cpu must be a share of a CPU, from 0.01 to 1, not 0.001"),
        (["-c", "nan"], "--cpu must be a share of a CPU, from 0.01 to 1, not nan"),
        (["--deadline", "+0:30:00"], "--deadline requires a start time, not --start best_effort"),
        (["-f", "binary"], "binary is not text in UTF-8"),
        (["--token-file", "binary"], "binary is not text in UTF-8"),
    ],
)
def test_requests_of_nonsense(line, said, tmp_path, monkeypatch, capsys):
    """They are not sent: nobody listens here."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    assert main(["lease", "request", "--server", "http://127.0.0.1:1/", *line]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("site", ["4 CPU:100,Memory:" + "9" * 400, "4 CPU:-1,Memory:1", "2000000 CPU:100,Memory:1"])
def test_sites_with_amounts_that_no_node_has_are_refused(site):
    with pytest.raises(UsageError, match="a site has 1 to 1000000 nodes, and amounts from 0 to 9007199254740992"):
        site_from_text(site)
