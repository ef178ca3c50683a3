"""Reading Batsim workload files of both generations."""

import copy
import gzip
import json
import pickle
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from shared import ROOT, shared
from windtunnel.diagnostics import InputError
from windtunnel.entities.batsim_profiles import profile_to_json
from windtunnel.formats.batsim.workload import read_batsim
from windtunnel.model import (
    DelayProfile,
    ForkJoinCompositionProfile,
    GenerationStrategy,
    ParallelTaskDataStagingBetweenStoragesProfile,
    ParallelTaskHomogeneousProfile,
    ParallelTaskMergeCompositionProfile,
    ParallelTaskOnStorageHomogeneousProfile,
    ParallelTaskProfile,
    ReceiveProfile,
    Request,
    SendProfile,
    SequentialCompositionProfile,
    TraceReplayProfile,
    TraceType,
)

JOB = {"id": 1, "subtime": 0, "res": 1, "profile": "d", "walltime": 10}
V4 = {"nb_res": 4, "jobs": [JOB], "profiles": {"d": {"type": "delay", "delay": 5}}}
V5 = {"nb_res": 4, "jobs": [JOB], "profiles": {"d": {"type": "DelayProfile", "delay": 5}}}


@pytest.fixture
def workload(tmp_path):
    def write(document):
        path = tmp_path / "w.json"
        if isinstance(document, bytes):
            path.write_bytes(document)
        else:
            path.write_text(document if isinstance(document, str) else json.dumps(document))
        return path

    return write


def with_job(base, **members):
    return {**base, "jobs": [{key: value for key, value in {**JOB, **members}.items() if value is not ...}]}


def with_profile(base, **profile):
    return {**base, "profiles": {**base["profiles"], "p": {k: v for k, v in profile.items() if v is not ...}}}


@pytest.mark.parametrize("base", [V4, V5])
def test_a_submission_before_the_start_is_one_at_the_start_and_told(workload, base):
    read = read_batsim(workload(with_job(base, subtime=-5)))
    assert [job.submission_time for job in read] == [0.0]
    (told,) = read.warnings
    assert (told.code, told.pointer) == ("repaired", "/jobs/0/subtime")


def findings(path, **options):
    with pytest.raises(InputError) as caught:
        read_batsim(path, **options)
    return [(f.pointer, f.code, f.message) for f in caught.value.findings]


def test_jobs(workload):
    document = {
        "nb_res": 4,
        "jobs": [
            {"id": "b", "subtime": 7.5, "res": 2, "profile": "d"},
            {"id": 10, "subtime": 1, "res": 1, "profile": "d", "walltime": -1, "note": {"x": 1.0}},
            {"id": "w0!2", "subtime": 1, "res": 4, "profile": "w0!d", "walltime": 3, "user": "ann", "queue": 2},
            {"id": "w01", "subtime": -3, "res": 0, "profile": "d"},
        ],
        "profiles": {"d": {"type": "delay", "delay": 5, "ret": 3}, "never": {"type": "delay", "delay": 1}},
    }
    read = read_batsim(workload(document))
    assert [job.id for job in read] == ["w0!w01", "w0!10", "w0!2", "w0!b"]
    negative, ten, two, b = read
    assert (negative.submission_time, negative.request) == (0, Request(0))
    assert (ten.walltime, two.walltime, b.walltime) == (inf, 3, inf)
    assert (two.user, two.queue, two.group) == ("ann", "2", "")
    assert ten.source == document["jobs"][1]
    assert list(ten.source) == ["id", "subtime", "res", "profile", "walltime", "note"]
    assert isinstance(ten.source["note"]["x"], float)
    assert b.profile == DelayProfile(
        id="w0!d", delay=5.0, return_code=3, source={"type": "delay", "delay": 5, "ret": 3}
    )
    assert (read.hosts, read.generation, list(read.profiles), list(read.unused)) == (4, 4, ["w0!d"], ["w0!never"])


def test_another_name(workload):
    read = read_batsim(workload(V5), "w3")
    assert (read[0].id, read[0].profile.id, list(read.profiles)) == ("w3!1", "w3!d", ["w3!d"])


def test_gzip_and_pickle(workload):
    read = read_batsim(workload(gzip.compress(json.dumps(V4).encode())))
    assert list(pickle.loads(pickle.dumps(read))) == list(read)


