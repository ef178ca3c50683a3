"""The messages and events printed in the document of Batsim's JSON protocol (document 004)."""

import json
import re
from itertools import chain

from shared import shared

__all__ = ["events", "examples"]


def examples():
    """The JSON objects printed in the document that are events or messages, in its order.

    Three of them have a comma too many, as printed no JSON: it is left out.
    """
    text = next(shared("seeds").glob("004*.txt")).read_text()
    text = re.sub(r",(\s*[}\]])", r"\1", text.replace("“", '"').replace("”", '"'))
    decoder, found, at = json.JSONDecoder(), [], 0
    while (at := text.find("\n{", at) + 1) > 0:
        try:
            value, _ = decoder.raw_decode(text, at)
        except ValueError:
            continue
        found.append(value)
    return found


def events(kind):
    """The events of a type among them, those of messages too."""
    every = chain.from_iterable(example.get("events", [example]) for example in examples())
    return [event for event in every if event["type"] == kind]
