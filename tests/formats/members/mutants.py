"""Every file that differs from a sample in one member: misspelt, or left out."""

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

from lxml import etree

from .samples import Sample

__all__ = ["mutants"]

Mutant = tuple[str, str, str]
"""What was done, to which member (without numbers of elements), and the text."""


def mutants(sample: Sample) -> Iterator[Mutant]:
    """All of them, in the order of the file."""
    makers = {
        "json": _of_json,
        "json lines": _of_json_lines,
        "xml": _of_xml,
        "rows": _of_rows,
        "fields": _of_fields,
        "settings": _of_settings,
    }
    return makers[sample.syntax](sample.text, sample)


def _misspelt(name: str) -> str:
    """As a hurried hand writes it: the last letter twice."""
    return name + name[-1]


def _members(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inside in items:
        if isinstance(value, dict):
            yield (*path, key)
        yield from _members(inside, (*path, key))


def _changed(document: Any, path: tuple[Any, ...], name: str | None) -> Any:
    """The document with a member renamed (its place kept), or without it."""
    made = copy.deepcopy(document)
    holder = made
    for key in path[:-1]:
        holder = holder[key]
    members = list(holder.items())
    holder.clear()
    for key, value in members:
        if key != path[-1]:
            holder[key] = value
        elif name is not None:
            holder[name] = value
    return made


def _json_mutants(document: Any) -> Iterator[tuple[str, str, Any]]:
    for path in _members(document):
        where = "/" + "/".join("*" if isinstance(key, int) else key for key in path)
        yield "misspelt", where, _changed(document, path, _misspelt(path[-1]))
        yield "left out", where, _changed(document, path, None)


def _of_json(text: str, _: Sample) -> Iterator[Mutant]:
    for what, where, made in _json_mutants(json.loads(text)):
        yield what, where, json.dumps(made, indent=1)


def _of_json_lines(text: str, _: Sample) -> Iterator[Mutant]:
    lines = text.splitlines()
    for rank, line in enumerate(lines):
        for what, where, made in _json_mutants(json.loads(line)):
            yield what, where, "\n".join([*lines[:rank], json.dumps(made), *lines[rank + 1 :]]) + "\n"


def _of_xml(text: str, _: Sample) -> Iterator[Mutant]:
    root = etree.fromstring(text.encode())
    elements = [element for element in root.iter() if isinstance(element.tag, str)]

    def changed(rank: int, attribute: str, name: str | None) -> str:
        made = copy.deepcopy(root)
        element = [one for one in made.iter() if isinstance(one.tag, str)][rank]
        if attribute:
            kept = [(key if key != attribute else name, value) for key, value in element.attrib.items()]
            element.attrib.clear()
            for key, value in kept:
                if key is not None:
                    element.set(key, value)
        elif name is not None:
            element.tag = element.tag.replace(etree.QName(element).localname, name)
        else:
            element.getparent().remove(element)
        return etree.tostring(made).decode()

    for rank, element in enumerate(elements):
        tag = etree.QName(element).localname
        if rank:
            yield "misspelt", tag, changed(rank, "", _misspelt(tag))
            yield "left out", tag, changed(rank, "", None)
        for attribute in element.attrib:
            yield "misspelt", f"{tag}@{attribute}", changed(rank, attribute, _misspelt(attribute))
            yield "left out", f"{tag}@{attribute}", changed(rank, attribute, None)


def _of_rows(text: str, sample: Sample) -> Iterator[Mutant]:
    delimiter = sample.options.get("delimiter", ",")
    head, *rows = [line.split(delimiter) for line in text.splitlines()]

    def joined(lines: list[list[str]]) -> str:
        return "".join(delimiter.join(line) + "\n" for line in lines)

    for rank, name in enumerate(head):
        renamed = [*head]
        renamed[rank] = _misspelt(name.rstrip())
        yield "misspelt", name.strip(), joined([renamed, *rows])
        yield "left out", name.strip(), joined([[*row[:rank], *row[rank + 1 :]] for row in (head, *rows)])


def _of_fields(text: str, _: Sample) -> Iterator[Mutant]:
    """Fields have places: one is left out by -1. What stands in comments has a name."""
    lines = text.splitlines()
    for rank, line in enumerate(lines):
        if named := re.match(r"; (\w+):", line):
            misspelt = line.replace(named[1], _misspelt(named[1]))
            yield "misspelt", named[1], "\n".join([*lines[:rank], misspelt, *lines[rank + 1 :]]) + "\n"
            yield "left out", named[1], "\n".join([*lines[:rank], *lines[rank + 1 :]]) + "\n"
        elif line[0].isdigit():
            fields = line.split()
            for place, field in enumerate(fields):
                if field != "-1":
                    made = " ".join([*fields[:place], "-1", *fields[place + 1 :]])
                    yield (
                        "left out",
                        f"field {place + 1}",
                        "\n".join([*lines[:rank], made, *lines[rank + 1 :]]) + "\n",
                    )


def _of_settings(text: str, _: Sample) -> Iterator[Mutant]:
    for found in re.finditer(r"(\w+)=\S*", text):
        yield "misspelt", found[1], text[: found.start()] + _misspelt(found[1]) + text[found.end(1) :]
        yield "left out", found[1], text[: found.start()] + text[found.end() :]
