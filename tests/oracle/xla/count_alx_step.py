#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A step of the released ALX by phase, counted from the compiled programs' text.

    python3 count_alx_step.py FOLDER > alx_step_phases.json

FOLDER holds alx_*_rows_loop__v3-*.hlo.txt.gz (compiled.as_text(), libtpu 0.0.42.1, jax 0.10.2; no TPU).
Sizes, ops and emitters are facts of the text. Seconds are arithmetic on them with the constants below:
streams by bytes, ops on ids by the compiler's own cycles (its estimate), rows and windows by bundles and
waits. Nothing here is fitted to a measured or published time.
"""
import gzip
import json
import pathlib
import re
import sys

CLOCK = 940e6  # Hz, v3
STREAM = 429e9  # B/s of a core, reads and writes together: the compiler's cost model
LATENCY = 0.46e-6  # s of a DMA, assumed 0.2 .. 0.8
GATHER_BLOCK = (256, 2441, (0.38e-6, 0.27e-6, 0.0))  # rows, cycles, hidden part of each wait
WINDOW = 0.70e-6  # s a window of 64 KiB, groups of 16
SUM_LINE = 7 / CLOCK  # s a line's sum of rows, in VMEM
SYSTEM_ITERATION = 0.19e-6  # s, d 128: HBM 0.153, bundles 0.142
FIRST_PRODUCT = 0.153e-6  # s a system: A x0
ITERATIONS = 12
# Busiest link direction over the bytes, serial steps (facts of the schedule), s a scattered row.
SCHEDULE = {8: (1.00, 8), 32: (1.06, 20), 256: (1.085, 48)}
SCATTER_ROW = {8: 132e-9, 32: 123e-9, 256: 107e-9}
LINK, HOP = 74.6e9, 1.3125e-6  # B/s and s: 61 us of links and 63 us of hops for 4 MiB on 256 cores

DTYPE = {"bf16": 2, "f32": 4, "s32": 4, "pred": 1}
OP = re.compile(r"^\s+(?:ROOT )?%(\S+) = (\(.*?\)|\S+) ([\w-]+)\((.*?)\), ?(.*)$")


def bytes_of(shape):
    """Of one array, without padding; of a tuple, all."""
    total = 0
    for dtype, sizes in re.findall(r"(bf16|f32|s32|pred)\[([\d,]*)\]", shape):
        count = 1
        for size in filter(None, sizes.split(",")):
            count *= int(size)
        total += DTYPE[dtype] * count
    return total


def read(text):
    """Ops of the entry and of loop bodies: computation -> [(name, shape, op, cycles, op_name, emitter)]."""
    found, here = {}, None
    for line in text.splitlines():
        begin = re.match(r"^(?:ENTRY )?%(\S+) \(.*\{$", line)
        if begin:
            here = begin.group(1)
            continue
        op = OP.match(line)
        if not op or ("backend_config" not in line and op.group(3) not in ("while", "conditional")):
            continue
        cycles = re.search(r'"estimated_cycles":"(\d+)"', line)
        name = re.search(r'op_name="([^"]*)"', line)
        emitter = re.search(r'"emitter":"(\w+)"(?:,"strategy":"(\w+)")?', line)
        found.setdefault(here, []).append({
            "name": op.group(1), "shape": op.group(2), "op": op.group(3),
            "cycles": int(cycles.group(1)) if cycles else 0, "op_name": name.group(1) if name else "",
            "emitter": " ".join(filter(None, emitter.groups())) if emitter else ""})
    return found


def of(ops, **wanted):
    return [op for op in ops if all(value in op[key] for key, value in wanted.items())]


def one(ops, **wanted):
    matching = of(ops, **wanted)
    if len(matching) != 1:
        raise SystemExit(f"{len(matching)} ops match {wanted}")
    return matching[0]


def rows_time(rows):
    size, cycles, hidden = GATHER_BLOCK
    waits = sum(max(0.0, LATENCY - part) for part in hidden)
    return rows / size * (cycles / CLOCK + waits)


def all_reduce(size, devices):
    share, steps = SCHEDULE[devices]
    return share * size / LINK + steps * HOP


def seconds_of(ops):
    return sum(op["cycles"] for op in ops) / CLOCK


def count(text):
    found = read(text)
    entry = next(ops for name, ops in found.items() if name.startswith("main"))
    turn = next(ops for name, ops in found.items() if name.startswith("wide.region_0"))
    iteration = next(ops for name, ops in found.items() if name.startswith("region_11.0"))

    copies = of(entry, op="copy", shape="bf16[1,")
    table = bytes_of(copies[0]["shape"]) if copies else bytes_of(of(entry, name="scatter_fusion")[-1]["shape"])
    looked_up = one(turn, name="gather_fusion")
    ids, dim = map(int, re.search(r"\[(\d+),(\d+)\]", looked_up["shape"]).groups())
    old = one(entry, name="gather_fusion")
    rows = int(re.search(r"\[(\d+),", old["shape"]).group(1))
    lines, systems = (int(re.search(r"\[(\d+),", one(entry, name=name)["shape"]).group(1))
                      for name in ("convert_reduce_fusion", "multiply_add_fusion"))
    devices = rows // systems
    batch = bytes_of(looked_up["shape"])

    of_ids = [op for op in turn if op["cycles"] and "multiply" not in op["name"]]
    one(turn, name="broadcast_multiply_fusion")  # the mask is a kernel of its own
    # From the exchange of ids to the masks of all turns.
    prepared = [op for op in entry if op["cycles"] and re.search(r"(s32|pred)\[%d," % devices, op["shape"])
                and (str(ids) in op["shape"])]
    exchange = [op for op in entry if op["op"] in ("all-gather", "all-reduce")]
    ids_exchange = next(op for op in exchange if str(ids) in op["shape"])
    if ids_exchange["op"] == "all-reduce":
        ids_seconds = all_reduce(bytes_of(ids_exchange["shape"]), devices)
    else:  # shards padded to twice their bytes, half each way round
        size = 2 * bytes_of(ids_exchange["shape"])
        ids_seconds = size / 2 / LINK + devices / 2 * HOP

    outer = one(entry, name="fusion", shape=f"f32[{lines},{dim},{dim}]")
    mu = one(entry, name="convert_reduce_fusion")
    start = one(entry, name="multiply_add_fusion")
    residual = one(entry, name="multiply_subtract_fusion")
    solution_bytes = bytes_of(residual["shape"])
    phases = {
        "gather.ids": {"exchange": ids_seconds, "masks and offsets (estimate)": seconds_of(prepared)},
        "gather.rows": {"rows": devices * rows_time(ids), "ids wrapped and clamped (estimate)":
                        devices * seconds_of(of_ids), "mask": devices * 2 * batch / STREAM},
        "gather.combine": {"all-reduce": devices * all_reduce(batch, devices), "keep own": 2 * batch / STREAM},
        "statistics": {"outer products (estimate)": seconds_of([outer]), "sums of rows (estimate)":
                       seconds_of([mu]), "alpha G + reg I (estimate)": seconds_of([start]),
                       "windows": lines * WINDOW, "sums by row": lines * SUM_LINE},
        "solve": {"first product": systems * FIRST_PRODUCT,
                  "iterations": ITERATIONS * systems * SYSTEM_ITERATION},
        "scatter.copy": {"copy": 2 * table / STREAM if copies else 0.0},
        "scatter": {"old rows": rows_time(rows), "subtract": 3 * solution_bytes / STREAM,
                    "groups of 16 rows": rows * SCATTER_ROW[devices]},
    }
    return {
        "devices": devices, "ids": ids, "dim": dim, "lines": lines, "systems": systems, "iterations": ITERATIONS,
        "updated_shard_bytes": table, "shard_copies": len(copies), "rows_written_or_skipped": rows,
        "kernels_a_turn": len([op for op in turn if op["op"] in ("fusion", "all-reduce")]),
        "kernels_an_iteration": len([op for op in iteration if op["op"] == "fusion" or op["cycles"]]),
        "estimated_seconds_a_system_and_iteration": round(seconds_of(iteration) / systems, 10),
        "collectives": [{"kind": op["op"], "shape": re.sub(r"\{.*?\}", "", op["shape"]), "emitter": op["emitter"]}
                        for op in exchange + of(turn, op="all-reduce")],
        "seconds": {phase: round(sum(parts.values()), 7) for phase, parts in phases.items()},
        "parts": {phase: {name: round(value, 7) for name, value in parts.items()} for phase, parts in phases.items()},
        "not_counted": ["exchange of solutions (an all-gather)", "infeed", "dispatch"],
    }


def main():
    folder = pathlib.Path(sys.argv[1])
    result = {"source": "compiled.as_text(), libtpu 0.0.42.1, jax 0.10.2, described v3 slices; no TPU; rows half, "
                        "12 iterations, " + "count_alx_step.py", "programs": {}}
    for name in ("alx_dense_rows_loop__v3-2x2", "alx_sparse_rows_loop__v3-4x4",
                 "alx_sparse_rows_donated__v3-4x4", "alx_sparse_rows_loop__v3-8x16"):
        with gzip.open(folder / (name + ".hlo.txt.gz"), "rt") as file:
            result["programs"][name] = count(file.read())
    print(json.dumps(result, indent=1))


main()
