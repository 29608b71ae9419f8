#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the TPU compiler's code takes for work of the vector units: vector_bundles.json, row_operations.json.

    make_vector_bundles.py bundles v5e:2x2 exp:1024x1024:f32 ...        counted in the final bundles
    make_vector_bundles.py profile v5e:2x2 top_k:64x8192:f32:10 ...     the compiler's static profile

Prints one record a line. Needs JAX with libtpu (README.md); no TPU. The operation is on the last dimension
but for sum_major (the first) and sum_sublanes (8 at a time of the last but one). `bundles` adds up the slots
used by the bundles of the fusion's loop over windows, times its windows: right where all other loops are
unrolled, as in the sizes of vector_bundles.json, which has them by register. `profile` unrolls the program, sorts included: it works for v5e, v5p,
v6e and 7x.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

from make_products import ENVIRONMENT


def operations(k):
    import jax
    import jax.numpy as jnp

    return {
        "mul": lambda x: x * 1.7, "add": lambda x: x + 1.7, "exp": jnp.exp, "tanh": jnp.tanh, "log": jnp.log,
        "div": lambda x: 1.7 / x, "sqrt": jnp.sqrt, "rsqrt": jax.lax.rsqrt, "pow": lambda x: x**1.7, "sin": jnp.sin,
        "erf": jax.lax.erf, "gelu": jax.nn.gelu, "sigmoid": lambda x: 1 / (1 + jnp.exp(-x)),
        "sum_minor": lambda x: jnp.sum(x, axis=-1), "max_minor": lambda x: jnp.max(x, axis=-1),
        "sum_major": lambda x: jnp.sum(x, axis=0),
        "sum_sublanes": lambda x: jnp.sum(x.reshape(-1, 8, x.shape[-1]), axis=1),
        "transpose": lambda x: x.T + 0, "argmax": lambda x: jnp.argmax(x, axis=-1),
        "sort": lambda x: jnp.sort(x, axis=-1), "cumsum": lambda x: jnp.cumsum(x, axis=-1),
        "top_k": lambda x: jax.lax.top_k(x, k),
    }  # fmt: skip


def compile_one(topology, name, shape, dtype, k):
    """The text of the compiled program."""
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.experimental import topologies
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    slice_ = topologies.get_topology_desc(platform="tpu", topology_name=topology)
    place = NamedSharding(Mesh(np.array(slice_.devices[:1]), ("x",)), PartitionSpec())
    operand = jax.ShapeDtypeStruct(shape, {"f32": jnp.float32, "bf16": jnp.bfloat16}[dtype])
    return jax.jit(operations(k)[name], in_shardings=(place,)).lower(operand).compile().as_text()


def compiled(topology, case, flags):
    """The same in a process of its own: flags are read once."""
    environment = {**os.environ, **ENVIRONMENT, "LIBTPU_INIT_ARGS": flags}
    words = [sys.executable, __file__, "text", topology, case]
    return subprocess.run(words, env=environment, check=True, capture_output=True, text=True).stdout


def slots_of(folder, text):
    """Slots used by all windows of the one fusion of a program, and its bundles."""
    for path in glob.glob(folder + "/*final_hlo-static-per-bundle-utilization.txt"):
        if "late-" in path or "-TLP-" in path:
            continue
        with open(path) as file:
            lines = [line for line in file.read().split("\n") if line.strip()]
        names = [name.strip() for name in lines[1].split(",")]
        bundles = [[int(one) for one in line.split()] for line in lines[4:]]
        bounds = re.search(r'"iteration_bounds":\[([^]]*)\]', text)
        windows = 1
        for one in re.findall(r"\d+", bounds.group(1) if bounds else ""):
            windows *= int(one)
        slots = {name: windows * sum(bundle[i] for bundle in bundles) for i, name in enumerate(names)}
        return {"bundles": windows * len(bundles), **{name: slots[name] for name in ("VALU", "EUP", "XLU", "VLOAD", "VSTORE")}}
    return {}


def record(what, topology, case):
    name, shape, dtype, k = parsed(case)
    head = {"topology": topology, "op": name, "shape": shape, "dtype": dtype, **({"k": k} if k else {})}
    with tempfile.TemporaryDirectory() as folder:
        if what == "bundles":
            return {**head, **slots_of(folder, compiled(topology, case, f"--xla_jf_dump_to={folder} --xla_jf_dump_hlo_text=true"))}
        text = compiled(topology, case, f"--xla_jf_dump_static_llo_profile_to={folder}")
        cycles = [int(one) for one in re.findall(r'bundle_analysis_data":\{"estimated_cycles":"(\d+)"', text)]
        return {**head, "profile_cycles": sum(cycles)}


def parsed(case):
    name, shape, dtype, *k = case.split(":")
    return name, [int(one) for one in shape.split("x")], dtype, int(k[0]) if k else 0


def main():
    what, topology, *cases = sys.argv[1:]
    for case in cases:
        print(compile_one(topology, *parsed(case)) if what == "text" else json.dumps(record(what, topology, case)), flush=True)


if __name__ == "__main__":
    main()
