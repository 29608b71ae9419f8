#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the TPU compiler's code takes for products, window by window: records of product_windows.json.

    make_products.py bundles v6e:2x2 8192x8192x8192 ...    counted in the final bundles
    make_products.py profile v6e:2x2 4096x4096x4096 ...    the compiler's static profile
    make_products.py profile v6e:2x2 2048x256x2048+gelu    the same with vector work on the result, in one fusion

Prints one record a line. Needs JAX with libtpu (README.md); no TPU. `bundles` counts the VLIW bundles, and
the cycles of delay, of the loop that a window runs, without the part that only some windows run. `profile`
unrolls the program: 4096 cubed takes a minute, 6144 cubed five, and 13 GB of memory. It works for v5e, v5p, v6e
and 7x; on others the compiler ends with it.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

ENVIRONMENT = {
    "TPU_SKIP_MDS_QUERY": "1",
    "JAX_PLATFORMS": "cpu",
    "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
    "TPU_ACCELERATOR_TYPE": "v3-8",
    "TPU_WORKER_HOSTNAMES": "localhost",
}
BUNDLE = re.compile(r"\s*(0x[0-9a-f]+)\s+(LH|LB|LE|PB|PF)?\s*:\s*[> ]*\{")


def epilogue_of(name):
    """What is done with each number of a product before it is written, in f32."""
    import jax
    import jax.numpy as jnp

    return {
        "": lambda x: x,
        "relu": jax.nn.relu,
        "exp": jnp.exp,
        "gelu": lambda x: jax.nn.gelu(x, approximate=True),
        "two_gelus": lambda x: jax.nn.gelu(jax.nn.gelu(x, approximate=True), approximate=True),
    }[name]


def compile_one(topology, sizes, epilogue):
    """The text of the compiled program of [m x k] times [k x n] in bf16, summed in f32."""
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.experimental import topologies
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    m, k, n = sizes
    slice_ = topologies.get_topology_desc(platform="tpu", topology_name=topology)
    place = NamedSharding(Mesh(np.array(slice_.devices[:1]), ("x",)), PartitionSpec())
    after = epilogue_of(epilogue)

    def function(a, b):
        if not epilogue:
            return a @ b
        return after(jnp.dot(a, b, preferred_element_type=jnp.float32)).astype(jnp.bfloat16)

    product = jax.jit(function, in_shardings=(place, place), out_shardings=place)
    left = jax.ShapeDtypeStruct((m, k), jnp.bfloat16)
    right = jax.ShapeDtypeStruct((k, n), jnp.bfloat16)
    return product.lower(left, right).compile().as_text()


def compiled(topology, sizes, epilogue, flags):
    """The same in a process of its own: flags are read once."""
    environment = {**os.environ, **ENVIRONMENT, "LIBTPU_INIT_ARGS": flags}
    product = "x".join(map(str, sizes)) + ("+" + epilogue if epilogue else "")
    words = [sys.executable, __file__, "text", topology, product]
    return subprocess.run(words, env=environment, check=True, capture_output=True, text=True).stdout


def windows_of(text):
    """How often each axis is cut; rows, columns and depth of a window are in units of 8, 128 and 8."""
    found = {}
    for name in ("kernel", "output", "input"):
        bounds = re.search(rf'"{name}_window_bounds":\[([^]]*)\]', text)
        found[name] = [int(one) for one in re.findall(r"\d+", bounds.group(1))] if bounds else []
    iterations = re.search(r'"iteration_bounds":\[([^]]*)\]', text)
    found["iterations"] = [int(one) for one in re.findall(r"\d+", iterations.group(1))] if iterations else []
    return found


def loop_of(folder):
    """Bundles and cycles of delay of the loop over windows, and bundles of the part that few windows run."""
    for path in glob.glob(folder + "/*fusion*final_bundles.txt"):
        if "schedule" in path:
            continue
        begin = end = last_branch = None
        delays, part = 0, 0
        with open(path, errors="replace") as file:
            for line in file:
                match = BUNDLE.match(line)
                if not match:
                    continue
                address = int(match.group(1), 16)
                begin = address if match.group(2) == "LB" and begin is None else begin
                if begin is not None:
                    delays += sum(int(one) for one in re.findall(r"vdelay[^0-9]*(\d+)", line))
                if match.group(2) == "PF" and last_branch is not None:
                    part = max(part, address - last_branch)  # the largest but the window's own code
                    last_branch = None
                if "sbr.rel" in line and begin is not None and address - begin > 1000:
                    last_branch = address
                if "loop exit test" in line:
                    end = address
                    break
        if begin is not None and end is not None:
            return {"bundles": end - begin, "delay_cycles": delays, "bundles_of_some": part}
    return {}


def record(what, topology, sizes, epilogue):
    head = {"topology": topology, "m": sizes[0], "k": sizes[1], "n": sizes[2]}
    if epilogue:
        head["epilogue"] = epilogue
    with tempfile.TemporaryDirectory() as folder:
        if what == "bundles":
            text = compiled(topology, sizes, epilogue, f"--xla_jf_dump_to={folder} --xla_jf_dump_hlo_text=true")
            return {**head, "windows": windows_of(text), **loop_of(folder)}
        text = compiled(topology, sizes, epilogue, f"--xla_jf_dump_static_llo_profile_to={folder}")
        cycles = [int(one) for one in re.findall(r'bundle_analysis_data":\{"estimated_cycles":"(\d+)"', text)]
        return {**head, "windows": windows_of(text), "profile_cycles": sum(cycles)}


def main():
    what, topology, *products = sys.argv[1:]
    for product in products:
        shape, _, epilogue = product.partition("+")
        sizes = [int(one) for one in shape.split("x")]
        if what == "text":
            print(compile_one(topology, sizes, epilogue), flush=True)
        else:
            print(json.dumps(record(what, topology, sizes, epilogue)), flush=True)


if __name__ == "__main__":
    main()
