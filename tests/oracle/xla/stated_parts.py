#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parts of a transformer's step as XLA compiled them, beside the same parts of the workload `transformer`.

    stated_parts.py import ALXSIM FOLDER > parts_imported.json
    stated_parts.py check ALXSIM parts_imported.json
    stated_parts.py table ALXSIM parts_imported.json

FOLDER holds the compiled texts that are shared with the project (NAME.hlo.txt.gz with NAME.json beside it); those of
MLPs in 8 bits stand in quantized/ (make_quantized.py). `import` keeps what 'alxsim import hlo' counts and times.
`check` runs the stated steps in detail and ends with 1 where a figure is further off than it may be; `table` prints the
comparison as Markdown. What differs and why: workloads/transformer/compiled.md.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LLAMA = {"layers": 4, "hidden": 2048, "heads": 32, "kv_heads": 8, "head_size": 64, "mlp_width": 8192, "gated": True,
         "activation": "silu", "norm": "rms", "positions": "rotary", "biases": "none", "tied": False,
         "vocabulary": 32768, "sequence": 2048}
ONE_LAYER = {"layers": 1, "hidden": 2048, "heads": 16, "head_size": 128, "norm": "rms", "positions": "rotary",
             "biases": "none", "tied": False, "vocabulary": 1024, "attention": "flash", "recomputation": "none"}
PRODUCT = ONE_LAYER | {"hidden": 4096, "heads": 32, "mlp_width": 8192, "activation": "silu", "sequence": 4096, "batch": 1}


def product(precision, devices):
    return PRODUCT | {"precision": precision, "mesh": {"tensor": devices}}


# Chip, cores, slice, model.
STEPS = {
    "int8 on v5e": ("v5e", 4, "2x2", product("int8", 4)),
    "int8 on v6e": ("v6e", 4, "2x2", product("int8", 4)),
    "fp8 on v6e": ("v6e", 4, "2x2", product("fp8", 4)),
    "fp8 on 7x": ("7x", 8, "2x2x1", product("fp8", 8)),
    "ring": ("v5e", 8, "2x4", ONE_LAYER | {"mlp_width": 2048, "sequence": 16384, "batch": 1, "mesh": {"sequence": 8}}),
    "experts": ("v5e", 16, "4x4", ONE_LAYER | {
        "gated": False, "activation": "silu", "mlp_width": 4096, "sequence": 2048, "batch": 16, "mesh": {"expert": 16},
        "experts": {"count": 32, "per_token": 2, "width": 4096, "capacity": 1.0, "routing": "balanced"}}),
    "pipeline": ("v5e", 16, "4x4", ONE_LAYER | {
        "layers": 4, "gated": False, "activation": "gelu", "mlp_width": 8192, "sequence": 1024, "batch": 32,
        "microbatches": 8, "pipeline_schedule": "gpipe", "mesh": {"pipeline": 4, "data": 4}}),
    "prefill": ("v5e", 8, "2x4", LLAMA | {"mode": "prefill", "batch": 2, "attention": "stored", "mesh": {"tensor": 8}}),
    "decode on v5e": ("v5e", 8, "2x4", LLAMA | {"mode": "decode", "batch": 16, "context": 2048, "mesh": {"tensor": 8}}),
    "decode on v6e": ("v6e", 4, "2x2", LLAMA | {"mode": "decode", "batch": 64, "context": 2048, "mesh": {"tensor": 4}}),
}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def imported(alxsim, path):
    found = json.loads(run([alxsim, "import", "hlo", path, "--json"]))
    ops = [[one["instruction"], one["work"], one["calls"], float(f"{one['seconds']:.6g}")]
           for one in found["ops"] if one["seconds"] > 1e-6]
    return {"matmul_flops": found["matmul_flops"], "collective_bytes": found["collective_bytes"],
            "calls": found["calls"], "memory_bytes": found["memory"]["peak_bytes"], "ops": ops,
            "seconds": float(f"{found['step_seconds_if_devices_are_alike']:.6g}")}


PROGRAMS = {
    "int8__v5e-2x2": "quantized", "int8__v6e-2x2": "quantized", "fp8__v6e-2x2": "quantized", "fp8__tpu7x-2x2x1": "quantized",
    "matmul_int8__v5e-2x2": "shared", "matmul_fp8__tpu7x-2x2x1": "shared", "ring_attention__v5e-2x4": "shared",
    "moe_all_to_all__v5e-4x4": "shared", "pipeline_ppermute__v5e-4x4": "shared", "prefill__v5e-2x4": "shared",
    "decode_bf16__v5e-2x4": "shared", "decode_bf16__v6e-2x2": "shared",
}