def test_profile_kinds_of_batsim_4(workload, tmp_path):
    (tmp_path / "t.txt").write_text("a.txt\nb.txt\n")
    (tmp_path / "a.txt").write_text("0 init\n# remark\n\n0 send 1 0 1e9\n0 finalize\n")
    (tmp_path / "b.txt").write_text("1 init\n1 recv 0 0 1e9\n1 finalize\n")
    (tmp_path / "u.txt").write_text("ua.txt")
    (tmp_path / "ua.txt").write_text("0 m_usage 0.5 1e9\n")
    profiles = {
        "parallel": {"type": "parallel", "cpu": [1, 2.5], "com": [0, 1, 2, 3]},
        "homo": {"type": "parallel_homogeneous", "cpu": 10e6, "com": 1, "ret": 1},
        "total": {"type": "parallel_homogeneous_total", "cpu": 1, "com": 2},
        "seq": {"type": "composed", "seq": ["d", "homo"], "repeat": 3},
        "pfs": {"type": "parallel_homogeneous_pfs", "bytes_to_read": 1, "host": "nfs"},
        "stage": {"type": "data_staging", "nb_bytes": 7, "from": "a", "to": "b"},
        "send": {"type": "send", "msg": {"x": [1]}},
        "recv": {"type": "recv", "success": "d", "timeout": "homo"},
        "smpi": {"type": "smpi", "trace": "t.txt"},
        "usage": {"type": "usage_trace", "trace": "u.txt"},
        "d": {"type": "delay", "delay": 0.5},
    }
    jobs = [
        {"id": name, "subtime": n, "res": 2, "profile": name, "smpi_ranks_to_hosts_mapping": [1, 0]}
        for n, name in enumerate(sorted(profiles))
    ]
    for job in jobs:
        if job["id"] != "smpi":
            del job["smpi_ranks_to_hosts_mapping"]
    read = read_batsim(workload({"nb_res": 4, "jobs": jobs, "profiles": profiles}))
    strategy = GenerationStrategy
    expected = {
        "parallel": ParallelTaskProfile(computation_vector=(1, 2.5), communication_matrix=(0, 1, 2, 3)),
        "homo": ParallelTaskHomogeneousProfile(computation_amount=10e6, communication_amount=1, return_code=1),
        "total": ParallelTaskHomogeneousProfile(
            computation_amount=1, communication_amount=2, generation_strategy=strategy.Batsim4Total
        ),
        "seq": SequentialCompositionProfile(profile_ids=("w0!d", "w0!homo"), repetition_count=3),
        "pfs": ParallelTaskOnStorageHomogeneousProfile(storage_name="nfs", bytes_to_read=1),
        "stage": ParallelTaskDataStagingBetweenStoragesProfile(
            bytes_to_transfer=7, emitter_storage_name="a", receiver_storage_name="b"
        ),
        "send": SendProfile(message={"x": [1]}),
        "recv": ReceiveProfile(success="w0!d", timeout="w0!homo"),
        "smpi": TraceReplayProfile(
            trace_type=TraceType.SMPI,
            filename="t.txt",
            traces=(
                (("init",), ("send", "1", "0", "1e9"), ("finalize",)),
                (("init",), ("recv", "0", "0", "1e9"), ("finalize",)),
            ),
        ),
        "usage": TraceReplayProfile(
            trace_type=TraceType.FractionalComputation, filename="u.txt", traces=((("m_usage", "0.5", "1e9"),),)
        ),
        "d": DelayProfile(delay=0.5),
    }
    assert read.profiles == {
        f"w0!{name}": replace(profile, id=f"w0!{name}", source=profiles[name]) for name, profile in expected.items()
    }
    assert {job.name: job.profile.name for job in read} == {name: name for name in profiles}


