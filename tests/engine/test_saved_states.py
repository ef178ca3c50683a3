"""Files of saved simulations: damage is told before anything in them is believed, other users' need a word."""

import os
import pickle
from hashlib import sha256
from random import Random

import pytest

from windtunnel import api
from windtunnel.diagnostics import UsageError
from windtunnel.engine import saved
from windtunnel.model import JobList, Platform
from windtunnel.testing import job


@pytest.fixture
def state(tmp_path):
    """A simulation saved in the middle."""
    one = job(1, run=10.0)
    simulation = api.Simulation(Platform.uniform(4), JobList("w0", [one], {one.profile.id: one.profile}))
    simulation.run_until(5.0)
    simulation.save(tmp_path / "saved")
    return tmp_path / "saved"


def test_a_saved_state_is_restored(state):
    run = api.Simulation.restore(state).run()
    assert run.jobs["finish_time"].to_list() == [10.0]


def test_any_damage_is_told(state):
    """Cut, lengthened, one byte changed: 500 times."""
    whole, random = state.read_bytes(), Random(1)
    for _ in range(500):
        data = bytearray(whole)
        kind = random.randrange(4)
        at = random.randrange(len(data))
        if kind == 0:
            del data[at:]
        elif kind == 1:
            data[at] ^= 1 << random.randrange(8)
        elif kind == 2:
            del data[at : at + random.randrange(1, 100)]
        else:
            data[at:at] = random.randbytes(random.randrange(1, 100))
        state.write_bytes(data)
        with pytest.raises(UsageError, match=r"is damaged|is not a simulation saved|cannot be read"):
            api.Simulation.restore(state)


def test_a_state_of_another_format_is_not_unpickled(state, monkeypatch):
    data = saved.packed(b"what comes")
    state.write_bytes(data.replace(b'"format":%d' % saved.FORMAT, b'"format":99'))
    with pytest.raises(UsageError, match="not a simulation saved by this version, but by"):
        saved.unpacked(state)


@pytest.mark.parametrize("thing", [b"no pickle", pickle.dumps(5), pickle.dumps(([], None)), b""])
def test_a_file_that_is_whole_may_hold_nonsense(state, thing):
    state.write_bytes(saved.packed(thing))
    with pytest.raises(UsageError, match="cannot be restored"):
        api.Simulation.restore(state)


def test_the_head_says_what_follows(state):
    line, _, rest = state.read_bytes().partition(b"\n")
    head, _, digest = line.removeprefix(b"windtunnel saved simulation ").rpartition(b" ")
    assert head.startswith(b'{"format":')
    assert b'"length":%d}' % len(rest) in head
    assert digest.decode() == sha256(head + rest).hexdigest()


def test_other_users_states_need_trust(state, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(UsageError, match="belongs to another user") as caught:
        api.Simulation.restore(state)
    assert "trust=True" in caught.value.hint
    assert api.Simulation.restore(state, trust=True).run().complete


def test_states_that_everybody_may_write_need_trust(state):
    state.chmod(0o666)
    with pytest.raises(UsageError, match="can be written by every user"):
        api.Simulation.restore(state)
    assert api.Simulation.restore(state, trust=True).run().complete
