# SPDX-License-Identifier: Apache-2.0
"""Machines, op graphs, and what ops take on them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ._native import native

Estimate = native.Estimate


class Graph:
    """What every device runs in a step: ops, and which of them wait for which.

    Fields are those of a graph's file (`alxsim schema op_graph`, docs/op_graph.md). A graph is
    compiled once for a machine, and again only after an op is added.
    """

    def __init__(self, document: Mapping[str, Any] | str | None = None):
        """document: of a graph that there is, a dict or the path of its file."""
        if isinstance(document, str):
            document = native.read_json(document)
        self._document: dict[str, Any] = {"ops": []}
        if document is not None:
            self._document = {**document}
            if "ops" in document:
                self._document["ops"] = list(document["ops"])
        self._native: Any = None

    def op(self, work: str, **fields: Any) -> int:
        """Adds an op and returns its number, for `after` of those that wait for it.

        `alxsim op --help` lists the kinds of work and their fields, like
        graph.op("matmul", m=1024, k=1024, n=1024, phase="forward", after=[0]).
        """
        ops = self._document.setdefault("ops", [])
        ops.append({"work": work, **fields})
        self._native = None
        return len(ops) - 1

    def matmul(self, m: int, k: int, n: int, **fields: Any) -> int:
        """A product of [m x k] and [k x n]; see op()."""
        return self.op("matmul", m=m, k=k, n=n, **fields)

    def vector(self, elements: int, **fields: Any) -> int:
        """Work on each of so many elements; see op()."""
        return self.op("vector", elements=elements, **fields)

    def collective(self, kind: str, bytes: int, **fields: Any) -> int:
        """What devices do together, `bytes` of the larger buffer on each; see op()."""
        return self.op("collective", kind=kind, bytes=bytes, **fields)

    def to_dict(self) -> dict[str, Any]:
        """The graph as its file has it."""
        return {**self._document, **({"ops": list(self._document["ops"])} if "ops" in self._document else {})}

    def __len__(self) -> int:
        return len(self._document.get("ops", []))

    def __repr__(self) -> str:
        return f"Graph({len(self)} ops)"


def _compiled(graph: Graph | Mapping[str, Any]) -> Any:
    if not isinstance(graph, Graph):
        return native.Graph(graph)
    if graph._native is None:
        graph._native = native.Graph(graph._document)
    return graph._native


class Machine:
    """A slice of TPU chips, for estimates in this process.

    Estimates are those of the analytic model, of a step that is on the devices already: the
    `closed_form_seconds` of `alxsim op`. They take microseconds, and other threads go on meanwhile.
    """

    def __init__(
        self,
        chip: str = "tpu_v3",
        *,
        cores: int | None = None,
        slice: str | None = None,
        slices: int | None = None,
        wrap: Sequence[bool] | None = None,
        twisted: bool | None = None,
        axes: Mapping[str, Sequence[str]] | None = None,
        overrides: Mapping[str, Any] | None = None,
        schedule: str | None = None,
        compiler_flags: str | None = None,
        faults: Iterable[Mapping[str, Any]] | None = None,
    ):
        """The fields of a study's /machine (`alxsim schema study` tells what each is).

        chip: a preset, also with a size ("v5e-256"), or the path of one of your own.
        overrides: preset values of your own, {"ici_link_bw_oneway": "x2"}.
        """
        given: dict[str, Any] = {
            "chip": chip,
            "cores": cores,
            "slice": slice,
            "slices": slices,
            "wrap": wrap,
            "twisted": twisted,
            "axes": axes,
            "overrides": overrides,
            "schedule": schedule,
            "compiler_flags": compiler_flags,
            "faults": None if faults is None else list(faults),
        }
        self._fields: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        self._native = native.Machine(self._fields)
        self._seconds = self._native.seconds

    def replace(self, **fields: Any) -> Machine:
        """The same machine with other fields; overrides come on top of those that it has."""
        if "overrides" in fields:
            fields["overrides"] = {**self._fields.get("overrides", {}), **fields["overrides"]}
        return Machine(**{**self._fields, **fields})

    def estimate(self, graph: Graph | Mapping[str, Any]) -> Estimate:
        """What a step takes: seconds, its phases, and what holds it up."""
        return self._native.estimate(_compiled(graph))

    def seconds(self, graph: Graph | Mapping[str, Any]) -> float:
        """The seconds of estimate() alone, sooner."""
        return self._seconds(_compiled(graph))

    @property
    def devices(self) -> int:
        """Number of devices that run a program: TensorCores, or chips where two cores act as one."""
        return self._native.devices

    def to_dict(self) -> dict[str, Any]:
        """The machine as a report tells it: chip, cores, chips, slice, ..."""
        return self._native.told()

    def __repr__(self) -> str:
        return f"Machine({self._native.in_words()})"


def op(
    work: Mapping[str, Any] | Sequence[Mapping[str, Any]] | Graph,
    *,
    chip: str = "tpu_v3",
    cores: int | None = None,
    slice: str | None = None,
    slices: int | None = None,
    wrap: Sequence[bool] | None = None,
    schedule: str | None = None,
    overrides: Mapping[str, Any] | None = None,
    faults: Iterable[Mapping[str, Any]] | None = None,
    hbm: str = "rates",
    trace: str | None = None,
    output: str | None = None,
) -> dict[str, Any] | list[dict[str, Any]]:
    """Times one op alone, through SystemC and by closed forms: what `alxsim op --json` prints.

    hbm: "rates", or "banks" to time the DRAM's banks.
    work: an op like {"work": "matmul", "m": 1024, "k": 1024, "n": 1024}, a list of ops, each timed
    by itself, or a graph. Notes are warnings.
    """
    machine = {
        "chip": chip,
        "cores": cores,
        "slice": slice,
        "slices": slices,
        "wrap": None if wrap is None else list(wrap),
        "schedule": schedule,
        "overrides": overrides,
        "faults": None if faults is None else list(faults),
    }
    given = work._document if isinstance(work, Graph) else work
    fields = {name: value for name, value in machine.items() if value is not None}
    result, notes = native.op(given, fields, hbm, output or "", trace or "")
    for note in notes:
        warnings.warn(note, stacklevel=2)
    return result


def chips(name: str | None = None) -> Any:
    """The presets, oldest first: name, title, values, each with unit, kind, source and limits, and slices.

    name: of one of them, or the path of a preset of your own; its dict alone.
    """
    return native.chips(name or "")
