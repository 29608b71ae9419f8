#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the TPU compiler sums FSDP's gradients inside a slice, of one slice and of two: gradient_sums.json.

    make_gradient_sums.py > gradient_sums.json

Needs JAX with libtpu (README.md); no TPU. The gradient is a product of bf16 whose result is to lie in shards over all
chips of a slice; replicas over two slices add their shards. An all-reduce whose fusion keeps a shard is native.
"""
import json
import math
import os
import re

from make_products import ENVIRONMENT

os.environ.update(ENVIRONMENT)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax.experimental import mesh_utils, topologies  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P  # noqa: E402

ROWS, COLUMNS, TOKENS = 4096, 14336, 4096
# Chip, slice, whether its axes are rings.
SLICES = [("v5e", "8x8", False), ("v5e", "8x16", False), ("v5e", "16x16", True), ("v6e", "8x8", False), ("v6e", "16x16", True)]


def form(text):
    if "calls=%all-reduce-scatter" in text or re.search(r" reduce-scatter\(", text):
        return "one_ring"
    return "all_reduce_and_slice" if re.search(r" all-reduce\(", text) else "permutes"


def record(chip, sizes, rings, slices):
    devices = list(topologies.get_topology_desc(platform="tpu", topology_name=f"{chip}:{sizes}", num_slices=slices,
                                                wrap=[rings] * 3).devices)
    chips = math.prod(int(one) for one in sizes.split("x"))
    if slices > 1:
        places = mesh_utils.create_hybrid_device_mesh((1, chips), (slices, 1), devices, allow_split_physical_axes=True)
    else:
        places = mesh_utils.create_device_mesh((1, chips), devices, allow_split_physical_axes=True)
    mesh = Mesh(places, ("data", "fsdp"))
    tokens = NamedSharding(mesh, P(("data", "fsdp")))
    factor = lambda width: jax.ShapeDtypeStruct((TOKENS * mesh.size, width), jnp.bfloat16, sharding=tokens)  # noqa: E731
    gradient = jax.jit(lambda x, dy: jnp.einsum("ti,to->io", x, dy), out_shardings=NamedSharding(mesh, P("fsdp")))
    text = gradient.lower(factor(ROWS), factor(COLUMNS)).compile().as_text()
    return {"chip": chip, "slice": sizes, "wrap": [rings] * 2, "slices": slices, "form": form(text)}


def main():
    import libtpu
    records = [record(*one, slices) for one in SLICES for slices in (1, 2)]
    print(json.dumps({"jax": jax.__version__, "libtpu": libtpu.__version__, "dtype": "bf16", "rows": ROWS, "columns": COLUMNS,
                      "records": records}, indent=1))


if __name__ == "__main__":
    main()