def test_profile_kinds_of_batsim_5(workload, tmp_path):
    (tmp_path / "u.txt").write_text("ua.txt")
    (tmp_path / "ua.txt").write_text("0 m_usage 1 5\n")
    spread = "DefinedAmountsSpreadUniformly"
    profiles = {
        "task": {"type": "ParallelTaskProfile", "cpu": [1, 2]},
        "talk": {"type": "ParallelTaskProfile", "com": [0, 1, 2, 3]},
        "nothing": {"type": "ParallelTaskProfile"},
        "homo": {"type": "ParallelTaskHomogeneousProfile", "cpu": 1, "com": 0, "generation_strategy": spread},
        "seq": {"type": "SequentialCompositionProfile", "seq": ["w0!d", "homo"], "extra_data": {"b": 1, "a": [2.0]}},
        "fork": {"type": "ForkJoinCompositionProfile", "seq": ["d", "seq"]},
        "merge": {"type": "ParallelTaskMergeCompositionProfile", "seq": ["task", "talk", "homo"]},
        "io": {"type": "ParallelTaskOnStorageHomogeneousProfile", "bytes_to_write": 3, "generation_strategy": spread},
        "stage": {
            "type": "ParallelTaskDataStagingBetweenStoragesProfile",
            "nb_bytes": 1,
            "from": "a",
            "to": "b",
        },
        "replay": {"type": "TraceReplayProfile", "trace_type": "FractionalComputation", "filename": "u.txt"},
        "again": {"type": "TraceReplayProfile", "trace_type": "FractionalComputation", "trace": "u.txt"},
        "d": {"type": "DelayProfile", "delay": 2, "extra_data": "text"},
    }
    sizes = {"nothing": 0, "task": 2, "talk": 2, "merge": 2}
    jobs = [
        {"id": name, "subtime": n, "res": sizes.get(name, 1), "profile": name}
        for n, name in enumerate(sorted(profiles))
    ]
    read = read_batsim(workload({"nb_res": 4, "jobs": jobs, "profiles": profiles}))
    assert read.generation == 5
    uniformly = GenerationStrategy.DefinedAmountsSpreadUniformly
    replay = TraceReplayProfile(
        trace_type=TraceType.FractionalComputation, filename="u.txt", traces=((("m_usage", "1", "5"),),)
    )
    expected = {
        "task": ParallelTaskProfile(computation_vector=(1, 2)),
        "talk": ParallelTaskProfile(communication_matrix=(0, 1, 2, 3)),
        "nothing": ParallelTaskProfile(),
        "homo": ParallelTaskHomogeneousProfile(computation_amount=1, generation_strategy=uniformly),
        "seq": SequentialCompositionProfile(profile_ids=("w0!d", "w0!homo"), extra_data='{"b":1,"a":[2.0]}'),
        "fork": ForkJoinCompositionProfile(profile_ids=("w0!d", "w0!seq")),
        "merge": ParallelTaskMergeCompositionProfile(profile_ids=("w0!task", "w0!talk", "w0!homo")),
        "io": ParallelTaskOnStorageHomogeneousProfile(bytes_to_write=3, generation_strategy=uniformly),
        "stage": ParallelTaskDataStagingBetweenStoragesProfile(
            bytes_to_transfer=1, emitter_storage_name="a", receiver_storage_name="b"
        ),
        "replay": replay,
        "again": replay,
        "d": DelayProfile(delay=2, extra_data="text"),
    }
    assert read.profiles == {f"w0!{name}": replace(profile, id=f"w0!{name}") for name, profile in expected.items()}


def test_extra_data_of_jobs(workload):
    def extra(base, value):
        return read_batsim(workload(with_job(base, extra_data=value)))[0].extra_data

    assert [extra(V5, value) for value in ("x", {"a": 1}, [1, 2])] == ["x", '{"a":1}', "[1,2]"]
    assert [extra(V4, value) for value in ("x", {"a": 1}, 7)] == ["x", '{"a":1}', None]


def test_the_generation_is_told_by_the_profiles_or_forced(workload):
    assert read_batsim(workload({"nb_res": 1, "jobs": [], "profiles": {}})).generation == 4
    assert read_batsim(workload({"nb_res": 1, "jobs": [], "profiles": {}}), generation=5).generation == 5
    for other, of, asked in ((V4, 4, 5), (V5, 5, 4)):  # one fault, however many profiles there are
        said = f"this is a workload of Batsim {of}, the file is read as one of Batsim {asked}"
        assert findings(workload(other), generation=asked) == [("/profiles", "generation", said)]
        with pytest.raises(InputError, match=f"hint: windtunnel convert .* NEW.json --to batsim{asked}"):
            read_batsim(workload(other), generation=asked)
    mixed = with_profile(V4, type="DelayProfile", delay=1)
    with pytest.raises(InputError, match="this is a profile of Batsim 5, the file is read as one of Batsim 4"):
        read_batsim(workload(mixed))


def test_names_of_the_past_are_read_as_those_of_today(workload):
    old = {"msg_par_hg": "parallel_homogeneous", "msg_par_hg_tot": "parallel_homogeneous_total"}
    for past, today in old.items():
        given = workload(with_profile(V4, type=past, cpu=1, com=2))
        read = read_batsim(given)
        assert read.generation == 4
        profile = read.unused["w0!p"]
        assert (profile.computation_amount, profile.communication_amount) == (1, 2)
        assert profile_to_json(profile, 4)["type"] == today  # what schedulers are told
        told = [(finding.code, finding.pointer, finding.message) for finding in read.warnings]
        said = f"the type {past!r} of a profile is called {today!r} now: read as that"
        assert told == [("renamed", "/profiles/p/type", said)]
    with pytest.raises(InputError, match="it is called 'ParallelTaskProfile' now"):  # in no release
        read_batsim(workload(with_profile(V5, type="ptask", cpu=[1])))
    with pytest.raises(InputError, match="this is a profile of Batsim 4, the file is read as one of Batsim 5"):
        read_batsim(workload(with_profile(V5, type="msg_par", cpu=[1], com=[1])))