# Instructions that read nothing but a weight and its scales.
INT8_WEIGHTS = ("abs_reduce_fusion.1", "abs_reduce_fusion.3", "round-nearest-even_convert_fusion.1",
                "round-nearest-even_convert_fusion.3")
FP8_WEIGHTS = ("abs_reduce_fusion.1", "abs_reduce_fusion.3", "multiply_convert_fusion.2", "multiply_convert_fusion.5")


class Stated:
    """A step that ran: what its report and its trace say."""

    def __init__(self, alxsim, name):
        chip, cores, sizes, model = STEPS[name]
        study = {"study": name, "numerics": False, "fidelity": "detailed",
                 "machine": {"chip": chip, "cores": cores, "slice": sizes, "wrap": [False] * len(sizes.split("x"))},
                 "workload": {"transformer": model}}
        with tempfile.TemporaryDirectory() as out:
            path = os.path.join(out, "study.json")
            with open(path, "w") as file:
                json.dump(study, file)
            run([alxsim, "run", path, "-o", out, "--quiet", "--no-band", "--in-process", "--trace", os.path.join(out, "trace")])
            with open(os.path.join(out, "report.json")) as file:
                self.point = json.load(file)["points"][0]
            trace, = os.listdir(os.path.join(out, "trace"))
            with gzip.open(os.path.join(out, "trace", trace)) as file:
                self.events = json.load(file)["traceEvents"]

    def seconds(self):
        """Of the device, without the host's dispatch."""
        return self.point["epoch_seconds"] - self.point["phases"].get("dispatch", 0)

    def op_seconds(self, *names):
        """Of the first chip's first device: each time that an op of these names is worked on."""
        process = {e["pid"] for e in self.events if e["name"] == "process_name" and e["args"]["name"].startswith("chip 0")}
        units = {(e["pid"], e["tid"]) for e in self.events if e["name"] == "thread_name" and e["pid"] in process
                 and e["args"]["name"].replace("device 0 ", "") in ("MXU", "VPU")}
        return sum(e["dur"] for e in self.events
                   if e["ph"] == "X" and (e["pid"], e["tid"]) in units and e["name"] in names) * 1e-6

    def collective(self, op, kind):
        return next(one for one in self.point["schedules"] if one["op"] == op and one["kind"] == kind)

    def bytes(self):
        sums = {}
        for one in self.point["traffic"]:
            sums[one["kind"]] = sums.get(one["kind"], 0) + one["payload_bytes"]
        return sums

    def flops(self):
        return self.point["throughput"]["computed_operations"] / self.point["machine"]["devices"]

    def memory(self):
        machine = self.point["machine"]
        return self.point["memory"]["bytes_per_core"] * machine["cores"] // machine["devices"]


def of(program, *instructions):
    """Seconds of instructions, by their names, each call alone."""
    return sum(seconds / calls for name, _, calls, seconds in program["ops"] if name in instructions)


def copies(program):
    """Those that nothing runs beside: a scan gathers the caches of its layers anew."""
    return sum(seconds for name, work, _, seconds in program["ops"]
               if work.startswith("copy") and not name.split(".")[0].endswith("-start"))


# On 7x the compiler has both passes of a weight's quantization read HBM.
EXPLAINED = {("fp8 on 7x", "quantizing two weights, us"): -0.5}


def quantized(step, name, program):
    """An MLP with the norm before it; the sum over devices is left out, and of three norms two."""
    weights = step.op_seconds("fc1 right quantized", "fc2 right quantized")
    others = step.op_seconds("fc1", "fc2", "silu", "fc1 left quantized", "fc2 left quantized")
    norm = step.op_seconds("normalization") / 3
    yield name, "quantizing two weights, us", 1e6 * of(program, *(INT8_WEIGHTS if name.startswith("int8") else FP8_WEIGHTS)), 1e6 * weights, 0.15
    yield name, "norm and MLP, us", program["seconds"] * 1e6, 1e6 * (weights + others + norm), 0.25


def serving(step, name, program, one_hot):
    yield name, "GFLOP, one-hot rows left out", program["matmul_flops"] / 1e9, (step.flops() - one_hot) / 1e9, 0.02
    yield name, "bytes of all-reduces", program["collective_bytes"]["all_reduce"], step.bytes()["all_reduce"], 0
    yield name, "bytes of all-gathers", program["collective_bytes"]["all_gather"], step.bytes()["all_gather"], 0


