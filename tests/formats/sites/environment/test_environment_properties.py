"""Properties: our resolution equals a plain restatement of the rules; positions are where the values are."""

import copy
import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.diagnostics.json_positions import positions
from windtunnel.formats.sites.environment import Options, check
from windtunnel.formats.sites.environment.problems import pointer

names = st.sampled_from(["a", "b", "c/d", "e~f", "g h", "m"])
scalars = st.none() | st.booleans() | st.integers(-5, 5) | st.text('xyz~/ü"', max_size=3)
arrays = st.lists(scalars, max_size=3)
KEYS = [f"k{i}" for i in range(6)]


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Documents whose objects k0...k5 inherit only from ones that come later, so that there are no circles."""
    doc: dict[str, Any] = {}
    for rank, key in enumerate(KEYS):
        value: dict[str, Any] = draw(
            st.dictionaries(names, scalars | arrays | st.dictionaries(names, scalars, max_size=3))
        )
        later = KEYS[rank + 1 :]
        if later and draw(st.booleans()):
            bases = draw(st.lists(st.sampled_from(later), max_size=3))
            pointers = [f"#/{base}" for base in bases]
            value["$base"] = pointers[0] if len(pointers) == 1 and draw(st.booleans()) else pointers
            if draw(st.booleans()):
                value["$merge"] = draw(st.lists(names, max_size=3))
        if later and draw(st.booleans()):
            value["nested"] = [{"$base": f"#/{draw(st.sampled_from(later))}", "own": 1}]
        doc[key] = value
    return doc


def restated(root: Any, node: Any, *, reference_order: bool) -> Any:
    """The rules of spec/environment.md section 3, word for word, with copies and without any care for cost."""
    if isinstance(node, list):
        return [restated(root, item, reference_order=reference_order) for item in node]
    if not isinstance(node, dict):
        return copy.deepcopy(node)
    if "$base" not in node:
        return {key: restated(root, value, reference_order=reference_order) for key, value in node.items()}
    bases = [node["$base"]] if isinstance(node["$base"], str) else node["$base"]
    merge = node.get("$merge", [])
    local = {
        k: restated(root, v, reference_order=reference_order) for k, v in node.items() if k not in {"$base", "$merge"}
    }
    result: dict[str, Any] = {}
    for layer in [*(restated(root, root[b[2:]], reference_order=reference_order) for b in bases), local]:
        for key, value in layer.items():
            old = result.get(key)
            if key in merge and key in result and isinstance(old, list) and isinstance(value, list):
                result[key] = old + value if reference_order else value + old
            elif key in merge and key in result and isinstance(old, dict) and isinstance(value, dict):
                result[key] = {**old, **value}
            else:
                result[key] = value
    return result


@settings(max_examples=100)
@given(documents(), st.booleans())
def test_resolution_equals_the_restated_rules(doc: dict[str, Any], reference_order: bool) -> None:
    ours = check(json.dumps(doc), "e.json", Options(reference_order=reference_order)).tree
    assert ours == restated(doc, doc, reference_order=reference_order)


def random_document(rng: random.Random) -> dict[str, Any]:
    """The same kind of documents, made quickly."""

    def value(depth: int) -> Any:
        kind = rng.randrange(4 if depth else 2)
        if kind < 2:
            return rng.choice([None, True, rng.randint(-5, 5), "x"])
        if kind == 2:
            return [value(0) for _ in range(rng.randrange(4))]
        return {rng.choice("abcm"): value(depth - 1) for _ in range(rng.randrange(4))}

    doc: dict[str, Any] = {}
    for rank, key in enumerate(KEYS):
        made = {name: value(2) for name in "abcdm" if rng.random() < 0.5}
        if (later := KEYS[rank + 1 :]) and rng.random() < 0.7:
            made["$base"] = [f"#/{rng.choice(later)}" for _ in range(rng.randint(1, 3))]
            made["$merge"] = [name for name in "abcdm" if rng.random() < 0.5]
        if later and rng.random() < 0.3:
            made["d"] = [{"$base": f"#/{rng.choice(later)}", "own": 1}]
        doc[key] = made
    return doc


@pytest.mark.slow
def test_resolution_equals_the_restated_rules_in_bulk() -> None:
    rng = random.Random(6)
    for _ in range(4000):
        doc = random_document(rng)
        order = rng.random() < 0.5
        ours = check(json.dumps(doc), "e.json", Options(reference_order=order)).tree
        assert ours == restated(doc, doc, reference_order=order), json.dumps(doc)


@settings(max_examples=120)
@given(documents(), st.booleans())
def test_every_origin_holds_the_value(doc: dict[str, Any], reference_order: bool) -> None:
    """Where a scalar of the resolved tree is said to come from, there it stands."""
    from windtunnel.formats.sites.environment.origins import origin
    from windtunnel.formats.sites.environment.resolution import Resolver
    from windtunnel.formats.sites.environment.source import Source

    source = Source("e.json", "", doc)
    resolver = Resolver(source, [], reference_order=reference_order)
    for path, value in leaves(resolver.resolve(), ()):
        at, found = origin(resolver, path)
        assert found, pointer(path)
        assert at.source.at(at.path) == value


def leaves(value: Any, path: tuple[Any, ...]) -> Any:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in children:
        if key not in {"$base", "$merge"}:
            yield from leaves(item, (*path, key))
    if not isinstance(value, dict | list):
        yield path, value


@settings(max_examples=120)
@given(documents(), st.sampled_from([None, 1]))
def test_positions_are_those_of_the_values(doc: dict[str, Any], indent: int | None) -> None:
    text = json.dumps(doc, indent=indent, ensure_ascii=False)
    wanted = [path for path, _ in leaves(doc, ())]
    found = positions(text, wanted)
    lines = text.split("\n")
    for path, value in leaves(doc, ()):
        (key_line, key_column), (line, column) = found[path]
        assert lines[line - 1][column - 1 :].startswith(json.dumps(value, ensure_ascii=False))
        if isinstance(path[-1], str):
            assert lines[key_line - 1][key_column - 1 :].startswith(json.dumps(path[-1], ensure_ascii=False))


@settings(max_examples=120)
@given(
    st.recursive(
        scalars,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                names
                | st.sampled_from(
                    ["$base", "$merge", "environment", "datacenters", "rooms", "type", "units", "events", "time"]
                ),
                inner | st.just("#/a"),
                max_size=4,
            )
        ),
        max_leaves=20,
    )
)
def test_no_document_breaks_the_checker(doc: Any) -> None:
    check(json.dumps(doc))
