#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training steps of a small Llama, stated as workload `transformer`, beside what XLA compiled of the same.

    stated_llama.py import ALXSIM FOLDER > llama_imported.json
    stated_llama.py check ALXSIM llama_imported.json
    stated_llama.py table ALXSIM llama_imported.json

FOLDER holds the compiled texts NAME.hlo.txt.gz with NAME.json beside them; `import` keeps what 'alxsim import hlo' counts
of them. `check` runs the stated steps and ends with 1 where a figure is further off than TOLERANCES say; `table` prints
the comparison as Markdown. What differs and why: workloads/transformer/compiled.md.
"""
import json
import os
import subprocess
import sys
import tempfile

MODEL = {"layers": 4, "hidden": 2048, "heads": 32, "kv_heads": 8, "head_size": 64, "mlp_width": 8192, "gated": True,
         "activation": "silu", "norm": "rms", "positions": "rotary", "biases": "none", "tied": False,
         "vocabulary": 32768, "sequence": 2048, "attention": "stored", "recomputation": "full"}
# Chip, cores, mesh, and what differs from MODEL.
STEPS = {
    "llama_fsdp_remat_none__v5e-4x4": ("v5e", 16, {"fsdp": 16}, {"batch": 16, "recomputation": "none"}),
    "llama_fsdp_remat_dots__v5e-4x4": ("v5e", 16, {"fsdp": 16}, {"batch": 16, "recomputation": "dots"}),
    "llama_fsdp_remat_full__v5e-4x4": ("v5e", 16, {"fsdp": 16}, {"batch": 16}),
    "llama_fsdp_async_fusion__v6e-4x4": ("v6e", 16, {"fsdp": 16}, {"batch": 32}),
    "llama_data_fsdp__v5p-2x2x4": ("v5p", 32, {"data": 4, "fsdp": 4}, {"batch": 32}),
    "llama_fsdp_tensor__v6e-4x4": ("v6e", 16, {"fsdp": 4, "tensor": 4}, {"batch": 32}),
    "llama_tensor__v4-2x2x4": ("v4", 32, {"data": 2, "tensor": 8}, {"batch": 8}),
    "llama_tensor__v3-4x4": ("v3", 32, {"data": 4, "tensor": 8}, {"batch": 8, "layers": 2}),
    "llama_flash__v5e-4x4": ("v5e", 16, {"data": 4, "fsdp": 4}, {"batch": 32, "sequence": 4096, "attention": "flash",
                                                                "attention_backward": "split"}),
}
RECIPE = {"llama_fsdp_async_fusion__v6e-4x4"}  # compiled with the flags of public recipes
KERNELS = {"llama_flash__v5e-4x4": "flash_mha"}  # without a cost: priced by its shapes

# |stated / compiled - 1|, of all steps alike, beside what is EXPLAINED. Bytes: of all collectives (see bytes_of).
TOLERANCES = {"flops": 0.02, "bytes": 0.1, "memory": 0.2, "seconds": 0.25}
EXPLAINED = {
    # The kernel of the forward, which runs twice, says of itself that it multiplies the whole square.
    ("llama_flash__v5e-4x4", "flops"): -0.05,
}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def kernel_flops(ops):
    """Which are not among those of dots."""
    flops = 0
    for op in ops:
        if op["work"] == "repeat":
            flops += op.get("times", 1) * kernel_flops(op["body"]["ops"])
        elif op["work"] == "custom":
            flops += op.get("flops", 0)
    return flops


def imported(alxsim, folder, name):
    with tempfile.TemporaryDirectory() as out:
        command = [alxsim, "import", "hlo", os.path.join(folder, name + ".hlo.txt.gz"), "--json", "-o",
                   os.path.join(out, "graph.json")]
        if name in KERNELS:
            command += ["--assume", KERNELS[name] + "=attention"]
        found = json.loads(run(command))
        with open(os.path.join(out, "graph.json")) as file:
            kernels = kernel_flops(json.load(file)["ops"])
    return {"matmul_flops": found["matmul_flops"] + int(kernels), "collective_bytes": found["collective_bytes"],
            "memory_bytes": found["memory"]["peak_bytes"], "xla_memory_bytes": found["memory"]["xla_peak_bytes"],
            "step_seconds": float(f"{found['step_seconds']:.6g}")}


def one_hot_flops(name):
    """Of a device: the workload looks tokens up, and sums the table's gradient, by products with one-hot rows."""
    _, _, mesh, more = STEPS[name]
    model = MODEL | more
    tokens = model["batch"] * model["sequence"] // (mesh.get("data", 1) * mesh.get("fsdp", 1))
    return 2 * 2 * tokens * model["hidden"] * model["vocabulary"] // mesh.get("tensor", 1)


