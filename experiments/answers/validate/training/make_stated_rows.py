#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes rows/stated.json: published training steps stated as workload `transformer`.

    experiments/answers/validate/training/make_stated_rows.py > experiments/answers/validate/rows/stated.json

Jobs are those of make_rows.py, where their shapes stand, and one mixture of experts. Nothing here was chosen by what a
job took (README.md says what is assumed, and which rows chose a value of v5e's preset).
"""
import json
import sys
from dataclasses import replace

from make_rows import BF16, JOBS, LLAMA_70B, RECIPES

# Of all rows alike, set before any was compared; as of the graphs made by hand.
TOLERANCE = 0.2

# What make_rows calls by words, as the workload names it.
NAMES = {"layer input": "layer_input", "output of attention": "out_proj", "queries": "qkv", "keys and values": "qkv",
         "context": "context"}

MIXTRAL = replace(
    LLAMA_70B, name="Mixtral-8x7B on v6e-256", source=RECIPES.format("trillium") + ": 3,645 tokens/s a chip",
    seconds=13.484, machine="v6e-256", layers=32, hidden=4096, heads=32, mlp_width=14336, vocabulary=32000, batch=12,
    sequence=4096, fsdp_devices=256, on_host=("layer input", "output of attention", "queries", "keys and values"),
    note="8 experts, 2 a token, capacity 1.25. Layer input, output of attention, queries, keys and values go to the "
         "host, the rest is recomputed.")
IRONWOOD_FP8 = replace(
    next(job for job in JOBS if job.name == "Llama3.1-70B on 7x, 4x4x4"), name="Llama3.1-70B on 7x, 4x4x4, FP8", seconds=7.93)
EXPERTS = {MIXTRAL.name: {"count": 8, "per_token": 2, "width": 14336, "capacity": 1.25}}
# As stated they need more HBM than there is, as they do compiled (README.md): timed as if there were twice as much.
TOO_LARGE = {"22B on v4-128", "22B on 4 x v4-128"}
# GPT-2's form; all other models have RMS norms and rotary positions.
LEARNED_POSITIONS = "6.7B on v3-256"


def named(words):
    return sorted({NAMES[word] for word in words})


def recomputation(job):
    if job.kept == ("dots",):
        return "dots"
    if not job.kept and not job.on_host:
        return "full"
    return {key: names for key, names in (("save", named(job.kept)), ("offload", named(job.on_host))) if names}


def model(job):
    learned = job.name == LEARNED_POSITIONS
    size = {"layers": job.layers, "hidden": job.hidden, "heads": job.heads, "kv_heads": job.kv_heads,
            "head_size": job.head_size, "mlp_width": job.mlp_width, "gated": job.gated,
            "activation": "silu" if job.gated else "gelu" if learned else "relu",
            "norm": "layer" if learned else "rms", "positions": "learned" if learned else "rotary",
            "biases": "all" if learned else "none", "tied": job.tied, "vocabulary": job.vocabulary,
            "sequence": job.sequence}
    if job.name in EXPERTS:
        size["experts"] = EXPERTS[job.name]
    return size


def transformer(job):
    devices = job.slices * job.fsdp_devices * job.tensor_devices
    mesh = {"data": job.slices, "fsdp": job.fsdp_devices, "tensor": job.tensor_devices}
    stated = model(job) | {"batch": job.batch * devices,
                           "mesh": {axis: length for axis, length in mesh.items() if length > 1},
                           "attention": "flash" if job.flash else "stored", "recomputation": recomputation(job)}
    if job.master_bytes == BF16:  # moments are made in the weights' type
        stated["optimizer"] = {"adam": {"moments": "bf16", "master": "bf16"}}
    if job.name == IRONWOOD_FP8.name:
        stated["precision"] = "fp8"
    if job.tensor:
        stated["sharding"] = "1d_sequence"
    return stated


def row(job):
    machine = {"chip": job.machine}
    if job.slices > 1:
        machine["slices"] = job.slices
    if job.machine.startswith(("v5p", "v6e")):  # flags of public recipes fuse gathers with products
        machine["compiler_flags"] = "recipe"
    note = job.note
    if job.name in TOO_LARGE:
        machine["overrides"] = {"hbm_bytes_chip": "x2"}
        note += " Does not fit as stated: timed with twice the HBM."
    # v5e's skews of step times (step_skew_devices, step_skew_slices) were fitted to these, as graphs made by hand.
    kind = "calibrated" if "16B" in job.name else "predicted"
    return {"name": job.name, "kind": kind, "reference": job.seconds, "unit": "s", "tolerance": TOLERANCE,
            "source": job.source, "note": note,
            "simulate": {"study": {"study": job.name, "numerics": False, "fidelity": "analytic", "machine": machine,
                                   "workload": {"transformer": transformer(job)}}, "figure": "epoch_seconds"}}


def main():
    rows = [row(job) for job in JOBS + [MIXTRAL, IRONWOOD_FP8]]
    text = json.dumps({"topic": "training steps stated as transformer", "rows": rows})
    for key in ('{"name": ', '"simulate": ', '"workload": '):  # lines that a reader can take in
        text = text.replace(key, "\n " + key)
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
