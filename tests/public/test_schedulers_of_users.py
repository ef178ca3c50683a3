"""What users write as schedulers: mistakes are named with their place, and nothing they hold can be changed."""

import gc
import json
import pickle
import sys
import threading
import weakref
from math import inf, nan

import pytest

import windtunnel as wt
from windtunnel.cli.main import main
from windtunnel.diagnostics import ComponentError, DeadlockError, DecisionError
from windtunnel.examples import find
from windtunnel.formats.registry import read_events
from windtunnel.schedulers.easy import Easy
from windtunnel.vocabulary import Reply

SMALL = find("small")


def run(scheduler, **options):
    return wt.simulate(SMALL.platform, SMALL.workloads, scheduler, **options)


def first_fit(view):
    """The shortest correct scheduler."""
    free = view.free
    for job in view.queue:
        if hosts := free.pick(job.request.hosts):
            free -= hosts
            yield wt.Execute(job, hosts)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda view: 5, "schedule yields its decisions, or returns a list of them, not one int 5"),
        (lambda view: next(wt.Reject(job) for job in view.queue) if view.queue else None, "not one RejectJob"),
        (lambda view: (len(5) for _ in "x"), r"object of type 'int' has no len\(\)"),
        (lambda view: [None], "expected decisions, not NoneType"),
        (lambda view: list(view.queue), "expected decisions, not Job"),
        (lambda view: "execute", "expected decisions, not str"),
        (lambda view: [wt.Execute], "expected decisions, not function"),
        (lambda view: [wt.Execute(job, None) for job in view.queue], "expected a HostSet or host ids, not NoneType"),
        (lambda view: [wt.Execute(job, {0: {"cores": 1}}) for job in view.queue], "amounts=... says how much of each host"),
        (lambda view: [wt.Execute(job, "0-1") for job in view.queue], "expected a HostSet or host ids, not str"),
        (lambda view: [wt.Execute(None, [0])], "expected a job or its id, not NoneType"),
        (lambda view: [wt.Kill([job]) for job in view.queue], "expected a job or its id, not list"),
        (lambda view: [setattr(job, "walltime", 1.0) for job in view.queue], "immutable"),
        (lambda view: [setattr(job.profile, "delay", 1.0) for job in view.queue], "immutable"),
        (lambda view: view.queue.clear(), "has no attribute 'clear'"),
        (lambda view: sys.exit(0), "raised SystemExit: 0"),
        (
            lambda view: json.loads("{"),
            r"JSONDecodeError: .* \(.*test_schedulers_of_users.py, line \d+, in <lambda>\)",
        ),
        (lambda view: 1 / 0, r"ZeroDivisionError: division by zero \(.*test_schedulers_of_users.py, line \d+, in"),
    ],
)
def test_mistakes_are_named(answer, said):
    with pytest.raises(ComponentError, match=said):
        run(answer)


@pytest.mark.parametrize(("date", "said"), [(nan, "is not a valid time"), (inf, "inf is later than any date")])
def test_a_call_needs_a_date(date, said):
    with pytest.raises(DecisionError, match=said):
        run(lambda view: [wt.CallMeLater("x", wt.OneShot(date))])


class Odd(wt.Scheduler):
    answer = None

    def decide(self, now, notices):
        return self.answer


@pytest.mark.parametrize("answer", [None, 5, [], "reply"])
def test_an_answer_that_is_no_reply(answer):
    odd = Odd()
    odd.answer = answer
    with pytest.raises(ComponentError, match="which is not a Reply"):
        run(odd)


def test_a_reply_of_things_that_are_no_decisions():
    odd = Odd()
    odd.answer = Reply(0.0, ["execute"])
    with pytest.raises(ComponentError, match="'execute', which is not a decision"):
        run(odd)


def test_nothing_to_decide_may_be_said_as_none():
    with pytest.raises(DeadlockError):
        run(lambda view: None)
    assert run(lambda view: first_fit(view) if view.queue else None).complete


def test_hosts_may_be_plain_numbers():
    done = run(lambda view: [wt.Execute(job, list(view.free)[: job.hosts]) for job in list(view.queue)[:1]
                             if len(view.free) >= job.hosts])  # fmt: skip
    assert done.complete


class Broken(wt.Scheduler):
    def __init__(self):
        raise OSError("no licence")