def test_nb_of_a_sequence_is_how_often_it_is_repeated(workload):
    """So it was called in Batsim 1 and 2."""
    document = with_profile(V4, type="composed", seq=["d"], nb=3)
    document["profiles"]["d"] = {"type": "delay", "delay": 1}
    profile = read_batsim(workload(document)).unused["w0!p"]
    assert profile.repetition_count == 3
    assert profile_to_json(profile, 4) == {"type": "composed", "seq": ["d"], "repeat": 3}
    document["profiles"]["p"]["repeat"] = 2  # both: only that of today counts
    assert read_batsim(workload(document)).unused["w0!p"].repetition_count == 2
    document["profiles"]["p"] = {"type": "composed", "seq": ["d"], "nb": "x"}
    assert "'repeat' is a string, an integer >= 1 is expected" in str(findings(workload(document)))


def test_recv_keeps_what_it_names(workload):
    document = with_profile(V4, type="recv", success="later")
    document["profiles"]["later"] = {"type": "delay", "delay": 1}
    document["jobs"] = [{**JOB, "profile": "p"}]
    assert list(read_batsim(workload(document)).profiles) == ["w0!p", "w0!later"]


COMMON_FAULTS = [
    ("not JSON", "{", [("", "json", "not valid JSON: Input data was truncated")]),
    ("an array", "[]", [("", "json", "not a JSON object")]),
    ("trailing comma", '{"nb_res": 1,}', [("", "json", "not valid JSON: trailing comma in object")]),
    ("NaN", '{"nb_res": NaN}', [("", "json", "not valid JSON: invalid character")]),
    (
        "nothing",
        {},
        [
            ("", "missing", "'nb_res' is missing, an integer > 0 is expected"),
            ("", "missing", "'profiles' is missing, an object is expected"),
            ("", "missing", "'jobs' is missing, an array is expected"),
        ],
    ),
    (
        "wrong kinds",
        {"nb_res": "4", "jobs": {}, "profiles": []},
        [
            ("/nb_res", "type", "'nb_res' is a string, an integer > 0 is expected"),
            ("/jobs", "type", "'jobs' is an object, an array is expected"),
            ("/profiles", "type", "'profiles' is an array, an object is expected"),
        ],
    ),
    (
        "no hosts",
        {"nb_res": 0, "jobs": [], "profiles": {}},
        [("/nb_res", "value", "'nb_res' is 0, an integer > 0 is expected")],
    ),
]


