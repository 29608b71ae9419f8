# SPDX-License-Identifier: Apache-2.0
"""The canonical form of what XLA:TPU makes of one collective.

A program's instructions are given as dictionaries with the keys `op`, `emitter`, `strategy`,
`debug`, `custom` (absent where the compiler says nothing). The form has
  name        as in README.md here: gather_and_add, short, ring, nd_rings, ...
  colours     parts of the data that run at the same time, each with its rings
  directions  1 = a colour sends one way round its rings, 2 = both ways
  phases      rings that a colour runs one after another
  rings       [colour][phase] -> devices of the ring
  engine      tensor_core | sparse_core | dma
and, where they apply, `inner` (name of the all-reduce inside), `padded` (a reduce-scatter whose
rows are padded, with a permute of the seam), `piece_bytes` (of an all-to-all), `stages` (of a
collective across slices; see in_slices). What the compiler does not print is absent and is not
judged.
"""
import json
import re

# emitter, strategy of an all-reduce -> name, directions of a colour
ALL_REDUCES = {
    ("RotatedPincerShortEmitter", "StrategyRing"): ("short", 2),
    ("RotatedPincerShortEmitter", "StrategyND"): ("short", 2),
    ("RotatedPincerEmitter", "StrategyRing"): ("ring", 2),
    ("RotatedPincerEmitter", "UniDirection1DRingStrategy"): ("ring", 1),
    ("RotatedPincerEmitter", "StrategyND"): ("nd_rings", 2),
    ("RotatedPincerEmitter", "UniDirectionNDRingStrategy"): ("nd_rings", 1),
}


def printed_rings(debug):
    """Colours, phases and rings of a `debug` string: {4 8},{8 4} -> [[4, 8], [8, 4]]."""
    found = re.search(r"colors:(\d+) phases:(\d+) cores:((?:\{[\d ]+\},?)+)", debug)
    rings = [[int(n) for n in ring.split()] for ring in re.findall(r"\{([\d ]+)\}", found[3])]
    return {"colours": int(found[1]), "phases": int(found[2]), "rings": rings}


def of_all_reduce(instruction, devices):
    emitter = instruction.get("emitter")
    if emitter == "SinglePhaseRingSumEmitter":
        return {"name": "gather_and_add", "colours": 1, "directions": None, "phases": 1,
                "rings": [[devices]]}
    name, directions = ALL_REDUCES[emitter, instruction["strategy"]]
    return {"name": name, "directions": directions, **printed_rings(instruction["debug"])}


def of_native_reduce_scatter(instruction, several_axes):
    rings = printed_rings(instruction["debug"])
    name = "nd_rings" if rings["phases"] > 1 else "one_ring" if several_axes else "ring"
    return {"name": name, "directions": 2, **rings}


def of_all_gather(instruction, devices, several_axes):
    emitter = instruction["emitter"]
    if emitter == "AllGatherWithNetRouterEmitter":
        return {"name": "net_router", "colours": None, "directions": None, "phases": None,
                "rings": None}
    dimensions = int(emitter[0])  # 1DAllGather.., 2DAllGather.., 3DAllGather..
    if dimensions > 1:
        return {"name": "nd_rings", "colours": None, "directions": None, "phases": dimensions,
                "rings": None}
    return {"name": "one_ring" if several_axes else "ring", "colours": 1, "directions": 2,
            "phases": 1, "rings": [[devices]]}


def of_all_to_all(instruction):
    if instruction["emitter"] == "NetRouterEmitter":
        return {"name": "net_router", "colours": None, "directions": None, "phases": None,
                "rings": None}
    piece = int(re.search(r"max_rdma_size_bytes: (\d+)", instruction["debug"])[1])
    return {"name": "pieces", "colours": None, "directions": None, "phases": None, "rings": None,
            "piece_bytes": piece}


def stage_of(instruction):
    """Which collective inside a slice an instruction is, or None."""
    if instruction.get("emitter") == "SingleInputAllReduceScatterFusion":
        return "reduce_scatter"
    return {"all-reduce": "all_reduce", "all-gather": "all_gather", "send": "exchange",
            "all-to-all": "all_to_all", "collective-permute-start": "permute",
            "collective-permute": "permute"}.get(instruction["op"])


