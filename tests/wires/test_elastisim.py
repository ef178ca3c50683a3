"""ElastiSim's wire: an algorithm of our own behind a real socket, and whatever else may come over it."""

import gzip
import json
import random
import threading
from pathlib import Path

import pytest
import zmq

from elastic_cases import inside, replay
from elastisim_files import FILES
from shared import cases
from windtunnel.cli.main import main
from windtunnel.diagnostics import ProtocolError, WindtunnelError
from windtunnel.wires.elastisim.answers import parse_answer
from windtunnel.wires.elastisim.codes import SCHEDULED


def algorithm(folder: Path, answers: list[list[dict[str, object]]], said: list[dict[str, object]]) -> None:
    """Connects as elastisim-python does, and gives the answers in turn."""
    context = zmq.Context()
    socket = context.socket(zmq.PAIR)
    socket.connect(f"ipc://{folder}/elastisim.ipc")
    left = list(answers)
    while True:
        message = json.loads(socket.recv())
        said.append(message)
        if message["code"] == 0xFFEC44FF:
            break
        socket.send_string(json.dumps({"code": SCHEDULED, "jobs": left.pop(0) if left else []}))
    socket.close()
    context.term()


def entry(number: int, nodes: list[int]) -> dict[str, object]:
    return {
        "id": number,
        "assigned_node_ids": nodes,
        "assigned_num_gpus_per_node": 0,
        "kill_flag": False,
        "modified_runtime_args": False,
    }


KINDS = [1, 1, 4, 4, 4, 2, 4, 2, None]


def test_an_algorithm_drives_a_run_over_a_socket(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    said: list[dict[str, object]] = []
    answers = [[entry(0, [0, 1])], [entry(1, [2])], [entry(0, [0, 1, 3])]]
    peer = threading.Thread(target=algorithm, args=(tmp_path, answers, said), daemon=True)
    peer.start()
    with inside(tmp_path):
        assert main(["elastisim", "config.json", "--timeout", "20"]) == 0
    peer.join(20)
    kinds = [one.get("invocation_type") for one in said]
    assert kinds == KINDS
    rows = (tmp_path / "jobs.csv").read_text().splitlines()
    assert rows[1].startswith("0,malleable,0,0,9.33333,")
    assert rows[2] == "1,malleable,1,1,25,0,24,24,completed"
    assert "4,n3,allocated,0,none" in (tmp_path / "nodes.csv").read_text()
    assert len((tmp_path / "tasks.csv").read_text().splitlines()) == 1 + 2 + 3 + 3 + 3


def test_faults_of_all_files_at_once_and_exit_2(tmp_path, capsys):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text.replace("idle", "idel").replace("1Gf", "1Gg"))
    with inside(tmp_path):
        assert main(["elastisim", "config.json"]) == 2
    error = capsys.readouterr().err
    assert "app.json#/phases/0/tasks/0/type" in error
    assert "platform.xml" in error
    assert "Traceback" not in error
    assert not (tmp_path / "jobs.csv").exists()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"{", "not valid JSON"),
        (b"[]", "an object is expected"),
        (b'{"code": 5, "jobs": []}', "has the code 5"),
        (b'{"code": 4293673985, "jobs": {}}', "a list is expected"),
        (b'{"code": 4293673985, "jobs": [1]}', "jobs\\[0\\] is 1"),
        (b'{"code": 4293673985, "jobs": [{"id": true}]}', "jobs\\[0\\].id is True"),
        (json.dumps({"code": SCHEDULED, "jobs": [{**entry(0, [0]), "kill_flag": 1}]}).encode(), "kill_flag is 1"),
        (json.dumps({"code": SCHEDULED, "jobs": [entry(0, ["a"])]}).encode(), "a list of whole numbers"),
        (
            json.dumps({"code": SCHEDULED, "jobs": [{**entry(0, [0]), "modified_runtime_args": True}]}).encode(),
            "runtime_arguments is missing",
        ),
    ],
)
def test_answers_that_are_none(answer, said):
    with pytest.raises(ProtocolError, match=said):
        parse_answer(answer, 1.0)


def mutated(source: random.Random, text: str) -> str:
    """An answer with something of it changed."""
    how = source.randrange(6)
    if how == 0 or len(text) < 3:
        return "".join(source.sample(text, len(text)))
    if how == 1:
        return text[: source.randrange(len(text))]
    message = json.loads(text)
    jobs = message.get("jobs") or [entry(source.randrange(-1, 4), [source.randrange(-2, 9)])]
    one = dict(source.choice(jobs))
    odd = [None, -1, 10**30, 0.5, "x", [], {}, True, [0, 0], [3, 1, 2], [-1], [99]]
    if how == 2:
        one[source.choice([*one])] = source.choice(odd)
    elif how == 3:
        one["assigned_node_ids"] = [source.randrange(-1, 40) for _ in range(source.randrange(6))]
    elif how == 4:
        one["kill_flag"] = not one.get("kill_flag")
    else:
        one["id"] = source.randrange(-2, 50)
    return json.dumps({**message, "jobs": [*jobs, one] if source.random() < 0.5 else [one]})


class Mutating:
    """Answers as was recorded, but for some that are mutated."""

    def __init__(self, case: Path, seed: int) -> None:
        text = gzip.decompress((case / "dialogue.txt.gz").read_bytes()).decode()
        self.answers = [line[2:] for line in text.splitlines() if line.startswith("S ")]
        self.source = random.Random(seed)
        self.asked = 0

    def start(self) -> None:
        pass

    def ask(self, message: bytes, now: float) -> bytes:
        json.loads(message)
        self.asked += 1
        if self.asked > 400:
            return b"enough"
        text = self.answers[(self.asked - 1) % len(self.answers)]
        return (mutated(self.source, text) if self.source.random() < 0.3 else text).encode()

    def tell(self, message: bytes) -> None:
        json.loads(message)

    def stop(self) -> None:
        pass


SMALL = [path.parent for path in cases("golden/elastisim", "single/*/case.json")]


def play_mutated(seeds: range) -> int:
    """Play recorded cases with mutated answers; anything but an error of ours gets out. How many were refused."""
    refused = 0
    good = [case for case in SMALL if json.loads((case / "case.json").read_text())["exit"] == 0]
    for seed in seeds:
        case = good[seed % len(good)]
        _, _, error = replay(case, peer=Mutating(case, seed))
        assert error is None or isinstance(error, WindtunnelError)
        refused += error is not None
    return refused


def test_mutated_dialogues():
    if not SMALL:
        pytest.skip("not run: no recorded dialogues are here")
    assert play_mutated(range(300)) > 100


@pytest.mark.slow
def test_many_mutated_dialogues():
    if not SMALL:
        pytest.skip("not run: no recorded dialogues are here")
    assert play_mutated(range(1000, 3500)) > 500