def faults_of(base):
    delay = base["profiles"]["d"]["type"]
    sequence = {"delay": "composed", "DelayProfile": "SequentialCompositionProfile"}[delay]
    task = {"delay": "parallel", "DelayProfile": "ParallelTaskProfile"}[delay]
    homogeneous = {"delay": "parallel_homogeneous", "DelayProfile": "ParallelTaskHomogeneousProfile"}[delay]
    storage = {"delay": "parallel_homogeneous_pfs", "DelayProfile": "ParallelTaskOnStorageHomogeneousProfile"}[delay]
    walltime = {"delay": "a number > 0, or -1 for none,", "DelayProfile": "a number > 0"}[delay]
    return [
        (
            "bare job",
            {**base, "jobs": [{}, 7]},
            [
                ("/jobs/0", "missing", "job ?: 'id' is missing, a string or an integer is expected"),
                ("/jobs/0", "missing", "job ?: 'subtime' is missing, a number is expected"),
                ("/jobs/0", "missing", "job ?: 'res' is missing, an integer >= 0 is expected"),
                ("/jobs/0", "missing", "job ?: 'profile' is missing, a string is expected"),
                ("/jobs/1", "type", "a job is an integer, an object is expected"),
            ],
        ),
        (
            "wrong kinds in a job",
            with_job(base, id=1.5, subtime="0", res=2.0, profile=None, walltime="1"),
            [
                ("/jobs/0/id", "type", "job 1.5: 'id' is a number, a string or an integer is expected"),
                ("/jobs/0/subtime", "type", "job 1.5: 'subtime' is a string, a number is expected"),
                ("/jobs/0/res", "type", "job 1.5: 'res' is a number, an integer >= 0 is expected"),
                ("/jobs/0/profile", "type", "job 1.5: 'profile' is null, a string is expected"),
                ("/jobs/0/walltime", "value", f"job 1.5: 'walltime' is a string, {walltime} is expected"),
            ],
        ),
        ("id of two parts too many", with_job(base, id="a!b"), [
            ("/jobs/0/id", "id", "job a!b: 'id' is 'a!b': it names the workload 'a', but this one is 'w0'")]),
        ("empty id", with_job(base, id=""), [("/jobs/0/id", "id", "job : 'id' is '': it is empty")]),
        ("negative res", with_job(base, res=-1), [("/jobs/0/res", "value", "job 1: 'res' is -1, an integer >= 0 is expected")]),
        ("true as number", with_job(base, subtime=True), [
            ("/jobs/0/subtime", "type", "job 1: 'subtime' is true, a number is expected")]),
        ("unknown profile", with_job(base, profile="e"), [
            ("/jobs/0/profile", "reference", "job 1: the profile 'e' does not exist")]),
        ("job twice", {**base, "jobs": [JOB, {**JOB, "id": "w0!1"}]}, [
            ("/jobs/1/id", "duplicate", "job '1' is given more than once")]),
        ("no type", with_profile(base, delay=1), [
            ("/profiles/p", "missing", "profile 'p': 'type' is missing, a string is expected")]),
        ("type is not text", with_profile(base, type=3), [
            ("/profiles/p/type", "type", "profile 'p': 'type' is an integer, a string is expected")]),
        ("unknown type", with_profile(base, type="sleep"), [
            ("/profiles/p/type", "profile-type", "profile 'p': unknown type 'sleep'")]),
        ("delay of 0", with_profile(base, type=delay, delay=0), [
            ("/profiles/p/delay", "value", "profile 'p': 'delay' is 0, a number > 0 is expected")]),
        ("delay is missing", with_profile(base, type=delay), [
            ("/profiles/p", "missing", "profile 'p': 'delay' is missing, a number > 0 is expected")]),
        ("return code", with_profile(base, type=delay, delay=1, ret=-1), [
            ("/profiles/p/ret", "value", "profile 'p': 'ret' is -1, an integer >= 0 is expected")]),
        ("matrix of another size", with_profile(base, type=task, cpu=[1, 1], com=[1]), [
            ("/profiles/p/com", "value", "profile 'p': 'com' has 1 elements, 4 are expected for 2 in 'cpu'")]),
        ("negative and odd amounts", with_profile(base, type=task, cpu=[-1, "x"], com=[0] * 4), [
            ("/profiles/p/cpu/0", "value", "profile 'p': 'cpu'[0] is -1, a number >= 0 is expected"),
            ("/profiles/p/cpu/1", "type", "profile 'p': 'cpu'[1] is a string, a number >= 0 is expected")]),
        ("no amounts", with_profile(base, type=task, cpu=[], com=[]), [
            ("/profiles/p/cpu", "value", "profile 'p': 'cpu' is empty")]),
        ("homogeneous without amounts", with_profile(base, type=homogeneous, cpu=-2), [
            ("/profiles/p", "missing", "profile 'p': 'com' is missing, a number >= 0 is expected"),
            ("/profiles/p/cpu", "value", "profile 'p': 'cpu' is -2, a number >= 0 is expected")]),
        ("size differs", with_job(with_profile(base, type=task, cpu=[1, 1], com=[0] * 4), profile="p", res=3), [
            ("/jobs/0/res", "size", "job '1' requests 3 hosts, but its profile 'p' is for 2")]),
        ("sequence", with_profile(base, type=sequence, seq=["d", "e", 5], repeat=0), [
            ("/profiles/p/repeat", "value", "profile 'p': 'repeat' is 0, an integer >= 1 is expected"),
            ("/profiles/p/seq/1", "reference", "profile 'p': the profile 'e' does not exist"),
            ("/profiles/p/seq/2", "type", "profile 'p': 'seq'[2] is an integer, a name is expected")]),
        ("empty sequence", with_profile(base, type=sequence, seq=[]), [
            ("/profiles/p/seq", "value", "profile 'p': 'seq' is empty")]),
        ("sequence of itself", with_profile(base, type=sequence, seq=["d", "p"]), [
            ("/profiles/p", "cycle", "profile 'p' contains itself: 'p' -> 'p'")]),
        ("storage without bytes", with_profile(base, type=storage), [
            ("/profiles/p", "missing", "profile 'p': neither 'bytes_to_read' nor 'bytes_to_write' is given")]),
        ("profile is not an object", {**base, "profiles": {**base["profiles"], "p/q": []}}, [
            ("/profiles/p~1q", "type", "profile 'p/q' is an array, an object is expected")]),
        ("profile of another workload", {**base, "profiles": {**base["profiles"], "a!b": {"type": delay, "delay": 1}}}, [
            ("/profiles/a!b", "id", "the name 'a!b' of a profile: it names the workload 'a', but this one is 'w0'")]),
        ("profile twice", json.dumps(base).replace('"profiles": {', '"profiles": {"d": {"type": "x"}, '), [
            ("/profiles/d", "duplicate", "profile 'd' is given more than once")]),
        ("too large", json.dumps(base).replace('"delay": 5', '"delay": 1e400'), [
            ("", "json", "not valid JSON: Number out of range")]),
    ]  # fmt: skip