def in_slices(kind, stages):
    """What a collective across slices does inside a slice before and after the exchange.

    A reduce-scatter or a gather in the slice may itself be an all-reduce; the rules of its own kind
    say so. The permute of a padded reduce-scatter's seam belongs to that.
    """
    before, after = stages[:stages.index("exchange")], stages[stages.index("exchange") + 1:]
    scatters = kind == "reduce_scatter" or after
    first = (["reduce_scatter" if scatters else "all_reduce"]
             if {"all_reduce", "reduce_scatter"} & set(before) else [])
    last = (["all_gather"] if {"all_reduce", "all_gather"} & set(after)
            else ["permute"] if kind == "permute" and "permute" in stages else [])
    return first + ["exchange"] + last


def canonical(kind, instructions, devices, several_axes):
    """The algorithm of a program that holds one collective of `kind` over `devices` devices.

    `several_axes`: whether the group spans more than one axis of the slice (cores count).
    """
    nothing = {"colours": None, "directions": None, "phases": None, "rings": None}
    stages = [stage_of(i) for i in instructions if stage_of(i)]
    by_stage = {stage_of(i): i for i in instructions}
    if "exchange" in stages:  # send and recv over the data-centre network
        return {"name": "messages", **nothing, "engine": "dma", "stages": in_slices(kind, stages)}
    if any(i.get("custom") == "PrepareAsyncCallStart" for i in instructions):
        return {"name": None, **nothing, "engine": "sparse_core"}
    if kind == "permute":
        asynchronous = any(i["op"] == "collective-permute-start" for i in instructions)
        return {"name": "permute", **nothing, "engine": "dma" if asynchronous else "tensor_core"}
    if kind == "all_to_all":
        return {**of_all_to_all(by_stage["all_to_all"]), "engine": "tensor_core"}
    if "all_reduce" in by_stage:
        inner = of_all_reduce(by_stage["all_reduce"], devices)
        wrapped = {"all_gather": "all_reduce_of_zeros", "reduce_scatter": "all_reduce_and_slice"}
        if kind in wrapped:
            inner = {**inner, "inner": inner["name"], "name": wrapped[kind]}
        return {**inner, "engine": "tensor_core"}
    if kind == "reduce_scatter":
        native = of_native_reduce_scatter(by_stage["reduce_scatter"], several_axes)
        return {**native, "padded": by_stage["reduce_scatter"]["op"] == "fusion",
                "engine": "tensor_core"}
    gathered = of_all_gather(by_stage["all_gather"], devices, several_axes)
    return {**gathered, "engine": "tensor_core"}


def pack(cases):
    """Cases -> {"algorithms": [..], "sets": [{machine, group, "cases": [[dtype, bytes, i]]}]}."""
    algorithms, sets = [], {}
    for case in cases:
        algorithm = {k: case["algorithm"][k] for k in ALGORITHM_KEYS
                     if case["algorithm"].get(k) is not None}
        if algorithm not in algorithms:
            algorithms.append(algorithm)
        key = tuple(case[k] if k != "wrap" else tuple(case[k]) for k in SET_KEYS)
        sets.setdefault(key, []).append(
            [case["dtype"], case["bytes"], algorithms.index(algorithm)])
    return {"algorithms": algorithms,
            "sets": [{**dict(zip(SET_KEYS, key)), "cases": sorted(sets[key])}
                     for key in sorted(sets)]}


ALGORITHM_KEYS = ("name", "inner", "colours", "directions", "phases", "rings", "padded",
                  "piece_bytes", "stages", "engine")
SET_KEYS = ("chip", "slice", "wrap", "slices", "devices_a_chip", "kind", "axes", "order")


def unpack(packed):
    """The inverse of pack: one dictionary a case, with `algorithm`."""
    return [{**{k: s[k] for k in SET_KEYS}, "dtype": dtype, "bytes": size,
             "algorithm": packed["algorithms"][i]}
            for s in packed["sets"] for dtype, size, i in s["cases"]]


def write(path, header, cases):
    """Writes packed cases, one set a line."""
    packed = pack(cases)
    with open(path, "w") as out:
        out.write("{\n" + "".join(f"  {json.dumps(k)}: {json.dumps(v)},\n"
                                  for k, v in header.items()))
        for key, last in (("algorithms", False), ("sets", True)):
            rows = ",\n".join("    " + json.dumps(row) for row in packed[key])
            out.write(f'  "{key}": [\n{rows}\n  ]' + ("\n}\n" if last else ",\n"))
