# SPDX-License-Identifier: Apache-2.0
"""Simulates TPU slices: how long a job takes on them, and why.

    import alxsim
    machine = alxsim.Machine("v5e-256")
    graph = alxsim.Graph()
    product = graph.op("matmul", m=8192, k=4096, n=4096)
    graph.op("collective", kind="all_reduce", bytes=33554432, after=[product])
    print(machine.estimate(graph).seconds)

    result = alxsim.Study("study.json").set("/machine/cores", 64).run()
    result.plot(band=True)

Times are in seconds, sizes in bytes. Wrong input raises InputError.
"""

from ._errors import InputError
from ._machine import Graph, Machine, chips, op
from ._native import __version__
from ._result import Result, load
from ._schema import describe, schema
from ._study import Advice, Inferred, Study

__all__ = [
    "Advice",
    "Graph",
    "Inferred",
    "InputError",
    "Machine",
    "Result",
    "Study",
    "__version__",
    "chips",
    "describe",
    "load",
    "op",
    "schema",
]
