#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What attention kernels cost in cycles beside what their products need of the arrays: attention_kernels.json.

    make_attention.py OUTPUT [WORD ...]    all cases, or those whose name has every WORD (v6e splash 8192x128)

Needs JAX with libtpu (README.md); no TPU. Compiles splash and flash attention of JAX, forward and backward,
causal, bf16, blocks of 512, vmapped over a batch of two, for one device of each chip (v4, v5p: megacore), and
counts the final VLIW bundles, and the cycles of delay, of the parts of the kernel's grid loop: a block that is
computed (step), the first and the last step of a row (init, end), and what every step runs, skipped ones too
(overhead). Nothing is measured: waits for DMAs, and stalls that the compiler does not foresee, are absent.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

from make_products import ENVIRONMENT

# Topology, and multiply-adds a cycle of a core.
CHIPS = {
    "v4": ("v4:2x2x1", 65536),
    "v5e": ("v5e:2x2", 65536),
    "v5p": ("v5p:2x2x1", 65536),
    "v6e": ("v6e:2x2", 262144),
    "7x": ("tpu7x:2x2x1", 262144),
}
KERNELS = ("splash", "splash_segments", "splash_fused", "flash")
PRODUCTS = {"fwd": 2, "dq": 3, "dkv": 4, "bwd_fused": 5}  # of block x block x head size, in a block
BLOCK, BATCH, HEADS = 512, 2, 1
BUNDLE = re.compile(r"\s*(?:0x)?([0-9a-f]+)\s+(LH|LB|LE|PB|PF|CT)?\s*:\s*[> ]*\{")


def program(kernel, length, size, batch=BATCH, heads=HEADS):
    """Forward and backward of one attention, and the shapes that it takes."""
    import jax
    import jax.numpy as jnp

    x = jax.ShapeDtypeStruct((batch, heads, length, size), jnp.bfloat16)
    ids = jax.ShapeDtypeStruct((batch, length), jnp.int32)
    if kernel == "flash":
        from jax.experimental.pallas.ops.tpu import flash_attention as flash

        names = "block_q block_k_major block_k block_q_major_dkv block_k_major_dkv block_k_dkv block_q_dkv"
        names += " block_k_major_dq block_k_dq block_q_dq"
        blocks = flash.BlockSizes(block_b=1, **dict.fromkeys(names.split(), BLOCK))
        attend = lambda q, k, v: flash.flash_attention(q, k, v, causal=True, block_sizes=blocks)
    else:
        from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_kernel as splash
        from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_mask as masks

        names = "block_q block_kv block_kv_compute block_q_dkv block_kv_dkv block_kv_dkv_compute"
        fused = kernel == "splash_fused"
        names += "" if fused else " block_q_dq block_kv_dq"
        blocks = splash.BlockSizes(use_fused_bwd_kernel=fused, **dict.fromkeys(names.split(), BLOCK))
        mask = masks.MultiHeadMask([masks.CausalMask((length, length))] * heads)
        one = splash.make_splash_mha(mask, block_sizes=blocks, head_shards=1, q_seq_shards=1)
        if kernel == "splash_segments":
            segments = lambda ids: splash.SegmentIds(q=ids, kv=ids)
            attend = jax.vmap(lambda q, k, v, ids: one(q, k, v, segment_ids=segments(ids)))
        else:
            attend = jax.vmap(one)

    def both(q, k, v, gradient, *ids):
        out, back = jax.vjp(lambda q, k, v: attend(q, k, v, *ids), q, k, v)
        return out, back(gradient)

    return both, (x, x, x, x) + ((ids,) if kernel == "splash_segments" else ())


def compile_one(chip, kernel, length, size):
    import jax
    import numpy as np
    from jax.experimental import topologies
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    options = {"chip_config_name": "megacore"} if chip == "v4" else {}
    slice_ = topologies.get_topology_desc(platform="tpu", topology_name=CHIPS[chip][0], **options)
    place = NamedSharding(Mesh(np.array(slice_.devices[:1]), ("x",)), PartitionSpec())
    function, shapes = program(kernel, length, size)
    jax.jit(function, in_shardings=(place,) * len(shapes), out_shardings=place).lower(*shapes).compile()


def dumped(chip, kernel, length, size, folder):
    """Compiles in a process of its own (flags are read once); the folder gets the bundles."""
    environment = {**os.environ, **ENVIRONMENT, "LIBTPU_INIT_ARGS": f"--xla_jf_dump_to={folder}"}
    words = [sys.executable, __file__, "compile", chip, kernel, str(length), str(size)]
    return subprocess.run(words, env=environment, capture_output=True, text=True).returncode == 0


def read(path):
    """Bundles of a kernel (marker, text, delay), and the slots that each uses."""
    bundles = []
    with open(path, errors="replace") as file:
        for line in file:
            if match := BUNDLE.match(line):
                delay = sum(int(one) for one in re.findall(r"vdelay[^0-9]*(\d+)", line))
                bundles.append((match.group(2), line, delay))
    use = glob.glob(re.sub(r"-\d+-final_bundles.txt", "-*final_hlo-static-per-bundle-utilization.txt", path))[0]
    with open(use) as file:
        lines = file.read().split("\n")
    names = [one.strip() for one in lines[1].split(",")]
    capacity = dict(zip(names, map(int, lines[2].split())))
    rows = [dict(zip(names, map(int, line.split()))) for line in lines[4:] if line.strip()]
    return bundles, capacity, rows


