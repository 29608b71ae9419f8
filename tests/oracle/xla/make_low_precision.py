#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The TPU compiler's estimate of a product of 8192 cubed by the type of its operands: low_precision.json.

    make_low_precision.py > low_precision.json

Needs JAX with libtpu (README.md); no TPU. Cycles are the compiler's own estimate (`estimated_cycles`), good for the
ratio between two types of one chip and for no time: products of whole numbers are summed in s32, others in f32.
Of a left and a right factor of different types likewise: `fp8_e4m3 fp8_e5m2`.
"""
import json
import os
import re

from make_products import ENVIRONMENT

os.environ.update(ENVIRONMENT)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.experimental import topologies  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

SLICES = {"tpu_v2": "v2:2x2", "tpu_v3": "v3:2x2", "tpu_v4": "v4:2x2x1", "tpu_v5e": "v5e:2x2", "tpu_v5p": "v5p:2x2x1",
          "tpu_v6e": "v6e:2x2", "tpu_7x": "tpu7x:2x2x1"}
TYPES = {"bf16": "bfloat16", "i8": "int8", "i4": "int4", "fp8_e4m3": "float8_e4m3fn", "fp8_e5m2": "float8_e5m2",
         "fp4": "float4_e2m1fn"}
MIXED = [("fp8_e4m3", "fp8_e5m2"), ("fp8_e5m2", "fp8_e4m3")]
SIDE = 8192


def estimated_cycles(slice_, left, right):
    place = NamedSharding(Mesh(np.array(slice_.devices[:1]), ("x",)), PartitionSpec())
    sums = jnp.int32 if left.startswith("int") else jnp.float32
    product = jax.jit(lambda a, b: jax.lax.dot(a, b, preferred_element_type=sums), in_shardings=(place, place),
                      out_shardings=place)
    operands = [jax.ShapeDtypeStruct((SIDE, SIDE), getattr(jnp, dtype)) for dtype in (left, right)]
    text = product.lower(*operands).compile().as_text()
    return max(int(cycles) for cycles in re.findall(r'"estimated_cycles":"(\d+)"', text))


def main():
    cycles = {}
    mixed = {}
    for chip, name in SLICES.items():
        megacore = {"chip_config_name": "megacore"} if chip == "tpu_v4" else {}
        slice_ = topologies.get_topology_desc(platform="tpu", topology_name=name, **megacore)
        cycles[chip] = {ours: estimated_cycles(slice_, dtype, dtype) for ours, dtype in TYPES.items()}
        mixed[chip] = {left + " " + right: estimated_cycles(slice_, TYPES[left], TYPES[right]) for left, right in MIXED}
    import libtpu
    print(json.dumps({"side": SIDE, "jax": jax.__version__, "libtpu": libtpu.__version__, "estimated_cycles": cycles,
                      "estimated_cycles_of_left_and_right": mixed}, indent=1))


if __name__ == "__main__":
    main()
