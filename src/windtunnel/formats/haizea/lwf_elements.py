"""The elements LWF is made of (nodes, site, lease), read from XML with every fault noted and placed.

Source: Haizea's manual (appendix on LWF) and what Haizea 1.1 takes beyond it: several instances of a resource, users,
deadlines, extras. A lease inside a workload counts its times from the workload's start; alone, it has timestamps.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import did_you_mean
from windtunnel.formats.haizea.lwf_values import ValueReader, flag, word
from windtunnel.model.lease import CPU, MEMORY, MOST_NODES, DiskImage, Lease, LeaseSite, LeaseState, NodeSet, When

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

__all__ = ["ElementReader"]


@mypyc_attr(allow_interpreted_subclasses=True)
class ElementReader(ValueReader):
    """Reads leases and sites, and all they are made of."""

    def nodes(self, element: "Element") -> tuple[NodeSet, ...]:
        """``<nodes>``: one or more node sets."""
        sets = self.children(element, ("node-set",))["node-set"]
        if not sets:
            self.fault(element, "<nodes> needs at least one <node-set>", code="missing-element")
        return tuple(
            NodeSet(self.integer(s, "numnodes", minimum=1, maximum=MOST_NODES), self._resources(s)) for s in sets
        )

    def _resources(self, element: "Element") -> dict[str, tuple[int, ...]]:
        amounts: dict[str, tuple[int, ...]] = {}
        for res in self.children(element, ("res",))["res"]:
            kind = self.value(res, "type", "?", word)
            if kind in amounts:
                self.fault(res, f"resource type {kind!r} appears twice in one <node-set>", code="repeated-resource")
            instances = self.children(res, ("instance",))["instance"]
            if instances and res.get("amount") is not None:
                self.fault(res, "<res> has both an amount and instances", code="ambiguous-amount")
            amounts[kind] = tuple(self.integer(item, "amount", minimum=1) for item in instances or [res])
        if not amounts:
            self.fault(element, "<node-set> needs at least one <res>", code="missing-element")
        return amounts

    def site(self, element: "Element") -> LeaseSite:
        """``<site>``: resource types (CPU and Memory among them) and nodes that use no others."""
        found = self.children(element, ("resource-types", "nodes"))
        types_element, nodes_element = self.one(element, found, "resource-types"), self.one(element, found, "nodes")
        types = () if types_element is None else tuple(self.value(types_element, "names", "", str).split())
        if types_element is not None:
            for kind in (CPU, MEMORY):
                if kind not in types:
                    self.fault(types_element, f"a site needs the resource type {kind}", code="missing-resource")
            if len(set(types)) < len(types):
                self.fault(types_element, "a resource type is named twice", code="repeated-resource")
        nodes = () if nodes_element is None else self.nodes(nodes_element)
        for group in nodes if types and nodes_element is not None else ():
            for kind in group.amounts:
                if kind not in types:
                    hint = did_you_mean(kind, types)
                    message = f"nodes have {kind!r}, which is not among the site's resource types"
                    self.fault(
                        nodes_element if nodes_element is not None else element, message, code="type", hint=hint
                    )
        return LeaseSite(types, nodes)

    def start(self, element: "Element", date: Callable[["Element"], float]) -> float | When:
        """``<start>``: empty, or one of ``<now/>`` and ``<exact time=.../>``."""
        found = self.children(element, ("now", "exact"))
        chosen = [child for children in found.values() for child in children]
        if len(chosen) > 1:
            self.fault(element, "<start> holds more than one of <now> and <exact>", code="ambiguous-start")
        if not chosen:
            return When.UNSPECIFIED
        return When.NOW if chosen[0].tag == "now" else date(chosen[0])

    def software(self, element: "Element") -> DiskImage | None:
        """``<software>``: ``<none/>`` or ``<disk-image id= size=/>``."""
        found = self.children(element, ("none", "disk-image"))
        if len(found["none"]) + len(found["disk-image"]) != 1:
            self.fault(element, "<software> needs either <none/> or one <disk-image>", code="ambiguous-software")
        if not found["disk-image"]:
            return None
        image = found["disk-image"][0]
        return DiskImage(self.value(image, "id", "?", word), self.integer(image, "size", minimum=0))

    def attributes(self, element: "Element") -> dict[str, str]:
        """A list of ``<attr name= value=/>``."""
        found: dict[str, str] = {}
        for entry in self.children(element, ("attr",))["attr"]:
            name = self.value(entry, "name", "?", word)
            if name in found:
                self.warn(entry, f"the attribute {name!r} is given twice: the last one counts", code="repeated")
            found[name] = self.value(entry, "value", "", str)
        return found

    def lease(self, element: "Element", *, submit: float | None = None, real: float | None = None) -> Lease:
        """``<lease>``; ``submit`` and ``real`` come from the ``<lease-request>`` around it, if any."""
        found = self.children(element, ("nodes", "start", "duration", "deadline", "software", "extra"))
        nodes, start = self.one(element, found, "nodes"), self.one(element, found, "start")
        duration, software = self.one(element, found, "duration"), self.one(element, found, "software")
        seconds = 1.0 if duration is None else self.length(duration, "time", positive=True)
        since = submit if self._epoch is None else None
        begin = When.UNSPECIFIED if start is None else self.start(start, lambda e: self.date(e, "time", since))
        deadline = self.date(found["deadline"][0], "time", since) if found["deadline"] else None
        if deadline is not None:
            self._check_deadline(found["deadline"][0], begin, deadline, seconds)
        own_submit = self.date(element, "submit-time") if submit is None and element.get("submit-time") else 0.0
        state = LeaseState.NEW
        if element.get("state") is not None:
            number = self.integer(element, "state", minimum=0, default=0)
            if number <= LeaseState.REJECTED_BY_USER:
                state = LeaseState(number)
            else:
                self.fault(element, f"state {number} is not a lease state (0 to 18)", code="bad-value")
        return Lease(
            id=self.integer(element, "id", minimum=0) if element.get("id") is not None else None,
            submit=own_submit if submit is None else submit,
            nodes=() if nodes is None else self.nodes(nodes),
            start=begin,
            duration=seconds,
            real_duration=real if real is not None and real < seconds else None,
            deadline=deadline,
            preemptible=self.value(element, "preemptible", False, flag),
            software=None if software is None else self.software(software),
            user=self.integer(element, "user", minimum=-1) if element.get("user") is not None else None,
            extras=self.attributes(found["extra"][0]) if found["extra"] else {},
            state=state,
        )

    def _check_deadline(self, element: "Element", start: float | When, deadline: float, duration: float) -> None:
        if isinstance(start, When):
            hint = "a deadline counts only with an exact start"
            self.warn(element, "this deadline has no effect: the start is not exact", code="deadline", hint=hint)
        elif start + duration > deadline:
            message = f"a lease of {duration:g} s that starts at {start:g} s cannot end by {deadline:g} s"
            self.warn(element, message, code="deadline", hint="it will be rejected")
