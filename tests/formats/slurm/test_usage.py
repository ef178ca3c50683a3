"""sshare as the start of fair share: recorded usage comes into the site, and its share of the tree with it."""

import shutil

import pytest

from shared import shared
from windtunnel.diagnostics import InputError
from windtunnel.formats.slurm.conf import read_slurm_conf
from windtunnel.schedulers.slurm.state import State


@pytest.fixture
def site(tmp_path):
    folder = shared("golden/slurm/formats/clean")
    shutil.copy(folder / "slurm.conf", tmp_path / "slurm.conf")
    shutil.copy(folder / "during" / "sacctmgr-assoc.txt", tmp_path / "sacctmgr-assoc.txt")
    return tmp_path


def test_recorded_usage(site):
    told = shared("golden/slurm/formats/clean/during") / "sshare-parsable.txt"
    made = read_slurm_conf(site / "slurm.conf", usage=str(told)).site
    rows = [line.split("|") for line in told.read_text().splitlines()[1:]]
    raw = {(row[0].strip(), row[1]): int(row[4]) for row in rows}
    users = {(one.account, one.user): one.usage for one in made.associations if one.user}
    assert users == {key: amount for key, amount in raw.items() if key in users}
    assert sum(users.values()) > 0
    tree = State(made).tree
    for (account, user), amount in raw.items():
        if not user and any(name == account for name, who in raw if who):  # truncated, user by user
            assert abs(tree.accounts[account].usage - amount) <= len(users)
    assert all(one.usage == 0 for one in read_slurm_conf(site / "slurm.conf").site.associations)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Account|User\nroot|\n", "there is no column 'RawUsage'"),
        ("Account|User|RawUsage\nphys|u1|many\n", "RawUsage is 'many', an integer >= 0 is expected"),
        ("Account|User|RawUsage\nphys|u1|-1\n", "RawUsage is '-1', an integer >= 0 is expected"),
        ("Account|User|RawUsage\nphys|u1\n", "2 fields, and 3 columns in the header"),
    ],
)
def test_faults(site, text, message):
    (site / "usage").write_text(text)
    with pytest.raises(InputError) as caught:
        read_slurm_conf(site / "slurm.conf", usage=str(site / "usage"))
    assert message in str(caught.value)


def test_users_that_there_are_not(site):
    (site / "usage").write_text("Account|User|RawUsage\nphys|u1|5\nphys|nobody|7\nx|y|7\n")
    read = read_slurm_conf(site / "slurm.conf", usage=str(site / "usage"))
    (told,) = [one for one in read.warnings if "usage is not counted" in one.message]
    assert (told.count, told.message.startswith("there is no user 'nobody' of account 'phys'")) == (2, True)