STRATEGIES = "DefinedAmountsUsedForEachValue or DefinedAmountsSpreadUniformly"
V4_FAULTS = [
    ("foreign profile", with_job(V4, profile="w9!d"), [
        ("/jobs/0/profile", "id", "job 1: 'profile' is 'w9!d': it names the workload 'w9', but this one is 'w0'")]),
    ("walltime of 0", with_job(V4, walltime=0), [
        ("/jobs/0/walltime", "value", "job 1: 'walltime' is 0, a number > 0, or -1 for none, is expected")]),
    ("walltime of -2", with_job(V4, walltime=-2), [
        ("/jobs/0/walltime", "value", "job 1: 'walltime' is -2, a number > 0, or -1 for none, is expected")]),
    ("mapping out of range", with_job(V4, smpi_ranks_to_hosts_mapping=[0, 1, "a"]), [
        ("/jobs/0/smpi_ranks_to_hosts_mapping/1", "value",
         "job 1: 'smpi_ranks_to_hosts_mapping'[1] is 1, but the job has 1 hosts"),
        ("/jobs/0/smpi_ranks_to_hosts_mapping/2", "type",
         "job 1: 'smpi_ranks_to_hosts_mapping'[2] is a string, an integer is expected")]),
    ("send without message", with_profile(V4, type="send", sleeptime=0), [
        ("/profiles/p", "missing", "profile 'p': 'msg' is missing, an object is expected"),
        ("/profiles/p/sleeptime", "value", "profile 'p': 'sleeptime' is 0, a number > 0 is expected")]),
    ("send text", with_profile(V4, type="send", msg="hello"), [
        ("/profiles/p/msg", "type", "profile 'p': 'msg' is a string, an object is expected")]),
    ("recv", with_profile(V4, type="recv", regex="(", success="e"), [
        ("/profiles/p/regex", "value",
         "profile 'p': 'regex' is not a valid regular expression: missing ), unterminated subpattern at position 0"),
        ("/profiles/p/success", "reference", "profile 'p': the profile 'e' does not exist")]),
    ("staging", with_profile(V4, type="data_staging", nb_bytes=-1, to=1), [
        ("/profiles/p", "missing", "profile 'p': 'from' is missing, a string is expected"),
        ("/profiles/p/nb_bytes", "value", "profile 'p': 'nb_bytes' is -1, a number >= 0 is expected"),
        ("/profiles/p/to", "type", "profile 'p': 'to' is an integer, a string is expected")]),
    ("no trace", with_profile(V4, type="smpi"), [
        ("/profiles/p", "missing", "profile 'p': 'trace' is missing, a string is expected")]),
    ("parallel without com", with_profile(V4, type="parallel", cpu=[1]), [
        ("/profiles/p", "missing", "profile 'p': 'com' is missing, an array of numbers >= 0 is expected")]),
]  # fmt: skip

