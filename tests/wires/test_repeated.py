"""Members that stand twice are found, however a message is written."""

import json
from itertools import cycle

from hypothesis import given
from hypothesis import strategies as st

from windtunnel.wires.repeated import repeated_member


class Members(list):
    """An object as it is written: its members in order, some perhaps twice."""


NAMES = st.sampled_from(["a", "b", "now", "a:b", '":', " :", "é", "1"])
VALUES = st.recursive(
    st.integers(-3, 3) | NAMES | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.lists(st.tuples(NAMES, inner), max_size=4).map(Members),
    max_leaves=8,
)


def text(value, blanks) -> str:
    if isinstance(value, Members):
        colon = f"{next(blanks)}:{next(blanks)}"
        return "{" + ", ".join(f"{json.dumps(name)}{colon}{text(one, blanks)}" for name, one in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(text(one, blanks) for one in value) + "]"
    return json.dumps(value)


def names_in(decoded) -> int:
    if isinstance(decoded, dict):
        return len(decoded) + sum(map(names_in, decoded.values()))
    return sum(map(names_in, decoded)) if isinstance(decoded, list) else 0


def any_twice(value) -> bool:
    if isinstance(value, Members):
        names = [name for name, _ in value]
        return len(set(names)) < len(names) or any(any_twice(one) for _, one in value)
    return isinstance(value, list) and any(map(any_twice, value))


@given(st.lists(st.tuples(NAMES, VALUES), max_size=5).map(Members), st.lists(st.sampled_from(["", " ", "\n"]), min_size=1))
def test_none_is_missed_and_none_made_up(members, blanks):
    written = text(members, cycle(blanks))
    decoded = json.loads(written)
    for names in (names_in(decoded), -1):
        assert bool(repeated_member(written.encode(), decoded, names)) == any_twice(members)