def test_a_class_that_cannot_be_made(tmp_path):
    with pytest.raises(wt.UsageError, match="cannot be made: OSError: no licence"):
        run(Broken)
    (tmp_path / "half.py").write_text("class Half(:\n")
    with pytest.raises(wt.UsageError, match=r"cannot be imported: SyntaxError: .*half.py, line 1"):
        run(f"{tmp_path}/half.py:Half")


@pytest.mark.parametrize("given", [{"options": {"strict": False}}, {"record": {}}])
def test_options_are_objects(given):
    with pytest.raises(wt.UsageError, match="not a dict"):
        run("easy", **given)


def test_one_list_of_events_needs_no_brackets(tmp_path):
    (tmp_path / "events.json").write_text('{"timestamp": 10, "type": "machine_unavailable", "resources": "0"}\n')
    assert run("easy", events=tmp_path / "events.json").complete


class Interrupted(wt.Scheduler):
    calls = 0

    def schedule(self, view):
        self.calls += 1
        if self.calls == 100:
            raise KeyboardInterrupt
        return first_fit(view)


def test_an_interrupted_run_is_kept_and_the_next_one_runs(tmp_path):
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            run(Interrupted(), out=tmp_path)
        left = wt.load_run(tmp_path)
        assert not left.complete
        assert 0 < len(left.jobs) < 200
    assert run(first_fit, out=tmp_path).complete
    assert json.loads((tmp_path / "run.json").read_text())["status"] == "complete"


def test_two_simulations_at_once(tmp_path):
    alone = run(first_fit, out=tmp_path / "alone").read("jobs.csv")
    threads = [threading.Thread(target=run, args=(first_fit,), kwargs={"out": tmp_path / str(n)}) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {(tmp_path / str(n) / "jobs.csv").read_bytes() for n in range(3)} == {alone}


def test_what_is_injected_is_checked():
    simulation = wt.Simulation(SMALL.platform, SMALL.workloads, first_fit)
    with pytest.raises(wt.UsageError, match="not a str"):
        simulation.inject("x")
    job = wt.Job(id="w0!new", request=wt.Request(1), profile=wt.DelayProfile(id="w0!d", delay=3.0))
    for date in (nan, inf):
        with pytest.raises(wt.UsageError, match="is not a valid time"):
            simulation.inject(job, at=date)
    with pytest.raises(wt.UsageError, match="is not a valid time"):
        simulation.run_until(nan)
    with pytest.raises(wt.UsageError, match="not a int"):
        wt.simulate(SMALL.platform, 5)


def test_a_scheduler_that_is_not_found_again(tmp_path, monkeypatch):
    simulation = wt.Simulation(SMALL.platform, SMALL.workloads, first_fit)
    simulation.save(tmp_path / "saved")
    monkeypatch.delattr(sys.modules[__name__], "first_fit")
    with pytest.raises(wt.UsageError, match=r"cannot be restored: .*first_fit.*\n.*keep it in a module"):
        wt.Simulation.restore(tmp_path / "saved")
    with pytest.raises(wt.UsageError, match=r"cannot be saved or forked: .*\n.*no lambdas"):
        wt.Simulation(SMALL.platform, SMALL.workloads, lambda view: None).fork()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = y", r"cannot be imported: NameError: name 'y' is not defined \(.*broken0.py, line 1, in <module>\)"),
        (
            "class S:\n    def __init__(self):\n        1 / 0",
            r"cannot be made: ZeroDivisionError: division by zero \(.*broken1.py, line 3, in __init__\)",
        ),
    ],
)
def test_what_is_wrong_in_a_file_of_a_user_has_a_place(tmp_path, text, said):
    path = tmp_path / f"broken{int('class' in text)}.py"
    path.write_text(text + "\n")
    with pytest.raises(wt.UsageError, match=said):
        run(f"{path}:S")