V5_FAULTS = [
    ("walltime of -1", with_job(V5, walltime=-1), [
        ("/jobs/0/walltime", "value", "job 1: 'walltime' is -1, a number > 0 is expected")]),
    ("walltime null", with_job(V5, walltime=None), [
        ("/jobs/0/walltime", "value", "job 1: 'walltime' is null, a number > 0 is expected")]),
    ("extra data", with_job(V5, extra_data=5), [
        ("/jobs/0/extra_data", "type", "job 1: 'extra_data' is an integer, a string, an object or an array is expected")]),
    ("extra data of a profile", with_profile(V5, type="DelayProfile", delay=1, extra_data=None), [
        ("/profiles/p/extra_data", "type",
         "profile 'p': 'extra_data' is null, a string, an object or an array is expected")]),
    ("no square", with_profile(V5, type="ParallelTaskProfile", com=[1, 2, 3]), [
        ("/profiles/p/com", "value", "profile 'p': 'com' has 3 elements, which is not the square of a number")]),
    ("nothing on one host", with_job(with_profile(V5, type="ParallelTaskProfile"), profile="p"), [
        ("/jobs/0/res", "size", "job '1' requests 1 hosts, but its profile 'p' is for 0")]),
    ("strategy", with_profile(V5, type="ParallelTaskHomogeneousProfile", cpu=1, com=1, generation_strategy="Spread"), [
        ("/profiles/p/generation_strategy", "value", f"profile 'p': 'generation_strategy' is 'Spread', {STRATEGIES} is expected")]),
    ("trace type", with_profile(V5, type="TraceReplayProfile", trace_type="MPI"), [
        ("/profiles/p", "missing", "profile 'p': 'filename' is missing, a string is expected"),
        ("/profiles/p/trace_type", "value", "profile 'p': 'trace_type' is 'MPI', SMPI or FractionalComputation is expected")]),
    ("fork of nothing", with_profile(V5, type="ForkJoinCompositionProfile"), [
        ("/profiles/p", "missing", "profile 'p': 'seq' is missing, an array of names is expected")]),
    ("merge of a delay", with_profile(V5, type="ParallelTaskMergeCompositionProfile", seq=["d"]), [
        ("/profiles/p/seq/0", "merge", "profile 'p': 'd' is not a parallel task, it cannot be merged")]),
    ("merge of two sizes", {**V5, "profiles": {
        **V5["profiles"],
        "a": {"type": "ParallelTaskProfile", "cpu": [1]},
        "b": {"type": "ParallelTaskProfile", "cpu": [1, 1]},
        "p": {"type": "ParallelTaskMergeCompositionProfile", "seq": ["a", "b"]}}}, [
        ("/profiles/p/seq/1", "merge", "profile 'p': 'b' has 2 executors, those before have 1")]),
    ("longer circle", {**V5, "profiles": {
        **V5["profiles"],
        "a": {"type": "ForkJoinCompositionProfile", "seq": ["d", "b"]},
        "b": {"type": "SequentialCompositionProfile", "seq": ["a"]}}}, [
        ("/profiles/b", "cycle", "profile 'b' contains itself: 'a' -> 'b' -> 'a'")]),
    ("names of Batsim 4", with_profile(V5, type="send", msg={}), [
        ("/profiles/p/type", "profile-type", "profile 'p': unknown type 'send'")]),
]  # fmt: skip


def named(cases):
    return [pytest.param(document, expected, id=name) for name, document, expected in cases]


@pytest.mark.parametrize(("document", "expected"), named(COMMON_FAULTS + faults_of(V4) + V4_FAULTS))
def test_faulty_files_of_batsim_4(workload, document, expected):
    assert sorted(findings(workload(document), generation=4)) == sorted(expected)


@pytest.mark.parametrize(("document", "expected"), named(COMMON_FAULTS + faults_of(V5) + V5_FAULTS))
def test_faulty_files_of_batsim_5(workload, document, expected):
    assert sorted(findings(workload(document), generation=5)) == sorted(expected)


def test_findings_stand_in_order_of_their_place(workload):
    text = """{"nb_res": 4,
 "jobs": [
  {"id": 1, "subtime": 0, "res": 1, "profile": "nix"},
  {"id": 2, "subtime": "soon", "res": 1, "profile": "d"}],
 "profiles": {
  "d": {"type": "delay",
        "delay": -1}}}
"""
    with pytest.raises(InputError) as caught:
        read_batsim(workload(text))
    assert [(f.line, f.column, f.pointer) for f in caught.value.findings] == [
        (3, 48, "/jobs/0/profile"),
        (4, 24, "/jobs/1/subtime"),
        (7, 18, "/profiles/d/delay"),
    ]
    with pytest.raises(InputError, match=r"w\.json:2:11: error \[json\]: not valid JSON"):
        read_batsim(workload('{"nb_res": 4,\n "jobs": [ö]}'))


def test_faults_of_traces_have_their_file_and_line(workload, tmp_path):
    document = with_profile(V4, type="smpi", trace="sub/t.txt")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "t.txt").write_text("a.txt\n\nnone.txt\n")
    (tmp_path / "sub" / "a.txt").write_text("0 init\n0 dance\n1 init\n0\n0 send 1 0\n0 compute fast\n")
    with pytest.raises(InputError) as caught:
        read_batsim(workload(document))
    found = [(f.file.removeprefix(str(tmp_path)), f.line, f.message) for f in caught.value.findings]
    none = str(tmp_path / "sub" / "none.txt")
    assert found == [
        ("/sub/a.txt", 2, "unknown action 'dance'"),
        ("/sub/a.txt", 3, "the line is of rank 1, but the file is that of rank 0"),
        ("/sub/a.txt", 4, "no action after the rank"),
        ("/sub/a.txt", 5, "send has 2 arguments, 3 are expected"),
        ("/sub/a.txt", 6, "'fast' is not a number >= 0"),
        ("/sub/t.txt", 2, "a blank line names no trace"),
        ("/sub/t.txt", 3, f"the file {none!r} cannot be read: No such file or directory"),
    ]
    (tmp_path / "sub" / "t.txt").write_text("a.txt")
    (tmp_path / "sub" / "a.txt").write_text("0 m_usage 2 1\n0 m_usage 1\n0 compute 1\n0 m_usage 1 -5\n")
    document = with_profile(V4, type="usage_trace", trace="sub/t.txt")
    with pytest.raises(InputError) as caught:
        read_batsim(workload(document))
    assert [f.message for f in caught.value.findings] == [
        "the usage '2' is not in 0..1",
        "m_usage has 1 arguments, usage and flops are expected",
        "unknown action 'compute', m_usage is expected",
        "'-5' is not a number of flops >= 0",
    ]
    missing = with_profile(V4, type="smpi", trace="nowhere.txt")
    path = str(tmp_path / "nowhere.txt")
    assert findings(workload(missing)) == [
        ("/profiles/p", "trace-file", f"profile 'p': the file {path!r} cannot be read: No such file or directory")
    ]