def parts(bundles):
    """Spans of the grid loop: {"loop", "init", "step", "end"}: [begin, end), and the loop's trips."""
    begin = next(i for i, (mark, _, _) in enumerate(bundles) if mark == "LB")
    test = next(i for i, (_, line, _) in enumerate(bundles) if i > begin and "loop exit test" in line)
    end = next(i for i, (_, line, _) in enumerate(bundles) if i >= test and "sbr.rel" in line) + 1
    found, opened = {"loop": (begin, end)}, {}
    for i in range(begin, end):
        mark, line, _ = bundles[i]
        if mark in ("PF", "LE"):
            for region in re.findall(r"empty region (\d+)", line):
                if region in opened:
                    yes = [one for one in range(opened[region], i) if "vmatmul" in bundles[one][1]]
                    stores = sum(len(re.findall(r"= vst ", bundles[one][1])) for one in range(opened[region], i))
                    if yes and "step" not in found:
                        found["step"] = (opened[region], i)
                    elif not yes and stores > 30 and "step" not in found:
                        found["init"] = (opened[region], i)
                    elif not yes and stores > 30:
                        found["end"] = (opened[region], i)
        if target := re.search(r"sbr.rel \(.*?\) target = \$region(\d+)", line):
            opened[target.group(1)] = i + 1
    nested = sum(mark == "LB" for mark, _, _ in bundles[begin:end]) > 1
    trips = int(re.search(r"totalorder %\S+, (\d+) /\* loop exit", bundles[test][1]).group(1)) - 2
    return found, trips, nested


def array_cycles(text):
    """Cycles that the code's own products hold the arrays: 16 rows of bf16 or 8 of f32 an instruction.

    Four arrays of 128 take a row a cycle each, two of 256 two rows: zeros that fill an array are in.
    """
    rows = sum(16 if "bf16" in one else 8 for one in re.findall(r"= vmatmul\.\S+", text))
    return rows // 4


def record(chip, kernel, length, size, path):
    """One kernel's cycles; those of a head follow from the causal mask: n (n + 1) / 2 of n x n blocks."""
    bundles, capacity, rows = read(path)
    found, trips, nested = parts(bundles)
    assert not nested and len(bundles) == len(rows), path
    cycles = {name: end - begin + sum(one[2] for one in bundles[begin:end]) for name, (begin, end) in found.items()}
    overhead = 2 * cycles["loop"] - sum(cycles.values())
    begin, end = found["step"]
    text = "".join(one[1] for one in bundles[begin:end])
    used = {name: sum(row[name] for row in rows[begin:end]) for name in capacity}
    name = os.path.basename(path)
    pass_ = "dq" if "_dq_" in name else "dkv" if "_dkv_" in name else "fwd"
    pass_ = "bwd_fused" if pass_ == "dkv" and kernel == "splash_fused" else pass_
    need = PRODUCTS[pass_] * BLOCK * BLOCK * size // CHIPS[chip][1]
    held = array_cycles(text)
    step = max(cycles["step"], held)
    n = length // BLOCK
    computed = n * (n + 1) // 2
    head = n * n * overhead + computed * step + n * (cycles["init"] + cycles["end"])
    busy = {"MXU": held, **{one: -(-used[one] // capacity[one]) for one in ("VALU", "EUP", "XLU", "VLOAD", "VSTORE")}}
    return {
        "chip": chip, "kernel": kernel, "pass": pass_, "sequence": length, "head_size": size,
        "block_q": BLOCK, "block_kv": BLOCK, "cores": BATCH * HEADS * n * n // trips,
        "step_bundles": cycles["step"], "init_bundles": cycles["init"], "end_bundles": cycles["end"],
        "overhead_bundles": overhead, "array_cycles_needed": need, "array_cycles_of_code": held,
        "step_ratio": round(step / need, 3), "computed_share": round(computed / n / n, 4),
        "kernel_cycles_per_head": head, "kernel_ratio": round(head / computed / need, 3),
        "kernel_over_half_square": round(head / (n * n / 2) / need, 3),
        "slot_cycles": busy, "slots_used": {one: round(used[one] / capacity[one] / (end - begin), 3) for one in used},
        "bound": max(busy, key=busy.get),
    }


def main():
    if sys.argv[1] == "compile":
        return compile_one(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    output, *words = sys.argv[1:]
    records = []
    for case in [(c, k, s, d) for c in CHIPS for k in KERNELS for s in (2048, 8192) for d in (128, 256)]:
        name = "{} {} {}x{}".format(*case)
        if not all(word in name.split() for word in words):
            continue
        with tempfile.TemporaryDirectory() as folder:
            done = dumped(*case, folder)
            paths = sorted(glob.glob(folder + "/*[0-9]-final_bundles.txt"))
            paths = [one for one in paths if re.search(r"splash|flash", os.path.basename(one))]
            found = [record(*case, one) for one in paths]
        print(name, "done" if done else "FAILED", len(found), flush=True)
        records += found
    with open(output, "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(one) for one in records) + "\n]\n")


if __name__ == "__main__":
    main()