def test_damaged_files_are_named(tmp_path):
    done = run("easy", out=tmp_path / "a")
    simulation = wt.Simulation(SMALL.platform, SMALL.workloads, "easy")
    simulation.save(tmp_path / "saved")
    saved = (tmp_path / "saved").read_bytes()
    (tmp_path / "saved").write_bytes(saved[: len(saved) // 2])
    with pytest.raises(wt.UsageError, match="is damaged"):
        wt.Simulation.restore(tmp_path / "saved")
    with pytest.raises(wt.UsageError, match="a tolerance must not be negative"):
        done.compare(done, tolerance=nan)
    assert done.why("w0!5") == done.why("5")
    for damage, said in (
        (b"\xff\xfe,a\n\xff,1\n", "not a table|no column"),
        (b"a,b\n1,2\n", "no column consumed_energy"),
    ):
        (tmp_path / "a" / "jobs.csv").write_bytes(damage)
        with pytest.raises(wt.UsageError, match=said):
            _ = wt.load_run(tmp_path / "a").jobs


def test_an_event_of_hosts_that_cannot_exist_is_refused_at_once(tmp_path):
    path = tmp_path / "events.json"
    for kind in ("machine_unavailable", "machine_available"):
        path.write_text(json.dumps({"timestamp": 10, "type": kind, "resources": "0-99999999999"}))
        with pytest.raises(wt.InputError, match="'0-99999999999' is larger than any host number"):
            run("easy", events=path, out=tmp_path / "out")
        path.write_text(json.dumps({"timestamp": 10, "type": kind, "resources": "0-9999"}))
        with pytest.raises(wt.UsageError, match=r"events.json: .* at t=10.0 s: there are no hosts 16-9999"):
            run("easy", events=path, out=tmp_path / "out")
        assert not (tmp_path / "out").exists()
        simulation = wt.Simulation(SMALL.platform, SMALL.workloads, "easy")
        event = read_events(path).events[0]
        with pytest.raises(wt.UsageError, match="there are no hosts 16-9999"):
            simulation.inject(event)
        simulation.engine.inject(event)
        with pytest.raises(wt.SimulationError, match="there are no hosts 16-9999"):
            simulation.run()


def test_what_leaves_the_process_is_a_fault(tmp_path, capsys):
    (tmp_path / "leaves.py").write_text("import sys\nsys.exit(0)\n")
    (tmp_path / "later.py").write_text("import sys\ndef f(view):\n    sys.exit(0)\n")
    (tmp_path / "stops.py").write_text("def f(view):\n    raise KeyboardInterrupt\n")
    line = ["run", "example:small", "-q", "--out", str(tmp_path / "out"), "-s"]
    assert main([*line, f"{tmp_path}/leaves.py:f"]) == 2
    assert "cannot be imported: SystemExit: 0" in capsys.readouterr().err
    assert main([*line, f"{tmp_path}/later.py:f"]) == 1
    assert "raised SystemExit: 0" in capsys.readouterr().err
    assert json.loads((tmp_path / "out" / "run.json").read_text())["status"] == "incomplete"
    assert main([*line, f"{tmp_path}/stops.py:f"]) == 130
    assert "windtunnel run: interrupted" in capsys.readouterr().err
    assert main([*line, f"{tmp_path}/stops.py"]) == 2
    assert "stops.py:NAME (a class or a function)" in capsys.readouterr().err


class Counting(wt.Scheduler):
    """Keeps a number, and a base class that was compiled keeps the view."""

    def __init__(self):
        super().__init__()
        self.calls = 0

    def schedule(self, view):
        self.calls += 1
        return [wt.Execute(job, hosts) for job in view.queue[:1] if (hosts := view.free.pick(job.request.hosts))]


class CountingEasy(Easy):
    """The same of a scheduler of ours."""

    def __init__(self):
        super().__init__(policy="basic")
        self.calls = 3


@pytest.mark.parametrize("make", [Counting, CountingEasy])
def test_weak_references_know_when_a_scheduler_is_gone(make):
    scheduler = make()
    seen = []
    reference = weakref.ref(scheduler, seen.append)
    assert reference() is scheduler
    del scheduler
    gc.collect()
    assert reference() is None
    assert seen == [reference]


@pytest.mark.parametrize("make", [Counting, CountingEasy])
def test_all_that_a_scheduler_keeps_is_saved(make):
    scheduler = make()
    scheduler.hello()
    scheduler.calls += 4
    copy = pickle.loads(pickle.dumps(scheduler))
    assert copy.calls == scheduler.calls
    assert type(copy.view) is type(scheduler.view)
    assert getattr(copy, "policy", None) == getattr(scheduler, "policy", None)


def test_a_file_with_a_fault_of_syntax_says_where_it_is_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "torn.py").write_text("\nclass Mine(\n")
    with pytest.raises(wt.UsageError) as refusal:
        wt.simulate("example:small", scheduler="torn.py:Mine")
    assert str(refusal.value).endswith("SyntaxError: '(' was never closed (torn.py, line 2)")
