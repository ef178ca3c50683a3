"""Messages from stencils are those of the general way, byte for byte, or are left to it."""

from math import inf, nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel import model as m
from windtunnel import vocabulary as v
from windtunnel.wires.batprotocol import binary, text
from windtunnel.wires.batprotocol import schema as s
from windtunnel.wires.batprotocol.notices import notice_out
from windtunnel.wires.batprotocol.stencils import filled
from windtunnel.wires.batprotocol.text_stencils import filled_text

DATES = st.floats(0.0, 1e9)
NAMES = st.text('w0!abcü"\\\n', min_size=1, max_size=70)
FINAL = [m.JobState[state.name] for state in s.FinalJobState]


@st.composite
def jobs(draw):
    return m.Job(
        id=draw(NAMES),
        request=m.Request(draw(st.integers(0, 2**32 - 1))),
        profile=m.DelayProfile(id=draw(st.just("") | NAMES), delay=1.0),
        walltime=draw(st.just(inf) | st.floats(0.0, 1e9)),
        extra_data=draw(st.none() | st.just("more")),
    )


NOTICES = st.builds(v.JobSubmitted, DATES, jobs(), DATES) | st.builds(
    v.JobCompleted, DATES, jobs(), st.sampled_from(FINAL), st.integers(-(2**31), 2**31 - 1), st.just(m.HostSet()), DATES
)


def general(now, notices) -> s.Message:
    return s.Message(now=now, events=tuple(notice_out(notice) for notice in notices))


@settings(max_examples=300)
@given(DATES, NOTICES)
def test_binary_messages_are_those_of_the_general_way(now, notice):
    made = filled(now, [notice])
    job = notice.job
    if made is None:
        long = max(len(job.id.encode()), len(job.profile.id.encode())) > 64
        submitted = isinstance(notice, v.JobSubmitted)
        assert long or (submitted and (job.walltime == inf or job.extra_data is not None))
    else:
        assert made == binary.encode(general(now, [notice]))


@settings(max_examples=300)
@given(DATES, st.lists(NOTICES, min_size=1, max_size=4))
def test_texts_are_those_of_the_general_way(now, notices):
    made = filled_text(now, notices)
    if made is None:
        assert any(notice.job.extra_data is not None for notice in notices)
    else:
        assert made == text.encode(general(now, notices), check=False) + b"\0"


JOB = m.Job(id="w0!1", request=m.Request(1), profile=m.DelayProfile(id="w0!p", delay=1.0), walltime=10.0)


@pytest.mark.parametrize(
    "notice",
    [
        v.JobSubmitted(0.0, JOB, 0.0, JOB.profile),
        v.JobSubmitted(nan, JOB, nan),
        v.JobCompleted(0.0, JOB, m.JobState.RUNNING, 0, m.HostSet()),
        v.JobCompleted(0.0, JOB, 77, 0, m.HostSet()),
        v.JobsKilled(0.0, ("w0!1",), {}),
    ],
    ids=repr,
)
def test_what_is_uncommon_or_wrong_is_left_to_the_general_way(notice):
    assert filled_text(0.0, [notice]) is None
    made = filled(0.0, [notice])
    assert made is None or made == binary.encode(general(0.0, [notice]))
    assert filled(0.0, [notice, notice]) is None


def test_nothing_is_said_of_nothing():
    assert filled(0.0, []) is None
    assert filled_text(0.0, []) is None