def test_the_ranks_of_a_mapping_are_counted(workload, tmp_path):
    (tmp_path / "t.txt").write_text("a.txt")
    (tmp_path / "a.txt").write_text("0 init\n")
    document = with_profile(V4, type="smpi", trace="t.txt")
    document["jobs"] = [{**JOB, "profile": "p", "smpi_ranks_to_hosts_mapping": [0, 0]}]
    assert findings(workload(document)) == [
        ("/jobs/0/smpi_ranks_to_hosts_mapping", "size", "job '1': 2 ranks are mapped, but there are 1 traces")
    ]


def test_missing_file(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_batsim(tmp_path / "none.json")


def test_deep_nesting_is_no_crash(workload):
    with pytest.raises(InputError, match="not valid JSON"):
        read_batsim(workload('{"nb_res": 1, "jobs": ' + "[" * 100_000))
    profiles = {f"s{n}": {"type": "composed", "seq": [f"s{n + 1}"]} for n in range(5000)}
    profiles["s5000"] = {"type": "delay", "delay": 1}
    with pytest.raises(InputError, match="profile 's4899': compositions nest more than 100 deep"):
        read_batsim(workload({"nb_res": 1, "jobs": [{**JOB, "profile": "s0"}], "profiles": profiles}))


values = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=4),
    st.lists(st.integers(-2, 2), max_size=3), st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)  # fmt: skip


@given(st.data())
def test_mutated_files_are_read_or_explained(tmp_path_factory, data):
    base = copy.deepcopy(data.draw(st.sampled_from([V4, V5])))
    base["profiles"]["s"] = {
        "type": data.draw(st.sampled_from(["composed", "SequentialCompositionProfile"])),
        "seq": ["d"],
    }
    for _ in range(data.draw(st.integers(1, 4))):
        target = data.draw(
            st.sampled_from([base, base["profiles"], base["profiles"]["d"], base["profiles"]["s"], base["jobs"][0]])
        )
        key = data.draw(st.sampled_from([*target, "extra_data", "ret", "repeat"]))
        mutated = {**target, key: data.draw(values)}
        if target is base:
            base = mutated
            break
        target.update(mutated)
        if not isinstance(base["profiles"].get("d"), dict) or not isinstance(base["profiles"].get("s"), dict):
            break
    path = tmp_path_factory.mktemp("w") / "w.json"
    path.write_text(json.dumps(base))
    try:
        read = read_batsim(path)
    except InputError as error:
        assert all(f.line for f in error.errors)  # noqa: PT017 -- either outcome is right
    else:
        assert len(read) == len(base["jobs"])


OLD_NAMES = {"ptask", "ptask_homogeneous", "ptask_on_storage_homogeneous"}
FILES = sorted(
    path
    for pattern in ("batsim[45]/inputs/workloads/**/*.json", "generated/*/workload*.json")
    for path in (ROOT / "golden").glob(pattern)
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT / "golden")))
def test_files_of_batsim_itself_are_read(path):
    document = json.loads(path.read_text())
    kinds = {profile["type"] for profile in document["profiles"].values()}
    if kinds & OLD_NAMES:  # Batsim 5 refuses these as well
        with pytest.raises(InputError, match="unknown type 'ptask"):
            read_batsim(path)
        return
    read = read_batsim(path)
    if path.name == "test_long_workload.json":
        assert list(read.unused) == ["w0!3"]
    assert len(read) == len(document["jobs"])
    assert read.generation == (5 if any(kind.endswith("Profile") for kind in kinds) else 4)
    assert {p.name for p in [*read.profiles.values(), *read.unused.values()]} == set(document["profiles"])
    assert {found.code for found in read.warnings} <= {"history", "unknown-member"}


def test_those_files_are_there():
    shared("golden/batsim4/inputs/workloads")
    assert len(FILES) > 70
