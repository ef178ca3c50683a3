"""Changes of bytes, words and JSON values, all drawn from one ``random.Random``."""

import json
import re
from random import Random
from typing import Any

NUMBERS = (
    *(
        "0",
        "-0",
        "-1",
        "1e308",
        "-1e308",
        "1e309",
        "1e400",
        "-1e400",
        "1e-400",
        "5e-324",
        "NaN",
        "nan",
        "inf",
        "-inf",
    ),
    *(
        "Infinity",
        "1" + "0" * 30,
        "9" * 400,
        "9" * 5000,
        "-" + "9" * 5000,
        "9223372036854775807",
        "9223372036854775808",
    ),
    *("18446744073709551616", "0x10", "1_000", "٣", "²", "1.", ".5", "1e", "--1", "+1", "1,5", "00:00:00", "1e23"),
)
TEXTS = (
    *(
        "",
        " ",
        "\0",
        "a\0b",
        "\x1b[31m",
        "=1+1",
        "é",
        "\u202e",
        "\U0001f600",
        "\ufeff",
        "a" * 5000,
        "../../etc/passwd",
    ),
    *(
        "/dev/zero",
        "/dev/null",
        ".",
        "a:b",
        "subprocess:Popen",
        "%s%n",
        "$base",
        "#/a",
        "~",
        "\r\n",
        "\n",
        "<",
        "&lt;",
    ),
    *(
        "]]>",
        '"',
        "'",
        "{",
        "[",
        "n[1-99999999]",
        "n[1-3",
        "[",
        "*",
        "h" * 70000,
        "undefined",
        "punycode",
        "true",
        "null",
    ),
)
VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2**31,
        2**63 - 1,
        2**63,
        10**30,
        10**308,
        -(10**308),
        10**309,
        1e308,
        5e-324,
        1e23,
    ),
    *("", "a", "1", [], {}, [[]], [None], {"a": None}, [1, "a"], {"": ""}, "\0", "\x1b", "hosts:5", [0] * 50, -0.5),
)
_WORD = re.compile(rb"[A-Za-z_][\w-]*|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|[^\sA-Za-z0-9]")


def mutated(data: bytes, random: Random) -> bytes:
    """The data with one to four changes; JSON often as JSON."""
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        kind = random.random()
        if kind < 0.45 and (changed := _json(data, random)) is not None:
            data = changed
        elif kind < 0.8:
            data = _words(data, random)
        else:
            data = _bytes(data, random)
    return data


def _bytes(data: bytes, random: Random) -> bytes:
    made = bytearray(data)
    at = random.randrange(len(made) + 1)
    to = min(len(made), at + random.choice((1, 1, 2, 8, 64, 1000)))
    kind = random.randrange(7)
    if kind == 0:
        del made[at:to]
    elif kind == 1:
        made[at:at] = random.randbytes(random.choice((1, 2, 8)))
    elif kind == 2:
        made[at:at] = made[at:to] * random.choice((1, 2, 50))
    elif kind == 3 and at < len(made):
        made[at] ^= 1 << random.randrange(8)
    elif kind == 4:
        del made[at:]
    elif kind == 5:
        other = random.randrange(len(made) + 1)
        made[at:at] = made[other : other + 40]
    else:
        made[at:at] = random.choice(
            (b"\0", b"\xff", b"\xff\xfe", b"\n", b"\r", b"\x1f\x8b", b"[" * 2000, b"{" * 2000)
        )
    return bytes(made)


def _words(data: bytes, random: Random) -> bytes:
    found = list(_WORD.finditer(data))
    if not found:
        return _bytes(data, random)
    word = random.choice(found)
    old = word[0]
    kind = random.random()
    if kind < 0.5:
        new = random.choice(NUMBERS if old[:1].isdigit() or random.random() < 0.3 else TEXTS)
        replaced = new.encode("utf-8", "surrogatepass")
    elif kind < 0.7:
        replaced = random.choice(found)[0]
    elif kind < 0.85:
        replaced = b""
    else:
        replaced = old + b" " + old
    return data[: word.start()] + replaced + data[word.end() :]


def _json(data: bytes, random: Random) -> bytes | None:
    """One value of a JSON document, or of one of its lines, replaced, removed or doubled."""
    lines = data.split(b"\n")
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        if len(lines) < 2:
            return None
        rank = random.randrange(len(lines))
        changed = _json(lines[rank], random) if lines[rank].strip()[:1] in (b"{", b"[") else None
        if changed is None:
            return None
        lines[rank] = changed
        return b"\n".join(lines)
    tree = [json.loads(data)]
    places: list[tuple[Any, Any]] = []
    todo: list[Any] = [tree]
    while todo:
        holder = todo.pop()
        for key in list(holder) if isinstance(holder, dict) else range(len(holder)):
            places.append((holder, key))
            if isinstance(holder[key], dict | list):
                todo.append(holder[key])
    holder, key = random.choice(places)
    kind = random.random()
    if kind < 0.6:
        holder[key] = random.choice(VALUES) if random.random() < 0.8 else random.choice(TEXTS)
    elif kind < 0.75 and holder is not tree:
        del holder[key]
    elif kind < 0.9:
        other, place = random.choice(places)
        holder[key] = json.loads(json.dumps(other[place]))
    elif isinstance(holder, dict):
        holder[random.choice(TEXTS)] = holder[key]
    else:
        holder.append(holder[key])
    try:
        return json.dumps(tree[0]).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        return None


def smaller(data: bytes, fails: Any, tries: int = 300) -> bytes:
    """A shorter version that still fails, found by leaving out ever smaller parts."""
    size = max(1, len(data) // 2)
    while size and tries > 0:
        at = 0
        while at < len(data) and tries > 0:
            tries -= 1
            shorter = data[:at] + data[at + size :]
            if fails(shorter):
                data = shorter
            else:
                at += size
        size //= 2
    return data