def stated(alxsim, name):
    chip, cores, mesh, more = STEPS[name]
    sizes = name.rpartition("-")[2]
    machine = {"chip": chip, "cores": cores, "slice": sizes, "wrap": [False] * len(sizes.split("x"))}
    if name in RECIPE:
        machine["compiler_flags"] = "recipe"
    study = {"study": name, "numerics": False, "fidelity": "analytic", "machine": machine,
             "workload": {"transformer": MODEL | more | {"mesh": mesh}}}
    with tempfile.TemporaryDirectory() as out:
        path = os.path.join(out, "study.json")
        with open(path, "w") as file:
            json.dump(study, file)
        run([alxsim, "run", path, "-o", out, "--quiet"])
        with open(os.path.join(out, "report.json")) as file:
            point = json.load(file)["points"][0]
    devices = point["machine"]["devices"]
    sums = {}
    for one in point["traffic"]:
        sums[one["kind"]] = sums.get(one["kind"], 0) + one["payload_bytes"]
    flops = point["throughput"]["computed_operations"] / devices - one_hot_flops(name)
    return {"matmul_flops": flops, "collective_bytes": sums,
            "memory_bytes": point["memory"]["bytes_per_core"] * cores // devices, "step_seconds": point["epoch_seconds"],
            "band": [point["epoch_seconds_p05"], point["epoch_seconds_p95"]]}


def wider_bytes(name):
    """By how much these programs' peaks are larger as they say that scores and logits are f32, which stand here in bf16:
    where scores are stored, one layer's probabilities (of all layers, if nothing is recomputed) and their gradients are
    there at the peak, else logits."""
    _, _, mesh, stated_as = STEPS[name]
    size = MODEL | stated_as
    shared = mesh.get("tensor", 1)
    sequences = size["batch"] // (mesh.get("data", 1) * mesh.get("fsdp", 1))
    if size["attention"] == "flash":
        return 2 * sequences * size["sequence"] * size["vocabulary"] // shared
    arrays = 1 + (size["layers"] if size["recomputation"] == "none" else 1)
    return arrays * 2 * sequences * size["heads"] // shared * size["sequence"] ** 2


def bytes_of(kinds):
    """Sent by a device, roughly: an all-reduce sends its bytes twice, all others once."""
    return sum(size * (2 if kind == "all_reduce" else 1) for kind, size in kinds.items())


def comparison(alxsim, found):
    for name in STEPS:
        ours, theirs = stated(alxsim, name), found[name]
        yield name, ours, theirs, {
            "flops": ours["matmul_flops"] / theirs["matmul_flops"] - 1,
            "bytes": bytes_of(ours["collective_bytes"]) / bytes_of(theirs["collective_bytes"]) - 1,
            "memory": (ours["memory_bytes"] + wider_bytes(name)) / theirs["xla_memory_bytes"] - 1,
            "seconds": ours["step_seconds"] / theirs["step_seconds"] - 1}


def check(alxsim, found):
    wrong = [f"{name}: {what} {error:+.1%}, allowed {EXPLAINED.get((name, what), 0):+.1%} and {TOLERANCES[what]:.0%} either way"
             for name, _, _, errors in comparison(alxsim, found)
             for what, error in errors.items() if abs(error - EXPLAINED.get((name, what), 0)) > TOLERANCES[what]]
    sys.exit("\n".join(wrong) if wrong else 0)


def table(alxsim, found):
    print("| step | GFLOP a device: XLA, stated | MB of collectives: XLA | stated | peak MB: XLA, imported, stated (difference, scores and logits in f32) | ms: imported, stated (band) |")
    print("|---|---|---|---|---|---|")
    for name, ours, theirs, errors in comparison(alxsim, found):
        kinds = [", ".join(f"{kind.replace('_', '-')} {size / 1e6:.0f}" for kind, size in sorted(one["collective_bytes"].items())
                           if size > 5e5) for one in (theirs, ours)]
        low, high = ours["band"]
        print(f"| `{name}` | {theirs['matmul_flops'] / 1e9:,.0f}, {errors['flops']:+.1%} | {kinds[0]} | {kinds[1]} | "
              f"{theirs['xla_memory_bytes'] / 1e6:,.0f}, {theirs['memory_bytes'] / 1e6:,.0f}, {ours['memory_bytes'] / 1e6:,.0f} "
              f"({errors['memory']:+.0%}) | "
              f"{theirs['step_seconds'] * 1e3:.1f}, {ours['step_seconds'] * 1e3:.1f} ({low * 1e3:.1f} to {high * 1e3:.1f}) |")


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("import", "check", "table"):
        sys.exit(__doc__)
    _, what, alxsim, path = sys.argv
    if what == "import":
        json.dump({name: imported(alxsim, path, name) for name in STEPS}, sys.stdout, indent=1)
        print()
        return
    with open(path) as file:
        found = json.load(file)
    (check if what == "check" else table)(alxsim, found)


if __name__ == "__main__":
    main()
