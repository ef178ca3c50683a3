"""Batsim jobs and profiles as JSON: what is written is read again."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from windtunnel.diagnostics import Findings, UsageError
from windtunnel.entities.batsim_ids import full_id
from windtunnel.entities.batsim_jobs import job_from_json, job_to_json
from windtunnel.entities.batsim_profiles import generation_of_type, profile_from_json, profile_to_json
from windtunnel.model import (
    DelayProfile,
    ForkJoinCompositionProfile,
    GenerationStrategy,
    Job,
    ParallelTaskDataStagingBetweenStoragesProfile,
    ParallelTaskHomogeneousProfile,
    ParallelTaskMergeCompositionProfile,
    ParallelTaskOnStorageHomogeneousProfile,
    ParallelTaskProfile,
    Profile,
    ReceiveProfile,
    Request,
    SendProfile,
    SequentialCompositionProfile,
    TraceReplayProfile,
    TraceType,
)

amounts = st.floats(0, 1e15) | st.integers(0, 10**12).map(float)
positive = st.floats(1e-6, 1e9)
names = st.text(st.characters(codec="utf-8", exclude_characters="!"), min_size=1, max_size=5)
ids = names.map(lambda name: f"w0!{name}")
codes = st.integers(0, 9)
extras = st.none() | st.sampled_from(["text", '{"a":1}', "[1.5,null]", '{"a": 1}', "5"])
matrices = st.integers(1, 3).flatmap(
    lambda n: st.tuples(st.lists(amounts, min_size=n, max_size=n), st.lists(amounts, min_size=n * n, max_size=n * n))
)
strategies5 = st.sampled_from([s for s in GenerationStrategy if s.name.startswith("Defined")])
strategies4 = st.sampled_from([GenerationStrategy.DefinedAmountsUsedForEachValue, GenerationStrategy.Batsim4Total])


def homogeneous(strategies):
    return st.builds(
        ParallelTaskHomogeneousProfile,
        computation_amount=amounts,
        communication_amount=amounts,
        generation_strategy=strategies,
    )


common = st.one_of(
    st.builds(DelayProfile, delay=positive),
    st.builds(
        SequentialCompositionProfile,
        profile_ids=st.lists(ids, min_size=1, max_size=3).map(tuple),
        repetition_count=st.integers(1, 5),
    ),
    st.builds(
        ParallelTaskDataStagingBetweenStoragesProfile,
        bytes_to_transfer=amounts,
        emitter_storage_name=names,
        receiver_storage_name=names,
    ),
    st.builds(TraceReplayProfile, trace_type=st.sampled_from(TraceType), filename=names),
    matrices.map(lambda m: ParallelTaskProfile(computation_vector=tuple(m[0]), communication_matrix=tuple(m[1]))),
)
of_batsim_4 = st.one_of(
    common,
    homogeneous(strategies4),
    st.builds(
        ParallelTaskOnStorageHomogeneousProfile, storage_name=names, bytes_to_read=amounts, bytes_to_write=amounts
    ),
    st.builds(SendProfile, message=st.dictionaries(names, st.integers()), sleeptime=positive),
    st.builds(ReceiveProfile, regex=st.sampled_from([".*", "a+"]), success=ids, timeout=ids, polltime=positive),
)
of_batsim_5 = st.one_of(
    common,
    homogeneous(strategies5),
    st.builds(ForkJoinCompositionProfile, profile_ids=st.lists(ids, min_size=1, max_size=3).map(tuple)),
    st.builds(ParallelTaskMergeCompositionProfile, profile_ids=st.lists(ids, min_size=1, max_size=3).map(tuple)),
    st.builds(
        ParallelTaskOnStorageHomogeneousProfile,
        storage_name=names,
        bytes_to_read=amounts,
        bytes_to_write=amounts,
        generation_strategy=strategies5,
    ),
    matrices.map(lambda m: ParallelTaskProfile(communication_matrix=tuple(m[1]))),
)


def read(name, value, generation):
    findings = Findings()
    profile = profile_from_json(name, value, generation, workload="w0", findings=findings)
    assert not findings.has_errors
    return profile


@given(of_batsim_4, names, codes)
def test_profiles_of_batsim_4(profile, name, code):
    profile = replace(profile, id=f"w0!{name}", return_code=code)
    lost = []
    written = profile_to_json(profile, 4, lost)
    again = read(name, written, 4)
    assert again.source is written
    again = replace(again, source=None)
    assert again == profile
    assert lost == []
    assert generation_of_type(written["type"]) == 4


@given(of_batsim_5, names, codes, extras)
def test_profiles_of_batsim_5(profile, name, code, extra):
    profile = replace(profile, id=f"w0!{name}", return_code=code, extra_data=extra)
    lost = []
    written = profile_to_json(profile, 5, lost)
    assert read(name, written, 5) == profile
    assert lost == []
    assert generation_of_type(written["type"]) == 5


def test_batsim_4_forwards_what_it_read():
    value = {"ret": 0, "type": "delay", "note": [1.0], "delay": 5}
    profile = read("p", value, 4)
    assert profile_to_json(profile, 4) is value
    assert profile_to_json(profile, 5) == {"type": "DelayProfile", "delay": 5}


@pytest.mark.parametrize(
    ("profile", "generation", "said"),
    [
        (ParallelTaskHomogeneousProfile(communication_amount=1, generation_strategy=GenerationStrategy.Batsim4Total), 5,
         "profile 'p': each pair gets communication / (n² - n) instead of communication / n"),
        (ParallelTaskHomogeneousProfile(
            communication_amount=1, generation_strategy=GenerationStrategy.DefinedAmountsSpreadUniformly), 4,
         "profile 'p': each pair gets communication / n instead of communication / (n² - n)"),
        (ParallelTaskOnStorageHomogeneousProfile(
            bytes_to_read=1, generation_strategy=GenerationStrategy.DefinedAmountsSpreadUniformly), 4,
         "profile 'p': each host gets the whole amounts instead of its share"),
    ],
)  # fmt: skip
def test_what_the_other_generation_cannot_say_is_said(profile, generation, said):
    lost = []
    profile_to_json(replace(profile, id="w0!p"), generation, lost)
    assert lost == [said]


@pytest.mark.parametrize(
    ("profile", "generation"),
    [(SendProfile(message={}), 5), (ReceiveProfile(), 5), (ForkJoinCompositionProfile(profile_ids=()), 4)],
)
def test_kinds_without_a_form_are_refused(profile, generation):
    with pytest.raises(UsageError, match=f"Batsim {generation} has no form for a {type(profile).__name__}"):
        profile_to_json(profile, generation)


DELAY = DelayProfile(id="w0!d", delay=1)
jobs = st.builds(
    Job,
    id=ids,
    request=st.integers(0, 99).map(Request),
    profile=st.just(DELAY),
    submission_time=amounts,
    walltime=positive | st.just(inf),
    user=st.text(max_size=3),
    group=st.text(max_size=3),
    queue=st.text(max_size=3),
)


@given(jobs, st.sampled_from([4, 5]), st.booleans(), extras)
def test_jobs(job, generation, full, extra):
    job = replace(job, extra_data=extra)
    written = job_to_json(job, generation, full=full)
    findings = Findings()
    again = job_from_json(written, generation, workload="w0", findings=findings, profiles={"w0!d": DELAY})
    assert list(findings) == []
    assert again.source is written
    again = replace(again, source=None)
    assert again == job


def test_batsim_4_forwards_the_job_as_read_with_its_full_id():
    value = {"subtime": 0, "id": 7, "x": {"y": 1.0}, "res": 1, "profile": "d"}
    job = job_from_json(value, 4, workload="w0", findings=Findings(), profiles={"w0!d": DELAY})
    forwarded = job_to_json(job, 4)
    assert list(forwarded.items()) == [
        ("subtime", 0),
        ("id", "w0!7"),
        ("x", {"y": 1.0}),
        ("res", 1),
        ("profile", "d"),
    ]
    assert value["id"] == 7


def test_jobs_registered_while_running():
    value = {"id": "w0!7", "res": 1, "profile": "w0!later"}
    findings = Findings()
    job = job_from_json(value, 4, workload="w0", findings=findings, now=12.5)
    assert (job.submission_time, job.profile) == (12.5, Profile(id="w0!later"))
    assert job_from_json(value, 4, workload="w0", findings=findings) is None
    assert [f.message for f in findings] == ["job w0!7: 'subtime' is missing, a number is expected"]


@pytest.mark.parametrize(
    ("text", "expected"), [("1", "w0!1"), ("w01", "w0!w01"), ("w0!a", "w0!a"), ("w0!!a", "w0!a")]
)
def test_full_ids(text, expected):
    assert full_id(text, "w0") == expected


@pytest.mark.parametrize("text", ["", "!", "w0!", "!a", "w0!a!b", "w1!a", "a!b"])
def test_texts_that_are_no_ids(text):
    with pytest.raises(ValueError, match=r"empty|expected|names the workload"):
        full_id(text, "w0")