def comparison(alxsim, found):
    """(part, what, compiled, stated, how far off it may be)."""
    steps = {name: Stated(alxsim, name) for name in STEPS}
    for name, program in (("int8 on v5e", "int8__v5e-2x2"), ("int8 on v6e", "int8__v6e-2x2"), ("fp8 on v6e", "fp8__v6e-2x2"),
                          ("fp8 on 7x", "fp8__tpu7x-2x2x1")):
        yield from quantized(steps[name], name, found[program])
    for name, program, instruction in (("int8 on v5e", "matmul_int8__v5e-2x2", "fusion.1"),
                                       ("fp8 on 7x", "matmul_fp8__tpu7x-2x2x1", "multiply_convert_fusion")):
        yield name, "product alone, us", of(found[program], instruction) * 1e6, steps[name].op_seconds("fc1") * 1e6, 0.03
    ring = found["ring_attention__v5e-2x4"]
    keys = steps["ring"].collective("keys", "permute")
    yield "ring attention", "bytes that a device passes on at a time", ring["collective_bytes"]["permute"] // 8, keys["bytes"], 0
    yield ("ring attention", "time of passing on, us", of(ring, "collective-permute-start", "collective-permute-start.1") * 1e6,
           keys["seconds"] * 1e6, 0.05)
    experts, moe = steps["experts"], found["moe_all_to_all__v5e-4x4"]
    sent = experts.collective("dispatch", "all_to_all")
    yield "experts", "bytes of an all-to-all", moe["collective_bytes"]["all_to_all"] // 2, sent["bytes"], 0
    yield "experts", "time of an all-to-all, us", of(moe, "all_to_all.6") * 1e6, sent["seconds"] * 1e6, 0.02
    yield "experts", "products, us", of(moe, "fusion.1", "fusion.20") * 1e6, experts.op_seconds("fc1", "fc2") * 1e6, 0.02
    pipeline, message = found["pipeline_ppermute__v5e-4x4"], steps["pipeline"].collective("activations to 1", "permute")
    yield "pipeline", "bytes of a message", pipeline["collective_bytes"]["permute"] // 11, message["bytes"], 0
    yield "pipeline", "time of a message, us", of(pipeline, "collective-permute-start") * 1e6, message["seconds"] * 1e6, 0.05
    for name, program, tokens, devices in (("prefill", "prefill__v5e-2x4", 4096, 8), ("decode on v5e", "decode_bf16__v5e-2x4", 16, 8),
                                           ("decode on v6e", "decode_bf16__v6e-2x2", 64, 4)):
        compiled, step = found[program], steps[name]
        yield from serving(step, name, compiled, 2 * tokens * LLAMA["hidden"] * LLAMA["vocabulary"] / devices)
        yield name, "ms, without copies" if "decode" in name else "ms", \
            (compiled["seconds"] - (copies(compiled) if "decode" in name else 0)) * 1e3, step.seconds() * 1e3, 0.15
        yield name, "memory, MB", compiled["memory_bytes"] / 1e6, step.memory() / 1e6, 0.4


def check(alxsim, found):
    wrong = [f"{part}, {what}: {ours:,.6g}, compiled {theirs:,.6g}, allowed {EXPLAINED.get((part, what), 0):+.1%} and "
             f"{allowed:.0%} either way" for part, what, theirs, ours, allowed in comparison(alxsim, found)
             if abs(ours / theirs - 1 - EXPLAINED.get((part, what), 0)) > allowed]
    sys.exit("\n".join(wrong) if wrong else 0)


def table(alxsim, found):
    print("| part | what | compiled, imported | stated | |")
    print("|---|---|---|---|---|")
    for part, what, theirs, ours, _ in comparison(alxsim, found):
        figures = [f"{one:,.0f}" if one >= 1000 else f"{one:.3g}" for one in (theirs, ours)]
        print(f"| {part} | {what} | {figures[0]} | {figures[1]} | {ours / theirs - 1:+.1%} |")


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("import", "check", "table"):
        sys.exit(__doc__)
    _, what, alxsim, path = sys.argv
    if what == "import":
        folders = {"shared": path, "quantized": os.path.join(HERE, "quantized")}
        json.dump({name: imported(alxsim, os.path.join(folders[where], name + ".hlo.txt.gz"))
                   for name, where in PROGRAMS.items()}, sys.stdout, indent=1)
        print()
        return
    with open(path) as file:
        found = json.load(file)
    (check if what == "check" else table)(alxsim, found)


if __name__ == "__main__":
    main()
